"""The outputs of the four agents. They hold no fields that code can compute."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, model_validator

from signoff.artifacts.agent_output import read
from signoff.artifacts.yaml_forms import with_values
from signoff.workflows.article.documents.config_schema import ArticleConfig
from signoff.workflows.article.documents.materials import (
    CaseFound,
    DatumFound,
    DebateFound,
    ExpertFound,
    Found,
    VoiceFound,
)
from signoff.workflows.article.documents.terms import Place

Round: TypeAlias = Literal["competitors", "cases", "data", "expert", "userVoice", "debates"]
Lens: TypeAlias = Literal["facts", "language", "structure"]
LENSES = get_args(Lens)
Level: TypeAlias = Literal["P0", "P0.5", "P1", "P1.5", "P2", "P3"]
LEVELS = get_args(Level)
Words: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S")]
Fields: TypeAlias = Annotated[dict[str, Any], AfterValidator(partial(with_values, ArticleConfig))]
"""Fields of the config; names of values in either language are read as values."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Envelope(_Strict):
    status: Literal["complete", "blocked"] = "complete"
    blockers: list[Words] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _blocked_says_why(self) -> _Envelope:
        if self.status == "blocked" and not self.blockers:
            raise ValueError("status is blocked, and blockers does not say why")
        return self


class ConfigOutput(_Envelope):
    """Who writes for whom: the identity of the article."""

    agent: Literal["config-creator"]
    config: Fields = Field(default_factory=dict)


class Query(_Strict):
    round: Round
    query: Annotated[Words, Field(max_length=200)]


class Address(_Strict):
    round: Round
    url: Annotated[Words, Field(max_length=2000)]


class QueriesOutput(_Envelope):
    """What to look for, by round; addresses only of pages that an input names."""

    agent: Literal["web-researcher"]
    queries: Annotated[list[Query], Field(max_length=40)] = Field(default_factory=list)
    urls: Annotated[list[Address], Field(max_length=40)] = Field(default_factory=list)


class ResearchOutput(_Envelope):
    """What a phase of research found out, as fields of the config."""

    agent: Literal["web-researcher"]
    config: Fields = Field(default_factory=dict)


M = TypeVar("M", bound=Found)


class _Round(_Envelope, Generic[M]):
    """The materials of one round, each with the exact words of its page."""

    agent: Literal["web-researcher"]
    items: Annotated[list[M], Field(max_length=40)] = Field(default_factory=list)


class CasesRound(_Round[CaseFound]):
    round: Literal["cases"]


class DataRound(_Round[DatumFound]):
    round: Literal["data"]


class ExpertRound(_Round[ExpertFound]):
    round: Literal["expert"]


class VoiceRound(_Round[VoiceFound]):
    round: Literal["userVoice"]


class DebatesRound(_Round[DebateFound]):
    round: Literal["debates"]


OneRound: TypeAlias = CasesRound | DataRound | ExpertRound | VoiceRound | DebatesRound


class MaterialsOutput(RootModel[Annotated[OneRound, Field(discriminator="round")]]):
    """The materials of one round; which form they have follows from the round."""


class WriterOutput(_Envelope):
    """An outline or a draft: the document, and the fields of the config that say how it was made."""

    agent: Literal["outline-writer"]
    documents: dict[str, str] = Field(default_factory=dict)
    config: Fields = Field(default_factory=dict)


class Issue(_Strict):
    """One thing that a proofreader found; with `before` and `after` it is a fix that code applies."""

    id: Words
    level: Level
    section: Place
    problem: Words
    reason: Words
    before: str = ""
    after: str = ""

    @property
    def is_fix(self) -> bool:
        return bool(self.before)


class ProofOutput(_Envelope):
    """What one lens shows."""

    agent: Literal["proofreader"]
    lens: Lens
    issues: Annotated[list[Issue], Field(max_length=100)] = Field(default_factory=list)


parse_config = partial(read, ConfigOutput)
parse_queries = partial(read, QueriesOutput)
parse_research = partial(read, ResearchOutput)
parse_writer = partial(read, WriterOutput)
parse_proof = partial(read, ProofOutput)


def parse_materials(data: bytes, path: str) -> OneRound:
    return read(MaterialsOutput, data, path).root
