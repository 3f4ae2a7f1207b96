"""What a text speaks of in either language: numbers of glossary rows, by which a sentence is found across languages."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from signoff.evidence.rules import table
from signoff.evidence.words import HAN, stems


@cache
def _rows() -> tuple[dict[str, tuple[str, ...]], re.Pattern[str], dict[str, tuple[str, ...]]]:
    """Rows by the stem of an English word, a pattern of all Chinese words, and rows by Chinese word."""
    english: dict[str, set[str]] = {}
    chinese: dict[str, set[str]] = {}
    pairs = [row.split(" | ") for row in table("glossary")["terms"]]
    pairs += [[" ".join(row["words"]), " ".join(row["han"])] for row in table("nouns") if "han" in row]
    for number, (left, right) in enumerate(pairs):
        name = f"§{number}"
        for word in left.split():
            for stem in stems(word):
                english.setdefault(stem, set()).add(name)
        for word in right.split():
            chinese.setdefault(word, set()).add(name)
    pattern = re.compile("|".join(sorted(map(re.escape, chinese), key=len, reverse=True)))
    return (
        {stem: tuple(sorted(names)) for stem, names in english.items()},
        pattern,
        {word: tuple(sorted(names)) for word, names in chinese.items()},
    )


@lru_cache(maxsize=16384)
def subjects(text: str) -> frozenset[str]:
    """The glossary rows of which the text holds a word."""
    english, pattern, chinese = _rows()
    found = {name for stem in stems(text) if stem in english for name in english[stem]}
    if HAN.search(text):
        found.update(name for word in pattern.findall(text) for name in chinese[word])
    return frozenset(found)
