"""What a role player has on its desk: the config as it stands, the pages it may read, and the notes of its brief."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from signoff.artifacts import yamlio
from signoff.artifacts.textio import decode
from signoff.core.errors import SignoffError
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.workflows.article.players import reading
from signoff.workflows.article.players.reading import Reading
from signoff.workflows.desk import Inputs, Payload

__all__ = ["Desk", "Payload", "Work", "blocked", "player"]

PAGES = "-pages/"
BRIEF = "0-sources/brief.md"


@dataclass(frozen=True)
class Desk(Inputs):
    """One turn's inputs, read when they are asked for."""

    def text(self, path: str) -> str:
        """An input as text; empty where the turn does not have it or it is no text."""
        data = self.data(path)
        try:
            return "" if data is None else decode(data, path).removeprefix("\ufeff")
        except SignoffError:
            return ""

    def note(self, name: str, default: Any = "") -> Any:
        """What the brief says under this name; the default where it says nothing."""
        found = self.notes.get(name)
        return default if found is None else found

    @cached_property
    def topic(self) -> str:
        return str(self.note("topic"))

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """`config/{topic}.json`; empty before it is made."""
        try:
            found = json.loads(self.text(f"config/{self.topic}.json") or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def told(self, *path: str, default: Any = "") -> Any:
        """A value of the config, by its path; the default where it is not there."""
        found: Any = self.config
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        return default if found is None else found

    def research(self, *path: str, default: Any = "") -> Any:
        return self.told("workflowState", "research", *path, default=default)

    @cached_property
    def language(self) -> str:
        return "zh" if (self.note("language") or self.told("language")) == "zh" else "en"

    @cached_property
    def type(self) -> str:
        return str(self.note("type") or self.told("articleType") or "opinion")

    @cached_property
    def subject(self) -> str:
        """What the article is about, in its own language."""
        return str(self.told("authorPersona", "specialty") or self.note("about") or self.topic.replace("-", " "))

    @cached_property
    def brief(self) -> str:
        return self.text(BRIEF)

    @cached_property
    def pages(self) -> tuple[Reading, ...]:
        """The pages of this turn in the language of the article: those that the notes list, or else all it has."""
        listed = [(str(page["path"]), str(page["url"]), str(page.get("title", ""))) for page in self.note("pages", ())]
        named = listed or [(path, "", "") for path in sorted(self.named) if PAGES in path]
        found = (reading.read(self.text(path), url, title) for path, url, title in named)
        return tuple(page for page in found if page.passages and page.language == self.language)

    def page(self, url: str) -> Reading | None:
        return next((page for page in self.pages if page.url == url), None)


Work = Callable[[Desk], Payload]


def player(agent: str, works: Mapping[str, Work]) -> RolePlayer:
    """A player from its work by contract: the same assignment over the same inputs gives the same YAML."""

    def play(assignment: Assignment, tools: Tools) -> str:
        payload = works[assignment.start.contract](Desk(assignment, tools))
        return yamlio.dump({"agent": agent, "status": "complete", "blockers": [], "notes": [], **payload})

    return play


def blocked(blockers: Sequence[str]) -> Payload:
    """Nobody but a person can go on: what is missing, and what to do."""
    return {"status": "blocked", "blockers": list(blockers)}
