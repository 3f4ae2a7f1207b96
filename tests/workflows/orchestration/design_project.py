"""Designs as real projects on disk: the small world with its scripted agents, and a person who answers and signs."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import small_orchestration as small
from orchestration_agents import Line, agents

from signoff.core.commands import Command, StartTurn
from signoff.core.events import Event, TurnReturned, to_plain
from signoff.core.state import State
from signoff.service import questionnaires, run_control, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun, Watcher
from signoff.shell.runtimes.runtime import Misbehaving, Offline, Runtime
from signoff.workflows.orchestration.state import Design, own_of
from signoff.workflows.orchestration.workflow import WORKFLOW

RUN = TASK = small.RUN
PERSON = Actor(Via.NAMED, "ada")
ANSWER = "Librarians only."
MISSING, POC = small.NEW, small.POC
T = TypeVar("T")


def lay_out(folder: Path, config: str = small.config(rounds=3)) -> Path:
    """The plan of the small world as a project, with a home beside it that has nothing in it."""
    (folder / "home").mkdir(parents=True)
    for path, text in small.documents(config).items():
        (folder / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "project" / path).write_text(text, "utf-8")
    return folder


def scripted(says: Mapping[str, Line] = {}, faults: str = "", **world: Any) -> Runtime:
    """Scripted agents in the place of a host, of whom some say something else, or misbehave by a plan."""
    honest = Offline(agents(says, **world), name="host")
    return Misbehaving(honest, WORKFLOW.by_code.faults(faults)) if faults and WORKFLOW.by_code.faults else honest


@dataclass
class Case:
    """One design in `folder/project`, opened afresh for every act.

    `asked` are the agents whose turns came back since the last act, `told` are the agents that were asked again and the
    rules for which their output was refused, `state` is where that left the run.
    """

    folder: Path
    run: str = RUN
    asked: list[str] = field(default_factory=list)
    told: set[tuple[str, str]] = field(default_factory=set)
    state: State | None = None

    @property
    def root(self) -> Path:
        return self.folder / "project"

    def _applied(self, event: Event, state: State) -> None:
        del state
        if isinstance(event, TurnReturned):
            self.asked.append(event.turn.partition("-")[2])

    def _working(self, command: Command, state: State) -> None:
        del state
        if isinstance(command, StartTurn):
            self.told |= {(command.agent, finding.rule) for finding in command.told}

    def go(self, act: Callable[[LiveRun], Coroutine[Any, Any, T]], **params: Any) -> T:
        async def doing() -> T:
            project = Project(self.root, watcher=Watcher(applied=self._applied, working=self._working))
            project.clock, project.home = from_revision, self.folder / "home"
            return await act(await run_control.begin_or_go_on(project, WORKFLOW, self.run, params))

        return asyncio.run(doing())

    def drive(self, runtime: Runtime | None = None, **params: Any) -> State:
        """On until somebody must act; what was asked for before is forgotten."""
        self.asked.clear()
        worker = runtime or scripted()
        self.state = self.go(lambda live: runs.drive(live, worker), **params)
        return self.state

    def answer(self, answers: Mapping[str, str] | None = None) -> None:
        self.go(lambda live: questionnaires.write(live, answers or {"Q1": ANSWER}, PERSON))

    def say(self, key: str, act: str, **payload: Any) -> None:
        """A person's word; nobody goes on yet."""
        self.go(lambda live: runs.answer(live, key, act, PERSON, payload))

    def settle(self, key: str, act: str, runtime: Runtime | None = None, **payload: Any) -> State:
        """A person's word, and on."""
        self.say(key, act, **payload)
        return self.drive(runtime)

    def sign(self, gate: str) -> State:
        """A person's yes, after which nobody goes on: work that follows from it is asked for, and not yet done."""
        self.say(gate, "approve")
        return self.look()

    def look(self) -> State:
        """What becomes of edits; nobody goes on."""

        async def seen(live: LiveRun) -> State:
            await live.refresh()
            return live.state

        self.asked.clear()
        self.state = self.go(seen)
        return self.state

    def agree(self, runtime: Runtime | None = None) -> State:
        """On to the approved design, with yes to everything that is asked; nothing of the work is done yet."""
        self.come_to("design", runtime)
        return self.sign("design")

    def come_to(self, key: str, runtime: Runtime | None = None) -> State:
        """On to a request, with yes to everything that is asked before."""
        state = self.drive(runtime)
        while key not in self.waits_for:
            [ask] = state.requests.values()
            state = self.settle(ask.key, ask.options[0], runtime)
        return state

    def approve(self, gate: str) -> State:
        return self.settle(gate, "approve")

    def reject(self, gate: str, reason: str) -> State:
        return self.settle(gate, "reject", reason=reason)

    # --- what is there ---

    @property
    def own(self) -> Design:
        assert self.state is not None, "nobody has driven it"
        return own_of(self.state)

    @property
    def waits_for(self) -> list[str]:
        assert self.state is not None, "nobody has driven it"
        return [ask.key for ask in self.state.requests.values()]

    @property
    def statuses(self) -> dict[str, str]:
        """Where every agent of the work stands."""
        assert self.own.work is not None, "the work has not begun"
        return {name: worker.status for name, worker in self.own.work.workers.items()}

    @property
    def events(self) -> list[dict[str, Any]]:
        """What stands in the journal."""

        async def read(live: LiveRun) -> list[dict[str, Any]]:
            return [to_plain(event) for event in live.events]

        return self.go(read)

    def text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def put(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, "utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        """An edit that must hit something."""
        before = self.text(path)
        assert old in before, f"{path} has no {old!r}"
        self.put(path, before.replace(old, new))

    def brief(self, agent: str) -> str:
        """The last brief of an agent."""
        found = (self.root / WORKFLOW.folder(self.run) / "turns").glob(f"*-{agent}/brief-*.md")
        return sorted(found)[-1].read_text("utf-8")

    def copied(self, to: Path) -> Case:
        shutil.copytree(self.folder, to, dirs_exist_ok=True)
        return Case(to, self.run, state=self.state)


STOPS: Mapping[str, Callable[[Case], Any]] = {
    "questions": lambda case: case.drive(),
    "architecture": lambda case: (case.answer(), case.settle("questions", "continue")),
    "roster": lambda case: case.approve("architecture"),
    "agent": lambda case: case.approve("roster"),
    "design": lambda case: case.settle(f"agent-{MISSING}", "create"),
    "approved": lambda case: case.sign("design"),
}
"""Where the small design stops for a person, and how the person gets from one stop to the next."""


def walk(folder: Path) -> dict[str, Case]:
    """The small design at each of its stops, each in a folder of its own."""
    found: dict[str, Case] = {}
    case = Case(lay_out(folder / "start"))
    for name, on in STOPS.items():
        case = case.copied(folder / name)
        on(case)
        found[name] = case
    return found
