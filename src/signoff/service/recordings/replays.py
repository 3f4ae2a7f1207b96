"""A run's folder is a recording: from sources, raw outputs and journal alone, every file of the run is made again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from signoff.core.errors import CorruptError, RefusedError, UsageError
from signoff.core.events import DocsChanged, Event, Started, TurnReturned
from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.core.workflow import Workflow
from signoff.service.project import Project
from signoff.service.recordings.differences import differences, edited
from signoff.shell.files import inside, new_folder, write_plain
from signoff.shell.run.briefs import HOME, crew
from signoff.shell.run.folder_store import FORK, JOURNAL, ReplayStore
from signoff.shell.run.journal import Commit
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.store import covers

KEPT = ("turns", "objects", "messages", "edited")
"""The folders of a run that nothing follows from but itself."""


@dataclass(frozen=True)
class Recording:
    """A run as its folder recorded it. It is played by the real kernel, on nothing but the tape."""

    project: Project
    workflow: Workflow
    run: str
    tape: ReplayStore
    commits: tuple[Commit, ...]

    @property
    def folder(self) -> str:
        return self.tape.run

    def played(self, commits: int | None = None) -> LiveRun:
        """The run after so many commits, or after all."""
        live = self._fresh()
        for commit in self.commits[:commits]:
            live.take(commit)
        return live

    def moments(self) -> Iterator[tuple[Event, State, State]]:
        """Every event, with the state before it and after it."""
        live = self._fresh()
        for event in (event for commit in self.commits for event in commit.events):
            before = live.state
            live.take(Commit(base=before.rev, events=(event,)))
            yield event, before, live.state

    def _fresh(self) -> LiveRun:
        return LiveRun(self.workflow, self.tape, self.run, self.project.clock)

    @cached_property
    def ends(self) -> tuple[State, ...]:
        """The state of the run after each commit."""
        live, found = self._fresh(), []
        for commit in self.commits:
            live.take(commit)
            found.append(live.state)
        return tuple(found)

    @cached_property
    def gone_out(self) -> dict[str, int]:
        """Every turn that went out, with the commit that issued it."""
        found: dict[str, int] = {}
        for number, state in enumerate(self.ends):
            for turn in state.turns:
                found.setdefault(turn, number)
        return found

    def turn(self, named: str) -> str:
        """The turn that a person names by its number or its whole name."""
        return turn_named(named, self.gone_out, self.run)

    def journal(self, commits: int | None = None) -> bytes:
        """The journal's bytes up to the end of a commit; a line that was never whole is no part of it."""
        data = self.project.store.read(f"{self.folder}/{JOURNAL}") or b""
        return b"".join(data.splitlines(keepends=True)[: len(self.commits[:commits])])


async def load(project: Project, run: str) -> Recording:
    """The recording of a run, whole; what is missing from it or was changed is said, all at once."""
    return of_journal(project, *await project.journal(run))


def of_journal(project: Project, started: Started, commits: Sequence[Commit]) -> Recording:
    """As `load`, from a journal that was read already."""
    run = started.run
    workflow = project.workflow_of(started)
    tape = ReplayStore(project.root, workflow.folder(run), workflow.documents.sources)
    found = Recording(project, workflow, run, tape, tuple(commits))
    if damage := list(_damage(found, workflow.tracked(started.params), workflow.documents.sources)):
        raise CorruptError(
            f"the recording of {run} is not whole: {'; '.join(damage)}",
            repair="restore these files from git or a backup",
        )
    return found


def _damage(recording: Recording, tracked: Sequence[str], sources: Sequence[str]) -> Iterator[str]:
    """What came from outside and is not as it came: outputs of turns, and the documents that people wrote."""
    library = recording.played(0).library
    for event in (event for commit in recording.commits for event in commit.events):
        if isinstance(event, TurnReturned):
            yield from _wrong(recording.tape, event.output, f"the output of {event.turn}, attempt {event.attempt}")
        if isinstance(event, (Started, DocsChanged)):
            for path, sha in event.docs.items():
                if sha is not None and (covers(tracked, path) or not covers(sources, path)):
                    kept = library.place(Ref(path, sha))
                    yield from _wrong(recording.tape, Ref(kept, sha), f"{path} as it was given")


def _wrong(tape: ReplayStore, ref: Ref, what: str) -> Iterator[str]:
    data = tape.read(ref.path)
    if data is None:
        yield f"{ref.path} is missing ({what})"
    elif (found := digest(data)) != ref.sha256:
        yield f"{ref.path} was changed ({what}): sha256 {ref.sha256[:12]} is recorded, {found[:12]} is there"


