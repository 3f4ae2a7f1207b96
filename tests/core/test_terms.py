"""Closed values with names in English and Chinese: what they take, and what people are shown."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.core.declarations import Parameter
from signoff.core.errors import DefinitionError, UsageError
from signoff.core.terms import Term, Terms, language_of, written_in

TERMS = Terms("plain", Term("deep", zh="深"), Term("概述", "overview"))

pytestmark = pytest.mark.req("LB-10")


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("plain", "plain"),
        ("deep", "deep"),
        ("深", "deep"),
        ("概述", "概述"),
        ("overview", "概述"),
        ("Deep", None),
        ("", None),
    ],
)
def test_a_value_is_taken_by_itself_and_by_either_name(given: str, value: str | None) -> None:
    assert TERMS.value(given) == value


@pytest.mark.parametrize(
    ("language", "names"), [("en", ("plain", "deep", "overview")), ("zh", ("plain", "深", "概述"))]
)
def test_names_are_shown_in_the_language_and_in_the_order_of_the_list(language: str, names: tuple[str, ...]) -> None:
    assert TERMS.names(language) == names
    assert tuple(TERMS.name(value, language) for value in TERMS.values) == names
    assert TERMS.name("unknown", language) == "unknown"


@pytest.mark.parametrize("entries", [("a", "a"), ("a", Term("b", "a")), (Term("a", zh="甲"), Term("b", zh="甲"))])
def test_a_name_of_two_values_is_a_mistake_in_the_definition(entries: tuple[str | Term, ...]) -> None:
    with pytest.raises(DefinitionError, match=r"names both 'a' and .*Repair: give each value names of its own"):
        Terms(*entries)


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("(deep, depth 概述, plain; x)", "(deep, depth overview, plain; x)", "(深, depth 概述, plain; x)"),
        ("It suits 概述.", "It suits overview.", "It suits 概述."),
        ("概述篇里说的概述", "概述篇里说的概述", "概述篇里说的概述"),
        ("as deep as it gets", "as deep as it gets", "as deep as it gets"),
        ("", "", ""),
    ],
)
def test_values_that_stand_apart_in_a_text_get_their_names(text: str, english: str, chinese: str) -> None:
    assert (TERMS.shown(text, "en"), TERMS.shown(text, "zh")) == (english, chinese)
    assert Terms().shown(text, "en") == text


@pytest.mark.parametrize(
    ("params", "language"),
    [
        ({"language": "zh", "about": "quench oil"}, "zh"),
        ({"language": "en", "about": "淬火油"}, "en"),
        ({"language": "中文"}, "zh"),
        ({"slug": "sales-pipeline-of-the-year", "topic": "销售漏斗"}, "zh"),
        ({"slug": "x", "topic": "Sales pipeline"}, "en"),
        ({"slug": "x", "topic": None}, "en"),
        ({}, "en"),
    ],
)
def test_the_language_of_a_run_is_told_or_that_of_its_parameters(params: dict[str, Any], language: str) -> None:
    assert language_of(params) == language


@pytest.mark.parametrize(("text", "language"), [("销售漏斗 CRM", "zh"), ("The CRM 系统", "en"), ("2026", "en")])
def test_a_text_is_in_the_language_of_most_of_its_words(text: str, language: str) -> None:
    assert written_in(text) == language


def test_a_wrong_choice_is_quoted_with_the_names_of_the_language() -> None:
    parameter = Parameter(name="depth", about="how deep", choices=TERMS.terms)
    assert parameter.chosen("overview", "zh") == "概述"
    with pytest.raises(UsageError, match=r"^depth is 'shallow'\. Valid: plain, deep, overview"):
        parameter.chosen("shallow", "en")
    with pytest.raises(UsageError, match=r"^--depth is 'shallow'\. Valid: plain, 深, 概述"):
        parameter.chosen("shallow", "zh", "--depth")
    assert Parameter(name="about", about="anything").chosen("shallow", "en") == "shallow"
