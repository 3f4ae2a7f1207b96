"""escalation-resolution: asks a person the questions of blocked agents, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.findings import Finding
from signoff.core.personas import Given, Said, Scene, Settling, Way
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.personas.questions import (
    SESSIONS,
    asked,
    bare,
    needs,
    one_line,
    persona,
    schema_of,
    surplus,
)
from signoff.workflows.orchestration.work.escalations import named_notes

ESCALATION, ANSWER = "escalation-", "answer"


def settle(ask: Ask, _scene: Scene) -> Settling | None:
    """The questions that one agent escalated; a change of the plan is another conversation."""
    if not ask.key.startswith(ESCALATION):
        return None
    agent, questions = ask.key.removeprefix(ESCALATION), _asked_of(ask)
    answer = Way(
        word=ANSWER,
        about=f"{agent} goes on with it, once it is checked against the tasks of the other agents.",
        act=ANSWER,
        questions=lambda said: _questions(said, agent, questions),
        payload=lambda said: {"answers": _answers(said, questions)},
        takes=Given(schema=lambda: _schema(questions), check=lambda payload: [*_wrong(payload, questions)], must=True),
    )
    return Settling(_shown(ask, agent, questions), (answer,))


def _asked_of(ask: Ask) -> Mapping[str, Mapping[str, Any]]:
    """The questions of a request by the ids of their notes."""
    found = ask.notes.get("asked")
    return {str(note): dict(one) for note, one in found.items()} if isinstance(found, Mapping) else {}


def _shown(ask: Ask, agent: str, questions: Mapping[str, Mapping[str, Any]]) -> str:
    """How many questions there are, and what else must be answered to end a loop."""
    count = "one question" if len(questions) == 1 else f"{len(questions)} questions"
    lines = [f"{agent} has stopped, with {count}. What you leave open is asked again."]
    lines += [f"- answer this too: {one_line(str(one))}" for one in ask.notes.get("asks") or ()]
    lines.append("If an answer would change the plan: `signoff chat workflow-adaptation`.")
    return "\n".join(lines)


def _questions(said: Said, agent: str, questions: Mapping[str, Mapping[str, Any]]) -> Iterator[Question]:
    for note, one in questions.items():
        parts = {
            "where": one.get("context"),
            "why it asks": one.get("why"),
            "your last answer would break": one.get("conflict"),
        }
        text = " ".join(f"({what}: {one_line(str(part))})" for what, part in parts.items() if part)
        yield asked(said, note, one_line(str(one.get("question", ""))), text, section=f"{agent}, {note}")


def _answers(said: Said, questions: Mapping[str, Any]) -> dict[str, str]:
    """The answers; an answer that only says "not sure" leaves its question open."""
    return {note: said[note].strip() for note in questions if said.get(note, "").strip() and not bare(said[note])}


def _schema(questions: Mapping[str, Any]) -> Mapping[str, Any]:
    answer = {"type": "string", "minLength": 1, "description": "the person's answer, in their words"}
    return schema_of("answers", answers={**schema_of(**dict.fromkeys(questions, answer)), "minProperties": 1})


def _wrong(payload: Mapping[str, Any], questions: Mapping[str, Any]) -> Iterator[Finding]:
    """What is wrong with answers: they must be texts, for questions that were asked."""
    valid = ", ".join(questions)
    if extra := surplus(payload, "answers", "note"):
        yield _finding(extra, "give answers only")
    given = payload.get("answers")
    if given is None and (note := str(payload.get("note") or "").strip()):
        strange = sorted({*named_notes(note)} - questions.keys())
        if strange:
            yield _finding(f"{', '.join(strange)} is not open; valid: {valid}", "name the note that you answer")
        elif len(questions) > 1 and not named_notes(note):
            yield _finding(f"{len(questions)} notes are open: {valid}", "begin each answer with its id: note_001: …")
        return
    if not isinstance(given, Mapping) or not given:
        yield _finding("no question is answered", f"give `answers`, by note id, to at least one of {valid}")
        return
    for note, text in given.items():
        if note not in questions:
            yield _finding(f"{note} was not asked; valid: {valid}", "name the note that the answer is for")
        elif not isinstance(text, str) or not text.strip():
            yield _finding(f"the answer to {note} is not a text", "answer it, or leave it out: it is asked again")


def _finding(problem: str, repair: str) -> Finding:
    return Finding(rule="escalation.answers", problem=problem, repair=repair)


ESCALATION_RESOLUTION: Final = persona(
    name="escalation-resolution",
    about="Asks you the questions of blocked agents while a design is carried out.",
    needs=needs(places.STATUS, SESSIONS),
    settle=settle,
    next="workflow-executor",
)
