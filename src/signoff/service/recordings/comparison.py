"""Two runs side by side: how they ended, what the gates said, what was found, what it took, which documents differ."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff.core.errors import CorruptError, RefusedError, UsageError
from signoff.core.events import Checked, TurnFailed, TurnReturned
from signoff.core.overrules import failed
from signoff.core.refs import Ref
from signoff.core.state import Spend, State
from signoff.service.project import Project
from signoff.service.recordings import replays as recorded
from signoff.service.recordings.replays import Recording
from signoff.shell.run.live_run import LiveRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What agents did: turns that ended, how often each was tried, and what it took."""

    turns: Mapping[str, int] = field(default_factory=dict)
    attempts: int = 0
    failed: int = 0
    spend: Spend = field(default_factory=Spend)

    def plus(self, event: TurnReturned | TurnFailed, agent: str, *, ended: bool) -> Work:
        """With one more attempt."""
        turns = dict(Counter(self.turns) + Counter([agent] * ended))
        failed = self.failed + isinstance(event, TurnFailed)
        return Work(turns=turns, attempts=self.attempts + 1, failed=failed, spend=self.spend.plus(event.usage))

    def to_json(self) -> dict[str, Any]:
        """The work as JSON data; an unknown price is None."""
        return {
            "turns": dict(self.turns),
            "attempts": self.attempts,
            "failed": self.failed,
            "tokens": self.spend.tokens,
            "cost": None if self.spend.unpriced else str(self.spend.cost),
            "seconds": round(self.spend.seconds, 3),
        }


