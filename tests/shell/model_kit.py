"""A page project whose turns go to a stubbed provider; the role players of the workflow are the model behind it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
from page_project import CN, EN, RONDO, Case, files, journal, lay_out, opened, put

from signoff.core.commands import Reply
from signoff.core.declarations import Assignment, RolePlayer
from signoff.core.events import to_plain
from signoff.core.state import State
from signoff.service import runs
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.provider_requests import Patience
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Port
from signoff.testing.stub import Asked, Step, Stub, give
from signoff.workflows.solution_page.workflow import WORKFLOW

CLAUDE, GPT = "anthropic:claude-sonnet-5", "openai:gpt-5"
TASK = re.compile(r"^# Task (\S+), attempt (\d+)$", re.MULTILINE)
Answer = Callable[[Asked], Step]


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    raise AssertionError(f"a player called {tool} ({call_id})")


async def _play(root: Path, run: str, turn: str, agents: Mapping[str, RolePlayer] | None) -> str:
    live = await opened(root).open(run)
    start = live.state.turns[turn].start
    port = Port(live.library, {ref.path: ref for ref in start.pinned}, _no_calls)
    assignment = Assignment(start=start, brief="", params=live.state.params, at=live.state.at)
    played = (agents or live.workflow.by_code.players)[start.agent](assignment, port)
    assert isinstance(played, str), "a conversation cannot be had behind a provider"
    return played


def players(root: Path, run: str = RONDO, agents: Mapping[str, RolePlayer] | None = None) -> Answer:
    """A model that does what these scripted agents do, or the workflow's own code, and says it in JSON."""

    def answer(asked: Asked) -> Step:
        turn = task(asked)[0]
        return give(yaml.safe_load(asyncio.run(_play(root, run, turn, agents))))

    return answer


def task(asked: Asked) -> tuple[str, int]:
    """The turn and the attempt that a request is about."""
    found = TASK.search(asked.text)
    assert found, asked.text[:200]
    return found[1], int(found[2])


def first(steps: Sequence[Step], then: Answer) -> Answer:
    """The steps, and then somebody who knows better."""
    left = list(steps)
    return lambda asked: left.pop(0) if left else then(asked)


class Paged(Case):
    """A page whose turns are carried out by models behind a stub."""

    def on_models(self, model: str, patience: Patience | None = None, heard: Any = None) -> State:
        async def doing(live: LiveRun) -> State:
            if heard is not None:
                live.watcher.heard = heard
            chosen = choice([model], WORKFLOW.agent_names, os.environ)
            return await runs.drive(live, ModelRuntime(WORKFLOW, chosen, patience))

        return self.go(doing)

    def events(self) -> list[dict[str, Any]]:
        async def doing(live: LiveRun) -> list[dict[str, Any]]:
            return [to_plain(event) for event in live.events]

        return self.go(doing)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events() if event["type"] == kind]

    def raw(self, turn: str, attempt: int = 1) -> str:
        return (self.root / f"_workflow/turns/{turn}/raw-{attempt}.txt").read_text("utf-8")

    def usage(self, turn: str, attempt: int = 1) -> dict[str, Any]:
        file = self.root / f"_workflow/turns/{turn}/usage-{attempt}.json"
        value: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return value


def page(root: Path, config: str = "", sources: Mapping[str, str] | None = None) -> Paged:
    case = Paged(lay_out(root, config=config))
    for path, text in (sources or {}).items():
        put(root, path, text)
    case.begin()
    return case


def lead(monkeypatch: pytest.MonkeyPatch, stub: Stub, key: str | None = None) -> None:
    """The environment of somebody whose providers are all the stub."""
    for name, value in stub.environment(key).items():
        monkeypatch.setenv(name, value)


__all__ = [
    "CLAUDE", "CN", "EN", "GPT", "RONDO", "Paged", "Patience", "files", "first", "journal", "lay_out", "lead", "page",
    "players", "task",
]  # fmt: skip
