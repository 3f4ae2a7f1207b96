"""Turns that a host has taken and not given back: who holds them is a note beside the brief.

Only the standard library is imported here: a host asks whenever it wants to stop, and waits for the answer.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from signoff.service import status_overview

FILE = "taken.json"
SESSION = "CLAUDE_CODE_SESSION_ID"


@dataclass(frozen=True, slots=True)
class Taker:
    """A session of a host: its name, and the process it lives in, which outlasts a name that changes."""

    session: str
    process: int

    @staticmethod
    def here(environment: Mapping[str, str], parent: int) -> Taker | None:
        """The host that started this process, if it says who it is."""
        session = environment.get(SESSION, "")
        return Taker(session, parent) if session else None


@dataclass(frozen=True, slots=True)
class Held:
    """A turn that a session took and that is still open; `told` says that the session was reminded of it before."""

    run: str
    turn: str
    agent: str
    attempt: int
    folder: str
    told: bool


def note(taker: Taker, attempt: int, *, told: bool = False) -> bytes:
    """What stands beside the brief."""
    plain = {"session": taker.session, "process": taker.process, "attempt": attempt, "told": told}
    return f"{json.dumps(plain)}\n".encode()


def held(project: str, taker: Taker) -> Iterator[Held]:
    """The open turns of a project that this session took, without an output yet or another process at work on them."""
    for file in status_overview.status_files(project):
        status = status_overview.read(project, file)
        for turn in status.get("turns", ()) if not status.get("stop") else ():
            folder = f"{file.removesuffix(status_overview.STATUS)}turns/{turn['turn']}"
            noted = _noted(folder)
            mine = noted.get("session") == taker.session or noted.get("process") == taker.process
            mine = mine and noted.get("attempt") == turn["attempt"]
            received = mine and os.path.exists(f"{folder}/raw-{turn['attempt']}.txt")  # noqa: PTH110
            if mine and not received and not _leased(folder):
                told = bool(noted.get("told"))
                yield Held(status["run"], turn["turn"], turn["agent"], turn["attempt"], folder, told)


def remind(one: Held, taker: Taker) -> bool:
    """Notes that the session was told, so that it is told once; False if that cannot be noted."""
    try:
        fd = os.open(f"{one.folder}/{FILE}", os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(fd, "wb") as file:
        file.write(note(taker, one.attempt, told=True))
    return True


def _noted(folder: str) -> Mapping[str, Any]:
    try:
        with open(f"{folder}/{FILE}", "rb") as file:  # noqa: PTH123 - before anything else is loaded
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _leased(folder: str) -> bool:
    """Whether another process works on the turn: it then holds the lock on the turn's folder."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False
