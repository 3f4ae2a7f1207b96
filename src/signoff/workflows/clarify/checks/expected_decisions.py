"""What decisions.md must hold, computed from the answers: which entries, on which sources, with which statuses.

An entry that is there keeps its id and its title. Its status is not the agent's to choose freely: what no person has
answered stays open, whatever a Status line claims.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks.answer_quality import Evaluation
from signoff.workflows.clarify.documents.answers import (
    CONTRADICTION,
    GAP,
    Answers,
    Kind,
    heading,
    kind_of,
    quoted,
    says_clearly,
    tagged,
    title_of,
)
from signoff.workflows.clarify.documents.clarifications import Clarifications, Item
from signoff.workflows.clarify.documents.decisions import Decision, Decisions, folded

CROSS_CUTTING: Final = "Cross-cutting"
DECIDED: Final = ("resolved", "conflict-resolved", "needs-review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One entry that the final file must have. `was` is its status so far, None for a new one.

    `change` says which answer of a contradiction changed since it was recorded; it goes into the entry once that is
    decided, and is what shows later that it was decided for a reason. `heard` is what a person said to the
    critical gaps of its sources, by source: an entry that names such a source rests on those words.
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
    heard: Mapping[str, str] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As the agent gets it in its brief."""
        told = {name: getattr(self, name) for name in _TOLD}
        return {**told, "sources": list(self.sources), "answers": dict(self.answers), "allowed": list(self.allowed)}


_TOLD: Final = ("id", "title", "sources", "section", "answers", "settled", "was", "allowed", "why", "change")


def expected(
    doc: Clarifications, evaluation: Evaluation, before: Decisions | None, taken: Collection[str] = ()
) -> tuple[Expected, ...]:
    """What the final file must hold: every entry of `before`, and a new one for each answer that has none yet.

    A gap or contradiction of the clarifications that no entry speaks of gets one, too. Ids in `taken` were given
    before and are not given again.
    """
    answers = Answers(doc, evaluation)
    there = entries_of(before)
    put = answers.put(there)
    kept = [_kept(answers, entry, put.get(entry.id)) for entry in there]
    new_ids = (f"D{number}" for number in ids.unused(entry_ids(before, taken)))
    new = [
        _made(answers, next(new_ids), title, sources) for title, sources in _wanting(answers, decided(before))
    ]  # fmt: skip
    known = {key for one in (*kept, *new) if not one.title.startswith(CONTRADICTION) for key in one.sources}
    spoken = {item.key for item in put.values()}
    more = [_put(answers, next(new_ids), item) for item in _unspoken(answers, known, spoken)]
    return (*kept, *new, *more)


def entries_of(before: Decisions | None) -> tuple[Decision, ...]:
    """The entries by id; of two with one id the first."""
    found: dict[str, Decision] = {}
    for entry in before.entries if before else ():
        found.setdefault(entry.id, entry)
    return tuple(found.values())


def entry_ids(before: Decisions | None, taken: Collection[str]) -> set[str]:
    """Every id of a decision that was ever given."""
    return {*(entry.id for entry in (before.entries if before else ())), *taken}


def decided(before: Decisions | None) -> set[str]:
    """The ids that have an entry of their own; a contradiction is about two that each have theirs."""
    entries = before.entries if before else ()
    return {key for entry in entries if kind_of(entry) != "contradiction" for key in entry.sources}


def _kept(answers: Answers, entry: Decision, item: Item | None) -> Expected:
    """An entry that is there, without the sources that are gone, unless all of them are."""
    alive = answers.alive(entry.sources)
    sources = answers.with_refinements(alive) or entry.sources
    if kind_of(entry) != "contradiction":
        section = _section(answers, alive) or entry.section
        return _entry(answers, entry.id, entry.title, sources, section, entry.status, _earned(answers, entry, sources))
    change = change_of(answers, entry)
    title = tagged(CONTRADICTION, entry.title)
    if _is_between(answers, entry, item):
        earned = _earned_by_sides(answers, title, sources, item, change)
    else:  # it has lost a side: what is left is decided like any other answer, and what the person said to it counts
        _, allowed, why = _earned(answers, entry, sources)
        earned = (answers.settled_in(item) if item else "", allowed, why)
    return _entry(answers, entry.id, title, sources, CROSS_CUTTING, entry.status, earned, change)


def _is_between(answers: Answers, entry: Decision, item: Item | None) -> bool:
    """Whether a contradiction still has two sides. A question and its own refinement can be that, if they were."""
    if item is not None:
        return answers.is_between(item)
    alive = answers.alive(entry.sources)
    if len(set(map(ids.root, alive))) > 1:
        return True
    return len(alive) > 1 and len(alive) == len(entry.sources) and entry.status not in DECIDED


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
    earned = _earned_by_answers(answers, title, whole, "gap" if title.startswith(GAP) else "")
    return _entry(answers, entry_id, title, whole, _section(answers, whole), None, earned)


