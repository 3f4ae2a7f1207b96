"""Recommendations as answers: what a person does who agrees with everything they have not answered (CL-3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from signoff.workflows.clarify.checks.answer_quality import accepted, is_open
from signoff.workflows.clarify.checks.lint import unlabelled
from signoff.workflows.clarify.documents.clarifications import Clarifications, Item, Kind, with_answers

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
    answers = {item.key: _answer(item) for item in unanswered if times[item.key] == 1 and _can_fill(doc, item)}
    without = dict.fromkeys(item.key for item in unanswered if item.key not in answers)
    return Filled(with_answers(doc, answers) if answers else doc.text, tuple(answers), tuple(without))


def _can_fill(doc: Clarifications, item: Item) -> bool:
    return not is_open(item.recommendation) and not unlabelled(doc, item)[1]


def _answer(item: Item) -> str:
    """The recommendation; a comment that a person left where the answer goes is kept below it."""
    kept = "" if accepted(item.answer) else item.answer
    return f"{item.recommendation}\n{kept}".strip()
