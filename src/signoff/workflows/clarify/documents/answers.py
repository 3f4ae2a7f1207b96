"""The answers of a clarifications file as decisions see them, and where a person was asked about them again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signoff.core.state import replace
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks.answer_quality import Evaluation, Verdict, judge, meaning
from signoff.workflows.clarify.documents.clarifications import Clarifications, Item
from signoff.workflows.clarify.documents.decisions import Decision, cut, folded

GAP: Final = "[Critical Gap]"
CONTRADICTION: Final = "[Contradiction]"
NOT_ANSWERED: Final = "(not answered)"
HOLDS: Final = "{key} holds: {said}"
"""How a contradiction offers one of its sides; the words are those of the answer at that time."""
_HOLDS: Final = re.compile(HOLDS.format(key=f"({ids.ID.pattern})", said="(.*)"), re.DOTALL)
_TAGS: Final = re.compile(rf"(?:(?:{re.escape(GAP)}|{re.escape(CONTRADICTION)}) ?)*")

Kind = Literal["contradiction", "gap", ""]


def untagged(title: str) -> str:
    """A title without the tags that say what kind of entry it is."""
    said = folded(title)
    tags = _TAGS.match(said)
    return said[tags.end() :] if tags else said


def tagged(tag: str, title: str) -> str:
    """A title with its tag before it."""
    return folded(f"{tag} {untagged(title)}")


def quoted(text: str) -> str:
    """A text as messages show it."""
    return f"“{cut(text)}”"


def kind_of(entry: Decision) -> Kind:
    """What kind of entry it is: its title keeps the tag, also when the status has changed."""
    if entry.status == "contradiction" or entry.title.startswith(CONTRADICTION):
        return "contradiction"
    return "gap" if entry.status == "critical-gap" or entry.title.startswith(GAP) else ""


def title_of(item: Item) -> str:
    """What a decision on this item is called."""
    return untagged(item.title) or item.key


def says_nothing(item: Item) -> bool:
    """Whether the answer does not say what the person wants: none, a placeholder, or Other and not what."""
    return judge(item.answer, item.choices).why in ("empty", "placeholder", "other")


def says_clearly(item: Item) -> bool:
    """Whether these words would be a clear answer to a question, too."""
    return judge(item.answer, item.choices).verdict == "clear"


def is_loose(item: Item) -> bool:
    """Whether a person put an entry that does not say which questions it is about."""
    return sum(map(ids.is_id, item.origins)) < (2 if item.kind == "contradiction" else 1)


def widest(keys: Iterable[str]) -> tuple[str, ...]:
    """These ids without those that only refine another of them."""
    given = dict.fromkeys(keys)
    return tuple(key for key in given if not ids.is_within(ids.parent(key) or "", given))


class Answers:
    """The answers of a clarifications file, by id, with their verdicts."""

    def __init__(self, doc: Clarifications, evaluation: Evaluation) -> None:
        self.entries: tuple[Item, ...] = tuple(doc.entries)
        self.items: dict[str, Item] = {}
        for item in (*doc.questions, *doc.refinements):
            self.items.setdefault(item.key, item)
        self.questions = [item for key, item in self.items.items() if item.kind == "question"]
        self._verdicts: dict[str, Verdict] = dict(reversed(evaluation.per_question))
        self._below: dict[str, list[str]] = {}
        for item in doc.refinements:
            self._below.setdefault(ids.parent(item.key) or "", []).append(item.key)
        self._gaps: dict[str, Item] = {}
        gaps = [item for item in self.entries if item.kind == "gap"]
        for item in sorted(gaps, key=lambda one: (len(one.origins), says_nothing(one))):
            for key in item.origins:
                self._gaps.setdefault(key, item)

    def is_clear(self, key: str) -> bool:
        return self._verdicts.get(key) == "clear"

    def is_answered(self, key: str) -> bool:
        return self._verdicts.get(key) in ("clear", "vague")

    def is_put_off(self, key: str) -> bool:
        """Whether there are words and nothing is said by them: `TBD`, or Other and not what."""
        item = self.items.get(key)
        return item is not None and self._verdicts.get(key) == "vague" and says_nothing(item)

    def has_words(self, key: str) -> bool:
        """Whether something is said by the answer, clear or not."""
        return self.is_answered(key) and not self.is_put_off(key)

    def is_missing(self, key: str) -> bool:
        """Whether it must be answered and is not; nothing can be decided on `TBD` either.

        What has an entry of its own among the critical gaps must be answered, whatever its heading says.
        """
        item = self.items.get(key)
        if item is None or self.has_words(key):
            return False
        return key in self._gaps or (item.kind == "question" and item.must)

    def is_open(self, key: str) -> bool:
        """Whether it is missing, and neither a refinement of it nor its own gap entry says anything instead."""
        if not self.is_missing(key) or self.has_clear_below(key):
            return False
        gap = self.gap(key)
        return gap is None or says_nothing(gap)

    def gap(self, key: str) -> Item | None:
        """The critical gap in which this id was put to the person; of two the one about nothing else, or with words."""
        return self._gaps.get(key)

    def gaps(self, keys: Iterable[str]) -> list[Item]:
        """The critical gaps of these ids, each once."""
        found = (self.gap(key) for key in keys)
        return list({item.key: item for item in found if item is not None}.values())

    def heard(self, key: str) -> str:
        """What the person said to the critical gap of this id."""
        item = self.gap(key)
        return self.settled_in(item) if item else ""

    def children(self, key: str) -> Sequence[str]:
        """The direct refinements, in the order of the file."""
        return self._below.get(key, ())

    def below(self, key: str) -> Iterator[str]:
        """The refinements of any depth, in the order of the file."""
        for child in self.children(key):
            yield child
            yield from self.below(child)

    def has_clear_below(self, key: str) -> bool:
        return any(map(self.is_clear, self.below(key)))

    def with_refinements(self, keys: Iterable[str]) -> tuple[str, ...]:
        """These ids, and every answered refinement of theirs that is not among them."""
        given = list(keys)
        more = (name for key in given for name in self.below(key) if self.is_answered(name))
        return tuple(dict.fromkeys([*given, *more]))

    def alive(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Those of these ids that the file has."""
        return tuple(key for key in keys if key in self.items)

    def said(self, key: str) -> str:
        """The answer as a decision records it: what it means, on one line."""
        item = self.items.get(key)
        if item is None or not self.is_answered(key):
            return NOT_ANSWERED
        return folded(meaning(item.answer, item.choices))

    def settled_in(self, item: Item) -> str:
        """What the person said to this entry.

        A side that they chose counts with its answer of now; if that was taken back, nothing is left to hold.
        """
        if says_nothing(item):
            return ""
        if item.kind != "contradiction":
            return folded(meaning(item.answer, item.choices))
        choices = [replace(choice, text=self._now(choice.text, item.origins)) for choice in item.choices]
        said = folded(meaning(item.answer, choices))
        for old, new in zip(item.choices, choices, strict=True):
            if said == folded(old.text):  # a choice may also be given by its words
                said = folded(new.text)
        return "" if any(said.startswith(HOLDS.format(key=key, said=NOT_ANSWERED)) for key in item.origins) else said

    def _now(self, text: str, origins: Sequence[str]) -> str:
        """A choice as it reads with the answers of now."""
        found = _HOLDS.fullmatch(text)
        key = found[1] if found else ""
        if key not in origins:
            return text
        return HOLDS.format(key=key, said=NOT_ANSWERED if self.is_put_off(key) else self.said(key))

    # --- where a contradiction was put to the person ------------------------------------------------------------------

    def is_between(self, item: Item) -> bool:
        """Whether a contradiction still has two sides."""
        return len(set(self.alive(item.origins))) > 1

    def put(self, entries: Iterable[Decision]) -> dict[str, Item]:
        """The contradiction of the file that each of these entries is about, by id; none is the entry of two.

        First those of exactly its sources. An entry that was decided may have got more sources than it was put with:
        then the title tells, and at last that it was settled by something.
        """
        left = [
            (item, _Sides.of(self, item.title, item.origins)) for item in self.entries if item.kind == "contradiction"
        ]
        waiting = [
            (entry, _Sides.of(self, entry.title, entry.sources))
            for entry in entries
            if kind_of(entry) == "contradiction"
        ]
        found: dict[str, Item] = {}
        for fits in _WAYS:
            for entry, mine in waiting:
                free = range(len(left)) if entry.id not in found else ()
                at = next((at for at in free if fits(mine, left[at][1], bool(entry.settled))), None)
                if at is not None:
                    found[entry.id] = left.pop(at)[0]
        return found


