"""What a host does within an open turn besides giving its output: it writes files and runs commands of the contract.

What a turn may not do is refused with what it may, and is in the journal as for every other runtime.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import Called
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE
from signoff.core.refs import digest
from signoff.core.state import State
from signoff.service import runs
from signoff.service.hosts.host_reads import json_data
from signoff.service.project import Project
from signoff.shell.run.attempts import STRAYS, Attempt, called
from signoff.shell.runtimes import host_workspace
from signoff.shell.runtimes.runtime import Host

LONGEST = 10_000
"""How many characters a path or a command may have; nothing longer is looked at."""

STRAYED = "Files were changed that this turn may not write. Nothing of that is taken, and the journal will have it."


async def write(project: Project, run: str, turn: str, attempt: int, path: str, text: str) -> dict[str, Any]:
    """Takes a file for an open turn; it is in its place once the output is accepted."""
    _refuse_long("path", path)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the text has half a character at {error.start}",
            valid="text in Unicode",
            repair="correct it; nothing was done",
        ) from error
    own = await _opened(project, run, turn, attempt)
    try:
        _refuse_without(own, WRITE_FILE)
        given = await host_workspace.write(own, path, data)
    except UsageError as error:
        await _refuse(own, WRITE_FILE, {"path": path}, error)
    return {**_named(own), "path": path, "sha256": digest(data), "given": sorted(given.files)}


async def command(project: Project, run: str, turn: str, attempt: int, words: str) -> dict[str, Any]:
    """Runs a command for an open turn, in a folder of its inputs and of the files that were given."""
    _refuse_long("command", words)
    own = await _opened(project, run, turn, attempt)
    try:
        _refuse_without(own, RUN_COMMAND)
        ran, before, after = await host_workspace.run(own, words)
    except UsageError as error:
        await _refuse(own, RUN_COMMAND, {"command": words}, error)
    late = {"stopped_after_seconds": ran.timed_out} if ran.timed_out is not None else {}
    strays = {"strays": list(after.strays[:STRAYS]), "note": STRAYED} if after.strays else {}
    return json_data(
        {
            **_named(own),
            "command": words,
            "code": ran.code,
            **late,
            "output": ran.output,
            "changed": [path for path, sha in after.files.items() if before.files.get(path) != sha],
            "removed": [path for path in before.files if path not in after.files],
            **strays,
        }
    )


async def _opened(project: Project, run: str, turn: str, attempt: int) -> Attempt:
    """The attempt that is open, after everything that needs neither an agent nor a person."""
    live = await project.open(run)
    await runs.drive(live, Host())
    mine = runs.for_agents(live)
    found = mine.get(turn)
    if found is None or found.start.attempt != attempt:
        valid = (f"{one.start.turn} at attempt {one.start.attempt}" for one in mine.values())
        raise RefusedError(
            f"turn {turn[:LONGEST]!r} is not open at attempt {attempt}",
            valid=", ".join(valid) or "no turn is open",
            repair="ask with next_turn what is open now; nothing was done",
        )
    return Attempt(live, found.start)


def _named(own: Attempt) -> dict[str, Any]:
    return {"run": own.live.run, "turn": own.start.turn, "attempt": own.start.attempt}


# --- what is refused --------------------------------------------------------------------------------------------------


def _refuse_long(what: str, text: str) -> None:
    if len(text) > LONGEST:
        problem = f"the {what} has {len(text)} characters"
        raise UsageError(problem, valid=f"up to {LONGEST}", repair="say it in fewer; nothing was done")


def _refuse_without(own: Attempt, tool: str) -> None:
    if tool not in (has := host_workspace.tools(own.start)):
        raise UsageError(
            f"turn {own.start.turn} has no {tool}",
            valid=", ".join(has) or "it gives its output alone",
            repair="do what its brief says, with the tools that it names",
        )


async def _refuse(own: Attempt, tool: str, args: Mapping[str, object], error: UsageError) -> NoReturn:
    """Puts what a turn may not do to the kernel, which has it in the journal, and tells the host why."""
    start = own.start

    def asked(state: State, at: str) -> Called | None:
        now = state.turns.get(start.turn)
        if now is None or now.start.attempt != start.attempt:
            return None
        return called(start, tool, args, f"{host_workspace.HOST}-{len(now.calls) + 1}", at)

    await own.live.apply(asked)
    raise RefusedError(error.found, valid=error.valid, repair=error.repair) from error
