"""What people read: `state.yaml`, the approval request, the escalation report. All of it follows from the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from signoff import Ask, Look, State, failing
from signoff.artifacts import yamlio
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.gates import parse_page
from signoff.workflows.solution_page.state import PageState, draft, own_of, release
from signoff.workflows.solution_page.steps import authority

STATE = "_workflow/state.yaml"
APPROVAL = "_workflow/approval-request.md"
ESCALATION = "_workflow/escalation-report.md"

_WORKER = {"strategy": "strategist", "draft_en": "copywriter", "draft_cn": "copywriter"}
_GATE = {"false": False, "true": True, "skipped": "skipped"}


def project(state: State) -> Mapping[str, str | None]:
    """Every file that follows from the state; None where there is nothing to decide."""
    own = own_of(state)
    approval = next((ask for ask in state.requests.values() if ask.kind == "approval"), None)
    return {
        STATE: yamlio.dump(state_file(state)),
        APPROVAL: approval_request(own, approval, state) if approval else None,
        ESCALATION: escalation_report(own, state) if own.step == "escalated" else None,
    }


def state_file(state: State) -> dict[str, Any]:
    """The fields of `state.yaml`; the first block is the contract with other tools, the rest is ours."""
    own = own_of(state)
    return {
        "slug": own.slug,
        "phase": own.phase,
        "iteration_count": dict(own.counts),
        "human_gates": {"strategy_approved": _GATE[own.strategy_approved], "final_approved": _GATE[own.final_approved]},
        "last_agent": own.last_agent or None,
        "last_action_time": state.at,
        "next_agent": next_agent(state),
        "blockers": list(own.blockers),
        "escalation_reason": own.escalation_reason,
        "step": own.step,
        "stop_reason": state.stop,
        "revision": state.rev,
        "stale": bool(own.stale),
        **(
            {"overruled": [{**one.to_json(), "holds": one in state.in_force} for one in state.overrules]}
            if state.overrules
            else {}
        ),
        "approvals": [
            {
                "gate": yes.gate,
                "by": yes.by,
                "at": yes.at,
                "digests": dict(yes.digests),
                "holds": holds(own, yes.digests, state),
            }
            for yes in own.approvals
        ],
    }


def holds(own: PageState, digests: Mapping[str, str], state: State) -> bool:
    """Whether an approval still is of the bytes that are there, code's own later changes to claims aside."""
    drafts = {draft(own.slug, "en"), draft(own.slug, "cn")}
    mine = [path for path in digests if path in drafts] or [path for path in digests if path.endswith(".md")]
    return all(state.docs.get(path) == digests[path] for path in mine)


def next_agent(state: State) -> str:
    """Who acts next."""
    own = own_of(state)
    if state.requests:
        return "human"
    if state.stop == "complete":
        return "complete"
    return _WORKER.get(own.step, "editor-qa")


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    found = [finding for findings in own.results.values() for finding in failing(findings)]
    return {
        "phase": own.phase,
        "step": own.step,
        "rounds": dict(own.counts),
        "next_agent": next_agent(state),
        "findings": len(found),
        "blockers": list(own.blockers),
        "warnings": [str(finding) for finding in own.warnings],
        "escalation_reason": own.escalation_reason,
        "stale": bool(own.stale),
        "edited_since": list(own.edited_since),
        "outputs": [release(own.slug, lang) for lang in ("en", "cn")] if state.stop == "complete" else [],
    }


# --- approval request -------------------------------------------------------------------------------------------------


def approval_request(own: PageState, ask: Ask, state: State) -> str:
    """What the person signs off: summary, decision points, risks, the exact bytes, the exact commands."""
    gate, notes = ask.key, ask.notes
    what = "The strategy" if gate == "strategy" else "Both drafts"
    return "\n".join(
        [
            f"# Approval request: {own.slug}, {gate}",
            "",
            f"- Asked: {state.at}",
            f"- Phase: {own.phase}",
            f"- Request: {ask.request}",
            "",
            "## Summary",
            "",
            f"{what} of `{own.slug}` passed everything that code can check, and a person has to say yes or no.",
            f"The page rests on {notes['claims']} claims, {len(notes['high'])} of them high risk.",
            f"Revisions so far: {notes['rounds']['en']} English, {notes['rounds']['cn']} Chinese.",
            "",
            "## Key decision points",
            "",
            *_bullets(_points(gate)),
            "",
            "## Risks",
            "",
            *_bullets(
                [*_risk(notes), *(str(finding) for finding in own.warnings)], none="No claim is without evidence."
            ),
            "",
            *_overruled(state),
            "## Rejected before",
            "",
            *_bullets(notes["rejections"], none="Never."),
            "",
            "## Artifacts to review",
            "",
            *_bullets(f"`{path}` sha256 `{sha}`" for path, sha in ask.of.items()),
            "",
            "## What to do",
            "",
            f"- Approve: `signoff approve {own.slug} --gate {gate}`",
            f'- Reject: `signoff reject {own.slug} --gate {gate} --reason "…"`'
            + ("" if gate == "strategy" else " (add `--lang cn` to send the Chinese draft back)"),
            f"- Modify: edit the files above, then `signoff approve {own.slug} --gate {gate} --accept-changes`",
            "",
        ]
    )


def _overruled(state: State) -> list[str]:
    """The findings that people overruled and that would fail this page otherwise."""
    known = [str(one) for one in state.in_force]
    return ["## Overruled findings", "", *_bullets(known), ""] if known else []


