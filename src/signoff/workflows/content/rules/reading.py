"""How hard the text is to read: Flesch reading ease, long sentences, filler, passive voice. English only.

Reading ease is 206.835 - 1.015 * words per sentence - 84.6 * syllables per word. Syllables are the places where pyphen
would hyphenate, plus one. Hyphenation leaves no letter alone, so short words such as `open` count as one: the figure is
a few points kinder than one counted by ear.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final

from signoff.workflows.content.rules.lexicon import lexicon
from signoff.workflows.content.rules.piece import Found, Piece, Rule, count, listed, quoted

EASY: Final = 60
HARD: Final = 40
FEW_WORDS: Final = 40
LONG: Final = 28
VERY_LONG: Final = 40

_WORD: Final = re.compile(r"[^\W\d_]+")
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s(?:[a-z]+ly\s)?(?:[a-z]{2,20}ed|made|done|given|taken|shown|written|sent|built|held|kept)"
    r"(?:\s[a-z]+){0,2}?\sby\s(?:(?:the|an?|our|your|their|its)\s\w+|\w{2,20}s)\b",
    re.IGNORECASE,
)


@cache
def _hyphens() -> Any:
    import pyphen  # type: ignore[import-untyped]  # its dictionary takes a twentieth of a second: only when asked

    return pyphen.Pyphen(lang="en_US")


@lru_cache(maxsize=8192)
def syllables(word: str) -> int:
    return len(_hyphens().positions(word[:40].lower())) + 1


def ease(words: list[str], sentences: int) -> float:
    """Flesch reading ease of words in so many sentences; 60 to 70 is plain English, under 30 is for specialists."""
    spoken = sum(map(syllables, words))
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * spoken / len(words)


def reading_ease(piece: Piece) -> list[Found]:
    words = [word for said in piece.said for word in _WORD.findall(said.text)]
    if len(words) < FEW_WORDS:
        return []
    score = round(ease(words, len(piece.said)))
    if score >= EASY:
        return []
    problem = (
        f"Reading ease is {score} on the Flesch scale, where plain English has {EASY} and more, specialists' prose less"
    )
    mend = "Use shorter words and shorter sentences, first where the reader decides."
    return [Found("reading-ease", "high" if score < HARD else "medium", problem, mend)]


def long_sentences(piece: Piece) -> list[Found]:
    return [
        Found(
            "long-sentences",
            "medium" if number >= VERY_LONG else "low",
            f"One sentence runs over {number} words and must be read twice, {LONG} is the limit: {quoted(said.text)}",
            "Cut it in two where a new thought begins.",
        )
        for said in piece.said
        if (number := count(said.text)) > LONG
    ]


def filler(piece: Piece) -> list[Found]:
    return [
        Found(
            "filler",
            "low",
            f"Padding that can go without loss ({listed(found)}) weakens {quoted(said.text)}",
            "Take it out.",
        )
        for said in piece.said
        if (found := lexicon("filler").found(said.text))
    ]


def passive(piece: Piece) -> list[Found]:
    return [
        Found(
            "passive",
            "low",
            f"Passive voice, {quoted(match.group())}: who acts is read last in {quoted(said.text)}",
            "Let whoever acts begin the sentence.",
        )
        for said in piece.said
        if (match := _PASSIVE.search(said.text))
    ]


def _english(piece: Piece) -> bool:
    return piece.is_english


RULES: Final = (
    Rule(
        "reading-ease",
        "reading ease",
        "readability reading plain clear language words effort load",
        reading_ease,
        _english,
    ),
    Rule(
        "long-sentences", "sentence length", "sentences rhythm readability clear load length", long_sentences, _english
    ),
    Rule("filler", "no padding", "filler wording rhythm concise tone voice", filler, _english),
    Rule("passive", "active voice", "passive wording rhythm voice tone register", passive, _english),
)
