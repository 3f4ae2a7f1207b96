"""A page is read once, as CommonMark reads it, and everything found in it knows its line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.markdown import (
    CLAIM_ID,
    MAX_CHARS,
    BrokenReference,
    Link,
    anchor_of,
    broken_references,
    parse,
    strip_claims,
)
from signoff.core.errors import DocumentError

A = "<!-- claim_id: C-WSP-001 -->"
B = "<!-- claim_id: C-WSP-002 -->"
C = "<!-- claim_id: C-WSP-003 -->"


def headings(text: str) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.text, heading.line) for heading in parse(text).headings]


def marked(text: str) -> list[tuple[str, str]]:
    return [(marker.claim_id[-1], marker.span) for marker in parse(text).markers]


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in parse(text).sentences()]


# Headings and sections

NOT_HEADINGS = [
    "```\n# in a fence\n```",
    "~~~md\n# in a fence\n",
    "    # in indented code",
    "---\n# in: frontmatter\n---",
    "---\ntitle: x\n---\n",
    "\ufeff---\n# in: frontmatter\n---\n",
    "---\r\n# in: frontmatter\r\n---\r\n",
    "<!-- # in a comment -->",
    "<!--\n# in a comment\n\n# and on\n-->",
    "<!-- never closed\n\n# still in it",
    "<div>\n# in an HTML block\n</div>",
    "#no space",
    "####### seven",
    r"\# escaped",
    f"A sentence.\n{A}\n---",
]


@pytest.mark.req("SP-11")
@pytest.mark.parametrize("text", NOT_HEADINGS)
def test_a_hash_or_rule_that_commonmark_does_not_read_as_heading_is_none(text: str) -> None:
    assert headings(text) == []


HEADINGS = [
    ("# One", [(1, "One", 1)]),
    ("\ufeff# One", [(1, "One", 1)]),
    ("\r\n\r\n## Two ##\r\n", [(2, "Two", 3)]),
    ("One\n===\n\nTwo\n---", [(1, "One", 1), (2, "Two", 4)]),
    ("---\na: 1\n---\n# One", [(1, "One", 4)]),
    ("---\na: 1\n\n# One", [(1, "One", 4)]),
    ("---\n\n----\n# One", [(1, "One", 4)]),
    (f"#### Six hours {A}", [(4, "Six hours", 1)]),
    ("## The `run` *API* &amp; [more](x)", [(2, "The run API & more", 1)]),
    ("## ![logo](x.png) Pen", [(2, "Pen", 1)]),
    ("> # Quoted", [(1, "Quoted", 1)]),
    (f"<!-- hidden {A}\n# Shown", [(1, "Shown", 2)]),
    (f"<!-- hidden\n{A} text\n# Shown", [(1, "Shown", 3)]),
]


@pytest.mark.req("SP-11")
@pytest.mark.parametrize(("text", "expected"), HEADINGS)
def test_headings_have_their_visible_text_and_line(text: str, expected: list[tuple[int, str, int]]) -> None:
    assert headings(text) == expected


ANCHORS = [
    ("Technical Features", "technical-features"),
    ("What's new? (v2.3)", "whats-new-v23"),
    ("A & B", "a--b"),
    ("技术特性", "技术特性"),
    ("续航：6 小时！", "续航6-小时"),
    ("snake_case-id", "snake_case-id"),
    ("Ünïcode é", "ünïcode-é"),
    ("🚀 Launch", "-launch"),
    ("हिन्दी", "हिन्दी"),
]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(("heading", "anchor"), ANCHORS)
def test_anchors_are_the_ids_github_gives(heading: str, anchor: str) -> None:
    assert anchor_of(heading) == anchor


@pytest.mark.req("SP-13")
def test_the_anchors_of_equal_headings_are_numbered_and_never_collide() -> None:
    page = parse("# Foo\n\n# Foo\n\n# Foo-1\n\n# foo\n\n# 特性\n\n# 特性")
    assert [heading.anchor for heading in page.headings] == ["foo", "foo-1", "foo-1-1", "foo-2", "特性", "特性-1"]


@pytest.mark.req("SP-11")
def test_a_section_runs_to_the_next_heading_of_its_level_or_above() -> None:
    page = parse("# T\n\n## A\n\n#### a1\n\n#### a2\n\n## B\ntext\n\n# U\n")
    assert [(s.heading.text, s.lines) for s in page.sections(2)] == [("A", range(3, 9)), ("B", range(9, 12))]
    inside = page.sections(2)[0].lines
    assert [h.text for h in page.headings if h.level == 4 and h.line in inside] == ["a1", "a2"]
    assert page.section(page.headings[-1]).lines == range(12, 14)


@pytest.mark.req("SP-12")
def test_the_first_paragraph_of_a_section_is_not_its_list_and_not_the_next_sections() -> None:
    page = parse(f"## V\n\n- item\n\nSix `x` hours {A}\nof life.\n\nMore.\n\n## W\n\n- only\n\n## X\n\ntext")
    first, second, _ = page.sections()
    assert page.first_paragraph(first) == ("Six hours of life.", 5)
    assert page.first_paragraph(second) is None


# Words

VISIBLE = [
    ("# A\n\nb **c** [d](http://u) ![e](f.png)", "A\nb c d"),
    ("a `code` b\n\n```\nfence\n```\n\n    indented\n", "a b"),
    ("a <https://x.org/y> b https://x.org/z?q=1. c", "a b . c"),
    (f"a <!-- hidden --> b {A}\n<!-- hidden -->", "a b"),
    ("---\ntitle: x\n---\na", "a"),
    ("| a | b |\n|---|---|\n| c | `d` e |", "a\nb\nc\ne"),
    ("- a\n- b\n  - c\n\n> d", "a\nb\nc\nd"),
    ("a<br>b <b>c</b>d", "a b cd"),
    ("<div class='x'>\na &amp; b</div>", "a & b"),
    ("<script>\nlet x\n</script>\n\n<style>a{}</style>\n\n<pre>\nx\n</pre>", ""),
    ("[a]: http://u 'title'\n\n[b][a]", "b"),
    (r"\*a\* &copy;", "*a* ©"),
    ("a\nb  \nc", "a b c"),
    (f"one\n{A} two", "one two"),
]


@pytest.mark.req("SP-12")
@pytest.mark.parametrize(("text", "expected"), VISIBLE)
def test_visible_text_has_words_and_no_markup_code_urls_or_comments(text: str, expected: str) -> None:
    assert parse(text).visible() == expected


@pytest.mark.req("SP-12")
def test_visible_text_can_be_asked_for_the_lines_of_a_section() -> None:
    page = parse("# T\n\n## A\n\nb c\n\n## D\n\ne")
    assert page.visible(page.sections()[0].lines) == "A\nb c"
    assert page.visible(page.sections()[0].body) == "b c"


# Sentences

ENGLISH = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("It weighs 3.5 kg. It is v2.3.", ["It weighs 3.5 kg.", "It is v2.3."]),
    ("Use it, e.g. Outdoors, i.e. Outside.", ["Use it, e.g. Outdoors, i.e. Outside."]),
    ("A vs. B is easy. So is C.", ["A vs. B is easy.", "So is C."]),
    ("Made for U.S. Customers. Yes.", ["Made for U.S. Customers.", "Yes."]),
    ("Sold in the U.S. The rest waits.", ["Sold in the U.S.", "The rest waits."]),
    ("See No. 5 and Fig. 2. No. It is not.", ["See No. 5 and Fig. 2.", "No.", "It is not."]),
    ("Acme Inc. Products last. Dr. Who agrees.", ["Acme Inc. Products last.", "Dr. Who agrees."]),
    ("Wait... and see... Then go.", ["Wait... and see...", "Then go."]),
    ('He said "stop." Then (at last.) He left.', ['He said "stop."', "Then (at last.)", "He left."]),
    ("It works. iOS too. macOS as well.", ["It works.", "iOS too.", "macOS as well."]),
    ("Yahoo! is one. Really?! Yes.", ["Yahoo! is one.", "Really?!", "Yes."]),
    ("Six; three. Ten: four.", ["Six; three.", "Ten: four."]),
    ("Run `a. B` now. Go.", ["Run a. B now.", "Go."]),
    ("Line one\\\nline two", ["Line one", "line two"]),
    ("Wrapped\nover lines. Next\none.", ["Wrapped over lines.", "Next one."]),
    ("**Bold end.** Next.", ["Bold end.", "Next."]),
]
CHINESE = [
    ("续航六小时。重三公斤！好吗？好", ["续航六小时。", "重三公斤！", "好吗？", "好"]),
    ("他说：“可以。”然后走了。", ["他说：“可以。”", "然后走了。"]),
    ("重3.5公斤；续航6小时。", ["重3.5公斤；续航6小时。"]),
    ("真的?是的!好.完", ["真的?", "是的!", "好.", "完"]),
    ("版本2.3发布。支持U.S.市场", ["版本2.3发布。", "支持U.S.市场"]),
    ("等等……然后继续。（完。）", ["等等……然后继续。", "（完。）"]),
]


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(("text", "expected"), ENGLISH + CHINESE)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.req("SP-15")
def test_headings_and_cells_are_one_sentence_each_and_items_are_cut() -> None:
    text = "# One. Two\n\n| A. B | c |\n|---|---|\n| d. E | f |\n\n- Go. Ho"
    assert [(s.kind, s.text) for s in parse(text).sentences()] == [
        ("heading", "One. Two"),
        *[("cell", cell) for cell in ("A. B", "c", "d. E", "f")],
        ("item", "Go."),
        ("item", "Ho"),
    ]


@pytest.mark.req("SP-16")
def test_a_sentence_lists_the_claims_that_mark_it_and_its_line() -> None:
    page = parse(f"# T\n\nSix {A} and\nten. {B} Bare\nsentence. Then\n`x\ny` more. Last {C}.\n")
    assert [(s.text, s.line, s.markers) for s in page.sentences()[1:]] == [
        ("Six and ten.", 3, ("C-WSP-001", "C-WSP-002")),
        ("Bare sentence.", 4, ()),
        ("Then x y more.", 5, ()),
        ("Last.", 7, ("C-WSP-003",)),
    ]


# Markers

SPANS = [
    (f"It lasts 6 hours. {A}", [("1", "It lasts 6 hours.")]),
    (f"It lasts 6 hours {A}.", [("1", "It lasts 6 hours")]),
    (f"It lasts 6 hours.{A} It weighs 3 kg {B}. More.", [("1", "It lasts 6 hours."), ("2", "It weighs 3 kg")]),
    (f"One. Six. {A} Two.", [("1", "Six.")]),
    (f"Six hours {A}, three kilos {B} and more.", [("1", "Six hours"), ("2", "three kilos")]),
    (f"Six hours. {A} {B}{C} More.", [("1", "Six hours."), ("2", "Six hours."), ("3", "Six hours.")]),
    (f"Six hours {A}. {B} More.", [("1", "Six hours"), ("2", "Six hours")]),
    (f"续航6小时。{A}重3公斤{B}。", [("1", "续航6小时。"), ("2", "重3公斤")]),
    (f"in the U.S. {A} Next", [("1", "in the U.S.")]),
    (f"**Six hours.**{A} Next.", [("1", "Six hours.")]),
    (f"[Six hours {A}](x) long.", [("1", "Six hours")]),
    (f"# Six hours. Ten {A}", [("1", "Six hours. Ten")]),
    (f"One.\nSix hours.\n{A}\n", [("1", "Six hours.")]),
    (f"One. Six hours.\n\n{A}\n{B}\n", [("1", "Six hours."), ("2", "Six hours.")]),
    (f"Six hours {A}\n{B}\n", [("1", "Six hours"), ("2", "Six hours")]),
    (f"# Six hours\n{A}\n", [("1", "Six hours")]),
    (f"- One\n- Six hours\n  {A}\n- Ten", [("1", "Six hours")]),
    (f"- One. Six hours\n- {A}\n", [("1", "Six hours")]),
    (f"- {A} Six hours. Ten.\n", [("1", "Six hours.")]),
    (f"{A} Six hours {B} and ten.", [("1", "Six hours"), ("2", "Six hours")]),
    (f"The life is six hours\n{A} and the weight {B}.", [("1", "The life is six hours"), ("2", "and the weight")]),
    (f"> Six\n> hours {A}", [("1", "Six hours")]),
    (f"{A}\n\ntext", [("1", "")]),
    (f"Text.\n\n```\ncode\n```\n\n{A}\n", [("1", "")]),
    (f"<div>Six hours {A}</div>", [("1", "Six hours")]),
    (f"Takes `6 h` {A}", [("1", "Takes 6 h")]),
    ("Six <!--CLAIM_ID :c-wsp-001-->", [("1", "Six")]),
]
TABLE = "| Spec | Value | Note |\n|---|---|---|\n"
TABLE_SPANS = [
    (f"{TABLE}| Life | 6 hours {A} | a |", [("1", "6 hours")]),
    (f"{TABLE}| Life | Long. 6 hours {A} | a |", [("1", "Long. 6 hours")]),
    (f"{TABLE}| Life | 6 h {A}, 3 kg {B} | a |", [("1", "6 h"), ("2", "3 kg")]),
    (f"{TABLE}| Life | {A} 6 hours | a |", [("1", "6 hours")]),
    (f"{TABLE}| Life | 6 hours | {A} |", [("1", "6 hours")]),
    (f"{TABLE}| {A} | 6 hours | a |", [("1", "")]),
    (f"{TABLE}| Waterproof | ✓ {A} | a |", [("1", "✓")]),
    (f"{TABLE}| Life | 6 hours | last |\n{A}\n", [("1", "last")]),
    (f"{TABLE}{A} Life | 6 hours {B} |", [("1", "Life"), ("2", "6 hours")]),
]


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(("text", "expected"), SPANS + TABLE_SPANS)
def test_a_marker_marks_the_words_that_end_at_it(text: str, expected: list[tuple[str, str]]) -> None:
    assert marked(text) == expected


@pytest.mark.req("SP-15")
def test_markers_with_white_space_between_them_share_a_group_and_others_do_not() -> None:
    page = parse(f"Six. {A} {B}\n{C}\n\nTen. {A}{B} Two {C}.")
    assert [marker.group for marker in page.markers] == [0, 0, 0, 1, 1, 2]


NOT_MARKERS = [
    f"`{A}`",
    f"```\n{A}\n{A} text\n```",
    f"text\n\n    {A}\n",
    f"---\nx: {A}\n---\n",
    f"<pre>\n{A}\n</pre>",
]


@pytest.mark.req("SP-14")
@pytest.mark.parametrize("text", NOT_MARKERS)
def test_a_claim_comment_in_code_or_frontmatter_is_no_marker_and_stays(text: str) -> None:
    page = parse(text)
    assert (page.markers, page.bad_markers) == ((), ())
    assert strip_claims(text) == text


BAD = [
    "a\n\nb <!-- claim_id: foo -->",
    "a\n\nb <!-- claim-id C-WSP-001 -->",
    "a\n\n<!-- claim_id: C-WSP-1 -->",
    "a\n\nb <!-- claim_id: C-WSP-001, C-WSP-002 -->",
    "a\n\nb <!-- claim_id：C-WSP-001 -->",
    "a\n\nb <!-- claim_id:\nC-WSP-001 -->",
    f"a\n\nb \\{A}",
    f"a\n\n![alt {A}](x.png)",
    f"a\n\n[b](x '{A}')",
    f"a\n\n<!-- outer {A} text",
    f"a | b\n---|---\nc | d | {A}",
]


@pytest.mark.req("SP-16")
@pytest.mark.parametrize("text", BAD)
def test_a_comment_that_fails_to_be_a_marker_is_reported_with_its_line(text: str) -> None:
    page = parse(text)
    assert page.markers == ()
    assert [bad.line for bad in page.bad_markers] == [3]


def test_an_ordinary_comment_is_not_reported() -> None:
    assert parse("a <!-- note to self -->\n\n<!-- disclaimer -->").bad_markers == ()


# Links

LINKS = [
    ("[a *b*](http://u)", [Link("http://u", 1, "link", "a b")]),
    ("a\n[b\nc](<x y.md> 't\nu') ![d\ne](f.png)", [Link("x y.md", 2, "link", "b c"), Link("f.png", 4, "image", "d e")]),
    ("`a\nb` <https://x.org> <me@x.org>", [
        Link("https://x.org", 2, "autolink", "https://x.org"),
        Link("mailto:me@x.org", 2, "autolink", "mailto:me@x.org"),
    ]),
    ("[a][r] [r][] [R]\n\n[r]: http://u", [Link("http://u", 1, "link", text) for text in ("a", "r", "R")]),
    ("[跳](#技术特性)", [Link("#技术特性", 1, "link", "跳")]),
    ("[![i](a.png)](b)", [Link("a.png", 1, "image", "i"), Link("b", 1, "link", "")]),
    ("[x](javascript:alert(1))", [Link("javascript:alert(1)", 1, "link", "x")]),
    ("[x]()", [Link("", 1, "link", "x")]),
    ("`[a](b)` \\[c](d)\n\n    [e](f)\n\n<!-- [g](h) -->", []),
    ("| a |\n|---|\n| [b](c) |", [Link("c", 3, "link", "b")]),
]  # fmt: skip


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(("text", "expected"), LINKS)
def test_links_images_autolinks_and_references_are_found_with_their_line(text: str, expected: list[Link]) -> None:
    assert list(parse(text).links) == expected


BROKEN = [
    ("a\n[b][c] d", [BrokenReference("c", "b", 2)]),
    ("[b][]", [BrokenReference("b", "b", 1)]),
    ("![alt][img]", [BrokenReference("img", "alt", 1)]),
    ("`x\ny` [*b*\nc][D e]", [BrokenReference("D e", "b c", 2)]),
    ("[b][c]\n\n[c]: x", []),
    ("`[b][c]` \\[b][c] [b\\][c] list[0][1] [note] [ ]", []),
    ("```\n[b][c]\n```", []),
]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_a_reference_without_definition_is_broken(text: str, expected: list[BrokenReference]) -> None:
    assert list(broken_references(parse(text))) == expected


# Stripping

STRIPPED = [
    (f"Six {A}.\r\n", "Six.\r\n"),
    (f"Six. {A} {B}  \nTen", "Six.  \nTen"),
    (f"Six.{A}Ten", "Six.Ten"),
    (f"Six.  {A}", "Six. "),
    (f"a\n{A}\n\n`{B}` {C}", f"a\n\n\n`{B}`"),
    ("\ufeffSix <!--  CLAIM_ID:C-WSP-001-->", "\ufeffSix"),
    (f"a <!-- keep --> {A}\ufffc7\ufffc", "a <!-- keep -->\ufffc7\ufffc"),
    (f"<!-{A}- claim_id: C-WSP-002 --> a", " a"),
]


@pytest.mark.req("SP-14")
@pytest.mark.parametrize(("text", "expected"), STRIPPED)
def test_stripping_removes_the_marker_and_one_space_before_it(text: str, expected: str) -> None:
    assert strip_claims(text) == expected


WORDS = st.text(st.sampled_from("abc续航 6.,。*_`[]()|#>-\t&\\~!"), max_size=12)
MARKDOWN = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(
            ["# ", "## T\n", "\n", "\r\n", "\n\n", "```\n", "- ", "> ", "    ", "| a | b |\n|---|---|\n| "]
        ),
        st.sampled_from(
            [f" {A}", B, f"\n{C}\n", "<!--", "-->", "<!-- x -->", "<div>", "---\n", "[a](http://u.v)", "`"]
        ),
    ),
    max_size=25,
).map("".join)
SAFE = st.lists(
    st.sampled_from(
        ["Six hours.", "**bold** text", "[link](http://u.v)", "续航6小时。", "`code`", "v2.3", "a_b", "&amp;"]
    ),
    min_size=1,
    max_size=8,
)
OPENINGS = st.sampled_from(["", "# ", "- ", "> ", "1. ", "## "])
ENDS = st.sampled_from(["\n\n", "\r\n\r\n", "\n"])


@st.composite
def marked_pages(draw: st.DrawFn) -> tuple[str, str]:
    """A page, and the same page with markers after some of its words."""
    plain = with_markers = draw(st.sampled_from(["", "\ufeff", "---\nt: 1\n---\n", f"```\n# x {A}\n```\n"]))
    for _ in range(draw(st.integers(1, 5))):
        begin, end = draw(OPENINGS), draw(ENDS)
        words = draw(SAFE)
        markers = [draw(st.sampled_from(["", "", f" {A}", f" {B} {C}", " <!--claim_id:c-ab-123-->"])) for _ in words]
        plain += begin + " ".join(words) + end
        with_markers += begin + " ".join(word + marker for word, marker in zip(words, markers, strict=True)) + end
    return plain, with_markers


@pytest.mark.req("SP-14")
@given(marked_pages())
def test_stripping_gives_back_the_page_the_markers_were_put_in(pages: tuple[str, str]) -> None:
    plain, with_markers = pages
    assert strip_claims(with_markers) == plain


@pytest.mark.req("SP-12", "SP-14")
@given(marked_pages())
def test_markers_change_no_heading_link_or_visible_word(pages: tuple[str, str]) -> None:
    plain, with_markers = (parse(page) for page in pages)
    assert with_markers.headings == plain.headings
    assert with_markers.links == plain.links
    assert with_markers.visible() == plain.visible()


@pytest.mark.req("SP-14")
@given(MARKDOWN)
def test_stripping_twice_is_stripping_once(text: str) -> None:
    once = strip_claims(text)
    assert strip_claims(once) == once


@pytest.mark.req("SP-14")
@given(MARKDOWN)
def test_stripping_removes_nothing_but_claim_comments_and_spaces(text: str) -> None:
    claims = re.compile(r"<!--\s*claim_id: C-WSP-00\d\s*-->")
    assert claims.sub("", strip_claims(text)).replace(" ", "") == claims.sub("", text).replace(" ", "")


@pytest.mark.req("SP-14")
@given(st.text())
def test_a_text_without_claim_comments_is_not_changed(text: str) -> None:
    assert strip_claims(text) == text


@pytest.mark.req("SP-13", "SP-15")
@given(MARKDOWN)
def test_a_marker_stands_on_the_line_it_names_and_every_line_is_in_the_file(text: str) -> None:
    page = parse(text)
    lines = re.split(r"\r\n?|\n", text)
    assert page.line_count == len(lines)
    for marker in page.markers:
        assert marker.claim_id in lines[marker.line - 1]
        assert CLAIM_ID.findall(page.text[marker.start : marker.end]) == [marker.claim_id]
    for found in (*page.sentences(), *page.bad_markers, *page.blocks, *page.links, *page.headings):
        assert 1 <= found.line <= len(lines)


@pytest.mark.req("SP-16")
@given(MARKDOWN.filter(lambda text: not text.startswith("---")))
def test_every_claim_comment_is_a_marker_a_bad_marker_or_in_code(text: str) -> None:
    page = parse(text)
    code = [block.text for block in page.blocks if block.kind == "code"]
    code += [atom.text for block in page.blocks for atom in block.atoms if atom.kind == "code"]
    known = len(page.markers) + len(page.bad_markers) + len(CLAIM_ID.findall("\n".join(code)))
    assert known >= len(CLAIM_ID.findall(text))


NOISE = st.sampled_from(
    ["word ", "`a\nb` ", "x\\\n", "two  \n", "a<b>", "&amp; ", "[t](u 'v\nw') ", "a <!-- a\nb --> ", "\r\n", "*e*"]
)
ENTRY = st.sampled_from(
    ["[text](http://u/{n})", "![alt](img-{n}.png)", "<http://a/{n}>", "\n\n# Title {n}\n", "\r\n\r\n## T{n} ##\r\n"]
)


@pytest.mark.req("SP-11", "SP-13")
@given(st.lists(st.tuples(NOISE, NOISE, ENTRY), max_size=12), st.sampled_from(["", "\ufeff", "---\r\n# x\r\n---\r\n"]))
def test_links_and_headings_are_on_the_source_line_that_holds_them(
    parts: list[tuple[str, str, str]], front: str
) -> None:
    text = front + "".join(f"{a}{b}{entry.format(n=n)} " for n, (a, b, entry) in enumerate(parts, start=100))
    page, lines = parse(text), re.split(r"\r\n?|\n", text)
    ours = [link for link in page.links if link.url != "u"]
    assert len(ours) + len(page.headings) == len(parts)
    assert all(link.url in lines[link.line - 1] for link in ours)
    assert all(heading.text in lines[heading.line - 1] for heading in page.headings)


# Limits

HOSTILE = {
    "brackets": "[" * 100_000,
    "quotes": ">" * 100_000,
    "comments": "x <!--" * 20_000,
    "stops": "." * 100_000 + "x",
    "lists": "- " * 20_000,
    "claims": f"a {A}" * 3_000,
    "leading claims": f"{A} a\n" * 3_000,
    "spaces": A + " " * 100_000 + "x",
    "urls": "https://" + "!" * 100_000,
    "emphasis": "*a _b " * 20_000,
    "unlinked": "[a][" * 25_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("must_end")
def test_a_hostile_page_is_read_to_its_end(name: str) -> None:
    assert isinstance(broken_references(parse(HOSTILE[name])), tuple)


def test_a_text_over_the_limit_is_refused() -> None:
    with pytest.raises(DocumentError) as caught:
        parse("[" * (MAX_CHARS + 1))
    assert "200,001 characters, at most 200,000" in caught.value.findings[0].problem


@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeff", "---", "---\n---", "---\n---\n", "\r", "\t", "\0", "&#10;", "&#0;"]
)
def test_a_page_of_almost_nothing_is_a_page(text: str) -> None:
    page = parse(text)
    assert page.text == text
    assert page.headings == page.markers == page.links == ()
