"""The order of the work: phases, forced orders and refusals, as tables and as laws."""

from __future__ import annotations

import random
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestration_team import AT, HEAD, checkpoint, contracts, design, roster

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts
from signoff.workflows.orchestration.sequence import work_sequence as document
from signoff.workflows.orchestration.sequence.path_patterns import overlap
from signoff.workflows.orchestration.sequence.sequencer import sequence
from signoff.workflows.orchestration.sequence.work_sequence import Sequence

Design = tuple[Roster, FileContracts, Checkpoints]


def phases(made: Sequence) -> list[str]:
    """Each phase in a line: `api_agent web_agent`."""
    return [" ".join(one.agent_name for one in phase.agents) for phase in made.execution_phases]


def refused(*given: Any) -> tuple[Finding, ...]:
    with pytest.raises(DocumentError) as caught:
        sequence(*given)
    return caught.value.findings


def rules(findings: tuple[Finding, ...]) -> list[str]:
    return [one.rule for one in findings]


# --- the example ------------------------------------------------------------------------------------------------------

EXAMPLE = design({"database_agent": "", "api_agent": "database_agent", "frontend_agent": "database_agent"})


@pytest.mark.req("OR-13")
def test_the_work_of_the_example_comes_in_four_phases_with_a_verifier_after_every_doer() -> None:
    made = sequence(*EXAMPLE)
    assert phases(made) == [
        "database_agent",
        "database_verifier",
        "api_agent frontend_agent",
        "api_verifier frontend_verifier",
    ]
    assert [phase.parallel for phase in made.execution_phases] == [False, False, True, True]
    assert [phase.phase_id for phase in made.execution_phases] == [1, 2, 3, 4]
    assert made.total_phases == 4
    assert made.critical_path == ("database_agent", "database_verifier", "api_agent", "api_verifier")
    assert made.dependency_graph == {
        "api_agent": ("database_verifier",),
        "api_verifier": ("api_agent",),
        "database_agent": (),
        "database_verifier": ("database_agent",),
        "frontend_agent": ("database_verifier",),
        "frontend_verifier": ("frontend_agent",),
    }
    counted = made.parallelization_summary
    assert (counted.total_agents, counted.max_parallel_agents) == (6, 2)
    assert (counted.sequential_phases, counted.parallel_phases) == (2, 2)
    assert made.notes == ()


@pytest.mark.req("OR-13")
def test_what_is_not_computed_is_copied_from_the_roster_or_unknown() -> None:
    made = sequence(*EXAMPLE)
    assert (made.task_id, made.created) == (HEAD["task_id"], AT)
    placed = [one for phase in made.execution_phases for one in phase.agents]
    assert {one.estimated_duration for one in placed} == {"unknown"}
    assert [one.dependencies_satisfied_by_phase for one in placed] == [None, 1, 2, 2, 3, 3]
    assert [(one.agent_type, one.verifies) for one in placed[:2]] == [
        ("doer", None),
        ("verifier", ("database_agent",)),
    ]


@pytest.mark.req("OR-13")
def test_phases_are_named_after_the_agents_in_them() -> None:
    agents: dict[str, Any] = dict.fromkeys(("a_agent", "b_c_agent", "d", "e_agent", "f_agent"), "")
    agents["poc_pool_size"] = {"kind": "poc", "gates": ["g_agent"]}
    agents |= {"g_agent": "", "h_agent": "a_agent"}
    assert [phase.phase_name for phase in sequence(*design(agents)).execution_phases] == [
        "PoC Pool size; A, B c, D and 2 more",
        "G; verification of A, B c, D and 2 more",
        "H; verification of G",
        "Verification of H",
    ]


@pytest.mark.req("OR-13")
def test_the_document_says_who_waits_for_no_phase_and_is_read_as_it_was_written() -> None:
    made = sequence(*EXAMPLE)
    text = document.render(made)
    assert text.count('"dependencies_satisfied_by_phase": null') == 1
    assert text.count('"verifies"') == 3
    assert document.parse(text.encode(), "workflow_sequence.json") == made


# --- cases ------------------------------------------------------------------------------------------------------------

