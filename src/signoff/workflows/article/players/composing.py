"""Sections from materials: each group of materials from one page is told or quoted in turn, in the order of the page.

What a section could hold is gathered first, each piece with a rank: 0 belongs to the article, what is higher is taken
in order as long as there is room. Only then is it written out, so that whoever speaks is introduced once, at the place
where they are heard first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from signoff.workflows.article.checks.text import share
from signoff.workflows.article.players import voice
from signoff.workflows.article.players.lexicon import NUMBER
from signoff.workflows.article.players.manuscript import Planned
from signoff.workflows.article.players.reading import Passage, Reading
from signoff.workflows.article.players.stock import Stock
from signoff.workflows.article.players.synthesis import group_of, kind_of

CLAIMS = 0.6
"""A paragraph that says so much of the thesis belongs to the article."""


@dataclass(frozen=True, order=True)
class Piece:
    """One or more paragraphs. `order` is where they stand in their section: the page, the paragraph in it.

    `by` is the material whose words a quotation has; what is told instead of quoted has none.
    """

    order: tuple[int, int, int]
    rank: int
    text: str
    by: str = ""


@dataclass
class Composer:
    """Writes the sections of one article; `turns` counts how often a kind of sentence was said.

    `wanted` are the materials that nobody else has. `heard` are those who have spoken in the article, `here` those who
    have in this section.
    """

    stock: Stock
    language: str
    key: str
    thesis: str = ""
    wanted: frozenset[str] = frozenset()
    turns: dict[str, int] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)
    here: set[str] = field(default_factory=set)

    def say(self, line: str, /, **words: str) -> str:
        turn = self.turns.get(line, 0)
        self.turns[line] = turn + 1
        return voice.say(self.language, line, self.key, turn, **words)

    # --- what a section could hold ----------------------------------------------------------------------------------

    def pieces(self, plan: Planned, continued: Sequence[str] = ()) -> list[Piece]:
        """Everything for a section, in its order; `continued` are materials that the introduction has begun to tell."""
        groups = self.groups(plan)
        told = {self._url(one) for one in plan.materials if kind_of(one) == "CASE"}
        made: list[Piece] = []
        for number, ids in enumerate(groups):
            if kind_of(ids[0]) == "D" and self._url(ids[0]) in told:
                continue  # the case tells its own numbers
            before = [kind_of(group[0]) for group in groups[:number]]
            late = max(0, number - 1) if kind_of(ids[0]) in before else 0  # two pages of a kind carry a section
            late += kind_of(ids[0]) == "EXP" and "DEB" in before
            found = self._group(ids, continued=ids[0] in continued, alone=len(groups) == 1)
            for one in found:
                wanted = one.by in self.wanted or (not one.by and not one.rank and ids[0] in self.wanted)
                wanted |= bool(one.by) and one.rank < len(ids) and self._concept(one.by) == plan.title
                made.append(replace(one, order=(number, *one.order[1:]), rank=0 if wanted else one.rank + late))
        return sorted(one for one in made if one.text)

    def groups(self, plan: Planned) -> list[list[str]]:
        """The materials of a section by kind and page, in the order in which they are named."""
        by_page: dict[tuple[str, str], list[str]] = {}
        for one in plan.materials:
            if one in self.stock.items:
                by_page.setdefault((kind_of(one), self._url(one)), []).append(one)
        return list(by_page.values())

    def _url(self, one: str) -> str:
        return str(self.stock.items[one]["url"]) if one in self.stock.items else ""

    def _concept(self, one: str) -> str:
        return str(self.stock.items[one].get("concept", ""))

    def _group(self, ids: Sequence[str], *, continued: bool, alone: bool) -> Iterator[Piece]:
        match kind_of(ids[0]):
            case "CASE":
                yield from self._case(ids[0], continued=continued)
            case "D":
                yield from self._data(ids)
            case "EXP":
                yield from self._explained(ids, spare=1 if alone else 0)
            case "VOICE":
                yield from self._voices(ids)
            case _:
                yield from self._debate(ids)

    def _bare(self, one: str) -> str:
        """A material without its page: its quote."""
        said = self.stock.quote(str(self.stock.items[one]["quote"]))
        return self.stock.marked(said, (*(self.stock.figures(said) or ()), one)) if said else ""

    def _case(self, one: str, *, continued: bool) -> Iterator[Piece]:
        """How it began and how it turned out are one story; what came after it comes in when there is room."""
        page, turning = self.stock.page(one), self.stock.passage(one)
        if page is None or turning is None:
            yield Piece((0, 0, 0), 0, self._bare(one))
            return
        turns = [passage.at for passage in page.passages if passage.heading == turning.heading]
        story = [passage for passage in page.passages if continued <= passage.at <= max(turns)]
        yield Piece((0, 0, 0), 0, "\n\n".join(filter(None, (self.stock.told(passage, one) for passage in story))))
        after = [passage for passage in page.passages if passage.at > max(turns)]
        yield from (Piece((0, passage.at, 0), 1, self.stock.told(passage, one)) for passage in after)

    def _data(self, ids: Sequence[str]) -> Iterator[Piece]:
        """The paragraphs in which the numbers stand; without its page, each number's own sentence."""
        page = self.stock.page(ids[0])
        if page is None:
            yield Piece((0, 0, 0), 0, self.stock.joined(self._bare(one) for one in ids))
            return
        found = [(passage, one) for one in ids if (passage := self.stock.passage(one))]
        places = {passage.at: one for passage, one in reversed(found)}
        wanted = list(dict.fromkeys(passage.at for passage, _ in found))  # what supports most is named first
        for passage in (passage for passage in page.passages if passage.at in places):
            rank = 0 if passage is page.passages[0] else max(0, wanted.index(passage.at) - 1)
            yield Piece((0, passage.at, 0), rank, self.stock.told(passage, places[passage.at]))
        if page.kind == "study":
            yield from self._around(page, ids[0], set(places))

    def _around(self, page: Reading, one: str, taken: set[int]) -> Iterator[Piece]:
        """The other paragraphs of a study; one that says what the thesis says is wanted most."""
        rest = [passage for passage in page.passages if passage.at not in taken and passage.heading]
        for number, passage in enumerate(rest):
            claims = bool(self.thesis) and share(self.thesis, passage.text) >= CLAIMS
            yield Piece((0, passage.at, 0), 0 if claims else 2 + number, self.stock.told(passage, one))

    def _explained(self, ids: Sequence[str], spare: int) -> Iterator[Piece]:
        """What somebody explains: what supports most is wanted most, and all stands in the order of the page."""
        for number, one in enumerate(ids):
            passage = self.stock.passage(one)
            at = passage.at if passage else number
            said = self.stock.quote(str(self.stock.items[one]["quote"]))
            yield Piece((0, at, 0), max(0, number - spare), said, one)
            page = self.stock.page(one)
            if page and passage and page.kind == "interview":
                after = [other for other in page.passages if other.heading == passage.heading and other.at > passage.at]
                yield from (Piece((0, other.at, 0), number + 2, self.stock.quote(other.text), one) for other in after)

    def _voices(self, ids: Sequence[str]) -> Iterator[Piece]:
        for number, one in enumerate(ids):
            said = self.stock.quote(str(self.stock.items[one]["quote"]))
            yield Piece((0, number, 0), number, said, one)

    def _debate(self, ids: Sequence[str]) -> Iterator[Piece]:
        """All sides in the order of the page, each under its own material."""
        page = self.stock.page(ids[0])
        if page is None:
            yield from (Piece((0, number, 0), 0, self._bare(one)) for number, one in enumerate(ids))
            return
        sides = {passage.at: one for one in ids if (passage := self.stock.passage(one))}
        for passage in page.passages:
            spoken = passage.at in sides or passage is page.passages[-1]
            one = sides.get(passage.at, ids[0])
            yield Piece((0, passage.at, 0), 0 if spoken else 2, self.stock.told(passage, one))

    # --- writing it out ---------------------------------------------------------------------------------------------

    def written(self, plan: Planned, pieces: Iterable[Piece], continued: Sequence[str] = ()) -> list[str]:
        """The paragraphs of a section: quotations with who said them, and a word of the author's between pages."""
        self.here = set()
        groups, paragraphs, last = self.groups(plan), list[str](), -1
        for piece in sorted(pieces):
            number = piece.order[0]
            text = self.spoken(piece.by, piece.text) if piece.by else piece.text
            lead = self._lead(groups, number, text, continued) if number != last else ""
            paragraphs += self.stock.joined([lead, text]).split("\n\n")
            last = number
        return paragraphs

    def _lead(self, groups: Sequence[Sequence[str]], number: int, text: str, continued: Sequence[str]) -> str:
        """What stands before the first words of a page."""
        one = groups[number][0]
        kind, page = kind_of(one), self.stock.page(one)
        opening = self._opening(groups) if number == 0 else ""
        source, known = (page.source, page.name.lower() in text.lower()[: len(page.name) + 4]) if page else ("", False)
        if kind == "CASE" and one in continued:
            return self.say("case_back", source=source) if source else ""
        if kind == "CASE" and number:
            title = str(self.stock.items[one]["title"])
            return (
                "" if known else self.say("case_next", source=source) if source else self.say("case_bare", title=title)
            )
        if kind == "D" and page and page.kind == "study":
            return self._measured_by(source if not known else "", first=number == 0)
        return opening

    def _opening(self, groups: Sequence[Sequence[str]]) -> str:
        group = group_of(self.stock.items[groups[0][0]])
        return self.say(f"{group}_open") if group in ("debates", "practice") else ""

    def _measured_by(self, source: str, *, first: bool) -> str:
        if first:
            return self.say("data_open", source=source) if source else self.say("data_bare")
        return self.say("data_more", source=source) if source else ""

    def spoken(self, one: str, said: str, line: str = "voice") -> str:
        """A quotation with whoever said it, and its marker."""
        ids = (*(self.stock.figures(said) or ()), one)
        page = self.stock.page(one)
        speaks = self._poster(one, said, line) if kind_of(one) == "VOICE" and not _is_interview(page) else ""
        return self.stock.marked(speaks or self._attributed(one, said), ids)

    def _attributed(self, one: str, said: str) -> str:
        """Who is known is not introduced again."""
        page, quote = self.stock.page(one), voice.quoted(said)
        source = str(self.stock.items[one].get("expert") or (page.source if page else ""))
        name, _, office = source.replace("，", ",").partition(",")
        here, again = source in self.here, source in self.heard
        self.heard.add(source)
        self.here.add(source)
        if not source:
            return quote
        if (page and page.kind == "note" and not page.source) or (page is None and not office.strip()):
            return self.say("note_more", quote=quote) if here else self.say("note_open", title=source, quote=quote)
        last = name.strip() if self.language == "zh" else name.split()[-1]
        if here or again:
            return self.say("expert_more" if here else "expert_again", last=last, quote=quote)
        if office.strip():
            return self.say("expert_open", name=name.strip(), office=office.strip(), quote=quote)
        return self.say("expert_bare", name=name.strip(), quote=quote)

    def _poster(self, one: str, said: str, line: str) -> str:
        """Somebody who wrote in a forum, with what they do."""
        page, passage = self.stock.page(one), self.stock.passage(one)
        name, office = poster(passage)
        if not name:
            return voice.quoted(said)
        brackets = ("（{}）" if self.language == "zh" else " ({})").format(office) if office else ""
        platform = page.source if page and page.source else ""
        place = voice.say(self.language, "platform", self.key, platform=platform) if platform else ""
        return self.say(line, name=name, office=brackets, platform=place, quote=voice.quoted(said))


def _is_interview(page: Reading | None) -> bool:
    return page is not None and page.kind == "interview"


def poster(passage: Passage | None) -> tuple[str, str]:
    """Who wrote a post, and what they do, from its heading; years of experience are a number nobody measured."""
    parts = [part.strip() for part in (passage.heading if passage else "").replace("，", ",").split(",")]
    told = [part for part in parts[1:] if part and not NUMBER.search(part)]
    return (parts[0], told[0] if told else "") if parts[0] and not NUMBER.search(parts[0]) else ("", "")
