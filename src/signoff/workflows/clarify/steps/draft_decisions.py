"""Step 3 without opinion: draft entries from clear answers, and what has to be put to the person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Final, Literal

from signoff.core.state import replace
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks.answer_quality import Evaluation
from signoff.workflows.clarify.checks.expected_decisions import (
    CROSS_CUTTING,
    decided,
    entries_of,
    entry_ids,
    expected,
    open_of,
)
from signoff.workflows.clarify.documents import clarifications
from signoff.workflows.clarify.documents.answers import (
    CONTRADICTION,
    GAP,
    HOLDS,
    Answers,
    kind_of,
    quoted,
    tagged,
    title_of,
    untagged,
    widest,
)
from signoff.workflows.clarify.documents.clarifications import OTHER, Clarifications, Draft, Item
from signoff.workflows.clarify.documents.decisions import OPEN, Decision, Decisions, folded

EntryKind = Literal["Contradiction", "Critical Gap"]
Asked = tuple[EntryKind, Draft]
_KINDS: Final = {"contradiction": "Contradiction", "gap": "Critical Gap"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Answers that do not go together, as detailed research found them."""

    sources: tuple[str, ...]
    title: str
    note: str
    reconciliation: str = ""


def _each_once(conflicts: Sequence[Conflict]) -> list[Conflict]:
    """Of two conflicts between the same ids the first counts."""
    found: dict[frozenset[str], Conflict] = {}
    for one in conflicts:
        found.setdefault(frozenset(one.sources), one)
    return list(found.values())


def _gaps(answers: Answers) -> Iterator[Item]:
    """A refinement with a clear answer closes a gap as well as the question itself would."""
    for item in answers.questions:
        if answers.is_missing(item.key) and not answers.has_clear_below(item.key):
            yield item


# --- decisions.md -----------------------------------------------------------------------------------------------------


def drafted(
    doc: Clarifications,
    evaluation: Evaluation,
    conflicts: Sequence[Conflict],
    before: Decisions | None = None,
    taken: Collection[str] = (),
) -> tuple[Decision, ...]:
    """Draft entries for what has none yet: clear questions, then critical gaps, then contradictions.

    Gaps and contradictions have the titles under which the person is asked; ids in `taken` are not given again.
    """
    answers, known = Answers(doc, evaluation), decided(before)
    titles = {_about(one): one[1].title for one in _asked(answers, conflicts)}
    entries = [
        _entry(answers, title_of(item), (item.key,), item.section, "draft")
        for item in answers.questions
        if answers.is_clear(item.key) and item.key not in known
    ]
    for item in _gaps(answers):
        if item.key not in known:
            said = answers.said(item.key)
            so_far = f"{quoted(said)} says nothing" if answers.is_put_off(item.key) else "it has no answer"
            note = f"{item.key} must be answered before anything can be decided on it, and {so_far} yet."
            title = tagged(GAP, titles["Critical Gap", frozenset([item.key])])
            entries.append(_entry(answers, title, (item.key,), item.section, "critical-gap", note))
    for one in _each_once(conflicts):
        if not _is_there(one, before):
            way_out = f" Possible reconciliation: {one.reconciliation}" if one.reconciliation.strip() else ""
            title = tagged(CONTRADICTION, titles["Contradiction", frozenset(one.sources)])
            entries.append(_entry(answers, title, one.sources, CROSS_CUTTING, "contradiction", f"{one.note}{way_out}"))
    numbers = ids.unused(entry_ids(before, taken))
    return tuple(replace(entry, id=f"D{number}") for entry, number in zip(entries, numbers, strict=False))


def _entry(
    answers: Answers, title: str, sources: tuple[str, ...], section: str, status: str, note: str = ""
) -> Decision:
    """An entry that waits for its id; what it records is on one line each."""
    return Decision(
        id="",
        title=title,
        sources=sources,
        section=folded(section),
        answers={key: answers.said(key) for key in sources},
        status=status,
        note=folded(note),
    )


def _is_there(one: Conflict, before: Decisions | None) -> bool:
    """Whether a contradiction of these ids was drafted before; its refinements may have been added to it since."""
    return any(
        kind_of(entry) == "contradiction"
        and set(one.sources) <= set(entry.sources)
        and all(ids.is_within(key, one.sources) for key in entry.sources)
        for entry in (before.entries if before else ())
    )


# --- `## Needs Clarification` -----------------------------------------------------------------------------------------


