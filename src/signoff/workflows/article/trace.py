"""The trace of a material: the page that it came from, and the sentences that rest on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.errors import DocumentError
from signoff.core.events import Event, TurnReturned
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.article import places
from signoff.workflows.article.checks import text
from signoff.workflows.article.documents.config_schema import parse_doc
from signoff.workflows.article.documents.materials import Item, parse_items
from signoff.workflows.article.outputs import parse_materials
from signoff.workflows.article.state import own_of


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None:
    own = own_of(state)
    ref = state.ref(places.sources(own.topic))
    items = look(ref, parse_items) if ref else ()
    item = next((one for one in items if one.id == what.upper()), None)
    if item is None:
        return None
    page = own.pages.get(item.url)
    return {
        "id": item.id,
        "text": item.quote,
        "kind": item.round,
        "came_from": {"url": item.url, "page": page.path if page else None, "title": page.title if page else None},
        "found_by": _found_by(item, events, look),
        "used_in": _used(state, look, item.id),
        "became": _became(state, look, item.id),
    }


def _found_by(item: Item, events: Sequence[Event], look: Look) -> list[str]:
    """The turns that gave this quote."""
    found = []
    for event in events:
        if isinstance(event, TurnReturned) and event.turn.endswith("web-researcher"):
            try:
                given = look(event.output, parse_materials)
            except DocumentError:  # an output under another contract
                continue
            if any((one.url, one.quote) == (item.url, item.quote) for one in given.items):
                found.append(event.turn)
    return found


def _used(state: State, look: Look, name: str) -> list[str]:
    ref = state.ref(places.draft(own_of(state).topic))
    if ref is None:
        return []
    parts = text.read(look(ref, decode)).parts
    return [f"{part.place}: {one.text}" for part in parts for one in part.sentences if name in one.markers]


def _became(state: State, look: Look, name: str) -> str:
    ref = state.ref(places.config(own_of(state).topic))
    usage = look(ref, parse_doc).writing.materialUsage if ref else None
    skipped = {one.id: one.reason for one in usage.skipped} if usage else {}
    return f"skipped: {skipped[name]}" if name in skipped else ""
