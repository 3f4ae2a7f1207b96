"""The page template: which sections a page has, in which order, with which names and limits (SP-11, SP-12).

A template is data (templates/*.yaml, or a project's own file) and checks itself when it is read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field

from signoff import DocumentError, Finding, UsageError
from signoff.artifacts.yaml_forms import Form, KebabId, Text, nearest_line, place, read_as, repeated

Lang: TypeAlias = Literal["en", "cn"]
LANGS: Final[tuple[Lang, ...]] = get_args(Lang)
PageType: TypeAlias = Literal["hardware", "algorithm", "software"]
Kind: TypeAlias = Literal["value", "prose", "features", "specs", "faq", "cta"]
BUILTIN: Final = ("algorithm", "hardware", "software")

Range: TypeAlias = Annotated[
    tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]],
    Field(description="[lowest, highest], as in [20, 40]"),
]


class Section(Form):
    """One section of the page; `kind` says what the product sheet fills it with."""

    id: KebabId
    level: Annotated[int, Field(ge=2, le=6, description="the heading level, 2 to 6")]
    mandatory: bool
    kind: Kind
    en: Text
    cn: Text

    def title(self, lang: Lang) -> str:
        return self.en if lang == "en" else self.cn


class Features(Form):
    """Where the features stand, the level of their headings, and how many there may be."""

    section: KebabId
    level: Annotated[int, Field(ge=3, le=6, description="the heading level of one feature, 3 to 6")]
    min: Annotated[int, Field(ge=0)]
    max: Annotated[int, Field(ge=0)]


class Bounds(Form):
    """English in words, Chinese in characters; both ends included."""

    en: Range
    cn: Range

    def of(self, lang: Lang) -> tuple[int, int]:
        return self.en if lang == "en" else self.cn


class Limits(Form):
    value_proposition: Bounds
    page: Bounds


class Template(Form):
    """What a page must look like."""

    schema_: Literal["signoff/page-template@1"] = Field(alias="schema")
    name: KebabId
    page_type: PageType
    value_proposition: KebabId
    features: Features
    limits: Limits
    sections: tuple[Section, ...]

    def section(self, wanted: str) -> Section | None:
        return next((section for section in self.sections if section.id == wanted), None)

    @property
    def mandatory(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.mandatory)


def parse(text: str, file: str) -> Template:
    """The template, or a DocumentError with everything that is wrong with it."""
    template = read_as(Template, text, file, rule="template")
    if findings := tuple(_contradictions(template, text, file)):
        raise DocumentError(findings)
    return template


@functools.cache
def load_builtin(name: str) -> Template:
    """The template that ships under this name; the package's own files are the only ones read here."""
    if name not in BUILTIN:
        repair = "take one of them, or give the path of a template file"
        raise UsageError(f"there is no built-in template '{name}'", valid=", ".join(BUILTIN), repair=repair)
    file = resources.files("signoff.workflows.solution_page") / "templates" / f"{name}.yaml"
    return parse(file.read_text(encoding="utf-8"), f"{name}.yaml")


def _contradictions(template: Template, text: str, file: str) -> Iterator[Finding]:
    def found(rule: str, path: Sequence[str | int], problem: str, repair: str) -> Finding:
        line = nearest_line(text, path)
        return Finding(rule=f"template.{rule}", file=file, line=line, problem=problem, repair=repair)

    for field in ("id", "en", "cn"):
        for index, value in repeated([getattr(section, field) for section in template.sections]):
            problem = f"a second section has the {field} '{value}'"
            yield found("repeated", ("sections", index, field), problem, f"give each section its own {field}")
    homes_named: list[tuple[tuple[str, ...], str, Kind]] = [
        (("value_proposition",), template.value_proposition, "value"),
        (("features", "section"), template.features.section, "features"),
    ]
    for path, wanted, kind in homes_named:
        homes = [section.id for section in template.sections if section.kind == kind]
        if homes != [wanted]:
            listed = ", ".join(homes) or "none"
            problem = f"`{place(path)}` is '{wanted}', the sections of kind {kind} are: {listed}"
            yield found("section", path, problem, f"keep exactly one section of kind {kind} and name its id here")
    for path, (low, high) in _ranges(template):
        if low > high:
            problem = f"`{place(path)}` goes from {low} to {high}"
            yield found("range", path, problem, "write the lower number first")
    home = template.section(template.features.section)
    if home and template.features.level <= home.level:
        problem = f"features at level {template.features.level} stand under a section of level {home.level}"
        yield found("level", ("features", "level"), problem, f"give features a level of {home.level + 1} or more")


def _ranges(template: Template) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    yield ("features",), (template.features.min, template.features.max)
    for name, bounds in (("value_proposition", template.limits.value_proposition), ("page", template.limits.page)):
        for lang in LANGS:
            yield ("limits", name, lang), bounds.of(lang)
