"""JSON documents: read into forms, written plainly, and edited without changing another byte.

`merge` adds what is missing in a file and says what it added; `unmerge` takes exactly that out again. What a
person changed in between stays. `put` sets values by their place, in the style of the file around them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from signoff.artifacts.lines import Edit, newline, spliced
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import read_as
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

Path = tuple[str, ...]
Place = tuple[str | int, ...]
_SPACE = re.compile(r"[ \t\n\r]*")
_STEP = re.compile(r"\n([ \t]+)\S")
_DECODER = json.JSONDecoder()
M = TypeVar("M", bound=BaseModel)


# --- documents with a form --------------------------------------------------------------------------------------------


def parse(model: type[M], data: bytes, path: str, *, rule: str) -> M:
    """The document as a value, or DocumentError with a finding for each problem, by line."""
    text = decode(data, path)
    try:
        plain = json.loads(text, object_pairs_hook=once)
        return model.model_validate(plain)
    except json.JSONDecodeError as error:
        raise DocumentError([_not_json(error, path, rule)]) from None
    except (ValidationError, TwiceError, RecursionError):
        return read_as(model, text, path, rule=rule)  # again, now with line numbers


def parser(model: type[M], rule: str) -> Callable[[bytes, str], M]:
    """The parser of one kind of document, by bytes and path."""

    def parse_document(data: bytes, path: str) -> M:
        return parse(model, data, path, rule=rule)

    return parse_document


def render(value: BaseModel) -> str:
    """The value as JSON for people: two spaces, one field a line, only fields that are set."""
    return written(value.model_dump(mode="json", by_alias=True, exclude_none=True))


def written(plain: Any) -> str:
    """Plain data as JSON for people."""
    return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


class TwiceError(ValueError):
    """A key is there twice, so the document is ambiguous."""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; `object_pairs_hook` of a reader that refuses a key that is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise TwiceError
    return found


def _not_json(error: json.JSONDecodeError, path: str, rule: str) -> Finding:
    return Finding(
        rule=f"{rule}.json",
        problem=f"invalid JSON: {error.msg}, column {error.colno}",
        repair="fix the line, or restore the file",
        file=path,
        line=error.lineno,
    )


# --- editing ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Added:
    """One value that was put in: a member of the object at `at` (with a `key`), or an item of the list there."""

    at: Path
    value: Any
    key: str | None = None

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return {"at": list(self.at), "value": self.value, **({} if self.key is None else {"key": self.key})}

    @staticmethod
    def read(plain: Mapping[str, Any]) -> Added:
        """Back from JSON data."""
        return Added(tuple(plain["at"]), plain["value"], plain.get("key"))


@dataclass(frozen=True, slots=True)
class _Node:
    """A value with its place; `parts` are its members or items, each with the place where it begins."""

    start: int
    end: int
    value: Any
    parts: tuple[tuple[str | None, int, _Node], ...] = field(default=())

    def child(self, key: str) -> _Node | None:
        """The member of this name; of two with the same name the last counts, as everywhere in JSON."""
        return next((node for name, _, node in reversed(self.parts) if name == key), None)


def read(text: str, file: str) -> dict[str, Any]:
    """The object in a file, which belongs to the caller alone; anything else is refused, with the place."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(file, error) from error
    if not isinstance(value, dict):
        raise _refused(file, 1, "it is not a JSON object")
    return value


def clashes(text: str, file: str, wanted: Mapping[str, Any]) -> list[Path]:
    """Where the file has another value in a place that we need."""
    return list(_clashes(_root(text, file).value, wanted, ()))


def merge(text: str, file: str, wanted: Mapping[str, Any]) -> tuple[str, tuple[Added, ...]]:
    """The text with what it lacks of `wanted`: objects are joined, lists get what they do not hold yet."""
    added: list[Added] = []
    while step := _missing(_root(text, file).value, wanted, ()):
        text = _put(text, file, step)
        added.append(step)
    return text, tuple(added)


def unmerge(text: str, file: str, added: Sequence[Added]) -> str:
    """The text without what `merge` put in; of a value that was changed since, only our part is removed."""
    for one in reversed(added):
        text = _take(text, file, one)
    return text


def without(text: str, file: str, path: Path) -> str:
    """The text without the member at this place."""
    node = _at(_root(text, file), path[:-1])
    places = [index for index, (name, _, _) in enumerate(node.parts) if name == path[-1]] if node else []
    return _cut(text, node, places[-1]) if node and places else text


