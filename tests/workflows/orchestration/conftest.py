"""What several modules here begin with, made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import pytest
from design_project import Case, walk


@pytest.fixture(scope="session")
def stops(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Case]:
    """The small design at each of its stops."""
    return walk(tmp_path_factory.mktemp("design"))


@pytest.fixture
def at(stops: Mapping[str, Case], tmp_path: Path) -> Callable[[str], Case]:
    """A copy of the small design at one of its stops, a new one each time."""
    number = count(1)
    return lambda name: stops[name].copied(tmp_path / f"{name}-{next(number)}")
