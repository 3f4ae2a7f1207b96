"""HTML and Markdown sources: what no reader sees is never evidence; tables keep their headers and merged cells."""

from __future__ import annotations

import pytest

from signoff.core.errors import DocumentError
from signoff.evidence.sources.fetched_pages import read
from signoff.evidence.sources.files import parse_source

SEEN = "<p>Measured 6 hours</p>"
LIE = "Runs 14 hours"


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    "hidden",
    [
        f"<!-- {LIE} -->",
        f"<p hidden>{LIE}</p>",
        f'<p title=">" hidden>{LIE}</p>',
        f'<div style="display:none"><p>{LIE}</p><div>{LIE}</div>{LIE}</div>',
        f'<p style="visibility: hidden">{LIE}</p>',
        f'<p style="font-size:0">{LIE}</p>',
        f'<p style="font-size: 0.1px; color: red">{LIE}</p>',
        f'<p style="opacity:0">{LIE}</p>',
        f'<p style="position:absolute;left:-9999px">{LIE}</p>',
        f'<p style="text-indent:-9999px">{LIE}</p>',
        f'<p style="color:#fff">{LIE}</p>',
        f'<p style="color:white;background-color:#fefefe">{LIE}</p>',
        f'<div style="background:#000"><p style="color:rgb(0, 0, 0)">{LIE}</p></div>',
        f'<font color="#ffffff">{LIE}</font>',
        f"<template>{LIE}</template>",
        f"<noscript>{LIE}</noscript>",
        f"<script>{LIE}</script>",
        f"<style>.x::after {{ content: '{LIE}' }}</style>",
        f"<del>{LIE}</del>",
        f"<s>{LIE}</s>",
        f'<img src="a.png" alt="{LIE}" title="{LIE}">',
        f'<a href="#" title="{LIE}" data-x="{LIE}">link</a>',
        f'<style>.away {{ display: none }}</style><p class="note away">{LIE}</p>',
        f"<style>#gone, .b {{ font-size:0 }}</style><p id=gone>{LIE}</p>",
        f"<title>{LIE}</title>",
        f"<p hidden>{LIE}",
    ],
)
def test_what_no_reader_of_a_page_sees_is_no_evidence(hidden: str) -> None:
    source = parse_source(f"<body>{SEEN}{hidden}</body>".encode(), "a.html")
    for text in (source.body, source.document.text, read(source.text.encode(), "a.html").text):
        assert "Measured 6 hours" in text
        assert "14" not in text


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    "shown",
    [
        f'<p aria-hidden="true">{LIE}</p>',
        f'<p style="color:#fff;background:#036">{LIE}</p>',
        f'<div style="background:url(a.png)"><p style="color:white">{LIE}</p></div>',
        f'<p style="font-size:0.9em">{LIE}</p>',
        f"<p hidden>x<p>{LIE}",
        f"<table><tr><td hidden>x<td>{LIE}</table>",
        f'<input hidden><br style="display:none">{LIE}',
        f"<style>@media print {{ .a {{ display: none }} }}</style><p class=a>{LIE}</p>",
        f"<p>6 < 7</p><p>{LIE}</p>",
    ],
)
def test_what_a_reader_of_a_page_sees_is_read(shown: str) -> None:
    source = parse_source(shown.encode(), "a.html")
    assert LIE in source.body
    assert LIE in source.document.text


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("hidden", [f"<!-- {LIE} -->", f"~~{LIE}~~", f"<del>{LIE}</del>", f"<p hidden>{LIE}</p>"])
def test_what_no_reader_of_markdown_sees_is_no_evidence(hidden: str) -> None:
    source = parse_source(f"# Battery\n\nMeasured 6 hours {hidden}\n".encode(), "a.md")
    spans = (source.line(3), source.section("Battery"))
    for text in (source.body, source.document.text, *(span.text for span in spans if span)):
        assert "Measured 6 hours" in text
        assert "14" not in text


TABLE = """\
<h1>Rondo</h1>
<p>A speaker. It is <b>white</b>.</p>
<h2>Battery</h2>
<table>
  <tr><th rowspan=2>Mode</th><th colspan=2>Time</th></tr>
  <tr><th>New</th><th>Old</th></tr>
  <tr><td rowspan=2>Talk</td><td>6 h</td><td>5 h</td></tr>
  <tr><td>7 h</td><td style="display:none">14 h</td><td>4 h</td></tr>
</table>
<ul><li>Weighs 310 g</li><li hidden>Weighs 200 g</li></ul>
"""


@pytest.mark.req("EV-1")
def test_the_tables_of_a_page_keep_headers_and_merged_cells() -> None:
    document = parse_source(TABLE.encode(), "a.html").document
    rows = [piece for piece in document.pieces if piece.kind == "row"]
    assert [(row.text, row.line) for row in rows] == [("Talk | 6 h | 5 h", 7), ("Talk | 7 h | 4 h", 8)]
    assert [header for header, _, _ in rows[1].cells] == ["Mode", "Time New", "Time Old"]
    assert all("Battery" in row.context for row in rows)
    assert len(document.tables) == 1
    assert document.tables[0].rows == rows
    named = {piece.text: (piece.kind, piece.line) for piece in document.pieces}
    assert named["Battery"] == ("heading", 3)
    assert named["It is white."] == ("sentence", 2)
    assert named["Weighs 310 g"] == ("item", 10)
    assert "Weighs 200 g" not in named


@pytest.mark.req("EV-1")
@pytest.mark.usefixtures("must_end")
@pytest.mark.parametrize(
    "piece",
    [
        "<p>Measured 6 hours on 3 of 9 days.</p>\n", "<div hidden>", "<p title=\"", "<a '", "<table><tr><td>6 h",
        "<style>", "<style>.a{", "<p style='color:#fff'>x", "</div>", "<i>", "&amp;", "<!-- ", "<h2 id=a>", "a" * 99,
    ],
)  # fmt: skip
def test_a_page_of_many_megabytes_is_read_in_its_time(piece: str) -> None:
    size = 7_500_000 if "Measured" in piece else 600_000
    source = parse_source((piece * (size // len(piece))).encode(), "a.html")
    assert isinstance(source.body, str)
    assert len(source.lines) >= 1


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("path", ["a.html", "a.md", "a.txt", "a.yaml"])
def test_a_source_of_ten_megabytes_is_refused_with_its_size(path: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_source(b"6 hours\n" * 1_250_000, path)
    finding = caught.value.findings[0]
    assert (finding.file, finding.rule) == (path, "text.size")
    assert "10,000,000 bytes" in finding.problem
    assert finding.repair
