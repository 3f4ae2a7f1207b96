"""Every fault that an agent of content can commit, walked end to end: what is refused, and what becomes of the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from content_project import Writing, lay_out
from small_content import ONE

from signoff.core.errors import UsageError
from signoff.shell.runtimes.runtime import Misbehaving, Offline
from signoff.workflows.content.faults import FAULTS
from signoff.workflows.kit.fault_plans import CRASH, Fault

ENDS = {
    "critic-selector": ("complete", "no further critics were selected"),
    "author": (None, "the author could not write"),
    "critic": (None, "every critic failed twice"),
    "orchestrator": ("complete", ""),
}
"""How a run stands when an agent commits a fault again and again, and what is said of it."""
BUT = {
    ("critic", "flattering"): ("max-rounds-reached", ""),
    ("orchestrator", CRASH): ("escalated", "the conducting agent could not finish the content"),
}


def walked(root: Path, plan: str) -> Writing:
    case = Writing(lay_out(root))
    case.run(Misbehaving(Offline(case.agents), FAULTS.planned(plan)))
    return case


@pytest.mark.req("CP-4")
@pytest.mark.parametrize("fault", FAULTS.every(), ids=str)
def test_an_agent_that_commits_a_fault_once_is_asked_again_and_the_piece_is_approved(
    fault: Fault, tmp_path: Path
) -> None:
    case = walked(tmp_path, str(fault))
    assert (case.state.stop, case.piece.saved, case.piece.warnings) == ("complete", "approved", ())
    assert not (tmp_path / "content/small/content.md").read_text("utf-8").isspace()


@pytest.mark.req("CP-4")
@pytest.mark.parametrize("fault", FAULTS.every(), ids=str)
def test_an_agent_that_always_commits_a_fault_gets_nothing_approved_that_nobody_judged(
    fault: Fault, tmp_path: Path
) -> None:
    case = walked(tmp_path, f"{fault.agent}:{fault.kind}@1+")
    stop, said = BUT.get((fault.agent, fault.kind), ENDS[fault.agent])
    piece = case.piece
    assert case.state.stop == stop
    assert said in " ".join((piece.blocked, piece.stopped, *piece.warnings))
    assert (piece.saved == "approved") is (stop == "complete")
    assert piece.saved != "approved" or all(one.score for one in piece.rounds[-1].ran)


@pytest.mark.req("CP-4")
def test_a_pass_that_the_critic_claims_is_computed_all_the_same(tmp_path: Path) -> None:
    case = walked(tmp_path, "critic:flattering@1")
    first = case.data("content/small/rounds/01.json")
    passed = {one["advisorId"]: one["pass"] for one in first["critiques"]}
    assert sorted(passed.values()) == [False, True]
    assert first["decision"] == "revise"
    assert ONE in passed


@pytest.mark.parametrize(
    "plan", ["critic:gate-lie", "reader:empty", "critic:empty@0", "author:empty@1, author:crash@1"]
)
def test_a_plan_that_makes_no_sense_is_refused(plan: str) -> None:
    with pytest.raises(UsageError):
        FAULTS.planned(plan)
