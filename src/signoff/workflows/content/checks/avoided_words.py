"""Words that the brand voice avoids, and figures that stand in no document. Neither says whether a sentence is true."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from signoff.evidence import numbers
from signoff.workflows.content.checks.draft import Check, Draft, Found, quoted

MOST_SENTENCES: Final = 2_000


def avoided(draft: Draft) -> Iterator[Found]:
    """Whole words, any case, as the brand voice lists them."""
    instead = {fold(word): other for word, other in draft.documents.avoided.items()}
    pattern = _pattern(instead)
    for said in draft.seen:
        for word in dict.fromkeys(fold(match.group()) for match in pattern.finditer(said.text)):
            better = f"say “{instead[word]}”" if instead[word] else "leave it out"
            yield Found(said.line, f"the brand voice avoids “{word}”: {quoted(said.text)}", better)


def fold(word: str) -> str:
    return " ".join(word.replace("’", "'").casefold().split())


def _pattern(listed: Mapping[str, str]) -> re.Pattern[str]:
    longest = sorted(listed, key=lambda word: (-len(word), word))
    spelled = "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in longest)
    return re.compile(rf"(?<![\w-])(?:{spelled})(?![\w-])", re.IGNORECASE)


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


CHECKS: Final = (Check("avoided-words", avoided, _voice), Check("figures", figures, _material))
