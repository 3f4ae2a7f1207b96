"""What somebody says, within a document that code lays out: it is carried whole, and gives the document no shape."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from signoff.workflows.orchestration import prose

DEEPEST: Final = 6
"""No heading of theirs is one of the document, whatever its level."""

_UNSHOWN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def block(text: str) -> str:
    """Paragraphs under a heading."""
    return prose.escaped(_clean(text), DEEPEST)


def item(text: str) -> str:
    """A list item, with all of its lines."""
    return prose.bullet(_clean(text))


def line(text: str) -> str:
    """Words within a line."""
    return prose.one_line(_UNSHOWN.sub("", text))


def sentence(text: str) -> str:
    """The same without a full stop at its end, where something follows."""
    return line(text).rstrip(".")


def code(text: str) -> str:
    """A name, a path or a command, whatever backticks are in it."""
    plain = line(text)
    fence = "`" * (max(map(len, re.findall("`+", plain)), default=0) + 1)
    return f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`"


def codes(names: Iterable[str]) -> str:
    """Names in a row."""
    return ", ".join(map(code, names))


def _clean(text: str) -> str:
    return prose.tidy(_UNSHOWN.sub("", text))
