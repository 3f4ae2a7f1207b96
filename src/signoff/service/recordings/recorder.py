"""Makes a recording of a finished run, and plays what people did in it.

A recording is played once while it is made, in a folder of its own, one turn after the other: so it is known to play to
the same end, and its turns have the numbers that they have whenever it is played.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from signoff.core.commands import Ask, StartTurn
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import Called, DocsChanged, Started, TurnFailed, TurnReturned
from signoff.core.refs import Ref
from signoff.core.workflow import Workflow
from signoff.service import questionnaires, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.service.recordings import replays
from signoff.service.recordings.replays import Recording as History
from signoff.shell.files import inside, new_folder, refuse_taken, write_plain
from signoff.shell.run.attempts import worker_of
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.recordings import MARK, Recording, Sitting, Take, read, render, told
from signoff.shell.runtimes.recorded import OWN, Recorded, left, sittings, waits_for

CODE = "code that stood in for the agents, not a language model"


async def keep(project: Project, run: str, into: Path, turns_by: str = "") -> Recording:
    """Records a run into a new folder; one that is taken is refused before the run is played."""
    refuse_taken(into.absolute())
    made = await record(project, run, turns_by)
    write(made, into)
    return made


async def record(project: Project, run: str, turns_by: str = "") -> Recording:
    """The recording of a run, tried out; what is missing, or does not play to the same end, is refused."""
    history = await replays.load(project, run)
    live = history.played()
    if live.state.stop is None:
        raise RefusedError(
            f"{run} is not finished", repair=f"finish it first: `signoff status {run}` says what it waits for"
        )
    started, sources = _began(history)
    made = Recording(
        workflow=history.workflow.name,
        version=history.workflow.version,
        run=run,
        params=started.params,
        docs={ref.path: ref.sha256 for ref in sources if not ref.path.startswith(OWN)},
        turns_by=turns_by or _workers(history),
        began=started.at,
        sittings=sittings(live),
    )
    script = _Script(_takes(history))
    with tempfile.TemporaryDirectory(prefix="signoff-record-") as folder:
        root = Path(folder) / "project"
        files = {ref.path: live.library.data(ref) for ref in sources} | replays.prompts(project)
        for path, data in files.items():
            write_plain(inside(root, path), data)
        stop = await _played(Project(root), history.workflow, made, script)
    if stop != live.state.stop:
        raise RefusedError(
            f"played again, {run} ends with {stop!r} and not with {live.state.stop!r}",
            repair="record a run whose people acted only while it waited for them",
        )
    return replace(made, takes=script.played)


async def _played(project: Project, workflow: Workflow, made: Recording, script: _Script) -> str | None:
    params = {name: value for name, value in made.params.items() if name != "slug"}
    project.home = None
    live = await project.begin(workflow, made.run, params, MARK, made.began)
    await runs.drive(live, Recorded(made, script.find))
    while (sitting := upcoming(made, live)) is not None:
        if waits_for(sitting, live) is None:
            raise RefusedError(
                f"played again, {made.run} does not ask {sitting.request!r}, which was answered with {sitting.act!r}",
                repair="record a run whose people acted only while it waited for them",
            )
        await sit(live, sitting)
        await runs.drive(live, Recorded(made, script.find))
    return live.state.stop


def write(made: Recording, target: Path) -> None:
    """Puts a recording into a new folder, whole or not at all, and reads it back."""
    with new_folder(target.absolute()) as part:
        for path, data in render(made).items():
            write_plain(inside(part, path), data)
        if read(part) != made:
            raise UsageError(f"the recording of {made.run} cannot be read back", repair="report this with the run")


# --- what people did --------------------------------------------------------------------------------------------------


def upcoming(made: Recording, live: LiveRun) -> Sitting | None:
    """What the recorded person did next."""
    return next(iter(left(made, live)), None)


@dataclass(frozen=True, slots=True)
class Offer:
    """What the recorded person did at the request that waits now: who, and in a line what. `take` does the same."""

    live: LiveRun
    ask: Ask
    sitting: Sitting

    @property
    def by(self) -> str:
        return self.sitting.by.removeprefix("person:")

    @property
    def text(self) -> str:
        return told(self.sitting)

    async def take(self) -> None:
        """Does it, signed as recorded."""
        await sit(self.live, self.sitting)


def offer(made: Recording | None, live: LiveRun) -> Offer | None:
    """The recorded answer to what a played run asks now, None if there is none."""
    sitting = upcoming(made, live) if made else None
    ask: Ask | None = waits_for(sitting, live) if sitting else None
    return Offer(live, ask, sitting) if sitting and ask else None


async def sit(live: LiveRun, sitting: Sitting) -> Ask | None:
    """Does what the recorded person did, signed as recorded."""
    if sitting.answers:
        await questionnaires.write(live, sitting.answers, recorded_actor(sitting.by))
    if sitting.edits:
        async with live.store.locked(live.folder):
            for path, data in sitting.edits.items():
                live.store.write(path, data, durable=True)
        await live.refresh()
    ask: Ask | None = waits_for(sitting, live)
    if ask is not None:
        await runs.answer(live, ask.request, sitting.act, recorded_actor(sitting.by), sitting.payload)
    return ask


def recorded_actor(by: str) -> Actor:
    """Who does again what was recorded `by` this actor."""
    return Actor(Via.RECORDING, by.removeprefix(MARK) if by.startswith(MARK) else by.removeprefix("person:"))


# --- from the history of a run ----------------------------------------------------------------------------------------


@dataclass
class _Script:
    """Takes by what a turn is for and how often that came before; `played` has them by the turn they were played in."""

    takes: Mapping[tuple[str, int], Mapping[int, Take]]
    turns: dict[str, tuple[str, int]] = field(default_factory=dict)
    played: dict[tuple[str, int], Take] = field(default_factory=dict)

    def find(self, start: StartTurn) -> Take | None:
        if start.turn not in self.turns:
            count = Counter(key for key, _ in self.turns.values())[start.key]
            self.turns[start.turn] = (start.key, count)
        take = self.takes.get(self.turns[start.turn], {}).get(start.attempt)
        if take is not None:
            self.played[start.turn, start.attempt] = take
        return take


def _began(history: History) -> tuple[Started, list[Ref]]:
    """How the run began, and all that lay in the project: what it found at first, and what it came upon later."""
    started: Started | None = None
    found: dict[str, str] = {}
    for event in (event for commit in history.commits for event in commit.events):
        if isinstance(event, Started):
            started, found = event, dict(event.docs)
        if isinstance(event, DocsChanged) and event.by == "code":
            found = {path: sha for path, sha in event.docs.items() if sha is not None} | found
    if started is None:
        raise RefusedError(f"{history.run} has not begun", repair="record a run that is finished")
    borrowed = tuple(history.workflow.documents.borrows(history.run).values())
    return started, [Ref(path, sha) for path, sha in found.items() if not path.startswith(borrowed)]


def _takes(history: History) -> dict[tuple[str, int], dict[int, Take]]:
    library = history.played(0).library
    found: dict[tuple[str, int], dict[int, Take]] = {}
    names: dict[str, tuple[str, int]] = {}
    calls: dict[str, list[tuple[str, Mapping[str, object]]]] = {}
    for event, before, _ in history.moments():
        for turn in before.turns.values():
            if turn.start.turn not in names:
                count = sum(key == turn.start.key for key, _ in names.values())
                names[turn.start.turn] = (turn.start.key, count)
        if isinstance(event, Called) and event.tool in history.workflow.tool_names:
            calls.setdefault(event.turn, []).append((event.tool, event.args))
        if isinstance(event, TurnReturned | TurnFailed):
            name = names[event.turn]
            if isinstance(event, TurnFailed):
                take = Take(key=name[0], failed=(event.kind, event.detail))
            else:
                take = Take(
                    key=name[0],
                    raw=library.data(event.output).decode("utf-8", "surrogatepass"),
                    files={path: library.data(Ref(path, sha)) for path, sha in event.files.items()},
                    commands=tuple(ran.command for ran in event.ran),
                    calls=tuple(calls.pop(event.turn, ())),
                )
            found.setdefault(name, {})[event.attempt] = take
    return found


def _workers(history: History) -> str:
    """Who took the turns, as their receipts say it."""
    store, names = history.project.store, list[str]()
    for commit in history.commits:
        for event in commit.events:
            if isinstance(event, TurnReturned):
                runtime, model = worker_of(store, history.folder, event.turn, event.attempt)
                names.append(
                    model or {"offline": CODE, "host": "an MCP host"}.get(runtime, runtime or "an unknown agent")
                )
    return ", ".join(dict.fromkeys(name for name in names if name != "code")) or CODE
