"""`design_verification.json`: the findings of code and of a reader; and the digest under which a design is approved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Literal, TypeAlias

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.core.errors import DocumentError
from signoff.core.findings import Severity
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.architecture_decisions import without_evolution
from signoff.workflows.orchestration.ids import Epoch, TaskId
from signoff.workflows.orchestration.outputs import ReadingOutput
from signoff.workflows.orchestration.sequence.work_sequence import Sequence

Area: TypeAlias = Literal["roster", "contracts", "checkpoints", "instructions", "risk", "plan"]


class Noted(Form):
    """One finding of a check, and the part of the design that has to be fixed."""

    rule: Text
    severity: Severity
    area: Area
    file: str = ""
    line: int | None = None
    about: str = ""
    problem: Text
    repair: Text


class Checked(Form):
    """One check of the list with its findings; warnings do not fail it."""

    check: Text
    result: Literal["pass", "fail"]
    findings: tuple[Noted, ...] = ()


class Verification(Form):
    """The whole verification; `reading` is None until the design-verifier has read the design."""

    task_id: TaskId
    created: Epoch
    result: Literal["pass", "fail"]
    checks: tuple[Checked, ...]
    reading: ReadingOutput | None = None


parse = jsonio.parser(Verification, "verification")


def render(value: Verification) -> str:
    """The verification as JSON; `"reading": null` says that no reader has read the design yet."""
    plain = value.model_dump(mode="json", exclude_none=True)
    return jsonio.written({**plain, "reading": plain.get("reading")})


def design_paths(roster: Roster, sequence: Sequence) -> tuple[str, ...]:
    """The files that an approval of the design covers; it also covers the decisions, except their last section."""
    placed = (one.agent_name for phase in sequence.execution_phases for one in phase.agents)
    working = {*roster.of_kind("doer"), *roster.of_kind("poc"), *placed}
    fixed = (
        places.STACK, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.COORDINATION,
        places.POC_SPECS, places.RISK_REPORT,
    )  # fmt: skip
    return tuple(sorted({*fixed, *map(places.instructions, working)}))


def digest(shas: Mapping[str, str], decisions: str) -> str:
    """One digest of the design: of `shas`, and of the decisions without their evolution notes."""
    try:
        approved = without_evolution(decisions)
    except DocumentError:  # without that section the whole text counts
        approved = decisions
    kept = sha256(approved.encode()).hexdigest()
    return sha256(json.dumps(sorted({**shas, places.DECISIONS: kept}.items())).encode()).hexdigest()
