"""Finished runs of the shipped examples, and a runtime that notes what it is asked for."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows"))
import clarify_project
from page_project import RONDO, TARN, Case, files, lay_out, opened

from signoff.core.state import State
from signoff.core.workflow import Assignment
from signoff.service import forking, runs
from signoff.service.forking import Forked
from signoff.shell.runtimes import Offline, Returned, ToolPort

PIPELINE = "sales-pipeline"
APART = ("_workflow/fork.json", f"_workflow/clarify/{PIPELINE}/fork.json")
Finished = tuple[Path, str]


def hardware(root: Path) -> Finished:
    Case(lay_out(root)).run()
    return root, RONDO


def escalating(root: Path) -> Finished:
    Case(lay_out(root, TARN), TARN).run()
    return root, TARN


def algorithm(root: Path) -> Finished:
    import page_project

    from signoff.service import scaffold

    _, slug = scaffold.called(page_project.EXAMPLES / "algorithm")
    page_project.HOMES[slug] = "algorithm"
    Case(lay_out(root, slug), slug).run()
    return root, slug


def pipeline(root: Path) -> Finished:
    case = clarify_project.Case(clarify_project.lay_out_example(root), PIPELINE)
    case.run(topic="Sales pipeline")
    home = clarify_project.EXAMPLE / "answers"
    for sitting, choice in (("first", "research"), ("refinements", "deepen"), ("deeper", "decide")):
        case.answer(yaml.safe_load((home / f"{sitting}.yaml").read_text("utf-8")))
        case.choose(choice)
    assert case.state.stop == "complete"
    return root, PIPELINE


EXAMPLES: dict[str, Callable[[Path], Finished]] = {
    "hardware": hardware,
    "algorithm": algorithm,
    "escalating": escalating,
    "sales-pipeline": pipeline,
}


@dataclass
class Noting:
    """The offline players; every turn they are asked for is noted."""

    inner: Offline
    asked: list[str] = field(default_factory=list)
    name: str = "offline"

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        self.asked.append(assignment.start.turn)
        return await self.inner.perform(assignment, tools)


def forked(root: Path, run: str, at: object, into: Path | None = None, **prompts: Path) -> Forked:
    return asyncio.run(forking.fork(opened(root), run, str(at), into, prompts))


def gone_on(root: Path, run: str) -> tuple[State, list[str]]:
    """The run driven until somebody must act, and the turns that were asked for."""

    async def doing() -> tuple[State, list[str]]:
        live = await opened(root).open(run)
        noting = Noting(Offline(live.workflow))
        return await runs.drive(live, noting), noting.asked

    return asyncio.run(doing())


def tree(root: Path) -> dict[str, str]:
    """Every file but where a fork says that it is one."""
    return files(root, *APART)


def number(turn: str) -> int:
    return int(turn.partition("-")[0])


__all__ = [
    "EXAMPLES", "PIPELINE", "RONDO", "TARN", "Case", "files", "forked", "gone_on", "hardware", "number",
    "opened", "pipeline", "tree",
]  # fmt: skip
