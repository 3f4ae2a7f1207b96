"""Two versions of a text say the same, or the difference is named."""

from __future__ import annotations

import pytest

from signoff.evidence import drift

pytestmark = pytest.mark.req("EV-13")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Version v6.2.0 was released.", "已发布 6.2.0 版。"),
        ("Import is twice as fast.", "导入速度是原来的 2 倍。"),
        ("It takes half an hour.", "需要 30 分钟。"),
        ("Bluetooth version: 5.3", "蓝牙版本：5.3"),
        ("Inspected once a year.", "每年检查一次。"),
        ("- one\n- two", "- 一\n- 二"),
        ("At most 12 people fit in.", "最多容纳 12 人。"),
    ],
)
def test_the_same_in_other_words_raises_nothing(a: str, b: str) -> None:
    assert drift(a, b) == []


@pytest.mark.parametrize(
    ("rule", "a", "b"),
    [
        ("drift.number", "It answers in 12 ms.", "It answers in 21 ms."),
        ("drift.number", "Founded in 1934.", "始建于 1943 年。"),
        ("drift.number", "It reaches 20,000 QPS.", "达到 55,000 QPS。"),
        ("drift.bound", "At most 12 people fit in.", "至少容纳 12 人。"),
        ("drift.polarity", "It does not raise the price.", "会提高价格。"),
        ("drift.item", "- The first one\n- The second one\n- The third one", "- 第一项\n- 第二项"),
        ("drift.heading", "# A\n\nText.\n\n## Limits\n\nMore.", "# A\n\nText.\n\nMore."),
    ],
)
def test_a_difference_is_found_by_its_rule(rule: str, a: str, b: str) -> None:
    assert rule in [finding.rule for finding in drift(a, b)]
