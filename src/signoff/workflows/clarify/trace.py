"""Where an id came from and what it led to: sources, research question, question, refinements, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.events import Answered, DocsChanged, Event
from signoff.core.refs import Look, Ref
from signoff.core.state import State
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks.answer_quality import meaning
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents.clarifications import Clarifications, Item
from signoff.workflows.clarify.documents.decisions import Decision, Decisions
from signoff.workflows.clarify.state import clarifications_of, decisions_of, own_of, research
from signoff.workflows.clarify.steps.person_choices import AUTOFILL
from signoff.workflows.clarify.steps.research import cited


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None:
    """The whole way of one id, or None when nothing has it."""
    doc, made = clarifications_of(state, look), decisions_of(state, look)
    if doc is None:
        return None
    wanted = what[:1].upper() + what[1:] if ids.is_id(what[:1].upper() + what[1:]) else what
    if made is not None and (entry := made.entry(wanted)):
        return _of_decision(entry, doc, state, look)
    if item := doc.item(wanted):
        return _of_item(item, doc, made, state, events, look)
    return _of_origin(wanted, doc, made, state, look)


# --- questions and refinements ----------------------------------------------------------------------------------------


def _of_item(
    item: Item, doc: Clarifications, made: Decisions | None, state: State, events: Sequence[Event], look: Look
) -> dict[str, Any]:  # fmt: skip
    own = own_of(state)
    return {
        "id": item.key,
        "text": item.title,
        "section": item.section,
        "must_answer": item.must or None,
        "question": item.body,
        "answer": item.answer,
        "means": said if (said := meaning(item.answer, item.choices)) != item.answer else "",
        "verdict": own.evaluation.of(item.key) if own.evaluation else None,
        "stale": own.stale.get(item.key, ""),
        "came_from": _came_from(item, doc, state, look),
        "led_to": _led_to(item, doc, made, state),
        "answers_over_time": _answers(item.key, state, events, look),
    }


def _came_from(item: Item, doc: Clarifications, state: State, look: Look) -> list[dict[str, Any]]:
    above = ids.parent(item.key)
    if above is not None:
        found = doc.item(above)
        return [] if found is None else [{**_brief(found), "came_from": _came_from(found, doc, state, look)}]
    return [_origin(name, doc, state, look) for name in item.origins]


def _origin(name: str, doc: Clarifications, state: State, look: Look) -> dict[str, Any]:
    """A research question with its sources; an entry that comes from questions names those instead."""
    if found := doc.item(name):
        return _brief(found)
    own = own_of(state)
    refs = [Ref(path, sha) for path, sha in sorted(state.docs.items()) if path.startswith(research(own.name))]
    quoted = {origin: places for ref in refs for origin, places in cited(look(ref, decode)).items()}.get(name, [])
    return {
        "id": name,
        "text": {**own.retired, **own.origins}.get(name, ""),
        "sources": [{"file": path, "span": f'"{quote}"'} for path, quote in quoted],
    }


def _brief(item: Item) -> dict[str, Any]:
    text = "" if item.key.endswith(item.title) else item.title  # the key of an entry has its title in it
    return {"id": item.key, "text": text, "answer": item.answer}


def _led_to(item: Item, doc: Clarifications, made: Decisions | None, state: State) -> list[dict[str, Any]]:
    """Refinements with what they led to, then the decisions and open entries that name this id."""
    below = [{**_brief(one), "led_to": _led_to(one, doc, made, state)} for one in doc.below(item.key)]
    entries = [_brief(one) for one in doc.entries if item.key in one.origins]
    stale = own_of(state).stale
    decided = [
        {
            "id": one.id,
            "text": one.title,
            "status": one.status,
            "decision": one.decision,
            "stale": stale.get(one.id, ""),
        }
        for one in (made.entries if made else ())
        if _uses(one, item)
    ]
    return [*below, *entries, *decided]


def _uses(entry: Decision, item: Item) -> bool:
    named = {"contradiction": "contradiction", "gap": "critical-gap"}.get(item.kind)
    if named:
        return set(item.origins) <= set(entry.sources) and bool(entry.settled or entry.status == named)
    return item.key in entry.sources


def _answers(key: str, state: State, events: Sequence[Event], look: Look) -> list[dict[str, Any]]:
    """How the answer changed, edit by edit; the bytes of every edit are kept.

    What autofill wrote is first seen in the edit after it, or in the file of now, and is told as the choice it was.
    """
    path = own_of(state).clarifications
    told: list[dict[str, Any]] = []
    last, filled = "", None
    for event in events:
        if isinstance(event, Answered) and event.act == AUTOFILL:
            filled = event
        sha = event.docs.get(path) if isinstance(event, DocsChanged) else None
        item = look(Ref(path, sha), cl.parse_doc).item(key) if sha else None
        if item is not None and item.answer != last:
            last = item.answer
            by_autofill = item.recommendation and item.answer.startswith(item.recommendation)
            told.append(_said(item, filled if filled and by_autofill else event))
    doc = clarifications_of(state, look)
    item = doc.item(key) if doc else None
    return [*told, _said(item, filled)] if item is not None and filled and item.answer != last else told


def _said(item: Item, event: Event) -> dict[str, Any]:
    how = {"how": event.act} if isinstance(event, Answered) else {}
    return {"at": event.at, "by": event.by, **how, "answer": item.answer or "(emptied)"}


# --- decisions and research questions ---------------------------------------------------------------------------------


def _of_decision(entry: Decision, doc: Clarifications, state: State, look: Look) -> dict[str, Any]:
    items = [item for key in entry.sources if (item := doc.item(key))]
    entries = [one for one in doc.entries if set(one.origins) <= set(entry.sources) and entry.settled]
    told = ("section", "status", "decision", "reasoning", "implication", "contradiction", "change", "note")
    return {
        "id": entry.id,
        "text": entry.title,
        **{name: getattr(entry, name) for name in told},
        "edited_by_hand": "yes, since it was decided" if entry.id in own_of(state).by_hand else "",
        "stale": own_of(state).stale.get(entry.id, ""),
        "came_from": [{**_brief(item), "came_from": _came_from(item, doc, state, look)} for item in (*items, *entries)],
    }


def _of_origin(
    name: str, doc: Clarifications, made: Decisions | None, state: State, look: Look
) -> dict[str, Any] | None:  # fmt: skip
    """A research question by its name, such as `Metrics Q1`."""
    known = {one.casefold(): one for one in (*own_of(state).retired, *own_of(state).origins)}
    if name.casefold() not in known:
        return None
    name = known[name.casefold()]
    asked = [item for item in doc.questions if name in item.origins]
    led = [{**_brief(item), "led_to": _led_to(item, doc, made, state)} for item in asked]
    return {**_origin(name, doc, state, look), "led_to": led}
