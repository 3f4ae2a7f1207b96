"""Shares that a text states without a percent sign: three out of four, 2/3 of the shops, 四分之三, 九成的零件."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from signoff.artifacts import numbers

_DIGITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WHOLES: Final = {"a hundred": 100, "hundred": 100, "a thousand": 1000, "thousand": 1000, "twenty": 20, "fifty": 50}
_PARTS: Final = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_VALUES: Final = {
    **{name: value for value, name in enumerate(_DIGITS, 1)},
    **{name: value for value, name in enumerate("零一二三四五六七八九十")},
    "两": 2,
    **_WHOLES,
    **_PARTS,
}
_DECIMAL: Final = r"\d{1,4}"
_COUNT: Final = rf"(?:{_DECIMAL}|{'|'.join(_DIGITS)})"
_WHOLE: Final = rf"(?:{_DECIMAL}|{'|'.join((*_WHOLES, *_DIGITS))})"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b({_COUNT}) (?:out of|in|of every|in every) (?:every )?({_WHOLE})\b",
        rf"(?<![\d/.])({_DECIMAL}) ?[/⁄] ?({_DECIMAL})(?= of\b)",
        rf"\b({_COUNT})[ -]({'|'.join(_PARTS)})s?(?= of\b)",
    )
)
_FRACTION: Final = re.compile(r"([一二两三四五六七八九十]|\d{1,3})分之([一二两三四五六七八九十]|\d{1,3})")
_TENTHS: Final = re.compile(r"([一二两三四五六七八九]|\d)成(?=[的以多左上，。、；]|\Z)")
_SIGNS: Final = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, in percent, as it is written."""

    text: str
    percent: Decimal


def shares(text: str) -> Iterator[Share]:
    """Every one, in the order of the forms."""
    plain = re.sub("[½⅓⅔¼¾⅕⅛]", lambda found: _SIGNS[found.group()], text)
    measured = [(one.start, one.end) for one in numbers.with_units(plain)]
    for form in _FORMS:
        for found in form.finditer(plain):
            if not any(start < found.end() and found.start(2) < end for start, end in measured):
                yield from _share(found.group(), _value(found[1]), _value(found[2]))
    for found in _FRACTION.finditer(plain):
        yield from _share(found.group(), _value(found[2]), _value(found[1]))
    for found in _TENTHS.finditer(plain):
        yield from _share(found.group(), _value(found[1]), 10)


def _share(text: str, part: int, whole: int) -> Iterator[Share]:
    if 0 < part < whole:
        yield Share(text, (Decimal(part * 100) / whole).quantize(Decimal("0.1")))


def _value(written: str) -> int:
    plain = written.lower()
    return _VALUES[plain] if plain in _VALUES else int(plain)