def put(text: str, file: str, values: Mapping[Path, Any]) -> str:
    """The text with these values at these places; a value that is there already keeps its bytes.

    Missing objects on the way are made; a value on the way that is not an object is replaced.
    """
    root, plan = _root(text, file), _plan(values)
    return spliced(text, _changes(text, root, root.start, plan))


def line_of(text: str, file: str, place: Sequence[str | int]) -> int:
    """The line of the value at this place, or of the innermost part of the path that is there."""
    node = _root(text, file)
    at = node.start
    for step in place:
        found = [(begins, part) for name, begins, part in node.parts if name == step]
        if isinstance(step, int) and isinstance(node.value, list) and step < len(node.parts):
            found = [node.parts[step][1:]]
        if not found:
            break
        at, node = found[-1]
    return _line(text, at)


def repeated(text: str, file: str) -> list[tuple[Place, int]]:
    """Members that have the name of one before them in the same object, with their lines."""
    return [(place, _line(text, at)) for place, at in _repeated(_root(text, file), ())]


# --- finding ----------------------------------------------------------------------------------------------------------


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _repeated(node: _Node, place: Place) -> Iterator[tuple[Place, int]]:
    seen: set[str] = set()
    for index, (name, begins, part) in enumerate(node.parts):
        here = (*place, index if name is None else name)
        if name is not None and name in seen:
            yield here, begins
        seen |= {name} if name is not None else set()
        yield from _repeated(part, here)


def _missing(have: Mapping[str, Any], wanted: Mapping[str, Any], at: Path) -> Added | None:
    for key, value in wanted.items():
        if key not in have:
            return Added(at, value, key)
        found = have[key]
        if isinstance(value, Mapping) and isinstance(found, Mapping):
            if deeper := _missing(found, value, (*at, key)):
                return deeper
        elif isinstance(value, list) and isinstance(found, list):
            for item in value:
                if item not in found:
                    return Added((*at, key), item)
    return None


def _clashes(have: Mapping[str, Any], wanted: Mapping[str, Any], at: Path) -> list[Path]:
    found: list[Path] = []
    for key, value in wanted.items():
        if key not in have:
            continue
        if isinstance(value, Mapping) and isinstance(have[key], Mapping):
            found += _clashes(have[key], value, (*at, key))
        elif not (isinstance(value, list) and isinstance(have[key], list)) and have[key] != value:
            found.append((*at, key))
    return found


def _at(root: _Node, path: Path) -> _Node | None:
    node: _Node | None = root
    for key in path:
        node = node.child(key) if node and isinstance(node.value, dict) else None
    return node


# --- putting in and taking out ----------------------------------------------------------------------------------------


def _put(text: str, file: str, step: Added) -> str:
    node = _at(_root(text, file), step.at)
    assert node is not None  # narrows the type: the place was found in this text
    key = "" if step.key is None else f"{json.dumps(step.key, ensure_ascii=False)}: "
    if not node.parts:
        said = f"{key}{json.dumps(step.value, ensure_ascii=False)}"
        return f"{text[: node.start + 1]}{said}{text[node.start + 1 :]}"
    _, begins, last = node.parts[-1]
    before = text[node.parts[-2][2].end if len(node.parts) > 1 else node.start + 1 : begins].rpartition(",")[2]
    space = before if "\n" in before else " "
    return f"{text[: last.end]},{space}{key}{_said(step.value, text, space)}{text[last.end :]}"


def _said(value: Any, text: str, space: str) -> str:
    """A value in the style of its neighbours: on lines of its own if they are."""
    found = _STEP.search(text)
    if found is None or "\n" not in space:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=found[1]).replace("\n", space[space.rindex("\n") :])


def _take(text: str, file: str, step: Added) -> str:
    node = _at(_root(text, file), step.at)
    if node is None:
        return text
    places = [
        index
        for index, (name, _, part) in enumerate(node.parts)
        if (step.key is None and part.value == step.value) or (step.key is not None and name == step.key)
    ]
    if not places:
        return text
    part = node.parts[places[-1]][2]
    if part.value == step.value:
        return _cut(text, node, places[-1])
    assert step.key is not None  # narrows the type: an item is only found by its value
    return _without_ours(text, file, (*step.at, step.key), step.value)


def _without_ours(text: str, file: str, at: Path, ours: Any) -> str:
    """Takes our part out of a container that others have added to."""
    if isinstance(ours, Mapping):
        for key, value in ours.items():
            text = _take(text, file, Added(at, value, key))
    elif isinstance(ours, list):
        for item in ours:
            text = _take(text, file, Added(at, item))
    return text


