"""What people edit while the work is done: their bytes win, and a design that holds is never said not to."""

from __future__ import annotations

import json

import pytest
from small_orchestration import ONE, TWO
from work_walk import Walk

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.state import own_of

TACTICAL = "database_tactical"
LINE = "Mind the gap."


def asked() -> Walk:
    """A doer has asked the architect, and works on."""
    walk = Walk(ONE, TWO, after={TWO: ONE})
    walk.say(f"do-{ONE}", "asks technology")
    walk.well(f"do-{TACTICAL}", f"drive-{TACTICAL}", f"verify-{TACTICAL}")
    assert TACTICAL in json.loads(walk.text(places.STATUS))["agents"]
    return walk


def edited(walk: Walk, name: str) -> None:
    told = walk.text(places.instructions(name))
    walk.edit(places.instructions(name), told.replace("Do it.", f"Do it. {LINE}"))


@pytest.mark.req("OR-15", "OR-23")
def test_an_edit_of_the_design_after_a_tactical_task_is_verified_and_approved_like_any_other() -> None:
    walk = asked()
    edited(walk, TWO)
    walk.answer("stale", "resume")
    assert walk.out == ["verify"]
    walk.say("verify")
    walk.answer("design", "approve")
    assert walk.finish() == "complete"
    assert LINE in walk.text(places.instructions(TWO))


@pytest.mark.req("OR-15")
@pytest.mark.parametrize("start", ["sequence", "instructions", "verify"])
def test_instructions_that_a_person_edited_stay_wherever_the_design_begins_again(start: str) -> None:
    walk = asked()
    edited(walk, TWO)
    walk.answer("stale", "resume", **{"from": start})
    while walk.state.turns:
        walk.say(walk.out[0])
    assert walk.asked == ["design"]
    assert LINE in walk.text(places.instructions(TWO))


@pytest.mark.req("OR-15")
def test_a_person_is_told_when_what_they_wrote_has_to_give_way() -> None:
    walk = asked()
    edited(walk, TWO)
    walk.answer("stale", "resume")
    walk.say("verify")
    contracts = walk.text(places.CONTRACTS)
    walk.edit(places.CONTRACTS, contracts.replace('"format": "markdown"', '"format": "text"'))
    while walk.state.turns:
        walk.say(walk.out[0])
    assert LINE not in walk.text(places.instructions(TWO))
    told = [one.file for one in own_of(walk.state).warnings if one.rule == "instructions.rewritten"]
    assert told == [places.instructions(TWO)]
