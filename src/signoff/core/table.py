"""Workflows that are a table: steps with outcomes, and edges from a step's outcome to the next step.

Routing is data. The edges of a step and outcome are tried in order, and the first whose `when` holds is taken; the last
one has no condition, so there is always a way on. The table checks itself when it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from signoff.core.commands import Command, Write
from signoff.core.declarations import Effects, Now
from signoff.core.errors import DefinitionError
from signoff.core.events import DocsChanged, Started
from signoff.core.refs import Look, Parse, Ref, digest
from signoff.core.state import State, replace

T = TypeVar("T")


class Placed(Protocol):
    """The own value of a table workflow knows the step it is in."""

    @property
    def step(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Move:
    """What a stage makes of an event: a new own value, commands, and an outcome once the stage has ended."""

    own: Any
    commands: tuple[Command, ...] = ()
    outcome: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step of a table. `enter` issues what the step needs; `on` takes in what comes back."""

    name: str
    outcomes: tuple[str, ...]
    enter: Callable[[Now], Move]
    on: Callable[[Now], Move]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """The way from a step's outcome to the next step. `then` changes the own value in passing (counts, reasons)."""

    source: str
    outcome: str
    target: str
    when: Callable[[Now], bool] | None = None
    then: Callable[[Now], Any] | None = None
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A workflow's stages and edges; `first` makes the own value, `edited` says where a person's edit leads.

    `writes` are the documents that its stages write, with `{run}` for the name of the run; `agents` and
    `gates` are those that they use by name. `status` is what people read
    of a run; `Views.status` adds to it.
    """

    stages: Mapping[str, Stage]
    edges: tuple[Edge, ...]
    first: Callable[[Now], Any]
    edited: Callable[[Now], Move]
    writes: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    status: Callable[[State], Mapping[str, Any]] = lambda _state: {}

    def __call__(self, now: Now) -> Effects:
        """The workflow's steps: take in the event where the run stands, then follow edges until a stage waits."""
        if isinstance(now.event, Started):
            own = self.first(now)
            return self._enter(now, own.step, own, ())
        stage = self.stages[now.state.own.step]
        move = self.edited(now) if isinstance(now.event, DocsChanged) else stage.on(now)
        return self._follow(now, stage.name, move, ())

    def _follow(self, now: Now, source: str, move: Move, commands: tuple[Command, ...]) -> Effects:
        commands = (*commands, *move.commands)
        if move.outcome is None:
            return Effects(move.own, commands)
        now = _after(_at(now, move.own), move.commands)
        edge = self._edge(source, move.outcome, now)
        own = edge.then(now) if edge.then else move.own
        return self._enter(now, edge.target, own, commands)

    def _enter(self, now: Now, target: str, own: Any, commands: tuple[Command, ...]) -> Effects:
        own = replace(own, step=target)
        return self._follow(now, target, self.stages[target].enter(_at(now, own)), commands)

    def _edge(self, source: str, outcome: str, now: Now) -> Edge:
        return next(edge for edge in self.ways(source, outcome) if edge.when is None or edge.when(now))

    def ways(self, source: str, outcome: str) -> tuple[Edge, ...]:
        """The edges out of a step for one outcome, in the order they are tried."""
        return tuple(edge for edge in self.edges if (edge.source, edge.outcome) == (source, outcome))

    def picture(self) -> str:
        """The steps and edges as Mermaid, for READMEs and pages."""
        ways = (f"    {edge.source} --> {edge.target}: {edge.label or edge.outcome}\n" for edge in self.edges)
        return "stateDiagram-v2\n" + "".join(ways)


def _at(now: Now, own: Any) -> Now:
    return replace(now, state=replace(now.state, own=own))


def _after(now: Now, commands: Sequence[Command]) -> Now:
    """What the next stage sees after this one wrote documents: they can be looked at in the same decision."""
    writes = [command for command in commands if isinstance(command, Write)]
    if not writes:
        return now
    kept = {write.path: digest(write.text) for write in writes if write.text is not None}
    docs = {path: sha for path, sha in now.state.docs.items() if path not in {write.path for write in writes}}
    fresh = {digest(write.text): write.text.encode() for write in writes if write.text is not None}
    return replace(now, state=replace(now.state, docs={**docs, **kept}), look=_Fresh(now.look, fresh))


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A look that also has the texts that this decision writes."""

    look: Look
    texts: Mapping[str, bytes]

    def __call__(self, ref: Ref, parse: Parse[T], /) -> T:
        data = self.texts.get(ref.sha256)
        return self.look(ref, parse) if data is None else parse(data, ref.path)


def stage_table(
    stages: Sequence[Stage], edges: Sequence[Edge], *, first: Callable[[Now], Any], edited: Callable[[Now], Move]
) -> Table:
    """A table that has been checked: every name exists, every outcome has a way on."""
    built = Table(stages={stage.name: stage for stage in stages}, edges=tuple(edges), first=first, edited=edited)
    for problem in _problems(built):
        raise DefinitionError(problem, repair="correct the stages or the edges of the table")
    return built


def _problems(built: Table) -> list[str]:
    names = set(built.stages)
    found = [
        f"edge from {e.source!r} to {e.target!r} names an unknown step"
        for e in built.edges
        if not {e.source, e.target} <= names
    ]
    known = {(stage.name, outcome) for stage in built.stages.values() for outcome in stage.outcomes}
    found += [f"{e.source!r} has no outcome {e.outcome!r}" for e in built.edges if (e.source, e.outcome) not in known]
    for source, outcome in sorted(known):
        ways = built.ways(source, outcome)
        if not ways or ways[-1].when is not None:
            found.append(f"the outcome {outcome!r} of {source!r} has no unconditional way on")
        elif any(way.when is None for way in ways[:-1]):
            found.append(f"the outcome {outcome!r} of {source!r} has edges that are never tried")
    return found
