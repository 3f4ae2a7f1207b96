"""YAML documents with a form: read into a pydantic model, or into findings with file, line, valid values and repair."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from signoff.artifacts import yamlio
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.terms import Terms

KEBAB: Final = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
KebabId: TypeAlias = Annotated[
    str, Field(pattern=KEBAB, description="lower-case letters and digits, joined by single hyphens, as in battery-life")
]
Text: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S", description="text, not empty")]


@dataclass(frozen=True, slots=True)
class OneOf:
    """The type of a field with closed values: it accepts a value or one of its names, and gives the value.

    The JSON Schema lists the values. An error lists the names in the `language` of the validation context.
    """

    terms: Terms

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        values = core_schema.literal_schema(list(self.terms.values))
        return core_schema.with_info_before_validator_function(self._read, values)

    def _read(self, given: Any, info: ValidationInfo) -> str:
        value = self.terms.value(given) if isinstance(given, str) else None
        if value is None:
            names = [f"'{name}'" for name in self.terms.names((info.context or {}).get("language", "en"))]
            listed = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
            raise PydanticCustomError("term", "{listed}", {"listed": listed})
        return value


def with_values(kind: Any, data: Any) -> Any:
    """The data of a form with values in place of names; fields that the form does not have stay as they are."""
    if isinstance(data, str):
        return next((value for terms in _terms(kind) if (value := terms.value(data))), data)
    if isinstance(data, list):
        return [with_values(kind, one) for one in data]
    if not isinstance(data, dict):
        return data
    plain = next((one for one in (kind, *get_args(kind)) if get_origin(one) is Mapping), None)
    form = _form_in(kind) if plain is None else None
    fields = {} if form is None else {name: one.rebuild_annotation() for name, one in form.model_fields.items()}
    inner = None if plain is None else get_args(plain)[1]
    return {name: with_values(fields.get(name, inner), value) for name, value in data.items()}


def _terms(kind: Any) -> Iterator[Terms]:
    yield from (one.terms for one in getattr(kind, "__metadata__", ()) if isinstance(one, OneOf))
    for inner in get_args(kind):
        yield from _terms(inner)


def closed_fields(form: type[BaseModel], at: str = "") -> Iterator[tuple[str, Terms]]:
    """Every field of a form and of the forms in it that has closed values, by its path."""
    for name, field in form.model_fields.items():
        kind = field.rebuild_annotation()
        yield from ((f"{at}{name}", terms) for terms in _terms(kind))
        if inner := _form_in(kind):
            yield from closed_fields(inner, f"{at}{name}.")


def schema_with_names(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a form for people, who may write names in either language."""
    known = {terms.values: terms for _, terms in closed_fields(form)}

    def named(part: Any) -> Any:
        if isinstance(part, list):
            return [named(one) for one in part]
        if not isinstance(part, dict):
            return part
        terms = known.get(tuple(part.get("enum", ())))
        if terms is None:
            return {name: named(value) for name, value in part.items()}
        return {**part, "enum": list(dict.fromkeys([*terms.values, *terms.names("en"), *terms.names("zh")]))}

    schema: dict[str, Any] = named(form.model_json_schema())
    return schema


class Form(BaseModel):
    """A frozen model; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Model = TypeVar("Model", bound=BaseModel)


def read_as(model: type[Model], text: str, file: str, *, rule: str) -> Model:
    """The document as a value of `model`, or DocumentError with a finding for each problem."""
    data = yamlio.load_mapping(text, file)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise DocumentError(
            said(model, error, file, rule=rule, line_of=lambda path: nearest_line(text, path))
        ) from None


def said(
    model: type[BaseModel],
    error: ValidationError,
    file: str,
    *,
    rule: str,
    line_of: Callable[[Sequence[str | int]], int | None],
) -> list[Finding]:
    """The findings of a form on values from any document; `line_of` gives the line of each value."""
    found = []
    for detail in error.errors(include_url=False):
        path = tuple(detail["loc"])
        problem, repair = _said(model, path, detail)
        found.append(Finding(rule=f"{rule}.form", file=file, line=line_of(path), problem=problem, repair=repair))
    return found


def repeated(values: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The values that occurred before, with their indices."""
    seen: Counter[str] = Counter()
    for index, value in enumerate(values):
        if seen[value]:
            yield index, value
        seen[value] += 1


def nearest_line(text: str, path: Sequence[str | int]) -> int | None:
    """The line of a path, or of the innermost part of it that is there."""
    lines = (yamlio.line_of(text, path[:end]) for end in range(len(path), 0, -1))
    return next((line for line in lines if line is not None), 1)


def place(path: Sequence[str | int]) -> str:
    """As people write it: `facts[0].text.cn`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _said(model: type[BaseModel], path: tuple[str | int, ...], detail: Mapping[str, Any]) -> tuple[str, str]:
    name, given = place(path), detail["input"]
    if detail["type"] == "value_error":  # a rule of the form itself, with its own message
        said = str(detail["msg"]).removeprefix("Value error, ")
        return (f"`{name}`: {said}" if name else said), "correct one of them"
    owner, field = _owner(model, path)
    if detail["type"] == "missing":
        return f"`{name}` is missing", f"add `{path[-1]}`" + (
            f": {field.description}" if field and field.description else ""
        )
    if detail["type"] == "extra_forbidden":
        valid = [known.alias or key for key, known in owner.model_fields.items()]
        near = difflib.get_close_matches(str(path[-1]), valid, 1)
        problem = f"`{name}` is not a field here; valid: {', '.join(valid)}"
        return problem, f"rename it to `{near[0]}`" if near else "remove it"
    valid_is = (_described(field, path, detail["type"]) if field else None) or _in_yaml_words(detail["msg"])
    if detail["type"] == "string_type" and isinstance(given, (int, float)):
        return f"`{name}` is {given!r}; valid: text", f"put it in quotes: '{given}'"
    return f"`{name}` is {_shown(given)}; valid: {valid_is}", f"correct `{name}`"


def _described(field: FieldInfo, path: Sequence[str | int], kind: str) -> str | None:
    """The description of the field, or of the texts and numbers that it holds if one of these is wrong."""
    if field.description or kind.partition("_")[0] not in ("string", "int", "greater", "less"):
        return field.description
    return _inner(field.annotation, key=path[-1] == "[key]")


def _inner(annotation: Any, *, key: bool) -> str | None:
    """The first description inside of an annotation; for a mapping, of its keys or of its values."""
    if get_origin(annotation) is Annotated:
        own = (one.description for one in annotation.__metadata__ if isinstance(one, FieldInfo))
        return next(filter(None, own), None) or _inner(get_args(annotation)[0], key=key)
    inside = get_args(annotation)
    if get_origin(annotation) is Mapping and len(inside) == 2:
        inside = inside[:1] if key else inside[1:]
    return next((found for one in inside if (found := _inner(one, key=key))), None)


def _in_yaml_words(said: str) -> str:
    plain = said.removeprefix("Input should be ")
    return plain.replace("valid tuple", "list").replace("valid dictionary", "mapping")


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = "empty" if value is None else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _owner(model: type[BaseModel], path: Sequence[str | int]) -> tuple[type[BaseModel], FieldInfo | None]:
    """The form at the end of the path, and its field there if it has one."""
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
