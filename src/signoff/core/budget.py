"""Budgets: what a run may use, checked before it is spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from signoff.core.state import Ceiling, Spend


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What is left for one turn; None is no ceiling."""

    tokens: int | None = None
    cost: Decimal | None = None

    def least(self, other: Allowance) -> Allowance:
        """What is left under both."""
        return Allowance(
            tokens=min((one for one in (self.tokens, other.tokens) if one is not None), default=None),
            cost=min((one for one in (self.cost, other.cost) if one is not None), default=None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Ceilings for one run; None is no ceiling. Turns always have one, so that every run ends.

    `larger` says how a person raises one of them, `without` how they go on without the ceiling for money.
    """

    turns: int = 200
    tokens: int | None = None
    cost: Decimal | None = None
    seconds: float | None = None
    larger: str = "raise `{what}` under `budget` in the config, then resume"
    without: str = "limit tokens in its place under `budget` in the config, then resume"

    def left(self, spend: Spend) -> Allowance:
        """What a turn that goes out now may use at most."""
        tokens = None if self.tokens is None else max(0, self.tokens - spend.tokens)
        cost = None if self.cost is None else max(Decimal(0), self.cost - spend.cost)
        return Allowance(tokens=tokens, cost=cost)

    def refuses(self, spend: Spend, *, paid: bool = False) -> str | None:
        """Why the next turn may not start and how to go on, or None; `paid` says that the turn will cost money.

        With a ceiling of no money, a turn that costs nothing may still start; only its runtime knows what it costs.
        """
        if spend.turns >= self.turns:
            return f"{spend.turns} of {self.turns} turns are used; {self._larger('turns')}"
        if self.tokens is not None and spend.tokens >= self.tokens:
            return f"{spend.tokens} of {self.tokens} tokens are used; {self._larger('tokens')}"
        if self.cost is not None and spend.cost >= self.cost and (paid or spend.cost):
            return f"{spend.cost} of {self.cost} USD are used; {self._larger('cost')}"
        if self.cost is not None and spend.unpriced:
            unknown = f"{spend.unpriced} attempt{'s have' if spend.unpriced > 1 else ' has'} no known price"
            return f"a cost limit of {self.cost} USD is set and {unknown}; {self.without}"
        if self.seconds is not None and spend.seconds >= self.seconds:
            return f"{spend.seconds:.0f} of {self.seconds:.0f} seconds are used; {self._larger('seconds')}"
        return None

    def _larger(self, what: str) -> str:
        return self.larger.format(what=what)


def said(ceiling: Ceiling, turns: int) -> Budget:
    """The limits of the command line as a budget. The number of turns is limited by the config."""
    return Budget(
        turns=turns,
        tokens=ceiling.tokens,
        cost=ceiling.cost,
        larger="resume with a larger --max-{what}",
        without="resume with --max-cost none, and limit tokens with --max-tokens",
    )


def refusal(budgets: Iterable[Budget], spend: Spend, *, paid: bool = False) -> str | None:
    """Why one of these budgets lets no turn start, or None."""
    return next((why for budget in budgets if (why := budget.refuses(spend, paid=paid))), None)


def left(budgets: Iterable[Budget], spend: Spend) -> Allowance:
    """What a turn may use under all of these budgets."""
    least = Allowance()
    for budget in budgets:
        least = least.least(budget.left(spend))
    return least


def tightest(budgets: Iterable[Budget]) -> Ceiling:
    """The lowest ceilings for tokens and money."""
    all_of = left(budgets, Spend())
    return Ceiling(tokens=all_of.tokens, cost=all_of.cost)
