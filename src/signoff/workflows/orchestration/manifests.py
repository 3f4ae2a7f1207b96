"""`task_output/manifest.json`: what an agent has written, in which version, so that others know what they built on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from signoff.artifacts.forms import Form, Text, repeated
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch
from signoff.workflows.orchestration.work import Worker

Version = Annotated[int, Field(ge=1, strict=True, description="a whole number from 1")]


class Entry(Form):
    """One file of an agent. `version` is that of the work in which the file was last changed."""

    path: Text
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="64 hexadecimal digits")
    version: Version
    written_at: Epoch


class Manifest(Form):
    """All files of an agent, as of one version."""

    version: Version
    files: tuple[Entry, ...] = ()

    @model_validator(mode="after")
    def _adds_up(self) -> Manifest:
        if twice := [path for _, path in repeated([one.path for one in self.files])]:
            raise ValueError(f"{', '.join(dict.fromkeys(twice))}: there is more than one entry of this path")
        if later := [one.path for one in self.files if one.version > self.version]:
            raise ValueError(f"{', '.join(later)}: changed in a version after {self.version}, that of the manifest")
        return self

    @staticmethod
    def of(worker: Worker) -> Manifest:
        """The manifest of an agent's work so far; one that has written nothing has none."""
        entries = tuple(
            Entry(path=path, sha256=sha, version=worker.written[path][0], written_at=worker.written[path][1])
            for path, sha in sorted(worker.files.items())
        )
        return Manifest(version=worker.version, files=entries)


def parse(data: bytes, path: str) -> Manifest:
    return jsondoc.parse(Manifest, data, path, rule="manifest")


render = jsondoc.render
