"""Every number that a text states, with its value, its unit and its kind."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.evidence.quantities.reading import quantities

pytestmark = pytest.mark.req("EV-2", "EV-7")

Found = tuple[str, str, str]


def found(text: str) -> list[Found]:
    """Value, unit and kind of what is not weak."""
    return [(f"{one.value.normalize():f}", one.unit, one.kind) for one in quantities(text) if not one.weak]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5 km", [("1500", "m", "number")]),
        ("1,500 m", [("1500", "m", "number")]),
        ("1.5公里", [("1500", "m", "number")]),
        ("twelve million yuan", [("12000000", "CNY", "number")]),
        ("一千二百万元", [("12000000", "CNY", "number")]),
        ("1.2万台设备", [("12000", "#device", "number")]),
        ("half an hour", [("1800", "s", "number")]),
        ("an hour and a half", [("5400", "s", "number")]),
        ("两个半小时", [("9000", "s", "number")]),
        ("a fortnight", []),
        ("one in four", [("25", "%", "number")]),
        ("every fifth customer", [("20", "%", "number")]),
        ("四分之一", [("25", "%", "number")]),
        ("twice as fast", [("2", "×", "number")]),
        ("thousands of sites", [("1000", "", "vague")]),
        ("the third phase", [("3", "", "ordinal")]),
        ("Q3 2026", [("3", "", "ordinal"), ("2026", "", "number")]),
        ("三季度", [("3", "", "ordinal")]),
        ("H2 2026", [("2", "", "ordinal"), ("2026", "", "number")]),
        ("下半年", [("2", "", "ordinal")]),
        ("10:30", [("630", "", "clock")]),
        ("4.5 out of 5 in 2024", [("4.5", "", "number"), ("5", "", "number"), ("2024", "", "number")]),
        ("-40 °C", [("-40", "°C", "number")]),
        ("零下40℃", [("-40", "°C", "number")]),
    ],
)
def test_a_number_is_read(text: str, expected: list[Found]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("an X100 Pro", "x100pro"),
        ("IP67", "ip67"),
        ("AES-256", "aes256"),
        ("802.11ax", "802.11ax"),
        ("v6.2.1", "6.2.1"),
    ],
)
def test_a_name_with_digits_is_a_code(text: str, code: str) -> None:
    assert [one.unit for one in quantities(text) if one.kind == "code"] == [code]


def test_memory_counts_bytes_where_lengths_count_metres() -> None:
    assert found("128M memory") == [("1024000000", "bit", "number")]
    assert found("128 m") == [("128", "m", "number")]


@pytest.mark.req("EV-3")
@pytest.mark.parametrize("text", ["二进制", "万一", "十分", "https://example.org/40", "no one", "一般"])
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert [one for one in quantities(text) if not one.weak and one.kind != "url"] == []


@given(st.decimals(0, 10**6, places=2), st.sampled_from(["kg", "km", "GB", "°C", "%", "ms", "小时", "台"]))
def test_a_number_before_a_unit_keeps_its_value(number: Decimal, unit: str) -> None:
    (one,) = quantities(f"{number} {unit}")
    (bare,) = quantities(f"1 {unit}")
    assert one.value == number * bare.value
    assert one.unit == bare.unit


@given(st.text(max_size=300))
def test_places_of_numbers_are_in_the_text_and_in_order(text: str) -> None:
    listed = quantities(text)
    assert all(0 <= one.start < one.end <= len(text) for one in listed)
    assert [one.start for one in listed] == sorted(one.start for one in listed)
