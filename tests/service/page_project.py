"""Shipped examples as real projects on disk, and what an attacker needs to know of them before and after."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from signoff.core.commands import Reply, StartTurn
from signoff.core.declarations import Assignment, Tools
from signoff.core.refs import digest
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun, Watcher
from signoff.shell.runtimes.runtime import Offline, Port
from signoff.workflows.solution_page.assembler import ASSEMBLER
from signoff.workflows.solution_page.workflow import WORKFLOW

EXAMPLES = Path(__file__).parents[2] / "examples"
RONDO, TARN = "rondo-speakerphone", "tarn-edge-gateway"
HOMES = {RONDO: "hardware", TARN: "escalating"}
CONFIG, REGISTRY = "_workflow/config.yaml", "_shared/claims-registry.yaml"
EN, CN = f"3-drafts/{RONDO}/content-en.md", f"3-drafts/{RONDO}/content-cn.md"
PERSON = Actor(Via.NAMED, "ada")
T = TypeVar("T")


def lay_out(root: Path, slug: str = RONDO, config: str = "") -> Path:
    """A fresh project from an example's sources."""
    shutil.copytree(EXAMPLES / HOMES[slug] / "0-sources", root / "0-sources")
    if config:
        put(root, CONFIG, config)
    return root


def put(root: Path, path: str, data: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)


def edit(root: Path, path: str, before: str, after: str) -> None:
    """One replacement, as a person makes it."""
    text = (root / path).read_text("utf-8")
    assert before in text, f"{before!r} is not in {path}"
    put(root, path, text.replace(before, after, 1))


def text(root: Path, path: str) -> str:
    return (root / path).read_text("utf-8")


def files(root: Path, *apart: str) -> dict[str, str]:
    """Every file that a person or the journal knows, by digest: locks and what is named are left out."""
    found = (file for file in sorted(root.rglob("*")) if file.is_file() and not file.is_symlink())
    names = {file.relative_to(root).as_posix(): file for file in found if not file.name.startswith(".")}
    return {name: digest(file.read_bytes()) for name, file in names.items() if not name.startswith(apart)}


def journal(root: Path) -> bytes:
    file = root / "_workflow/journal.jsonl"
    return file.read_bytes() if file.exists() else b""


def raws(root: Path) -> list[str]:
    return sorted(file.relative_to(root / "_workflow/turns").as_posix() for file in root.rglob("raw-*.txt"))


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    raise AssertionError(f"a player called {tool} ({call_id})")


async def _played(live: LiveRun) -> tuple[StartTurn, str]:
    start, brief = (await runs.next_open(live)).turns[0]
    port = Port(live.library, {ref.path: ref for ref in start.pinned}, _no_calls)
    assignment = Assignment(start=start, brief=brief, params=live.state.params, at=live.state.at)
    return start, ASSEMBLER[start.agent](assignment, port)


def opened(root: Path, told: list[str] | None = None) -> Project:
    """The project, with a clock that gives the same bytes every time."""
    project = Project(root, watcher=Watcher(notice=told.append) if told is not None else None)
    project.clock = from_revision
    return project


@dataclass
class Case:
    """One run as a person has it: steps of the service, each in a loop of its own, and what was told meanwhile."""

    root: Path
    slug: str = RONDO
    told: list[str] = field(default_factory=list)

    def go(self, act: Callable[[LiveRun], Coroutine[Any, Any, T]]) -> T:
        """One act on the run, opened afresh as another process would."""

        async def doing() -> T:
            project = opened(self.root, self.told)
            return await act(await project.open(self.slug))

        return asyncio.run(doing())

    def begin(self, **params: Any) -> State:
        async def doing() -> State:
            project = opened(self.root, self.told)
            live = await run_control.begin_or_go_on(project, WORKFLOW, self.slug, params)
            return live.state

        return asyncio.run(doing())

    def drive(self, players: Mapping[str, Any] | None = None) -> State:
        workflow = replace(WORKFLOW, by_code=replace(WORKFLOW.by_code, players={**ASSEMBLER, **(players or {})}))
        return self.go(lambda live: runs.drive(live, Offline(workflow.by_code.players)))

    def run(self, **params: Any) -> State:
        self.begin(**params)
        return self.drive()

    def answer(self, key: str, act: str, **payload: Any) -> State:
        async def doing(live: LiveRun) -> State:
            await runs.answer(live, key, act, PERSON, payload)
            return live.state

        return self.go(doing)

    def submit(self, turn: str, attempt: int, raw: str) -> tuple[Any, ...]:
        return self.go(lambda live: runs.submit(live, turn, attempt, raw))

    def output(self) -> tuple[StartTurn, str]:
        """The open turn, and what the role player says to it."""

        return self.go(_played)

    def play(self, turns: int = 1) -> State:
        """So many turns, and then the process ends."""

        async def doing(live: LiveRun) -> State:
            for _ in range(turns):
                start, raw = await _played(live)
                assert await runs.submit(live, start.turn, start.attempt, raw) == ()
            return live.state

        return self.go(doing)

    def refresh(self) -> State:
        async def doing(live: LiveRun) -> State:
            await live.refresh()
            return live.state

        return self.go(doing)

    @property
    def state(self) -> State:
        async def doing(live: LiveRun) -> State:
            return live.state

        return self.go(doing)


Player = Callable[[Assignment, Tools], str]


def on_the_way(agent: str, act: Callable[[], object], times: int = 1) -> dict[str, Player]:
    """Players of which one finds that a person did something while its turn was out."""
    seen = 0

    def player(assignment: Assignment, tools: Tools) -> str:
        nonlocal seen
        seen += 1
        said = ASSEMBLER[agent](assignment, tools)
        if seen == times:
            act()
        return said

    return {agent: player}
