"""After the end: what was edited or removed is seen, and is verified again before the work counts as complete."""

from __future__ import annotations

import pytest
from small_orchestration import ONE, TWO, output
from small_work import raw, work_of, worked
from work_walk import Walk

from signoff.service import runs
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import shared_status
from signoff.workflows.orchestration.state import own_of
from signoff.workflows.orchestration.trace import trace
from signoff.workflows.orchestration.views import status

TACTICAL = "database_tactical"


def ended() -> Walk:
    """Two doers, of whom the second built on the first, at the end."""
    walk = Walk(ONE, TWO, after={TWO: ONE})
    assert walk.finish() == "complete"
    return walk


def standing(walk: Walk) -> dict[str, str]:
    return {row[0]: row[1] for row in status.status(walk.state)["board"]["rows"]}


def top(walk: Walk) -> str:
    return walk.text(places.REPORT).split("\n| ")[0]


@pytest.mark.req("OR-29")
@pytest.mark.parametrize("text", ["Somebody else's work\n", None], ids=["edited", "removed"])
def test_an_output_that_changes_after_the_end_is_seen_everywhere(text: str | None) -> None:
    walk = ended()
    walk.edit(output(ONE), text)
    assert (walk.asked, own_of(walk.state).stale, runs.exit_code(walk.state)) == (["stale"], "execute", runs.WAITING)
    [ask] = walk.state.requests.values()
    assert f"{output(ONE)} changed after the work of {ONE} was verified, and {TWO} built on it" in ask.question
    assert standing(walk) == {
        ONE: "session_complete, edited since",
        TWO: "session_complete, built on what was edited",
    }
    assert top(walk).splitlines()[2].startswith(f"> **Not as it was verified: `{output(ONE)}` changed since.**")
    assert shared_status.parse(walk.text(places.STATUS).encode(), places.STATUS).status == "blocked"


@pytest.mark.req("OR-29", "OR-20")
@pytest.mark.parametrize("text", ["Somebody else's work\n", None], ids=["edited", "removed"])
def test_resume_has_what_was_edited_done_and_verified_again_and_what_was_built_on_it(text: str | None) -> None:
    walk = ended()
    walk.edit(output(ONE), text)
    walk.answer("stale", "resume")
    assert walk.out == [f"do-{ONE}"]
    gone = f"{output(ONE)} is gone: it was removed after you made it."
    assert walk.work.workers[ONE].told == (f"A person edited {output(ONE)}." if text else gone,)
    seen = []
    while walk.state.turns:
        seen += walk.out
        walk.say(walk.out[0])
    assert seen == [f"{kind}-{name}" for name in (ONE, TWO) for kind in ("do", "drive", "verify")]
    assert (walk.state.stop, walk.asked, own_of(walk.state).edited_since) == ("complete", [], ())
    assert top(walk).splitlines()[2] == "The work is done: 2 of 2 agents are verified."
    for worker in work_of(walk.state).workers.values():
        assert worker.files.items() <= walk.state.docs.items()
    assert not [path for path in walk.state.docs if path.endswith("session_current.json")]


@pytest.mark.req("OR-29", "OR-20")
def test_what_a_person_changed_and_how_often_it_was_verified_is_told() -> None:
    walk = Walk(ONE)
    walk.say(f"do-{ONE}", "asks technology")
    assert walk.finish() == "complete"
    walk.edit(output(ONE), "Somebody else's work\n")
    walk.answer("stale", "resume")
    turn = walk.state.turn_of(f"do-{ONE}")
    assert turn is not None
    kept = raw(worked(walk.world.turn(walk.state, turn.start)))  # it leaves the file as the person made it
    walk.state, _ = walk.explorer.happen(walk.state, walk.explorer.returned(turn.start, kept))
    walk.well(f"drive-{ONE}", f"verify-{ONE}")
    assert "as a person changed it" in walk.text(places.REPORT)
    assert "the tactical architect (`database_tactical`)" in walk.text(places.REPORT)
    assert "in round 2." in walk.text(places.REPORT)
    assert "- stale: resume, person:ada" in walk.text(places.REPORT)
    rows = {row[0]: row for row in status.status(walk.state)["board"]["rows"]}
    assert rows[ONE][3] == "2"
    assert "changed by a person" in str(trace(output(ONE), walk.state, (), walk.explorer.shelf))


def test_work_that_nothing_touched_is_not_done_again() -> None:
    walk = ended()
    walk.edit(output(TWO), "Somebody else's work\n")
    walk.answer("stale", "resume")
    assert (walk.out, walk.work.workers[ONE].status) == ([f"do-{TWO}"], "session_complete")
    assert walk.finish() == "complete"


@pytest.mark.req("OR-29")
def test_bytes_that_are_put_back_after_the_end_settle_it() -> None:
    walk = ended()
    before, report = walk.text(output(ONE)), walk.text(places.REPORT)
    walk.edit(output(ONE), "Somebody else's work\n")
    walk.edit(output(ONE), before)
    own = own_of(walk.state)
    assert (walk.asked, own.stale, own.edited_since) == ([], "", ())
    assert (runs.exit_code(walk.state), walk.text(places.REPORT)) == (0, report)


@pytest.mark.req("OR-15")
def test_a_design_that_is_edited_after_the_end_is_stale_and_approved_again() -> None:
    walk = ended()
    told = walk.text(places.instructions(ONE))
    walk.edit(places.instructions(ONE), told.replace("Do it.", "Do so."))
    assert (walk.asked, own_of(walk.state).stale) == (["stale"], "verify")
    walk.answer("stale", "resume")
    walk.say("verify")
    walk.answer("design", "approve")
    assert walk.state.stop == "complete"
    assert "Do so." in walk.text(places.instructions(ONE))


def test_what_is_nobodys_output_and_no_part_of_the_design_leaves_the_end_as_it_is() -> None:
    walk = ended()
    walk.edit("notes.md", "Mine\n")
    assert (walk.asked, own_of(walk.state).edited_since, runs.exit_code(walk.state)) == ([], (), 0)


@pytest.mark.req("OR-29")
def test_an_output_that_was_edited_during_the_work_is_not_edited_since_once_it_is_taken_in() -> None:
    walk = Walk(ONE, TWO, after={TWO: ONE})
    walk.well(f"do-{ONE}", f"drive-{ONE}", f"verify-{ONE}")
    walk.edit(output(ONE), "Somebody else's work\n")
    assert (walk.out, own_of(walk.state).edited_since) == ([f"do-{ONE}"], ())
    walk.edit(places.instructions(TWO), walk.text(places.instructions(TWO)).replace("Do it.", "Do so."))
    [ask] = walk.state.requests.values()
    assert ask.question.startswith(f"{places.instructions(TWO)} changed after the design")
