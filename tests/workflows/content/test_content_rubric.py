"""The rubric as a function: its rules in order, and the laws that hold for every set of critiques."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.workflows.content import rubric
from signoff.workflows.content.state import SEVERITIES, Critique, Issue

CRITICS = ("ada", "ben", "cyd")


def said(advisor: str, score: int | None) -> Critique:
    return Critique(
        advisor=advisor, name=advisor.title(), round=1, score=score, error="" if score else "it fell silent"
    )


def issue(severity: str, number: int = 1) -> Issue:
    return Issue(
        id=f"I-{number:03d}", advisor="ada", name="Ada", severity=severity, description=f"what {number} is",  # type: ignore[arg-type]
        suggestion="mend it.", status="open", since=1, seen=1,
    )  # fmt: skip


def by(*critiques: Critique) -> dict[str, Critique]:
    return {one.advisor: one for one in critiques}


def decide(
    scores: dict[str, int | None], before: dict[str, int | None] | None = None, issues: tuple[Issue, ...] = ()
) -> tuple[str, str]:
    now = by(*(said(name, score) for name, score in scores.items()))
    then = by(*(said(name, score) for name, score in (before or {}).items()))
    found = rubric.decide(tuple(now.values()), issues, now, then, CRITICS, 5)
    return found.verdict, found.reason


EVEN = dict.fromkeys(CRITICS, 5)


@pytest.mark.req("CP-5")
@pytest.mark.parametrize(
    ("scores", "before", "issues", "verdict", "reason"),
    [
        ({}, {}, (), "approve", rubric.NO_CRITIQUES),
        (dict.fromkeys(CRITICS, 10), {}, (issue("high"),), "revise", rubric.HIGH),
        (dict.fromkeys(CRITICS, 2), dict.fromkeys(CRITICS, 3), (issue("high"),), "revise", rubric.HIGH),
        (dict.fromkeys(CRITICS, 2), dict.fromkeys(CRITICS, 3), (), "approve", rubric.OSCILLATION),
        (dict.fromkeys(CRITICS, 3), dict.fromkeys(CRITICS, 3), (), "revise", rubric.BELOW),
        (EVEN, {}, (issue("medium"), issue("low", 2)), "approve", rubric.REACHED),
        ({"ada": 4, "ben": 5, "cyd": 5}, {}, (), "revise", rubric.BELOW),
        ({"ada": None, "ben": 5, "cyd": 5}, {}, (), "approve", rubric.REACHED),
        ({"ada": None, "ben": 4, "cyd": 4}, {"ada": 9, "ben": 5, "cyd": 5}, (), "revise", rubric.BELOW),
        ({"ada": None, "ben": 4, "cyd": 4}, {"ada": 9, "ben": 4, "cyd": 4}, (), "revise", rubric.BELOW),
    ],
)
def test_the_first_rule_that_fits_decides(
    scores: dict[str, int | None], before: dict[str, int | None], issues: tuple[Issue, ...], verdict: str, reason: str
) -> None:
    assert decide(scores, before, issues) == (verdict, reason)


@pytest.mark.req("CP-5", "CP-6")
@pytest.mark.parametrize("ran", [("ada",), ("ada", "ben"), ("ben", "cyd")])
def test_a_subset_asked_again_is_never_compared_with_a_round_of_all(ran: tuple[str, ...]) -> None:
    before = by(*(said(name, 9) for name in CRITICS))
    now = by(*(said(name, 1) for name in ran))
    counted = tuple({**before, **now}.values())
    assert rubric.decide(counted, (), now, before, CRITICS, 10).reason == rubric.BELOW


scores = st.dictionaries(st.sampled_from(CRITICS), st.none() | st.integers(1, 10))
severities = st.lists(st.sampled_from(SEVERITIES), max_size=6)


@pytest.mark.req("CP-5")
@given(scores, scores, scores, severities, st.floats(1, 10))
def test_laws_of_the_rubric(
    newest: dict[str, int | None],
    now: dict[str, int | None],
    before: dict[str, int | None],
    found: list[str],
    low: float,
) -> None:
    issues = tuple(issue(severity, number) for number, severity in enumerate(found, 1))
    counted = tuple(said(name, score) for name, score in newest.items())
    fresh, earlier = (by(*(said(*pair) for pair in one.items())) for one in (now, before))
    decision = rubric.decide(counted, issues, fresh, earlier, CRITICS, low)
    given_scores = [score for score in newest.values() if score is not None]
    assert decision.average == (sum(given_scores) / len(given_scores) if given_scores else None)
    if "high" in found:
        assert decision.verdict == "revise"
    if decision.verdict == "approve" and decision.reason != rubric.OSCILLATION and counted:
        assert decision.average is not None
        assert decision.average >= low
    if decision.reason == rubric.OSCILLATION:
        assert all(now.get(one) and before.get(one) for one in CRITICS)
    if decision.verdict == "revise":
        listed = [line.split("[")[1].split("]")[0] for line in decision.brief.splitlines()]
        assert listed == ["high"] * found.count("high") + ["medium"] * found.count("medium")


@pytest.mark.req("CP-5")
def test_the_brief_names_high_issues_then_medium_ones_with_their_critics() -> None:
    text = rubric.brief([issue("medium", 1), issue("low", 2), issue("high", 3)])
    assert text == "- I-003 [high] Ada: what 3 is mend it.\n- I-001 [medium] Ada: what 1 is mend it."
