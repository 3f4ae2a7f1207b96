"""Where a run stands: small readers, the sum of what was used, and what a recovery issues again."""

from __future__ import annotations

from decimal import Decimal

import pytest
from kernel_kit import AT, sha, writer

from signoff.core.commands import Ask, Check, Finish, Reply, Wake
from signoff.core.events import Usage
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, Spend, State, outstanding


def test_spend_adds_tokens_cost_and_seconds_and_counts_what_has_no_price() -> None:
    spend = Spend(turns=3, tokens=10, cost=Decimal("1.5"), unpriced=1, seconds=2.0)
    used = Usage(input_tokens=5, output_tokens=7, cached_tokens=100, cost=Decimal("0.25"), seconds=1.5)
    assert spend.plus(used) == Spend(turns=3, tokens=22, cost=Decimal("1.75"), unpriced=1, seconds=3.5)
    assert spend.plus(Usage(cost=None)) == Spend(turns=3, tokens=10, cost=Decimal("1.5"), unpriced=2, seconds=2.0)
    assert spend.plus(Usage()) == spend


def test_a_document_is_known_by_path_and_digest() -> None:
    state = State(docs={"a.md": sha("a")})
    assert state.ref("a.md") == Ref("a.md", sha("a"))
    assert state.ref("b.md") is None


def test_open_work_is_found_by_the_workflows_own_key() -> None:
    one, two = OpenTurn(start=writer("one", turn="1")), OpenTurn(start=writer("two", turn="2"))
    ask = Ask(key="final", kind="approval", options=(), question="", request="final-1")
    other = Ask(key="strategy", kind="approval", options=(), question="", request="strategy-2")
    state = State(turns={"1": one, "2": two}, requests={"strategy-2": other, "final-1": ask})
    assert (state.turn_of("two"), state.turn_of("1")) == (two, None)
    assert (state.request_of("final"), state.request_of("final-1")) == (ask, None)


EMPTY = State()
REPLY = Reply(turn="1", call_id="a", result=1)
ASK = Ask(key="k", kind="k", options=(), question="", request="k-1")
CHECK = Check(key="c", gate="c", reads={}, check="c-1")
TURN = OpenTurn(start=writer(turn="1"), calls={"a": ("look", REPLY), "b": ("look", None)})


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (EMPTY, ()),
        (State(turns={"1": TURN}), (TURN.start, REPLY)),
        (State(checks={"c-1": CHECK}), (CHECK,)),
        (State(requests={"k-1": ASK}), (ASK,)),
        (State(timers={"tea": AT}), (Wake(timer="tea", at=AT),)),
        (State(stop="done"), (Finish(reason="done"),)),
        (
            State(turns={"1": TURN}, checks={"c-1": CHECK}, requests={"k-1": ASK}, timers={"t": AT}, stop="done"),
            (TURN.start, REPLY, CHECK, ASK, Wake(timer="t", at=AT), Finish(reason="done")),
        ),
    ],
)
def test_outstanding_is_exactly_what_is_open(state: State, expected: tuple[object, ...]) -> None:
    assert outstanding(state) == expected
