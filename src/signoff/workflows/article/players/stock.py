"""What a draft can be made of: the materials, the pages they come from, and which sentence has been used already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.workflows.article.players.judging import carries, figures, shared
from signoff.workflows.article.players.lexicon import DANGLING, FIRST_PERSON, MARKUP
from signoff.workflows.article.players.reading import Passage, Reading, beginning
from signoff.workflows.article.players.synthesis import kind_of
from signoff.workflows.wording import sentences

Item = Mapping[str, Any]
_SPOKEN = re.compile(r"“[^”]*”|‘[^’]*’")
_MOST_SENTENCES = 5


def marker(one: str) -> str:
    return f"<!-- material: {one} -->"


@dataclass
class Stock:
    """Materials by id and pages by address; `used` are the sentences that stand in the draft."""

    items: Mapping[str, Item]
    pages: Mapping[str, Reading]
    language: str
    banned: Sequence[str] = ()
    used: set[str] = field(default_factory=set)

    def page(self, one: str) -> Reading | None:
        return self.pages.get(str(self.items[one]["url"]))

    def passage(self, one: str) -> Passage | None:
        """The paragraph that the quote of a material stands in."""
        page, first = self.page(one), (sentences(str(self.items[one]["quote"])) or [""])[0]
        return next((passage for passage in page.passages if first in passage.text), None) if page else None

    def free(self, sentence: str) -> bool:
        return sentence not in self.used and not any(words in sentence for words in self.banned)

    def figures(self, text: str) -> tuple[str, ...] | None:
        """The data that carry the numbers of a text: none for one without, None where a number has no datum."""
        found = list[str]()
        for said in sentences(text):
            data = [one for one in self.items if kind_of(one) == "D" and shared(said, self._quote(one)) > 0.5]
            for figure in figures(said):
                carried = next((one for one in data if carries(self._quote(one), figure)), None)
                if carried is None:
                    return None
                found.append(carried)
        return tuple(dict.fromkeys(found))

    def _quote(self, one: str) -> str:
        return str(self.items[one]["quote"])

    # --- text with its markers ---

    def marked(self, text: str, ids: Iterable[str]) -> str:
        marks = [marker(one) for one in dict.fromkeys(ids)]
        return " ".join([text, *marks]) if self.language == "en" else "".join([text, *marks])

    def joined(self, parts: Iterable[str]) -> str:
        """Sentences in a row; behind a marker there is a space in English."""
        kept = [part for part in parts if part]
        return " ".join(kept) if self.language == "en" else "".join(kept)

    def told(self, passage: Passage, one: str, most: int = _MOST_SENTENCES) -> str:
        """A paragraph of a page in the page's own words, as far as its numbers have data; marked with its material."""
        kept, gap = list[tuple[str, tuple[str, ...]]](), False
        for said in passage.sentences:
            ids = self._usable(said)
            if ids is None or (gap and DANGLING.match(said)) or len(kept) == most:
                gap = True
                continue
            kept.append((said, ids))
            gap = False
        return self._written(kept, one)

    def _usable(self, said: str) -> tuple[str, ...] | None:
        """The data that a sentence needs; None where it cannot be told."""
        speaks = FIRST_PERSON.search(_SPOKEN.sub("", said))
        if speaks or MARKUP.search(said) or not self.free(said):
            return None
        return self.figures(said)

    def _written(self, kept: Sequence[tuple[str, tuple[str, ...]]], one: str) -> str:
        self.used |= {said for said, _ in kept}
        last = len(kept) - 1
        return self.joined(
            self.marked(said, (*ids, *((one,) if at == last else ()))) for at, (said, ids) in enumerate(kept)
        )

    def quote(self, text: str) -> str:
        """What of a quote can still be said: its sentences as far as they are free and without bare numbers."""
        kept = []
        for said in sentences(text):
            if not self.free(said) or self.figures(said) is None:
                break
            kept.append(said)
        self.used |= set(kept)
        return beginning(text, len(kept))
