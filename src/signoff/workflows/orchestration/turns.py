"""How agents of a design are asked, alone or side by side, and what is made of a turn that came to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from signoff.artifacts.forms import Form
from signoff.core.commands import CancelTurn, StartTurn
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.permissions import WRITE_FILE
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design import Design, Given, own_of
from signoff.workflows.orchestration.outputs import reader

F = TypeVar("F", bound=Form)


def turn(
    key: str, agent: str, contract: str, task: str, *, notes: Mapping[str, Any], reads: Sequence[str]
) -> StartTurn:
    """One piece of work; no agent of a design writes a file, what it gives is its output."""
    given = {name: value for name, value in notes.items() if value not in (None, (), [], {})}
    return StartTurn(key=key, agent=agent, contract=contract, task=task, reads=tuple(dict.fromkeys(reads)), notes=given)


def required(own: Design, *areas: str) -> list[str]:
    """What has to be mended there, as an agent reads it."""
    return [str(finding) for area in areas for finding in own.required.get(area, ())]


def ended(now: Now) -> bool:
    """Whether the event is the end of a turn that was asked for in this step."""
    return isinstance(now.event, TurnReturned | TurnFailed) and now.turn is not None


def blocked(now: Now) -> Move | None:
    """A turn that gave nothing usable, however often it was tried: a person has to look."""
    if not now.refused or now.turn is None:
        return None
    agent = now.turn.start.agent
    blockers = tuple(f"{agent}: {finding}" for finding in now.refused)
    waiting = tuple(
        CancelTurn(turn=turn.start.turn) for turn in now.state.parked
    )  # those that are out end with the stop
    return Move(replace(own_of(now.state), blockers=blockers), waiting, "blocked")


def strayed(now: Now) -> Iterator[Finding]:
    """A write that was refused fails the turn, whoever tried it."""
    if now.turn is None:
        return
    for tool, reply in now.turn.calls.values():
        if tool == WRITE_FILE and reply is not None and reply.illegal:
            allowed = ", ".join(now.turn.start.writes)
            repair = f"write only {allowed}" if allowed else "write no file: what you give is your output"
            yield Finding(rule="work.strayed", problem=reply.illegal, repair=repair)


def said(now: Now, own: Design, key: str, form: type[F]) -> F:
    """What came back under this key."""
    return now.look(own.returned[key].output, reader(form))


# --- side by side -----------------------------------------------------------------------------------------------------

Wanted = Callable[[Now], Mapping[str, StartTurn]]
"""The turns of a step by key, the same each time it is asked."""
Finish = Callable[[Now], Move]


def fan(wanted: Wanted, finish: Finish) -> tuple[Callable[[Now], Move], Callable[[Now], Move]]:
    """A step of turns side by side, so many at once as the config says; it ends when all are in."""

    def enter(now: Now) -> Move:
        return _go_on(now, wanted, finish, set())  # what was out before is given up, or has ended

    def on(now: Now) -> Move:
        own = own_of(now.state)
        if not ended(now) or now.turn is None:
            return Move(own)
        if stop := blocked(now):
            return stop
        assert isinstance(now.event, TurnReturned)  # narrows the type: a turn that was not refused has an output
        start = now.turn.start
        read = {**dict.fromkeys(start.reads, ""), **{ref.path: ref.sha256 for ref in start.pinned}}
        given = Given(output=now.event.output, read=read)
        own = replace(own, returned={**own.returned, start.key: given})
        out = {turn.start.key for turn in (*now.state.turns.values(), *now.state.parked)}
        return _go_on(replace(now, state=replace(now.state, own=own)), wanted, finish, out)

    return enter, on


def _go_on(now: Now, wanted: Wanted, finish: Finish, out: set[str]) -> Move:
    own = own_of(now.state)
    todo = {key: start for key, start in wanted(now).items() if key not in own.returned}
    if not todo and not out:
        move = finish(now)
        return replace(move, own=replace(move.own, returned={}))
    room = config_of(now.state, now.look).agents_at_once - len(out)
    fresh = [start for key, start in todo.items() if key not in out]
    return Move(own, tuple(fresh[: max(0, room)]))
