"""Limits of a run that a person gives: read as they were typed, entered into the journal, in force from then on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from typing import Any

from signoff.core.budget import tightest
from signoff.core.errors import UsageError
from signoff.core.events import Limited
from signoff.core.state import Ceiling, State
from signoff.core.workflow import Workflow
from signoff.service.project import Project
from signoff.shell.run.library import Library
from signoff.shell.run.live_run import LiveRun

NONE = "none"
MOST_TOKENS, MOST_COST = 10**12, 10**6
LIFTS = f"{NONE} lifts the limit"

Said = Mapping[str, Any]
"""The ceilings that were said, by name; None lifts one, and what was not said stays as it is."""


def read(cost: str | None = None, tokens: str | None = None) -> Said:
    """The ceilings as they were typed."""
    given = {"cost": (_cost, cost), "tokens": (_tokens, tokens)}
    return {
        name: None if text.strip().lower() == NONE else parse(text.strip())
        for name, (parse, text) in given.items()
        if text is not None
    }


def _cost(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 <= value <= MOST_COST:
        raise UsageError(
            f"--max-cost is {text!r}",
            valid=f"USD from 0 to {MOST_COST}, as in 2.50; {LIFTS}",
            repair="with 0 only work that costs nothing goes on",
        )
    return abs(value)  # -0 is 0


def _tokens(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 1 <= value <= MOST_TOKENS:
        raise UsageError(
            f"--max-tokens is {text!r}", valid=f"a whole number from 1 to {MOST_TOKENS}, as in 200000; {LIFTS}"
        )
    return value


def of_state(project: Project, workflow: Workflow, run: str) -> Callable[[State], Ceiling]:
    """What a run may use at most in a state, by its config and the limits in its journal."""
    look = Library(project.store, workflow.folder(run))
    return lambda state: tightest(workflow.budgets(state, look))


async def enter(live: LiveRun, said: Said, by: str) -> None:
    """Puts the ceilings into the journal, if they change anything."""

    def changed(state: State, at: str) -> Limited | None:
        known = asdict(state.ceiling)
        new = {**known, **said}
        return None if new == known else Limited(id=f"limit-{state.rev + 1}", at=at, by=by, **new)

    if said:
        await live.apply(changed)
