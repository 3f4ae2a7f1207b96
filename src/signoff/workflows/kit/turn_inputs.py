"""What code that takes a turn is given: the inputs that the turn names, and the notes of its brief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from signoff.core.declarations import Assignment, Tools
from signoff.core.errors import SignoffError

SOURCES = "0-sources/"
Payload = dict[str, Any]


@dataclass(frozen=True)
class Inputs:
    """One turn's inputs. What the turn does not name is not there."""

    assignment: Assignment
    tools: Tools

    @property
    def notes(self) -> Mapping[str, Any]:
        return self.assignment.start.notes

    @cached_property
    def named(self) -> tuple[str, ...]:
        start = self.assignment.start
        return tuple(ref.path for ref in start.pinned) or start.reads

    def data(self, path: str) -> bytes | None:
        """The bytes of an input; None if the turn does not have it."""
        try:
            return self.tools.read(path) if path in self.named else None
        except SignoffError:
            return None
