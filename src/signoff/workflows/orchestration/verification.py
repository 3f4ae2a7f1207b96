"""`design_verification.json`: what code and a reader found in a design; and the digest under which it is approved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from signoff.artifacts.forms import Form, Text
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding, Severity
from signoff.workflows.orchestration import decisions as architecture
from signoff.workflows.orchestration import jsondoc, places
from signoff.workflows.orchestration.checks_design import CHECKS
from signoff.workflows.orchestration.design_files import DesignFiles
from signoff.workflows.orchestration.ids import Epoch, TaskId
from signoff.workflows.orchestration.outputs import ReadingOutput
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.sequence import Sequence

__all__ = ["AREA", "CHECKS", "DesignFiles", "Verification", "design_paths", "digest", "parse", "render", "verified"]

Area: TypeAlias = Literal["roster", "contracts", "checkpoints", "instructions", "risk", "plan"]
AREA: Final[dict[str, Area]] = {
    "instructions-complete": "instructions",
    "contracts-consistent": "contracts",
    "contracts-acyclic": "contracts",
    "validation-at-every-handoff": "checkpoints",
    "dependencies-satisfiable": "roster",
    "task-ids-unique": "roster",
    "escalation-paths": "plan",
    "gaps-named": "checkpoints",
    "sequence-current": "plan",
    "status-current": "plan",
    "plan-current": "plan",
    "pocs-placed": "risk",
}
"""Which part of the design mends what a check finds."""
_ELSEWHERE: Final[dict[str, Area]] = {
    "gap.agent": "roster",
    "gap.handoff": "contracts",
    "gap.unbuilt": "contracts",
    "gap.nobody": "roster",
    "gap.unquoted": "roster",
    "escalation.agent": "instructions",
}
"""The rules whose findings another part mends than the rest of their check."""


class Noted(Form):
    """One finding of a check, and the part of the design that mends it."""

    rule: Text
    severity: Severity
    area: Area
    file: str = ""
    line: int | None = None
    about: str = ""
    problem: Text
    repair: Text


class Checked(Form):
    """One check of the list, with what it found; warnings fail nothing."""

    check: Text
    result: Literal["pass", "fail"]
    findings: tuple[Noted, ...] = ()


class Verification(Form):
    """The whole verification. `reading` is the design-verifier's, and is not there until it has read."""

    task_id: TaskId
    created: Epoch
    result: Literal["pass", "fail"]
    checks: tuple[Checked, ...]
    reading: ReadingOutput | None = None


def verified(files: DesignFiles, reading: ReadingOutput | None, at: int) -> Verification:
    """Every check made, and whether anybody found an error."""
    checks = tuple(_checked(name, files) for name in CHECKS)
    wrong = any(one.result == "fail" for one in checks)
    wrong = wrong or any(seen.severity == "error" for seen in (reading.findings if reading else ()))
    result: Literal["pass", "fail"] = "fail" if wrong else "pass"
    return Verification(task_id=files.roster.task_id, created=at, result=result, checks=checks, reading=reading)


def _checked(name: str, files: DesignFiles) -> Checked:
    findings = tuple(_noted(name, finding) for finding in CHECKS[name](files))
    wrong = any(one.severity == "error" for one in findings)
    return Checked(check=name, result="fail" if wrong else "pass", findings=findings)


def _noted(check: str, finding: Finding) -> Noted:
    return Noted(
        rule=finding.rule,
        severity=finding.severity,
        area=_ELSEWHERE.get(finding.rule, AREA[check]),
        file=finding.file,
        line=finding.line,
        about=finding.about,
        problem=finding.problem,
        repair=finding.repair,
    )


def parse(data: bytes, path: str) -> Verification:
    return jsondoc.parse(Verification, data, path, rule="verification")


def render(value: Verification) -> str:
    """The verification as people read it; that nobody has read the design yet is said: null."""
    plain = value.model_dump(mode="json", exclude_none=True)
    return jsondoc.written({**plain, "reading": plain.get("reading")})


# --- what is approved -------------------------------------------------------------------------------------------------


def design_paths(roster: Roster, sequence: Sequence) -> tuple[str, ...]:
    """The files that an approval of the design is bound to; the decisions are too, but for their last section."""
    placed = (one.agent_name for phase in sequence.execution_phases for one in phase.agents)
    working = {*roster.of_kind("doer"), *roster.of_kind("poc"), *placed}
    fixed = (
        places.STACK, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.COORDINATION,
        places.POC_SPECS, places.RISK_REPORT,
    )  # fmt: skip
    return tuple(sorted({*fixed, *map(places.instructions, working)}))


def digest(shas: Mapping[str, str], decisions: str) -> str:
    """One digest of all of it: `shas` of the paths above, and the decisions. What was added to those since is aside."""
    kept = sha256(_approved(decisions).encode()).hexdigest()
    return sha256(json.dumps(sorted({**shas, places.DECISIONS: kept}.items())).encode()).hexdigest()


def _approved(decisions: str) -> str:
    try:
        return architecture.without_evolution(decisions)
    except DocumentError:  # there is no such section: all of it counts
        return decisions
