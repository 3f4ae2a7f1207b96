"""The config of a workflow: a file that a project may have, read again at every step; agents never write it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Generic, TypeVar

from pydantic import Field

from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, read_as
from signoff.core.budget import Budget
from signoff.core.declarations import Reader
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import Limits


class BudgetForm(Form):
    """Ceilings as people write them; only turns have one by default."""

    turns: Annotated[int, Field(ge=1)] = 60
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[Decimal, Field(ge=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None

    def budget(self) -> Budget:
        """The ceilings as the kernel asks for them."""
        return Budget(turns=self.turns, tokens=self.tokens, cost=self.cost, seconds=self.seconds)


class SettingsForm(Form):
    """What every config can say."""

    models: dict[str, str] = Field(default_factory=dict)
    budget: BudgetForm = BudgetForm()


C = TypeVar("C", bound=SettingsForm)


@dataclass(frozen=True, slots=True)
class Settings(Generic[C]):
    """Where a config is, what it may say, and its text in a new project; a project without one has the defaults."""

    path: str
    form: type[C]
    default: str = ""

    def scaffold(self, _read: Reader) -> dict[str, str]:
        """The config of a new project."""
        return {self.path: self.default}

    def parse(self, data: bytes, path: str) -> C:
        """The file as a value, or DocumentError with file, line and repair."""
        text = decode(data, path)
        return read_as(self.form, text, path, rule="config") if text.strip() else self.form()

    def of(self, state: State, look: Look) -> C:
        """The config as it is now."""
        ref = state.ref(self.path)
        return look(ref, self.parse) if ref else self.form()

    def budget(self, state: State, look: Look) -> Budget:
        """What the run may use."""
        return self.of(state, look).budget.budget()

    @property
    def limits(self) -> Limits:
        """What a run may use, as the config says."""
        return Limits(budget=self.budget, models=self.models)

    def models(self, state: State, look: Look) -> dict[str, str]:
        """The models that the project names for its agents."""
        return self.of(state, look).models
