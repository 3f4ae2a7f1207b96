"""What agents of the work say of themselves and is not so: proofs that show nothing, notes that hide, weaker plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from small_orchestration import ONE, TWO, Turn, raw
from small_work import COMMAND, made, note, said, worked
from small_work import rulings as rulings_of
from test_orchestration_settling import TACTICAL, Walk

from signoff.core.decide import Decision
from signoff.core.events import DocsChanged, Ran
from signoff.core.permissions import MADE, by_product
from signoff.testing.explorer import AT, Given
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design.roster import bare
from signoff.workflows.orchestration.outputs import Evidence, TacticalOutput
from signoff.workflows.orchestration.state import own_of
from signoff.workflows.orchestration.work.assignments import LEAVES

SHOWN = (Evidence(criterion="c", shows="It passes", command=COMMAND),)


def gives(walk: Walk, key: str, made_of: Callable[[Turn], Given]) -> Decision:
    """A turn comes back with something of its own."""
    turn = walk.state.turn_of(key)
    assert turn is not None, f"{key} is not out: {walk.out}"
    given = made_of(walk.world.turn(walk.state, turn.start))
    walk.state, [done, *_] = walk.explorer.happen(walk.state, walk.explorer.returned(turn.start, given))
    return done


def refused(done: Decision) -> list[str]:
    return [finding.rule for finding in done.refused]


def edited(walk: Walk, path: str, text: str) -> None:
    event = DocsChanged(id="x", at=AT, by="person", docs={path: walk.explorer.shelf.put(text)})
    walk.state, _ = walk.explorer.happen(walk.state, event)


# --- evidence ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-20")
def test_a_command_that_could_not_begin_is_no_evidence() -> None:
    ran = (Ran(COMMAND, None, "'python' cannot be run"),)
    done = gives(Walk(), f"do-{ONE}", lambda turn: Given(raw=raw(worked(turn, evidence=SHOWN)), ran=ran))
    assert refused(done) == ["evidence.command"]


@pytest.mark.req("OR-20")
def test_a_command_that_ran_before_the_work_was_changed_is_no_evidence_of_it() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "ran it")
    assert not refused(gives(walk, f"drive-{ONE}", lambda turn: _again(turn, status="working", evidence=SHOWN)))
    assert refused(gives(walk, f"do-{ONE}", lambda turn: _changed(turn, evidence=SHOWN))) == ["evidence.command"]
    assert not refused(gives(walk, f"do-{ONE}", _changed))
    assert walk.work.workers[ONE].ran == ()


@pytest.mark.req("OR-20")
def test_a_command_in_quotes_has_to_be_run_like_any_other() -> None:
    quoted = 'python -m "pytest" tests'
    walk = Walk()
    points = json.loads(walk.text(places.CHECKPOINTS))
    points["checkpoints"][0]["criteria"][0]["command"] = quoted
    edited(walk, places.CHECKPOINTS, json.dumps(points))
    approved_again(walk)
    walk.well(f"do-{ONE}", f"drive-{ONE}")
    assert refused(gives(walk, f"verify-{ONE}", lambda turn: Given(raw=_given(turn, "good").raw))) == [
        "verdict.command"
    ]
    assert walk.finish() == "complete"


@pytest.mark.req("OR-20")
@pytest.mark.parametrize(
    ("codes", "rules"), [((0,), []), ((1,), ["verdict.command"]), ((0, 1), ["verdict.command"]), ((1, 0), [])]
)
def test_a_criterion_is_met_only_if_its_command_ended_well_the_last_time(
    codes: tuple[int, ...], rules: list[str]
) -> None:
    quoted = 'python -m "pytest" tests'
    walk = Walk()
    points = json.loads(walk.text(places.CHECKPOINTS))
    points["checkpoints"][0]["criteria"][0]["command"] = quoted
    edited(walk, places.CHECKPOINTS, json.dumps(points))
    approved_again(walk)
    walk.well(f"do-{ONE}", f"drive-{ONE}")
    ran = tuple(Ran(quoted, code, "1 passed") for code in codes)
    assert refused(gives(walk, f"verify-{ONE}", lambda turn: Given(raw=_given(turn, "good").raw, ran=ran))) == rules


def approved_again(walk: Walk) -> None:
    """A person goes on with a design that they edited."""
    walk.answer("stale", "resume")
    while own_of(walk.state).step != "execute":
        if walk.out:
            walk.say(walk.out[0])
        else:
            walk.answer(walk.asked[0], "approve")


def _given(turn: Turn, label: str) -> Given:
    found = said(turn)[label]
    assert isinstance(found, Given)
    return found


def _again(turn: Turn, **fields: Any) -> Given:
    return Given(raw=raw(worked(turn, **fields)))


def _changed(turn: Turn, **fields: Any) -> Given:
    return Given(raw=raw(worked(turn, **fields)), files={path: f"{text}Other.\n" for path, text in made(turn).items()})


# --- too much of it ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-19")
@pytest.mark.parametrize(
    "notes", [[{"description": "Why?", "context": "c"}] * 201, [{"description": "w" * 4001, "context": "c"}]],
    ids=["notes", "words"],
)  # fmt: skip
def test_more_than_anybody_can_settle_is_refused_and_not_looked_through(notes: list[dict[str, str]]) -> None:
    text = json.dumps({"status": "working", "summary": "s", "notes": notes})
    assert refused(gives(Walk(), f"do-{ONE}", lambda _turn: Given(raw=text))) == ["output.schema"]


# --- loops ------------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-24")
def test_a_question_that_is_put_into_older_notes_is_a_loop_all_the_same() -> None:
    walk = Walk()
    empty = tuple(note("conflict", text=f"Keep {word} in mind") for word in ("alpha", "beta", "gamma"))
    gives(walk, f"do-{ONE}", lambda turn: _again(turn, status="working", notes=empty))
    for number in (1, 2, 3):
        asks = note("conflict", "escalated", note_id=f"note_00{number}")
        gives(walk, f"do-{ONE}", lambda turn, asks=asks: _again(turn, status="blocked", notes=(asks,)))  # type: ignore[misc]
        if number < 3:
            walk.say(f"resolve-{ONE}")
    assert walk.out == [f"loop-{ONE}"]


# --- what work is built on --------------------------------------------------------------------------------------------


@pytest.mark.req("OR-29")
def test_who_built_on_what_another_made_begins_again_when_that_changes_even_where_nobody_is_named() -> None:
    walk = Walk(ONE, TWO)
    contracts = json.loads(walk.text(places.CONTRACTS))
    [made_by_one] = contracts["agents"][ONE]["writes"]
    contracts["agents"][TWO]["reads"] = [{"path": made_by_one["path"]}]
    edited(walk, places.CONTRACTS, json.dumps(contracts))
    approved_again(walk)
    walk.well(f"do-{ONE}", f"drive-{ONE}", f"verify-{ONE}", f"do-{TWO}", f"drive-{TWO}")
    assert walk.work.workers[TWO].read == {ONE: 1}
    edited(walk, made_by_one["path"], "A person's.\n")
    assert {name: one.status for name, one in walk.work.workers.items()} == {ONE: "working", TWO: "working"}
    assert walk.finish() == "complete"


@pytest.mark.req("OR-18")
@pytest.mark.parametrize("folder", sorted(MADE))
def test_what_nobody_follows_in_a_project_comes_from_no_turn(folder: str) -> None:
    """It would be known to the run and never be looked at again."""
    assert by_product(f"src/{folder}/x.js", LEAVES, ("src/*",))


# --- tactical tasks ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-18")
def test_a_tactical_task_writes_no_manifest_of_its_own() -> None:
    walk = Walk()
    walk.say(f"do-{ONE}", "asks technology")
    forged = {places.manifest(TACTICAL): "{}"}
    done = gives(walk, f"do-{TACTICAL}", lambda turn: Given(raw=str(said(turn)["good"]), files=forged))
    assert refused(done) == ["work.strayed"]


@pytest.mark.req("OR-23")
def test_what_agents_asked_and_ruled_before_is_no_ground_of_a_ruling() -> None:
    walk = Walk()
    asks = note("technology", "escalated", text="It was settled that every driver may be used")
    gives(walk, f"do-{ONE}", lambda turn: _again(turn, status="blocked", notes=(asks,)))
    walk.well(*(f"{kind}-{TACTICAL}" for kind in ("do", "drive", "verify")))
    assert "every driver may be used" in walk.text(places.DECISIONS)
    walk.say(f"do-{ONE}", "asks technology")
    done = gives(walk, f"do-{TACTICAL}_2", lambda turn: _grounded(turn, "every driver may be used"))
    assert refused(done) == ["ruling.ground"]


def _grounded(turn: Turn, ground: str) -> Given:
    rulings = [one.model_copy(update={"ground": ground}) for one in rulings_of(turn)]
    return Given(raw=raw(TacticalOutput(status="completion_drive_review", summary="s", rulings=rulings)))


# --- another plan -----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-26")
def test_a_person_sees_what_another_plan_takes_as_proof() -> None:
    walk = Walk()
    walk.crash(f"do-{ONE}")
    walk.answer(f"failed-{ONE}", "adapt", edits=[_replaced(walk)])
    [ask] = walk.state.requests.values()
    shown = "\n".join(ask.notes["difference"])
    assert f"~ proof of {ONE}" in shown
    assert '    + criteria: {"id": "c_weak", "text": "It is there"' in shown


def _replaced(walk: Walk) -> dict[str, Any]:
    """The same agent again, whose work is proved by next to nothing."""
    shelf = walk.world.shelf(walk.state)
    [point] = shelf.checkpoints.checkpoints
    weak = {"id": "c_weak", "text": "It is there", "evidence": "It"}
    same = bare(shelf.roster.agents[ONE]).model_dump(mode="json")
    return {
        "edit": "replace_agent", "name": ONE, "by": ONE, "agent": same,
        "contract": shelf.contracts.agents[ONE].model_dump(mode="json", by_alias=True), "reason": "So",
        "checkpoint": {**point.model_dump(mode="json"), "criteria": [weak]},
    }  # fmt: skip


@pytest.mark.req("OR-15", "OR-26")
def test_work_that_was_verified_by_other_criteria_than_there_are_now_begins_again() -> None:
    walk = Walk(ONE, TWO)
    walk.well(*(f"{kind}-{name}" for kind in ("do", "drive") for name in (ONE, TWO)), f"verify-{ONE}")
    points = json.loads(walk.text(places.CHECKPOINTS))
    [mine] = [one for one in points["checkpoints"] if one["doer"] == ONE]
    mine["criteria"].append({"id": "c_more", "text": "It can be undone", "evidence": "A run of it"})
    edited(walk, places.CHECKPOINTS, json.dumps(points))
    approved_again(walk)
    status = {name: worker.status for name, worker in walk.work.workers.items()}
    assert status == {ONE: "working", TWO: "ready_for_verification"}
    assert walk.finish() == "complete"
    assert [one.id for one in walk.work.workers[ONE].judged] == [f"c_{ONE}", "c_more"]


@pytest.mark.req("OR-23", "OR-26")
def test_a_plan_without_an_agent_that_was_ruled_for_comes_to_its_end() -> None:
    walk = Walk(ONE, TWO)
    walk.say(f"do-{TWO}", "asks technology")
    walk.well(*(f"{kind}-api_tactical" for kind in ("do", "drive", "verify")))
    walk.crash(f"do-{TWO}")
    walk.well(f"do-{ONE}", f"drive-{ONE}")
    walk.answer(f"failed-{TWO}", "abandon")
    walk.answer(f"abandoned-{TWO}", "remove")
    walk.answer("adaptation", "approve")
    assert walk.finish() == "complete"
    assert "The plain one" in walk.text(places.REPORT)
