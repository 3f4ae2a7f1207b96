"""Escapes text for documents that code lays out, so that it cannot add Markdown structure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from signoff.artifacts import markdown_blocks
from signoff.artifacts.markdown_parsing import squeeze

DEEPEST: Final = 6
"""The deepest level of heading: no heading in the text becomes one of the document."""

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>&|~]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK: Final = re.compile(r"(?=[#=+-])|[0-9]{1,9}(?=[.)])")
_TURNS: Final = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # what shows text in another order
_UNSHOWN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def block(text: str) -> str:
    """Paragraphs under a heading."""
    return markdown_blocks.escaped(_clean(text), DEEPEST)


def item(text: str) -> str:
    """A list item, with all of its lines."""
    return markdown_blocks.bullet(_clean(text))


def line(text: str) -> str:
    """Words within a line."""
    return markdown_blocks.one_line(_UNSHOWN.sub("", text))


def sentence(text: str) -> str:
    """The same without a full stop at its end, for text that goes on."""
    return line(text).rstrip(".")


def literal(text: str) -> str:
    """One line of Markdown that shows exactly these words, in a table cell or a list item."""
    flat = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text.translate(_TURNS))
    marked = _SPECIAL.sub(lambda found: f"\\{found[0]}", squeeze(flat))
    return _BLOCK.sub(lambda found: f"{found[0]}\\", marked, count=1) if _BLOCK.match(marked) else marked or "–"


def code(text: str) -> str:
    """A name, a path or a command as code, with any backticks in it."""
    plain = line(text)
    fence = "`" * (max(map(len, re.findall("`+", plain)), default=0) + 1)
    return f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`"


def codes(names: Iterable[str]) -> str:
    """Names in a row."""
    return ", ".join(map(code, names))


def _clean(text: str) -> str:
    return markdown_blocks.tidy(_UNSHOWN.sub("", text))
