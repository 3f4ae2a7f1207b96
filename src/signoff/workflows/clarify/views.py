"""What people read of an inquiry: the evaluation, where it stands, what came of it. All follows from the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.clarify.state import (
    Inquiry,
    clarifications,
    clarifications_of,
    decisions,
    decisions_of,
    evaluation_file,
    own_of,
)

_WORKER = {
    "research": "dimension-researcher",
    "consolidate": "consolidate-research",
    "detail": "detailed-research",
    "refine": "section-refiner",
    "deepen": "section-refiner",
    "confirm": "confirm-decisions",
}


def project(state: State) -> Mapping[str, str | None]:
    """The evaluation is code: it is written anew from the state, and an edit of it is put back."""
    own = own_of(state)
    return {evaluation_file(own.name): own.evaluation.render() if own.evaluation else None}


def _review(own: Inquiry) -> list[str]:
    if not own.review:
        return []
    return [f"not settled by their answers, and to be reviewed: {', '.join(own.review)}"]


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    return {
        "phase": own.phase,
        "step": own.step,
        "rounds": {"decided": own.round} if own.round else {},
        "next_agent": "human" if state.requests else _WORKER.get(own.step, "code"),
        "verdict": own.evaluation.verdict if own.evaluation else None,
        "reasoning": own.evaluation.reasoning if own.evaluation else None,
        "choices": [one.plain() for one in own.choices],
        "blockers": list(own.blockers),
        "warnings": [*_review(own), *(str(finding) for finding in (*own.in_file, *own.warnings))],
        "escalation_reason": own.escalation_reason,
        "stale": dict(own.stale),
        "edited_since": list(own.edited_since),
        "outputs": [decisions(own.name)] if state.stop == "complete" else [],
    }


def summary(state: State, look: Look) -> Mapping[str, Any]:
    """What came of it so far, in a few lines, and what to try next."""
    own, doc, made = own_of(state), clarifications_of(state, look), decisions_of(state, look)
    if doc is None:
        return {"lines": ["there are no questions yet"], "next": []}
    merged = doc.front.get("duplicates_removed", 0)
    lines = [
        f"questions: {len(doc.questions)} in {len(doc.sections)} sections, {merged} duplicates merged",
        f"answers: {own.evaluation.reasoning}" if own.evaluation else "answers: none",
        f"file: {clarifications(own.name)}",
    ]
    if made is not None:
        lines.append(f"decisions: {len(made.entries)} in {decisions(own.name)}")
    first = doc.questions[0].key if doc.questions else ""
    return {"lines": lines, "next": [f"signoff trace {first}"] if first else []}
