"""What is known of risks: research per technology, checklists per agent type, consultations, PoC specs."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch, Name

Category = Literal["data_loss", "security", "performance", "availability", "reversibility", "dependencies"]
CATEGORIES: Final[tuple[Category, ...]] = (
    "data_loss", "security", "performance", "availability", "reversibility", "dependencies",
)  # fmt: skip
Level = Literal["low", "medium", "high"]


class Practice(Form):
    """One thing that people who know the technology do; `source` says where that is from."""

    practice: Text
    why: Text
    source: Text


class Failure(Form):
    """One way in which the technology is known to fail."""

    pattern: Text
    consequence: Text
    category: Category
    source: Text


class Findings(Form):
    """What research found of one technology in one version."""

    technology: Text
    version: str = ""
    best_practices: tuple[Practice, ...] = ()
    failure_patterns: tuple[Failure, ...] = ()


class Research(Findings):
    """The same as a file of the library has it."""

    researched: Epoch


class Item(Form):
    """One question that a doer is asked of its task."""

    id: Text
    category: Category
    question: Text
    why: Text


class Checklist(Form):
    """What is asked of agents of one type; every category has at least one item."""

    agent_type: Name
    prompt: Text
    items: tuple[Item, ...]


class Risk(Form):
    """One thing that may go wrong in one doer's task. `assumption` is what would have to be true for it not to."""

    id: Text
    category: Category
    description: Text
    assumption: Text
    likelihood: Level
    impact: Level
    evidence: Text
    checklist_item: str = ""


class Consultation(Form):
    """What one doer sees coming in its own task."""

    agent: Name
    risks: tuple[Risk, ...] = ()


class Poc(Form):
    """A trial of one assumption, before the work that rests on it."""

    poc_id: str = Field(pattern=r"^poc_[0-9]{3}$")
    agent: Name
    assumption: Text
    passes: tuple[Text, ...] = Field(alias="pass", min_length=1)
    fails: tuple[Text, ...] = Field(alias="fail", min_length=1)
    evidence: tuple[Text, ...] = Field(min_length=1)
    gates: tuple[Name, ...] = Field(min_length=1)


class PocSpecs(Form):
    """Every PoC of a design."""

    pocs: tuple[Poc, ...] = ()


def parse_research(data: bytes, path: str) -> Research:
    return jsondoc.parse(Research, data, path, rule="research")


def parse_checklist(data: bytes, path: str) -> Checklist:
    return jsondoc.parse(Checklist, data, path, rule="checklist")


def parse_consultation(data: bytes, path: str) -> Consultation:
    return jsondoc.parse(Consultation, data, path, rule="consultation")


def parse_specs(data: bytes, path: str) -> PocSpecs:
    return jsondoc.parse(PocSpecs, data, path, rule="poc")


render = jsondoc.render