def entries_for(doc: Clarifications, evaluation: Evaluation, conflicts: Sequence[Conflict]) -> list[Asked]:
    """The same gaps and contradictions as the person gets to see them, without those that the file has already."""
    answers = Answers(doc, evaluation)
    there = _there(answers)
    return [one for one in _asked(answers, conflicts) if _about(one) not in there]


def missing_entries(doc: Clarifications, decisions: Decisions, evaluation: Evaluation) -> list[Asked]:
    """The entries that open decisions wait for, and that cannot be answered because a person took them out."""
    answers, entries = Answers(doc, evaluation), entries_of(decisions)
    put, wanted = answers.put(entries), {one.id: one for one in expected(doc, evaluation, decisions)}
    found: dict[tuple[str, frozenset[str]], Asked] = {}
    for entry in entries:
        one = wanted[entry.id]
        asked: list[Asked] = []
        if one.allowed == ("contradiction",) and entry.id not in put:
            sides = widest(one.sources)
            sources = sides if len(sides) > 1 else one.sources
            conflict = Conflict(sources=sources, title=untagged(entry.title), note=entry.note)
            asked = [("Contradiction", _contradiction(answers, conflict))]
        elif set(one.allowed) <= set(OPEN):
            keys = widest(open_of(answers, one.sources, kind_of(entry)))
            asked = [("Critical Gap", _gap(answers.items[key])) for key in keys if answers.gap(key) is None]
        found.update({_about(one): one for one in asked if _about(one) not in found})
    return list(_told_apart(found.values(), {item.key for item in answers.entries}))


def _about(asked: Asked) -> tuple[str, frozenset[str]]:
    return asked[0], frozenset(asked[1].origins)


def _there(answers: Answers) -> dict[tuple[str, frozenset[str]], str]:
    """The titles of what the file asks already."""
    return {(_KINDS[item.kind], frozenset(item.origins)): item.title for item in reversed(answers.entries)}


def _asked(answers: Answers, conflicts: Sequence[Conflict]) -> list[Asked]:
    """Gaps and contradictions with the titles that they have in the file, or will have."""
    found: list[Asked] = [
        *(("Critical Gap", _gap(item)) for item in _gaps(answers)),
        *(("Contradiction", _contradiction(answers, one)) for one in _each_once(conflicts)),
    ]
    there = _there(answers)
    new = [one for one in found if _about(one) not in there]
    apart = _told_apart(new, {item.key for item in answers.entries})
    titles = {**there, **{_about(one): one[1].title for one in apart}}
    return [(kind, replace(draft, title=titles[_about((kind, draft))])) for kind, draft in found]


def _told_apart(entries: Iterable[Asked], taken: set[str]) -> Iterator[Asked]:
    """Kind and title are the name of an entry: where they would be given twice, the ids it comes from are added."""
    for kind, draft in entries:
        _, bare = _read(kind, draft.title)  # without what would be read as a mark of its own
        origins = ", ".join(draft.origins)
        plain = bare or origins
        numbered = (f"{plain} ({origins}; {number})" for number in count(2))
        titles = chain([plain, f"{plain} ({origins})"], numbered)
        key, title = next(name for name in (_read(kind, one) for one in titles) if name[0] not in taken)
        taken.add(key)
        yield kind, replace(draft, title=title)


def _read(kind: EntryKind, title: str) -> tuple[str, str]:
    """Key and title as they will be read."""
    text = clarifications.with_entries(clarifications.parse(""), [(kind, Draft(title=title))])
    (item,) = clarifications.parse(text).entries
    return item.key, item.title


def _gap(item: Item) -> Draft:
    """The question once more, with its choices, so that a letter means the same; nothing that autofill could take."""
    why = f"{item.key} must be answered before decisions can be final. Answer here, or at {item.key} itself."
    return Draft(
        title=title_of(item),
        body=f"{folded(item.body)}\n\n{why}".strip(),
        choices=tuple(folded(choice.text) for choice in item.choices),
        origins=(item.key,),
    )


def _contradiction(answers: Answers, one: Conflict) -> Draft:
    sides = [HOLDS.format(key=key, said=answers.said(key)) for key in one.sources]
    way_out = [folded(one.reconciliation)] if one.reconciliation.strip() else []
    return Draft(
        title=folded(one.title) or " vs. ".join(one.sources),
        body=folded(one.note),
        choices=(*sides, *way_out, OTHER),
        origins=one.sources,
    )
