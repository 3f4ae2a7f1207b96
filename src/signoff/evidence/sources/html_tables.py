"""Tables and lists written in HTML: cells with their spans, rows with merged cells written out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from signoff.evidence.canonical import visible


class HtmlTables(HTMLParser):
    """Rows of a table with merged cells written out, items of a list."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, int, int, bool, int]]] = []
        self.items: list[tuple[str, int]] = []
        self.cell: list[str] | None = None
        self.span, self.header, self.at = (1, 1), False, 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th", "li", "dd", "dt"):
            known = dict(attrs)
            self.span = (_small(known.get("rowspan")), _small(known.get("colspan")))
            self.cell, self.header, self.at = [], tag == "th", self.getpos()[0]
        elif tag == "br" and self.cell is not None:
            self.cell.append(" ")

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self.cell is None or tag not in ("td", "th", "li", "dd", "dt"):
            return
        text = visible("".join(self.cell))
        if tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append((text, *self.span, self.header, self.at))
        else:
            self.items.append((text, self.at))
        self.cell = None


def _small(written: str | None) -> int:
    return min(int(written), 100) if written and written.isdigit() and int(written) else 1


def stacked(headers: list[str], cells: list[str]) -> list[str]:
    """Two rows of headers as one: what stands above says more of what stands below."""
    if len(headers) != len(cells):
        return cells
    return [" ".join(filter(None, dict.fromkeys(pair))) for pair in zip(headers, cells, strict=True)]


def grid(rows: Sequence[Sequence[tuple[str, int, int, bool, int]]]) -> Iterator[tuple[list[str], bool, int]]:
    """The rows with merged cells written out; whether it is a row of headers; its line."""
    carried: dict[int, tuple[str, int]] = {}
    for row in rows:
        cells: list[str] = []
        queue = deque(row)
        while queue or len(cells) in carried:
            if len(cells) in carried:
                text, left = carried.pop(len(cells))
                if left > 1:
                    carried[len(cells)] = text, left - 1
                cells.append(text)
                continue
            text, down, across, _, _ = queue.popleft()
            for _ in range(across):
                if down > 1:
                    carried[len(cells)] = text, down - 1
                cells.append(text)
        yield cells, bool(row) and all(cell[3] for cell in row), row[0][4] if row else 1
