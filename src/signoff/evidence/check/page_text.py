"""A page as the linter reads it: fast, with a bounded amount of work for every line, for pages of any size.

`prose` is the text with code, comments and front matter blanked, character for character, so that every position still
names its line. It is not a full CommonMark reader. Where one would be needed to be sure, the linter keeps quiet.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from itertools import accumulate
from typing import Final

from signoff.evidence.canonical import without_markup
from signoff.evidence.check.anchors import EXPLICIT

_FRONT: Final = re.compile(
    r"\ufeff?(?:---[ \t]*\r?\n.*?\r?\n(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n.*?\r?\n\+\+\+)[ \t]*(?:\r?\n|\Z)", re.DOTALL
)
_FENCE: Final = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*){0,6}(`{3,}|~{3,})(.*)")
_VERBATIM: Final = re.compile(r":{3,}\s*v-pre\b")
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE_SPAN: Final = re.compile(r"(`{1,3})[^`]{1,500}\1")
_KEPT: Final = str.maketrans({"<": "\ue010", ">": "\ue011", "[": "\ue012", "]": "\ue013", "&": "\ue014"})
_RESTORED: Final = str.maketrans({"\ue010": "<", "\ue011": ">", "\ue012": "[", "\ue013": "]", "\ue014": "&"})
_TEMPLATED: Final = re.compile(r"\{\{[%<].{0,40}?\"([^\"]{1,80})\"")
_CHARACTER_CLASS: Final = re.compile(r"[A-Za-z0-9]-[A-Za-z0-9](?![A-Za-z])|\^")
_COMMENT: Final = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_RAW: Final = re.compile(
    r"<(script|style|pre|code|textarea|svg|math)\b[^<>]{0,2000}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_INDENTED: Final = re.compile(r"(?: {4}|\t)")
_LIST: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_TICKS: Final = re.compile(r"`+")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_LINK: Final = re.compile(
    r"\]\([ \t]*\n?[ \t]*(?:<([^<>\n]{0,2000})>|([^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500}){0,5}))"
    r"(?:[ \t\n]+(?:\"[^\"]{0,1000}\"|'[^']{0,1000}'|\([^()]{0,1000}\)))?[ \t\n]{0,20}\)"
)
_REFERENCE: Final = re.compile(r"(?<![\\\w\])])\[([^\[\]\n]{1,300})\]\[([^\[\]\n]{0,200})\](?![\[(:])")
_DEFINITION: Final = re.compile(
    r"^ {0,3}(?:> ?){0,3}\[([^\[\]\n]{1,200})\]:[ \t]*\n?[ \t]*<?([^\s<>]{1,2000})", re.MULTILINE
)
_TAG: Final = re.compile(r"<[A-Za-z][A-Za-z0-9.:-]{0,60}(?:\s[^<>]{0,3000})?>")
_ATTRIBUTE: Final = re.compile(
    r"(?:^|\s)(href|src|id|name)\s{0,3}=\s{0,3}(?:\"([^\"]{0,2000})\"|'([^']{0,2000})'|([^\s\"'>{]{1,2000}))",
    re.IGNORECASE,
)
_ANY_ID: Final = re.compile(r"\{:?[ \t]*#([\w\u0080-\U0010ffff.:-]{1,200})[^{}\n]{0,80}\}")
_WORDY: Final = re.compile(r"\w")
MAX_BLANKED: Final = 5_000
"""How many lines an element that hides its content may have; a longer one was most likely never closed."""


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment: its text, where it stands, and whether it stands alone on its lines."""

    text: str
    line: int
    start: int
    alone: bool
    last_line: int


@dataclass(frozen=True, slots=True)
class Address:
    """Where a link leads, as written."""

    url: str
    line: int


