"""Words that turn a sentence without changing its numbers."""

from __future__ import annotations

import pytest

from signoff.evidence import wording
from signoff.evidence.quantities.reading import quantities

pytestmark = pytest.mark.req("EV-5")


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("up to 40 °C", "upper"),
        ("at least 40 °C", "lower"),
        ("no more than 40 °C", "upper"),
        ("must not be longer than 40 m", "upper"),
        ("40 °C or more", "lower"),
        ("不超过40℃", "upper"),
        ("40℃以上", "lower"),
        ("每月限40单", "upper"),
        ("an average of 40 ms", "average"),
        ("40 °C", ""),
        ("more than most, it weighs 40 kg", ""),
    ],
)
def test_a_bound_says_on_which_side_the_truth_lies(text: str, group: str) -> None:
    assert wording.side(text, quantities(text)[-1])[0] == group


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("Costs fell by 30 %", "by"),
        ("Costs fell to 30 %", "to"),
        ("成本降低了30%", "by"),
        ("成本降低到30%", "to"),
        ("Costs are 30 %", ""),
    ],
)
def test_a_change_is_by_or_to_a_number(text: str, change: str) -> None:
    assert wording.change(text, quantities(text)[-1]) == change


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It does not support MQTT.", True),
        ("It supports MQTT.", False),
        ("不支持MQTT。", True),
        ("支持MQTT，严禁用水冲洗。", True),
        ("It is no longer than 4 m.", False),
        ("不超过4米", False),
        ("不锈钢外壳，无线连接", False),
        ("not only red but blue", False),
    ],
)
def test_a_negation_is_a_word_that_negates(text: str, negated: bool) -> None:
    assert bool(wording.negations(text).cues) == negated


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("Backed up hourly", {"hour"}),
        ("每小时备份", {"hour"}),
        ("inspected every year", {"year"}),
        ("an annual report", {"year"}),
        ("two years later", set()),
    ],
)
def test_a_frequency_is_read_in_both_languages(text: str, periods: set[str]) -> None:
    assert set(wording.frequencies(text)) == periods


def test_opposites_are_named() -> None:
    assert wording.opposed("The valve opens at 3 bar.", "The valve closes at 3 bar.") == ("opens", "closes")
    assert wording.opposed("The valve opens.", "The valve opens and closes.") is None