def _put(answers: Answers, entry_id: str, item: Item) -> Expected:
    """An entry for what stands in `## Needs Clarification` and in no decision."""
    alive = answers.alive(item.origins)
    if item.kind == "gap":
        return _made(answers, entry_id, tagged(GAP, title_of(item)), alive)
    title, whole = tagged(CONTRADICTION, title_of(item)), answers.with_refinements(alive)
    earned = _earned_by_sides(answers, title, whole, item, "")
    return _entry(answers, entry_id, title, whole, CROSS_CUTTING, None, earned)


def _unspoken(answers: Answers, known: set[str], spoken: set[str]) -> Iterator[Item]:
    """Gaps and contradictions of the file that no entry is about; a contradiction that lost a side does not count."""
    for item in answers.entries:
        if item.kind == "gap":
            unspoken = any(key not in known and answers.is_open(key) for key in item.origins)
        else:
            unspoken = item.key not in spoken and answers.is_between(item)
        if unspoken:
            yield item


_Earned = tuple[str, tuple[str, ...], str]
"""What the person settled, the statuses that the answers allow, and why these."""


def _entry(
    answers: Answers,
    entry_id: str,
    title: str,
    sources: tuple[str, ...],
    section: str,
    was: str | None,
    earned: _Earned,
    change: str = "",
) -> Expected:
    settled, allowed, why = earned
    return Expected(
        id=entry_id,
        title=title,
        sources=sources,
        section=section,
        answers={key: answers.said(key) for key in sources},
        settled=settled,
        was=was,
        allowed=allowed,
        why=why,
        change="" if settled else change,
        heard={key: words for key in sources if (words := answers.heard(key))},
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
            yield tagged(GAP, title_of(answers.gap(item.key) or item)), (item.key,)
        elif answers.is_answered(item.key):
            yield title, (item.key,)


def _wanting_below(answers: Answers, question: str, taken: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key in answers.children(question):
        if key not in taken and (answers.is_clear(key) or answers.has_clear_below(key)):
            yield title_of(answers.items[key]), (key,)


# --- which statuses are earned ----------------------------------------------------------------------------------------


def _earned(answers: Answers, entry: Decision, sources: Sequence[str]) -> _Earned:
    """What an entry that is there earns by its answers; a contradiction only when it has lost a side."""
    kind = kind_of(entry)
    return _earned_by_answers(answers, entry.title, sources, "" if kind == "contradiction" else kind)


def _earned_by_answers(answers: Answers, title: str, sources: Sequence[str], kind: Kind) -> _Earned:
    if not answers.alive(sources):
        why = f"the clarifications have none of its sources ({', '.join(sources) or 'it names none'}) any more"
        return "", ("needs-review",), why
    gaps = answers.gaps(sources)
    settled = "; ".join(dict.fromkeys(filter(None, map(answers.heard, sources))))
    if still := open_of(answers, sources, kind):
        return settled, ("critical-gap",), _open_gap(answers, title, still)
    clear = [*filter(answers.is_clear, sources), *(f"`### {item.key}`" for item in gaps if says_clearly(item))]
    if clear:
        return settled, *_decided(sources, f"{', '.join(clear)} has a clear answer")
    named = [*sources, *(f"`### {item.key}`" for item in gaps)]
    return settled, ("needs-review",), f"none of its sources ({', '.join(named)}) has a clear answer"


def open_of(answers: Answers, sources: Sequence[str], kind: Kind) -> list[str]:
    """The sources that keep an entry open: what another source says does not answer them.

    A critical gap of which nothing must be answered any more still waits for any words at all.
    """
    still = list(filter(answers.is_open, sources))
    heard = any(map(answers.has_words, sources)) or any(map(answers.heard, sources))
    return still or (list(answers.alive(sources)) if kind == "gap" and not heard else [])


def _earned_by_sides(
    answers: Answers, title: str, sources: Sequence[str], item: Item | None, change: str
) -> _Earned:  # fmt: skip
    """A contradiction is settled by a person; if a side was changed, the answers may agree now."""
    settled, where = answers.settled_in(item) if item else "", heading("contradiction", item, title)
    if settled and len(sources) < 2:
        return settled, *_decided(sources, f"a person answered {where}")
    if settled:
        return settled, ("conflict-resolved",), f"a person answered {where}"
    if change:
        decided = ("conflict-resolved", "resolved") if any(map(answers.is_clear, sources)) else ("needs-review",)
        return "", (*decided, "contradiction"), f"an answer changed since, and they may agree now: {change}"
    return "", ("contradiction",), f"{where} has no answer yet, and only a person can say which side holds"


def _decided(sources: Sequence[str], why: str) -> tuple[tuple[str, ...], str]:
    if len(sources) > 1:
        return DECIDED, why
    return ("resolved", "needs-review"), f"{why}, and one source alone cannot be in conflict"


def _open_gap(answers: Answers, title: str, still: Sequence[str]) -> str:
    put_off = {key: f" ({quoted(answers.said(key))} says nothing yet)" for key in still if answers.is_put_off(key)}
    named = ", ".join(key + put_off.get(key, "") for key in still)
    where = " and ".join(heading("gap", item, title) for item in answers.gaps(still)) or heading("gap", None, title)
    return f"{named} must be answered, and neither it, nor a refinement of it, nor {where} has a clear answer"
