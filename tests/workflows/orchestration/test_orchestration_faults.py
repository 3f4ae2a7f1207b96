"""Seeded faults of a design: each is refused by the rule that is there for it, and the next attempt is honest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from design_project import MISSING, Case, lay_out, scripted
from small_orchestration import ONE, QUESTION

from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, Fault
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import review_questions
from signoff.workflows.orchestration.documents.reviews import REVIEWERS
from signoff.workflows.orchestration.faults import AREAS, FAULTS, KINDS, WORK
from signoff.workflows.orchestration.workflow import AGENTS

At = Callable[[str], Case]
ORDER = tuple(REVIEWERS)
TACTICAL = ("groundless", "unruled")
ANYONE = {MALFORMED: "yaml.syntax", OFF_SCHEMA: "output.schema", CRASH: "turn.failed"}
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
    "unguided": "roster.guidance",
    "foreign-folder": "contracts.foreign",
    "outside": "contracts.path",
    "forgotten": "contracts.missing",
    "wrong-source": "contracts.from",
    "unverified": "checkpoints.missing",
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
ASKED = {"cycle": "sequence.cycle", "circle": "sequence.cycle", "shared-verifier": "sequence.shared_verifier"}
"""What only the whole design shows, and the person is asked about; the rule that they are told."""
LEGAL = {"silent", "inquisitive", "headed", *(f"error-in-{area}" for area in AREAS)}
"""What nobody refuses: it has a meaning of its own."""
DESIGN = {
    agent: [kind for kind in kinds if kind not in {*ANYONE, *ASKED, *LEGAL, *TACTICAL}]
    for agent, kinds in KINDS.items()
    if agent not in WORK
}
"""The agents of a design, and their own faults that are refused."""
ROUNDS = [
    *([Fault(agent, kind) for agent in DESIGN] for kind in ANYONE),
    *(
        [Fault(agent, kinds[number]) for agent, kinds in DESIGN.items() if number < len(kinds)]
        for number in range(max(map(len, DESIGN.values())))
    ),
]
"""Every fault once; in each round every agent commits one at most."""


def rule_of(fault: Fault) -> str:
    return ANYONE.get(fault.kind) or BY_AGENT.get((fault.agent, fault.kind)) or RULES[fault.kind]


@pytest.mark.req("OR-7", "OR-9", "OR-10", "OR-12", "OR-13", "OR-14")
@pytest.mark.parametrize("faults", ROUNDS, ids=[f"round {number}" for number, _ in enumerate(ROUNDS, 1)])
def test_each_fault_is_refused_by_its_rule_and_the_next_attempt_is_honest(tmp_path: Path, faults: list[Fault]) -> None:
    case = Case(lay_out(tmp_path))
    case.come_to("design", scripted(faults=", ".join(map(str, faults)), order=ORDER))
    lacking = {fault for fault in faults if (fault.agent, rule_of(fault)) not in case.told}
    assert not lacking, case.told
    assert case.json(places.VERIFICATION)["result"] == "pass"


def test_every_kind_of_fault_is_accounted_for() -> None:
    kinds = {kind for kinds in DESIGN.values() for kind in kinds}
    assert kinds == {*RULES, *(kind for _, kind in BY_AGENT)}
    assert set(KINDS) == set(AGENTS) == {*DESIGN, *WORK}
    tried = {(fault.agent, fault.kind) for faults in ROUNDS for fault in faults}
    left = {fault.kind for fault in FAULTS.every() if fault.agent in DESIGN and (fault.agent, fault.kind) not in tried}
    assert left == {*ASKED, *LEGAL, *TACTICAL}


@pytest.mark.req("OR-13")
@pytest.mark.parametrize(
    ("fault", "request_"),
    [
        ("roster-designer:cycle", "cycle"),
        ("file-structure-designer:circle", "cycle"),
        ("checkpoint-designer:shared-verifier", "verifier"),
    ],
)
def test_what_only_the_whole_design_shows_is_put_to_the_person(tmp_path: Path, fault: str, request_: str) -> None:
    case = Case(lay_out(tmp_path))
    state = case.come_to(request_, scripted(faults=fault))
    [ask] = state.requests.values()
    assert [one["rule"] for one in ask.notes["findings"]] == [ASKED[fault.partition(":")[2]]]


# --- what nobody refuses ----------------------------------------------------------------------------------------------


@pytest.mark.req("OR-8")
def test_silent_reviewers_leave_nothing_to_ask(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path))
    case.drive(scripted(faults="security-reviewer:silent, database-reviewer:silent"))
    assert case.waits_for == ["architecture"]
    assert not (case.root / places.QUESTIONS).exists()


@pytest.mark.req("OR-8")
def test_an_inquisitive_reviewer_asks_one_thing_more(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path))
    case.drive(scripted(faults="security-reviewer:inquisitive"))
    asked = [one.question for one in review_questions.answers(case.text(places.QUESTIONS))]
    assert asked == [QUESTION, "Seeded fault: what is it called in the end?"]


def test_a_heading_in_a_task_is_written_as_text(at: At) -> None:
    case = at("agent")
    case.settle(f"agent-{MISSING}", "create", scripted(faults=f"instruction-writer/{ONE}:headed@1+"))
    told = case.text(places.instructions(ONE))
    assert sum(line == "## Escalation" for line in told.splitlines()) == 1
    assert "Never." in told


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(
    ("area", "again", "waits"),
    [
        ("roster", [], "roster"),
        ("contracts", ["file-structure-designer"], "design"),
        ("checkpoints", ["checkpoint-designer"], "design"),
        ("instructions", ["instruction-writer"] * 7, "design"),
        ("risk", ["poc-recommendation", "best-practices-integration", "poc-integration"], "design"),
        ("plan", [], "escalation"),
    ],
)
def test_a_reader_who_sees_an_error_sends_the_design_back_to_who_made_that_part(
    at: At, area: str, again: list[str], waits: str
) -> None:
    case = at("design")
    case.settle("design", "reject", scripted(faults=f"design-verifier:error-in-{area}"), reason="plan: Read it again")
    assert case.waits_for == [waits]
    first, *then = [number for number, agent in enumerate(case.asked) if agent == "design-verifier"]
    made = case.asked[first + 1 : then[0] if then else None]
    assert made == (["roster-designer"] if area == "roster" else again)
    assert bool(then) is (waits == "design")
