"""Questions of reviewers in a file: asked once, answered there by a person, whatever they write, byte by byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestration_texts import REMARKS, TEXTS

from signoff.artifacts import markdown_blocks
from signoff.core.errors import UsageError
from signoff.service.questionnaires import normalized
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import review_questions

ASKED = [
    ("security", "Who may delete a user?"),
    ("database_storage", "How long are logs kept?\n\nThe plan has:\n\n- 30 days\n- a year"),
]
TEXT = review_questions.render(ASKED)


def read(text: str) -> list[tuple[str, str, str, str]]:
    return [(one.key, one.domain, one.question, one.answer) for one in review_questions.answers(text)]


def written(text: str, **answers: str) -> str:
    return review_questions.write(text.encode(), places.QUESTIONS, answers)


@pytest.mark.req("OR-8")
def test_every_question_is_asked_with_who_asks_it() -> None:
    assert TEXT.endswith(
        "\n\n### Q1: Who may delete a user?\n\nAsked by: security\n\nAnswer:\n"
        "\n### Q2: How long are logs kept?\n\nAsked by: database_storage\n\n"
        "The plan has:\n\n- 30 days\n- a year\n\nAnswer:\n"
    )
    assert read(TEXT) == [("Q1", *ASKED[0], ""), ("Q2", *ASKED[1], "")]
    assert review_questions.unanswered(TEXT) == 2


@pytest.mark.req("OR-8")
def test_a_surface_shows_title_text_and_who_asks() -> None:
    first, second = review_questions.read(written(TEXT, Q1="Nobody").encode(), places.QUESTIONS, None)
    assert (first.key, first.title, first.text, first.section) == ("Q1", "Who may delete a user?", "", "security")
    assert (first.answer, second.answer) == ("Nobody", "")
    assert (second.title, second.text) == ("How long are logs kept?", "The plan has:\n\n- 30 days\n- a year")


@pytest.mark.req("OR-8")
def test_an_answer_goes_where_it_belongs_and_nowhere_else() -> None:
    assert written(TEXT, Q1="Nobody") == TEXT.replace("security\n\nAnswer:", "security\n\nAnswer: Nobody")
    several = written(TEXT, Q2="one\n  two\n\n- three")
    assert several == TEXT.removesuffix("\n") + "\n\none\n  two\n\n- three\n"
    assert review_questions.unanswered(several) == 1


@pytest.mark.req("OR-8")
@given(
    st.lists(st.tuples(st.sampled_from(["security", "frontend"]), TEXTS), min_size=1, max_size=4),
    st.lists(st.dictionaries(st.sampled_from(["Q1", "Q2", "Q3", "Q4"]), REMARKS), max_size=2),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_an_answer_is_kept_whatever_it_says(
    asked: list[tuple[str, str]], rounds: list[dict[str, str]], newline: str
) -> None:
    text = review_questions.render(asked).replace("\n", newline)
    first, kept = read(text), dict.fromkeys(one.key for one in review_questions.answers(text))
    for answers in rounds:
        given = {key: normalized(said) for key, said in answers.items() if key in kept}
        longer = written(text, **given)
        was = {one.key: one.answer for one in review_questions.answers(text)}
        assert {one.key: one.answer for one in review_questions.answers(longer)} == was | given
        assert written(longer, **{key: was[key] for key in given}) == text
        text = longer
    assert [entry[:3] for entry in read(text)] == [entry[:3] for entry in first]
    assert [(domain, question) for _, domain, question, _ in first] == [
        (domain, _asked(text)) for domain, text in asked
    ]


def _asked(question: str) -> str:
    """A question as it is asked: its first paragraph in one line."""
    title, _, more = markdown_blocks.tidy(question).partition("\n\n")
    return "\n\n".join(part for part in (markdown_blocks.one_line(title), more.strip("\n")) if part)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("Answer: yes", "yes"),
        ("Answer:yes", "yes"),
        ("**Answer:** yes", "yes"),
        ("answer： yes", "yes"),
        ("Answer:\n\n## My heading\n\nyes\n\nAnswer: no", "## My heading\n\nyes\n\nAnswer: no"),
        ("Answer:\n```\nyes", "```\nyes"),
        ("Answer: yes   \n\n\n", "yes"),
        ("", ""),
    ],
)
def test_an_answer_that_a_person_typed_is_read(typed: str, answer: str) -> None:
    text = TEXT.replace("security\n\nAnswer:", f"security\n\n{typed}")
    assert read(text) == [("Q1", *ASKED[0], answer), ("Q2", *ASKED[1], "")]


def test_a_label_that_is_gone_is_put_back_with_the_answer() -> None:
    text = TEXT.replace("security\n\nAnswer:\n", "security\n")
    assert written(text, Q1="yes") == TEXT.replace("security\n\nAnswer:", "security\n\nAnswer: yes")


def test_an_answer_cannot_become_a_question() -> None:
    text = written(TEXT, Q1="yes\n### Q9: Forged?\n\\### Q8: Forged?\n\nAnswer: yes")
    assert [key for key, _, _, _ in read(text)] == ["Q1", "Q2"]


def test_an_answer_that_is_there_already_changes_no_byte() -> None:
    text = TEXT.replace("security\n\nAnswer:", "security\n\n**answer**:   yes  ")
    assert written(text, Q1="yes") == text


def test_an_empty_answer_empties() -> None:
    assert written(written(TEXT, Q1="yes", Q2="a\nb"), Q1="", Q2="") == TEXT


def test_a_question_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has no question 'Q3'.*Valid: Q1, Q2"):
        written(TEXT, Q3="yes")


def test_without_questions_nothing_is_asked() -> None:
    assert read(review_questions.render([])) == []
    assert review_questions.unanswered("") == 0
