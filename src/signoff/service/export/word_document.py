"""A page as DOCX, with Word's own styles for headings, lists, tables and quotations (python-docx, extra `export`)."""

from __future__ import annotations

import io
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from signoff.service.export.page_text import Page, text_of, unreadable

HAN_FONT = "Microsoft YaHei"
"""What Word shows Chinese in; where it is not installed, Word takes another one that has the characters."""
SHOWN_IMAGES = ("image/png", "image/jpeg", "image/gif")


def docx(page: Page) -> bytes:
    """The whole document."""
    import docx as library
    from docx.oxml.ns import qn

    document = library.Document()
    document.core_properties.title = page.title
    document.core_properties.author = ""
    document.core_properties.comments = ""
    for style in document.styles:
        element = style.element
        if hasattr(element, "get_or_add_rPr"):
            element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), HAN_FONT)
    _Writer(page, document).blocks(page.tree.children, document)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


class _Writer:
    def __init__(self, page: Page, document: Any) -> None:
        self.page, self.document = page, document

    def blocks(self, nodes: list[SyntaxTreeNode], into: Any, style: str | None = None, depth: int = 0) -> None:
        for node in nodes:
            self.block(node, into, style, depth)

    def block(self, node: SyntaxTreeNode, into: Any, style: str | None, depth: int) -> None:
        if node.type == "heading":
            self.inline(node, into.add_paragraph(style=f"Heading {min(int(node.tag[1]), 9)}"))
        elif node.type == "paragraph":
            self.inline(node, into.add_paragraph(style=style))
        elif node.type in ("bullet_list", "ordered_list"):
            self.items(node, into, depth)
        elif node.type == "table":
            self.table(node)
        elif node.type in ("fence", "code_block"):
            run = into.add_paragraph(style="No Spacing").add_run(node.content.rstrip("\n"))
            run.font.name = "Consolas"
        elif node.type == "blockquote":
            self.blocks(node.children, into, "Quote", depth)
        elif node.type == "hr":
            into.add_paragraph("⁂").alignment = 1

    def items(self, node: SyntaxTreeNode, into: Any, depth: int) -> None:
        """Items with bullets by Word's style; numbers are written, because Word goes on counting in the next list."""
        level = "" if depth == 0 else f" {min(depth + 1, 3)}"
        first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
        for number, item in enumerate(node.children):
            for place, child in enumerate(item.children):
                if place == 0 and child.type == "paragraph" and node.type == "ordered_list":
                    paragraph = into.add_paragraph(style=f"List Continue{level}")
                    paragraph.add_run(f"{first + number}. ")
                    self.inline(child, paragraph)
                elif child.type == "paragraph":
                    style = f"List Bullet{level}" if place == 0 and not first else f"List Continue{level}"
                    self.inline(child, into.add_paragraph(style=style))
                else:
                    self.block(child, into, None, depth + 1)

    def table(self, node: SyntaxTreeNode) -> None:
        rows = [row for part in node.children for row in part.children]
        columns = max((len(row.children) for row in rows), default=0)
        if not columns:
            return
        table = self.document.add_table(rows=0, cols=columns, style="Table Grid")
        for number, row in enumerate(rows):
            cells = table.add_row().cells
            for cell, target in zip(row.children, cells, strict=False):
                self.inline(cell, target.paragraphs[0], bold=number == 0)
        self.document.add_paragraph()

    def inline(self, node: SyntaxTreeNode, paragraph: Any, **look: bool) -> None:
        for child in node.children:
            kind = child.type
            if kind in ("text", "code_inline"):
                self.run(paragraph, child.content, look | {"code": kind == "code_inline"})
            elif kind == "softbreak":
                paragraph.add_run(" ")
            elif kind == "hardbreak":
                paragraph.add_run().add_break()
            elif kind == "image":
                self.image(child, paragraph)
            elif kind == "link":
                self.link(child, paragraph, look)
            else:
                more = {"strong": "bold", "em": "italic", "s": "strike"}.get(kind)
                self.inline(child, paragraph, **(look | ({more: True} if more else {})))

    def run(self, paragraph: Any, text: str, look: dict[str, bool]) -> Any:
        run = paragraph.add_run(text)
        run.bold, run.italic, run.font.strike = look.get("bold"), look.get("italic"), look.get("strike")
        if look.get("code"):
            run.font.name = "Consolas"
        return run

    def link(self, node: SyntaxTreeNode, paragraph: Any, look: dict[str, bool]) -> None:
        """A link that Word opens; one inside the page is its words."""
        target = str(node.attrs.get("href", ""))
        if not target.startswith(("http://", "https://", "mailto:")):
            self.inline(node, paragraph, **look)
            return
        from docx.opc.constants import RELATIONSHIP_TYPE
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn
        from docx.shared import RGBColor

        link = OxmlElement("w:hyperlink")
        link.set(qn("r:id"), paragraph.part.relate_to(target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
        run = self.run(paragraph, text_of(node), look)
        run.font.underline, run.font.color.rgb = True, RGBColor(0x0B, 0x57, 0xB7)
        link.append(run._r)
        paragraph._p.append(link)

    def image(self, node: SyntaxTreeNode, paragraph: Any) -> None:
        from docx.image.exceptions import InvalidImageStreamError, UnexpectedEndOfFileError, UnrecognizedImageError
        from docx.shared import Cm

        picture = self.page.pictures(str(node.attrs.get("src", "")))
        if picture is None or picture[1] not in SHOWN_IMAGES:
            paragraph.add_run(f"[{node.content or node.attrs.get('src', '')}]")
        else:
            try:
                shape = paragraph.add_run().add_picture(io.BytesIO(picture[0]))
            except (UnrecognizedImageError, InvalidImageStreamError, UnexpectedEndOfFileError) as error:
                raise unreadable(str(node.attrs["src"]), error) from None
            if shape.width > Cm(15):
                shape.height, shape.width = int(shape.height * Cm(15) / shape.width), Cm(15)
