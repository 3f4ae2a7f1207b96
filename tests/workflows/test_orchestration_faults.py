"""Seeded faults of a design: each is what it says, and is refused by the rule that is there for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from orchestration_plans import example
from orchestration_sitting import CREATED, RefusedError, Sitting

from signoff.core.errors import DocumentError
from signoff.workflows.misbehaviour import CRASH, MALFORMED, OFF_SCHEMA, CrashedError, Fault
from signoff.workflows.orchestration import places, work_faults
from signoff.workflows.orchestration.faults import AREAS, FAULTS, KINDS
from signoff.workflows.orchestration.players import PLAYERS
from signoff.workflows.orchestration.reviews import REVIEWERS, Order, render_order

TASK = "user_management"
RULES = {
    "shuffled": "order.pattern",
    "no-reason": "order.why",
    "unnamed-change": "changelog.unnamed",
    "phantom-change": "changelog.unmade",
    "forged-before": "changelog.untrue",
    "forged-quote": "roster.quote",
    "two-actions": "roster.actions",
    "eight-actions": "roster.actions",
    "unsourced": "roster.sources",
    "unknown-dependency": "roster.dependency",
    "cycle": "sequence.cycle",
    "unguided": "roster.guidance",
    "foreign-folder": "contracts.foreign",
    "outside": "contracts.path",
    "forgotten": "contracts.missing",
    "wrong-source": "contracts.from",
    "circle": "sequence.cycle",
    "unverified": "checkpoints.missing",
    "shared-verifier": "sequence.shared_verifier",
    "no-criteria": "checkpoints.criteria",
    "pathless": "instructions.purpose",
    "another-technology": "research.about",
    "no-source": "research.source",
    "empty-research": "research.empty",
    "missing-category": "checklist.category",
    "another-type": "checklist.about",
    "unknown-item": "consultation.item",
    "untried": "poc.risk",
    "ungated": "output.schema",
    "strange-gate": "poc.gate",
    "reworded": "poc.assumption",
    "left-out": "integration.missing",
    "taken-name": "integration.name",
    "own-words": "practices.words",
    "unpractised": "practices.none",
}
"""The rule that refuses each fault."""
BY_AGENT = {
    ("instruction-writer", "another-agent"): "instructions.agent",
    ("doer-consultation", "another-agent"): "consultation.about",
}
LEGAL = {"silent", "inquisitive", "headed", *(f"error-in-{area}" for area in AREAS)}
"""What nobody refuses: it has a meaning of its own."""


def _order(sitting: Sitting) -> None:
    sitting.design_contracts()
    sitting.order_work()


def _roster(sitting: Sitting) -> None:
    sitting.design_roster()
    sitting.create_missing()
    _order(sitting)


def _verify(sitting: Sitting) -> None:
    assert sitting.verify().result == "pass"


STEPS: Mapping[str, Callable[[Sitting], object]] = {
    "solution-architect": Sitting.architecture,
    **dict.fromkeys(REVIEWERS.values(), Sitting.review),
    "tactical-solution-architect": Sitting.tactical,
    "roster-designer": _roster,
    "file-structure-designer": _order,
    "checkpoint-designer": _order,
    "instruction-writer": Sitting.write_instructions,
    "best-practices-researcher": Sitting.research,
    "risk-checklist": Sitting.checklists,
    "doer-consultation": Sitting.consult,
    "poc-recommendation": Sitting.specify_pocs,
    "poc-integration": Sitting.integrate,
    "best-practices-integration": Sitting.integrate,
    "design-verifier": _verify,
}
"""Where in a design each agent has its turn, up to the check that may refuse it."""


ELSEWHERE = {*LEGAL, *work_faults.TACTICAL}
DESIGN = [one for one in FAULTS.every() if one.agent in STEPS and one.kind not in ELSEWHERE]
"""The faults of a design; those of the work are tried where the work is."""


WITH_OTHERS = {*REVIEWERS.values(), "checkpoint-designer", "poc-integration"}
"""Agents whose step is the same as that of one who follows."""


@pytest.fixture(scope="module")
def before() -> Mapping[str, Sitting]:
    """The design as it is before each agent's turn. Everybody reviews it; API and import share no file, so they work
    side by side."""
    files = example()
    shared = (
        "both register their commands in `app/registry.py`, and `python -m app` starts them through `app/__main__.py`"
    )
    summary = files[places.summary(TASK)].decode()
    assert shared in summary
    summary = summary.replace(shared, "both log")
    sitting = Sitting({**files, places.summary(TASK): summary.encode()}, TASK)
    found = dict[str, Sitting]()
    for agent, step in STEPS.items():
        if agent == "tactical-solution-architect":
            sitting.review()
        found[agent] = copied(sitting)
        if agent not in WITH_OTHERS:
            step(sitting)
        if agent == "solution-architect":
            sitting.put(places.ORDER, render_order(everybody(), CREATED))
        if agent == "instruction-writer":
            sitting.coordinate()
        if agent == "best-practices-integration":
            sitting.order_work()
            sitting.write_instructions()
            sitting.coordinate()
    return found


def everybody() -> Order:
    """An order with all four domains."""
    why = dict.fromkeys(REVIEWERS, "It is looked at.")
    return Order(project_type="all", pattern="custom", order=tuple(REVIEWERS), rationale="All look at it.", why=why)


def copied(sitting: Sitting) -> Sitting:
    """The same project, to be changed."""
    return Sitting(dict(sitting.files), TASK, known=sitting.known, practices=sitting.practices)


def at_fault(before: Mapping[str, Sitting], plan: str) -> Sitting:
    agent = plan.partition(":")[0]
    sitting = copied(before[agent])
    sitting.players = FAULTS.misbehaving(PLAYERS, plan)
    return sitting


@pytest.mark.req("OR-7", "OR-9", "OR-10", "OR-12", "OR-13", "OR-14")
@pytest.mark.parametrize("fault", DESIGN, ids=str)
def test_each_fault_is_refused_by_its_rule_and_the_next_attempt_is_honest(
    before: Mapping[str, Sitting], fault: Fault
) -> None:
    sitting = at_fault(before, str(fault))
    step = STEPS[fault.agent]
    if fault.kind == CRASH:
        with pytest.raises(CrashedError, match="seeded fault"):
            step(sitting)
    else:
        with pytest.raises((RefusedError, DocumentError)) as refused:
            step(sitting)
        if fault.kind not in (MALFORMED, OFF_SCHEMA):
            assert rule_of(fault) in rules(refused.value)
    step(sitting)


def rule_of(fault: Fault) -> str:
    return BY_AGENT.get((fault.agent, fault.kind)) or RULES[fault.kind]


def rules(refused: BaseException) -> set[str]:
    if isinstance(refused, RefusedError):
        return refused.rules
    assert isinstance(refused, DocumentError)
    return {finding.rule for finding in refused.findings}


def test_every_kind_of_fault_is_accounted_for() -> None:
    kinds = {kind for agent in STEPS for kind in KINDS[agent]} - {CRASH, MALFORMED, OFF_SCHEMA, *work_faults.TACTICAL}
    assert kinds == {*RULES, *(kind for _, kind in BY_AGENT), *LEGAL}
    assert set(KINDS) == set(PLAYERS) == {*STEPS, *work_faults.KINDS}


# --- what nobody refuses ----------------------------------------------------------------------------------------------


@pytest.mark.req("OR-8")
def test_a_silent_reviewer_leaves_nothing_to_change_and_nothing_to_ask(before: Mapping[str, Sitting]) -> None:
    sitting = at_fault(before, "security-reviewer:silent")
    sitting.review()
    made = sitting.tactical_one(1, "security")
    assert (made.changes, made.not_taken) == ((), ())


@pytest.mark.req("OR-8")
def test_an_inquisitive_reviewer_asks_one_thing_more(before: Mapping[str, Sitting]) -> None:
    honest = copied(before["api-reviewer"]).review()["api_dataflow"].questions
    asked = at_fault(before, "api-reviewer:inquisitive").review()["api_dataflow"].questions
    assert asked == (*honest, "Seeded fault: what is it called in the end?")


def test_a_heading_in_a_task_is_written_as_text(before: Mapping[str, Sitting]) -> None:
    sitting = at_fault(before, "instruction-writer:headed")
    sitting.write_instructions()
    first = next(iter(sitting.roster.agents))
    told = sitting.files[places.instructions(first)].decode()
    assert sum(line == "## Escalation" for line in told.splitlines()) == 1
    assert "Never." in told


@pytest.mark.req("OR-15")
@pytest.mark.parametrize("area", AREAS)
def test_a_reader_who_sees_an_error_blocks_the_design_each_time_it_does(
    before: Mapping[str, Sitting], area: str
) -> None:
    sitting = at_fault(before, f"design-verifier:error-in-{area}@1, design-verifier:error-in-{area}@2")
    results = [sitting.verify() for _ in range(3)]
    assert [one.result for one in results] == ["fail", "fail", "pass"]
    reading = results[0].reading
    assert reading is not None
    assert [seen.area for seen in reading.findings if seen.severity == "error"] == [area]
