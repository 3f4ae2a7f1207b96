"""Inquiries as real projects on disk: a small brief, scripted agents, and a person who edits and chooses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from clarify_agents import AGENTS, BRIEF, SOURCES
from clarify_agents import CONFIG as DIMENSIONS

from signoff.artifacts import yamlio
from signoff.core.commands import Reply
from signoff.core.declarations import Assignment, Tools
from signoff.core.findings import Finding
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun, Watcher
from signoff.shell.runtimes.runtime import Offline, Port, Runtime
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.state import Inquiry
from signoff.workflows.clarify.workflow import WORKFLOW

PERSON = Actor(Via.NAMED, "ada")
CONFIG = "_workflow/clarify/config.yaml"
MIXED = {"Q1": "B", "Q2": "TBD", "Q3": "A", "Q4": "B", "Q5": "A", "Q6": "A"}
"""Five clear answers of seven, a vague one in Metrics, and Q7, which must be answered, empty in Data."""
ALL = {**MIXED, "Q2": "B", "Q7": "B"}
__all__ = [
    "AGENTS", "ALL", "BRIEF", "CONFIG", "DIMENSIONS", "MIXED", "PERSON", "SOURCES", "Case", "changed", "failing_at",
    "lay_out", "on_the_way", "put", "says", "scripted",
]  # fmt: skip
T = TypeVar("T")
Agent = Callable[[Assignment, Tools], str]
Agents = Mapping[str, Agent] | Runtime | None
"""Agents that take the place of the scripted ones, or whatever else carries out the turns."""


def put(root: Path, path: str, text: str) -> None:
    """As an editor saves: a whole new file in place of the old one."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, "utf-8", newline="")
    new.replace(file)


def lay_out(root: Path, files: Mapping[str, str] = SOURCES, config: str = DIMENSIONS) -> Path:
    """A fresh project of these files."""
    for path, text in {**files, CONFIG: config}.items():
        put(root, path, text)
    return root


def scripted(agent: str, assignment: Assignment, tools: Tools) -> str:
    said = AGENTS[agent](assignment, tools)
    assert isinstance(said, str)
    return said


def says(output: Mapping[str, Any] | str) -> Agent:
    """An agent that always gives this back."""
    raw = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return lambda _assignment, _tools: raw


def changed(agent: str, change: Callable[[dict[str, Any], Assignment], object]) -> dict[str, Agent]:
    """An agent that changes what the scripted one says."""

    def acting(assignment: Assignment, tools: Tools) -> str:
        output = yamlio.load_mapping(scripted(agent, assignment, tools), "")
        change(output, assignment)
        return yamlio.dump(output)

    return {agent: acting}


def failing_at(agent: str, *keys: str) -> dict[str, Agent]:
    """An agent that gives nothing usable for the turns of these keys."""

    def acting(assignment: Assignment, tools: Tools) -> str:
        return "nothing: [usable" if assignment.start.key in keys else scripted(agent, assignment, tools)

    return {agent: acting}


def on_the_way(agent: str, act: Callable[[], object], key: str = "") -> dict[str, Agent]:
    """An agent that finds, in its first turn (of this key), that a person did something meanwhile."""
    seen: list[str] = []

    def acting(assignment: Assignment, tools: Tools) -> str:
        said = scripted(agent, assignment, tools)
        if not seen and key in ("", assignment.start.key):
            seen.append(assignment.start.key)
            act()
        return said

    return {agent: acting}


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    raise AssertionError(f"an agent called {tool} ({call_id})")


