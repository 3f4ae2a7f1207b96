"""Every state that an inquiry can reach, whatever agents and people do: proofs over the real kernel and its checks."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import small_inquiry as small
from inquiry_world import World
from small_inquiry import (
    CLEAR,
    DECISIONS,
    EMPTY,
    QUESTIONS,
    VAGUE,
    Asked,
    answering,
    at,
    removed,
    replaced,
    scope,
    without,
    written,
)

from signoff.testing.explorer import Explorer, Graph, circle, stuck
from signoff.workflows.clarify import config as settings
from signoff.workflows.clarify.checks import authority
from signoff.workflows.clarify.steps import confirmation
from signoff.workflows.clarify.workflow import TABLE

pytestmark = pytest.mark.xdist_group("explorer")  # one process, so that nothing is enumerated twice

PEOPLE = ("edit:", "scope:", "answers:", "refinements:", "open:", "stale:", "escalation:", "budget:")

CRASH = (("crash", ()),)
UNSURE = (*CRASH, ("crash", ("call-1",)))

FLAWED: dict[str, set[str]] = {
    "dimension-researcher": {"silent", "invented source", "invented quote", "off schema", "control character"},
    "consolidate-research": {
        *("scope", "older and miscounted", "one dropped", "lost", "answered", "renumbered", "renamed", "twice"),
        *("strange origin", "early", "without sections", "empty", "hedged scope", "no must"),
    },
    "detailed-research": {"contradiction", "unclear side", "one side"},
    "section-refiner": {"the same for all", "none", "four", "stranger", "tagged"},
    "confirm-decisions": {
        *("other status", "dropped", "renamed", "other title", "unknown", "twice", "source left out", "still draft"),
        *("unearned", "passed through", "in conflict", "one-sided", "words of before"),
    },
}


def flawed(*agents: str) -> dict[str, set[str]]:
    """Everything that can be wrong with what these agents say; the others do well."""
    return {agent: {"good", "malformed", *FLAWED[agent]} for agent in agents}


ONE = (Asked("Price"),)
MUST = (Asked("Price", must=True),)
PAIR = (*MUST, Asked("Term", "Time", origin="Metrics Q2"))
NO_ADVICE = (PAIR[0], Asked("Term", "Time", origin="Metrics Q2", recommendation=""))
APART = (Asked("Price"), Asked("Stage", "Time", origin="Stages Q1"))

QUIET = frozenset({"something else", "resume from nowhere", "answer"})
NO_RESEARCH = frozenset({"research"})
OPEN_GATE = small.config(mixed=0.0)  # detailed research is offered whatever the answers are

CONTRADICTION, GAP = "Contradiction: Both cannot hold", "Critical Gap: Price"
BOTH_CLEAR = at("answers", answering("Q1", CLEAR), answering("Q2", CLEAR))
TERMS = written(settings.PATH, terms=small.config(terms=["net"]), no_terms=small.config())
FILES_REMOVED = (removed(QUESTIONS), removed(DECISIONS))

WORLDS = {
    "research": World(
        APART,
        flawed("dimension-researcher"),
        config=small.config("metrics", "stages"),
        failures=UNSURE,
        edits=[
            at("research consolidate escalated", written(small.BRIEF, words_gone="# Brief\n", back=small.BRIEF_TEXT)),
            at("research consolidate escalated", written(settings.PATH, one_dimension=small.config("metrics"))),
            at("research consolidate escalated", written(settings.PATH, two=small.config("metrics", "stages"))),
        ],
    ),
    "scope": World(
        PAIR,
        flawed("consolidate-research"),
        not_chosen=NO_RESEARCH,
        edits=[scope(True, False), at("answers scope", answering("Q1", CLEAR))],
    ),
    "scope later": World(
        MUST,
        {"confirm-decisions": {"good", "malformed"}},
        config=OPEN_GATE,
        not_chosen=QUIET | {"deepen", "autofill"},
        edits=[scope(True, False), at("answers complete unsettled", answering("Q1", CLEAR, "A"))],
    ),
    "gate": World(
        NO_ADVICE,
        {},
        not_chosen=NO_RESEARCH,
        edits=[
            at("answers confirm", answering("Q1", CLEAR, VAGUE, EMPTY)),
            at("answers", answering("Q2", CLEAR, VAGUE, EMPTY, "net"), TERMS),
            at("unsettled", answering("Q1", CLEAR)),
            *FILES_REMOVED,
        ],
    ),
    "detail": World(
        PAIR,
        flawed("detailed-research", "section-refiner"),
        config=OPEN_GATE,
        not_chosen=QUIET | {"autofill", "deepen"},
        failures=CRASH,
        edits=[
            at("answers", answering("Q1", CLEAR, EMPTY)),
            at("answers refine", answering("Q2", CLEAR)),
            at("detail", answering("Q2", VAGUE), scope(True)),
            at("unsettled", answering(CONTRADICTION, CLEAR), answering(GAP, CLEAR)),
        ],
    ),
    "refinements": World(
        ONE,
        {"section-refiner": {"good", "two each"}},
        config=OPEN_GATE,
        not_chosen=QUIET | {"resume from answers"},
        edits=[
            at("refinements deepen", answering("R1.1", CLEAR, VAGUE)),
            at("complete", answering("R1.1", CLEAR)),
            at("refinements", answering("R1.1a", CLEAR), answering("Q1", CLEAR)),
            at("deepen", scope(True)),
        ],
    ),
    "asked again": World(
        ONE,
        {"section-refiner": {"good", "the same for all"}},
        config=OPEN_GATE,
        not_chosen=QUIET,
        edits=[at("refinements", without("R1.1"))],
    ),
    "confirm": World(
        PAIR,
        {**flawed("confirm-decisions"), "detailed-research": {"contradiction"}},
        config=OPEN_GATE,
        not_chosen=QUIET | {"deepen"},
        edits=[
            BOTH_CLEAR,
            at("refinements unsettled confirm", answering(CONTRADICTION, CLEAR, VAGUE)),
            at("refinements unsettled", answering(GAP, CLEAR, EMPTY)),
        ],
    ),
    "entries": World(
        PAIR,
        {"detailed-research": {"contradiction"}},
        config=OPEN_GATE,
        not_chosen=QUIET | {"deepen", "autofill"},
        edits=[
            BOTH_CLEAR,
            at("refinements unsettled", answering(CONTRADICTION, CLEAR), answering(GAP, CLEAR), scope(True)),
        ],
    ),
    "a side taken out": World(
        PAIR,
        {"detailed-research": {"contradiction"}},
        config=OPEN_GATE,
        not_chosen=QUIET | {"deepen", "autofill"},
        edits=[
            BOTH_CLEAR,
            at("refinements unsettled", answering(CONTRADICTION, CLEAR), answering(GAP, CLEAR)),
            at("refinements unsettled complete", without("Q2")),
        ],
    ),
    "a source taken out": World(
        ONE,
        {"section-refiner": {"good", "the same for all"}},
        config=OPEN_GATE,
        not_chosen=QUIET | {"deepen"},
        edits=[at("answers complete", answering("Q1", CLEAR)), at("refinements complete", without("R1.1"))],
    ),
    "drafts by hand": World(
        PAIR,
        {"detailed-research": {"good", "contradiction"}},
        not_chosen=QUIET | {"deepen"},
        edits=[
            BOTH_CLEAR,
            at("complete", answering("Q2", CLEAR)),
            at("unsettled", answering("Q1", CLEAR)),
            answering(CONTRADICTION, CLEAR),
            replaced(DECISIONS, "D1: Price", "D1: Price of all", "D1 renamed"),
            replaced(DECISIONS, "### D2", f"{small.WORDS}\n\n### D2", "words between"),
            *FILES_REMOVED,
        ],
    ),
    "after the end": World(
        PAIR,
        {},
        not_chosen=NO_RESEARCH | QUIET,
        edits=[
            at("complete confirm unsettled", answering("Q1", CLEAR)),
            at("complete", answering("Q1", EMPTY), answering("Q2", VAGUE, "net"), TERMS),
            at("complete", replaced(DECISIONS, "It is so", "It is so, by hand", "D1 by hand")),
            at("complete", *FILES_REMOVED),
        ],
    ),
    "by hand after the end": World(
        PAIR,
        {},
        not_chosen=NO_RESEARCH,
        edits=[
            at("complete", answering("Q1", CLEAR), answering("Q2", EMPTY)),
            at("complete confirm", replaced(DECISIONS, "** resolved", "** draft", "D1 made a draft")),
            at("complete", replaced(DECISIONS, "decision_count: 2", "decision_count: 7", "miscounted")),
            at("answers complete", written(small.BRIEF, more=f"{small.BRIEF_TEXT}More.\n")),
        ],
    ),
    "turns that are held": World(
        PAIR,
        {},
        not_chosen=QUIET,
        held=True,
        edits=[at("answers refine", answering("Q1", CLEAR, EMPTY)), at("unsettled", answering("Q1", CLEAR))],
    ),
    "a small budget": World(
        PAIR,
        {},
        config=small.config(mixed=0.0, turns=4),
        not_chosen=QUIET,
        spends=True,
        edits=[
            at("answers refine", answering("Q1", CLEAR, EMPTY)),
            at("unsettled", answering("Q1", CLEAR)),
            written(settings.PATH, raised=OPEN_GATE),
        ],
    ),
}


def params() -> list[Any]:
    return [pytest.param(name, id=name.replace(" ", "-")) for name in WORLDS]


@pytest.fixture(scope="module", params=params())
def explored(request: pytest.FixtureRequest) -> tuple[World, Explorer, Graph]:
    world = WORLDS[request.param]
    explorer, graph = world.explore()
    return world, explorer, graph


@pytest.mark.req("CL-1", "CL-6", "CL-7", "CL-8", "CL-9", "CL-10", "CL-11", "CL-13")
def test_no_way_leads_to_complete_with_anything_open_stale_or_unearned(
    explored: tuple[World, Explorer, Graph],
) -> None:
    """What `holds` says was asked of every single way; here it is seen that there were ways, and an end."""
    _, _, graph = explored
    assert any(state.stop == "complete" for state in graph.states.values()), "the inquiry can be finished"
    assert len(graph.states) > 50


@pytest.mark.req("CL-10", "CL-11")
def test_from_every_state_complete_can_be_reached(explored: tuple[World, Explorer, Graph]) -> None:
    _, _, graph = explored
    assert not [graph.path(key) for key in stuck(graph, lambda state: state.stop == "complete")][:3]


@pytest.mark.req("CL-7", "CL-8")
def test_agents_alone_cannot_keep_an_inquiry_going(explored: tuple[World, Explorer, Graph]) -> None:
    """Every circle has an act or an edit of a person in it: the ways that agents and crashes cause have none."""
    _, _, graph = explored
    assert circle(graph, PEOPLE) is None


@pytest.mark.req("CL-1")
def test_states_that_count_as_one_behave_alike(explored: tuple[World, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for one, other in graph.twins[:40]:
        assert explorer.disagreement(one, other) is None


def rules_of(module: Any, family: str, function: str) -> set[str]:
    """The rules that a module names when it refuses something."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if function in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))]
    return {f"{family}.{call.args[0].value}" for call in named if isinstance(call.args[0], ast.Constant)}


@pytest.mark.req("CL-1", "CL-7", "CL-9", "CL-11")
def test_every_edge_and_every_refusal_rule_is_reached() -> None:
    taken: set[tuple[str, str, str]] = set()
    refused: set[str] = set()
    for world in WORLDS.values():
        _, graph = world.explore()
        taken |= world.taken
        refused |= graph.refusals.keys()
    missed = {(e.source, e.outcome, e.target) for e in TABLE.edges} - taken
    assert not missed, f"edges that nothing reaches: {sorted(missed)}"
    rules = rules_of(authority, "clarify", "_wrong") | rules_of(confirmation, "decisions", "wrong")
    rules |= {"output.schema", "decisions.duplicate", "turn.failed", "turn.uncertain", "turn.stale"}
    assert not rules - refused, f"refusals that nothing causes: {sorted(rules - refused)}"
