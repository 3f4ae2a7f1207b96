"""The stages of a page: what each asks for when it is entered, and what it makes of what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from signoff.artifacts import fixes, markdown
from signoff.core.commands import Ask, Finish, StartTurn, Write
from signoff.core.decide import APPROVE, RESUME
from signoff.core.errors import UsageError
from signoff.core.events import Answered, Checked, TurnFailed, TurnReturned
from signoff.core.findings import Finding
from signoff.core.table import Move, Stage
from signoff.core.workflow import Now
from signoff.workflows.solution_page import registry as reg
from signoff.workflows.solution_page.authority import binding, judged, registry_of, registry_write, stored
from signoff.workflows.solution_page.checks import (
    checks_for,
    evidence_report,
    gate_findings,
    plain,
    reports,
    sound_claims,
    template_of,
)
from signoff.workflows.solution_page.config import config_of
from signoff.workflows.solution_page.gates import parse_text
from signoff.workflows.solution_page.outputs import CopywriterOutput, EditorOutput, StrategistOutput
from signoff.workflows.solution_page.page import (
    PLANNING,
    SOURCES,
    Approval,
    PageState,
    Review,
    draft,
    own_of,
    rejection,
    release,
)
from signoff.workflows.solution_page.registry import Claim, Registry

REJECT = "reject"
BLOCKER = "editor.blocker"


# --- strategy ---------------------------------------------------------------------------------------------------------


def enter_strategy(now: Now) -> Move:
    own = own_of(now.state)
    config = config_of(now.state, now.look)
    task = (
        "Build the strategy of this page: message house, content brief, claims with located evidence, ten reserved ids."
    )
    notes = {
        "slug": own.slug,
        "code": own.code,
        "page_type": config.page_type,
        "template": template_of(now).model_dump(mode="json", by_alias=True),
        "pool": reg.POOL,
        "rejected": own.rejected or None,
    }
    turn = _turn(now, "strategist", task, notes, reads=(*_sources(now), *PLANNING, reg.PATH), writes=PLANNING)
    return Move(own, (turn,))


def on_strategy(now: Now) -> Move:
    if blocked := _blocked(now):
        return blocked
    output: StrategistOutput = now.output
    own = replace(own_of(now.state), last_agent="strategist", blockers=(), rejected="")
    entered = [stored(claim) for claim in output.claims]
    after = Registry({claim.id: claim for claim, _ in entered} | _decided(registry_of(now.state, now.look)))
    own = replace(own, warnings=tuple(finding for _, findings in entered for finding in findings))
    own, registry = registry_write(now, own, after)
    return Move(own, (*_documents(output.documents), *registry), "done")


def _decided(known: Registry) -> dict[str, Claim]:
    """What was removed or downgraded stays so when the strategy is made again."""
    return {claim.id: claim for claim in known.claims.values() if claim.status in ("removed", "downgraded")}


# --- drafting ---------------------------------------------------------------------------------------------------------


def enter_draft(now: Now) -> Move:
    """A revision that is only fixes needs no agent: code applies them, and the gates say whether that was enough."""
    own = own_of(now.state)
    if own.fixes:
        return _apply_fixes(now, own)
    return Move(own, (_copywriter(now, own),))


def _apply_fixes(now: Now, own: PageState) -> Move:
    path = draft(own.slug, own.lang)
    ref = now.state.ref(path)
    text = now.look(ref, parse_text) if ref else ""
    fixed, misses = fixes.apply(text, own.fixes, path)
    if misses:
        own = replace(own, fixes=(), required=(*own.required, *misses))
        return Move(own, (_copywriter(now, own),))
    own = own.noting("orchestrator", f"{len(own.fixes)} fixes of editor-qa", "applied by code")
    own = replace(own, fixes=(), results={})
    write = Write(path=path, text=fixed)
    if any(finding.rule == BLOCKER for finding in own.required):
        return Move(own, (write, _copywriter(now, own)))
    return Move(own, (write, *checks_for(now, own.lang)))


def on_draft(now: Now) -> Move:
    own = own_of(now.state)
    if isinstance(now.event, Checked):
        own = _noted(now, own)
        if now.state.checks:
            return Move(own)
        if required := gate_findings(own, own.lang):
            own = replace(own, required=required)
            return Move(own, (_copywriter(now, own),))
        return Move(own, (), "done")
    if blocked := _blocked(now):
        return blocked
    output: CopywriterOutput = now.output
    own = replace(own, last_agent="copywriter", required=(), blockers=())
    entered = [stored(claim)[0] for claim in output.claims]
    own, registry = registry_write(now, own, registry_of(now.state, now.look).with_claims(*entered))
    return Move(own, (*_documents(output.documents), *registry), "done")


def _copywriter(now: Now, own: PageState) -> StartTurn:
    path, revising = draft(own.slug, own.lang), bool(own.required)
    language = {"en": "English", "cn": "Simplified Chinese"}[own.lang]
    task = f"{'Revise' if revising else 'Write'} the {language} draft {path}."
    notes = {
        "slug": own.slug,
        "language": own.lang,
        "file": path,
        "template": template_of(now).model_dump(mode="json", by_alias=True),
        "required": [plain(finding) for finding in own.required],
        "mode": "revise" if revising else "draft",
        "revision": own.counts[own.lang],
        "round": own.counts[own.lang] + 1,
        "limit": config_of(now.state, now.look).iteration_limits.of(own.lang) + 1,
    }
    drafts = (draft(own.slug, "en"), draft(own.slug, "cn")) if own.lang == "cn" else (path,)
    reads = (*_sources(now), *PLANNING, reg.PATH, *drafts)
    return _turn(now, "copywriter", task, notes, reads=reads, writes=(path,))


# --- review -----------------------------------------------------------------------------------------------------------


def enter_review(now: Now) -> Move:
    """The gates run first, so that editor-qa judges with their results in hand."""
    own = replace(own_of(now.state), results={}, review=None)
    if gone := _gone(now, own, *_languages(own)):
        return Move(replace(own, blockers=tuple(map(str, gone))), (), "blocked")
    return Move(own, checks_for(now, *_languages(own)))


def _gone(now: Now, own: PageState, *langs: str) -> tuple[Finding, ...]:
    """What a person removed and the gates cannot do without."""
    needed = (*(draft(own.slug, lang) for lang in langs), reg.PATH)
    return tuple(
        Finding(rule="document.gone", problem="the file was removed", repair="put it back, then resume", file=path)
        for path in needed
        if path not in now.state.docs
    )


def on_review(now: Now) -> Move:
    own = own_of(now.state)
    if isinstance(now.event, Checked):
        own = _noted(now, own)
        if now.state.checks:
            return Move(own)
        return Move(own, (_editor(now, own),)) if own.review is None else _judge(own)
    if blocked := _blocked(now):
        return blocked
    return _take_verdicts(now, own, now.output)


def _editor(now: Now, own: PageState) -> StartTurn:
    path = draft(own.slug, own.lang)
    claims = {i: c for i, c in registry_of(now.state, now.look).claims.items() if c.usable}
    notes = {
        "slug": own.slug,
        "language": own.lang,
        "file": path,
        "gates": reports(own, own.lang),
        "evidence": evidence_report(own, claims),
        "round": own.counts[own.lang] + 1,
        "limit": config_of(now.state, now.look).iteration_limits.of(own.lang) + 1,
    }
    reads = (*_sources(now), *PLANNING, reg.PATH, *(draft(own.slug, lang) for lang in _languages(own)))
    return _turn(
        now, "editor-qa", f"Review {path}: judge the claims, give fixes, decide.", notes, reads=reads, writes=()
    )


def _take_verdicts(now: Now, own: PageState, output: EditorOutput) -> Move:
    """Verdicts are applied with the evidence check behind them; then the gates run again, and that is judged."""
    known = registry_of(now.state, now.look)
    after, earned = judged(known, output.verdicts, sound_claims(own, known.claims))
    bound = {claim_id: binding(after.claims[claim_id], now.state.docs) for claim_id in earned}
    review = Review(
        status=output.status, fixes=tuple(output.fixes), blockers=tuple(output.blockers), lies=_lies(own, output)
    )
    own = replace(
        own, last_agent="editor-qa", review=review, verified={**own.verified, **bound}, results={}, blockers=()
    )
    own, writes = registry_write(now, own, after)
    return Move(own, (*writes, *checks_for(now, *_languages(own))))


def _lies(own: PageState, output: EditorOutput) -> tuple[str, ...]:
    """Where the agent's report of a gate differs from the gate: the gate stands, the difference is kept."""
    told = output.gates.model_dump(exclude_none=True)
    real = reports(own, own.lang)
    return tuple(name for name, report in told.items() if report["status"] != real[name]["status"])


