"""Web pages: fetched once, as `robots.txt` allows at each hop, and only kinds that can be quoted.

All requests go through `shell/outside/http.py`, so none reaches a private network. A page that is too large or of
another kind is a problem.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from signoff.core.errors import DocumentError
from signoff.evidence.sources import fetched_pages
from signoff.evidence.sources.fetched_pages import PageText
from signoff.shell.outside.http import Answer, Manners, NoAnswerError, Wire
from signoff.shell.outside.port import NothingError, Receipts

if TYPE_CHECKING:
    from urllib.robotparser import RobotFileParser

NAME: Final = "research"
ROBOT: Final = f"signoff-{NAME}"
"""Our name in `robots.txt`."""

ACCEPT: Final = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.8"
READ_AS: Final = {
    "text/html": "page.html",
    "application/xhtml+xml": "page.html",
    "text/plain": "page.txt",
    "text/markdown": "page.md",
    "text/x-markdown": "page.md",
    "application/pdf": "page.pdf",
}


def manners(most: int) -> Manners:
    """The limits for fetching pages of at most so many bytes: one at a time from a host."""
    return Manners(per_host=1, gap=0.2, timeout=20.0, tries=2, max_bytes=most)


class WebPages:
    """Fetches pages. The `robots.txt` of a host is kept with the receipts of the gather."""

    def __init__(self, wire: Wire, receipts: Receipts) -> None:
        self.wire, self.receipts = wire, receipts
        self._asking: dict[str, asyncio.Lock] = {}

    async def fetch(self, url: str) -> PageText:
        """The page at an address, as a reader sees it. Raises NothingError."""
        try:
            answer = await self.wire.get(
                url, reads=lambda answer: answer.status == 200 and answer.type in READ_AS, judge=self._allowed
            )
        except NoAnswerError as why:
            raise NothingError(why.problem) from None
        if answer.status != 200:
            raise NothingError(f"the server answered {answer.status}")
        if answer.type not in READ_AS:
            raise NothingError(f"it is {answer.type or 'of no kind'}, and only {', '.join(READ_AS)} is read")
        if not answer.whole:
            raise NothingError(f"it has more than {self.wire.manners.max_bytes:,} bytes")
        return await asyncio.to_thread(_read, answer, url)

    async def _allowed(self, url: str) -> None:
        """Raises unless the host of an address lets us fetch it."""
        origin = _origin(url)
        rules = await self._rules(origin)
        if not rules.can_fetch(ROBOT, url):
            raise NoAnswerError(f"the robots.txt of {origin} asks us to stay away from it")

    async def _rules(self, origin: str) -> RobotFileParser:
        async with self._asking.setdefault(origin, asyncio.Lock()):
            what = f"robots {origin}"
            found = self.receipts.known(what)
            if found is None:
                answer = await self.wire.get(f"{origin}/robots.txt", reads=lambda answer: answer.status == 200)
                found = self.receipts.keep(what, passing=True, status=answer.status, text=answer.text)
        return _rules(origin, int(found["status"]), str(found["text"]))


def _origin(url: str) -> str:
    """The origin whose robots.txt holds for an address."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise NoAnswerError(f"'{url}' is not a valid address: {error}") from None
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
        raise NoAnswerError(f"'{url}' is not a web address")
    return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2].lower()}"


def _rules(origin: str, status: int, text: str) -> RobotFileParser:
    """What a host forbids robots: nothing if it has no such file, everything if it cannot answer now (RFC 9309)."""
    from urllib.robotparser import RobotFileParser

    if status == 429 or status >= 500:
        raise NoAnswerError(f"{origin}/robots.txt gave {status}, so we stay away for now")
    rules = RobotFileParser()
    rules.parse(text.splitlines() if status == 200 else [])
    return rules


def _read(answer: Answer, url: str) -> PageText:
    try:
        return fetched_pages.read(answer.body, READ_AS[answer.type], url, answer.charset, lenient=True)
    except DocumentError as error:
        raise NothingError(error.findings[0].problem) from None
