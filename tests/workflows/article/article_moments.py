"""An article that was copied after every commit, so that a test can go on from any moment of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from article_project import ArticleProject, own

from signoff.core.events import Event
from signoff.core.state import State
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import Watcher


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
        return ArticleProject(folder, self.name).copied(into)


def results(project: ArticleProject) -> dict[str, bytes]:
    """Everything that an article leaves beside its run's own folder."""
    folders = ("config", "knowledge", "outline", "drafts", "output")
    found = (path for folder in folders for path in sorted((project.root / folder).rglob("*")) if path.is_file())
    return {path.relative_to(project.root).as_posix(): path.read_bytes() for path in found}
