"""What decisions.md must hold, computed from the answers: which entries, on which sources, with which statuses.

An entry that is there keeps its id and its title. Its status is not the agent's to choose freely: what no person has
answered stays open, whatever a Status line claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.clarifications import Clarifications, Item
from signoff.workflows.clarify.decisions import Decision, Decisions, folded
from signoff.workflows.clarify.evaluation import Evaluation, Verdict, judge, meaning

GAP: Final = "[Critical Gap]"
CONTRADICTION: Final = "[Contradiction]"
CROSS_CUTTING: Final = "Cross-cutting"
NOT_ANSWERED: Final = "(not answered)"
DECIDED: Final = ("resolved", "conflict-resolved", "needs-review")
HOLDS: Final = "{key} holds: {said}"
"""How a contradiction offers one of its sides; the words are those of the answer at that time."""
_HOLDS: Final = re.compile(HOLDS.format(key=f"({ids.ID.pattern})", said="(.*)"), re.DOTALL)

Kind = Literal["contradiction", "gap", ""]


def untagged(title: str) -> str:
    """A title without the tags that say what kind of entry it is."""
    said = folded(title)
    while said.startswith((GAP, CONTRADICTION)):
        said = said.split("]", 1)[1].lstrip()
    return said


def tagged(tag: str, title: str) -> str:
    """A title with its tag before it."""
    return folded(f"{tag} {untagged(title)}")


def quoted(text: str, most: int = 60) -> str:
    """A text as messages show it."""
    return f"“{text if len(text) <= most else text[: most - 1] + '…'}”"


def kind_of(entry: Decision) -> Kind:
    """What kind of entry it is: its title keeps the tag, also when the status has changed."""
    if entry.status == "contradiction" or entry.title.startswith(CONTRADICTION):
        return "contradiction"
    return "gap" if entry.status == "critical-gap" or entry.title.startswith(GAP) else ""


# --- the answers ------------------------------------------------------------------------------------------------------


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

    def is_clear(self, key: str) -> bool:
        return self._verdicts.get(key) == "clear"

    def is_answered(self, key: str) -> bool:
        return self._verdicts.get(key) in ("clear", "vague")

    def is_put_off(self, key: str) -> bool:
        """Whether there are words and nothing is said by them: `TBD`, or Other and not what."""
        item = self.items.get(key)
        return item is not None and self._verdicts.get(key) == "vague" and says_nothing(item)

    def is_missing(self, key: str) -> bool:
        """Whether it is a question that must be answered and is not; nothing can be decided on `TBD` either."""
        item = self.items.get(key)
        must = item is not None and item.kind == "question" and item.must
        return must and (not self.is_answered(key) or self.is_put_off(key))

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

    def said(self, key: str) -> str:
        """The answer as a decision records it: what it means, on one line."""
        item = self.items.get(key)
        if item is None or not self.is_answered(key):
            return NOT_ANSWERED
        return folded(meaning(item.answer, item.choices))

    def settled(self, kind: Kind, sources: Sequence[str], title: str) -> str:
        """What the person said to a contradiction or gap in `## Needs Clarification`; "" as long as they did not."""
        item = self.put_as(kind, sources, title)
        return self.settled_in(item) if item else ""

    def settled_in(self, item: Item) -> str:
        """What the person said to this entry. A side that they chose counts with its answer of now: an answer that was
        changed since is nobody's word any more, and of one that was taken back nothing is left to hold.
        """
        if says_nothing(item):
            return ""
        if item.kind != "contradiction":
            return folded(meaning(item.answer, item.choices))
        choices = [replace(choice, text=self._side(choice.text, item.origins)) for choice in item.choices]
        said = folded(meaning(item.answer, choices))
        for old, new in zip(item.choices, choices, strict=True):
            if said == folded(old.text):  # a choice may also be given by its words
                said = folded(new.text)
        return "" if any(said.startswith(HOLDS.format(key=key, said=NOT_ANSWERED)) for key in item.origins) else said

    def _side(self, text: str, origins: Sequence[str]) -> str:
        """A choice as it reads with the answers of now."""
        found = _HOLDS.fullmatch(text)
        key = found[1] if found else ""
        if key not in origins:
            return text
        return HOLDS.format(key=key, said=NOT_ANSWERED if self.is_put_off(key) else self.said(key))

    def put_as(self, kind: Kind, sources: Sequence[str], title: str) -> Item | None:
        """The entry in which it was put to the person: of these sources, of two the one with the same title."""
        about = [
            item
            for item in self.entries
            if item.kind == kind and item.origins and set(item.origins) <= set(sources)
        ]  # fmt: skip
        named = [item for item in about if untagged(item.title) == untagged(title)]
        return max(named or about, key=lambda item: len(set(item.origins)), default=None)

    def heading(self, kind: Kind, sources: Sequence[str], title: str) -> str:
        """Where the person answers it, for messages."""
        item = self.put_as(kind, sources, title)
        name = "Contradiction" if kind == "contradiction" else "Critical Gap"
        return f"`### {item.key if item else f'{name}: {untagged(title)}'}` in `## Needs Clarification`"


def says_nothing(item: Item) -> bool:
    """Whether nobody can tell from this answer what the person wants: none, a placeholder, or Other and not what."""
    return judge(item.answer, item.choices).why in ("empty", "placeholder", "other")


# --- what must be there -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One entry that the final file must have. `was` is its status so far, None for a new one.

    `change` says which answer of a contradiction changed since it was recorded; it goes into the entry once that is
    decided, and is what shows later that it was decided for a reason.
    """

    id: str
    title: str
    sources: tuple[str, ...]
    section: str
    answers: Mapping[str, str] = field(default_factory=dict)
    settled: str = ""
    was: str | None = None
    allowed: tuple[str, ...] = DECIDED
    why: str = ""
    change: str = ""

    def plain(self) -> dict[str, Any]:
        """As the agent gets it in its brief."""
        return {
            "id": self.id,
            "title": self.title,
            "sources": list(self.sources),
            "section": self.section,
            "answers": dict(self.answers),
            "settled": self.settled,
            "was": self.was,
            "allowed": list(self.allowed),
            "why": self.why,
            "change": self.change,
        }


