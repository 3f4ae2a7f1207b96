"""Whether two answers contradict each other, as far as words can show it.

What it sees, between clauses that speak of the same subject (most telling words of the shorter one in the other):

- different numbers with the same unit: leaves after 90 days, leaves after 60 days;
- opposite polarity: never counts, always counts;
- different names that a question of the file offers as alternatives: enters at Qualified, enters at Proposal Sent.

What it does not see: contradictions that need arithmetic, knowledge of the trade or more than two answers, and the same
subject in other words. It would rather miss one than raise a false alarm: a person has to answer each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from signoff.artifacts.numbers import Quantity, with_units
from signoff.workflows.clarify.players.openings import asks
from signoff.workflows.wording import clipped, content, folded, overlap, plain, sentences

Reason = Literal["number", "polarity", "name"]
SUBJECT: Final = 0.6
MOST_CLAUSES: Final = 12

_CLAUSE: Final = re.compile(r"[;；]|\.\s|。|\b(?:but|while|whereas|however)\b|但是?|而是?", re.IGNORECASE)
_NO: Final = re.compile(
    r"^no\b(?! decision)|\b(?:not|never|nothing|nobody|none|cannot|exclud\w+|(?:stays?|left|leaves?|kept?) out)\b"
    r"|n't\b|不|排除|除外",
    re.IGNORECASE,
)
_ALL: Final = re.compile(
    r"^yes\b|\b(?:all|always|every|any|includ\w+|without exception)\b|所有|总是|一律|包括|计入|全部|任何", re.IGNORECASE
)
_BEFORE: Final = re.compile(r"\b(?:before|until|earlier)\b|之前|以前", re.IGNORECASE)
_SWITCH: Final = re.compile(r"\b(?:until|after|before|between)\b|之前|之后|直到", re.IGNORECASE)
_NAME: Final = re.compile(
    r"(?<=\bat )[A-Z]\w+(?: [A-Z]\w+)*|(?<=\bfrom )[A-Z]\w+(?: [A-Z]\w+)*|(?<=\bas )[A-Z]\w+(?: [A-Z]\w+)*"
    r"|(?<=\breaches )[A-Z]\w+(?: [A-Z]\w+)*|(?<=\bis )[A-Z]\w+(?: [A-Z]\w+)*|[“「『\"]([^”」』\"]{1,24})[”」』\"]",
    re.IGNORECASE,
)
_CAPITAL: Final = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of an answer: what it is about, and the three ways in which it could differ from another."""

    text: str
    about: frozenset[str]
    numbers: tuple[Quantity, ...]
    names: frozenset[str]
    rules_out: bool
    takes_all: bool


@dataclass(frozen=True)
class Said:
    """An answer: whose it is, what was asked, and what it means."""

    key: str
    title: str
    question: str
    text: str

    @cached_property
    def core(self) -> frozenset[str]:
        """The words of the question itself: what a short answer is about."""
        asked = next((one for one in sentences(self.question) if asks(one)), "")
        return content(f"{self.title} {asked}")


