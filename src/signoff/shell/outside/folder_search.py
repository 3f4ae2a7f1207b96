"""Search in a folder of documents: the default, without any network.

The index is in memory and follows what is in the folder at each search, so it is never out of date.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from signoff.core.errors import DefinitionError, DocumentError, StoreError
from signoff.core.events import Hit
from signoff.evidence.sources import fetched_pages
from signoff.evidence.sources.fetched_pages import PageText
from signoff.shell.outside.port import NothingError
from signoff.shell.run.store import Store

BRIEF: Final = "brief.md"
"""What a person wrote about the work: it is not a document to quote."""


class FolderCorpus:
    """The documents below a folder of the project. Links and hidden files are left out."""

    local = True

    def __init__(self, store: Store, folder: str) -> None:
        if not folder.endswith("/"):
            raise DefinitionError(f"{folder!r} is not a folder", repair="let its name end with a slash")
        self.store, self.folder = store, folder
        self.unreadable: dict[str, str] = {}
        self._seen: dict[str, str] = {}
        self._index = Index()
        self._refreshing = asyncio.Lock()

    async def search(self, query: str, limit: int) -> Sequence[Hit]:
        async with self._refreshing:
            await asyncio.to_thread(self._refresh)
        if not self._index.digests:
            raise NothingError(f"there are no documents to read in {self.folder}: put some there")
        return self.find(query, limit)

    def find(self, query: str, limit: int) -> list[Hit]:
        """What is found in the index as it is."""
        return self._index.search(query, limit)

    async def fetch(self, url: str) -> PageText:
        data = self.store.read(url) if url in self._paths() else None
        if data is None:
            raise NothingError(f"{url!r} is not a document in {self.folder}")
        try:
            return await asyncio.to_thread(fetched_pages.read, data, url)
        except DocumentError as error:
            raise NothingError(str(error)) from None

    def _paths(self) -> list[str]:
        found = self.store.matching([self.folder])
        return [path for path in found if fetched_pages.readable(path) and path != f"{self.folder}{BRIEF}"]

    def _refresh(self) -> None:
        """Brings the index up to date with the folder."""
        there = dict(self.store.digests(self._paths()))
        for url in self._seen.keys() - there.keys():
            self._forget(url)
        for url, sha256 in there.items():
            if self._seen.get(url) != sha256:
                self._take_in(url, sha256)
        self._seen = there

    def _forget(self, url: str) -> None:
        self._index.drop(url)
        self.unreadable.pop(url, None)

    def _take_in(self, url: str, sha256: str) -> None:
        self._forget(url)
        try:
            page = fetched_pages.read(self.store.read(url) or b"", url)
        except DocumentError as error:
            self.unreadable[url] = str(error)
        else:
            self._index.put(url, sha256, page.title, page.text)


# --- the index -------------------------------------------------------------------------------------------------------

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
        """The documents that match best, best first."""
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
    """The text around the first match of the query.

    FTS5 looks for the best match, and takes minutes if a document repeats a word ten thousand times.
    """
    lowered = text.lower()
    spots = (_beginning(phrase.lower().replace(" ", "")).search(lowered) for phrase in islice(_phrases(query), MOST))
    first = min((spot.start() for spot in spots if spot), default=0)
    start, end = max(0, first - SHOWN // 4), first + SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _beginning(word: str) -> re.Pattern[str]:
    """A pattern for the beginning of a word, which its other forms share."""
    stem = re.escape(word[: max(3, len(word) - 3)])
    return re.compile(stem if _CHARACTER.match(word) else rf"(?<![^\W_]){stem}")


def matching(query: str) -> str:
    """The FTS5 expression for a free text: any of its words; empty if it has none."""
    phrases = dict.fromkeys(f'"{phrase}"' for phrase in _phrases(query))
    return " OR ".join(list(phrases)[:MOST])


def _phrases(query: str) -> Iterator[str]:
    for word in _WORDS.findall(query):
        if len(word) > 1 and _CHARACTER.match(word):
            yield from (f"{one} {two}" for one, two in pairwise(word))
        else:
            yield word
