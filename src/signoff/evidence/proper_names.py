"""The names of a claim, and whether its source knows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.documents import Document, Piece, unaccented
from signoff.evidence.matches import finding, quoted
from signoff.evidence.quantities import quantities
from signoff.evidence.rules import table
from signoff.evidence.words import LITTLE, words

_NAME: Final = re.compile(r"(?<![A-Za-z0-9À-ɏ])(?:(?:[A-Z]\.){2,}|[A-ZÀ-Þ][A-Za-zÀ-ɏ0-9]*(?:[-'][A-Za-z0-9À-ɏ]+)*)")
_TITLES: Final = frozenset(
    "I Mr Mrs Ms Dr Prof St The A An In On At It This That These Those He She They We You His Her Its Our Their And But Or If When While As For From To By With Of"
    " Department Ministry Office Center Centre Institute University Association Professor President Prime Minister Secretary Director Chief Professor King Queen Prince Princess General Governor Senator Mayor Judge Justice Captain Colonel"
    " Commissioner Inspector Deputy Chairman Chairwoman CEO Police Internet English Yes No OK AD BC TV AM PM".split()
)
_JOINS: Final = re.compile(r"\s+(?:(?:of|the|and|for|de|von|van|der|di|da|al|bin|&)\s+){0,2}|-|'s\s+")


def names(claim: Piece, piece: Piece, document: Document) -> Iterator[Finding]:
    """A name of the claim that the source does not know, in a piece that names somebody or something else."""
    unknown = unknown_names(claim.text, document)
    if not unknown:
        local = Document([piece, *document.neighbours(piece)])
        taken = [(one.start, one.end) for one in claim.quantities]
        unknown = [
            " ".join(phrase)
            for phrase in _name_phrases(claim.text, taken)
            if not any(_known(name, local) for name in phrase) and not _abbreviated(phrase, local)
        ]
    if unknown and _has_other_name(piece, claim):
        yield finding(
            "name.unsupported",
            f"{unknown[0]!r} is not named there ({quoted(piece)})",
            "use the name that the source states",
        )


def unknown_names(text: str, document: Document) -> list[str]:
    """The names that the source does not know: of a name of several words, most of them."""
    listed = [word for word in words(text) if not word.mark]
    capital = sum(word.text[:1].isupper() for word in listed)
    if not listed or (capital > 0.7 * len(listed) and len(listed) > 3):
        return []  # a title in capitals
    taken = [(one.start, one.end) for one in quantities(text)]
    found = []
    for phrase in _name_phrases(text, taken):
        unknown = [name for name in phrase if not _known(name, document)]
        if len(unknown) * 2 > len(phrase) and not _abbreviated(phrase, document):
            found.append(" ".join(phrase))
    return found


def _has_other_name(piece: Piece, claim: Piece) -> bool:
    own = Document([claim])
    return any(
        found[0] not in _TITLES
        and len(found[0]) > 1
        and found[0].lower() not in LITTLE
        and not _known(found[0].removesuffix("'s").replace(".", ""), own)
        for found in _NAME.finditer(f"{piece.context} {piece.text}")
    )


def _name_phrases(text: str, taken: list[tuple[int, int]]) -> Iterator[list[str]]:
    phrase: list[str] = []
    end = -1
    for found in _NAME.finditer(text):
        name = found[0].removesuffix("'s").replace(".", "")
        joined = phrase and _JOINS.fullmatch(text[end : found.start()])
        if not joined:
            if phrase:
                yield phrase
            phrase = []
        inside = any(start <= found.start() < stop for start, stop in taken)
        if (
            name in _TITLES
            or inside
            or len(name) < 2
            or name.startswith("I'")
            or any(map(str.isdigit, name))
            or (not phrase and _starts_sentence(text, found))
        ):
            if phrase:
                yield phrase
            phrase = []
            end = -1
            continue
        phrase += [part for part in name.split("-") if len(part) > 1]
        end = found.end() - (2 if found[0].endswith("'s") else 0)
    if phrase:
        yield phrase


def _starts_sentence(text: str, found: re.Match[str]) -> bool:
    before = text[: found.start()].rstrip(" \"'(*")
    if before and before[-1] not in ".!?:。！？：":
        return False
    following = text[found.end() : found.end() + 2]
    return not (len(following) == 2 and following[0] == " " and following[1].isupper())


def _abbreviated(phrase: list[str], document: Document) -> bool:
    return len(phrase) > 1 and "".join(name[0] for name in phrase).casefold() in document.folded


@cache
def _aliases() -> dict[str, tuple[str, ...]]:
    return {name: tuple(row) for row in table("names")["same"] for name in row}


@cache
def _no_names() -> frozenset[str]:
    listed = table("names")
    return frozenset((*listed["time_zones"], *listed["ranks"]))


def _known(name: str, document: Document) -> bool:
    folded = unaccented(name.casefold())
    if folded in _no_names() or any(other in document.folded_text for other in _aliases().get(folded, ())):
        return True
    if folded in document.folded:
        return True
    if name.isupper() and any(
        word.startswith(folded) or (len(word) > 1 and folded.startswith(word)) for word in document.folded
    ):
        return True
    if (
        name.isupper()
        and len(name) <= 6
        and re.search(r"[a-z]*\W+(?:(?:of|the|and|for)\W+)?".join(map(re.escape, rf"{folded}")), document.folded_text)
    ):
        return True
    prefix = folded[: max(4, len(folded) - 3)]
    for word in document.folded:
        if word[0] != folded[0]:
            continue
        if (
            len(folded) >= 5
            and word.startswith(prefix)
            or len(word) >= 5
            and folded.startswith(word[: max(4, len(word) - 3)])
        ):
            return True
        if abs(len(word) - len(folded)) <= 3 and len(word) > 3 and SequenceMatcher(None, folded, word).ratio() >= 0.66:
            return True
    return False
