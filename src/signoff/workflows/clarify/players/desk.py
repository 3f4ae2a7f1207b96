"""What a role player has on its desk: the inputs its turn names, as text, and the notes of its brief."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from signoff.artifacts import yamlio
from signoff.artifacts.textio import decode
from signoff.core.errors import SignoffError
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.workflows.clarify import clarifications
from signoff.workflows.clarify.clarifications import Clarifications
from signoff.workflows.desk import SOURCES, Inputs, Payload

__all__ = ["RESEARCH", "SOURCES", "Desk", "Payload", "player"]

RESEARCH = "/context/research/"
Work = Callable[["Desk"], Payload]


@dataclass(frozen=True)
class Desk(Inputs):
    """One turn's inputs as text; what is no text is not read."""

    def text(self, path: str) -> str | None:
        """An input as text, without its byte order mark; None where it is not there or is no text."""
        data = self.data(path)
        if data is None or data.startswith(b"%PDF-"):
            return None
        try:
            return decode(data, path).removeprefix("\ufeff")
        except SignoffError:
            return None

    @cached_property
    def clarifications(self) -> Clarifications:
        """The file with questions and answers; empty where the turn has none."""
        path = str(self.notes.get("path", ""))
        return clarifications.parse(self.text(path) or "", path or "clarifications.md")


def player(work: Work) -> RolePlayer:
    """A player from its work: the same assignment over the same inputs gives the same YAML, byte for byte."""

    def play(assignment: Assignment, tools: Tools) -> str:
        return yamlio.dump(work(Desk(assignment, tools)))

    return play
