"""Every number that a text states, in digits or in words, English or Chinese, with what it is a number of.

A quantity is a value in a base unit. Units that the table knows can be compared across spellings (1.5 km = 1,500 m =
1.5公里); with any other word the number is compared as it stands. So a number is never passed over because its unit is
unknown. What a quantity says besides its value, `side` (at most, at least) and `per` (a day), is kept beside it.

Kinds: `number`, `ordinal` (third, 第三), `month` (April, 4月), `weekday`, `clock` (minutes of the day), `vague`
(thousands of, 数千: any number from there to a thousand times as many), `code` (IP67, X100, 802.11g).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from signoff.evidence.quantities.counted_numbers import EXACT, code, counted
from signoff.evidence.quantities.grammar import (
    ADDRESS,
    CODE_BEFORE,
    DECADE,
    DECADE_NAME,
    FIND,
    HALF,
    HAN_FOLLOWS,
    KINDS,
    MONTH_NEAR,
    POWER,
    SECOND,
    START,
)
from signoff.evidence.quantities.number_words import (
    HAN_NO_NUMBER,
    HAN_STOPS,
    MONTHS,
    MULTIPLES,
    ORDINALS,
    SMALL,
    VAGUE,
    WEEKDAYS,
    digit_value,
    han_value,
    word_value,
)
from signoff.evidence.quantities.ranges import shared_units
from signoff.evidence.quantities.record import Quantity as Quantity
from signoff.evidence.quantities.unit_spellings import spellings


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every quantity of a visible text, in order."""
    return tuple(shared_units(text, list(_read(text))))


def _read(text: str) -> Iterator[Quantity]:
    at = 0
    addresses = [found.span() for found in ADDRESS.finditer(text)] if "://" in text or "@" in text else []
    for start, end in addresses:
        yield Quantity(Decimal(0), "", text[start:end], start, end, "url")
    while begin := START.search(text, at):
        at = begin.start()
        inside = next((end for start, end in addresses if start <= at < end), 0)
        found = None if inside else FIND.match(text, at)
        if found is None:
            at = max(inside, at + 1)
            continue
        at = found.end()
        kind = next(name for name in KINDS if found[name] is not None)
        made = list(_READERS[kind](found))
        if made:
            at = max(at, max(one.end for one in made))
        yield from made


def _quantity(
    found: re.Match[str], value: Decimal | int, unit: str = "", kind: str = "number", weak: bool = False
) -> Quantity:
    return Quantity(Decimal(value), unit, found[0], found.start(), found.end(), kind, weak=weak)


def _iso(found: re.Match[str]) -> Iterator[Quantity]:
    year, month, day = (int(part) for part in found[0].split("-"))
    yield from _date(found, year, month, day)


def _date(found: re.Match[str], year: int | None, month: int | None, day: int | None) -> Iterator[Quantity]:
    if year is not None:
        yield _quantity(found, year)
    if month is not None:
        yield _quantity(found, month, kind="month")
    if day is not None:
        yield _quantity(found, day)


def _han_int(written: str | None) -> int | None:
    if not written:
        return None
    value = Decimal(written) if written.isdigit() else han_value(written)
    return None if value is None else int(value)


def _han_year(found: re.Match[str]) -> Iterator[Quantity]:
    yield from _date(found, _han_int(found["hy"]), _han_int(found["hym"]), _han_int(found["hymd"]))


def _han_day(found: re.Match[str]) -> Iterator[Quantity]:
    yield from _date(found, None, _han_int(found["hm"]), _han_int(found["hd"]))


def _weekday(found: re.Match[str]) -> Iterator[Quantity]:
    name = found[0].lower()
    yield _quantity(found, WEEKDAYS.get(name) or WEEKDAYS[name.removesuffix("s")], kind="weekday")


