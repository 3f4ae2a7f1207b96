"""A source, read into the pieces that a claim can rest on: sentences, list items, table rows, headings.

A piece knows its line, and what it is said under: the path of headings, the sentence that leads into a list, the
headers of a table. A claim's numbers must stand together in one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from math import log
from typing import Any, Final
from unicodedata import combining, normalize

from signoff.evidence.canonical import visible, without_hidden
from signoff.evidence.matching.glossary import subjects
from signoff.evidence.quantities.reading import Quantity, quantities
from signoff.evidence.shared_words import sentences
from signoff.evidence.sources.html_tables import HtmlTables, grid, stacked
from signoff.evidence.words import is_chinese, stems

MAX_CHARACTERS: Final = 12_000_000


_SCALE: Final = re.compile(
    r"\bin (thousands|millions|billions)\b|单位[:：为]?\s?(?:人民币)?(百万|千万|万|亿|千)", re.IGNORECASE
)
_SCALES: Final = {
    "thousands": 1000,
    "millions": 10**6,
    "billions": 10**9,
    "千": 1000,
    "万": 10**4,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
}


NumberKey = tuple[str, object]


def number_keys(one: Quantity, scale: Decimal = Decimal(1)) -> frozenset[NumberKey]:
    """By what a number may be found again: its value in its unit, and the number as written."""
    if one.kind == "code":
        return frozenset({("code", one.unit)})
    keys: set[NumberKey] = {(one.kind, (one.value, one.unit if one.measured else ""))}
    if one.kind == "number":
        if scale != 1 and not one.measured:
            keys.add(("scaled", one.value * scale))
        keys.add(("scaled", one.value))
        if written := re.search(r"\d[\d,]*(?:\.\d+)?", one.text):
            keys.add(("written", Decimal(written[0].replace(",", ""))))
    return frozenset(keys)


@dataclass(eq=False)
class Piece:
    """A sentence, item, row or heading; `cells` of a row are (header, text, start)."""

    text: str
    line: int = 1
    context: str = ""
    kind: str = "sentence"
    cells: tuple[tuple[str, str, int], ...] = ()
    table: Table | None = None

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(self.text)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """What it speaks of in either language."""
        return subjects(f"{self.context} {self.text}" if self.cells else self.text)

    @cached_property
    def around(self) -> frozenset[str]:
        """The stems of the piece and of what it stands under."""
        return self.stems | stems(self.context) if self.context else self.stems

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return quantities(self.text)

    @cached_property
    def scale(self) -> Decimal:
        """What the numbers of a table are in: a million, if it says `in millions of euros`."""
        found = _SCALE.search(f"{self.context} {self.text}") if self.kind in ("row", "column") else None
        return Decimal(_SCALES[(found[1] or found[2]).lower()]) if found else Decimal(1)

    @cached_property
    def found_by(self) -> frozenset[NumberKey]:
        """By what its numbers may be found."""
        return frozenset(key for one in self.quantities for key in number_keys(one, self.scale))

    @cached_property
    def near_by(self) -> frozenset[NumberKey]:
        """By what the numbers that it stands under may be found."""
        return frozenset(key for one in self.near for key in number_keys(one, self.scale))

    @cached_property
    def near(self) -> tuple[Quantity, ...]:
        """The quantities of what it stands under."""
        return quantities(self.context) if self.context else ()


@dataclass(eq=False)
class Table:
    """The rows of one table, so that a number can be compared with those of the other rows and columns."""

    rows: list[Piece] = field(default_factory=list)

    @cached_property
    def whole(self) -> Piece:
        """All rows as one piece, for a claim that compares some of them."""
        return Piece(
            "\n".join(row.text for row in self.rows), self.rows[0].line, self.rows[0].context, "table", table=self
        )

    @cached_property
    def notes(self) -> dict[str, Any]:
        """What a check works out about the table once."""
        return {}


MOST_ROWS: Final = 200
MOST_CELLS: Final = 2000
MOST_COLUMNS: Final = 200
"""Rows and columns of a longer table are read one by one, and not compared with each other."""


@dataclass
class Document:
    """All pieces of a source, with how telling each word is in it."""

    pieces: Sequence[Piece]
    _index: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, piece in enumerate(self.pieces):
            for stem in piece.around:
                self._index.setdefault(stem, []).append(number)

    def weight(self, stem: str) -> float:
        return log(1 + (len(self.pieces) + 1) / (len(self._index.get(stem, ())) + 0.5))

    @cached_property
    def all_stems(self) -> frozenset[str]:
        return frozenset(self._index)

    @cached_property
    def text(self) -> str:
        """All that a reader sees of the source."""
        return "\n".join(piece.text for piece in self.pieces if piece.kind != "column")

    @cached_property
    def folded_text(self) -> str:
        return unaccented("\n".join(f"{piece.context} {piece.text}" for piece in self.pieces).casefold())

    @cached_property
    def folded(self) -> frozenset[str]:
        """All Latin words of the source without case and accents."""
        return frozenset(re.findall(r"[a-z0-9]+", self.folded_text))

    @cached_property
    def chinese(self) -> bool:
        """Whether most of it is Chinese."""
        shares = [is_chinese(piece.text) for piece in self.pieces[:12]]
        return sum(shares) * 2 > len(shares)

    @cached_property
    def tables(self) -> Sequence[Table]:
        """The tables of the document, each once."""
        return list({id(piece.table): piece.table for piece in self.pieces if piece.table}.values())

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(piece): number for number, piece in enumerate(self.pieces)}

    def neighbours(self, piece: Piece) -> Sequence[Piece]:
        """The pieces just before, which its pronouns may speak of, and just behind."""
        place = self._places.get(id(piece))
        return self.pieces[max(0, place - 2) : place + 2] if place is not None else ()

    def before(self, piece: Piece, other: Piece) -> bool:
        return self._places.get(id(piece), 0) < self._places.get(id(other), 0)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes that the document names anywhere."""
        return frozenset(
            one.unit for piece in self.pieces for one in (*piece.quantities, *piece.near) if one.kind == "code"
        )

    def likely(self, wanted: frozenset[str], most: int = 8) -> list[tuple[float, Piece]]:
        """The pieces that share most with these stems, best first, each with its share from 0 to 1."""
        if not wanted:
            return []
        weights = {stem: self.weight(stem) for stem in wanted}
        total = sum(weights.values())
        scores: dict[int, float] = {}
        for stem, weight in weights.items():
            for number in self._index.get(stem, ()):
                whole = stem in self.pieces[number].stems
                scores[number] = scores.get(number, 0.0) + (weight if whole else weight * 0.6)
        ranked = sorted(scores.items(), key=lambda each: (-each[1], len(self.pieces[each[0]].text)))[:most]
        return [(score / total, self.pieces[number]) for number, score in ranked]