CASES: dict[str, tuple[Design, list[str], list[str]]] = {
    "nobody": (design({}), [], []),
    "one doer": (design({"api_agent": ""}), ["api_agent", "api_verifier"], []),
    "a dependency on a verifier is one on its doer": (
        design({"api_agent": "", "web_agent": "api_verifier"}),
        ["api_agent", "api_verifier", "web_agent", "web_verifier"],
        [],
    ),
    "who reads a file waits for who is named": (
        design({"a_agent": "", "b_agent": ""}, {"a_agent": {"reads": [("out/b.md", "b_agent")]}}),
        ["b_agent", "b_verifier", "a_agent", "a_verifier"],
        [],
    ),
    "who reads a file waits for whoever writes it": (
        design({"a_agent": "", "b_agent": ""}, {"a_agent": {"reads": ["out/b.md"]}, "b_agent": {"writes": ["out/"]}}),
        ["b_agent", "b_verifier", "a_agent", "a_verifier"],
        [],
    ),
    "who is named is the only one that a read waits for": (
        design(
            {"a_agent": "", "b_agent": "", "c_agent": "a_agent"},
            {
                "a_agent": {"reads": [("x.py", "b_agent")]},
                "b_agent": {"writes": ["x.py"]},
                "c_agent": {"writes": ["x.py"]},
            },
        ),
        ["b_agent", "b_verifier", "a_agent", "a_verifier", "c_agent", "c_verifier"],
        [],
    ),
    "nobody waits for its own output": (
        design({"a_agent": ""}, {"a_agent": {"reads": ["x.py", ("x.py", "a_agent")], "writes": ["*.py"]}}),
        ["a_agent", "a_verifier"],
        [],
    ),
    "what comes later by its dependencies is read as it was before": (
        design(
            {"a_agent": "", "b_agent": "a_agent"}, {"a_agent": {"reads": ["x.py"]}, "b_agent": {"writes": ["x.py"]}}
        ),
        ["a_agent", "a_verifier", "b_agent", "b_verifier"],
        ["a_agent reads x.py, which b_agent writes: it is read as it was before, for b_agent comes after a_agent"],
    ),
    "who writes one path never shares a phase": (
        design({"b_agent": "", "a_agent": ""}, {"a_agent": {"writes": ["x.py"]}, "b_agent": {"writes": ["x.py"]}}),
        ["a_agent", "a_verifier", "b_agent", "b_verifier"],
        ["b_agent waits for a_agent: both write x.py"],
    ),
    "neither do overlapping patterns": (
        design({"b_agent": "", "a_agent": ""}, {"a_agent": {"writes": ["src/"]}, "b_agent": {"writes": ["src/x.py"]}}),
        ["a_agent", "a_verifier", "b_agent", "b_verifier"],
        ["b_agent waits for a_agent: src/ and src/x.py can be one file, and both write it"],
    ),
    "who changes one file each find their place among its writers": (
        design(
            {"a_agent": "", "b_agent": "", "c_agent": ""},
            {f"{name}_agent": {"reads": ["package.json"], "writes": ["package.json"]} for name in "abc"},
        ),
        ["a_agent", "a_verifier", "b_agent", "b_verifier", "c_agent", "c_verifier"],
        ["b_agent waits for a_agent: both write package.json", "c_agent waits for b_agent: both write package.json"],
    ),
    "a forced order follows dependencies before names": (
        design(
            {"a_agent": "z_agent", "b_agent": "", "z_agent": ""},
            {"a_agent": {"writes": ["x.py"]}, "b_agent": {"writes": ["x.py"]}},
        ),
        ["b_agent z_agent", "b_verifier z_verifier", "a_agent", "a_verifier"],
        ["a_agent waits for b_agent: both write x.py"],
    ),
    "what dependencies order already is not forced": (
        design({"a_agent": "b_agent", "b_agent": ""}, {name: {"writes": ["x"]} for name in ("a_agent", "b_agent")}),
        ["b_agent", "b_verifier", "a_agent", "a_verifier"],
        [],
    ),
    "who needs one thing for itself never shares a phase": (
        design(
            {"a_agent": "", "b_agent": ""},
            {"a_agent": {"resources": ["the staging database"]}, "b_agent": {"resources": ["the staging database"]}},
        ),
        ["a_agent", "a_verifier", "b_agent", "b_verifier"],
        ["b_agent waits for a_agent: both need the staging database for themselves"],
    ),
    "a verifier that writes is one of the writers": (
        design(
            {"a_agent": "", "b_agent": ""},
            {"a_verifier": {"writes": ["report.md"]}, "b_verifier": {"writes": ["report.md"]}},
        ),
        ["a_agent b_agent", "a_verifier", "b_verifier"],
        ["b_verifier (of b_agent) waits for a_agent: both write report.md"],
    ),
    "a verifier reads what its doer wrote, and the rest as it finds it": (
        design(
            {"a_agent": "", "b_agent": "a_agent"},
            {
                "a_agent": {"writes": ["src/a.py"]},
                "b_agent": {"writes": ["src/b.py"]},
                "a_verifier": {"reads": ["src/", ("src/a.py", "a_agent")]},
            },
        ),
        ["a_agent", "a_verifier", "b_agent", "b_verifier"],
        [],
    ),
    "a verifier waits for whom its contract names": (
        design({"a_agent": "", "b_agent": ""}, {"a_verifier": {"reads": [("keys.json", "b_agent")]}}),
        ["a_agent b_agent", "b_verifier", "a_verifier"],
        [],
    ),
    "the checkpoints may name another verifier": (
        design({"a_agent": "", "b_agent": "a_agent"}, a_agent="qa_verifier"),
        ["a_agent", "qa_verifier", "b_agent", "b_verifier"],
        [],
    ),
    "one verifier may have doers that work one after the other": (
        design({"a_agent": "", "b_agent": "a_agent"}, a_agent="qa_verifier", b_agent="qa_verifier"),
        ["a_agent", "qa_verifier", "b_agent", "qa_verifier"],
        [],
    ),
    "one verifier is never in one phase twice": (
        design(
            {"a_agent": "", "b_agent": "c_agent", "c_agent": "", "d_agent": ""},
            {"qa_verifier": {"reads": [("x", "d_agent")]}, "d_agent": {"reads": [("y", "c_agent")]}},
            a_agent="qa_verifier",
            b_agent="qa_verifier",
        ),
        ["a_agent c_agent", "c_verifier", "b_agent d_agent", "d_verifier", "qa_verifier", "qa_verifier"],
        ["qa_verifier (of b_agent) waits for a_agent: qa_verifier verifies one at a time"],
    ),
    "a verifier that no checkpoint names takes no part": (
        design({"a_agent": "", "verifier_agent": {"kind": "verifier", "dependencies": ["a_agent"]}}),
        ["a_agent", "a_verifier"],
        ["verifier_agent verifies nobody: no checkpoint names it, so it takes no part"],
    ),
    "a verifier of the roster may wait for others than its doer": (
        design(
            {"a_agent": "", "b_agent": "", "a_verifier": {"kind": "verifier", "dependencies": ["a_agent", "b_agent"]}}
        ),
        ["a_agent b_agent", "b_verifier", "a_verifier"],
        [],
    ),
    "a PoC comes before what it gates and is verified by nobody": (
        design({"a_agent": "", "b_agent": "", "poc_pool": {"kind": "poc", "gates": ["a_agent"]}}),
        ["b_agent poc_pool", "a_agent b_verifier", "a_verifier"],
        [],
    ),
    "a PoC may gate a verifier and wait for a doer": (
        design(
            {"a_agent": "", "b_agent": "", "poc_x": {"kind": "poc", "dependencies": "b_agent", "gates": ["a_verifier"]}}
        ),
        ["a_agent b_agent", "b_verifier", "poc_x", "a_verifier"],
        [],
    ),
}  # fmt: skip


