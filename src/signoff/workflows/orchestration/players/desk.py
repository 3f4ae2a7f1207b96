"""What a role player has on its desk: the documents that its turn names, read as values, and the notes of its brief."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from signoff.artifacts import yamlio
from signoff.artifacts.markdown_spans import squeeze
from signoff.artifacts.textio import decode
from signoff.core.errors import SignoffError
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.workflows.desk import SOURCES, Inputs, Payload
from signoff.workflows.orchestration import checkpoints as points
from signoff.workflows.orchestration import decisions, file_contracts, places, risks
from signoff.workflows.orchestration import plan as planning
from signoff.workflows.orchestration import roster as rosters
from signoff.workflows.orchestration import stack as stacks
from signoff.workflows.orchestration.checkpoints import Checkpoints
from signoff.workflows.orchestration.decisions import Decided
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.players.statements import Reading
from signoff.workflows.orchestration.risks import Research
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.stack import Stack

__all__ = ["Desk", "Payload", "player", "reading_of"]

Work = Callable[["Desk"], Payload]
T = TypeVar("T")


@dataclass(frozen=True)
class Desk(Inputs):
    """One turn's inputs as values."""

    def text(self, path: str) -> str:
        """An input as text; empty where it is not there or is no text."""
        data = self.data(path)
        try:
            return "" if data is None else decode(data, path).removeprefix("\ufeff")
        except SignoffError:
            return ""

    def note(self, name: str) -> str:
        return str(self.notes.get(name) or "")

    @property
    def task(self) -> str:
        return self.note("task")

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        """Every input that can be read, by its path."""
        return {path: data for path in self.named if (data := self.data(path)) is not None}

    @cached_property
    def reading(self) -> Reading:
        """The summary, read."""
        return reading_of(self._given(places.summary(self.task)), places.summary(self.task))

    @cached_property
    def stack(self) -> Stack:
        return stacks.parse(self._given(places.STACK), places.STACK)

    @cached_property
    def decided(self) -> Decided:
        return decisions.parse(self._given(places.DECISIONS), places.DECISIONS)

    @cached_property
    def roster(self) -> Roster:
        return rosters.parse(self._given(places.ROSTER), places.ROSTER)

    @cached_property
    def contracts(self) -> FileContracts:
        return file_contracts.parse(self._given(places.CONTRACTS), places.CONTRACTS)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        return points.parse(self._given(places.CHECKPOINTS), places.CHECKPOINTS)

    @cached_property
    def research(self) -> tuple[Research, ...]:
        """What research there is, in the order of its files."""
        return self.every(places.RESEARCH, risks.parse_research)

    def every(self, folder: str, parse: Callable[[bytes, str], T]) -> tuple[T, ...]:
        """The inputs below a folder as values."""
        found = sorted(path for path in self.files if path.startswith(folder))
        return tuple(parse(self.files[path], path) for path in found)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The project's own notes, by path."""
        return {path: self.text(path) for path in sorted(self.files) if path.startswith(SOURCES)}

    @property
    def rejected(self) -> str:
        """Why a person sent the last version back."""
        return squeeze(self.note("rejected"))

    def _given(self, path: str) -> bytes:
        """An input that the turn cannot do without; an empty one is told what it lacks when it is read."""
        return self.data(path) or b""


def reading_of(data: bytes, path: str) -> Reading:
    """A summary as the players read it."""
    return Reading(planning.parse(data, path), decode(data, path).removeprefix("\ufeff"))


def player(work: Work) -> RolePlayer:
    """A player from its work: the same assignment over the same inputs gives the same YAML, byte for byte."""

    def play(assignment: Assignment, tools: Tools) -> str:
        return yamlio.dump(work(Desk(assignment, tools)))

    return play
