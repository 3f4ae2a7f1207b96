"""A whole design on models behind a stub: every agent is asked, under its contract."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "orchestration"))
from design_project import RUN, Case, lay_out, scripted
from model_kit import CLAUDE, GPT, Patience, lead, players, task
from orchestration_agents import agents

from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.testing.stub import Asked, Step, Stub, give
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.reviews import REVIEWERS
from signoff.workflows.orchestration.workflow import AGENTS, WORKFLOW

ORDER = tuple(REVIEWERS)

MADE = (places.STACK, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.POC_SPECS)


def agent(asked: Asked) -> str:
    return task(asked)[0].partition("-")[2]


def runtime(model: str) -> ModelRuntime:
    return ModelRuntime(WORKFLOW, choice([model], WORKFLOW.agent_names, os.environ), Patience(tries=1))


OF_WORK = ("work", "verdict", "resolution", "loop", "assessment", "poc-decision")
"""Contracts of turns that come after the approval."""


@pytest.mark.req("OR-2")
def test_every_agent_is_asked_and_models_make_the_design_that_scripted_agents_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, other = Case(lay_out(tmp_path / "model")), Case(lay_out(tmp_path / "scripted"))
    with Stub(players(case.root, RUN, agents(order=ORDER))) as stub:
        lead(monkeypatch, stub)
        state = case.agree(runtime(CLAUDE))
    assert (case.own.step, case.own.digest != "") == ("execute", True)
    per_turn = Counter(task(asked)[0] for asked in stub.asked)
    assert {agent(asked) for asked in stub.asked} == {name for name, one in AGENTS.items() if one not in OF_WORK}
    assert set(per_turn.values()) == {1}
    assert state.spend.tokens > 0
    assert state.spend.cost > 0
    assert [one for one in stub.asked if "## Output contract: " not in one.system] == []
    other.agree(scripted(order=ORDER))
    assert {path: case.text(path) for path in MADE} == {path: other.text(path) for path in MADE}


def test_a_model_whose_quotes_are_not_in_the_plan_is_told_and_asked_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(lay_out(tmp_path / "model"))
    honest = players(case.root, RUN, agents())
    bare = {"role": "Imports", "plan_actions": ["a", "b", "c"], "plan_action_sources": ["never said"] * 3}

    def answer(asked: Asked) -> Step:
        invents = agent(asked) == "roster-designer" and task(asked)[1] == 1
        return give({"agents": {"import_agent": bare}}) if invents else honest(asked)

    with Stub(answer) as stub:
        lead(monkeypatch, stub)
        for key, act in (("questions", "continue"), ("architecture", "approve")):
            case.drive(runtime(GPT))
            case.say(key, act)
        case.drive(runtime(GPT))
    again = [asked for asked in stub.asked if agent(asked) == "roster-designer"]
    assert [task(asked)[1] for asked in again] == [1, 2]
    assert "roster.quote: source 1 of import_agent is not in the summary" in again[1].text
    assert case.waits_for == ["roster"]
