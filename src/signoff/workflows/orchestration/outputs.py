"""What agents of the design give back, each under its contract; statuses, counts and flags are computed by code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.artifacts.replies import read
from signoff.workflows.orchestration.changelog import Change, NotTaken
from signoff.workflows.orchestration.checkpoints import Checkpoint
from signoff.workflows.orchestration.decisions import Architecture
from signoff.workflows.orchestration.file_contracts import FileContract
from signoff.workflows.orchestration.ids import Name
from signoff.workflows.orchestration.named_edits import AddPoc
from signoff.workflows.orchestration.plan import Plan
from signoff.workflows.orchestration.reviews import Order, Review
from signoff.workflows.orchestration.risks import Checklist, Consultation, Findings, Poc
from signoff.workflows.orchestration.roster import Proposed
from signoff.workflows.orchestration.stack import Choices
from signoff.workflows.orchestration.verdicts import (
    AssessmentOutput,
    LoopOutput,
    PocDecisionOutput,
    ResolutionOutput,
    TacticalOutput,
    VerdictOutput,
    WorkOutput,
)


class ArchitectOutput(Form):
    """The drafts of the architecture, and the order in which they are reviewed."""

    stack: Choices
    architecture: Architecture
    review: Order


class TsaOutput(Form):
    """The drafts as they are after one review; what stays as it was is left out. Every change is named."""

    technology_stack: Choices | None = None
    architecture_decisions: str | None = Field(None, description="the whole Markdown document, as it is after the turn")
    changes: tuple[Change, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()


class RosterOutput(Form):
    """Who is needed."""

    agents: dict[Name, Proposed] = Field(min_length=1)


class ContractsOutput(Form):
    """What each agent of the roster reads and writes."""

    agents: dict[Name, FileContract] = Field(min_length=1)


class CheckpointsOutput(Form):
    """What proves each doer's work."""

    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)


class Use(Form):
    """A file of the contract, and what it is for in this task."""

    path: Text
    purpose: Text


class InstructionsOutput(Form):
    """What goes into one agent's instructions; the rest comes from the template, the contract and the checkpoint."""

    agent: Name
    task: Text = Field(
        description="the task in Markdown, without headings: what to do, in which order, within which limits"
    )
    inputs: tuple[Use, ...] = Field((), description="every file that the contract lets the agent read")
    outputs: tuple[Use, ...] = Field((), description="every file that the contract has the agent write")
    evidence: tuple[Text, ...] = Field(min_length=1, description="what the agent hands over to prove its work")


class PracticesOutput(Form):
    """Which practices go into whose instructions, word for word from the research."""

    practices: dict[Name, tuple[Text, ...]]


class PocsOutput(Form):
    """Which assumptions are tried, and which risks are borne."""

    pocs: tuple[Poc, ...] = ()
    borne: dict[str, Text] = Field(default_factory=dict, description="risk id: why no PoC is needed for it")


class IntegrationOutput(Form):
    """Where the PoCs come in."""

    edits: tuple[AddPoc, ...] = ()


class Seen(Form):
    """One thing that a reader of the design noticed."""

    severity: Literal["error", "warning"]
    area: Literal["roster", "contracts", "checkpoints", "instructions", "risk", "plan"]
    file: str = ""
    problem: Text
    repair: Text


class ReadingOutput(Form):
    """The design-verifier's reading, beside what code checks."""

    findings: tuple[Seen, ...] = ()
    gaps: tuple[Text, ...] = Field((), description="what the design leaves open on purpose or by mistake")


F = TypeVar("F", bound=Form)


def reader(form: type[F]) -> Callable[[bytes, str], F]:
    """How an output of this form is read."""
    return lambda data, path: read(form, data, path)


FORMS: dict[str, type[Form]] = {
    "plan": Plan,
    "architecture": ArchitectOutput,
    "review": Review,
    "tsa": TsaOutput,
    "roster": RosterOutput,
    "file-contracts": ContractsOutput,
    "checkpoints": CheckpointsOutput,
    "instructions": InstructionsOutput,
    "research": Findings,
    "checklist": Checklist,
    "consultation": Consultation,
    "pocs": PocsOutput,
    "poc-integration": IntegrationOutput,
    "practices": PracticesOutput,
    "design-reading": ReadingOutput,
    "work": WorkOutput,
    "tactical": TacticalOutput,
    "verdict": VerdictOutput,
    "resolution": ResolutionOutput,
    "loop": LoopOutput,
    "assessment": AssessmentOutput,
    "poc-decision": PocDecisionOutput,
}
"""The contracts by name."""