def expected(doc: Clarifications, evaluation: Evaluation, before: Decisions | None) -> tuple[Expected, ...]:
    """What the final file must hold: every entry of `before`, and a new one for each answer that has none yet."""
    answers = Answers(doc, evaluation)
    there: dict[str, Decision] = {}
    for entry in before.entries if before else ():
        there.setdefault(entry.id, entry)
    kept = [_kept(answers, entry) for entry in there.values()]
    number = next_number(before)
    new = [
        _made(answers, f"D{number + at}", title, sources)
        for at, (title, sources) in enumerate(_wanting(answers, decided(before)))
    ]
    return (*kept, *new)


def next_number(before: Decisions | None) -> int:
    """The number after the highest that was given."""
    return max((int(entry.id[1:]) for entry in (before.entries if before else ())), default=0) + 1


def decided(before: Decisions | None) -> set[str]:
    """The ids that have an entry of their own; a contradiction is about two that each have theirs."""
    entries = before.entries if before else ()
    return {key for entry in entries if kind_of(entry) != "contradiction" for key in entry.sources}


def _kept(answers: Answers, entry: Decision) -> Expected:
    """An entry that is there: a source that is gone falls away, unless there is no other."""
    alive = [key for key in entry.sources if key in answers.items]
    sources = alive_of(answers, entry) or entry.sources
    kind = kind_of(entry)
    section = CROSS_CUTTING if kind == "contradiction" else _section(answers, alive) or entry.section
    change = change_of(answers, entry) if kind == "contradiction" else ""
    return _entry(answers, entry.id, entry.title, sources, section, kind, entry.status, change)


def alive_of(answers: Answers, entry: Decision) -> tuple[str, ...]:
    """The sources of an entry that are still there, and the refinements of theirs that were answered."""
    return answers.with_refinements(key for key in entry.sources if key in answers.items)


def change_of(answers: Answers, entry: Decision) -> str:
    """Which answers of a contradiction are others now than it records; "" while it stands as it was found.

    Once it has been decided on the new answers, it records those, and what its Change says of them still holds.
    """
    changed = [
        f"{key} said {quoted(said)} when this was recorded and says {quoted(answers.said(key))} now"
        for key, said in entry.answers.items()
        if key in answers.items and said != answers.said(key)
    ]
    if changed:
        return "; ".join(changed)
    weighed = any(
        f"{key} said “" in entry.change and f"says {quoted(answers.said(key))} now" in entry.change
        for key in entry.sources
        if key in answers.items
    )
    return entry.change if weighed and entry.status in DECIDED and not entry.settled else ""


def _section(answers: Answers, sources: Sequence[str]) -> str:
    return folded(answers.items[sources[0]].section) if sources else ""


