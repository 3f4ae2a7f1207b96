"""Steps of a table workflow, each with the steps that its outcomes lead to.

    step("review", enter_review, on_review, passed="release", revise=(Way("draft", when=below_limit), at_limit))

An outcome leads to one step, or by the first of several ways whose condition holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.core.table import Edge, Move, Stage, Table, stage_table


@dataclass(frozen=True, slots=True)
class Way:
    """A way to a step that has a condition, or changes the own value in passing (counts, reasons)."""

    target: str
    when: Callable[[Now], bool] | None = None
    then: Callable[[Now], Any] | None = None
    label: str = ""


Ways = str | Way | tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A stage with the edges out of it."""

    stage: Stage
    edges: tuple[Edge, ...]


def step(name: str, enter: Callable[[Now], Move], on: Callable[[Now], Move], **ways: Ways) -> Step:
    """A step: `enter` issues what it needs, `on` takes in what comes back, each outcome is named with its way."""
    stage = Stage(name=name, outcomes=tuple(ways), enter=enter, on=on)
    return Step(stage, tuple(edge for outcome, to in ways.items() for edge in _edges(name, outcome, to)))


def _edges(source: str, outcome: str, to: Ways) -> list[Edge]:
    ways = to if isinstance(to, tuple) else (Way(to) if isinstance(to, str) else to,)
    return [
        Edge(source=source, outcome=outcome, target=way.target, when=way.when, then=way.then, label=way.label)
        for way in ways
    ]


def to_each(prefix: str, names: tuple[str, ...]) -> Mapping[str, str]:
    """The outcomes `PREFIX_STEP`, each of which leads to its step: where a person begins again."""
    return {f"{prefix}_{name}": name for name in names}


def to_person(reason: str, resume_to: str) -> Way:
    """The way to a person, who sees the reason and resumes at a step."""
    return Way("escalated", then=lambda now: replace(now.state.own, escalation_reason=reason, resume_to=resume_to))


def step_table(*steps: Step, first: Callable[[Now], Any], edited: Callable[[Now], Move]) -> Table:
    """The steps as a workflow's `steps`; `first` makes the own value, `edited` says where a person's edit leads."""
    edges = [edge for one in steps for edge in one.edges]
    return stage_table([one.stage for one in steps], edges, first=first, edited=edited)
