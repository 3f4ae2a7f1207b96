"""How much of what a text says stands in another, by its words: what code can tell where there is no number to check.

English by words of four letters and more, without their endings and without words that only join; Chinese by pairs of
characters. A claim is measured in the language that fits the place better.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from signoff.evidence.canonical import visible
from signoff.evidence.quantities.reading import quantities

_WORD = re.compile(r"[A-Za-z]{4,}")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ations?|ments?|ions?|ings?|ages?|edly|ed|ers?|or|es|ly|al|s|e|y)\Z")
_JOINING: Final = frozenset(
    re.findall(
        "[a-z]+",
        """also always been both does each every from have into just more most much never only other over same some such
        than that their them then there these they this those under until very were what when where which while will
        with without your about after again because before between could should would""",
    )
)


@dataclass(frozen=True, slots=True)
class Share:
    """`found` of `total` terms of a text occur."""

    found: int
    total: int
    terms: str = "words"

    @property
    def ratio(self) -> float:
        return self.found / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.found} of {self.total} {self.terms}"


def checkable(text: str) -> bool:
    """Whether it has a number with a unit or a code, which a place either states or does not."""
    return any(one.unit for one in quantities(visible(text)))


def share(texts: Iterable[str], said: str) -> Share:
    """How much of these texts, the same thing in several languages, is said: of the one that is said most."""
    there = _terms(said)
    shares = [Share(len(terms & there), len(terms), _called(text)) for text in texts if (terms := _terms(text))]
    return max(shares, key=lambda made: made.ratio, default=Share(0, 0))


def _called(text: str) -> str:
    return "words and pairs of characters" if _HAN.search(text) else "words"


@lru_cache(maxsize=1024)
def _terms(text: str) -> frozenset[str]:
    words = {_stem(word) for word in map(str.lower, _WORD.findall(text)) if word not in _JOINING}
    pairs = {run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1)}
    return frozenset(words | pairs)


def _stem(word: str) -> str:
    """The word without its endings, so that `charges` meets `charging` and `stored` meets `storage`."""
    stem = _ENDING.sub("", _ENDING.sub("", word))
    return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem
