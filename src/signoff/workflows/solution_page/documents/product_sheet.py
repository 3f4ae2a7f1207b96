"""The product sheet `0-sources/product.yaml`: what may be said about a product, in both languages, and on what grounds.

A tag `{fact-id}` in the prose stands at the end of the sentence, list item, cell or heading that states the fact; the
copywriter turns it into a claim marker. Reading checks the form, that every tag names a fact, and that both languages
tag the same facts in each text.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from signoff import DocumentError, Finding
from signoff.artifacts.yaml_forms import Form, KebabId, Text, nearest_line, place, read_as, repeated
from signoff.workflows.solution_page.documents.page_template import LANGS, Lang, PageType, Template

PRODUCT_PATH: Final = "0-sources/product.yaml"
TAG: Final = re.compile(r"\{([^{}\n]*)\}")

Path: TypeAlias = tuple[str | int, ...]


def _text_or_whole_number(value: object) -> object:
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    raise PydanticCustomError("locator_value", "text or a whole number; quote versions and dates, as in version: '2.3'")


Locator: TypeAlias = Annotated[
    Mapping[str, Annotated[str | int, BeforeValidator(_text_or_whole_number)]],
    Field(
        min_length=1,
        description="{path, line}, {path, section}, {path, page, excerpt}, {path, version, section}, "
        "{url, accessed_date, excerpt}, or {path} alone to have the place looked for",
    ),
]


class Bilingual(Form):
    """One text in English and in Chinese."""

    en: Text
    cn: Text

    def of(self, lang: Lang) -> str:
        return self.en if lang == "en" else self.cn


class Keywords(Form):
    """Search words, the most important first."""

    en: tuple[Text, ...] = ()
    cn: tuple[Text, ...] = ()

    def of(self, lang: Lang) -> tuple[str, ...]:
        return self.en if lang == "en" else self.cn


class Audience(Form):
    """A reader and what that reader needs."""

    who: Bilingual
    need: Bilingual


class Asset(Form):
    """A picture, drawing or film the page wants."""

    id: KebabId
    description: Bilingual


class SpecRow(Form):
    """A row of the specification table."""

    label: Bilingual
    value: Bilingual


class Fact(Form):
    """Something that may be claimed. `source` is kept as written: locators are understood elsewhere."""

    id: KebabId
    text: Bilingual
    source: Locator | None = None
    spec: SpecRow | None = None


class Feature(Form):
    title: Bilingual
    text: Bilingual


class Question(Form):
    question: Bilingual
    answer: Bilingual


class CallToAction(Form):
    text: Bilingual
    label: Bilingual
    url: Annotated[
        str, Field(pattern=r"^\S+$", description="an address without spaces, as in https://www.example.com/")
    ]


class ProductSheet(Form):
    """Everything that a page is assembled from."""

    schema_: Literal["signoff/product@1"] = Field(alias="schema")
    kind: PageType
    name: Bilingual
    value_proposition: Annotated[
        Bilingual, Field(description="one paragraph: 20-40 English words, 40-60 Chinese characters")
    ]
    audience: Annotated[tuple[Audience, ...], Field(min_length=1, description="at least one reader: who, need")]
    keywords: Keywords = Keywords()
    assets: tuple[Asset, ...] = ()
    facts: Annotated[tuple[Fact, ...], Field(min_length=1, description="everything that may be claimed, at least one")]
    sections: Annotated[
        Mapping[KebabId, Bilingual], Field(description="Markdown for the template's prose sections, by section id")
    ]
    features: Annotated[tuple[Feature, ...], Field(min_length=1, description="the features in order, at least one")]
    faq: tuple[Question, ...] = ()
    cta: CallToAction

    def fact(self, wanted: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.id == wanted), None)


def tags(text: str) -> tuple[str, ...]:
    """The fact ids a text is tagged with, in order."""
    return tuple(match[1] for match in TAG.finditer(text))


def json_schema() -> dict[str, Any]:
    """The published form of the sheet (schemas/product.schema.json)."""
    schema = ProductSheet.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "signoff/product@1"}


def parse(text: str, file: str) -> ProductSheet:
    """The sheet, or a DocumentError with everything that is wrong with it."""
    sheet = read_as(ProductSheet, text, file, rule="product")
    checks = _Checks(sheet, text, file)
    if findings := (*checks.ids(), *checks.tags()):
        raise DocumentError(findings)
    return sheet


def misfits(sheet: ProductSheet, template: Template, text: str, file: str) -> tuple[Finding, ...]:
    """What keeps this sheet from filling this template; `text` and `file` are the sheet's."""
    return tuple(_Checks(sheet, text, file).fit(template))


