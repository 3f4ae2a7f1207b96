"""Workshop: one agent writes files and tries them, another one tries them again before they count as made."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from signoff.core.commands import Finish, StartTurn, TurnLimits
from signoff.core.declarations import Agent, Assignment, Contract, Effects, Now, Parameter, Tools
from signoff.core.errors import DocumentError
from signoff.core.events import Started, TurnFailed, TurnReturned
from signoff.core.findings import Finding
from signoff.core.state import State
from signoff.core.workflow import ByCode, Documents, Setup, Workflow

TOOL = "tool.py"
TRY = f"{sys.executable} {TOOL}"
PIECE = "out/piece.txt"
SCHEMA = {"type": "object", "properties": {"done": {"type": "boolean"}, "tried": {"type": "string"}}}


def step(now: Now) -> Effects:
    match now.event:
        case Started():
            return Effects(None, (_turn(now.state, "make"),))
        case TurnReturned() if now.refused:
            return Effects(None, (Finish(reason=now.refused[0].rule),))
        case TurnReturned(turn=turn) if turn.endswith("joiner"):
            return Effects(None, (_turn(now.state, "try"),))
        case TurnReturned():
            return Effects(None, (Finish(reason="complete"),))
        case TurnFailed():
            return Effects(None, (Finish(reason=now.refused[0].rule),))
    return Effects(None)


def _turn(state: State, key: str) -> StartTurn:
    makes = key == "make"
    return StartTurn(
        key=key,
        agent="joiner" if makes else "inspector",
        contract="made" if makes else "tried",
        task="Make it." if makes else "Try it.",
        reads=tuple(state.docs),
        writes=("out/*",) if makes else (),
        tools=("write_file",) if makes else (),
        runs=(f"{TRY} *", "no-such-program *"),
        leaves=("*__pycache__/*",),
        limits=TurnLimits(command=state.params.get("seconds", 60.0)),
    )


def _parse(data: bytes, path: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise DocumentError([Finding(rule="json", problem=str(error), repair="write JSON", file=path)]) from error


def _contract(name: str, check: Callable[[Now, Any], Iterator[Finding]]) -> Contract:
    def checked(now: Now, value: Any) -> Sequence[Finding]:
        return tuple(check(now, value))

    return Contract(name=name, parse=_parse, schema=lambda: SCHEMA, check=checked)


def _beyond(now: Now, _value: Any) -> Iterator[Finding]:
    """An output of a turn that went beyond its contract does not count."""
    assert now.turn is not None
    for _tool, reply in now.turn.calls.values():
        if reply is not None and reply.illegal:
            yield Finding(rule="made.beyond", problem=reply.illegal, repair="do what the brief says")


def _untried(now: Now, value: Any) -> Iterator[Finding]:
    """Nobody's word is taken for a command that did not run in this turn."""
    assert isinstance(now.event, TurnReturned)
    if value["tried"] not in [one.command for one in now.event.ran if one.code == 0]:
        yield Finding(rule="tried.not", problem=f"{value['tried']!r} did not run", repair="run it with run_command")


def _joins(_assignment: Assignment, tools: Tools) -> str:
    tools.write(PIECE, "made\n")
    tools.run(f"{TRY} {PIECE}")
    return json.dumps({"done": True})


def _inspects(_assignment: Assignment, tools: Tools) -> str:
    tools.run(f"{TRY} {PIECE}")
    return json.dumps({"tried": f"{TRY} {PIECE}"})


WORKFLOW = Workflow(
    name="workshop",
    about="A piece that is made and tried.",
    package="signoff.workflows.workshop",
    steps=step,
    agents=(
        Agent(name="joiner", contract=_contract("made", _beyond), tools=("write_file", "run_command")),
        Agent(name="inspector", contract=_contract("tried", _untried), tools=("run_command",)),
    ),
    parameters=(Parameter(name="seconds", about="how long a command may take", kind=float),),
    documents=Documents(
        tracked=lambda _params: [TOOL, "out/"],
    ),
    setup=Setup(
        example="signoff run workshop stool",
    ),
    by_code=ByCode(
        players={"joiner": _joins, "inspector": _inspects},
    ),
)
