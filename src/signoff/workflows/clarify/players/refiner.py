"""The section refiner: asks the next smaller question for each item that is not clear, from the item's own words.

A vague answer gets the choices again, beside what the person wrote. A missing one gets the smallest decision that lets
work go on. The refiner never proposes an answer of its own: every choice is one that was there, or a way to put it off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from signoff.workflows.clarify.clarifications import Clarifications, Item
from signoff.workflows.clarify.ids import is_id, parent, root
from signoff.workflows.clarify.players import openings
from signoff.workflows.clarify.players.desk import Desk, Payload, player
from signoff.workflows.clarify.players.research_notes import letter_of
from signoff.workflows.wording import clipped, folded, is_chinese, plain

MOST_CHOICES: Final = 4
LINE: Final = 190
_DEPENDS: Final = re.compile(
    r"\b(?:depends?|depending|varies|vary|sometimes|case by case|mostly|usually)\b|取决于|视情况|看情况|有时|一般",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Words:
    """The fixed words of one language."""

    closest: str
    wrote: str
    chose_other: str
    depends: str
    depends_why: str
    depends_on: tuple[str, str, str]
    depends_advice: str
    least: str
    least_must: str
    least_why: str
    begin: str
    without: str
    other_person: str
    two: str
    two_why: str


ENGLISH: Final = Words(
    closest="{title}: the exact rule",
    wrote="You wrote “{answer}”. Which of these comes closest?",
    chose_other="You chose “Other” and did not say what. Which of these comes closest, or what is the other way?",
    depends="{title}: what it depends on",
    depends_why="You wrote “{answer}”. If there is more than one way, what decides which of them is taken?",
    depends_on=(
        "The kind of customer or product: a list says which way is for which",
        "An amount or a period: a limit says from where on the other way is taken",
        "A person decides each time: name the person in the answer",
    ),
    depends_advice="A — A list can be checked by anybody; a judgement cannot.",
    least="{title}: to begin with",
    least_must="This has to be settled before anything is built on it. What is the least that can be said now?",
    least_why="There is no answer yet. What is the least that can be said now, so that work can go on?",
    begin="To begin with, and to be reviewed after first use: {choice}",
    without="Leave it out of the first version and say so in the report",
    other_person="Somebody else answers it (name the person and the day)",
    two="{title}: for now",
    two_why="“{asked}” is still open. Which of these holds until somebody says otherwise?",
)
CHINESE: Final = Words(
    closest="{title}：确切的规则",
    wrote="您写的是“{answer}”。以下哪一项最接近您的意思？",
    chose_other="您选择了“其他”，但没有写明内容。以下哪一项最接近，或者另外的做法是什么？",
    depends="{title}：取决于什么",
    depends_why="您写的是“{answer}”。如果做法不止一种，由什么决定采用哪一种？",
    depends_on=(
        "客户或产品的类型：用清单写明各自的做法",
        "金额或期限：用界限写明从何处起采用另一种做法",
        "每次由专人决定：请在回答中写明是谁",
    ),
    depends_advice="A — 清单人人都能核对，个人判断则不能。",
    least="{title}：先从何做起",
    least_must="这一点必须先确定，后续工作都以它为基础。现在至少能确定什么？",
    least_why="目前还没有回答。为了让工作继续，现在至少能确定什么？",
    begin="先按此执行，首次使用后复核：{choice}",
    without="第一版不包含这一项，并在报告中注明",
    other_person="由他人回答（请写明是谁以及日期）",
    two="{title}：暂定",
    two_why="“{asked}”仍未确定。在另有说法之前，以哪一项为准？",
)

DELEGATED: Final = (ENGLISH.other_person, CHINESE.other_person)
"""How an answer begins that hands the question on to somebody else."""


def _work(desk: Desk) -> Payload:
    taken = {folded(item.title).casefold() for item in desk.clarifications.refinements}
    found = list[dict[str, Any]]()
    for given in desk.notes.get("items", ()):
        for one in _refined(desk.clarifications, str(given["id"]), str(given.get("verdict"))):
            found.append(one | {"title": _untaken(one["title"], one["parent"], taken)})
    return {"refinements": found}


def _untaken(title: str, of: str, taken: set[str]) -> str:
    """A title that no other refinement has: one that is asked twice would be left out."""
    unique = title if title.casefold() not in taken else f"{title} ({of})"
    taken.add(unique.casefold())
    return unique


def _refined(doc: Clarifications, key: str, verdict: str) -> Iterator[dict[str, Any]]:
    item = doc.item(key)
    top = (doc.item(root(key)) if is_id(key) else None) or item
    title = clipped(plain(top.title), 120) if top and top.title.strip() else key
    words = CHINESE if is_chinese(title, item.body if item else "") else ENGLISH
    if item is None:
        yield _made(key, words.least.format(title=title), words.least_why, (words.without, words.other_person), "")
    elif parent(key) is not None:
        yield _deeper(item, title, words)
    elif verdict == "vague":
        yield from _vague(item, title, words)
    else:
        yield _missing(item, title, words)


def _vague(item: Item, title: str, words: Words) -> Iterator[dict[str, Any]]:
    answer = clipped(plain(item.answer), 160)
    choices, advice = _own(item), _advice(item)
    why = words.chose_other if _only_other(item) else words.wrote.format(answer=answer)
    yield _made(item.key, words.closest.format(title=title), why, choices, advice)
    if _DEPENDS.search(answer):
        why = words.depends_why.format(answer=answer)
        yield _made(item.key, words.depends.format(title=title), why, words.depends_on, words.depends_advice)


def _missing(item: Item, title: str, words: Words) -> dict[str, Any]:
    """The least to begin with: what must be settled gets its own ways in their order, so that letters stay right."""
    letter, why = letter_of(item.recommendation)
    own = _own(item)
    at = "ABCD".index(letter) if letter and letter in "ABCD"[: len(own)] else 0
    begun = _beginnings(own, at) if item.must else own[at : at + 1]
    choices = (*(words.begin.format(choice=one) for one in begun), *(() if item.must else (words.without,)))
    ask = words.least_must if item.must else words.least_why
    advice = _reasoned("ABCD"[begun.index(own[at])], why)
    return _made(item.key, words.least.format(title=title), ask, (*choices, words.other_person), advice)


def _beginnings(own: tuple[str, ...], at: int) -> tuple[str, ...]:
    """As many of the ways as there is room for beside "somebody else"; the recommended one is among them."""
    room = MOST_CHOICES - 1
    return own[:room] if at < room else (*own[: room - 1], own[at])


def _deeper(item: Item, title: str, words: Words) -> dict[str, Any]:
    """The last question before a decision: two of the ways that the refinement offered."""
    asked = clipped(plain(item.title), 120)
    wrote = f" {words.wrote.format(answer=clipped(plain(item.answer), 160))}" if item.answer.strip() else ""
    choices = (*_own(item)[:2], words.other_person)
    why = words.two_why.format(asked=asked) + wrote
    return _made(item.key, words.two.format(title=title), why, choices, _advice(item, most=2))


def _made(key: str, title: str, why: str, choices: tuple[str, ...], advice: str) -> dict[str, Any]:
    different = list(dict.fromkeys(clipped(folded(choice), LINE) for choice in choices))
    return {
        "parent": key,
        "title": clipped(folded(title), 180),
        "why": folded(why),
        "choices": different[:MOST_CHOICES],
        "recommendation": clipped(folded(advice) or "A", LINE),
    }


def _own(item: Item) -> tuple[str, ...]:
    """The item's own choices without Other; three generic ones where it has fewer than two."""
    own = list(dict.fromkeys(plain(choice.text) for choice in item.choices if not choice.other and choice.text.strip()))
    return tuple(own[:MOST_CHOICES]) if len(own) > 1 else openings.generic(item.title, item.body)


def _only_other(item: Item) -> bool:
    said = item.answer.strip().rstrip(".)）").casefold()
    others = {choice.letter.casefold() for choice in item.choices if choice.other}
    return said in others or said in ("other", "其他", "其它")


def _advice(item: Item, most: int = MOST_CHOICES) -> str:
    letter, why = letter_of(item.recommendation)
    valid = letter and letter in "ABCD"[: min(most, len(_own(item)))]
    return _reasoned(letter if valid else "A", why if valid else "")


def _reasoned(letter: str, why: str) -> str:
    return f"{letter} — {why}" if why else letter


section_refiner = player(_work)
