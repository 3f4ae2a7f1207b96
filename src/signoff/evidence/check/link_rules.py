"""Links to files and headings. A page gives the links that it has; whoever knows the files says where they lead."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote

from signoff.evidence.check.addresses import SCHEME, is_web
from signoff.evidence.check.page_text import PageText, squeezed
from signoff.evidence.check.placeholders import stands_for_a_link
from signoff.evidence.check.rules import Violation

_TEMPLATED: Final = ("{", "}", "<", ">", "$", "|", "…", "...")
_INDEXES: Final = ("index.md", "README.md", "_index.md", "index.mdx", "_index.html", "index.html")
_ENDINGS: Final = (".md", ".mdx", ".markdown", ".html")


@dataclass(frozen=True, slots=True)
class LocalLink:
    """A link to a path or to a heading, without what servers read behind `?`."""

    url: str
    line: int
    path: str
    fragment: str


def local_links(page: PageText) -> Iterator[LocalLink]:
    """The links of a page that lead to files of the project or to its own headings."""
    for place in page.addresses:
        url = place.url
        if (
            is_web(url)
            or SCHEME.match(url)
            or stands_for_a_link(url)
            or not url
            or any(sign in url for sign in _TEMPLATED)
        ):
            continue
        path, _, fragment = url.partition("#")
        path = unquote(path.partition("?")[0])
        if "\\" not in path and "\0" not in path:
            yield LocalLink(url, place.line, path, unquote(fragment))


@dataclass(frozen=True, slots=True)
class Files:
    """What is known of the files: whether one is there, and the ids of the headings of a page (None: not a page)."""

    exists: Callable[[str], bool]
    ids: Callable[[str], frozenset[str] | None]
    site_root: str | None = None
    routes: bool = False
    known: Callable[[str], bool] = lambda _: False


def link_violations(file: str, links: Sequence[LocalLink], own: frozenset[str], files: Files) -> Iterator[Violation]:
    """The links that lead nowhere."""
    for link in links:
        if not link.path:
            if link.fragment and not _has(own, link.fragment):
                yield _no_anchor(link, "the page")
            continue
        target = _target(file, link, files)
        if target is None:
            continue
        if target == "":
            if not files.known(link.path):
                yield Violation(code="SC202", line=link.line, problem=f"{link.url!r} leads to no file", about=link.path)
            continue
        if link.fragment and (ids := files.ids(target)) is not None and not _has(ids, link.fragment):
            yield _no_anchor(link, target)


def _no_anchor(link: LocalLink, where: str) -> Violation:
    return Violation(
        code="SC203", line=link.line, problem=f"{link.url!r} leads to no heading of {where}", about=link.fragment
    )


def _has(ids: frozenset[str], fragment: str) -> bool:
    fragment = normalize("NFC", fragment)
    return (
        fragment in ids
        or fragment.lower() in ids
        or f"\0{squeezed(fragment)}" in ids
        or fragment.casefold() in ("top", "content")
        or ":~:" in fragment
    )


def _target(file: str, link: LocalLink, files: Files) -> str | None:
    """The file that a link leads to; "" if there is none, None if nothing is known of its place."""
    if link.path.startswith("/"):
        if files.site_root is None:
            return None
        bases = [posixpath.join(files.site_root, link.path.lstrip("/"))]
    else:
        folder = posixpath.dirname(file)
        bases = [posixpath.join(folder, link.path)]
        if files.routes:
            stem = posixpath.splitext(posixpath.basename(file))[0]
            inner = folder if stem in ("index", "_index", "README") else posixpath.join(folder, stem)
            bases.append(posixpath.join(inner, link.path))
    for base in bases:
        for path in _spellings(posixpath.normpath(base)):
            if files.exists(path):
                return path
    return ""


def _spellings(path: str) -> Iterator[str]:
    """The path as it is, and as site tools write the address of a page."""
    stem, ending = posixpath.splitext(path)
    for index in _INDEXES:
        yield posixpath.join(path, index)
    yield path
    if ending in (".html", ".htm"):
        yield f"{stem}.md"
        yield f"{stem}.mdx"
        for index in _INDEXES[:3]:
            yield (
                posixpath.join(posixpath.dirname(path), index)
                if posixpath.basename(stem) == "index"
                else posixpath.join(stem, index)
            )
    else:
        for added in _ENDINGS:
            yield path + added
