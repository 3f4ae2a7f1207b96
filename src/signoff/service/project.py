"""A project: a folder that holds everything. This is where its runs are found, begun and opened."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.core.errors import CorruptError, DocumentError, RefusedError, UsageError
from signoff.core.events import Started
from signoff.core.terms import language_of
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.service.status_overview import SOURCES, STATUS, around, read
from signoff.shell import clock
from signoff.shell.files import inside, world
from signoff.shell.run import home_copies
from signoff.shell.run.briefs import crew
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.journal import Commit
from signoff.shell.run.live_run import LiveRun, Watcher

SLUG = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")


def find_root(start: Path) -> Path:
    """The project a folder belongs to: the nearest one above it that looks like a project, or the folder itself."""
    start = start.resolve()
    if not start.is_dir():
        raise UsageError(f"{start} is not a folder", repair="give the folder of the project")
    return around(start) or start


def _refuse_name(run: str) -> None:
    if not SLUG.fullmatch(run) or run == SOURCES:
        valid = "small letters and digits, joined by single hyphens or underscores: desk-lamp-2"
        raise UsageError(f"{run!r} is not a name for a run", valid=valid)


def _start(commits: Sequence[Commit]) -> Started | None:
    """How a run began: the first event of its journal."""
    first = commits[0].events[0] if commits else None
    return first if isinstance(first, Started) else None


class Run(LiveRun):
    """A run in its project: what every surface holds."""

    def __init__(self, project: Project, workflow: Workflow, name: str, commits: Sequence[Commit] = ()) -> None:
        super().__init__(workflow, project.store, name, project.clock, project.watcher, project.home)
        self.project = project
        for commit in commits:
            self.take(commit)

    @property
    def language(self) -> str:
        """The language in which people read of the run."""
        return language_of(self.state.params)

    def named(self, text: str) -> str:
        """A text in which values are replaced by their names in the language of the run."""
        return self.workflow.views.terms.shown(text, self.language)


class Project:
    """One project folder, and the runs in it."""

    def __init__(self, root: Path, *, watcher: Watcher | None = None) -> None:
        self.root = find_root(root)
        catalog.use_project(self.root)
        self.store = FolderStore(self.root)
        self.clock = clock.chosen()
        self.home = home_copies.chosen()
        self.watcher = watcher or Watcher()
        self._begun: dict[str, Started] = {}

    async def begin(
        self, workflow: Workflow, run: str, params: Mapping[str, Any], by: str = "person", at: str | None = None
    ) -> Run:
        """Begins a run; agents and skills are read first, so that nothing is spent on a crew that is not whole.

        `at` is when a recorded run began, for one that plays it: its agents' outputs name that time.
        """
        _refuse_name(run)
        await self._refuse_taken(workflow, run)
        crew(workflow, self.store)
        live = Run(self, workflow, run)
        full = {**params, "slug": run}
        self._refuse_without_sources(list(workflow.documents.sources))
        if lacking := workflow.setup.ready(full, self.store.read):
            raise DocumentError(lacking)
        async with self.store.locked(live.folder):
            for path, text in workflow.setup.scaffold(self.store.read).items():
                if self.store.read(path) is None:
                    self.store.write(path, text.encode(), durable=True)
            docs = live.found(full)
        await live.apply(
            lambda state, now: (
                None
                if state.rev
                else Started(
                    id="start",
                    at=at or now,
                    by=by,
                    workflow=workflow.name,
                    version=workflow.version,
                    run=run,
                    params=full,
                    docs=docs,
                )
            )
        )
        return live

    async def _refuse_taken(self, workflow: Workflow, run: str) -> None:
        """A run is opened by its name alone, so two workflows cannot have runs of one name."""
        for folder in self._named(run):
            started = await self._started(folder)
            if started and started.run == run and started.workflow != workflow.name:
                raise RefusedError(
                    f"{self.root} already holds a {started.workflow} run {run!r}",
                    valid="a name that no other run of the project has",
                    repair=f"go on with it by `signoff run {started.workflow} {run}`, or name the new one otherwise",
                )

    def _refuse_without_sources(self, places: Sequence[str]) -> None:
        if places and not self.store.digests(places):
            raise UsageError(
                f"there is nothing in {', '.join(str(self.root / place) for place in places)}",
                repair="go to the project's folder, give material with --source, or make a project with `signoff init`",
            )

    async def open(self, run: str) -> Run:
        """A run that has begun, at its newest revision. Its journal is read once, and no other run's."""
        started, commits = await self.journal(run)
        return Run(self, self.workflow_of(started), run, commits)

    def workflow_of(self, started: Started) -> Workflow:
        """The workflow of a run that has begun."""
        files = (f"{self.root}/{folder}/{STATUS}" for folder in self._named(started.run))
        known = (read(str(self.root), file) for file in files if os.path.exists(file))  # noqa: PTH110
        package = next((str(one.get("package", "")) for one in known if one["run"] == started.run), "")
        return catalog.workflow_of(started.run, started.workflow, package)

    async def kind(self, run: str) -> Workflow:
        """The workflow that a run is one of."""
        return self.workflow_of((await self.journal(run))[0])

    async def journal(self, run: str) -> tuple[Started, Sequence[Commit]]:
        """How a run of this name began, and all its commits; nothing of it is replayed.

        A journal that does not add up is an error only if it may be the one that is asked for.
        """
        broken: list[CorruptError] = []
        if (found := await self.find(run, broken)) is not None:
            return found
        if broken:
            raise broken[0]
        raise UsageError(
            f"there is no run {run!r} in {self.root}",
            valid=", ".join(sorted(await self.known())) or "no run has begun here",
            repair="name one of them, or begin one with `signoff run`",
        )

    async def find(self, run: str, broken: list[CorruptError] | None = None) -> tuple[Started, Sequence[Commit]] | None:
        """As `journal`, or None if no run has this name; journals on the way that do not add up go into `broken`."""
        named = self._named(run)
        for folder in (*named, *(folder for folder in self.store.runs() if folder not in named)):
            if folder not in self._begun or self._begun[folder].run == run:
                commits = await self._read(folder, broken)
                if (started := _start(commits)) is not None and started.run == run:
                    return started, commits
        return None

    async def journals(self) -> list[tuple[Started, Sequence[Commit]]]:
        """How each run began, and all its commits; a journal that does not add up is left out."""
        found = [await self._read(folder) for folder in self.store.runs()]
        return [(started, commits) for commits in found if (started := _start(commits)) is not None]

    async def open_all(self) -> list[Run]:
        """All runs that have begun, at their newest revisions."""
        return [
            Run(self, catalog.workflow(started.workflow), started.run, commits)
            for started, commits in await self.journals()
        ]

    async def known(self, workflow: str | None = None) -> list[str]:
        """The names of the runs that have begun, all or those of one workflow."""
        found = [await self._started(folder) for folder in self.store.runs()]
        return [started.run for started in found if started and workflow in (None, started.workflow)]

    def _named(self, run: str) -> list[str]:
        """Where a run of this name is: in a folder of its name, or in the home of all runs."""
        folders = self.store.runs()
        return [one for one in folders if one.endswith(f"/{run}")] + [one for one in folders if "/" not in one]

    async def _read(self, folder: str, broken: list[CorruptError] | None = None) -> Sequence[Commit]:
        """The commits of a run; a journal that does not add up has none, and goes into `broken`."""
        try:
            commits = await self.store.commits(folder, 0)
        except CorruptError as error:
            if broken is not None:
                broken.append(error)
            return ()
        if (started := _start(commits)) is not None:
            self._begun[folder] = started  # a journal only grows: how it begins is read once
        return commits

    async def _started(self, folder: str) -> Started | None:
        """How the run in a folder began."""
        return self._begun.get(folder) or _start(await self._read(folder))

    async def existing(self, workflow: Workflow, run: str) -> Run | None:
        """The run of this workflow if it has begun; another one in its place is refused."""
        _refuse_name(run)
        commits = await self.store.commits(workflow.folder(run), 0)
        started = _start(commits)
        if started is None:
            return None
        if (started.workflow, started.run) != (workflow.name, run):
            raise RefusedError(
                f"{self.root} already holds the {started.workflow} run {started.run!r}",
                valid=f"one {workflow.name} run per project",
                repair=f"go on with {started.run!r}, or make another project folder for {run!r}",
            )
        return Run(self, workflow, run, commits)

    async def open_folder(self, folder: str) -> Run | None:
        """The run in a folder; None if its journal does not begin with a start."""
        commits = await self.store.commits(folder, 0)
        started = _start(commits)
        return Run(self, catalog.workflow(started.workflow), started.run, commits) if started else None

    def take_in(self, sources: Sequence[Path]) -> list[str]:
        """Copies source material into the project; a file that is there with other bytes is never overwritten."""
        return [path for source in sources for path in self._take_in(source)]

    def _take_in(self, source: Path) -> list[str]:
        if not source.exists():
            raise UsageError(f"the source {source} does not exist", repair="give a file or a folder")
        home = inside(self.root, SOURCES)
        if source.resolve().is_relative_to(home.resolve()):
            return []
        files = [source] if source.is_file() else sorted(file for file in source.rglob("*") if file.is_file())
        base = source.parent if source.is_file() else source
        names = {file: file.relative_to(base) for file in files}
        shown = [file for file in files if not any(part.startswith(".") for part in names[file].parts)]
        return [self._copy(file, f"{SOURCES}/{names[file].as_posix()}") for file in shown]

    def _copy(self, file: Path, path: str) -> str:
        with world(file, "read"):
            data = file.read_bytes()
        known = self.store.read(path)
        if known not in (None, data):
            raise UsageError(
                f"{self.root / path} is there already and differs from {file}",
                repair="rename one of them, or remove the old one",
            )
        if known is None:
            self.store.write(path, data, durable=True)
        return path