def _cut(text: str, node: _Node, index: int) -> str:
    """The text without one part and its comma."""
    _, start, part = node.parts[index]
    if index:
        return text[: node.parts[index - 1][2].end] + text[part.end :]
    if len(node.parts) > 1:
        return text[:start] + text[node.parts[1][1] :]
    return text[: node.start + 1] + text[part.end :]


# --- setting ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Value:
    """The value at the end of a path."""

    value: Any


_Plan = dict[str, "_Plan | _Value"]


def _plan(values: Mapping[Path, Any]) -> _Plan:
    """The paths as one tree, so that a text is read once for all of them."""
    root: _Plan = {}
    for path, value in values.items():
        at = root
        for key in path[:-1]:
            inner = at.setdefault(key, {})
            assert isinstance(inner, dict), f"{path} goes on where another path ends"
            at = inner
        at[path[-1]] = _Value(value)
    return root


def _wanted(plan: _Plan | _Value) -> Any:
    """The value of a part of the plan, for a place that is empty."""
    return plan.value if isinstance(plan, _Value) else {key: _wanted(inner) for key, inner in plan.items()}


def _changes(text: str, node: _Node, begins: int, plan: _Plan | _Value) -> Iterator[Edit]:
    if isinstance(plan, _Value) or not isinstance(node.value, dict) or not node.parts:
        wanted = _wanted(plan)
        if _dumped(node.value) != _dumped(wanted):
            yield node.start, node.end, _written(text, wanted, _own_line(text, begins))
        return
    last = {name: index for index, (name, _, _) in enumerate(node.parts)}
    for key, inner in plan.items():
        if key in last:
            _, at, part = node.parts[last[key]]
            yield from _changes(text, part, at, inner)
        else:
            yield node.parts[-1][2].end, node.parts[-1][2].end, _member(text, node, key, _wanted(inner))


def _member(text: str, node: _Node, key: str, value: Any) -> str:
    """A new member after the last one, written like it."""
    indent = _own_line(text, node.parts[-1][1])
    space = " " if indent is None else newline(text) + indent
    return f",{space}{_dumped(key)}: {_written(text, value, indent)}"


def _own_line(text: str, at: int) -> str | None:
    """The white space before a place that is the first on its line; None if other text stands before it."""
    before = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]
    return before if not before.strip(" \t") else None


def _written(text: str, value: Any, indent: str | None) -> str:
    """A value, on several lines if its member has a line of its own and the file is indented."""
    step = _STEP.search(text)
    if indent is None or step is None:
        return _dumped(value)
    return _dumped(value, step[1]).replace("\n", newline(text) + indent)


def _dumped(value: Any, indent: str | None = None) -> str:
    said = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        said.encode()
    except UnicodeEncodeError:  # half a character, which UTF-8 cannot encode
        return json.dumps(value, indent=indent)
    return said


# --- reading with places ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)  # a text is read, searched for repeated names and edited in a row
def _root(text: str, file: str) -> _Node:
    read(text, file)
    try:
        return _node(text, _space(text, 0))[0]
    except RecursionError as error:
        raise _unreadable(file, error) from error


def _unreadable(file: str, error: ValueError | RecursionError) -> DocumentError:
    problem = f"invalid JSON: {getattr(error, 'msg', 'it is too deep')}"
    return _refused(file, getattr(error, "lineno", 1), problem)


def _refused(file: str, line: int, problem: str) -> DocumentError:
    repair = "correct the file, or move it away; nothing was written"
    return DocumentError([Finding(rule="json", problem=problem, repair=repair, file=file, line=line)])


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _node(text: str, at: int) -> tuple[_Node, int]:
    """The value that begins here, in text that is valid JSON, and the place of the next character after white space."""
    if text[at] not in "{[":
        value, end = _DECODER.raw_decode(text, at)
        return _Node(at, end, value), _space(text, end)
    start, closing = at, "}" if text[at] == "{" else "]"
    parts: list[tuple[str | None, int, _Node]] = []
    at = _space(text, at + 1)
    while text[at] != closing:
        begins, key = at, None
        if closing == "}":
            key, end = _DECODER.raw_decode(text, at)
            at = _space(text, _space(text, end) + 1)
        node, at = _node(text, at)
        parts.append((key, begins, node))
        if text[at] == ",":
            at = _space(text, at + 1)
    value = {str(key): node.value for key, _, node in parts} if closing == "}" else [node.value for _, _, node in parts]
    return _Node(start, at + 1, value, tuple(parts)), _space(text, at + 1)
