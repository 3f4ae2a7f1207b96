"""The dimension researcher: reads every text source and asks what its dimension needs to know.

A topic with listed ways becomes a question with those choices. Elsewhere it looks for sentences that say themselves
that something is open. It never fills a gap from what it knows: every question quotes the place that raised it, and
what was passed by is said in the notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.workflows.clarify.players import openings
from signoff.workflows.clarify.players.brief import Passage, Way, passages, tidy_title
from signoff.workflows.clarify.players.desk import SOURCES, Desk, Payload, player
from signoff.workflows.clarify.players.fields import Field, field_of, scope_of
from signoff.workflows.clarify.players.wording import clipped, folded, is_chinese, joined, plain, sentences

MOST_QUESTIONS: Final = 60
MOST_CHOICES: Final = 4
MOST_SOURCES: Final = 3
QUOTE: Final = 240
LINE: Final = 180
_TABLES: Final = (".json", ".yaml", ".yml", ".csv", ".tsv", ".xml", ".html", ".htm")
_PIECE: Final = re.compile(r"(?<=[.?!。？！])\s|[\x00-\x1f\x7f-\x9f]")
_OTHER: Final = re.compile(r"\s*(?:other\b|其他|其它)", re.IGNORECASE)


Place = tuple[str, tuple[str, ...]]
"""A file, and what may be quoted from it, the best first."""


@dataclass(slots=True, eq=False)
class Raised:
    """A question in the making, with the places that raised it."""

    title: str
    question: str
    choices: tuple[str, ...]
    recommendation: str
    must: bool
    places: list[Place]

    def plain(self, texts: Mapping[str, str]) -> Payload:
        return {
            "title": self.title,
            "question": self.question,
            "choices": list(self.choices),
            "recommendation": self.recommendation,
            "must_answer": self.must,
            "sources": [
                {"path": path, "quote": _quote(texts[path], *said)} for path, said in self.places[:MOST_SOURCES]
            ],
        }


def _work(desk: Desk) -> Payload:
    dimension = desk.notes.get("dimension") or {}
    field, scope = field_of(dimension), scope_of(desk.notes.get("scope"))
    home = f"{dimension.get('name', '')} {dimension.get('title', '')}"
    texts, passed = _texts(desk)
    raised, outside = dict[str, Raised](), list[str]()
    for path, text in texts.items():
        for found in _raised(text, path, field):
            if scope.takes(f"{found.title} {found.question} {home}"):
                _put(raised, found)
            else:
                outside.append(found.title)
    kept = _most_needed(list(raised.values()))
    more = [one.title for one in raised.values() if one not in kept]
    folded_texts = {path: " ".join(text.split()) for path, text in texts.items()}
    return {
        "questions": [found.plain(folded_texts) for found in kept],
        "notes": _notes(list(texts), passed, outside, more),
    }


def _most_needed(raised: list[Raised]) -> list[Raised]:
    """As many as one dimension may ask, in the order of the sources; what must be settled is not what is left out."""
    first = set(sorted(raised, key=lambda one: not one.must)[:MOST_QUESTIONS])
    return [one for one in raised if one in first]


def _texts(desk: Desk) -> tuple[dict[str, str], list[str]]:
    """The sources that are prose, by path, and the ones that were passed by."""
    texts, passed = dict[str, str](), list[str]()
    for path in sorted(path for path in desk.named if path.startswith(SOURCES)):
        text = None if path.lower().endswith(_TABLES) else desk.text(path)
        if text is None:
            passed.append(path)
        else:
            texts[path] = text
    return texts, passed


def _put(raised: dict[str, Raised], found: Raised) -> None:
    """One question to a title: the second place that raises it is one more source."""
    before = raised.setdefault(found.title.casefold(), found)
    if before is not found:
        before.must = before.must or found.must
        before.places += [place for place in found.places if place not in before.places][:MOST_SOURCES]


def _notes(read: Sequence[str], passed: Sequence[str], outside: Sequence[str], more: Sequence[str]) -> str:
    said = [f"Read as prose: {_some(read) or 'nothing'}."]
    if passed:
        said.append(f"Passed by, because they are no prose or no readable text: {_some(passed)}.")
    if outside:
        said.append(f"Outside the scope: {_some(outside)}.")
    if more:
        said.append(f"Also open, and more than one dimension may ask at once: {_some(more)}.")
    return folded(" ".join(said))


def _some(names: Sequence[str], most: int = 200) -> str:
    rest = f"; and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + rest


# --- what a text raises -----------------------------------------------------------------------------------------------


def _raised(text: str, path: str, field: Field) -> Iterator[Raised]:
    for passage in passages(text, path):
        if passage.settled:
            continue
        if _is_topic(passage):
            if _ours(passage, field):
                yield _from_topic(passage)
        else:
            yield from _from_prose(passage, field)


def _is_topic(passage: Passage) -> bool:
    """A heading of its own below a section, with something to choose between or something open."""
    open_ones = (sentence for one in passage.paragraphs for sentence in sentences(one) if openings.is_open(sentence))
    return passage.level >= 3 and bool(passage.title) and (len(passage.ways) > 1 or any(open_ones))


def _ours(passage: Passage, field: Field) -> bool:
    if field.owns(passage.section):
        return True
    if field.yields(passage.section):
        return False
    return field.fits(" ".join([passage.title, *passage.paragraphs]))


def _from_topic(passage: Passage) -> Raised:
    said = [sentence for one in passage.paragraphs for sentence in sentences(one)]
    question, title = _question(said, passage.title), passage.title
    ways = _ways(passage, said)
    telling = sorted(said, key=lambda one: (not openings.asks(one), not openings.is_open(one)))
    quote = telling[0] if telling else passage.heading
    return Raised(
        title,
        question,
        tuple(way.text for way in ways),
        _recommendation(ways, f"{title} {question}"),
        passage.must,
        [(passage.path, (quote, passage.heading))],
    )


def _question(said: Sequence[str], title: str) -> str:
    """What is known, and then the question: the passage's own where it asks one."""
    asked = next((one for one in said if openings.asks(one)), openings.handled(title))
    known = clipped(plain(joined(one for one in said if one != asked)), 420)
    return joined([known, plain(asked)])


