"""`## Needs Clarification` and decisions.md (CL-8, CL-10): nothing that is open gets lost between the two files."""

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
from hypothesis import given
from hypothesis import strategies as st

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks import expected_decisions, staleness
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.answers import untagged
from signoff.workflows.clarify.documents.clarifications import Clarifications, Draft
from signoff.workflows.clarify.documents.decisions import OPEN, Decisions
from signoff.workflows.clarify.steps import confirmation, draft_decisions
from signoff.workflows.clarify.steps.draft_decisions import Conflict

pytestmark = pytest.mark.req("CL-10")

BOTH = Conflict(sources=("Q1", "Q2"), title="Counting", note="Both cannot be.")
DOC = inquiry(("Q1", CLEAR), ("Q2", ALSO_CLEAR), ("Q3", EMPTY, "must"))
ASKED, DRAFTS = asking(DOC, [BOTH]), drafts(DOC, [BOTH])
GAP, CONTRADICTION = "Critical Gap: Title of Q3", "Contradiction: Counting"


def unsettled(made: Decisions, doc: Clarifications) -> tuple[str, ...]:
    return staleness.unsettled(made, doc, evaluate(doc))


def without(made: Decisions, entry_id: str) -> Decisions:
    return de.parse(de.render([one for one in made.entries if one.id != entry_id], {}))


def by_hand(made: Decisions, entry_id: str, **fields: object) -> Decisions:
    changed = [replace(one, **fields) if one.id == entry_id else one for one in made.entries]  # type: ignore[arg-type]
    return de.parse(de.render(changed, {}))


# --- each source for itself -------------------------------------------------------------------------------------------

LENT: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("nothing", {}, OPEN[:1]),
    ("words for another", {"R1.1": CLEAR}, OPEN[:1]),
    ("the other gap answered", {"Critical Gap: Title of Q5": CLEAR}, OPEN[:1]),
    ("a placeholder", {"Q3": PUT_OFF, "Q5": CLEAR}, OPEN[:1]),
    ("a placeholder at its gap", {GAP: "TBD", "Q5": CLEAR}, OPEN[:1]),
    ("both answered", {"Q3": VAGUE, "Q5": CLEAR}, ()),
    ("one answered, one at its gap", {"Q3": CLEAR, "Critical Gap: Title of Q5": "ask Bob"}, ()),
    ("one by a refinement", {"R3.1": "A", "Q5": CLEAR}, ()),
]


@pytest.mark.parametrize(("answers", "allowed"), [case[1:] for case in LENT], ids=[case[0] for case in LENT])
def test_no_source_is_answered_by_another_one(answers: dict[str, str], allowed: tuple[str, ...]) -> None:
    doc = inquiry(
        ("Q1", CLEAR), ("R1.1", EMPTY), ("Q3", EMPTY, "must"), ("R3.1", EMPTY), ("Q5", EMPTY, "must")
    )  # fmt: skip
    made = by_hand(drafts(doc), "D1", sources=("Q1", "Q3", "Q5"), status="resolved")
    found = wanted(answered(asking(doc), answers), made)[0]
    assert found.allowed == (allowed or ("resolved", "conflict-resolved", "needs-review"))


def test_an_answer_taken_back_opens_an_entry_that_rests_on_a_second_one() -> None:
    doc = inquiry(("Q1", CLEAR, "must"), ("Q2", CLEAR))
    made = by_hand(confirmed(doc, None), "D1", sources=("Q1", "Q2"))
    now = answered(doc, {"Q1": EMPTY})
    assert wanted(now, made)[0].allowed == ("critical-gap",)
    assert unsettled(made, now) == ("D1",)


@pytest.mark.parametrize("entry_id", ["D3", "D4"])
def test_an_open_entry_takes_no_source_more(entry_id: str) -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", ALSO_CLEAR), ("Q3", EMPTY, "must"), ("Q5", CLEAR))
    before = drafts(doc, [BOTH])
    asked = wanted(asking(doc, [BOTH]), before)
    names = {"D3": before.entries[3].id, "D4": before.entries[4].id}
    good = {one.id: behaved(one) for one in asked}
    entry = good[names[entry_id]]
    good[entry.id] = replace(entry, sources=(*entry.sources, "Q5"))
    output = returned(list(good.values()))
    assert confirmation.check_final(output, asked, before) == ()
    entries, (warning,) = confirmation.settled(output, asked)
    assert next(one for one in entries if one.id == entry.id).sources == entry.sources
    assert (warning.rule, warning.about, warning.severity) == ("decisions.source", entry.id, "warning")
    assert "names Q5 as a source, which cannot answer it" in warning.problem


