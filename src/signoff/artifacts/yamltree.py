"""A YAML document as nodes with places, built from the parser's events.

Anchors, aliases, tags, duplicate keys and deep nesting are refused as they stream by, so a hostile file costs nothing.
The values are JSON's: keys are always text; only `true` and `false` are booleans; `yes`, dates, `0123`, `1_000`,
`0x1F`, `1e3` and integers of more than 18 digits stay text, because they are names far more often than numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import yaml

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

MAX_CHARS: Final = 2_000_000
MAX_DEPTH: Final = 50


def problem_at(file: str, line: int | None, rule: str, problem: str, repair: str) -> DocumentError:
    return DocumentError([Finding(file=file, line=line, rule=f"yaml.{rule}", problem=problem, repair=repair)])


def quoted(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else text[: most - 1] + "…")


@dataclass(slots=True)
class Node:
    """A value with its place: `start` and `end` are character offsets, lines count from 1, columns from 0."""

    kind: Literal["map", "seq", "scalar"]
    value: Any
    start: int
    end: int
    line: int
    end_line: int
    col: int
    style: str = ""
    flow: bool = False
    keys: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def child(self, step: str | int) -> int | None:
        """The place of a key or index in `items`."""
        if self.kind == "map":
            name = str(step)
            return next((i for i, key in enumerate(self.keys) if key.value == name), None)
        return step if self.kind == "seq" and isinstance(step, int) and 0 <= step < len(self.items) else None

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, outermost first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.items))


_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE)
_WORDS: Final[dict[str, Any]] = {"": None, "~": None} | {
    form: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for form in (word, word.title(), word.upper())
}


def scalar(text: str) -> Any:
    """The value of an unquoted scalar; NaN for everything that is not a finite number."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else math.nan
    return math.nan if _NOT_A_NUMBER.fullmatch(text) else text


