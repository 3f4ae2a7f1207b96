"""Whose words these are: the trade's, the brand's, or the reader's. English only."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from signoff.workflows.content.rules.foundation import Foundation
from signoff.workflows.content.rules.lexicon import Lexicon, compiled, fold, lexicon, without
from signoff.workflows.content.rules.piece import Found, Piece, Rule, listed, quoted, visible

FEW: Final = 4
_WE: Final = re.compile(r"\b(?:we|our|ours|us|we're|we've)\b", re.IGNORECASE)
_YOU: Final = re.compile(r"\b(?:you|your|yours|you're|you'll)\b", re.IGNORECASE)


def jargon_of(base: Foundation) -> Lexicon:
    """The jargon that this brand does not want: neither a preferred word nor a keyword, and not avoided by name."""
    named = without(lexicon("jargon"), (*base.preferred, *base.keywords))
    return without(named, base.avoided)


@lru_cache(maxsize=16)
def _compiled(rows: tuple[tuple[str, str], ...]) -> Lexicon:
    return compiled(dict(rows))


def avoided_of(base: Foundation) -> Lexicon:
    return _compiled(tuple(base.avoided.items()))


def jargon(piece: Piece) -> list[Found]:
    words = jargon_of(piece.foundation)
    return [
        Found(
            "jargon",
            "medium",
            f"Jargon that a reader has to translate, {listed(map(fold, found))}, in the line {quoted(text)}",
            f"Say it plainly: {_plainly(words, found)}.",
        )
        for text, _ in visible(piece)
        if (found := words.found(text))
    ]


def _plainly(words: Lexicon, found: list[str]) -> str:
    said = {fold(word): words.suggestion(word) for word in found}
    return ", ".join(f"“{instead}” for “{word}”" if instead else f"no “{word}”" for word, instead in said.items())


def avoided_words(piece: Piece) -> list[Found]:
    words = avoided_of(piece.foundation)
    return [
        Found(
            "avoided-words",
            severity,
            f"The brand voice avoids {listed(map(fold, found))}, yet here it speaks: {quoted(text)}",
            f"Follow the voice document: {_plainly(words, found)}.",
        )
        for text, severity in visible(piece)
        if (found := words.found(text))
    ]


def preferred_words(piece: Piece) -> list[Found]:
    wanted = piece.foundation.preferred
    used = [word for word in wanted if compiled({word: ""}).found(piece.all_words)]
    if used:
        return []
    problem = f"None of the preferred words of the voice document is used, not one of {listed(wanted)}"
    return [Found("preferred-words", "low", problem, "Call things by the brand's own names where they come up.")]


def reader_first(piece: Piece) -> list[Found]:
    """A text speaks of the reader at least as often as of the company."""
    text = " ".join(said.text for said in piece.said)
    ours, yours = len(_WE.findall(text)), len(_YOU.findall(text))
    if ours < FEW or ours <= yours:
        return []
    first = next(said.text for said in piece.said if _WE.search(said.text))
    return [
        Found(
            "reader-first",
            "high" if not yours else "medium",
            f"The company talks of itself, we and our {ours} times against {yours} times you, from {quoted(first)} on",
            "Turn sentences around: what the reader does, gets or keeps.",
        )
    ]


def _english(piece: Piece) -> bool:
    return piece.is_english


RULES: Final = (
    Rule(
        "jargon", "plain words", "jargon words plain phrases generic corporate customer terms wording", jargon, _english
    ),
    Rule(
        "avoided-words",
        "avoided words absent",
        "avoided brand voice tone words vocabulary",
        avoided_words,
        lambda p: bool(p.foundation.avoided),
    ),
    Rule(
        "preferred-words",
        "preferred words",
        "preferred brand voice words vocabulary",
        preferred_words,
        lambda p: bool(p.foundation.preferred),
    ),
    Rule(
        "reader-first",
        "speaks to the reader",
        "customer reader company you words voice community",
        reader_first,
        _english,
    ),
)