def _clock(found: re.Match[str]) -> Iterator[Quantity]:
    if found["zh"]:
        late = (found["zhalf"] or "") in ("下午", "晚上", "傍晚")
        hour = int(found["zh"]) + (12 if late and int(found["zh"]) < 12 else 0)
        yield _quantity(found, hour * 60 + (30 if found["zhh"] else int(found["zhm"] or 0)), kind="clock")
        return
    hour, minute = int(found["ch"] or found["ch2"]), int(found["cm"] or found["cm2"] or 0)
    half = (found["cap"] or found["cap2"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    yield _quantity(found, hour * 60 + minute, kind="clock")


def _quarter(found: re.Match[str]) -> Iterator[Quantity]:
    """A quarter or a half of a year: Q3, 三季度, H2, 下半年."""
    yield _quantity(found, _PARTS_OF_YEAR[found[0][1] if found[0][0] in "QHqh" else found[0][0]], kind="ordinal")


_PARTS_OF_YEAR: Final = {"上": 1, "下": 2, "一": 1, "二": 2, "三": 3, "四": 4, "1": 1, "2": 2, "3": 3, "4": 4}


def _version(found: re.Match[str]) -> Iterator[Quantity]:
    yield from _dotted(found["vn"], found.start(), found.end(), found[0])


def _dotted(number: str, start: int, end: int, written: str) -> Iterator[Quantity]:
    if number.count(".") >= 2:
        form = re.sub(r"(?:\.0)+$", "", number)
        yield Quantity(Decimal(0), form, written, start, end, "code")
    else:
        yield Quantity(Decimal(number), "", written, start, end)


def _ordinal(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    written = found[0].lower()
    if written == "首":
        value = 1
    elif found["zo"]:
        value = _han_int(found["zo"]) or 0
    elif written[0].isdigit():
        value = int(re.sub(r"\D", "", written))
        if value > 31 or MONTH_NEAR.search(text, max(0, found.start() - 12), found.end() + 12) is None:
            yield _quantity(found, value, kind="ordinal")
            return
        yield _quantity(found, value)
        return
    else:
        tens, _, rest = written.rpartition("-")
        value = SMALL.get(tens, 0) + ORDINALS[rest]
    if written == "second" and not SECOND.search(text, max(0, found.start() - 14), found.start()):
        return  # a second of time, or "one second": read with its number
    if value > 2 and text[max(0, found.start() - 6) : found.start()].lower() == "every ":
        yield _quantity(found, (Decimal(100) / value).quantize(Decimal("0.01")).normalize(), unit="%")
        return
    yield _quantity(found, value, kind="ordinal", weak=value == 1)


def _vague(found: re.Match[str]) -> Iterator[Quantity]:
    yield _quantity(found, VAGUE.get(found[0].lower(), 100), kind="vague")


def _multiple(found: re.Match[str]) -> Iterator[Quantity]:
    yield _quantity(found, MULTIPLES.get(found[0].lower(), 2), unit="×")


def _share(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    written = found[0].lower()
    if found["zp"]:
        below, above = (
            han_value(found["zp"]),
            Decimal(found["zn"]) if found["zn"][0].isdigit() else han_value(found["zn"]),
        )
        if below and above is not None:
            yield _quantity(
                found,
                (above * 100 / below).quantize(Decimal("0.0001" if below > 100 else "0.01")).normalize(),
                unit="%",
            )
        return
    if found["zc"]:
        yield _quantity(found, (han_value(found["zc"]) or 0) * 10, unit="%")
        return
    if written.startswith("half") and (hour := re.compile(r"[ -](?:an?[ -])?").match(text, found.end())):
        unit = spellings().at(text, hour.end())
        if unit and not unit[0].startswith("#"):
            yield Quantity(Decimal("0.5") * unit[1], unit[0], text[found.start() : unit[2]], found.start(), unit[2])
            return
    share = {"a quarter": "25", "one quarter": "25", "two": "66.67", "three": "75"}
    third = "33.33" if "third" in written and not written.startswith("two") else None
    key = "two" if written.startswith("two") else "three" if written.startswith("three") else written
    yield _quantity(found, Decimal(third or share.get(key, "50")), unit="%")


def _ratio(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    part, whole = (Decimal(each) if each.isdigit() else word_value(each.lower()) for each in (found["rn"], found["rd"]))
    if part < whole:
        yield _quantity(found, (part * 100 / whole).quantize(Decimal("0.01")).normalize(), unit="%")
        return
    yield from counted(text, found.start(), found.start() + len(found["rn"]), part, in_words=not found["rn"].isdigit())


def _month(found: re.Match[str]) -> Iterator[Quantity]:
    if found[0] in ("may", "march", "MAY", "MARCH") or (found[0] == "May" and found.start() == 0):
        return
    yield _quantity(found, MONTHS[found[0].lower()], kind="month")


def _digits(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    written, start, end = found["digits"], found.start(), found.end()
    before = text[start - 1 : start]
    if before and ((before.isascii() and before.isalpha()) or before == "_") and not _unit_before(text, start):
        yield from code(text, start)
        return
    if before in ("-", ".", "/") and start > 1 and CODE_BEFORE.search(text, max(0, start - 24), start):
        yield from code(text, start)
        return
    if written.count(".") >= 2:
        yield from _dotted(written, start, end, written)
        return
    value = digit_value(written)
    if value is None:
        return
    if re.match(r"\.[xX](?![A-Za-z])", text[end : end + 3]):
        yield Quantity(Decimal(0), f"{written}.x", f"{written}.x", start, end + 2, "code")
        return
    if (decade := DECADE_NAME.match(text, end)) and (value >= 100 or DECADE.search(text, max(0, start - 14), end)):
        yield Quantity(value, "", text[start : decade.end()], start, decade.end(), noun="decade")
        return
    if half := HALF.match(text, end):
        value, end = value + Decimal("0.5"), half.end()
    if power := POWER.match(text, end):
        value, end = _powered(value, power), power.end()
    yield from counted(text, start, end, value)


def _powered(value: Decimal, power: re.Match[str]) -> Decimal:
    exponent = int(power[1] or power[2] or power[3])
    if abs(exponent) > 30:
        return value
    return EXACT.power(value, exponent) if power[1] else value.scaleb(exponent)


def _unit_before(text: str, start: int) -> bool:
    """`6h30`, `30mmx20mm`: the letters before are the unit of the number before them."""
    before = re.search(r"\d(?:h|hr|min|x|X|mm|cm|m|V|k)$", text[max(0, start - 5) : start])
    return before is not None


def _words(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    written = found["words"].lower()
    value = word_value(re.sub(r"^an? ", "", written).replace(" and ", " "))
    weak = written == "one"
    if weak and (
        text[max(0, found.start() - 1) : found.start()] == "-"
        or text[max(0, found.start() - 3) : found.start()].lower() == "no "
    ):
        return
    end = found.end()
    if half := HALF.match(text, end):
        value, end = value + Decimal("0.5"), half.end()
    for one in counted(text, found.start(), end, value, in_words=True):
        idle = one.unit == "s" and not re.search(
            r"(?:in|within|per|for|of|every|than|least|most|about) $", text[max(0, one.start - 8) : one.start]
        )
        yield one if not weak or (one.measured and not idle) else _weakly(one)


def _article(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    if not re.search(r"(?:[\d%]|[a-z]s|times|once|twice) $", text[max(0, found.start() - 8) : found.start()]):
        for one in counted(text, found.start(), found.end(), Decimal(1), in_words=True):
            yield one if " half" in one.text else _weakly(one)


def _weakly(one: Quantity) -> Quantity:
    return Quantity(
        one.value, one.unit, one.text, one.start, one.end, one.kind, one.side, one.per, one.noun, one.approximate, True
    )


def _han(found: re.Match[str]) -> Iterator[Quantity]:
    text = found.string
    written, start, end = found["han"], found.start(), found.end()
    if written == "零" and text[end : end + 1] == "下":
        return
    if text.startswith("进制", end):
        return
    if written == "半":
        yield from counted(text, start, end, Decimal("0.5"), in_words=True)
        return
    if text[start : end + 1] in HAN_STOPS or text[start : end + 2] in HAN_STOPS or HAN_NO_NUMBER.fullmatch(written):
        return
    before = text[start - 1 : start]
    part_of_word = before and before in "统唯万同第周期拜专单每任某逐之" and len(written) == 1
    if part_of_word and (before != "每" or written == "一"):
        return
    value = han_value(written)
    if value is None:
        return
    weak = len(written) == 1 and (written == "一" or not (HAN_FOLLOWS.match(text, end)))
    for one in counted(text, start, end, value, in_words=True):
        strong = one.measured or (one.unit and written != "一")
        yield one if strong or not weak else _weakly(one)


_READERS: Final = {
    "iso": _iso, "hanyear": _han_year, "handay": _han_day, "weekday": _weekday, "quarter": _quarter,
    "clock": _clock, "version": _version, "ordinal": _ordinal,
    "vague": _vague, "multiple": _multiple, "ratio": _ratio, "share": _share, "month": _month, "article": _article,
    "digits": _digits, "words": _words, "han": _han,
}  # fmt: skip
