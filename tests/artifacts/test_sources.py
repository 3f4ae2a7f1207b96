"""Sources: lines, sections and pages of text, Markdown, YAML, HTML and PDF files."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from signoff.core.errors import DocumentError
from signoff.evidence.sources.files import parse_source


def make_pdf(pages: Sequence[str], password: str = "") -> bytes:
    """A PDF with one line of Helvetica per line of text."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1"),
                             NameObject("/BaseFont"): NameObject("/Helvetica")})  # fmt: skip
    for text in pages:
        page = writer.add_blank_page(300, 300)
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in text.split("\n")) if text else ""
        stream.set_data(f"BT /F1 12 Tf 20 250 Td {shown}ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def rule_of(data: bytes, path: str) -> str:
    with pytest.raises(DocumentError) as caught:
        parse_source(data, path).page(1)
    found = caught.value.findings[0]
    assert found.repair
    return found.rule


@pytest.mark.req("SP-9")
def test_the_pages_of_a_pdf_count_from_one() -> None:
    source = parse_source(make_pdf(["cover", "Battery\nmeasured 6.2 hours"]), "r.pdf")
    span = source.page(2)
    assert (source.kind, source.page_count) == ("pdf", 2)
    assert span is not None
    assert "measured 6.2 hours" in span.text
    assert span.page == 2
    assert source.page(0) is source.page(3) is source.line(1) is source.section("Battery") is None
    assert "cover" in source.pages[0]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (make_pdf(["secret"], password="pw"), "source.encrypted"),
        (make_pdf([""]), "source.no-text"),
        (make_pdf([]), "source.pdf"),
        (b"", "source.pdf"),
        (b"%PDF-1.7\ngarbage", "source.pdf"),
        (make_pdf(["x" * 200])[:300], "source.pdf"),
        (b"hello", "source.pdf"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(data: bytes, rule: str) -> None:
    assert rule_of(data, "r.pdf") == rule


def test_a_pdf_under_another_name_is_still_a_pdf() -> None:
    assert parse_source(make_pdf(["x"]), "report.bin").kind == "pdf"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_pdf_is_read_or_refused_and_never_a_traceback(data: st.DataObject) -> None:
    good = bytearray(make_pdf(["measured 6.2 hours"]))
    for at in data.draw(st.lists(st.integers(0, len(good) - 1), max_size=12)):
        good[at] = data.draw(st.integers(0, 255))
    page, findings = None, ()
    try:
        page = parse_source(bytes(good), "r.pdf").page(1)
    except DocumentError as refused:
        findings = refused.findings
    assert page is None or page.text.strip()
    assert all(finding.file == "r.pdf" for finding in findings)


def test_the_pdf_reader_stays_quiet(caplog: pytest.LogCaptureFixture) -> None:
    before = logging.getLogger("pypdf").level
    with pytest.raises(DocumentError), caplog.at_level(logging.DEBUG):
        parse_source(b"%PDF-1.4\n1 0 obj <<>> endobj trailer <</Root 1 0 R>>", "r.pdf")
    assert not caplog.records
    assert logging.getLogger("pypdf").level == before


MARKDOWN = """\
---
url: https://x.org/a
accessed_date: 2026-01-05
---
# Product

First paragraph
goes on: 6 hours.

## Battery life

| what | time |
|---|---|
| talk | 6 h |
| idle | 30 h |

- item one
  goes on
- item two

### Charging

2 h

## Battery life

Second 9 h

```
# not a heading
code
```
"""


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("number", "text"),
    [
        (7, "First paragraph\ngoes on: 6 hours."), (8, "First paragraph\ngoes on: 6 hours."), (5, "# Product"),
        (14, "| talk | 6 h |"), (17, "- item one\n  goes on"), (18, "- item one\n  goes on"), (19, "- item two"),
        (9, ""), (30, "# not a heading"), (2, "url: https://x.org/a"),
    ],
)  # fmt: skip
def test_a_markdown_line_stands_for_its_paragraph_item_or_row(number: int, text: str) -> None:
    span = parse_source(MARKDOWN.encode(), "a.md").line(number)
    assert span is not None
    assert span.text == text


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("name", "first", "has", "lacks"),
    [
        ("battery LIFE", 10, "2 h", "9 h"),
        ("battery-life", 10, "talk", "9 h"),
        ("battery-life-1", 25, "9 h", "talk"),
        ("#charging", 21, "2 h", "9 h"),
        ("Product", 5, "9 h", "accessed_date"),
    ],
)
def test_a_section_is_found_by_heading_or_anchor_and_ends_at_the_next(
    name: str, first: int, has: str, lacks: str
) -> None:
    span = parse_source(MARKDOWN.encode(), "a.md").section(name)
    assert span is not None
    assert span.line == first
    assert has in span.text
    assert lacks not in span.text


