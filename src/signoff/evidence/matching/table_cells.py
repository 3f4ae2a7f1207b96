"""Which cell of a table a claim speaks of, found by the labels of its row and column.

A number of the claim has to stand in a cell whose labels the claim names. If another cell has a label that the claim
names, and the number's own cells have none that this one lacks, the number belongs to another row or column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from signoff.evidence.documents import Document, Piece, Table
from signoff.evidence.matching.glossary import subjects
from signoff.evidence.matching.matches import key
from signoff.evidence.quantities.agreement import agrees
from signoff.evidence.quantities.reading import Quantity, quantities
from signoff.evidence.words import is_chinese, words

Term = object
_SHORT_HAN: Final = 10
_LAST_LETTERS: Final = re.compile(r"[- ]([A-Z]{1,2})$")
_SHORT_LABEL: Final = re.compile(r"[A-Z]{1,2}")


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A cell with its numbers, the words of its header and its row, and whether it labels its row."""

    row: Piece
    quantities: tuple[Quantity, ...]
    labels: frozenset[Term]
    names_row: bool


def terms(text: str, *, label: bool = False) -> frozenset[Term]:
    """What a label or a claim names: stems of words, codes and numbers, and single capital letters."""
    found: set[Term] = set()
    inside = []
    for one in quantities(text):
        if not one.weak:
            found.add(key(one))
            if label and one.kind == "code" and (last := _LAST_LETTERS.search(one.text)):
                found.add(last[1])
            inside.append((one.start, one.end))
            if one.variant:
                inside.append((one.start, one.end))
    for place, word in enumerate(words(text)):
        within = any(start <= word.start < end for start, end in inside)
        if word.stem and not (within and any(map(str.isdigit, word.lower))):
            found.add(word.stem)
        elif _SHORT_LABEL.fullmatch(word.text) and not within and (label or place):
            found.add(word.text)
    if label and len(text) <= _SHORT_HAN and is_chinese(text):
        found.add(f"={text}")
    return frozenset(found) | subjects(text)


def _named(claim: Piece, every: list[Cell]) -> frozenset[Term]:
    """What a claim names, with the short Chinese labels of the table that it holds in full."""
    labels = {term for cell in every for term in cell.labels if isinstance(term, str) and term[0] == "="}
    return terms(claim.text) | {term for term in labels if term[1:] in claim.text}


def cells(table: Table) -> list[Cell]:
    """All cells of a table with their labels."""
    known = table.notes.get("cells")
    if known is None:
        known = table.notes["cells"] = [cell for row in table.rows for cell in _row_cells(row)]
    return known


def _row_cells(row: Piece) -> list[Cell]:
    texts = [terms(text, label=True) for _, text, _ in row.cells]
    texts = [each if place == 0 else frozenset(filter(_worded, each)) for place, each in enumerate(texts)]
    listed = []
    for place, (header, text, start) in enumerate(row.cells):
        inside = tuple(one for one in row.quantities if start <= one.start < start + max(1, len(text)))
        others = frozenset[Term]().union(*(each for at, each in enumerate(texts) if at != place))
        listed.append(
            Cell(
                row,
                inside,
                others | terms(header, label=True) | (texts[place] - {key(one) for one in inside}),
                place == 0,
            )
        )
    return listed


def _worded(term: Term) -> bool:
    return isinstance(term, str) or (isinstance(term, tuple) and term[0] == "code")


def _labelled(cell: Cell) -> frozenset[Term]:
    """The words of the cell that labels the row."""
    return frozenset(term for term in terms(cell.row.cells[0][1], label=True) if isinstance(term, str))


def in_other_cell(
    said: Quantity, claim: Piece, table: Table, document: Document, *, across: bool
) -> tuple[bool, Quantity | None]:
    """Whether the table states this number, and the number that the cell meant by the claim states instead."""
    every = cells(table)
    named = _named(claim, every) - {key(said)}
    own = [cell for cell in every if any(agrees(said, one, claim, cell.row, across) for one in cell.quantities)]
    if not own or any(cell.names_row and (said.measured or _labelled(cell) & named) for cell in own):
        return bool(own), None
    units = {one.unit for cell in own for one in cell.quantities if agrees(said, one, claim, cell.row, across)}
    claimed = {key(one) for one in claim.quantities}

    def weight(labels: frozenset[Term]) -> float:
        return sum(document.weight(term) if isinstance(term, str) else 2.0 for term in labels)

    best = max((cell.labels & named for cell in own), key=weight)
    rivals = [
        (cell, one)
        for cell in every
        for one in cell.quantities
        if cell not in own
        and one.kind == said.kind
        and one.unit in units
        and (key(one) not in claimed or key(one) in cell.labels)
    ]
    for cell, one in sorted(rivals, key=lambda each: -weight(each[0].labels & named)):
        theirs = cell.labels & named
        if theirs > best and not any(own_cell.labels & named >= theirs for own_cell in own):
            return True, one
    return True, None
