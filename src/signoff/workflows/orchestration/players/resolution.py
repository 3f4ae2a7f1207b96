"""Escalation-resolution: whether a person's answer breaks another agent's task, and what the plan says of a conflict.

Two statements contradict each other where one says of the same thing that it is and the other that it is not. That is
seen by words alone, and roughly: in doubt an answer holds, because the person who gave it has seen the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.statements import Statement, halves
from signoff.workflows.wording import clipped, content, covered, sentences

_NOT: Final = re.compile(r"\b(?:not|no|never|nobody|nothing|without|none|neither|instead of)\b|n't\b", re.IGNORECASE)
_SAME: Final = 0.75
"""So much of the shorter of two statements has to be in the other, for them to speak of one thing."""
_LEAST: Final = 2
_NEAR: Final = 0.4


def _work(desk: Desk) -> Payload:
    answers: Mapping[str, Any] = desk.notes.get("answers") or {}
    return _cleared(desk, answers) if answers else _resolved(desk)


# --- a person's answers -----------------------------------------------------------------------------------------------


def _cleared(desk: Desk, answers: Mapping[str, Any]) -> Payload:
    found = dict[str, str](), dict[str, str]()
    for note, said in answers.items():
        answer = squeeze(str(said or ""))
        wrong = next(_broken(answer, desk), "") if answer else "it has no answer"
        found[bool(wrong)][note] = wrong or answer
    return {"resolutions": found[0], "conflicts": found[1]}


def _broken(answer: str, desk: Desk) -> Iterator[str]:
    """The tasks of others that an answer contradicts."""
    for name, action in _tasks(desk):
        for said in _parts(answer):
            if any(_contradict(said, other) for other in _parts(action)):
                yield f"it breaks the task of {name}, which is told: “{clipped(action, 200)}”"


def _tasks(desk: Desk) -> Iterator[tuple[str, str]]:
    """What every other agent is told to do."""
    if not desk.data(places.ROSTER):
        return
    for name, member in sorted(desk.roster.agents.items()):
        if name != desk.note("agent"):
            yield from ((name, squeeze(text)) for text in member.plan_action_sources)


def _parts(text: str) -> list[str]:
    return [one.text for sentence in sentences(squeeze(text)) or [text] for one in halves(Statement(sentence, "goal"))]


def _contradict(one: str, other: str) -> bool:
    if bool(_NOT.search(one)) == bool(_NOT.search(other)):
        return False
    shorter, longer = sorted((one, other), key=lambda text: len(content(text)))
    return len(content(shorter)) >= _LEAST and covered(shorter, longer) >= _SAME


# --- what contradicts itself ------------------------------------------------------------------------------------------


def _resolved(desk: Desk) -> Payload:
    resolutions, conflicts = dict[str, str](), dict[str, str]()
    said = [*_decided(desk)]
    for note in desk.notes.get("escalated") or ():
        asked = str(note.get("description") or "")
        best = max(said, key=lambda text: covered(asked, text), default="")
        if best and covered(asked, best) >= _NEAR:
            resolutions[str(note.get("note_id"))] = f"The plan decides it, so keep to it: “{best}”"
        else:
            conflicts[str(note.get("note_id"))] = "nothing in the plan and in the decisions settles it"
    return {"resolutions": resolutions, "conflicts": conflicts}


def _decided(desk: Desk) -> Iterator[str]:
    if desk.data(places.DECISIONS):
        yield from (squeeze(one.decision) for one in desk.decided.decisions)
    if desk.data(places.summary(desk.task)):
        yield from (one.text for one in desk.reading.of_kind("decision", "constraint", "answer", "goal"))


escalation_resolution = player(_work)
