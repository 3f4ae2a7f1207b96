"""`design_verification.json`: what code and a reader found in a design; and the digest under which it is approved."""

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


parse = jsonio.parser(Verification, "verification")


def render(value: Verification) -> str:
    """The verification as people read it; `null` says that no reader has read the design yet."""
    plain = value.model_dump(mode="json", exclude_none=True)
    return jsonio.written({**plain, "reading": plain.get("reading")})


def design_paths(roster: Roster, sequence: Sequence) -> tuple[str, ...]:
    """The files that an approval of the design is bound to; the decisions are bound too, except their last section."""
    placed = (one.agent_name for phase in sequence.execution_phases for one in phase.agents)
    working = {*roster.of_kind("doer"), *roster.of_kind("poc"), *placed}
    fixed = (
        places.STACK, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.COORDINATION,
        places.POC_SPECS, places.RISK_REPORT,
    )  # fmt: skip
    return tuple(sorted({*fixed, *map(places.instructions, working)}))


def digest(shas: Mapping[str, str], decisions: str) -> str:
    """One digest of the design: `shas` of the paths above, and the decisions without their evolution notes."""
    try:
        approved = without_evolution(decisions)
    except DocumentError:  # there is no such section: all of it counts
        approved = decisions
    kept = sha256(approved.encode()).hexdigest()
    return sha256(json.dumps(sorted({**shas, places.DECISIONS: kept}.items())).encode()).hexdigest()