@pytest.mark.req("OR-13")
@pytest.mark.parametrize("name", CASES)
def test_a_design_has_its_phases_and_its_notes(name: str) -> None:
    given_design, wanted, notes = CASES[name]
    made = sequence(*given_design)
    assert phases(made) == wanted
    assert list(made.notes) == notes


@pytest.mark.req("OR-13")
def test_a_doer_whose_verifier_has_others_too_is_named_itself_in_the_graph_which_so_has_no_cycle() -> None:
    made = sequence(*design({"a_agent": "", "b_agent": "a_agent"}, a_agent="qa_verifier", b_agent="qa_verifier"))
    assert made.dependency_graph == {"a_agent": (), "b_agent": ("a_agent",), "qa_verifier": ("a_agent", "b_agent")}
    assert made.critical_path == ("a_agent", "qa_verifier", "b_agent", "qa_verifier")
    assert made.parallelization_summary.total_agents == 3


@pytest.mark.req("OR-13")
def test_a_forced_order_stands_in_the_graph_too() -> None:
    files = {"a_agent": {"writes": ["x.py"]}, "b_agent": {"writes": ["x.py"]}}
    made = sequence(*design({"b_agent": "", "a_agent": ""}, files))
    assert made.dependency_graph["b_agent"] == ("a_verifier",)


