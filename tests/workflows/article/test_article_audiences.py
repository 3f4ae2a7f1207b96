"""Audiences, lengths, and shares in words."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from article_config import BEGUN, FULL, config
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import UsageError
from signoff.workflows.article.documents import audiences
from signoff.workflows.article.documents.audiences import AUDIENCES, budget, fuzzy
from signoff.workflows.article.documents.terms import DEPTHS, PERSONAS, USER_TYPES

TABLE = [
    ("b2b", "入门新手", "入门基础", "实践导师"),
    ("b2b", "非专业人士", "进阶技巧", "实践导师"),
    ("b2b", "实操者", "技术细节", "技术专家"),
    ("b2b", "决策者", "概述", "行业观察者"),
    ("b2b", "专家", "专家级", "技术专家"),
    ("b2c", "好奇新手", "极简", "生活达人"),
    ("b2c", "问题解决者", "实用", "热心邻居"),
    ("b2c", "精明买家", "对比", "精明买家代言人"),
]
FILE = "config/x.json"


@pytest.mark.req("AR-2")
@pytest.mark.parametrize(("framework", "user", "depth", "persona"), TABLE, ids=[user for _, user, _, _ in TABLE])
def test_a_type_of_reader_settles_framework_depth_and_persona(
    framework: Any, user: str, depth: str, persona: str
) -> None:
    audience = audiences.of(user)
    assert (audience.framework, audience.depth, audience.persona) == (framework, depth, persona)
    assert user in audiences.user_types(framework)
    assert depth in audiences.depths(framework)


@pytest.mark.req("AR-2")
def test_the_words_of_the_schema_are_those_of_the_table() -> None:
    assert set(USER_TYPES.values) == {one.user_type for one in AUDIENCES}
    assert set(DEPTHS.values) == {one.depth for one in AUDIENCES}
    assert set(PERSONAS.values) == {one.persona for one in AUDIENCES}


@pytest.mark.req("AR-2")
@pytest.mark.parametrize("user", [one for _, one, _, _ in TABLE])
@pytest.mark.parametrize("depth", [one for _, _, one, _ in TABLE])
@pytest.mark.parametrize("framework", ["b2b", "b2c"])
def test_only_the_combinations_of_the_table_are_sound(framework: str, user: str, depth: str) -> None:
    begun = config(BEGUN, audienceFramework=framework, audience=user, depth=depth)
    sound = (framework, user, depth) in [row[:3] for row in TABLE]
    assert bool(list(audiences.check(begun, FILE))) is not sound


@pytest.mark.req("AR-2", "LB-10")
@pytest.mark.parametrize(
    ("language", "valid"),
    [
        ("zh", "入门基础, 进阶技巧, 技术细节, 概述, 专家级"),
        ("en", "basics, advanced-tips, technical-details, overview, expert-level"),
    ],
)
def test_a_depth_of_the_wrong_framework_is_an_error_wherever_it_stands(language: str, valid: str) -> None:
    plain = {**FULL, "language": language, "depth": "实用", "writingAngle": {"recommendedDepth": "极简"}}
    research = FULL["workflowState"]["research"]
    theses = [*research["recommendedTheses"][:2], {**research["recommendedTheses"][2], "recommendedDepth": "对比"}]
    decisions = {"depthAdaptation": {"applied": True, "originalRecommendedDepth": "极简", "actualDepth": "实用"}}
    plain["workflowState"] = {
        "research": {**research, "recommendedTheses": theses},
        "writing": {"decisions": decisions},
    }
    findings = list(audiences.check(config(plain), FILE))
    assert [finding.about for finding in findings] == [
        "depth",
        "writingAngle.recommendedDepth",
        "workflowState.research.recommendedTheses[2].recommendedDepth",
        "workflowState.writing.decisions.depthAdaptation.originalRecommendedDepth",
        "workflowState.writing.decisions.depthAdaptation.actualDepth",
    ]
    assert all(f"valid for b2b: {valid}" in finding.problem for finding in findings)
    assert not list(audiences.check(config(), FILE))


LENGTHS: list[tuple[Any, Any, tuple[int, int]]] = [
    ("short", "en", (900, 1100)),
    ("standard", "en", (1200, 1500)),
    ("deep", "en", (1800, 2300)),
    ("short", "zh", (1440, 1760)),
    ("standard", "zh", (1920, 2400)),
    ("deep", "zh", (2880, 3680)),
]


@pytest.mark.req("AR-2")
@pytest.mark.parametrize(("length", "language", "words"), LENGTHS)
def test_a_length_is_a_range_of_words_or_of_characters(length: Any, language: Any, words: tuple[int, int]) -> None:
    assert budget(length, language) == words


def test_the_factor_of_chinese_is_a_setting_and_leaves_english_alone() -> None:
    assert budget("short", "zh", 1.7) == (1530, 1870)
    assert budget("short", "zh", 1.333) == (1199, 1467)
    assert budget("short", "en", 1.7) == (900, 1100)


SHARES = [
    ("0", "0%", "0%"),
    ("0.001", "a small share", "一小部分"),
    ("14.999", "a small share", "一小部分"),
    ("15", "a significant part", "相当一部分"),
    ("34.999", "a significant part", "相当一部分"),
    ("35", "about half", "约一半"),
    ("64.999", "about half", "约一半"),
    ("65", "most", "大多数"),
    ("84.999", "most", "大多数"),
    ("85", "nearly all", "几乎全部"),
    ("99.999", "nearly all", "几乎全部"),
    ("100", "100%", "100%"),
]


@pytest.mark.req("AR-11")
@pytest.mark.parametrize(("percent", "en", "zh"), SHARES, ids=[percent for percent, _, _ in SHARES])
def test_a_bound_belongs_to_the_wording_above_it(percent: str, en: str, zh: str) -> None:
    assert fuzzy(Decimal(percent), "en") == en
    assert fuzzy(Decimal(percent), "zh") == zh


_ORDER = ["0%", "a small share", "a significant part", "about half", "most", "nearly all", "100%"]
_PERCENT = st.fractions(0, 100)


@pytest.mark.req("AR-11")
@given(low=_PERCENT, high=_PERCENT)
def test_a_larger_share_is_never_said_to_be_smaller(low: Fraction, high: Fraction) -> None:
    low, high = min(low, high), max(low, high)
    assert _ORDER.index(fuzzy(low, "en")) <= _ORDER.index(fuzzy(high, "en"))


@pytest.mark.req("AR-11")
@given(percent=_PERCENT)
def test_none_and_all_are_said_exactly_and_nothing_else_is(percent: Fraction) -> None:
    assert (fuzzy(percent, "en") in ("0%", "100%")) is (percent in (0, 100))
    assert (fuzzy(percent, "zh") in ("0%", "100%")) is (percent in (0, 100))


@pytest.mark.req("AR-11")
@given(percent=_PERCENT.filter(lambda one: one not in (0, 100)))
def test_a_wording_says_the_interval_that_the_share_is_in(percent: Fraction) -> None:
    intervals = [(0, 15), (15, 35), (35, 65), (65, 85), (85, 100)]
    (place,) = [at for at, (low, high) in enumerate(intervals) if low <= percent < high]
    assert fuzzy(percent, "en") == _ORDER[place + 1]


@pytest.mark.parametrize("percent", [-1, 101, Decimal("100.01")])
def test_what_is_no_share_is_refused(percent: Any) -> None:
    with pytest.raises(UsageError, match="Valid: 0 to 100"):
        fuzzy(percent, "en")


@pytest.mark.req("AR-2")
@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ({"audience": "b2b", "user": "精明买家"}, "user"),
        ({"user": "实操者", "depth": "专家级"}, "depth"),
        ({"audience": "b2c", "depth": "专家级"}, "depth"),
        ({"audience": "b2b", "user": "实操者", "depth": "技术细节"}, ""),
        ({"user": "精明买家"}, ""),
        ({}, ""),
    ],
)
def test_flags_that_contradict_each_other_are_refused_before_anything_begins(told: dict[str, str], wrong: str) -> None:
    assert [finding.about for finding in audiences.conflicts(told)] == ([wrong] if wrong else [])