def _points(gate: str) -> list[str]:
    if gate == "strategy":
        return ["Is this the message, for these readers?", "May every claim below be made in public?"]
    return [
        "Is the page right in both languages?",
        "May it be published as it is? Releasing strips the claim markers only.",
    ]


def _risk(notes: Mapping[str, Any]) -> list[str]:
    return [f"high risk: {text}" for text in notes["high"]] + [f"no evidence: {text}" for text in notes["bare"]]


# --- escalation report ------------------------------------------------------------------------------------------------


def escalation_report(own: PageState, state: State) -> str:
    """What was tried, what is left, what a person can do about it."""
    return "\n".join(
        [
            f"# Escalation report: {own.slug}",
            "",
            f"- Created: {state.at}",
            f"- Escalation reason: {own.escalation_reason}",
            f"- Phase that escalated: {own.resume_to}",
            "",
            "## Attempts",
            "",
            "| iteration | agent | issue | fix tried |",
            "|---|---|---|---|",
            *(f"| {row.iteration} | {row.agent} | {_cell(row.issue)} | {_cell(row.fix)} |" for row in own.attempts),
            "",
            "## Remaining blockers",
            "",
            *_bullets(_named(own.blockers, state), none="None named."),
            "",
            "## Options",
            "",
            *(f"{n}. {option}" for n, option in enumerate(_options(own, state), start=1)),
            "",
            "## To resume",
            "",
            f"Make your edits, then run `signoff resume {own.slug}`. The run goes on from `{own.resume_to}`",
            "with a fresh allowance of revisions; the attempts above stay on record. After an edit of the sources, add",
            "`--from strategy`: claims and drafts are then built again from them.",
            "",
        ]
    )


def _options(own: PageState, state: State) -> list[str]:
    """What a person can do about it, as far as it applies."""
    claims = [
        "Remove the claim: set `status: removed` for it in `_shared/claims-registry.yaml`.",
        "Downgrade the claim: give it a weaker `text` and `text_cn` there, and set `status: downgraded`.",
        "Provide evidence: put the source into `0-sources/` and add its place to the claim's `evidence`.",
    ]
    about_claims = reg.PATH in state.docs and any("C-" in blocker for blocker in own.blockers)
    drafts = any(draft(own.slug, lang) in state.docs for lang in ("en", "cn"))
    return [
        *(claims if about_claims else []),
        "Mend the sources in `0-sources/` and resume with `--from strategy`.",
        *(["Mend the draft in `3-drafts/` by hand."] if drafts else []),
        *(_overrule(own) if _named(own.blockers, state) != list(own.blockers) else []),
        "Leave it: the run stays escalated and nothing is released.",
    ]


def _overrule(own: PageState) -> list[str]:
    return [f'Overrule a finding, by its id, and take it on by name: `signoff overrule {own.slug} ID --reason "…"`.']


def _named(blockers: Iterable[str], state: State) -> list[str]:
    """The blockers, each with the id by which a person overrules it, if it is a finding of a gate."""
    ids = {str(finding): finding.id for known in state.judged.values() for finding in failing(known.findings)}
    return [f"{blocker} (finding {ids[blocker]})" if blocker in ids else blocker for blocker in blockers]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _bullets(items: Iterable[str], none: str = "None.") -> list[str]:
    return [f"- {' '.join(item.split())}" for item in items] or [none]


# --- what came of it --------------------------------------------------------------------------------------------------


def summary(state: State, look: Look) -> Mapping[str, Any]:
    """What the gates said last, how many claims in use are verified, and one of them to look at."""
    own = own_of(state)
    claims = authority.registry_of(state, look).claims
    used = [claim_id for claim_id in claims if claim_id in _used(state, look)]
    found = {
        **({"overruled": [str(one) for one in state.in_force]} if state.in_force else {}),
        "gates": {name: "fail" if failing(found) else "pass" for name, found in own.results.items()},
        "claims": {"used": len(used), "verified": sum(claims[claim_id].status == "verified" for claim_id in used)},
        "example_claim": next(iter(used), None),
        "registry": reg.PATH if reg.PATH in state.docs else None,
        "drafts": [path for lang in ("en", "cn") if (path := draft(own.slug, lang)) in state.docs],
    }
    return {**found, "lines": _lines(found), "next": _next(found)}


def _lines(found: Mapping[str, Any]) -> list[str]:
    """The summary in a few lines."""
    red = sorted(gate for gate, said in found["gates"].items() if said != "pass")
    claims, drafts = found["claims"], len(found["drafts"])
    return [
        f"gates: {len(found['gates']) - len(red)} green" + (f", {len(red)} red: {', '.join(red)}" if red else ""),
        *(f"overruled: {said}" for said in found.get("overruled", ())),
        f"claims in use: {claims['verified']}/{claims['used']} verified against their evidence",
        f"files: {drafts} draft{'' if drafts == 1 else 's'} and the claims ({found['registry']}) in {{project}}",
    ]


def _next(found: Mapping[str, Any]) -> list[str]:
    """What is worth a look."""
    claim, drafts = found["example_claim"], found["drafts"]
    return [
        *([f"signoff trace {claim}"] if claim else []),
        *([f"signoff gate claims {drafts[0]}"] if drafts else []),
    ]


def _used(state: State, look: Look) -> set[str]:
    """The claims that either draft carries."""
    own = own_of(state)
    refs = [ref for lang in ("en", "cn") if (ref := state.ref(draft(own.slug, lang)))]
    return {marker.claim_id for ref in refs for marker in look(ref, parse_page).markers}