def test_nothing_is_decided_on_a_source_of_an_open_gap() -> None:
    asked = wanted(ASKED, DRAFTS)
    entries = [behaved(one) for one in asked]
    entries[0] = replace(entries[0], sources=("Q1", "Q3"))
    (found,) = confirmation.check_final(returned(entries), asked, DRAFTS)
    assert (found.rule, found.about) == ("decisions.source", "D1")
    assert found.problem == "D1 names Q3, of the open gap D3: nothing can be decided on it yet"


def test_an_entry_that_takes_a_source_takes_what_was_said_to_its_gap() -> None:
    doc = answered(ASKED, {GAP: CLEAR, CONTRADICTION: "a"})
    asked = wanted(doc, DRAFTS)
    entries = [behaved(one) for one in asked]
    entries[0] = replace(
        entries[0], sources=("Q1", "Q3"), status="conflict-resolved", contradiction="Q1 says one thing, Q3 another"
    )
    output = returned(entries)
    assert confirmation.check_final(output, asked, DRAFTS) == ()
    made, _ = confirmation.settled(output, asked)
    assert (made[0].sources, made[0].settled) == (("Q1", "Q3"), CLEAR)
    assert not staleness.stale(de.parse(de.render(made, {})), doc, evaluate(doc))


# --- two of one title -------------------------------------------------------------------------------------------------


def test_two_contradictions_of_one_title_are_settled_each_by_its_own_entry() -> None:
    wider = replace(BOTH, sources=("Q1", "Q2", "Q5"))
    doc = inquiry(("Q1", CLEAR), ("Q2", ALSO_CLEAR), ("Q5", CLEAR))
    asked, before = asking(doc, [BOTH, wider]), drafts(doc, [BOTH, wider])
    assert [one.title for one in before.entries[3:]] == [f"[{item.key.replace(': ', '] ')}" for item in asked.entries]
    narrow, wide = wanted(answered(asked, {CONTRADICTION: "Q1 wins"}), before)[3:]
    assert (narrow.settled, narrow.allowed) == ("Q1 wins", ("conflict-resolved",))
    assert (wide.settled, wide.allowed) == ("", ("contradiction",))
    untold = by_hand(before, wide.id, title="[Contradiction] Counting")
    assert wanted(answered(asked, {CONTRADICTION: "Q1 wins"}), untold)[4].settled == ""
    only = cl.parse(cl.with_entries(doc, draft_decisions.entries_for(doc, evaluate(doc), [BOTH])))
    assert wanted(answered(only, {CONTRADICTION: "Q1 wins"}), untold)[4].allowed == ("contradiction",)


TITLES = st.sampled_from(
    [
        *("Foo", "Foo (Q1, Q3)", "Foo (Q1, Q3; 2)", "Foo [MUST ANSWER]", "[MUST ANSWER]", "Foo #", "Foo ##", "Foo :"),
        *("", "  Foo ", "Title of Q4", "[Contradiction] Foo", "Critical Gap: Foo", "Foo (Q2, Q3)"),
    ]
)
PAIRS = [("Q1", "Q2"), ("Q1", "Q3"), ("Q2", "Q3"), ("Q1", "Q2", "Q3")]


@given(st.lists(TITLES, min_size=4, max_size=4), st.lists(TITLES, max_size=3))
def test_no_two_entries_ever_have_one_name(titles: list[str], first: list[str]) -> None:
    doc = inquiry(("Q1", CLEAR), ("Q2", CLEAR), ("Q3", CLEAR), ("Q4", EMPTY, "must"), ("Q5", EMPTY, "must"))
    by_person = [("Contradiction", Draft(title=title)) for title in dict.fromkeys(first)]
    there = cl.parse(cl.with_entries(doc, by_person))  # type: ignore[arg-type]
    conflicts = [Conflict(sources=pair, title=one, note="n") for pair, one in zip(PAIRS, titles, strict=True)]
    made = cl.parse(cl.with_entries(there, draft_decisions.entries_for(there, evaluate(there), conflicts)))
    ours = [item.key for item in made.entries[len(by_person) :]]
    assert len(ours) == 6
    assert len(set(ours)) == len(ours)
    assert not set(ours) & {item.key for item in there.entries}
    drafted = draft_decisions.drafted(there, evaluate(there), conflicts)
    flagged = {one.sources: untagged(one.title) for one in drafted if one.status in OPEN}
    assert flagged == {item.origins: untagged(item.title) for item in made.entries[len(by_person) :]}


