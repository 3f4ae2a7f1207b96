"""A Markdown page as the gates see it: headings, sections, sentences, links and claim markers, each with its line.

CommonMark with tables, parsed once per page by markdown-it; the text itself is never changed. Frontmatter is not
content. A claim marker is the comment `<!-- claim_id: C-XXX-NNN -->` on one line, in any case and spacing, outside
code. It marks:

- the sentence it stands in or directly after; in a heading or table cell, the heading or cell;
- with several markers in one sentence, the words since the group before it; markers with nothing but white space
  or punctuation between them are one group and share one span;
- at the very start of a block, the sentence that follows;
- on lines of its own, or as a whole list item, the last sentence before it (of a table: the last cell; after code:
  nothing); alone in a cell, the cell before it in the row.

Two texts are kept apart: what a reader sees (headings, sentences and spans: with inline code) and what counts as
words (`visible`, `first_paragraph`: without it). Neither has URLs, image descriptions, comments or tags.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

from markdown_it.token import Token

from signoff.artifacts.markdown_parsing import (
    BARE,
    CLAIM_ID,
    CLAIMS,
    MARK,
    MARKUP,
    SEAL,
    SEALED,
    Atom,
    Claim,
    Marks,
    Run,
    Source,
    anchor_of,
    closed_html,
    has_text,
    html_parser,
    masked,
    page_parser,
    prose,
    runs,
    shown,
    spans,
    squeeze,
    without_urls,
)
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

__all__ = [
    "CLAIM_ID",
    "MAX_CHARS",
    "BadMarker",
    "Block",
    "BrokenReference",
    "Heading",
    "Link",
    "Marker",
    "Page",
    "Section",
    "Sentence",
    "anchor_of",
    "broken_references",
    "parse",
    "strip_claims",
]

MAX_CHARS = 200_000
"""A hundred printed pages. The slowest text of this size (nothing but brackets) takes a second or two."""

BlockKind = Literal["paragraph", "item", "cell", "heading", "html", "code"]
LinkKind = Literal["link", "image", "autolink"]

_OPAQUE_HTML = re.compile(r"\s*<(?:script|style|pre|textarea)\b", re.IGNORECASE)
_PHRASE_TAG = re.compile(
    r"<(?:!|\?|/?(?:a|abbr|b|cite|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|u)\b)", re.IGNORECASE
)
_LINE_END = re.compile("\n")
_UNLINKED = re.compile(r"(?<![\w\]])\[([^\[\]]+)\]\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Heading:
    """`line` is 1-based; `last_line` differs from it only for underlined headings of several lines."""

    level: int
    text: str
    line: int
    anchor: str
    last_line: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines it governs, its own included; `body` is those after it."""

    heading: Heading
    lines: range

    @property
    def body(self) -> range:
        return range(self.heading.last_line + 1, self.lines.stop)


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf of the page. `text` is its source (claim comments kept), `section` the index of the heading above it."""

    kind: BlockKind
    text: str
    line: int
    last_line: int
    section: int | None
    atoms: tuple[Atom, ...] = field(default=(), repr=False)

    @property
    def visible(self) -> str:
        return prose(self.atoms)


@dataclass(frozen=True, slots=True)
class Link:
    """A URL as written (nothing is percent-encoded), where the link stands; a reference has its definition's URL."""

    url: str
    line: int
    kind: LinkKind
    text: str


@dataclass(frozen=True, slots=True)
class Marker:
    """A claim marker; `text[start:end]` of the page is its comment."""

    claim_id: str
    line: int
    span: str
    group: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BadMarker:
    """A comment that looks like a claim marker and is not valid, or a marker that marks no text."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, heading or table cell, and the ids of the claims that mark any part of it."""

    text: str
    line: int
    kind: BlockKind
    markers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrokenReference:
    """`[text][label]` with a label that nothing defines: it is shown to the reader with its brackets."""

    label: str
    text: str
    line: int