@dataclass
class Case:
    """One inquiry as a person has it: steps of the service, each on the run opened afresh."""

    root: Path
    name: str = "lockers"
    told: list[str] = field(default_factory=list)
    known: tuple[int, State] | None = None

    # --- files ---

    @property
    def questions(self) -> str:
        return f"{self.name}/context/clarifications.md"

    @property
    def decided(self) -> str:
        return f"{self.name}/context/decisions.md"

    @property
    def judged(self) -> str:
        return f"{self.name}/context/answer-evaluation.json"

    @property
    def folder(self) -> str:
        return f"_workflow/clarify/{self.name}"

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode("utf-8")

    @property
    def doc(self) -> cl.Clarifications:
        return cl.parse(self.text(self.questions), self.questions)

    @property
    def made(self) -> de.Decisions:
        return de.parse(self.text(self.decided), self.decided)

    @property
    def evaluation(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text(self.judged))
        return found

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text(f"{self.folder}/status.json"))
        return found

    def turns(self, agent: str = "") -> list[str]:
        """The turns that were out, in order; those of one agent."""
        home = self.root / self.folder / "turns"
        return sorted(turn.name for turn in home.iterdir() if turn.name.endswith(agent))

    def brief(self, turn: str, attempt: int = 1) -> str:
        return self.text(f"{self.folder}/turns/{turn}/brief-{attempt}.md")

    # --- acts ---

    def opened(self) -> Project:
        project = Project(self.root, watcher=Watcher(notice=self.told.append))
        project.clock = from_revision
        return project

    def go(self, act: Callable[[LiveRun], Coroutine[Any, Any, T]]) -> T:
        """One act on the run, opened afresh as another process would."""

        async def doing() -> T:
            return await act(await self.opened().open(self.name))

        return asyncio.run(doing())

    def begin(self, **params: Any) -> State:
        async def doing() -> State:
            return (await run_control.begin_or_go_on(self.opened(), WORKFLOW, self.name, params)).state

        return asyncio.run(doing())

    def drive(self, agents: Agents = None) -> State:
        runtime = Offline({**AGENTS, **(agents or {})}) if agents is None or isinstance(agents, Mapping) else agents
        return self.go(lambda live: runs.drive(live, runtime))

    def run(self, agents: Agents = None, **params: Any) -> State:
        self.begin(**params)
        return self.drive(agents)

    def play(self, turns: int = 1) -> State:
        """So many turns one after the other, and then the process ends."""

        async def doing(live: LiveRun) -> State:
            for _ in range(turns):
                start, brief = (await runs.next_open(live)).turns[0]
                port = Port(live.library, {ref.path: ref for ref in start.pinned}, _no_calls)
                assignment = Assignment(start=start, brief=brief, params=live.state.params, at=live.state.at)
                raw = scripted(start.agent, assignment, port)
                assert await runs.submit(live, start.turn, start.attempt, raw) == ()
            return live.state

        return self.go(doing)

    def choose_only(self, act: str, **payload: Any) -> State:
        """Chooses in the request that has this option; nobody works on it yet."""

        async def doing(live: LiveRun) -> State:
            await live.refresh()
            [ask] = [ask for ask in live.state.requests.values() if act in ask.options]
            await runs.answer(live, ask.request, act, PERSON, payload)
            return live.state

        return self.go(doing)

    def choose(self, act: str, agents: Agents = None, **payload: Any) -> State:
        """Chooses in the request that has this option, and goes on."""
        self.choose_only(act, **payload)
        return self.drive(agents)

    def edit(self, path: str, text: str) -> State:
        """A file saved by hand, and noticed."""
        put(self.root, path, text)
        return self.refresh()

    def replace(self, path: str, before: str, after: str) -> State:
        """One replacement in a file, as a person makes it."""
        text = self.text(path)
        assert before in text, f"{before!r} is not in {path}"
        return self.edit(path, text.replace(before, after, 1))

    def answer(self, answers: Mapping[str, str]) -> State:
        """Answers written into the file, by id or title."""
        return self.edit(self.questions, cl.with_answers(self.doc, dict(self.keyed(answers))))

    def keyed(self, answers: Mapping[str, str]) -> Iterable[tuple[str, str]]:
        titles = {item.title: item.key for item in self.doc.questions}
        return ((titles.get(name, name), said) for name, said in answers.items())

    def refresh(self) -> State:
        async def doing(live: LiveRun) -> State:
            await live.refresh()
            return live.state

        return self.go(doing)

    # --- what can be seen ---

    @property
    def state(self) -> State:
        """Where the run stands by its journal, which is read again when it has grown."""

        async def doing(live: LiveRun) -> State:
            return live.state

        size = (self.root / self.folder / "journal.jsonl").stat().st_size
        if self.known is None or self.known[0] != size:
            self.known = (size, self.go(doing))
        return self.known[1]

    @property
    def own(self) -> Inquiry:
        own: Inquiry = self.state.own
        return own

    def asked(self) -> dict[str, tuple[str, ...]]:
        """What waits for a person: the options by key."""
        return {ask.key: ask.options for ask in self.state.requests.values()}

    def warned(self, rule: str) -> list[Finding]:
        return [finding for finding in self.own.warnings if finding.rule == rule]

    def trace(self, what: str) -> Mapping[str, Any] | None:
        return self.traces(what)[what]

    def traces(self, *whats: str) -> dict[str, Mapping[str, Any] | None]:
        async def doing(live: LiveRun) -> dict[str, Mapping[str, Any] | None]:
            return {what: runs.known(live, what) for what in whats}

        return self.go(doing)
