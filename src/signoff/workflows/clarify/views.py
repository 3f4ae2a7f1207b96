"""What people read of an inquiry: the evaluation, where it stands, what came of it. All follows from the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.clarify.state import clarifications_of, decisions_of, evaluation_file, own_of

_WORKER = {
    "research": "dimension-researcher",
    "consolidate": "consolidate-research",
    "detail": "detailed-research",
    "refine": "section-refiner",
    "deepen": "section-refiner",
    "confirm": "confirm-decisions",
}


def project(state: State) -> Mapping[str, str | None]:
    """The evaluation follows from the state; if a person edits it, code writes it again."""
    own = own_of(state)
    return {evaluation_file(own.name): own.evaluation.render() if own.evaluation else None}


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    review = [f"not settled by their answers, and to be reviewed: {', '.join(own.review)}"] if own.review else []
    return {
        "phase": own.phase,
        "step": own.step,
        "rounds": {"decided": own.round} if own.round else {},
        "next_agent": "human" if state.requests else _WORKER.get(own.step, "code"),
        "verdict": own.evaluation.verdict if own.evaluation else None,
        "reasoning": own.evaluation.reasoning if own.evaluation else None,
        "choices": [one.plain() for one in own.choices],
        "blockers": list(own.blockers),
        "warnings": [*review, *(str(finding) for finding in (*own.in_file, *own.warnings))],
        "escalation_reason": own.escalation_reason,
        "stale": dict(own.stale),
        "edited_since": list(own.edited_since),
        "outputs": [own.decisions] if state.stop == "complete" else [],
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
        f"file: {own.clarifications}",
    ]
    if made is not None:
        lines.append(f"decisions: {len(made.entries)} in {own.decisions}")
    first = doc.questions[0].key if doc.questions else ""
    return {"lines": lines, "next": [f"signoff trace {first}"] if first else []}
