"""`risk/`: research per technology, checklists per agent type, consultations of doers, and PoC specs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal, get_args

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.markdown_parsing import squeeze
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.documents.technology_stack import Technology, slug
from signoff.workflows.orchestration.ids import Epoch, Name

Category = Literal["data_loss", "security", "performance", "availability", "reversibility", "dependencies"]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
Level = Literal["low", "medium", "high"]


class Practice(Form):
    """A practice of people who know the technology; `source` says where it is described."""

    practice: Text
    why: Text
    source: Text


class Failure(Form):
    """A known way in which the technology fails."""

    pattern: Text
    consequence: Text
    category: Category
    source: Text


class Findings(Form):
    """What research found about one technology in one version."""

    technology: Text
    version: str = ""
    best_practices: tuple[Practice, ...] = ()
    failure_patterns: tuple[Failure, ...] = ()


class Research(Findings):
    """The findings as a file of the library."""

    researched: Epoch


def is_of(one: Technology, found: Findings) -> bool:
    """Whether research is about this technology and version; the name of its file does not matter."""
    return slug(found.technology, found.version) == one.slug


class Item(Form):
    """One question to a doer about its task."""

    id: Text
    category: Category
    question: Text
    why: Text


class Checklist(Form):
    """The questions to agents of one type; every category has at least one."""

    agent_type: Name
    prompt: Text
    items: tuple[Item, ...]


class Risk(Form):
    """One thing that may go wrong in a doer's task. It cannot go wrong if `assumption` is true."""

    id: Text
    category: Category
    description: Text
    assumption: Text
    likelihood: Level
    impact: Level
    evidence: Text
    checklist_item: str = ""


class Consultation(Form):
    """The risks that one doer sees in its own task."""

    agent: Name
    risks: tuple[Risk, ...] = ()


class Poc(Form):
    """A proof of concept: it tries one assumption before the work that rests on it."""

    poc_id: str = Field(pattern=r"^poc_[0-9]{3}$")
    agent: Name
    assumption: Text
    passes: tuple[Text, ...] = Field(alias="pass", min_length=1)
    fails: tuple[Text, ...] = Field(alias="fail", min_length=1)
    evidence: tuple[Text, ...] = Field(min_length=1)
    gates: tuple[Name, ...] = Field(min_length=1)


class PocSpecs(Form):
    """The PoCs of a design, and the risks that are borne without one; a person approves both with the design."""

    pocs: tuple[Poc, ...] = ()
    borne: dict[str, Text] = Field(default_factory=dict, description="a risk as `named` has it: why it needs no PoC")

    def of(self, poc_id: str) -> Poc | None:
        """The PoC with this id."""
        return next((poc for poc in self.pocs if poc.poc_id == poc_id), None)


def named(consultations: Iterable[Consultation]) -> dict[str, tuple[str, Risk]]:
    """Every risk with its agent, by its id, or by `agent:id` if two doers gave the same id."""
    every = [(one.agent, risk) for one in consultations for risk in one.risks]
    often = Counter(risk.id for _, risk in every)
    return {risk.id if often[risk.id] == 1 else f"{agent}:{risk.id}": (agent, risk) for agent, risk in every}


def is_grave(risk: Risk) -> bool:
    """Whether the assumption of a risk must be tried, unless a reason is given why the risk is borne."""
    return risk.impact == "high" and risk.likelihood != "low"


def poc_for(risk: Risk, pocs: Iterable[Poc]) -> Poc | None:
    """The PoC that tries the assumption of a risk."""
    return next((poc for poc in pocs if squeeze(poc.assumption) == squeeze(risk.assumption)), None)


parse_research = jsonio.parser(Research, "research")
parse_checklist = jsonio.parser(Checklist, "checklist")
parse_consultation = jsonio.parser(Consultation, "consultation")
parse_specs = jsonio.parser(PocSpecs, "poc")
render = jsonio.render
