"""Step 3 without opinion: draft entries from clear answers, and what has to be put to the person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.clarifications import OTHER, Clarifications, Draft, Item
from signoff.workflows.clarify.decisions import Decision, Decisions, folded
from signoff.workflows.clarify.evaluation import Evaluation
from signoff.workflows.clarify.expectation import (
    CONTRADICTION,
    CROSS_CUTTING,
    GAP,
    HOLDS,
    Answers,
    decided,
    kind_of,
    next_number,
    quoted,
    tagged,
    title_of,
)

EntryKind = Literal["Contradiction", "Critical Gap"]
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
    doc: Clarifications, evaluation: Evaluation, conflicts: Sequence[Conflict], before: Decisions | None = None
) -> tuple[Decision, ...]:
    """Draft entries for what has none yet: clear questions, then critical gaps, then contradictions."""
    answers, taken, number = Answers(doc, evaluation), decided(before), next_number(before)
    clear = (item for item in answers.questions if answers.is_clear(item.key))
    entries = [
        *(_from_answer(answers, item) for item in clear if item.key not in taken),
        *(_from_gap(answers, item) for item in _gaps(answers) if item.key not in taken),
        *(_from_conflict(answers, one) for one in _each_once(conflicts) if not _is_there(one, before)),
    ]
    return tuple(replace(entry, id=f"D{number + at}") for at, entry in enumerate(entries))


def _from_answer(answers: Answers, item: Item) -> Decision:
    return _entry(answers, title_of(item), (item.key,), item.section, "draft")


def _from_gap(answers: Answers, item: Item) -> Decision:
    so_far = f"{quoted(answers.said(item.key))} says nothing" if answers.is_put_off(item.key) else "it has no answer"
    note = f"{item.key} must be answered before anything can be decided on it, and {so_far} yet."
    return _entry(answers, tagged(GAP, title_of(item)), (item.key,), item.section, "critical-gap", note)


def _from_conflict(answers: Answers, one: Conflict) -> Decision:
    way_out = f" Possible reconciliation: {one.reconciliation}" if one.reconciliation.strip() else ""
    title = tagged(CONTRADICTION, one.title or " vs. ".join(one.sources))
    return _entry(answers, title, one.sources, CROSS_CUTTING, "contradiction", one.note + way_out)


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


def entries_for(
    doc: Clarifications, evaluation: Evaluation, conflicts: Sequence[Conflict]
) -> list[tuple[EntryKind, Draft]]:
    """The same gaps and contradictions as the person gets to see them, without those that the file has already."""
    answers = Answers(doc, evaluation)
    found: list[tuple[EntryKind, Draft]] = [
        *(("Critical Gap", _gap(item)) for item in _gaps(answers)),
        *(("Contradiction", _contradiction(answers, one)) for one in _each_once(conflicts)),
    ]
    there = {(_KINDS[item.kind], frozenset(item.origins)) for item in answers.entries}
    new = [(kind, draft) for kind, draft in found if (kind, frozenset(draft.origins)) not in there]
    return list(_told_apart(new, {item.key for item in answers.entries}))


def _told_apart(
    entries: Sequence[tuple[EntryKind, Draft]], taken: set[str]
) -> Iterator[tuple[EntryKind, Draft]]:  # fmt: skip
    """Kind and title are the name of an entry: where they would be given twice, the ids it comes from are added."""
    for kind, draft in entries:
        twice = f"{kind}: {draft.title}" in taken
        title = f"{draft.title} ({', '.join(draft.origins)})" if twice else draft.title
        taken.add(f"{kind}: {title}")
        yield kind, replace(draft, title=title)


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
