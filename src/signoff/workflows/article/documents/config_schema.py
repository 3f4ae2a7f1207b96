"""The config of an article, `config/{topic}.json`: its fields, how it is read, and how fields are set in it.

Fields have the names of the file. A field of a later step may be missing; an unknown field is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from signoff.artifacts import jsonio
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, KebabId, Text, place, said, schema_with_names
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.article.documents import terms
from signoff.workflows.article.documents.research_schema import Research
from signoff.workflows.article.documents.writing_schema import Writing

Path = tuple[str, ...]
RULE: Final = "config"
_MARK: Final = "\ufeff"
"""The byte order mark that some editors put in front."""


class WritingAngle(Form):
    """The one claim that the article proves, once a person has chosen it."""

    thesis: Text | None = None
    stance: terms.Stance | None = None
    pending: terms.YesNo | None = None
    proofPoints: terms.Texts = ()
    recommendedDepth: terms.ThesisDepth | None = None
    depthMismatchAcknowledged: terms.YesNo = False


class AuthorPersona(Form):
    """Who speaks, and what that person insists on."""

    role: Text | None = None
    experience: Text | None = None
    specialty: Text | None = None
    bias: Text | None = None
    voiceTraits: terms.Texts = ()


class PrimaryCTA(Form):
    """What the reader is asked to do."""

    action: Text


class ConversionPath(Form):
    """Where the reader goes from here."""

    primaryCTA: PrimaryCTA | None = None


class BuyerJourney(Form):
    """Where the reader stands, what comes before and what next."""

    funnelStage: terms.FunnelStage
    conversionPath: ConversionPath | None = None
    nextTopics: terms.Texts = ()
    prerequisites: terms.Texts = ()


class RequiredLink(Form):
    """A link that the article has to carry."""

    target: Text
    url: Text
    anchor: Text


class RecommendedLink(RequiredLink):
    """A link that the article may carry."""

    priority: terms.Priority


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
    language: terms.Language
    audienceFramework: terms.Framework
    articleType: terms.ArticleType | None = None
    articleLength: terms.ArticleLength = "standard"
    audience: terms.UserType
    depth: terms.Depth
    writingAngle: WritingAngle = WritingAngle()
    authorPersona: AuthorPersona = AuthorPersona()
    buyerJourney: BuyerJourney | None = None
    internalLinks: InternalLinks | None = None
    products: tuple[Product, ...] = ()
    workflowState: WorkflowState = WorkflowState()

    @property
    def research(self) -> Research:
        return self.workflowState.research or Research()

    @property
    def writing(self) -> Writing:
        return self.workflowState.writing or Writing()


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_doc(data: bytes, path: str) -> ArticleConfig:
    """The config, or DocumentError with a finding for each problem, by field and line."""
    text = decode(data, path).removeprefix(_MARK)
    plain = jsonio.read(text, path)
    twice = [
        Finding(
            rule=f"{RULE}.form",
            problem=f"`{place(at)}` is there twice; valid: each field once",
            repair="keep one of the two",
            file=path,
            line=line,
        )
        for at, line in jsonio.repeated(text, path)
    ]
    language = terms.LANGUAGES.value(str(plain.get("language"))) or "en"
    try:
        config = ArticleConfig.model_validate(plain, context={"language": language})
    except ValidationError as error:
        found = said(ArticleConfig, error, path, rule=RULE, line_of=lambda at: jsonio.line_of(text, path, at))
        raise DocumentError([*twice, *found]) from None
    if twice:
        raise DocumentError(twice)
    return config


def json_schema() -> dict[str, Any]:
    """The JSON Schema that is published."""
    schema = schema_with_names(ArticleConfig)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "signoff/article/config@1"}


# --- the tree of fields, and setting them -----------------------------------------------------------------------------


def form_of(annotation: Any) -> type[BaseModel] | None:
    """The form in a field, required or optional. Lists and mappings with free keys hold no form."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, UnionType):
        inner = [one for one in get_args(annotation) if one is not NoneType]
        return form_of(inner[0]) if len(inner) == 1 else None
    return None


def leaf_paths(form: type[BaseModel] = ArticleConfig, at: Path = ()) -> Iterator[Path]:
    """Every field that is set as a whole: values, lists, and mappings with free keys."""
    for name, field in form.model_fields.items():
        if inner := form_of(field.annotation):
            yield from leaf_paths(inner, (*at, name))
        else:
            yield (*at, name)


def leaves(
    patch: Mapping[str, Any], form: type[BaseModel] = ArticleConfig, at: Path = ()
) -> Iterator[tuple[Path, Any]]:
    """The fields that a patch sets, unknown ones included."""
    for name, value in patch.items():
        field = form.model_fields.get(name)
        inner = form_of(field.annotation) if field else None
        if inner and isinstance(value, Mapping):
            yield from leaves(value, inner, (*at, name))
        else:
            yield (*at, name), value


def put(text: str, patch: Mapping[str, Any], file: str = "the config") -> str:
    """The file with the fields of a patch set; every byte of another field stays."""
    mark = text[: text.startswith(_MARK)]
    return mark + jsonio.put(text.removeprefix(_MARK), file, dict(leaves(patch)))


def laid_out(patch: Mapping[str, Any]) -> str:
    """A new file with these fields."""
    return jsonio.written(patch)
