"""Detailed research: lays the clear answers side by side and says which cannot both hold.

It takes the evaluation as given and judges no answer again. What it can and cannot see is said in `clashes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from signoff.workflows.clarify.clarifications import Clarifications, Item
from signoff.workflows.clarify.evaluation import meaning
from signoff.workflows.clarify.ids import root
from signoff.workflows.clarify.players.clashes import Clash, Ground, Reason, Said, alternatives, clash
from signoff.workflows.clarify.players.desk import Desk, Payload, player
from signoff.workflows.wording import clipped, content, folded, is_chinese, weights

MOST: Final = 40

_WHY: Final[dict[Reason, tuple[str, str]]] = {
    "number": ("they give different numbers for one thing", "两处对同一事项给出了不同的数字"),
    "polarity": ("one includes what the other rules out", "一处包括的内容被另一处排除"),
    "name": ("they name different places for one step", "两处为同一步骤指定了不同的位置"),
}
_BOTH: Final[dict[Reason, tuple[str, str]]] = {
    "number": (
        "Both hold if each number is for cases of its own: say which cases.",
        "如果两个数字各自适用于不同的情况，则两者都成立：请说明是哪些情况。",
    ),
    "polarity": (
        "Both hold if one is an exception from the other: say which is the rule.",
        "如果其中一处是另一处的例外，则两者都成立：请说明哪一处是规则。",
    ),
    "name": (
        "Both hold if they mean two different steps: say what each step is called.",
        "如果两处指的是两个不同的步骤，则两者都成立：请说明各自的名称。",
    ),
}


def _work(desk: Desk) -> Payload:
    doc = desk.clarifications
    verdicts = (desk.notes.get("evaluation") or {}).get("per_question", ())
    clear = {str(one["question_id"]) for one in verdicts if one["verdict"] == "clear"}
    told = [said(item) for item in (*doc.questions, *doc.refinements) if item.key in clear]
    return {"contradictions": contradictions(told, ground_of(doc))[:MOST]}


def said(item: Item) -> Said:
    """An item as what its answer means."""
    return Said(item.key, item.title, item.body, meaning(item.answer, item.choices))


def ground_of(doc: Clarifications) -> Ground:
    """The words and names of a whole file."""
    words = [content(f"{item.title} {item.body}") for item in doc.questions]
    offered = [alternatives([choice.text for choice in item.choices]) for item in doc.questions]
    return Ground(weights(words), frozenset[str]().union(*offered))


def contradictions(told: Sequence[Said], ground: Ground) -> list[dict[str, Any]]:
    """Every pair of answers to different questions that clashes, in the order of the file."""
    pairs = ((a, b) for a, b in combinations(told, 2) if root(a.key) != root(b.key))
    return [_entry(a, b, found) for a, b in pairs if (found := clash(a, b, ground))]


def _entry(a: Said, b: Said, found: Clash) -> dict[str, Any]:
    chinese = is_chinese(found.left, found.right)
    left, right = (clipped(text, 300) for text in (found.left, found.right))
    if chinese:
        note = f"{a.key}：“{left}”。{b.key}：“{right}”。{_WHY[found.reason][1]}。"
    else:
        note = f"{a.key} says “{left}”; {b.key} says “{right}”. Both speak of one subject, and {_WHY[found.reason][0]}."
    return {
        "sources": [a.key, b.key],
        "title": folded(f"{clipped(a.title, 80)} {'与' if chinese else 'vs.'} {clipped(b.title, 80)}"),
        "note": note,
        "reconciliation": _BOTH[found.reason][chinese],
    }


detailed_research = player(_work)
