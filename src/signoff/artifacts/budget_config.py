"""What a run may use, as part of every config, and what all runs of a project may use together."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, Text, read_as
from signoff.core.budget import Budget

PROJECT = "_workflow/budget.yaml"
AT_ONCE = 8
"""So many turns of one provider are out at once where nobody says otherwise."""


class BudgetForm(Form):
    """Ceilings as people write them; only turns have one by default."""

    turns: Annotated[int, Field(ge=1)] = 60
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[Decimal, Field(ge=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None

    def budget(self) -> Budget:
        """The ceilings as the kernel asks for them."""
        return Budget(turns=self.turns, tokens=self.tokens, cost=self.cost, seconds=self.seconds)


class ProviderForm(Form):
    """What the turns of a project may ask of one provider of models."""

    at_once: Annotated[int, Field(ge=1, strict=True)] = Field(AT_ONCE, description="a whole number from 1")


class ProjectForm(Form):
    """`_workflow/budget.yaml`: a person's file; agents never write it.

    A provider has the name that stands before the colon in the names of its models.
    """

    tokens: Annotated[int, Field(ge=1, strict=True)] | None = Field(None, description="a whole number from 1")
    cost: Annotated[Decimal, Field(ge=0)] | None = Field(None, description="USD, a number from 0")
    providers: dict[Text, ProviderForm] = Field({}, description="as in {anthropic: {at_once: 4}}")


def _read(data: bytes, path: str) -> ProjectForm:
    text = decode(data, path)
    return read_as(ProjectForm, text, path, rule="budget") if text.strip() else ProjectForm()


def at_once(data: bytes, path: str = PROJECT) -> dict[str, int]:
    """How many turns of each provider may be out at once, for those that are named."""
    return {name: provider.at_once for name, provider in _read(data, path).providers.items()}


def project_budget(data: bytes, path: str = PROJECT) -> Budget:
    """What all runs of a project may use together, or DocumentError with file, line and repair."""
    form = _read(data, path)
    return Budget(
        tokens=form.tokens,
        cost=form.cost,
        larger=f"raise `{{what}}` in {path}, then resume",
        without=f"limit tokens in its place in {path}, then resume",
    )
