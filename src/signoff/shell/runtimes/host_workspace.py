"""What a host gives for an open turn before its output: files, and what its commands make of them.

Each call works in a folder of its own, with the turn's inputs and what was given so far. The files under the contract
that are there at its end are kept beside the turn, not in the project, and count when the turn's output is accepted.
Calls for one turn are done one after the other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from signoff.core.commands import StartTurn
from signoff.core.errors import LockedError, RefusedError
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE
from signoff.core.refs import Ref
from signoff.shell.run.attempts import Attempt
from signoff.shell.run.processes import Ran
from signoff.shell.run.workspace import Workspace
from signoff.shell.runtimes.runtime import Host

T = TypeVar("T")
HOST = Host().name
PATIENCE, STEP = 5.0, 0.02
"""How many seconds a call waits for one before it, and for how long between two looks."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was given for an attempt so far: files by digest, and what commands changed elsewhere."""

    files: Mapping[str, str] = field(default_factory=dict)
    strays: tuple[str, ...] = ()


def tools(start: StartTurn) -> tuple[str, ...]:
    """The confined tools that a turn has for a host."""
    return (*((WRITE_FILE,) if WRITE_FILE in start.tools else ()), *((RUN_COMMAND,) if start.runs else ()))


def so_far(own: Attempt) -> Given:
    """What a host gave; nothing if one of our runtimes has begun the attempt again since."""
    if own.log.begun_by() != HOST:
        return Given()
    plain = json.loads(own.live.store.read(_place(own)) or b"{}")
    return Given(dict(plain.get("files", {})), tuple(plain.get("strays", ())))


async def write(own: Attempt, path: str, data: bytes) -> Given:
    """Takes one file, whole; gives what is there by now."""

    def writing(space: Workspace, known: Given) -> Given:
        space.write(path, data)
        return _keep(own, space, known)

    return await _alone(own, writing)


async def run(own: Attempt, command: str) -> tuple[Ran, Given, Given]:
    """Runs one command to its end; gives how it ended, what was there before it, and what is there after it."""

    def running(space: Workspace, known: Given) -> tuple[Ran, Given, Given]:
        made: list[Given] = []
        ran = space.run(command, lambda: made.append(_keep(own, space, known, space.strays())))
        return ran, known, made[0]

    return await _alone(own, running)


@asynccontextmanager
async def closing(own: Attempt) -> AsyncIterator[Given]:
    """Holds a turn while its output is taken in, and gives what comes with it.

    It does not wait for one of our runtimes that works on the turn: the output that comes first counts.
    """
    if not tools(own.start):
        yield Given()
        return
    held = await _leased(own)
    if held is None and own.log.begun_by() == HOST:
        raise _busy(own)
    with held or nullcontext():
        if held is not None:
            _refuse_cut_off(own)
        yield so_far(own)


# --- one after the other ----------------------------------------------------------------------------------------------


async def _leased(own: Attempt) -> ExitStack | None:
    """The lease of the turn, waited for a moment; None if another process goes on holding it."""
    for _ in range(max(1, round(PATIENCE / STEP))):
        with ExitStack() as stack:
            if stack.enter_context(own.live.store.lease(own.live.folder, own.start.turn)):
                return stack.pop_all()
        await asyncio.sleep(STEP)
    return None


async def _alone(own: Attempt, act: Callable[[Workspace, Given], T]) -> T:
    """Lets one call work alone. If the caller goes away, the call still runs to its end, which is noted."""
    lease = await _leased(own)
    if lease is None:
        raise _busy(own)
    with lease:
        await own.live.sync()
        _refuse_closed(own)
        _refuse_cut_off(own)
        held = lease.pop_all()
    return await asyncio.shield(asyncio.to_thread(_work, own, held, act))


def _work(own: Attempt, lease: ExitStack, act: Callable[[Workspace, Given], T]) -> T:
    with lease, own.space() as space:
        known = _begun(own)
        for path, sha in known.files.items():
            space.write(path, own.live.library.data(Ref(path, sha)))
        return act(space, known)


def _begun(own: Attempt) -> Given:
    """What a host gave so far. A try that one of our runtimes began leaves nothing: its folder is gone."""
    if own.log.begun_by() != HOST:
        _note(own, Given())
        own.log.begun_anew(HOST)
    return so_far(own)


def _keep(own: Attempt, space: Workspace, known: Given, strays: Iterable[str] = ()) -> Given:
    made = Given(own.keep_files(space.changes()), tuple(sorted({*known.strays, *strays})))
    if made != known:
        _note(own, made)
    return made


def _note(own: Attempt, given: Given) -> None:
    text = json.dumps({"files": dict(given.files), "strays": given.strays}, ensure_ascii=False)
    own.live.store.write(_place(own), f"{text}\n".encode(), durable=True)


def _place(own: Attempt) -> str:
    return f"{own.folder}/given-{own.start.attempt}.json"


# --- what is refused --------------------------------------------------------------------------------------------------


def _refuse_closed(own: Attempt) -> None:
    turn, attempt = own.start.turn, own.start.attempt
    now = own.live.state.turns.get(turn)
    if now is None or now.start.attempt != attempt or own.output() is not None:
        raise RefusedError(
            f"turn {turn} is no longer open at attempt {attempt}",
            repair="ask with next_turn what is open now; nothing was done",
        )


def _refuse_cut_off(own: Attempt) -> None:
    if uncertain := own.log.uncertain():
        raise RefusedError(
            f"this was stopped while a command of turn {own.start.turn} ran ({', '.join(uncertain)})",
            repair="nobody knows how far it came: ask with next_turn how the run goes on; nothing was done",
        )


def _busy(own: Attempt) -> LockedError:
    return LockedError(
        f"something else is being done for turn {own.start.turn} just now",
        repair="wait until it has ended, then call again; nothing was done",
    )
