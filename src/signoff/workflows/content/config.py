"""`_workflow/content/config.yaml`: what a project decides for its content. Agents never write it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from signoff.workflows.kit.config_file import BudgetForm, Settings, SettingsForm

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


class Config(SettingsForm):
    """The config as a value; every field has a safe default."""

    critics_at_once: Annotated[int, Field(ge=1, le=50, description="a whole number from 1 to 50")] = 5
    more_critics: Annotated[int, Field(ge=0, le=12, description="a whole number from 0 to 12")] = 4
    budget: ContentBudget = ContentBudget()


SETTINGS: Final = Settings(PATH, Config, DEFAULT)
parse_doc, config_of = SETTINGS.parse, SETTINGS.of
