"""Agents whose turns code takes in a run, whatever the runtime: content, conducted by a fixed policy.

Author and critics are a few lines of script. They sit behind a provider, or a host gives what they say.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, GPT, lead, players

from signoff.core.commands import StartTurn
from signoff.core.declarations import Assignment, RolePlayer, Tools
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import to_plain
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.service.hosts import host_calls, host_turns
from signoff.service.project import Project
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Host, Misbehaving, Offline, Runtime
from signoff.testing.stub import Stub
from signoff.workflows.content.faults import FAULTS
from signoff.workflows.content.workflow import WORKFLOW

EXAMPLE = Path(__file__).parents[2] / "examples/harbour-tools"
RUN = "autumn-launch"
PARAMS = {"type": "website", "idea": RUN, "conductor": "fixed"}
CONDUCTOR = "0002-orchestrator"
BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])


def _author(assignment: Assignment, _tools: Tools) -> str:
    issues = assignment.start.notes.get("issues", ())
    addressed = [{"issue": one["id"], "how": "said less"} for one in issues]
    return json.dumps({"content": f"# Draft {assignment.start.turn}\n", "addressed": addressed})


def _critic(assignment: Assignment, _tools: Tools) -> str:
    """Content with nothing but the second draft."""
    if assignment.start.notes["round"] > 1:
        return json.dumps({"score": 9})
    issue = {"severity": "medium", "description": "it says nothing", "suggestion": "say something"}
    return json.dumps({"score": 2, "issues": [issue]})


AGENTS: Mapping[str, RolePlayer] = {
    "critic-selector": lambda _assignment, _tools: '{"advisorIds": []}',
    "author": _author,
    "critic": _critic,
}
"""Nobody here conducts: a run in which the runtime is asked to would fail."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "harbour")
    return tmp_path / "harbour"


def driven(root: Path, runtime: Runtime, params: Mapping[str, Any] = PARAMS) -> State:
    async def doing() -> State:
        return await runs.drive(await run_control.begin_or_go_on(Project(root), WORKFLOW, RUN, params), runtime)

    return asyncio.run(doing())


def opened(root: Path) -> LiveRun:
    return asyncio.run(Project(root).open(RUN))


def conducted(root: Path) -> list[str]:
    """The tools that the conducting turn called, in order."""
    events = [to_plain(event) for event in opened(root).events]
    return [event["tool"] for event in events if event["type"] == "called" and event["turn"] == CONDUCTOR]


def workers(root: Path) -> dict[str, set[str]]:
    """Who carried out the turns of each agent, as the receipts have it."""
    found: dict[str, set[str]] = {}
    for file in (root / "_workflow/content" / RUN / "turns").glob("*/usage-*.json"):
        agent = file.parent.name.partition("-")[2]
        found.setdefault(agent, set()).add(json.loads(file.read_text())["runtime"])
    return found


ROUND = ["run_critiques", "editor_decision", "summarize_round"]
WHOLE = ["generate_draft", *ROUND, "revise_draft", *ROUND, "save_content"]


