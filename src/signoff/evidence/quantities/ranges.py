"""Numbers that belong together: ends of a range share a unit, an hour and ten minutes are one time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from signoff.evidence.quantities.number_words import digit_value
from signoff.evidence.quantities.record import Quantity
from signoff.evidence.quantities.unit_spellings import spellings

_RANGE: Final = re.compile(r"\s?(?:-|~|to|through|至|到|and|or|和|或|/|×|x|±|\+/-)\s?", re.IGNORECASE)


def shared_units(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """3-5 m: the first end of a range, an alternative or a product has the unit of the second."""
    for place in range(len(found) - 2, -1, -1):
        first, second = found[place], found[place + 1]
        numbers = first.kind == second.kind == "number"
        if numbers and not first.unit and second.unit and not first.noun.strip("to-and"):
            if not _RANGE.fullmatch(text[first.end : second.start] or "."):
                continue
            factor = _factor(second)
            found[place] = Quantity(
                first.value * factor,
                second.unit,
                first.text,
                first.start,
                first.end,
                "number",
                per=second.per,
                noun=second.noun,
            )
    yield from _compounds(text, found)


_COMPOUND: Final = re.compile(r",? ?(?:and )?|零|又")


def _compounds(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """An hour and ten minutes is seventy minutes."""
    place = 0
    while place < len(found):
        one = found[place]
        while (
            place + 1 < len(found)
            and one.unit in ("s", "month")
            and (following := found[place + 1]).unit == one.unit
            and _smaller_unit(one, following)
            and _COMPOUND.fullmatch(text[one.end : following.start] or " ")
        ):
            one = Quantity(
                one.value + following.value,
                one.unit,
                text[one.start : following.end],
                one.start,
                following.end,
                per=following.per,
            )
            place += 1
        yield one
        place += 1


def _smaller_unit(first: Quantity, second: Quantity) -> bool:
    return _factor(first) > _factor(second) > abs(second.value) / 1000 and abs(second.value) < _factor(first)


def _factor(quantity: Quantity) -> Decimal:
    written = re.match(r"[^\d-]*(-?[\d.,]+)", quantity.text)
    if written is None:
        spelled = next(
            (
                each
                for each in (spellings().words.get(word) for word in re.findall(r"[a-z]+", quantity.text.lower()))
                if each
            ),
            None,
        )
        return spelled[1] if spelled else Decimal(1)
    number = digit_value(written[1].strip(",.").lstrip("-"))
    return abs(quantity.value / number) if number else Decimal(1)
