"""Every state that a design can reach, whatever agents and people do: proofs over the real kernel and its checks."""

from __future__ import annotations

import pytest
import small_orchestration as small
from orchestration_world import World
from small_orchestration import (
    ONE,
    THREE,
    TWO,
    answering,
    by_hand,
    during,
    forged,
    removed,
    toggled,
    written,
)

from signoff.testing.explorer import Explorer, Graph, circle, stuck
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design import approvals, file_edits
from signoff.workflows.orchestration.workflow import EDGES, MAIN

pytestmark = pytest.mark.xdist_group("orchestration-explorer")  # one process, so that nothing is enumerated twice

GATES = ("architecture", "roster", "design")
PEOPLE = (
    "edit:", "questions:", "agent-", "cycle:", "verifier:", "escalation:", "stale:", "budget:",
    *(f"{gate}: {act}" for gate in GATES for act in ("approve", "reject", "something")),
)  # fmt: skip
CRASH = (("crash", ()),)
UNSURE = (*CRASH, ("crash", ("call-1",)))
SERIAL = small.config(at_once=1)
RISK = (
    *("best-practices-researcher", "risk-checklist", "doer-consultation"),
    *("poc-recommendation", "poc-integration", "best-practices-integration"),
)
ON = answering("approve", "resume", "continue", "create", "separate", "redesign", "budget")
"""A person who lets things go on."""
RESUMES = tuple(f"resume from {step}" for step in approvals.AGAIN)

STACK = toggled(places.STACK, "The team runs it", "People asked for it")
DECISIONS = toggled(places.DECISIONS, "Roles.", "Rights.")
EVOLUTION = toggled(places.DECISIONS, "## Evolution Notes\n\n_None._", "## Evolution Notes\n\nIt was tried.")
CONTRACTS = toggled(places.CONTRACTS, '"format": "markdown"', '"format": "text"')
CHECKPOINTS = toggled(places.CHECKPOINTS, "Mend it", "Repair it")
SPECS = toggled(places.POC_SPECS, "The log", "The record")
TOLD = toggled(places.instructions(ONE), "Do it.", "Do so.")
SUMMARY = toggled(small.SUMMARY, "There is a table.", "There is one table.")
RESEARCH = toggled(places.research("postgresql-15"), "A plain one locks", "It locks")
REGISTRY = written(places.REGISTRY, small.known_here(), "a registry")
GATES_A_STRANGER = toggled(places.POC_SPECS, f'"gates": [\n        "{ONE}"', '"gates": [\n        "nobody_agent"')

