"""How the work goes on after a question, a failure or a crash: who settles it, and what becomes of a person's word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import small_work as alphabet
from small_orchestration import ONE, POC, TWO
from small_work import ANSWER, RESCOPE
from work_walk import Walk

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.config import Config
from signoff.workflows.orchestration.sequence.work_sequence import Parallelisation, Sequence
from signoff.workflows.orchestration.state import own_of
from signoff.workflows.orchestration.work import escalations, schedule
from signoff.workflows.orchestration.work.notes import CATEGORIES, DECIDES, Note
from signoff.workflows.orchestration.work.progress import Case, Work, Worker

T = 1767225600
TACTICAL = "database_tactical"
NO_PHASES = Sequence(
    task_id=f"x_{T}", created=T, execution_phases=(), total_phases=0, critical_path=(), dependency_graph={},
    parallelization_summary=Parallelisation(
        total_agents=0, max_parallel_agents=0, sequential_phases=0, parallel_phases=0
    ),
)  # fmt: skip
"""Nothing is due by itself: what is, settles an escalation."""


# --- who settles what -------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-22", "OR-23")
@pytest.mark.parametrize("serves", ["", ONE], ids=["a doer", "a tactical task"])
@pytest.mark.parametrize("category", [*CATEGORIES, None])
def test_a_note_goes_to_who_decides_its_category(category: Any, serves: str) -> None:
    note = Note(
        note_id="note_001", timestamp=T, description="q", context="c", category=category, status="escalated",
        escalation_reason="r",
    )  # fmt: skip
    case = escalations.opened("an_agent", Worker(task_id=f"x_{T}", serves=serves, notes=(note,)), T)
    wanted = DECIDES[category] if category else "person"
    wanted = {"agent_self": "escalation_resolution"}.get(wanted, wanted)
    if serves and wanted == "tactical_solution_architect":
        wanted = "person"
    assert case.routes == {"note_001": wanted}


@pytest.mark.req("OR-23")
@pytest.mark.parametrize(
    ("since", "order"),
    [
        ({ONE: T, TWO: T + 1}, [ONE, TWO]),
        ({ONE: T + 1, TWO: T}, [TWO, ONE]),
        ({TWO: T, ONE: T}, sorted([ONE, TWO])),
    ],
    ids=["in order", "the other way round", "at once"],
)
def test_whoever_escalated_first_is_served_first(since: dict[str, int], order: list[str]) -> None:
    def escalated(route: Any, stage: Any) -> Work:
        cases = (Case(agent=name, since=at, routes={"note_001": route}, stage=stage) for name, at in since.items())
        return Work(begun=T, workers={name: Worker(task_id=f"{name}_{T}") for name in since}, cases=tuple(cases))

    due = schedule.due(escalated("escalation_resolution", "resolving"), NO_PHASES)
    assert [task.agent for task in due] == order
    requests = escalations.requests(escalated("person", "asked"))
    assert [ask.notes["agent"] for ask in requests] == order
    begun = escalations.advanced(escalated("tactical_solution_architect", "queued"), Config(), T)
    assert {case.agent: case.stage for case in begun.cases} == {order[0]: "tactical", order[1]: "queued"}


@pytest.mark.req("OR-23")
@pytest.mark.parametrize(
    ("payload", "answers", "stage"),
    [
        ({"answers": {"note_001": "a", "note_002": "b"}}, {"note_001": "a", "note_002": "b"}, "clearing"),
        ({"note": "note_001: a\nnote_002: b"}, {"note_001": "a", "note_002": "b"}, "clearing"),
        ({"note": " note_002: b\n note_001: a\n note_001: c"}, {"note_001": "a c", "note_002": "b"}, "clearing"),
        ({"note": "note_001: a", "answers": {"note_002": "b"}}, {"note_001": "a", "note_002": "b"}, "clearing"),
        ({"answers": {"note_001": "a"}}, {"note_001": "a"}, "asked"),
        ({"answers": {"note_001": "  "}}, {}, "asked"),
        ({"note": "an answer to which of the two?"}, {}, "asked"),
        ({"answers": {"note_009": "x"}}, {}, "asked"),
        ({"answers": "x"}, {}, "asked"),
        ({}, {}, "asked"),
    ],
)  # fmt: skip
def test_answers_are_taken_by_the_note_that_they_are_to(payload: Any, answers: Any, stage: str) -> None:
    case = Case(agent=ONE, since=T, routes={"note_001": "person", "note_002": "person"}, stage="asked")
    work = Work(begun=T, workers={ONE: Worker(task_id=f"x_{T}")}, cases=(case,))
    after = escalations.answered(work, ONE, payload).cases[0]
    assert (after.answers, after.stage) == (answers, stage)


def test_one_question_is_answered_by_the_whole_note_and_an_earlier_answer_is_kept() -> None:
    case = Case(agent=ONE, since=T, routes={"note_001": "person"}, stage="asked")
    work = Work(begun=T, workers={ONE: Worker(task_id=f"x_{T}")}, cases=(case,))
    assert escalations.answered(work, ONE, {"note": " Ten. "}).cases[0].answers == {"note_001": "Ten."}
    two = replace(case, routes={**case.routes, "note_002": "person"}, answers={"note_002": "kept"})
    after = escalations.answered(replace(work, cases=(two,)), ONE, {"note": "note_001: a"}).cases[0]
    assert after.answers == {"note_001": "a", "note_002": "kept"}


@pytest.mark.req("OR-23")
def test_what_a_person_left_out_is_asked_again_and_what_they_said_is_not() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "asks all")
    walk.well(f"do-{TACTICAL}", f"drive-{TACTICAL}", f"verify-{TACTICAL}", f"resolve-{ONE}")
    [ask] = walk.state.requests.values()
    assert [*ask.notes["asked"]] == ["note_002"]
    walk.answer(f"escalation-{ONE}", "answer")
    assert walk.asked == [f"escalation-{ONE}"]
    walk.answer(f"escalation-{ONE}", "answer", note=ANSWER)
    assert walk.out == [f"clear-{ONE}"]
    walk.say(f"clear-{ONE}")
    by = {note.note_id: (note.resolved_by, note.resolution) for note in walk.work.workers[ONE].notes}
    assert by["note_002"] == ("user", ANSWER)
    assert {one for one, _ in by.values()} == {"user", "escalation_resolution"}
    assert (walk.out, walk.finish()) == ([f"do-{ONE}"], "complete")


@pytest.mark.req("OR-23")
def test_an_answer_that_breaks_another_task_is_asked_again_with_the_conflict() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "asks requirement")
    walk.answer(f"escalation-{ONE}", "answer", note=ANSWER)
    walk.say(f"clear-{ONE}", "conflict")
    [ask] = walk.state.requests.values()
    assert ask.notes["asked"]["note_001"]["conflict"] == f"It breaks the task of {TWO}"
    assert walk.work.workers[ONE].unresolved
    walk.answer(f"escalation-{ONE}", "answer")
    assert walk.asked == [f"escalation-{ONE}"], "the answer before does not count any more"


def test_what_an_agent_left_open_beside_what_it_escalates_stays_its_own() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "assumes")
    walk.say(f"drive-{ONE}", "asks requirement")
    assert walk.work.cases[0].routes == {"note_002": "person"}
    walk.answer(f"escalation-{ONE}", "answer", note=ANSWER)
    walk.say(f"clear-{ONE}")
    assert [note.note_id for note in walk.work.workers[ONE].unresolved] == ["note_001"]
    assert walk.finish() == "complete"


# --- tactical tasks ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-23")
def test_an_answer_to_another_note_is_no_answer_to_the_one_that_is_open() -> None:
    case = Case(agent="a", since=T, routes={"note_003": "person"}, stage="asked")
    work = Work(begun=T, workers={"a": Worker(task_id=f"x_{T}")}, cases=(case,))
    [left] = escalations.answered(work, "a", {"note": "note_999: yes"}).cases
    assert (left.stage, left.answers) == ("asked", {})
    [taken] = escalations.answered(work, "a", {"note": "note_003: yes"}).cases
    assert (taken.stage, taken.answers) == ("clearing", {"note_003": "yes"})


@pytest.mark.req("OR-23")
def test_every_tactical_task_has_a_name_and_an_id_of_its_own() -> None:
    walk = Walk()
    for number in ("", "_2"):
        walk.say(f"do-{ONE}", "asks technology")
        walk.well(*(f"{kind}-{TACTICAL}{number}" for kind in ("do", "drive", "verify")))
    ids = [one.task_id for one in walk.work.workers.values()]
    assert sorted(walk.work.workers) == [ONE, TACTICAL, f"{TACTICAL}_2"]
    assert len({*ids, own_of(walk.state).task_id}) == len(ids) + 1
    assert walk.finish() == "complete"


@pytest.mark.req("OR-23")
def test_rulings_are_noted_when_nobody_is_at_work_who_reads_the_decisions() -> None:
    walk = Walk(ONE, TWO)
    before = walk.text(places.DECISIONS)
    walk.say(f"do-{ONE}", "asks technology")
    walk.say(f"do-{TWO}", "asks conflict")
    walk.well(f"do-{TACTICAL}", f"drive-{TACTICAL}", f"verify-{TACTICAL}")
    assert f"resolve-{TWO}" in walk.out
    assert walk.text(places.DECISIONS) == before
    walk.say(f"resolve-{TWO}")
    grown = walk.text(places.DECISIONS)
    assert grown.startswith(before.rstrip("\n").removesuffix("_None._"))
    assert f"asked by `{ONE}` in `note_001`" in grown
    assert "    - Decision: The plain one\n    - Ground: One table\n" in grown
    assert own_of(walk.state).digest
    assert walk.finish() == "complete"
    assert walk.text(places.DECISIONS) == grown, "each ruling once"


@pytest.mark.req("OR-23")
def test_a_tactical_task_that_is_given_up_leaves_its_question_to_the_person_and_no_note_behind() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "asks technology")
    walk.say(f"do-{TACTICAL}", "asks requirement")
    walk.answer(f"escalation-{TACTICAL}", "answer", note=ANSWER)
    walk.crash(f"clear-{TACTICAL}")
    walk.answer(f"failed-{TACTICAL}", "abandon")
    assert (walk.out, walk.asked) == ([], [f"escalation-{ONE}"])
    walk.answer(f"escalation-{ONE}", "answer", note=ANSWER)
    assert walk.finish() == "complete"
    assert walk.work.clear


# --- failures ---------------------------------------------------------------------------------------------------------


def failing(walk: Walk, times: int) -> None:
    for _ in range(times):
        walk.well(f"do-{ONE}", f"drive-{ONE}")
        walk.say(f"verify-{ONE}", "fail")


@pytest.mark.req("OR-20")
@pytest.mark.parametrize("act", ["guide", "modify"])
def test_after_five_failures_a_person_is_asked_with_the_whole_history_and_their_word_resets_the_count(act: str) -> None:
    walk = Walk()
    failing(walk, 4)
    assert (walk.out, walk.asked) == ([f"do-{ONE}"], [])
    assert walk.state.turn_of(f"do-{ONE}").start.notes["missing_evidence"] == ["A run of the tests"]  # type: ignore[union-attr]
    failing(walk, 1)
    [ask] = walk.state.requests.values()
    assert (walk.out, ask.key, len(ask.notes["history"])) == ([], f"verification-{ONE}", 5)
    walk.answer(f"verification-{ONE}", act, note="Do less")
    assert walk.work.workers[ONE].told == ("Do less",)
    failing(walk, 5)
    [ask] = walk.state.requests.values()
    assert (ask.key, len(ask.notes["history"])) == (f"verification-{ONE}", 10)
    assert places.results(ONE) in walk.state.docs
    walk.answer(f"verification-{ONE}", act)
    assert walk.finish() == "complete"
    assert places.results(ONE) not in walk.state.docs


@pytest.mark.req("OR-20")
def test_results_of_a_failure_do_not_come_back_after_the_work_was_verified_and_voided() -> None:
    walk = Walk(ONE, TWO, after={TWO: ONE})
    failing(walk, 1)
    walk.well(f"do-{ONE}", f"drive-{ONE}", f"verify-{ONE}")
    assert places.results(ONE) not in walk.state.docs
    path = alphabet.small.output(ONE)
    event = next(event for label, event in _edits(walk, path) if label)
    walk.state, _ = walk.explorer.happen(walk.state, event)
    assert (walk.work.workers[ONE].status, walk.out) == ("working", [f"do-{ONE}"])
    assert places.results(ONE) not in walk.state.docs


def _edits(walk: Walk, path: str) -> Any:
    walk.world.edits = (alphabet.output_of(ONE),)
    assert path in walk.state.docs
    return [(label, event) for label, event in walk.explorer.events(walk.state) if label.startswith("edit:")]


@pytest.mark.req("OR-21")
@pytest.mark.parametrize(
    ("before", "key", "status", "again"),
    [
        ((), f"do-{ONE}", "failed", f"do-{ONE}"),
        ((f"do-{ONE}",), f"drive-{ONE}", "failed", f"drive-{ONE}"),
        ((f"do-{ONE}", f"drive-{ONE}"), f"verify-{ONE}", "ready_for_verification", f"verify-{ONE}"),
    ],
)
def test_what_a_person_has_tried_again_goes_on_where_it_stopped(
    before: tuple[str, ...], key: str, status: str, again: str
) -> None:
    walk = Walk()
    walk.well(*before)
    walk.crash(key)
    assert (walk.asked, walk.work.workers[ONE].status) == ([f"failed-{ONE}"], status)
    walk.answer(f"failed-{ONE}", "retry")
    assert (walk.out, walk.asked) == ([again], [])
    assert walk.finish() == "complete"


@pytest.mark.req("OR-21")
def test_agents_beside_one_that_crashed_finish_first() -> None:
    walk = Walk(ONE, TWO)
    walk.crash(f"do-{ONE}")
    assert walk.asked == []
    walk.say(f"do-{TWO}")
    assert walk.asked == []
    walk.say(f"drive-{TWO}")
    assert (walk.out, walk.asked) == ([], [f"failed-{ONE}"])


def given_up() -> Walk:
    walk = Walk(ONE, TWO)
    walk.crash(f"do-{TWO}")
    walk.well(f"do-{ONE}", f"drive-{ONE}")
    walk.answer(f"failed-{TWO}", "abandon")
    assert (walk.out, walk.asked, walk.work.workers[TWO].status) == ([], [f"abandoned-{TWO}"], "failed")
    return walk


@pytest.mark.req("OR-20", "OR-26")
def test_the_plan_goes_on_without_an_agent_that_was_given_up_and_what_others_did_is_kept() -> None:
    walk = given_up()
    walk.answer(f"abandoned-{TWO}", "remove")
    [ask] = walk.state.requests.values()
    assert (ask.key, f"- agent {TWO}" in ask.notes["difference"]) == ("adaptation", True)
    walk.answer("adaptation", "approve")
    assert (sorted(walk.work.workers), walk.out) == ([ONE], [f"verify-{ONE}"])
    assert walk.finish() == "complete"


@pytest.mark.req("OR-26")
def test_a_rejected_plan_leaves_the_question_what_to_do_without_the_agent() -> None:
    walk = given_up()
    walk.answer(f"abandoned-{TWO}", "remove")
    walk.answer("adaptation", "reject", reason="No")
    assert walk.asked == [f"abandoned-{TWO}"]
    walk.answer(f"abandoned-{TWO}", "adapt", edits=[{"edit": "launch"}])
    assert walk.asked == ["edits"]
    walk.answer("edits", "drop")
    assert walk.asked == [f"abandoned-{TWO}"]


def test_an_agent_that_was_given_up_can_be_tried_again_after_all_or_end_the_work() -> None:
    walk = given_up()
    walk.answer(f"abandoned-{TWO}", "retry")
    assert (walk.out, walk.finish()) == ([f"do-{TWO}"], "complete")
    walk = given_up()
    walk.answer(f"abandoned-{TWO}", "end")
    assert (walk.state.stop, walk.asked) == ("ended", [])


@pytest.mark.req("OR-26")
def test_who_failed_before_its_first_turn_came_back_is_asked_about_again_after_a_rejected_plan() -> None:
    walk = Walk()
    walk.crash(f"do-{ONE}")
    walk.answer(f"failed-{ONE}", "adapt", edits=[RESCOPE])
    walk.answer("adaptation", "reject", reason="No")
    assert walk.asked == [f"failed-{ONE}"]


@pytest.mark.req("OR-26")
def test_two_proposals_at_once_are_both_heard() -> None:
    walk = Walk(ONE, TWO)
    walk.say(f"do-{ONE}", "asks conflict")
    walk.say(f"do-{TWO}", "asks conflict")
    walk.say(f"resolve-{ONE}", "changes the plan")
    walk.say(f"resolve-{TWO}", "changes the plan")
    for _ in range(2):
        assert walk.asked == ["adaptation"]
        walk.answer("adaptation", "reject", reason="No")
    assert (walk.asked, {*walk.out}) == ([], {f"do-{ONE}", f"do-{TWO}"})


@pytest.mark.req("OR-25", "OR-26")
def test_a_poc_that_is_taken_out_leaves_its_risk_to_be_borne_and_the_plan_is_not_approved_anew() -> None:
    walk = Walk(poc=True)
    walk.crash(f"do-{POC}")
    walk.answer(f"failed-{POC}", "abandon")
    walk.answer(f"abandoned-{POC}", "remove")
    [ask] = walk.state.requests.values()
    assert "~ risk r_database_agent: not tried any more, and borne" in ask.notes["difference"]
    walk.answer("adaptation", "approve")
    while own_of(walk.state).step != "execute":
        walk.say(walk.out[0])
    assert (walk.out, walk.asked) == ([f"do-{ONE}"], [])
    assert walk.finish() == "complete"


# --- turns without an end ---------------------------------------------------------------------------------------------


def test_after_five_turns_without_an_end_a_person_is_asked() -> None:
    walk = Walk()
    for _ in range(5):
        walk.say(f"do-{ONE}", "unfinished")
    assert (walk.out, walk.asked) == ([], [f"failed-{ONE}"])
    walk.answer(f"failed-{ONE}", "guide", note="Be brief")
    assert walk.state.turn_of(f"do-{ONE}").start.notes["guidance"] == ["Be brief"]  # type: ignore[union-attr]
    assert walk.finish() == "complete"


def test_who_comes_to_no_end_is_asked_about_with_the_command_that_failed_and_the_end_of_its_output() -> None:
    walk = Walk()
    for _ in range(5):
        walk.say(f"do-{ONE}", "unfinished, and its tests fail")
    [ask] = walk.state.requests.values()
    assert "it has worked for 5 turns without coming to an end: `" in ask.question
    assert "` ended with exit code 1; the end of what it printed: E no such table: users 1 failed" in ask.question


@pytest.mark.req("OR-20", "OR-22")
def test_what_a_person_left_out_passes_a_verification_without_being_met_and_the_report_begins_with_it() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "cannot build it")
    walk.answer(f"escalation-{ONE}", "answer", note="Leave it out")
    walk.say(f"clear-{ONE}")
    walk.say(f"do-{ONE}")
    walk.say(f"drive-{ONE}")
    walk.say(f"verify-{ONE}", "leaves all out")
    assert {(one.met, one.left_out) for one in walk.work.workers[ONE].judged} == {(False, True)}
    assert walk.finish() == "complete"
    assert "Not all of the plan was built" in walk.text(places.REPORT).partition("##")[0]


def test_an_agent_that_swings_between_work_and_review_comes_to_a_person() -> None:
    walk = Walk()
    for _ in range(5):
        walk.say(f"do-{ONE}")
        walk.say(f"drive-{ONE}", "back to work")
    assert (walk.out, walk.asked) == ([], [f"failed-{ONE}"])


@pytest.mark.req("OR-18", "OR-22")
def test_what_is_open_after_three_reviews_is_settled_by_somebody_else() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "assumes")
    for _ in range(3):
        walk.say(f"drive-{ONE}", "leaves it open")
    assert (walk.out, walk.work.workers[ONE].status) == ([f"resolve-{ONE}"], "blocked")
    assert walk.work.workers[ONE].notes[0].escalation_reason == "it was still open after 3 reviews"
    walk.say(f"resolve-{ONE}")
    assert (walk.work.workers[ONE].notes[0].resolved_by, walk.finish()) == ("escalation_resolution", "complete")


@pytest.mark.req("OR-24")
def test_the_same_question_in_a_third_turn_is_looked_into_with_its_history() -> None:
    walk = Walk()
    for _ in range(2):
        walk.say(f"do-{ONE}", "asks conflict")
        walk.say(f"resolve-{ONE}")
    walk.say(f"do-{ONE}", "asks conflict")
    turn = walk.state.turn_of(f"loop-{ONE}")
    assert turn is not None
    assert [one["turn"] for one in turn.start.notes["history"]] == [1, 2, 3]
    walk.say(f"loop-{ONE}")
    [ask] = walk.state.requests.values()
    assert (ask.key, ask.notes["asks"]) == (f"escalation-{ONE}", ["How many?"])
    walk.answer(f"escalation-{ONE}", "answer", note=ANSWER)
    assert walk.finish() == "complete"