def _made(answers: Answers, entry_id: str, title: str, sources: Sequence[str]) -> Expected:
    whole = answers.with_refinements(sources)
    kind: Kind = "gap" if title.startswith(GAP) else ""
    return _entry(answers, entry_id, title, whole, _section(answers, whole), kind, None)


def _entry(
    answers: Answers,
    entry_id: str,
    title: str,
    sources: tuple[str, ...],
    section: str,
    kind: Kind,
    was: str | None,
    change: str = "",
) -> Expected:
    settled, allowed, why = _earned(answers, title, sources, kind, change)
    said = {key: answers.said(key) for key in sources}
    return Expected(
        id=entry_id,
        title=title,
        sources=sources,
        section=section,
        answers=said,
        settled=settled,
        was=was,
        allowed=allowed,
        why=why,
        change="" if settled else change,
    )


def _wanting(answers: Answers, taken: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What has to become a decision and is in none: title and sources, in the order of the file."""
    for item in answers.questions:
        if item.key in taken:
            continue
        title = title_of(item)
        if answers.is_clear(item.key):
            yield title, (item.key,)
        elif answers.has_clear_below(item.key):
            yield from _wanting_below(answers, item.key, taken)
        elif answers.is_missing(item.key):
            yield tagged(GAP, title), (item.key,)
        elif answers.is_answered(item.key):
            yield title, (item.key,)


def _wanting_below(answers: Answers, question: str, taken: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key in answers.children(question):
        if key not in taken and (answers.is_clear(key) or answers.has_clear_below(key)):
            yield title_of(answers.items[key]), (key,)


def title_of(item: Item) -> str:
    """What a decision on this item is called."""
    return untagged(item.title) or item.key


# --- which statuses are earned ----------------------------------------------------------------------------------------


def _earned(
    answers: Answers, title: str, sources: Sequence[str], kind: Kind, change: str
) -> tuple[str, tuple[str, ...], str]:
    """What the person settled, the statuses that the answers allow, and why these."""
    if not any(key in answers.items for key in sources):
        why = f"the clarifications have none of its sources ({', '.join(sources) or 'it names none'}) any more"
        return "", ("needs-review",), why
    missing = [key for key in sources if answers.is_missing(key)]
    clear = [key for key in sources if answers.is_clear(key)]
    if kind != "contradiction" and (missing or kind == "gap") and not clear:
        kind = "gap"
    settled = answers.settled(kind, sources, title) if kind else ""
    if kind == "contradiction" and change and not settled:
        return "", *_earned_by_change(sources, change, bool(clear))
    if kind == "contradiction":
        return settled, *_earned_by_contradiction(answers.heading(kind, sources, title), sources, settled)
    if settled or clear:
        return settled, *_earned_by_answers(sources, f"{', '.join(clear)} has a clear answer" if clear else "")
    if kind == "gap":
        return "", ("critical-gap",), _open_gap(answers, answers.heading(kind, sources, title), missing or sources)
    return "", ("needs-review",), f"none of its sources ({', '.join(sources)}) has a clear answer"


def _earned_by_contradiction(heading: str, sources: Sequence[str], settled: str) -> tuple[tuple[str, ...], str]:
    if not settled:
        return ("contradiction",), f"{heading} has no answer yet, and only a person can say which side holds"
    if len(sources) < 2:
        return _earned_by_answers(sources, "")
    return ("conflict-resolved",), f"a person answered {heading}"


def _earned_by_change(sources: Sequence[str], change: str, clear: bool) -> tuple[tuple[str, ...], str]:
    """A contradiction of which a side was changed is to be judged again: it may be none any more."""
    decided = ("needs-review",) if not clear else ("conflict-resolved", "resolved")[len(sources) < 2 :]
    return (*decided, "contradiction"), f"an answer changed since, and they may agree now: {change}"


def _earned_by_answers(sources: Sequence[str], why: str) -> tuple[tuple[str, ...], str]:
    why = why or "a person answered its entry in `## Needs Clarification`"
    if len(sources) > 1:
        return DECIDED, why
    return ("resolved", "needs-review"), f"{why}, and one source alone cannot be in conflict"


def _open_gap(answers: Answers, heading: str, missing: Sequence[str]) -> str:
    put_off = {key: f" ({quoted(answers.said(key))} says nothing yet)" for key in missing if answers.is_put_off(key)}
    named = ", ".join(key + put_off.get(key, "") for key in missing)
    return f"{named} must be answered, and neither it, nor a refinement of it, nor {heading} has a clear answer"
