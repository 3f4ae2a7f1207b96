"""A fork: a new project in which a run stands as it stood when a turn went out, and goes on from there otherwise."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signoff.core.errors import CorruptError, UsageError
from signoff.core.events import DocsChanged, Started
from signoff.core.refs import digest
from signoff.core.state import State
from signoff.service.project import Project
from signoff.service.recordings import replays as recorded
from signoff.service.recordings.replays import Recording
from signoff.shell.files import read_if_there
from signoff.shell.run import transcripts
from signoff.shell.run.briefs import HOME
from signoff.shell.run.folder_store import FORK
from signoff.shell.run.live_run import LiveRun

_OF_ATTEMPT = re.compile(r"[a-z]+-([0-9]+)\.[a-z0-9]+")
MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """A fork that was made. `asked` are the turns that are open in it and have no output yet; `reused` has theirs."""

    root: Path
    run: str
    turn: str
    rev: int
    reused: tuple[str, ...]
    asked: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The fork as JSON data."""
        plain = {"project": str(self.root), "run": self.run, "turn": self.turn, "revision": self.rev}
        return {**plain, "reused": list(self.reused), "asked": list(self.asked)}


async def fork(
    project: Project, run: str, at: str, into: Path | None = None, prompts: Mapping[str, Path] | None = None
) -> Forked:
    """Makes a project in which the run stands as it stood when turn `at` went out.

    The journal is cut after the commit that issued the turn, and its bytes stay as they are. Outputs of turns below
    `at` that were out at the same time are there already, so they are not asked for again; `prompts` are other agent
    files for the fork.
    """
    recording = await recorded.load(project, run)
    turn = recording.turn(at)
    given = _prompts(recording, prompts or {})
    cut = recording.gone_out[turn] + 1
    live = recording.played(cut)
    target = into.absolute() if into else _beside(project.root, number(turn))
    taken_over = _taken_over(recording, live.state, turn)
    origin = {
        "project": os.path.relpath(project.root, target.resolve()),
        "run": run,
        "turn": turn,
        "rev": live.state.rev,
        "digest": digest(recording.journal(cut)),
        "taken_over": sorted(taken_over),
    }
    files = {
        **_carried(recording, live, taken_over, recording.ends[:cut]),
        **recorded.standing(recording, live),
        **recorded.prompts(project),
        **given,
        f"{recording.folder}/{FORK}": f"{json.dumps(origin, ensure_ascii=False, indent=1)}\n".encode(),
    }
    await recorded.make(recording, target, files)
    there = {name.rpartition(".")[0] for name in taken_over}
    asked = tuple(name for name in live.state.turns if name not in there)
    before = (name for name, commit in recording.gone_out.items() if commit < cut and name not in asked)
    return Forked(root=target, run=run, turn=turn, rev=live.state.rev, reused=tuple(before), asked=asked)


def number(turn: str) -> int:
    """The number of a turn, which begins its name."""
    return int(turn.partition("-")[0])


def _beside(root: Path, at: int) -> Path:
    """A new folder beside the project."""
    names = (f"{root.name}-fork-{at}" + (f"-{n}" if n > 1 else "") for n in range(1, MOST))
    for name in names:
        if not os.path.lexists(root.parent / name):
            return root.parent / name
    raise UsageError(f"there are {MOST} forks beside {root}", repair="name a folder with --into")


def _prompts(recording: Recording, prompts: Mapping[str, Path]) -> dict[str, bytes]:
    """Other agent files; whether they are whole is looked at in the fork, before it gets its name."""
    found = {}
    for agent, file in prompts.items():
        if agent not in recording.workflow.agent_names:
            raise UsageError(
                f"{recording.workflow.name} has no agent {agent!r}", valid=", ".join(recording.workflow.agent_names)
            )
        data = read_if_there(file)
        if data is None:
            raise UsageError(f"there is no file {file}", repair="name the Markdown file with the agent's prompt")
        found[f"{HOME}/agents/{agent}.md"] = data
    return found


def _waiting(state: State) -> dict[str, int]:
    """The attempt of every turn that is out or parked."""
    return {turn.start.turn: turn.start.attempt for turn in (*state.turns.values(), *state.parked)}


def _taken_over(recording: Recording, state: State, turn: str) -> set[str]:
    """The outputs, as TURN.ATTEMPT, that turns below this one gave although they were still out at the cut.

    The last output of a conversation is none of them: it followed calls that the fork makes again.
    """
    found = set()
    talks = {turn.start.turn for turn in (*state.turns.values(), *state.parked) if turn.start.tools}
    alone = {name: attempt for name, attempt in _waiting(state).items() if name not in talks}
    for name, attempt in alone.items():
        while (
            number(name) < number(turn)
            and recording.tape.read(f"{recording.folder}/turns/{name}/raw-{attempt}.txt") is not None
        ):
            found.add(f"{name}.{attempt}")
            attempt += 1
    return found


def _carried(recording: Recording, live: LiveRun, taken_over: set[str], ends: Sequence[State]) -> dict[str, bytes]:
    """What was in the run's folder then: the files of its turns, their conversations, what people had written."""
    store, home = recording.project.store, recording.folder
    known = set(_known(recording, ends))
    waiting = _waiting(live.state)
    gone_out = {name for name, commit in recording.gone_out.items() if commit < len(ends)}
    found: dict[str, bytes] = {}
    for path in store.digests([f"{home}/turns/", f"{home}/objects/"]):
        *_, folder, name = path.split("/")
        wanted = (
            name.partition(".")[0] in known
            if path.startswith(f"{home}/objects/")
            else folder in gone_out and (folder not in waiting or _was_there(name, folder, waiting[folder], taken_over))
        )
        if wanted and (data := store.read(path)) is not None:
            found[path] = data
    return {**found, **_bodies(recording, found)}


def _was_there(file: str, turn: str, attempt: int, taken_over: set[str]) -> bool:
    """Whether a file of a turn that was still out belongs to an attempt that had ended, or is taken over."""
    match = _OF_ATTEMPT.fullmatch(file)
    return match is not None and (int(match[1]) < attempt or f"{turn}.{match[1]}" in taken_over)


def _known(recording: Recording, ends: Sequence[State]) -> Iterator[str]:
    """The digests of every document that the run had known by then."""
    for state in ends:
        yield from state.docs.values()
    for commit in recording.commits[: len(ends)]:
        for event in commit.events:
            if isinstance(event, (Started, DocsChanged)):
                yield from (sha for sha in event.docs.values() if sha is not None)


def _bodies(recording: Recording, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The long texts of the conversations among these files; one that cannot be read has none."""
    names: set[str] = set()
    for path, data in files.items():
        if path.rpartition("/")[2].startswith("messages-"):
            with suppress(CorruptError):
                names |= set(transcripts.bodies(transcripts.parsed(data, path)))
    places = [transcripts.body_place(recording.folder, name) for name in sorted(names)]
    found = {path: recording.project.store.read(path) for path in places}
    return {path: data for path, data in found.items() if data is not None}
