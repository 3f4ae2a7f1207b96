"""What every test gets: no network but loopback, and no deadline that a busy machine could miss."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# On a desk every run looks at new examples; CI looks at the same ones each time, so that red means a change.
for _profile, _examples in {"signoff": 40, "whole": 100}.items():  # `make test-all` looks at the whole
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize="CI" in os.environ,
    )
settings.load_profile("signoff")

gc.set_threshold(50_000, 20, 50)  # explorers keep millions of values, and going through them finds nothing

# Whoever runs the tests may have keys, a collector and a proxy of their own: none of that is a test's.
for _name in [name for name in os.environ if name.startswith("OTEL_") or name.endswith(("_API_KEY", "_BASE_URL"))]:
    del os.environ[_name]
for _agent in ("CLAUDECODE", "AI_AGENT"):  # whoever works on this with an agent is still a person in its tests
    os.environ.pop(_agent, None)

# Whoever is started in the background ignores Ctrl-C, and so would every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every run is synced to the disk again and again: in memory that costs nothing, where there is enough of it.
_MEMORY, _ENOUGH = Path("/dev/shm"), 4_000_000_000
if "TMPDIR" not in os.environ and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ENOUGH:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

_GUARD = Path(__file__).parent / "guard"
sys.path.insert(0, str(_GUARD))
import only_loopback  # noqa: E402 - found by the line above

only_loopback.install()


@pytest.fixture(scope="session", autouse=True)
def _no_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What whoever runs the tests keeps at home is not read, and nothing is put there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _children_too(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a test starts is held to the same: Python by the guard itself, the rest by a proxy that is not there."""
    path = os.pathsep.join(filter(None, [str(_GUARD), os.environ.get("PYTHONPATH", "")]))
    nobody = tmp_path_factory.mktemp("authorities")
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        patch.setenv(
            "SSL_CERT_DIR", str(nobody)
        )  # reading the authorities of the world takes longer than a stub's answer
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("PATH", programs)  # the `python` of an agent's command is this one, whatever the machine has
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.setenv(name, only_loopback.NOBODY)
            patch.setenv(name.lower(), only_loopback.NOBODY)
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, ",".join(only_loopback.NAMES))
        yield


@pytest.fixture
def must_end() -> Iterator[None]:
    """Hostile input may be slow, it may not hang: a minute of CPU time is a catastrophe, whatever the machine does."""

    def hangs(_signal: int, _frame: object) -> None:
        raise AssertionError("it did not end within a minute of CPU time")

    before = signal.signal(signal.SIGVTALRM, hangs)
    signal.setitimer(signal.ITIMER_VIRTUAL, 60)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


LONG = ("test_demo_survives", "explored", "survives", "test_docs", "test_cli", "test_mcp", "test_claude")
"""Files that take long, by a part of their names. They go first, the longest of all before the others: every file is
run by one worker, and one that begins last would be waited for by all."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts files that take long first; what starts Claude Code is slow, whatever else it says."""
    for item in items:
        if item.get_closest_marker("claude"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: next((n for n, part in enumerate(LONG) if part in item.path.name), len(LONG)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--crash-points", default="4", help="how many points to kill a run at, or `all`")
