"""Step 3 without opinion: draft entries from clear answers, and what has to be put to the person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
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
    clear = (item for item in answers.questions if answers.is_clear(item.key))
    entries = [
        *(_from_answer(answers, item) for item in clear if item.key not in known),
        *(
            _from_gap(answers, item, titles["Critical Gap", frozenset([item.key])])
            for item in _gaps(answers)
            if item.key not in known
        ),
        *(
            _from_conflict(answers, one, titles["Contradiction", frozenset(one.sources)])
            for one in _each_once(conflicts)
            if not _is_there(one, before)
        ),
    ]
    numbers = ids.unused(entry_ids(before, taken))
    return tuple(replace(entry, id=f"D{number}") for entry, number in zip(entries, numbers, strict=False))


def _from_answer(answers: Answers, item: Item) -> Decision:
    return _entry(answers, title_of(item), (item.key,), item.section, "draft")


def _from_gap(answers: Answers, item: Item, title: str) -> Decision:
    so_far = f"{quoted(answers.said(item.key))} says nothing" if answers.is_put_off(item.key) else "it has no answer"
    note = f"{item.key} must be answered before anything can be decided on it, and {so_far} yet."
    return _entry(answers, tagged(GAP, title), (item.key,), item.section, "critical-gap", note)


def _from_conflict(answers: Answers, one: Conflict, title: str) -> Decision:
    way_out = f" Possible reconciliation: {one.reconciliation}" if one.reconciliation.strip() else ""
    note = one.note + way_out
    return _entry(answers, tagged(CONTRADICTION, title), one.sources, CROSS_CUTTING, "contradiction", note)


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
        and all(_is_of(key, one.sources) for key in entry.sources)
        for entry in (before.entries if before else ())
    )


def _is_of(key: str, sources: Sequence[str]) -> bool:
    above = ids.parent(key)
    return key in sources or (above is not None and _is_of(above, sources))


# --- `## Needs Clarification` -----------------------------------------------------------------------------------------


def entries_for(doc: Clarifications, evaluation: Evaluation, conflicts: Sequence[Conflict]) -> list[Asked]:
    """The same gaps and contradictions as the person gets to see them, without those that the file has already."""
    answers = Answers(doc, evaluation)
    there = _there(answers)
    return [one for one in _asked(answers, conflicts) if _about(one) not in there]


def missing_entries(doc: Clarifications, decisions: Decisions, evaluation: Evaluation) -> list[Asked]:
    """What open decisions wait for and nobody can answer, because its entry is not in the file: taken out by hand."""
    answers, entries = Answers(doc, evaluation), entries_of(decisions)
    put, wanted = answers.put(entries), {one.id: one for one in expected(doc, evaluation, decisions)}
    found: dict[tuple[str, frozenset[str]], Asked] = {}
    for entry in entries:
        one = wanted[entry.id]
        if one.allowed == ("contradiction",) and entry.id not in put:
            asked = [_lost(answers, entry, one.sources)]
        elif set(one.allowed) <= set(OPEN):
            asked = _lost_gaps(answers, open_of(answers, one.sources, kind_of(entry)))
        else:
            asked = []
        found.update({_about(one): one for one in asked if _about(one) not in found})
    return list(_told_apart(found.values(), {item.key for item in answers.entries}))


def _lost(answers: Answers, entry: Decision, sources: tuple[str, ...]) -> Asked:
    sides = widest(sources)
    conflict = Conflict(sources=sides if len(sides) > 1 else sources, title=untagged(entry.title), note=entry.note)
    return "Contradiction", _contradiction(answers, conflict)


def _lost_gaps(answers: Answers, keys: Iterable[str]) -> list[Asked]:
    return [("Critical Gap", _gap(answers.items[key])) for key in widest(keys) if answers.gap(key) is None]


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
        key, title = next(name for name in map(_read, _names(kind, draft)) if name[0] not in taken)
        taken.add(key)
        yield kind, replace(draft, title=title)


def _names(kind: EntryKind, draft: Draft) -> Iterator[Asked]:
    _, title = _read((kind, draft))  # without what would be read as a mark of its own
    origins = ", ".join(draft.origins)
    title = title or origins
    yield kind, Draft(title=title)
    yield kind, Draft(title=f"{title} ({origins})")
    yield from ((kind, Draft(title=f"{title} ({origins}; {number})")) for number in count(2))


def _read(asked: Asked) -> tuple[str, str]:
    """Key and title as they will be read."""
    kind, draft = asked
    nothing = clarifications.parse("")
    (item,) = clarifications.parse(clarifications.with_entries(nothing, [(kind, Draft(title=draft.title))])).entries
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