@dataclass(frozen=True)
class Page:
    text: str = field(repr=False)
    line_count: int
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...] = field(repr=False)
    links: tuple[Link, ...]
    markers: tuple[Marker, ...]
    bad_markers: tuple[BadMarker, ...]
    all_sentences: tuple[Sentence, ...] = field(repr=False)

    def section(self, heading: Heading) -> Section:
        """From the heading to the next one of the same or a higher level."""
        after = (other.line for other in self.headings if other.line > heading.line and other.level <= heading.level)
        return Section(heading, range(heading.line, next(after, self.line_count + 1)))

    def sections(self, level: int = 2) -> tuple[Section, ...]:
        return tuple(self.section(heading) for heading in self.headings if heading.level == level)

    def visible(self, lines: range | None = None) -> str:
        """The words to count, a line per block; only of the blocks that begin in `lines`, when given."""
        kept = (block.visible for block in self.blocks if lines is None or block.line in lines)
        return "\n".join(text for text in kept if text)

    def first_paragraph(self, section: Section) -> tuple[str, int] | None:
        """Its words to count, and its line. Quotations are paragraphs; lists and tables are not."""
        for block in self.blocks:
            if block.kind == "paragraph" and block.line in section.body and block.visible:
                return block.visible, block.line
        return None

    def sentences(self) -> tuple[Sentence, ...]:
        return self.all_sentences


@lru_cache(maxsize=4)  # each gate reads the same page, and so does strip_claims
def parse(text: str, marks: Marks = CLAIMS) -> Page:
    """Read a page. A text beyond `MAX_CHARS` is refused, not parsed."""
    if len(text) > MAX_CHARS:
        problem = f"the text has {len(text):,} characters, at most {MAX_CHARS:,} are read as Markdown"
        repair = "split it into several documents, or take out what is not text of the page"
        raise DocumentError([Finding(rule="markdown.size", problem=problem, repair=repair)])
    source = Source(text, marks)
    reading = _Reading(source, source.leading_claims())
    if reading.hides_a_leading_claim():
        # The claim stands inside a comment that it closes: only CommonMark's own reading is right about what follows.
        reading = _Reading(source, frozenset())
    return reading.page()


def strip_claims(text: str, marks: Marks = CLAIMS) -> str:
    """Remove each marker and the space before it; every other character stays as it is.

    A marker that only appears after a removal (a comment inside of a comment) is removed too: stripping twice changes
    nothing.
    """
    for _ in range(8):
        if not marks.comment.search(text):
            break
        markers = parse(text, marks).markers
        if not markers:
            break
        text = _cut(text, markers)
    return text


def broken_references(page: Page) -> tuple[BrokenReference, ...]:
    """References without a definition: CommonMark shows them as text, and the writer meant a link."""
    return tuple(broken for block in page.blocks if "][" in block.text for broken in _broken_in(block))


def _cut(text: str, markers: Sequence[Marker]) -> str:
    kept, begin = list[str](), 0
    for marker in markers:
        spaced = marker.start > begin and text[marker.start - 1] == " "
        kept.append(text[begin : marker.start - spaced])
        begin = marker.end
    return "".join([*kept, text[begin:]])


def _broken_in(block: Block) -> Iterator[BrokenReference]:
    text, starts, offset = masked(block.atoms), list[int](), 0
    for atom in block.atoms:
        starts.append(offset)
        offset += len(atom.text)
    for found in _UNLINKED.finditer(text):
        label = squeeze(found.group(2) or found.group(1))
        if label:
            line = block.atoms[bisect_right(starts, found.start()) - 1].line
            yield BrokenReference(label, squeeze(found.group(1)), line)


