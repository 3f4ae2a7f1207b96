"""The outputs of agents, one form for each contract. Code computes statuses, counts and flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeVar

from pydantic import Field

from signoff.artifacts.agent_output import read
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.design.named_edits import AddPoc, Edit
from signoff.workflows.orchestration.documents.agent_roster import Proposed
from signoff.workflows.orchestration.documents.architecture_decisions import Architecture
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.reviews import Order, Review
from signoff.workflows.orchestration.documents.risks import Checklist, Consultation, Findings, Poc
from signoff.workflows.orchestration.documents.technology_stack import Choices
from signoff.workflows.orchestration.documents.tsa_changelog import Change, NotTaken
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId
from signoff.workflows.orchestration.work.notes import MOST, Said


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


# --- the work ---------------------------------------------------------------------------------------------------------

EDITS: Final = 100
"""The most named edits in one proposal: a person reads the effect of each."""


class Evidence(Form):
    """What shows that a criterion is met."""

    criterion: Text = Field(description="the id of a criterion of the checkpoint, or of a PoC's list")
    shows: Text
    command: str = Field("", description="the command that was run, word for word, where one was")
    path: str = Field("", description="the file that holds the evidence, where one does")


class WorkOutput(Form):
    """The end of a doer's turn. `status` is proposed: code decides what it becomes."""

    status: Literal["working", "completion_drive_review", "ready_for_verification", "blocked"]
    summary: Text
    notes: tuple[Said, ...] = Field((), max_length=MOST)
    evidence: tuple[Evidence, ...] = Field((), max_length=MOST)


class Assessed(Form):
    """A criterion as somebody who looked at the evidence found it."""

    id: Text
    met: bool
    evidence: Text


class Judged(Assessed):
    """A criterion as the verifier found it: met, not met, or left out by a person, which is not met either."""

    left_out: bool = Field(False, description="a person who was asked about this criterion said that it is not needed")


class VerdictOutput(Form):
    """A verifier's verdict on one doer's work and notes."""

    result: Literal["pass", "fail"]
    criteria: tuple[Judged, ...] = Field(min_length=1)
    missing_evidence: tuple[Text, ...] = ()


class VerificationResults(Form):
    """`verification_results.json`: the file exists only while the last verification failed."""

    task_id: TaskId
    timestamp: Epoch
    result: Literal["fail"] = "fail"
    missing_evidence: tuple[Text, ...]


class Ruling(Form):
    """One question, decided within the architecture."""

    note_id: Text = Field(description="the note of the agent that asked")
    decision: Text
    ground: Text = Field(description="a heading or a sentence of the decisions, the stack or the plan, word for word")
    alternatives: str = Field("", description="what else was possible, and why not")
    means: str = Field("", description="what it means for whom")


class TacticalOutput(WorkOutput):
    """The end of a tactical turn: decisions for questions that a doer may not settle itself.

    A tactical task is worked on like any other: it has its own notes, a review in a turn of its own, and a verifier.
    """

    rulings: tuple[Ruling, ...] = ()


class ResolutionOutput(Form):
    """An escalation-resolution turn: it clears answers against other agents' tasks, or settles a conflict itself."""

    resolutions: dict[str, Text] = Field(default_factory=dict, description="note id: the validated answer")
    conflicts: dict[str, Text] = Field(default_factory=dict, description="note id: which other task it breaks, and how")
    edits: tuple[Edit, ...] = Field((), max_length=EDITS)


class LoopOutput(Form):
    """Why the same question comes again and again."""

    root_cause: Literal["circular_dependency", "planning_gap", "unclear_requirements"]
    explanation: Text
    edits: tuple[Edit, ...] = Field((), max_length=EDITS)
    questions: tuple[Text, ...] = ()


class AssessmentOutput(Form):
    """A PoC's evidence against its criteria."""

    assessment: Literal["pass", "partial", "fail"]
    criteria: tuple[Assessed, ...] = Field(min_length=1)
    rationale: Text


class PocDecisionOutput(Form):
    """What follows from a PoC."""

    decision: Literal["proceed", "adapt", "escalate"]
    rationale: Text
    edits: tuple[Edit, ...] = Field((), max_length=EDITS)


class PocReview(Form):
    """`risk/poc_reviews/{poc_id}.json`: the assessment of a PoC, and the decision after it."""

    assessment: Literal["pass", "partial", "fail"]
    decision: Literal["proceed", "adapt", "escalate"]
    rationale: Text
    edits: tuple[Edit, ...] = ()


F = TypeVar("F", bound=Form)


def reader(form: type[F]) -> Callable[[bytes, str], F]:
    """The parser of outputs of this form."""
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
"""The form of each contract, by name."""