@dataclass(frozen=True, slots=True)
class _Checks:
    sheet: ProductSheet
    text: str
    file: str

    def found(self, rule: str, path: Path, problem: str, repair: str, about: str = "") -> Finding:
        line = nearest_line(self.text, path)
        return Finding(rule=f"product.{rule}", file=self.file, line=line, problem=problem, repair=repair, about=about)

    def ids(self) -> Iterator[Finding]:
        for kind in ("facts", "assets"):
            for index, wanted in repeated([item.id for item in getattr(self.sheet, kind)]):
                problem = f"a second entry of {kind} has the id '{wanted}'"
                yield self.found("repeated", (kind, index, "id"), problem, "give each its own id", wanted)

    def tags(self) -> Iterator[Finding]:
        for path, prose in _prose(self.sheet):
            unknown = tuple(self.unknown(path, prose))
            yield from unknown or self.different(path, prose)
        for path, plain in _untagged(self.sheet):
            for lang in LANGS:
                for tag in tags(plain.of(lang)):
                    problem = f"`{place(path)}.{lang}` carries the tag {{{tag}}}; valid: tags in the page's prose"
                    yield self.found("tag-place", (*path, lang), problem, "remove the tag", tag)

    def unknown(self, path: Path, prose: Bilingual) -> Iterator[Finding]:
        known = [fact.id for fact in self.sheet.facts]
        for lang in LANGS:
            for tag in tags(prose.of(lang)):
                if tag not in known:
                    near = difflib.get_close_matches(tag, known, 1)
                    repair = f"write {{{near[0]}}}" if near else "add the fact, or remove the tag"
                    problem = f"`{place(path)}.{lang}` is tagged {{{tag}}}, which is no fact; valid: {', '.join(known)}"
                    yield self.found("tag-unknown", (*path, lang), problem, repair, tag)

    def different(self, path: Path, prose: Bilingual) -> Iterator[Finding]:
        counted = {str(lang): Counter(tags(prose.of(lang))) for lang in LANGS}
        for here, there in (("en", "cn"), ("cn", "en")):
            for tag, times in (counted[here] - counted[there]).items():
                problem = f"`{place(path)}` has {{{tag}}} {times} more in {here} than in {there}"
                repair = f"tag the same statements in both languages: add {{{tag}}} in {there} or remove it in {here}"
                yield self.found("tags-differ", (*path, there), problem, repair, tag)

    def fit(self, template: Template) -> Iterator[Finding]:
        if self.sheet.kind != template.page_type:
            problem = f"`kind` is '{self.sheet.kind}'; the template '{template.name}' is for {template.page_type}"
            yield self.found("kind", ("kind",), problem, f"take a template for {self.sheet.kind}, or correct `kind`")
        prose = {section.id: section for section in template.sections if section.kind == "prose"}
        for name in self.sheet.sections:
            if name not in prose:
                problem = f"the template '{template.name}' has no prose section '{name}'; valid: {', '.join(prose)}"
                yield self.found("section-unknown", ("sections", name), problem, "rename or remove it")
        for section in template.mandatory:
            if not self.fills(section.id, section.kind):
                problem = f"nothing fills the mandatory section '{section.id}' ({section.kind})"
                yield self.found("section-missing", ("sections",), problem, _filling(section.id, section.kind))
        count, allowed = len(self.sheet.features), template.features
        if not allowed.min <= count <= allowed.max:
            problem = f"{count} features; valid: {allowed.min} to {allowed.max}"
            yield self.found("features", ("features",), problem, "add or merge features")

    def fills(self, section: str, kind: str) -> bool:
        if kind == "prose":
            return section in self.sheet.sections
        if kind == "specs":
            return any(fact.spec for fact in self.sheet.facts)
        return kind != "faq" or bool(self.sheet.faq)


def _filling(section: str, kind: str) -> str:
    if kind == "prose":
        return f"add `sections.{section}` with en and cn"
    return "give at least one fact a `spec`" if kind == "specs" else "add entries to `faq`"


def _prose(sheet: ProductSheet) -> Iterator[tuple[Path, Bilingual]]:
    """The texts of the page, where facts are stated and tagged."""
    yield ("value_proposition",), sheet.value_proposition
    for name, section in sheet.sections.items():
        yield ("sections", name), section
    for index, feature in enumerate(sheet.features):
        yield ("features", index, "title"), feature.title
        yield ("features", index, "text"), feature.text
    for index, entry in enumerate(sheet.faq):
        yield ("faq", index, "question"), entry.question
        yield ("faq", index, "answer"), entry.answer
    yield ("cta", "text"), sheet.cta.text


def _untagged(sheet: ProductSheet) -> Iterator[tuple[Path, Bilingual]]:
    """The texts where a tag would never become a marker."""
    yield ("name",), sheet.name
    yield ("cta", "label"), sheet.cta.label
    for index, reader in enumerate(sheet.audience):
        yield ("audience", index, "who"), reader.who
        yield ("audience", index, "need"), reader.need
    for index, asset in enumerate(sheet.assets):
        yield ("assets", index, "description"), asset.description
    for index, fact in enumerate(sheet.facts):
        yield ("facts", index, "text"), fact.text
        if fact.spec:
            yield ("facts", index, "spec", "label"), fact.spec.label
            yield ("facts", index, "spec", "value"), fact.spec.value
