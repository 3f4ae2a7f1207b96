"""The life of issues: what is the same issue, what was fixed, what came back, and what must not be undone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.workflows.content import issues as life
from signoff.workflows.content.state import Critique, Issue, Said


def critique(advisor: str, *said: str, number: int = 1, clean: tuple[str, ...] = (), error: str = "") -> Critique:
    found = tuple(Said("medium", one, "mend it") for one in said)
    score = None if error else 5
    return Critique(
        advisor=advisor, name=advisor.title(), round=number, score=score, issues=found, clean=clean, error=error
    )


LONG = "The headline has 19 words; a reader takes in about 12: “Plan every berth in your harbour from one calm screen”"


@pytest.mark.req("CP-8")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The headline is vague.", "the HEADLINE is vague", True),
        ("The headline is vague.", "The  headline   is vague!", True),
        (LONG, LONG.replace("19", "15"), True),
        (LONG, LONG.replace("from one calm screen", "on one screen"), True),
        ("Jargon: “leverage” tells a reader nothing", "Jargon: “synergy” tells a reader nothing", False),
        ("The headline is vague.", "The footer has no link to the price list", False),
        ("The headline has 19 words", "The headline promises what nothing proves", False),
        ("The call to action is missing", "The call to action is buried below the fold", False),
    ],
)
def test_two_descriptions_are_of_one_issue_when_they_say_the_same_of_the_same(one: str, other: str, same: bool) -> None:
    assert life.same(one, other) is same
    assert life.same(other, one) is same


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=80)


@pytest.mark.req("CP-8")
@given(words, words)
def test_matching_is_symmetric_and_knows_its_own(one: str, other: str) -> None:
    assert life.same(one, one)
    assert life.same(one, other) is life.same(other, one)
    assert life.same(one, f"  {one}\n")


@pytest.mark.req("CP-8")
def test_an_issue_that_its_critic_no_longer_finds_is_fixed_and_one_that_returns_has_regressed() -> None:
    first = life.after((), [critique("ada", "The headline is vague", "No price is named")], 1)
    assert [(one.id, one.status) for one in first] == [("I-001", "open"), ("I-002", "open")]
    second = life.after(first, [critique("ada", "No price is named", number=2)], 2)
    assert [(one.id, one.status, one.seen) for one in second] == [("I-001", "fixed", 1), ("I-002", "open", 2)]
    third = life.after(second, [critique("ada", "The headline is vague.", "A new thing", number=3)], 3)
    assert [(one.id, one.status) for one in third] == [("I-001", "regressed"), ("I-002", "fixed"), ("I-003", "open")]
    assert life.summary(second, third, ()).plain() == {
        "open": ["I-001", "I-003"], "fixed": ["I-002"], "regressed": ["I-001"],
        "doNotRegress": ["I-002 (fixed): No price is named"],
    }  # fmt: skip


@pytest.mark.req("CP-8")
def test_a_critic_is_compared_with_itself_alone_and_one_that_failed_changes_nothing() -> None:
    first = life.after((), [critique("ada", "The headline is vague"), critique("ben", "The headline is vague")], 1)
    assert [(one.id, one.advisor) for one in first] == [("I-001", "ada"), ("I-002", "ben")]
    second = life.after(first, [critique("ada", number=2), critique("ben", number=2, error="crashed")], 2)
    assert [(one.advisor, one.status) for one in second] == [("ada", "fixed"), ("ben", "open")]


@pytest.mark.req("CP-8")
def test_two_alike_complaints_of_one_critique_stay_two_issues() -> None:
    first = life.after((), [critique("ada", "A sentence is too long", "A sentence is too long")], 1)
    assert len(first) == 2
    second = life.after(first, [critique("ada", "A sentence is too long", number=2)], 2)
    assert sorted(one.status for one in second) == ["fixed", "open"]


@pytest.mark.req("CP-8")
def test_what_is_said_word_for_word_again_is_never_taken_for_something_else() -> None:
    two, five = (f"Section {number} promises a refund that no fact supports" for number in (2, 5))
    first = life.after((), [critique("ada", two, five)], 1)
    second = life.after(first, [critique("ada", five, number=2)], 2)
    assert [(one.description, one.status) for one in second] == [(two, "fixed"), (five, "open")]


@pytest.mark.req("CP-8")
def test_what_must_stay_is_what_was_fixed_and_what_is_clean_until_its_critic_objects() -> None:
    first = life.after((), [critique("ada", "The headline is vague")], 1)
    fixed = life.after(first, [critique("ada", number=2)], 2)
    clean = critique("ada", number=2, clean=("the order of the sections",))
    assert life.kept(fixed, [clean]) == (
        "I-001 (fixed): The headline is vague",
        "Ada found clean: the order of the sections",
    )
    back = life.after(fixed, [critique("ada", "The headline is vague", "the order of the sections", number=3)], 3)
    assert life.kept(back, [clean]) == ()


said_lists = st.lists(
    st.sampled_from(["the headline is vague", "no price", "jargon in the lead", "a dead link"]), max_size=4
)


@pytest.mark.req("CP-8")
@given(st.lists(st.tuples(st.sampled_from(["ada", "ben"]), said_lists, st.booleans()), max_size=6))
def test_laws_of_a_life(rounds: list[tuple[str, list[str], bool]]) -> None:
    """Ids are given once and never taken back; a status moves only along its life; what is said is open."""
    issues: tuple[Issue, ...] = ()
    for number, (advisor, said, failed) in enumerate(rounds, 1):
        before = {one.id: one for one in issues}
        ran = critique(advisor, *said, number=number, error="failed" if failed else "")
        issues = life.after(issues, [ran], number)
        assert [one.id for one in issues] == [f"I-{index:03d}" for index in range(1, len(issues) + 1)]
        assert list(before) == [one.id for one in issues][: len(before)]
        for one in issues:
            was = before.get(one.id)
            if was is not None and (failed or was.advisor != advisor):
                assert one == was
            elif was is not None and was.status == "fixed":
                assert one.status in ("fixed", "regressed")
        if not failed:
            assert sorted(one.description for one in issues if one.advisor == advisor and one.is_open) == sorted(said)
