"""Probes of web addresses, for the gates that check links."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from signoff.core.declarations import Probe
from signoff.shell.outside.http import Answer, Manners, NoAnswerError, Wire, World, wire

_TEXT = ("text/", "application/json", "application/xml", "application/xhtml", "application/ld+json")
_ACCEPT = "text/html,text/plain;q=0.9,*/*;q=0.5"


async def probe(
    urls: list[str], params: Mapping[str, Any], *, manners: Manners | None = None, world: World | None = None
) -> Mapping[str, Probe]:
    """Asks every http(s) address once; the result has the addresses as given for keys. It skips other schemes."""
    wanted = [url for url in dict.fromkeys(urls) if url[:8].lower().startswith(("http://", "https://"))]
    if not wanted:
        return {}
    manners, world = manners or Manners(), world or World()
    private = bool(params.get("allow_private"))
    async with wire("link-check", manners, world, accept=_ACCEPT, allow_private=private) as asking:
        found = await asyncio.gather(*(_probe(asking, url) for url in wanted))
    return dict(zip(wanted, found, strict=True))


async def _probe(asking: Wire, url: str) -> Probe:
    try:
        answer = await asking.get(url, reads=_is_text)
    except NoAnswerError as why:
        return Probe(url=url, problem=why.problem, private=why.private)
    return Probe(url=url, status=answer.status, text=answer.text)


def _is_text(answer: Answer) -> bool:
    """Whether the body is wanted: not of pictures, archives and the like."""
    return answer.status == 200 and (answer.type or "text/plain").startswith(_TEXT)
