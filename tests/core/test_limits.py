"""What somebody says a run may use at most, and turns that are held before they begin."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_kit import SPEC, Kit, refusal, sha, usage, writer

from signoff.core.budget import Budget
from signoff.core.budget import refusal as refused
from signoff.core.commands import Ask, CancelTurn, Finish, StartTurn
from signoff.core.decide import Decision
from signoff.core.refs import Ref
from signoff.core.state import Ceiling, OpenTurn, outstanding

FIRST, SECOND = "0001-writer", "0002-writer"


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "used", "why"),
    [
        ({"tokens": 10}, usage(10), "10 of 10 tokens are used; resume with a larger --max-tokens"),
        ({"cost": Decimal(1)}, usage(cost=Decimal(2)), "2 of 1 USD are used; resume with a larger --max-cost"),
        ({"cost": Decimal(0)}, usage(cost=Decimal(2)), "2 of 0 USD are used; resume with a larger --max-cost"),
    ],
)
def test_at_the_limit_the_next_turn_is_parked_and_a_larger_one_lets_it_go_on(
    limit: dict[str, Any], used: Any, why: str
) -> None:
    kit = Kit()
    kit.begin(writer())
    assert kit.play(kit.limited(**limit)).commands == ()
    assert not kit.seen, "a limit is no matter of the workflow"
    ask, finish = kit.play(kit.returned({}, usage=used), writer("next")).commands
    assert isinstance(ask, Ask)
    assert (ask.question, finish) == (f"The budget is used up: {why}.", Finish(reason="budget"))
    kit.play(kit.limited(tokens=1000, cost=Decimal(1000)))
    assert kit.state.stop == "budget", "a larger limit alone does not resume: that is a person's act"
    (start,) = kit.play(kit.answered("budget-1", "resume")).commands
    assert isinstance(start, StartTurn)
    assert (start.turn, kit.state.spend.turns, kit.state.stop) == (SECOND, 2, None)


@pytest.mark.parametrize(
    ("config", "limit", "spent", "parked"),
    [
        (5, 9, 5, True),
        (9, 5, 5, True),
        (9, 5, 4, False),
        (None, 5, 5, True),
        (5, None, 5, True),
        (None, None, 5, False),
    ],
)
def test_the_tighter_of_config_and_limit_counts(
    config: int | None, limit: int | None, spent: int, parked: bool
) -> None:
    kit = Kit(budget=Budget(tokens=config))
    kit.begin(writer())
    kit.play(kit.limited(tokens=limit))
    kit.play(kit.returned({}, usage=usage(spent)), writer("next"))
    assert bool(kit.state.parked) is parked


def test_a_limit_that_changes_nothing_is_not_entered() -> None:
    kit = Kit()
    kit.begin(writer())
    assert refusal(kit.play(kit.limited()))[0] == "limit.same"
    assert kit.play(kit.limited(tokens=5)).applied
    assert refusal(kit.play(kit.limited(tokens=5)))[0] == "limit.same"
    assert kit.state.ceiling == Ceiling(tokens=5)


def test_a_run_that_has_not_begun_cannot_be_limited() -> None:
    kit = Kit()
    assert refusal(kit.play(kit.limited(tokens=5)))[0] == "run.unknown"


# --- turns that are held ----------------------------------------------------------------------------------------------


def test_a_held_turn_waits_as_if_it_had_never_gone_out() -> None:
    kit = Kit()
    kit.begin(writer())
    kit.play(kit.returned("no"))
    before = kit.state.turns[FIRST]
    ask, finish = kit.play(kit.held(attempt=2)).commands
    assert isinstance(ask, Ask)
    assert (ask.request, ask.kind, ask.options) == ("budget-1", "budget", ("resume",))
    assert (ask.question, finish) == ("The budget is used up: the project is out of money.", Finish(reason="budget"))
    assert not kit.seen, "a hold is no matter of the workflow"
    assert (kit.state.turns, kit.state.parked, kit.state.spend.turns) == ({}, (before,), 1)
    assert (kit.state.stop, kit.state.wanted) == ("budget", (FIRST,))
    assert outstanding(kit.state) == (ask, finish)
    (start,) = kit.play(kit.answered("budget-1", "resume")).commands
    assert (start, kit.state.turns) == (before.start, {FIRST: before})
    assert (kit.state.spend.turns, kit.state.parked, kit.state.stop) == (2, (), None)


def test_of_turns_that_are_out_together_each_is_held_by_itself_and_the_person_is_asked_once() -> None:
    kit = Kit()
    kit.begin(writer("a"), writer("b"), writer("c"))
    assert len(kit.play(kit.held(turn=SECOND)).commands) == 2
    assert kit.play(kit.held(turn="0003-writer")).commands == ()
    kit.play(kit.returned({}))
    assert kit.seen, "what was in flight has come in"
    assert (kit.state.stop, list(kit.state.requests), kit.state.turns) == ("budget", ["budget-1"], {})
    starts = kit.play(kit.answered("budget-1", "resume")).commands
    assert [start.turn for start in starts if isinstance(start, StartTurn)] == [SECOND, "0003-writer"]
    assert kit.state.spend.turns == 3


def test_a_held_turn_reads_the_documents_as_they_are_when_it_goes_out_again() -> None:
    kit = Kit()
    kit.begin(writer())
    kit.play(kit.held())
    kit.play(kit.edited(spec="other"))
    (start,) = kit.play(kit.answered("budget-1", "resume")).commands
    assert isinstance(start, StartTurn)
    assert start.pinned == (Ref(SPEC, sha("other")),)


def test_a_held_turn_can_be_cancelled_and_its_output_is_not_taken() -> None:
    kit = Kit()
    kit.begin(writer())
    kit.play(kit.held())
    assert refusal(kit.play(kit.returned({})))[0] == "turn.closed"
    kit.play(kit.edited(spec="other"), CancelTurn(turn=FIRST))
    assert (kit.state.parked, kit.state.requests, kit.state.stop) == ((), {}, None)


@pytest.mark.parametrize(("turn", "attempt", "rule"), [(SECOND, 1, "turn.closed"), (FIRST, 2, "turn.attempt")])
def test_only_the_attempt_that_is_out_can_be_held(turn: str, attempt: int, rule: str) -> None:
    kit = Kit()
    kit.begin(writer())
    assert refusal(kit.play(kit.held(turn=turn, attempt=attempt)))[0] == rule


def test_a_held_turn_that_the_run_s_own_budget_refuses_stays_parked_when_resumed() -> None:
    kit = Kit()
    kit.begin(writer())
    kit.play(kit.held())
    kit.play(kit.limited(tokens=0))
    kit.play(kit.answered("budget-1", "resume"))
    assert (kit.state.stop, kit.state.wanted, list(kit.state.requests)) == ("budget", (FIRST,), ["budget-2"])


# --- the law ----------------------------------------------------------------------------------------------------------

MONEY = st.sampled_from([Decimal(0), Decimal("0.3"), Decimal(1), Decimal(3)])
USED = st.builds(lambda n, cost: usage(n, cost=cost), st.integers(0, 4), st.none() | MONEY)
ACTS = st.one_of(
    st.tuples(st.just("limit"), st.none() | st.integers(0, 9), st.none() | MONEY),
    st.tuples(st.just("config"), st.none() | st.integers(1, 9), st.none() | MONEY),
    st.tuples(st.just("return"), st.integers(0, 3), USED, st.integers(0, 2)),
    st.tuples(st.just("invalid"), st.integers(0, 3), USED, st.integers(0, 1)),
    st.tuples(st.just("fail"), st.integers(0, 3), USED, st.integers(0, 1)),
    st.tuples(st.just("hold"), st.integers(0, 3)),
    st.tuples(st.just("resume")),
)


class Law:
    """Plays acts on a run and keeps its own book of what must be out or waiting."""

    def __init__(self) -> None:
        self.kit = Kit()
        self.made = 0
        self.settled: set[str] = set()
        self.issued: list[tuple[str, int]] = []
        self._watch(self.kit.begin(*self._more(2)))

    def _more(self, number: int) -> list[StartTurn]:
        self.made += number
        return [writer(f"k{self.made - at}") for at in range(number)]

    def play(self, act: tuple[Any, ...]) -> None:
        kit = self.kit
        match act:
            case ("limit", tokens, cost):
                self._watch(kit.play(kit.limited(tokens, cost)))
            case ("config", tokens, cost):
                kit.budget = Budget(tokens=tokens, cost=cost)
            case ("resume",):
                for name in list(kit.state.requests):
                    self._watch(kit.play(kit.answered(name, "resume")))
            case ("hold", which) if turn := self._out(which):
                self._watch(kit.play(kit.held(turn=turn.start.turn, attempt=turn.start.attempt)))
            case ("return", which, used, more) if turn := self._out(which):
                self._end(turn, kit.returned({}, turn=turn.start.turn, attempt=turn.start.attempt, usage=used), more)
            case ("invalid", which, used, more) if turn := self._out(which):
                self._end(turn, kit.returned("no", turn=turn.start.turn, attempt=turn.start.attempt, usage=used), more)
            case ("fail", which, used, more) if turn := self._out(which):
                self._end(turn, kit.failed(turn=turn.start.turn, attempt=turn.start.attempt, usage=used), more)

    def _out(self, which: int) -> OpenTurn | None:
        turns = list(self.kit.state.turns.values())
        return turns[which % len(turns)] if turns else None

    def _end(self, turn: OpenTurn, event: Any, more: int) -> None:
        made = self.made
        decision = self.kit.play(event, *self._more(more))
        if self.kit.seen:
            self.settled.add(turn.start.turn)
        else:
            self.made = made  # the same turn is asked for again: the workflow was not heard
        self._watch(decision)

    def _watch(self, decision: Decision) -> None:
        """What must hold after every single event."""
        state, kit = self.kit.state, self.kit
        starts = [command for command in decision.commands if isinstance(command, StartTurn)]
        if starts:
            assert refused(kit.workflow.budgets(state, kit.shelf), state.spend) is None, "begun at or above a limit"
        assert len({start.turn for start in starts}) == len(starts), "issued twice at once"
        assert all(start.turn in state.turns for start in starts)
        assert sorted(state.wanted) == sorted({*state.wanted}), "a turn is out and parked"
        assert {*state.wanted} == {f"{at + 1:04d}-writer" for at in range(self.made)} - self.settled, "a turn was lost"
        assert bool(state.parked) == (state.stop == "budget") == ("budget" in {a.key for a in state.requests.values()})


@given(st.lists(ACTS, max_size=25))
def test_whatever_is_said_and_spent_no_turn_begins_at_a_limit_and_none_is_lost_or_issued_twice(
    acts: list[tuple[Any, ...]],
) -> None:
    law = Law()
    for act in acts:
        law.play(act)
    spent = len(law.settled) + len(law.kit.state.turns)
    assert law.kit.state.spend.turns >= spent, "every turn that is out or was settled is counted"
