"""How decisions.md is laid out: entries, their field lines, and where each of them stands in the text.

Reading never fails and changes nothing: what is wrong becomes a finding, and what is not a field stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.artifacts import lines
from signoff.artifacts.lines import Line
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.documents.front_matter import read_front

FIELDS: Final = (
    "Source",
    "Section",
    "Answer",
    "Settled",
    "Decision",
    "Reasoning",
    "Implication",
    "Contradiction",
    "Change",
    "Status",
    "Note",
)
_NAMES: Final = {name.casefold(): name for name in FIELDS}
_FIELD: Final = re.compile(
    r"(?P<lead>(?P<indent>[ \t]*)[-*+][ \t]+)"
    r"(?P<label>\*\*[ \t]*(?P<name>[A-Za-z]+)[ \t]*(?:\((?P<of>[^()*]*)\)[ \t]*)?(?:[:：][ \t]*\*\*|\*\*[ \t]*[:：]))"
)
_ENTRY: Final = re.compile(rf"(D{ids.NUMBER}):(?![^ \t])")
_LIKE: Final = re.compile(
    r"(?:d|decision)[ \t]*[-_#]?[ \t]*[0-9]+(?:\.[0-9]+)?[a-z]?(?=[\s:：)–—-]|\.\s|\.?$)", re.IGNORECASE
)


def folded(text: str) -> str:
    """The text on one line: no value can then begin a heading, a field or a fence of its own."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One `- **Name:** value`; `of` is the id in `Answer (Q2)`, `lead` what stands before the label.

    The span ends with the last line that belongs to it.
    """

    name: str
    of: str
    value: str
    line: int
    span: tuple[int, int]
    label_span: tuple[int, int]
    written: str
    lead: str = "- "

    @property
    def label(self) -> str:
        return label(self.name, self.of)

    @property
    def older(self) -> bool:
        """Whether the label is not in the form that we write."""
        return self.written != self.label


def cut(text: str, most: int = 60) -> str:
    """The beginning of a text, as messages show it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def label(name: str, of: str = "") -> str:
    """The label as it is written: the colon inside the bold part."""
    return f"**{name} ({of}):**" if of else f"**{name}:**"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One entry as it stands: `head` is its heading line without the line end."""

    id: str
    title: str
    line: int
    head: tuple[int, int]
    span: tuple[int, int]
    fields: tuple[Field, ...]

    def value(self, name: str) -> str:
        """The value of a field, "" when it is not there; of two with one name the first counts."""
        return next((one.value for one in self.fields if one.name == name), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What was found in the text."""

    front: Mapping[str, Any]
    blocks: tuple[Block, ...]
    problems: tuple[Finding, ...]


def layout(text: str, file: str) -> Layout:
    """Finds the entries and their fields."""
    return _Reader(text, file).read()


def heading(entry_id: str, title: str) -> str:
    """The heading of an entry; a title that ends in #s is closed, so that they stay part of it."""
    said = f"### {entry_id}: {folded(title)}".rstrip()
    found = lines.heading(said)
    return said if found is None or found[2] == len(said) else f"{said} ###"


@dataclass(slots=True)
class _Open:
    """The entry that is being read; `going_on` while the value of its last field may have another line."""

    id: str
    title: str
    line: Line
    fields: list[Field] = field(default_factory=list)
    more: list[list[Line]] = field(default_factory=list)
    indent: int | None = None
    going_on: bool = False

    def begin(self, line: Line, found: re.Match[str]) -> None:
        start, end = (line.start + place for place in found.span("label"))
        new = Field(
            name=_NAMES[found["name"].casefold()],
            of=folded(found["of"] or ""),
            value=line.text[found.end() :],
            line=line.number,
            span=(line.start, line.end),
            label_span=(start, end),
            written=found["label"],
            lead=found["lead"],
        )
        self.fields.append(new)
        self.more.append([])
        self.indent = len(found["indent"]) if self.indent is None else self.indent
        self.going_on = True

    def closed(self, end: int) -> Block:
        return Block(
            id=self.id,
            title=self.title,
            line=self.line.number,
            head=(self.line.start, self.line.end),
            span=(self.line.start, end),
            fields=tuple(
                replace(
                    begun,
                    value=folded(" ".join([begun.value, *(line.text for line in more)])),
                    span=(begun.span[0], more[-1].end if more else begun.span[1]),
                )
                for begun, more in zip(self.fields, self.more, strict=True)
            ),
        )


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.blocks: list[Block] = []
        self.problems: list[Finding] = []
        self.entry: _Open | None = None

    def wrong(self, rule: str, line: int, problem: str, repair: str, about: str = "") -> None:
        rule = f"decisions.{rule}"
        self.problems.append(Finding(rule=rule, problem=problem, repair=repair, file=self.file, line=line, about=about))

    def read(self) -> Layout:
        found = lines.split(self.text)
        front = read_front(self.text, found, self.file, "decisions")
        self.problems += front.problems
        body = front.end
        inside, unclosed = lines.fences([line.text for line in found], body)
        for at in range(body, len(found)):
            if inside[at]:
                self.take_fenced(found[at], opens=not inside[at - 1] if at else True)
            else:
                self.take(found[at])
        self.close(len(self.text))
        if unclosed is not None:
            problem = "a code fence is opened here and never closed, so nothing below it is read"
            self.wrong("fence", found[unclosed].number, problem, "close the fence, or remove its first line")
        return Layout(front=front.fields, blocks=tuple(self.blocks), problems=tuple(self.problems))

    # --- entries ------------------------------------------------------------------------------------------------------

    def take(self, line: Line) -> None:
        found = lines.heading(line.text)
        if found is not None:
            self.take_heading(line, found[0], line.text[found[1] : found[2]])
        elif self.entry is not None and not lines.blank(line.text):
            self.take_line(self.entry, line)

    def take_heading(self, line: Line, level: int, title: str) -> None:
        if level <= 3:
            self.close(line.start)
        elif self.entry:
            self.entry.going_on = False
        found = _ENTRY.match(title)
        if found and level == 3:
            self.entry = _Open(found[1], folded(title[found.end() :]), line)
        elif found:
            problem = f"{found[1]} is a heading of level {level}, so it is not read as a decision"
            self.wrong("id", line.number, problem, f"write `### {title}`, with three #", found[1])
        elif level == 3 and (like := _LIKE.match(title)):
            problem = f"the heading {cut(title)!r} begins with {cut(like[0])!r}, which is not the id of a decision"
            repair = "write `### D1: Title`: D, a number without zeros before it and of nine digits at most, a colon"
            self.wrong("id", line.number, problem, repair)

    def take_line(self, entry: _Open, line: Line) -> None:
        found = _FIELD.match(line.text)
        own = found is not None and (entry.indent is None or len(found["indent"]) <= entry.indent)
        if found is not None and own and found["name"].casefold() in _NAMES:
            entry.begin(line, found)
        elif entry.going_on and not own and line.text[0] in " \t":
            entry.more[-1].append(line)
        else:
            entry.going_on = False

    def take_fenced(self, line: Line, *, opens: bool) -> None:
        if self.entry is None:
            return
        if opens and line.text[:1] not in (" ", "\t"):
            self.entry.going_on = False
        if self.entry.going_on:
            self.entry.more[-1].append(line)

    def close(self, end: int) -> None:
        if self.entry is not None:
            self.blocks.append(self.entry.closed(end))
            self.entry = None
