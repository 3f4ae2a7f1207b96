"""What working side by side costs: many agents that each take a second, in one phase, against one of them alone.

The agents do nothing but wait, so what is beyond the one alone is what the runner adds: leases, briefs, raw outputs and
one commit of the journal for every return.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from bench.figures import Figure, Part
from signoff.artifacts.agent_files import AgentFile
from signoff.core.commands import Finish, StartTurn
from signoff.core.declarations import Agent, Assignment, Contract, Effects, Now
from signoff.core.events import Started
from signoff.core.workflow import Documents, Workflow
from signoff.shell.clock import from_revision
from signoff.shell.run.briefs import Crew
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Returned, ToolPort

SECONDS, WIDE = 1.0, 20
RAW = json.dumps({"text": "word " * 405})
PLAN = "plan.md"


def _step(now: Now) -> Effects:
    """One phase of as many turns as the run was begun for; each gives a document."""
    if isinstance(now.event, Started):
        turns = (_turn(number) for number in range(now.state.params["wide"]))
        return Effects(0, tuple(turns))
    done = now.state.own + 1
    return Effects(done, (Finish(reason="complete"),) if done == now.state.params["wide"] else ())


def _turn(number: int) -> StartTurn:
    return StartTurn(key=f"do:{number}", agent="agent", contract="any", task="wait", reads=(PLAN,))


ANY = Contract(name="any", parse=lambda data, _: json.loads(data), schema=dict, documents=lambda _: {})
PHASE = Workflow(
    name="phase",
    about="turns side by side",
    package="bench",
    steps=_step,
    agents=(Agent(name="agent", contract=ANY),),
    documents=Documents(tracked=lambda _: (PLAN,)),
)
CREW = Crew({"agent": AgentFile(file="", name="agent", description="", skills=(), body="Wait.")}, {})


class Waiting:
    """A runtime whose turns take a second, however many are out."""

    name, paid = "waiting", False

    async def perform(self, _assignment: Assignment, _tools: ToolPort) -> Returned:
        await asyncio.sleep(SECONDS)
        return Returned(RAW)


async def _no_probes(_urls: list[str], _params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


async def _phase(root: Path, run: str, wide: int) -> float:
    """Seconds that a phase of so many agents takes, from the first turn to the end of the run."""
    live = LiveRun(PHASE, FolderStore(root), run, from_revision)
    docs, params = live.found({}), {"wide": wide}
    await live.apply(
        lambda _state, at: Started(
            id="s", at=at, by="bench", workflow="phase", version=1, run=run, params=params, docs=docs
        )
    )
    begun = time.perf_counter()
    state = await Runner(live, Waiting(), CREW, _no_probes, at_once=wide).drive()
    taken = time.perf_counter() - begun
    if state.stop != "complete" or state.spend.turns != wide:
        raise RuntimeError(f"the phase ended with {state.stop!r} after {state.spend.turns} of {wide} turns")
    return taken


def measure(home: Path, quick: bool) -> Part:
    (home / PLAN).write_text("Wait a second.\n")
    rounds = 1 if quick else 5
    pairs = []
    for number in range(rounds):
        alone = asyncio.run(_phase(home, f"alone{number}", 1))
        pairs.append((alone, asyncio.run(_phase(home, f"wide{number}", WIDE))))
    alone, wide = median(one for one, _ in pairs), median(many for _, many in pairs)
    ratio = median(many / one for one, many in pairs)
    of = "one agent alone"
    return Part(
        [
            Figure("wide", of, alone, "s", 1.0, of),
            Figure("wide", f"{WIDE} agents in one phase", wide, "s", ratio, of, "ratio at most 1.3"),
        ],
        {"an agent takes": f"{SECONDS:g} s", "phases measured": rounds},
    )
