"""The marks at the beginning of a line that shape a clarifications file, and escapes for text that must have none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from signoff.artifacts.lines import closed_fences, fence, heading

_SLASHES: Final = re.compile(r"( {0,3})(\\*)")
_BOLD: Final = re.compile(r" {0,3}\*\*(R[1-9][0-9]{0,8}\.[1-9][0-9]{0,8}[a-z]?)(?=[:：*])")
LABEL: Final = re.compile(r" {0,3}\*\*(Answer|Recommendation|Question|Choices)(?:([:：])\*\*|\*\*([:：]))")
LOOSE: Final = re.compile(
    r" {0,3}(?P<mark>\*{1,3}|_{1,3}|)(?:(?P<answer>Answer|答案|回答)|Recommendation|推[荐薦]|建[议議])"
    r"(?:[ \t]?[:：](?P=mark)|(?P=mark)[ \t]?[:：])",
    re.ASCII | re.IGNORECASE,
)
"""A label as people type it. It is one only while its item has none of its kind; `LABEL` is one everywhere."""
LOOSE_FIRST: Final = frozenset("*_AaRr答回推建")
ORIGINS: Final = re.compile(r" {0,3}_Consolidated from([:：])(.*)_[ \t]*$", re.DOTALL)
CHOICE: Final = re.compile(r" {0,3}(?:([-*+])[ \t]+(?:\[([ xX])\][ \t]+)?)?([A-Za-z])([.)])[ \t]+(?=\S)")
LOOSE_CHOICE: Final = re.compile(r"(?:([A-Z])(?:\)[ \t]+|[）、][ \t]*)|\(([A-Z])\)[ \t]+|（([A-Z])）[ \t]*)(?=\S)")
"""A choice as people type it. It is one only in a run: an A that a B follows, or the letter that comes next."""
_FIRST_CHOICE: Final = re.compile(
    r"( {0,3}(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?[Aa]|[(（]A)(\\*)(?=(?:[.)][ \t]+|[）、][ \t]*)\S)"
)

Place = Literal["body", "recommendation", "answer"]
"""What free text is a part of; it decides which lines of it would be read as more than text."""


# --- what gives a file its shape ---------------------------------------------------------------------------------


def bold(text: str) -> tuple[str, str] | None:
    """Id and title of the older bold heading: `**R1.1:** Title`, `**R1.1: Title**` or `**R1.1**: Title`."""
    found = _BOLD.match(text)
    if found is None:
        return None
    rest = text[found.end() :].rstrip(" \t")
    if rest[:3] in (":**", "：**", "**:", "**："):
        return found[1], rest[3:].strip()
    if rest[0] in ":：" and rest.endswith("**"):
        return found[1], rest[1:-2].strip()
    return None


def is_boundary(text: str) -> bool:
    """Whether an item ends at this line: `## `, `### `, `##### `, `#### Refinements` and the older bold heading."""
    if text.lstrip(" ")[:1] not in ("#", "*"):
        return False
    found = heading(text)
    if found is None:
        return bold(text) is not None
    level, start, end = found
    return level in (2, 3, 5) or (level == 4 and text[start:end].casefold() == "refinements")


def is_mark(text: str, place: Place) -> bool:
    """Whether a line outside of fences could be read as more than text; the earlier its place, the more can."""
    first = text.lstrip(" ")[:1]
    if place != "answer" and first in LOOSE_FIRST:
        loose = LOOSE.match(text)
        if loose and (place == "body" or loose["answer"]):
            return True
    if first not in ("#", "*", "_", "`", "~"):
        return False
    label = LABEL.match(text)
    if label and (place == "body" or label[1] in ("Answer", "Recommendation")):
        return True
    return is_boundary(text) or ORIGINS.match(text) is not None or fence(text) is not None


def _slashed(text: str, place: Place, change: int) -> str:
    """The line with one backslash more or less before its mark, if it has one behind those that are there."""
    found = _FIRST_CHOICE.match(text) if place == "body" else None
    if found is None:
        found = _SLASHES.match(text)
        if found is None or not is_mark(found[1] + text[found.end() :], place):
            return text
    slashes = max(0, len(found[2]) + change)
    return found[1] + "\\" * slashes + text[found.end() :]


def escaped(texts: Sequence[str], place: Place) -> list[str]:
    """Lines of free text as they are written: none of them is read as anything but text."""
    inside = closed_fences(texts)
    return [text if fenced else _slashed(text, place, 1) for text, fenced in zip(texts, inside, strict=True)]


def unescaped(text: str, place: Place) -> str:
    """A line outside of fences as it was meant."""
    return _slashed(text, place, -1) if "\\" in text else text