@dataclass(frozen=True, slots=True)
class _Sides:
    """What a contradiction is called and between what it is, as far as that is still there."""

    title: str
    alive: frozenset[str]
    widest: frozenset[str]

    @classmethod
    def of(cls, answers: Answers, title: str, keys: Iterable[str]) -> _Sides:
        alive = answers.alive(keys)
        return cls(untagged(title), frozenset(alive), frozenset(widest(alive)))

    def is_exactly(self, other: _Sides) -> bool:
        return bool(self.widest) and self.widest == other.widest

    def has_within(self, other: _Sides) -> bool:
        return len(other.alive) > 1 and other.alive <= self.alive


_WAYS: Final[tuple[Callable[[_Sides, _Sides, bool], bool], ...]] = (
    lambda mine, put, _: mine.is_exactly(put) and mine.title == put.title,
    lambda mine, put, _: mine.is_exactly(put),
    lambda mine, put, _: mine.has_within(put) and mine.title == put.title,
    lambda mine, put, settled: mine.has_within(put) and settled,
)
"""How the entry of a decision is found, the surest way first; the last is for one that was settled before."""


def heading(kind: Kind, item: Item | None, title: str) -> str:
    """Where the person answers it, for messages."""
    name = "Contradiction" if kind == "contradiction" else "Critical Gap"
    return f"`### {item.key if item else f'{name}: {untagged(title)}'}` in `## Needs Clarification`"
