"""Small articles as real projects on disk: one document, scripted agents, and a person who chooses."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import small_article as small
from article_agents import AGENTS

from signoff.core.declarations import RolePlayer
from signoff.core.events import Gathered
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.runtime import Misbehaving, Offline
from signoff.workflows.article import places
from signoff.workflows.article.faults import FAULTS
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.article.workflow import WORKFLOW

__all__ = ["AGENTS", "PERSON", "TOPIC", "ArticleProject", "own"]

TOPIC = small.TOPIC
PERSON = Actor(Via.NAMED, "ada")
T = TypeVar("T")


@dataclass
class ArticleProject:
    """A project with one article, and the service on it; every act opens the run afresh, as another process would."""

    root: Path
    name: str = TOPIC
    state: State = field(default_factory=State)

    @classmethod
    def laid_out(cls, root: Path, name: str = TOPIC) -> ArticleProject:
        """The document that the article is made of, and a brief."""
        for path, text in {small.URL: small.DOCUMENT, places.BRIEF: "# Brief\n"}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        return cls(root, name)

    def opened(self) -> Project:
        project = Project(self.root)
        project.clock = from_revision
        return project

    def go(self, act: Callable[[LiveRun], Coroutine[Any, Any, T]]) -> T:
        async def doing() -> T:
            return await act(await self.opened().open(self.name))

        return asyncio.run(doing())

    def begin(self, **params: Any) -> None:
        """An opinion in English, of which these parameters say something else."""

        async def doing() -> None:
            told = {"type": "opinion", "language": "en", **params}
            await run_control.begin_or_go_on(self.opened(), WORKFLOW, self.name, told)

        asyncio.run(doing())

    def drive(self, faults: str = "", agents: Mapping[str, RolePlayer] = AGENTS) -> State:
        """Lets the agents work until a person is asked or the article is finished."""
        runtime = Misbehaving(Offline(agents), FAULTS.planned(faults)) if faults else Offline(agents)
        self.state = self.go(lambda live: runs.drive(live, runtime))
        return self.state

    def to_the_end(
        self, faults: str = "", agents: Mapping[str, RolePlayer] = AGENTS, thesis: str = "thesis-1"
    ) -> State:
        """Goes on from wherever it is; a person chooses this thesis when they are asked for one."""
        runtime = Misbehaving(Offline(agents), FAULTS.planned(faults)) if faults else Offline(agents)

        async def doing(live: LiveRun) -> State:
            state = await runs.drive(live, runtime)
            [*asked] = (ask for ask in state.requests.values() if ask.key == "thesis")
            for ask in asked:
                await runs.answer(live, ask.request, thesis, PERSON, {})
                state = await runs.drive(live, runtime)
            return state

        self.state = self.go(doing)
        return self.state

    def answer(self, act: str, **payload: Any) -> None:
        """Chooses in the request that has this option."""

        async def doing(live: LiveRun) -> None:
            await live.refresh()
            [ask] = [ask for ask in live.state.requests.values() if act in ask.options]
            await runs.answer(live, ask.request, act, PERSON, payload)

        self.go(doing)

    def edit(self, path: str, edit: Callable[[str], str]) -> None:
        """A person changes a document: in an editor, between two processes."""
        before = self.text(path)
        after = edit(before)
        assert after != before, "the edit changes nothing"
        (self.root / path).write_text(after, "utf-8")

    def copied(self, into: Path) -> ArticleProject:
        shutil.copytree(self.root, into, dirs_exist_ok=True)
        return ArticleProject(into, self.name)

    def text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def asked_again(self, agent: str) -> list[str]:
        """The briefs of second attempts."""
        again = (turn / "brief-2.md" for turn in self.turns(agent))
        return [path.read_text("utf-8") for path in again if path.exists()]

    def turns(self, agent: str) -> list[Path]:
        """The folders of an agent's turns, in their order."""
        return sorted((self.root / f"_workflow/article/{self.name}/turns").glob(f"*-{agent}"))

    def fetched(self) -> list[str]:
        """The address of every page that was ever fetched, as often as it was."""

        async def told(live: LiveRun) -> list[str]:
            await live.sync()
            found = (event for event in live.events if isinstance(event, Gathered))
            return [url for event in found for url in event.pages]

        return self.go(told)

    @property
    def journal(self) -> str:
        return self.text(f"_workflow/article/{self.name}/journal.jsonl")


def own(state: State) -> ArticleState:
    return own_of(state)
