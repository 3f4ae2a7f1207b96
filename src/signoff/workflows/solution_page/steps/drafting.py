"""The stages of a page: what each asks for when it is entered, and what it makes of what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff import Checked, Finding, Move, Now, StartTurn, TurnFailed, TurnReturned, Write, digest, replace
from signoff.workflows.kit import fixes
from signoff.workflows.solution_page.config import config_of
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.gate_plan import (
    checks_for,
    evidence_report,
    gate_findings,
    plain,
    reports,
    sound_claims,
    template_of,
)
from signoff.workflows.solution_page.gates import parse_text
from signoff.workflows.solution_page.outputs import CopywriterOutput, EditorOutput, StrategistOutput
from signoff.workflows.solution_page.state import PLANNING, SOURCES, PageState, Review, draft, noted
from signoff.workflows.solution_page.steps.authority import binding, judged, registry_of, registry_write, stored

BLOCKER = "editor.blocker"
REJECTED = "person.rejected"


# --- strategy ---------------------------------------------------------------------------------------------------------


def enter_strategy(now: Now[PageState]) -> Move:
    own = now.own
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
        "link_check_mode": config.link_check_mode,
    }
    turn = _turn(now, "strategist", task, notes, reads=(*_sources(now), *PLANNING, reg.PATH), writes=PLANNING)
    return Move(own, (turn,))


def on_strategy(now: Now[PageState]) -> Move:
    if blocked := _blocked(now):
        return blocked
    output: StrategistOutput = now.output
    own = now.own
    entered = [stored(claim, registry_of(now.state, now.look)) for claim in output.claims]
    if own.rejected and _unchanged(now, output.documents) and _same_claims(now, [claim for claim, _ in entered]):
        return _not_understood(own, "strategist", own.rejected)
    own = replace(own, last_agent="strategist", blockers=(), rejected="")
    after = Registry({claim.id: claim for claim, _ in entered} | _decided(registry_of(now.state, now.look)))
    own = own.warned(*(finding for _, findings in entered for finding in findings), *_said(output))
    own, registry = registry_write(now, own, after)
    return Move(own, (*_documents(output.documents), *registry), "done")


def _decided(known: Registry) -> dict[str, Claim]:
    """What was removed or downgraded stays so when the strategy is made again."""
    return {claim.id: claim for claim in known.claims.values() if claim.status in ("removed", "downgraded")}


# --- drafting ---------------------------------------------------------------------------------------------------------


def enter_draft(now: Now[PageState]) -> Move:
    """A revision that is only fixes needs no agent: code applies them, and the gates say whether that was enough."""
    own = now.own
    if own.fixes:
        return _apply_fixes(now, own)
    if own.lang in own.by_hand and not own.required:
        return Move(own, (), "done")  # a person's own text is reviewed, not written over
    return Move(own, (_copywriter(now, own),))


def _apply_fixes(now: Now[PageState], own: PageState) -> Move:
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


def on_draft(now: Now[PageState]) -> Move:
    own = now.own
    if isinstance(now.event, Checked):
        own = noted_findings(now, own)
        if now.state.checks:
            return Move(own)
        if required := gate_findings(own, own.lang):
            own = replace(own, required=required)
            return Move(own, (_copywriter(now, own),))
        return Move(own, (), "done")
    if blocked := _blocked(now):
        return blocked
    output: CopywriterOutput = now.output
    refused = next((finding for finding in own.required if finding.rule == REJECTED), None)
    if refused and _unchanged(now, output.documents):
        return _not_understood(own, "copywriter", refused.problem)
    own = _taken_over(now, own).warned(*_said(output))
    own = replace(own, last_agent="copywriter", required=(), blockers=(), by_hand=own.by_hand - {own.lang})
    known = registry_of(now.state, now.look)
    entered = [stored(claim, known)[0] for claim in output.claims]
    own, registry = registry_write(now, own, known.with_claims(*entered))
    return Move(own, (*_documents(output.documents), *registry), "done")


def _taken_over(now: Now[PageState], own: PageState) -> PageState:
    """Says that a person's draft was revised by an agent, and where their own version is."""
    ref = now.state.ref(draft(own.slug, own.lang))
    if ref is None or own.lang not in own.by_hand:
        return own
    problem = f"{ref.path} was edited by a person and has been revised by the copywriter since"
    return own.warned(noted("draft.taken-over", problem, f"compare with _workflow/objects/{ref.sha256}.md", ref.path))


def _unchanged(now: Now[PageState], documents: Mapping[str, str]) -> bool:
    return all(now.state.docs.get(path) == digest(text) for path, text in documents.items())


def _same_claims(now: Now[PageState], claims: list[Claim]) -> bool:
    """Whether these say what the registry says already, whatever has been verified since."""
    known = registry_of(now.state, now.look).claims.values()
    return {(c.id, c.texts, c.evidence) for c in claims} == {(c.id, c.texts, c.evidence) for c in known}


def _not_understood(own: PageState, agent: str, reason: str) -> Move:
    """The same bytes again after a rejection: asking once more would not help, a person has to."""
    blocker = f"the {agent} gave back the same bytes after: {reason}. Edit the files yourself, then resume"
    return Move(replace(own.noting(agent, blocker), last_agent=agent, blockers=(blocker,)), (), "blocked")


def _said(output: StrategistOutput | CopywriterOutput | EditorOutput) -> tuple[Finding, ...]:
    """What an agent wants people to know."""
    repair = "see whether you agree"
    return tuple(noted("agent.note", f"{output.agent}: {note}", repair) for note in output.notes)


def _copywriter(now: Now[PageState], own: PageState) -> StartTurn:
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


