"""Source files as evidence sees them: lines, sections and pages, each a span of text with its place.

What a line stands for depends on the file. In Markdown it is the paragraph, list item or table row it is in. In YAML a
fact may put `value: 6` and `unit: h` on neighbouring lines, so it is the smallest mapping or list item around the line,
when that has at most MAX_ITEM_LINES lines; the document's outermost mapping is no item of anything, there it is the
key with its value. Else, and in every other kind of file, it is the line.

A YAML mapping with a value and a unit also says the two together (`6 h`): `Span.said` carries that for the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from signoff.artifacts import yamlio
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yamltree import Node, tree
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.evidence import canonical
from signoff.evidence.canonical import visible
from signoff.evidence.documents import Document, Piece, read
from signoff.evidence.sources import html_text
from signoff.evidence.sources.pdf.pages import PdfPages

if TYPE_CHECKING:
    from signoff.artifacts import markdown

MAX_ITEM_LINES: Final = 12

Kind = Literal["text", "markdown", "yaml", "pdf", "html"]
_KINDS: Final[Mapping[str, Kind]] = {
    ".md": "markdown", ".markdown": "markdown", ".yaml": "yaml", ".yml": "yaml", ".json": "yaml",
    ".pdf": "pdf", ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """A located piece of a source. `line` is its first line (of the page, for a PDF)."""

    text: str
    line: int
    page: int | None = None
    facts: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The text, and what its mappings say when value and unit are read together."""
        return "\n".join((self.text, *self.facts))


