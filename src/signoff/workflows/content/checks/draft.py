"""A text as the checks see it: what a reader sees of it, line by line, without its front matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from signoff.artifacts import markdown, words
from signoff.artifacts.markdown import Block, Heading, Page
from signoff.core.findings import Severity
from signoff.evidence.shared_words import HAN, clipped, sentences
from signoff.workflows.content.checks.project_documents import Documents

QUOTED: Final = 70
"""How much of a sentence is quoted: enough to find it."""

_LETTERS: Final = re.compile(r"[^\W\d_]")
_FRONT: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?:(?!\1[ \t]*\n)[^\n]*\n)*+\1[ \t]*(?:\n|\Z)")
_SECTION: Final = re.compile(r"<!--\s*section:\s*([a-z][a-z-]{0,40})\s*-->")
_META: Final = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\**(title|description)\**[ \t]*:\**[ \t]*(\S.*)$", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is wrong: where, what, and what would repair it."""

    line: int
    problem: str
    repair: str
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the line on which its paragraph begins."""

    text: str
    line: int


@dataclass(frozen=True)
class Draft:
    """A text with the documents that it is checked against."""

    text: str
    documents: Documents

    @cached_property
    def front(self) -> str:
        """The front matter: fields for programs, which no reader sees and no check judges."""
        found = _FRONT.match(self._text)
        return found.group() if found else ""

    @cached_property
    def body(self) -> str:
        """The text without its front matter; lines keep their numbers."""
        return "\n" * self.front.count("\n") + self._text.removeprefix(self.front)

    @cached_property
    def _text(self) -> str:
        return self.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def page(self) -> Page:
        """The body; of one that is too long, its beginning."""
        return markdown.parse(self.body[: markdown.MAX_CHARS])

    @cached_property
    def marks(self) -> tuple[tuple[str, int], ...]:
        """The comments that name a section, `<!-- section: hero -->`, with their lines."""
        comments = ((block.line, _SECTION.search(block.text)) for block in self.page.blocks if block.kind == "html")
        return tuple((found.group(1), line) for line, found in comments if found)

    @cached_property
    def meta_line(self) -> int:
        """Where the lines for search engines begin: at their comment, or at a paragraph with `Title:`."""
        lines = (block.line for block in self.page.blocks if block.kind == "paragraph" and _META.match(block.text))
        return min([*(line for name, line in self.marks if name == "meta"), *lines], default=self.last_line + 1)

    @cached_property
    def meta(self) -> Mapping[str, tuple[str, int]]:
        """`title` and `description` for search engines, each with its line."""
        below = (block for block in self.page.blocks if block.line >= self.meta_line and block.kind != "code")
        found = ((block.line, name, text) for block in below for name, text in _META.findall(block.text))
        return {name.lower(): (text.strip(" *\"'"), line) for line, name, text in found}

    @cached_property
    def titled(self) -> frozenset[str]:
        """Which of the two a site takes from the front matter."""
        return frozenset(name.lower() for name, _ in _META.findall(self.front))

    @property
    def last_line(self) -> int:
        """The last line with anything on it."""
        return max((block.last_line for block in self.page.blocks), default=1)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """What a visitor reads: everything above the lines for search engines, but code and comments."""
        above = (block for block in self.page.blocks if block.line < self.meta_line)
        return tuple(block for block in above if block.kind not in ("html", "code") and block.visible)

    @cached_property
    def prose(self) -> tuple[Said, ...]:
        """The sentences of paragraphs and list items."""
        return tuple(_said(block for block in self.blocks if block.kind in ("paragraph", "item")))

    @cached_property
    def seen(self) -> tuple[Said, ...]:
        """Everything that is read: headings, sentences, cells, and the lines for search engines."""
        meta = (Said(text, line) for text, line in self.meta.values())
        return (*_said(self.blocks), *meta)

    @property
    def headings(self) -> tuple[Heading, ...]:
        return tuple(heading for heading in self.page.headings if heading.line < self.meta_line)

    @cached_property
    def is_english(self) -> bool:
        """Whether a check of English sentences has something to look at."""
        sample = self.body[:20_000]
        letters = len(_LETTERS.findall(sample))
        return letters > 0 and len(HAN.findall(sample)) * 3 < letters


def _said(blocks: Iterable[Block]) -> Iterable[Said]:
    return (Said(text, block.line) for block in blocks for text in sentences(block.visible))


Find = Callable[[Draft], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Check:
    """A check by its name; `lacks` says what it needs and does not have, and nothing if it can be made."""

    name: str
    find: Find
    lacks: Callable[[Draft], str] = lambda _draft: ""


def count(text: str) -> int:
    return words.count_en(text)


def quoted(text: str) -> str:
    return f"“{clipped(text, QUOTED)}”"
