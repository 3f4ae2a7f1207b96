"""Free text in Markdown documents: the text is kept whole, and none of it is read as structure of the document.

Text under a heading keeps its own, deeper headings. A line that would be read as a heading of the document, as one of
its labels, or as the start of code or HTML that never ends, is written with a backslash before it and read without it.
Text of a list item is indented so far that no line of it can be any of these.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from signoff.artifacts import yaml_forms
from signoff.artifacts.lines import closed_fences, fence, heading, unified
from signoff.artifacts.markdown_headings import Section
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

# --- types ------------------------------------------------------------------------------------------------------------


def tidy(text: str) -> str:
    """A text as files have it: lines end with LF and without trailing white space, with no blank lines around it."""
    plain = "\n".join(line.rstrip() for line in unified(text).split("\n")).strip()
    if bad := next((char for char in plain if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")), None):
        raise ValueError(f"it has the character U+{ord(bad):04X}, which no text file should hold; leave it out")
    return plain


def one_line(text: str) -> str:
    """A text in one line."""
    return " ".join(tidy(text).split())


_WORDS: Final = Field(min_length=1, pattern=r"\S", description="text, not empty")
Prose: TypeAlias = Annotated[str, _WORDS, AfterValidator(tidy)]
"""Markdown of one or more paragraphs."""
Remark: TypeAlias = Annotated[str, AfterValidator(tidy)]
"""The same, or nothing."""
Title: TypeAlias = Annotated[str, _WORDS, AfterValidator(one_line)]
"""Text of one line: a title, a name, a place."""


# --- text under a heading ---------------------------------------------------------------------------------------------

_SLASHES: Final = re.compile(r"( {0,3})(\\*)")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_HTML: Final = re.compile(r" {0,3}<(?:[!?]|(?:script|pre|style|textarea)(?:[\s>]|$))", re.IGNORECASE)
"""HTML that does not end with the paragraph: it could hide what follows."""


def escaped(text: str, level: int, labels: re.Pattern[str] | None = None) -> str:
    """A text as it is written under a heading of this level, with these labels."""
    return _shifted(text, level, labels, 1)


def unescaped(text: str, level: int, labels: re.Pattern[str] | None = None) -> str:
    """The original of a text under a heading of this level, without the blank lines around it."""
    return _shifted(text, level, labels, -1).strip("\n")


def _shifted(text: str, level: int, labels: re.Pattern[str] | None, change: int) -> str:
    """The text with one backslash more or less before each line that begins with a mark after its backslashes."""
    texts = text.split("\n")
    fenced = closed_fences(texts)
    above = ["", *texts]
    return "\n".join(
        line if fenced[at] else slashed(line, change, _marks(level, labels, bool(above[at].strip())))
        for at, line in enumerate(texts)
    )


def slashed(line: str, change: int, marked: Callable[[str], bool]) -> str:
    """A line with one backslash more or less at its begin, if it is a mark without its backslashes."""
    found = _SLASHES.match(line)
    assert found is not None  # the pattern matches the empty text too
    rest = line[found.end() :]
    return found[1] + "\\" * max(0, len(found[2]) + change) + rest if marked(found[1] + rest) else line


def _marks(level: int, labels: re.Pattern[str] | None, follows: bool) -> Callable[[str], bool]:
    def marked(bare: str) -> bool:
        head = heading(bare)
        return (
            (head is not None and head[0] <= level)
            or fence(bare) is not None
            or _HTML.match(bare) is not None
            or (follows and _UNDERLINE.fullmatch(bare) is not None)
            or (labels is not None and labels.match(bare) is not None)
        )

    return marked


# --- lists ------------------------------------------------------------------------------------------------------------

NONE: Final = "_None._"
"""The text of a section that has nothing to list."""
HANG: Final = 4
"""How far the further lines of an item are indented, so that none of them is structure of the document."""
_NOTHING: Final = re.compile(r"[_*(]*none(?: yet)?\.?[)_*]*", re.IGNORECASE)
_ITEM: Final = re.compile(r"( {0,3})(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_RULE: Final = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*")


def bullet(text: str, mark: str = "-", hang: int = HANG) -> str:
    """A list item with all of its lines."""
    first, *rest = text.split("\n")
    return "\n".join([f"{mark} {first}", *(" " * hang + line if line else "" for line in rest)])


def bullets(texts: Iterable[str]) -> str:
    """A list of texts, or the text for an empty list."""
    return "\n".join(map(bullet, texts)) or NONE


@dataclass(slots=True)
class Item:
    """A list item: the number of its line, the text after its mark, and its further lines as they are."""

    line: int
    first: str
    rest: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of its text."""
        return hung(self.first, self.rest, HANG)


