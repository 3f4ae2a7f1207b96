"""Loop-resolution: why one question comes again and again, by rule, and what would end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.wording import clipped, covered

_NEAR: Final = 0.5
_SHORT: Final = 200


def _work(desk: Desk) -> Payload:
    question, agent = squeeze(desk.note("question")), desk.note("agent")
    waits = _waits_back(desk, question, agent)
    asked = "In the turns " + ", ".join(str(one["turn"]) for one in _turns(desk, question)) + " "
    if waits:
        return {
            "root_cause": "circular_dependency",
            "explanation": f"{asked}{agent} asked for what {waits} makes, and {waits} waits for {agent}.",
            "edits": [
                {
                    "edit": "drop_dependency", "agent": waits, "on": agent,
                    "reason": f"{agent} needs what {waits} makes: “{clipped(question, _SHORT)}”",
                }
            ],
        }  # fmt: skip
    given = _answer(desk, question)
    if given:
        return {
            "root_cause": "unclear_requirements",
            "explanation": f"{asked}{agent} asked the same, although it was told: “{clipped(given, _SHORT)}”",
            "questions": [f"What does “{clipped(given, _SHORT)}” mean for this: {question}"],
        }
    return {
        "root_cause": "planning_gap",
        "explanation": f"{asked}{agent} asked the same, and nothing in the plan answers it.",
        "questions": [question or f"What does {agent} need in order to go on?"],
    }


def _turns(desk: Desk, question: str) -> list[Mapping[str, Any]]:
    history: Sequence[Mapping[str, Any]] = desk.notes.get("history") or ()
    return [one for one in history if covered(question, str(one.get("text") or "")) >= _NEAR] or list(history)


def _waits_back(desk: Desk, question: str, agent: str) -> str:
    """Somebody whom the question names and who waits, at once or in the end, for the one that asks."""
    if not desk.data(places.ROSTER):
        return ""
    roster = desk.roster
    named = [name for name in roster.agents if name in question and name != agent]
    return next(
        (name for name in named if agent in roster.agents[name].dependencies and _reaches(roster, name, agent)), ""
    )


def _reaches(roster: Roster, name: str, target: str) -> bool:
    seen, left = set[str](), [name]
    while left:
        one = left.pop()
        if one == target:
            return True
        if one not in seen and one in roster.agents:
            seen.add(one)
            left += roster.agents[one].dependencies
    return False


def _answer(desk: Desk, question: str) -> str:
    """What was answered to it before."""
    for note in desk.notes.get("notes") or ():
        if note.get("resolution") and covered(question, str(note.get("description") or "")) >= _NEAR:
            return squeeze(str(note["resolution"]))
    return ""


loop_resolution = player(_work)
