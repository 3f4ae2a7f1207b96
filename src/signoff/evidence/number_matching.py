"""Does a piece of a source state the numbers of a claim, on the same side of their bounds?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Document, Piece
from signoff.evidence.matches import Match, finding, near, quoted
from signoff.evidence.number_places import belongs_elsewhere
from signoff.evidence.quantities import Quantity


def numbers(claim: Piece, piece: Piece, match: Match, document: Document) -> Iterator[Finding]:
    for said in claim.quantities:
        if said.kind == "url" or (said.weak and not near(claim, piece)) or (match.across and _is_name(said)):
            continue
        stated = [one for one in piece.quantities if agrees(said, one, claim, piece, match.across)]
        if not stated:
            stated = [
                one
                for one in piece.near
                if not _other_year(said, claim, piece) and agrees(said, one, claim, piece, match.across)
            ]
            if not stated and not _in_words(said, claim, piece) and not _is_subject(said, piece, document):
                if said.weak:
                    continue
                yield finding(f"{said.kind}.unsupported", f"{said.text!r} is not stated by {quoted(piece)}", "")
            continue
        if other := belongs_elsewhere(said, stated, claim, piece):
            yield finding(
                "number.misplaced",
                f"{said.text!r} belongs to other words in {quoted(piece)}; of these it says {other.text!r}",
                "",
            )
        yield from _side(said, stated, claim, piece, match)


def _other_year(said: Quantity, claim: Piece, piece: Piece) -> bool:
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
    if said.kind == "code" and said.variant and said.unit not in document.codes:
        return any(
            one.kind == "code" and one.unit == said.variant for one in (*piece.quantities, *piece.near)
        )  # X100 Pro of a page on the X100
    if said.kind != "code" or said.unit not in document.codes:
        return False
    shape = _shape(said.unit)
    return not any(one.kind == "code" and _shape(one.unit) == shape for one in (*piece.quantities, *piece.near))


def _shape(code: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+(?:\.\d+)*", "9", code))


def _is_name(said: Quantity) -> bool:
    """Covid-19, Russia-1: a name with a number, which another language may call otherwise."""
    return said.kind == "code" and re.fullmatch(r"[A-Za-z]{4,}-?\d+", said.text) is not None


def agrees(said: Quantity, stated: Quantity, claim: Piece, piece: Piece, across: bool) -> bool:
    """Whether one number of the source is this number of the claim."""
    if said.kind != stated.kind:
        return _agrees_in_kind(said, stated)
    if said.kind == "code":
        return said.unit == stated.unit
    if said.kind == "vague":
        return said.value == stated.value
    same = said.value == stated.value
    if not same and said.unit == stated.unit and wording.approximate(claim.text, said):
        same = _rounded(said.value, stated.value)
    if said.measured and stated.measured:
        degrees = {said.unit, stated.unit} <= {"°", "°C", "°F"} and "°" in (said.unit, stated.unit)
        return same and (said.unit == stated.unit or degrees) and _same_rate(said, stated)
    if not said.measured and not stated.measured:
        return same and _same_thing(said, stated, across) and _same_rate(said, stated) and _same_zeros(said, stated)
    return _half_measured(said, stated, claim, piece, across)


def _agrees_in_kind(said: Quantity, stated: Quantity) -> bool:
    kinds = {said.kind, stated.kind}
    vague, number = (said, stated) if said.kind == "vague" else (stated, said)
    if kinds == {"vague", "number"}:
        return vague is said and not number.measured and vague.value <= number.value < vague.value * 1000
    if kinds == {"ordinal", "number"}:
        return said.value == stated.value and not (said.measured or stated.measured)
    if kinds == {"clock", "number"}:
        clock, number = (said, stated) if said.kind == "clock" else (stated, said)
        return clock.value % 60 == 0 and number.value in (clock.value / 60, clock.value / 60 - 12)
    if kinds == {"code", "number"}:
        code, number = (said, stated) if said.kind == "code" else (stated, said)
        return code.unit == number.text.lower() or code.unit.lstrip("v") == str(number.value)
    return False


def _rounded(said: Decimal, stated: Decimal) -> bool:
    """297 is about 300: rounding to as many places as were said, and not far off."""
    if not stated or not said or (said < 0) != (stated < 0):
        return False
    places = said.normalize().as_tuple().exponent
    step = Decimal(1).scaleb(places if isinstance(places, int) else 0)
    return abs(said - stated) <= min(step / 2, abs(stated) * Decimal("0.05"))


def _same_zeros(said: Quantity, stated: Quantity) -> bool:
    """065536 is an address and not 65536."""
    first, second = said.text.strip(), stated.text.strip()
    leading = [len(text) > 1 and text[0] == "0" and text.isdigit() for text in (first, second)]
    return leading[0] == leading[1] or first.lstrip("0") == "" or (said.value < 32 and stated.value < 32)


def _same_rate(said: Quantity, stated: Quantity) -> bool:
    time = ("second", "minute", "hour", "day", "week", "month", "year")
    return not (said.per in time and stated.per in time) or said.per == stated.per


def _same_thing(said: Quantity, stated: Quantity, across: bool) -> bool:
    """8 microphones are not 8 speakers; with things that no table has, the words around decide."""
    if said.unit and stated.unit and said.unit != stated.unit:
        return not across and said.noun == stated.noun
    return True


def _half_measured(said: Quantity, stated: Quantity, claim: Piece, piece: Piece, across: bool) -> bool:
    """A measure on one side, a bare number on the other: data sheets put the unit into a header or another column."""
    measure, bare = (said, stated) if said.measured else (stated, said)
    if bare.unit or (
        measure is stated
        and bare.noun
        and measure.unit not in ("×", "month", "CNY", "USD", "EUR", "GBP")
        and bare.noun not in stated.text.lower()
    ):
        return False
    written = re.match(r"[^\d+-]*[-+]?([\d.,]+)", measure.text)
    factor = None
    if written:
        number = Decimal(written[1].strip(".,").replace(",", "")) if written[1].strip(".,").count(".") <= 1 else None
        factor = number
    values = {measure.value} | ({factor} if factor is not None else set())
    if bare is stated and piece.scale != 1 and bare.value * piece.scale == measure.value:
        return True
    if bare.value not in values and -bare.value not in values:
        return False
    if measure is stated or across:
        return True
    unit = measure.text[len(written[0]) :].strip(" -").lower() if written else ""
    text = (_cell(stated, piece) or f"{piece.context} {piece.text}").lower()
    return (
        not unit or bool(re.search(rf"(?<![a-z]){re.escape(unit)}(?![a-z])", text)) or unit.rstrip("s") in text.split()
    )


def _cell(one: Quantity, piece: Piece) -> str:
    return next(
        (f"{header} {text}" for header, text, start in piece.cells if start <= one.start < start + max(1, len(text))),
        "",
    )


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
    if (
        said.kind == "number"
        and not said.unit
        and any(one.kind == "code" and re.fullmatch(rf"[a-z]{{4,}}{said.text}", one.unit) for one in piece.quantities)
    ):
        return True  # channel 1 is Channel-1
    return said.kind == "code" and said.unit.replace("-", "") in re.sub(
        r"[-_ .]", "", f"{piece.context} {piece.text}".casefold()
    )


def _side(said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece, match: Match) -> Iterator[Finding]:
    if said.kind != "number":
        return
    ours, phrase = wording.side(claim.text, said)
    sides = [
        wording.side(piece.text, one) if one in piece.quantities else wording.side(piece.context, one) for one in stated
    ]
    if any(ours == theirs for theirs, _ in sides):
        return
    theirs, other = sides[0]
    opposite = {ours, theirs} == {"upper", "lower"}
    able = theirs == "upper" and _ABLE.search(claim.text) is not None
    lost = not able and not ours and theirs in ("upper", "lower") and not match.across and near(claim, piece)
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
    r"\b(?:can|may|allows?|holds?|covers?|accepts?|supports?|able to|takes?|handles?|provides?|offers?)\b|可|能|支持|允许|容纳",
    re.IGNORECASE,
)
_CAPACITY: Final = re.compile(r"capacity|limit|range|rated|rating|max|上限|容量|范围|额定", re.IGNORECASE)


def _said_somewhere(group: str, piece: Piece) -> bool:
    return any(cue[0] == group for cue in wording.bounds(f"{piece.context} {piece.text}"))
