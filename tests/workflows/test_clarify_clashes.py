"""Contradictions between answers: what the detector sees, and the compatible answers on which it stays silent."""

from __future__ import annotations

import pytest

from signoff.workflows.clarify.players.clashes import Ground, Said, alternatives, changed, clash
from signoff.workflows.wording import content, weights

ENTRY = "At which stage does a deal enter the pipeline?"
NAMES = alternatives(["At Lead", "At Qualified, once known", "From Proposal Sent"])


def said(key: str, title: str, question: str, text: str) -> Said:
    return Said(key, title, question, text)


def compared(one: Said, other: Said) -> str | None:
    background = ["Who approves a discount?", "How is the win rate calculated?", "Which system holds the close date?"]
    words = [content(f"{each.title} {each.question}") for each in (one, other)]
    ground = Ground(weights([*words, *map(content, background)]), NAMES)
    found = clash(one, other, ground)
    return found.reason if found else None


def test_names_are_those_that_choices_set_against_each_other() -> None:
    assert {"Lead", "Qualified", "Proposal Sent"} == NAMES
    assert alternatives(["At Qualified", "whenever it suits"]) == frozenset()


@pytest.mark.req("CL-7")
@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (
            said("Q1", "Pipeline entry", ENTRY, "At Qualified, once need and budget are known"),
            said(
                "Q2",
                "Coverage",
                "What is it computed from?",
                "Open deals. A deal enters the pipeline at Proposal Sent.",
            ),
            "name",
        ),
        (
            said("Q1", "Stalled deals", "When do stalled deals leave?", "Stalled deals leave after 90 days"),
            said("Q2", "Clean-up", "What is cleaned up?", "Old leads first; stalled deals leave after 60 days."),
            "number",
        ),
        (
            said("Q1", "Renewals", "Do renewals count as growth?", "Renewals never count as growth"),
            said("Q2", "Growth", "What is growth?", "All renewals count as growth"),
            "polarity",
        ),
        (
            said("Q1", "停滞商机", "商机停滞多久后移出管道？", "停滞商机90天后移出管道"),
            said("Q2", "清理", "清理什么？", "停滞商机60天后移出管道"),
            "number",
        ),
        (
            said("Q1", "续约", "续约计入增长吗？", "续约不计算为增长业绩"),
            said("Q2", "增长", "增长包括什么？", "所有续约一律计算为增长业绩"),
            "polarity",
        ),
        # compatible answers: each of these would be a false alarm
        (
            said("Q1", "Pipeline entry", ENTRY, "At Qualified"),
            said("Q2", "Commit threshold", "From which stage may a deal be committed?", "From Proposal Sent"),
            None,
        ),
        (
            said("Q1", "Stalled deals", "When do stalled deals leave?", "Stalled deals leave after 90 days"),
            said("Q2", "Discounts", "How long does an offer hold?", "Offers hold 30 days"),
            None,
        ),
        (
            said("Q1", "Renewals", "Do renewals count as growth?", "Renewals never count as growth"),
            said("Q2", "Bonus", "Who gets a bonus?", "All account managers get a bonus for renewals"),
            None,
        ),
        (
            said("Q1", "Stalled deals", "When do stalled deals leave?", "Stalled deals leave after 90 days"),
            said("Q2", "Clean-up", "What is cleaned up?", "Stalled deals leave after three months, that is 90 days."),
            None,
        ),
        (
            said("Q1", "Discount", "Who approves?", "The head up to 15 percent, the director up to 30 percent"),
            said("Q2", "Margin", "Who approves the margin?", "The head approves up to 20 percent"),
            None,
        ),
    ],
)
def test_a_contradiction_is_seen_in_numbers_polarity_and_names_and_few_false_ones(
    one: Said, other: Said, reason: str | None
) -> None:
    assert compared(one, other) == reason
    assert compared(other, one) == reason


def test_a_number_that_a_later_answer_changes_is_named_with_both_values() -> None:
    found = changed("90 days, mostly", "After 60 days the owner is asked")
    assert found is not None
    assert (found[0].text, found[1].text) == ("90 days", "60 days")
    assert changed("90 days", "three colleagues") is None
    assert changed("15 percent, or 20 percent", "25 percent") is None
