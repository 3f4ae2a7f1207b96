"""Which of the pages that a search found are fetched, and why others are not; the names are in `skips.yaml`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from signoff.artifacts import yamlio
from signoff.core.events import Hit
from signoff.evidence.fetched_pages import same_page

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
    text = resources.files("signoff.workflows.article").joinpath(_FILE).read_text(encoding="utf-8")
    data: Mapping[str, Any] = yamlio.load_mapping(text, _FILE)
    lists = {name: frozenset(map(str, data[name])) for name in ("social", "shop", "paths", "endings", "many")}
    return Skips(pages_per_domain=int(data["pages_per_domain"]), **lists)


def chosen(hits: Iterable[Hit], known: Iterable[str], limit: int) -> Choice:
    """The pages to fetch of these hits, in their order: at most `limit`, and none that is `known` or skipped.

    A document of a folder is its own domain. Known pages count for their domains.
    """
    before = {same_page(url) for url in known}
    domains = Counter(filter(None, map(domain, before)))
    urls: list[str] = []
    skipped: dict[str, str] = {}
    for url in dict.fromkeys(same_page(hit.url) for hit in hits):
        home = domain(url)
        enough = f"{limit} pages are enough" if len(urls) >= limit else ""
        if reason := _reason(url, home, before, domains) or enough:
            skipped[url] = reason
            continue
        urls.append(url)
        domains.update([home] if home else [])
    return Choice(tuple(urls), skipped)


def _reason(url: str, home: str, known: set[str], domains: Mapping[str, int]) -> str:
    if url in known:
        return "it was fetched before"
    if (parts := _parts(url)) is None:
        return "it is no address of a page"
    if not home:
        return ""
    rules = skips()
    steps = (unquote(step).casefold() for step in parts.path.split("/"))
    listing = next((step for step in steps if step in rules.paths), "")
    found = (
        (_named(home, rules.social), f"{home} is a social network"),
        (_named(home, rules.shop), f"{home} is a shop"),
        (listing, f"/{listing}/ leads to no article"),
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


def _named(home: str, names: frozenset[str]) -> bool:
    return home in names or f"{home.partition('.')[0]}.*" in names


def domain(url: str) -> str:
    """The registered domain of a page; empty for a document of a folder and for what is no address."""
    parts, rules = _parts(url), skips()
    host = (parts.hostname or "").rstrip(".") if parts else ""
    if not host or host.replace(".", "").isdigit() or ":" in host:
        return host
    labels = host.split(".")
    pairs = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in rules.endings  # as in example.co.uk
    return ".".join(labels[-3 if pairs or ".".join(labels[-2:]) in rules.many else -2 :])
