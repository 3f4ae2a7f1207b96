"""Locators: four kinds, their string forms, their structured form, and what is no evidence."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.evidence.sources.locators import (
    Internal,
    Locator,
    Pdf,
    Release,
    Url,
    not_evidence,
    parse,
    parse_all,
    render,
)

req = pytest.mark.req("SP-6")


@req
@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("specs/a.yaml#L42", Internal("specs/a.yaml", line=42)),
        (" specs/a.md#performance ", Internal("specs/a.md", section="performance")),
        ("specs/a.md#电池 续航", Internal("specs/a.md", section="电池 续航")),
        ('specs/a.md#L7, "six hours"', Internal("specs/a.md", line=7, excerpt="six hours")),
        ("test-reports/b.pdf#page3", Pdf("test-reports/b.pdf", 3)),
        ('reports/test.pdf#page3, "measured 6.2 hours"', Pdf("reports/test.pdf", 3, "measured 6.2 hours")),
        ("reports/test.PDF#page=3，“实测6.2小时”", Pdf("reports/test.PDF", 3, "实测6.2小时")),
        ('r.pdf#p12, "a, "b", c"', Pdf("r.pdf", 12, 'a, "b", c')),
        ('https://x.org/a, 2026-01-05, "quote"', Url("https://x.org/a", "2026-01-05", "quote")),
        ('https://x.org/a?b=1,2#c, 2026-01-05, "q, r"', Url("https://x.org/a?b=1,2#c", "2026-01-05", "q, r")),
        ("https://x.org/a, 2026-01-05", Url("https://x.org/a", "2026-01-05")),
        ("prd/v2.3.md#performance", Release("prd/v2.3.md", "v2.3", "performance")),
        ("docs/release-notes-2.4.1.md#Audio", Release("docs/release-notes-2.4.1.md", "2.4.1", "Audio")),
        ("specs/v2.3.md#performance", Internal("specs/v2.3.md", section="performance")),
        ("prd/current.md#performance", Internal("prd/current.md", section="performance")),
    ],
)
def test_the_string_forms_are_read(text: str, locator: Locator) -> None:
    assert parse(text) == locator


@req
@pytest.mark.parametrize(
    ("value", "locator"),
    [
        ({"path": "a.yaml", "line": 42}, Internal("a.yaml", line=42)),
        ({"path": "a.yaml", "line": "L42"}, Internal("a.yaml", line=42)),
        ({"path": "a.md", "section": "x"}, Internal("a.md", section="x")),
        ({"path": "a.pdf", "page": "3", "excerpt": "y"}, Pdf("a.pdf", 3, "y")),
        ({"path": "n.md", "version": 2.3, "section": "x"}, Release("n.md", "2.3", "x")),
        (
            {"url": "https://x.org", "accessed_date": datetime.date(2026, 1, 5), "excerpt": "q"},
            Url("https://x.org", "2026-01-05", "q"),
        ),
    ],
)
def test_the_structured_forms_are_read_with_or_without_kind(value: dict[str, Any], locator: Locator) -> None:
    assert parse(value) == locator
    assert parse({**value, "kind": render(locator)["kind"]}) == locator


@req
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("specs/a.yaml", "not a locator"),
        ("", "not a locator"),
        ("#L4", "not a locator"),
        ("a.md#", "no line or section"),
        ("a.md#L4-L9", "no line or section"),
        ("a.md#L0", "line: '0'"),
        ("a.pdf#L4", "no page"),
        ("a.pdf#page0", "page: '0'"),
        ('a.pdf#page3, "open', "no closing"),
        ("https://x.org/a", "no accessed date"),
        ('https://x.org/a, 2026-02-30, "q"', "not a date"),
        ("https://x.org/a, 2026-01-05, bare words", "'"),
        (42, "42 is not a locator"),
        ({"path": "a.md"}, "neither line nor section"),
        ({"path": "a.md", "line": 1, "section": "x"}, "both line and section"),
        ({"path": "a.md", "line": True}, "line: True"),
        ({"path": "a.md", "page": 3}, "not a PDF"),
        ({"path": "a.pdf"}, "without page"),
        ({"path": "a.md", "version": "2"}, "without section"),
        ({"url": "x.org", "accessed_date": "2026-01-05"}, "the url 'x.org'"),
        ({"url": "https://x.org"}, "without accessed_date"),
        ({"kind": "rumour", "path": "a"}, "the kind 'rumour'"),
        ({"path": "a.md", "line": 1, "colour": "red"}, "no field 'colour'"),
        ({"path": ["a"], "line": 1}, "is not text"),
    ],
)
def test_what_is_no_locator_is_refused_with_what_was_found_and_a_repair(value: Any, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse(value, file="r.yaml", line=3, about="C-WSP-001")
    (found,) = caught.value.findings
    assert (found.rule, found.file, found.line, found.about) == ("evidence.locator", "r.yaml", 3, "C-WSP-001")
    assert said in found.problem
    assert found.repair


@pytest.mark.req("SP-9")
def test_somebodys_word_is_named_as_such() -> None:
    with pytest.raises(DocumentError) as caught:
        parse("marketing wants this, need PMM confirmation")
    assert caught.value.findings[0].rule == "evidence.not-evidence"


def test_a_registry_field_may_hold_nothing_one_or_many() -> None:
    one = Internal("a.md", line=1)
    assert parse_all(None) == parse_all("") == parse_all([]) == ()
    assert parse_all("a.md#L1") == (one,)
    assert parse_all({"path": "a.md", "line": 1}) == (one,)
    assert parse_all(["a.md#L1", {"path": "a.md", "line": 1}]) == (one, one)


def test_all_problems_of_a_list_are_told_at_once() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_all(["a.md#L1", "x", "y"])
    assert len(caught.value.findings) == 2


def test_the_written_form_has_a_fixed_order() -> None:
    assert list(render(Release("a.md", "2", "x", "q"))) == ["kind", "path", "version", "section", "excerpt"]
    assert render(Internal("a.md", line=4)) == {"kind": "internal", "path": "a.md", "line": 4}


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1)
MAYBE = st.just("") | WORDS
NUMBER = st.integers(1, 10**8)
LOCATOR = st.one_of(
    st.builds(Internal, WORDS, NUMBER, st.just(""), MAYBE),
    st.builds(Internal, WORDS, st.none(), WORDS, MAYBE),
    st.builds(Pdf, WORDS.map("{}.pdf".format), NUMBER, MAYBE),
    st.builds(Url, WORDS.map("https://x{}".format), st.dates().map(str), MAYBE),
    st.builds(Release, WORDS, WORDS, WORDS, MAYBE),
)


@req
@given(LOCATOR)
def test_what_is_written_is_read_back_the_same(locator: Locator) -> None:
    assert parse(render(locator)) == locator


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    "text",
    [
        "I believe it is 6 hours", "i  BELIEVE so", "We think so", "battery should be 6 hours",
        "Marketing says 6 hours",
        "as everyone knows", "trust me", "model's own knowledge", "from my training data", "I’m pretty sure",
        "probably 6 h", "the sales team said so", "needs PMM confirmation", "common knowledge", "AFAIK 6 h",
        "我认为是6小时", "应该是6小时", "市场部说有6小时", "众所周知", "据说可达6小时", "模型自身的知识",
        "待确认", "大概6小时",
    ],
)  # fmt: skip
def test_belief_and_hearsay_are_no_evidence(text: str) -> None:
    assert not_evidence(text)


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    "text",
    [
        "measured 6.2 hours", "Battery: 6 h at 50 % volume", "marketing name: ReSound 5", "shoulder bench",
        "实测续航6.2小时",
        "市场型号：WS-1", "test performed by the sales engineering lab", "应用范围",
        "thinking time 3 ms", "acknowledge",
    ],
)  # fmt: skip
def test_plain_statements_are_not_refused(text: str) -> None:
    assert not_evidence(text) is None
