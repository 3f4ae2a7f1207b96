"""What a role player has on its desk: the inputs its turn names, as text, and the notes of its brief."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from signoff.artifacts import yamlio
from signoff.artifacts.textio import decode
from signoff.core.errors import SignoffError
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.workflows.clarify import clarifications
from signoff.workflows.clarify.clarifications import Clarifications

SOURCES = "0-sources/"
RESEARCH = "/context/research/"
Payload = dict[str, Any]
Work = Callable[["Desk"], Payload]


@dataclass(frozen=True)
class Desk:
    """One turn's inputs. What the turn does not name is not there, and what is no text is not read."""

    assignment: Assignment
    tools: Tools

    @property
    def notes(self) -> Mapping[str, Any]:
        return self.assignment.start.notes

    @cached_property
    def named(self) -> tuple[str, ...]:
        start = self.assignment.start
        return tuple(ref.path for ref in start.pinned) or start.reads

    def text(self, path: str) -> str | None:
        """An input as text, without its byte order mark; None where it is not there or is no text."""
        if path not in self.named:
            return None
        try:
            data = self.tools.read(path)
            return None if data.startswith(b"%PDF-") else decode(data, path).removeprefix("\ufeff")
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
