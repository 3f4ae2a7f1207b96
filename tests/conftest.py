"""What every test gets: no network but loopback, and no deadline that a busy machine could miss."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# On a desk every run looks at new examples; CI looks at the same ones each time, so that red means a change.
settings.register_profile(
    "signoff", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("signoff")

for _agent in ("CLAUDECODE", "AI_AGENT"):  # whoever works on this with an agent is still a person in its tests
    os.environ.pop(_agent, None)

_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for the world fails at once, with the address it wanted."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--crash-points", default="24", help="how many points to kill the demo run at, or `all`")
