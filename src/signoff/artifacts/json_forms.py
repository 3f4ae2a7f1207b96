"""JSON documents with a form: read fast when they are sound, with file, line and repair when they are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import read_as
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], data: bytes, path: str, *, rule: str) -> M:
    """The document as a value, or DocumentError with one finding for each thing that is wrong."""
    text = decode(data, path)
    try:
        plain = json.loads(text, object_pairs_hook=_once)
        return model.model_validate(plain)
    except json.JSONDecodeError as error:
        raise DocumentError([_not_json(error, path, rule)]) from None
    except (ValidationError, _TwiceError, RecursionError):
        return read_as(model, text, path, rule=rule)  # the same again, with lines


def parser(model: type[M], rule: str) -> Callable[[bytes, str], M]:
    """The parser of one kind of document, by bytes and path."""

    def parse_document(data: bytes, path: str) -> M:
        return parse(model, data, path, rule=rule)

    return parse_document


def render(value: BaseModel) -> str:
    """The value as people read it: two spaces, one field a line, nothing that is not set."""
    return written(value.model_dump(mode="json", by_alias=True, exclude_none=True))


def written(plain: Any) -> str:
    """Plain data as every document here is written."""
    return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


class _TwiceError(ValueError):
    """A key is there twice: which of the two is meant, nobody can tell."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _not_json(error: json.JSONDecodeError, path: str, rule: str) -> Finding:
    return Finding(
        rule=f"{rule}.json",
        problem=f"it is no JSON: {error.msg}, column {error.colno}",
        repair="mend the line, or restore the file",
        file=path,
        line=error.lineno,
    )
