"""An article that was copied after every commit, so that a test can go on from any moment of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from article_project import ArticleProject, own

from signoff.artifacts import yamlio
from signoff.core.events import Event, Gathered
from signoff.core.state import State
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.live import LiveRun, Watcher
from signoff.workflows.article.players import PLAYERS

Output = dict[str, Any]


@dataclass
class Watched(ArticleProject):
    """A project whose folder is copied after every commit; `moments` has the copies, and the step each is in."""

    moments: list[tuple[str, Path]] = field(default_factory=list)
    _copied: int = 0

    def opened(self) -> Project:
        project = Project(self.root, watcher=Watcher(applied=self._copy))
        project.clock = from_revision
        return project

    def _copy(self, _event: Event, state: State) -> None:
        commits = self.journal.count("\n")
        if commits == self._copied:  # several events of one commit: the last of them says where it leads
            self.moments[-1] = (own(state).step, self.moments[-1][1])
            return
        self._copied = commits
        folder = self.root.parent / f"moment-{commits}"
        shutil.copytree(self.root, folder)
        self.moments.append((own(state).step, folder))

    def at(self, step: str, into: Path) -> ArticleProject:
        """A project that has just come to this step."""
        folder = next(folder for name, folder in self.moments if name == step)
        return copied(ArticleProject(folder, self.name), into)


def copied(project: ArticleProject, into: Path) -> ArticleProject:
    shutil.copytree(project.root, into, dirs_exist_ok=True)
    return ArticleProject(into, project.name)


def to_the_end(project: ArticleProject, players: Mapping[str, RolePlayer] = PLAYERS, thesis: str = "thesis-1") -> State:
    """Goes on from wherever it is; a person chooses this thesis when they are asked for one."""
    project.state = project.drive(players)
    if own(project.state).step == "thesis":
        project.answer(thesis)
        project.state = project.drive(players)
    return project.state


def edited(project: ArticleProject, path: str, edit: Callable[[str], str]) -> None:
    """A person changes a document: in an editor, between two processes."""
    before = project.text(path)
    after = edit(before)
    assert after != before, "the edit changes nothing"
    (project.root / path).write_text(after, "utf-8")


def spoiling(agent: str, contract: str, spoil: Callable[[Output], None]) -> dict[str, RolePlayer]:
    """The players, one of whom gives something else under one contract."""

    def play(assignment: Assignment, tools: Tools) -> Any:
        said = PLAYERS[agent](assignment, tools)
        if assignment.start.contract != contract:
            return said
        output = yamlio.load_mapping(str(said), "")
        spoil(output)
        return yamlio.dump(output)

    return {**PLAYERS, agent: play}


def fetched(project: ArticleProject) -> list[str]:
    """The address of every page that was ever fetched, as often as it was."""

    async def told(live: LiveRun) -> list[str]:
        await live.sync()
        found = (event for event in live.events if isinstance(event, Gathered))
        return [url for event in found for url in event.pages]

    return project.go(told)


def results(project: ArticleProject) -> dict[str, bytes]:
    """Everything that an article leaves beside its run's own folder."""
    folders = ("config", "knowledge", "outline", "drafts", "output")
    found = (path for folder in folders for path in sorted((project.root / folder).rglob("*")) if path.is_file())
    return {path.relative_to(project.root).as_posix(): path.read_bytes() for path in found}
