"""The ways through a design and back: what people reject, edit or give up, and what is made again because of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from design_project import ANSWER, MISSING, POC, TASK, Case, lay_out, scripted
from small_orchestration import ONE, QUESTION, TWO

from signoff.core.refs import digest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import review_questions
from signoff.workflows.orchestration.workflow import WORKFLOW

pytestmark = pytest.mark.xdist_group("design")  # one process, so that the design is made once

At = Callable[[str], Case]
REVIEWS = ["security-reviewer", "database-reviewer"]
GATES = ("architecture", "roster", "design")
FOLDER = WORKFLOW.folder(TASK)


@pytest.fixture
def waiting(at: At) -> Case:
    """The design where it waits for a yes."""
    return at("design")


@pytest.fixture
def approved(at: At) -> Case:
    return at("approved")


# --- rejections -------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-9")
def test_a_rejected_architecture_is_made_again_and_answers_need_not_be_given_twice(at: At) -> None:
    case = at("architecture")
    case.put(places.QUESTIONS, f"A remark of mine.\n\n{case.text(places.QUESTIONS)}")
    case.reject("architecture", "Use another database")
    assert "Use another database" in case.brief("solution-architect")
    assert case.asked == ["solution-architect", *REVIEWS]
    assert case.waits_for == ["questions"]
    assert [one.answer for one in review_questions.answers(case.text(places.QUESTIONS))] == [ANSWER]
    assert case.text(places.QUESTIONS).startswith("A remark of mine.")
    assert not (case.root / places.CHANGELOG).exists()
    case.settle("questions", "continue")
    assert case.own.warnings == ()


def test_answers_are_taken_over_to_the_questions_that_are_asked_again(at: At) -> None:
    case = at("architecture")
    asked = review_questions.render([("security", "Who may read it?"), ("database_storage", QUESTION)])
    case.put(places.QUESTIONS, review_questions.write(asked.encode(), places.QUESTIONS, {"Q1": "Nobody.", "Q2": "No."}))
    case.settle("architecture", "reject", scripted({"database-reviewer": "question"}), reason="Again")
    found = [(one.domain, one.answer) for one in review_questions.answers(case.text(places.QUESTIONS))]
    assert found == [("security", ""), ("database_storage", "No.")]


@pytest.mark.req("OR-8")
def test_what_went_on_unanswered_is_not_said_any_more_once_it_is_answered(at: At) -> None:
    case = at("questions")
    case.settle("questions", "continue")
    assert [one.rule for one in case.own.warnings] == ["review.unanswered"]
    case.reject("architecture", "Again")
    case.answer()
    case.settle("questions", "continue")
    assert case.own.warnings == ()


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(
    ("reason", "asked", "told"),
    [
        ("contracts: Name the log", ["file-structure-designer"], "file-structure-designer"),
        ("checkpoints: Name the commands", ["checkpoint-designer"], "checkpoint-designer"),
        ("instructions: Shorter", ["instruction-writer"] * 7, "instruction-writer"),
        (
            "risk: Count twice",
            ["poc-recommendation", "best-practices-integration", "poc-integration"],
            "poc-recommendation",
        ),
        ("plan: Draw it again", [], ""),
    ],
)
def test_a_rejected_design_goes_back_to_who_made_that_part_with_the_reason(
    waiting: Case, reason: str, asked: list[str], told: str
) -> None:
    waiting.reject("design", reason)
    assert waiting.asked == [*asked, "design-verifier"]
    assert waiting.waits_for == ["design"]
    if told:
        assert reason.partition(": ")[2] in waiting.brief(told)


@pytest.mark.req("OR-10")
@pytest.mark.parametrize("reason", [f"Remove: {TWO}", f"roster: Remove: {TWO}"])
def test_a_rejected_design_without_an_area_begins_with_the_roster_which_goes_to_the_person_again(
    waiting: Case, reason: str
) -> None:
    waiting.reject("design", reason)
    assert (waiting.asked, waiting.waits_for) == (["roster-designer"], ["roster"])
    assert TWO not in waiting.json(places.ROSTER)["agents"]
    waiting.approve("roster")
    assert waiting.waits_for == ["design"]


def test_nothing_is_left_of_an_agent_that_is_no_more_and_a_trial_is_told_anew(waiting: Case) -> None:
    waiting.reject("design", f"Remove: {TWO}")
    waiting.approve("roster")
    made = [path.relative_to(waiting.root).as_posix() for path in waiting.root.rglob("*") if path.is_file()]
    assert not [path for path in made if f"/{TWO}" in path and "_workflow" not in path and ".gitkeep" not in path]
    assert Counter(waiting.asked)["instruction-writer"] == 1
    assert POC in waiting.brief("instruction-writer")
    assert waiting.json(places.VERIFICATION)["result"] == "pass"


@pytest.mark.req("OR-13")
def test_a_cycle_is_put_to_the_person_whole_and_the_new_roster_too(at: At) -> None:
    case, circle = at("roster"), f"{MISSING} -> {ONE} -> {MISSING}"
    case.settle("roster", "reject", scripted(faults="roster-designer:cycle"), reason="Again")
    case.approve("roster")
    state = case.settle(f"agent-{MISSING}", "create")
    [ask] = state.requests.values()
    assert (ask.key, ask.options) == ("cycle", ("redesign", "again"))
    assert circle in ask.question
    case.settle("cycle", "redesign")
    assert case.waits_for == ["roster"]
    assert circle in case.brief("roster-designer")


# --- edits after the approval -----------------------------------------------------------------------------------------


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(
    ("path", "old", "new", "step", "asked", "gate"),
    [
        (
            places.summary(TASK),
            "There is a table.",
            "There are tables.",
            "sequence",
            ["design-verifier"],
            "design",
        ),
        (places.STACK, "PostgreSQL 15", "PostgreSQL 16", "approve_architecture", [], "architecture"),
        (places.DECISIONS, "It is enough", "It will do", "approve_architecture", [], "architecture"),
        (places.ROSTER, '"exists": true', '"exists": false', "approve_roster", [], "roster"),
        (
            places.CONTRACTS,
            "the evidence of the PoC",
            "what the PoC shows",
            "sequence",
            ["instruction-writer", "design-verifier"],
            "design",
        ),
        (
            places.POC_SPECS,
            "Nobody waits",
            "No one waits",
            "integration",
            ["best-practices-integration", "poc-integration", "instruction-writer", "design-verifier"],
            "design",
        ),
        (places.instructions(TWO), "## Task", "Be quick.\n\n## Task", "verify", ["design-verifier"], "design"),
    ],
)
def test_an_edit_after_the_approval_voids_it_and_resume_leads_back_to_whom_it_concerns(
    approved: Case, path: str, old: str, new: str, step: str, asked: list[str], gate: str
) -> None:
    before = approved.own.digest
    approved.replace(path, old, new)
    approved.drive()
    assert (approved.waits_for, approved.own.stale, approved.own.digest) == (["stale"], step, "")
    held = {one["gate"]: one["holds"] for one in approved.json(f"{FOLDER}/status.json")["approvals"]}
    assert held == {one: GATES.index(one) < GATES.index(gate) for one in GATES}
    approved.settle("stale", "resume")
    assert (approved.asked, approved.waits_for) == (asked, [gate])
    if gate == "design":
        approved.sign("design")
        assert approved.own.digest not in ("", before)


def test_every_yes_holds_at_the_end_although_code_went_on_with_the_roster(approved: Case) -> None:
    told = approved.json(f"{FOLDER}/status.json")
    assert [(one["gate"], one["holds"]) for one in told["approvals"]] == [(gate, True) for gate in GATES]
    roster = next(one for one in told["approvals"] if one["gate"] == "roster")
    assert roster["digests"][places.ROSTER] != digest(approved.text(places.ROSTER))


def test_what_code_knows_of_a_roster_is_not_believed_from_an_edit_after_the_approval(approved: Case) -> None:
    before = approved.text(places.ROSTER)
    approved.replace(places.ROSTER, '"exists": true', '"exists": false')
    approved.look()
    assert approved.text(places.ROSTER) == before


@pytest.mark.parametrize("path", [places.SEQUENCE, places.STATUS, places.COORDINATION, places.RISK_REPORT])
def test_what_code_makes_is_put_back_and_the_approval_stands(approved: Case, path: str) -> None:
    before = approved.text(path)
    approved.put(path, f"{before}\n")
    state = approved.look()
    assert (state.stop, approved.waits_for, approved.text(path)) == (None, [], before)
    assert approved.own.digest
    assert {turn.start.agent for turn in state.turns.values()} == {"doer"}


# --- edits while something is made ------------------------------------------------------------------------------------


def test_a_stack_that_a_person_writes_before_the_architect_does_is_not_reviewed_by_nobody(
    stops: Mapping[str, Case], tmp_path: Path
) -> None:
    case = Case(lay_out(tmp_path / "case"))
    case.go(lambda live: live.sync())
    case.put(places.STACK, stops["questions"].text(places.STACK))
    case.drive()
    assert case.asked == ["solution-architect", *REVIEWS]


@pytest.mark.req("OR-6")
def test_what_was_said_to_the_architect_while_its_turn_is_out_is_an_input_of_the_turn(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "case"))
    first = case.look()
    (case.root / places.answers(TASK)).parent.mkdir()
    case.put(places.answers(TASK), '{"said": [{"key": "scale", "answer": "Sixty readers"}]}')
    again = case.look()
    assert first.turns.keys() != again.turns.keys()
    case.drive()
    assert "Sixty readers" in case.brief("solution-architect")
    assert case.asked == ["solution-architect", *REVIEWS]


def test_contracts_that_a_person_writes_before_their_step_has_ended_stop_nothing(
    stops: Mapping[str, Case], at: At
) -> None:
    case = at("agent")
    case.say(f"agent-{MISSING}", "create")
    case.put(places.CONTRACTS, stops["approved"].text(places.CONTRACTS))
    case.drive()
    assert case.waits_for == ["design"]


# --- another run in the same folder -----------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["roster", "approved"])
def test_a_run_whose_folder_another_took_over_writes_nothing_into_it_any_more(at: At, stop: str) -> None:
    first = at(stop)
    plan = first.text(places.summary(TASK))
    first.put(places.summary("second_task"), plan.replace(f"Summary: {TASK}", "Summary: second_task"))
    second = Case(first.folder, "second-task")
    second.drive(replace=True)
    before = {path: digest(path.read_bytes()) for path in (first.root / "orchestration").rglob("*") if path.is_file()}
    state = first.look()
    after = {path: digest(path.read_bytes()) for path in (first.root / "orchestration").rglob("*") if path.is_file()}
    assert (state.stop, first.waits_for, first.own.phase) == ("replaced", [], "replaced")
    assert after == before
    assert [one.rule for one in first.own.warnings] == ["design.replaced"]
    second.drive()
    assert second.waits_for == ["questions"]


def test_a_folder_that_is_cleared_for_another_run_is_not_filled_again(approved: Case) -> None:
    for path in sorted((approved.root / "orchestration").rglob("*"), reverse=True):
        relative = path.relative_to(approved.root).as_posix()
        if path.is_file() and not places.is_common(relative):
            path.unlink()
    assert approved.drive().stop == "replaced"
    assert not (approved.root / places.ROSTER).exists()