def _judge(own: PageState) -> Move:
    assert own.review is not None  # narrows the type: the gates ran again because a review came in
    review, open_s0 = own.review, any(fix.severity == "S0" for fix in own.review.fixes)
    if own.lang == "cn" and (broken := gate_findings(own, "en")):
        return Move(_revision(own, (), broken, "the English page no longer passes"), (), "en_broken")
    found = gate_findings(own, own.lang)
    if review.status == "complete" and not found and not open_s0:
        own = own.noting("editor-qa", "passed")
        return Move(replace(own, review=None, required=(), fixes=()), (), "pass")
    issue = "; ".join(_first_of([*(f.reason for f in review.fixes), *(f.problem for f in found), *review.blockers]))
    required = (*found, *(_blocker(text) for text in review.blockers))
    return Move(_revision(own, review.fixes, required, issue or "needs revision"), (), "revise")


def _revision(own: PageState, given: tuple[Any, ...], required: tuple[Finding, ...], issue: str) -> PageState:
    own = own.noting("editor-qa", issue, f"{len(given)} fixes" if given else "sent back to the copywriter")
    blockers = tuple(str(finding) for finding in required) or (issue,)
    return replace(own, review=None, fixes=given, required=required, blockers=blockers)


def _blocker(text: str) -> Finding:
    return Finding(rule=BLOCKER, problem=text, repair="resolve it in the draft, or be blocked and say why")


