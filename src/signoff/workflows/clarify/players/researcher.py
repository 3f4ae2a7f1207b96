"""The dimension researcher: reads every text source and asks what its dimension needs to know.

A topic with listed ways becomes a question with those choices. Elsewhere it looks for sentences that say themselves
that something is open. It never fills a gap from what it knows: every question quotes the place that raised it, and
what was passed by is said in the notes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from signoff.workflows.clarify.players.desk import SOURCES, Desk, Payload, player
from signoff.workflows.clarify.players.fields import Field, fields_of, scope_of, takers
from signoff.workflows.clarify.players.points import Point, points
from signoff.workflows.wording import CONTROL, folded

MOST_QUESTIONS: Final = 60
MOST_SOURCES: Final = 3
QUOTE: Final = 240
SHORTEST: Final = 6
"""In bytes: with less than that nobody finds the place."""
MARGIN: Final = 24
_TABLES: Final = (".json", ".yaml", ".yml", ".csv", ".tsv", ".xml", ".html", ".htm")
_PIECE: Final = re.compile(rf"(?<=[.?!。？！])\s|{CONTROL.pattern}")


Taken = tuple[Point, frozenset[int]]
"""A point, and the dimensions that take it by their place in the list."""


@dataclass(slots=True, eq=False)
class Raised:
    """A question in the making: the point that raised it, and the others that ask exactly the same."""

    points: list[Point]

    @property
    def must(self) -> bool:
        return any(point.must for point in self.points)

    @property
    def title(self) -> str:
        return self.points[0].title

    def plain(self, texts: Mapping[str, str]) -> Payload:
        first = self.points[0]
        quoted = [(point.path, _quote(texts[point.path], *point.quotes)) for point in self.points[:MOST_SOURCES]]
        places = dict.fromkeys(place for place in quoted if place[1])
        return {
            "title": first.title,
            "question": first.question,
            "choices": list(first.choices),
            "recommendation": first.recommendation,
            "must_answer": self.must,
            "sources": [{"path": path, "quote": quote} for path, quote in places],
        }


def _work(desk: Desk) -> Payload:
    dimension = desk.notes.get("dimension") or {}
    own, fields = fields_of(dimension, desk.notes.get("dimensions"))
    scope, home = scope_of(desk.notes.get("scope")), f"{dimension.get('name', '')} {dimension.get('title', '')}"
    texts, passed = _texts(desk)
    raised, outside = dict[tuple[str, ...], Raised](), list[str]()
    for point in (one for path, text in texts.items() for one, by in _taken(text, path, fields) if own in by):
        if scope.takes(f"{point.title} {point.question} {home}"):
            raised.setdefault(_same(point), Raised([])).points.append(point)
        else:
            outside.append(point.title)
    kept = _most_needed(list(raised.values()))
    folded_texts = {path: " ".join(text.split()) for path, text in texts.items()} if kept else {}
    questions = [found.plain(folded_texts) for found in kept]
    asked = [one for one in questions if one["sources"]]
    unasked = [found.title for found, one in zip(kept, questions, strict=True) if not one["sources"]]
    more = unasked + [one.title for one in raised.values() if one not in kept]
    return {"questions": asked, "notes": _notes(texts, passed, outside, more)}


@lru_cache(maxsize=8)
def _taken(text: str, path: str, fields: tuple[Field, ...]) -> tuple[Taken, ...]:
    """The points of a source with their takers. Every dimension reads every source; the work is done once for all."""

    def owned(heading: str) -> bool:
        return any(field.owns(heading) for field in fields)

    return tuple((point, takers(point.heads, point.about, fields)) for point in points(text, path, owned))


def _same(point: Point) -> tuple[str, ...]:
    """What two points have in common that are one: all that would be asked."""
    return (point.title.casefold(), point.question.casefold(), *point.choices)


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


def _notes(texts: Mapping[str, str], passed: Sequence[str], outside: Sequence[str], more: Sequence[str]) -> str:
    said = [f"Read as prose: {_some(list(texts)) or 'nothing'}."]
    cut = [path for path, text in texts.items() if text.rfind("<!--") > text.rfind("-->")]
    if cut:
        said.append(f"A comment is not closed and hides the rest of the file: {_some(cut)}.")
    if passed:
        said.append(f"Passed by, because they are no prose or no readable text: {_some(passed)}.")
    if outside:
        said.append(f"Outside the scope: {_some(outside)}.")
    if more:
        why = "because one dimension may not ask more at once, or there is too little to quote"
        said.append(f"Also open, and not asked, {why}: {_some(more)}.")
    return folded(" ".join(said))


def _some(names: Sequence[str], most: int = 200) -> str:
    rest = f"; and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + rest


def _quote(source: str, *wanted: str) -> str:
    """The first of these that really stands in the source, long enough to be found; else the longest piece of it.

    "" where the source has nothing that is long enough.
    """
    for each in wanted:
        quote = folded(each)[:QUOTE].strip()
        around = _around(source, quote) if quote in source else ""
        if _is_long(around):
            return around
    longest = max(_PIECE.split(source), key=len).strip()[:QUOTE].strip()
    return longest if _is_long(longest) else ""


def _around(source: str, quote: str) -> str:
    """The quote itself, or what stands around it where it is too short to find a place by."""
    if not quote or _is_long(quote):
        return quote
    parts = [part.strip() for part in CONTROL.split(source) if quote in part]
    at = [part.find(quote) for part in parts]
    windows = (part[max(0, min(one, len(part) - MARGIN)) : one + MARGIN] for part, one in zip(parts, at, strict=True))
    return max((window.strip() for window in windows), key=len, default="")


def _is_long(quote: str) -> bool:
    return len(quote.encode()) >= SHORTEST


dimension_researcher = player(_work)
