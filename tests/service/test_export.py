"""Export: one HTML file that runs nothing, DOCX with Word's styles, PDF whose text can be read back."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import docx
import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import RefusedError, UsageError
from signoff.service import export as work
from signoff.service.export import fonts
from signoff.service.export.html_page import html
from signoff.service.export.page_text import Page
from signoff.service.export.pdf_document import pdf

PAGE = """---
title: not shown
---
# Tarn <X2> & friends

Runs for **6 hours** on one charge. <!-- claim_id: C-TX-001 -->
See [the sheet](https://example.com/a?b=1&c=2) and [below](#specs).

- one
- two
  1. inner
  2. inner two

| Item | Value |
|---|---|
| Weight | 460 g |

> quoted

```
code <b>
```

## Specs

![drawing](drawing.png)
"""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]))
    + _chunk(b"IDAT", zlib.compress(bytes(4)))
    + _chunk(b"IEND", b"")
)
SCRIPTS = """# Page

<script>alert(1)</script>

Text <img src=x onerror=alert(1)> and <b onclick="x()">bold</b>.

[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://example.com/c.png) [d]("onmouseover=alert(1))

<!-- a comment
over lines -->

<div><iframe src="https://example.com"></iframe></div>
"""


def page(source: str) -> Page:
    return Page(source, "page", lambda src: (PNG, "image/png") if src == "drawing.png" else None)


class _Tags(HTMLParser):
    """Which elements and attributes a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


SAFE = {
    "html", "head", "meta", "title", "style", "body", "main", "div", "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul",
    "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a", "img", "em", "strong", "s", "code", "pre",
    "blockquote", "br", "hr",
}  # fmt: skip


def tags(source: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(html(page(source)).decode())
    parser.close()
    yield from parser.tags


def refuse_unsafe(source: str) -> None:
    for tag, attrs in tags(source):
        assert tag in SAFE
        assert not [name for name in attrs if name.startswith("on")]
        for name in ("href", "src"):
            assert not re.match(r"\s*(?:javascript|vbscript|file|data:text)", attrs.get(name) or "", re.IGNORECASE)
        assert tag != "img" or (attrs["src"] or "").startswith("data:image/")


@pytest.mark.req("EV-15")
def test_an_html_page_has_its_text_style_and_pictures_in_one_file() -> None:
    text = html(page(PAGE)).decode()
    assert "<title>Tarn &lt;X2&gt; &amp; friends</title>" in text
    assert '<h2 id="specs">Specs</h2>' in text
    assert '<a href="https://example.com/a?b=1&amp;c=2">the sheet</a>' in text
    assert "<td>460 g</td>" in text
    assert 'src="data:image/png;base64,' in text
    assert "code &lt;b&gt;" in text
    assert "claim_id" not in text
    assert "not shown" not in text
    assert "prefers-color-scheme: dark" in text
    assert 'lang="en"' in text
    assert 'lang="zh-CN"' in html(page("# 标题\n\n整机重量460克。\n")).decode()


@pytest.mark.req("EV-15")
def test_nothing_of_a_page_is_run_or_loaded() -> None:
    refuse_unsafe(SCRIPTS)
    text = html(page(SCRIPTS)).decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "a comment" not in text


PARTS = (
    *"<>\"'()[]!&#`*_|-\n :=/", "script", "img", "src", "onerror", "javascript:", "a", "<!--", "-->", "](", "style",
    "data:text/html", "&lt;", "\\", "x",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_no_markup_of_a_page_becomes_markup_of_the_document(parts: list[str]) -> None:
    refuse_unsafe("".join(parts))


@pytest.mark.req("EV-15")
def test_a_word_document_has_headings_lists_tables_and_links(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "drawing.png").write_bytes(PNG)
    done = work.export(work.Asked(files=(tmp_path / "page.md",), format="docx"))
    assert done.made == ((str(tmp_path / "page.md"), str(tmp_path / "page.docx")),)
    document = docx.Document(str(tmp_path / "page.docx"))
    said = [(each.style.name, each.text) for each in document.paragraphs if each.style is not None]
    assert ("Heading 1", "Tarn <X2> & friends") in said
    assert ("List Bullet", "one") in said
    assert ("List Continue 2", "2. inner two") in said
    assert ("Quote", "quoted") in said
    assert [[cell.text for cell in row.cells] for row in document.tables[0].rows] == [
        ["Item", "Value"],
        ["Weight", "460 g"],
    ]
    links = [link.address for each in document.paragraphs for link in each.hyperlinks]
    assert links == ["https://example.com/a?b=1&c=2"]
    assert len(document.inline_shapes) == 1
    assert document.core_properties.title == "Tarn <X2> & friends"
    assert not any("claim_id" in text for _, text in said)


def read(data: bytes) -> str:
    return "\n".join(each.extract_text() for each in pypdf.PdfReader(io.BytesIO(data)).pages)


def has_chinese_font() -> bool:
    try:
        fonts.fonts_for("整机重量", None)
    except UsageError:
        return False
    return True


def latin_font() -> Path | None:
    try:
        return fonts.fonts_for("a", None)[0].path
    except UsageError:
        return None


LATIN = latin_font()
needs_latin = pytest.mark.skipif(LATIN is None, reason="this machine has no font for a PDF")
needs_chinese = pytest.mark.skipif(not has_chinese_font(), reason="this machine has no font with Chinese characters")


@pytest.mark.req("EV-15")
@needs_latin
def test_the_text_of_a_pdf_can_be_read_back() -> None:
    text = " ".join(read(pdf(page(PAGE), None)).split())
    for said in ("Tarn <X2> & friends", "Runs for 6 hours on one charge.", "460 g", "2. inner two", "code <b>"):
        assert said in text
    assert "claim_id" not in text


@needs_latin
def test_long_words_wide_tables_and_many_pages_stay_in_the_page() -> None:
    wide = "| " + " | ".join("head" for _ in range(12)) + " |\n|" + "---|" * 12 + "\n"
    rows = "".join("| " + " | ".join(f"cell{row}x{column}" for column in range(12)) + " |\n" for row in range(80))
    made = pdf(page(f"# Wide\n\n{'unbroken' * 60}\n\n{wide}{rows}"), None)
    assert len(pypdf.PdfReader(io.BytesIO(made)).pages) > 3
    assert "cell79x11" in read(made).replace("\n", "")


@pytest.mark.req("EV-15")
@needs_chinese
def test_chinese_is_shown_and_can_be_searched() -> None:
    source = "# 标题\n\n" + "整机重量460克，续航时间长达6小时，支持8个麦克风 and English words，其次是中文。" * 6
    text = read(pdf(page(source), None))
    assert "整机重量460克，续航时间长达6小时" in text.replace("\n", "")
    assert not re.search(r"(?m)^[，。、]", text), "no line begins with a closing mark"
    assert "\u200b" not in text


@pytest.mark.req("EV-15")
def test_a_missing_font_is_named_with_the_ways_to_give_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIGNOFF_FONTS", str(tmp_path))
    fonts._installed.cache_clear()
    try:
        with pytest.raises(UsageError) as refused:
            pdf(page("# 标题\n"), None)
        for part in ("Chinese characters '标题'", "NotoSansSC-Regular", "fonts-noto-cjk", "--font FILE"):
            assert part in str(refused.value)
        with pytest.raises(UsageError, match="is not there"):
            pdf(page("# A\n"), tmp_path / "no.ttf")
        if LATIN is not None:
            assert "Title" in read(pdf(page("# Title\n"), LATIN))
    finally:
        fonts._installed.cache_clear()


def test_files_that_are_there_stay_and_nothing_is_written_by_half(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# A\n", encoding="utf-8")
    (tmp_path / "b.html").write_text("mine", encoding="utf-8")
    asked = work.Asked(files=(tmp_path / "a.md", tmp_path / "b.md"), format="html")
    with pytest.raises(UsageError, match=r"b\.html exists"):
        work.export(asked)
    assert not (tmp_path / "a.html").exists()
    assert (tmp_path / "b.html").read_text() == "mine"
    work.export(work.Asked(files=asked.files, format="html", force=True))
    assert "<h1" in (tmp_path / "b.html").read_text()


def test_pictures_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "in.png").write_bytes(PNG)
    (tmp_path / "pages" / "a.md").write_text(
        "# A\n\n![x](../secret.png) ![y](in.png) ![z](/etc/x.png)\n", encoding="utf-8"
    )
    work.export(work.Asked(files=(tmp_path / "pages" / "a.md",), format="html"))
    text = (tmp_path / "pages" / "a.html").read_text()
    assert text.count("<img") == 1
    assert '<a href="../secret.png">x</a>' in text


@pytest.mark.parametrize("format_", ["docx", "pdf"])
@needs_latin
def test_a_broken_picture_is_named(tmp_path: Path, format_: str) -> None:
    (tmp_path / "a.md").write_text("# A\n\n![x](in.png)\n", encoding="utf-8")
    (tmp_path / "in.png").write_bytes(b"no picture")
    with pytest.raises(UsageError, match=r"the picture in\.png cannot be read"):
        work.export(work.Asked(files=(tmp_path / "a.md",), format=format_))


def test_what_is_no_page_or_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not there"):
        work.export(work.Asked(files=(tmp_path / "no.md",), format="html"))
    with pytest.raises(UsageError, match="--format is 'odt'"):
        work.export(work.Asked(files=(), format="odt"))
    with pytest.raises(RefusedError, match="neither a file nor a run"):
        work.released(tmp_path, "lamp")
