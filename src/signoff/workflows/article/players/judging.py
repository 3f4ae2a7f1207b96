"""What the players make of a sentence: whether it stands alone, what it claims, and what it does for a thesis."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from signoff.artifacts import numbers
from signoff.artifacts.words import count_cn, count_en
from signoff.workflows.article.players.lexicon import (
    CHALLENGE,
    CLAIM,
    DANGLING,
    FIRST_PERSON,
    MARKUP,
    NUANCE,
    NUMBER,
    QUESTION,
    SECOND_PERSON,
)
from signoff.workflows.wording import content

GROUPS: Final = {
    "opinion": ("cases", "data", "why", "debates", "practice"),
    "tutorial": ("why", "practice", "data", "cases", "debates"),
    "informational": ("why", "data", "cases", "debates", "practice"),
    "comparison": ("debates", "data", "why", "cases", "practice"),
}
"""In which order an article of each type takes up what it has."""


def length(text: str, language: str) -> int:
    return count_cn(text) if language == "zh" else count_en(text)


@lru_cache(maxsize=4096)
def figures(text: str) -> tuple[str, ...]:
    """What a text states in numbers: quantities with their units, in words too, and every bare number in digits."""
    stated = [found.text for found in numbers.with_units(text)]
    bare = [one for one in NUMBER.findall(text) if not any(one in with_unit for with_unit in stated)]
    return tuple(dict.fromkeys((*stated, *bare)))


def carries(quote: str, figure: str) -> bool:
    """Whether a quote states a figure."""
    return figure in figures(quote) or (not NUMBER.fullmatch(figure) and not numbers.missing(figure, quote))


def shared(text: str, other: str) -> float:
    """How much of what the first text is about the other one speaks of."""
    wanted = content(text)
    return len(wanted & content(other)) / len(wanted) if wanted else 0.0


def stands_alone(sentence: str) -> bool:
    """Whether it can be read without what came before, and by anybody."""
    spoken = FIRST_PERSON.search(sentence) or SECOND_PERSON.search(sentence) or QUESTION.search(sentence)
    return not (spoken or DANGLING.match(sentence) or MARKUP.search(sentence) or "“" in sentence)


def is_claim(sentence: str, language: str) -> bool:
    """A statement that somebody could dispute, short enough to be carried through an article."""
    least, most = (12, 45) if language == "zh" else (7, 26)
    fits = least <= length(sentence, language) <= most
    return fits and stands_alone(sentence) and not figures(sentence) and bool(CLAIM.search(sentence))


def stance(sentence: str) -> str:
    if NUANCE.search(sentence):
        return "nuance"
    return "challenge" if CHALLENGE.search(sentence) else "confirm"


def support(text: str, thesis: str, *, counter: bool = False) -> str:
    """What a material does for the thesis, by what the two speak of."""
    if not thesis:
        return "neutral"
    if counter:
        return "counter" if CHALLENGE.search(text) else "nuance"
    near = shared(thesis, text)
    return "strong" if near >= 0.34 else "moderate" if near >= 0.15 else "weak" if near else "neutral"


def placement(group: str, kind: str) -> str:
    """The section that a group of materials makes in an article of this type, if every group is there."""
    order = GROUPS.get(kind, GROUPS["opinion"])
    return f"H2-{order.index(group) + 1}"


def distinct(texts: Iterable[str], most: int, limit: float = 0.5) -> list[str]:
    """The first texts that do not repeat one another."""
    chosen: list[str] = []
    for text in texts:
        if all(shared(text, other) < limit and shared(other, text) < limit for other in chosen):
            chosen.append(text)
    return chosen[:most]
