"""Commands as they go out: numbered from the state, within the budget, and entered so that nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from kernel_kit import LATER, PAGE, SPEC, Kit, sha, usage, writer

from signoff.core.budget import Budget
from signoff.core.commands import Ask, CancelTurn, Check, Finish, StartTurn, Wake, Withdraw, Write
from signoff.core.decide import _enter
from signoff.core.errors import DefinitionError
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, Spend, State, outstanding
from signoff.core.workflow import Limits

ASK = Ask(key="final", kind="approval", options=("approve",), question="?")
GATE = Check(key="links", gate="links", reads={"draft": SPEC})


# --- ids -------------------------------------------------------------------------------------------------------------


def test_ids_count_up_over_the_whole_run_and_come_from_the_state_alone() -> None:
    kit = Kit()
    first = kit.begin(writer(), ASK, GATE, writer("again"), ASK, replace(GATE, key="words")).commands
    ids = [getattr(c, "turn", "") or getattr(c, "request", "") or getattr(c, "check", "") for c in first]
    assert ids == ["0001-writer", "final-1", "links-1", "0002-writer", "final-2", "words-2"]
    assert (kit.state.issued, kit.state.asked, kit.state.checked) == (2, 2, 2)
    kit.play(kit.returned({}))
    kit.play(kit.checked("links-1"))
    kit.play(kit.answered("final-1", "approve"))
    assert kit.play(kit.edited(page="x"), writer()).commands[0].turn == "0003-writer"  # type: ignore[union-attr]
    assert list(kit.state.requests) == ["final-2"]


def test_the_same_event_on_the_same_state_gives_the_same_commands() -> None:
    kit = Kit()
    kit.begin()
    before, event = kit.state, kit.edited(page="x")
    one = kit.play(event, writer(), ASK, GATE)
    kit.state = before
    assert kit.play(event, writer(), ASK, GATE) == one


# --- writes, cancels, withdrawals ------------------------------------------------------------------------------------


def test_a_write_names_what_it_expects_and_is_known_at_once() -> None:
    kit = Kit()
    writes = (Write(path=SPEC, text="new"), Write(path=PAGE, text=""))
    decision = kit.begin(*writes)
    assert decision.commands == (
        Write(path=SPEC, text="new", expect=sha("spec")),
        Write(path=PAGE, text="", expect=None),
    )
    assert kit.state.docs == {SPEC: sha("new"), PAGE: sha("")}


def test_a_write_of_the_same_bytes_is_none() -> None:
    kit = Kit()
    assert kit.begin(Write(path=SPEC, text="spec"), Write(path="nowhere.md", text=None)).commands == ()
    assert kit.state.docs == {SPEC: sha("spec")}


def test_a_removal_is_a_write_of_nothing() -> None:
    kit = Kit()
    assert kit.begin(Write(path=SPEC, text=None)).commands == (Write(path=SPEC, text=None, expect=sha("spec")),)
    assert kit.state.docs == {}


def test_a_cancelled_turn_and_a_withdrawn_request_are_closed_and_the_others_stay() -> None:
    kit = Kit()
    kit.begin(writer(), writer("b"), ASK, ASK)
    decision = kit.play(kit.edited(page="x"), CancelTurn(turn="0001-writer"), Withdraw(request="final-2"))
    assert decision.commands == (CancelTurn(turn="0001-writer"), Withdraw(request="final-2"))
    assert (list(kit.state.turns), list(kit.state.requests)) == (["0002-writer"], ["final-1"])


def test_a_turn_cannot_be_entered_past_the_budget() -> None:
    with pytest.raises(DefinitionError) as error:
        _enter(State(), writer())
    assert str(error.value) == "a turn is issued, not entered. Repair: pass it through _issue."


# --- the end ---------------------------------------------------------------------------------------------------------


def test_a_finish_cancels_what_is_out_drops_checks_and_timers_and_keeps_requests() -> None:
    kit = Kit()
    kit.begin(writer(), writer("b"), GATE, ASK, Wake(timer="tea", at=LATER))
    decision = kit.play(kit.edited(page="x"), Finish(reason="done"))
    assert decision.commands == (
        CancelTurn(turn="0001-writer"), CancelTurn(turn="0002-writer"), Finish(reason="done"),
    )  # fmt: skip
    state = kit.state
    assert (state.turns, state.checks, state.timers, state.stop) == ({}, {}, {}, "done")
    assert list(state.requests) == ["final-1"]


def test_what_arrives_after_the_end_is_closed() -> None:
    kit = Kit()
    kit.begin(writer(), GATE, Wake(timer="tea", at=LATER))
    late = (kit.returned({}), kit.checked("links-1"), kit.ticked("tea"))
    kit.play(kit.edited(page="x"), Finish(reason="done"))
    assert [kit.play(event).refused[0].rule for event in late] == ["turn.closed", "check.closed", "timer.closed"]


# --- budget ----------------------------------------------------------------------------------------------------------


def budget_ask(why: str, number: int = 1) -> Ask:
    question = f"The budget is used up: {why}."
    return Ask(key="budget", kind="budget", options=("resume",), question=question, request=f"budget-{number}")


RAISE = "raise `{}` under `budget` in the config, then resume"
UNPRICED = "a cost limit of 0.5 USD is set and 1 attempt has no known price"
SPENT = [
    (Budget(turns=1), usage(), f"1 of 1 turns are used; {RAISE.format('turns')}"),
    (Budget(tokens=10), usage(10), f"10 of 10 tokens are used; {RAISE.format('tokens')}"),
    (Budget(cost=Decimal("0.5")), usage(cost=Decimal("0.75")), f"0.75 of 0.5 USD are used; {RAISE.format('cost')}"),
    (Budget(cost=Decimal("0.5")), usage(cost=None), f"{UNPRICED}; {Budget().without}"),
    (Budget(seconds=60.0), usage(seconds=61.0), f"61 of 60 seconds are used; {RAISE.format('seconds')}"),
]


@pytest.mark.req("SP-2")
@pytest.mark.parametrize(("budget", "used", "why"), SPENT, ids=["turns", "tokens", "cost", "unpriced", "seconds"])
def test_a_turn_beyond_the_budget_is_parked_a_person_is_asked_and_resuming_goes_on(
    budget: Budget, used: object, why: str
) -> None:
    kit = Kit(budget=budget)
    kit.begin(writer())
    decision = kit.play(kit.returned({}, usage=used), writer("next"), own="kept")
    assert decision.commands == (budget_ask(why), Finish(reason="budget"))
    state = kit.state
    parked = OpenTurn(start=writer("next", turn="0002-writer"))
    assert (state.stop, state.parked, state.turns, state.issued) == ("budget", (parked,), {}, 2)
    assert state.wanted == ("0002-writer",)
    assert state.requests == {"budget-1": budget_ask(why)}
    assert state.own == "kept"
    kit.budget = Budget(turns=100)
    decision = kit.play(kit.answered("budget-1", "resume"), own="never seen")
    started = writer("next", turn="0002-writer", pinned=(Ref(SPEC, sha("spec")),))
    assert decision.commands == (started,)
    assert decision.applied
    assert not kit.seen, "resuming the budget is no matter of the workflow"
    assert (kit.state.stop, kit.state.parked, kit.state.requests, kit.state.own) == (None, (), {}, "kept")
    assert kit.state.turns["0002-writer"].start == started
    assert kit.state.spend.turns == 2


def test_a_parked_turn_reads_the_documents_as_they_are_when_it_starts() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer(), writer("b"))
    kit.play(kit.edited(spec="other"))
    kit.budget = Budget()
    (start,) = kit.play(kit.answered("budget-1", "resume")).commands
    assert isinstance(start, StartTurn)
    assert start.pinned == (Ref(SPEC, sha("other")),)


def test_a_parked_turn_can_be_cancelled_and_the_last_one_takes_the_question_with_it() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer(), writer("b"), writer("c"))
    assert kit.state.wanted == ("0001-writer", "0002-writer", "0003-writer")
    kit.play(kit.edited(spec="other"), CancelTurn(turn="0002-writer"))
    assert (kit.state.stop, list(kit.state.requests)) == ("budget", ["budget-1"]), "one still waits"
    decision = kit.play(kit.edited(spec="third"), CancelTurn(turn="0003-writer"))
    assert decision.commands == (CancelTurn(turn="0003-writer"), Withdraw(request="budget-1"))
    assert (kit.state.stop, kit.state.requests, kit.state.parked) == (None, {}, ())
    assert kit.state.wanted == ("0001-writer",), "what is out is not touched"


def test_the_budget_stops_new_turns_and_lets_those_that_are_out_finish() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer(), writer("b"), writer("c"))
    assert list(kit.state.turns) == ["0001-writer"]
    assert [turn.start.key for turn in kit.state.parked] == ["b", "c"]
    assert list(kit.state.requests) == ["budget-1"], "one question for all that is parked"
    assert kit.play(kit.returned({})).applied


def test_resuming_without_more_budget_asks_again_and_loses_nothing() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer(), writer("b"), writer("c"))
    decision = kit.play(kit.answered("budget-1", "resume"))
    assert decision.commands == (
        budget_ask(f"1 of 1 turns are used; {RAISE.format('turns')}", 2),
        Finish(reason="budget"),
    )
    assert [turn.start.key for turn in kit.state.parked] == ["b", "c"]
    assert (kit.state.stop, list(kit.state.requests)) == ("budget", ["budget-2"])


def test_resuming_with_some_budget_starts_what_it_allows_and_parks_the_rest() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer(), writer("b"), writer("c"))
    kit.budget = Budget(turns=2)
    kit.play(kit.answered("budget-1", "resume"))
    assert list(kit.state.turns) == ["0001-writer", "0002-writer"]
    assert [turn.start.key for turn in kit.state.parked] == ["c"]


def test_a_retry_asks_the_budget_too_and_keeps_its_turn_and_attempt() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer())
    decision = kit.play(kit.failed())
    assert [type(command) for command in decision.commands] == [Ask, Finish]
    assert kit.state.turns == {}
    parked = kit.state.parked[0].start
    assert (parked.turn, parked.attempt, parked.told) == ("0001-writer", 2, decision.refused)
    kit.budget = Budget()
    (start,) = kit.play(kit.answered("budget-1", "resume")).commands
    assert start == replace(parked, pinned=(Ref(SPEC, sha("spec")),))
    assert (kit.state.issued, kit.state.spend) == (1, Spend(turns=2))


def test_the_workflow_is_asked_for_the_budget_with_the_state_and_the_documents_of_the_moment() -> None:
    kit = Kit()
    shown: list[tuple[str, object]] = []

    def budget(state: State, look: object) -> Budget:
        shown.append((state.docs[SPEC], look))
        return Budget()

    kit.workflow = replace(kit.workflow, limits=Limits(budget=budget))
    kit.begin(Write(path=SPEC, text="new"), writer())
    assert shown == [(sha("new"), kit.shelf)]


# --- recovery --------------------------------------------------------------------------------------------------------


def test_what_is_outstanding_is_everything_that_was_issued_and_not_settled() -> None:
    kit = Kit()
    issued = kit.begin(writer(), GATE, ASK, Wake(timer="tea", at=LATER)).commands
    assert outstanding(kit.state) == issued
    for event in (kit.returned({}), kit.checked("links-1"), kit.answered("final-1", "approve"), kit.ticked("tea")):
        kit.play(event)
    assert outstanding(kit.state) == ()
    ended = kit.play(kit.edited(page="x"), ASK, Finish(reason="done")).commands
    assert outstanding(kit.state) == ended
