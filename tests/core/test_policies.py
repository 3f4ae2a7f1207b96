"""Budgets are asked before the spend: at the ceiling nothing more starts, below it everything does."""

from __future__ import annotations

from decimal import Decimal

import pytest

from signoff.core.budget import Allowance, Budget, left, refusal, said, tightest
from signoff.core.state import Ceiling, Spend

USD = Decimal("0.50")
CASES = [
    (Budget(turns=3), Spend(turns=2), None),
    (Budget(turns=3), Spend(turns=3), "3 of 3 turns are used"),
    (Budget(turns=3), Spend(turns=4), "4 of 3 turns are used"),
    (Budget(turns=0), Spend(), "0 of 0 turns are used"),
    (Budget(), Spend(turns=199), None),
    (Budget(), Spend(turns=200), "200 of 200 turns are used"),
    (Budget(tokens=100), Spend(tokens=99), None),
    (Budget(tokens=100), Spend(tokens=100), "100 of 100 tokens are used"),
    (Budget(tokens=0), Spend(), "0 of 0 tokens are used"),
    (Budget(), Spend(tokens=10**12), None),
    (Budget(cost=USD), Spend(cost=Decimal("0.49")), None),
    (Budget(cost=USD), Spend(cost=USD), "0.50 of 0.50 USD are used"),
    (Budget(cost=USD), Spend(unpriced=2), "a cost limit of 0.50 USD is set and 2 attempts have no known price"),
    (Budget(cost=USD), Spend(cost=USD, unpriced=2), "0.50 of 0.50 USD are used"),
    (Budget(), Spend(cost=Decimal(10**9), unpriced=9), None),
    (Budget(cost=Decimal(0)), Spend(), None),
    (Budget(cost=Decimal(0)), Spend(cost=Decimal("0.01")), "0.01 of 0 USD are used"),
    (Budget(seconds=60), Spend(seconds=59.9), None),
    (Budget(seconds=60), Spend(seconds=60.0), "60 of 60 seconds are used"),
    (Budget(), Spend(seconds=1e9), None),
    (Budget(tokens=1, cost=USD, seconds=1), Spend(), None),
    (Budget(turns=1, tokens=1), Spend(turns=1, tokens=1), "1 of 1 turns are used"),
]


@pytest.mark.parametrize(("budget", "spend", "why"), CASES)
def test_a_budget_says_why_the_next_turn_may_not_start(budget: Budget, spend: Spend, why: str | None) -> None:
    refused = budget.refuses(spend)
    assert (refused and refused.partition("; ")[0]) == why


@pytest.mark.parametrize(
    ("budget", "spend", "paid", "refused"),
    [
        (Budget(cost=Decimal(0)), Spend(), False, False),
        (Budget(cost=Decimal(0)), Spend(), True, True),
        (Budget(cost=USD), Spend(), True, False),
        (Budget(cost=USD), Spend(cost=USD), False, True),
        (Budget(), Spend(), True, False),
    ],
)
def test_where_no_money_may_be_used_only_paid_work_is_refused(
    budget: Budget, spend: Spend, paid: bool, refused: bool
) -> None:
    assert bool(budget.refuses(spend, paid=paid)) is refused


@pytest.mark.parametrize(
    ("budget", "spend", "how"),
    [
        (Budget(tokens=1), Spend(tokens=1), "raise `tokens` under `budget` in the config, then resume"),
        (Budget(cost=USD), Spend(unpriced=1), "limit tokens in its place under `budget` in the config, then resume"),
        (said(Ceiling(tokens=1), 9), Spend(tokens=1), "resume with a larger --max-tokens"),
        (said(Ceiling(cost=USD), 9), Spend(cost=USD), "resume with a larger --max-cost"),
        (
            said(Ceiling(cost=USD), 9),
            Spend(unpriced=1),
            "resume with --max-cost none, and limit tokens with --max-tokens",
        ),
    ],
)
def test_a_refusal_ends_with_the_way_to_go_on(budget: Budget, spend: Spend, how: str) -> None:
    assert (budget.refuses(spend) or "").partition("; ")[2] == how


def test_of_several_budgets_the_tighter_counts_for_each_ceiling() -> None:
    config, flags = Budget(tokens=100, cost=USD), said(Ceiling(tokens=50), 200)
    assert refusal((config, flags), Spend(tokens=49)) is None
    assert "50 of 50 tokens" in (refusal((config, flags), Spend(tokens=50)) or "")
    assert left((config, flags), Spend(tokens=20)) == Allowance(tokens=30, cost=USD)
    assert left((Budget(), said(Ceiling(), 200)), Spend(tokens=20)) == Allowance()
    assert tightest((config, flags)) == Ceiling(tokens=50, cost=USD)


@pytest.mark.parametrize(
    ("budget", "spend", "allowed"),
    [
        (Budget(), Spend(tokens=5), Allowance()),
        (Budget(tokens=10), Spend(tokens=4), Allowance(tokens=6)),
        (Budget(tokens=10), Spend(tokens=40), Allowance(tokens=0)),
        (Budget(cost=Decimal(2)), Spend(cost=Decimal("0.5")), Allowance(cost=Decimal("1.5"))),
        (Budget(cost=Decimal(2)), Spend(cost=Decimal(3)), Allowance(cost=Decimal(0))),
    ],
)
def test_what_is_left_for_a_turn_is_never_below_nothing(budget: Budget, spend: Spend, allowed: Allowance) -> None:
    assert budget.left(spend) == allowed