# --- refusals ---------------------------------------------------------------------------------------------------------

CYCLES: dict[str, tuple[Design, str]] = {
    "by dependencies": (
        design({"api_agent": "database_agent", "database_agent": "migration_agent", "migration_agent": "api_agent"}),
        (
            "api_agent -> database_agent -> migration_agent -> api_agent: each waits for the next, so none can begin "
            "(api_agent depends on database_agent; database_agent depends on migration_agent; "
            "migration_agent depends on api_agent)"
        ),
    ),
    "of itself": (design({"a_agent": "a_agent"}), "a_agent -> a_agent: "),
    "of its own verifier": (design({"a_agent": "a_verifier"}), "a_agent -> a_agent: "),
    "by files": (
        design(
            {"a_agent": "", "b_agent": ""},
            {"a_agent": {"reads": ["b/"], "writes": ["a/x"]}, "b_agent": {"reads": ["a/"], "writes": ["b/x"]}},
        ),
        (
            "a_agent -> b_agent -> a_agent: each waits for the next, so none can begin "
            "(a_agent reads b/ (b/x), which b_agent writes; b_agent reads a/ (a/x), which a_agent writes)"
        ),
    ),
    "by a file that names who comes later": (
        design({"a_agent": "", "b_agent": "a_agent"}, {"a_agent": {"reads": [("x", "b_agent")]}}),
        "(a_agent reads x from b_agent; b_agent depends on a_agent)",
    ),
    "by a gate": (
        design({"a_agent": "", "poc_x": {"kind": "poc", "gates": ["a_agent"], "dependencies": ["a_agent"]}}),
        (
            "a_agent -> poc_x -> a_agent: each waits for the next, so none can begin "
            "(poc_x gates a_agent; poc_x depends on a_agent)"
        ),
    ),
    "by a verifier that reads what comes later": (
        design({"a_agent": "", "b_agent": "a_agent"}, {"a_verifier": {"reads": [("x", "b_agent")]}}),
        (
            "a_agent -> b_agent -> a_agent: each waits for the next, so none can begin "
            "(a_verifier reads x from b_agent; b_agent depends on a_agent)"
        ),
    ),
}


@pytest.mark.req("OR-13")
@pytest.mark.parametrize("name", CYCLES)
def test_a_cycle_is_named_whole_from_its_smallest_name_on_with_the_reason_of_every_step(name: str) -> None:
    given_design, said = CYCLES[name]
    (found,) = refused(*given_design)
    assert found.rule == "sequence.cycle"
    assert said in found.problem
    assert found.problem.startswith(f"{found.about}: ")
    assert "drop one of these steps" in found.repair


@pytest.mark.req("OR-13")
def test_every_knot_is_told_of_by_its_shortest_cycle() -> None:
    agents = {"a": "b", "b": "c", "c": "a d", "d": "c", "x": "y z", "y": "x", "z": "x", "free": "a"}
    found = refused(*design(agents))
    assert [one.about for one in found] == ["c -> d -> c", "x -> y -> x"]


