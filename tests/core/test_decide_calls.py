"""An agent that calls tools within its turn: each call is answered once, and what is not offered is said."""

from __future__ import annotations

import pytest
from kernel_kit import LATER, SPEC, Kit, refusal, sha, writer

from signoff.core.commands import Reply
from signoff.core.errors import DefinitionError
from signoff.core.refs import Ref

TURN = "0001-writer"


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.begin(writer(tools=("look", "save")))
    return kit


def reply(result: object = "done", call_id: str = "1", turn: str = TURN) -> Reply:
    return Reply(turn=turn, call_id=call_id, result=result)


def test_a_call_reaches_the_step_with_its_turn_and_the_reply_is_kept(kit: Kit) -> None:
    event = kit.called()
    decision = kit.play(event, reply(), own="called")
    now = kit.step
    assert now.turn is not None
    assert now.turn.calls == {"1": ("look", None)}
    assert (now.event, now.state.turns[TURN], now.look) == (event, now.turn, kit.shelf)
    assert decision.commands == (reply(),)
    assert decision.applied
    assert kit.state.turns[TURN].calls == {"1": ("look", reply())}
    assert (kit.state.rev, kit.state.at, kit.state.own) == (2, LATER, "called")


def test_the_same_call_again_gives_the_same_reply_and_changes_nothing(kit: Kit) -> None:
    kit.play(kit.called(), reply())
    before = kit.state
    decision = kit.play(kit.called())
    assert (decision.commands, decision.applied, decision.refused) == ((reply(),), False, ())
    assert decision.state is before
    assert not kit.seen


def test_the_same_call_again_before_its_reply_waits(kit: Kit) -> None:
    kit.play(kit.called())
    before = kit.state
    decision = kit.play(kit.called())
    assert (decision.commands, decision.applied) == ((), False)
    assert decision.state is before
    assert not kit.seen


def test_a_reply_may_come_with_a_later_event(kit: Kit) -> None:
    kit.play(kit.called("1"))
    kit.play(kit.called("2", "save"), reply("late", "1"))
    assert kit.state.turns[TURN].calls == {"1": ("look", reply("late", "1")), "2": ("save", None)}


def test_a_tool_that_is_not_offered_is_refused_with_those_that_are(kit: Kit) -> None:
    decision = kit.play(kit.called(tool="approve"))
    illegal = Reply(turn=TURN, call_id="1", illegal="approve is not a tool here", legal=("look", "save"))
    assert decision.commands == (illegal,)
    assert decision.applied
    assert not kit.seen
    assert kit.state.turns[TURN].calls == {"1": ("approve", illegal)}
    assert kit.state.rev == 2


def test_a_call_of_a_closed_turn_is_told_to_end(kit: Kit) -> None:
    before = kit.state
    decision = kit.play(kit.called(turn="0007-writer"))
    assert refusal(decision) == ("call.closed", "turn 0007-writer is not open", "end the conversation")
    assert decision.state is before


def test_a_turn_that_is_tried_again_begins_its_conversation_anew(kit: Kit) -> None:
    kit.play(kit.called(), reply())
    kit.play(kit.failed())
    assert kit.state.turns[TURN].calls == {}
    assert kit.state.turns[TURN].start.pinned == (Ref(SPEC, sha("spec")),)
    assert kit.play(kit.called(), reply("again")).commands == (reply("again"),)


@pytest.mark.parametrize("wrong", [reply(call_id="2"), reply(turn="0009-writer")])
def test_a_reply_to_a_call_nobody_made_is_a_mistake_of_the_workflow(kit: Kit, wrong: Reply) -> None:
    with pytest.raises(DefinitionError) as error:
        kit.play(kit.called(), wrong)
    assert str(error.value) == f"there is no call {wrong.call_id} of turn {wrong.turn} to reply to."


def test_a_call_of_one_turn_leaves_the_other_alone(kit: Kit) -> None:
    kit.play(kit.edited(page="x"), writer("second", tools=("look",)))
    kit.play(kit.called(turn="0002-writer"), reply(turn="0002-writer"))
    assert kit.state.turns[TURN].calls == {}
    assert kit.state.turns["0002-writer"].calls == {"1": ("look", reply(turn="0002-writer"))}
