"""What people are told while the work is done: of what was cut off, of who asked what, and of another plan."""

from __future__ import annotations

import pytest
from small_orchestration import ONE
from small_work import RESCOPE
from work_walk import Walk

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import review_questions
from signoff.workflows.orchestration.trace import trace
from signoff.workflows.orchestration.views import request_pages
from signoff.workflows.orchestration.workflow import WORKFLOW


@pytest.mark.req("OR-21")
def test_a_turn_that_was_cut_off_in_a_command_is_said_to_be_interrupted_and_not_to_have_failed() -> None:
    walk = Walk()
    walk.crash(f"do-{ONE}")
    [ask] = walk.state.requests.values()
    assert ask.question == (
        f"{ONE} was interrupted while this ran, and it is not known how far it came: call-1. "
        "Nothing else is lost: retry, if it may run again."
    )
    walk.answer(f"failed-{ONE}", "retry")
    assert walk.finish() == "complete"


def test_a_question_of_the_reviewers_can_be_traced_by_its_key() -> None:
    walk = Walk()
    asked = review_questions.render([("security", "Who is let in?")])
    walk.edit(places.QUESTIONS, review_questions.write(asked.encode(), places.QUESTIONS, {"Q1": "Readers."}))
    told = trace("Q1", walk.state, (), walk.explorer.shelf)
    assert told is not None
    assert (told["text"], told["answer"], told["asked by"]) == (
        "Who is let in?", "Readers.", places.review("security"),
    )  # fmt: skip


def test_a_note_can_be_traced_without_its_agent() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "asks requirement")
    told = trace("note_001", walk.state, (), walk.explorer.shelf)
    assert told is not None
    assert [one["id"] for one in told["notes"]] == [f"{ONE}/note_001"]
    assert trace("note_099", walk.state, (), walk.explorer.shelf) is None


@pytest.mark.req("OR-23")
def test_a_note_that_the_tactical_architect_ruled_on_names_its_task() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "asks technology")
    assert walk.finish() == "complete"
    told = trace(f"{ONE}/note_001", walk.state, (), walk.explorer.shelf)
    assert told is not None
    assert told["ruled on by"] == ["database_tactical"]


@pytest.mark.req("OR-26")
def test_another_plan_is_put_to_a_person_with_the_reason_of_every_edit() -> None:
    walk = Walk()
    walk.crash(f"do-{ONE}")
    walk.answer(f"failed-{ONE}", "adapt", edits=[RESCOPE])
    [ask] = walk.state.requests.values()
    page = request_pages.project(walk.state)["_workflow/orchestration/small/approval-request.md"]
    assert page is not None
    assert f"edits by person:ada, about {ONE}\n\n- {ONE} has another task: It is simpler\n" in page
    assert ask.notes["edits"] == [f"{ONE} has another task: It is simpler"]


def test_a_run_that_is_spelled_like_its_plan_is_sent_to_the_run_that_there_is() -> None:
    walk = Walk()
    texts = {path: walk.text(path).encode() for path in walk.state.docs}
    plan = texts[places.summary("small")]
    texts[places.summary("stock_room")] = plan.replace(b"small", b"stock_room")
    texts[places.STACK] = texts[places.STACK].replace(b'"small_', b'"stock_room_')
    [found] = WORKFLOW.setup.ready({"slug": "stock_room"}, texts.get)
    assert "`signoff run orchestration stock-room`" in found.repair
