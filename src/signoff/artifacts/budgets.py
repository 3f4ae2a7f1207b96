"""What a run may use, as part of every config, and what all runs of a project may use together."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from signoff.artifacts.forms import Form, read_as
from signoff.artifacts.textio import decode
from signoff.core.policies import Budget

PROJECT = "_workflow/budget.yaml"


class BudgetForm(Form):
    """Ceilings as people write them; only turns have one by default."""

    turns: Annotated[int, Field(ge=1)] = 60
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[Decimal, Field(ge=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None

    def budget(self) -> Budget:
        """The ceilings as the kernel asks for them."""
        return Budget(turns=self.turns, tokens=self.tokens, cost=self.cost, seconds=self.seconds)


class ProjectForm(Form):
    """`_workflow/budget.yaml`: a person's file; agents never write it."""

    tokens: Annotated[int, Field(ge=1, strict=True)] | None = Field(None, description="a whole number from 1")
    cost: Annotated[Decimal, Field(ge=0)] | None = Field(None, description="USD, a number from 0")


def project_budget(data: bytes, path: str = PROJECT) -> Budget:
    """What all runs of a project may use together, or DocumentError with file, line and repair."""
    text = decode(data, path)
    form = read_as(ProjectForm, text, path, rule="budget") if text.strip() else ProjectForm()
    return Budget(
        tokens=form.tokens,
        cost=form.cost,
        larger=f"raise `{{what}}` in {path}, then resume",
        without=f"limit tokens in its place in {path}, then resume",
    )