def _first_of(texts: list[str], most: int = 3) -> list[str]:
    return texts[:most] + ([f"and {len(texts) - most} more"] if len(texts) > most else [])


# --- approvals --------------------------------------------------------------------------------------------------------


def enter_approval(gate: str) -> Callable[[Now], Move]:
    def enter(now: Now) -> Move:
        own = own_of(now.state)
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


def _to_weigh(now: Now, own: PageState) -> dict[str, Any]:
    """What a person should know before they say yes, from the registry as it is."""
    claims = [claim for claim in registry_of(now.state, now.look).claims.values() if claim.usable]
    high = [claim for claim in claims if claim.risk_level == "high"]
    bare = [claim for claim in claims if not claim.evidence]
    return {
        "claims": len(claims),
        "high": [f"{claim.id} ({claim.status}): {claim.text}" for claim in high],
        "bare": [f"{claim.id}: {claim.text}" for claim in bare],
        "rounds": dict(own.counts),
    }


def approved_paths(own: PageState, gate: str) -> tuple[str, ...]:
    """What a person signs off at each gate."""
    if gate == "strategy":
        return (*PLANNING, reg.PATH)
    return (draft(own.slug, "en"), draft(own.slug, "cn"), reg.PATH)


def on_approval(gate: str) -> Callable[[Now], Move]:
    def on(now: Now) -> Move:
        own = own_of(now.state)
        if not isinstance(now.event, Answered):
            return Move(own)
        event = now.event
        if event.act == APPROVE:
            digests = {path: now.state.docs[path] for path in approved_paths(own, gate) if path in now.state.docs}
            yes = Approval(gate=gate, by=event.by, at=event.at, digests=digests)
            own = _answer_gate(replace(own, approvals=(*own.approvals, yes)), gate, "true")
            return Move(own, (), "approved")
        reason = str(event.payload.get("reason", ""))
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


def enter_release(now: Now) -> Move:
    """Nothing is released that the gates have not passed as it is now, both languages together."""
    own = replace(own_of(now.state), results={}, review=None)
    if gone := _gone(now, own, "en", "cn"):
        lang = "cn" if gone[0].file == draft(own.slug, "cn") else "en"
        return Move(_not_released(own, gone, lang), (), f"failed_{lang}")
    return Move(own, checks_for(now, "en", "cn"))


def on_release(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Checked):
        return Move(own)
    own = _noted(now, own)
    if now.state.checks:
        return Move(own)
    for lang in ("en", "cn"):
        if found := gate_findings(own, lang):
            return Move(_not_released(own, found, lang), (), f"failed_{lang}")
    writes = tuple(_release(now, own, lang) for lang in ("en", "cn"))
    return Move(replace(own, blockers=(), required=(), stale=""), writes, "released")


def _not_released(own: PageState, found: tuple[Finding, ...], lang: str) -> PageState:
    own = _revision(own, (), found, f"the {lang} page does not pass at release")
    return replace(own, final_approved="false")


def _release(now: Now, own: PageState, lang: str) -> Write:
    ref = now.state.ref(draft(own.slug, lang))
    assert ref is not None  # narrows the type: the gates just ran on it
    return Write(path=release(own.slug, lang), text=markdown.strip_claims(now.look(ref, parse_text)))


