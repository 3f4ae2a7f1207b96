"""The config of an article, `config/{topic}.json`: what it is about, for whom, and what every step has found so far.

Fields have the names of the file. What a later step brings may be missing; a field that nobody knows is an error.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from signoff.artifacts import jsonedit
from signoff.artifacts.forms import Form, KebabId, Text, place, said
from signoff.artifacts.textio import decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.article.research_schema import Research
from signoff.workflows.article.terms import (
    ArticleLength,
    ArticleType,
    Depth,
    Framework,
    FunnelStage,
    Language,
    Priority,
    Stance,
    Texts,
    ThesisDepth,
    UserType,
    YesNo,
)
from signoff.workflows.article.writing_schema import Writing

RULE: Final = "config"
MARK: Final = "\ufeff"
"""The byte order mark that some editors put in front."""


class WritingAngle(Form):
    """The one claim that the article proves, once a person has chosen it."""

    thesis: Text | None = None
    stance: Stance | None = None
    pending: YesNo | None = None
    proofPoints: Texts = ()
    recommendedDepth: ThesisDepth | None = None
    depthMismatchAcknowledged: YesNo = False


class AuthorPersona(Form):
    """Who speaks, and what that person insists on."""

    role: Text | None = None
    experience: Text | None = None
    specialty: Text | None = None
    bias: Text | None = None
    voiceTraits: Texts = ()


class PrimaryCTA(Form):
    """What the reader is asked to do."""

    action: Text


class ConversionPath(Form):
    """Where the reader goes from here."""

    primaryCTA: PrimaryCTA | None = None


class BuyerJourney(Form):
    """Where the reader stands, what comes before and what next."""

    funnelStage: FunnelStage
    conversionPath: ConversionPath | None = None
    nextTopics: Texts = ()
    prerequisites: Texts = ()


class RequiredLink(Form):
    """A link that the article has to carry."""

    target: Text
    url: Text
    anchor: Text


class RecommendedLink(Form):
    """A link that the article may carry."""

    target: Text
    url: Text
    anchor: Text
    priority: Priority


class InternalLinks(Form):
    """Links to other articles."""

    required: tuple[RequiredLink, ...] = ()
    recommended: tuple[RecommendedLink, ...] = ()
    cluster: Text | None = None


class Product(Form):
    """A product that the article may mention, and in which words."""

    category: Text
    mention: Text
    url: Text | None = None


class WorkflowState(Form):
    """What the steps have found and decided."""

    research: Research | None = None
    writing: Writing | None = None


class ArticleConfig(Form):
    """The whole file."""

    topic: KebabId
    language: Language
    audienceFramework: Framework
    articleType: ArticleType | None = None
    articleLength: ArticleLength = "standard"
    audience: UserType
    depth: Depth
    writingAngle: WritingAngle = WritingAngle()
    authorPersona: AuthorPersona = AuthorPersona()
    buyerJourney: BuyerJourney | None = None
    internalLinks: InternalLinks | None = None
    products: tuple[Product, ...] = ()
    workflowState: WorkflowState = WorkflowState()

    @property
    def research(self) -> Research:
        """What was found out so far, empty at first."""
        return self.workflowState.research or Research()

    @property
    def writing(self) -> Writing:
        """What was decided in writing so far, empty at first."""
        return self.workflowState.writing or Writing()


def parse_doc(data: bytes, path: str) -> ArticleConfig:
    """The config, or DocumentError with one finding for each thing that is wrong, by field and line."""
    text = decode(data, path).removeprefix(MARK)
    plain = jsonedit.read(text, path)
    twice = [_twice(path, *where) for where in jsonedit.repeated(text, path)]
    try:
        config = ArticleConfig.model_validate(plain)
    except ValidationError as error:
        found = said(ArticleConfig, error, path, rule=RULE, line_of=lambda at: jsonedit.line_of(text, path, at))
        raise DocumentError([*twice, *found]) from None
    if twice:
        raise DocumentError(twice)
    return config


def _twice(file: str, at: jsonedit.Place, line: int) -> Finding:
    problem = f"`{place(at)}` is there twice; valid: each field once"
    return Finding(rule=f"{RULE}.form", problem=problem, repair="keep one of the two", file=file, line=line)


def json_schema() -> dict[str, Any]:
    """What the file has to look like, as it is published."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ArticleConfig.model_json_schema(),
        "title": "signoff/article/config@1",
    }
