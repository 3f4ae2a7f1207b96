"""A folder of documents to look in: the default, without any network.

The index lies in memory and is made of what is there when somebody looks: nothing is kept that could be old.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from signoff.core.errors import DefinitionError, DocumentError
from signoff.core.events import Hit
from signoff.evidence import fetched_pages
from signoff.evidence.fetched_pages import PageText
from signoff.shell.outside.port import NothingError
from signoff.shell.outside.text_index import Index
from signoff.shell.run.store import Store

BRIEF: Final = "brief.md"
"""What a person wrote at the top of the folder about the work: it is no document to quote."""


class FolderCorpus:
    """The documents below a folder of the project. A link is never followed, and what is hidden is no document."""

    local = True

    def __init__(self, store: Store, folder: str) -> None:
        if not folder.endswith("/"):
            raise DefinitionError(f"{folder!r} is no folder", repair="let its name end with a slash")
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
        """What is found in what was taken in last."""
        return self._index.search(query, limit)

    async def fetch(self, url: str) -> PageText:
        data = self.store.read(url) if url in self._paths() else None
        if data is None:
            raise NothingError(f"{url!r} is no document in {self.folder}")
        try:
            return await asyncio.to_thread(fetched_pages.read, data, url)
        except DocumentError as error:
            raise NothingError(str(error)) from None

    def _paths(self) -> list[str]:
        found = self.store.matching([self.folder])
        return [path for path in found if fetched_pages.readable(path) and path != f"{self.folder}{BRIEF}"]

    def _refresh(self) -> None:
        """Takes in what is new or has changed, and forgets what is gone."""
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