def test_a_long_cycle_is_named_whole_and_explained_in_part() -> None:
    ring = {f"a{number:03}": f"a{(number + 1) % 400:03}" for number in range(400)}
    (found,) = refused(*design(ring))
    assert found.about == " -> ".join([*sorted(ring), "a000"])
    assert "and 394 more steps" in found.problem


@pytest.mark.req("OR-13")
def test_a_missing_agent_is_named_with_everybody_who_wants_it_and_who_can_add_it() -> None:
    agents = {
        "a_agent": "billing_agent",
        "b_agent": "billing_agent",
        "poc_x": {"kind": "poc", "gates": ["mail_agent"]},
    }
    found = refused(*design(agents, {"b_agent": {"reads": [("x.csv", "export_agent")]}}))
    assert [(one.rule, one.about) for one in found] == [
        ("sequence.missing", "billing_agent"),
        ("sequence.missing", "export_agent"),
        ("sequence.missing", "mail_agent"),
    ]
    assert found[0].problem == (
        "billing_agent is not in the roster, and a_agent depends on billing_agent and b_agent depends on billing_agent"
    )
    assert "b_agent reads x.csv from export_agent" in found[1].problem
    assert "poc_x gates mail_agent" in found[2].problem
    assert all("let the roster-designer run again" in one.repair for one in found)


@pytest.mark.req("OR-13")
def test_what_is_said_of_somebody_who_is_not_in_the_roster_is_not_forgotten() -> None:
    people, _, _ = design({"api_agent": ""})
    checks = Checkpoints.model_validate({**HEAD, "checkpoints": [checkpoint("api_agent"), checkpoint("ap_agent")]})
    found = refused(people, contracts({"apii_agent": {"writes": ["x"]}}), checks)
    assert [one.problem for one in found] == [
        "ap_agent is not in the roster, and a checkpoint is for it",
        "apii_agent is not in the roster, and the file contracts have a contract for it",
    ]


@pytest.mark.req("OR-13")
def test_a_doer_that_nobody_verifies_is_an_error() -> None:
    people, files, _ = design({"api_agent": "", "web_agent": ""})
    (found,) = refused(people, files, Checkpoints.model_validate({**HEAD, "checkpoints": [checkpoint("web_agent")]}))
    assert (found.rule, found.about) == ("sequence.unverified", "api_agent")
    assert "api_verifier verifies it" in found.repair


@pytest.mark.parametrize(
    ("verifier", "said"),
    [
        ("web_agent", "web_agent, who would verify api_agent, is a doer of the roster"),
        ("api_agent", "api_agent, who would verify api_agent, is a doer of the roster"),
        ("poc_x", "poc_x, who would verify api_agent, is a poc of the roster"),
        ("archival_agent", "archival_agent, who would verify api_agent, verifies nothing"),
    ],
)
def test_nobody_else_than_a_verifier_verifies(verifier: str, said: str) -> None:
    agents = {"api_agent": "", "web_agent": "", "poc_x": {"kind": "poc", "gates": ["web_agent"]}}
    found = refused(*design(agents, api_agent=verifier))
    assert [one.problem for one in found if one.rule == "sequence.unverified"] == [said]


def test_two_checkpoints_that_name_different_verifiers_leave_it_open_who_verifies() -> None:
    people, files, _ = design({"api_agent": ""})
    given_checks = [checkpoint("api_agent"), checkpoint("api_agent", "qa_verifier")]
    (found,) = refused(people, files, Checkpoints.model_validate({**HEAD, "checkpoints": given_checks}))
    assert (found.rule, found.about) == ("sequence.unverified", "api_agent")
    assert "api_verifier, qa_verifier" in found.problem


def test_a_doer_with_so_long_a_name_that_its_verifier_can_have_none_needs_one_that_is_named() -> None:
    doer = "a" * 76
    (found,) = refused(*design({doer: ""}))
    assert (found.rule, found.about) == ("sequence.unverified", doer)
    assert sequence(*design({doer: ""}, **{doer: "qa_verifier"})).critical_path == (doer, "qa_verifier")


