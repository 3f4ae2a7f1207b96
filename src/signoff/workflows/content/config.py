"""`_workflow/content/config.yaml`: what a project decides for its content. Agents never write it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from signoff.artifacts.budgets import BudgetForm
from signoff.artifacts.forms import Form, read_as
from signoff.artifacts.textio import decode
from signoff.core.policies import Budget
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import Reader

PATH = "_workflow/content/config.yaml"

DEFAULT = """\
# What this project decides for its content. Edit it any time: it is read again at every step.
critics_at_once: 5           # so many critics judge side by side
more_critics: 4              # at most so many are added to those that a recipe names
budget:
  turns: 120                 # also: tokens, cost (USD), seconds; the run pauses when one is used up
"""


class ContentBudget(BudgetForm):
    """A round of critics is many turns."""

    turns: Annotated[int, Field(ge=1)] = 120


class Config(Form):
    """The config as a value; every field has a safe default."""

    critics_at_once: Annotated[int, Field(ge=1, le=50, description="a whole number from 1 to 50")] = 5
    more_critics: Annotated[int, Field(ge=0, le=12, description="a whole number from 0 to 12")] = 4
    models: dict[str, str] = Field(default_factory=dict)
    budget: ContentBudget = ContentBudget()


def scaffold(_read: Reader) -> dict[str, str]:
    """The config of a new project."""
    return {PATH: DEFAULT}


def parse_doc(data: bytes, path: str) -> Config:
    """The config file as a value, or DocumentError with file, line and repair."""
    text = decode(data, path)
    return read_as(Config, text, path, rule="config") if text.strip() else Config()


def config_of(state: State, look: Look) -> Config:
    """The config as it is now."""
    ref = state.ref(PATH)
    return look(ref, parse_doc) if ref else Config()


def budget_of(state: State, look: Look) -> Budget:
    """What the run may use."""
    return config_of(state, look).budget.budget()


def models_of(state: State, look: Look) -> dict[str, str]:
    """The models that the project names for its agents."""
    return config_of(state, look).models
