"""`file_contracts.json`: what each agent reads and writes. Overlapping patterns are one path."""

from __future__ import annotations

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId


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


class FileContracts(Form):
    """The contracts of all agents."""

    task_id: TaskId
    created: Epoch
    agents: dict[Name, FileContract]


def parse(data: bytes, path: str) -> FileContracts:
    return jsondoc.parse(FileContracts, data, path, rule="contracts")


render = jsondoc.render
