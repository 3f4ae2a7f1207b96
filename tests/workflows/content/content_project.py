"""A small content project on disk, with an author and critics that say what a test tells them to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from content_agents import BROKEN, FAIR, GOOD, HIGH, NOBODY, agents, draft
from small_content import ADVISOR, NAME, ONE, TWO, documents

from signoff.core.commands import Reply
from signoff.core.declarations import Assignment, Conversation, RolePlayer, ToolCall, Tools
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.runtime import Offline, Runtime
from signoff.workflows.content.state import Piece, own_of
from signoff.workflows.content.steps.conductor import orchestrator
from signoff.workflows.content.workflow import WORKFLOW

__all__ = ["BROKEN", "FAIR", "GOOD", "HIGH", "PERSON", "Writing", "advisor", "lay_out"]

T = TypeVar("T")
PERSON = Actor(Via.NAMED, "ada")
Act = Callable[[LiveRun], Coroutine[Any, Any, T]]


@dataclass
class Writing:
    """One run; `says` has what each critic says, round by round, the last thing for ever."""

    root: Path
    says: Mapping[str, Sequence[str]] = field(default_factory=dict)
    name: str = NAME
    chosen: str = NOBODY
    author: Callable[[Mapping[str, Any]], str] = draft
    conducts: Callable[[Assignment, Tools], Conversation] = orchestrator
    judging: Callable[[Assignment], object] = lambda _assignment: None
    asked: list[str] = field(default_factory=list)
    briefs: dict[str, str] = field(default_factory=dict)
    replies: list[Reply] = field(default_factory=list)

    @property
    def agents(self) -> dict[str, RolePlayer]:
        """The scripted agents, who note what they were asked; `judging` is told before a critic speaks."""
        scripted = {**agents(self.says, self.chosen, self.author), "orchestrator": self.conducts}
        return {name: self._noting(play) for name, play in scripted.items()}

    def _noting(self, play: RolePlayer) -> RolePlayer:
        def noted(assignment: Assignment, tools: Tools) -> str | Conversation:
            self.asked.append(assignment.start.key)
            self.briefs[assignment.start.turn] = assignment.brief
            if assignment.start.agent == "critic":
                self.judging(assignment)
            return play(assignment, tools)

        return noted

    # --- acts ---

    def go(self, act: Act[T]) -> T:
        async def doing() -> T:
            project = Project(self.root)
            project.clock = from_revision
            live = await run_control.begin_or_go_on(project, WORKFLOW, self.name, {"type": "small"})
            return await act(live)

        return asyncio.run(doing())

    def run(self, runtime: Runtime | None = None) -> State:
        worker = runtime or Offline(self.agents)
        return self.go(lambda live: runs.drive(live, worker))

    def answer(self, key: str, act: str, **payload: Any) -> None:
        async def doing(live: LiveRun) -> None:
            await runs.answer(live, key, act, PERSON, payload)

        self.go(doing)

    @property
    def state(self) -> State:
        async def doing(live: LiveRun) -> State:
            return live.state

        return self.go(doing)

    @property
    def piece(self) -> Piece:
        return own_of(self.state)

    def text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def data(self, path: str) -> Any:
        return json.loads(self.text(path))

    # --- a conversation that a test writes ---

    def calling(self, *calls: tuple[str, Mapping[str, Any]]) -> None:
        """The conducting agent makes exactly these calls, and then goes on by the policy."""

        def conducts(assignment: Assignment, tools: Tools) -> Conversation:
            now = None
            for tool, args in calls:
                reply = yield ToolCall(tool, args)
                self.replies.append(reply)
                now = reply.result["now"] if reply.result else now
            notes = {**assignment.start.notes, **({"now": now} if now else {})}
            return (yield from orchestrator(replace(assignment, start=replace(assignment.start, notes=notes)), tools))

        self.conducts = conducts


def lay_out(root: Path, *named: str, rounds: int = 1, at_once: int = 2, more: Mapping[str, str] | None = None) -> Path:
    """The files of a small project."""
    for path, text in {**documents(*(named or (ONE, TWO)), rounds=rounds, at_once=at_once), **(more or {})}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root


def advisor(name: str, expertise: str = "words") -> str:
    return ADVISOR.format(id=name, expertise=expertise or "''")
