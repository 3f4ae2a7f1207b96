"""Content on models behind a stub: an orchestrator that reads where the piece stands, and scripted agents beside it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows/content"))
from content_agents import AGENTS
from content_project import PERSON, lay_out
from model_kit import Answer, players, task
from small_content import NAME

from signoff.core.commands import Reply
from signoff.core.events import Called, Event
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun, Watcher
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.provider_requests import Patience
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Runtime
from signoff.testing.stub import Asked, Step, call, give
from signoff.testing.stub_play import texts
from signoff.workflows.content.state import Piece, own_of
from signoff.workflows.content.workflow import WORKFLOW

EXAMPLE = Path(__file__).parents[2] / "examples/harbour-tools"
RUN = "autumn-launch"
CONFIG = "_workflow/content/config.yaml"
ORDER = ("save_content", "revise_draft", "summarize_round", "editor_decision", "run_critiques", "generate_draft")
_GIVEN = re.compile(r"# Given by the orchestrator\n\n```json\n(.*?)\n```", re.DOTALL)
_CALLED = re.compile(r"# What you have called so far\n.*?```json\n(.*?)\n```", re.DOTALL)
_LEGAL = re.compile(r"Legal now: (.*)\.$")


def harbour(root: Path, config: str = "") -> Path:
    """A fresh project of the shipped example."""
    shutil.copytree(EXAMPLE, root)
    if config:
        configure(root, config)
    return root


def small(root: Path, config: str = "", **more: str) -> Case:
    """A fresh piece of the small world: two critics, one revision."""
    case = Case(lay_out(root), NAME, {"type": "small", **more})
    if config:
        configure(root, config)
    return case


def configure(root: Path, config: str) -> None:
    file = root / CONFIG
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(config)


@dataclass
class Case:
    """One piece, opened afresh for every act; `replied` are all calls with their replies, as they were entered."""

    root: Path
    run: str = RUN
    params: Mapping[str, Any] = field(default_factory=lambda: {"type": "website", "idea": RUN})
    replied: dict[str, tuple[Called, Reply]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def _applied(self, event: Event, state: State) -> None:
        self.events.append(event)
        for turn in state.turns.values():
            for name, (_, reply) in turn.calls.items():
                made = f"{turn.start.turn}.{turn.start.attempt}.{name}"
                if reply is not None and made not in self.replied:
                    [said] = [one for one in self.events if one.id == made]
                    assert isinstance(said, Called)
                    self.replied[made] = (said, reply)

    def go(self, act: Callable[[LiveRun], Any]) -> Any:
        async def doing() -> Any:
            project = Project(self.root, watcher=Watcher(applied=self._applied))
            project.clock = from_revision
            return await act(await run_control.begin_or_go_on(project, WORKFLOW, self.run, self.params))

        return asyncio.run(doing())

    def drive(self, runtime: Runtime) -> State:
        state: State = self.go(lambda live: runs.drive(live, runtime))
        return state

    def on_models(self, model: str) -> State:
        chosen = choice([model], WORKFLOW.agent_names, os.environ)
        return self.drive(ModelRuntime(WORKFLOW, chosen, Patience(tries=1)))

    def settle(self, key: str, act: str) -> None:
        self.go(lambda live: runs.answer(live, key, act, PERSON, {}))

    @property
    def piece(self) -> Piece:
        async def own(live: LiveRun) -> Piece:
            return own_of(live.state)

        found: Piece = self.go(own)
        return found

    def calls(self) -> list[tuple[str, str]]:
        """Every call, and what was said against it."""
        return [(called.tool, reply.illegal) for called, reply in self.replied.values()]

    def raws(self) -> list[str]:
        home = self.root / "_workflow/content" / self.run / "turns"
        return sorted(file.relative_to(home).as_posix() for file in home.rglob("raw-*.txt"))


# --- who answers ------------------------------------------------------------------------------------------------------


def agent(asked: Asked) -> str:
    """The agent whose turn a request is about."""
    return task(asked)[0].partition("-")[2]


def notes(asked: Asked) -> dict[str, Any]:
    found = _GIVEN.search(asked.text)
    assert found, asked.text[:300]
    value: dict[str, Any] = json.loads(found[1])
    return value


def replies(asked: Asked) -> list[str]:
    """What tools said since the model spoke last; nothing where the conversation begins."""
    said: list[str] = []
    messages = list(asked.body["messages"])
    while messages and messages[-1]["role"] != "assistant":
        said = [*texts(messages.pop().get("content")), *said]
    return said if messages else []


def now(asked: Asked) -> dict[str, Any]:
    """Where the piece stands, from nothing but what the orchestrator is told."""
    for said in reversed(replies(asked)):
        if said.startswith("{"):
            return dict(json.loads(said)["now"])
        if found := _LEGAL.search(said):
            return {"legal": found[1].split(", "), "refused": said}
    called = _CALLED.search(asked.text)
    answered = [one["reply"] for one in json.loads(called[1])] if called else []
    known = [one["now"] for one in answered if isinstance(one, dict) and "now" in one]
    return dict(known[-1] if known else notes(asked)["now"])


def conducting(asked: Asked) -> Step:
    """An orchestrator that does what may be done, and ends where nothing may, or a person must act."""
    where = now(asked)
    tool = next((one for one in ORDER if one in where["legal"]), None)
    if tool is None or where.get("blocked") or "the run is paused" in where.get("refused", ""):
        return give({"status": "waiting" if where["legal"] else "saved"})
    return call(tool, **({"quality": where["quality"]} if tool == "save_content" else {}))


def behind(root: Path, run: str = RUN, **by: Answer) -> Answer:
    """A provider: the scripted agents, and for some agents somebody else (`_` stands for `-`)."""
    own = {"orchestrator": conducting, **{name.replace("_", "-"): answer for name, answer in by.items()}}
    scripted = players(root, run, AGENTS)
    return lambda asked: own.get(agent(asked), scripted)(asked)


def in_turn(steps: Sequence[Step], then: Answer) -> Answer:
    """The steps, one for each request, and then somebody who knows better."""
    left = list(steps)
    return lambda asked: left.pop(0) if left else then(asked)


def judged(*scores: int, high: bool = False) -> Answer:
    """Critics who give these scores in these rounds, the last one for ever; `high` says that all find a high issue."""

    def answer(asked: Asked) -> Step:
        number = notes(asked)["round"]
        issue = {"severity": "high", "description": f"“words {number}” promise too much", "suggestion": "say less"}
        return give({"score": scores[min(number, len(scores)) - 1], "issues": [issue] if high else [], "clean": []})

    return answer
