"""The words of a visible text: Latin words with their stems, Chinese as pairs of characters, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from signoff.evidence.shared_words import _SAYS_LITTLE, _SAYS_LITTLE_HAN, stem

HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_TOKEN: Final = re.compile(
    r"[A-Za-zÀ-ɏ][A-Za-z0-9À-ɏ]*(?:['-][A-Za-z0-9À-ɏ]+)*|[\u3400-\u4dbf\u4e00-\u9fff]+|[.,;:!?()，。；：！？（）、\"\u2014]"
)
LITTLE: Final = frozenset(_SAYS_LITTLE.split()) | {"will", "would", "shall", "via", "per", "etc", "e", "g", "ie"}
_HAN_LITTLE: Final = re.compile("|".join(sorted(_SAYS_LITTLE_HAN.split(), key=len, reverse=True)))
_HAN_NUMERAL: Final = re.compile("[零〇一二两三四五六七八九十百千万亿半]")
CLAUSE_ENDS: Final = frozenset(".;:!?()，。；：！？（）,")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or mark that stands at `start`; `stem` is compared, and is empty for marks and words that say little."""

    text: str
    lower: str
    stem: str
    start: int

    @property
    def mark(self) -> bool:
        return not self.lower[0].isalnum()


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[Word, ...]:
    found: list[Word] = []
    for match in _TOKEN.finditer(text):
        written, start = match[0], match.start()
        if HAN.match(written):
            found.extend(_han(written, start))
            continue
        lower = written.lower()
        if lower.endswith("'s"):
            lower = lower[:-2]
        if not lower[0].isalpha():
            found.append(Word(written, lower, "", start))
        elif "-" in lower and not any(char.isdigit() for char in lower):
            at = start
            for part in lower.split("-"):
                if part:
                    found.append(Word(text[at : at + len(part)], part, _stem(part), at))
                at += len(part) + 1
        else:
            found.append(Word(written, lower, _stem(lower), start))
    return tuple(found)


_SAME: Final = {
    word: noun
    for noun, listed in {
        "weight": "weigh weighs weighed weighing heavy heavier heaviest mass", "length": "long longer longest",
        "width": "wide wider widest",
        "height": "high higher highest tall taller tallest", "depth": "deep deeper deepest",
        "speed": "fast faster fastest",
        "price": "cost costs priced prices",
    }.items()
    for word in listed.split()
}  # fmt: skip
"""A property by the verb or adjective that asks for it: what weighs 3 kg has a weight of 3 kg."""


@lru_cache(maxsize=16384)
def _stem(lower: str) -> str:
    """Rough on purpose: `automated` and `automatic`, `configure` and `configuration` are one word."""
    if lower in LITTLE or len(lower) < 2:
        return ""
    base = stem(_SAME.get(lower, lower))
    return base[:6] if len(base) > 6 and base.isalpha() else base


def _han(run: str, start: int) -> list[Word]:
    if len(run) == 1:
        return [Word(run, run, run, start)]
    return [
        Word(
            run[at : at + 2],
            run[at : at + 2],
            "" if _HAN_LITTLE.search(run[at : at + 2]) or _HAN_NUMERAL.search(run[at : at + 2]) else run[at : at + 2],
            start + at,
        )
        for at in range(len(run) - 1)
    ]


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that say something."""
    return frozenset(word.stem for word in words(text) if word.stem)


def is_chinese(text: str) -> bool:
    return HAN.search(text) is not None