class _Reading:
    """One walk over the tokens of a page."""

    def __init__(self, source: Source, bare: frozenset[int]) -> None:
        self.source, self.bare = source, bare
        self.parser, self.definitions = page_parser(), dict[str, Any]()
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.bad: list[BadMarker] = []
        self.runs: list[tuple[Run, BlockKind]] = []
        self.in_code: set[int] = set()
        self._anchors: dict[str, int] = {}
        self._items = 0
        self._level = 0
        self._kind: BlockKind = "paragraph"
        for token in self.parser.parse(source.sealed(bare), self.definitions):
            self._read(token)

    @cached_property
    def placed(self) -> frozenset[int]:
        return frozenset(claim for run, _ in self.runs for claim in run.claims)

    def hides_a_leading_claim(self) -> bool:
        return bool(self.bare - self.placed - self.in_code)

    def page(self) -> Page:
        source = self.source
        lost = [n for n in range(len(source.claims)) if n not in self.placed and n not in self.in_code]
        bad = [*self.bad, *(self._bad_claim(source.claims[number]) for number in lost)]
        return Page(
            text=source.text,
            line_count=len(source.starts),
            headings=tuple(self.headings),
            blocks=tuple(self.blocks),
            links=tuple(self.links),
            markers=tuple(sorted(self._markers(), key=lambda marker: marker.start)),
            bad_markers=tuple(sorted(bad, key=lambda marker: marker.line)),
            all_sentences=tuple(self._sentences()),
        )

    def _bad_claim(self, claim: Claim) -> BadMarker:
        return BadMarker(self.source.text[claim.start : claim.end], claim.line)

    def _markers(self) -> Iterator[Marker]:
        group = 0
        for run, _ in self.runs:
            for span in spans(run):
                for claim in (self.source.claims[number] for number in span.claims):
                    yield Marker(claim.claim_id, claim.line, span.text, group, claim.start, claim.end)
                group += 1

    def _sentences(self) -> Iterator[Sentence]:
        for run, kind in self.runs:
            if run.has_words:
                ids = tuple(self.source.claims[number].claim_id for number in run.claims)
                yield Sentence(run.plain, run.line, kind, ids)

    def _read(self, token: Token) -> None:
        match token.type:
            case "list_item_open" | "list_item_close":
                self._items += token.nesting
            case "heading_open":
                self._kind, self._level = "heading", int(token.tag[1])
            case "th_open" | "td_open":
                self._kind = "cell"
            case "paragraph_open":
                self._kind = "item" if self._items else "paragraph"
            case "inline":
                self._inline(token)
            case "html_block":
                self._html(token)
            case "fence" | "code_block":
                self._code(token)

    def _inline(self, token: Token) -> None:
        line, last = _lines(token)
        atoms = self._plain(token.content, line)
        if atoms is None:
            children = self.parser.inline.parse(token.content, self.parser, self.definitions, [])
            atoms = self._atoms(children, token.content, line)
        if self._kind == "heading":
            self.headings.append(self._heading(shown(atoms), line, last))
        self._add(self._kind, token.content, (line, last), atoms)

    def _plain(self, content: str, line: int) -> list[Atom] | None:
        """The atoms of content whose only markup is claim comments (most of a page), or None."""
        if not MARKUP.search(content):
            return self._text(content, line)
        pieces = SEALED.split(content)
        if len(pieces) == 1 or any(MARKUP.search(piece) for piece in pieces[::2]):
            return None
        atoms: list[Atom] = []
        for place, piece in enumerate(pieces):
            if place % 2:
                atoms.append(Atom("claim", MARK, line, int(piece)))
            elif piece:
                atoms += self._text(piece, line)
        return atoms

    def _heading(self, text: str, line: int, last: int) -> Heading:
        return Heading(self._level, text, line, self._anchor(anchor_of(text)), last)

    def _anchor(self, base: str) -> str:
        anchor, taken = base, self._anchors
        while anchor in taken:
            taken[base] += 1
            anchor = f"{base}-{taken[base]}"
        taken[anchor] = 0
        return anchor

    def _html(self, token: Token) -> None:
        if _OPAQUE_HTML.match(token.content):
            self._code(token)
            return
        line, last = _lines(token)
        content = closed_html(token.content)
        parser = html_parser()
        atoms = self._atoms(parser.inline.parse(content, parser, {}, []), content, line)
        self._add("html", token.content, (line, last), atoms)

    def _code(self, token: Token) -> None:
        self._note_code(token.content)
        self._add("code", token.content, _lines(token), [])

    def _note_code(self, content: str) -> None:
        self.in_code.update(int(number) for number in BARE.findall(content))

    def _add(self, kind: BlockKind, content: str, lines: tuple[int, int], atoms: list[Atom]) -> None:
        section = len(self.headings) - 1 if self.headings else None
        text = self.source.unsealed(content)
        previous = self.blocks[-1] if self.blocks else None
        self.blocks.append(Block(kind, text, *lines, section, tuple(atoms)))
        if kind == "code" or not atoms:
            return
        if kind == "heading" or has_text(atoms):
            self.runs += [(run, kind) for run in runs(atoms, whole=kind in ("heading", "cell"))]
        else:
            self._add_lone(kind, lines[0], [atom.claim for atom in atoms if atom.kind == "claim"], previous)

    def _add_lone(self, kind: BlockKind, line: int, claims: list[int], previous: Block | None) -> None:
        """Markers without text of their own mark the text before them."""
        other_row = kind == "cell" and (previous is None or previous.kind != "cell" or previous.line != line)
        after_code = previous is not None and previous.kind == "code"
        if claims and (not self.runs or other_row or after_code):
            self.runs.append((Run("", line), kind))
        if claims:
            run = self.runs[-1][0]
            run.text += MARK * len(claims)
            run.claims += claims

    def _atoms(self, tokens: Sequence[Token], content: str, line: int) -> list[Atom]:
        newlines = [newline.start() for newline in _LINE_END.finditer(content)] if "\n" in content else []
        atoms: list[Atom] = []
        opened: tuple[Token, int, int] | None = None
        for token in tokens:
            at = line + bisect_left(newlines, token.meta.get("pos", 0))
            if token.type == "link_open":
                opened = token, at, len(atoms)
            elif token.type == "link_close" and opened:
                self._link(*opened, atoms)
                opened = None
            else:
                atoms += self._atom(token, at)
        return atoms

    def _link(self, token: Token, line: int, begin: int, atoms: list[Atom]) -> None:
        automatic = token.markup == "autolink"
        url = self.source.unsealed(str(token.attrs["href"]))
        text = url if automatic else shown(atoms[begin:])
        if automatic:
            del atoms[begin:]
        self.links.append(Link(url, line, "autolink" if automatic else "link", text))

    def _atom(self, token: Token, line: int) -> Iterable[Atom]:
        match token.type:
            case "text":
                return self._text(token.content, line)
            case "text_special":
                return [Atom("literal", token.content, line)]
            case "softbreak":
                return [Atom("text", " ", line)]
            case "hardbreak":
                return [Atom("break", "\n", line)]
            case "code_inline":
                self._note_code(token.content)
                return [Atom("code", self.source.unsealed(token.content), line)]
            case "html_inline":
                return self._tag(token.content, line)
            case "image":
                self._image(token, line)
        return []

    def _text(self, text: str, line: int) -> list[Atom]:
        if SEAL not in text:
            return [Atom("text", without_urls(text), line)]
        atoms = []
        for place, piece in enumerate(BARE.split(text)):
            if place % 2 and int(piece) in self.bare:
                atoms.append(Atom("claim", MARK, line, int(piece)))
            elif place % 2:
                atoms.append(Atom("literal", self.source.claim_body(int(piece)), line))
            elif piece:
                atoms.append(Atom("text", without_urls(piece), line))
        return atoms

    def _tag(self, tag: str, line: int) -> list[Atom]:
        sealed = SEALED.fullmatch(tag)
        if sealed:
            return [Atom("claim", MARK, line, int(sealed.group(1)))]
        if tag.startswith("<!--") and SEAL not in tag and self.source.marks.like.search(tag):
            self.bad.append(BadMarker(tag, line))
        return [] if _PHRASE_TAG.match(tag) else [Atom("break", "\n", line)]

    def _image(self, token: Token, line: int) -> None:
        alt = "".join(" " if child.type == "softbreak" else child.content for child in token.children or ())
        url = self.source.unsealed(str(token.attrs["src"]))
        self.links.append(Link(url, line, "image", squeeze(self.source.unsealed(alt))))


def _lines(token: Token) -> tuple[int, int]:
    first, after = token.map or [0, 1]
    return first + 1, max(first + 1, after)
