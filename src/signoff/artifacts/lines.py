"""Lines of a text with their places: where they end, which are in a code fence, which are headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, count
from operator import add
from typing import Final, NamedTuple

_END: Final = re.compile(r"\r\n|\r|\n")
_OPEN: Final = re.compile(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)", re.DOTALL)
_CLOSE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_MARKS: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")

Edit = tuple[int, int, str]
"""Start, end, and the replacement."""


class Line(NamedTuple):
    """One line: its number from 1, where it starts, where its text ends, where the next one starts, and its text."""

    number: int
    start: int
    end: int
    stop: int
    text: str


def split(text: str) -> list[Line]:
    """The lines of a text, which end at LF, CRLF or CR and nowhere else; a byte order mark is in none of them."""
    begin = 1 if text.startswith("\ufeff") else 0
    if "\r" in text:
        texts, ends = _END.split(text[begin:]), [*map(len, _END.findall(text, begin)), 0]
    else:
        texts = text[begin:].split("\n")
        ends = [1] * (len(texts) - 1) + [0]
    starts = list(accumulate(map(add, map(len, texts), ends), initial=begin))
    rows = zip(count(1), starts, map(add, starts, map(len, texts)), starts[1:], texts, strict=False)
    lines = [tuple.__new__(Line, row) for row in rows]  # as Line(…) does, and a file has many lines
    return lines if texts[-1] else lines[:-1]


def newline(text: str) -> str:
    """The line end of the first line, which the file uses."""
    found = _END.search(text)
    return found[0] if found else "\n"


def unified(text: str) -> str:
    """The text with LF at every line end."""
    return _END.sub("\n", text)


def line_end(text: str, at: int) -> int:
    """The end of the line of a place."""
    found = _END.search(text, at)
    return found.start() if found else len(text)


def blank(text: str) -> bool:
    return not text or text.isspace()


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """The text with these parts replaced; edits at the same place are made in the given order."""
    parts, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


# --- fences ------------------------------------------------------------------------------------------------------


def fence(text: str) -> str | None:
    """The marks of a line that can open a fence."""
    if "```" not in text and "~~~" not in text:
        return None
    found = _OPEN.fullmatch(text)
    return (found[1] or found[2]) if found else None


OPENER: Final = 2


def _closes(text: str, marks: str) -> bool:
    found = _CLOSE.fullmatch(text)
    return found is not None and found[1].startswith(marks)


def fences(texts: Sequence[str], first: int = 0) -> tuple[bytearray, int | None]:
    """Which lines are in a fence or are its marks, from line `first` on, and where a fence opens that never ends.

    The line that opens a fence counts 2, so that two fences in a row stay two.
    """
    inside, opened, marks = bytearray(len(texts)), None, ""
    for at in range(first, len(texts)):
        text = texts[at]
        if opened is not None:
            inside[at] = 1
            if _closes(text, marks):
                opened = None
        elif ("```" in text or "~~~" in text) and (found := fence(text)):
            inside[at], opened, marks = OPENER, at, found
    return inside, opened


def closed_fences(texts: Sequence[str]) -> bytearray:
    """As `fences`, but a fence that never ends does not count: its first line is ordinary text."""
    inside, longest = bytearray(len(texts)), _longest_closing(texts)
    opened, marks = False, ""
    for at, text in enumerate(texts):
        if opened:
            inside[at], opened = 1, not _closes(text, marks)
        elif (found := fence(text)) and len(found) <= longest[at + 1][found[0]]:
            inside[at], opened, marks = 1, True, found
    return inside


def _longest_closing(texts: Sequence[str]) -> list[dict[str, int]]:
    """For every line, the length of the longest closing marks of each kind from there on."""
    longest = [{"`": 0, "~": 0}]
    for text in reversed(texts):
        found, last = _CLOSE.fullmatch(text), longest[-1]
        if found and len(found[1]) > last[found[1][0]]:
            last = {**last, found[1][0]: len(found[1])}
        longest.append(last)
    return longest[::-1]


# --- headings ------------------------------------------------------------------------------------------------------


def heading(text: str) -> tuple[int, int, int] | None:
    """Level of an ATX heading and where its title starts and ends in the line, closing marks left out."""
    found = _MARKS.match(text)
    if found is None:
        return None
    end = len(text.rstrip(" \t"))
    start = min(found.end() + len(text) - found.end() - len(text[found.end() :].lstrip(" \t")), end)
    bare = len(text[:end].rstrip("#"))
    if bare < end and (bare <= start or text[bare - 1] in " \t"):
        end = max(start, len(text[:bare].rstrip(" \t")))
    return len(found[1]), start, end