def enter_review(now: Now[PageState]) -> Move:
    """The gates run first, so that editor-qa judges with their results in hand."""
    own = replace(now.own, results={}, review=None)
    if gone := gone_drafts(now, own, *_languages(own)):
        return Move(replace(own, blockers=tuple(map(str, gone))), (), "blocked")
    return Move(own, checks_for(now, *_languages(own)))


def gone_drafts(now: Now[PageState], own: PageState, *langs: str) -> tuple[Finding, ...]:
    """What a person removed and the gates cannot do without."""
    needed = (*(draft(own.slug, lang) for lang in langs), reg.PATH)
    return tuple(
        Finding(rule="document.gone", problem="the file was removed", repair="put it back, then resume", file=path)
        for path in needed
        if path not in now.state.docs
    )


def on_review(now: Now[PageState]) -> Move:
    own = now.own
    if isinstance(now.event, Checked):
        own = noted_findings(now, own)
        if now.state.checks:
            return Move(own)
        return Move(own, (_editor(now, own),)) if own.review is None else _judge(own)
    if blocked := _blocked(now):
        return blocked
    return _take_verdicts(now, own, now.output)


def _editor(now: Now[PageState], own: PageState) -> StartTurn:
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


def _take_verdicts(now: Now[PageState], own: PageState, output: EditorOutput) -> Move:
    """Verdicts are applied with the evidence check behind them; then the gates run again, and that is judged."""
    known = registry_of(now.state, now.look)
    after, earned = judged(known, output.verdicts, sound_claims(own, known.claims))
    bound = {claim_id: binding(after.claims[claim_id], now.state.docs) for claim_id in earned}
    review = Review(status=output.status, fixes=tuple(output.fixes), blockers=tuple(output.blockers))
    removed = [known.claims[v.claim_id] for v in output.verdicts if v.verdict == "removed"]
    own = own.warned(*_misreported(own, output), *(_taken_out(claim) for claim in removed), *_said(output))
    own = replace(
        own, last_agent="editor-qa", review=review, verified={**own.verified, **bound}, results={}, blockers=()
    )
    own, writes = registry_write(now, own, after)
    return Move(own, (*writes, *checks_for(now, *_languages(own))))


def _taken_out(claim: Claim) -> Finding:
    problem = f"editor-qa removed {claim.id}: {claim.text}"
    repair = "give it evidence and set its status to unverified in the registry if it should stay"
    return noted("claims.taken-out", problem, repair, claim.id)


def _misreported(own: PageState, output: EditorOutput) -> list[Finding]:
    """Where the agent's report of a gate differs from the gate: the gate stands, and people get to see it."""
    told, real = output.gates.model_dump(exclude_none=True), reports(own, own.lang)
    return [
        noted(
            "gates.misreported",
            f"editor-qa called {name} of {own.lang} {report['status']}, the gate said {real[name]['status']}",
            "nothing to do: the gate stands",
        )
        for name, report in told.items()
        if report["status"] != real[name]["status"]
    ]


def _judge(own: PageState) -> Move:
    assert own.review is not None  # narrows the type: the gates ran again because a review came in
    review, open_s0 = own.review, any(fix.severity == "S0" for fix in own.review.fixes)
    if own.lang == "cn" and (broken := gate_findings(own, "en")):
        return Move(revision(own, (), broken, "the English page no longer passes"), (), "en_broken")
    found = gate_findings(own, own.lang)
    if review.status == "complete" and not found and not open_s0:
        own = own.noting("editor-qa", "passed")
        return Move(replace(own, review=None, required=(), fixes=()), (), "pass")
    issue = "; ".join(_first_of([*(f.reason for f in review.fixes), *(f.problem for f in found), *review.blockers]))
    required = (*found, *(_blocker(text) for text in review.blockers))
    return Move(revision(own, review.fixes, required, issue or "needs revision"), (), "revise")


def revision(own: PageState, given: tuple[Any, ...], required: tuple[Finding, ...], issue: str) -> PageState:
    own = own.noting("editor-qa", issue, f"{len(given)} fixes" if given else "sent back to the copywriter")
    blockers = tuple(str(finding) for finding in required) or (issue,)
    return replace(own, review=None, fixes=given, required=required, blockers=blockers)


def _blocker(text: str) -> Finding:
    return Finding(rule=BLOCKER, problem=text, repair="resolve it in the draft, or be blocked and say why")


def _first_of(texts: list[str], most: int = 3) -> list[str]:
    return texts[:most] + ([f"and {len(texts) - most} more"] if len(texts) > most else [])


# --- shared -----------------------------------------------------------------------------------------------------------


def _turn(
    now: Now[PageState],
    agent: str,
    task: str,
    notes: Mapping[str, Any],
    *,
    reads: tuple[str, ...],
    writes: tuple[str, ...],
) -> StartTurn:
    own = now.own
    return StartTurn(key=own.step, agent=agent, contract=agent, task=task, reads=reads, writes=writes, notes=notes)


def _blocked(now: Now[PageState]) -> Move | None:
    """A turn that ended without a usable output, or that says it cannot go on."""
    own = now.own
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


def noted_findings(now: Now[PageState], own: PageState) -> PageState:
    assert now.check is not None and isinstance(now.event, Checked)  # noqa: PT018 - narrows two types
    return replace(own, results={**own.results, now.check.key: now.event.findings})


def _languages(own: PageState) -> tuple[str, ...]:
    return ("en", "cn") if own.lang == "cn" else ("en",)


def _sources(now: Now[PageState]) -> tuple[str, ...]:
    return tuple(sorted(path for path in now.state.docs if path.startswith(SOURCES)))


def _documents(documents: Mapping[str, str]) -> tuple[Write, ...]:
    return tuple(Write(path=path, text=text) for path, text in documents.items())