@BOTH
@pytest.mark.req("CP-12")
def test_code_conducts_and_models_write_and_judge(model: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(players(root, RUN, AGENTS)) as stub:
        lead(monkeypatch, stub)
        state = driven(root, ModelRuntime(WORKFLOW, choice([model], WORKFLOW.agent_names, os.environ)))
    assert state.stop == "complete"
    assert conducted(root) == WHOLE
    by_models = {name: {"model"} for name in AGENTS}
    assert workers(root) == {**by_models, "orchestrator": {"code"}}
    assert not [asked for asked in stub.asked if CONDUCTOR in asked.text.partition("\n")[0]]


def test_the_agent_that_code_stands_in_for_needs_no_model(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = root / "_workflow/content/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("models: {orchestrator: 'nobody:knows'}\n")
    with Stub(players(root, RUN, AGENTS)) as stub:
        lead(monkeypatch, stub)
        models = [f"{agent}={CLAUDE}" for agent in AGENTS]
        assert driven(root, ModelRuntime(WORKFLOW, choice(models, WORKFLOW.agent_names, os.environ))).stop == "complete"


class Provided(Offline):
    """Scripted agents whose provider takes one turn at a time; notes for whom it was asked."""

    asked: ClassVar[list[str]] = []

    def provider(self, agent: str, _wanted: str | None) -> str:
        self.asked.append(agent)
        return "anthropic"


def test_a_conductor_takes_no_place_at_a_provider(root: Path) -> None:
    Provided.asked.clear()
    state = driven(root, Provided(AGENTS))
    assert (state.stop, conducted(root)) == ("complete", WHOLE)
    assert {*Provided.asked} == {*AGENTS}


def test_a_fault_plan_spoils_what_the_runtime_gave_and_not_what_code_did(root: Path) -> None:
    plan = FAULTS.planned("author:malformed, orchestrator:malformed")
    state = driven(root, Misbehaving(Offline(AGENTS), plan))
    assert (state.stop, conducted(root)) == ("complete", WHOLE)
    home = root / "_workflow/content" / RUN / "turns"
    assert sorted(file.parent.name for file in home.glob("*/raw-2.txt")) == ["0003-author"]


def test_without_the_parameter_the_runtime_conducts(root: Path) -> None:
    state = driven(root, Offline({**AGENTS, **WORKFLOW.by_code.always(PARAMS)}), {**PARAMS, "conductor": "agent"})
    assert (state.stop, workers(root)["orchestrator"]) == ("complete", {"offline"})


# --- a host -----------------------------------------------------------------------------------------------------------


def said(live: LiveRun, turn: str) -> str:
    start: StartTurn = live.state.turns[turn].start
    output = AGENTS[start.agent](Assignment(start=start, brief="", params=live.state.params, at=""), None)  # type: ignore[arg-type]
    assert isinstance(output, str)
    return output


async def taken(project: Project, shown: list[dict[str, Any]]) -> dict[str, Any]:
    """One turn of those that a host is shown, taken and submitted."""
    live = await project.open(RUN)
    turn = shown[0]
    after = await host_turns.submit(project, RUN, turn["turn"], turn["attempt"], said(live, turn["turn"]))
    assert after["accepted"], after["findings"]
    return after


@pytest.mark.req("CP-12")
def test_code_conducts_between_the_turns_of_a_host(root: Path) -> None:
    async def doing() -> tuple[list[str], dict[str, Any]]:
        project, shown = Project(root), []
        now = await host_turns.start(project, "content", RUN, PARAMS)
        while now["turns"]:
            now = await host_turns.upcoming(project, RUN)
            shown += [turn["agent"] for turn in now["turns"]]
            now = await taken(project, now["turns"])
        return shown, now

    shown, ended = asyncio.run(doing())
    assert ended["stop"] == "complete"
    assert set(shown) == {*AGENTS}, "a host is shown no turn that code takes"
    assert conducted(root) == WHOLE, "each call was made once, however often the conversation went on"
    assert workers(root) == {**{name: {"host"} for name in AGENTS}, "orchestrator": {"code"}}
    assert not list((root / "_workflow/content" / RUN / "turns" / CONDUCTOR).glob("raw-2.txt")), "it never gave up"


def test_a_host_can_neither_take_nor_act_in_a_turn_of_code(root: Path) -> None:
    async def doing() -> None:
        project = Project(root)
        now = await host_turns.start(project, "content", RUN, PARAMS)
        now = await taken(project, now["turns"])
        assert [turn["agent"] for turn in now["turns"]] == ["author"]
        assert CONDUCTOR in (await project.open(RUN)).state.turns
        with pytest.raises(RefusedError, match=f"code takes the turn {CONDUCTOR}.*Valid: 0003-author"):
            await host_turns.submit(project, RUN, CONDUCTOR, 1, '{"status": "saved"}')
        with pytest.raises(UsageError, match=f"no open turn '{CONDUCTOR}'"):
            await host_turns.upcoming(project, RUN, CONDUCTOR)
        with pytest.raises(RefusedError, match="no open turn of autumn-launch has the tool 'generate_draft'"):
            await host_calls.call(project, RUN, "generate_draft", {})
        with pytest.raises(RefusedError, match="Valid: no open turn has generate_draft"):
            await host_calls.call(project, RUN, "generate_draft", {}, CONDUCTOR)

    asyncio.run(doing())
    assert conducted(root) == ["generate_draft"]


def test_what_a_host_began_another_runtime_ends(root: Path) -> None:
    assert driven(root, Host()).turns
    state = driven(root, Offline(AGENTS))
    assert (state.stop, conducted(root)) == ("complete", WHOLE)


def test_a_host_that_comes_back_finds_code_where_it_waited(root: Path) -> None:
    driven(root, Host())
    first = opened(root)
    asyncio.run(runs.submit(first, "0001-critic-selector", 1, said(first, "0001-critic-selector")))
    for _ in range(3):
        state = driven(root, Host())
        assert ([*state.turns], state.stop) == ([CONDUCTOR, "0003-author"], None)
    assert conducted(root) == ["generate_draft"]
