"""Seeded faults of the work: each is refused by its rule, or has the meaning that the rules give it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from design_project import Case, scripted
from orchestration_agents import Line, agents, first
from small_orchestration import ONE, POC, TWO

from signoff.core.declarations import Assignment, Tools
from signoff.core.errors import UsageError
from signoff.core.state import State
from signoff.shell.runtimes.runtime import Offline, Runtime
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, FaultPlan
from signoff.workflows.orchestration import faults
from signoff.workflows.orchestration.faults import FAULTS, KINDS

pytestmark = pytest.mark.xdist_group("design")
TACTICAL = ("groundless", "unruled")

At = Callable[[str], Case]
HONEST = {"doer": 8, "verifier": 3, "poc-evidence-reviewer": 1, "poc-decision": 1}
"""How often each is asked while everybody does well: three doers and a PoC, work and review of each."""

LEADS: Mapping[str, tuple[str, Mapping[str, Line]]] = {
    "escalation-resolution": (f"doer/{ONE}:conflicted", {}),
    "loop-resolution": (f"doer/{ONE}:loop@1+", {}),
    "tactical-solution-architect": ("", {f"doer/{ONE}": first("asks technology")}),
}
"""What has to happen for an agent to have a turn, as faults of others and as what others say."""


def worked(case: Case, fault: str) -> tuple[State, Runtime]:
    """The work with a fault, until somebody other than a person has nothing left to do."""
    before, says = LEADS.get(fault.partition(":")[0], ("", {}))
    runtime = scripted(says, ", ".join(filter(None, (before, fault))))
    state = case.drive(runtime)
    while "loop-resolution" in fault and "loop-resolution" not in case.asked:
        state = answered(case, runtime)
    return state, runtime


def answered(case: Case, runtime: Runtime) -> State:
    """A person answers everything that one agent asks."""
    assert case.state is not None
    [ask] = case.state.requests.values()
    return case.settle(ask.key, "answer", runtime, answers=dict.fromkeys(ask.notes["asked"], "The librarians."))


# --- what is refused --------------------------------------------------------------------------------------------------

RULES = {
    ("doer", "forged-evidence"): "evidence.command",
    ("doer", "settles-security"): "note.authority",
    ("doer", "settles-words"): "note.authority",
    ("doer", "uncertain"): "note.authority",
    ("doer", "unreasoned"): "note.incomplete",
    ("doer", "strange-note"): "note.unknown",
    ("verifier", "contradicts"): "verdict.result",
    ("verifier", "speechless"): "verdict.result",
    ("verifier", "leaves-out"): "verdict.left_out",
    ("verifier", "skips"): "verdict.criteria",
    ("poc-evidence-reviewer", "assessed-pass"): "assessment.result",
    ("poc-evidence-reviewer", "assessed-fail"): "assessment.result",
    ("poc-evidence-reviewer", "skips"): "assessment.criteria",
    ("poc-decision", "edits-nobody"): "edit.unknown",
    ("escalation-resolution", "unasked"): "resolution.note",
    ("loop-resolution", "no-way-out"): "loop.end",
    ("tactical-solution-architect", "groundless"): "ruling.ground",
    ("tactical-solution-architect", "unruled"): "ruling.missing",
    **{(agent, MALFORMED): "yaml.syntax" for agent in faults.WORK},
    **{(agent, OFF_SCHEMA): "output.schema" for agent in faults.WORK},
    **{(agent, CRASH): "turn.failed" for agent in faults.WORK},
}


@pytest.mark.req("OR-19", "OR-20", "OR-21", "OR-22", "OR-23", "OR-24", "OR-25")
@pytest.mark.parametrize(("agent", "kind"), RULES)
def test_each_fault_is_refused_by_its_rule_and_the_next_attempt_is_honest(at: At, agent: str, kind: str) -> None:
    case = at("approved")
    state, _ = worked(case, f"{agent}:{kind}")
    assert case.told == {(agent, RULES[agent, kind])}
    if agent == "loop-resolution":
        assert case.waits_for == [f"escalation-{ONE}"], "the next attempt asks the person"
    else:
        assert state.stop == "complete"


REACHES = {"strays": faults.STRAY, "runs-wild": "git push origin main"}


@pytest.mark.req("OR-18")
@pytest.mark.parametrize("kind", REACHES)
def test_what_a_contract_does_not_name_is_refused_when_it_is_tried(at: At, kind: str) -> None:
    case, plan, play = at("approved"), FAULTS.planned(f"doer/{ONE}:{kind}"), agents()["doer"]

    def reaching(assignment: Assignment, tools: Tools) -> str:
        said, spoil = str(play(assignment, tools)), plan(assignment)
        return spoil(said, tools) if spoil else said

    assert case.drive(Offline({**agents(), "doer": reaching})).stop == "complete"
    assert not (case.root / faults.STRAY).exists()
    calls = [event for event in case.events if event["type"] == "called"]
    assert [[*call["args"].values()] for call in calls] == [[REACHES[kind]]]
    assert case.told == ({("doer", "work.strayed")} if kind == "strays" else set())


# --- what has a meaning -----------------------------------------------------------------------------------------------


@pytest.mark.req("OR-16", "OR-19", "OR-20")
@pytest.mark.parametrize(
    ("fault", "more"),
    [
        ("doer:slipshod", {}),
        ("doer:too-early", {}),
        ("doer:endless", {"doer": 1}),
        ("doer:endless@2", {"doer": 2}),
        ("doer:open-notes", {}),
        ("doer:open-notes@2", {"doer": 1}),
        ("doer:conflicted", {"doer": 1, "escalation-resolution": 1}),
        ("verifier:lenient", {}),
        ("verifier:strict", {"doer": 2, "verifier": 1}),
        ("poc-decision:presses-on", {}),
    ],
)
def test_what_is_legal_costs_the_turns_that_the_rules_ask_for_and_no_review_is_left_out(
    at: At, fault: str, more: Mapping[str, int]
) -> None:
    case = at("approved")
    agent, _, kind = fault.partition(":")
    one = fault if agent == "poc-decision" else f"{agent}/{ONE}:{kind}"
    assert worked(case, one)[0].stop == "complete"
    assert case.told == set()
    assert Counter(case.asked) == Counter(HONEST) + Counter(more)


@pytest.mark.req("OR-20", "OR-21", "OR-22", "OR-23", "OR-25")
@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        (f"doer/{ONE}:endless@1+", f"failed-{ONE}"),
        (f"doer/{ONE}:crash@1+", f"failed-{ONE}"),
        (f"doer/{ONE}:loop", f"escalation-{ONE}"),
        (f"verifier/{ONE}:strict@1+", f"verification-{ONE}"),
        ("poc-evidence-reviewer:assessed-partial", f"poc-{POC}"),
        ("poc-decision:escalates", f"poc-{POC}"),
        ("escalation-resolution:quarrels", f"escalation-{ONE}"),
    ],
)
def test_what_no_agent_can_settle_is_put_to_the_person_and_who_works_beside_it_finishes(
    at: At, fault: str, waits: str
) -> None:
    case = at("approved")
    worked(case, fault)
    assert case.waits_for == [waits]
    assert case.statuses["cache_agent"] in ("ready_for_verification", "verified")


@pytest.mark.req("OR-25")
def test_a_poc_that_is_partial_does_not_proceed_whatever_is_decided_on_it(at: At) -> None:
    case = at("approved")
    case.drive(scripted(faults="poc-evidence-reviewer:assessed-partial, poc-decision:presses-on"))
    assert case.told == {("poc-decision", "poc.proceed")}
    assert case.waits_for == [f"poc-{POC}"]
    again = at("approved")
    again.drive(scripted(faults="poc-evidence-reviewer:assessed-partial, poc-decision:presses-on@1+"))
    assert again.waits_for == [f"failed-{POC}"]
    assert {case.statuses[TWO], again.statuses[TWO]} == {"pending"}, "what rests on it has not begun"


@pytest.mark.req("OR-23")
@pytest.mark.parametrize(("kind", "breaks"), [("overlooks", False), ("quarrels", True)])
def test_an_answer_that_breaks_another_task_goes_back_to_the_person(at: At, kind: str, breaks: bool) -> None:
    case, said = at("approved"), {f"doer/{ONE}": first("asks requirement")}
    runtime = scripted(said, f"escalation-resolution:{kind}")
    case.drive(runtime)
    state = answered(case, runtime)
    assert case.waits_for == ([f"escalation-{ONE}"] if breaks else [])
    assert state.stop == (None if breaks else "complete")


@pytest.mark.req("OR-24")
def test_the_same_question_in_a_third_turn_is_a_loop_and_edits_of_nobody_end_none(at: At) -> None:
    case = at("approved")
    runtime = scripted(faults=f"doer/{ONE}:loop@1+, loop-resolution:edits-nobody")
    asked = list[bool]()
    case.drive(runtime)
    for _ in range(2):
        asked.append("loop-resolution" in case.asked)
        answered(case, runtime)
    assert [*asked, "loop-resolution" in case.asked] == [False, False, True]
    assert case.waits_for == ["edits"]


def test_every_fault_of_the_work_is_tried_here() -> None:
    legal = {
        "doer": {*REACHES, "slipshod", "too-early", "endless", "open-notes", "conflicted", "loop"},
        "verifier": {"lenient", "strict"},
        "poc-evidence-reviewer": {"assessed-partial"},
        "poc-decision": {"presses-on", "escalates"},
        "escalation-resolution": {"overlooks", "quarrels"},
        "loop-resolution": {"edits-nobody"},
        "tactical-solution-architect": set[str](),
    }
    known = {**faults.WORK, "tactical-solution-architect": TACTICAL}
    for agent, kinds in known.items():
        refused = {kind for name, kind in RULES if name == agent}
        assert {*kinds} == (refused | legal[agent]) - {MALFORMED, OFF_SCHEMA, CRASH}
        assert {*kinds} <= {*KINDS[agent]}


# --- plans of faults that are about one agent's turns -----------------------------------------------------------------


@pytest.mark.req("OR-21")
def test_a_fault_about_one_agent_counts_the_turns_about_that_agent_alone(at: At) -> None:
    case = at("approved")
    case.drive(scripted(faults=f"doer/{POC}:crash@2"))
    failed = [event for event in case.events if event["type"] == "turn_failed"]
    assert len(failed) == 1
    assert f"doer/{POC}:crash@2" in str(failed[0])


@pytest.mark.parametrize("text", [f"doer/{ONE}:endless@2+", "doer:crash@1", "verifier/api_agent:strict@3"])
def test_a_plan_about_one_agent_reads_what_it_writes(text: str) -> None:
    plan = FAULTS.parse(text)
    assert str(plan) == text
    assert FAULTS.parse(str(plan)) == plan != FaultPlan()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"nobody/{ONE}:crash", "no agent 'nobody'"),
        (f"doer/{ONE}:lenient", "doer has no fault 'lenient'"),
        ("doer:crash@+", r"the turn '\+'"),
        ("doer:crash@1++", r"the turn '1\+\+'"),
    ],
)
def test_a_plan_about_one_agent_that_is_not_understood_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        FAULTS.parse(text)
