"""The words of words.yaml, compiled once: what to look for, and what to say instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from signoff.artifacts import yamlio

_FILE: Final = "words.yaml"


@dataclass(frozen=True)
class Lexicon:
    """Words with what to say instead; an empty text is: leave it out."""

    instead: Mapping[str, str]
    pattern: re.Pattern[str]

    def found(self, text: str) -> list[str]:
        return [match.group() for match in self.pattern.finditer(text)]

    def suggestion(self, word: str) -> str:
        return self.instead.get(fold(word), "")


def fold(word: str) -> str:
    return " ".join(word.replace("’", "'").casefold().split())


def compiled(rows: Mapping[str, str]) -> Lexicon:
    """A lexicon of whole words, the longest first; a space stands for any white space."""
    folded = {fold(word): instead for word, instead in rows.items() if word.strip()}
    longest = sorted(folded, key=lambda word: (-len(word), word))
    spelled = "|".join(re.escape(word).replace(r"\ ", r"\s").replace("'", "['’]") for word in longest)
    return Lexicon(folded, re.compile(rf"(?<![\w-])(?:{spelled or '(?!)'})(?![\w-])", re.IGNORECASE))


@cache
def _table() -> Mapping[str, Any]:
    file = resources.files(__package__).joinpath(_FILE)
    return yamlio.load_mapping(file.read_text(encoding="utf-8"), _FILE)


@cache
def lexicon(name: str) -> Lexicon:
    """`jargon`, `filler` or `superlative`."""
    return compiled(dict(_rows(_table()[name])))


def _rows(table: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for forms, instead in table.items():
        pairs = zip(forms.split("|"), str(instead).split("|"), strict=True)
        yield from ((form, "" if plain == "~" else plain) for form, plain in pairs)


@cache
def vague() -> frozenset[str]:
    return frozenset(_table()["vague"])


@cache
def verbs() -> frozenset[str]:
    return frozenset(str(_table()["verbs"]).split())


def without(words: Lexicon, kept: Iterable[str]) -> Lexicon:
    """The lexicon without words that somebody wants to say."""
    wanted = {fold(word) for word in kept}
    left = {word: instead for word, instead in words.instead.items() if not any(word in one for one in wanted)}
    return words if len(left) == len(words.instead) else compiled(left)
