"""A draft as a writer edits it: blocks and sentences of the source text, each with its claim markers and its place.

The gates read a page for what it says; here the same text is cut so that a sentence can be taken out, replaced or
marked, and everything else stays as it is. A bold lead-in (`**Water.** …`) belongs to its block, not to the first
sentence: it stays while any sentence stays, and goes with the last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from signoff.artifacts.markdown_parsing import CLAIM_COMMENT, CLAIM_ID, MARK, sentence_ends, squeeze
from signoff.workflows.solution_page.documents.page_template import Lang

BlockKind = Literal["heading", "item", "paragraph", "row", "code"]

_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_RULE = re.compile(r"\|[\s:|-]+\|?$")
_LEAD = re.compile(r"\*\*[^*\n]+(?:[.:!?。：！？]\*\*|\*\*[.:。：])[ \t]*(?=\S)")
_CODE = re.compile(r"`[^`\n]*`|\]\([^()\s]*\)")
_CLOSED = re.compile(r"(?<=[.!?。！？…])[*_]{1,3}")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_MARKUP = re.compile(r"[*_`]+")
_ENDS = re.compile(r"""[.!?。！？…]["'”’)）]*$""")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence with its markers: `page[start:end]`, no white space around it."""

    start: int
    end: int
    raw: str

    @property
    def claims(self) -> tuple[str, ...]:
        return tuple(_id_of(found.group()) for found in CLAIM_COMMENT.finditer(self.raw))

    @property
    def words(self) -> str:
        """What a reader sees of it."""
        return squeeze(_MARKUP.sub("", _LINK.sub(r"\1", CLAIM_COMMENT.sub("", self.raw))))


@dataclass(frozen=True)
class Block:
    """A paragraph, list item, heading or table row; `page[start:end]` is whole lines without the last line end."""

    kind: BlockKind
    start: int
    end: int
    raw: str
    level: int = 0

    @property
    def is_rule(self) -> bool:
        """The line under the head of a table."""
        return self.kind == "row" and bool(_RULE.match(self.raw.strip()))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        if self.kind == "code" or self.is_rule:
            return ()
        at = self._body
        ends = [len(self.raw)] if self.kind in ("heading", "row") else _ends(self.raw, at)
        return tuple(self._cut(start, end) for start, end in zip([at, *ends], ends, strict=False) if start < end)

    @property
    def _body(self) -> int:
        """Where the sentences begin: behind the bullet, the hashes and the bold lead-in."""
        found = (_HEADING if self.kind == "heading" else _BULLET).match(self.raw) if self.kind != "row" else None
        at = found.end() if found and self.kind != "paragraph" else 0
        lead = _LEAD.match(self.raw, at)
        return lead.end() if lead else at

    def _cut(self, start: int, end: int) -> Piece:
        raw = self.raw[start:end]
        start += len(raw) - len(raw.lstrip())
        return Piece(self.start + start, self.start + start + len(raw.strip()), raw.strip())

    def rebuilt(self, pieces: Sequence[str | None]) -> str:
        """The block with these texts in place of its sentences; None leaves one out."""
        kept, at = "", self.pieces[0].start
        head = self.raw[: at - self.start]
        for piece, text in zip(self.pieces, pieces, strict=True):
            if text is not None:
                gap = self.raw[at - self.start : piece.start - self.start]
                kept += (gap if kept else "") + text
            at = piece.end
        return head + kept


def marker(claim_id: str) -> str:
    """The comment that says which claim the words before it state."""
    return f"<!-- claim_id: {claim_id} -->"


def marked(text: str, claim_ids: Iterable[str]) -> str:
    return " ".join([text, *map(marker, claim_ids)])


def unmarked(text: str, claim_ids: Iterable[str]) -> str:
    """The text without the markers of these claims."""
    gone = set(claim_ids)
    return re.sub(
        rf" ?{CLAIM_COMMENT.pattern}",
        lambda found: "" if _id_of(found.group()) in gone else found.group(),
        text,
        flags=CLAIM_COMMENT.flags,
    )


def sentence(text: str, lang: Lang) -> str:
    """A claim's text as a sentence of its own."""
    text = text.strip()
    if lang == "en":
        text = text[:1].upper() + text[1:]
    return text if _ENDS.search(text) else text + ("." if lang == "en" else "。")


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a draft, in order. Blank lines separate; bullets, headings and rows begin anew."""
    return tuple(_blocks(list(_lines(text))))


def _id_of(comment: str) -> str:
    found = CLAIM_ID.search(comment.upper())
    return found.group() if found else ""


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _blocks(lines: Sequence[tuple[int, str]]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        start, line = lines[at]
        if not line.strip():
            at += 1
            continue
        kind, level = _kind(line)
        last = _last_line(lines, at, kind)
        raw = "\n".join(text for _, text in lines[at : last + 1])
        yield Block(kind, start, start + len(raw), raw, level)
        at = last + 1


def _kind(line: str) -> tuple[BlockKind, int]:
    if found := _HEADING.match(line):
        return "heading", len(found[1])
    if _FENCE.match(line):
        return "code", 0
    if line.lstrip().startswith("|"):
        return "row", 0
    return ("item", 0) if _BULLET.match(line) else ("paragraph", 0)


def _last_line(lines: Sequence[tuple[int, str]], first: int, kind: BlockKind) -> int:
    if kind in ("heading", "row"):
        return first
    last = first
    while last + 1 < len(lines):
        following = lines[last + 1][1]
        if kind == "code":
            last += 1
            if _FENCE.match(following):
                return last
            continue
        if not following.strip() or _kind(following)[0] != "paragraph":
            return last
        last += 1
    return last


def _ends(raw: str, start: int) -> list[int]:
    """Where the sentences end; markup that would hide a stop is made harmless, place for place."""
    masked = CLAIM_COMMENT.sub(lambda found: MARK * len(found.group()), raw)
    masked = _CODE.sub(lambda found: "x" * len(found.group()), masked)
    masked = _CLOSED.sub(lambda found: ")" * len(found.group()), masked).replace("\n", " ")
    return [start + end for end in sentence_ends(masked[start:])]
