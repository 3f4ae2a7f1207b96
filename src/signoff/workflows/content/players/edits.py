"""Changes of a Markdown text that leave everything else as it is: code, addresses and comments are never touched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from signoff.artifacts.markdown import Block
from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.content.rules.lexicon import Lexicon
from signoff.workflows.content.rules.piece import Piece

_OPAQUE: Final = re.compile(r"(`[^`\n]*`|\]\([^)\n]*\)|<[^<>\n]*>|https?://[^\s)]*)")
_ARTICLE: Final = re.compile(r"\b(an?)([ \t]+)\Z", re.IGNORECASE)
_SOUNDED: Final = re.compile(r"(?:[aeio]|u(?!s[eai]|ni))(?!ne\b|nce\b|u)", re.IGNORECASE)
_GAPS: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_LOOSE: Final = re.compile(r"[ \t]+(?=[,.;:!?](?:\s|$))")


def replaced(text: str, first: int, last: int, new: Iterable[str]) -> str:
    """The text with the lines from `first` to `last` replaced; lines count from 1."""
    lines = text.split("\n")
    return "\n".join([*lines[: first - 1], *new, *lines[last:]])


def inserted(text: str, after: int, blocks: Iterable[str]) -> str:
    """The text with blocks behind a line, an empty line around each."""
    lines = text.rstrip("\n").split("\n")
    above, below = "\n".join(lines[:after]).rstrip(), "\n".join(lines[after:]).strip("\n")
    return "\n\n".join(part for part in (above, *blocks, below) if part) + "\n"


def in_prose(piece: Piece, change: Callable[[str], str]) -> str:
    """The text with every stretch of prose changed; code, addresses, comments and HTML stay."""
    lines = piece.text.split("\n")
    fixed = {line for block in piece.page.blocks if block.kind in ("code", "html") for line in _range(block)}
    return "\n".join(line if number in fixed else _line(line, change) for number, line in enumerate(lines, 1))


def _range(block: Block) -> range:
    return range(block.line, block.last_line + 1)


def _line(line: str, change: Callable[[str], str]) -> str:
    pieces = _OPAQUE.split(line)
    return "".join(part if place % 2 else change(part) for place, part in enumerate(pieces))


def reworded(text: str, words: Lexicon) -> str:
    """The text with every word of the lexicon said otherwise, or left out; capitals and articles fit again."""
    made, begin = "", 0
    for found in words.pattern.finditer(text):
        made += text[begin : found.start()]
        instead, begin = words.suggestion(found.group()), found.end()
        if not instead:
            begin += len(text[begin:]) - len(text[begin:].lstrip(" \t,"))
        following = instead or text[begin : begin + 40]
        made = _with_article(made, following)
        if instead:
            made += _capital(instead) if found.group()[:1].isupper() else instead
        elif found.group()[:1].isupper() and _begins(made):
            made += _capital(text[begin : begin + 1])
            begin += 1
    return _LOOSE.sub("", _GAPS.sub(" ", made + text[begin:])) if begin else text


def _begins(made: str) -> bool:
    before = made.rstrip(" \t")
    return not before or before[-1] in '.!?:#*-“"'


def _with_article(made: str, following: str) -> str:
    article = _ARTICLE.search(made)
    if article is None or not following[:1].isalpha():
        return made
    fitting = "an" if _SOUNDED.match(following) else "a"
    fitting = _capital(fitting) if article.group(1)[0].isupper() else fitting
    return made[: article.start()] + fitting + article.group(2)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def in_block(text: str, block: Block, change: Callable[[str], str]) -> str:
    """The text with the source of one block changed, brought to one line; its list marker or indent stays."""
    source = squeeze(block.text)
    new = change(source)
    if new == source:
        return text
    first = text.split("\n")[block.line - 1]
    at = first.find(block.text.split("\n")[0].strip())
    return replaced(text, block.line, block.last_line, (first[: max(at, 0)] + line for line in new.split("\n")))


def in_blocks(text: str, blocks: Iterable[Block], change: Callable[[str], str]) -> str:
    """As `in_block`, for many of them; the last first, so that lines above keep their numbers."""
    for block in sorted(blocks, key=lambda block: -block.line):
        text = in_block(text, block, change)
    return text


def lowered(text: str) -> str:
    """With a small letter at the beginning, unless the first word is a name or an abbreviation."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def capitalised(text: str) -> str:
    return _capital(text)
