"""Whether the words that a material rests on stand in the page that it names (AR-5): code looks, nobody is believed.

White space may differ, and a line break between two Chinese characters counts as nothing; every other character has to
be the same. A quote never begins or ends within a word or a number: `5% of parts` does not stand in `15% of parts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from signoff.artifacts import lines
from signoff.core.findings import Finding
from signoff.evidence.figures import numbers
from signoff.evidence.figures.units import is_han
from signoff.workflows.article.documents.materials import RULE, DatumFound, Found

LEAST: Final = 12
"""Characters that a quote has at least."""
LEAST_HAN: Final = 6
"""Chinese characters that are as good as that."""

_WIDE: Final = "\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_EITHER: Final = _WIDE + "“”‘’…—"  # marks of Chinese and of other texts
_BREAK: Final = re.compile(
    rf"(?<=[{_WIDE}])[^\S\r\n]*[\r\n]\s*(?=[{_EITHER}])|(?<=[{_EITHER}])[^\S\r\n]*[\r\n]\s*(?=[{_WIDE}])"
)


@lru_cache(maxsize=128)  # many quotes are looked up in the same pages
def normalised(text: str) -> str:
    """The text with one space for each run of white space, and none where a line of Chinese was broken."""
    return " ".join(_BREAK.sub("", text).split())


def stands_in(quote: str, page: str) -> bool:
    """Whether the page has these words, whole."""
    words, text = normalised(quote), normalised(page)
    at = text.find(words) if words else -1
    while at >= 0 and _cuts(text, at, at + len(words)):
        at = text.find(words, at + 1)
    return at >= 0


def _cuts(text: str, start: int, end: int) -> bool:
    """Whether a word or a number goes on beyond one of the ends."""
    return _joined(text, start) or _joined(text, end)


def _joined(text: str, at: int) -> bool:
    """Whether both sides of a place are one: letters of a word; a number with its sign, its range or its percent."""
    return any(before.search(text, max(0, at - 2), at) and after.match(text, at) for before, after in _ONE)


_NUMERAL: Final = "[零〇一二两三四五六七八九十百千万亿点]"
_LETTER: Final = rf"[^\W_{_WIDE}]"
_ONE: Final = tuple(
    (re.compile(rf"{before}\Z"), re.compile(after))
    for before, after in (
        (_LETTER, _LETTER),
        (r"\d", r"\d"),  # full width too, which are no letters here
        (r"\d[.,．]", r"\d"),  # 1.5 and 1,500
        (r"\d[，'’ \u202f]", r"\d{3}(?!\d)"),  # 1 500
        (r"(?:^|\s)\.", r"\d"),  # .5
        (r"\d", r"[.,．]\d|[，'’ \u202f]\d{3}(?!\d)|\s?[%％﹪‰°]|[-–−~～]\d"),
        (r"[-–−~～]", r"\d"),  # -5 % and 3-5 %
        (_NUMERAL, _NUMERAL),  # 二十五
        (r"分之", _NUMERAL),
    )
)


# --- findings ---------------------------------------------------------------------------------------------------------


def check(found: Found, pages: Mapping[str, str], file: str, about: str = "") -> list[Finding]:
    """Why a material may not be recorded; nothing when its words stand in the page of its url."""

    def finding(rule: str, problem: str, repair: str) -> list[Finding]:
        return [Finding(rule=f"{RULE}.{rule}", problem=problem, repair=repair, file=file, about=about)]

    if too_short(found.quote):
        problem = f"the quote {found.quote!r} is too short; valid: {LEAST} characters or more, {LEAST_HAN} in Chinese"
        return finding("quote", problem, "quote the whole sentence")
    if found.url not in pages:
        known = ", ".join(sorted(pages)[:12]) or "none"
        problem = f"{found.url!r} is no page that was fetched; valid: {known}"
        return finding("url", problem, "name the page that the words stand in")
    if not stands_in(found.quote, pages[found.url]):
        problem = f"the quote {_shown(found.quote)} does not stand in {found.url}; valid: its words, to the letter"
        return finding("quote", problem, "quote the words as they stand there, or leave the item out")
    if isinstance(found, DatumFound) and not states(found.quote, found.value):
        problem = f"the value {found.value!r} does not occur in the quote {_shown(found.quote)}"
        return finding("value", problem, "give the figure as the quote has it, or quote the sentence that states it")
    return []


def too_short(quote: str, least: int = LEAST) -> bool:
    """Whether a quote is so short that it would stand anywhere. A Chinese character says as much as two others."""
    words = normalised(quote)
    return len(words) + sum(map(is_han, words)) * (LEAST / LEAST_HAN - 1) < least


def states(quote: str, value: str) -> bool:
    """Whether a quote states a value: the same words, or the same quantities.

    A bare number may have a unit in the quote; with words beside it, these are its unit, and all of it has to be there.
    """
    asked = numbers.quantities(value)
    if stands_in(value, quote) or not asked:
        return stands_in(value, quote)
    bare = {found.value for found in asked if not found.unit}
    if bare and _beside(value, asked):
        return False
    return bare <= {found.value for found in numbers.quantities(quote)} and not numbers.missing(value, quote)


def _beside(value: str, asked: Iterable[numbers.Quantity]) -> bool:
    """Whether there are words beside the quantities."""
    rest = lines.spliced(value, ((found.start, found.end, " ") for found in asked))
    return any(map(str.isalnum, rest))


def _shown(quote: str) -> str:
    words = normalised(quote)
    return repr(words if len(words) <= 120 else words[:119] + "…")