def hung(first: str, rest: Iterable[str], hang: int) -> str:
    """A text whose further lines are indented this far, or less if a person typed it."""
    return "\n".join([first, *(_dedented(line, hang) for line in rest)]).strip()


def _dedented(line: str, hang: int) -> str:
    spaced = _untabbed(line)
    return spaced[min(len(spaced) - len(spaced.lstrip(" ")), hang) :]


def _untabbed(line: str) -> str:
    """The line with spaces in place of a tab at its start."""
    return " " * 4 + line[1:] if line.startswith("\t") else line


def items(body: str, first: int) -> tuple[list[Item], list[int]]:
    """The items of a list whose first line has this number, and the numbers of lines that belong to no item.

    A rule (`---`) and the text for an empty list are neither.
    """
    found: list[Item] = []
    stray: list[int] = []
    base, gap = 0, True
    for number, line in enumerate(body.split("\n"), first):
        mark = _ITEM.match(line)
        if mark and (not found or len(mark[1]) <= base + 1):
            base = base if found else len(mark[1])
            found.append(Item(number, line[mark.end() :]))
        elif not line.strip():
            if found:
                found[-1].rest.append("")
        elif _RULE.fullmatch(line) or (not found and _NOTHING.fullmatch(line.strip())):
            pass
        elif found and (not gap or line[:1] in " \t"):
            found[-1].rest.append(line)
        else:
            stray.append(number)
        gap = not line.strip()
    return found, stray


# --- labels -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Labelled:
    """The text after a label: the rest of its line, and the lines below."""

    line: int
    first: str
    rest: list[str] = field(default_factory=list)


def label_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """A label in bold at the start of a line, its colon inside or outside: `**Context:**`, `**Created**:`."""
    return re.compile(rf" {{0,3}}\*\*(?P<name>{_either(names)})(?:\*\*[ \t]?[:：]|[:：]\*\*)[ \t]*", re.IGNORECASE)


def item_label(names: Iterable[str]) -> re.Pattern[str]:
    """A label at the start of a list item, bold or not: `Decision:`, `**Reason**:`."""
    return re.compile(
        rf"(?:\*\*)?(?P<name>{_either(names)})(?:\*\*[ \t]?[:：]|[:：]\*\*|[ \t]?[:：])[ \t]*", re.IGNORECASE
    )


