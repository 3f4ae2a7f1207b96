"""The page template: which sections a page has, in which order, with which names and limits (SP-11, SP-12).

A template is data (templates/*.yaml, or a project's own file) and checks itself when it is read. `read_as` turns any
YAML document with a pydantic form into its value, or into findings: file, line, what was found, what is valid, repair.
"""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from signoff.artifacts import yamlio
from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding

Lang: TypeAlias = Literal["en", "cn"]
LANGS: Final[tuple[Lang, ...]] = get_args(Lang)
PageType: TypeAlias = Literal["hardware", "algorithm"]
Kind: TypeAlias = Literal["value", "prose", "features", "specs", "faq", "cta"]
BUILTIN: Final = ("algorithm", "hardware")

KEBAB: Final = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
KebabId: TypeAlias = Annotated[
    str, Field(pattern=KEBAB, description="lower-case letters and digits, joined by single hyphens, as in battery-life")
]
Text: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S", description="text, not empty")]
Range: TypeAlias = Annotated[
    tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]],
    Field(description="[lowest, highest], as in [20, 40]"),
]


class Form(BaseModel):
    """Fixed once read; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
    file = resources.files(__package__ or "") / "templates" / f"{name}.yaml"
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


# --- any YAML document with a form --------------------------------------------------------------------------------

Model = TypeVar("Model", bound=BaseModel)


def read_as(model: type[Model], text: str, file: str, *, rule: str) -> Model:
    """The document as a value of `model`; a DocumentError has one finding for each thing that is wrong."""
    data = yamlio.load_mapping(text, file)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise DocumentError([_finding(model, detail, text, file, rule) for detail in details]) from None


def repeated(values: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The values that occurred before, with their places."""
    seen: Counter[str] = Counter()
    for index, value in enumerate(values):
        if seen[value]:
            yield index, value
        seen[value] += 1


def nearest_line(text: str, path: Sequence[str | int]) -> int | None:
    """The line of the path, or of the innermost part of it that is there."""
    lines = (yamlio.line_of(text, path[:end]) for end in range(len(path), 0, -1))
    return next((line for line in lines if line is not None), 1)


def place(path: Sequence[str | int]) -> str:
    """As people write it: `facts[0].text.cn`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _finding(model: type[BaseModel], detail: Mapping[str, Any], text: str, file: str, rule: str) -> Finding:
    path = tuple(detail["loc"])
    problem, repair = _said(model, path, detail)
    return Finding(rule=f"{rule}.form", file=file, line=nearest_line(text, path), problem=problem, repair=repair)


def _said(model: type[BaseModel], path: tuple[str | int, ...], detail: Mapping[str, Any]) -> tuple[str, str]:
    name, given = place(path), detail["input"]
    owner, field = _owner(model, path)
    if detail["type"] == "missing":
        return f"`{name}` is missing", f"add `{path[-1]}`" + _as_in(field)
    if detail["type"] == "extra_forbidden":
        valid = [known.alias or key for key, known in owner.model_fields.items()]
        near = difflib.get_close_matches(str(path[-1]), valid, 1)
        problem = f"`{name}` is not a field here; valid: {', '.join(valid)}"
        return problem, f"rename it to `{near[0]}`" if near else "remove it"
    valid_is = (field.description if field else None) or _in_yaml_words(detail["msg"])
    if detail["type"] == "string_type" and isinstance(given, (int, float)):
        return f"`{name}` is {given!r}; valid: text", f"put it in quotes: '{given}'"
    return f"`{name}` is {_shown(given)}; valid: {valid_is}", f"correct `{name}`"


def _in_yaml_words(said: str) -> str:
    plain = said.removeprefix("Input should be ")
    return plain.replace("valid tuple", "list").replace("valid dictionary", "mapping")


def _as_in(field: FieldInfo | None) -> str:
    return f": {field.description}" if field and field.description else ""


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = "empty" if value is None else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _owner(model: type[BaseModel], path: Sequence[str | int]) -> tuple[type[BaseModel], FieldInfo | None]:
    """The form the path ends in, and its field there when it has one."""
    owner, field = model, None
    for step in path:
        if field is not None and (inner := _form_in(field.annotation)):
            owner, field = inner, None
        if isinstance(step, str) and field is None:
            field = next((known for key, known in owner.model_fields.items() if step in (known.alias, key)), None)
    return owner, field


def _form_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((form for inner in get_args(annotation) if (form := _form_in(inner))), None)
