"""`shared_status.json`: the status of every agent. Only code writes it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId
from signoff.workflows.orchestration.sequence.work_sequence import Sequence

RunStatus = Literal["pending", "in_progress", "blocked", "failed", "complete"]
AgentStatus = Literal[
    "pending", "working", "completion_drive_review", "ready_for_verification", "verified", "blocked", "failed",
    "session_complete",
]  # fmt: skip
VerifierStatus = Literal["pending", "working", "verified", "failed"]
Gate = Literal["blocked", "clear"]


class AgentState(Form):
    """The state of a doer or a PoC; `dependencies` are the doers and PoCs that it waits for."""

    status: AgentStatus
    completion_drive_notes_count: int = Field(0, ge=0, strict=True)
    unresolved_notes: int = Field(0, ge=0, strict=True)
    dependencies: tuple[Name, ...] = ()
    last_update: Epoch | None = None


class VerifierState(Form):
    """The state of a verifier, and the agents whose work it verifies."""

    status: VerifierStatus
    assigned_agents: tuple[Name, ...] = Field(min_length=1)


class SharedStatus(Form):
    """The state of the whole work; the gate is blocked while any agent has an unresolved note."""

    task_id: TaskId
    status: RunStatus
    session_start: Epoch
    agents: dict[Name, AgentState]
    verification: dict[Name, VerifierState]
    overall_completion_drive_gate: Gate


parse = jsonio.parser(SharedStatus, "status")


def render(value: SharedStatus) -> str:
    """The status as JSON; an agent without any progress has `null` as its last update."""
    return value.model_dump_json(indent=2) + "\n"  # it may be large and is written at every commit: this is fast


def initial(roster: Roster, sequence: Sequence, session_start: int) -> SharedStatus:
    """The status before the work: every agent of the sequence is pending, without notes."""
    return SharedStatus(
        task_id=roster.task_id,
        status="pending",
        session_start=session_start,
        agents={name: AgentState(status="pending", dependencies=before) for name, before in sequence.waits_for.items()},
        verification={
            name: VerifierState(status="pending", assigned_agents=doers) for name, doers in sequence.verifies.items()
        },
        overall_completion_drive_gate="clear",
    )