@dataclass(frozen=True, slots=True)
class Clash:
    """Two clauses that cannot both hold, and what differs."""

    reason: Reason
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What is common to a file: how telling its words are, and the names that its questions offer as alternatives.

    Every answer is compared with every other, so what was read of one is kept in `known`.
    """

    weight: Mapping[str, float]
    names: frozenset[str]
    known: dict[str, tuple[Clause, ...]] = field(default_factory=dict, compare=False)

    def clauses(self, text: str) -> tuple[Clause, ...]:
        """The clauses of an answer; of a very long one the first."""
        if text not in self.known:
            parts = (clipped(folded(part), 300) for part in _CLAUSE.split(plain(text[:20_000])))
            self.known[text] = tuple(self._clause(part) for part in parts if part)[:MOST_CLAUSES]
        return self.known[text]

    def _clause(self, text: str) -> Clause:
        numbers, rest = with_units(text), text
        names = frozenset(name for name in self.names if name in text and re.search(rf"\b{re.escape(name)}\b", text))
        for part in (*(number.text for number in numbers), *names):
            rest = rest.replace(part, " ")
        rules_out, takes_all = _NO.search(text) is not None, _ALL.search(text) is not None
        return Clause(text, content(_NO.sub(" ", _ALL.sub(" ", rest))), numbers, names, rules_out, takes_all)


def alternatives(choices: Sequence[str]) -> frozenset[str]:
    """The names that the choices of one question set against each other; none where fewer than two do."""
    named = [set(_names_in(text)) for text in choices]
    return frozenset[str]().union(*named) if sum(map(bool, named)) > 1 else frozenset()


def _names_in(text: str) -> list[str]:
    found = [match.group(1) or match.group() for match in _NAME.finditer(text)]
    return [name for name in found if _CAPITAL.fullmatch(name) or not name.isascii()]


def clash(a: Said, b: Said, ground: Ground, *, kin: bool = False) -> Clash | None:
    """The first contradiction between two answers; `kin` answers belong to one question and share its subject."""
    for left in ground.clauses(a.text):
        for right in ground.clauses(b.text):
            reason = _reason(left, right, kin=kin)
            if reason and (kin or _same_subject(a, left, b, right, ground)):
                return Clash(reason, left.text, right.text)
    return None


def changed(before: str, after: str) -> tuple[Quantity, Quantity] | None:
    """The number of an answer that a later one gives another value, in the same unit."""
    for old in with_units(before):
        same_unit = [new for new in with_units(after) if new.unit == old.unit]
        if len(same_unit) == 1 and same_unit[0].key() != old.key() and _lone(before, old):
            return old, same_unit[0]
    return None


def _lone(text: str, quantity: Quantity) -> bool:
    return sum(other.unit == quantity.unit for other in with_units(text)) == 1


# --- what they are about ----------------------------------------------------------------------------------------------


def _same_subject(a: Said, left: Clause, b: Said, right: Clause, ground: Ground) -> bool:
    """Whether two clauses are about one thing, by themselves or by the question that one of them answers."""
    pairs = ((left.about, right.about), (a.core, right.about), (left.about, b.core))
    return any(_shares(one, other, ground) for one, other in pairs)


def _shares(one: frozenset[str], other: frozenset[str], ground: Ground) -> bool:
    shared = one & other
    return len(shared) > 1 and overlap(one, other, ground.weight) >= SUBJECT and _telling(shared, ground)


def _telling(shared: frozenset[str], ground: Ground) -> bool:
    """At least one of the words is one that few questions use."""
    highest = max(ground.weight.values(), default=0.0)
    return any(ground.weight.get(word, highest) >= 0.6 * highest for word in shared)


# --- how they differ --------------------------------------------------------------------------------------------------


def _reason(left: Clause, right: Clause, *, kin: bool) -> Reason | None:
    if not kin and _numbers_differ(left, right):
        return "number"
    if _names_differ(left, right):
        return "name"
    is_opposed = (left.rules_out, left.takes_all, right.rules_out, right.takes_all) in _OPPOSED
    return "polarity" if is_opposed and left.about & right.about else None


_OPPOSED: Final = ((True, False, False, True), (False, True, True, False))


def _numbers_differ(left: Clause, right: Clause) -> bool:
    """One number each in the same unit, not the same one; ranges and lists are left alone."""
    if not len(left.numbers) == len(right.numbers) == 1:
        return False
    ours, theirs = left.numbers[0], right.numbers[0]
    return ours.unit == theirs.unit and ours.key() != theirs.key()


def _names_differ(left: Clause, right: Clause) -> bool:
    one_each = len(left.names) == len(right.names) == 1 and left.names != right.names
    return one_each and _places(left) and _places(right)


def _places(clause: Clause) -> bool:
    """Whether the clause says where something begins, and not what happens before or after."""
    if clause.rules_out:
        return _BEFORE.search(clause.text) is not None
    return _SWITCH.search(clause.text) is None
