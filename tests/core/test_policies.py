"""Budgets are asked before the spend: at the ceiling nothing more starts, below it everything does."""

from __future__ import annotations

from decimal import Decimal

import pytest

from signoff.core.policies import Allowance, Budget
from signoff.core.state import Spend

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
    (Budget(cost=USD), Spend(unpriced=2), "a cost limit of 0.50 USD is set and 2 turns have no known price"),
    (Budget(cost=USD), Spend(cost=USD, unpriced=2), "0.50 of 0.50 USD are used"),
    (Budget(), Spend(cost=Decimal(10**9), unpriced=9), None),
    (Budget(seconds=60), Spend(seconds=59.9), None),
    (Budget(seconds=60), Spend(seconds=60.0), "60 of 60 seconds are used"),
    (Budget(), Spend(seconds=1e9), None),
    (Budget(tokens=1, cost=USD, seconds=1), Spend(), None),
    (Budget(turns=1, tokens=1), Spend(turns=1, tokens=1), "1 of 1 turns are used"),
]


@pytest.mark.parametrize(("budget", "spend", "why"), CASES)
def test_a_budget_says_why_the_next_turn_may_not_start(budget: Budget, spend: Spend, why: str | None) -> None:
    assert budget.refuses(spend) == why


@pytest.mark.parametrize(
    ("budget", "spend", "left"),
    [
        (Budget(), Spend(tokens=5), Allowance()),
        (Budget(tokens=10), Spend(tokens=4), Allowance(tokens=6)),
        (Budget(tokens=10), Spend(tokens=40), Allowance(tokens=0)),
        (Budget(cost=Decimal(2)), Spend(cost=Decimal("0.5")), Allowance(cost=Decimal("1.5"))),
        (Budget(cost=Decimal(2)), Spend(cost=Decimal(3)), Allowance(cost=Decimal(0))),
    ],
)
def test_what_is_left_for_a_turn_is_never_below_nothing(budget: Budget, spend: Spend, left: Allowance) -> None:
    assert budget.left(spend) == left