def test_what_is_not_there_is_none() -> None:
    source = parse_source(MARKDOWN.encode(), "a.md")
    assert (
        source.section("not a heading")
        is source.section("")
        is source.line(0)
        is source.line(99)
        is source.page(1)
        is None
    )
    assert source.meta == {"url": "https://x.org/a", "accessed_date": "2026-01-05"}
    assert source.body.startswith("# Product")


YAML = """\
name: &n Speaker
weight: 310 g
specs:
  battery:
    value: 6
    unit: {en: h, zh: 小时}
    note: at 50 %
  range:
    value: 30
    unit: m
facts:
  - id: mics
    value: 8
    unit: microphones
  - id: band
    max: 20
    unit: kHz
words: !custom [a, b]
"""


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("number", "first", "facts"),
    [
        (5, 5, ("6 h", "6 小时")), (6, 5, ("6 h", "6 小时")), (4, 4, ("6 h", "6 小时")), (10, 9, ("30 m",)),
        (13, 12, ("8 microphones",)), (17, 15, ("20 kHz",)), (2, 2, ()), (1, 1, ()),
    ],
)  # fmt: skip
def test_a_yaml_line_stands_for_the_smallest_item_around_it(number: int, first: int, facts: tuple[str, ...]) -> None:
    span = parse_source(YAML.encode(), "a.yaml").line(number)
    assert span is not None
    assert (span.line, span.facts) == (first, facts)


@pytest.mark.req("SP-9")
def test_a_long_yaml_item_is_not_one_place() -> None:
    text = "specs:\n" + "".join(f"  k{i}: {i} h\n" for i in range(13))
    span = parse_source(text.encode(), "a.yaml").line(3)
    assert span is not None
    assert span.text == "  k1: 1 h"


@pytest.mark.parametrize(
    ("name", "first", "last_text"),
    [
        ("specs.battery", 4, "50 %"), ("battery", 4, "50 %"), ("Specs.Range.Value", 9, "value: 30"),
        ("facts.1", 15, "kHz"), ("facts.mics", 12, "microphones"), ("band", 15, "kHz"), ("weight", 2, "310 g"),
    ],
)  # fmt: skip
def test_a_yaml_section_is_a_key_or_a_dotted_path(name: str, first: int, last_text: str) -> None:
    span = parse_source(YAML.encode(), "a.yaml").section(name)
    assert span is not None
    assert span.line == first
    assert span.text.endswith(last_text) or last_text in span.text.splitlines()[-1]


def test_broken_yaml_still_has_its_lines() -> None:
    source = parse_source(b"a: [\nb: 6 h\n", "a.yaml")
    span = source.line(2)
    assert span is not None
    assert span.text == "b: 6 h"
    assert source.section("b") is None


def test_html_shows_what_a_reader_sees() -> None:
    html = b"<html><head><title>9 h</title></head>\n<h2 id=bat>Battery <b>life</b></h2>\n"
    html += b"<p>6&nbsp;h<script>7 h</script></p>\n<h2>Next</h2>"
    source = parse_source(html, "a.html")
    for name in ("battery life", "bat"):
        span = source.section(name)
        assert span is not None
        assert span.text.split() == ["Battery", "life", "6", "h"]
    assert source.sections == ("Battery life", "Next")


def test_a_text_file_has_lines_only() -> None:
    source = parse_source(b"one\r\ntwo 6 h\r\n", "a.txt")
    span = source.line(2)
    assert span is not None
    assert (span.text, len(source.lines), source.section("one")) == ("two 6 h", 2, None)


def test_a_text_in_no_known_encoding_is_refused() -> None:
    with pytest.raises(DocumentError):
        parse_source(b"caf\xff\xfe\x81 \xc3\x28", "a.md")


@given(st.text(), st.sampled_from(["a.md", "a.yaml", "a.html", "a.txt"]), st.integers(1, 9))
def test_every_line_that_exists_has_a_span_that_holds_it(text: str, path: str, number: int) -> None:
    try:
        source = parse_source(text.encode("utf-8", "ignore"), path)
    except DocumentError:
        return
    span = source.line(number)
    assert (span is None) == (number > len(source.lines))
    if span is not None and path != "a.html":
        assert source.lines[number - 1] in span.text


@pytest.mark.parametrize("piece", ["<h2>", "<script>", "<!--", "<a ", "</h2>", "<h1></h2>", "&", "<h2>x</h2>"])
@pytest.mark.usefixtures("must_end")
def test_a_hostile_page_is_read_to_its_end(piece: str) -> None:
    source = parse_source((piece * 20_000).encode(), "a.html")
    source.section("none")
    assert isinstance(source.body, str)
