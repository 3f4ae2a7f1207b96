"""Finished runs of pages and of a small inquiry, and a runtime that notes what it is asked for."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "clarify"))
import clarify_project
from page_project import RONDO, TARN, Case, files, lay_out, opened

from signoff.core.declarations import Assignment
from signoff.core.state import State
from signoff.service import runs
from signoff.service.recordings import forks
from signoff.service.recordings.forks import Forked
from signoff.shell.runtimes.runtime import Offline, Returned, ToolPort

LOCKERS = clarify_project.Case.name
APART = ("_workflow/fork.json", f"_workflow/clarify/{LOCKERS}/fork.json")
Finished = tuple[Path, str]


def hardware(root: Path) -> Finished:
    Case(lay_out(root)).run()
    return root, RONDO


def escalating(root: Path) -> Finished:
    Case(lay_out(root, TARN), TARN).run()
    return root, TARN


def algorithm(root: Path) -> Finished:
    import page_project

    from signoff.service.files import new_project

    _, slug = new_project.called(page_project.EXAMPLES / "algorithm")
    page_project.HOMES[slug] = "algorithm"
    Case(lay_out(root, slug), slug).run()
    return root, slug


def lockers(root: Path) -> Finished:
    """An inquiry of three researchers, two refiners and a decision."""
    case = clarify_project.Case(clarify_project.lay_out(root))
    case.run(topic="Parcel lockers")
    for answers, choice in ((clarify_project.MIXED, "research"), ({"R2.1": "A", "R7.1": "B"}, "decide")):
        case.answer(answers)
        case.choose(choice)
    assert case.state.stop == "complete"
    return root, LOCKERS


EXAMPLES: dict[str, Callable[[Path], Finished]] = {
    "hardware": hardware,
    "algorithm": algorithm,
    "escalating": escalating,
    "lockers": lockers,
}


@dataclass
class Noting:
    """Agents that are code; every turn they are asked for is noted."""

    inner: Offline
    asked: list[str] = field(default_factory=list)
    name: str = "offline"
    paid: bool = False

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        self.asked.append(assignment.start.turn)
        return await self.inner.perform(assignment, tools)


def forked(root: Path, run: str, at: object, into: Path | None = None, **prompts: Path) -> Forked:
    return asyncio.run(forks.fork(opened(root), run, str(at), into, prompts))


def gone_on(root: Path, run: str) -> tuple[State, list[str]]:
    """The run driven until somebody must act, and the turns that were asked for."""

    async def doing() -> tuple[State, list[str]]:
        live = await opened(root).open(run)
        noting = Noting(Offline(live.workflow.by_code.players or clarify_project.AGENTS))
        return await runs.drive(live, noting), noting.asked

    return asyncio.run(doing())


def tree(root: Path) -> dict[str, str]:
    """Every file but where a fork says that it is one."""
    return files(root, *APART)


def number(turn: str) -> int:
    return int(turn.partition("-")[0])


__all__ = [
    "EXAMPLES", "LOCKERS", "RONDO", "TARN", "Case", "files", "forked", "gone_on", "hardware", "lockers", "number",
    "opened", "tree",
]  # fmt: skip
