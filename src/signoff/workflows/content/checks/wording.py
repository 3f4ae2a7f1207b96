"""Words that the brand voice avoids, figures that stand in no document, and how hard the text is to read.

Reading ease is Flesch's, for English only: 206.835 - 1.015 * words per sentence - 84.6 * syllables per word. Syllables
are the places where pyphen would hyphenate, plus one. Hyphenation leaves no letter alone, so short words such as `open`
count as one: the figure is a few points kinder than one counted by ear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Final

from signoff.evidence.figures import numbers
from signoff.workflows.content.checks.draft import Check, Draft, Found, count, quoted

MOST_SENTENCES: Final = 2_000


def avoided(draft: Draft) -> Iterator[Found]:
    """Whole words, any case, as the brand voice lists them."""
    instead = {fold(word): other for word, other in draft.documents.avoided.items()}
    longest = sorted(instead, key=lambda word: (-len(word), word))
    spelled = "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in longest)
    pattern = re.compile(rf"(?<![\w-])(?:{spelled})(?![\w-])", re.IGNORECASE)
    for said in draft.seen:
        for word in dict.fromkeys(fold(match.group()) for match in pattern.finditer(said.text)):
            better = f"say “{instead[word]}”" if instead[word] else "leave it out"
            yield Found(said.line, f"the brand voice avoids “{word}”: {quoted(said.text)}", better)


def fold(word: str) -> str:
    return " ".join(word.replace("’", "'").casefold().split())


def figures(draft: Draft) -> Iterator[Found]:
    """A number with a unit stands in a foundation document or in an idea."""
    for said in draft.seen[:MOST_SENTENCES]:
        for lost in numbers.missing(said.text, draft.documents.material):
            problem = f"“{lost.text}” stands in no foundation document and in no idea: {quoted(said.text)}"
            yield Found(said.line, problem, "use a figure of the documents, or write down where this one comes from")


def _voice(draft: Draft) -> str:
    return "" if draft.documents.avoided else "the words to avoid in foundation/brand-voice.md"


def _material(draft: Draft) -> str:
    return "" if draft.documents.material.strip() else "foundation documents or ideas to look figures up in"


# --- how hard it is to read -------------------------------------------------------------------------------------------

EASY: Final = 60
FEW_WORDS: Final = 40
LONG: Final = 28
"""How many words a sentence may have if the brand voice sets no limit."""

_WORD: Final = re.compile(r"[^\W\d_]+")


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


def reading_ease(draft: Draft) -> Iterator[Found]:
    words = [word for said in draft.prose for word in _WORD.findall(said.text)]
    if len(words) >= FEW_WORDS and (score := round(ease(words, len(draft.prose)))) < EASY:
        problem = f"the reading ease is {score} on the Flesch scale; plain English has {EASY} or more"
        yield Found(draft.prose[0].line, problem, "use shorter words and shorter sentences", "warning")


def long_sentences(draft: Draft) -> Iterator[Found]:
    most = draft.documents.sentence_words or LONG
    for said in draft.prose:
        if (number := count(said.text)) > most:
            problem = f"a sentence has {number} words, more than {most}: {quoted(said.text)}"
            yield Found(said.line, problem, "cut it in two where a new thought begins", "warning")


def _english(draft: Draft) -> str:
    return "" if draft.is_english else "English sentences"


CHECKS: Final = (
    Check("avoided-words", avoided, _voice),
    Check("figures", figures, _material),
    Check("reading-ease", reading_ease, _english),
    Check("long-sentences", long_sentences, _english),
)
