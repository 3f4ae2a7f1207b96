"""Whether a number of a source is this number of a claim: value, unit, kind and rate."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from signoff.evidence import wording
from signoff.evidence.documents import Piece
from signoff.evidence.quantities.reading import Quantity
from signoff.evidence.quantities.unit_spellings import labelled_units


def agrees(said: Quantity, stated: Quantity, claim: Piece, piece: Piece, across: bool) -> bool:
    """Whether one number of the source is this number of the claim."""
    if said.kind != stated.kind:
        return _agrees_in_kind(said, stated)
    if said.kind == "code":
        return said.unit == stated.unit
    if said.kind == "vague":
        return said.value == stated.value
    same = said.value == stated.value
    if said.unit == stated.unit == "" and not same and said.noun and not wording.bounds(claim.text):
        return False
    if not same and said.unit == stated.unit and wording.approximate(claim.text, said):
        same = _rounded(said.value, stated.value)
    if not same and said.unit == stated.unit == "%" and not (said.text[:1].isdigit() and stated.text[:1].isdigit()):
        same = abs(said.value - stated.value) <= _FRACTION_IN_WORDS
    if said.measured and stated.measured:
        degrees = {said.unit, stated.unit} <= {"°", "°C", "°F"} and "°" in (said.unit, stated.unit)
        if said.unit != stated.unit and _other_reading(said, stated):
            return True
        return same and (said.unit == stated.unit or degrees) and _same_rate(said, stated)
    if not said.measured and not stated.measured:
        return same and _same_thing(said, stated, across) and _same_rate(said, stated) and _same_zeros(said, stated)
    return _other_reading(said, stated) or _half_measured(said, stated, piece, across)


_READINGS: Final = (
    (re.compile(r"pounds?$"), "GBP", Decimal(1)),
    (re.compile(r"cents?$|美分$"), "USD", Decimal("0.01")),
    (re.compile(r"cents?$"), "EUR", Decimal("0.01")),
    (re.compile(r"度$"), "J", Decimal(3600000)),
    (re.compile(r"\d ?M$"), "bit", Decimal(8000000)),
    (re.compile(r"\d ?G$"), "bit", Decimal(8000000000)),
    (re.compile(r"次$"), "", Decimal(1)),
)
"""Spellings that name another unit as well, if the other text has that unit: pounds sterling, 度 of power, 128M."""


_AMBIGUOUS: Final = re.compile(r"(?:pounds?|cents?|美分|度|\d ?[MG]|次)$")


def _other_reading(said: Quantity, stated: Quantity) -> bool:
    if not (_AMBIGUOUS.search(said.text) or _AMBIGUOUS.search(stated.text)):
        return False
    for ambiguous, other in ((said, stated), (stated, said)):
        number = _NUMBER.search(ambiguous.text)
        value = Decimal(number[0].replace(",", "")) if number else ambiguous.value
        for spelling, unit, factor in _READINGS:
            same_unit = other.unit == unit if unit else not other.measured
            if same_unit and spelling.search(ambiguous.text) and value * factor == other.value:
                return True
    return False


_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


_FRACTION_IN_WORDS: Final = Decimal("0.5")
"""A third is 33 %, and 33.3 %."""


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
        glued = f"{number.text}{number.noun}".replace(" ", "").lower()  # 4vCPUs is 4 vCPUs
        return code.unit in (number.text.lower(), glued) or code.unit.lstrip("v") == str(number.value)
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


def _half_measured(said: Quantity, stated: Quantity, piece: Piece, across: bool) -> bool:
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
    if bare is stated and any(
        unit == measure.unit and bare.value * factor == measure.value
        for unit, factor in labelled_units(_cell(bare, piece))
    ):
        return True
    if bare.value not in values and -bare.value not in values:
        return False
    if measure is stated or across:
        return True
    unit = measure.text[len(written[0]) :].strip(" -").lower().removeprefix("个") if written else ""
    text = (_cell(stated, piece) or f"{piece.context} {piece.text}").lower()
    return (
        not unit or bool(re.search(rf"(?<![a-z]){re.escape(unit)}(?![a-z])", text)) or unit.rstrip("s") in text.split()
    )


def _cell(one: Quantity, piece: Piece) -> str:
    """The cell of a number with its header and the label of its row."""
    label = piece.cells[0][1] if piece.cells else ""
    return next(
        (
            f"{label} {header} {text}"
            for header, text, start in piece.cells
            if start <= one.start < start + max(1, len(text))
        ),
        "",
    )
