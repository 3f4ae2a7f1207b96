"""What the steps of table workflows share: warnings and choices on record, ends of turns, files that were removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeVar

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import Write
from signoff.core.declarations import Now
from signoff.core.events import Answered, TurnFailed, TurnReturned
from signoff.core.findings import Finding
from signoff.core.refs import Ref
from signoff.core.state import replace
from signoff.core.table import Edge, Move, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A choice that a person made, on record."""

    request: str
    act: str
    by: str
    at: str
    note: str = ""

    def plain(self) -> dict[str, str]:
        """As a status has it."""
        return {"request": self.request, "act": self.act, "by": self.by, "at": self.at, "note": self.note}


@dataclass(frozen=True, kw_only=True)
class StepState:
    """The own value of a table workflow: its step, and what is on record.

    `edited_since` are the documents that people changed after the run stopped.
    """

    step: str
    choices: tuple[Chosen, ...] = ()
    warnings: tuple[Finding, ...] = ()
    blockers: tuple[str, ...] = ()
    escalation_reason: str | None = None
    resume_to: str = ""
    edited_since: tuple[str, ...] = ()

    def warned(self, *findings: Finding) -> Self:
        """Adds warnings, each once."""
        new = tuple(finding for finding in findings if finding not in self.warnings)
        return replace(self, warnings=(*self.warnings, *dict.fromkeys(new)))

    def choosing(self, event: Answered) -> Self:
        """Adds a person's choice."""
        note = str(event.payload.get("note") or "")
        choice = Chosen(request=event.request, act=event.act, by=event.by, at=event.at, note=note)
        return replace(self, choices=(*self.choices, choice))

    def blocked(self, *why: str) -> Move:
        """Ends the step because it cannot go on."""
        return Move(replace(self, blockers=why), (), "blocked")


S = TypeVar("S", bound=StepState)


def noted(rule: str, problem: str, repair: str, about: str = "", file: str = "") -> Finding:
    """A warning: people see it, and it fails nothing."""
    return Finding(rule=rule, problem=problem, repair=repair, about=about, file=file, severity="warning")


def stage(name: str, enter: Callable[[Now], Move], on: Callable[[Now], Move], *outcomes: str) -> Stage:
    return Stage(name=name, outcomes=outcomes, enter=enter, on=on)


def edge(source: str, outcome: str, target: str) -> Edge:
    return Edge(source=source, outcome=outcome, target=target)


def is_end_of_turn(now: Now) -> bool:
    return isinstance(now.event, TurnReturned | TurnFailed) and now.turn is not None


def on_answer(work: Callable[[Now, Answered], Move]) -> Callable[[Now], Move]:
    """A step that waits for a person: any other event changes nothing."""
    return lambda now: work(now, now.event) if isinstance(now.event, Answered) else Move(now.state.own)


def changed_paths(now: Now) -> set[str]:
    """The documents that an edit really changed."""
    return {path for path in getattr(now.event, "docs", {}) if now.was.get(path) != now.state.docs.get(path)}


def put_back(now: Now, own: S, rule: str, is_needed: Callable[[str], bool]) -> tuple[Now, tuple[Write, ...]]:
    """Puts removed documents back that the run needs, and warns of it."""
    gone = [path for path in now.was if path not in now.state.docs and is_needed(path)]
    if not gone:
        return now, ()
    writes = tuple(Write(path=path, text=now.look(Ref(path, now.was[path]), decode)) for path in gone)
    problem = f"{', '.join(gone)} was removed and has been put back as it was"
    own = own.warned(noted(rule, problem, "to begin again, start a run of another name"))
    docs = {**now.state.docs, **{path: now.was[path] for path in gone}}
    return replace(now, state=replace(now.state, docs=docs, own=own)), writes
