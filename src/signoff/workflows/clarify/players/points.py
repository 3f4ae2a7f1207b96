"""The open points of a source, whichever dimension takes them.

A topic with listed ways is a point with those choices. Elsewhere a point is a sentence, a list item or a heading that
says itself that something is open. A topic asks once; what it asks beside that is a point of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.workflows.clarify.players import openings
from signoff.workflows.clarify.players.brief import Passage, Way, passages, tidy_title
from signoff.workflows.clarify.players.enumerations import alternatives
from signoff.workflows.wording import clipped, content, is_chinese, joined, plain, sentences

MOST_CHOICES: Final = 4
LINE: Final = 180
KNOWN: Final = 900
_OTHER: Final = re.compile(r"\s*(?:other\b|其他|其它)", re.IGNORECASE)

Owned = Callable[[str], bool]
"""Whether a heading is the name of a dimension, and so says nothing about the point below it."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """An open point as a question, where it stands, and the words by which a dimension knows it."""

    title: str
    question: str
    choices: tuple[str, ...]
    recommendation: str
    must: bool
    path: str
    quotes: tuple[str, ...]
    heads: tuple[str, ...]
    about: str


def points(text: str, path: str, owned: Owned) -> Iterator[Point]:
    """Every open point of a source, in order."""
    for passage in passages(text, path):
        if not passage.settled:
            yield from _points(_Read.of(passage), owned)


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A passage with its sentences, and its list taken apart into ways and points."""

    passage: Passage
    said: list[list[str]]
    open_ones: list[str]
    ways: list[Way]
    listed: list[list[str]]

    @classmethod
    def of(cls, passage: Passage) -> _Read:
        said = [_sentences(paragraph) for paragraph in passage.paragraphs]
        all_open = openings.announces(passage.title) and not passage.ways
        is_open = (
            openings.is_open if not all_open else (lambda one: not one.endswith((":", "：")) and bool(content(one)))
        )
        open_ones = [one for paragraph in said for one in paragraph if is_open(one)]
        ways, listed = _taken_apart(passage, bool(open_ones))
        return cls(passage, said, open_ones, ways, listed)

    @property
    def is_topic(self) -> bool:
        """A heading of its own below a section, with something to choose between or something open."""
        if openings.is_open_name(self.passage.heading):
            return True
        return self.passage.level >= 3 and bool(self.passage.title) and (len(self.ways) > 1 or bool(self.open_ones))


def _sentences(paragraph: str) -> list[str]:
    """The sentences; a question without words of its own (`By whom?`) belongs to the one before."""
    found = list[str]()
    for one in sentences(paragraph):
        if found and openings.asks(one) and not content(one):
            found[-1] += f" {one}"
        else:
            found.append(one)
    return found


def _taken_apart(passage: Passage, has_question: bool) -> tuple[list[Way], list[list[str]]]:
    """The items that are ways, and those that are points: where nothing asks above them, what is open is a point."""
    if not passage.ways:
        return [], []
    if openings.announces(passage.title):
        return [], [_open_parts(way.raw, whole=True) for way in passage.ways]
    is_open = [any(map(openings.is_open, _sentences(way.raw))) for way in passage.ways]
    asked_above = has_question or openings.is_open_name(passage.heading)
    if 2 * sum(is_open) > len(is_open) or (any(is_open) and not asked_above):
        return [], [_open_parts(way.raw) for way, one in zip(passage.ways, is_open, strict=True) if one]
    asked = [openings.ends_asking(way.raw) for way in passage.ways]
    ways = [way for way, one in zip(passage.ways, asked, strict=True) if not one]
    return ways, [_open_parts(way.raw) for way, one in zip(passage.ways, asked, strict=True) if one]


def _open_parts(raw: str, *, whole: bool = False) -> list[str]:
    found = [one for one in _sentences(raw) if openings.is_open(one)]
    return found or ([raw] if whole and content(raw) else [])


def _points(read: _Read, owned: Owned) -> Iterator[Point]:
    if read.is_topic:
        yield from _topic(read)
    else:
        yield from _prose(read, owned)


# --- a topic ----------------------------------------------------------------------------------------------------------


def _topic(read: _Read) -> Iterator[Point]:
    """The topic's own question, then what else it asks."""
    passage, said = read.passage, [one for paragraph in read.said for one in paragraph]
    main = _main(read, said)
    if main is None:
        more = read.open_ones
    else:
        more = _beside(said, main)
        yield _own_question(read, main, [one for one in said if one != main and one not in more])
    for sentence in [*more, *(one for item in read.listed for one in item)]:
        yield _from_sentence(passage, sentence, heads=(passage.section,), about=f"{passage.title} {sentence}")


def _main(read: _Read, said: Sequence[str]) -> str | None:
    """The sentence that asks for the topic: the heading, the one above the list, the first; "" where none asks.

    None where the topic is only a name for several points.
    """
    if openings.asks(read.passage.heading):
        return read.passage.heading
    asking = [one for one in said if openings.asks(one) and content(one)]
    if asking:
        return asking[-1 if len(read.ways) > 1 else 0]
    return None if len(read.ways) < 2 and len(read.open_ones) > 1 else ""


