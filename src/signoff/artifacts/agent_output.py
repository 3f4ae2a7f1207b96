"""The outputs of agents, read strictly: one YAML or JSON document, fenced or not, as a value of its contract."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from signoff.artifacts import jsonio, yamlio
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yamltree import MAX_CHARS
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

_FENCE = re.compile(r"\A\s*```[A-Za-z]*[ \t]*\r?\n(.*)\n```\s*\Z", re.DOTALL)
M = TypeVar("M", bound=BaseModel)
TOLD = 30
"""The most findings that an agent is told about one output."""


def read(model: type[M], data: bytes, path: str) -> M:
    """Raw output as a value, or DocumentError with exactly what is wrong, field by field."""
    try:
        return model.model_validate(mapping(data, path))
    except ValidationError as error:
        raise DocumentError(_found(error, path)) from error


def mapping(data: bytes, path: str) -> dict[str, Any]:
    """Raw output as plain data, without a contract."""
    text = decode(data, path)
    fenced = _FENCE.match(text)
    bare = fenced.group(1) if fenced else text
    plain = _json(bare)
    return yamlio.load_mapping(bare, path) if plain is None else plain


def _json(text: str) -> dict[str, Any] | None:
    """The text as JSON, if it is valid: JSON escapes, such as an emoji or 1e5, mean something else in YAML.

    Anything doubtful (a key twice, NaN, half a character) is left to the YAML reader, which says what is wrong.
    """
    if not text.lstrip().startswith("{") or len(text) > MAX_CHARS:
        return None
    try:
        value = json.loads(text, object_pairs_hook=jsonio.once, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _found(error: ValidationError, path: str) -> list[Finding]:
    """The first findings and how many more there are: an output can be wrong in a hundred thousand places."""
    problems = error.errors(include_url=False)
    found = [_finding(problem, path) for problem in problems[:TOLD]]
    if more := len(problems) - len(found):
        problem = f"{more} more things do not fit the output contract"
        found.append(Finding(rule="output.schema", problem=problem, repair="fix these first", file=path))
    return found


def _finding(problem: Mapping[str, Any], path: str) -> Finding:
    field = ".".join(str(part) for part in problem["loc"]) or "the document"
    given = repr(problem.get("input"))
    shown = given if len(given) <= 120 else given[:117] + "..."
    repair = (
        "remove the field" if problem["type"] == "extra_forbidden" else "give a value that the output contract allows"
    )
    return Finding(
        rule="output.schema",
        problem=f"{field}: {problem['msg']} (found {shown})",
        repair=repair,
        file=path,
        about=field,
    )