# --- replay -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What came of playing a recording: the files it makes, and how those in the project differ from them."""

    live: LiveRun
    documents: Mapping[str, bytes]
    differences: Mapping[str, str]
    edited: Mapping[str, str]
    forked: Mapping[str, Any] | None

    @property
    def made(self) -> dict[str, str]:
        """The digest of every file that was made again."""
        made: dict[str, bytes | str | None] = {**self.documents, **self.live.projections()}
        return {path: digest(data) for path, data in made.items() if data is not None}


def replay(recording: Recording) -> Replayed:
    """Plays the whole recording and holds what it makes against what is there."""
    live, store = recording.played(), recording.project.store
    forked = origin(recording)
    wrong = differences(live, store)
    before = sum(commit.rev <= forked["rev"] for commit in recording.commits) if forked else 0
    if forked and digest(recording.journal(before)) != forked["digest"]:
        wrong[f"{recording.folder}/{FORK}"] = f"does not describe the journal up to revision {forked['rev']}"
    return Replayed(
        live=live, documents=documents(recording, live), differences=wrong, edited=edited(live), forked=forked
    )


def documents(recording: Recording, live: LiveRun) -> dict[str, bytes]:
    """The documents of the run as the journal has them, made again; sources are not: those people put in."""
    return {
        path: live.library.data(Ref(path, sha))
        for path, sha in live.state.docs.items()
        if not recording.tape.is_source(path)
    }


def origin(recording: Recording) -> dict[str, Any] | None:
    """Where a fork came from; None for a run that was begun here."""
    path = f"{recording.folder}/{FORK}"
    data = recording.project.store.read(path)
    if data is None:
        return None
    try:
        found = json.loads(data)
        known = {name: kind(found[name]) for name, kind in _ORIGIN.items()}
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError) as error:
        raise CorruptError(f"{path} is not what `signoff fork` writes", repair="restore it, or remove it") from error
    return known


_ORIGIN = {"project": str, "run": str, "turn": str, "rev": int, "digest": str, "taken_over": list}


# --- a folder of its own ----------------------------------------------------------------------------------------------


async def into(recording: Recording, target: Path) -> None:
    """Writes the project of this one run into a new folder: what the recording is, and what it makes."""
    store, live = recording.project.store, recording.played()
    kept = store.digests([*(f"{recording.folder}/{name}/" for name in KEPT), f"{recording.folder}/{FORK}"])
    copied = {path: data for path in kept if (data := store.read(path)) is not None}
    await make(recording, target, {**copied, **standing(recording, live), **prompts(recording.project)})


def standing(recording: Recording, live: LiveRun) -> dict[str, bytes]:
    """The files of the run as it stands in `live`: sources, documents, what follows from the state, the journal."""
    commits = sum(commit.rev <= live.state.rev for commit in recording.commits)
    made = {path: text.encode() for path, text in live.projections().items() if text is not None}
    journal = {f"{recording.folder}/{JOURNAL}": recording.journal(commits)}
    return {**_sources(recording, live), **documents(recording, live), **made, **journal}


def _sources(recording: Recording, live: LiveRun) -> dict[str, bytes]:
    found, gone = {}, []
    for path, sha in live.state.docs.items():
        if recording.tape.is_source(path):
            try:
                found[path] = live.library.data(Ref(path, sha))
            except CorruptError:
                gone.append(f"{path} (sha256 {sha[:12]})")
    if gone:
        raise RefusedError(
            f"at revision {live.state.rev} the run had sources whose bytes are gone: {', '.join(gone)}",
            repair="put them back as they were (git or a backup); a later turn may do without them",
        )
    return found


def prompts(project: Project) -> dict[str, bytes]:
    """What no journal knows and a run goes on with: the project's own agents and skills, as they are now."""
    paths = [*project.store.digests([f"{HOME}/"]), ".gitignore"]
    return {path: data for path in paths if (data := project.store.read(path)) is not None}


async def make(recording: Recording, target: Path, files: Mapping[str, bytes]) -> None:
    """Makes a project of these files, whole or not at all; it gets its name when the run in it can be played."""
    target = target.absolute()
    if target.resolve().is_relative_to(recording.project.root):
        raise UsageError(f"{target} is inside the project", repair="name a folder outside of it")
    with new_folder(target) as part:
        for path, data in files.items():
            write_plain(inside(part, path), data)
        made = await Project(part).open(recording.run)
        crew(made.workflow, made.store)


def turn_named(named: str, turns: Collection[str], run: str) -> str:
    """The turn of this number or this whole name."""
    number = f"{int(named):04d}" if named.isascii() and named.isdecimal() else None
    for turn in turns:
        if turn == named or turn.partition("-")[0] == number:
            return turn
    raise UsageError(
        f"{run} has no turn {named!r}", valid=", ".join(turns) or "none went out", repair="name one of them"
    )