@dataclass(frozen=True)
class Source:
    """A parsed file. The text of a PDF page is taken out when it is asked for; the rest is there at once."""

    path: str
    kind: Kind
    text: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    page_count: int = 0
    _extract: Callable[[int], str] = field(default=lambda _: "", repr=False, compare=False)
    _unseen: Callable[[int], Sequence[str]] = field(default=lambda _: (), repr=False, compare=False)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        lines = re.split(r"\r\n|\r|\n", self.text)
        return tuple(lines[:-1] if lines[-1] == "" else lines)

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """The text of every page of a PDF; empty for a page without a text layer."""
        return tuple(self._extract(number) for number in range(1, self.page_count + 1))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The lines as a reader sees them: without comments and what is hidden or struck out, and without HTML tags."""
        if self.kind not in ("html", "markdown"):
            return self.lines
        return tuple(html_text.flat(self._seen).split("\n")) if self.kind == "html" else tuple(self._seen.split("\n"))

    @cached_property
    def _seen(self) -> str:
        text = "\n".join(self.lines)
        return html_text.without_hidden(text) if self.kind == "html" else canonical.without_hidden(text)

    @cached_property
    def document(self) -> Document:
        """The source in pieces that a claim can rest on: those of tables know their headers."""
        if self.kind == "html":
            return html_text.document(self._seen)
        return read("\n\n".join(self.pages) if self.kind == "pdf" else self.text)

    @cached_property
    def body(self) -> str:
        """What a reader sees, without frontmatter: where a web quote is looked for."""
        return "\n".join(self.shown[_frontmatter_lines(self.lines) :])

    @cached_property
    def _root(self) -> Node | None:
        """Other people's YAML need not be ours: what cannot be parsed still has its lines."""
        try:
            return tree(self.text, self.path, strict=False) if self.kind == "yaml" else None
        except DocumentError:
            return None

    @cached_property
    def _page(self) -> markdown.Page:
        from signoff.artifacts import markdown

        return markdown.parse(self.text)

    @cached_property
    def _headings(self) -> tuple[_Heading, ...]:
        if self.kind == "markdown":
            return tuple(_Heading(h.level, h.text, h.line, h.anchor) for h in self._page.headings)
        return _html_headings(self._seen) if self.kind == "html" else ()

    @property
    def sections(self) -> tuple[str, ...]:
        """The names a section locator may use, for messages."""
        if self._root is not None:
            return tuple(key.value for node in self._root.walk() for key in node.keys)
        return tuple(heading.text for heading in self._headings)

    def line(self, number: int) -> Span | None:
        """The span of a line; None when the file has no such line."""
        if self.kind == "pdf" or not 1 <= number <= len(self.lines):
            return None
        if self.kind == "markdown":
            blocks = (block for block in self._page.blocks if block.kind != "code")
            around = (block for block in blocks if block.line <= number <= block.last_line)
            return next((self._span(block.line, block.last_line) for block in around), self._span(number, number))
        if self._root is not None:
            return self._span(*_yaml_item(self._root, number))
        return self._span(number, number)

    def pieces(self, span: Span) -> list[Piece]:
        """What stands at a place, in the pieces that a claim can rest on."""
        last = span.line + span.text.count("\n")
        if self.kind in ("markdown", "html"):
            inside = [piece for piece in self.document.pieces if span.line <= piece.line <= last]
            return inside or list(read(span.text).pieces)
        if self.kind == "yaml":
            said = visible(" | ".join(line.strip(" -") for line in span.said.split("\n") if line.strip()))
            return [
                *(Piece(visible(line), span.line) for line in span.said.split("\n") if line.strip()),
                Piece(said, span.line),
            ]
        lines = [Piece(visible(line), span.line, kind="line") for line in span.text.split("\n") if line.strip()]
        return [*read(span.text).pieces, *lines]

    def version(self, wanted: str) -> range | None:
        """The lines that hold for a version: those below a heading that names it, or all of a file that is of it."""
        named = re.compile(rf"(?<![\w.])v?{re.escape(wanted.lstrip('vV'))}(?![\w]|\.\d)", re.IGNORECASE)
        for heading in self._headings:
            if heading.level > 1 and named.search(heading.text):
                return range(heading.line, _section_end(self._headings, heading, len(self.lines)) + 1)
        first = next((heading.line for heading in self._headings if heading.level > 1), len(self.lines) + 1)
        about = "\n".join((PurePosixPath(self.path).stem.replace("_", "-"), *self.lines[: first - 1]))
        return range(1, len(self.lines) + 1) if named.search(about) else None

    def section(self, name: str, within: range | None = None) -> Span | None:
        """A heading by text or anchor, or a YAML key by name or dotted path, in any case; the first that matches."""
        if self._root is not None:
            found = _yaml_section(self._root, name)
            return self._span(*found) if found else None
        wanted = _folded(name)
        for heading in self._headings:
            if within is not None and heading.line not in within:
                continue
            if wanted in (_folded(heading.text), _folded(heading.anchor)):
                return self._span(heading.line, _section_end(self._headings, heading, len(self.lines)))
        return None

    def page(self, number: int) -> Span | None:
        """A page of a PDF, counted from 1; a page that is there and has no text is a DocumentError."""
        if not 1 <= number <= self.page_count:
            return None
        text = self._extract(number)
        if not text.strip():
            unseen = " and ".join(self._unseen(number))
            problem = f"page {number} has no text layer (a scan or a picture)"
            if unseen:
                problem = f"page {number} has text, and a reader sees none of it: it is {unseen}"
            raise _error(self.path, "no-text", problem, "run text recognition on the PDF, or quote another source")
        return Span(text, 1, number)

    def _span(self, first: int, last: int) -> Span:
        text = "\n".join(self.shown[first - 1 : last])
        facts = _facts(self._root, first, last) if self._root is not None else ()
        return Span(text, first, facts=facts)


def _error(path: str, rule: str, problem: str, repair: str) -> DocumentError:
    return DocumentError([Finding(file=path, rule=f"source.{rule}", problem=problem, repair=repair)])


def _folded(name: str) -> str:
    return " ".join(name.strip().lstrip("#").casefold().split())


def parse_source(data: bytes, path: str) -> Source:
    """The source in these bytes; a DocumentError says why it cannot be read."""
    kind = _KINDS.get(PurePosixPath(path).suffix.lower(), "text")
    if kind == "pdf" or data.startswith(b"%PDF-"):
        pages = PdfPages(data, path)
        return Source(path, "pdf", page_count=pages.count, _extract=pages.text, _unseen=pages.unseen)
    text = decode(data, path)
    return Source(path, kind, text, _meta(text))


