"""The house notes: what a project's own people wrote of a technology, with practices and known failures as lists.

A note is a Markdown file whose title is the technology. Under a heading with "practice" in it every point is one, and
what follows "Why:" is its reason; under one with "failure" in it a point may begin with its category in brackets, and
what follows "Consequence:" is what came of it. Everything else is prose and passed by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from signoff.workflows.clarify.players.brief import Passage, passages
from signoff.workflows.orchestration.risks import CATEGORIES, Category
from signoff.workflows.wording import folded

_WHY: Final = re.compile(r"\s*\b(?:why|because)\s*:\s*", re.IGNORECASE)
_CAME: Final = re.compile(r"\s*\bconsequences?\s*:\s*", re.IGNORECASE)
_CATEGORY: Final = re.compile(r"\A[(\[]([a-z_ ]+)[)\]]\s*", re.IGNORECASE)
_VERSION: Final = re.compile(r"\s+v?(\d[\w.]*)\s*\Z")
_SIGNS: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("data_loss", re.compile(r"\b(?:lost|lose|loss|corrupt\w*|overwrit\w+|delet\w+|wrongly)", re.IGNORECASE)),
    ("performance", re.compile(r"\b(?:slow\w*|memory|second|stood still|limit)", re.IGNORECASE)),
    ("reversibility", re.compile(r"\b(?:roll ?back|way back|undo|drop\w*)", re.IGNORECASE)),
    ("security", re.compile(r"\b(?:key|password|secret|inject\w*|leak\w*|log\b|rights?)", re.IGNORECASE)),
    ("dependencies", re.compile(r"\b(?:version|packages?|updates?|upgrad\w+)", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Point:
    """A practice with its reason, or a failure with its consequence and category; `source` is where it stands."""

    text: str
    because: str
    source: str
    category: Category = "availability"


@dataclass(frozen=True, slots=True)
class Note:
    """One house note."""

    path: str
    technology: str
    version: str
    practices: tuple[Point, ...]
    failures: tuple[Point, ...]


def notes(sources: Mapping[str, str]) -> tuple[Note, ...]:
    """Every source that is titled; what has no title is prose for people."""
    return tuple(note for path, text in sources.items() if path.endswith(".md") and (note := _note(path, text)))


def about(technology: str, found: Iterable[Note]) -> tuple[Note, ...]:
    """The notes on a technology, by its name without the version."""
    wanted = technology.casefold()
    return tuple(note for note in found if note.technology.casefold() in (wanted, wanted.split(" ")[0]))


def _note(path: str, text: str) -> Note | None:
    found = passages(text, path)
    titled = next((one.heading for one in found if one.level == 1), "")
    if not titled.strip():
        return None
    version = _VERSION.search(titled)
    name = folded(_VERSION.sub("", titled))
    practices = tuple(_practice(raw, one) for one in _headed(found, "practice") for raw in _points(one))
    failures = tuple(_failure(raw, one) for one in _headed(found, "failure") for raw in _points(one))
    return Note(path, name, version[1] if version else "", practices, failures)


def _headed(found: Iterable[Passage], word: str) -> list[Passage]:
    return [one for one in found if word in one.heading.casefold()]


def _points(passage: Passage) -> list[str]:
    return [raw for way in passage.ways if (raw := folded(way.raw))]


def _practice(raw: str, passage: Passage) -> Point:
    practice, *why = _WHY.split(raw, 1)
    return Point(practice.strip() or raw, why[0] if why else "the house note gives no reason", _place(passage))


def _failure(raw: str, passage: Passage) -> Point:
    marked = _CATEGORY.match(raw)
    said = re.sub(r"\s+", "_", marked[1].strip().lower()) if marked else ""
    pattern, *came = _CAME.split(raw[marked.end() :] if marked and said in CATEGORIES else raw, 1)
    because = came[0] if came else "the house note does not say what came of it"
    return Point(pattern.strip() or raw, because, _place(passage), category(said, raw))


def category(said: str, text: str) -> Category:
    """The category that is said, or the one whose words a text has."""
    return next(
        (known for known in CATEGORIES if known == said),
        next((known for known, words in _SIGNS if words.search(text)), "availability"),
    )


def _place(passage: Passage) -> str:
    return f"{passage.path}, “{passage.title}”"
