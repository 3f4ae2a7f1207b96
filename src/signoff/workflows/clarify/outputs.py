"""What the agents give back. Ids, counts and statuses that code can compute are not among it, or are checked."""

from __future__ import annotations

from functools import partial
from typing import Annotated, TypeAlias

from pydantic import Field

from signoff.artifacts.agent_output import read
from signoff.artifacts.yaml_forms import Form

Said: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S")]
Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\s*\S[^\r\n]*$")]
Choices: TypeAlias = Annotated[
    list[Line], Field(min_length=2, max_length=4, description="two to four; `Other (please specify)` is added by code")
]


class Source(Form):
    """Where in the material something is said: a file of the brief, and words that occur in it."""

    path: Said
    quote: Said


class ResearchQuestion(Form):
    """One question that the material leaves open."""

    title: Line
    question: Said
    choices: Choices
    recommendation: Line = Field(description="the letter of a choice and why: `B — it is how finance counts today`")
    must_answer: bool = False
    sources: list[Source] = Field(min_length=1)


class ResearcherOutput(Form):
    """What one dimension of the topic leaves open."""

    questions: list[ResearchQuestion] = Field(max_length=60)
    notes: str = ""


class Dropped(Form):
    """A research question that is not asked, and why."""

    origin: Said
    reason: Said


class ConsolidatorOutput(Form):
    """The whole of clarifications.md, and what became of the research questions that are not in it."""

    clarifications: Said
    dropped: list[Dropped] = Field(default_factory=list)
    scope_reason: str = Field(default="", description="why the scope should be narrower, where it should")


class Contradiction(Form):
    """Two or more clear answers that cannot both hold."""

    sources: list[Said] = Field(min_length=2, max_length=6)
    title: Line
    note: Said
    reconciliation: str = Field(default="", description="how both could hold, if they could")


class AnalystOutput(Form):
    """What the clear answers say against each other."""

    contradictions: list[Contradiction] = Field(default_factory=list, max_length=40)


class Refinement(Form):
    """A question that follows from an answer which is not clear."""

    parent: Said
    title: Line
    why: Said
    choices: Choices
    recommendation: Line


class RefinerOutput(Form):
    """One to three refinements for each item of the section that is not clear."""

    refinements: list[Refinement]


class ConfirmOutput(Form):
    """The decisions that were asked for, as Markdown in the form of decisions.md."""

    decisions: Said


parse_researcher = partial(read, ResearcherOutput)
parse_consolidator = partial(read, ConsolidatorOutput)
parse_analyst = partial(read, AnalystOutput)
parse_refiner = partial(read, RefinerOutput)
parse_confirm = partial(read, ConfirmOutput)
