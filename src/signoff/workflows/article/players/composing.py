"""Sections from materials: each group of materials from one page is told or quoted in turn, in the order of the page.

A paragraph has a rank: 0 belongs to the article, what is higher is taken in order as long as there is room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby

from signoff.workflows.article.players import voice
from signoff.workflows.article.players.lexicon import NUMBER
from signoff.workflows.article.players.manuscript import Planned
from signoff.workflows.article.players.reading import Passage, Reading
from signoff.workflows.article.players.stock import Stock
from signoff.workflows.article.players.synthesis import kind_of


@dataclass(frozen=True, order=True)
class Para:
    """A paragraph: where it stands in its section, and how much it is wanted."""

    order: tuple[int, int, int]
    rank: int
    text: str


@dataclass
class Composer:
    """Writes the sections of one article; `turns` counts how often a kind of sentence was said."""

    stock: Stock
    language: str
    key: str
    turns: dict[str, int] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)

    def say(self, name: str, **words: str) -> str:
        turn = self.turns.get(name, 0)
        self.turns[name] = turn + 1
        return voice.say(self.language, name, self.key, turn, **words)

    # --- a section ---

    def section(self, plan: Planned, continued: Sequence[str] = ()) -> list[Para]:
        """The paragraphs of a section; `continued` are materials that the introduction has begun to tell."""
        groups = [list(ids) for _, ids in groupby(plan.materials, key=lambda one: (kind_of(one), self._url(one)))]
        made: list[Para] = []
        for number, ids in enumerate(groups):
            texts = self._group(kind_of(ids[0]), ids, first=number == 0, continued=ids[0] in continued)
            made += [Para((number, *at), rank, text) for at, rank, text in texts if text]
        return made

    def _url(self, one: str) -> str:
        return str(self.stock.items[one]["url"]) if one in self.stock.items else ""

    def _group(
        self, kind: str, ids: Sequence[str], *, first: bool, continued: bool
    ) -> Iterator[tuple[tuple[int, int], int, str]]:
        known = [one for one in ids if one in self.stock.items]
        if not known:
            return
        match kind:
            case "CASE":
                yield from self._case(known[0], first=first, continued=continued)
            case "D":
                yield from self._data(known, first=first)
            case "EXP":
                yield from self._explained(known)
            case "VOICE":
                yield from self._voices(known)
            case _:
                yield from self._debate(known[0])

    # --- cases ---

    def _case(self, one: str, *, first: bool, continued: bool) -> Iterator[tuple[tuple[int, int], int, str]]:
        page, turning = self.stock.page(one), self.stock.passage(one)
        lead = self._case_lead(one, page, first=first, continued=continued)
        if page is None or turning is None:
            yield (0, 0), 0, self.stock.joined([lead, self._bare_quote(one)])
            return
        wanted = {turning.at} if continued else {page.passages[0].at, turning.at}
        extra = count(1)
        for passage in page.passages:
            rank = 0 if passage.at in wanted else next(extra)
            said = self.stock.told(passage, one)
            opens = passage.at == min(wanted) and bool(said)
            yield (passage.at, 0), rank, self.stock.joined([lead if opens else "", said])

    def _case_lead(self, one: str, page: Reading | None, *, first: bool, continued: bool) -> str:
        source = page.source if page else ""
        if continued:
            return self.say("case_back", source=source) if source else ""
        if first:
            return ""
        return self.say("case_next", source=source) if source else self.say("case_bare")

    def _bare_quote(self, one: str) -> str:
        said = self.stock.quote(str(self.stock.items[one]["quote"]))
        return self.stock.marked(said, (*(self.stock.figures(said) or ()), one)) if said else ""

    # --- data ---

    def _data(self, ids: Sequence[str], *, first: bool) -> Iterator[tuple[tuple[int, int], int, str]]:
        """The paragraphs in which the numbers stand; without its page, each number's own sentence."""
        page = self.stock.page(ids[0])
        places = {passage.at: (passage, one) for one in reversed(ids) if (passage := self.stock.passage(one))}
        lead = self._data_lead(page, first=first)
        if page is None:
            yield (0, 0), 0, self.stock.joined([lead, *(self._bare_quote(one) for one in ids)])
            return
        opening = min(places, default=0)
        for rank, (at, (passage, one)) in enumerate(sorted(places.items())):
            said = self.stock.told(passage, one)
            yield (at, 0), max(0, rank - 2), self.stock.joined([lead if at == opening and said else "", said])
        yield from self._around(page, ids[0], set(places), 2)

    def _data_lead(self, page: Reading | None, *, first: bool) -> str:
        source = page.source if page else ""
        if first:
            return self.say("data_open", source=source) if source else self.say("data_bare")
        return self.say("data_more", source=source) if source else ""

    def _around(
        self, page: Reading, one: str, taken: set[int], rank: int
    ) -> Iterator[tuple[tuple[int, int], int, str]]:
        """The other paragraphs of a page, as far as they can be told."""
        rest = [passage for passage in page.passages if passage.at not in taken and passage.heading]
        for number, passage in enumerate(rest):
            yield (passage.at, 0), rank + number, self.stock.told(passage, one)

    # --- people ---

    def _explained(self, ids: Sequence[str]) -> Iterator[tuple[tuple[int, int], int, str]]:
        for number, one in enumerate(ids):
            said = self.stock.quote(str(self.stock.items[one]["quote"]))
            if said:
                text = self.stock.marked(self._attributed(one, said), (*(self.stock.figures(said) or ()), one))
                yield (number, 0), max(0, number - 1), text
            if rest := self._rest_of(one):
                yield (number, 1), number + 2, rest

    def _rest_of(self, one: str) -> str:
        """The next paragraph under the same heading, in the same mouth."""
        page, passage = self.stock.page(one), self.stock.passage(one)
        if page is None or passage is None:
            return ""
        after = [other for other in page.passages if other.heading == passage.heading and other.at > passage.at]
        said = self.stock.quote(after[0].text) if after else ""
        if not said:
            return ""
        return self.stock.marked(self._attributed(one, said), (*(self.stock.figures(said) or ()), one))

    def _attributed(self, one: str, said: str) -> str:
        """A quote with whoever said it; who is known is not introduced again."""
        page, quote = self.stock.page(one), voice.quoted(said)
        source = str(self.stock.items[one].get("expert") or (page.source if page else ""))
        name, _, office = source.replace("，", ",").partition(",")
        name, office, again = name.strip(), office.strip(), source in self.heard
        self.heard.add(source)
        if page and page.kind == "note" and not page.source:
            return self.say("note_more", quote=quote) if again else self.say("note_open", title=page.title, quote=quote)
        if again:
            return self.say("expert_more", last=name if self.language == "zh" else name.split()[-1], quote=quote)
        if office:
            return self.say("expert_open", name=name, office=office, quote=quote)
        return self.say("expert_bare", name=name, quote=quote)

    def _voices(self, ids: Sequence[str]) -> Iterator[tuple[tuple[int, int], int, str]]:
        for number, one in enumerate(ids):
            if text := self.voice(one):
                yield (number, 0), max(0, number - 1), text

    def voice(self, one: str, line: str = "voice") -> str:
        """Somebody who does the work, in their own words."""
        page, passage = self.stock.page(one), self.stock.passage(one)
        said = self.stock.quote(str(self.stock.items[one]["quote"]))
        if not said:
            return ""
        if page and page.kind == "interview":
            return self.stock.marked(self._attributed(one, said), [one])
        name, office = _poster(passage)
        platform = page.source if page and page.source else ""
        if not name:
            return self.stock.marked(voice.quoted(said), [one])
        brackets = ("（{}）" if self.language == "zh" else " ({})").format(office) if office else ""
        words = {"name": name, "office": brackets, "platform": platform, "quote": voice.quoted(said)}
        return self.stock.marked(self.say(line, **words), [one])

    # --- debates ---

    def _debate(self, one: str) -> Iterator[tuple[tuple[int, int], int, str]]:
        page = self.stock.page(one)
        if page is None:
            yield (0, 0), 0, self._bare_quote(one)
            return
        for passage in page.passages:
            spoken = "“" in passage.text or passage is page.passages[-1]
            yield (passage.at, 0), 0 if spoken else 2, self.stock.told(passage, one)


def _poster(passage: Passage | None) -> tuple[str, str]:
    """Who wrote a post, and what they do, from its heading; years of experience are a number nobody measured."""
    parts = [part.strip() for part in (passage.heading if passage else "").replace("，", ",").split(",")]
    told = [part for part in parts[1:] if part and not NUMBER.search(part)]
    return (parts[0], told[0] if told else "") if parts[0] and not NUMBER.search(parts[0]) else ("", "")
