"""What the three agents give back: one envelope, then each its own payload. Counts are optional and never believed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from signoff.artifacts.agent_output import read


def _with_offset(value: str) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is not an ISO 8601 time such as 2026-01-06T01:30:00+08:00") from error
    if moment.tzinfo is None:
        raise ValueError(f"{value!r} has no offset; write one such as +08:00")
    return value


Timestamp = Annotated[str, AfterValidator(_with_offset)]
Severity = Literal["S0", "S1", "S2"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ClaimIn(_Strict):
    """A claim as an agent proposes it."""

    id: str = Field(pattern=r"^C-[A-Z]{2,4}-\d{3}$")
    status: Literal["verified", "unverified", "reserved", "proposed"] = "unverified"
    text: str = ""
    text_cn: str = ""
    risk_level: Literal["high", "medium", "low"] | None = None
    category: str | None = None
    evidence: list[str | dict[str, Any]] | str | dict[str, Any] = Field(default_factory=list)
    evidence_suggested: str = ""
    added_by: str = ""


class Verdict(_Strict):
    """Editor-QA's judgement of one claim. `verified` is only ever half of what makes a claim verified."""

    claim_id: str = Field(pattern=r"^C-[A-Z]{2,4}-\d{3}$")
    verdict: Literal["verified", "unverified", "downgraded", "removed"]
    text: str = ""
    text_cn: str = ""
    reason: str = Field(min_length=1)

    @model_validator(mode="after")
    def _downgraded_has_text(self) -> Verdict:
        if self.verdict == "downgraded" and not self.text:
            raise ValueError("a downgraded claim needs its new text")
        return self


class Fix(_Strict):
    """A replacement in the file under review, to be applied by code."""

    id: str = Field(min_length=1)
    severity: Severity
    type: Literal["accuracy", "style", "parity", "claim"]
    before: str = Field(min_length=1)
    after: str
    reason: str = Field(min_length=1)


class _Envelope(_Strict):
    timestamp: Timestamp
    dispatch_intent: str | None = None
    blockers: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class Artifacts(_Strict):
    """Where the strategist's artifacts are; the places are fixed."""

    message_house: Literal["1-planning/message-house.md"] = "1-planning/message-house.md"
    content_brief: Literal["1-planning/content-brief.md"] = "1-planning/content-brief.md"
    claims_registry: Literal["_shared/claims-registry.yaml"] = "_shared/claims-registry.yaml"


class ClaimsSummary(_Strict):
    """The strategist's own count; the registry's is computed."""

    total: int | None = None
    verified: int | None = None
    needs_verification: int | None = None
    reserved_pool: int | None = None


class StrategistOutput(_Envelope):
    """Strategy: message house, content brief, claims with a pool of reserved ids."""

    agent: Literal["strategist"]
    status: Literal["complete", "blocked", "escalate"]
    artifacts: Artifacts = Artifacts()
    claims_summary: ClaimsSummary | None = None
    documents: dict[str, str] = Field(default_factory=dict)
    claims: list[ClaimIn] = Field(default_factory=list)


class CopywriterOutput(_Envelope):
    """One draft in one language, and the claims it had to propose."""

    agent: Literal["copywriter"]
    status: Literal["complete", "blocked", "escalate"]
    language: Literal["en", "cn"]
    file: str
    claims_tagged: int | None = None
    new_claims_proposed: int | None = None
    structure_self_check: Literal["pass", "fail"] | None = None
    documents: dict[str, str] = Field(default_factory=dict)
    claims: list[ClaimIn] = Field(default_factory=list)


class GateReport(_Strict):
    """What editor-qa says of a gate; what the gate itself said stands."""

    status: Literal["pass", "fail", "n/a"]
    script: str = ""
    details: str = ""
    high_risk_verified: str = ""


class GateReports(_Strict):
    """The six gates as the agent reports them."""

    structure: GateReport | None = None
    word_count: GateReport | None = None
    links: GateReport | None = None
    release_markers: GateReport | None = None
    claims: GateReport | None = None
    bilingual_parity: GateReport | None = None


class ClaimCounts(_Strict):
    """Editor-QA's own count; the registry's is computed."""

    total: int | None = None
    verified: int | None = None
    proposed_resolved: int | None = None
    high_risk_verified: str | None = None


class EditorOutput(_Envelope):
    """A review: verdicts on claims, fixes for the file under review, PASS or BLOCKED."""

    agent: Literal["editor-qa"]
    status: Literal["complete", "needs_revision", "blocked", "escalate"]
    files_reviewed: list[str] = Field(default_factory=list)
    gates: GateReports = GateReports()
    claims: ClaimCounts | None = None
    s0_count: int | None = None
    s1_count: int | None = None
    s2_count: int | None = None
    verdicts: list[Verdict] = Field(default_factory=list)
    fixes: list[Fix] = Field(default_factory=list)
    decision: Literal["PASS", "BLOCKED"] | None = None

    @model_validator(mode="after")
    def _decision_fits_status(self) -> EditorOutput:
        wanted = {"complete": "PASS", "needs_revision": "BLOCKED"}.get(self.status)
        if wanted and self.decision != wanted:
            raise ValueError(f"status {self.status!r} requires decision {wanted}, found {self.decision or 'none'}")
        return self


Output = StrategistOutput | CopywriterOutput | EditorOutput


PARSE: dict[str, Callable[[bytes, str], Any]] = {
    "strategist": partial(read, StrategistOutput),
    "copywriter": partial(read, CopywriterOutput),
    "editor-qa": partial(read, EditorOutput),
}
"""How the output of each agent is read."""
