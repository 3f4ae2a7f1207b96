"""The numbers a text states, in English and Chinese, so that two texts can be compared by what they promise.

The law (SP-9, SP-15, SP-16):

1. A quantity is a number and, where one is written, its unit. Numbers are digits (`10,000`, `1.5 million`, `10k`,
   150万, full width too), English words to ninety-nine (with hundred, thousand, …) and Chinese numerals (三十五).
   A number in words counts only before a unit; `one` and 一 only before a measure, for they are mostly articles.
2. Units are those of `figures.units`. A measure is brought to the base of its family where that is exact:
   6-hour = 6 h = 6小时 = 360 min; a year is 12 months, yet a month is no number of days; °C and °F stay apart, and so
   do percent and percentage points; `3 times` = 3x = 3倍. `per day` and the like is dropped, except in the rates of
   the table (m/s, fps, rpm, …), which 每秒30帧 also spells. ±, ≤, ≥, < and > say nothing; a minus does.
3. A count is a number of things of the table (8-microphone array = 8 microphones = 8个麦克风), even with a few words
   between. Anything else is a bare number, with the unit "".
4. Both ends of a range, an alternative and a product carry the unit: `3–5 m`, 3至5米, `4 or 8 GB`, `20 × 30 mm`.
5. No quantity at all: parts of names and ids (IP67, RS-485, H.264, v2.3, 4K, C-WSP-010), ordinals (第3, 3rd), dates,
   clock times, 24/7. After a name that takes versions (USB 3.0, Wi-Fi 6, ISO 27001) only a measure counts
   (`Wi-Fi 5 GHz`).
6. A quantity of one text *occurs* in another when a quantity there has the same key (value and unit); or else
   - a count: when a bare number there has its value, and the thing is named there (`Microphones: 8`) or one of the
     two texts is Chinese and the other not (the translation may be a word the table lacks);
   - a measure: when a bare number there has its value in a unit that stands there by itself, as tables and data
     sheets write it (`value: 6, unit: h`, `Battery life (hours) | 6`). In running text a measure never matches a
     bare number.
7. Bare numbers are never asked for; the same quantity twice is asked for once.

Known limits: `half an hour` and 半小时, 1亿2000万 as one number, `a year` for 一年, 摄氏20度,
`10 000` with a space, units not in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import lru_cache

from signoff.evidence.figures.number_parsing import Reading, readings
from signoff.evidence.figures.numerals import fold
from signoff.evidence.figures.units import COUNTED, MEASURES, NOUN_NAMES, Unit, is_han

_EXACT = Context(prec=60)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written at `start:end` of the text given; `value` is in the base unit of its family."""

    value: Decimal
    unit: str
    text: str
    start: int
    end: int

    def key(self) -> tuple[Decimal, str]:
        """What is compared."""
        return self.value, self.unit

    @property
    def counted(self) -> bool:
        """A number of things (8 microphones), not of a measure (6 hours)."""
        return self.unit in NOUN_NAMES


