"""`_workflow/config.yaml`: what a project decides for itself. It is a person's file; agents never write it."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field

from signoff import Budget, Look, Reader, State
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, read_as
from signoff.workflows.kit.config_file import BudgetForm
from signoff.workflows.solution_page.documents.page_template import PageType
from signoff.workflows.solution_page.documents.product_sheet import PRODUCT_PATH

PATH = "_workflow/config.yaml"

DEFAULT = """\
# What this project decides for itself. Edit it any time: it is read again at every step.
human_gates:
  strategy_approval: false   # true: a person approves message house and claims before drafting
  final_approval: false      # true: a person approves both drafts before release
iteration_limits:            # revisions per language before the run is put to a person
  en: 3
  cn: 2
link_check_mode: format      # or http: every link must answer 200
page_type: hardware          # or algorithm, software
# template: hardware         # a shipped template, or one of yours in .promptpack/templates/NAME.yaml
# models:                    # a model per agent, where the runtime uses one
#   editor-qa: anthropic:claude-opus-5-5
budget:
  turns: 60                  # also: tokens, cost (USD), seconds; of all runs together: _workflow/budget.yaml
"""


class HumanGates(Form):
    strategy_approval: bool = False
    final_approval: bool = False


class IterationLimits(Form):
    en: Annotated[int, Field(ge=0, le=50)] = 3
    cn: Annotated[int, Field(ge=0, le=50)] = 2

    def of(self, lang: str) -> int:
        return self.en if lang == "en" else self.cn


class Config(Form):
    """The config as a value; every field has a safe default."""

    human_gates: HumanGates = HumanGates()
    iteration_limits: IterationLimits = IterationLimits()
    link_check_mode: Literal["format", "http"] = "format"
    allow_private_links: bool = False
    page_type: PageType = "hardware"
    template: str | None = None
    models: dict[str, str] = Field(default_factory=dict)
    budget: BudgetForm = BudgetForm()

    @property
    def template_name(self) -> str:
        return self.template or self.page_type


def default_for(read: Reader) -> dict[str, str]:
    """The config of a new page: its type is the kind that the product sheet names, where there is one."""
    sheet = (read(PRODUCT_PATH) or b"").decode("utf-8", "replace")
    kind = re.search(r"^kind:\s*(hardware|algorithm|software)\b", sheet, re.MULTILINE)
    text = DEFAULT.replace("page_type: hardware ", f"page_type: {kind[1]} ") if kind else DEFAULT
    return {PATH: text}


def parse_doc(data: bytes, path: str) -> Config:
    """The config file as a value, or DocumentError with file, line and repair."""
    text = decode(data, path)
    return read_as(Config, text, path, rule="config") if text.strip() else Config()


def config_of(state: State, look: Look) -> Config:
    """The config as it is now, with what the run's parameters override."""
    ref = state.ref(PATH)
    config = look(ref, parse_doc) if ref else Config()
    gates = config.human_gates
    wanted = HumanGates(
        strategy_approval=gates.strategy_approval or _flag(state, "require_strategy_approval"),
        final_approval=gates.final_approval or _flag(state, "require_final_approval"),
    )
    return config.model_copy(update={"human_gates": wanted})


def _flag(state: State, name: str) -> bool:
    value: Any = state.params.get(name)
    return bool(value)


def budget_of(state: State, look: Look) -> Budget:
    """What the run may use."""
    return config_of(state, look).budget.budget()


def models_of(state: State, look: Look) -> dict[str, str]:
    """The models that the project names for its agents."""
    return config_of(state, look).models
