"""The clock: the only place where time comes in."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[int], str]
"""Gives the time of the event that makes revision n, as ISO 8601 with offset."""

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def wall(_rev: int) -> str:
    """The machine's time, in its own zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def from_revision(rev: int) -> str:
    """A time that depends on the revision alone, so that the same run gives the same bytes twice."""
    return (_EPOCH + timedelta(seconds=rev)).isoformat(timespec="seconds")


def chosen() -> Clock:
    """The clock of this process: SIGNOFF_CLOCK=revision gives reproducible runs."""
    return from_revision if os.environ.get("SIGNOFF_CLOCK") == "revision" else wall
