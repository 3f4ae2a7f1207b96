"""A page as PDF (fpdf2, extra `export`).

Lines are broken here, because a Chinese line may end between any two characters.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from signoff.service.export.fonts import Font, fonts_for
from signoff.service.export.page_text import Page, text_of, unreadable

MARGIN, SIZE, LEADING = 20.0, 10.5, 1.55
HEADINGS = {1: 21.0, 2: 15.5, 3: 13.0}
MILLIMETRES = 25.4 / 72
INK, FAINT, RULE, LINK = (28, 36, 48), (91, 102, 117), (213, 219, 227), (11, 87, 183)
SHOWN_IMAGES = ("image/png", "image/jpeg", "image/gif")


@dataclass(frozen=True, slots=True)
class Look:
    """How words look; `face` is the number of the font."""

    size: float = SIZE
    bold: bool = False
    color: tuple[int, int, int] = INK
    link: str = ""
    face: int = 0


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Word:
    """What no line break parts. A `text` of one newline begins a new line."""

    text: str
    look: Look


def pdf(page: Page, font: Path | None) -> bytes:
    """The whole document."""
    import fpdf

    logging.getLogger("fontTools").setLevel(logging.ERROR)
    said = "".join(text_of(node) for node in page.tree.walk() if not node.children or node.type == "image")
    fonts = fonts_for(page.title + said + "•0123456789./", font)
    made = fpdf.FPDF(format="A4")
    made.set_margin(MARGIN)
    made.set_auto_page_break(True, MARGIN)
    made.set_title(page.title)
    made.set_lang(page.lang)
    for number, one in enumerate(fonts):
        made.add_font(f"f{number}", fname=one.path, collection_font_number=one.number)
        if one.bold:
            made.add_font(f"f{number}", "B", one.bold)
    made.add_page()
    try:
        _Writer(page, made, fonts).blocks(page.tree.children)
        return bytes(made.output())
    finally:
        for each in made.fonts.values():
            if isinstance(each, fpdf.fonts.TTFFont):
                each.ttfont.close()


class _Writer:
    def __init__(self, page: Page, made: Any, fonts: Sequence[Font]) -> None:
        from fontTools.ttLib import TTFont

        self.page, self.pdf, self.fonts = page, made, fonts
        self.left, self.right = MARGIN, made.w - MARGIN
        self.has = []
        for one in fonts:
            with TTFont(one.path, fontNumber=one.number, lazy=True) as font:
                self.has.append(font.getBestCmap())

    # --- blocks

    def blocks(self, nodes: Sequence[SyntaxTreeNode], look: Look = PLAIN) -> None:
        for node in nodes:
            self.block(node, look)

    def block(self, node: SyntaxTreeNode, look: Look) -> None:
        if node.type == "heading":
            self.heading(node)
        elif node.type == "paragraph":
            self.images(node)
            self.paragraph(self.words(node, look))
            self.gap(2.6)
        elif node.type in ("bullet_list", "ordered_list"):
            self.items(node, look)
            self.gap(1.2)
        elif node.type == "table":
            self.table(node)
            self.gap(4)
        elif node.type in ("fence", "code_block"):
            for line in node.content.rstrip("\n").split("\n"):
                self.paragraph([Word(line.replace("\t", "    "), replace(look, size=SIZE - 1, color=FAINT))])
            self.gap(2.6)
        elif node.type == "blockquote":
            self.left += 6
            self.blocks(node.children, replace(look, color=FAINT))
            self.left -= 6
        elif node.type == "hr":
            self.rule(self.pdf.y + 1)
            self.gap(5)

    def heading(self, node: SyntaxTreeNode) -> None:
        level = int(node.tag[1])
        size = HEADINGS.get(level, 11.5)
        self.gap(0 if level == 1 else size * 0.25)
        self.room(size * MILLIMETRES * 4)
        self.pdf.start_section(text_of(node), level=0)
        self.paragraph(self.words(node, Look(size, bold=True)))
        if level == 2:
            self.rule(self.pdf.y + 0.6)
        self.gap(2.8)

    def items(self, node: SyntaxTreeNode, look: Look) -> None:
        number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
        for place, item in enumerate(node.children):
            mark = f"{number + place}." if node.type == "ordered_list" else "•"
            self.room(look.size * MILLIMETRES * LEADING)
            self.draw([[Word(mark, self.faced(mark, look)[0].look)]], self.left + 1, step=False)
            self.left += 7
            for child in item.children:
                if child.type == "paragraph":
                    self.images(child)
                    self.paragraph(self.words(child, look))
                    self.gap(1)
                else:
                    self.block(child, look)
            if not item.children:
                self.paragraph([Word(" ", look)])
            self.left -= 7

    def table(self, node: SyntaxTreeNode) -> None:
        rows = [row for part in node.children for row in part.children]
        columns = max((len(row.children) for row in rows), default=0)
        widths = self.widths(rows, columns)
        for number, row in enumerate(rows):
            look = Look(SIZE - 0.5, bold=number == 0)
            cells = [
                self.lines(self.words(cell, look), width - 3) for cell, width in zip(row.children, widths, strict=False)
            ]
            height = max((len(lines) for lines in cells), default=1) * look.size * MILLIMETRES * LEADING + 2
            self.room(height)
            top, at = self.pdf.y, self.left
            for lines, width in zip(cells, widths, strict=False):
                self.pdf.y = top + 1
                self.draw(lines, at + 1.5)
                at += width
            self.pdf.y = top + height
            self.rule(self.pdf.y)

    def widths(self, rows: Sequence[SyntaxTreeNode], columns: int) -> list[float]:
        """Columns as wide as their text asks for, in the width of the page."""
        most = [8.0] * columns
        for row in rows:
            for place, cell in enumerate(row.children):
                most[place] = max(most[place], min(60.0, self.width(self.words(cell, Look(bold=True))) + 4))
        whole = self.right - self.left
        return [width * whole / sum(most) for width in most]

    # --- lines

    def words(self, node: SyntaxTreeNode, look: Look) -> list[Word]:
        """The inline content, cut where a line may end."""
        return [word for part, how in self.inline(node, look) for word in self.faced(part, how)]

    def inline(self, node: SyntaxTreeNode, look: Look) -> Iterator[tuple[str, Look]]:
        for child in node.children:
            if child.type in ("text", "code_inline"):
                yield from ((part, look) for part in _breakable(child.content))
            elif child.type in ("softbreak", "hardbreak"):
                yield (" " if child.type == "softbreak" else "\n"), look
            elif child.type == "image":
                if not self.drawn(child):
                    yield from ((part, look) for part in _breakable(f"[{text_of(child)}]"))
            elif child.type == "link":
                target = str(child.attrs.get("href", ""))
                opens = target.startswith(("http://", "https://", "mailto:"))
                yield from self.inline(child, replace(look, color=LINK, link=target) if opens else look)
            else:
                yield from self.inline(child, replace(look, bold=True) if child.type == "strong" else look)

    def faced(self, text: str, look: Look) -> list[Word]:
        """The text in the fonts that have its characters."""
        made: list[Word] = []
        for char in text:
            face = next((n for n, has in enumerate(self.has) if ord(char) in has), 0) if char.strip() else -1
            face = face if face >= 0 else (made[-1].look.face if made else 0)
            if char.isprintable() or char == "\n":
                if made and made[-1].look.face == face:
                    made[-1] = Word(made[-1].text + char, made[-1].look)
                else:
                    made.append(Word(char, replace(look, face=face)))
        return made

    def width(self, words: Sequence[Word]) -> float:
        total = 0.0
        for word in words:
            self.dress(word.look)
            total += self.pdf.get_string_width(word.text)
        return total

    def lines(self, words: Sequence[Word], width: float) -> list[list[Word]]:
        """Greedy lines; a word that is longer than a line is cut."""
        made: list[list[Word]] = [[]]
        left = width
        for word in words:
            if word.text == "\n":
                made.append([])
                left = width
                continue
            wide = self.width([word])
            if wide > left and made[-1] and self.width([Word(word.text.rstrip(), word.look)]) > left:
                made.append([])
                left = width
            while wide > width and len(word.text) > 1:
                fits = max(1, int(len(word.text) * width / wide))
                while fits > 1 and self.width([Word(word.text[:fits], word.look)]) > width:
                    fits -= 1
                made[-1].append(Word(word.text[:fits], word.look))
                made.append([])
                word = Word(word.text[fits:], word.look)
                wide, left = self.width([word]), width
            if made[-1] or word.text.strip():
                made[-1].append(word)
                left -= wide
        return made

    def paragraph(self, words: Sequence[Word]) -> None:
        self.draw(self.lines(words, self.right - self.left), self.left)

    def draw(self, lines: Sequence[Sequence[Word]], at: float, *, step: bool = True) -> None:
        for line in lines:
            size = max((word.look.size for word in line), default=SIZE)
            height = size * MILLIMETRES * (LEADING if size < 13 else 1.3)
            if step:
                self.room(height)
            self.pdf.x = at
            for word in _joined(line):
                self.dress(word.look)
                self.pdf.set_text_color(*word.look.color)
                self.pdf.cell(self.pdf.get_string_width(word.text), height, word.text, link=word.look.link)
            if step:
                self.pdf.y += height

    def dress(self, look: Look) -> None:
        """The font of a look; bold letters of a font without a bold file get a thin outline."""
        own = look.bold and self.fonts[look.face].bold is not None
        self.pdf.set_font(f"f{look.face}", "B" if own else "", look.size)
        self.pdf.text_mode = 2 if look.bold and not own else 0
        self.pdf.set_line_width(look.size * 0.012)
        self.pdf.set_draw_color(*look.color)

    def room(self, height: float) -> None:
        if self.pdf.y + height > self.pdf.h - MARGIN:
            self.pdf.add_page()

    def gap(self, height: float) -> None:
        self.pdf.y += height

    def rule(self, y: float) -> None:
        self.pdf.set_draw_color(*RULE)
        self.pdf.set_line_width(0.2)
        self.pdf.line(self.left, y, self.right, y)

    def drawn(self, node: SyntaxTreeNode) -> tuple[bytes, str] | None:
        """The picture of an image that stands in a paragraph; in a table its words stand for it."""
        picture = self.page.pictures(str(node.attrs.get("src", "")))
        inside = any(above.type in ("th", "td") for above in _above(node))
        return picture if picture is not None and picture[1] in SHOWN_IMAGES and not inside else None

    def images(self, node: SyntaxTreeNode) -> None:
        for child in node.walk():
            picture = self.drawn(child) if child.type == "image" else None
            if picture is not None:
                width = min(120.0, self.right - self.left)
                try:
                    self.pdf.image(io.BytesIO(picture[0]), x=self.left, w=width, alt_text=text_of(child))
                except (OSError, ValueError) as error:
                    raise unreadable(str(child.attrs["src"]), error) from None
                self.gap(2)


def _above(node: SyntaxTreeNode) -> Iterator[SyntaxTreeNode]:
    while node.parent is not None:
        node = node.parent
        yield node


_OPENS, _CLOSES = "（“‘《〈「『【([{", "，。、；：？！）”’》〉」』】…—,.;:?!)]}%％"
_UNIT = re.compile(
    rf"[{re.escape(_OPENS)}]*(?:[\u3000-\u303f\u3400-\u9fff\uf900-\uffef]|[^\s\u3000-\u9fff\uf900-\uffef]+)[{re.escape(_CLOSES)}]*\s*|\s+"
)


def _breakable(text: str) -> Iterator[str]:
    """Pieces between which a line may end: words, and single Chinese characters with the marks that hold to them."""
    return (found[0] for found in _UNIT.finditer(re.sub(r"\s+", " ", text)))


def _joined(line: Sequence[Word]) -> Iterator[Word]:
    """Neighbours of one look as one, so that a reader can search for what is printed."""
    held: Word | None = None
    for word in line:
        if held is not None and held.look == word.look:
            held = Word(held.text + word.text, held.look)
        else:
            if held is not None:
                yield held
            held = word
    if held is not None:
        yield held
