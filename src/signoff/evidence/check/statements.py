"""The statements of a page: what of it can be false, and which claims and exemptions stand behind it.

Every sentence, heading, list item, table row and alternative text is searched for numbers (with any noun or none),
dates, versions, money, superlatives, comparisons, absolutes, named people and organisations, and quotations. What the
published list of exemptions covers (`rules/exemptions.yaml`) is taken out first and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from signoff.artifacts.markdown_parsing import CLAIM_ID
from signoff.evidence import wording
from signoff.evidence.documents import read
from signoff.evidence.quantities.reading import quantities
from signoff.evidence.rules import table

_OPEN, _CLOSE, _EXEMPT, _CODE = "\ue010", "\ue011", "\ue012", "\ue013"
_CLAIM: Final = re.compile(r"[ \t]*<!--\s*claim[\s_-]*id\s*:?\s*([A-Za-z]-[A-Za-z]{2,4}-\d{3})\s*-->", re.IGNORECASE)
_NO_CLAIM: Final = re.compile(r"[ \t]*<!--\s*no[-_ ]claim\b[^<>]{0,500}?-->", re.IGNORECASE)
_ALONE: Final = re.compile(r"^[ \t]*<!--\s*no[-_ ]claim\b.*?-->[ \t]*$", re.IGNORECASE | re.MULTILINE)
_MARK: Final = rf"(?:{_OPEN}[^{_CLOSE}]*{_CLOSE}|{_EXEMPT})"
_ENDED: Final = re.compile(rf"([.!?。！？…][\"'”’»)」』*_]*)[ \t]*({_MARK}(?:\s*{_MARK})*)")
_TOKEN: Final = re.compile(rf"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
_INLINE_CODE: Final = re.compile(r"(`+)(?!`)([^`]{1,500})(?<!`)\1(?!`)")
QUOTED: Final = re.compile(r"\"([^\"\n]{8,600})\"|“([^”\n]{8,600})”|「([^」\n]{4,600})」|«([^»\n]{8,600})»")
"""A quotation in any marks; visible text has them straightened already."""


@dataclass(frozen=True, slots=True)
class Part:
    """What can be false in a statement: its kind and its words."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, item, row or heading that can be false; `exempt` says that a no-claim comment ends it."""

    text: str
    line: int
    kind: str
    context: str
    parts: tuple[Part, ...]
    claims: tuple[str, ...] = ()
    exempt: bool = False


@dataclass
class Statements:
    """The statements of a page, and how often each exemption by rule was used."""

    listed: list[Statement]
    exempted: Counter[str] = field(default_factory=Counter)
    idle_marks: list[int] = field(default_factory=list)
    """Lines of text that a no-claim comment ends and that states nothing."""


def statements(text: str, product: Iterable[str] = (), *, with_code: bool = False) -> Statements:
    """The statements of a Markdown text. Code is not searched, unless `with_code`."""
    product = tuple(product)
    found = Statements([])
    for piece in read(_sealed(text, with_code)).pieces:
        if piece.kind in ("code", "column", "headers"):
            continue
        claims = tuple(_TOKEN.findall(piece.text))
        exempt = _EXEMPT in piece.text
        shown = " ".join(_TOKEN.sub("", piece.text).replace(_EXEMPT, "").split())
        shown = re.sub(r" +([.,;:!?。，；：！？])", r"\1", shown)
        parts, used = parts_of(shown, piece.kind, product)
        found.exempted.update(used)
        if parts:
            found.listed.append(
                Statement(shown.replace(_CODE, "`…`"), piece.line, piece.kind, piece.context, parts, claims, exempt)
            )
        elif exempt:
            found.idle_marks.append(piece.line)
    return found


def _sealed(text: str, with_code: bool) -> str:
    """Claim markers as tokens before the full stop that they follow, so that they stay with their sentence."""
    if "<!--" in text:
        text = _ALONE.sub("", text)
        text = _CLAIM.sub(lambda found: f"{_OPEN}{found[1].upper()}{_CLOSE}", text)
        text = _NO_CLAIM.sub(_EXEMPT, text)
        text = _ENDED.sub(r"\2\1", text)
    return text if with_code or "`" not in text else _INLINE_CODE.sub(_CODE, text)


def parts_of(
    text: str, kind: str = "sentence", product: tuple[str, ...] = ()
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """What can be false in a visible text, and the exemptions by rule that were used on it."""
    used: list[str] = []
    if _CODE in text:
        used.append("code")
    if text.rstrip(" \"'”’)").endswith(("?", "？")):
        return (), (*used, "question")
    bare = text
    for name, pattern in _exemptions():
        shorter = (
            pattern.sub(lambda found: " " * len(found[0]), bare)
            if name != "order" or kind in ("heading", "item", "sentence")
            else bare
        )
        if shorter != bare:
            used.append(name)
            bare = shorter
    for name in product:
        if name in bare:
            used.append("product")
            bare = bare.replace(name, " " * len(name))
    return tuple(_parts(bare)), tuple(used)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _parts(text: str) -> Iterator[Part]:
    for one in quantities(text):
        if not one.weak and one.kind not in ("url", "vague"):
            yield Part(
                "date" if one.kind in ("month", "weekday", "clock") else "code" if one.kind == "code" else "number",
                one.text.strip(),
            )
        elif one.kind == "vague":
            yield Part("number", one.text.strip())
    for word in wording.absolutes(text):
        yield Part("absolute", word)
    for name, pattern in _phrases():
        for found in pattern.finditer(text):
            yield Part(name, found[0].strip())
    for found in QUOTED.finditer(text):
        yield Part("quotation", next(filter(None, found.groups())))


@cache
def _exemptions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (row["id"], re.compile(row["pattern"], re.IGNORECASE)) for row in table("exemptions") if "pattern" in row
    )


def exemptions() -> Mapping[str, str]:
    """The published list: each exemption by rule with what it is about."""
    return {row["id"]: row["about"] for row in table("exemptions")}


@cache
def _phrases() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = table("statements")
    people = rows["people"]
    named = r"[A-ZÀ-Þ][\w&.'-]+"
    cued = rf"(?i:\b(?:{_any(people['cues'])}))\s+(?:(?:the|our)\s+)?{named}(?:\s+{named}){{0,3}}"
    suffixed = rf"\b{named}(?:\s+{named}){{0,3}},?\s+(?:{_any(people['suffixes'])})(?!\w)"
    titled = rf"\b(?:{_any(people['titles'])})\s+{named}"
    ended = f"{suffixed}|{titled}"
    return (
        (
            "superlative",
            re.compile(rf"(?i:\b(?:{_any(rows['superlatives']['en'])})\b)|{_any(rows['superlatives']['zh'])}"),
        ),
        (
            "comparison",
            re.compile(rf"(?i:\b(?:{_any(rows['comparisons']['en'])})\b)|{_any(rows['comparisons']['zh'])}"),
        ),
        ("name", re.compile(rf"{cued}|{ended}|{_any(people['zh'])}")),
    )


def _any(phrases: Iterable[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


def claim_ids(text: str) -> Iterator[str]:
    """The claim ids that the markers of a text name."""
    for found in _CLAIM.finditer(text):
        if CLAIM_ID.search(found[1].upper()):
            yield found[1].upper()


def place(lines: list[str], first: int, words: str) -> int:
    """The line from `first` on, within its block, on which the words stand; `first` if none has them."""
    for number in range(first, min(first + 400, len(lines) + 1)):
        line = lines[number - 1]
        if words in line:
            return number
        if number > first and not line.strip():
            break
    return first