def enter_complete(now: Now) -> Move:
    return Move(own_of(now.state), (Finish(reason="complete"),))


def on_complete(now: Now) -> Move:
    """A person who edited after completion asks for the rest to be done again."""
    own = own_of(now.state)
    lang = own.stale
    own = replace(own, stale="", counts={**own.counts, "cn": 0, **({"en": 0} if lang == "en" else {})})
    return Move(own, (), f"again_{lang}")


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    question = f"{own.slug} needs a decision ({own.escalation_reason}); _workflow/escalation-report.md says which"
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question)
    return Move(own, (ask, Finish(reason="escalated")))


def on_escalated(now: Now) -> Move:
    """Resumed by a person: a fresh allowance for that language, the history stays."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    lang = "cn" if own.resume_to.endswith("_cn") else "en"
    own = replace(own, counts={**own.counts, lang: 0}, blockers=(), escalation_reason=None, required=(), fixes=())
    return Move(own.noting(now.event.by, "resumed", f"from {own.resume_to}"), (), f"to_{own.resume_to}")


# --- shared -----------------------------------------------------------------------------------------------------------


def _turn(
    now: Now, agent: str, task: str, notes: Mapping[str, Any], *, reads: tuple[str, ...], writes: tuple[str, ...]
) -> StartTurn:
    own = own_of(now.state)
    return StartTurn(key=own.step, agent=agent, contract=agent, task=task, reads=reads, writes=writes, notes=notes)


def _blocked(now: Now) -> Move | None:
    """A turn that ended without a usable output, or that says it cannot go on."""
    own = own_of(now.state)
    if not isinstance(now.event, TurnReturned | TurnFailed):
        return Move(own)
    if now.turn and now.turn.start.key != own.step:
        return Move(own)  # a turn that was parked, and that an edit made needless before the budget was raised
    agent = now.turn.start.agent if now.turn else ""
    own = replace(own, last_agent=agent)
    if now.refused:
        blockers = tuple(str(finding) for finding in now.refused)
        return Move(
            replace(own.noting(agent, f"output refused: {blockers[0]}", "tried again"), blockers=blockers),
            (),
            "blocked",
        )
    if now.output.status in ("blocked", "escalate"):
        blockers = tuple(now.output.blockers)
        return Move(replace(own.noting(agent, f"{now.output.status}: {blockers[0]}"), blockers=blockers), (), "blocked")
    return None


def _noted(now: Now, own: PageState) -> PageState:
    assert now.check is not None and isinstance(now.event, Checked)  # noqa: PT018 - narrows two types
    return replace(own, results={**own.results, now.check.key: now.event.findings})


def _languages(own: PageState) -> tuple[str, ...]:
    return ("en", "cn") if own.lang == "cn" else ("en",)


def _sources(now: Now) -> tuple[str, ...]:
    return tuple(sorted(path for path in now.state.docs if path.startswith(SOURCES)))


def _documents(documents: Mapping[str, str]) -> tuple[Write, ...]:
    return tuple(Write(path=path, text=text) for path, text in documents.items())


def stage(name: str, enter: Callable[[Now], Move], on: Callable[[Now], Move], *outcomes: str) -> Stage:
    """A stage with its outcomes; every stage that works can be interrupted by an edit."""
    return Stage(name=name, outcomes=outcomes, enter=enter, on=on)


STAGES = (
    stage("strategy", enter_strategy, on_strategy, "done", "blocked", "redo"),
    stage("approve_strategy", enter_approval("strategy"), on_approval("strategy"), "approved", "rejected"),
    stage("draft_en", enter_draft, on_draft, "done", "blocked", "redo", "edited_en"),
    stage("review_en", enter_review, on_review, "pass", "revise", "blocked", "redo"),
    stage("draft_cn", enter_draft, on_draft, "done", "blocked", "redo", "edited_en", "edited_cn"),
    stage("review_cn", enter_review, on_review, "pass", "revise", "en_broken", "blocked", "redo", "edited_en"),
    stage("approve_final", enter_approval("final"), on_approval("final"), "approved", "rejected_en", "rejected_cn"),
    stage("release", enter_release, on_release, "released", "failed_en", "failed_cn", "redo"),
    stage("complete", enter_complete, on_complete, "again_en", "again_cn"),
    stage(
        "escalated", enter_escalated, on_escalated,
        "to_strategy", "to_draft_en", "to_review_en", "to_draft_cn", "to_review_cn",
    ),
)  # fmt: skip
