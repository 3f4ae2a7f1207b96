"""The names of a claim, and whether its source knows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from typing import Final, Protocol

from signoff.core.findings import Finding
from signoff.evidence.documents import Document, Piece, unaccented
from signoff.evidence.matching.matches import finding, quoted
from signoff.evidence.quantities.reading import quantities
from signoff.evidence.rules import table
from signoff.evidence.words import HAN, LITTLE, words

_NAME: Final = re.compile(r"(?<![A-Za-z0-9À-ɏ])(?:(?:[A-Z]\.){2,}|[A-ZÀ-Þ][A-Za-zÀ-ɏ0-9]*(?:[-'][A-Za-z0-9À-ɏ]+)*)")
_TITLES: Final = frozenset(
    [
        "I",
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Prof",
        "St",
        "The",
        "A",
        "An",
        "In",
        "On",
        "At",
        "It",
        "This",
        "That",
        "These",
        "Those",
        "He",
        "She",
        "They",
        "We",
        "You",
        "His",
        "Her",
        "Its",
        "Our",
        "Their",
        "And",
        "But",
        "Or",
        "If",
        "When",
        "While",
        "As",
        "For",
        "From",
        "To",
        "By",
        "With",
        "Of",
        "Department",
        "Ministry",
        "Office",
        "Center",
        "Centre",
        "Institute",
        "University",
        "Association",
        "Professor",
        "President",
        "Prime",
        "Minister",
        "Secretary",
        "Director",
        "Chief",
        "Professor",
        "King",
        "Queen",
        "Prince",
        "Princess",
        "General",
        "Governor",
        "Senator",
        "Mayor",
        "Judge",
        "Justice",
        "Captain",
        "Colonel",
        "Commissioner",
        "Inspector",
        "Deputy",
        "Chairman",
        "Chairwoman",
        "CEO",
        "Police",
        "Internet",
        "English",
        "Yes",
        "No",
        "OK",
        "AD",
        "BC",
        "TV",
        "AM",
        "PM",
    ]
)
_JOINS: Final = re.compile(r"\s+(?:(?:of|the|and|for|de|von|van|der|di|da|al|bin|&)\s+){0,2}|-|'s\s+")


class _Names(Protocol):
    """What names are looked up in: a whole document, or some pieces of it."""

    @property
    def folded(self) -> frozenset[str]: ...

    @property
    def folded_text(self) -> str: ...


class _Known:
    """The Latin words of some pieces, without case and accents."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.folded_text = unaccented("\n".join(f"{piece.context} {piece.text}" for piece in pieces).casefold())
        self.folded = frozenset(re.findall(r"[a-z0-9]+", self.folded_text))


def names(claim: Piece, piece: Piece, document: Document) -> Iterator[Finding]:
    """A name of the claim that the source does not know, in a piece that names somebody or something else."""
    if HAN.search(claim.text):
        yield from _han_names(claim, piece, document)
    taken = [(one.start, one.end) for one in claim.quantities]
    if next(_name_phrases(claim.text, taken), None) is None:
        return
    unknown = unknown_names(claim.text, document) or half_changed(claim.text, document)
    if not unknown:
        beside = [other for other in document.neighbours(piece) if other.kind == piece.kind == "sentence"]
        local = _Known([piece, *beside, *document.pieces[:2]])
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


def half_changed(text: str, document: Document) -> list[str]:
    """Names of several words of which the source has one, in a name of its own with another word beside it."""
    found = []
    taken = [(one.start, one.end) for one in quantities(text)]
    for phrase in _name_phrases(text, taken):
        if len(phrase) != 2:
            continue
        unknown = [name for name in phrase if not _known(name, document)]
        if len(unknown) == 1 and not _abbreviated(phrase, document) and _beside_another(phrase, unknown[0], document):
            found.append(" ".join(phrase))
    return found


