"""Searching the web with Brave: one request for each query, with the key of the environment."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any, Final
from urllib.parse import urlencode

from signoff.core.errors import UsageError
from signoff.core.events import Hit
from signoff.shell.outside.http import Manners, NoAnswerError, Wire
from signoff.shell.outside.port import NothingError

KEY, BASE = "BRAVE_API_KEY", "SIGNOFF_BRAVE_URL"
HOME: Final = "https://api.search.brave.com"
MANNERS: Final = Manners(per_host=1, gap=1.0, timeout=20.0, hops=0)
"""The smallest plan takes one request a second. Redirects are not followed: the key is for this address alone."""

_LANGUAGES: Final = {"zh": "zh-hans"}
_MOST, _CHARACTERS, _WORDS = 20, 400, 50
_MARKS: Final = re.compile(r"</?\w+[^<>]*>")


def key(environment: Mapping[str, str]) -> str:
    """The key. Without a valid one it raises, before anything is spent."""
    found = environment.get(KEY, "").strip()
    if not found:
        raise UsageError(
            f"searching the web needs a key, and {KEY} is not set",
            repair=f"set {KEY} to a key of the Brave Search API, or let the research look in the folder of sources",
        )
    if not (found.isascii() and found.isprintable() and " " not in found):
        raise UsageError(f"{KEY} holds characters that no key has", repair="set it to the key alone, in one line")
    return found


class Brave:
    """Searches with Brave. `base` is the address of the service."""

    def __init__(self, wire: Wire, key: str, base: str = HOME, language: str = "en") -> None:
        self.wire, self.key, self.base, self.language = wire, key, base.rstrip("/"), language

    async def search(self, query: str, limit: int) -> Sequence[Hit]:
        """What is found for a query, best first. Raises NothingError."""
        headers = {"X-Subscription-Token": self.key, "Accept": "application/json", "Accept-Encoding": "gzip"}
        try:
            answer = await self.wire.get(self._address(query, limit), reads=lambda _: True, headers=headers)
        except NoAnswerError as why:
            raise NothingError(f"the search failed: {why.problem}") from None
        plain = _plain(answer.text) if answer.whole else None
        if answer.status != 200:
            raise NothingError(_refusal(answer.status, plain))
        if plain is None:
            raise NothingError("the search failed: the answer is not a JSON object")
        return _hits(plain)[:limit]

    def _address(self, query: str, limit: int) -> str:
        """The address for a query, cut to the words and characters that the service takes."""
        asked = " ".join(query.split()[:_WORDS])[:_CHARACTERS]
        wanted = {
            "q": asked,
            "count": max(1, min(limit, _MOST)),
            "search_lang": _LANGUAGES.get(self.language, self.language),
            "text_decorations": "false",
            "result_filter": "web",
        }
        return f"{self.base}/res/v1/web/search?{urlencode(wanted, errors='replace')}"


def _plain(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refusal(status: int, plain: Mapping[str, Any] | None) -> str:
    """Why the service refused a search, in its words, and what to do."""
    error = (plain or {}).get("error")
    said = error if isinstance(error, dict) else {}
    words = " ".join(str(said[name]) for name in ("code", "detail") if isinstance(said.get(name), str))
    told = f"the search was refused with {status}{f' ({words[:200]})' if words else ''}"
    if status in (401, 403) or "TOKEN" in words:
        return f"{told}: set {KEY} to a key that is valid"
    if status in (402, 429):
        return f"{told}: the plan of the key is used up for now, try again later"
    return told


def _hits(plain: Mapping[str, Any]) -> list[Hit]:
    web = plain.get("web")
    results = web.get("results") if isinstance(web, dict) else None
    found = [result for result in results if isinstance(result, dict)] if isinstance(results, list) else []
    return [
        Hit(url=result["url"], title=_words(result.get("title")), snippet=_words(result.get("description")))
        for result in found
        if isinstance(result.get("url"), str) and result["url"].lower().startswith(("http://", "https://"))
    ]


def _words(said: object) -> str:
    """The text without its markup."""
    return " ".join(unescape(_MARKS.sub("", said)).split()) if isinstance(said, str) else ""