def _either(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def labelled(body: str, first: int, pattern: re.Pattern[str]) -> dict[str, Labelled]:
    """The parts of a text by the labels before them, in lower case; the text before the first is under ``""``."""
    texts = body.split("\n")
    fenced = closed_fences(texts)
    found = {"": Labelled(first, "")}
    last = found[""]
    for number, (line, inside) in enumerate(zip(texts, fenced, strict=True), first):
        label = None if inside else pattern.match(line)
        if label and label["name"].casefold() not in found:
            last = found[label["name"].casefold()] = Labelled(number, line[label.end() :])
        else:
            last.rest.append(line)
    return found


def sub_items(item: Item, names: Sequence[str], deep: int) -> dict[str, Labelled]:
    """An item's own text, under ``""``, and the items below it that begin with these labels, in lower case.

    They are indented by at most `deep`; a line that is indented further is text.
    """
    pattern = re.compile(rf" {{1,{deep}}}[-*+][ \t]+" + item_label(names).pattern, re.IGNORECASE)
    last = Labelled(item.line, item.first)
    found = {"": last}
    for number, line in enumerate(item.rest, item.line + 1):
        label = pattern.match(_untabbed(line))
        if label and label["name"].casefold() not in found:
            last = found[label["name"].casefold()] = Labelled(number, _untabbed(line)[label.end() :])
        else:
            last.rest.append(line)
    return found


_STARS: Final = re.compile(r"\\([\\*])")
_BOLD: Final = r"\*\*(?P<bold>(?:\\.|[^\\*\n]|\*(?!\*))+?)"
_HEADS: Final = (re.compile(_BOLD + r"\*\*[ \t]?[:：][ \t]*"), re.compile(_BOLD + r"[:：]\*\*[ \t]*"))
"""A head in bold, its colon outside as code writes it, or inside as some people type it."""


def bold(text: str) -> str:
    """A text in bold, as the head of an item."""
    return "**" + text.replace("\\", "\\\\").replace("*", "\\*") + "**"


def headed(text: str) -> tuple[str, str] | None:
    """The bold head of a text and what follows its colon: `**Least privilege**: every service …`."""
    found = next((match for pattern in _HEADS if (match := pattern.match(text))), None)
    return (_STARS.sub(r"\1", found["bold"]), text[found.end() :]) if found else None


# --- reading ----------------------------------------------------------------------------------------------------------

M = TypeVar("M", bound=BaseModel)


@dataclass(slots=True)
class Reader:
    """Collects the findings of one document, so that all of them are reported together."""

    file: str
    rule: str
    findings: list[Finding] = field(default_factory=list)

    def wrong(self, what: str, line: int | None, problem: str, repair: str) -> None:
        """Adds a finding."""
        self.findings.append(
            Finding(rule=f"{self.rule}.{what}", problem=problem, repair=repair, file=self.file, line=line)
        )

    def items(self, body: str, first: int) -> list[Item]:
        """The items of a list; a line that belongs to no item is a finding."""
        found, stray = items(body, first)
        for number in stray:
            self.wrong(
                "list",
                number,
                "this line belongs to no item of the list",
                "begin it with `- `, or indent it by four spaces if it belongs to the item above",
            )
        return found

    def section(self, section: Section) -> list[Item]:
        """The items of the list under a heading."""
        return self.items(section.whole, section.line + 1)

    def texts(self, section: Section) -> Iterator[tuple[int, str]]:
        """The texts of the list under a heading, each with its line."""
        return ((item.line, item.text) for item in self.section(section))

    def lists(
        self, lines: dict[tuple[str | int, ...], int], **given: Iterable[tuple[int, Any]]
    ) -> dict[str, list[Any]]:
        """The fields of a value that are lists; the line of each of their values goes into `lines`."""
        found: dict[str, list[Any]] = {}
        for name, pairs in given.items():
            read = list(pairs)
            found[name] = [value for _, value in read]
            lines |= {(name, at): line for at, (line, _) in enumerate(read)}
        return found

    def built(self, model: type[M], values: Mapping[str, Any], lines: Mapping[tuple[str | int, ...], int]) -> M:
        """The value, or DocumentError with all findings; `lines` has the line of each part."""

        def line_of(path: Sequence[str | int]) -> int | None:
            return next((lines[key] for end in range(len(path), -1, -1) if (key := tuple(path[:end])) in lines), None)

        try:
            value = model.model_validate(values)
        except ValidationError as error:
            self.findings += yaml_forms.said(model, error, self.file, rule=self.rule, line_of=line_of)
        if self.findings:
            raise DocumentError(sorted(self.findings, key=lambda found: found.line or 0))
        return value


# --- writing ----------------------------------------------------------------------------------------------------------


def document(top: str, sections: Iterable[tuple[str, str]]) -> str:
    """A document: its beginning, then the titles of level 2, each with its text."""
    return "\n\n".join([top, *(part for title, body in sections for part in (f"## {title}", body))]) + "\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows))
