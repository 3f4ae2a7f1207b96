"""A page as one HTML file: its style and its pictures are in it, and nothing of the page is run or loaded."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from signoff.service.export.page_text import Page

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def html(page: Page) -> bytes:
    """The whole document."""
    style = (resources.files("signoff.service.export") / "page.css").read_text(encoding="utf-8")
    text = f"""<!doctype html>
<html lang="{page.lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(page.title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
{_Renderer(page).body()}</main>
</body>
</html>
"""
    return text.encode()


class _Renderer(RendererHTML):
    """The library's renderer, with anchors at headings and pictures in the file."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self._anchors = iter(page.anchors)

    def body(self) -> str:
        options = MarkdownIt("commonmark").options
        return str(self.render(self.page.tokens, options, {}))

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f'<{tokens[idx].tag} id="{escape(next(self._anchors))}">'

    def table_open(self, *_: Any) -> str:
        return '<div class="table"><table>\n'

    def table_close(self, *_: Any) -> str:
        return "</table></div>\n"

    def image(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        token = tokens[idx]
        source, words = str(token.attrs.get("src", "")), escape(token.content)
        picture = self.page.pictures(source)
        if picture is None:  # nothing is loaded from elsewhere
            return f'<a href="{escape(source)}">{words or escape(source)}</a>'
        data, kind = picture
        return f'<img alt="{words}" src="data:{kind};base64,{base64.b64encode(data).decode("ascii")}">'
