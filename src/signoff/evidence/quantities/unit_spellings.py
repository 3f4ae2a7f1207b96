"""Spellings of units, countable things and currencies, read from the tables."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

from signoff.evidence.rules import table

Table = dict[str, tuple[str, Decimal]]


def _plural(word: str) -> str:
    irregular = {
        "foot": "feet",
        "square foot": "square feet",
        "cubic foot": "cubic feet",
        "axis": "axes",
        "inch": "inches",
    }
    if word in irregular:
        return irregular[word]
    if " per " in word or word in (
        "people",
        "hertz",
        "lux",
        "percent",
        "per cent",
        "times",
        "degrees c",
        "stokes",
        "thou",
    ):
        return word
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "s", "x", "sh")) else f"{word}s"


class Spellings:
    """The longest spelling at a place, by dictionary: nothing grows with the table."""

    def __init__(self) -> None:
        self.exact: Table = {}
        self.words: Table = {}
        for row in table("units"):
            meaning = row["unit"], Decimal(row.get("factor", "1"))
            self._add(row, meaning)
        for row in table("nouns"):
            self._add(row, (f"#{row['words'][0]}", Decimal(1)))
        self.lengths: dict[str, tuple[int, ...]] = {}
        sizes: dict[str, set[int]] = {}
        for spelling in (*self.exact, *self.words):
            sizes.setdefault(spelling[0].lower(), set()).add(len(spelling))
        self.lengths = {first: tuple(sorted(each, reverse=True)) for first, each in sizes.items()}

    def _add(self, row: dict[str, list[str]], meaning: tuple[str, Decimal]) -> None:
        for word in row.get("words", ()):
            self.words.setdefault(word, meaning)
            self.words.setdefault(_plural(word), meaning)
        for spelling in (*row.get("symbols", ()), *row.get("han", ())):
            self.exact.setdefault(spelling, meaning)

    def at(self, text: str, start: int) -> tuple[str, Decimal, int] | None:
        """Unit, factor and end of the spelling that begins here."""
        for length in self.lengths.get(text[start : start + 1].lower(), ()):
            piece = text[start : start + length]
            found = self.exact.get(piece) or self.words.get(piece.lower())
            if found and _ends_here(text, start + length, piece):
                return *found, start + length
        return None


_NOT_BEFORE: Final = {
    "天": "线然气空花", "日": "常志期本光程用语", "周": "围边期年到",
    "年": "代级龄轻", "升": "级高降至温压", "安": "全装卓防静心排检",
    "克": "服隆", "度": "假量", "元": "素件数器", "瓦": "楞片",
    "位": "置于", "人": "工机形体声物类像民才力性数", "口": "径袋味罩令号",
    "路": "由径线", "层": "级次面", "核": "验算对准", "页": "面眉脚",
    "站": "立", "米": "粒色", "成": "为功员本分立都果就型交长",
    "节": "点能约省", "码": "头", "焦": "点", "表": "示明面格达", "台": "湾北州阶", "帕": "金", "分": "之",
}  # fmt: skip


def _ends_here(text: str, end: int, piece: str) -> bool:
    last, following = piece[-1], text[end : end + 1]
    if last.isascii() and last.isalnum():
        if following and ((following.isascii() and following.isalpha()) or following == "_"):
            return False
        if following.isdigit():
            return piece in ("h", "min", "ft", "x", "X", "m")
        return not (
            following in "-'"
            and following
            and len(piece) < 3
            and text[end + 1 : end + 2].isalpha()
            and piece not in ("h",)
        )
    return not (following and following in _NOT_BEFORE.get(piece, ""))


@cache
def spellings() -> Spellings:
    return Spellings()


CURRENCY: Final = {
    "$": "USD", "US$": "USD", "USD": "USD", "¥": "CNY", "￥": "CNY", "RMB": "CNY", "CNY": "CNY", "人民币": "CNY",
    "€": "EUR",
    "EUR": "EUR", "£": "GBP", "GBP": "GBP", "HK$": "HKD", "A$": "AUD", "C$": "CAD", "₹": "INR", "₽": "RUB", "₩": "KRW",
}  # fmt: skip


_LABELLED: Final = re.compile(r"[(（\[/,，|: ]\s*|^")


@lru_cache(maxsize=4096)
def labelled_units(label: str) -> tuple[tuple[str, Decimal], ...]:
    """The units that a label of a table names, as in `Weight (kg)` or `Delay, max. (ms)`, each with its factor."""
    known = spellings()
    found = (known.at(label, gap.end()) for gap in _LABELLED.finditer(label[:400]))
    return tuple((unit, factor) for unit, factor, _ in filter(None, found) if not unit.startswith("#"))
