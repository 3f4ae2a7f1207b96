"""Step 3: contradictions between clear answers, a draft by code, refinements of what is not clear."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from signoff.core.commands import StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.events import TurnReturned
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Clarifications, Draft, Item
from signoff.workflows.clarify.documents.decisions import folded
from signoff.workflows.clarify.outputs import AnalystOutput, Refinement, parse_analyst, parse_refiner
from signoff.workflows.clarify.state import Inquiry, clarifications_of, decisions_of, judged, own_of
from signoff.workflows.clarify.steps import draft_decisions
from signoff.workflows.clarify.steps.turns import gathered, on_output, stopped_by_scope, turn
from signoff.workflows.kit.table_steps import is_end_of_turn, noted


def enter_detail(now: Now) -> Move:
    """Clear answers are laid side by side; with fewer than two there is nothing to lay side by side."""
    own = judged(now.state, now.look)
    own = replace(own, returned={}, skipped={}, analysis=None)
    if stopped_by_scope(now, own):
        return Move(own, (), "scope")
    assert own.evaluation is not None  # narrows the type: there are questions
    if own.evaluation.answered_count < 2:
        return _drafted(now, own, ())
    given = {"evaluation": own.evaluation.plain(), "path": own.clarifications}
    task = (
        "Find answers that contradict each other. The evaluation says which answers are clear; do not judge it again."
    )
    return Move(own, (turn(now, "analysis", "detailed-research", task, given, [own.clarifications]),))


def _analysed(now: Now, own: Inquiry, output: AnalystOutput) -> Move:
    assert isinstance(now.event, TurnReturned)  # narrows the type: there is an output
    return _drafted(now, replace(own, analysis=now.event.output), conflicts(output))


on_detail = on_output(AnalystOutput, _analysed)


def conflicts(output: AnalystOutput) -> tuple[draft_decisions.Conflict, ...]:
    """What the analyst found."""
    return tuple(
        draft_decisions.Conflict(
            sources=tuple(dict.fromkeys(one.sources)), title=folded(one.title), note=folded(one.note),
            reconciliation=folded(one.reconciliation),
        )
        for one in output.contradictions
    )  # fmt: skip


def _drafted(now: Now, own: Inquiry, found: Sequence[draft_decisions.Conflict]) -> Move:
    """The draft is made by code: answers as they were given, gaps and contradictions flagged, nothing reasoned yet."""
    doc, before = clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    assert doc is not None and own.evaluation is not None  # noqa: PT018 - narrows: there are questions
    drafts = draft_decisions.drafted(doc, own.evaluation, found, before, own.given)
    own = own.giving(drafts)
    if before is None:
        front = {"status": "draft", "decision_count": len(drafts)}
        return Move(own, (Write(path=own.decisions, text=de.render(drafts, front)),), "done")
    text = de.with_front(de.spliced(before, drafts), {"decision_count": len(before.entries) + len(drafts)})
    return Move(own, (Write(path=own.decisions, text=text),) if drafts else (), "done")


# --- refinements: one agent per section that has something unclear ----------------------------------------------------


def unclear(doc: Clarifications, own: Inquiry, kind: str) -> dict[str, list[Item]]:
    """What needs refining, by section: questions at first, refinements in the second pass.

    An item that was refined before is not refined again.
    """
    found: dict[str, list[Item]] = {}
    for item in doc.questions if kind == "question" else doc.refinements:
        verdict = own.evaluation.of(item.key) if own.evaluation else None
        deepest = item.key[-1].isalpha()
        if verdict != "clear" and not deepest and not doc.below(item.key):
            found.setdefault(item.section, []).append(item)
    return found


def refining(kind: Literal["question", "refinement"]) -> tuple[Callable[[Now], Move], Callable[[Now], Move]]:
    """`enter` and `on` of the step that refines questions, or that refines refinements once more."""

    def enter(now: Now) -> Move:
        own, doc = judged(now.state, now.look), clarifications_of(now.state, now.look)
        assert doc is not None  # narrows the type: there are questions
        wanted = unclear(doc, own, kind)
        holds = {name: ref for name, ref in own.returned.items() if own.basis[name] == basis(doc, wanted.get(name, ()))}
        own = replace(own, returned=holds, skipped={})
        left = {section: items for section, items in wanted.items() if section not in holds}
        if not left:
            return _refined(now, own, doc, kind)
        return Move(own, tuple(_refining_turn(now, own, section, items) for section, items in left.items()))

    def on(now: Now) -> Move:
        if not is_end_of_turn(now) or now.turn is None:
            return Move(own_of(now.state))
        section, doc = now.turn.start.key, clarifications_of(now.state, now.look)
        assert doc is not None  # narrows the type: there are questions
        own = gathered(now, section)
        wanted = unclear(doc, own, kind)
        own = replace(own, basis={**own.basis, section: basis(doc, wanted.get(section, ()))})
        if any(name not in {**own.returned, **own.skipped} for name in wanted):
            return Move(own)
        return _refined(now, own, doc, kind)

    return enter, on


def basis(doc: Clarifications, items: Sequence[Item]) -> str:
    """What refinements of a section were made from: when that is edited, they are asked for again."""
    return digest("\0".join(doc.text[slice(*item.span)] for item in items))


def _refining_turn(now: Now, own: Inquiry, section: str, items: Sequence[Item]) -> StartTurn:
    assert own.evaluation is not None  # narrows the type: the answers were judged
    asked = [{"id": item.key, "verdict": own.evaluation.of(item.key)} for item in items]
    given = {
        "section": section,
        "items": asked,
        "evaluation": own.evaluation.plain(),
        "path": own.clarifications,
    }
    task = f"Ask what would make these clear, one to three refinements each: {', '.join(item.key for item in items)}."
    return turn(now, section, "section-refiner", task, given, [own.clarifications])


def _refined(now: Now, own: Inquiry, doc: Clarifications, kind: str) -> Move:
    """Consolidation is done once, in one write: ids given, duplicates across sections left out."""
    sections = unclear(doc, own, kind)
    outputs = [now.look(own.returned[name], parse_refiner) for name in sections if name in own.returned]
    kept, twice = _each_once([one for output in outputs for one in output.refinements], doc)
    own = own.warned(*twice)
    text = cl.with_refinements(doc, _numbered(doc, own, kept))
    if kind == "question" and own.evaluation is not None:
        found = conflicts(now.look(own.analysis, parse_analyst)) if own.analysis else ()
        text = cl.with_entries(cl.parse(text, doc.file), draft_decisions.entries_for(doc, own.evaluation, found))
    made = cl.parse(cl.with_front(text, cl.counts(cl.parse(text, doc.file))), doc.file)
    own = replace(own, returned={}, deepened=own.deepened or kind == "refinement").showing(made)
    write = (Write(path=own.clarifications, text=made.text),) if made.text != doc.text else ()
    return Move(own, write, "done")


def _each_once(
    refinements: Sequence[Refinement], doc: Clarifications
) -> tuple[dict[str, list[Refinement]], list[Any]]:  # fmt: skip
    """Refinements by parent, without what was asked already: here or in another section.

    The same words with the same choices are the same question; anything less may be another one and is asked.
    """
    asked = {_same(item.title, [choice.text for choice in item.choices if not choice.other]): item.key
             for item in doc.refinements}  # fmt: skip
    kept: dict[str, list[Refinement]] = {}
    twice = []
    for one in refinements:
        words = _same(one.title, one.choices)
        if words in asked:
            problem = f"a refinement of {one.parent}, {one.title!r}, was asked at {asked[words]} already"
            twice.append(noted("clarify.duplicate", problem, "nothing to do: it is asked once", one.parent))
            continue
        asked[words] = one.parent
        kept.setdefault(one.parent, []).append(one)
    return kept, twice


def _same(title: str, choices: Sequence[str]) -> tuple[str, frozenset[str]]:
    return folded(title).casefold(), frozenset(folded(choice).casefold() for choice in choices)


def _numbered(
    doc: Clarifications, own: Inquiry, kept: Mapping[str, Sequence[Refinement]]
) -> dict[str, list[tuple[str, Draft]]]:  # fmt: skip
    """The refinements with the next ids that no person has seen: what was taken out of the file keeps its id too."""
    numbered: dict[str, list[tuple[str, Draft]]] = {}
    for parent, ones in kept.items():
        gone = sum(ids.parent(key) == parent and doc.item(key) is None for key in own.shown)
        free = [key for key in cl.next_ids(doc, parent, len(ones) + gone) if key not in own.shown]
        drafts = [
            Draft(
                title=folded(one.title), body=one.why.strip(), choices=tuple(map(folded, one.choices)),
                recommendation=folded(one.recommendation),
            )
            for one in ones
        ]  # fmt: skip
        numbered[parent] = list(zip(free, drafts, strict=False))
    return numbered
