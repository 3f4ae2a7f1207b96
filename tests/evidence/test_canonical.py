"""The text as a reader sees it, and what disguises a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.evidence.canonical import disguises, visible

pytestmark = pytest.mark.req("EV-1")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**14** hours", "14 hours"),
        ("1&nbsp;000&#8239;kg", "1 000 kg"),
        ("１４ hours", "14 hours"),
        ("14\u200b hours", "14 hours"),
        ("壹拾肆小时", "一十四小时"),
        ("~~40~~ 14 hours", "14 hours"),
        ("<!-- 40 hours --> 14 hours", "14 hours"),
        ('<span style="display:none">40</span>14 hours', "14 hours"),
        ("[14 hours](https://example.org/40)", "14 hours"),
        ("`a_b` and *c*", "a_b and c"),
        ("½ l", "0.5 l"),
        ("5 ㎏", "5 kg"),
    ],
)
def test_a_reader_sees(written: str, shown: str) -> None:
    assert visible(written) == shown


@given(st.text(max_size=200))
def test_what_is_visible_stays_as_it_is_if_it_is_plain(text: str) -> None:
    plain = visible(text.translate(dict.fromkeys(map(ord, "<>*_`~[]\\&!"))))
    assert visible(plain) == plain


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("2\u200b14 hours", "text.invisible"),
        ("14\u2060 0 hours", None),
        ("a\u202e41 hours", "text.bidirectional"),
        ("1О hours", "text.lookalike"),
        ("Roсket", "text.lookalike"),
        ("fl\u00adat 14", "text.invisible"),
        ("14 hours, 60 %", None),
        ("Привет, 14 часов", None),
    ],
)
def test_a_disguise_is_named(text: str, rule: str | None) -> None:
    assert [finding.rule for finding in disguises(text)] == ([rule] if rule else [])


@given(st.integers(10, 10**9), st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"), st.data())
def test_an_invisible_character_in_any_number_is_found(number: int, hidden: str, data: st.DataObject) -> None:
    digits = str(number)
    at = data.draw(st.integers(1, len(digits) - 1))
    text = f"It holds {digits[:at]}{hidden}{digits[at:]} tags."
    assert [finding.rule for finding in disguises(text)] == ["text.invisible"]
    assert visible(text) == f"It holds {digits} tags."
