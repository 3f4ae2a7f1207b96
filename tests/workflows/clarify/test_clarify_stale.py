"""A changed answer (CL-13): exactly what rests on it becomes stale, told from the two files alone."""

from __future__ import annotations

import pytest
from clarify_flow import (
    ALSO_CLEAR,
    CLEAR,
    EMPTY,
    VAGUE,
    Case,
    answered,
    asking,
    behaved,
    cases,
    confirmed,
    drafts,
    inquiry,
    returned,
    wanted,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks import staleness
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.checks.staleness import Stale
from signoff.workflows.clarify.documents import answers
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.answers import Answers
from signoff.workflows.clarify.documents.clarifications import Clarifications, parse
from signoff.workflows.clarify.documents.decisions import Decisions
from signoff.workflows.clarify.steps import confirmation
from signoff.workflows.clarify.steps.draft_decisions import Conflict

pytestmark = pytest.mark.req("CL-13")

BOTH = Conflict(sources=("Q1", "Q2"), title="Two ways", note="Both cannot be.")
FIRST = inquiry(
    ("Q1", CLEAR), ("R1.1", "A"), ("R1.1a", EMPTY), ("R1.2", EMPTY), ("Q2", CLEAR), ("Q3", EMPTY, "must"), ("Q5", EMPTY)
)
DOC = asking(FIRST, [BOTH])
MADE = confirmed(DOC, drafts(FIRST, [BOTH]))
"""D1 Q1 R1.1, D2 Q2, D3 the gap Q3, D4 the contradiction of Q1 and Q2."""


def stale(made: Decisions, doc: Clarifications) -> Stale:
    return staleness.stale(made, doc, evaluate(doc))


@given(cases())
def test_nothing_is_stale_in_a_file_that_the_flow_made(case: Case) -> None:
    found = stale(confirmed(case.doc, case.before), case.doc)
    assert not found
    assert found == Stale()


@given(cases(), st.data())
def test_changing_one_answer_makes_exactly_the_decisions_that_record_it_stale(case: Case, data: st.DataObject) -> None:
    made = confirmed(case.doc, case.before)
    recorded = [key for one in made.entries for key, said in one.answers.items() if said != answers.NOT_ANSWERED]
    assume(recorded)
    key = data.draw(st.sampled_from(recorded))
    other = data.draw(st.sampled_from(["Nobody has ever counted them so far", "per quarter", "a", "b"]))
    now = answered(case.doc, {key: other})
    before, after = Answers(case.doc, case.evaluation).said(key), Answers(now, evaluate(now)).said(key)
    assume(before != after)
    found = stale(made, now)
    assert set(found.decisions) == {one.id for one in made.entries if key in one.answers}
    assert set(found.refinements) == {item.key for item in now.refinements if ids.parent(item.key) == key}
    assert all(key in why for why in found.decisions.values())


@given(cases(), st.data())
def test_only_what_is_stale_or_undecided_has_to_be_decided_again(case: Case, data: st.DataObject) -> None:
    made = confirmed(case.doc, case.before)
    key = data.draw(st.sampled_from([item.key for item in case.doc.items]))
    now = answered(case.doc, {key: data.draw(st.sampled_from([CLEAR, VAGUE, EMPTY, "c — in spring"]))})
    found = stale(made, now)
    asked = [one for one in wanted(now, made) if one.id in found.decisions or one.was is None]
    entries, _ = confirmation.settled(returned([behaved(one) for one in asked]), asked)
    text = de.spliced(made, entries)
    again = de.parse(text)
    assert not stale(again, now)
    for asked_again in wanted(now, again):
        assert asked_again.was in asked_again.allowed
    for one in made.entries:
        if one.id not in found.decisions:
            assert made.text[slice(*one.span)].strip() in text


CHANGES: list[tuple[str, dict[str, str], dict[str, str], dict[str, str], tuple[str, ...]]] = [
    ("nothing", {}, {}, {}, ()),
    ("only white space", {"Q1": CLEAR.replace(" ", "\n\n")}, {}, {}, ()),
    ("the same choice in words", {"R1.1": "Count them all"}, {}, {}, ()),
    (
        "an answer of two decisions",
        {"Q2": VAGUE},
        {
            "D2": f"Q2 said “{CLEAR}” when this was decided and says “by region” now",
            "D4": f"Q2 said “{CLEAR}” when this was decided and says “by region” now",
        },
        {},
        (),
    ),
    (
        "an answer with refinements",
        {"Q1": EMPTY},
        {"D1": "says “(not answered)” now", "D4": "says “(not answered)” now"},
        {"R1.1": f"it refines Q1, which said “{CLEAR}”", "R1.2": "and says “(not answered)” now"},
        (),
    ),
    (
        "a refinement with its own",
        {"R1.1": "B"},
        {"D1": "R1.1 said “Count them all”", "D4": "says “Count none of them” now"},
        {"R1.1a": "it refines R1.1"},
        (),
    ),
    (
        "a refinement answered since",
        {"R1.2": VAGUE},
        {"D1": "R1.2 was answered since: “by region”", "D4": "R1.2 was answered since"},
        {},
        (),
    ),
    ("a refinement that still says nothing", {"R1.2": "(accepted recommendation)"}, {}, {}, ()),
    ("a gap answered", {"Q3": CLEAR}, {"D3": "Q3 said “(not answered)” when this was decided"}, {}, ()),
    (
        "a gap settled",
        {"Critical Gap: Title of Q3": "won deals"},
        {"D3": "a person has settled it since: “won deals”"},
        {},
        (),
    ),
    (
        "a contradiction settled",
        {"Contradiction: Two ways": "a"},
        {"D4": f"a person has settled it since: “Q1 holds: {CLEAR}”"},
        {},
        (),
    ),
    ("a contradiction to which nothing was said", {"Contradiction: Two ways": "TBD"}, {}, {}, ()),
    ("a question answered at last", {"Q5": CLEAR}, {}, {}, ("Q5",)),
    ("a must-answer put off", {"Q3": "TBD"}, {"D3": "says “TBD” now"}, {}, ()),
    ("a long answer", {"Q2": "word " * 40}, {"D2": "…” now", "D4": "…” now"}, {}, ()),
]


@pytest.mark.parametrize(
    ("answers", "decisions", "refinements", "undecided"),
    [case[1:] for case in CHANGES],
    ids=[case[0] for case in CHANGES],
)
def test_what_became_stale_is_said_with_the_reason(
    answers: dict[str, str], decisions: dict[str, str], refinements: dict[str, str], undecided: tuple[str, ...]
) -> None:
    found = stale(MADE, answered(DOC, answers))
    assert (set(found.decisions), set(found.refinements)) == (set(decisions), set(refinements))
    assert all(part in found.decisions[name] for name, part in decisions.items())
    assert all(part in found.refinements[name] for name, part in refinements.items())
    assert found.undecided == undecided
    assert bool(found) == bool(decisions or refinements or undecided)


def test_a_person_who_changes_what_they_settled_opens_it_again() -> None:
    settled = answered(DOC, {"Contradiction: Two ways": "A"})
    made = confirmed(settled, MADE)
    assert not stale(made, settled)
    now = answered(settled, {"Contradiction: Two ways": "the second"})
    assert stale(made, now).decisions == {
        "D4": f"it was settled as “Q1 holds: {CLEAR}”, and is now settled as “the second”"
    }
    now = answered(settled, {"Contradiction: Two ways": ""})
    assert stale(made, now).decisions == {"D4": f"it was settled as “Q1 holds: {CLEAR}”, and is open again"}
    assert staleness.unsettled(made, now, evaluate(now)) == ("D3", "D4")


@pytest.mark.parametrize(
    ("answer", "settled"),
    [("A", "Q1 holds: by region"), ("A — for now", "Q1 holds: by region — for now"), ("the first", "")],
)
def test_a_side_that_was_said_to_hold_makes_its_decision_stale_when_its_answer_changes(
    answer: str, settled: str
) -> None:
    doc = answered(DOC, {"Contradiction: Two ways": answer})
    made = confirmed(doc, MADE)
    now = answered(doc, {"Q1": VAGUE})
    reasons = stale(made, now).decisions["D4"].split("; ")
    assert reasons[0] == f"Q1 said “{CLEAR}” when this was decided and says “by region” now"
    assert [f"and is now settled as “{settled}”" in why for why in reasons[1:]] == ([True] if settled else [])
    again = confirmed(now, made)
    assert again.entries[3].settled == (settled or answer)
    assert not stale(again, now)
    taken_back = stale(made, answered(doc, {"Q1": EMPTY})).decisions["D4"]
    assert taken_back.endswith("and is open again") == bool(settled)


def test_a_source_that_is_gone_makes_its_decisions_stale() -> None:
    made = confirmed(inquiry(("Q1", CLEAR), ("Q2", CLEAR)), None)
    assert stale(made, inquiry(("Q1", CLEAR))).decisions == {"D2": "Q2 is not in the clarifications any more"}


def test_a_question_without_answer_is_open_and_not_undecided() -> None:
    now = inquiry(
        ("Q1", CLEAR), ("Q3", EMPTY, "must"), ("Q7", "TBD", "must"), ("Q5", EMPTY), ("R5.1", EMPTY), ("R5.1a", CLEAR)
    )
    made = confirmed(inquiry(("Q1", CLEAR)), None)
    assert stale(made, now).undecided == ("R5.1a",)


def test_several_reasons_are_all_given() -> None:
    found = stale(MADE, answered(DOC, {"Q1": ALSO_CLEAR, "R1.2": CLEAR}))
    assert found.decisions["D1"].split("; ") == [
        f"Q1 said “{CLEAR}” when this was decided and says “{' '.join(ALSO_CLEAR.split())}” now",
        f"R1.2 was answered since: “{CLEAR}”",
    ]


def test_a_decision_that_records_no_answer_is_held_to_nothing_but_its_sources() -> None:
    made = de.parse("### D1: By hand\n- **Source:** Q1\n- **Status:** resolved\n")
    assert not stale(made, inquiry(("Q1", ALSO_CLEAR)))
    assert stale(made, inquiry(("Q1", ALSO_CLEAR), ("R1.1", CLEAR))).decisions.keys() == {"D1"}


def test_a_decision_of_which_every_source_is_gone_is_stale_until_it_is_decided_again() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    made, only = confirmed(doc, None), inquiry(("Q1", CLEAR))
    assert stale(made, only).decisions == {"D2": "Q2 is not in the clarifications any more"}
    again = confirmed(only, made, 2)
    assert (again.entries[1].status, again.entries[1].sources) == ("needs-review", ("Q2",))
    assert not stale(again, only)
    assert set(stale(again, doc).decisions) == {"D2"}


@pytest.mark.parametrize(("said", "settled"), [("", ""), ("a", f"Q1 holds: {CLEAR}"), ("b", "")])
def test_a_contradiction_that_has_lost_a_side_is_decided_like_any_other_answer(said: str, settled: str) -> None:
    doc = inquiry(("Q1", CLEAR), ("R1.1", CLEAR), ("Q2", CLEAR))
    asked = answered(asking(doc, [BOTH]), {"Contradiction: Two ways": said})
    made = confirmed(asked, drafts(doc, [BOTH]))
    text = asked.text
    start, end = next(item.span for item in asked.items if item.key == "Q2")
    only = parse(text[:start] + text[end:])
    assert "D3" in stale(made, only).decisions
    again = confirmed(only, made, 2)
    entry = again.entries[2]
    assert (entry.status, entry.sources, entry.settled) == ("resolved", ("Q1", "R1.1"), settled)
    assert not stale(again, only)
    assert staleness.unsettled(again, only, evaluate(only)) == ()
    assert staleness.open_entries(only, again) == ()
    bare = parse(only.text.split("## Needs Clarification")[0])
    assert staleness.unsettled(confirmed(bare, again, 3), bare, evaluate(bare)) == ()
