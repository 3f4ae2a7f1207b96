"""The stages in which agents work: research, consolidation, detailed research, refinements, decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from signoff.core.commands import StartTurn, TurnLimits, Write
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.refs import digest
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.clarify import clarifications as cl
from signoff.workflows.clarify import decisions as de
from signoff.workflows.clarify import ids, merge, notes
from signoff.workflows.clarify.authority import consolidated, every_entry, folded, wanted_of
from signoff.workflows.clarify.clarifications import Clarifications, Draft, Item
from signoff.workflows.clarify.config import Dimension, config_of
from signoff.workflows.clarify.inquiry import (
    SOURCES,
    Inquiry,
    clarifications,
    clarifications_of,
    decisions,
    decisions_of,
    judged,
    noted,
    own_of,
    research,
)
from signoff.workflows.clarify.outputs import (
    AnalystOutput,
    ConfirmOutput,
    ConsolidatorOutput,
    Refinement,
    parse_analyst,
    parse_refiner,
    parse_researcher,
)

TWICE = TurnLimits(invalid=2, crashed=2)
"""An agent that fails is asked once more; then it is reported, and skipped where the others can go on without it."""


# --- turns ------------------------------------------------------------------------------------------------------------


def _turn(
    now: Now, key: str, agent: str, task: str, notes: Mapping[str, Any], reads: Sequence[str]
) -> StartTurn:  # fmt: skip
    there = tuple(path for path in reads if path in now.state.docs)
    return StartTurn(key=key, agent=agent, contract=agent, task=task, reads=there, notes=notes, limits=TWICE)


def _ended(now: Now) -> str | None:
    """Why a turn came to nothing, once it will not be tried again."""
    return "; ".join(str(finding) for finding in now.refused) if now.refused else None


def _gathered(now: Now, key: str) -> Inquiry:
    """One more of a fan-out is in: an output, or a failure that is reported and skipped."""
    own = own_of(now.state)
    if why := _ended(now):
        agent = now.turn.start.agent if now.turn else "an agent"
        problem = f"{agent} gave nothing usable for {key} and was skipped: {why}"
        own = own.warned(noted("clarify.skipped", problem, "look at its turn, or answer without it", key))
        return replace(own, skipped={**own.skipped, key: why})
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn without refusal has an output
    return replace(own, returned={**own.returned, key: now.event.output})


def _is_end_of_turn(now: Now) -> bool:
    return isinstance(now.event, (TurnReturned, TurnFailed)) and now.turn is not None


def _blocked(now: Now, agent: str) -> Move | None:
    why = _ended(now)
    if why is None:
        return None
    return Move(replace(own_of(now.state), blockers=(f"{agent}: {why}",)), (), "blocked")


# --- step 1: research, one agent per dimension ------------------------------------------------------------------------


def enter_research(now: Now) -> Move:
    own, config = own_of(now.state), config_of(now.state, now.look)
    sources = sorted(path for path in now.state.docs if path.startswith(SOURCES))
    waiting = [one for one in config.dimensions if one.name not in own.returned]
    own = replace(own, skipped={})
    if not waiting:  # a dimension was taken out of the config, and it was the last one that was out
        return _researched(now, own)
    return Move(own, tuple(_research_turn(now, own, dimension, sources) for dimension in waiting))


def _research_turn(now: Now, own: Inquiry, dimension: Dimension, sources: Sequence[str]) -> StartTurn:
    task = f"Find what the material leaves open about {own.topic}, as far as it is a matter of {dimension.shown}."
    given = {
        "name": own.name,
        "topic": own.topic,
        "dimension": dimension.plain(),
        "dimensions": [one.plain() for one in config_of(now.state, now.look).dimensions],
        "scope": own.scope or None,
    }
    return _turn(now, dimension.name, "dimension-researcher", task, given, sources)


def on_research(now: Now) -> Move:
    if not _is_end_of_turn(now) or now.turn is None:
        return Move(own_of(now.state))
    own = _gathered(now, now.turn.start.key)
    dimensions = config_of(now.state, now.look).dimensions
    if any(one.name not in {**own.returned, **own.skipped} for one in dimensions):
        return Move(own)
    return _researched(now, own)


def _researched(now: Now, own: Inquiry) -> Move:
    """Every dimension is in: its notes are written, and its questions are known by name from now on."""
    dimensions = config_of(now.state, now.look).dimensions
    found = {one: now.look(own.returned[one.name], parse_researcher) for one in dimensions if one.name in own.returned}
    first = {one: 1 + sum(name.startswith(f"{one.shown} Q") for name in own.retired) for one in found}
    origins = {name: title for one in found for name, title in notes.origins(one, found[one], first[one]).items()}
    own = replace(own, origins=origins, returned={})
    if not origins:
        return Move(replace(own, blockers=(_nothing(own, found),)), (), "blocked")
    texts = {research(own.name, one.name, own.passes): notes.render(one, found[one], first[one]) for one in found}
    return Move(own, tuple(Write(path=path, text=text) for path, text in texts.items()), "done")


def _nothing(own: Inquiry, found: Mapping[Dimension, Any]) -> str:
    if not found:
        return "no researcher gave anything usable; the notes below say why"
    return (
        f"the researchers found no open question about {own.topic!r} in {SOURCES}: say more in the brief, then resume"
    )


def enter_consolidate(now: Now) -> Move:
    own = own_of(now.state)
    asked = [int(key[1:]) for key in own.shown if key.startswith("Q")]
    given = {
        "name": own.name,
        "topic": own.topic,
        "origins": list(own.origins),
        "keep": {key: title for key, title in own.shown.items() if key.startswith("Q")},
        "next": max(asked, default=0) + 1,
        "path": clarifications(own.name),
        "most": config_of(now.state, now.look).most_questions,
        "skipped": sorted(own.skipped),
    }
    task = "Merge the research notes into one file of numbered questions, each asked once, none lost."
    dimensions = config_of(now.state, now.look).dimensions
    reads = [research(own.name, one.name, own.passes) for one in dimensions]
    turn = _turn(now, "consolidate", "consolidate-research", task, given, [*reads, clarifications(own.name)])
    return Move(own, (turn,))


def on_consolidate(now: Now) -> Move:
    if not _is_end_of_turn(now):
        return Move(own_of(now.state))
    if blocked := _blocked(now, "consolidate-research"):
        return blocked
    own, output = own_of(now.state), now.output
    assert isinstance(output, ConsolidatorOutput)  # narrows the type: the contract read it
    before = clarifications_of(now.state, now.look)
    made = consolidated(own, output, before)
    doc = cl.parse(made.text, clarifications(own.name))
    own = own.warned(*(replace(finding, severity="warning") for finding in (*made.fixed, *made.left)))
    own = own.warned(*_withdrawn(before, doc)).showing(doc)
    own = replace(own, scope_reason=output.scope_reason, scope_settled=False)
    return Move(own, (Write(path=clarifications(own.name), text=made.text),), "done")


def _withdrawn(before: Clarifications | None, doc: Clarifications) -> list[Any]:
    gone = [item for item in before.questions if doc.item(item.key) is None] if before else []
    return [
        noted("clarify.withdrawn", f"{item.key} ({item.title}) is asked no more", "its id stays its own", item.key)
        for item in gone
    ]


def stopped_by_scope(now: Now, own: Inquiry) -> bool:
    """Whether the file recommends a narrower scope and nobody has decided about that yet (CL-11)."""
    doc = clarifications_of(now.state, now.look)
    return doc is not None and doc.front.get("scope_recommendation") is True and not own.scope_settled


# --- step 3: detailed research ----------------------------------------------------------------------------------------


def enter_detail(now: Now) -> Move:
    """Clear answers are laid side by side; with fewer than two there is nothing to lay side by side."""
    own = judged(now.state, now.look)
    own = replace(own, returned={}, skipped={}, analysis=None)
    if stopped_by_scope(now, own):
        return Move(own, (), "scope")
    assert own.evaluation is not None  # narrows the type: there are questions
    if own.evaluation.answered_count < 2:
        return _drafted(now, own, ())
    given = {"evaluation": own.evaluation.plain(), "path": clarifications(own.name)}
    task = (
        "Find answers that contradict each other. The evaluation says which answers are clear; do not judge it again."
    )
    return Move(own, (_turn(now, "analysis", "detailed-research", task, given, [clarifications(own.name)]),))


def on_detail(now: Now) -> Move:
    if not _is_end_of_turn(now):
        return Move(own_of(now.state))
    if blocked := _blocked(now, "detailed-research"):
        return blocked
    assert isinstance(now.output, AnalystOutput) and isinstance(now.event, TurnReturned)  # noqa: PT018 - narrows
    own = own_of(now.state)
    return _drafted(now, replace(own, analysis=now.event.output), conflicts(now.output))


def conflicts(output: AnalystOutput) -> tuple[merge.Conflict, ...]:
    """What the analyst found, each once."""
    found = [
        merge.Conflict(
            sources=tuple(dict.fromkeys(one.sources)), title=folded(one.title), note=folded(one.note),
            reconciliation=folded(one.reconciliation),
        )
        for one in output.contradictions
    ]  # fmt: skip
    return tuple({frozenset(one.sources): one for one in reversed(found)}.values())[::-1]


def _drafted(now: Now, own: Inquiry, found: Sequence[merge.Conflict]) -> Move:
    """The draft is made by code: answers as they were given, gaps and contradictions flagged, nothing reasoned yet."""
    doc, before = clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    assert doc is not None and own.evaluation is not None  # noqa: PT018 - narrows: there are questions
    drafts = merge.drafted(doc, own.evaluation, found, before)
    if before is None:
        front = {"status": "draft", "decision_count": len(drafts)}
        return Move(own, (Write(path=decisions(own.name), text=de.render(drafts, front)),), "done")
    text = de.with_front(de.spliced(before, drafts), {"decision_count": len(before.entries) + len(drafts)})
    return Move(own, (Write(path=decisions(own.name), text=text),) if drafts else (), "done")


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


def enter_refining(kind: str) -> Callable[[Now], Move]:
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

    return enter


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
        "path": clarifications(own.name),
    }
    task = f"Ask what would make these clear, one to three refinements each: {', '.join(item.key for item in items)}."
    return _turn(now, section, "section-refiner", task, given, [clarifications(own.name)])


def on_refining(kind: str) -> Callable[[Now], Move]:
    def on(now: Now) -> Move:
        if not _is_end_of_turn(now) or now.turn is None:
            return Move(own_of(now.state))
        section, doc = now.turn.start.key, clarifications_of(now.state, now.look)
        assert doc is not None  # narrows the type: there are questions
        own = _gathered(now, section)
        wanted = unclear(doc, own, kind)
        own = replace(own, basis={**own.basis, section: basis(doc, wanted.get(section, ()))})
        if any(name not in {**own.returned, **own.skipped} for name in wanted):
            return Move(own)
        return _refined(now, own, doc, kind)

    return on


def _refined(now: Now, own: Inquiry, doc: Clarifications, kind: str) -> Move:
    """Consolidation is done once, in one write: ids given, duplicates across sections left out."""
    sections = unclear(doc, own, kind)
    outputs = [now.look(own.returned[name], parse_refiner) for name in sections if name in own.returned]
    kept, twice = _each_once([one for output in outputs for one in output.refinements], doc)
    own = own.warned(*twice)
    text = cl.with_refinements(doc, _numbered(doc, own, kept))
    if kind == "question" and own.evaluation is not None:
        found = conflicts(now.look(own.analysis, parse_analyst)) if own.analysis else ()
        text = cl.with_entries(cl.parse(text, doc.file), merge.entries_for(doc, own.evaluation, found))
    made = cl.parse(cl.with_front(text, cl.counts(cl.parse(text, doc.file))), doc.file)
    own = replace(own, returned={}, deepened=own.deepened or kind == "refinement").showing(made)
    write = (Write(path=clarifications(own.name), text=made.text),) if made.text != doc.text else ()
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
    return {
        parent: list(zip(_unused(doc, own, parent, len(ones)), map(_draft, ones), strict=True))
        for parent, ones in kept.items()
    }


def _unused(doc: Clarifications, own: Inquiry, parent: str, count: int) -> list[str]:
    """The next ids that nobody has seen: also what a person took out of the file keeps its id."""
    seen = sum(ids.parent(key) == parent and doc.item(key) is None for key in own.shown)
    return [key for key in cl.next_ids(doc, parent, count + seen) if key not in own.shown][:count]


def _draft(one: Refinement) -> Draft:
    return Draft(
        title=folded(one.title), body=one.why.strip(), choices=tuple(map(folded, one.choices)),
        recommendation=folded(one.recommendation),
    )  # fmt: skip


# --- step 5: decisions ------------------------------------------------------------------------------------------------


def enter_confirm(now: Now) -> Move:
    """The agent is asked for what has to be decided, or decided again; everything else stays byte for byte."""
    own = judged(now.state, now.look)
    if stopped_by_scope(now, own):
        return Move(own, (), "scope")
    now = replace(now, state=replace(now.state, own=own))
    entries, wanted = every_entry(now), pending(now)
    if not entries:
        warning = noted("clarify.undecided", "there is no answer to decide anything from", "answer some questions")
        return Move(own.warned(warning), (), "nothing")
    if not wanted:
        return Move(replace(own, stale={}), _counted(now, own), _outcome(now, own))
    given = {
        "entries": [one.plain() for one in wanted],
        "round": own.round + 1,
        "path": clarifications(own.name),
        "decisions": decisions(own.name),
        "evaluation": own.evaluation.plain() if own.evaluation else None,
        "only": len(wanted) < len(entries),
    }
    task = f"Decide {', '.join(one.id for one in wanted)}: weigh each draft against the answers, none passes unchanged."
    reads = [clarifications(own.name), decisions(own.name)]
    return Move(own, (_turn(now, "confirm", "confirm-decisions", task, given, reads),))


def _counted(now: Now, own: Inquiry) -> tuple[Write, ...]:
    """Where nothing has to be decided, what a person wrote stays; only the counts are made right."""
    made = decisions_of(now.state, now.look)
    text = de.with_front(made.text, merge.final(made.entries, own.round)) if made else ""
    return (Write(path=decisions(own.name), text=text),) if made else ()


def pending(now: Now) -> tuple[merge.Expected, ...]:
    """What is not decided yet, or decided on other answers than the ones that are there now."""
    own, doc, before = own_of(now.state), clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    entries = every_entry(now)
    if own.round == 0 or before is None or doc is None or own.evaluation is None:
        return entries
    old = merge.stale(before, doc, own.evaluation).decisions
    return tuple(one for one in entries if one.was in (None, "draft") or one.was not in one.allowed or one.id in old)


def on_confirm(now: Now) -> Move:
    if not _is_end_of_turn(now):
        return Move(own_of(now.state))
    if blocked := _blocked(now, "confirm-decisions"):
        return blocked
    assert isinstance(now.output, ConfirmOutput)  # narrows the type: the contract read it
    own, before = own_of(now.state), decisions_of(now.state, now.look)
    output = de.parse(now.output.decisions, decisions(own.name))
    entries, corrected = merge.settled(output, wanted_of(now))
    text = de.render(entries, {}) if before is None else de.spliced(before, entries)
    made = de.parse(text, decisions(own.name))
    text = de.with_front(text, merge.final(made.entries, own.round + 1))
    own = own.warned(*corrected, *merge.front_findings(output, entries, own.round + 1))
    decided = frozenset(one.id for one in entries)
    own = replace(own, round=own.round + 1, stale={}, edited_since=(), by_hand=own.by_hand - decided)
    write = Write(path=decisions(own.name), text=text)
    return Move(own, (write,), _open_or_done(own, now, de.parse(text, decisions(own.name))))


def _outcome(now: Now, own: Inquiry) -> str:
    return _open_or_done(own, now, decisions_of(now.state, now.look))


def _open_or_done(own: Inquiry, now: Now, made: de.Decisions | None) -> str:
    doc = clarifications_of(now.state, now.look)
    if made is None or doc is None or own.evaluation is None:
        return "open"
    return "open" if merge.unsettled(made, doc, own.evaluation) else "done"
