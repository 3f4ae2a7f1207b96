"""The tools of workflows, as a host calls them within an open turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.commands import Reply
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import Called
from signoff.core.state import OpenTurn, State
from signoff.service import runs
from signoff.service.hosts.host_reads import json_data
from signoff.service.hosts.host_turns import HOST, after, how_to_go_on, settled, waits
from signoff.service.project import Project
from signoff.shell.run import attempts
from signoff.shell.run.live_run import LiveRun

WAITS = "Take the other open turns first. Their last output brings the result; so does this tool with this call_id."


async def call(
    project: Project, run: str, tool: str, args: Mapping[str, Any], turn: str | None = None, call_id: str | None = None
) -> dict[str, Any]:
    """Calls a tool of the workflow within an open turn, or gives what came of an earlier call.

    A call that waits for further turns is answered at once with those that are open. The same one again while it waits
    is the same call, whichever host makes it.
    """
    live = await settled(project, run)
    if tool not in live.workflow.tool_names:
        raise RefusedError(
            f"{live.run} is a run of {live.workflow.name}, which has no tool {tool!r}",
            valid=", ".join(live.workflow.tool_names) or "it has none",
            repair="see with next_turn what is open in it",
        )
    made: list[tuple[str, str]] = []

    def called(state: State, at: str) -> Called | None:
        caller = _caller(live, state, tool, turn)
        name = _known(caller, tool, call_id) if call_id is not None else _id(caller, tool)
        made[:] = [(caller.start.turn, name)]
        if name in caller.calls:
            return None
        return attempts.called(caller.start, tool, args, name, at)

    await live.apply(called)
    [(caller, name)] = made
    reply = live.state.turns[caller].calls[name][1]
    return await _outcome(live, caller, name, reply)


def _caller(live: LiveRun, state: State, tool: str, turn: str | None) -> OpenTurn:
    """The open turn in which the tool is called: the one that is named, or the only one that has it."""
    having = {name: one for name, one in runs.for_agents(live, state).items() if tool in one.start.tools}
    if turn is not None and turn not in having:
        problem = (
            f"the turn {turn!r} of {live.run} {'has no tool ' + repr(tool) if turn in state.turns else 'is not open'}"
        )
        raise RefusedError(
            problem, valid=", ".join(having) or f"no open turn has {tool}", repair=how_to_go_on(live, state)
        )
    if not having:
        raise RefusedError(f"no open turn of {live.run} has the tool {tool!r}", repair=how_to_go_on(live, state))
    if turn is None and len(having) > 1:
        raise UsageError(f"{len(having)} turns of {live.run} have {tool!r}", valid=", ".join(having), repair="name one")
    return having[turn] if turn is not None else next(iter(having.values()))


def _known(caller: OpenTurn, tool: str, call_id: str) -> str:
    """A call of this tool that was made."""
    names = [name for name, (other, _) in caller.calls.items() if other == tool]
    if call_id not in names:
        raise UsageError(
            f"turn {caller.start.turn} has made no call {call_id!r} of {tool}",
            valid=", ".join(names) or "none was made",
            repair="leave call_id out to make a new one",
        )
    return call_id


def _id(caller: OpenTurn, tool: str) -> str:
    """The id of a call: of the one of this tool that waits, or else a new one."""
    waiting = [name for name, (other, reply) in caller.calls.items() if other == tool and reply is None]
    return waiting[0] if waiting else f"{HOST}-{len(caller.calls) + 1}"


async def _outcome(live: LiveRun, turn: str, name: str, reply: Reply | None) -> dict[str, Any]:
    if reply is not None and reply.illegal:
        raise RefusedError(
            reply.illegal,
            valid=", ".join(reply.legal) or "no tool, for it is done: end the turn with submit_turn",
            repair="call what is legal now; nothing was changed",
        )
    then = await after(live)
    if reply is not None:
        return {"status": "done", "turn": turn, "call_id": name, "result": json_data(reply.result), **then}
    others = any(not waits(one) for one in runs.for_agents(live).values())
    how = {"how_to_go_on": WAITS} if others else {}
    return {"status": "waiting", "turn": turn, "call_id": name, **then, **how}
