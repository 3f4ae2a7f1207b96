"""Every state that the work on a small design can reach, whatever agents and people do: proofs over the real kernel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import small_orchestration as small
from small_orchestration import ONE, POC, TWO, during, toggled
from small_work import (
    NOTING,
    WRONG,
    answering,
    borne,
    output_of,
    planted,
    sharing,
    shown_by_a_command,
)
from work_world import WorkWorld

from signoff.testing.explorer import Explorer, Graph, circle, stuck
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.work import progress
from signoff.workflows.orchestration.workflow import EDGES, MAIN

pytestmark = pytest.mark.xdist_group("work-explorer")  # one process, so that nothing is enumerated twice

TACTICAL = "database_tactical"
NO_POC = {"poc-recommendation": borne}
BY_COMMAND = {**NO_POC, "checkpoint-designer": shown_by_a_command}
CRASH = (("crash", ()),)
UNSURE = (*CRASH, ("crash", ("call-1",)))
SERIAL = small.config(at_once=1)
GATES = ("architecture", "roster", "design")
PEOPLE = (
    "edit:", "stale:", "budget:", "edits:", "adaptation:", "escalation:", "escalation-", "verification-", "failed-",
    "poc-", "abandoned-", *(f"{gate}: {act}" for gate in GATES for act in ("approve", "reject", "something")),
)  # fmt: skip
ON = answering("answer", "retry", "guide", "proceed", "approve", "resume", "drop")
"""A person who lets things go on."""
PLAIN = answering(
    "something else", "answer", "answer one", "answer nothing", "answer by a line each", "retry", "guide", "modify",
    "proceed", "abandon", "remove", "end", "approve", "reject", "resume", "drop",
)  # fmt: skip
"""A person who does everything but to propose another plan."""
STACK = toggled(places.STACK, "The team runs it", "People asked for it")
TOLD = toggled(places.instructions(ONE), "Do it.", "Do so.")
CONTRACTS = toggled(places.CONTRACTS, '"format": "markdown"', '"format": "text"')
SPECS = toggled(places.POC_SPECS, "The log", "The record")
EVOLUTION = toggled(places.DECISIONS, "## Evolution Notes\n\n_None._", "## Evolution Notes\n\nIt was tried.")

WORLDS = {
    "a doer": WorkWorld({"do": {"good", "unfinished", "ready at once", "ran it", *WRONG}}, well=NO_POC, answers=ON),
    "a doer who asks": WorkWorld({"do": {"good", *NOTING}}, well=NO_POC, answers=ON),
    "its review": WorkWorld({"do": {"good", "assumes"}, "drive": None}, well=NO_POC, answers=ON),
    "its verifier": WorkWorld({"verify": None}, well=BY_COMMAND, answers=ON),
    "five failures": WorkWorld({"verify": {"good", "fail"}}, well=NO_POC),
    "a PoC": WorkWorld({"do": {"good"}, f"assess-{POC}": None, f"decide-{POC}": None}),
    "escalations": WorkWorld(
        {"do": {"good", "asks requirement", "asks conflict"}, "clear": None, "resolve": None}, well=NO_POC
    ),
    "three questions": WorkWorld(
        {"do": {"good", "asks all"}, "clear": {"good", "conflict"}, "resolve": {"good", "conflict"}},
        well=NO_POC,
        answers=PLAIN,
    ),
    "a tactical task": WorkWorld(
        {f"do-{ONE}": {"good", "asks technology"}, f"do-{TACTICAL}": None, f"verify-{TACTICAL}": {"good", "fail"}},
        well=NO_POC,
        answers=answering("answer", "abandon", "retry"),
        fails=1,
    ),
    "a tactical task fails": WorkWorld(
        {f"do-{ONE}": {"good", "asks technology"}, f"verify-{TACTICAL}": {"good", "fail"}}, well=NO_POC
    ),
    "a tactical task crashes": WorkWorld(
        {f"do-{ONE}": {"good", "asks technology"}, f"do-{TACTICAL}": {"good", "asks requirement"}},
        well=NO_POC,
        failures=UNSURE,
        answers=answering("answer", "abandon", "end"),
    ),
    "a loop": WorkWorld(
        {f"do-{ONE}": {"good", "asks requirement"}, "loop": None},
        well=NO_POC,
        notes=4,
        answers=answering("answer", "retry", "abandon", "approve", "reject"),
    ),
    "crashes": WorkWorld({}, failures=UNSURE, answers=PLAIN),
    "two doers": WorkWorld(
        {f"do-{ONE}": {"good", "asks technology"}, f"verify-{TWO}": {"good", "fail"}},
        doers=(ONE, TWO),
        well=NO_POC,
        answers=ON,
        fails=1,
    ),
    "two doers crash": WorkWorld({}, doers=(ONE, TWO), well=NO_POC, failures=(("crash", ("call-1",)),), answers=PLAIN),
    "a reader": WorkWorld(
        {"do": {"good", "another version"}},
        doers=(ONE, TWO),
        after={TWO: ONE},
        well=NO_POC,
        edits=[during("execute adapt", output_of(ONE))],
        answers=ON,
    ),
    "one file of two": WorkWorld(
        {f"do-{TWO}": {"good", "another version"}, "verify": {"good", "fail"}},
        doers=(ONE, TWO),
        well={**NO_POC, "file-structure-designer": sharing},
        answers=ON,
        fails=1,
    ),
    "a PoC by hand": WorkWorld(
        {f"decide-{POC}": {"good", "escalate", "adapt"}},
        edits=[during("execute adapt", output_of(POC), planted)],
        answers=answering("proceed", "retry", "approve", "reject"),
    ),
    "the design by hand": WorkWorld(
        well=NO_POC, edits=[during("execute", STACK, TOLD), small.taken_over], answers=ON, config=SERIAL
    ),
    "evolution by hand": WorkWorld(
        {f"do-{ONE}": {"good", "asks technology"}},
        well=NO_POC,
        edits=[during("execute", EVOLUTION, small.removed(places.DECISIONS))],
        answers=ON,
    ),
    "an adaptation by hand": WorkWorld(
        {f"decide-{POC}": {"adapt"}},
        edits=[during("adapt", STACK, TOLD, small.taken_over), during("instructions", CONTRACTS, small.OTHER_ROLE)],
        answers=answering("approve", "reject", "resume", "proceed"),
        ends=("approve_architecture", "approve_roster", "approve_design"),
    ),
    "after the end": WorkWorld(
        {},
        doers=(ONE, TWO),
        after={TWO: ONE},
        well=NO_POC,
        edits=[during("done", output_of(ONE), small.removed(small.output(TWO)), planted)],
        answers=ON,
    ),
    "another design after the end": WorkWorld(
        {},
        edits=[during("done", STACK, TOLD, CONTRACTS, SPECS, small.OTHER_ROLE, EVOLUTION, small.taken_over)],
        answers=ON,
        ends=("approve_architecture", "approve_roster", "instructions", "integration", "verify"),
    ),
    "held": WorkWorld({}, doers=(ONE, TWO), well=NO_POC, held=True, answers=ON),
    "strays": WorkWorld({"do": {"good", "asks conflict"}}, calls=True, answers=ON),
}


@pytest.fixture(scope="module", params=[pytest.param(name, id=name.replace(" ", "-")) for name in WORLDS])
def explored(request: pytest.FixtureRequest) -> tuple[WorkWorld, Explorer, Graph]:
    world = WORLDS[request.param]
    explorer, graph = world.explore()
    return world, explorer, graph


@pytest.mark.req("OR-16", "OR-17", "OR-18", "OR-19", "OR-20", "OR-21", "OR-22", "OR-23", "OR-25", "OR-29")
def test_nothing_happens_that_must_never_happen(explored: tuple[WorkWorld, Explorer, Graph]) -> None:
    """What `holds` says was asked of every single way; here it is seen that there were ways, and an end."""
    world, _, graph = explored
    assert any(world.ended(state) for state in graph.states.values()), "the work can be finished"
    assert sum(map(len, graph.ways.values())) >= 30


@pytest.mark.req("OR-17", "OR-21")
def test_from_every_state_the_end_of_the_work_can_be_reached(explored: tuple[WorkWorld, Explorer, Graph]) -> None:
    world, _, graph = explored
    assert not [graph.path(key) for key in stuck(graph, world.ended)][:3]


@pytest.mark.req("OR-20", "OR-24")
def test_agents_alone_cannot_keep_the_work_going(explored: tuple[WorkWorld, Explorer, Graph]) -> None:
    """Every circle has an act or an edit of a person in it: the ways that agents and crashes cause have none."""
    _, _, graph = explored
    assert circle(graph, PEOPLE) is None


def test_states_that_count_as_one_behave_alike(explored: tuple[WorkWorld, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for one, other in graph.twins[:20]:
        assert explorer.disagreement(one, other) is None


REFUSED = {
    *(f"note.{rule}" for rule in ("authority", "unknown", "settled", "incomplete")),
    *(f"evidence.{rule}" for rule in ("command", "path")),
    *(f"verdict.{rule}" for rule in ("criteria", "result", "command", "left_out")),
    *(f"ruling.{rule}" for rule in ("note", "missing", "ground")),
    *(f"resolution.{rule}" for rule in ("note", "missing", "answer")),
    *(f"assessment.{rule}" for rule in ("criteria", "result")),
    *(f"poc.{rule}" for rule in ("proceed", "edits")),
    *("work.strayed", "work.blocked", "loop.end", "edit.unknown", "output.contract", "output.schema", "yaml.mapping"),
    *("turn.failed", "turn.uncertain", "turn.stale", "request.option"),
}
"""What agents and people try here and must not get away with."""


@pytest.mark.req("OR-16", "OR-18", "OR-20", "OR-22")
def test_every_edge_of_the_work_is_taken_and_every_refusal_is_met() -> None:
    taken: set[tuple[str, str, str]] = set()
    refused: set[str] = set()
    for world in WORLDS.values():
        _, graph = world.explore()
        taken |= world.taken
        refused |= graph.refusals.keys()
    of_work = [edge for edge in EDGES if edge.source in ("adapt", "done") or edge.outcome in ("adapt", "adapted")]
    of_work += [edge for edge in MAIN if edge.source == "execute"]
    missed = {(edge.source, edge.outcome, edge.target) for edge in of_work} - taken
    assert not missed, f"edges that nothing reaches: {sorted(missed)}"
    assert not REFUSED - refused, f"refusals that nothing causes: {sorted(REFUSED - refused)}"


@pytest.mark.req("OR-16")
def test_only_the_table_of_statuses_moves_a_worker() -> None:
    """No engine file sets a status but through `moved`, which refuses what is not in the table."""
    engine = Path(progress.__file__).parent
    setting = []
    for path in (*sorted(engine.glob("*.py")), engine.parent / "design/file_edits.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called in ("replace", "Worker") and any(one.arg == "status" for one in getattr(node, "keywords", ())):
                setting.append((path.stem, node.lineno))
    assert [name for name, _ in setting] == ["progress"], f"{setting}: only `moved` itself"
