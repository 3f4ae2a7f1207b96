"""`_workflow/clarify/config.yaml`: what a project decides for its clarifications. Agents never write it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, model_validator

from signoff.artifacts.yaml_forms import Form, KebabId, Text, repeated
from signoff.workflows.clarify.checks.answer_quality import Thresholds
from signoff.workflows.kit.config_file import Settings, SettingsForm

PATH = "_workflow/clarify/config.yaml"

DEFAULT = """\
# What this project decides for its clarifications. Edit it any time: it is read again at every step.
dimensions:                  # one researcher each; a dimension is a side from which the topic is looked at
  - name: metrics
    about: what is counted and how
  - name: segmentation
    about: how customers, deals and products are grouped
  - name: stages
    about: the steps something goes through, and what moves it on
  - name: business-rules
    about: who decides, what is allowed, where the exceptions are
  - name: data
    about: where the figures come from and how good they are
thresholds:                  # share of clear answers
  sufficient: 0.85           # and no must-answer question empty
  mixed: 0.5
known_terms: []              # short answers that are clear here, such as Proposal Sent
most_questions: 40           # more than that, and the consolidator recommends a narrower scope
budget:
  turns: 60                  # also: tokens, cost (USD), seconds; of all runs together: _workflow/budget.yaml
"""


class Dimension(Form):
    name: Annotated[KebabId, Field(max_length=60)]
    title: Annotated[
        str, Field(max_length=60, pattern=r"^[^,\r\n]*$", description="one line of up to 60 characters, without commas")
    ] = ""
    about: str = ""

    @property
    def shown(self) -> str:
        """The name as people read it: `business-rules` is Business Rules."""
        return self.title.strip() or self.name.replace("-", " ").title()

    def plain(self) -> dict[str, str]:
        """As a brief has it."""
        return {"name": self.name, "title": self.shown, "about": self.about}


DIMENSIONS = (
    Dimension(name="metrics", about="what is counted and how"),
    Dimension(name="segmentation", about="how customers, deals and products are grouped"),
    Dimension(name="stages", about="the steps something goes through, and what moves it on"),
    Dimension(name="business-rules", about="who decides, what is allowed, where the exceptions are"),
    Dimension(name="data", about="where the figures come from and how good they are"),
)


class Share(Form):
    sufficient: Annotated[float, Field(gt=0, le=1, description="a share above 0, at most 1")] = 0.85
    mixed: Annotated[float, Field(ge=0, le=1, description="a share from 0 to 1")] = 0.5

    @model_validator(mode="after")
    def _in_order(self) -> Share:
        if self.mixed > self.sufficient:
            raise ValueError(f"mixed ({self.mixed}) is above sufficient ({self.sufficient})")
        return self


class Config(SettingsForm):
    """The config as a value; every field has a safe default."""

    dimensions: tuple[Dimension, ...] = DIMENSIONS
    thresholds: Share = Share()
    known_terms: tuple[Text, ...] = ()
    most_questions: Annotated[int, Field(ge=1)] = 40

    @model_validator(mode="after")
    def _names_differ(self) -> Config:
        if not self.dimensions:
            raise ValueError("name at least one dimension to research")
        for _, name in repeated([dimension.name for dimension in self.dimensions]):
            raise ValueError(f"two dimensions are named {name}")
        for _, title in repeated([dimension.shown for dimension in self.dimensions]):
            raise ValueError(f"two dimensions are titled {title}")
        return self

    @property
    def limits(self) -> Thresholds:
        return Thresholds(sufficient=self.thresholds.sufficient, mixed=self.thresholds.mixed)


SETTINGS: Final = Settings(PATH, Config, DEFAULT)
parse_doc, config_of = SETTINGS.parse, SETTINGS.of
