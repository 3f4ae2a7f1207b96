"""A fault plan around any runtime: outputs are spoilt, refused by the rule that is there for it, asked for again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, GPT, Paged, files, lead, page, players, task

from signoff.core.budget import Allowance
from signoff.core.errors import UsageError
from signoff.core.state import State
from signoff.service import run_control, runs
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Host, Misbehaving, Offline, Runtime
from signoff.testing.stub import Stub
from signoff.workflows.solution_page.faults import FAULTS
from signoff.workflows.solution_page.workflow import WORKFLOW

BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
MADE = ("1-planning/", "3-drafts/", "4-release/", "_shared/")


def on(case: Paged, runtime: Runtime, plan: str) -> State:
    async def doing(live: LiveRun) -> State:
        return await runs.drive(live, Misbehaving(runtime, FAULTS.planned(plan)))

    state: State = case.go(doing)
    return state


def made(case: Paged) -> dict[str, str]:
    return {name: sha for name, sha in files(case.root).items() if name.startswith(MADE)}


@BOTH
def test_what_a_model_gave_is_spoilt_refused_and_asked_for_again(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = page(tmp_path / "honest")
    honest.drive()
    case = page(tmp_path / "spoilt")
    plan = "strategist:malformed, copywriter:forged-verified, editor-qa:crash"
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        state = on(case, ModelRuntime(WORKFLOW, choice([model], WORKFLOW.agent_names, os.environ)), plan)
    assert state.stop == "complete"
    asked = [task(one) for one in stub.asked]
    assert asked[:4] == [("0001-strategist", 1), ("0001-strategist", 2), ("0002-copywriter", 1), ("0002-copywriter", 2)]
    assert asked[4] == ("0003-editor-qa", 2), "a crash comes before the model is asked"
    told = [one.text.partition("# What was wrong with your last output")[2] for one in stub.asked]
    assert ["yaml.syntax" in told[1], "claims.status" in told[3]] == [True, True]
    assert case.raw("0001-strategist", 1).startswith('{"'), "what the model said is still there, before what spoils it"
    assert case.raw("0001-strategist", 1).endswith("blockers: [unclosed\n  - 'quote\n")
    assert [(one["turn"], one["kind"]) for one in case.of("turn_failed")] == [("0003-editor-qa", "CrashedError")]
    assert case.usage("0001-strategist", 1)["model"] == model, "a spoilt output was paid for"
    assert made(case) == made(honest)


def test_a_model_that_is_spoilt_twice_is_put_to_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        models = ModelRuntime(WORKFLOW, choice([CLAUDE], WORKFLOW.agent_names, os.environ))
        state = on(case, models, "strategist:off-schema@1+")
    assert (state.stop, len(stub.asked)) == ("escalated", 2)


def test_a_plan_leaves_what_a_runtime_is_as_it_is() -> None:
    models = ModelRuntime(WORKFLOW, choice([CLAUDE], WORKFLOW.agent_names, {}))
    spoilt = Misbehaving(models, FAULTS.planned(""))
    assert (spoilt.name, spoilt.paid, spoilt.ready()) == ("model", True, models.ready())
    assert spoilt.provider("strategist", None) == "anthropic"
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        spoilt.prepare({"strategist": None}, Allowance())
    code = Misbehaving(Offline(WORKFLOW.by_code.players), FAULTS.planned(""))
    assert (code.name, code.paid, code.ready(), code.provider("strategist", None)) == ("offline", False, "", None)
    code.prepare({"strategist": None}, Allowance())


def test_a_plan_goes_around_what_works_here_and_not_around_a_host() -> None:
    offline = Offline(WORKFLOW.by_code.players)
    assert run_control.misbehaving(offline, WORKFLOW, None, None) is offline
    wrapped = run_control.misbehaving(offline, WORKFLOW, "strategist:crash", None)
    assert isinstance(wrapped, Misbehaving)
    assert wrapped.inner is offline
    assert isinstance(run_control.misbehaving(offline, WORKFLOW, None, 7), Misbehaving)
    with pytest.raises(UsageError, match="a host does not misbehave by plan"):
        run_control.misbehaving(Host(), WORKFLOW, "strategist:crash", None)
    with pytest.raises(UsageError, match="no agent 'writer'"):
        run_control.misbehaving(offline, WORKFLOW, "writer:crash", None)
