"""Does a piece of a source state the numbers of a claim, on the same side of their bounds?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Document, Piece, Table
from signoff.evidence.matching.matches import REPAIR, Match, finding, near, quoted
from signoff.evidence.matching.number_places import belongs_elsewhere
from signoff.evidence.matching.table_cells import in_other_cell
from signoff.evidence.quantities.agreement import agrees
from signoff.evidence.quantities.reading import Quantity


def numbers(claim: Piece, piece: Piece, match: Match, document: Document) -> Iterator[Finding]:
    for said in claim.quantities:
        if said.kind == "url" or (said.weak and not near(claim, piece)) or (match.across and _is_name(said)):
            continue
        stated = [one for one in piece.quantities if agrees(said, one, claim, piece, match.across)]
        if not stated:
            stated = [
                one
                for one in piece.near
                if not _other_year(said, piece) and agrees(said, one, claim, piece, match.across)
            ]
            if not stated and not _in_words(said, claim, piece) and not _is_subject(said, piece, document):
                if said.weak:
                    continue
                rule = "code.unsupported" if said.kind == "code" else "number.unsupported"
                yield finding(rule, f"{said.text!r} is not stated by {quoted(piece)}", REPAIR)
            continue
        if other := _misplaced(said, stated, claim, piece, match, document):
            yield finding(
                "number.misplaced",
                f"{said.text!r} belongs to other words in {quoted(piece)}; of these it says {other.text!r}",
                REPAIR,
            )
        yield from _side(said, stated, claim, piece, match)
    yield from _other_part(claim, piece)


_OF: Final = re.compile(r"\s+(?:out )?of (?:the |all |its )?")


def _parts_of(piece: Piece) -> list[tuple[Quantity, Quantity]]:
    """61 of 480: the part and the whole."""
    return [
        (part, whole)
        for part, whole in pairwise(piece.quantities)
        if part.kind == whole.kind == "number" and _OF.fullmatch(piece.text[part.end : whole.start])
    ]


def _other_part(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """Another part of the same whole: 480 of 480, for 61 of 480."""
    stated = _parts_of(piece)
    for part, whole in _parts_of(claim):
        same = [one for one, all_of in stated if all_of.value == whole.value]
        if same and all(one.value != part.value for one in same):
            problem = f"the claim says {part.text} of {whole.text}, the source {same[0].text} ({quoted(piece)})"
            yield finding("number.misplaced", problem, REPAIR)


def _misplaced(
    said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece, match: Match, document: Document
) -> Quantity | None:
    """The number that the source gives for what the claim speaks of, if this one is said of something else."""
    if piece.table is None:
        return belongs_elsewhere(said, stated, claim, piece)
    return in_other_cell(said, claim, piece.table, document, across=match.across)[1]


def _other_year(said: Quantity, piece: Piece) -> bool:
    """A row or column of 2023 says nothing of 2024, whatever the title of the page says."""
    years = {one.value for one in piece.quantities if _is_year(one)}
    return _is_year(said) and bool(years) and said.value not in years


def _is_year(one: Quantity) -> bool:
    return (
        one.kind == "number"
        and not one.unit
        and 1900 <= one.value <= 2100
        and one.value == one.value.to_integral_value()
    )


def _is_subject(said: Quantity, piece: Piece, document: Document) -> bool:
    """A product that the document names elsewhere, in a piece that names no other one of its kind."""
    if piece.table and piece.kind != "table" and said.unit in _labels(piece.table):
        return False  # another row or column
    if said.kind == "code" and said.variant and said.unit not in document.codes:
        return any(
            one.kind == "code" and one.unit == said.variant for one in (*piece.quantities, *piece.near)
        )  # X100 Pro of a page on the X100
    if said.kind != "code" or said.unit not in document.codes:
        return False
    shape = _shape(said.unit)
    return not any(one.kind == "code" and _shape(one.unit) == shape for one in (*piece.quantities, *piece.near))


def _labels(table: Table) -> frozenset[str]:
    """The codes in the headers and cells of a table."""
    known = table.notes.get("codes")
    if known is None:
        every = (one for row in table.rows for one in (*row.quantities, *row.near))
        known = table.notes["codes"] = frozenset(one.unit for one in every if one.kind == "code")
    return known


def _shape(code: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+(?:\.\d+)*", "9", code))


def _is_name(said: Quantity) -> bool:
    """Covid-19, Russia-1: a name with a number, which another language may call otherwise."""
    return said.kind == "code" and re.fullmatch(r"[A-Za-z]{4,}-?\d+", said.text) is not None


_PLAIN_NUMBER: Final = {
    "0": r"\b(?:no|zero|none|nil)\b|零|无",
    "2": r"\b(?:both|pair|couple|dual|double|twin)\b|双|两",
    "1": r"\b(?:an?|one|single|once|first)\b|一|单|首",
    "100": r"\b(?:all|whole|full|entire)|全部|百",
}


def _in_words(said: Quantity, claim: Piece, piece: Piece) -> bool:
    """Numbers that other words may stand for: both for two, none for zero."""
    pattern = _PLAIN_NUMBER.get(
        str(said.value.normalize()) if said.kind in ("number", "ordinal") and not said.measured else ""
    )
    if (
        said.kind in ("number", "ordinal")
        and pattern
        and re.search(pattern, piece.text, re.IGNORECASE)
        and said.text[:1].isalpha()
    ):
        return True
    squeezed = re.sub(r"[-_ ]", "", claim.text.casefold())
    codes = [one.unit for one in piece.quantities if one.kind == "code"]
    if said.kind == "number" and any(code.endswith(said.text.lower()) and code in squeezed for code in codes):
        return True  # AES 256 is AES-256
    if (
        said.kind == "number"
        and not said.measured
        and any(one.kind == "code" and re.fullmatch(rf"[a-z]{{4,}}{said.text}", one.unit) for one in piece.quantities)
    ):
        return True  # channel 1 is Channel-1
    return said.kind == "code" and said.unit.replace("-", "") in re.sub(
        r"[-_ .]", "", f"{piece.context} {piece.text}".casefold()
    )


def _side(said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece, match: Match) -> Iterator[Finding]:
    if said.kind != "number":
        return
    shift = wording.change(claim.text, said)
    shifts = [wording.change(piece.text, one) for one in stated if one in piece.quantities] if shift else []
    if shifts and all(shifts) and shift not in shifts:
        problem = (
            f"{said.text!r} is what it changed {shift}, in the source what it changed {shifts[0]} ({quoted(piece)})"
        )
        yield finding("bound.changed", problem, "say whether it changed by or to this number")
    ours, phrase = wording.side(claim.text, said)
    sides = [
        wording.side(piece.text, one) if one in piece.quantities else wording.side(piece.context, one) for one in stated
    ]
    if any(ours == theirs for theirs, _ in sides) or any(ours == end for end in _range_ends(stated, piece)):
        return
    if _is_year(said) and {ours, sides[0][0]} != {"upper", "lower"}:
        return  # until 2024: a time and no bound
    theirs, other = sides[0]
    opposite = {ours, theirs} == {"upper", "lower"}
    able = theirs == "upper" and _ABLE.search(claim.text) is not None
    lost = not able and not ours and theirs == "upper" and not match.across and near(claim, piece)
    if ours == "upper" and piece.cells and _CAPACITY.search(piece.text + piece.context):
        return
    gained = (
        ours in ("upper", "lower", "average")
        and not theirs
        and not _said_somewhere(ours, piece)
        and (not match.across or ours == "average")
    )
    swapped = "average" in (ours, theirs) and ours and theirs and not match.across
    if opposite or lost or gained or swapped:
        one = f"{phrase} {said.text}".strip()
        two = f"{other} {stated[0].text}".strip()
        yield finding(
            "bound.changed",
            f"the claim says {one!r}, the source {two!r} ({quoted(piece)})",
            "say the bound that the source states",
        )


_ABLE: Final = re.compile(
    r"\b(?:can|may|allows?|holds?|covers?|accepts?|supports?|able to|takes?|handles?|provides?|offers?)\b"
    r"|可|能|支持|允许|容纳",
    re.IGNORECASE,
)
_CAPACITY: Final = re.compile(r"capacity|limit|range|rated|rating|max|上限|容量|范围|额定", re.IGNORECASE)


_RANGE: Final = re.compile(r"\s?(?:~|-|to|and|至|到)\s?")


def _range_ends(stated: list[Quantity], piece: Piece) -> Iterator[str]:
    """Which end of a range each of these numbers is: 38 Hz to 20 kHz is up to 20 kHz, and from 38 Hz on."""
    for one, other in pairwise(piece.quantities):
        if _RANGE.fullmatch(piece.text[one.end : other.start]):
            if one in stated:
                yield "lower"
            if other in stated:
                yield "upper"


def _said_somewhere(group: str, piece: Piece) -> bool:
    return any(cue[0] == group for cue in wording.bounds(f"{piece.context} {piece.text}"))
