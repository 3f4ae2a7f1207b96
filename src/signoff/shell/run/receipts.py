"""Receipts: beside each attempt of a turn, who worked on it and what it cost. A lost one is an unknown price."""

from __future__ import annotations

import json
from dataclasses import asdict

from signoff.core.events import Usage


def place(folder: str, turn: str, attempt: int) -> str:
    """Where the receipt of an attempt is, in the folder of its run."""
    return f"{folder}/turns/{turn}/usage-{attempt}.json"


def render(runtime: str, usage: Usage, model: str = "") -> bytes:
    """The receipt as it is kept."""
    by = {"runtime": runtime, **({"model": model} if model else {})}
    return (json.dumps({**by, **asdict(usage)}, default=str) + "\n").encode()


def usage(data: bytes | None) -> Usage:
    """What an attempt cost, as its receipt says."""
    try:
        return Usage.reported(dict(json.loads(data or b"")))
    except (ValueError, TypeError, RecursionError):
        return Usage(cost=None)


def worker(data: bytes | None) -> tuple[str, str]:
    """The runtime and the model that worked on an attempt; empty where the receipt does not say it."""
    try:
        plain = json.loads(data or b"")
        return str(plain["runtime"]), str(plain.get("model", ""))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "", ""
