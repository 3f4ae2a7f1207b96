"""The ledger: what turns, agents, models and runs have used, added up from the journals.

An unknown price is counted as unknown, never as zero. Failed attempts count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from signoff.core.budget import tightest
from signoff.core.errors import CorruptError, SignoffError, UsageError
from signoff.core.events import Started, TurnFailed, TurnReturned, Usage
from signoff.core.state import Ceiling
from signoff.service import catalog, status_overview
from signoff.shell import clock
from signoff.shell.run.attempts import worker_of
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.journal import Commit
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.project_budget import allowed

BY = ("run", "agent", "model", "turn")
UNKNOWN = "unknown"
MODELLESS = ("offline", "recorded", "code", "chat")
"""Who works without a model: code, recordings, and people in a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One attempt of a turn that has reported; `runtime` and `model` are empty if the receipt is lost."""

    project: str
    run: str
    workflow: str
    turn: str
    attempt: int
    usage: Usage
    failed: str = ""
    runtime: str = ""
    model: str = ""

    @property
    def agent(self) -> str:
        return self.turn.partition("-")[2]

    @property
    def worker(self) -> str:
        """The model; else the runtime that works without a model, or `unknown`."""
        return self.model or (self.runtime if self.runtime in MODELLESS else UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """What some attempts have used together; `unpriced` counts those whose price is unknown."""

    turns: int = 0
    attempts: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def to_json(self) -> dict[str, Any]:
        """As JSON data: `cost` is null if a part of it is unknown; `known_cost` is the sum of the known prices."""
        cost = {"cost": None if self.unpriced else str(self.cost), "known_cost": str(self.cost)}
        return {**asdict(self), **cost, "seconds": round(self.seconds, 3)}


def add_up(entries: Sequence[Entry]) -> Sum:
    """The sum of these attempts."""
    used = [entry.usage for entry in entries]
    return Sum(
        turns=len({(entry.project, entry.run, entry.turn) for entry in entries}),
        attempts=len(entries),
        failed=sum(bool(entry.failed) for entry in entries),
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        cached_tokens=sum(usage.cached_tokens for usage in used),
        cost=sum((usage.cost for usage in used if usage.cost is not None), Decimal(0)),
        unpriced=sum(usage.cost is None for usage in used),
        seconds=sum(usage.seconds for usage in used),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the ledger: what it is about, who worked on it, and the sum."""

    of: dict[str, str]
    workers: tuple[str, ...]
    sum: Sum

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        return {**self.of, "models": list(self.workers), **self.sum.to_json()}