# --- what stands in one file only -------------------------------------------------------------------------------------

HANDS: list[tuple[str, Callable[[Decisions], Decisions], str, str]] = [
    ("the contradiction deleted", lambda made: without(made, "D4"), "D4", "[Contradiction] Counting"),
    ("the gap deleted", lambda made: without(made, "D3"), "D5", "[Critical Gap] Title of Q3"),
    (
        "the tag of the contradiction taken off",
        lambda made: by_hand(made, "D4", title="Counting", status="resolved"),
        "D5",
        "[Contradiction] Counting",
    ),
    (
        "the tag of the gap taken off",
        lambda made: by_hand(made, "D3", title="Title of Q3", status="resolved"),
        "D3",
        "Title of Q3",
    ),
    (
        "only the tag taken off",
        lambda made: by_hand(made, "D4", title="Counting"),
        "D4",
        "[Contradiction] Counting",
    ),
]


@pytest.mark.parametrize(("edit", "entry_id", "title"), [case[1:] for case in HANDS], ids=[case[0] for case in HANDS])
def test_what_the_clarifications_ask_stays_open_whatever_is_done_to_its_decision(
    edit: Callable[[Decisions], Decisions], entry_id: str, title: str
) -> None:
    made = edit(confirmed(ASKED, DRAFTS))
    assert entry_id in unsettled(made, ASKED)
    assert len(unsettled(made, ASKED)) == 2
    found = next(one for one in wanted(ASKED, made) if one.id == entry_id)
    assert (found.title, set(found.allowed) <= set(OPEN)) == (title, True)
    again = confirmed(ASKED, made, 2)
    assert not staleness.stale(again, ASKED, evaluate(ASKED))
    settled = answered(ASKED, {GAP: CLEAR, CONTRADICTION: "Q1 wins"})
    assert unsettled(confirmed(settled, again, 3), settled) == ()


def test_what_was_said_to_a_contradiction_is_decided_also_when_its_entry_was_deleted() -> None:
    settled = answered(ASKED, {GAP: CLEAR, CONTRADICTION: "Q1 wins"})
    found = wanted(settled, without(DRAFTS, "D4"))[-1]
    assert (found.id, found.settled, found.allowed) == ("D4", "Q1 wins", ("conflict-resolved",))


LOOSE: list[tuple[str, Draft]] = [
    ("Critical Gap", Draft(title="Budget")),
    ("Critical Gap", Draft(title="Budget", origins=("the workshop",))),
    ("Contradiction", Draft(title="Budget", origins=("Q1", "the brief"))),
]


@pytest.mark.parametrize(("kind", "draft"), LOOSE)
def test_an_entry_of_a_person_that_names_no_question_stays_open_until_it_is_answered(kind: str, draft: Draft) -> None:
    plain = inquiry(("Q1", CLEAR))
    doc = cl.parse(cl.with_entries(plain, [(kind, draft)]))  # type: ignore[list-item]
    made, key = confirmed(doc, None), f"{kind}: Budget"
    assert [one.id for one in made.entries] == ["D1"]
    assert (unsettled(made, doc), staleness.open_entries(doc, made)) == ((key,), (key,))
    now = answered(doc, {key: "ten thousand"})
    assert (unsettled(made, now), staleness.open_entries(now, made)) == ((), ())


@pytest.mark.parametrize("key", ["Q5", "R5.1"])
def test_a_gap_that_a_person_wrote_makes_its_question_one_that_must_be_answered(key: str) -> None:
    plain = inquiry(("Q1", CLEAR), ("Q5", EMPTY), ("R5.1", EMPTY))
    doc = cl.parse(cl.with_entries(plain, [("Critical Gap", Draft(title="Mine", origins=(key,)))]))
    found = wanted(doc, None)[1]
    assert (found.title, found.sources, found.allowed) == ("[Critical Gap] Mine", (key,), ("critical-gap",))
    made = confirmed(doc, None)
    assert unsettled(made, doc) == ("D2",)
    now = answered(doc, {"Critical Gap: Mine": CLEAR})
    assert unsettled(confirmed(now, made, 2), now) == ()