def _beside_another(phrase: list[str], unknown: str, document: Document) -> bool:
    """Whether the source names the known part of a name together with another first or last part."""
    for name in phrase:
        if name == unknown or len(name) < 3:
            continue
        first = phrase.index(unknown) < phrase.index(name)
        pattern = (
            rf"([A-ZÀ-Þ][\w'-]+) {re.escape(name)}\b" if first else rf"\b{re.escape(name)} (?:& )?([A-ZÀ-Þ][\w'-]+)"
        )
        for found in re.finditer(pattern, document.text):
            if found[1] not in _TITLES and found[1] not in phrase and found[1].lower() not in LITTLE:
                return True
    return False


# --- Chinese names ------------------------------------------------------------------------------------------------

_HAN_NAME: Final = re.compile(
    "《(?P<title>[^》]{2,30})》"
    "|(?P<firm>[\u4e00-\u9fff]{2,8}?)(?:股份有限公司|有限公司|公司|集团|大学|研究院|研究所|实验室|医院|银行|基金会|出版社|事务所|检测中心)"
    '|["“「](?P<quoted>[\u4e00-\u9fffA-Za-z0-9-]{2,8})["”」]'
    "|(?P<person>[\u4e00-\u9fff]{2,4}?)(?:表示|指出|(?<!默)认为|介绍|透露|强调)"
    "|(?:经理|总监|主任|教授|博士|院长|馆长|负责人|设计师|建筑师|工程师|创始人|首席[\u4e00-\u9fff]{2,3}官|主编|编辑|作者|策展人|董事长|总裁|主席|院士|医生|研究员)(?:是"
    "|为|由)?(?P<named>[\u4e00-\u9fff]{2,4}?)(?=$|[，。；、：:,;.说和与及在称]|表示|指出|补充|认为)"
)
_NO_HAN_NAME: Final = re.compile(
    "^(?:该|本|这|那|其|此|某|各|两|多|我|他|她|贵|一家|公司|记者|专家|官方|作者|方面|报告|研究|数据|分析|有人|主要)|的|是|在|了|和|与"
)


def _han_names(claim: Piece, piece: Piece, document: Document) -> Iterator[Finding]:
    """A Chinese name of the claim that the source has nowhere: titles in 《》, organisations, names after a post."""
    if not HAN.search(document.text[:4000]):
        return
    for found in _HAN_NAME.finditer(claim.text):
        kind = found.lastgroup or ""
        name = found[kind]
        if _NO_HAN_NAME.search(name) or name in document.text:
            continue
        suffix = found[0].removeprefix(name) if kind == "firm" else ""
        if kind in ("firm", "person") and (name[-2:] in document.text or suffix not in document.text):
            continue
        problem = f"{name!r} is not named in the source ({quoted(piece)})"
        yield finding("name.unsupported", problem, "use the name that the source states")
        return


# --- Latin names --------------------------------------------------------------------------------------------------


def _has_other_name(piece: Piece, claim: Piece) -> bool:
    own = _Known([claim])
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


def _abbreviated(phrase: list[str], document: _Names) -> bool:
    return len(phrase) > 1 and "".join(name[0] for name in phrase).casefold() in document.folded


@cache
def _aliases() -> dict[str, tuple[str, ...]]:
    return {name: tuple(row) for row in table("names")["same"] for name in row}


@cache
def _no_names() -> frozenset[str]:
    listed = table("names")
    return frozenset((*listed["time_zones"], *listed["ranks"]))


def _known(name: str, document: _Names) -> bool:
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
    if len(folded) > 8 and any(len(word) > 6 and word in folded for word in document.folded):
        return True  # Hydrometeorological of a Meteorological Office
    prefix = folded[: max(4, len(folded) - 3)]
    for word in document.folded:
        if word[0] != folded[0]:
            continue
        if (len(folded) >= 5 and word.startswith(prefix)) or (
            len(word) >= 5 and folded.startswith(word[: max(4, len(word) - 3)])
        ):
            return True
        if abs(len(word) - len(folded)) <= 3 and len(word) > 3 and SequenceMatcher(None, folded, word).ratio() >= 0.66:
            return True
    return False
