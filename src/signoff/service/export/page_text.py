"""The parsed page that the formats are made from: Markdown without front matter and comments, raw HTML as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from signoff.artifacts.markdown_parsing import anchor_of
from signoff.core.errors import UsageError

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|\Z)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

Pictures = Callable[[str], tuple[bytes, str] | None]
"""The bytes and the media type of a picture that a page names, None if it is not a picture beside the page."""


@dataclass(frozen=True)
class Page:
    """A page to export; `name` is the title of a page without a heading."""

    source: str
    name: str
    pictures: Pictures

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens of the page. Links with a dangerous scheme are no links; what looks like HTML is text."""
        parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        tokens = parser.parse(_FRONT.sub("", self.source))
        for token in tokens:
            _neutralize(token)
            for child in token.children or ():
                _neutralize(child)
        return [token for token in tokens if token.type != "html_block"]

    @cached_property
    def tree(self) -> SyntaxTreeNode:
        return SyntaxTreeNode(self.tokens)

    @cached_property
    def title(self) -> str:
        found = next((node for node in self.tree.walk() if node.type == "heading" and node.tag == "h1"), None)
        return text_of(found) if found else self.name

    @property
    def lang(self) -> str:
        """`zh-CN` if most of the words are Chinese."""
        return "zh-CN" if len(HAN.findall(self.source)) * 4 > len(self.source.split()) * 2 else "en"

    @cached_property
    def anchors(self) -> list[str]:
        """The anchor of each heading, in order; a second one of a name is numbered."""
        used: dict[str, int] = {}
        made = []
        for node in self.tree.walk():
            if node.type == "heading":
                base = anchor_of(text_of(node))
                number = used.get(base, 0)
                used[base] = number + 1
                made.append(f"{base}-{number}" if number else base)
        return made


def unreadable(source: str, error: Exception) -> UsageError:
    """What to tell of a picture that a format cannot take."""
    said = str(error) or type(error).__name__
    return UsageError(f"the picture {source} cannot be read: {said}", repair="save it again as PNG or JPEG")


def _neutralize(token: Token) -> None:
    """Comments are not shown; any other raw HTML is shown as the text that it is."""
    if token.type not in ("html_inline", "html_block"):
        return
    token.content = _COMMENT.sub("", token.content)
    if token.type == "html_inline":
        token.type = "text"
    elif token.content.strip():
        token.type, token.tag, token.info = "code_block", "code", ""


def text_of(node: SyntaxTreeNode) -> str:
    """What a node says, without markup."""
    if node.type in ("text", "code_inline", "fence", "code_block"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    if node.type == "image":
        return node.content
    return "".join(text_of(child) for child in node.children)
