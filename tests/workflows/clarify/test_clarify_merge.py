"""Drafts and the merge protocol (CL-7, CL-9, CL-10): what must be decided, what may not pass, and why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from clarify_flow import (
    ALSO_CLEAR,
    CLEAR,
    EMPTY,
    PUT_OFF,
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

from signoff.core.findings import failing
from signoff.workflows.clarify.checks import staleness
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.checks.expected_decisions import Expected
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.answers import NOT_ANSWERED
from signoff.workflows.clarify.documents.decisions import OPEN, STATUSES, Decision, Decisions
from signoff.workflows.clarify.steps import confirmation, draft_decisions
from signoff.workflows.clarify.steps.draft_decisions import Conflict

Item = tuple[str, str] | tuple[str, str, str]

BOTH = Conflict(
    sources=("Q1", "Q2"), title="Two ways to count", note="Q1 counts all.", reconciliation="Count signed ones."
)
ONE_SOURCE = ("resolved", "needs-review")
DECIDED = ("resolved", "conflict-resolved", "needs-review")
REVIEW = ("needs-review",)
GAP = ("critical-gap",)


def final(*entries: Decision) -> Decisions:
    return returned(entries)


# --- step 3: drafts ---------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-7")
def test_drafts_are_made_of_clear_answers_then_gaps_then_contradictions() -> None:
    doc = inquiry(("Q1", "a"), ("Q2", ALSO_CLEAR), ("Q3", EMPTY, "must"), ("Q4", VAGUE, "must"), ("Q5", EMPTY))
    made = draft_decisions.drafted(doc, evaluate(doc), [BOTH])
    assert [(one.id, one.title, one.sources, one.section, one.status) for one in made] == [
        ("D1", "Title of Q1", ("Q1",), "One", "draft"),
        ("D2", "Title of Q2", ("Q2",), "Two", "draft"),
        ("D3", "[Critical Gap] Title of Q3", ("Q3",), "One", "critical-gap"),
        ("D4", "[Contradiction] Two ways to count", ("Q1", "Q2"), "Cross-cutting", "contradiction"),
    ]
    assert [dict(one.answers) for one in made] == [
        {"Q1": "Count them all"},
        {"Q2": " ".join(ALSO_CLEAR.split())},
        {"Q3": NOT_ANSWERED},
        {"Q1": "Count them all", "Q2": " ".join(ALSO_CLEAR.split())},
    ]
    assert made[3].note == "Q1 counts all. Possible reconciliation: Count signed ones."
    assert "Q3 must be answered" in made[2].note


@pytest.mark.req("CL-7", "CL-10")
@pytest.mark.parametrize("answer", ["TBD", PUT_OFF, "not sure yet", "c", "Other", "待定"])
def test_a_placeholder_to_a_question_that_must_be_answered_is_a_gap(answer: str) -> None:
    doc = inquiry(("Q1", answer, "must"), ("R1.1", VAGUE), ("Q3", VAGUE, "must"), ("Q5", answer))
    assert evaluate(doc).of("Q1") == "vague"  # the evaluation counts it as before
    (made,) = draft_decisions.drafted(doc, evaluate(doc), [])
    assert (made.title, made.sources, made.status) == ("[Critical Gap] Title of Q1", ("Q1",), "critical-gap")
    assert made.note.startswith("Q1 must be answered before anything can be decided on it, and “")
    assert made.note.endswith("” says nothing yet.")
    ((kind, draft),) = draft_decisions.entries_for(doc, evaluate(doc), [])
    assert (kind, draft.origins) == ("Critical Gap", ("Q1",))
    clear = answered(doc, {"R1.1": CLEAR})
    assert draft_decisions.drafted(clear, evaluate(clear), []) == ()
    assert draft_decisions.entries_for(clear, evaluate(clear), []) == []


@pytest.mark.req("CL-7")
def test_a_draft_has_no_opinion() -> None:
    (made,) = draft_decisions.drafted(doc := inquiry(("Q1", CLEAR)), evaluate(doc), [])
    assert (made.decision, made.reasoning, made.implication, made.note) == ("", "", "", "")


@pytest.mark.req("CL-7")
def test_nothing_is_drafted_twice_and_ids_go_on_after_the_highest() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", EMPTY, "must"))
    before = drafts(doc, [BOTH])
    assert draft_decisions.drafted(doc, evaluate(doc), [BOTH], before) == ()
    more = answered(inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", EMPTY, "must"), ("Q4", EMPTY)), {"Q4": CLEAR})
    gone = de.parse(de.render([one for one in before.entries if one.id != "D2"], {}))
    made = draft_decisions.drafted(more, evaluate(more), [replace(BOTH, sources=("Q2", "Q4"))], gone)
    assert [(one.id, one.sources) for one in made] == [("D5", ("Q2",)), ("D6", ("Q4",)), ("D7", ("Q2", "Q4"))]


@pytest.mark.req("CL-7")
def test_a_contradiction_that_got_refinements_since_is_the_same_contradiction() -> None:
    doc = inquiry(("Q1", CLEAR), ("R1.1", CLEAR), ("Q2", CLEAR))
    made = confirmed(asking(doc, [BOTH]), drafts(doc, [BOTH]))
    assert made.entries[2].sources == ("Q1", "Q2", "R1.1")
    assert draft_decisions.drafted(doc, evaluate(doc), [BOTH], made) == ()
    assert [
        one.sources
        for one in draft_decisions.drafted(doc, evaluate(doc), [replace(BOTH, sources=("Q1", "R1.1"))], made)
    ] == [("Q1", "R1.1")]


@pytest.mark.req("CL-7")
def test_a_gap_that_a_refinement_closes_is_no_gap() -> None:
    doc = inquiry(("Q1", EMPTY, "must"), ("R1.1", VAGUE), ("R1.1a", CLEAR), ("Q2", EMPTY, "must"), ("R2.1", VAGUE))
    assert [one.sources for one in draft_decisions.drafted(doc, evaluate(doc), [])] == [("Q2",)]
    assert [draft.origins for _, draft in draft_decisions.entries_for(doc, evaluate(doc), [])] == [("Q2",)]


@pytest.mark.req("CL-7", "CL-8")
def test_gaps_and_contradictions_are_put_to_the_person_with_choices() -> None:
    doc = inquiry(("Q1", "a"), ("Q2", ALSO_CLEAR), ("Q3", EMPTY, "must"))
    asked = asking(doc, [BOTH])
    assert asked.problems == ()
    gap, conflict = asked.entries
    assert (gap.key, gap.origins, [one.text for one in gap.choices][:2]) == (
        "Critical Gap: Title of Q3",
        ("Q3",),
        ["Count them all", "Count none of them"],
    )
    assert (conflict.key, conflict.origins, conflict.body) == (
        "Contradiction: Two ways to count",
        ("Q1", "Q2"),
        "Q1 counts all.",
    )
    assert [one.text for one in conflict.choices] == [
        "Q1 holds: Count them all",
        "Q2 holds: " + " ".join(ALSO_CLEAR.split()),
        "Count signed ones.",
        "Other (please specify)",
    ]
    assert (gap.recommendation, conflict.recommendation, gap.answer, conflict.answer) == ("", "", "", "")


@pytest.mark.req("CL-7")
def test_what_the_file_asks_already_is_not_asked_again() -> None:
    doc = asking(inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", EMPTY, "must")), [BOTH])
    assert (
        draft_decisions.entries_for(doc, evaluate(doc), [BOTH, replace(BOTH, sources=("Q2", "Q1"), title="Again")])
        == []
    )


@pytest.mark.req("CL-7")
def test_two_contradictions_of_one_title_can_be_told_apart() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", CLEAR))
    asked = asking(doc, [BOTH, replace(BOTH, sources=("Q2", "Q3"))])
    assert asked.problems == ()
    assert [item.key for item in asked.entries] == [
        "Contradiction: Two ways to count",
        "Contradiction: Two ways to count (Q2, Q3)",
    ]


# --- step 5: what must be there ---------------------------------------------------------------------------------------

NEW: list[tuple[str, list[Item], list[tuple[str, tuple[str, ...], tuple[str, ...]]]]] = [
    ("a clear question", [("Q1", CLEAR)], [("Title of Q1", ("Q1",), ONE_SOURCE)]),
    (
        "a clear question with answered refinements",
        [("Q1", CLEAR), ("R1.1", VAGUE), ("R1.1a", "A"), ("R1.2", EMPTY)],
        [("Title of Q1", ("Q1", "R1.1", "R1.1a"), DECIDED)],
    ),
    ("a vague question", [("Q1", VAGUE)], [("Title of Q1", ("Q1",), REVIEW)]),
    (
        "a vague question whose refinement is vague",
        [("Q1", VAGUE), ("R1.1", VAGUE)],
        [("Title of Q1", ("Q1", "R1.1"), REVIEW)],
    ),
    (
        "a vague question with a clear refinement",
        [("Q1", VAGUE, "must"), ("R1.1", CLEAR), ("R1.2", VAGUE)],
        [("Title of R1.1", ("R1.1",), ONE_SOURCE)],
    ),
    (
        "one entry for each clear refinement",
        [("Q1", EMPTY), ("R1.1", CLEAR), ("R1.2", CLEAR), ("R1.2a", VAGUE)],
        [("Title of R1.1", ("R1.1",), ONE_SOURCE), ("Title of R1.2", ("R1.2", "R1.2a"), DECIDED)],
    ),
    (
        "a refinement that only its own refinement makes clear",
        [("Q1", EMPTY, "must"), ("R1.1", EMPTY), ("R1.1a", CLEAR)],
        [("Title of R1.1", ("R1.1", "R1.1a"), DECIDED)],
    ),
    ("a must-answer without answer", [("Q1", EMPTY, "must")], [("[Critical Gap] Title of Q1", ("Q1",), GAP)]),
    (
        "a must-answer with a vague refinement",
        [("Q1", EMPTY, "must"), ("R1.1", VAGUE)],
        [("[Critical Gap] Title of Q1", ("Q1", "R1.1"), GAP)],
    ),
    ("a must-answer that is vague", [("Q1", VAGUE, "must")], [("Title of Q1", ("Q1",), REVIEW)]),
    ("a must-answer put off", [("Q1", PUT_OFF, "must")], [("[Critical Gap] Title of Q1", ("Q1",), GAP)]),
    ("a must-answer with Other, and not what", [("Q1", "c", "must")], [("[Critical Gap] Title of Q1", ("Q1",), GAP)]),
    (
        "a must-answer put off, with a vague refinement",
        [("Q1", "TBD", "must"), ("R1.1", VAGUE)],
        [("[Critical Gap] Title of Q1", ("Q1", "R1.1"), GAP)],
    ),
    (
        "a must-answer put off, with a clear refinement",
        [("Q1", "TBD", "must"), ("R1.1", CLEAR)],
        [("Title of R1.1", ("R1.1",), ONE_SOURCE)],
    ),
    ("a question put off", [("Q1", "TBD")], [("Title of Q1", ("Q1",), REVIEW)]),
    ("no answer at all", [("Q1", EMPTY), ("R1.1", EMPTY)], []),
    ("a vague refinement of nothing", [("Q1", EMPTY), ("R1.1", VAGUE)], []),
    (
        "the order of the file",
        [("Q1", CLEAR), ("Q3", VAGUE), ("Q2", EMPTY, "must")],
        [
            ("Title of Q1", ("Q1",), ONE_SOURCE),
            ("Title of Q3", ("Q3",), REVIEW),
            ("[Critical Gap] Title of Q2", ("Q2",), GAP),
        ],
    ),
]


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(("items", "entries"), [case[1:] for case in NEW], ids=[case[0] for case in NEW])
def test_without_drafts_every_answer_becomes_a_decision(
    items: list[Item], entries: list[tuple[str, tuple[str, ...], tuple[str, ...]]]
) -> None:
    found = wanted(inquiry(*items), None)
    assert [(one.title, one.sources, one.allowed) for one in found] == entries
    assert [one.id for one in found] == [f"D{number}" for number in range(1, len(entries) + 1)]
    assert {one.was for one in found} <= {None}


DRAFTED: list[tuple[str, list[Item], dict[str, str], tuple[str, ...], tuple[str, ...]]] = [
    ("no news", [("Q1", CLEAR)], {}, ("Q1",), ONE_SOURCE),
    ("supported by a refinement", [("Q1", CLEAR), ("R1.1", EMPTY)], {"R1.1": CLEAR}, ("Q1", "R1.1"), DECIDED),
    ("a vague refinement", [("Q1", CLEAR), ("R1.1", EMPTY)], {"R1.1": VAGUE}, ("Q1", "R1.1"), DECIDED),
    (
        "a sub-refinement",
        [("Q1", CLEAR), ("R1.1", EMPTY), ("R1.1a", EMPTY)],
        {"R1.1a": CLEAR},
        ("Q1", "R1.1a"),
        DECIDED,
    ),
    ("an answer that became vague", [("Q1", CLEAR)], {"Q1": VAGUE}, ("Q1",), REVIEW),
    ("an answer that is gone", [("Q1", CLEAR)], {"Q1": EMPTY}, ("Q1",), REVIEW),
    ("a must-answer that is gone", [("Q1", CLEAR, "must")], {"Q1": EMPTY}, ("Q1",), GAP),
    ("a must-answer that was put off", [("Q1", CLEAR, "must")], {"Q1": PUT_OFF}, ("Q1",), GAP),
    ("a must-answer that became vague", [("Q1", CLEAR, "must")], {"Q1": VAGUE}, ("Q1",), REVIEW),
    (
        "a must-answer that was put off like its refinement",
        [("Q1", CLEAR, "must"), ("R1.1", EMPTY)],
        {"Q1": "TBD", "R1.1": "TBD"},
        ("Q1", "R1.1"),
        GAP,
    ),
    ("a gap that is put off", [("Q1", EMPTY, "must")], {"Q1": "TBD"}, ("Q1",), GAP),
    (
        "a placeholder that the person settled",
        [("Q1", "TBD", "must")],
        {"Critical Gap: Title of Q1": CLEAR},
        ("Q1",),
        ONE_SOURCE,
    ),
    (
        "a must-answer that is gone, with a clear refinement",
        [("Q1", CLEAR, "must"), ("R1.1", EMPTY)],
        {"Q1": EMPTY, "R1.1": CLEAR},
        ("Q1", "R1.1"),
        DECIDED,
    ),
    ("a gap that is still one", [("Q1", EMPTY, "must")], {}, ("Q1",), GAP),
    ("a gap with a vague answer", [("Q1", EMPTY, "must")], {"Q1": VAGUE}, ("Q1",), REVIEW),
    ("a gap that is answered", [("Q1", EMPTY, "must")], {"Q1": CLEAR}, ("Q1",), ONE_SOURCE),
    (
        "a gap whose refinement is answered",
        [("Q1", EMPTY, "must"), ("R1.1", EMPTY)],
        {"R1.1": CLEAR},
        ("Q1", "R1.1"),
        DECIDED,
    ),
    (
        "a gap that the person settled, in few words",
        [("Q1", EMPTY, "must")],
        {"Critical Gap: Title of Q1": "ask Bob"},
        ("Q1",),
        REVIEW,
    ),
    (
        "a gap that the person settled, by a choice",
        [("Q1", EMPTY, "must")],
        {"Critical Gap: Title of Q1": "b"},
        ("Q1",),
        ONE_SOURCE,
    ),
    (
        "a gap to which the person said nothing",
        [("Q1", EMPTY, "must")],
        {"Critical Gap: Title of Q1": "TBD"},
        ("Q1",),
        GAP,
    ),
]


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(
    ("items", "answers", "sources", "allowed"), [case[1:] for case in DRAFTED], ids=[case[0] for case in DRAFTED]
)
def test_a_draft_keeps_its_id_and_earns_its_status_by_the_answers(
    items: list[Item], answers: dict[str, str], sources: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    first = inquiry(*items)
    before = drafts(first)
    (one,) = wanted(answered(asking(first), answers), before)
    (old,) = before.entries
    assert (one.id, one.title, one.was, one.section) == (old.id, old.title, old.status, old.section)
    assert (one.sources, one.allowed) == (sources, allowed)
    assert one.why


CONTRADICTIONS = [
    ("no answer", EMPTY, ("contradiction",), ""),
    ("a placeholder", "not sure", ("contradiction",), ""),
    ("(accepted recommendation)", "(accepted recommendation)", ("contradiction",), ""),
    ("Other, and nothing said", "D", ("contradiction",), ""),
    ("a letter", "A", ("conflict-resolved",), "Q1 holds: " + CLEAR),
    ("the reconciliation", "c", ("conflict-resolved",), "Count signed ones."),
    ("few words", "the second", ("conflict-resolved",), "the second"),
    ("several lines", "The second\n\nholds now", ("conflict-resolved",), "The second holds now"),
]


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(
    ("answer", "allowed", "settled"), [case[1:] for case in CONTRADICTIONS], ids=[case[0] for case in CONTRADICTIONS]
)
def test_a_contradiction_is_open_until_a_person_has_settled_it(
    answer: str, allowed: tuple[str, ...], settled: str
) -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    asked = answered(asking(doc, [BOTH]), {"Contradiction: Two ways to count": answer})
    found = wanted(asked, drafts(doc, [BOTH]))[2]
    assert (found.sources, found.section, found.allowed, found.settled) == (
        ("Q1", "Q2"),
        "Cross-cutting",
        allowed,
        settled,
    )
    assert "`### Contradiction: Two ways to count` in `## Needs Clarification`" in found.why


CHANGED = ("conflict-resolved", "resolved", "contradiction")
TWO_WAYS = "Contradiction: Two ways to count"
OTHER_WORDS = "Nobody has ever counted them so far"

MOVED: list[tuple[str, dict[str, str], str, tuple[str, ...], str]] = [
    ("nothing", {}, "", ("contradiction",), "only a person can say"),
    ("only white space", {"Q2": CLEAR.replace(" ", "\n")}, "", ("contradiction",), "only a person can say"),
    ("one side", {"Q2": OTHER_WORDS}, "", CHANGED, f"Q2 said “{CLEAR}” when this was recorded and says"),
    ("the other side", {"Q1": "A"}, "", CHANGED, "says “Count them all” now"),
    ("a side taken back", {"Q1": EMPTY}, "", CHANGED, "says “(not answered)” now"),
    (
        "both sides taken back",
        {"Q1": "TBD", "Q2": EMPTY},
        "",
        ("needs-review", "contradiction"),
        "an answer changed since",
    ),
    ("a refinement answered since", {"R1.1": CLEAR}, "", ("contradiction",), "only a person can say"),
    (
        "a side, and it was settled in words",
        {"Q2": VAGUE, TWO_WAYS: "the first"},
        "the first",
        ("conflict-resolved",),
        "",
    ),
    (
        "the side that was said to hold",
        {"Q2": OTHER_WORDS, TWO_WAYS: "b"},
        f"Q2 holds: {OTHER_WORDS}",
        ("conflict-resolved",),
        "",
    ),
    (
        "the side that was said to hold, with a limit",
        {"Q2": VAGUE, TWO_WAYS: "B (in the south)"},
        f"Q2 holds: {VAGUE} (in the south)",
        ("conflict-resolved",),
        "",
    ),
    (
        "the side that was said to hold, by its words",
        {"Q2": VAGUE, TWO_WAYS: f"Q2 holds: {CLEAR}"},
        f"Q2 holds: {VAGUE}",
        ("conflict-resolved",),
        "",
    ),
    (
        "the side that was said not to hold",
        {"Q2": OTHER_WORDS, TWO_WAYS: "a"},
        f"Q1 holds: {CLEAR}",
        ("conflict-resolved",),
        "",
    ),
    ("the side that was said to hold, taken back", {"Q2": EMPTY, TWO_WAYS: "b"}, "", CHANGED, "Q2 said"),
    ("the side that was said to hold, put off", {"Q2": "TBD", TWO_WAYS: "b"}, "", CHANGED, "says “TBD” now"),
]


@pytest.mark.req("CL-9", "CL-13")
@pytest.mark.parametrize(
    ("answers", "settled", "allowed", "why"), [case[1:] for case in MOVED], ids=[case[0] for case in MOVED]
)
def test_a_contradiction_of_which_an_answer_changed_is_judged_again(
    answers: dict[str, str], settled: str, allowed: tuple[str, ...], why: str
) -> None:
    doc = inquiry(("Q1", CLEAR), ("R1.1", EMPTY), ("Q2", CLEAR))
    before, now = drafts(doc, [BOTH]), answered(asking(doc, [BOTH]), answers)
    found = wanted(now, before)[2]
    assert (found.settled, found.allowed) == (settled, allowed)
    assert why in found.why
    assert staleness.unsettled(before, now, evaluate(now)) == ("D3",)  # nobody has judged it yet
    is_moot = len(allowed) > 1
    assert (found.change in found.why) == bool(found.change or not is_moot)
    assert bool(found.change) == is_moot
    assert staleness.open_entries(now, before) == (() if settled or is_moot else (TWO_WAYS,))


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize("status", CHANGED)
def test_a_contradiction_that_was_judged_again_stays_as_it_was_judged(status: str) -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    now = answered(asking(doc, [BOTH]), {"Q2": "A"})
    made = confirmed(now, drafts(doc, [BOTH]), choose=lambda one: status if one.id == "D3" else one.allowed[0])
    entry = made.entries[2]
    is_open = status == "contradiction"
    assert (entry.status, entry.answers) == (status, {"Q1": CLEAR, "Q2": "Count them all"})
    assert entry.change == (
        "" if is_open else f"Q2 said “{CLEAR}” when this was recorded and says “Count them all” now"
    )
    assert wanted(now, made)[2].allowed == (("contradiction",) if is_open else CHANGED)
    assert staleness.unsettled(made, now, evaluate(now)) == (("D3",) if is_open else ())
    assert not staleness.stale(made, now, evaluate(now))
    assert staleness.open_entries(now, made) == ((TWO_WAYS,) if is_open else ())
    back = answered(now, {"Q2": CLEAR})
    assert wanted(back, made)[2].allowed == CHANGED
    assert staleness.stale(made, back, evaluate(back)).decisions.keys() == {"D2", "D3"}


@pytest.mark.req("CL-10")
def test_a_status_line_and_a_change_that_somebody_wrote_do_not_settle_a_contradiction() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    asked, before = asking(doc, [BOTH]), drafts(doc, [BOTH])
    claimed = de.parse(
        before.text.replace("**Status:** contradiction", "**Change:** Q2 became Q1\n- **Status:** resolved")
    )
    assert (claimed.entries[2].status, claimed.entries[2].change) == ("resolved", "Q2 became Q1")
    assert wanted(asked, claimed)[2].allowed == ("contradiction",)
    assert staleness.open_entries(asked, claimed) == (TWO_WAYS,)


@pytest.mark.req("CL-9")
def test_what_an_agent_says_of_a_change_stands_behind_what_code_knows_of_it() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    asked = wanted(answered(asking(doc, [BOTH]), {"Q2": "A"}), drafts(doc, [BOTH]))
    known = asked[2].change
    assert known
    for said, written in [("", known), ("From 1 to 2.", f"{known}. From 1 to 2."), (f"{known}!", f"{known}!")]:
        entries, _ = confirmation.settled(returned([replace(behaved(one), change=said) for one in asked]), asked)
        assert [one.change for one in entries] == [said, said, written]


@pytest.mark.req("CL-8")
def test_what_waits_for_a_person_is_what_nobody_has_settled() -> None:
    gap, other = "Critical Gap: Title of Q3", "Critical Gap: Title of Q5"
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", EMPTY, "must"), ("R3.1", EMPTY), ("Q5", "TBD", "must"))
    asked, before = asking(doc, [BOTH]), drafts(doc, [BOTH])
    cases: list[tuple[dict[str, str], tuple[str, ...]]] = [
        ({}, (gap, other, TWO_WAYS)),
        ({gap: "TBD", TWO_WAYS: "d"}, (gap, other, TWO_WAYS)),
        ({gap: "won deals", TWO_WAYS: "a"}, (other,)),
        ({"Q3": CLEAR, "Q5": VAGUE}, (TWO_WAYS,)),
        ({"Q3": CLEAR, "Q5": "not sure yet"}, (other, TWO_WAYS)),
        ({"R3.1": "A", "Q5": "B"}, (TWO_WAYS,)),
        ({"Q1": VAGUE}, (gap, other)),
    ]
    for answers, keys in cases:
        assert staleness.open_entries(answered(asked, answers), before) == keys, answers
    assert staleness.open_entries(answered(asked, {"Q1": VAGUE}), None) == (gap, other, TWO_WAYS)
    known = answered(asked, {"Q5": "N/A"})
    assert staleness.open_entries(known, before) == (gap, other, TWO_WAYS)
    assert staleness.open_entries(known, before, evaluate(known, ["N/A"])) == (gap, TWO_WAYS)
    assert staleness.open_entries(doc, None) == ()


@pytest.mark.req("CL-8", "CL-10")
@given(cases(), st.data())
def test_what_waits_for_a_person_is_open_in_the_decisions_too(case: Case, data: st.DataObject) -> None:
    made = confirmed(case.doc, case.before, choose=lambda one: data.draw(st.sampled_from(one.allowed)))
    still = {one.id for one in wanted(case.doc, made) if set(one.allowed) <= set(OPEN)}
    assert set(staleness.unsettled(made, case.doc, case.evaluation)) == still
    waiting = staleness.open_entries(case.doc, made, case.evaluation)
    tags = {"contradiction": "Contradiction", "critical-gap": "Critical Gap"}
    asked = {
        f"{tags[entry.status]}: {entry.title.split('] ')[1]}"
        for entry in made.entries
        if entry.id in still and entry.title.startswith("[")
    }
    assert set(waiting) == asked & {item.key for item in case.doc.entries}


@pytest.mark.req("CL-10")
def test_a_changed_status_line_does_not_settle_a_contradiction_or_a_gap() -> None:
    doc = asking(inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", EMPTY, "must")), [BOTH])
    claimed = de.parse(
        drafts(doc, [BOTH]).text.replace("critical-gap", "resolved").replace(": contradiction", ": resolved")
    )
    claimed = de.parse(claimed.text.replace("**Status:** contradiction", "**Status:** conflict-resolved"))
    assert {one.status for one in claimed.entries}.isdisjoint(OPEN)
    assert [one.allowed for one in wanted(doc, claimed)] == [ONE_SOURCE, ONE_SOURCE, GAP, ("contradiction",)]
    assert staleness.unsettled(claimed, doc, evaluate(doc)) == ("D3", "D4")
    for said in ("not sure", "TBD", "c"):
        put_off = answered(doc, {"Q3": said})
        assert staleness.unsettled(claimed, put_off, evaluate(put_off)) == ("D3", "D4")


@pytest.mark.req("CL-10")
def test_an_entry_that_claims_to_be_open_keeps_the_file_open() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    claimed = de.parse(confirmed(doc, None).text.replace("**Status:** resolved", "**Status:** critical-gap", 1))
    assert claimed.entries[0].status == "critical-gap"
    assert staleness.unsettled(claimed, doc, evaluate(doc)) == ("D1",)
    assert staleness.unsettled(confirmed(doc, None), doc, evaluate(doc)) == ()


@pytest.mark.req("CL-10")
def test_a_must_answer_question_that_nobody_answered_or_decided_keeps_the_file_open() -> None:
    doc = inquiry(("Q1", CLEAR))
    made = confirmed(doc, None)
    for said in (EMPTY, PUT_OFF):
        more = inquiry(("Q1", CLEAR), ("Q3", said, "must"))
        assert staleness.unsettled(made, more, evaluate(more)) == ("D2",)


@pytest.mark.req("CL-9")
def test_a_question_that_is_gone_falls_away_as_a_source_unless_it_was_the_only_one() -> None:
    doc = inquiry(("Q1", CLEAR), ("R1.1", CLEAR), ("Q2", CLEAR))
    made = confirmed(doc, None)
    left = inquiry(("Q1", CLEAR))
    one, two = wanted(left, made)
    assert (one.sources, one.allowed) == (("Q1",), ONE_SOURCE)
    assert (two.sources, two.allowed, two.section) == (("Q2",), REVIEW, "Two")
    assert "Q2" in two.why


@pytest.mark.req("CL-9")
def test_a_settled_contradiction_of_which_one_side_is_gone_cannot_be_in_conflict() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    before = drafts(doc, [BOTH])
    only = inquiry(("Q1", CLEAR))
    asked = cl.Draft(title=BOTH.title, origins=("Q1",), answer="the first")
    left = cl.parse(cl.with_entries(only, [("Contradiction", asked)]))
    found = wanted(left, before)[2]
    assert (found.sources, found.settled, found.allowed) == (("Q1",), "the first", ONE_SOURCE)


@pytest.mark.req("CL-9")
def test_a_changed_contradiction_of_which_one_side_is_gone_cannot_be_in_conflict() -> None:
    before = drafts(inquiry(("Q1", CLEAR), ("Q2", CLEAR)), [BOTH])
    only = inquiry(("Q1", "A"))
    found = wanted(only, before)[2]
    assert (found.sources, found.allowed) == (("Q1",), ONE_SOURCE)
    made = confirmed(only, before)
    assert staleness.unsettled(made, only, evaluate(only)) == ()
    assert staleness.open_entries(only, made) == ()


@pytest.mark.req("CL-9")
def test_a_contradiction_is_settled_by_the_entry_of_its_own_sources() -> None:
    wider = replace(BOTH, sources=("Q1", "Q2", "Q3"), title="Three ways")
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", CLEAR))
    asked = answered(asking(doc, [BOTH, wider]), {"Contradiction: Three ways": "the third"})
    before = drafts(doc, [replace(BOTH, sources=("Q1", "Q2", "Q3")), replace(wider, sources=("Q3", "Q2"))])
    assert [(one.id, one.sources, one.settled, one.allowed) for one in wanted(asked, before)[3:]] == [
        ("D4", ("Q1", "Q2", "Q3"), "the third", ("conflict-resolved",)),
        ("D5", ("Q3", "Q2"), "", ("contradiction",)),
        ("D6", ("Q1", "Q2"), "", ("contradiction",)),  # what was put as "Two ways to count", and in no decision
    ]
    three, two = wanted(asked, drafts(doc, [wider]))[3:]
    assert (three.settled, three.allowed) == ("the third", ("conflict-resolved",))
    assert (two.title, two.sources, two.was) == ("[Contradiction] Two ways to count", ("Q1", "Q2"), None)


@pytest.mark.req("CL-9")
def test_a_question_answered_at_last_gets_its_decision_beside_those_of_its_refinements() -> None:
    doc = inquiry(("Q1", EMPTY), ("R1.1", CLEAR), ("R1.2", VAGUE))
    made = confirmed(doc, None)
    now = answered(doc, {"Q1": CLEAR})
    assert [(one.id, one.sources) for one in wanted(now, made)] == [("D1", ("R1.1",)), ("D2", ("Q1", "R1.1", "R1.2"))]


@pytest.mark.req("CL-9")
def test_what_is_expected_can_be_put_into_a_brief() -> None:
    (one,) = wanted(inquiry(("Q1", "A"), ("R1.1", CLEAR)), None)
    assert one.plain() == {
        "id": "D1",
        "title": "Title of Q1",
        "sources": ["Q1", "R1.1"],
        "section": "One",
        "answers": {"Q1": "Count them all", "R1.1": CLEAR},
        "settled": "",
        "was": None,
        "allowed": ["resolved", "conflict-resolved", "needs-review"],
        "why": "Q1, R1.1 has a clear answer",
        "change": "",
    }


@pytest.mark.req("CL-1", "CL-9")
@given(cases())
def test_ids_and_titles_of_what_was_there_never_change_and_a_second_look_finds_the_same(case: Case) -> None:
    asked = wanted(case.doc, case.before)
    old = case.before.entries if case.before else ()
    assert [(one.id, one.title) for one in asked[: len(old)]] == [(one.id, one.title) for one in old]
    assert len({one.id for one in asked}) == len(asked)
    made = confirmed(case.doc, case.before)
    again = wanted(case.doc, made)
    assert [replace(one, was=None) for one in again] == [replace(one, was=None) for one in asked]
    assert [one.was for one in again] == [one.status for one in made.entries]
    assert draft_decisions.drafted(case.doc, evaluate(case.doc), [], made) == ()


@pytest.mark.req("CL-9", "CL-10")
@given(cases())
def test_every_source_exists_every_clear_answer_is_used_and_only_answers_make_a_decision(case: Case) -> None:
    asked, verdicts = wanted(case.doc, case.before), dict(case.evaluation.per_question)
    used = {key for one in asked for key in one.sources}
    assert used <= set(verdicts)
    assert {key for key, verdict in verdicts.items() if verdict == "clear"} <= used
    for one in asked:
        if "resolved" in one.allowed:
            assert one.settled or any(verdicts[key] == "clear" for key in one.sources)
        assert ("conflict-resolved" in one.allowed) <= (len(one.sources) > 1)
        assert set(one.allowed) <= set(STATUSES) - {"draft"}
        assert list(one.answers) == list(one.sources)


# --- step 5: checks ---------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-9", "CL-10")
@given(cases(), st.data())
def test_what_an_agent_that_behaves_gives_back_is_taken(case: Case, data: st.DataObject) -> None:
    asked = wanted(case.doc, case.before)
    output = returned([behaved(one, data.draw(st.sampled_from(one.allowed))) for one in asked])
    assert output.problems == ()
    assert confirmation.check_final(output, asked, case.before) == ()
    entries, warnings = confirmation.settled(output, asked)
    assert warnings == ()
    made = de.parse(de.with_front(de.render(entries, {}), confirmation.final(entries, 1)))
    assert confirmation.check_final(made, asked, case.before) == ()
    assert de.lint(made) == ()
    assert confirmation.front_findings(made, entries, 1) == ()
    open_ids = staleness.unsettled(made, case.doc, case.evaluation)
    assert (made.front["status"] == "complete") == (not open_ids)


Change = Callable[[list[Decision], int], list[Decision]]


def _with(at: int, entries: list[Decision], **fields: object) -> list[Decision]:
    return [*entries[:at], replace(entries[at], **fields), *entries[at + 1 :]]  # type: ignore[arg-type]


def _swapped(entries: list[Decision], at: int) -> list[Decision]:
    other = (at + 1) % len(entries)
    made = _with(at, entries, id=entries[other].id)
    return _with(other, made, id=entries[at].id)


MUTATIONS: dict[str, tuple[str, Change]] = {
    "drop an entry": ("missing", lambda entries, at: entries[:at] + entries[at + 1 :]),
    "rename its id": ("missing", lambda entries, at: _with(at, entries, id="D99")),
    "swap two ids": ("renamed", _swapped),
    "change the title": ("renamed", lambda entries, at: _with(at, entries, title="Another title")),
    "leave the draft": ("draft", lambda entries, at: _with(at, entries, status="draft")),
    "name a source that is not there": (
        "source",
        lambda entries, at: _with(at, entries, sources=(*entries[at].sources, "Q77")),
    ),
    "replace the sources": ("source", lambda entries, at: _with(at, entries, sources=("R9.9",))),
    "add an entry": ("unknown", lambda entries, at: [*entries, replace(entries[at], id="D98", sources=("Q1", "Q97"))]),
    "say nothing": (
        "",
        lambda entries, at: _with(at, entries, decision="", reasoning="", implication="", note="", contradiction=""),
    ),
    "say TBD": ("", lambda entries, at: _with(at, entries, decision="TBD", reasoning="TBD", note="TBD")),
    "claim another status": (
        "status",
        lambda entries, at: _with(
            at, entries, status="critical-gap" if entries[at].status != "critical-gap" else "contradiction"
        ),
    ),
}


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(("rule", "change"), MUTATIONS.values(), ids=MUTATIONS)
@given(case=cases(), data=st.data())
def test_one_change_to_a_good_output_is_enough_to_refuse_it(
    rule: str, change: Change, case: Case, data: st.DataObject
) -> None:
    asked = wanted(case.doc, case.before)
    assume(asked and (change is not _swapped or len({one.title for one in asked}) > 1))
    good = [behaved(one) for one in asked]
    at = data.draw(st.integers(0, len(good) - 1))
    if change is _swapped:
        assume(good[at].title != good[(at + 1) % len(good)].title)
    found = confirmation.check_final(returned(change(good, at)), asked, case.before)
    assert failing(found) == found != ()
    assert all(one.problem and one.repair for one in found)
    rules = {one.rule for one in found}
    assert (
        f"decisions.{rule}" in rules
        if rule
        else rules <= {"decisions.unchanged", "decisions.note", "decisions.conflict"}
    )


TWO = inquiry(("Q1", CLEAR), ("R1.1", ALSO_CLEAR), ("Q2", CLEAR), ("Q3", EMPTY, "must"), ("Q5", VAGUE))
BEFORE = drafts(TWO, [BOTH])
ASKED = asking(TWO, [BOTH])
SETTLED = answered(ASKED, {"Contradiction: Two ways to count": "A"})
"""D1 Q1 R1.1, D2 Q2, D3 gap Q3, D4 contradiction Q1 Q2, D5 the vague Q5."""

REFUSALS: list[tuple[str, cl.Clarifications, str, dict[str, object], str, str, str]] = [
    (
        "a draft left",
        TWO,
        "D1",
        {"status": "draft"},
        "draft",
        "still has the status 'draft'",
        "resolved or conflict-resolved",
    ),
    (
        "a placeholder claimed",
        answered(ASKED, {"Q3": "TBD"}),
        "D3",
        {"status": "needs-review", "reasoning": "TBD is not much."},
        "status",
        "Q3 (“TBD” says nothing yet) must be answered",
        "use critical-gap",
    ),
    ("a gap claimed", ASKED, "D3", {"status": "resolved"}, "status", "Q3 must be answered", "use critical-gap"),
    (
        "a contradiction claimed",
        ASKED,
        "D4",
        {"status": "conflict-resolved", "contradiction": "Q1 and Q2"},
        "status",
        "only a person can say which side holds",
        "use contradiction",
    ),
    (
        "a settled contradiction",
        SETTLED,
        "D4",
        {"status": "resolved"},
        "status",
        "a person answered",
        "use conflict-resolved",
    ),
    ("a vague answer", TWO, "D5", {"status": "resolved"}, "status", "none of its sources (Q5)", "use needs-review"),
    (
        "a conflict with itself",
        TWO,
        "D2",
        {"status": "conflict-resolved", "contradiction": "Q2 and Q2"},
        "status",
        "one source alone cannot be in conflict",
        "use resolved or needs-review",
    ),
    (
        "clear, yet open",
        TWO,
        "D2",
        {"status": "critical-gap", "note": "n"},
        "status",
        "Q2 has a clear answer",
        "use resolved",
    ),
    ("renamed", TWO, "D1", {"title": "Mine"}, "renamed", "'Title of Q1' and is now 'Mine'", "### D1: Title of Q1"),
    ("a source left out", TWO, "D1", {"sources": ("Q1",)}, "source", "leaves out R1.1", "- **Source:** Q1, R1.1"),
    ("a source invented", TWO, "D2", {"sources": ("Q2", "Q9")}, "source", "'Q9'", "- **Source:** Q2`"),
    ("no decision", TWO, "D1", {"decision": ""}, "unchanged", "no Decision of its own", "- **Decision:** …"),
    (
        "no reason and no effect",
        TWO,
        "D1",
        {"reasoning": "TBD", "implication": ""},
        "unchanged",
        "no Reasoning and no Implication",
        "- **Implication:** …",
    ),
    (
        "a review without a word",
        TWO,
        "D5",
        {"decision": "", "reasoning": ""},
        "unchanged",
        "no Reasoning of its own",
        "- **Reasoning:** …",
    ),
    ("an open entry without a note", ASKED, "D3", {"note": ""}, "note", "what it waits for", "- **Note:** …"),
    (
        "one side only",
        TWO,
        "D1",
        {"status": "conflict-resolved", "contradiction": "Q1 was wrong"},
        "conflict",
        "names Q1",
        "by id: Q1, R1.1",
    ),
    (
        "no side at all",
        TWO,
        "D1",
        {"status": "conflict-resolved", "contradiction": ""},
        "conflict",
        "names neither",
        "- **Contradiction:** …",
    ),
    (
        "one side and its own refinement",
        SETTLED,
        "D4",
        {"contradiction": "Q1 and R1.1 against the rest"},
        "conflict",
        "names Q1",
        "by id: Q1, Q2, R1.1",
    ),
]


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(
    ("doc", "about", "fields", "rule", "problem", "repair"),
    [case[1:] for case in REFUSALS],
    ids=[case[0] for case in REFUSALS],
)
def test_every_refusal_says_which_entry_why_and_what_to_do(
    doc: cl.Clarifications, about: str, fields: dict[str, object], rule: str, problem: str, repair: str
) -> None:
    asked = wanted(doc, BEFORE)
    good = [behaved(one) for one in asked]
    assert confirmation.check_final(returned(good), asked, BEFORE) == ()
    at = [one.id for one in asked].index(about)
    output = returned(_with(at, good, **fields))
    (found,) = confirmation.check_final(output, asked, BEFORE)
    made = output.entry(about)
    assert made is not None
    assert (found.rule, found.about, found.line, found.file) == (f"decisions.{rule}", about, made.line, output.file)
    assert problem in found.problem
    assert repair in found.repair


@pytest.mark.req("CL-9")
def test_drafts_that_come_back_as_they_were_are_refused_with_all_that_they_lack() -> None:
    asked = wanted(TWO, BEFORE)
    found = confirmation.check_final(BEFORE, asked, BEFORE)
    assert [(one.rule, one.about) for one in found] == [
        ("decisions.source", "D1"),
        ("decisions.draft", "D1"),
        ("decisions.unchanged", "D1"),
        ("decisions.draft", "D2"),
        ("decisions.unchanged", "D2"),
        ("decisions.source", "D4"),
        ("decisions.missing", "D5"),
    ]
    assert "no Decision and no Reasoning and no Implication of its own" in found[2].problem


@pytest.mark.req("CL-9")
def test_a_wrong_status_is_refused_together_with_what_the_right_one_needs() -> None:
    asked = wanted(SETTLED, BEFORE)
    good = [behaved(one) for one in asked]
    claimed = _with(2, _with(3, good, status="resolved", contradiction=""), status="resolved", note="", decision="Yes.")
    assert [(one.rule, one.about) for one in confirmation.check_final(returned(claimed), asked, BEFORE)] == [
        ("decisions.status", "D3"),
        ("decisions.note", "D3"),
        ("decisions.status", "D4"),
        ("decisions.conflict", "D4"),
    ]


@pytest.mark.req("CL-9")
def test_an_entry_that_is_dropped_or_renamed_is_named_with_what_to_write() -> None:
    asked = wanted(TWO, BEFORE)
    good = [behaved(one) for one in asked]
    (dropped,) = confirmation.check_final(returned(good[1:]), asked, BEFORE)
    assert dropped.problem == "D1 (Title of Q1) is not there, and no entry may be dropped"
    assert "`### D1: Title of Q1` with Source Q1, R1.1 and the status resolved" in dropped.repair
    (renamed,) = confirmation.check_final(returned(_with(0, good, id="D8")), asked, BEFORE)
    assert (renamed.rule, renamed.about) == ("decisions.missing", "D1")
    assert "D8 rests on the same Q1, R1.1: renamed" in renamed.problem
    assert "ids never change" in renamed.repair


@pytest.mark.req("CL-9")
def test_a_question_may_be_in_conflict_with_its_own_refinement() -> None:
    doc = inquiry(("Q1", CLEAR), ("R1.1", CLEAR))
    within = [replace(BOTH, sources=("Q1", "R1.1"))]
    before = drafts(doc, within)
    asked = wanted(answered(asking(doc, within), {"Contradiction: Two ways to count": "B"}), before)
    good = [behaved(one) for one in asked]
    assert [one.status for one in good] == ["resolved", "conflict-resolved"]
    assert confirmation.check_final(returned(good), asked, before) == ()
    (dropped,) = confirmation.check_final(returned(good[1:]), asked, before)
    assert "no entry may be dropped" in dropped.problem  # D2 rests on the same sources and is not D1 renamed


@pytest.mark.req("CL-9")
def test_a_side_that_is_no_source_is_no_side() -> None:
    asked = wanted(TWO, BEFORE)
    fields = {"status": "conflict-resolved", "sources": ("Q1", "R1.1", "Q9"), "contradiction": "Q1 against Q9"}
    output = returned(_with(0, [behaved(one) for one in asked], **fields))
    assert [one.rule for one in confirmation.check_final(output, asked, BEFORE)] == [
        "decisions.source",
        "decisions.conflict",
    ]


@pytest.mark.req("CL-9")
def test_an_entry_that_nobody_asked_for_is_refused_also_when_it_exists() -> None:
    asked = wanted(TWO, BEFORE)[:1]
    strange = [behaved(one) for one in wanted(TWO, BEFORE)[:2]]
    (found,) = confirmation.check_final(returned(strange), asked, BEFORE)
    assert (found.rule, found.about) == ("decisions.unknown", "D2")
    assert "was not asked for this time" in found.problem
    assert found.repair == "leave it out: write only D1"
    (found,) = confirmation.check_final(returned(strange), asked, None)
    assert "was not asked for" in found.problem


@pytest.mark.req("CL-9")
def test_a_tag_may_come_off_the_title_and_is_put_back() -> None:
    asked = wanted(TWO, BEFORE)
    good = [behaved(one) for one in asked]
    output = returned(_with(2, good, title="Title of Q3"))
    assert confirmation.check_final(output, asked, BEFORE) == ()
    assert confirmation.settled(output, asked)[0][2].title == "[Critical Gap] Title of Q3"


@pytest.mark.req("CL-9")
def test_the_other_side_of_a_conflict_may_be_an_answer_of_another_entry() -> None:
    asked = wanted(TWO, BEFORE)
    good = [behaved(one) for one in asked]
    fields = {"status": "conflict-resolved", "sources": ("Q2", "Q1"), "contradiction": "Q2 says one thing, Q1 another"}
    output = returned(_with(1, good, **fields))
    assert confirmation.check_final(output, asked, BEFORE) == ()
    entries, warnings = confirmation.settled(output, asked)
    assert warnings == ()
    assert entries[1].sources == ("Q2", "Q1", "R1.1")
    assert entries[1].answers == {"Q2": CLEAR, "Q1": CLEAR, "R1.1": " ".join(ALSO_CLEAR.split())}
    made = de.parse(de.render(entries, {}))
    assert not staleness.stale(made, TWO, evaluate(TWO))
    assert "conflict-resolved" in wanted(TWO, made)[1].allowed
    within = returned(_with(1, good, **{**fields, "sources": ("Q2", "Q1", "R1.1"), "contradiction": "Q1 and R1.1"}))
    assert confirmation.check_final(within, asked, BEFORE) == ()


@pytest.mark.req("CL-9", "CL-13")
def test_a_decision_on_other_answers_may_not_come_back_word_for_word() -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR))
    made = confirmed(doc, None)
    now = answered(doc, {"Q1": ALSO_CLEAR})
    asked = wanted(now, made)
    (found,) = confirmation.check_final(made, asked, made)
    assert (found.rule, found.about) == ("decisions.unchanged", "D1")
    assert "its answers have changed and not a word of it has" in found.problem
    assert "- **Reasoning:** …" in found.repair
    assert confirmation.check_final(made, wanted(doc, made), made) == ()


# --- taking it --------------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-9")
def test_what_code_knows_better_is_written_as_code_knows_it_with_a_warning() -> None:
    asked = wanted(SETTLED, BEFORE)
    good = [behaved(one) for one in asked]
    assert confirmation.settled(returned([replace(one, section="", answers={}) for one in good]), asked)[1] == ()
    wrong = _with(0, good, answers={"Q1": "Something else"}, section="Elsewhere")
    wrong = _with(3, wrong, settled="B", answers={})
    entries, warnings = confirmation.settled(returned(wrong), asked)
    assert [(one.sources, one.answers, one.section, one.settled) for one in entries] == [
        (one.sources, one.answers, one.section, one.settled) for one in asked
    ]
    assert entries[0].decision == good[0].decision
    assert [(one.rule, one.about, one.severity) for one in warnings] == [
        ("decisions.answer", "D1", "warning"),
        ("decisions.section", "D1", "warning"),
        ("decisions.answer", "D4", "warning"),
    ]
    assert "gives the answer of Q1 as 'Something else'" in warnings[0].problem


@pytest.mark.req("CL-9")
def test_only_what_was_asked_for_is_taken() -> None:
    asked = wanted(TWO, BEFORE)
    output = returned([behaved(one) for one in asked])
    entries, _ = confirmation.settled(output, asked[1:2])
    assert [one.id for one in entries] == ["D2"]
    assert confirmation.settled(returned([]), asked) == ((), ())


def _status(status: str) -> Decision:
    return Decision(id="D1", title="t", sources=("Q1", "Q2"), section="", answers={}, status=status)


FRONTS = [
    ([], {"status": "complete", "decision_count": 0, "conflicts_resolved": 0, "round": 2}),
    (["resolved", "needs-review"], {"status": "complete", "decision_count": 2, "conflicts_resolved": 0, "round": 2}),
    (
        ["conflict-resolved", "conflict-resolved", "critical-gap"],
        {"status": "open", "decision_count": 3, "conflicts_resolved": 2, "round": 2},
    ),
    (["contradiction"], {"status": "open", "decision_count": 1, "conflicts_resolved": 0, "round": 2}),
    (["draft"], {"status": "open", "decision_count": 1, "conflicts_resolved": 0, "round": 2}),
]


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(("statuses", "front"), FRONTS)
def test_the_frontmatter_is_counted_and_complete_only_when_nothing_is_open(
    statuses: list[str], front: dict[str, object]
) -> None:
    assert confirmation.final([_status(status) for status in statuses], 2) == front


@pytest.mark.req("CL-10")
def test_the_decisions_that_need_review_are_named() -> None:
    made = confirmed(inquiry(("Q1", VAGUE), ("Q2", CLEAR), ("Q3", "TBD"), ("Q5", EMPTY, "must")), None)
    assert confirmation.reviewing(made) == ("D1", "D2")
    assert confirmation.reviewing(de.parse("")) == ()


@pytest.mark.req("CL-9")
def test_counts_that_an_agent_got_wrong_are_said_and_those_it_left_out_are_not() -> None:
    entries = [_status("critical-gap")]
    output = de.parse(de.render(entries, {"status": "complete", "decision_count": 4, "round": 1}))
    found = confirmation.front_findings(output, entries, 1)
    assert [(one.about, one.severity, one.line) for one in found] == [
        ("status", "warning", 1),
        ("decision_count", "warning", 1),
    ]
    assert found[1].problem == "the output says `decision_count: 4`, and it is 1"


def test_an_expected_entry_without_reasons_is_refused_too() -> None:
    one = Expected(id="D1", title="t", sources=("Q1",), section="", allowed=("resolved",))
    (found,) = confirmation.check_final(final(), [one], None)
    assert found.repair == "decide it: `### D1: t` with Source Q1 and the status resolved"
