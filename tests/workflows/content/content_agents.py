"""Scripted agents for content: they read nothing but the notes of their turn, and say what a table tells them to.

An author writes which draft it is. A critic says what its row has for the round, the last thing for ever; `GOOD` where
it has no row. The selector chooses whom it is told to. The policy of the workflow conducts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from small_content import ONE, said

from signoff.core.declarations import Assignment, RolePlayer, Tools
from signoff.workflows.content.steps.conductor import orchestrator

GOOD, FAIR, HIGH, BROKEN = said(8), said(3, "medium"), said(8, "high"), "{"
CRASH = "crash"
"""What an agent says that fails without an output."""

Says = Mapping[str, Sequence[str]]
SAYS: Says = {ONE: [HIGH, GOOD]}
"""One critic finds something in the first draft, so that there is a revision."""
NOBODY = json.dumps({"advisorIds": []})


def draft(notes: Mapping[str, Any]) -> str:
    """The author's output: for a revision it says of each issue that something was done."""
    addressed = [{"issue": one["id"], "how": "changed"} for one in notes.get("brief", ())]
    return json.dumps({"content": f"# Draft {notes['round']}", "addressed": addressed})


def critique(notes: Mapping[str, Any], says: Says) -> str:
    """What the critic of these notes says in this round."""
    row = says.get(notes["advisor"]["id"], [GOOD])
    return row[min(notes["round"], len(row)) - 1]


def agents(
    says: Says = SAYS, chosen: str = NOBODY, author: Callable[[Mapping[str, Any]], str] = draft
) -> dict[str, RolePlayer]:
    """One function for each agent; `says` may be changed while they work."""
    return {
        "critic-selector": _scripted(lambda _notes: chosen),
        "author": _scripted(author),
        "critic": _scripted(lambda notes: critique(notes, says)),
        "orchestrator": orchestrator,
    }


def _scripted(words: Callable[[Mapping[str, Any]], str]) -> RolePlayer:
    def play(assignment: Assignment, _tools: Tools) -> str:
        raw = words(assignment.start.notes)
        if raw == CRASH:
            raise RuntimeError("told to crash")
        return raw

    return play


AGENTS = agents()