@dataclass(slots=True)
class Side:
    """One of the two runs. `own` is the work that was done in it, `reused` what a fork had from where it came from."""

    recording: Recording
    live: LiveRun
    forked: Mapping[str, Any] | None
    gates: dict[str, str] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    by: Counter[str] = field(default_factory=Counter)
    own: Work = field(default_factory=Work)
    reused: Work = field(default_factory=Work)

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON data. What only this workflow can say comes from its status and its summary."""
        state, workflow = self.live.state, self.live.workflow
        summary = dict(workflow.views.summary(state, self.live.library))
        lines = [str(line).replace("{project}", "the project") for line in summary.pop("lines", ())]
        summary.pop("next", None)
        status = dict(workflow.status(state))
        return {
            "project": str(self.recording.project.root),
            "run": self.recording.run,
            "forked": self.forked,
            "revision": state.rev,
            "stop": state.stop,
            "waits": [ask.key for ask in state.requests.values()],
            "phase": status.get("phase"),
            "rounds": dict(status.get("rounds") or {}),
            "gates": dict(sorted(self.gates.items())),
            "findings": dict(sorted(self.found.items())),
            "refused": dict(sorted(self.refused.items())),
            "worked": dict(sorted(self.by.items())),
            "own": self.own.to_json(),
            "reused": self.reused.to_json(),
            "summary": summary,
            "lines": lines,
        }


# --- which runs -------------------------------------------------------------------------------------------------------


async def opened(named: str, project: Project) -> Side:
    """The run that a person means: a name in this project, a project folder with one run, or FOLDER:RUN."""
    if (begun := await project.find(named)) is not None:
        return side(recorded.of_journal(project, *begun))
    folder, run = (named, None) if named and Path(named).is_dir() else _parted(named)
    if not (folder and Path(folder).is_dir()):
        known = ", ".join(await project.known())
        raise UsageError(
            f"{named!r} is neither a run in {project.root} nor a project folder",
            valid=f"{known or 'no run has begun here'}, a folder, or FOLDER:RUN",
        )
    other = Project(Path(folder))
    if run is not None:
        return side(await recorded.load(other, run))
    journals = await other.journals()
    if len(journals) != 1:
        raise UsageError(
            f"{other.root} holds {len(journals)} runs",
            valid=", ".join(f"{folder}:{started.run}" for started, _ in journals) or "none",
        )
    return side(recorded.of_journal(other, *journals[0]))


def _parted(named: str) -> tuple[str, str | None]:
    folder, _, run = named.rpartition(":")
    return folder, run


# --- one side ---------------------------------------------------------------------------------------------------------


def side(recording: Recording) -> Side:
    """Plays a run and notes what its gates said last, what was found and refused on the way, and what it took."""
    made = Side(recording, recording.played(), recorded.origin(recording))
    for event, before, after in recording.moments():
        if isinstance(event, Checked):
            _note_check(made, event, before, after)
        elif isinstance(event, (TurnReturned, TurnFailed)):
            _note_turn(made, event, before, after)
    return made


def _note_check(made: Side, event: Checked, before: State, after: State) -> None:
    check = before.checks[event.check]
    if all(before.docs.get(ref.path) == ref.sha256 for ref in event.of.values()):
        made.gates[check.key] = "fail" if failed(event, after.judged.get(check.key)) else "pass"
        made.found.update(finding.rule for finding in event.findings)


def _note_turn(made: Side, event: TurnReturned | TurnFailed, before: State, after: State) -> None:
    again = after.turns.get(event.turn) or next((one for one in after.parked if one.start.turn == event.turn), None)
    agent = before.turns[event.turn].start.agent
    if again is not None:
        made.refused.update(finding.rule for finding in again.start.told)
    forked, attempt = made.forked, f"{event.turn}.{event.attempt}"
    if forked is not None and (after.rev <= forked["rev"] or attempt in forked["taken_over"]):
        made.reused = made.reused.plus(event, agent, ended=again is None)
    else:
        made.own = made.own.plus(event, agent, ended=again is None)
        if isinstance(event, TurnReturned):
            made.by[_worker(made.recording, event)] += 1


def _worker(recording: Recording, event: TurnReturned) -> str:
    """Who gave an output, as it is noted beside it."""
    path = f"{recording.folder}/turns/{event.turn}/usage-{event.attempt}.json"
    with suppress(ValueError, LookupError, TypeError):
        noted = json.loads(recording.project.store.read(path) or b"")
        return str(noted.get("model") or noted["runtime"])
    return "not noted"


# --- both -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two runs of one workflow. `documents` says of each document whether both have the same bytes."""

    one: Side
    other: Side
    documents: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON data."""
        return {
            "workflow": self.one.live.workflow.name,
            "runs": [self.one.to_json(), self.other.to_json()],
            "documents": dict(self.documents),
        }


SAME, DIFFERENT, FIRST, SECOND = "same", "different", "only in the first", "only in the second"


def compare(one: Side, other: Side) -> Compared:
    """Holds two runs of one workflow against each other."""
    names = [made.live.workflow.name for made in (one, other)]
    if names[0] != names[1]:
        raise RefusedError(
            f"{one.recording.run} is a run of {names[0]}, {other.recording.run} one of {names[1]}",
            repair="compare two runs of the same workflow: others have neither gates nor documents in common",
        )
    return Compared(one=one, other=other, documents=dict(_documents(one, other)))


def _documents(one: Side, other: Side) -> Iterator[tuple[str, str]]:
    left, right = _docs(one, one), _docs(other, one)
    for path in sorted(left.keys() | right.keys()):
        if path not in right:
            yield path, FIRST
        elif path not in left:
            yield path, SECOND
        else:
            yield path, SAME if left[path].sha256 == right[path].sha256 else DIFFERENT


def _docs(made: Side, like: Side) -> dict[str, Ref]:
    """The documents by path; where a path has the name of the run, it gets that of the run it is held against."""
    run, other = made.recording.run, like.recording.run
    named = {
        path: "/".join(other if part == run else part for part in path.split("/")) for path in made.live.state.docs
    }
    return {named[path]: Ref(path, sha) for path, sha in made.live.state.docs.items()}


def texts(compared: Compared) -> Iterator[str]:
    """What differs in the documents, as a unified diff."""
    left, right = _docs(compared.one, compared.one), _docs(compared.other, compared.one)
    for path, said in compared.documents.items():
        if said != SAME:
            before, after = _lines(compared.one, left.get(path)), _lines(compared.other, right.get(path))
            if before is None or after is None:
                yield f"{path}: {said}, and its bytes are gone or are no text"
            else:
                yield from difflib.unified_diff(before, after, f"first/{path}", f"second/{path}", lineterm="")


def _lines(made: Side, ref: Ref | None) -> list[str] | None:
    if ref is None:
        return []
    with suppress(CorruptError, UnicodeDecodeError):
        return made.live.library.data(ref).decode("utf-8").splitlines()
    return None
