"""What a durable turn costs: brief, raw output, journal and projections, with an agent that answers at once.

The floor is one atomic write of the same 2 KB: a temporary file, fsync, rename, fsync of the folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from typing import Any
from unittest.mock import patch

from bench.figures import Figure, Part, timed
from signoff.artifacts.agent_files import AgentFile
from signoff.core.budget import Budget
from signoff.core.commands import Finish, StartTurn
from signoff.core.declarations import Agent, Assignment, Contract, Effects, Now
from signoff.core.events import Started
from signoff.core.workflow import Limits, Workflow
from signoff.shell.clock import from_revision
from signoff.shell.run.briefs import Crew
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Returned, ToolPort

RAW = json.dumps({"text": "word " * 405})
COUNTED = ("open", "fsync", "replace", "rename", "write", "mkdir", "unlink", "stat", "lstat", "scandir")
_TURN = re.compile(r"\d{4}-agent")


def _step(now: Now) -> Effects:
    """A chain of turns, as many as the run was begun for."""
    done = (now.state.own or 0) + (0 if isinstance(now.event, Started) else 1)
    if done >= now.state.params["turns"]:
        return Effects(done, (Finish(reason="complete"),))
    return Effects(done, (StartTurn(key=f"step:{done}", agent="agent", contract="any", task="go on"),))


ANY = Contract(name="any", parse=lambda data, _: json.loads(data), schema=dict, documents=lambda _: {})
CHAIN = Workflow(
    name="chain",
    about="one turn after another",
    package="bench",
    steps=_step,
    agents=(Agent(name="agent", contract=ANY),),
    limits=Limits(budget=lambda _state, _look: Budget(turns=10_000)),
)
CREW = Crew({"agent": AgentFile(file="", name="agent", description="", skills=(), body="Go on.")}, {})


class Instant:
    """A runtime that answers at once."""

    name, paid = "instant", False

    async def perform(self, _assignment: Assignment, _tools: ToolPort) -> Returned:
        return Returned(RAW)


async def _no_probes(_urls: list[str], _params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


async def _chain(root: Path, run: str, turns: int) -> float:
    """Seconds per turn of a run of so many."""
    live = LiveRun(CHAIN, FolderStore(root), run, from_revision)
    params = {"turns": turns}
    await live.apply(
        lambda _state, at: Started(
            id="s", at=at, by="bench", workflow="chain", version=1, run=run, params=params, docs={}
        )
    )
    begun = time.perf_counter()
    state = await Runner(live, Instant(), CREW, _no_probes).drive()
    taken = time.perf_counter() - begun
    if state.stop != "complete" or state.spend.turns != turns:
        raise RuntimeError(f"the chain ended with {state.stop!r} after {state.spend.turns} of {turns} turns")
    return taken / turns


def _floor(folder: Path) -> None:
    """One atomic, durable write of a raw output."""
    temporary, data = folder / ".raw.tmp", RAW.encode()
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    temporary.replace(folder / "raw.txt")
    fd = os.open(folder, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def measure(home: Path, quick: bool) -> Part:
    rounds, turns, writes = (2, 25, 25) if quick else (5, 50, 50)
    _run(home, "warm", 10)
    floors, costs, ratios = [], [], []
    for number in range(rounds):
        floor = mean(timed(lambda: _floor(home), writes))  # as the cost of a turn is: a disk has its slow moments
        cost = _run(home, f"r{number}", turns)
        floors.append(floor)
        costs.append(cost)
        ratios.append(cost / floor)
    floor, cost, ratio = median(floors), median(costs), median(ratios)
    long = _run(home, "long", 50 if quick else 250)
    with patch("os.fsync", lambda _fd: None):
        unsynced = min(_run(home, f"u{number}", turns) for number in range(rounds))
        written = min(timed(lambda: _floor(home), writes))
    with _counting() as (calls, synced):
        _run(home, "counted", turns)
    of = "the floor"
    return Part(
        [
            Figure("durable", "floor: one atomic write", floor * 1e3, "ms", 1.0, of),
            Figure("durable", "a durable turn", cost * 1e3, "ms", ratio, of, "ratio at most 4"),
            Figure("durable", "a turn of a long run", long * 1e3, "ms", long / cost, "a durable turn", "about 1"),
            Figure("durable", "a turn without fsync", unsynced * 1e3, "ms", unsynced / floor, of),
            Figure("durable", "the floor without fsync", written * 1e3, "ms", written / floor, of),
            Figure(
                "durable", "fsyncs of a turn", calls["fsync"] / turns, "", calls["fsync"] / turns / 2, "the floor's 2"
            ),
        ],
        {
            "turns measured": rounds * turns,
            "calls per turn": {name: round(count / turns, 2) for name, count in calls.most_common()},
            "fsynced per turn": {name: round(count / turns, 2) for name, count in synced.most_common(6)},
            "not fsynced": "briefs, usage and projections: they can be made again from the journal and the raw outputs",
        },
    )


def cost(root: Path, turns: int) -> float:
    """Seconds per turn, as another part compares its own with."""
    root.mkdir()
    return _run(root, "chain", turns)


def _run(root: Path, run: str, turns: int) -> float:
    return asyncio.run(_chain(root, run, turns))


@contextmanager
def _counting() -> Iterator[tuple[Counter[str], Counter[str]]]:
    """The calls of the os module and the files that are fsynced, while it is open."""
    calls, synced, paths = Counter[str](), Counter[str](), dict[int, str]()

    def counted(name: str, real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            calls[name] += 1
            if name == "fsync":
                synced[paths.get(args[0], "?")] += 1
            result = real(*args, **kwargs)
            if name == "open":
                paths[result] = _general(str(args[0]))
            return result

        return call

    with patch.multiple(os, **{name: counted(name, getattr(os, name)) for name in COUNTED}):
        yield calls, synced


def _general(path: str) -> str:
    """A path without what differs from turn to turn."""
    inside = path.partition("/_workflow/chain/")[2] or path
    return _TURN.sub("<turn>", inside.partition("/")[2] or "the run's folder")
