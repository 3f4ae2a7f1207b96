"""Recommendations become answers where nothing was answered, each only that of its own question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.workflows.clarify.autofill import Part, autofill
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.documents.clarifications import parse

pytestmark = pytest.mark.req("CL-3")

FILE = """\
---
question_count: 4
---
# Research Clarifications

## Money

### Q1: Fee [MUST ANSWER]
How is the fee counted?

A. By month
B. By year
C. Other (please specify)

**Recommendation:** A — It is usual.

**Answer:**

#### Refinements

##### R1.1: First month
Does it count?

**Recommendation:** Count it in full,
even when it has begun.

**Answer:**

##### R1.1a: Short months
And February?

**Answer:**

### Q2: Stage
**Answer:**

### Q3: 地区
按哪个地区统计？

**Recommendation:** 按客户所在地统计。

**Answer:**   We count by office.\x20\x20

## Other things

### Q4: Owner
**Recommendation:** Sales.

**Answer:** (accepted recommendation)

## Needs Clarification

### Critical Gap: Fee
Nobody said.

**Recommendation:** Ask the owner.

**Answer:**
"""


@pytest.mark.parametrize(
    ("part", "filled", "without"),
    [
        ("all", ("Q1", "R1.1", "Q4"), ("R1.1a", "Q2")),
        ("questions", ("Q1", "Q4"), ("Q2",)),
        ("refinements", ("R1.1",), ("R1.1a",)),
    ],
)
def test_questions_refinements_or_both_are_filled_and_reported(
    part: Part, filled: tuple[str, ...], without: tuple[str, ...]
) -> None:
    done = autofill(parse(FILE), part)
    assert (done.filled, done.without) == (filled, without)
    before, after = parse(FILE), parse(done.text)
    for item in before.items:
        now = after.item(item.key)
        assert now is not None
        assert now.answer == (item.recommendation if item.key in filled else item.answer)


def test_a_filled_answer_is_the_recommendation_and_every_other_byte_stays() -> None:
    expected = FILE.replace("A — It is usual.\n\n**Answer:**", "A — It is usual.\n\n**Answer:** A — It is usual.")
    assert autofill(parse(FILE.replace("(accepted recommendation)", "Sales")), "questions").text == expected.replace(
        "(accepted recommendation)", "Sales"
    )


@pytest.mark.parametrize("mark", ["(accepted recommendation)", "_(Accepted recommendation)_", ""])
def test_a_person_who_accepted_the_recommendation_gets_it_as_the_answer(mark: str) -> None:
    done = autofill(parse(FILE.replace("(accepted recommendation)", mark)))
    item = parse(done.text).item("Q4")
    assert item is not None
    assert item.answer == "Sales."
    assert "accepted recommendation" not in done.text.lower()


def test_a_comment_in_the_place_of_the_answer_is_kept_below_the_recommendation() -> None:
    done = autofill(parse(FILE.replace("(accepted recommendation)", "<!-- ask Ann -->")))
    item = parse(done.text).item("Q4")
    assert item is not None
    assert item.answer == "Sales.\n<!-- ask Ann -->"


@pytest.mark.parametrize("answer", ["A", "TBD", "not sure", "-", "Other", "待定"])
def test_an_answer_that_a_person_gave_is_never_replaced_however_vague(answer: str) -> None:
    text = f"### Q1: Fee\n**Recommendation:** By month.\n\n**Answer:** {answer}\n"
    done = autofill(parse(text))
    assert (done.text, done.filled, done.without) == (text, (), ())


@pytest.mark.parametrize("heading", ["## Next", "### Q2: Next", "##### R1.1: Next", "### Contradiction: Next"])
def test_a_recommendation_never_carries_over_a_heading(heading: str) -> None:
    text = f"## Money\n\n### Q1: Fee\n**Recommendation:** By month.\n\n{heading}\n\n**Answer:**\n"
    done = autofill(parse(text))
    assert "Q1" in done.filled
    for item in parse(done.text).items:
        assert item.key == "Q1" or not item.answer


def test_contradictions_and_gaps_are_left_to_people() -> None:
    gap = parse(autofill(parse(FILE)).text).item("Critical Gap: Fee")
    assert gap is not None
    assert gap.answer == ""


def test_a_recommendation_to_accept_the_recommendation_fills_nothing() -> None:
    text = "### Q1: Fee\n**Recommendation:** (accepted recommendation)\n\n**Answer:**\n"
    done = autofill(parse(text))
    assert (done.text, done.filled, done.without) == (text, (), ("Q1",))


TWICE = "### Q1: Fee\n**Recommendation:** By month.\n\n**Answer:**{}\n\n"


@pytest.mark.parametrize("answers", [(" Mine", ""), ("", " Mine"), ("", "")])
def test_an_id_that_stands_twice_is_filled_nowhere_and_reported_once(answers: tuple[str, str]) -> None:
    text = "".join(map(TWICE.format, answers)) + "### Q2: Stage\n**Recommendation:** Sales.\n\n**Answer:**\n"
    done = autofill(parse(text))
    assert (done.filled, done.without) == (("Q2",), ("Q1",))
    assert done.text == text.removesuffix("\n") + " Sales.\n"


@pytest.mark.parametrize("below", ["\nB, since we do.", "B, since we do.", "- Answer: ours", "\nWe do it by year."])
def test_text_that_looks_like_an_answer_is_neither_copied_nor_answered_over(below: str) -> None:
    text = f"### Q1: Fee\nA. By month\nB. By year\n\n**Recommendation:** A — usual.\n{below}\n"
    done = autofill(parse(text))
    assert (done.text, done.filled, done.without) == (text, (), ("Q1",))


def test_nothing_to_fill_gives_the_same_text() -> None:
    assert autofill(parse("")).text == ""


LINE = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20)
TEXTS = st.lists(LINE, max_size=3).map("\n".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_filling_twice_is_filling_once_and_leaves_only_answers_without_recommendation(
    rows: list[tuple[str, str]], newline: str
) -> None:
    blocks = [
        f"### Q{n}: Title\n**Recommendation:** {told}\n\n**Answer:** {said}\n\n"
        for n, (told, said) in enumerate(rows, 1)
    ]
    text = "".join(blocks).replace("\n", newline)
    doc = parse(text)
    if doc.problems:
        return
    once = autofill(doc)
    again = autofill(parse(once.text))
    assert (again.text, again.filled, again.without) == (once.text, (), once.without)
    assert set(once.filled).isdisjoint(once.without)
    open_now = [key for key, verdict in evaluate(parse(once.text)).per_question if verdict == "not_answered"]
    assert open_now == list(once.without)
