"""The part of every config that says what a run may use."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from signoff.artifacts.forms import Form
from signoff.core.policies import Budget


class BudgetForm(Form):
    """Ceilings as people write them; only turns have one by default."""

    turns: Annotated[int, Field(ge=1)] = 60
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[Decimal, Field(ge=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None

    def budget(self) -> Budget:
        """The ceilings as the kernel asks for them."""
        return Budget(turns=self.turns, tokens=self.tokens, cost=self.cost, seconds=self.seconds)