_BARRED: Final = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"}
)


def unaccented(text: str) -> str:
    return (
        text
        if text.isascii()
        else "".join(char for char in normalize("NFD", text.translate(_BARRED)) if not combining(char))
    )


@lru_cache(maxsize=256)
def read(source: str) -> Document:
    """The pieces of Markdown, HTML or plain text."""
    return Document([piece for piece in _pieces(source[:MAX_CHARACTERS]) if any(map(str.isalnum, piece.text))])


# --- Markdown -----------------------------------------------------------------------------------------------------

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_ITEM: Final = re.compile(
    r"[ \t]*(?:[-*+•·]|\d{1,3}[.)]|[(（]?[一二三四五六七八九十]{1,2}[)）、]|[a-z][.)])[ \t]+(?=\S)(.*)$"
)
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_DELIMITER: Final = re.compile(r"[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$")
_QUOTE: Final = re.compile(r" {0,3}>[ ]?")
_CONTAINER: Final = re.compile(r" {0,3}(?::{3,}|!{3}|\?{3})")
_DEFINITION: Final = re.compile(r" {0,3}\[(?!\^)[^\]]{1,200}\]:\s*\S+")
_FOOTNOTE: Final = re.compile(r" {0,3}\[\^[^\]]{1,60}\]:\s*(.*)$")
_FRONT: Final = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_HTML_BLOCK: Final = re.compile(r"<(table|ul|ol|dl)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


class _Reader:
    def __init__(self) -> None:
        self.path: list[tuple[int, str]] = []
        self.lead = ""
        self.paragraph: list[str] = []
        self.first = 1

    @property
    def context(self) -> str:
        return " / ".join(title for _, title in self.path)

    def flush(self) -> Iterator[Piece]:
        if self.paragraph:
            text = _joined(self.paragraph)
            self.paragraph = []
            if text:
                yield from _sentences(text, self.first, self.context)
                self.lead = text if text[-1:] in ":：" or (len(text) < 120 and _SCALE.search(text)) else ""

    def heading(self, level: int, title: str, line: int) -> Iterator[Piece]:
        shown = visible(title)
        yield Piece(shown, line, self.context, "heading")
        self.path = [*((depth, each) for depth, each in self.path if depth < level), (level, shown)]
        self.lead = ""


def _joined(lines: Sequence[str]) -> str:
    text = visible("\n".join(lines))
    return re.sub(r"(?<=[\u4e00-\u9fff，。；：、]) (?=[\u4e00-\u9fff])", "", text)


def _sentences(text: str, line: int, context: str, kind: str = "sentence") -> Iterator[Piece]:
    for sentence in statements(text):
        yield Piece(sentence, line, context, kind)


MOST_IN_SENTENCE: Final = 2000
"""What is longer than this is cut: no reader takes it for one sentence, and every comparison stays bounded."""


def statements(text: str) -> Iterator[str]:
    """The sentences of a visible text, none of them longer than can be compared."""
    for sentence in sentences(text):
        start = 0
        while len(sentence) - start > MOST_IN_SENTENCE:
            cut = sentence.rfind(" ", start + MOST_IN_SENTENCE // 2, start + MOST_IN_SENTENCE)
            end = cut if cut > 0 else start + MOST_IN_SENTENCE
            yield sentence[start:end].strip()
            start = end
        yield sentence[start:].strip()


def _pieces(source: str) -> Iterator[Piece]:
    text = without_hidden(source)
    front = _FRONT.match(text)
    if front:
        text = "\n" * front[0].count("\n") + text[front.end() :]
    tables = list(_HTML_BLOCK.finditer(text)) if "<" in text else []
    for found in tables:
        yield from _html_pieces(found[0], text.count("\n", 0, found.start()) + 1, _heading_above(text, found.start()))
    for found in reversed(tables):
        text = text[: found.start()] + "\n" * found[0].count("\n") + text[found.end() :]
    yield from _markdown(text.split("\n"))


def _heading_above(text: str, at: int) -> str:
    above = [found[2] for line in text[:at].split("\n") if (found := _HEADING.match(line))]
    return visible(above[-1]) if above else ""


def _markdown(lines: Sequence[str]) -> Iterator[Piece]:
    reader, number, fence = _Reader(), 0, ""
    while number < len(lines):
        line, number = lines[number].rstrip("\r"), number + 1
        if fence:
            if line.strip().startswith(fence):
                fence = ""
            elif line.strip():
                yield Piece(visible(line), number, reader.context, "code")
            continue
        if line.startswith((" >", ">", "  >", "   >")):
            line = _QUOTE.sub("", line)
        opened = _FENCE.match(line)
        if opened:
            yield from reader.flush()
            fence = opened[1][:3]
        elif not line.strip() or _CONTAINER.match(line):
            yield from reader.flush()
        elif found := _HEADING.match(line):
            yield from reader.flush()
            yield from reader.heading(len(found[1]), found[2], number)
        elif reader.paragraph and len(reader.paragraph) == 1 and _UNDERLINE.match(line) and "|" not in line:
            title, reader.paragraph = reader.paragraph[0], []
            yield from reader.heading(1 if "=" in line else 2, title, number - 1)
        elif (
            "|" in line
            and number < len(lines)
            and "|" in lines[number]
            and _DELIMITER.match(lines[number].rstrip("\r"))
        ):
            yield from reader.flush()
            end = number + 1
            while end < len(lines) and "|" in lines[end] and lines[end].strip():
                end += 1
            rows = [_cells(row) for row in (line, *lines[number + 1 : end])]
            yield from _rows(rows[0], rows[1:], number, reader.context, reader.lead)
            number = end
        elif found := _FOOTNOTE.match(line):
            yield from reader.flush()
            yield from _sentences(visible(found[1]), number, reader.context, "footnote")
        elif _DEFINITION.match(line):
            continue
        elif (found := _ITEM.match(line)) and (not reader.paragraph or not line[0].isdigit()):
            yield from reader.flush()
            lead = reader.lead
            item = [found[1]]
            start = number
            while (
                number < len(lines)
                and lines[number][:1] in (" ", "\t")
                and lines[number].strip()
                and not _ITEM.match(lines[number])
                and not _FENCE.match(lines[number])
            ):
                item.append(lines[number].strip())
                number += 1
            context = f"{reader.context} / {lead}" if lead else reader.context
            yield from _sentences(_joined(item), start, context, "item")
            reader.lead = lead
        else:
            if not reader.paragraph:
                reader.first = number
            reader.paragraph.append(line.strip())
    yield from reader.flush()


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [visible(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", inner)]


def _rows(headers: Sequence[str], rows: Sequence[Sequence[str]], line: int, context: str, lead: str) -> Iterator[Piece]:
    above = " / ".join(filter(None, (context, lead)))
    yield Piece(" | ".join(filter(None, headers)), line, above, "headers")
    listed = [piece for number, row in enumerate(rows) for piece in _row_pieces(headers, row, line + 2 + number, above)]
    yield from _in_table([*listed, *_columns(headers, rows, line, above)])


def _in_table(listed: list[Piece]) -> list[Piece]:
    """The rows and columns of a table, each with the table."""
    rows = [piece for piece in listed if piece.kind == "row"]
    if 0 < len(rows) <= MOST_ROWS and sum(len(row.cells) for row in rows) <= MOST_CELLS:
        table = Table(rows)
        for piece in listed:
            piece.table = table
    return listed


def _columns(headers: Sequence[str], rows: Sequence[Sequence[str]], line: int, context: str) -> Iterator[Piece]:
    """Each column after the first as one piece: in a comparison the columns are the products."""
    if len(rows) < 2 or len(rows) > 60 or not 3 <= len(headers) <= 12:
        return
    for place in range(1, len(headers)):
        parts, cells, at = [headers[place]], [("", headers[place], 0)], len(headers[place]) + 3
        for row in rows:
            if place < len(row) and row[place]:
                text = f"{row[0]}: {row[place]}"
                cells.append((row[0], text, at))
                parts.append(text)
                at += len(text) + 3
        if headers[place] and at < 4000:
            yield Piece(" | ".join(parts), line, context, "column", tuple(cells))


def row_piece(headers: Sequence[str], row: Sequence[str], line: int, context: str) -> Piece:
    """A row of a table as one piece; the headers are what it stands under."""
    parts, cells, at = [], [], 0
    for place, text in enumerate(row):
        header = headers[place] if place < len(headers) else ""
        cells.append((header, text, at))
        parts.append(text)
        at += len(text) + 3
    return Piece(" | ".join(parts), line, " / ".join(filter(None, (context, *headers))), "row", tuple(cells))


def _row_pieces(headers: Sequence[str], row: Sequence[str], line: int, context: str) -> Iterator[Piece]:
    """A row, or, if it is too wide to compare, several with the same label."""
    if len(row) <= MOST_COLUMNS:
        yield row_piece(headers, row, line, context)
        return
    for start in range(1, len(row), MOST_COLUMNS):
        stop = start + MOST_COLUMNS
        yield row_piece([*headers[:1], *headers[start:stop]], [row[0], *row[start:stop]], line, context)


# --- HTML tables and lists ----------------------------------------------------------------------------------------


def _html_pieces(html: str, line: int, context: str) -> Iterator[Piece]:
    parser = HtmlTables()
    parser.feed(html)
    for text, at in parser.items:
        yield from _sentences(text, line + at - 1, context, "item")
    headers: list[str] = []
    rows: list[Sequence[str]] = []
    listed: list[Piece] = []
    for cells, is_header, at in grid(parser.rows):
        if is_header:
            headers = stacked(headers, cells)
        elif not headers and not rows:
            headers = cells
            rows.append(cells)
            listed.append(row_piece([], cells, line + at - 1, context))
        else:
            rows.append(cells)
            listed.extend(_row_pieces(headers, cells, line + at - 1, context))
    below = [row for row in rows if row is not headers]
    yield from _in_table([*listed, *_columns(headers, below, line, context)])