@dataclass(eq=False)
class PageText:
    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]

    def line_at(self, position: int) -> int:
        return bisect_right(self.starts, position)

    @cached_property
    def front_end(self) -> int:
        front = _FRONT.match(self.text)
        return front.end() if front else 0

    @cached_property
    def fenced(self) -> str:
        """The text without front matter and fenced or indented code."""
        lines = self.text.split("\n")
        number = self.text.count("\n", 0, self.front_end)
        for at in range(number):
            lines[at] = " " * len(lines[at])
        if self.front_end and self.text[self.front_end - 1] != "\n":
            lines[number] = " " * len(lines[number])
        fence, listed, blank, indented = "", False, True, False
        for at in range(number, len(lines)):
            line = lines[at]
            stripped = line.strip()
            if fence:
                lines[at] = " " * len(line)
                bare = stripped.lstrip("> ")
                if bare.startswith(fence) and not bare.strip(fence[0]):
                    fence = ""
                continue
            if not stripped:
                blank = True
                continue
            if line[0] in " \t" and not listed and (blank or indented) and _INDENTED.match(line):
                lines[at] = " " * len(line)
                indented, blank = True, False
                continue
            indented = False
            if (
                ("```" in line or "~~~" in line)
                and (found := _FENCE.match(line))
                and not (found[1][0] == "`" and "`" in found[2])
            ):
                fence = found[1]
                lines[at] = " " * len(line)
            elif stripped.startswith(":::") and _VERBATIM.match(stripped):
                fence = ":::"
            if _LIST.match(line):
                listed = True
            elif blank and line[0] not in " \t":
                listed = False
            blank = False
        return "\n".join(lines)

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        if "<!--" not in self.fenced:
            return ()
        return tuple(self._comments())

    def _comments(self) -> Iterator[Comment]:
        text = self._without_ticks(self.fenced)
        for found in _COMMENT.finditer(text):
            line, last = self.line_at(found.start()), self.line_at(max(found.start(), found.end() - 1))
            before = text[max(self.starts[line - 1], found.start() - 200) : found.start()]
            end = text.find("\n", found.end())
            after = text[found.end() : min(found.end() + 200, end if end >= 0 else len(text))]
            alone = not before.strip(" \t>-*+") and not after.strip()
            yield Comment(self.text[found.start(1) : found.end(1)], line, found.start(), alone, last)

    def _without_ticks(self, text: str) -> str:
        """Inline code blanked, paragraph by paragraph: a run of backticks ends at the next one of its length."""
        if "`" not in text:
            return text
        cuts: list[tuple[int, int]] = []
        at = 0
        for paragraph in re.split(r"(\n[ \t]*\n)", text):
            if "`" in paragraph:
                cuts += self._code_spans(paragraph, at)
            at += len(paragraph)
        parts, end = [], 0
        for start, stop in cuts:
            parts.append(text[end:start])
            parts.append("".join("\n" if char == "\n" else " " for char in text[start:stop]))
            end = stop
        return "".join((*parts, text[end:]))

    @staticmethod
    def _code_spans(paragraph: str, offset: int) -> Iterator[tuple[int, int]]:
        runs = [(found.start(), found.end()) for found in _TICKS.finditer(paragraph)]
        following: dict[int, int] = {}
        closing = [-1] * len(runs)
        for number in range(len(runs) - 1, -1, -1):
            size = runs[number][1] - runs[number][0]
            closing[number] = following.get(size, -1)
            following[size] = number
        number = 0
        while number < len(runs):
            if runs[number][0] and paragraph[runs[number][0] - 1] == "\\":
                number += 1
                continue
            other = closing[number]
            if other < 0:
                number += 1
                continue
            yield offset + runs[number][0], offset + runs[other][1]
            number = other + 1

    @cached_property
    def prose(self) -> str:
        """What is neither front matter nor code nor comment; everything else stands where it stood."""
        text = self._without_ticks(self.fenced)
        if "<!--" in text:
            text = _COMMENT.sub(_blank, text)
        if "<" in text:
            text = _RAW.sub(lambda found: _blank(found) if found[0].count("\n") < MAX_BLANKED else found[0], text)
        return text

    @cached_property
    def headings(self) -> tuple[tuple[str, int], ...]:
        """The visible text of each heading with its line; ids written behind them are left out."""
        return tuple((text, line) for text, _, line in self._headings)

    @cached_property
    def _headings(self) -> tuple[tuple[str, str, int], ...]:
        return tuple(self._find_headings())

    def _find_headings(self) -> Iterator[tuple[str, str, int]]:
        marked = _COMMENT.sub(_blank, self.fenced).split("\n") if "<!--" in self.fenced else self.fenced.split("\n")
        for at, line in enumerate(marked):
            if line.lstrip(" >")[:1] == "#" and (
                found := _HEADING.match(line.lstrip(">").removeprefix(" ") if line.startswith(">") else line)
            ):
                yield self._heading(found[2] or "", at + 1)
            elif (
                at
                and line[:1] in "=- "
                and _UNDERLINE.match(line)
                and marked[at - 1].strip()
                and not _LIST.match(marked[at - 1])
                and "|" not in marked[at - 1]
            ):
                yield self._heading(marked[at - 1].strip(), at)

    @staticmethod
    def _heading(written: str, line: int) -> tuple[str, str, int]:
        explicit = EXPLICIT.search(written) if written.endswith("}") else None
        title = written[: explicit.start()] if explicit else written
        return _shown(title), explicit[1] if explicit else "", line

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that are written by hand, in headings, HTML tags and attribute lists."""
        found = {explicit for _, explicit, _ in self._headings if explicit}
        for title, _, _ in self._headings:
            if "{{" in title and (named := _TEMPLATED.search(title)):
                found.add(f"\0{squeezed(named[1])}")
        if "<" in self.text:
            found.update(value for name, value, _ in self._attributes(self.text) if name in ("id", "name"))
        if "#" in self.text:
            found.update(each[1] for each in _ANY_ID.finditer(self.text))
        return frozenset(found)

    def _attributes(self, text: str) -> Iterator[tuple[str, str, int]]:
        for tag in _TAG.finditer(text):
            if "=" in tag[0]:
                for found in _ATTRIBUTE.finditer(tag[0]):
                    value = found[2] if found[2] is not None else found[3] if found[3] is not None else found[4]
                    yield found[1].lower(), unescape(value or ""), tag.start()

    @cached_property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of links, images and definitions, and of HTML `href` and `src`, each once a line."""
        return tuple(dict.fromkeys(self._addresses()))

    def _addresses(self) -> Iterator[Address]:
        prose = self.prose
        for found in _LINK.finditer(prose) if "](" in prose else ():
            before = prose[max(0, found.start() - 3000) : found.start()]
            if "[" in before.rpartition("\n\n")[2] and not before.endswith("\\"):
                written = found[1] if found[1] is not None else found[2]
                yield Address(unescape(_ESCAPE.sub(r"\1", written)), self.line_at(found.start()))
        for found in _DEFINITION.finditer(prose) if "]:" in prose else ():
            if not found[1].startswith("^"):
                yield Address(unescape(found[2]), self.line_at(found.start(1)))
        for name, value, at in self._attributes(prose) if "<" in prose else ():
            if name in ("href", "src"):
                yield Address(value, self.line_at(at))

    @cached_property
    def undefined_references(self) -> tuple[tuple[str, str, int], ...]:
        """Text, label and line of each reference link whose label nothing defines."""
        if "][" not in self.prose:
            return ()
        defined = {_label(found[1]) for found in _DEFINITION.finditer(self.fenced)}
        return tuple(
            (found[1], found[2] or found[1], self.line_at(found.start()))
            for found in _REFERENCE.finditer(self.prose)
            if _label(found[2] or found[1]) not in defined
            and _WORDY.search(found[1])
            and not _CHARACTER_CLASS.search(found[0])
        )

    def prose_line(self, line: int) -> str:
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""

    def fenced_line(self, line: int) -> str:
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.fenced)
        return self.fenced[self.starts[line - 1] : end] if 0 < line < len(self.starts) else ""

    @cached_property
    def _lines(self) -> list[str]:
        return self.prose.split("\n")

    def block_lines(self, line: int) -> range:
        """The lines of the block that begins at a line, or at the next line that is not empty."""
        lines = self._lines
        first = line
        while first <= len(lines) and not lines[first - 1].strip():
            first += 1
        last = first
        while last < len(lines) and lines[last].strip() and not _LIST.match(lines[last]):
            last += 1
        return range(first, last + 1)


def _shown(title: str) -> str:
    """A heading as its reader sees it, letter by letter: site tools make ids of exactly that."""
    if "`" in title:
        title = _CODE_SPAN.sub(lambda found: found[0].translate(_KEPT), title)
    return " ".join(without_markup(title).translate(_RESTORED).split())


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def squeezed(text: str) -> str:
    """Letters and digits only: a heading that a template makes (`{{% heading "whatsnext" %}}`) is known by its name."""
    return "".join(filter(str.isalnum, text.casefold()))


def _label(written: str) -> str:
    return " ".join(written.casefold().split())