@lru_cache(maxsize=512)  # gates ask for the same sentences again and again
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every quantity, bare numbers included, in order of occurrence."""
    plain = fold(text)
    shared = _share_units(plain, list(readings(plain)))
    return tuple(_quantity(reading, text) for reading in shared if reading.unit or not reading.in_words)


@lru_cache(maxsize=512)
def with_units(text: str) -> tuple[Quantity, ...]:
    """The measures and counts."""
    return tuple(found for found in quantities(text) if found.unit)


def _quantity(reading: Reading, text: str) -> Quantity:
    value, unit = _EXACT.multiply(reading.number, reading.scale), reading.unit
    written = text[reading.start : reading.end]
    if unit is None:
        return Quantity(value, "", written, reading.start, reading.end)
    return Quantity(_EXACT.multiply(value, unit.factor), unit.name, written, reading.start, reading.end)


def missing(claim: str, evidence: str) -> tuple[Quantity, ...]:
    """The measures and counts of `claim` that do not occur in `evidence`, each once."""
    stated = with_units(claim)
    there = quantities(evidence) if stated else ()
    keys = {found.key() for found in there}
    absent = {found.key(): found for found in reversed(stated) if found.key() not in keys}
    if not absent:
        return ()
    bare = frozenset(found.value for found in there if not found.unit)
    across, plain = _has_han(claim) != _has_han(evidence), fold(evidence)
    lost = [found for found in absent.values() if not _stated_apart(found, plain, bare, across=across)]
    return tuple(sorted(lost, key=lambda found: found.start))


def same_quantities(a: str, b: str) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...]]:
    """What only `a` states and what only `b` states; both empty when the two promise the same numbers."""
    return missing(a, b), missing(b, a)


# --- ranges -----------------------------------------------------------------------------------------------------------

_LINKS = re.compile(r"[\s-]{0,2}(?:-|—|~|to|through|至|到|or|或|/|±|\+/-)?[\s-]{0,2}", re.IGNORECASE)
_TIMES = re.compile(r" ?[xX×*] ?")


def _share_units(plain: str, readings: list[Reading]) -> list[Reading]:
    """Give the first end of a range the unit of the second."""
    for place in range(len(readings) - 2, -1, -1):
        first, second = readings[place], readings[place + 1]
        if first.unit is None and second.unit and _linked(plain, first, second, second.unit):
            same_scale = first.scale == 1 and first.number < second.number
            scale = second.scale if same_scale else first.scale
            readings[place] = replace(first, scale=scale, unit=second.unit)
    return readings


def _linked(plain: str, first: Reading, second: Reading, unit: Unit) -> bool:
    between = plain[first.end : second.start]
    if len(between) > 12:
        return False
    if between.strip() == "and":
        return plain[max(0, first.start - 8) : first.start].lower().rstrip() == "between"
    joined = bool(between.strip()) and bool(_LINKS.fullmatch(between))
    return joined or (not unit.counted and bool(_TIMES.fullmatch(between)))


# --- what a table states apart ----------------------------------------------------------------------------------------

_EDGES = frozenset("()[]{}|:,;/=\"'`\n，；")
_LABEL = re.compile(r"(?:units?|单位)[\"']? ?[:=|] ?[\"']?\Z", re.IGNORECASE)


def _has_han(text: str) -> bool:
    return not text.isascii() and any(map(is_han, text))


def _stated_apart(found: Quantity, plain: str, bare: frozenset[Decimal], *, across: bool) -> bool:
    if found.counted:
        return found.value in bare and (across or _names_noun(found.unit, plain))
    units = (unit for unit in MEASURES if unit.name == found.unit)
    return any(_in_unit(found.value, unit, bare) and _stands_alone(unit, plain) for unit in units)


def _in_unit(value: Decimal, unit: Unit, bare: Iterable[Decimal]) -> bool:
    return any(_EXACT.multiply(number, unit.factor) == value for number in bare)


def _names_noun(name: str, plain: str) -> bool:
    unit = next(unit for unit in COUNTED if unit.name == name)
    lowered = plain.lower()
    words = (*unit.words, *unit.plurals())
    return any(han in plain for han in unit.han) or any(
        word in lowered and re.search(rf"\b{word}\b", lowered) for word in words
    )


def _stands_alone(unit: Unit, plain: str) -> bool:
    exact, words, lowered = (*unit.symbols, *unit.han), (*unit.words, *unit.plurals()), plain.lower()
    return any(_alone(plain, spelling, place) for spelling in exact for place in _places(plain, spelling)) or any(
        _alone(lowered, word, place) for word in words for place in _places(lowered, word)
    )


def _places(plain: str, spelling: str) -> Iterator[int]:
    place = plain.find(spelling)
    while place >= 0:
        yield place
        place = plain.find(spelling, place + 1)


def _alone(plain: str, spelling: str, place: int) -> bool:
    """A unit between brackets, bars, colons or ends of lines; behind `unit:`; or a word before `:`, `|`, `=` or `)`."""
    end = place + len(spelling)
    before, after = plain[max(0, place - 40) : place].rstrip(" ")[-1:], plain[end : end + 40].lstrip(" ")[:1]
    if (not before or before in _EDGES) and (not after or after in _EDGES):
        return True
    if _LABEL.search(plain, max(0, place - 12), place):
        return plain[end : end + 1] == " "
    starts_here = plain[place - 1 : place] == " "
    return starts_here and len(spelling) > 2 and spelling.isascii() and bool(after) and after in ":|=)"
