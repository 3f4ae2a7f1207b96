"""Recommendations as answers: what a person does who agrees with everything they have not answered (CL-3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from signoff.workflows.clarify.checks.answer_quality import accepted, is_open
from signoff.workflows.clarify.checks.lint import unlabelled
from signoff.workflows.clarify.documents.clarifications import Clarifications, Kind, with_answers

Part: TypeAlias = Literal["all", "questions", "refinements"]

_KINDS: Final[dict[Part, tuple[Kind, ...]]] = {
    "all": ("question", "refinement"),
    "questions": ("question",),
    "refinements": ("refinement",),
}


@dataclass(frozen=True, slots=True)
class Filled:
    """The new text, the ids whose answer is now the recommendation, and those that are empty and could not be filled.

    They have no recommendation, stand more than once in the file, or have text that looks like an answer and is none.
    """

    text: str
    filled: tuple[str, ...]
    without: tuple[str, ...]


def autofill(doc: Clarifications, part: Part = "all") -> Filled:
    """Copies each recommendation into the empty answer of its own question or refinement; the rest stays as it is.

    `(accepted recommendation)` is filled too: it asks for this. Contradictions and critical gaps are settled by people.
    """
    times = Counter(item.key for item in doc.items)
    unanswered = [item for item in doc.items if item.kind in _KINDS[part] and is_open(item.answer)]
    answers: dict[str, str] = {}
    for item in unanswered:
        if times[item.key] == 1 and not is_open(item.recommendation) and not unlabelled(doc, item)[1]:
            kept = "" if accepted(item.answer) else item.answer  # a comment that a person left where the answer goes
            answers[item.key] = f"{item.recommendation}\n{kept}".strip()
    without = dict.fromkeys(item.key for item in unanswered if item.key not in answers)
    return Filled(with_answers(doc, answers) if answers else doc.text, tuple(answers), tuple(without))
