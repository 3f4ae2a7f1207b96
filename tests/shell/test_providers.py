"""How many turns of one provider are out at once: as the project says, whoever else works meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from maker import SCHEMA
from model_kit import CLAUDE, GPT, lead
from test_fanout import Scripted, begin, no_probes
from toys import TALK, contract

from signoff.artifacts.agent_files import AgentFile
from signoff.core.commands import Finish, StartTurn
from signoff.core.declarations import Agent, Assignment, Effects, Now
from signoff.core.errors import DocumentError
from signoff.core.events import Started, TurnReturned
from signoff.core.workflow import Documents, Workflow
from signoff.shell.run.briefs import Crew
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.project_budget import AT_ONCE, Purse, at_once
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.claude_code.runtime import ClaudeCode
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Host, Offline, Provided, Runtime, ToolPort
from signoff.testing.stub import Asked, Step, Stub, give

BUDGET = "_workflow/budget.yaml"
NAMES = ("slow", "quick", "author", "critic")
TEAM = Crew({n: AgentFile(file="", name=n, description="", skills=(), body=n) for n in NAMES}, {})
LONG = 60
"""Seconds after which a test that hangs says so; no test waits for them."""


def wide(slow: int, quick: int = 0) -> Workflow:
    """A run whose first step has so many turns out, of two agents, and which ends when all have returned."""
    wanted = [*("slow",) * slow, *("quick",) * quick]

    def step(now: Now) -> Effects:
        if isinstance(now.event, Started):
            turns = [StartTurn(key=f"{n}", agent=who, contract="plain", task="") for n, who in enumerate(wanted)]
            return Effects(None, tuple(turns))
        done = isinstance(now.event, TurnReturned) and not now.state.turns
        return Effects(None, (Finish(reason="complete"),) if done else ())

    return Workflow(
        name="wide",
        about="",
        package="tests.kernel",
        steps=step,
        agents=tuple(
            Agent(name=name, contract=replace(contract("plain"), schema=lambda: SCHEMA)) for name in ("slow", "quick")
        ),
        documents=Documents(
            tracked=lambda _: [],
        ),
    )


def said(root: Path, text: str) -> None:
    (root / BUDGET).parent.mkdir(parents=True, exist_ok=True)
    (root / BUDGET).write_text(text)


def driven(workflow: Workflow, root: Path, runtime: Runtime, **more: Any) -> LiveRun:
    async def go() -> LiveRun:
        live = await begin(workflow, root, "try")
        await asyncio.wait_for(Runner(live, runtime, TEAM, no_probes, **more).drive(), LONG)  # type: ignore[arg-type]
        return live

    return asyncio.run(go())


class Counted(Scripted):
    """A runtime of one provider, which counts how many of its turns are out; none ends before `full` of them are."""

    def __init__(self, full: int) -> None:
        super().__init__(self._counted)
        self.full, self.out, self.most, self.reached = full, 0, 0, asyncio.Event()

    def provider(self, _agent: str, _wanted: str | None) -> str:
        return "acme"

    async def _counted(self, _assignment: Assignment, _tools: ToolPort) -> str:
        self.out += 1
        self.most = max(self.most, self.out)
        if self.out == self.full:
            self.reached.set()
        await self.reached.wait()
        self.out -= 1
        return "{}"


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("providers: {acme: {at_once: 3}}\n", 3),
        ("providers:\n  acme:\n    at_once: 12\n", 12),
        ("providers: {other: {at_once: 3}}\n", AT_ONCE),
        ("cost: 20\n", AT_ONCE),
    ],
)
def test_so_many_turns_of_a_provider_are_out_at_once_and_no_more(text: str, most: int, tmp_path: Path) -> None:
    said(tmp_path, text)
    runtime = Counted(most)
    live = driven(wide(slow=16), tmp_path, runtime)
    assert (live.state.stop, runtime.most) == ("complete", most)


def test_on_real_clients_a_turn_that_waits_for_its_provider_takes_no_place_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(tmp_path, "providers: {anthropic: {at_once: 2}}\n")
    out: Counter[str] = Counter()
    most: Counter[str] = Counter()
    lock, pairs, all_quick, quick_came = threading.Lock(), threading.Barrier(2), threading.Barrier(5), threading.Event()

    def answer(asked: Asked) -> Step:
        name = str(asked.body["model"])
        with lock:
            out[name] += 1
            most[name] = max(most[name], out[name])
        if name in GPT:
            all_quick.wait(LONG)  # five at once, although the four that wait were there before them
            quick_came.set()
        else:
            quick_came.wait(LONG)
            pairs.wait(LONG)
        with lock:
            out[name] -= 1
        return give({"done": True})

    workflow = wide(slow=4, quick=5)
    with Stub(answer) as stub:
        lead(monkeypatch, stub)
        models = choice([f"slow={CLAUDE}", f"quick={GPT}"], workflow.agent_names, os.environ)
        live = driven(workflow, tmp_path, ModelRuntime(workflow, models), at_once=7)
    assert live.state.stop == "complete"
    assert {f"anthropic:{name}" if name in CLAUDE else f"openai:{name}": n for name, n in most.items()} == {
        CLAUDE: 2,
        GPT: 5,
    }


def test_a_turn_that_waits_for_others_of_its_provider_takes_no_place_from_them(tmp_path: Path) -> None:
    said(tmp_path, "providers: {acme: {at_once: 1}}\n")

    class Talking(Scripted):
        def provider(self, _agent: str, _wanted: str | None) -> str:
            return "acme"

    async def perform(assignment: Assignment, tools: ToolPort) -> str:
        if assignment.start.agent == "critic":
            return json.dumps({"score": 7})
        await tools.call("draft", {"text": "words"}, "1")
        return json.dumps({"scores": (await tools.call("critique", {}, "2")).result})

    live = driven(TALK, tmp_path, Talking(perform))
    assert live.state.stop == "complete"


def test_a_limit_that_is_edited_while_a_run_works_is_in_force_and_one_that_cannot_be_read_is_not(
    tmp_path: Path,
) -> None:
    said(tmp_path, "providers: {acme: {at_once: 3}}\n")
    purse = Purse(asyncio.run(begin(wide(slow=1), tmp_path, "try")))
    assert purse.at_once("acme") == 3
    said(tmp_path, "providers: {acme: {at_once: 4}}\n")
    assert purse.at_once("acme") == 4
    said(tmp_path, "providers: {acme: [")
    assert purse.at_once("acme") == 4
    (tmp_path / BUDGET).unlink()
    assert purse.at_once("acme") == AT_ONCE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("providers: {acme: {at_once: 0}}", "`providers.acme.at_once` is 0; valid: a whole number from 1"),
        ("providers: {acme: {at_once: '4'}}", "`providers.acme.at_once` is '4'; valid: a whole number from 1"),
        ("providers: {acme: {at_onse: 4}}", "rename it to `at_once`"),
        ("providers: {acme: 4}", "`providers.acme` is 4"),
        ("providers: 4", "`providers` is 4; valid: as in {anthropic: {at_once: 4}}"),
        ("provider: {acme: {at_once: 4}}", "rename it to `providers`"),
    ],
)
def test_what_is_wrong_with_a_limit_is_said_with_its_repair(text: str, told: str) -> None:
    with pytest.raises(DocumentError) as error:
        at_once(text.encode())
    assert told in str(error.value)


def test_models_and_claude_code_have_a_provider_and_nobody_else_has() -> None:
    workflow = wide(slow=1)
    models = choice([f"slow={CLAUDE}"], workflow.agent_names, {})
    assert ModelRuntime(workflow, models).provider("slow", None) == "anthropic"
    assert ModelRuntime(workflow, models).provider("quick", "openai-compatible:x:7b") == "openai-compatible"
    assert ClaudeCode(workflow, models).provider("slow", None) == "anthropic"
    assert not any(isinstance(runtime, Provided) for runtime in (Offline(workflow.by_code.players), Host()))


def test_a_turn_without_a_model_fails_and_not_the_run(tmp_path: Path) -> None:
    workflow = wide(slow=1)
    runtime = ModelRuntime(workflow, choice([], workflow.agent_names, {}))

    class Unprepared(ModelRuntime):
        """As when a config is edited after everything was found ready."""

        def prepare(self, *_: object) -> None:
            return

    live = driven(workflow, tmp_path, Unprepared(runtime.workflow, runtime.choice))
    assert {event.kind for event in live.events if hasattr(event, "kind")} == {"UsageError"}
