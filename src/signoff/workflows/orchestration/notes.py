"""Completion-drive notes: what an agent assumed or did not know, and who settled it. Agents say it, code keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from signoff.artifacts.forms import Form, Text, repeated
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.authority import Category
from signoff.workflows.orchestration.ids import Epoch, TaskId

NoteStatus = Literal["open", "resolved", "escalated"]
Resolver = Literal["agent_self", "workflow_executor", "user", "escalation_resolution"]
NoteId = Annotated[str, Field(pattern=r"^note_[0-9]{3,6}$", description="as code gave it: note_001")]

MOST: Final = 200
"""So many notes a turn may say: every one of them is compared with all others, and somebody has to settle it."""
LONGEST: Final = 4_000
"""So many characters each part of a note may have: people read it, and every later turn of its agent."""

SETTLING: Final = ("resolution", "resolved_by", "resolution_timestamp")
NEEDS: Final[Mapping[NoteStatus, tuple[str, ...]]] = {
    "open": (),
    "resolved": SETTLING,
    "escalated": ("escalation_reason",),
}
FORBIDS: Final[Mapping[NoteStatus, tuple[str, ...]]] = {
    "open": (*SETTLING, "escalation_reason"),
    "resolved": (),
    "escalated": SETTLING,
}
"""What a note of each status has and has not (OR-19). One that was escalated and is settled still says why it was."""


class Said(Form):
    """A note as an agent says it: a new one has no `note_id`, one of its own session is taken up again by it."""

    note_id: NoteId | None = None
    description: Text = Field(max_length=LONGEST)
    context: Text = Field(max_length=LONGEST)
    category: Category | None = Field(None, description="left out of a note that is taken up, it stays what it is")
    status: NoteStatus = "open"
    resolution: str | None = Field(None, max_length=LONGEST)
    escalation_reason: str | None = Field(None, max_length=LONGEST)


class Note(Form):
    """A note as the session has it. What its status requires is there, and nothing that contradicts it."""

    note_id: NoteId
    timestamp: Epoch
    description: Text
    context: Text
    category: Category | None = None
    status: NoteStatus
    resolution: Text | None = None
    resolved_by: Resolver | None = None
    resolution_timestamp: Epoch | None = None
    escalation_reason: Text | None = None

    @model_validator(mode="after")
    def _as_its_status_says(self) -> Note:
        missing = [name for name in NEEDS[self.status] if getattr(self, name) is None]
        surplus = [name for name in FORBIDS[self.status] if getattr(self, name) is not None]
        if missing:
            raise ValueError(f"{self.note_id} is {self.status} and has no {', no '.join(missing)}")
        if surplus:
            raise ValueError(f"{self.note_id} is {self.status}, but has {', '.join(surplus)}")
        return self


class Session(Form):
    """`completion_drive/session_current.json`."""

    task_id: TaskId
    session_start: Epoch
    notes: tuple[Note, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Session:
        if twice := [note_id for _, note_id in repeated([note.note_id for note in self.notes])]:
            raise ValueError(f"{', '.join(dict.fromkeys(twice))}: there is more than one note of this id")
        return self


def parse(data: bytes, path: str) -> Session:
    return jsondoc.parse(Session, data, path, rule="session")


render = jsondoc.render
