"""The ways in which the agents of a page misbehave on purpose, so that every refusal can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff import Assignment, Tools
from signoff.artifacts.text_decoding import decode
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil
from signoff.workflows.solution_page.documents import claims_registry as reg


def _off_schema(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A field nobody asked for, and a status that is none."""
    output |= {"confidence": "high", "status": "approved"}


def _forged_verified(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A claim called verified by somebody who cannot verify."""
    if assignment.start.agent == "strategist":
        output.get("claims", [{}])[0]["status"] = "verified"
    else:
        claim = _proposal(assignment, tools) | {"status": "verified"}
        output["claims"] = [*output.get("claims", []), claim]


def _lowered_risk(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A risky claim called harmless."""
    if assignment.start.agent == "strategist":
        risky = [claim for claim in output.get("claims", []) if claim.get("risk_level") == "high"]
        for claim in risky[:1]:
            claim["risk_level"] = "low"
    else:
        claim = _proposal(assignment, tools) | {"risk_level": "low"}
        output["claims"] = [*output.get("claims", []), claim]


def _gate_lie(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Every gate passed, every claim verified, nothing to fix."""
    for report in output.get("gates", {}).values():
        report["status"] = "n/a" if report["status"] == "n/a" else "pass"
    for verdict in output.get("verdicts", []):
        verdict["verdict"] = "verified"
    output |= {"status": "complete", "decision": "PASS", "fixes": [], "blockers": []}


def _missing_file(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A document that was promised and is not there."""
    output["documents"] = dict(list(output.get("documents", {}).items())[1:])


def _wrong_path(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A document where this agent may not write."""
    output["documents"] = {**output.get("documents", {}), "_workflow/state.yaml": "phase: complete\n"}


def _repeated_before(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A fix for text that occurs many times, and one for text that does not occur."""
    text = decode(tools.read(assignment.start.notes["file"]), "")
    often = next((word for word in ("## ", " ", *text) if text.count(word) > 1), "x")
    fixes = [("F-often", often), ("F-never", "these words stand nowhere in the draft")]
    given = {"severity": "S1", "type": "style", "after": "", "reason": "seeded fault"}
    output["fixes"] = [{"id": name, "before": before, **given} for name, before in fixes]
    output |= {"status": "needs_revision", "decision": "BLOCKED"}


def _pool(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One reserved id too few."""
    output["claims"] = output.get("claims", [])[:-1]


def _stops(status: str) -> Spoil:
    def stop(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        kept = ("agent", "timestamp", "language", "file")
        wanted = {name: output[name] for name in kept if name in output}
        output.clear()
        output |= {**wanted, "status": status, "blockers": [f"seeded fault: {wanted['agent']} says {status}"]}

    return stop


def _proposal(assignment: Assignment, tools: Tools) -> Output:
    """A claim on a reserved id, correct but for what the fault then changes."""
    known = reg.parse_doc(tools.read(reg.PATH), reg.PATH)
    reserved = [claim.id for claim in known.claims.values() if claim.status == "reserved"]
    name = str(assignment.params.get("slug", "this product"))
    return {
        "id": (reserved or ["C-XX-999"])[-1],
        "status": "proposed",
        "text": f"{name} is the best of its class",
        "text_cn": f"{name}是同类中最好的",
        "risk_level": "high",
        "evidence_suggested": "none, this is a seeded fault",
        "added_by": "copywriter",
    }


SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: _off_schema,
    "forged-verified": _forged_verified,
    "lowered-risk": _lowered_risk,
    "gate-lie": _gate_lie,
    "missing-file": _missing_file,
    "wrong-path": _wrong_path,
    "repeated-before": _repeated_before,
    "pool": _pool,
    "blocked": _stops("blocked"),
    "escalate": _stops("escalate"),
}
_ANYONE: Final = (MALFORMED, OFF_SCHEMA, CRASH, "blocked", "escalate")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "strategist": (*_ANYONE, "forged-verified", "lowered-risk", "missing-file", "wrong-path", "pool"),
    "copywriter": (*_ANYONE, "forged-verified", "lowered-risk", "missing-file", "wrong-path"),
    "editor-qa": (*_ANYONE, "gate-lie", "repeated-before"),
}
"""Which agent can go wrong in which way."""


FAULTS: Final = Faults(KINDS, SPOIL)
