"""`validation_checkpoints.json`: what proves each doer's work, and who looks at the proof."""

from __future__ import annotations

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId, default_verifier


class Criterion(Form):
    """One measurable thing; `command` is what shows it, where a command can."""

    id: Text
    text: Text
    evidence: Text
    command: str | None = None


class FailureMode(Form):
    """What can go wrong, and what is done about it."""

    mode: Text
    remediation: Text


class Checkpoint(Form):
    """The validation between a doer and everybody who waits for it."""

    id: Text
    doer: Name
    verifier: Name | None = None
    criteria: tuple[Criterion, ...]
    failure_modes: tuple[FailureMode, ...] = ()

    @property
    def verified_by(self) -> str:
        """The verifier that is named, or the doer's own."""
        return self.verifier or default_verifier(self.doer)


class Checkpoints(Form):
    """All validations."""

    task_id: TaskId
    created: Epoch
    checkpoints: tuple[Checkpoint, ...]

    def of(self, doer: str) -> Checkpoint | None:
        """The validation of one doer."""
        return next((one for one in self.checkpoints if one.doer == doer), None)


def parse(data: bytes, path: str) -> Checkpoints:
    return jsondoc.parse(Checkpoints, data, path, rule="checkpoints")


render = jsondoc.render
