"""A full-text index of documents in memory: SQLite's FTS5, in English by word stems and in Chinese by characters.

FTS5 takes a run of Chinese characters for one word. So each of them is set apart by a separator that texts do not
have, and what is looked for is every pair of neighbours as a phrase: a word of two characters is found, and a longer
one ranks by how much of it a document has. A query is free text: only its words reach FTS5, each in quotes, so none of
them is taken for its syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from signoff.core.errors import StoreError
from signoff.core.events import Hit

APART: Final = "\x1f"
MOST: Final = 64
"""How many words of a query count; FTS5 cannot read an expression of any length."""

SHOWN: Final = 240
"""How many characters a hit shows of a document."""

_WIDE: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTER: Final = re.compile(f"[{_WIDE}]")
_BORDERS: Final = re.compile(f"(?<=[{_WIDE}])|(?=[{_WIDE}])")
_WORDS: Final = re.compile(f"[{_WIDE}]+|[^\\W_{_WIDE}]+")
_TABLE: Final = """
CREATE VIRTUAL TABLE documents USING fts5(
    url UNINDEXED, title, body, tokenize = 'porter unicode61 remove_diacritics 2'
)"""
_SEARCH: Final = """
SELECT url, title, body FROM documents
WHERE documents MATCH ? ORDER BY bm25(documents, 0, 4.0, 1.0), url LIMIT ?"""


@dataclass(frozen=True, slots=True)
class _Known:
    row: int
    sha256: str


class Index:
    """Documents by url, each in the bytes of a digest."""

    def __init__(self) -> None:
        import sqlite3

        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            self._db.execute(_TABLE)
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"the SQLite of this Python cannot search texts: {error}", repair="use a Python whose SQLite has FTS5"
            ) from None
        self._known: dict[str, _Known] = {}

    @property
    def digests(self) -> dict[str, str]:
        """What is in it."""
        return {url: known.sha256 for url, known in self._known.items()}

    def put(self, url: str, sha256: str, title: str, text: str) -> None:
        """Takes a document in, in place of what it was before."""
        self.drop(url)
        row = self._db.execute("INSERT INTO documents VALUES (?, ?, ?)", (url, spaced(title), spaced(text))).lastrowid
        self._known[url] = _Known(row or 0, sha256)

    def drop(self, url: str) -> None:
        """Forgets a document."""
        if known := self._known.pop(url, None):
            self._db.execute("DELETE FROM documents WHERE rowid = ?", (known.row,))

    def search(self, query: str, limit: int) -> list[Hit]:
        """The documents that have most of what is looked for, best first."""
        expression = matching(query)
        if not expression:
            return []
        rows = self._db.execute(_SEARCH, (expression, limit))
        return [Hit(url=url, title=_joined(title), snippet=_around(_joined(body), query)) for url, title, body in rows]


def spaced(text: str) -> str:
    """The text with its wide characters set apart."""
    return _BORDERS.sub(APART, text.replace(APART, " "))


def _joined(text: str) -> str:
    return " ".join(text.replace(APART, "").split())


def _around(text: str, query: str) -> str:
    """The first place that a document has something of the query at.

    FTS5 looks for the best one, and takes minutes over a document that says one word some ten thousand times.
    """
    lowered = text.lower()
    spots = (_beginning(phrase.lower().replace(" ", "")).search(lowered) for phrase in islice(_phrases(query), MOST))
    first = min((spot.start() for spot in spots if spot), default=0)
    start, end = max(0, first - SHOWN // 4), first + SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _beginning(word: str) -> re.Pattern[str]:
    """The beginning of a word, as its other forms have it too."""
    stem = re.escape(word[: max(3, len(word) - 3)])
    return re.compile(stem if _CHARACTER.match(word) else rf"(?<![^\W_]){stem}")


def matching(query: str) -> str:
    """The expression of FTS5 for a free text: any of its words; empty where it has none."""
    phrases = dict.fromkeys(f'"{phrase}"' for phrase in _phrases(query))
    return " OR ".join(list(phrases)[:MOST])


def _phrases(query: str) -> Iterator[str]:
    for word in _WORDS.findall(query):
        if len(word) > 1 and _CHARACTER.match(word):
            yield from (f"{one} {two}" for one, two in pairwise(word))
        else:
            yield word
