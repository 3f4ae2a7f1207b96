"""Where a claim came from and what depends on it: turn, evidence, verdicts, drafts, approvals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff import DocumentError, Event, Look, State, TurnReturned
from signoff.evidence.sources import locators
from signoff.workflows.solution_page import outputs
from signoff.workflows.solution_page.documents.claims_registry import Claim
from signoff.workflows.solution_page.gates import parse_page
from signoff.workflows.solution_page.state import PageState, draft, own_of, release
from signoff.workflows.solution_page.steps.authority import registry_of


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None:
    """The whole way of one claim, or None when there is no such claim."""
    claim = registry_of(state, look).claims.get(what)
    if claim is None:
        return None
    own = own_of(state)
    return {
        "id": claim.id,
        "text": claim.text,
        "text_cn": claim.text_cn,
        "status": claim.status,
        "risk_level": claim.risk_level,
        "category": claim.category,
        "evidence": [_place(locator, state) for locator in claim.evidence],
        "verified": own.verified.get(what),
        "history": [entry for event in _last_outputs(events) for entry in _mentions(what, event, look)],
        "used_in": _uses(claim, own, state, look),
        "approved_in": [{"gate": yes.gate, "by": yes.by, "at": yes.at} for yes in own.approvals],
    }


def _place(locator: locators.Locator, state: State) -> dict[str, Any]:
    path = getattr(locator, "path", None)
    return {
        **locators.render(locator),
        "described": locators.describe(locator),
        "sha256": state.docs.get(path) if path else None,
    }


def _last_outputs(events: Sequence[Event]) -> list[TurnReturned]:
    """The outputs that turns ended with: an attempt that was followed by another had been refused."""
    return list({event.turn: event for event in events if isinstance(event, TurnReturned)}.values())


def _mentions(what: str, event: TurnReturned, look: Look) -> list[dict[str, Any]]:
    """What a turn said of the claim."""
    agent = event.turn.split("-", 1)[1]
    try:
        output: Any = look(event.output, outputs.PARSE[agent])
    except DocumentError:
        return []
    base = {"turn": event.turn, "at": event.at, "agent": agent}
    claims = output.claims if isinstance(output.claims, list) else []
    told = [{**base, "act": f"gave it as {claim.status}"} for claim in claims if claim.id == what]
    verdicts = getattr(output, "verdicts", [])
    told += [{**base, "act": f"judged it {v.verdict}", "reason": v.reason} for v in verdicts if v.claim_id == what]
    return told


def _uses(claim: Claim, own: PageState, state: State, look: Look) -> list[dict[str, Any]]:
    found = []
    for lang in ("en", "cn"):
        ref = state.ref(draft(own.slug, lang))
        if ref is None:
            continue
        page = look(ref, parse_page)
        used = [{"file": ref.path, "line": m.line, "span": m.span} for m in page.markers if m.claim_id == claim.id]
        if used and state.ref(release(own.slug, lang)):
            used.append({"file": release(own.slug, lang), "line": None, "span": "released, markers stripped"})
        found += used
    return found
