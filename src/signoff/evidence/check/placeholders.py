"""Text that its author did not finish: markers, filler, template fields, names and links that stand for others.

The phrases are data (`rules/placeholders.yaml`). Positions are given, so that the caller can name the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal
from urllib.parse import urlsplit

from signoff.evidence.rules import table

Kind = Literal["marker", "filler", "template", "name", "link"]

_FIELD: Final = r"[A-Za-z\u4e00-\u9fff][\w\u4e00-\u9fff.-]{0,40}(?: [\w\u4e00-\u9fff.-]{1,20}){0,2}"
_BRACES: Final = re.compile(rf"(?<![{{$])\{{\{{(?![{{#/<%!*])[ \t]{{0,3}}({_FIELD})[ \t]{{0,3}}\}}\}}(?!\}})")
_PROGRAM_FIELD: Final = re.compile(r"\.|\b(?:end|else|range|if|with|block|define|template|include|partial)\b")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What was found, as written, and where it begins."""

    kind: Kind
    text: str
    start: int


@cache
def _markers() -> re.Pattern[str]:
    rows = table("placeholders")["markers"]
    exact = rf"(?<![\w$.%@#/\\-])(?:{_any(rows['exact'])})(?![\w/\\=-]|\.\w|\(\)|:\s?:)"
    bracketed = rf"[\[【〔](?i:{_any(rows['bracketed'])})(?:[:：,，—-][^\]\[】〕\n]{{0,200}})?[\]】〕](?!\()"
    han = rf"(?:{_any(rows['han'])})(?![\u4e00-\u9fff])"
    boxed = rf"[\[【〔](?:{_any(rows['bracketed_han'])})[\]】〕](?!\()|[（(](?:{_any(rows['parenthesised_han'])})[）)]"
    return re.compile(rf"{bracketed}|{exact}|{boxed}|{han}")


@cache
def _filler() -> re.Pattern[str]:
    rows = table("placeholders")
    return re.compile(
        rf"\b(?:{_any((*rows['filler']['phrases'], *rows['starter']))})|{_any(rows['filler']['han'])}", re.IGNORECASE
    )


@cache
def _names() -> re.Pattern[str]:
    rows = table("placeholders")["names"]
    leads, fields = _any(rows["leads"]), _any(rows["fields"])
    kinds = "company|product|customer|client|brand|city|country"
    bracketed = rf"\[(?:(?:{leads}) (?:{fields})|(?:{kinds}) name)(?: here)?\](?![(\[:])"
    return re.compile(rf"(?i:{bracketed})|{_any(rows['han'])}")


def _any(phrases: Iterable[str]) -> str:
    ordered = sorted(map(str, phrases), key=len, reverse=True)
    return "|".join(re.escape(phrase).replace(r"\ ", r"[\s_-]{1,3}") for phrase in ordered)


def placeholders(text: str) -> Iterator[Placeholder]:
    """Markers, filler, template fields and fields for names, in the order of each kind."""
    for found in _markers().finditer(text):
        if not _speaks_of_it(text, found):
            yield Placeholder("marker", found[0], found.start())
    for found in _filler().finditer(text):
        yield Placeholder("filler", found[0], found.start())
    if "{{" in text:
        for found in _BRACES.finditer(text):
            if not _PROGRAM_FIELD.search(found[1]):
                yield Placeholder("template", found[0], found.start())
    for found in _names().finditer(text):
        yield Placeholder("name", found[0], found.start())


_ABOUT: Final = re.compile(r"(?:\"|“|「|‘|'|`)$")
_ABOUT_WORDS: Final = re.compile(
    r"(?:comments?|markers?|items?|lists?|tags?|labels?|notes?|apps?|注释|标记)", re.IGNORECASE
)


def _speaks_of_it(text: str, found: re.Match[str]) -> bool:
    """`a TODO list`, `"TODO"`: the text speaks of such markers and has none itself."""
    before, after = text[max(0, found.start() - 2) : found.start()], text[found.end() : found.end() + 12]
    return bool(_ABOUT.search(before)) or (found[0].isalpha() and bool(_ABOUT_WORDS.match(after.lstrip(" -"))))


@cache
def _hosts() -> frozenset[str]:
    return frozenset(table("placeholders")["links"]["hosts"])


@cache
def _whole() -> frozenset[str]:
    return frozenset(map(str, table("placeholders")["links"]["whole"]))


def stands_for_a_link(url: str) -> bool:
    """Whether an address only shows where one would be."""
    if url in _whole():
        return True
    if not url[:8].lower().startswith(("http://", "https://", "//")):
        return False
    try:
        host = (urlsplit(url if "://" in url else f"https:{url}").hostname or "").lower()
    except ValueError:
        return False
    return host in _hosts() or host.removeprefix("www.") in _hosts()