def _beside(said: Sequence[str], main: str) -> list[str]:
    """What is asked beside the topic's own question; what is open before that question leads to it."""
    behind = said.index(main) + 1 if main in said else len(said)
    return [
        one
        for at, one in enumerate(said)
        if one != main and openings.is_open(one) and (openings.asks(one) or at >= behind)
    ]


def _own_question(read: _Read, main: str, known: Sequence[str]) -> Point:
    passage = read.passage
    asked = main or openings.handled(passage.title)
    question = joined([clipped(plain(joined(known)), KNOWN), plain(asked)])
    ways = _ways(read, [*known, main])
    telling = sorted(
        [main, *known] if main else known, key=lambda one: (not openings.asks(one), not openings.is_open(one))
    )
    return Point(
        title=passage.title,
        question=question,
        choices=tuple(way.text for way in ways),
        recommendation=_recommendation(ways, f"{passage.title} {question}"),
        must=passage.must,
        path=passage.path,
        quotes=(*telling[:1], passage.heading),
        heads=(passage.section,),
        about=" ".join([passage.title, *passage.paragraphs]),
    )


def _ways(read: _Read, said: Sequence[str]) -> list[Way]:
    """Two to four choices: the listed ways, else the alternatives a sentence names, else three generic ones."""
    listed = _most(_different(read.ways))
    named = next((found for one in said if (found := alternatives(plain(one)))), ())
    spare = [Way(text, "") for text in (named or openings.generic(read.passage.title, *said))]
    return listed if len(listed) > 1 else _different([*listed, *spare])[:MOST_CHOICES]


def _most(listed: list[Way]) -> list[Way]:
    """At most four ways, the marked one among them."""
    if len(listed) <= MOST_CHOICES:
        return listed
    marked = next((way for way in listed if way.marked), listed[0])
    kept = [way for way in listed if way is not marked][: MOST_CHOICES - 1]
    return [way for way in listed if way is marked or way in kept]


def _different(ways: Sequence[Way]) -> list[Way]:
    """The ways that say something, each once; "Other" is added by code and is none of them."""
    kept = dict[str, Way]()
    for way in ways:
        text = clipped(way.text, LINE)
        if text and not _OTHER.match(text):
            kept.setdefault(text.casefold(), Way(text, way.raw, way.marked, way.why))
    return list(kept.values())


def _recommendation(ways: Sequence[Way], about: str) -> str:
    """The letter of the marked way and its reason; where none is marked, the first one, and it says so."""
    at = next((at for at, way in enumerate(ways) if way.marked), None)
    said = _UNMARKED if at is None else _MARKED
    why = ("" if at is None else ways[at].why) or said[is_chinese(about)]
    return f"{'ABCD'[at or 0]} — {_sentence(why)}"


_UNMARKED: Final = (
    "The sources mark none as usual; the first one named is a place to start from.",
    "资料未标明通常做法，先以列在首位的做法为起点。",
)
_MARKED: Final = ("The source marks it as the usual way.", "资料标明这是通常的做法。")


def _sentence(text: str) -> str:
    said = clipped(plain(text), LINE)
    end = "" if said.endswith((".", "。", "!", "?", "…", "！", "？")) else "。" if is_chinese(said) else "."
    return said[:1].upper() + said[1:] + end


# --- prose ------------------------------------------------------------------------------------------------------------


def _prose(read: _Read, owned: Owned) -> Iterator[Point]:
    """Open sentences and items outside of topics, each a point of its own."""
    passage, open_ones = read.passage, set(read.open_ones)
    count = len(read.open_ones) + sum(map(len, read.listed))
    is_name = count == 1 and passage.level > 1 and openings.names_it(passage.title) and not owned(passage.title)
    title = passage.title if is_name else ""
    last = read.said[-1][-1] if read.said else ""
    for said in read.said:
        for before, sentence in zip(["", *said], said, strict=False):
            if sentence in open_ones:
                ways = read.ways if sentence is last and openings.asks(sentence) else ()
                yield _from_sentence(passage, sentence, before, title, ways)
    for item in read.listed:
        for before, sentence in zip(["", *item], item, strict=False):
            yield _from_sentence(passage, sentence, before, title)


def _from_sentence(
    passage: Passage,
    sentence: str,
    before: str = "",
    title: str = "",
    listed: Sequence[Way] = (),
    heads: tuple[str, ...] | None = None,
    about: str = "",
) -> Point:
    found = openings.opening(sentence)
    ways = _most(_different(listed))
    ways = ways if len(ways) > 1 else _different([Way(text, "") for text in found.choices])
    ways = ways if len(ways) > 1 else [Way(text, "") for text in openings.generic(sentence)]
    known = clipped(plain(before), 240) if openings.asks(sentence) and not openings.is_open(before) else ""
    return Point(
        title=title or tidy_title(found.title),
        question=joined([known, clipped(found.question, 600)]),
        choices=tuple(way.text for way in ways),
        recommendation=_recommendation(ways, sentence),
        must=passage.must,
        path=passage.path,
        quotes=(sentence, passage.heading),
        heads=(passage.section, passage.title) if heads is None else heads,
        about=about or sentence,
    )
