"""Articles as real projects on disk: the shipped example, and a person who chooses."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from signoff.core.state import State
from signoff.core.workflow import RolePlayer
from signoff.service import driving, runs
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.live import LiveRun
from signoff.shell.runtimes import Offline
from signoff.workflows.article.article import ArticleState, own_of
from signoff.workflows.article.definition import WORKFLOW
from signoff.workflows.article.players import PLAYERS

EXAMPLE = Path(__file__).parents[2] / "examples" / "heat-treatment"
TOPIC = "quench-oil-maintenance"
PERSON = "person:ada"
T = TypeVar("T")


@dataclass
class ArticleProject:
    """A copy of the example, and the service on it; every act opens the run afresh, as another process would."""

    root: Path
    name: str = TOPIC
    state: State = field(default_factory=State)

    @classmethod
    def example(cls, root: Path, name: str = TOPIC) -> ArticleProject:
        shutil.copytree(EXAMPLE, root, dirs_exist_ok=True)
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
        async def doing() -> None:
            await driving.begin_or_go_on(self.opened(), WORKFLOW, self.name, params)

        asyncio.run(doing())

    def drive(self, players: Mapping[str, RolePlayer] | None = None) -> State:
        workflow = replace(WORKFLOW, players=players or PLAYERS)
        return self.go(lambda live: runs.drive(live, Offline(workflow)))

    def answer(self, act: str, **payload: Any) -> None:
        """Chooses in the request that has this option."""

        async def doing(live: LiveRun) -> None:
            await live.refresh()
            [ask] = [ask for ask in live.state.requests.values() if act in ask.options]
            await runs.answer(live, ask.request, act, PERSON, payload)

        self.go(doing)

    def text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def asked_again(self, agent: str) -> list[str]:
        """The briefs of second attempts."""
        again = (turn / "brief-2.md" for turn in self.turns(agent))
        return [path.read_text("utf-8") for path in again if path.exists()]

    def turns(self, agent: str) -> list[Path]:
        """The folders of an agent's turns, in their order."""
        return sorted((self.root / f"_workflow/article/{self.name}/turns").glob(f"*-{agent}"))

    @property
    def journal(self) -> str:
        return self.text(f"_workflow/article/{self.name}/journal.jsonl")


def own(state: State) -> ArticleState:
    return own_of(state)
