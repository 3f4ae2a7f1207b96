"""What every test gets: no network but loopback, and no deadline that a busy machine could miss."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("signoff", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("signoff")

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--crash-points", default="24", help="how many points to kill the demo run at, or `all`")
