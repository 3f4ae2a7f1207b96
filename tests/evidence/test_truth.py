"""The shipped sentences with planted faults: no figure gets worse than the baseline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import pytest
from bench import truth

from signoff.evidence import drift, unsupported

pytestmark = pytest.mark.req("EV-16")

BASELINE = truth.CASES / "baseline.json"
Figures = dict[str, dict[str, int]]


@cache
def measured() -> Figures:
    """The figures of each set and kind, English, Chinese and across."""
    return truth.figures_by_group()


@cache
def baseline() -> Figures:
    return dict(json.loads(BASELINE.read_text(encoding="utf-8")))


@pytest.mark.parametrize("group", sorted(json.loads(BASELINE.read_text(encoding="utf-8"))))
def test_no_fault_goes_unnoticed_that_was_noticed(group: str) -> None:
    assert measured()[group]["noticed"] >= baseline()[group]["noticed"]


@pytest.mark.parametrize("group", sorted(json.loads(BASELINE.read_text(encoding="utf-8"))))
def test_no_true_claim_is_doubted_that_was_accepted(group: str) -> None:
    assert measured()[group]["doubted"] <= baseline()[group]["doubted"]


def test_the_baseline_is_of_the_shipped_cases() -> None:
    assert {name: figures["count"] for name, figures in measured().items()} == {
        name: figures["count"] for name, figures in baseline().items()
    }


def test_better_figures_are_written_down() -> None:
    """A figure that has become better becomes the baseline: `python -m bench.truth`."""
    noticed, doubted = (sum(each[name] for each in measured().values()) for name in ("noticed", "doubted"))
    known, doubts = (sum(each[name] for each in baseline().values()) for name in ("noticed", "doubted"))
    assert noticed <= known + 15
    assert doubted >= doubts - 10


def test_the_figures_of_the_docs_are_those_of_the_baseline() -> None:
    page = (truth.CASES.parents[1] / "docs" / "explanation" / "evidence.md").read_text(encoding="utf-8")
    assert truth.table(baseline()) in page


# --- laws ---------------------------------------------------------------------------------------------------------


def statements() -> Iterator[str]:
    for name in ("sections", "sentences"):
        yield from (case["good"] for case in truth.cases(name))


@pytest.mark.req("EV-4")
def test_a_statement_supports_itself() -> None:
    doubted = {text: findings for text in statements() if (findings := unsupported(text, text))}
    assert doubted == {}


@pytest.mark.req("EV-13")
def test_a_text_does_not_drift_from_itself() -> None:
    texts = {case["a"] for case in truth.cases("pairs")}
    assert {text: findings for text in texts if (findings := drift(text, text))} == {}
