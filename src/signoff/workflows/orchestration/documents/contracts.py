"""`file_contracts.json` and `validation_checkpoints.json`: the files of each agent, and the proof of its work."""

from __future__ import annotations

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId, default_verifier


class Read(Form):
    """A file that an agent needs; `from` names the agent that writes it, and is left out if the file exists before."""

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
    """One agent's reads and writes; `resources` are what no other agent may use while it works."""

    reads: tuple[Read, ...] = ()
    writes: tuple[Written, ...] = ()
    resources: tuple[Text, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path in the contract, reads first."""
        return (*(one.path for one in self.reads), *(one.path for one in self.writes))


class FileContracts(Form):
    """The contracts of all agents."""

    task_id: TaskId
    created: Epoch
    agents: dict[Name, FileContract]

    @property
    def paths(self) -> set[str]:
        """Every path in a contract."""
        return {path for contract in self.agents.values() for path in contract.paths}


class Criterion(Form):
    """A measurable condition; `command` shows it, if a command can."""

    id: Text
    text: Text
    evidence: Text
    command: str | None = None


class FailureMode(Form):
    """What can go wrong, and what is done then."""

    mode: Text
    remediation: Text


class Checkpoint(Form):
    """The validation of a doer's work, before the agents that wait for it begin."""

    id: Text
    doer: Name
    verifier: Name | None = None
    criteria: tuple[Criterion, ...]
    failure_modes: tuple[FailureMode, ...] = ()

    @property
    def verified_by(self) -> str:
        """The named verifier, or else the doer's own."""
        return self.verifier or default_verifier(self.doer)


class Checkpoints(Form):
    """The validations of all doers."""

    task_id: TaskId
    created: Epoch
    checkpoints: tuple[Checkpoint, ...]

    def of(self, doer: str) -> Checkpoint | None:
        """The validation of one doer."""
        return next((one for one in self.checkpoints if one.doer == doer), None)


parse_contracts = jsonio.parser(FileContracts, "contracts")
parse_checkpoints = jsonio.parser(Checkpoints, "checkpoints")
render = jsonio.render
