"""What a role player has on its desk: the notes of its brief, the draft and the foundation documents as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from signoff.artifacts import yamlio
from signoff.artifacts.textio import decode
from signoff.core.errors import SignoffError
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.workflows.content.rules.foundation import idea_text
from signoff.workflows.desk import Inputs, Payload
from signoff.workflows.wording import folded

__all__ = ["Desk", "Idea", "Payload", "player"]

FOUNDATION: Final = "foundation"
Work = Callable[["Desk"], Payload]


@dataclass(frozen=True, slots=True)
class Idea:
    """What the text is about; what the notes do not say is empty."""

    title: str
    audience: str
    facts: tuple[str, ...]
    body: str

    @property
    def text(self) -> str:
        return idea_text(self.title, self.audience, self.facts, self.body)


@dataclass(frozen=True)
class Desk(Inputs):
    """One turn's inputs as text; what is no text is not read."""

    def text(self, path: str) -> str:
        """An input as text; empty where it is not there or is no text."""
        data = self.data(path)
        try:
            return "" if data is None else decode(data, path).removeprefix("\ufeff")
        except SignoffError:
            return ""

    @property
    def kind(self) -> str:
        return str(self.notes.get("type", ""))

    @cached_property
    def draft(self) -> str:
        return self.text(str(self.notes.get("draft", "")))

    @cached_property
    def idea(self) -> Idea | None:
        given = self.notes.get("idea")
        return _idea(given) if isinstance(given, Mapping) else None

    @cached_property
    def docs(self) -> dict[str, str]:
        """The documents that the notes name, as far as they are there, and the idea as one of them."""
        named = {str(doc): self.text(f"{FOUNDATION}/{doc}.md") for doc in self.notes.get("docs") or ()}
        there = {doc: text for doc, text in named.items() if text}
        return {**there, "idea": self.idea.text} if self.idea else there


def _idea(given: Mapping[str, Any]) -> Idea:
    facts = given.get("facts") or ()
    listed = facts if isinstance(facts, list | tuple) else (facts,)
    return Idea(
        title=folded(str(given.get("title") or given.get("id") or "")),
        audience=folded(str(given.get("audience") or "")),
        facts=tuple(fact for each in listed if (fact := folded(str(each)))),
        body=str(given.get("body") or ""),
    )


def player(work: Work) -> RolePlayer:
    """A player from its work: the same assignment over the same inputs gives the same YAML, byte for byte."""

    def play(assignment: Assignment, tools: Tools) -> str:
        return yamlio.dump(work(Desk(assignment, tools)))

    return play
