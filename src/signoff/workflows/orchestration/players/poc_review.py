"""After a PoC: its evidence held against its criteria, with what was run again, and what follows from that."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.permissions import may_run
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.doing import Ran
from signoff.workflows.orchestration.risks import Poc


def _assess(desk: Desk) -> Payload:
    poc = Poc.model_validate(desk.notes["poc"])
    ran = list(_again(desk))
    met = {one.command: one.code == 0 for one in ran}
    holds, refuted = bool(met) and all(met.values()), any(not ended for ended in met.values())
    seen = "; ".join(f"`{one.command}` ended with {one.ended}" for one in ran) or "nothing was run"
    judged = [
        {"id": f"{poc.poc_id}_{kind}_{number}", "met": is_met, "evidence": seen}
        for kind, texts, is_met in (("pass", poc.passes, holds), ("fail", poc.fails, refuted))
        for number, _ in enumerate(texts, 1)
    ]
    result = "pass" if holds else "fail" if refuted else "partial"
    words = {
        "pass": "It holds as far as was tried.",
        "fail": "It does not hold.",
        "partial": "Whether it holds is not known: no command of the evidence could be run again.",
    }
    rationale = f"{words[result]} {squeeze(poc.assumption)}: {seen}."
    return {"assessment": result, "criteria": judged, "rationale": rationale}


def _again(desk: Desk) -> Iterator[Ran]:
    """The commands that the evidence names, each run once more."""
    named = [str(one.get("command") or "") for one in desk.notes.get("evidence") or ()]
    for command in dict.fromkeys(filter(None, named)):
        if may_run(shlex.split(command), desk.assignment.start.runs):
            ended = desk.tools.run(command)
            yield Ran.of(command, ended)


def _decide(desk: Desk) -> Payload:
    poc, assessment = Poc.model_validate(desk.notes["poc"]), desk.note("assessment")
    about = squeeze(poc.assumption)
    if assessment == "pass":
        return {"decision": "proceed", "rationale": f"What {' and '.join(poc.gates)} builds on holds: {about}"}
    if assessment == "partial":
        return {"decision": "escalate", "rationale": f"Nobody knows whether this holds, and a person decides: {about}"}
    edits = list(_rescoped(poc, about, desk))
    decision = "adapt" if edits else "escalate"
    return {"decision": decision, "rationale": f"This does not hold: {about}", "edits": edits}


def _rescoped(poc: Poc, about: str, desk: Desk) -> Iterator[dict[str, Any]]:
    """The tasks that built on it, told that it does not hold; their actions stay those of the plan."""
    known = desk.roster.agents if desk.data(places.ROSTER) else {}
    for name in poc.gates:
        if name in known:
            member = known[name]
            yield {
                "edit": "rescope",
                "agent": name,
                "role": f"{member.role}. This does not hold: {about}; whatever is in its way is reported and left out",
                "plan_actions": list(member.plan_actions),
                "plan_action_sources": list(member.plan_action_sources),
                "reason": f"{poc.poc_id} showed that it does not hold: {about}",
            }


poc_evidence_reviewer = player(_assess)
poc_decision = player(_decide)
