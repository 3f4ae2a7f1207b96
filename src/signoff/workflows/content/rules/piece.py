"""A draft as the rules see it, and what a rule finds in it.

A rule is a pure function from a `Piece` to what it found. It speaks English: where most of a text is Chinese, rules
about English words and sentences say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, Literal

from signoff.artifacts import markdown, words
from signoff.artifacts.markdown import Block, Page
from signoff.artifacts.markdown_spans import shown
from signoff.workflows.content.rules.foundation import Action, Foundation, Part, foundation, parts
from signoff.workflows.wording import HAN, clipped, sentences

Severity = Literal["high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = ("high", "medium", "low")

WEBSITE, POST = "website", "social-post"
QUOTED: Final = 70
"""How much of a sentence is quoted: enough to find it, little enough that two issues about it do not read alike."""

_LETTERS: Final = re.compile(r"[^\W\d_]")
_FRONT: Final = re.compile(r"\A---[ \t]*\n((?:(?!---)[^\n]*\n)*+)---[ \t]*(?:\n|\Z)")
_META: Final = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?\**(?:meta[ -])?(title|description)\**[ \t]*:\**[ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE: Final = re.compile(r"(?:\[[^\[\]]+\]\([^()\s]*\)|\*\*[^*]+\*\*)", re.DOTALL)
_META_HEADING: Final = re.compile(r"meta(?:[ -]?data)?|search (?:snippet|result)", re.IGNORECASE)
_SECTION: Final = re.compile(r"<!--\s*section:\s*([a-z][a-z-]{0,40})\s*-->")


@dataclass(frozen=True, slots=True)
class Found:
    """One fault: what it is, with what was measured, and what would mend it."""

    rule: str
    severity: Severity
    description: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with the text of the block that it stands in."""

    text: str
    line: int
    block: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A call to action as a draft makes it: a link or bold words that are a paragraph of their own."""

    action: Action
    line: int

    @property
    def label(self) -> str:
        return self.action.label


@dataclass(frozen=True)
class Piece:
    """A draft with the documents it is judged by."""

    text: str
    kind: str
    docs: Mapping[str, str]

    @cached_property
    def foundation(self) -> Foundation:
        return foundation(self.docs)

    @cached_property
    def page(self) -> Page:
        """The draft; of a text that is too long, its beginning."""
        return markdown.parse(self.text[: markdown.MAX_CHARS])

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return parts(self.page)

    @cached_property
    def marks(self) -> Mapping[str, int]:
        """The line of each comment that names a section, `<!-- section: hero -->`."""
        named = ((block.line, _SECTION.search(block.text)) for block in self.page.blocks if block.kind == "html")
        return {found.group(1): line for line, found in reversed(list(named)) if found}

    @cached_property
    def meta_line(self) -> int:
        """Where the meta lines begin: at their comment, their heading, or at a paragraph that begins with `Title:`."""
        if "meta" in self.marks:
            return self.marks["meta"]
        titles = (heading.line for heading in self.page.headings if _META_HEADING.fullmatch(heading.text))
        lines = (block.line for block in self.page.blocks if block.kind == "paragraph" and _META.match(block.text))
        return min([*titles, *lines], default=self.page.line_count + 1)

    @cached_property
    def meta(self) -> Mapping[str, str]:
        """`title` and `description`, from the frontmatter or from the meta lines."""
        front = _FRONT.match(self.text[: markdown.MAX_CHARS])
        lines = [front.group(1)] if front else []
        lines += [block.text for block in self.page.blocks if block.line >= self.meta_line and block.kind != "code"]
        return {name.lower(): text.strip(" *\"'") for name, text in _META.findall("\n".join(lines))}

    @property
    def meta_said(self) -> Iterator[str]:
        """The sentences of the meta lines."""
        return (said for text in self.meta.values() for said in sentences(text))

    @cached_property
    def body(self) -> tuple[Part, ...]:
        """What a visitor reads: everything above the meta lines."""
        cut = (replace(part, blocks=self._above_meta(part)) for part in self.parts)
        return tuple(part for part in cut if part.heading is None or part.heading.line < self.meta_line)

    def _above_meta(self, part: Part) -> tuple[Block, ...]:
        return tuple(block for block in part.blocks if block.line < self.meta_line)

    @cached_property
    def headline(self) -> str:
        """The first heading of level 1; a post begins with its headline, a line or a sentence."""
        found = next((heading.text for heading in self.page.headings if heading.level == 1), "")
        if found or self.kind != POST:
            return found
        return next((said.text for said in self.said), "")

    @property
    def hero(self) -> Part:
        return self.body[0]

    @cached_property
    def prose(self) -> tuple[Block, ...]:
        """What a visitor reads as sentences: paragraphs and list items, calls to action left out."""
        offered = {offer.line for offer in self.offers}
        blocks = (block for part in self.body for block in part.blocks)
        return tuple(
            block
            for block in blocks
            if block.kind in ("paragraph", "item") and block.visible and block.line not in offered
        )

    @cached_property
    def said(self) -> tuple[Said, ...]:
        seen = ((block.line, block.visible) for block in self.prose)
        return tuple(Said(text, line, visible) for line, visible in seen for text in sentences(visible))

    @cached_property
    def opening(self) -> str:
        """The first paragraph under the headline."""
        return self.prose[0].visible if self.prose else ""

    @cached_property
    def words(self) -> int:
        return sum(count(block.visible) for block in self.prose)

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        return tuple(self._offers())

    def _offers(self) -> Iterator[Offer]:
        urls = {link.line: link.url for link in self.page.links if link.kind == "link"}
        for part in self.body:
            for block in part.blocks:
                alone = block.kind == "paragraph" and _ALONE.fullmatch(block.text.strip())
                if alone and (label := shown(block.atoms)) and (block.line in urls or not label.endswith((".", ":"))):
                    yield Offer(Action(label, urls.get(block.line, "")), block.line)

    @cached_property
    def all_words(self) -> str:
        """Everything that a visitor sees, on one line, in lower case."""
        seen = (block.visible for part in self.body for block in part.blocks)
        titles = (part.title for part in self.body)
        return " ".join([*titles, *seen]).casefold()

    @cached_property
    def is_english(self) -> bool:
        """Whether the rules about English words have something to say."""
        sample = self.text[:20_000]
        letters = len(_LETTERS.findall(sample))
        return letters > 0 and len(HAN.findall(sample)) * 3 < letters


@lru_cache(maxsize=8)
def piece_of(text: str, kind: str, docs: tuple[tuple[str, str], ...]) -> Piece:
    """A piece that is kept for the next rule that asks."""
    return Piece(text, kind, dict(docs))


Find = Callable[[Piece], list[Found]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by its name: the aspect it keeps clean, the words that speak of it, and where it has something to say."""

    id: str
    aspect: str
    topics: str
    find: Find
    applies: Callable[[Piece], bool] = lambda _: True

    def __call__(self, piece: Piece) -> list[Found]:
        return self.find(piece) if self.applies(piece) else []


def visible(piece: Piece) -> list[tuple[str, Severity]]:
    """Each line once, with how much a wrong word weighs there: in the headline or a button most."""
    lines = dict[str, Severity](dict.fromkeys((piece.headline, *(offer.label for offer in piece.offers)), "high"))
    headings = (heading.text for heading in piece.page.headings)
    for text in (*headings, *(said.text for said in piece.said), *piece.meta_said):
        lines.setdefault(text, "medium")
    return list(lines.items())


def count(text: str) -> int:
    return words.count_en(text)


def quoted(text: str) -> str:
    return f"“{clipped(text, QUOTED)}”"


def listed(items: Iterable[str], most: int = 4) -> str:
    """Quoted words in a row; of many the first few."""
    named = list(dict.fromkeys(items))
    row = ", ".join(f"“{clipped(item, 40)}”" for item in named[:most])
    return row if len(named) <= most else f"{row} and {len(named) - most} more"


def times(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