def test_an_entry_about_questions_that_are_gone_waits_for_nobody() -> None:
    plain = inquiry(("Q1", CLEAR))
    entries = draft_decisions.entries_for(DOC, evaluate(DOC), [BOTH])
    doc = cl.parse(cl.with_entries(plain, entries))
    made = confirmed(doc, DRAFTS)
    assert [one.status for one in made.entries] == ["resolved", "needs-review", "needs-review", "resolved"]
    assert (unsettled(made, doc), staleness.open_entries(doc, made)) == ((), ())
    assert not staleness.stale(made, doc, evaluate(doc))


@pytest.mark.req("CL-8", "CL-10")
def test_an_entry_taken_out_of_the_clarifications_can_be_written_back() -> None:
    made = confirmed(ASKED, DRAFTS)
    found = draft_decisions.missing_entries(DOC, made, evaluate(DOC))
    assert [(kind, draft.title, draft.origins) for kind, draft in found] == [
        ("Critical Gap", "Title of Q3", ("Q3",)),
        ("Contradiction", "Counting", ("Q1", "Q2")),
    ]
    again = cl.parse(cl.with_entries(DOC, found))
    assert [item.key for item in again.entries] == [GAP, CONTRADICTION]
    assert draft_decisions.missing_entries(again, made, evaluate(again)) == []
    assert draft_decisions.missing_entries(ASKED, made, evaluate(ASKED)) == []
    settled = answered(again, {GAP: CLEAR, CONTRADICTION: "b"})
    assert unsettled(confirmed(settled, made, 2), settled) == ()


@given(cases())
def test_whatever_is_open_can_be_answered_once_its_entries_are_written_back(case: Case) -> None:
    bare = cl.parse(case.doc.text.split("## Needs Clarification")[0])
    made = confirmed(case.doc, case.before)
    back = cl.parse(cl.with_entries(bare, draft_decisions.missing_entries(bare, made, evaluate(bare))))
    assert back.problems == ()
    full = answered(back, {item.key: CLEAR for item in back.entries})
    assert draft_decisions.missing_entries(full, made, evaluate(full)) == []
    assert unsettled(confirmed(full, made, 2), full) == ()


# --- ids --------------------------------------------------------------------------------------------------------------


def test_an_id_that_was_given_once_is_not_given_again() -> None:
    doc, made = inquiry(("Q1", CLEAR), ("Q3", EMPTY, "must")), de.parse("")
    seen = ["D7", "Q9", "D2", "D" + "9" * 5000]
    assert [one.id for one in expected_decisions.expected(doc, evaluate(doc), made, seen)] == ["D8", "D9"]
    assert [one.id for one in draft_decisions.drafted(doc, evaluate(doc), [], made, seen)] == ["D8", "D9"]
    assert staleness.unsettled(made, doc, evaluate(doc), seen) == ("D9",)
    top = [f"D{ids.HIGHEST}", "D1", "D3"]
    assert [one.id for one in expected_decisions.expected(doc, evaluate(doc), made, top)] == ["D2", "D4"]


def test_numbers_of_any_length_are_read_without_harm() -> None:
    long = "9" * 5000
    text = "\n".join(
        [
            *("## S", f"### Q{long}: x", "**Answer:** a", "### Q1: y", f"**Answer:** {CLEAR}", f"##### R1.{long}: z"),
            *("## Needs Clarification", "### Critical Gap: z", f"_Consolidated from: Q{long}_", "**Answer:**"),
        ]
    )
    doc = cl.parse(text)
    made = de.parse(f"### D1: x\n- **Source:** Q1, Q{long}, R1.{long}\n- **Status:** resolved\n### D{long}: y\n")
    assert [one.id for one in made.entries] == ["D1"]
    assert [one.rule for one in made.problems] == ["decisions.id"]
    assert set(staleness.stale(made, doc, evaluate(doc)).decisions) == {"D1"}
    assert not ids.is_id(f"Q{long}")
    assert ids.order(f"D{long}") == (0, 0, f"D{long}")


def test_tags_come_off_however_many_there_are() -> None:
    assert untagged("[Critical Gap] [Contradiction][Critical Gap] x [Contradiction]") == "x [Contradiction]"
    assert untagged("[Critical Gap]" * 70_000 + "x") == "x"
