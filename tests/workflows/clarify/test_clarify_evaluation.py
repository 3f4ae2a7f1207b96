"""When the answers of a whole file are enough, and the file that says so."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.workflows.clarify.checks.answer_quality import Evaluation, Thresholds, evaluate, judge
from signoff.workflows.clarify.documents.clarifications import parse

pytestmark = pytest.mark.req("CL-5")


def a_file(answers: Sequence[tuple[str, bool]], refinements: Sequence[str] = ()) -> str:
    """Questions with these answers, of which some must be answered, and refinements of the first one."""
    parts = ["# Research Clarifications\n\n## Money\n"]
    for number, (answer, must) in enumerate(answers, 1):
        tag = " [MUST ANSWER]" if must else ""
        parts.append(f"### Q{number}: Title {number}{tag}\nHow is it?\n\nA. Fee\nB. Share\nC. Other (please specify)\n")
        parts.append(f"**Recommendation:** A — It is usual.\n\n**Answer:** {answer}\n")
        if number == 1 and refinements:
            parts.append("#### Refinements\n")
            parts += [f"##### R1.{m}: More {m}\nWhy?\n\n**Answer:** {said}\n" for m, said in enumerate(refinements, 1)]
    return "\n".join(parts)


def plain_file(clear: int, vague: int, empty: int) -> str:
    return a_file([("A", False)] * clear + [("TBD", False)] * vague + [("", False)] * empty)


ROWS = st.lists(
    st.tuples(st.sampled_from(["A", "b.", "not sure", "", "short", "(accepted recommendation)"]), st.booleans())
)


def test_the_evaluation_has_the_fields_of_its_file_and_no_others() -> None:
    doc = parse(a_file([("A", False), ("TBD", True), ("", True)], ["B is what we do today", ""]))
    found = evaluate(doc)
    told = json.loads(found.render())
    assert told == found.plain()
    assert list(told) == [
        *("verdict", "answered_count", "empty_count", "vague_count", "total_count", "reasoning", "per_question")
    ]
    assert told["per_question"] == [
        {"question_id": "Q1", "verdict": "clear"},
        {"question_id": "R1.1", "verdict": "clear"},
        {"question_id": "R1.2", "verdict": "not_answered"},
        {"question_id": "Q2", "verdict": "vague"},
        {"question_id": "Q3", "verdict": "not_answered"},
    ]
    assert (told["answered_count"], told["vague_count"], told["empty_count"], told["total_count"]) == (2, 1, 2, 5)
    assert told["reasoning"] == "2 of 5 answers are clear; 2 empty, 1 vague. Must be answered: Q3."
    assert found.open_must == ("Q3",)
    assert found.render().endswith("}\n")


def test_contradictions_and_gaps_are_not_counted() -> None:
    entries = "\n## Needs Clarification\n\n### Critical Gap: Fee\nNobody said.\n\n**Answer:**\n"
    assert [key for key, _ in evaluate(parse(a_file([("A", False)]) + entries)).per_question] == ["Q1"]


@given(ROWS, st.lists(st.sampled_from(["A", "", "we do it every single month"]), max_size=4))
def test_the_counts_add_up_and_the_file_is_only_read(rows: list[tuple[str, bool]], refinements: list[str]) -> None:
    text = a_file(rows, refinements)
    doc = parse(text)
    found = evaluate(doc)
    assert found.answered_count + found.vague_count + found.empty_count == found.total_count == len(found.per_question)
    assert found.total_count == len(rows) + (len(refinements) if rows else 0)
    assert [found.of(key) for key, _ in found.per_question] == [verdict for _, verdict in found.per_question]
    assert doc.text == text == doc.render()


@pytest.mark.parametrize(
    ("clear", "vague", "empty", "verdict"),
    [
        (1, 0, 0, "sufficient"),
        (17, 3, 0, "sufficient"),
        (17, 0, 3, "sufficient"),
        (16, 4, 0, "mixed"),
        (84, 8, 8, "mixed"),
        (85, 8, 7, "sufficient"),
        (1, 1, 0, "mixed"),
        (1, 0, 1, "mixed"),
        (1, 1, 1, "insufficient"),
        (49, 51, 0, "insufficient"),
        (0, 0, 1, "insufficient"),
        (0, 1, 0, "insufficient"),
        (0, 0, 0, "insufficient"),
    ],
)
def test_the_share_of_clear_answers_decides_and_the_thresholds_themselves_are_enough(
    clear: int, vague: int, empty: int, verdict: str
) -> None:
    assert evaluate(parse(plain_file(clear, vague, empty))).verdict == verdict


@pytest.mark.parametrize(
    ("sufficient", "mixed", "verdict"),
    [
        (0.7, 0.5, "sufficient"),
        (0.71, 0.7, "mixed"),
        (0.8, 0.71, "insufficient"),
        (1.0, 0.0, "mixed"),
        (0, 0, "sufficient"),
    ],
)
def test_the_thresholds_can_be_set(sufficient: float, mixed: float, verdict: str) -> None:
    assert evaluate(parse(plain_file(7, 1, 2)), thresholds=Thresholds(sufficient, mixed)).verdict == verdict


@given(st.integers(0, 12), st.integers(0, 3), st.integers(0, 3), st.integers(0, 100), st.integers(0, 100))
def test_the_verdict_is_exact_for_any_threshold_in_percent(
    clear: int, vague: int, empty: int, sufficient: int, mixed: int
) -> None:
    total = clear + vague + empty
    found = evaluate(parse(plain_file(clear, vague, empty)), thresholds=Thresholds(sufficient / 100, mixed / 100))
    expected = "insufficient"
    if total and clear * 100 >= mixed * total:
        expected = "mixed"
    if total and clear * 100 >= sufficient * total:
        expected = "sufficient"
    assert found.verdict == expected


@pytest.mark.parametrize(
    ("answer", "verdict", "missing"),
    [
        ("", "mixed", ("Q20",)),
        ("(accepted recommendation)", "mixed", ("Q20",)),
        ("TBD", "sufficient", ()),
        ("A", "sufficient", ()),
    ],
)
def test_a_question_that_must_be_answered_and_is_not_makes_it_mixed_at_most(
    answer: str, verdict: str, missing: tuple[str, ...]
) -> None:
    found = evaluate(parse(a_file([("A", True)] * 19 + [(answer, True)])))
    assert (found.verdict, found.open_must) == (verdict, missing)


@given(ROWS)
def test_nothing_is_sufficient_while_a_must_answer_question_is_not_answered(rows: list[tuple[str, bool]]) -> None:
    found = evaluate(parse(a_file(rows)))
    open_must = [
        f"Q{n}" for n, (answer, must) in enumerate(rows, 1) if must and judge(answer).verdict == "not_answered"
    ]
    assert list(found.open_must) == open_must
    assert not (open_must and found.verdict == "sufficient")


def test_known_terms_count_for_the_whole_file() -> None:
    doc = parse(a_file([("ARR", False)]))
    assert evaluate(doc).verdict == "insufficient"
    assert evaluate(doc, ["arr"]).verdict == "sufficient"


def test_an_id_that_the_file_has_not_has_no_verdict() -> None:
    assert Evaluation(verdict="sufficient", per_question=(("Q1", "clear"),)).of("Q2") is None


@pytest.mark.parametrize("label", ["**answer:**", "_Answer:_", "Answer:", "答案：", "**回答：**"])
def test_answers_count_behind_a_label_that_is_typed_in_another_way(label: str) -> None:
    text = a_file([("Option B", True), ("选A", True), ("", False)]).replace("**Answer:**", label)
    found = evaluate(parse(text))
    assert (found.answered_count, found.empty_count, found.open_must) == (2, 1, ())


def test_a_file_without_questions_says_so() -> None:
    assert evaluate(parse("# Research Clarifications\n")).reasoning == "There are no questions to answer."
