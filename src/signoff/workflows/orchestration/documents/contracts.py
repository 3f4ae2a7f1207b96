"""`file_contracts.json` and `validation_checkpoints.json`: what each agent reads and writes, and what proves its work.

Overlapping path patterns are one path.
"""

from __future__ import annotations

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId, default_verifier


class Read(Form):
    """A file that an agent needs; `from` is who writes it, nothing where it was there before."""

    path: Text
    source: Name | None = Field(None, alias="from")
    format: str = ""
    required: bool = True


class Written(Form):
    """A file or pattern that an agent writes."""

    path: Text
    format: str = ""
    description: str = ""


class FileContract(Form):
    """One agent's reads and writes; `resources` are what it needs for itself alone while it works."""

    reads: tuple[Read, ...] = ()
    writes: tuple[Written, ...] = ()
    resources: tuple[Text, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it names, reads first."""
        return (*(one.path for one in self.reads), *(one.path for one in self.writes))


class FileContracts(Form):
    """The contracts of all agents."""

    task_id: TaskId
    created: Epoch
    agents: dict[Name, FileContract]

    @property
    def paths(self) -> set[str]:
        """Every path that a contract names."""
        return {path for contract in self.agents.values() for path in contract.paths}


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


parse_contracts = jsonio.parser(FileContracts, "contracts")
parse_checkpoints = jsonio.parser(Checkpoints, "checkpoints")
render = jsonio.render
