"""Scripted agents for orchestration: a real run goes on with what the explorer's small world has every agent say.

They are scripts and understand nothing. Each looks at its turn, takes the line of `small_orchestration` or `small_work`
that is meant for it, writes the files of that line and runs its commands. `says` gives some of them another line: for
an agent (`roster-designer`), or for its turns about one agent of the roster (`doer/api_agent`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import small_orchestration as design
import small_work as work
from small_orchestration import NEW, ONE, TWO, Turn

from signoff.core.declarations import Assignment, RolePlayer, Tools
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.testing.explorer import Given
from signoff.workflows.orchestration.documents.reviews import Domain
from signoff.workflows.orchestration.workflow import WORKFLOW

Line = str | Callable[[Turn], str | Given]
"""What an agent says: a line by its label, or what a function makes of the turn."""

DOERS: Final = (ONE, TWO, NEW)
AFTER: Final = {TWO: ONE}
ORDER: Final[tuple[Domain, ...]] = ("security", "database_storage")
SAYS: Final[Mapping[str, Line]] = {"security-reviewer": "question"}
"""A design with every kind of stop: a question of a reviewer, three gates, an agent that does not exist yet, a PoC."""


def agents(
    says: Mapping[str, Line] = {},
    *,
    doers: tuple[str, ...] = DOERS,
    order: tuple[Domain, ...] = ORDER,
    after: Mapping[str, str] = AFTER,
) -> dict[str, RolePlayer]:
    """One function for every agent of the workflow."""
    lines = {**SAYS, **says}

    def play(assignment: Assignment, tools: Tools) -> str:
        start = assignment.start
        docs = {ref.path: ref.sha256 for ref in start.pinned}

        def look(ref: Ref, parse: Callable[[bytes, str], Any]) -> Any:
            return parse(tools.read(ref.path), ref.path)

        turn = Turn(State(docs=docs), start, look, doers, order, after)
        line = lines.get(f"{start.agent}/{start.notes.get('agent', '')}", lines.get(start.agent, "good"))
        given = line(turn) if callable(line) else _said(turn)[line]
        if isinstance(given, str):
            return given
        for path, text in given.files.items():
            tools.write(path, text)
        for one in given.ran:
            tools.run(one.command)
        return given.raw

    return dict.fromkeys(WORKFLOW.agent_names, play)


def _said(turn: Turn) -> Mapping[str, str | Given]:
    start = turn.start
    return design.said(turn) if start.agent in design.SPEAKERS and start.contract != "tactical" else work.said(turn)


def first(label: str, then: str = "good") -> Line:
    """One line as long as the agent has no notes, and another one afterwards."""
    return lambda turn: _said(turn)[then if turn.notes.get("notes") else label]


AGENTS: Final = agents()