@pytest.mark.req("OR-13")
def test_one_verifier_for_two_doers_of_a_phase_is_an_error_with_both_ways_out() -> None:
    agents = {"a_agent": "", "b_agent": "a_agent", "c_agent": "a_agent", "d_agent": "a_agent"}
    (found,) = refused(*design(agents, b_agent="qa_verifier", c_agent="qa_verifier"))
    assert (found.rule, found.about) == ("sequence.shared_verifier", "qa_verifier")
    assert found.problem == "qa_verifier would verify b_agent and c_agent, who work side by side in phase 3"
    assert "with none named: b_verifier and c_verifier" in found.repair
    assert "let c_agent depend on b_agent" in found.repair


@pytest.mark.req("OR-13")
@pytest.mark.parametrize(
    "way_out",
    [
        design({"b_agent": "", "c_agent": ""}, b_agent="qa_verifier"),
        design({"b_agent": "", "c_agent": "b_agent"}, b_agent="qa_verifier", c_agent="qa_verifier"),
        design(
            {"b_agent": "", "c_agent": ""},
            {"b_agent": {"writes": ["x"]}, "c_agent": {"writes": ["x"]}},
            b_agent="qa_verifier",
            c_agent="qa_verifier",
        ),
    ],
)
def test_both_ways_out_lead_out_and_so_does_a_forced_order(way_out: Design) -> None:
    made = sequence(*way_out)
    assert all(len(phase.agents) == 1 for phase in made.execution_phases[2:])


def test_two_doers_whose_own_verifiers_have_one_name_share_it() -> None:
    (found,) = refused(*design({"api": "", "api_agent": ""}))
    assert (found.rule, found.about) == ("sequence.shared_verifier", "api_verifier")


@pytest.mark.req("OR-3", "OR-13")
@pytest.mark.parametrize(
    ("agents", "about"),
    [
        ({"tactical_solution_architect_agent": ""}, "tactical_solution_architect_agent"),
        ({"archival_agent": {"kind": "verifier"}}, "archival_agent"),
        ({"my_architect": {"agent_type": "tactical_solution_architect_agent"}}, "my_architect"),
    ],
)
def test_the_tactical_architect_and_the_archive_have_no_place_in_a_roster(agents: dict[str, Any], about: str) -> None:
    found = refused(*design({"api_agent": "", **agents}))
    assert [(one.rule, one.about) for one in found] == [("sequence.never", about)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("archival_agent", "a_agent depends on archival_agent; archiving is done by code after the last phase"),
        ("verifier_agent", "a_agent depends on verifier_agent; it takes no part, for no checkpoint names it"),
    ],
)
def test_nobody_can_wait_for_who_takes_no_part(name: str, said: str) -> None:
    (found,) = refused(*design({"a_agent": name, "verifier_agent": {"kind": "verifier"}}))
    assert (found.rule, found.about, found.problem) == ("sequence.missing", name, said)
    assert "roster-designer" not in found.repair


@pytest.mark.req("OR-13")
def test_everything_that_is_wrong_is_said_at_once() -> None:
    agents = {"a": "b", "b": "a", "c": "gone", "d": "", "e": "", "archival_agent": ""}
    people, files, _ = design(agents)
    checks = [checkpoint(name) for name in ("a", "b", "c", "archival_agent")]
    found = refused(people, files, Checkpoints.model_validate({**HEAD, "checkpoints": checks}))
    assert rules(found) == [
        "sequence.never",
        "sequence.unverified",
        "sequence.unverified",
        "sequence.missing",
        "sequence.cycle",
    ]


@pytest.mark.req("OR-13")
def test_a_shared_verifier_is_told_of_beside_a_doer_without_one() -> None:
    people, files, _ = design({"a": "", "b": "", "c": ""})
    checks = [checkpoint("a", "qa_verifier"), checkpoint("b", "qa_verifier")]
    found = refused(people, files, Checkpoints.model_validate({**HEAD, "checkpoints": checks}))
    assert rules(found) == ["sequence.unverified", "sequence.shared_verifier"]


# --- laws -------------------------------------------------------------------------------------------------------------

