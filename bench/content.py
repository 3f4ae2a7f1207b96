"""A round of critics: with a model that takes a second for each, the round takes little more than one of them.

The conductor is the fixed policy; author and selector answer at once. What is left of the round beside its slowest
critic is what briefs, outputs on disk and commits cost, and that is divided among the critiques.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.figures import Figure, Part
from signoff.core.declarations import Assignment
from signoff.service import runs
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.runtimes.runtime import Returned, ToolPort
from signoff.workflows.content.workflow import WORKFLOW

EXAMPLE = Path(__file__).parents[1] / "examples/harbour-tools"
CONFIG = "critics_at_once: {limit}\n"
CRITICS, SECONDS = 5, 1.0


@dataclass
class Timed:
    """Critics who think for a while and like what they read; `begun` and `ended` are when each of them did."""

    seconds: float
    begun: list[float] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)
    name: str = "bench"
    paid: bool = False

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:  # noqa: ARG002 - the protocol's
        agent = assignment.start.agent
        if agent == "critic":
            self.begun.append(time.perf_counter())
            await asyncio.sleep(self.seconds)
            self.ended.append(time.perf_counter())
        return Returned(json.dumps(_said(assignment)))


def _said(assignment: Assignment) -> object:
    notes = assignment.start.notes
    match assignment.start.agent:
        case "critic-selector":
            wanted = CRITICS - len(notes["named"])
            return {"advisorIds": [one["id"] for one in notes["candidates"][:wanted]]}
        case "critic":
            return {"score": 9, "issues": [], "clean": ["the first line"]}
        case _:
            return {"content": "# A page\n\n" + "A sentence of a page. " * 200}


async def _round(root: Path, limit: int, seconds: float) -> float:
    """How long one round of critics takes: from the call that asks them to the decision on what they said."""
    shutil.copytree(EXAMPLE, root)
    config = root / "_workflow/content/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(CONFIG.format(limit=limit))
    project, runtime, at = Project(root), Timed(seconds), {}
    project.clock = from_revision
    project.watcher.applied = lambda event, _state: at.setdefault(getattr(event, "tool", ""), time.perf_counter())
    live = await project.begin(WORKFLOW, "autumn-launch", {"type": "website", "conductor": "fixed"})
    state = await runs.drive(live, runtime)
    if (state.stop, len(runtime.ended)) != ("complete", CRITICS):
        raise SystemExit(f"the bench did not come to its end: {state.stop}, {len(runtime.ended)} critiques")
    return at["editor_decision"] - at["run_critiques"]


def measure(home: Path, quick: bool) -> Part:
    times = 1 if quick else 5
    seconds = 0.2 if quick else SECONDS
    side = median(asyncio.run(_round(home / f"side-{n}", CRITICS, seconds)) for n in range(times))
    row = asyncio.run(_round(home / "row", 1, seconds))
    own = median(asyncio.run(_round(home / f"own-{n}", CRITICS, 0.0)) for n in range(times))
    one = f"one critic of {seconds:g} s"
    figures = [
        Figure("content", f"{CRITICS} critics at once", side, "s", side / seconds, one, "< 1.5"),
        Figure("content", f"{CRITICS} critics one by one", row, "s", row / side, "at once"),
        Figure("content", "own time per critique", own / CRITICS * 1000, "ms", own / CRITICS / seconds, one),
    ]
    return Part(figures, {"critics": CRITICS, "runs": times})
