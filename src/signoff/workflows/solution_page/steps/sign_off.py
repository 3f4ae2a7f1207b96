"""What people settle, and how a page ends: approvals, release, completion, escalation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from signoff import APPROVE, RESUME, Answered, Ask, Checked, Finding, Finish, Move, Now, UsageError, Write, replace
from signoff.artifacts import markdown
from signoff.workflows.solution_page.config import config_of
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.gate_plan import checks_for, gate_findings
from signoff.workflows.solution_page.gates import parse_text
from signoff.workflows.solution_page.state import PLANNING, Approval, PageState, draft, rejection, release
from signoff.workflows.solution_page.steps.authority import registry_of
from signoff.workflows.solution_page.steps.drafting import gone_drafts, noted_findings, revision
from signoff.workflows.solution_page.steps.edits import AGAIN

REJECT = "reject"


# --- approvals --------------------------------------------------------------------------------------------------------


def enter_approval(gate: str) -> Callable[[Now[PageState]], Move]:
    def enter(now: Now[PageState]) -> Move:
        own = now.own
        wanted = config_of(now.state, now.look).human_gates
        if not (wanted.strategy_approval if gate == "strategy" else wanted.final_approval):
            return Move(_answer_gate(own, gate, "skipped"), (), "approved")
        own = _answer_gate(own, gate, "false")
        of = {path: now.state.docs[path] for path in approved_paths(own, gate) if path in now.state.docs}
        question = f"Approve the {gate} of {own.slug}?"
        notes = _to_weigh(now, own)
        ask = Ask(key=gate, kind="approval", options=(APPROVE, REJECT), question=question, of=of, notes=notes)
        return Move(own, (ask,))

    return enter


def _to_weigh(now: Now[PageState], own: PageState) -> dict[str, Any]:
    """What a person should know before they say yes, from the registry as it is."""
    claims = [claim for claim in registry_of(now.state, now.look).claims.values() if claim.usable]
    high = [claim for claim in claims if claim.risk_level == "high"]
    bare = [claim for claim in claims if not claim.evidence]
    return {
        "claims": len(claims),
        "high": [f"{claim.id} ({claim.status}): {claim.text}" for claim in high],
        "bare": [f"{claim.id}: {claim.text}" for claim in bare],
        "rounds": dict(own.counts),
        "rejections": list(own.rejections),
        **({"overruled": [str(one) for one in now.state.in_force]} if now.state.in_force else {}),
    }


def approved_paths(own: PageState, gate: str) -> tuple[str, ...]:
    """What a person signs off at each gate."""
    if gate == "strategy":
        return (*PLANNING, reg.PATH)
    return (draft(own.slug, "en"), draft(own.slug, "cn"), reg.PATH)


def on_approval(gate: str) -> Callable[[Now[PageState]], Move]:
    def on(now: Now[PageState]) -> Move:
        own = now.own
        if not isinstance(now.event, Answered):
            return Move(own)
        event = now.event
        if event.act == APPROVE:
            digests = {path: now.state.docs[path] for path in approved_paths(own, gate) if path in now.state.docs}
            yes = Approval(gate=gate, by=event.by, at=event.at, digests=digests)
            own = _answer_gate(replace(own, approvals=(*own.approvals, yes)), gate, "true")
            return Move(own, (), "approved")
        reason = str(event.payload.get("reason", ""))
        own = replace(own, rejections=(*own.rejections, f"{gate}, {event.by}: {reason}"))
        if gate == "strategy":
            return Move(replace(own, rejected=reason), (), "rejected")
        lang = str(event.payload.get("lang") or "en")
        if lang not in own.counts:
            raise UsageError(f"there is no draft in {lang!r}", valid=", ".join(own.counts), repair="name one of them")
        own = _answer_gate(replace(own, required=(rejection(reason),), fixes=()), gate, "false")
        own = replace(own, blockers=(f"rejected by {event.by}: {reason}",))
        return Move(own.noting(event.by, f"rejected: {reason}", f"back to draft_{lang}"), (), f"rejected_{lang}")

    return on


def _answer_gate(own: PageState, gate: str, answer: Any) -> PageState:
    return replace(own, strategy_approved=answer) if gate == "strategy" else replace(own, final_approved=answer)


# --- release, completion, escalation ----------------------------------------------------------------------------------


def enter_release(now: Now[PageState]) -> Move:
    """Nothing is released that the gates have not passed as it is now, both languages together."""
    own = replace(now.own, results={}, review=None)
    if gone := gone_drafts(now, own, "en", "cn"):
        lang = "cn" if gone[0].file == draft(own.slug, "cn") else "en"
        return Move(_not_released(own, gone, lang), (), f"failed_{lang}")
    return Move(own, checks_for(now, "en", "cn"))


def on_release(now: Now[PageState]) -> Move:
    own = now.own
    if not isinstance(now.event, Checked):
        return Move(own)
    own = noted_findings(now, own)
    if now.state.checks:
        return Move(own)
    for lang in ("en", "cn"):
        if found := gate_findings(own, lang):
            return Move(_not_released(own, found, lang), (), f"failed_{lang}")
    writes = tuple(_release(now, own, lang) for lang in ("en", "cn"))
    return Move(replace(own, blockers=(), required=(), stale=""), writes, "released")


def _not_released(own: PageState, found: tuple[Finding, ...], lang: str) -> PageState:
    own = revision(own, (), found, f"the {lang} page does not pass at release")
    return replace(own, final_approved="false")


def _release(now: Now[PageState], own: PageState, lang: str) -> Write:
    ref = now.state.ref(draft(own.slug, lang))
    assert ref is not None  # narrows the type: the gates just ran on it
    return Write(path=release(own.slug, lang), text=markdown.strip_claims(now.look(ref, parse_text)))


def enter_complete(now: Now[PageState]) -> Move:
    return Move(now.own, (Finish(reason="complete"),))


def on_complete(now: Now[PageState]) -> Move:
    """A person who edited after completion asks for the rest to be done again."""
    own = now.own
    step = now.begins_at(own.stale or "review_en")
    counts = {"en": own.counts["en"] if step.endswith("_cn") else 0, "cn": 0}
    return Move(replace(own, stale="", edited_since=(), counts=counts, warnings=()), (), f"again_{step}")


def enter_escalated(now: Now[PageState]) -> Move:
    own = now.own
    question = f"{own.slug} needs a decision ({own.escalation_reason}); _workflow/escalation-report.md says which"
    notes = {"from": list(AGAIN[:-1]), "default": own.resume_to}
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
    return Move(own, (ask, Finish(reason="escalated")))


def on_escalated(now: Now[PageState]) -> Move:
    """Resumed by a person: a fresh allowance for that language, the history stays."""
    own = now.own
    if not isinstance(now.event, Answered):
        return Move(own)
    step = now.begins_at(own.resume_to)
    lang = "cn" if step.endswith("_cn") else "en"
    own = replace(own, counts={**own.counts, lang: 0}, blockers=(), escalation_reason=None)
    own = replace(own, required=(), fixes=(), rejected="")  # what was asked for in vain is not asked for again
    return Move(replace(own.noting(now.event.by, "resumed", f"from {step}"), edited_since=()), (), f"to_{step}")
