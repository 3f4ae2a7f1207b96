"""The runtime `recorded`: it plays the recording of a run through the real kernel, gates, checks and commands.

It plays one turn after the other, so that a run plays the same way every time. If documents, answers or choices differ
from the recorded ones, it stops before the next turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signoff.core.commands import StartTurn
from signoff.core.declarations import Assignment
from signoff.core.errors import CorruptError, DocumentError, RefusedError
from signoff.core.events import Answered, DocsChanged, Event, Started
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.shell.run.journal import Commit
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.recordings import Recording, Sitting, Take, unlike
from signoff.shell.runtimes.runtime import GaveUpError, Returned, ToolPort

RECORDED = "recorded"
OWN = "_workflow/"
"""Files here are made by the program: a newer version may write them differently, and the recording still plays."""


class LeftRecordingError(RefusedError):
    """The run differs from its recording. The turn stays open for a model or a host."""

    def __init__(self, run: str, what: str) -> None:
        super().__init__(
            f"{run} leaves its recording: {what}",
            repair=f"go on with a model (`signoff resume {run} --runtime model --model NAME`), with Claude Code "
            f"(`--runtime claude-code`) or in an MCP host (`--runtime host`); or undo what differs and resume",
        )


@dataclass
class Recorded:
    """Plays a recording. `find` gives the take of a turn; else it is the recorded one of that turn and attempt."""

    recording: Recording
    find: Callable[[StartTurn], Take | None] | None = None
    name: str = RECORDED
    paid: bool = False
    at_once: int = 1
    _live: LiveRun | None = field(default=None, repr=False)
    _people: int = 0

    def follow(self, live: LiveRun) -> None:
        """Learns which run it plays in; raises before anything is done if the run has left the recording."""
        self._live, self._people = live, -1
        self._compare(live)

    def _compare(self, live: LiveRun) -> None:
        acts = sum(_by_person(event) for event in live.events)
        if acts == self._people:
            return
        self._people = acts
        if what := _began_otherwise(self.recording, live) or unlike(self.recording.sittings, sittings(live)):
            raise LeftRecordingError(live.run, what)

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        start = assignment.start
        if self._live is not None:
            self._compare(self._live)
        take = self.find(start) if self.find else self._take(start)
        if take is None or take.key != start.key:
            run = self.recording.run
            other = f"recorded at its place is one for {take.key!r}" if take else "the recording has no such turn"
            raise LeftRecordingError(run, f"turn {start.turn} is to be taken for {start.key!r}, and {other}")
        for path, data in take.files.items():
            tools.workspace.write(path, data)
        for command in take.commands:
            await asyncio.to_thread(tools.run, command)
        for number, (tool, args) in enumerate(take.calls, 1):
            await tools.call(tool, args, str(number))
        if take.failed is not None:
            raise GaveUpError(take.failed[0], take.failed[1])
        return Returned(take.raw, model=self.recording.label)

    def _take(self, start: StartTurn) -> Take | None:
        """The recorded attempt; for later attempts, the last recorded one again."""
        takes = self.recording.takes
        tries = (takes.get((start.turn, attempt)) for attempt in range(start.attempt, 0, -1))
        return next((take for take in tries if take is not None), None)


def _by_person(event: Event) -> bool:
    return isinstance(event, Answered | Started) or (isinstance(event, DocsChanged) and event.by != "code")


def _began_otherwise(recording: Recording, live: LiveRun) -> str:
    """How the run's parameters and first documents differ from the recorded ones."""
    started = live.events[0] if live.events else None
    if not isinstance(started, Started):
        return ""
    if dict(started.params) != dict(recording.params):
        names = {*started.params, *recording.params}
        other = sorted(name for name in names if started.params.get(name) != recording.params.get(name))
        pairs = (
            f"{name} is {started.params.get(name)!r}, recorded was {recording.params.get(name)!r}" for name in other
        )
        return "; ".join(pairs)
    wrong = [path for path, sha in recording.docs.items() if started.docs.get(path, sha) != sha]
    gone = [path for path in recording.docs if path not in started.docs and live.store.read(path) is None]
    borrowed = tuple(live.workflow.documents.borrows(live.run).values())
    new = [path for path in started.docs if path not in recording.docs and not path.startswith((OWN, *borrowed))]
    said = [*(f"{path} differs" for path in wrong), *(f"{path} is not there" for path in gone)]
    return ", ".join([*said, *(f"{path} is new" for path in new)])


# --- what people did --------------------------------------------------------------------------------------------------


def moments(live: LiveRun) -> Iterator[tuple[Event, State]]:
    """Every event of a run, with the state before it."""
    again = LiveRun(live.workflow, live.store, live.run, live.clock)
    for event in live.events:
        before = again.state
        again.take(Commit(base=before.rev, events=(event,)))
        yield event, before


def sittings(live: LiveRun) -> tuple[Sitting, ...]:
    """What people did in a run, answer by answer; edits after the last answer come last."""
    found, now = [], Sitting()
    for event, before in moments(live):
        if isinstance(event, DocsChanged) and event.by != "code":
            now = _edited(now, event, before, live)
        if isinstance(event, Answered):
            ask = before.requests[event.request]
            now = replace(now, request=ask.key, act=event.act, payload=dict(event.payload), by=event.by)
            found.append(now)
            now = Sitting()
    return tuple(found) if now == Sitting() else (*found, now)


def _edited(now: Sitting, event: DocsChanged, before: State, live: LiveRun) -> Sitting:
    answers, edits = dict(now.answers), dict(now.edits)
    for path, sha in event.docs.items():
        said = _answered(path, before.docs.get(path), sha, before, live)
        if said is None:
            edits[path] = None if sha is None else live.library.data(Ref(path, sha))
        else:
            answers |= said
    return replace(now, answers=answers, edits=edits)


def _answered(path: str, old: str | None, new: str | None, before: State, live: LiveRun) -> dict[str, str] | None:
    """The answers that a person wrote into a document of questions; None if they changed anything else."""
    asked = live.workflow.people.questionnaire
    if asked is None or old is None or new is None or asked.path(before) != path:
        return None
    try:
        then, now = (live.library.data(Ref(path, sha)) for sha in (old, new))
        known = {one.key: one.answer for one in asked.read(then, path, None)}
        said = {one.key: one.answer for one in asked.read(now, path, None) if one.answer != known.get(one.key)}
        return said if asked.write(then, path, said).encode() == now else None
    except (CorruptError, DocumentError):
        return None


def left(recording: Recording, live: LiveRun) -> Sequence[Sitting]:
    """The recorded sittings that are still to come in a run."""
    done = sum(isinstance(event, Answered) for event in live.events)
    return [one for one in recording.sittings if one.act][done:]


def waits_for(sitting: Sitting, live: LiveRun) -> Any:
    """The open request that a recorded sitting settles, None if there is none."""
    return next((ask for ask in live.state.requests.values() if ask.key == sitting.request), None)
