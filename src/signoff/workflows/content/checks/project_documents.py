"""What the checks read in the project's documents: figures anywhere, and the lists that have a form.

brand-voice.md has `Words we avoid` (`- word: what to say instead`) and `Sentences` (`- At most 25 words`);
seo-strategy.md and social-media-strategy.md have `Limits` (`- title: 60 characters`, `- post: 280 characters`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from signoff.artifacts import markdown
from signoff.artifacts.markdown_parsing import squeeze

VOICE, SEARCH, SOCIAL = "brand-voice", "seo-strategy", "social-media-strategy"
_QUOTES: Final = " \t\"'“”‘’*_`"
_AT_MOST: Final = re.compile(r"at most (\d{1,3}) words", re.ASCII | re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.{0,4000}?-->", re.DOTALL)
_NUMBER: Final = re.compile(r"\d{1,3}(?:,?\d{3}|\d{0,3})", re.ASCII)


@dataclass(frozen=True)
class Documents:
    """The foundation documents by type, and the ideas; what is not there is empty."""

    foundation: Mapping[str, str]
    ideas: tuple[str, ...] = ()

    @cached_property
    def material(self) -> str:
        """Everything that a figure may come from; comments do not count."""
        texts = (*(text for _, text in sorted(self.foundation.items())), *self.ideas)
        return "\n".join(_COMMENT.sub(" ", text) for text in texts)

    @cached_property
    def avoided(self) -> Mapping[str, str]:
        """Each word that the brand voice avoids, with what to say instead."""
        return dict(self._pairs(VOICE, "words we avoid"))

    @cached_property
    def sentence_words(self) -> int | None:
        """How many words a sentence may have, as the brand voice says it."""
        found = (_AT_MOST.search(line) for line in self._lines(VOICE, "sentences"))
        return next((int(match.group(1)) for match in found if match), None)

    def limit(self, document: str, name: str) -> int | None:
        """The number of the line `- name: 280 characters` under `Limits` of a document."""
        for given, text in self._pairs(document, "limits"):
            number = _NUMBER.search(text)
            if given.casefold() in (name, f"{name}s") and number:
                return int(number.group().replace(",", "")) or None
        return None

    def _pairs(self, document: str, section: str) -> Iterator[tuple[str, str]]:
        """What stands before and behind the first colon of each line of a section."""
        for line in self._lines(document, section):
            name, _, text = line.partition(":")
            if name.strip(_QUOTES):
                yield name.strip(_QUOTES), text.strip(f"{_QUOTES}.")

    def _lines(self, document: str, section: str) -> list[str]:
        page = markdown.parse(self.foundation.get(document, "")[: markdown.MAX_CHARS])
        found = next((one for one in page.sections() if one.heading.text.casefold() == section), None)
        blocks = (block for block in page.blocks if found and block.line in found.body)
        return [line for block in blocks if block.kind in ("paragraph", "item") and (line := squeeze(block.text))]