def rows(entries: Iterable[Entry], by: str) -> list[Row]:
    """The attempts in groups, each added up, in the order in which they were first worked on."""
    groups: dict[tuple[tuple[str, str], ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(tuple(_of(entry, by).items()), []).append(entry)
    return [
        Row(dict(of), tuple(dict.fromkeys(entry.worker for entry in found)), add_up(found))
        for of, found in groups.items()
    ]


def _of(entry: Entry, by: str) -> dict[str, str]:
    match by:
        case "turn":
            return {"project": entry.project, "run": entry.run, "turn": entry.turn}
        case "agent":
            return {"agent": entry.agent}
        case "model":
            return {"model": entry.worker}
        case _:
            return {"project": entry.project, "run": entry.run, "workflow": entry.workflow}


# --- limits -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limit:
    """What a run or a project may use, and what it has used."""

    of: dict[str, str]
    ceiling: Ceiling
    sum: Sum

    def left(self) -> dict[str, Any]:
        """What is left; of money, None if a price is unknown."""
        ceiling, used = self.ceiling, self.sum
        unknown = ceiling.cost is None or used.unpriced
        return {
            "tokens": None if ceiling.tokens is None else max(0, ceiling.tokens - used.tokens),
            "cost": None if unknown or ceiling.cost is None else max(Decimal(0), ceiling.cost - used.cost),
        }

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        limits = {"tokens": self.ceiling.tokens, "cost": self.ceiling.cost}
        return {**self.of, "limits": _texts(limits), "left": _texts(self.left()), **self.sum.to_json()}


def _texts(amounts: dict[str, Any]) -> dict[str, Any]:
    return {name: str(amount) if isinstance(amount, Decimal) else amount for name, amount in amounts.items()}


# --- the book ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Book:
    """Everything that was found; `problems` say what could not be read."""

    entries: list[Entry] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def to_json(self, by: str) -> dict[str, Any]:
        """As JSON data."""
        return {
            "by": by,
            "rows": [row.to_json() for row in rows(self.entries, by)],
            "total": add_up(self.entries).to_json(),
            "limits": [limit.to_json() for limit in self.limits],
            "problems": self.problems,
        }


async def book(folder: Path, run: str | None = None) -> Book:
    """The ledger of all projects at and below a folder, or of one run there."""
    found = Book()
    known: list[str] = []
    for project in status_overview.projects(str(folder)):
        await _project(found, FolderStore(Path(project)), run, known)
    if run is not None and run not in known:
        raise UsageError(
            f"{run!r} is neither a folder nor a run in {folder}",
            valid=", ".join(known) or "no run has begun here",
        )
    return found


async def _project(found: Book, store: FolderStore, run: str | None, known: list[str]) -> None:
    mine: list[Entry] = []
    for folder in store.runs():
        try:
            started, commits = await _read(store, folder)
            entries = _entries(store, folder, started, commits)
        except SignoffError as error:
            found.problems.append(f"{folder} is in no sum: {error}")
            continue
        known.append(started.run)
        if run in (None, started.run):
            mine += entries
            _note(found, _run_limit(store, started, commits, entries))
    found.entries += mine
    if run is None:
        _note(found, _project_limit(store, mine))


async def _read(store: FolderStore, folder: str) -> tuple[Started, Sequence[Commit]]:
    """How a run began, and all its commits."""
    commits = await store.commits(folder, 0)
    started = commits[0].events[0] if commits else None
    if not isinstance(started, Started):
        raise CorruptError("the journal does not begin with a start", repair="restore it from git or a backup")
    return started, commits


def _entries(store: FolderStore, folder: str, started: Started, commits: Sequence[Commit]) -> list[Entry]:
    """The attempts of a run."""
    events = (event for commit in commits for event in commit.events)
    return [_entry(store, folder, started, one) for one in events if isinstance(one, (TurnReturned, TurnFailed))]


def _entry(store: FolderStore, folder: str, started: Started, event: TurnReturned | TurnFailed) -> Entry:
    runtime, model = worker_of(store, folder, event.turn, event.attempt)
    return Entry(
        project=store.name,
        run=started.run,
        workflow=started.workflow,
        turn=event.turn,
        attempt=event.attempt,
        usage=event.usage,
        failed=event.kind if isinstance(event, TurnFailed) else "",
        runtime=runtime,
        model=model,
    )


def _note(found: Book, limit: Limit | str | None) -> None:
    if isinstance(limit, str):
        found.problems.append(limit)
    elif limit is not None:
        found.limits.append(limit)


def _run_limit(
    store: FolderStore, started: Started, commits: Sequence[Commit], entries: Sequence[Entry]
) -> Limit | str | None:
    """What the config and the command line say that a run may use; for that its state is needed."""
    try:
        live = LiveRun(catalog.workflow(started.workflow), store, started.run, clock.chosen())
        for commit in commits:
            live.take(commit)
        ceiling = tightest(live.workflow.budgets(live.state, live.library))
    except SignoffError as error:
        return f"{started.run}: its limits cannot be read: {error}"
    return _limited({"project": store.name, "run": started.run}, ceiling, entries)


def _project_limit(store: FolderStore, entries: Sequence[Entry]) -> Limit | str | None:
    try:
        budget = allowed(store)
    except SignoffError as error:
        return str(error)
    return _limited({"project": store.name}, tightest([budget] if budget else []), entries)


def _limited(of: dict[str, str], ceiling: Ceiling, entries: Sequence[Entry]) -> Limit | None:
    return None if ceiling == Ceiling() else Limit(of, ceiling, add_up(entries))
