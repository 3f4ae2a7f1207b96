"""Carries out a gather. What was fetched is on disk before the journal knows of it, so a kill costs nothing twice.

Each search and each page from the network leaves a receipt in the run's folder, by its query or address, after the
bytes of the page are kept as an object. This gather and every later one of the run reuse what has a receipt. A problem
holds for its own gather alone: a later one tries again.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from signoff.core.commands import Gather
from signoff.core.events import Gathered, Hit, Page
from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.evidence.sources import fetched_pages
from signoff.shell.outside import brave_search, web_pages
from signoff.shell.outside.folder_search import FolderCorpus
from signoff.shell.outside.http import World, wire
from signoff.shell.outside.port import FOLDER, WEB, NothingError, Outside, Plain, Receipts, Wanted, wanted
from signoff.shell.run.journal import sayable
from signoff.shell.run.live_run import LiveRun, MakeEvent


class Web:
    """The web: pages from their own servers, and a service that searches."""

    local = False

    def __init__(self, fetching: web_pages.WebPages, searching: brave_search.Brave) -> None:
        self.fetch, self.search = fetching.fetch, searching.search


class Gatherer:
    """Carries out the gathers of one run. The index of a folder lives as long as this object."""

    def __init__(self, live: LiveRun, environment: Mapping[str, str] = os.environ) -> None:
        self.live, self.environment = live, environment
        self._corpora: dict[str, FolderCorpus] = {}

    def require(self) -> None:
        """Raises if something is missing for open and coming gathers, before anything is spent."""
        state = self.live.state
        coming = self.live.workflow.limits.looks_outside(state, self.live.library) if state.rev else None
        for params in (*(gather.params for gather in state.gathers.values() if gather.queries), coming):
            if params is not None and wanted(params).source == WEB:  # a folder needs nothing in advance
                brave_search.key(self.environment)

    async def gathered(self, gather: Gather) -> MakeEvent:
        """Carries it out, and gives the event."""
        how, receipts = wanted(gather.params), Receipts(self.live.store, self.live.folder, gather.gather)
        urls = dict.fromkeys(map(fetched_pages.same_page, gather.urls))
        async with self._outside(how, receipts, searches=bool(gather.queries)) as outside:
            job = _Job(self.live, gather, how, outside, receipts)
            searches = await _together(gather.queries, job.search)
            fetched = await _together(urls, job.page)
        for corpus in self._corpora.values():
            for problem in corpus.unreadable.values():
                self.live.watcher.notice(f"not searched: {problem}")
        return _event(gather, searches, fetched, stays=not outside.local)

    @asynccontextmanager
    async def _outside(self, how: Wanted, receipts: Receipts, *, searches: bool) -> AsyncIterator[Outside]:
        if how.source == FOLDER:
            if how.folder not in self._corpora:
                self._corpora[how.folder] = FolderCorpus(self.live.store, how.folder)
            yield self._corpora[how.folder]
            return
        base = self.environment.get(brave_search.BASE, "")
        private = how.allow_private
        async with (
            wire(
                web_pages.NAME, web_pages.manners(how.bytes), World(), accept=web_pages.ACCEPT, allow_private=private
            ) as fetching,
            wire(web_pages.NAME, brave_search.MANNERS, World(), allow_private=bool(base)) as searching,
        ):
            key = brave_search.key(self.environment) if searches else ""
            provider = brave_search.Brave(searching, key, base or brave_search.HOME, how.language)
            yield Web(web_pages.WebPages(fetching, receipts), provider)


class _Job:
    """One gather while it is carried out."""

    def __init__(self, live: LiveRun, gather: Gather, how: Wanted, outside: Outside, receipts: Receipts) -> None:
        self.live, self.gather, self.how, self.outside, self.receipts = live, gather, how, outside, receipts
        self.until = asyncio.get_running_loop().time() + how.seconds
        self.allowed = set(list(dict.fromkeys(map(fetched_pages.same_page, gather.urls)))[: how.pages])

    async def search(self, query: str) -> Plain:
        """The hits of a query, or the problem."""

        async def ask() -> Plain:
            hits = await self.outside.search(query, self.how.limit)
            return {"hits": [sayable(asdict(hit)) for hit in hits[: self.how.limit]]}

        return await self._once(f"search {self.how.language} {self.how.limit} {query}", ask)

    async def page(self, url: str) -> Plain:
        """The page of an address, kept as an object, or the problem."""

        async def ask() -> Plain:
            page = await self.outside.fetch(url)
            data = fetched_pages.render(page).encode("utf-8", "replace")
            ref = Ref(fetched_pages.place(self.gather.into, url), digest(data))
            self.live.library.keep(ref, data)
            return {"sha256": ref.sha256, "title": sayable(page.title)}

        if url not in self.allowed:
            return {"problem": f"a gather fetches at most {self.how.pages} pages"}
        return await self._once(f"page {url}", ask, self._has_bytes)

    def _has_bytes(self, found: Plain) -> bool:
        """Whether the bytes of a page are there: a receipt without them does not count."""
        ref = Ref(fetched_pages.place(self.gather.into, str(found["what"])), str(found.get("sha256")))
        return "problem" in found or self.live.store.read(self.live.library.place(ref)) is not None

    async def _once(
        self, what: str, ask: Callable[[], Coroutine[Any, Any, Plain]], good: Callable[[Plain], bool] = lambda _: True
    ) -> Plain:
        if self.outside.local:
            return await self._asked(ask)
        found = self.receipts.known(what)
        if found is not None and good(found):
            return {**found, "known": True}
        received = await self._asked(ask)
        return self.receipts.keep(what, passing="problem" in received, **received)

    async def _asked(self, ask: Callable[[], Coroutine[Any, Any, Plain]]) -> Plain:
        try:
            async with asyncio.timeout_at(self.until):
                return await ask()
        except NothingError as nothing:
            return {"problem": sayable(nothing.problem) or "nothing came"}
        except TimeoutError:
            return {"problem": f"the gather had {self.how.seconds:g} s, and they were over"}


async def _together(what: Iterable[str], do: Callable[[str], Coroutine[Any, Any, Plain]]) -> dict[str, Plain]:
    """All of them side by side. If one raises, for example because the disk is full, all are cancelled."""
    tasks = {one: asyncio.create_task(do(one)) for one in what}
    try:
        await asyncio.gather(*tasks.values())
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {one: task.result() for one, task in tasks.items()}


def _event(gather: Gather, searches: Mapping[str, Plain], fetched: Mapping[str, Plain], *, stays: bool) -> MakeEvent:
    """What was found, as an event. If a page `stays`, a version of it that a person edited counts."""

    def make(state: State, at: str) -> Gathered | None:
        if gather.gather not in state.gathers:
            return None
        return Gathered(
            id=gather.gather,
            at=at,
            by="code",
            gather=gather.gather,
            hits={
                query: tuple(Hit(**hit) for hit in found["hits"])
                for query, found in searches.items()
                if "hits" in found
            },
            pages={
                url: _page(gather.into, url, fetched[fetched_pages.same_page(url)], state if stays else State())
                for url in gather.urls
            },
            problems={query: found["problem"] for query, found in searches.items() if "problem" in found},
        )

    return make


def _page(into: str, url: str, found: Plain, state: State) -> Page:
    if "problem" in found:
        return Page(problem=found["problem"])
    path = fetched_pages.place(into, url)
    known = state.docs.get(path) if found.get("known") else None
    return Page(path=path, sha256=known or found["sha256"], title=found["title"])