class _Builder:
    """Turns events into nodes without recursion."""

    def __init__(self, text: str, file: str, strict: bool) -> None:
        self.text, self.file, self.strict = text, file, strict
        self.stack: list[Node] = []
        self.names: list[dict[str, int]] = []
        self.root: Node | None = None
        self.documents = 0

    def feed(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self.refuse_extras(event)
            self.attach(self.scalar_node(event))
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self.refuse_extras(event)
            self.open(event)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self.close(event)
        elif isinstance(event, yaml.AliasEvent):
            self.alias(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.document(event)

    def fail(self, event: Any, rule: str, problem: str, repair: str) -> DocumentError:
        return problem_at(self.file, event.start_mark.line + 1, rule, problem, repair)

    def refuse_extras(self, event: Any) -> None:
        if not self.strict:
            return
        if event.anchor is not None:
            problem = (
                f"the anchor &{event.anchor} (anchors and aliases are refused: a short file could expand without end)"
            )
            raise self.fail(event, "alias", problem, "write the value out at each place")
        if event.tag is not None:
            raise self.fail(
                event, "tag", f"the tag {quoted(event.tag)}", "remove the tag; quote a value to keep it text"
            )

    def alias(self, event: Any) -> None:
        if self.strict:
            problem = (
                f"the alias *{event.anchor} (anchors and aliases are refused: a short file could expand without end)"
            )
            raise self.fail(event, "alias", problem, "write the value out at each place")
        mark = event.start_mark
        line = mark.line + 1
        name = f"*{event.anchor}"
        self.attach(Node("scalar", name, mark.index, event.end_mark.index, line, line, mark.column))

    def document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self.fail(event, "documents", "a second document in one file", "keep one document per file")

    def scalar_node(self, event: Any) -> Node:
        mark, style = event.start_mark, event.style or ""
        start, end = mark.index, event.end_mark.index
        if style in ("|", ">"):
            end = self.end_of_block_scalar(start, end)
        value = event.value if style else scalar(event.value)
        line = mark.line + 1
        node = Node("scalar", value, start, end, line, line + self.text.count("\n", start, end), mark.column, style)
        if self.at_key():
            self.name_key(node, event)
        elif isinstance(value, float) and math.isnan(value):
            if self.strict:
                raise self.fail(
                    event, "number", f"{event.value!r} is not a finite number", "write a number, or quote it"
                )
            node.value = event.value
        return node

    def end_of_block_scalar(self, start: int, end: int) -> int:
        """The end without the blank lines below, which the parser counts in; only `+` makes them content."""
        raw = self.text[start:end]
        if "+" in raw.split("\n", 1)[0].split("#", 1)[0]:
            return start + len(raw.removesuffix("\n").removesuffix("\r"))
        return start + len(raw.rstrip())

    def at_key(self) -> bool:
        top = self.stack[-1] if self.stack else None
        return top is not None and top.kind == "map" and len(top.keys) == len(top.items)

    def name_key(self, node: Node, event: Any) -> None:
        if not event.style and event.value in ("", "<<") and self.strict:
            problem = "a key without a name" if not event.value else "the merge key <<"
            raise self.fail(event, "key", problem, "write a plain key, as in `name: value`")
        node.value = event.value
        seen = self.names[-1]
        if event.value in seen and self.strict:
            problem = f"the key {quoted(event.value)} is written twice; the first is on line {seen[event.value]}"
            raise self.fail(event, "duplicate", problem, "keep one of the two")
        seen[event.value] = node.line

    def open(self, event: Any) -> None:
        if self.at_key():
            raise self.fail(event, "key", "a list or mapping used as a key", "write a plain key, as in `name: value`")
        if len(self.stack) >= MAX_DEPTH:
            raise self.fail(event, "depth", f"nesting deeper than {MAX_DEPTH} levels", "flatten the document")
        mark = event.start_mark
        kind: Literal["map", "seq"] = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        value: Any = {} if kind == "map" else []
        line = mark.line + 1
        node = Node(kind, value, mark.index, event.end_mark.index, line, line, mark.column, flow=bool(event.flow_style))
        self.attach(node)
        self.stack.append(node)
        self.names.append({})

    def close(self, event: Any) -> None:
        node = self.stack.pop()
        self.names.pop()
        if node.flow or not node.items:
            node.end = event.end_mark.index
            node.end_line = event.end_mark.line + 1
        else:  # the parser ends a block at the next token, past comments that belong to what follows
            node.end, node.end_line = node.items[-1].end, node.items[-1].end_line

    def attach(self, node: Node) -> None:
        if not self.stack:
            self.root = node
        elif self.at_key():
            self.stack[-1].keys.append(node)
        else:
            parent = self.stack[-1]
            parent.items.append(node)
            if parent.kind == "map":
                parent.value[parent.keys[-1].value] = node.value
            else:
                parent.value.append(node.value)


def tree(text: str, file: str = "", *, limit: int = MAX_CHARS, strict: bool = True) -> Node | None:
    """The document as nodes with places, None when it is empty.

    `strict=False` is for files that are only read: anchors, tags and duplicate keys are accepted.
    """
    if len(text) > limit:
        problem = f"{len(text)} characters, more than the {limit} allowed"
        raise problem_at(file, None, "size", problem, "split the file or shorten it")
    builder = _Builder(text, file, strict)
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            builder.feed(event)
    except (yaml.YAMLError, UnicodeError) as error:
        raise _syntax(text, file, error) from None
    return builder.root


def _syntax(text: str, file: str, error: Exception) -> DocumentError:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return _unreadable(text, file, error)
    lines = text.replace("\r\n", "\n").split("\n")
    for number in (mark.line + 1, mark.line, mark.line + 2):
        if 0 < number <= len(lines) and re.match(r" *\t", lines[number - 1]):
            problem = f"a tab indents the line {quoted(lines[number - 1])}"
            return problem_at(file, number, "tab", problem, "indent with spaces; YAML allows no tabs there")
    found = lines[mark.line] if mark.line < len(lines) else ""
    said = ", ".join(part for part in (getattr(error, "context", None), getattr(error, "problem", None)) if part)
    problem = f"invalid YAML: {said}, at {quoted(found)}"
    return problem_at(
        file, mark.line + 1, "syntax", problem, "correct the line or the one above; quote text that holds : or #"
    )


def _unreadable(text: str, file: str, error: Exception) -> DocumentError:
    bad = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]", text)
    line = text.count("\n", 0, bad.start()) + 1 if bad else None
    what = f"the character {bad.group()!r}" if bad else str(error)
    return problem_at(
        file, line, "character", f"{what} is not allowed in YAML", "remove it, or write it as an escape in quotes"
    )