WORLDS = {
    "architecture": World(
        {"solution-architect": None, "security-reviewer": None, "tactical-solution-architect": None},
        ends=("roster",),
        order=("security", "api_dataflow"),
    ),
    "architecture by hand": World(
        {"security-reviewer": {"good", "question"}},
        ends=("roster",),
        edits=[
            STACK,
            DECISIONS,
            during("architecture", by_hand(places.STACK)),
            forged(places.CHANGELOG),
            toggled(places.QUESTIONS, "Answer:\n", "Answer: Me.\n"),
            SUMMARY,
            removed(places.STACK, places.ORDER, places.CHANGELOG, places.review("security"), places.QUESTIONS),
        ],
    ),
    "roster": World({"roster-designer": None}, begin="roster", ends=("contracts",)),
    "roster by hand": World(
        begin="roster",
        ends=("contracts",),
        edits=[
            small.OTHER_ROLE,
            small.NOBODY_HAS,
            small.CAN_BE_MADE,
            removed(places.ROSTER),
            REGISTRY,
        ],
    ),
    "contracts": World(
        {"file-structure-designer": None, "checkpoint-designer": None},
        begin="contracts",
        ends=("instructions", "roster"),
        doers=(ONE, TWO),
    ),
    "contracts by hand": World(
        {"file-structure-designer": {"good", "malformed"}},
        begin="contracts",
        ends=("roster", "research"),
        answers=ON,
        edits=[
            small.OTHER_ROLE,
            CONTRACTS,
            CHECKPOINTS,
            during("contracts sequence", by_hand(places.CONTRACTS)),
            during("contracts sequence", by_hand(places.CHECKPOINTS)),
            removed(places.CONTRACTS, places.SEQUENCE),
            during("instructions", by_hand(places.CHECKPOINTS)),
        ],
    ),
    "order by hand": World(
        begin="contracts",
        ends=("instructions", "roster"),
        edits=[
            during(
                "contracts sequence escalated",
                small.AS_PROPOSED,
                small.IN_A_CIRCLE,
                small.AFTER_NOBODY,
                small.NEVER,
                small.WITH_A_POC,
                small.EMPTY,
            )
        ],
        answers=ON,
    ),
    "one verifier": World(
        {"checkpoint-designer": {"good", "one verifier"}},
        begin="contracts",
        ends=("instructions",),
        doers=(TWO, ONE, THREE),
        after={TWO: THREE},
    ),
    "instructions": World({"instruction-writer": None}, begin="contracts", ends=("research", "roster"), edits=[TOLD]),
    "risk": World(dict.fromkeys(RISK), begin="research", ends=("verify",), answers=ON),
    "risk by hand": World(
        {"poc-recommendation": {"good", "borne"}},
        begin="consultations",
        ends=("verify",),
        config=SERIAL,
        answers=ON,
        edits=[GATES_A_STRANGER, small.no_pocs, removed(places.POC_SPECS, places.RISK_REPORT)],
    ),
    "risk read again": World(
        begin="checklists",
        ends=("verify",),
        config=SERIAL,
        answers=ON,
        edits=[during("consultations pocs integration", RESEARCH, TOLD)],
    ),
    "verification": World({"design-verifier": None}, begin="verify", config=SERIAL, answers=ON),
    "verification again": World(
        {"design-verifier": {"good", "error in contracts", "error in risk", "error in plan"}},
        begin="verify",
        config=small.config(at_once=1, rounds=2),
        answers=ON,
    ),
    "verification by hand": World(
        begin="verify",
        config=SERIAL,
        answers=ON,
        edits=[
            during("verify approve_design", SUMMARY, TOLD, RESEARCH, forged(*file_edits.BY_CODE)),
            during("verify approve_design", removed(places.ROSTER, places.VERIFICATION, places.instructions(ONE))),
        ],
    ),
    "rejected": World(begin="approve_design", config=SERIAL),
    "crashes": World(answers=ON, config=SERIAL, failures=UNSURE),
    "turns that are held": World(
        answers=ON,
        begin="contracts",
        ends=("checklists",),
        held=True,
        edits=[during("contracts", CONTRACTS, STACK)],
        failures=UNSURE,
    ),
    "a small budget": World(
        {"file-structure-designer": {"good", "malformed"}},
        answers=ON,
        begin="approve_roster",
        ends=("checklists",),
        config=small.config(turns=6),
        spends=True,
        edits=[small.more_turns],
    ),
    "stopped": World(
        {"file-structure-designer": {"good", "malformed"}, "best-practices-researcher": {"good", "malformed"}},
        begin="contracts",
        ends=("checklists", "roster", "architecture"),
        config=SERIAL,
        edits=[during("escalated", small.NOBODY_HAS, CHECKPOINTS)],
    ),
    "stopped at the research": World(
        {"best-practices-researcher": {"good", "malformed"}},
        begin="research",
        ends=("checklists", "roster", "architecture"),
        config=SERIAL,
        answers=answering("approve", "resume", *RESUMES),
        edits=[during("escalated", STACK, REGISTRY, TOLD)],
    ),
    "anew": World(
        begin="execute",
        config=SERIAL,
        answers=answering("approve", "resume", *RESUMES),
        edits=[during("execute", TOLD)],
    ),
    "another run": World(
        {"file-structure-designer": {"good", "malformed"}},
        begin="contracts",
        ends=("instructions", "roster", "architecture"),
        edits=[small.taken_over, SUMMARY],
    ),
    **{
        f"after the approval, {name}": World(
            begin="execute", config=SERIAL, answers=ON, edits=[during("execute", *edits_of)]
        )
        for name, edits_of in {
            "architecture": (STACK, EVOLUTION),
            "decisions": (DECISIONS,),
            "roster": (small.OTHER_ROLE, small.CAN_BE_MADE),
            "registry": (REGISTRY,),
            "contracts": (CONTRACTS, CHECKPOINTS),
            "risk": (SPECS, GATES_A_STRANGER),
            "instructions": (TOLD, SUMMARY),
            "another run": (small.taken_over, TOLD),
            "code": (forged(*file_edits.BY_CODE), removed(places.ROSTER, places.SEQUENCE)),
        }.items()
    },
}


