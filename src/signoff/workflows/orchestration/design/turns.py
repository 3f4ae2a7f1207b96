"""Turns of the agents of a design, alone or side by side, and what follows a turn without usable output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from signoff.artifacts.yaml_forms import Form
from signoff.core.commands import CancelTurn, StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.findings import Finding
from signoff.core.permissions import WRITE_FILE
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.outputs import reader
from signoff.workflows.orchestration.state import Design, Given, own_of

F = TypeVar("F", bound=Form)
Handler: TypeAlias = Callable[[Now], Move]


def turn(
    key: str, agent: str, contract: str, task: str, *, notes: Mapping[str, Any], reads: Sequence[str]
) -> StartTurn:
    """One turn; no agent of a design writes files, it only gives its output."""
    given = {name: value for name, value in notes.items() if value not in (None, (), [], {})}
    return StartTurn(key=key, agent=agent, contract=contract, task=task, reads=tuple(dict.fromkeys(reads)), notes=given)


def written(texts: Mapping[str, str | None]) -> tuple[Write, ...]:
    """The commands that write these texts to their paths; None removes a file."""
    return tuple(Write(path=path, text=text) for path, text in texts.items())


def required(own: Design, *areas: str) -> list[str]:
    """What an agent is told to fix in these areas."""
    return [str(finding) for area in areas for finding in own.required.get(area, ())]


def ended(now: Now) -> bool:
    """Whether the event ends a turn of this step."""
    return isinstance(now.event, TurnReturned | TurnFailed) and now.turn is not None


def blocked(now: Now) -> Move | None:
    """The way to a person, if a turn gave no usable output in all of its attempts."""
    if not now.refused or now.turn is None:
        return None
    blockers = tuple(f"{now.turn.start.agent}: {finding}" for finding in now.refused)
    # turns that have begun end by themselves
    waiting = tuple(CancelTurn(turn=turn.start.turn) for turn in now.state.parked)
    return Move(replace(own_of(now.state), blockers=blockers), waiting, "blocked")


def strayed(now: Now) -> Iterator[Finding]:
    """A refused write fails the turn."""
    if now.turn is None:
        return
    for tool, reply in now.turn.calls.values():
        if tool == WRITE_FILE and reply is not None and reply.illegal:
            allowed = ", ".join(now.turn.start.writes)
            repair = f"write only {allowed}" if allowed else "write no file: what you give is your output"
            yield Finding(rule="work.strayed", problem=reply.illegal, repair=repair)


def output_of(now: Now, own: Design, key: str, form: type[F]) -> F:
    """The output that came back under this key."""
    return now.look(own.returned[key].output, reader(form))


def after_turn(finish: Handler) -> Handler:
    """The handler of a step with one turn at a time: `finish` takes in a usable output."""

    def on(now: Now) -> Move:
        return (blocked(now) or finish(now)) if ended(now) else Move(own_of(now.state))

    return on


Wanted: TypeAlias = Callable[[Now], Iterable[StartTurn]]
"""The turns of a step, each with its own key; it gives the same each time."""


def fan(wanted: Wanted, finish: Handler) -> tuple[Handler, Handler]:
    """A step of turns side by side, as many at once as the config allows; it ends when all outputs are in."""

    def enter(now: Now) -> Move:
        return _go_on(now, wanted, finish, set())  # earlier turns have ended or were given up

    def taken(now: Now) -> Move:
        assert isinstance(now.event, TurnReturned)  # narrows the type: a turn that was not refused has an output
        assert now.turn is not None  # the same
        own, start = own_of(now.state), now.turn.start
        read = {**dict.fromkeys(start.reads, ""), **{ref.path: ref.sha256 for ref in start.pinned}}
        given = Given(output=now.event.output, read=read)
        own = replace(own, returned={**own.returned, start.key: given})
        out = {turn.start.key for turn in (*now.state.turns.values(), *now.state.parked)}
        return _go_on(replace(now, state=replace(now.state, own=own)), wanted, finish, out)

    return enter, after_turn(taken)


def _go_on(now: Now, wanted: Wanted, finish: Handler, out: set[str]) -> Move:
    own = own_of(now.state)
    todo = [start for start in wanted(now) if start.key not in own.returned]
    if not todo and not out:
        move = finish(now)
        return replace(move, own=replace(move.own, returned={}))
    room = config_of(now.state, now.look).agents_at_once - len(out)
    fresh = [start for start in todo if start.key not in out]
    return Move(own, tuple(fresh[: max(0, room)]))
