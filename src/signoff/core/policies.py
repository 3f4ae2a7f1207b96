"""Budgets: what a run may use. They are asked before the spend, not after."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from signoff.core.state import Spend


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What is left for one turn; None is no ceiling."""

    tokens: int | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Ceilings for one run; None is no ceiling. Turns always have one, so that every run ends."""

    turns: int = 200
    tokens: int | None = None
    cost: Decimal | None = None
    seconds: float | None = None

    def left(self, spend: Spend) -> Allowance:
        """What a turn that goes out now may use at most."""
        tokens = None if self.tokens is None else max(0, self.tokens - spend.tokens)
        cost = None if self.cost is None else max(Decimal(0), self.cost - spend.cost)
        return Allowance(tokens=tokens, cost=cost)

    def refuses(self, spend: Spend) -> str | None:
        """Why the next turn may not start, or None."""
        if spend.turns >= self.turns:
            return f"{spend.turns} of {self.turns} turns are used"
        if self.tokens is not None and spend.tokens >= self.tokens:
            return f"{spend.tokens} of {self.tokens} tokens are used"
        if self.cost is not None and spend.cost >= self.cost:
            return f"{spend.cost} of {self.cost} USD are used"
        if self.cost is not None and spend.unpriced:
            return f"a cost limit of {self.cost} USD is set and {spend.unpriced} turns have no known price"
        if self.seconds is not None and spend.seconds >= self.seconds:
            return f"{spend.seconds:.0f} of {self.seconds:.0f} seconds are used"
        return None
