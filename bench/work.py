"""The work on a plan of many agents: ten to a phase, each doer worked on, reviewed and verified; all answer at once.

What a turn costs is measured against durable turns of the kernel's own bench, on the same disk, before and after it in
the same run: the rest is the workflow's, which looks at where everybody stands after each of them and puts more files
in their places. What a turn of a plan twice as large costs is told last, by the clock and in time of the processor,
which other programs of the machine disturb less.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench import durable
from bench.figures import Figure, Part
from signoff.artifacts.agent_files import AgentFile
from signoff.core.budget import Budget
from signoff.core.declarations import Assignment, Now
from signoff.core.events import Started
from signoff.core.table import stage_table
from signoff.core.workflow import Workflow
from signoff.shell.clock import from_revision
from signoff.shell.run.briefs import Crew
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Returned, ToolPort
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design.file_edits import edited
from signoff.workflows.orchestration.documents import agent_roster
from signoff.workflows.orchestration.documents import contracts as file_contracts
from signoff.workflows.orchestration.documents.agent_instructions import HEADINGS
from signoff.workflows.orchestration.documents.agent_roster import Member, Roster
from signoff.workflows.orchestration.documents.contracts import (
    Checkpoint,
    Checkpoints,
    Criterion,
    FileContract,
    FileContracts,
    Read,
    Written,
)
from signoff.workflows.orchestration.sequence import work_sequence
from signoff.workflows.orchestration.sequence.sequencer import sequence as sequenced
from signoff.workflows.orchestration.state import Design
from signoff.workflows.orchestration.workflow import AGENTS, EDGES, STAGES, WORKFLOW

AT = 1_727_539_200
HEAD = {"task_id": f"bench_{AT}", "created": AT}
WIDE = 20
TURNS = 3
"""To work, to review, to verify."""
CONFIG = "agents_at_once: 20\nbudget:\n  turns: 100000\n"
CREW = Crew({name: AgentFile(file="", name=name, description="", skills=(), body="Go on.") for name in AGENTS}, {})


def _first(now: Now) -> Design:
    """A run that begins with its work: the design is there and approved."""
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    members = tuple(now.event.params["members"])
    return Design(
        step="execute", run="bench", task="bench", task_id=HEAD["task_id"], created=AT, members=members, digest="0"
    )


TABLE = stage_table(STAGES, EDGES, first=_first, edited=edited)
ENDLESS = replace(WORKFLOW.limits, budget=lambda _state, _look: Budget(turns=1_000_000))
AT_WORK: Workflow = replace(WORKFLOW, steps=TABLE, limits=ENDLESS)


def lay_out(root: Path, phases: int) -> list[str]:
    """The documents of a plan of so many phases of doers, each agent after one of the phase before; its agents."""
    names = [[f"maker_{phase:02}_{at:02}_agent" for at in range(WIDE // 2)] for phase in range(phases)]
    agents, contracts = {}, {}
    for at, row in enumerate(names):
        for number, name in enumerate(row):
            before = names[at - 1][number] if at else None
            waits = (before,) if before else ()
            agents[name] = Member(role="makes", dependencies=waits, task_id=f"{name}_{AT}", exists=True)
            reads = (Read.model_validate({"path": f"src/{before}.py", "from": before}),) if before else ()
            contracts[name] = FileContract(reads=reads, writes=(Written(path=f"src/{name}.py"),))
    criteria = (Criterion(id="works", text="It works", evidence="the output of the tests"),)
    known = (
        Roster.model_validate({**HEAD, "agents": agents}),
        FileContracts.model_validate({**HEAD, "agents": contracts}),
        Checkpoints.model_validate(
            {**HEAD, "checkpoints": [Checkpoint(id=name, doer=name, criteria=criteria) for name in agents]}
        ),
    )
    order = sequenced(*known)
    members = sorted({one.agent_name for phase in order.execution_phases for one in phase.agents})
    texts = {
        "_workflow/orchestration/config.yaml": CONFIG,
        places.ROSTER: agent_roster.render(known[0]),
        places.CONTRACTS: file_contracts.render(known[1]),
        places.CHECKPOINTS: file_contracts.render(known[2]),
        places.SEQUENCE: work_sequence.render(order),
        **{places.instructions(name): _told(name) for name in members},
    }
    for path, text in texts.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return members


def _told(name: str) -> str:
    return f"# {name}\n" + "".join(f"\n## {heading}\n\nAs it is.\n" for heading in HEADINGS)


class Instant:
    """A runtime whose agents answer at once, and well; doers write their file."""

    name, paid = "instant", False

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        start = assignment.start
        if start.contract == "verdict":
            judged = [{"id": "works", "met": True, "evidence": "seen"}]
            return Returned(json.dumps({"result": "pass", "criteria": judged}))
        if start.notes["mode"] == "work":
            name = start.notes["agent"]
            tools.write(f"src/{name}.py", f"# {name}\n")
        status = "ready_for_verification" if start.notes["mode"] == "review" else "completion_drive_review"
        return Returned(json.dumps({"status": status, "summary": "made"}))


async def _no_probes(_urls: list[str], _params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a turn of a plan took, in seconds of the clock and of the processor, and the durable turns beside it."""

    clock: float
    processor: float
    durable: float


async def _worked(root: Path, phases: int) -> tuple[float, float]:
    """Seconds per turn of a plan of so many phases of doers: of the clock, and of the processor."""
    root.mkdir()
    members = lay_out(root, phases)
    live = LiveRun(AT_WORK, FolderStore(root), "bench", from_revision)
    params = {"slug": "bench", "members": members}
    docs = live.found(params)
    await live.apply(
        lambda _state, at: Started(
            id="s", at=at, by="bench", workflow="orchestration", version=1, run="bench", params=params, docs=docs
        )
    )
    begun, busy = time.perf_counter(), time.process_time()
    state = await Runner(live, Instant(), CREW, _no_probes, at_once=WIDE).drive()
    taken, busy = time.perf_counter() - begun, time.process_time() - busy
    turns = TURNS * phases * WIDE // 2
    if state.stop != "complete" or state.spend.turns != turns:
        raise RuntimeError(f"the work ended with {state.stop!r} after {state.spend.turns} of {turns} turns")
    return taken / turns, busy / turns


def _cost(home: Path, phases: int) -> _Cost:
    before = durable.cost(home / f"before{phases}", 25)
    clock, processor = asyncio.run(_worked(home / f"plan{phases}", phases))
    return _Cost(clock, processor, (before + durable.cost(home / f"after{phases}", 25)) / 2)


def _named(phases: int) -> str:
    return f"a turn of {phases * WIDE} agents in {2 * phases} phases"


def measure(home: Path, quick: bool) -> Part:
    sizes = (2, 4) if quick else (10, 20)
    half, whole = (_cost(home, phases) for phases in sizes)
    of = "a durable turn"
    return Part(
        [
            Figure("work", of, (half.durable + whole.durable) / 2 * 1e3, "ms", 1.0, of),
            *(
                Figure("work", _named(phases), cost.clock * 1e3, "ms", cost.clock / cost.durable, of)
                for phases, cost in zip(sizes, (half, whole), strict=True)
            ),
            *(
                Figure("work", f"twice as many agents, {by}", large * 1e3, "ms", large / small, "half of them", aim)
                for by, small, large, aim in (
                    ("by the clock", half.clock, whole.clock, "about 1"),
                    ("of the processor", half.processor, whole.processor, "below 2"),
                )
            ),
        ],
        {"turns measured": TURNS * sum(sizes) * WIDE // 2},
    )
