"""Fixtures for the tests of a workflow: pytest finds them by the entry point, with nothing to import.

`signoff_explore`  every state of a workflow, with proofs that it ends and that limits limit
`signoff_play`     a whole run in a temporary project, with replies that the test gives
`signoff_recorded` a run that was kept with `signoff record`, played in a temporary project
`signoff_crash`    the same run, killed at system calls and started again
`signoff_stub`     a model provider on loopback, for tests of real model clients
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def signoff_explore() -> Callable[..., Any]:
    """`signoff.testing.explore`."""
    from signoff.testing.proofs import explore

    return explore


@pytest.fixture
def signoff_play(tmp_path: Path) -> Callable[..., Any]:
    """`signoff.testing.play` in a temporary project."""
    from signoff.testing.proofs import play

    return partial(play, folder=tmp_path)


@pytest.fixture
def signoff_recorded(tmp_path: Path) -> Callable[..., Any]:
    """`signoff.testing.recorded` in a temporary project."""
    from signoff.testing.proofs import recorded

    return partial(recorded, folder=tmp_path)


@pytest.fixture
def signoff_crash(tmp_path: Path) -> Callable[..., Any]:
    """`signoff.testing.crash` in a temporary folder."""
    from signoff.testing.proofs import crash

    return partial(crash, workdir=tmp_path)


@pytest.fixture
def signoff_stub() -> Iterator[Callable[..., Any]]:
    """Makes `signoff.testing.Stub` servers, and ends them with the test."""
    from contextlib import ExitStack

    from signoff.testing.stub import Stub

    with ExitStack() as open_ones:
        yield lambda *args, **given: open_ones.enter_context(Stub(*args, **given))
