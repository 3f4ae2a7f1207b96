"""The links gate (SP-13).

`format` checks the syntax of every address, the in-page anchors (ids as GitHub gives them to headings, `{#id}` behind
one, ids written in HTML, `#top`) and relative files. `http` also asks for a final 200 from every web address; the shell
does the probing.

Decisions: links, images, autolinks, bare addresses and HTML `href`/`src` count. A relative file is looked for from the
folder of the page, one that begins with `/` from the project folder. `#` alone names nothing and fails. Valid schemes
are http, https, mailto and tel. Text that still shows `[…](` or `[…][…]` to the reader was meant as a link and fails.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from itertools import accumulate
from urllib.parse import unquote, urldefrag

from signoff import Finding, Probe
from signoff.artifacts.markdown import Block, Page, broken_references
from signoff.artifacts.markdown_parsing import masked
from signoff.evidence.check.addresses import SCHEME, address_problem, is_web
from signoff.evidence.check.anchors import EXPLICIT, heading_ids

Exists = Callable[[str], bool]
Probes = Mapping[str, Probe]

_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_TAG = re.compile(r"<[A-Za-z][A-Za-z0-9]*\s([^<>]*)>")
_ATTRIBUTE = re.compile(r"(?:^|\s)(href|src|id|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_BARE = re.compile(r"(?<![<\"'=A-Za-z0-9_/])(?<!\]\()https?://[!#-&*-;=?-Z^_a-z|~]*[A-Za-z0-9/#=&_~-]", re.IGNORECASE)
_LEFT_OVER = re.compile(r"\[[^\[\]]*\]\(")


@dataclass(frozen=True, slots=True)
class _Place:
    url: str
    line: int


def links(page: Page, file: str, exists: Exists, probes: Probes | None = None) -> list[Finding]:
    """What is wrong with the links of a page; `probes` are given in http mode and None in format mode."""
    judge = _Judge(page, file, exists, probes)
    found = [finding for place in _places(page) for finding in judge.link(place)]
    return sorted([*found, *judge.references()], key=lambda finding: finding.line or 0)


def link_addresses(page: Page) -> list[str]:
    """The web addresses to be probed, each once, without fragments."""
    found = (place.url for place in _places(page) if is_web(place.url) and not address_problem(place.url))
    return list(dict.fromkeys(map(_address, found)))


def _address(url: str) -> str:
    """What is asked for: a fragment is never sent, and an address without a scheme means https."""
    return urldefrag(f"https:{url}" if url.startswith("//") else url).url


# --- where links are ---------------------------------------------------------------------------------------------


def _places(page: Page) -> list[_Place]:
    """Each address once per line."""
    found = [_Place(link.url, link.line) for link in page.links]
    for block in page.blocks:
        if block.kind != "code":
            found += _raw(block)
    return list(dict.fromkeys(found))


def _raw(block: Block) -> Iterator[_Place]:
    """Addresses that CommonMark leaves in the text: HTML attributes and bare ones."""
    if "<" not in block.text and "://" not in block.text:
        return
    text = _without_code(block.text)
    for name, value, at in _attributes(text):
        if name in ("href", "src"):
            yield _Place(value, block.line + text.count("\n", 0, at))
    for bare in _BARE.finditer(text):
        yield _Place(bare.group(), block.line + text.count("\n", 0, bare.start()))


def _without_code(text: str) -> str:
    return _CODE.sub(lambda code: "\n" * code.group().count("\n"), text) if "`" in text else text


def _attributes(text: str) -> Iterator[tuple[str, str, int]]:
    for tag in _TAG.finditer(text):
        for found in _ATTRIBUTE.finditer(tag[1]):
            yield found[1].lower(), unescape(found[2] or found[3] or found[4] or ""), tag.start()


def _anchors(page: Page) -> frozenset[str]:
    raw = (block.text for block in page.blocks if block.kind != "code" and "<" in block.text)
    ids = (value for text in raw for name, value, _ in _attributes(_without_code(text)) if name in ("id", "name"))
    written = {heading.text: EXPLICIT.search(heading.text) for heading in page.headings}
    by_hand = (found[1] for found in written.values() if found)
    bare = (text[: found.start()] for text, found in written.items() if found)
    return frozenset(
        {"top", *(heading.anchor for heading in page.headings), *ids, *by_hand, *heading_ids(bare, "github")}
    )


# --- one link ----------------------------------------------------------------------------------------------------


class _Judge:
    def __init__(self, page: Page, file: str, exists: Exists, probes: Probes | None) -> None:
        self.page, self.file, self.exists, self.probes = page, file, exists, probes
        self.anchors = _anchors(page)

    def finding(self, rule: str, line: int, problem: str, repair: str) -> Finding:
        return Finding(rule=f"links.{rule}", file=self.file, line=line, problem=problem, repair=repair)

    def link(self, place: _Place) -> Iterator[Finding]:
        wrong = address_problem(place.url)
        if wrong:
            yield self.finding("syntax", place.line, f"'{place.url}' is no valid address: {wrong[0]}", wrong[1])
        elif is_web(place.url):
            yield from self.web(place)
        elif not SCHEME.match(place.url):
            yield from self.local(place)

    def local(self, place: _Place) -> Iterator[Finding]:
        path, _, fragment = place.url.partition("#")
        path = path.partition("?")[0]
        target = self.target(path)
        if target != self.file and not self.exists(target):
            repair = "correct the path (it counts from the folder of the page), or add the file"
            yield self.finding("file", place.line, f"'{place.url}' leads to '{target}', which is not there", repair)
        elif target == self.file and "#" in place.url and unquote(fragment) not in self.anchors:
            repair = "use the id of a heading that is there: lower case, hyphens for spaces"
            yield self.finding("anchor", place.line, f"'{place.url}' leads to no heading of the page", repair)

    def target(self, path: str) -> str:
        if not path:
            return self.file
        if path.startswith("/"):
            return posixpath.normpath(unquote(path).lstrip("/") or ".")
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.file), unquote(path)))

    def web(self, place: _Place) -> Iterator[Finding]:
        if self.probes is None:
            return
        probe = self.probes.get(_address(place.url))
        if probe is None:
            yield self.finding("http", place.line, f"'{place.url}' was not probed", "run the check again")
        elif probe.private:
            repair = "link to a public address, or allow private addresses in the configuration"
            yield self.finding("private", place.line, f"'{place.url}' is refused: {probe.problem}", repair)
        elif probe.status != 200:
            said = probe.problem or f"the server answers {probe.status}, not 200"
            yield self.finding("http", place.line, f"'{place.url}': {said}", "correct or remove the link")

    def references(self) -> Iterator[Finding]:
        for broken in broken_references(self.page):
            problem = f"'[{broken.text}][{broken.label}]' has no definition and is shown with its brackets"
            repair = f"define it: [{broken.label}]: https://…"
            yield self.finding("reference", broken.line, problem, repair)
        for block in self.page.blocks:
            for line in _left_over(block) if "](" in block.text else ():
                repair = "close the bracket; put an address with spaces in <…>"
                yield self.finding("syntax", line, "a link is broken and is shown as text, with its brackets", repair)


def _left_over(block: Block) -> Iterator[int]:
    starts = [0, *accumulate(len(atom.text) for atom in block.atoms)]
    for found in _LEFT_OVER.finditer(masked(block.atoms)):
        yield block.atoms[bisect_right(starts, found.start()) - 1].line
