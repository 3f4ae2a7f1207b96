"""What comes of work: a doer's own word, a verifier's verdict, the assessment of a PoC, and what is decided on them."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch, TaskId
from signoff.workflows.orchestration.named_edits import Edit
from signoff.workflows.orchestration.notes import MOST, Said

EDITS: Final = 100
"""So many named edits an agent may propose at once: a person reads what each of them does."""


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
    """`verification_results.json`: there only while the last verification failed."""

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
    """`risk/poc_reviews/{poc_id}.json`."""

    assessment: Literal["pass", "partial", "fail"]
    decision: Literal["proceed", "adapt", "escalate"]
    rationale: Text
    edits: tuple[Edit, ...] = ()


render = jsondoc.render