def _ways(passage: Passage, said: Sequence[str]) -> list[Way]:
    """Two to four choices: the listed ways, else the alternatives a sentence names, else three generic ones."""
    listed = _different(passage.ways)
    if len(listed) > MOST_CHOICES:
        marked = next((way for way in listed if way.marked), listed[0])
        kept = [way for way in listed if way is not marked][: MOST_CHOICES - 1]
        listed = [way for way in listed if way is marked or way in kept]
    named = next((found for one in said if (found := openings.alternatives(plain(one)))), ())
    spare = [Way(text, "") for text in (named or openings.generic(passage.title, *said))]
    return listed if len(listed) > 1 else _different([*listed, *spare])[:MOST_CHOICES]


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
    letter = "ABCD"[at or 0]
    if is_chinese(about):
        why = (
            "资料未标明通常做法，先以列在首位的做法为起点。"
            if at is None
            else ways[at].why or "资料标明这是通常的做法。"
        )
    elif at is None:
        why = "The sources mark none as usual; the first one named is a place to start from."
    else:
        why = ways[at].why or "The source marks it as the usual way."
    return f"{letter} — {_sentence(why)}"


def _sentence(text: str) -> str:
    said = clipped(plain(text), LINE)
    end = "" if said.endswith((".", "。", "!", "?", "…", "！", "？")) else "。" if is_chinese(said) else "."
    return said[:1].upper() + said[1:] + end


def _from_prose(passage: Passage, field: Field) -> Iterator[Raised]:
    """Open sentences outside of topics, each a question of its own where its words belong to this dimension."""
    if field.yields(passage.section) or field.yields(passage.title):
        return
    owned = field.owns(passage.section) or field.owns(passage.title)
    texts = [sentences(text) for text in [*passage.paragraphs, *(way.raw for way in passage.ways)]]
    is_only = sum(openings.is_open(sentence) for said in texts for sentence in said) == 1
    named = is_only and passage.level > 1 and openings.names_it(passage.title) and not field.owns(passage.title)
    title = passage.title if named else ""
    for said in texts:
        for before, sentence in zip(["", *said], said, strict=False):
            if openings.is_open(sentence) and (owned or field.fits(sentence)):
                yield _from_sentence(passage, sentence, before, title)


def _from_sentence(passage: Passage, sentence: str, before: str, title: str) -> Raised:
    found = openings.opening(sentence)
    ways = _different([Way(text, "") for text in found.choices])
    if len(ways) < 2:
        ways = [Way(text, "") for text in openings.generic(sentence)]
    known = clipped(plain(before), 240) if openings.asks(sentence) and not openings.is_open(before) else ""
    return Raised(
        title or tidy_title(found.title),
        joined([known, clipped(found.question, 600)]),
        tuple(way.text for way in ways),
        _recommendation(ways, sentence),
        passage.must,
        [(passage.path, (sentence, passage.heading))],
    )


def _quote(source: str, *wanted: str) -> str:
    """The first of these that really stands in the source, as long as a quote should be; else how the source begins."""
    for each in wanted:
        quote = folded(each)[:QUOTE].strip()
        if quote and quote in source:
            return quote
    longest = max(_PIECE.split(source), key=len).strip()
    return longest[:QUOTE].strip()


dimension_researcher = player(_work)