NAMES = ["a_agent", "b_agent", "c_agent", "d_agent", "e_agent"]
PATHS = ["src/", "src/a.py", "src/b.py", "docs/*.md", "docs/x.md", "**/x.md", "lib/"]
VERIFIERS = [None, None, None, "qa_verifier", "ci_verifier"]


@st.composite
def designs(draw: st.DrawFn) -> dict[str, Any]:
    """A design as plain data: mostly without cycles, because dependencies go back in a drawn order."""
    order = draw(st.permutations(NAMES))
    agents: dict[str, Any] = {}
    for at, name in enumerate(order):
        others = NAMES if draw(st.integers(0, 9)) == 0 else order[:at]
        depends = draw(st.lists(st.sampled_from(others), max_size=2, unique=True)) if others else []
        agents[name] = {"dependencies": depends}
    if draw(st.booleans()):
        agents["poc_x"] = {"kind": "poc", "gates": draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))}
    if draw(st.booleans()):
        agents["qa_verifier"] = {"kind": "verifier"}
    readers = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from([None, None, *order[:2]])), max_size=1)
    files = {
        name: {
            "reads": draw(readers),
            "writes": draw(st.lists(st.sampled_from(PATHS), max_size=2, unique=True)),
            "resources": draw(st.lists(st.sampled_from(["db"]), max_size=1)),
        }
        for name in draw(st.lists(st.sampled_from([*agents, "a_verifier"]), unique=True))
    }
    named = {name: draw(st.sampled_from(VERIFIERS)) for name in NAMES}
    return {"agents": agents, "files": files, "named": {name: one for name, one in named.items() if one}}


def built(plain: Mapping[str, Any]) -> Design:
    return design(plain["agents"], plain["files"], **plain["named"])


def outcome(given_design: Design) -> str:
    try:
        return document.render(sequence(*given_design))
    except DocumentError as error:
        return str(error)


