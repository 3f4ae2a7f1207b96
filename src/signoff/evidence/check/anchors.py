"""The ids that site tools give to headings, by tool; ids written by hand (`## Title {#id}`) hold for all of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final

from signoff.artifacts.markdown_parsing import anchor_of

EXPLICIT: Final = re.compile(r"[ \t]*\{:?[ \t]*(?:[^{}#]{0,80}[ \t])?#([^\s{}]{1,200})[^{}]{0,80}\}[ \t]*$")
"""An id written behind a heading: `{#id}`, `{ #id .class }`, `{: #id }`."""

_VUEPRESS: Final = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’–—<>,.?/]+")
_COMBINING: Final = re.compile("[\u0300-\u036f]")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")


def _vuepress(heading: str) -> str:
    bare = _CONTROL.sub("", _COMBINING.sub("", unicodedata.normalize("NFKD", heading)))
    slug = _VUEPRESS.sub("-", bare).strip("-")
    return f"_{slug}".lower() if slug[:1].isdigit() else slug.lower()


def _mkdocs(heading: str) -> str:
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _mkdocs_unicode(heading: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", unicodedata.normalize("NFKC", heading)).strip().lower())


def _gitlab(heading: str) -> str:
    return re.sub(r"-{2,}", "-", anchor_of(heading))


SLUGS: Final[Mapping[str, tuple[Callable[[str], str], ...]]] = {
    "github": (anchor_of,),
    "docusaurus": (anchor_of,),
    "hugo": (anchor_of,),
    "gitlab": (_gitlab,),
    "vuepress": (_vuepress,),
    "mkdocs": (_mkdocs, _mkdocs_unicode),
    "any": (anchor_of, _gitlab, _vuepress, _mkdocs, _mkdocs_unicode),
}
"""What each tool makes of a heading; `any` takes an id that one of them would make."""


def heading_ids(headings: Iterable[str], site: str = "any") -> frozenset[str]:
    """The ids of the headings of one page, in their order: a second heading of a name gets a number."""
    found: set[str] = set()
    taken: dict[tuple[int, str], int] = {}
    for heading in headings:
        for number, slug in enumerate(_slugs(heading, site)):
            times = taken.get((number, slug), 0)
            taken[number, slug] = times + 1
            found.update((slug,) if not times else (f"{slug}-{times}", f"{slug}_{times}", f"{slug}-{times + 1}"))
    return frozenset(found)


@lru_cache(maxsize=4096)
def _slugs(heading: str, site: str) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFC", slug(heading)) for slug in SLUGS[site])
