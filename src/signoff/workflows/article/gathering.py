"""What research fetches of what was found, and what it skips, with the reason; the names are in `skips.yaml`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from signoff.artifacts import yamlio
from signoff.artifacts.pages import same_page
from signoff.core.events import Hit

_FILE: Final = "skips.yaml"


class Choice(NamedTuple):
    """The addresses to fetch, best first, and by address why another is not fetched."""

    urls: tuple[str, ...]
    skipped: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Skips:
    """The rules as data."""

    pages_per_domain: int
    social: frozenset[str]
    shop: frozenset[str]
    paths: frozenset[str]
    endings: frozenset[str]
    many: frozenset[str]


@cache
def skips() -> Skips:
    """The rules of the package."""
    data: Mapping[str, Any] = yamlio.load_mapping(
        resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8"), _FILE
    )
    lists = {name: frozenset(map(str, data[name])) for name in ("social", "shop", "paths", "endings", "many")}
    return Skips(pages_per_domain=int(data["pages_per_domain"]), **lists)


def chosen(hits: Iterable[Hit], known: Iterable[str], limit: int) -> Choice:
    """What to fetch of these hits, in their order: not what is `known`, at most `limit`, and nothing that is skipped.

    A document of a folder is its own domain. Pages that are known count for their domains.
    """
    before = {same_page(url) for url in known}
    domains = Counter(filter(None, map(domain, before)))
    urls: list[str] = []
    skipped: dict[str, str] = {}
    for url in dict.fromkeys(same_page(hit.url) for hit in hits):
        home = domain(url)
        if reason := _reason(url, home, before, domains) or _too_many(urls, limit):
            skipped[url] = reason
            continue
        urls.append(url)
        domains.update([home] if home else [])
    return Choice(tuple(urls), skipped)


def _too_many(urls: list[str], limit: int) -> str:
    return f"{limit} pages are enough" if len(urls) >= limit else ""


def _reason(url: str, home: str, known: set[str], domains: Mapping[str, int]) -> str:
    if url in known:
        return "it was fetched before"
    if (parts := _parts(url)) is None:
        return "it is no address of a page"
    if not home:
        return ""
    rules = skips()
    found = (
        (_named(home, rules.social), f"{home} is a social network"),
        (_named(home, rules.shop), f"{home} is a shop"),
        (part := _listing(parts), f"/{part}/ leads to no article"),
        (domains.get(home, 0) >= rules.pages_per_domain, f"{rules.pages_per_domain} pages of {home} are enough"),
    )
    return next((reason for holds, reason in found if holds), "")


def _parts(url: str) -> SplitResult | None:
    """The parts of a web address or of a path in the project; None for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme in ("http", "https"):
        return parts if parts.hostname else None
    return parts if not parts.scheme and not parts.netloc and parts.path else None


def _listing(parts: SplitResult) -> str:
    """The part of a path that leads to a list, a purchase or an account; empty for a page."""
    steps = (unquote(step).casefold() for step in parts.path.split("/"))
    return next((step for step in steps if step in skips().paths), "")


def _named(home: str, names: frozenset[str]) -> bool:
    return home in names or f"{home.partition('.')[0]}.*" in names


def domain(url: str) -> str:
    """Whose page it is: the name that somebody registered; empty for a document of a folder and for no address."""
    parts = _parts(url)
    host = (parts.hostname or "").rstrip(".") if parts else ""
    if not host or host.replace(".", "").isdigit() or ":" in host:
        return host
    labels = host.split(".")
    return ".".join(labels[-_depth(labels) :])


def _depth(labels: list[str]) -> int:
    """How many labels name a domain: three where names are given out in pairs, or where one domain is many sites."""
    pairs = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in skips().endings
    return 3 if pairs or ".".join(labels[-2:]) in skips().many else 2