def _frontmatter_lines(lines: Sequence[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    return end + 1 if end else 0


def _meta(text: str) -> Mapping[str, Any]:
    """What the frontmatter says; a source whose frontmatter is broken says nothing there."""
    lines = text.splitlines()
    end = _frontmatter_lines(lines)
    try:
        return yamlio.load_mapping("\n".join(lines[1 : end - 1]), "") if end else {}
    except DocumentError:
        return {}


# --- Markdown and HTML -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    line: int
    anchor: str


def _html_headings(html: str) -> tuple[_Heading, ...]:
    return tuple(_Heading(*each) for each in html_text.headings(html))


def _section_end(headings: Sequence[_Heading], heading: _Heading, last: int) -> int:
    later = (other.line for other in headings if other.line > heading.line and other.level <= heading.level)
    return next(later, last + 1) - 1


# --- YAML --------------------------------------------------------------------------------------------------------


_VALUES: Final = ("value", "min", "max", "typical", "值", "数值")
_UNITS: Final = ("unit", "units", "unit_en", "unit_cn", "unit_zh", "单位")


def _yaml_item(root: Node, number: int) -> tuple[int, int]:
    parts = (part for node in root.walk() for part in _yaml_parts(node, root))
    around = [(first, last) for first, last in parts if first <= number <= last and last - first < MAX_ITEM_LINES]
    return min(around, key=lambda part: part[1] - part[0], default=(number, number))


def _yaml_parts(node: Node, root: Node) -> Iterator[tuple[int, int]]:
    """The items of a list; mappings and lists with and without their key, except inside a value or a unit."""
    for i, item in enumerate(node.items):
        if node.kind == "seq":
            yield item.line, item.end_line
            continue
        key = node.keys[i]
        if item.kind != "scalar" and key.value.casefold() not in _VALUES + _UNITS:
            yield item.line, item.end_line
            yield key.line, item.end_line
        elif node is root:
            yield key.line, item.end_line


def _yaml_section(root: Node, name: str) -> tuple[int, int] | None:
    wanted = _folded(name)
    for node in root.walk():
        found = _yaml_step(node, wanted) or _yaml_path(node, wanted.split("."))
        if found:
            return found[0], found[1].end_line
    return None


def _yaml_path(node: Node, steps: Sequence[str]) -> tuple[int, Node] | None:
    found: tuple[int, Node] | None = None
    for step in steps:
        found = _yaml_step(found[1] if found else node, step)
        if found is None:
            return None
    return found


def _yaml_step(node: Node, wanted: str) -> tuple[int, Node] | None:
    """A key, a list index, or a list item by its id or name, with the line it begins on."""
    for i, item in enumerate(node.items):
        if node.kind == "map":
            if _folded(node.keys[i].value) == wanted:
                return node.keys[i].line, item
        elif wanted == str(i) or wanted in _item_names(item):
            return item.line, item
    return None


def _item_names(item: Node) -> set[str]:
    named = ((key.value, value.value) for key, value in zip(item.keys, item.items, strict=True))
    return {
        _folded(str(value)) for key, value in named if key in ("id", "key", "name") and isinstance(value, str | int)
    }


def _facts(root: Node, first: int, last: int) -> tuple[str, ...]:
    inside = (node for node in root.walk() if node.keys and first <= node.line and node.end_line <= last)
    return tuple(fact for node in inside for fact in _value_with_unit(node))


def _value_with_unit(node: Node) -> Iterator[str]:
    named = {key.value.casefold(): item for key, item in zip(node.keys, node.items, strict=True)}
    units = [leaf for name in _UNITS if name in named for leaf in _leaves(named[name])]
    for name in _VALUES:
        for value in _leaves(named[name]) if name in named else ():
            yield from (f"{value} {unit}" for unit in units)


def _leaves(node: Node) -> Iterator[str]:
    for part in node.walk():
        if part.kind == "scalar" and part.value is not None:
            yield str(part.value)
