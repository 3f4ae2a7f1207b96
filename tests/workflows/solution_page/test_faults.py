"""Seeded faults: each one is what it says, happens once, and is refused by the rule that is there for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from stage import Stage, example

from signoff.artifacts import yamlio
from signoff.core.errors import DocumentError, UsageError
from signoff.workflows.kit import fixes
from signoff.workflows.kit.fault_plans import CrashedError, Fault, FaultPlan
from signoff.workflows.solution_page import outputs
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.faults import FAULTS, KINDS
from signoff.workflows.solution_page.steps import authority

PARSE = outputs.PARSE


@pytest.fixture(scope="module")
def drafted() -> Mapping[str, bytes]:
    """The escalating example up to its first review: it has a gate that fails and a claim to lie about."""
    stage = example("escalating")
    stage.strategy()
    stage.write("en")
    return dict(stage.files)


def at_work(files: Mapping[str, bytes], plan: str) -> Stage:
    stage = example("escalating")
    stage.files = dict(files)
    stage.faults = FAULTS.planned(plan)
    return stage


def notes(stage: Stage, agent: str) -> dict[str, Any]:
    found = {
        "claims": {"status": "fail", "findings": [{"rule": "claims.high-risk", "problem": "p", "about": "C-EP-014"}]}
    }
    return {
        "code": "EP",
        "language": "en",
        "file": stage.path("en"),
        "mode": "draft",
        "gates": found,
        "evidence": {} if agent == "editor-qa" else None,
    }


def played(stage: Stage, agent: str, attempt: int = 1) -> Any:
    return PARSE[agent](stage.play(agent, notes(stage, agent), attempt=attempt).encode(), "output")


def problems(stage: Stage, agent: str, output: Any) -> list[str]:
    """The rules that refuse this output, as the orchestrator applies them."""
    if agent == "strategist":
        wanted = ("1-planning/message-house.md", "1-planning/content-brief.md")
        found = [*authority._wanting(output.documents, wanted), *authority._strategist_claims(output.claims, "EP")]
    elif agent == "copywriter":
        proposals = (one for claim in output.claims for one in authority._proposal(claim, stage.registry))
        found = [*authority._wanting(output.documents, (stage.path("en"),)), *proposals]
    else:
        found = list(fixes.apply(stage.text(stage.path("en")), output.fixes, "")[1])
    return [one.rule for one in found]


@pytest.mark.req("SP-1", "SP-7", "SP-10", "SP-17")
@pytest.mark.parametrize("fault", FAULTS.every(), ids=str)
def test_each_fault_is_what_it_says_and_the_next_attempt_is_honest(drafted: Mapping[str, bytes], fault: Fault) -> None:
    stage = at_work(drafted, str(fault))
    match fault.kind:
        case "crash":
            with pytest.raises(CrashedError, match="seeded fault"):
                played(stage, fault.agent)
        case "malformed" | "off-schema":
            with pytest.raises(DocumentError):
                played(stage, fault.agent)
        case _:
            _shows(stage, fault, played(stage, fault.agent))
    honest = played(stage, fault.agent, attempt=2)
    assert honest.status in ("complete", "needs_revision")
    assert problems(stage, fault.agent, honest) == []


def _shows(stage: Stage, fault: Fault, output: Any) -> None:
    found = problems(stage, fault.agent, output) if output.status in ("complete", "needs_revision") else []
    match fault.kind:
        case "forged-verified":
            assert any(claim.status == "verified" for claim in output.claims)
            assert ("claims.status" in found) == (fault.agent == "copywriter")
        case "lowered-risk":
            assert found == ["claims.risk"]
        case "pool":
            assert found == ["claims.pool"]
        case "missing-file":
            assert found == ["output.documents"]
        case "wrong-path":
            assert "_workflow/state.yaml" in output.documents
        case "gate-lie":
            assert output.decision == "PASS"
            assert output.gates.claims.status == "pass"
            assert {verdict.verdict for verdict in output.verdicts} == {"verified"}
        case "repeated-before":
            assert found == ["fix.before", "fix.before"]
        case "blocked" | "escalate":
            assert output.status == fault.kind
            assert output.blockers


@pytest.mark.req("SP-6")
def test_a_forged_proposal_is_on_a_reserved_id_so_that_only_its_status_is_wrong(drafted: Mapping[str, bytes]) -> None:
    stage = at_work(drafted, "copywriter:forged-verified")
    claim = played(stage, "copywriter").claims[-1]
    assert stage.registry.claims[claim.id].status == "reserved"
    assert reg.CLAIM_ID.fullmatch(claim.id)


WRITTEN: dict[str, Callable[[str], str]] = {
    "YAML": lambda raw: raw,
    "JSON": lambda raw: json.dumps(yamlio.load_mapping(raw, ""), ensure_ascii=False),
    "YAML in a fence": lambda raw: f"```yaml\n{raw}```\n",
    "JSON in a fence": lambda raw: f"```json\n{json.dumps(yamlio.load_mapping(raw, ''), indent=1)}\n```",
}


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("fault", FAULTS.every(), ids=str)
def test_a_fault_is_the_same_however_the_output_is_written(
    drafted: Mapping[str, bytes], fault: Fault, written: str
) -> None:
    stage = at_work(drafted, str(fault))
    honest = stage.agents[fault.agent]
    stage.agents = {fault.agent: lambda assignment, tools: WRITTEN[written](str(honest(assignment, tools)))}
    match fault.kind:
        case "crash":
            with pytest.raises(CrashedError, match="seeded fault"):
                played(stage, fault.agent)
        case "malformed" | "off-schema":
            with pytest.raises(DocumentError):
                played(stage, fault.agent)
        case _:
            _shows(stage, fault, played(stage, fault.agent))
    assert played(stage, fault.agent, attempt=2).status in ("complete", "needs_revision")


@pytest.mark.parametrize("raw", ["no mapping at all", "- a\n- list\n", "[1, 2]", "```json\n{\n```", "status: [open"])
def test_an_output_that_nobody_can_read_is_left_as_it_came(raw: str) -> None:
    stage = example("escalating")
    stage.agents = {"strategist": lambda _assignment, _tools: raw}
    stage.faults = FAULTS.planned("strategist:pool")
    assert stage.play("strategist", notes(stage, "strategist")) == raw


def test_a_turn_counts_attempts_of_one_agent_and_playing_an_attempt_again_repeats_its_fault(
    drafted: Mapping[str, bytes],
) -> None:
    stage = at_work(drafted, "strategist:blocked@2")
    statuses = [played(stage, "strategist", attempt).status for attempt in (1, 2, 2, 3)]
    assert statuses == ["complete", "blocked", "blocked", "complete"]


def test_a_plan_reads_what_it_writes() -> None:
    plan = FAULTS.parse(" strategist:malformed@1,  editor-qa:gate-lie ,copywriter:crash@3")
    assert str(plan) == "strategist:malformed@1, editor-qa:gate-lie@1, copywriter:crash@3"
    assert FAULTS.parse(str(plan)) == plan
    assert FAULTS.parse("") == FaultPlan()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("writer:crash", "no agent 'writer'"),
        ("strategist:gate-lie", "strategist has no fault 'gate-lie'"),
        ("strategist:crash@0", "the turn '0'"),
        ("strategist:crash@x", "the turn 'x'"),
        ("strategist:crash, strategist:pool", "two faults for attempt 1 of strategist"),
    ],
)
def test_a_plan_that_is_not_understood_is_refused_with_what_is_valid(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        FAULTS.parse(text)


def test_seeded_plans_are_the_same_for_the_same_seed_and_reach_every_fault() -> None:
    plans = [FAULTS.seeded(seed) for seed in range(400)]
    assert plans == [FAULTS.seeded(seed) for seed in range(400)]
    reached = {(fault.agent, fault.kind) for plan in plans for fault in plan.faults}
    assert reached == {(agent, kind) for agent, kinds in KINDS.items() for kind in kinds}
    assert all(FAULTS.parse(str(plan)) == plan for plan in plans)
