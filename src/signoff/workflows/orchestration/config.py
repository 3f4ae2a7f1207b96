"""`_workflow/orchestration/config.yaml`: the settings of a project's tasks. Agents never write it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from signoff.core.declarations import Reader
from signoff.workflows.kit.config_file import BudgetForm, Settings, SettingsForm

PATH = "_workflow/orchestration/config.yaml"

DEFAULT = """\
# The settings of this project's tasks. Edit them any time: every step reads them again.
agents_at_once: 5            # how many turns run at the same time
commands:                    # the commands that doers and verifiers may run; a * at the end stands for any words
  - python -m pytest *
turn_seconds:                # a turn that takes longer counts as crashed; empty means no limit
command_seconds: 120         # the same for one command
similarity: 0.85             # from this value on, two questions of one agent count as the same
escalate:                    # an agent must escalate a note that mentions one of these
  - password
  - encryption
  - personal data
  - license
verification_rounds: 3       # how often verification sends a design back before a person is asked
budget:
  turns: 300                 # also: tokens, cost (USD), seconds; the run pauses if one is used up
"""


class TaskBudget(BudgetForm):
    """A design takes many small turns."""

    turns: Annotated[int, Field(ge=1)] = 300


class Config(SettingsForm):
    """The config as a value; every field has a safe default."""

    agents_at_once: Annotated[int, Field(ge=1, le=50, description="a whole number from 1 to 50")] = 5
    commands: tuple[str, ...] = ("python -m pytest *",)
    turn_seconds: Annotated[float, Field(gt=0, description="seconds, or nothing")] | None = None
    command_seconds: Annotated[float, Field(gt=0, description="seconds")] = 120.0
    similarity: Annotated[float, Field(gt=0, le=1, description="a number from 0 to 1")] = 0.85
    escalate: tuple[str, ...] = ("password", "encryption", "personal data", "license")
    verification_rounds: Annotated[int, Field(ge=0, le=20, description="a whole number from 0 to 20")] = 3
    budget: TaskBudget = TaskBudget()


def scaffold(_read: Reader) -> dict[str, str]:
    """The config of a new project."""
    return {PATH: DEFAULT}


SETTINGS: Final = Settings(PATH, Config)
parse_doc, config_of, budget_of, models_of = SETTINGS.parse, SETTINGS.of, SETTINGS.budget, SETTINGS.models