@pytest.fixture(scope="module", params=[pytest.param(name, id=name.replace(" ", "-")) for name in WORLDS])
def explored(request: pytest.FixtureRequest) -> tuple[World, Explorer, Graph]:
    world = WORLDS[request.param]
    explorer, graph = world.explore()
    return world, explorer, graph


@pytest.mark.req("OR-2", "OR-8", "OR-9", "OR-10", "OR-11", "OR-12", "OR-13", "OR-15")
def test_nothing_happens_that_must_never_happen(explored: tuple[World, Explorer, Graph]) -> None:
    """What `holds` says was asked of every single way; here it is seen that there were ways, and an end."""
    world, _, graph = explored
    assert any(world.ended(state) for state in graph.states.values()), "the design, or its part, can be finished"
    assert sum(map(len, graph.ways.values())) >= 8


@pytest.mark.req("OR-12", "OR-15")
def test_from_every_state_an_end_can_be_reached(explored: tuple[World, Explorer, Graph]) -> None:
    world, _, graph = explored
    assert not [graph.path(key) for key in stuck(graph, world.ended)][:3]


@pytest.mark.req("OR-15")
def test_agents_alone_cannot_keep_a_design_going(explored: tuple[World, Explorer, Graph]) -> None:
    """Every circle has an act or an edit of a person in it: the ways that agents and crashes cause have none."""
    _, _, graph = explored
    assert circle(graph, PEOPLE) is None


def test_states_that_count_as_one_behave_alike(explored: tuple[World, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for one, other in graph.twins[:40]:
        assert explorer.disagreement(one, other) is None


REFUSED = {
    *(f"order.{rule}" for rule in ("pattern", "twice", "why")),
    *(f"changelog.{rule}" for rule in ("unnamed", "unmade", "untrue", "forbidden")),
    *(f"roster.{rule}" for rule in ("quote", "dependency", "actions", "place", "guidance")),
    *(f"contracts.{rule}" for rule in ("foreign", "agent", "missing")),
    *(f"checkpoints.{rule}" for rule in ("missing", "doer", "verifier", "criteria")),
    *(f"instructions.{rule}" for rule in ("agent", "stranger")),
    *(f"research.{rule}" for rule in ("about", "source", "empty")),
    *(f"checklist.{rule}" for rule in ("about", "category")),
    *(f"consultation.{rule}" for rule in ("about", "item")),
    *(f"poc.{rule}" for rule in ("risk", "borne", "gate", "assumption")),
    *(f"integration.{rule}" for rule in ("missing", "unknown", "name")),
    *(f"practices.{rule}" for rule in ("words", "none", "agent")),
    *("output.schema", "yaml.mapping", "decisions.section"),
    *("turn.failed", "turn.uncertain", "turn.stale", "request.option", "request.changed"),
}
"""What agents and people try here and must not get away with."""


@pytest.mark.req("OR-7", "OR-9", "OR-10", "OR-14")
def test_every_edge_is_taken_and_every_refusal_is_met() -> None:
    taken: set[tuple[str, str, str]] = set()
    refused: set[str] = set()
    for world in WORLDS.values():
        _, graph = world.explore()
        taken |= world.taken
        refused |= graph.refusals.keys()
    stops = [edge for edge in EDGES if edge.source in ("execute", "escalated")]
    worked = [edge for edge in MAIN if {edge.source, edge.outcome} & {"execute", "adapt", "done", "adapted"}]
    wanted = [edge for edge in (*MAIN, *stops) if edge not in worked]
    missed = {(edge.source, edge.outcome, edge.target) for edge in wanted} - taken
    assert not missed, f"edges that nothing reaches: {sorted(missed)}"
    assert {f"to_{step}" for step in file_edits.JUMPS} <= {outcome for _, outcome, _ in taken}
    assert not REFUSED - refused, f"refusals that nothing causes: {sorted(REFUSED - refused)}"