@pytest.mark.req("OR-13")
@given(designs(), st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_changes_no_byte(plain: dict[str, Any], chance: random.Random) -> None:
    given_design = built(plain)
    shuffled = [shuffle(one.model_dump(mode="json", by_alias=True), chance) for one in given_design]
    again = (
        Roster.model_validate(shuffled[0]),
        FileContracts.model_validate(shuffled[1]),
        Checkpoints.model_validate(shuffled[2]),
    )
    assert outcome(again) == outcome(given_design)


def shuffle(value: Any, chance: random.Random) -> Any:
    """The same with every list and every mapping in another order."""
    if isinstance(value, dict):
        return {key: shuffle(value[key], chance) for key in chance.sample(sorted(value), len(value))}
    if isinstance(value, list):
        return [shuffle(one, chance) for one in chance.sample(value, len(value))]
    return value


class Seen:
    """A sequence as somebody reads it who knows nothing of how it was made."""

    def __init__(self, made: Sequence) -> None:
        self.made = made
        self.begins: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.phases: dict[str, list[int]] = {}
        for phase in made.execution_phases:
            for one in phase.agents:
                self.phases.setdefault(one.agent_name, []).append(phase.phase_id)
                for doer in one.verifies or ():
                    self.ends[doer] = phase.phase_id
                if not one.verifies:
                    self.begins[one.agent_name] = phase.phase_id
        self.ends = {**self.begins, **self.ends}


@pytest.mark.req("OR-13")
@given(designs())
def test_a_sequence_keeps_what_it_promises(plain: dict[str, Any]) -> None:
    people, files, checks = built(plain)
    try:
        made = sequence(people, files, checks)
    except DocumentError:
        return
    seen = Seen(made)
    assert set(seen.begins) == {*people.of_kind("doer"), *people.of_kind("poc")}
    for doer in people.of_kind("doer"):
        assert seen.begins[doer] < seen.ends[doer], "a doer is followed by its verifier"
    _dependencies_hold(people, files, seen)
    _nobody_meets_who_must_not(people, files, seen)
    _the_document_agrees_with_itself(seen)


def _dependencies_hold(people: Roster, files: FileContracts, seen: Seen) -> None:
    for name, member in people.agents.items():
        if name in seen.begins:
            for other in member.dependencies:
                assert seen.ends[other] < seen.begins[name], f"{other} is verified before {name} begins"
        for gated in member.gates:
            assert seen.begins[name] < seen.begins[gated]
    for name in set(files.agents) & set(seen.begins):
        for read in files.agents[name].reads:
            if read.source and read.source != name:
                assert seen.ends[read.source] < seen.begins[name]
            elif not read.source:
                _waits_for_its_writers(name, read.path, files, seen)


def _waits_for_its_writers(name: str, path: str, files: FileContracts, seen: Seen) -> None:
    mine = [one.path for one in files.agents[name].writes]
    for other in set(files.agents) & set(seen.begins) - {name}:
        for one in files.agents[other].writes:
            if overlap(path, one.path) and not any(overlap(one.path, own) for own in mine):
                before = seen.ends[other] < seen.begins[name]
                noted = any(
                    f"{name} reads {path}" in note and f"{other} comes after" in note for note in seen.made.notes
                )
                assert before or (noted and seen.ends[name] < seen.begins[other])


def _nobody_meets_who_must_not(people: Roster, files: FileContracts, seen: Seen) -> None:
    """Not even while a doer is verified: it may have to work again."""
    working = [name for name in people.agents if name in seen.begins and name in files.agents]
    for one in working:
        for other in working:
            first, second = files.agents[one], files.agents[other]
            conflict = set(first.resources) & set(second.resources) or any(
                overlap(mine.path, yours.path) for mine in first.writes for yours in second.writes
            )
            if one != other and conflict:
                assert seen.ends[one] < seen.begins[other] or seen.ends[other] < seen.begins[one]


def _the_document_agrees_with_itself(seen: Seen) -> None:
    made = seen.made
    for phase in made.execution_phases:
        names = [one.agent_name for one in phase.agents]
        assert names == sorted(set(names)), "by name, and nobody twice"
        assert phase.parallel == (len(names) > 1)
    order = list(TopologicalSorter(made.dependency_graph).static_order())
    assert sorted(order) == sorted(seen.phases)
    for name, before in made.dependency_graph.items():
        for other in before:
            assert min(seen.phases[other]) < max(seen.phases[name])
    assert len(made.critical_path) == made.total_phases == len(made.execution_phases)
    for name, phase in zip(made.critical_path, made.execution_phases, strict=True):
        assert name in [one.agent_name for one in phase.agents]


@given(st.dictionaries(st.sampled_from("abcdefg"), st.sets(st.sampled_from("abcdefg"), max_size=2), min_size=7))
def test_a_cycle_is_found_if_there_is_one_and_it_is_a_shortest(depends: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(depends).prepare()
    except CycleError:
        found = refused(*design(depends))
    else:
        assert sequence(*design(depends)).total_phases >= 2
        return
    for one in found:
        way = one.about.split(" -> ")
        assert way[0] == way[-1] == min(way)
        assert all(after in depends[before] for before, after in pairwise(way))
    lengths = [steps for name in depends if (steps := _way_round(name, depends))]
    assert min(len(one.about.split(" -> ")) - 1 for one in found) == min(lengths)


def _way_round(start: str, depends: Mapping[str, set[str]]) -> int:
    """How many steps lead from a name back to it, at least; 0 if none do."""
    seen = set(depends[start])
    for steps in range(1, len(depends) + 1):
        if start in seen:
            return steps
        seen |= {after for name in seen for after in depends[name]}
    return 0


def test_a_roster_of_a_thousand_in_a_row_is_no_deeper_than_python_allows() -> None:
    names = [f"a{number:04}_agent" for number in range(1000)]
    row = {name: [before] if before else [] for name, before in zip(names, [None, *names], strict=False)}
    made = sequence(*design(row))
    assert made.total_phases == 2000
    assert made.critical_path[:2] == ("a0000_agent", "a0000_verifier")
    assert made.critical_path[-1] == "a0999_verifier"


def test_the_roster_alone_says_who_is_in_the_sequence() -> None:
    assert (
        sequence(roster({}), contracts({}), Checkpoints.model_validate({**HEAD, "checkpoints": []})).total_phases == 0
    )
