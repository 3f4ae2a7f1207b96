"""What the agents of an inquiry may say: each rule on its own, with what is refused and in which words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest
from clarify_text import canonical

from signoff.core.commands import StartTurn
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.events import Ticked
from signoff.core.findings import Finding
from signoff.core.refs import Parse, Ref, digest
from signoff.core.state import OpenTurn, State
from signoff.workflows.clarify import outputs
from signoff.workflows.clarify.checks import authority
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Draft
from signoff.workflows.clarify.state import Inquiry
from signoff.workflows.clarify.steps.confirmation import check_confirm, every_entry

T = TypeVar("T")
BRIEF, TABLE = "0-sources/brief.md", "0-sources/figures.csv"
PATH, MADE = "lockers/context/clarifications.md", "lockers/context/decisions.md"
SOURCES = {BRIEF: "# Brief\n\nNobody knows\nwhen a  pickup ends.\n", TABLE: "office,rate\nNorth,21\n"}
Said = tuple[str, str, str, str]


def at(own: Inquiry, docs: Mapping[str, str], notes: Mapping[str, Any] | None = None) -> Now:
    """A turn that has read these documents and gives its output back."""
    refs = {path: Ref(path, digest(text)) for path, text in docs.items()}

    def look(ref: Ref, parse: Parse[T], /) -> T:
        return parse(docs[ref.path].encode(), ref.path)

    start = StartTurn(key="k", agent="a", contract="a", task="t", notes=notes or {}, pinned=tuple(refs.values()))
    state = State(own=own, docs={path: ref.sha256 for path, ref in refs.items()})
    event = Ticked(id="t", at="2026-01-01T00:00:00+00:00", by="code", timer="t")
    return Now(state=state, event=event, look=look, turn=OpenTurn(start=start))


def said(found: Sequence[Finding]) -> list[Said]:
    return [(one.rule, one.about, one.problem, one.repair) for one in found]


def own(**values: Any) -> Inquiry:
    return Inquiry(step="research", name="lockers", topic="lockers", **values)


CONTROL = [
    (
        "clarify.character",
        "",
        "the output has the character U+0000, which is not text",
        "leave it out",
    )
]


# --- dimension-researcher ---------------------------------------------------------------------------------------------


def question(*sources: tuple[str, str], **values: Any) -> dict[str, Any]:
    return {
        "title": "Pickup",
        "question": "When does a pickup end?",
        "choices": ["At the door", "At the code"],
        "recommendation": "A — it is so today",
        "sources": [{"path": path, "quote": quote} for path, quote in sources or [(BRIEF, "when a pickup ends")]],
        **values,
    }


def researcher(*questions: dict[str, Any]) -> outputs.ResearcherOutput:
    raw = json.dumps({"questions": list(questions), "notes": ""}).encode()
    return outputs.parse_researcher(raw, "output")


def not_said(number: int, quote: str, path: str) -> Said:
    about = f"question {number}"
    problem = f"{about} quotes {quote!r}, and {path} does not say that"
    return "clarify.quote", about, problem, "quote words that occur in the source, as they are written there"


RESEARCHED: list[tuple[list[dict[str, Any]], list[Said]]] = [
    ([], []),
    ([question()], []),
    ([question((BRIEF, "NOBODY   knows\n\nwhen a pickup"))], []),
    ([question((TABLE, "North,21"), (BRIEF, "Nobody knows"))], []),
    ([question(), question((BRIEF, "everybody knows"))], [not_said(2, "everybody knows", BRIEF)]),
    ([question((BRIEF, "Nobody knows"), (BRIEF, "pickup begins"))], [not_said(1, "pickup begins", BRIEF)]),
    (
        [question((MADE, "Nobody knows"))],
        [
            (
                "clarify.source",
                "question 1",
                f"question 1 names the source {MADE!r}, which is not an input of this turn",
                f"name one of: {BRIEF}, {TABLE}",
            )
        ],
    ),
    ([question(question="a\0b")], CONTROL),
]


@pytest.mark.req("CL-2")
@pytest.mark.parametrize(("questions", "found"), RESEARCHED)
def test_a_researcher_quotes_words_that_are_in_its_material(questions: list[dict[str, Any]], found: list[Said]) -> None:
    assert said(authority.check_researcher(at(own(), SOURCES), researcher(*questions))) == found


def test_a_source_that_cannot_be_read_says_nothing() -> None:
    brief = {BRIEF: "Nobody\0knows"}
    found = authority.check_researcher(at(own(), brief), researcher(question((BRIEF, "Nobody"))))
    assert [one.rule for one in found] == ["clarify.quote"]


@pytest.mark.req("CL-2", "CL-7", "CL-9")
@pytest.mark.parametrize(
    ("parse", "output", "field"),
    [
        (outputs.parse_researcher, {"questions": [question(choices=["only one"])]}, "questions.0.choices"),
        (outputs.parse_researcher, {"questions": [question(choices=list("ABCDE"))]}, "questions.0.choices"),
        (outputs.parse_researcher, {"questions": [question(sources=[])]}, "questions.0.sources"),
        (outputs.parse_researcher, {"questions": [question(title="two\nlines")]}, "questions.0.title"),
        (outputs.parse_researcher, {"questions": [question(title=" ")]}, "questions.0.title"),
        (outputs.parse_researcher, {"questions": [question(id="Q1")]}, "questions.0.id"),
        (outputs.parse_consolidator, {"clarifications": "\n"}, "clarifications"),
        (outputs.parse_consolidator, {"clarifications": "x", "dropped": [{"origin": "Q1"}]}, "dropped.0.reason"),
        (
            outputs.parse_analyst,
            {"contradictions": [{"sources": ["Q1"], "title": "t", "note": "n"}]},
            "contradictions.0.sources",
        ),
        (outputs.parse_refiner, {"refinements": [{"parent": "Q1", "title": "t"}]}, "refinements.0.why"),
        (outputs.parse_confirm, {"decisions": "x", "status": "complete"}, "status"),
    ],
)
def test_an_output_that_does_not_keep_its_form_is_refused_by_the_field(
    parse: Parse[Any], output: dict[str, Any], field: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        parse(json.dumps(output).encode(), "output")
    assert {one.rule for one in caught.value.findings} == {"output.schema"}
    assert field in [one.about for one in caught.value.findings]


# --- consolidate-research ---------------------------------------------------------------------------------------------

ORIGINS = {"Metrics Q1": "Rate", "Metrics Q2": "Late", "Data Q1": "Labels", "Data Q2": "Old labels"}
CHOICES = ("One way", "Another way")


def draft(title: str, *origins: str, **values: Any) -> Draft:
    return Draft(
        title=title, body="What is it?", choices=CHOICES, origins=origins, recommendation="A — it is so", **values
    )


GOOD = [
    ("Metrics", [("Q1", draft("Rate", "Metrics Q1")), ("Q2", draft("Late", "Metrics Q2"))]),
    ("Data", [("Q3", draft("Labels", "Data Q1", "Data Q2"))]),
]
FRONT = {"duplicates_removed": 1, "status": "pending"}
TEXT = canonical(GOOD, FRONT)


def consolidator(text: str, *dropped: str) -> outputs.ConsolidatorOutput:
    drops = [{"origin": name, "reason": "asked elsewhere"} for name in dropped]
    return outputs.parse_consolidator(json.dumps({"clarifications": text, "dropped": drops}).encode(), "output")


def consolidation(text: str, *dropped: str, shown: Mapping[str, str] | None = None, before: str = "") -> list[Said]:
    now = at(own(origins=ORIGINS, shown=shown or {}), {PATH: before} if before else {})
    return said(authority.check_consolidator(now, consolidator(text, *dropped)))


def without(title: str, *origins: str) -> str:
    """The good file with one question that comes from something else."""
    new = [
        (section, [(key, draft(title, *origins) if one.title == title else one) for key, one in pairs])
        for section, pairs in GOOD
    ]
    return canonical(new, FRONT)


SECTION = "put every question under a `## ` heading"
ONCE = "name it in the one question it became part of"
LOST = "name it where it went, or list it in `dropped` with the reason"
NAMES = "use the names of the research notes: Metrics Q1, Metrics Q2, Data Q1, Data Q2"
REFUSED: list[tuple[str, tuple[str, ...], list[Said]]] = [
    (
        "# Research Clarifications\n",
        tuple(ORIGINS),
        [("clarify.empty", "", "there is no question in it", "write `### Q1: Title` and what belongs to it")],
    ),
    (
        TEXT.replace("**Answer:**", "**Answer:** B, I think", 1),
        (),
        [
            (
                "clarify.answered",
                "Q1",
                "Q1 has the answer 'B, I think', and answers are the person's",
                "leave `**Answer:**` empty",
            )
        ],
    ),
    (
        cl.with_refinements(cl.parse(TEXT), {"Q1": [("R1.1", draft("More"))]}),
        (),
        [("clarify.early", "R1.1", "R1.1 comes before a person has answered", "leave it out: ask questions only")],
    ),
    (
        cl.with_entries(cl.parse(TEXT), [("Critical Gap", draft("Rate", "Q1"))]),
        (),
        [
            (
                "clarify.early",
                "Critical Gap: Rate",
                "Critical Gap: Rate comes before a person has answered",
                "leave it out: ask questions only",
            )
        ],
    ),
    (
        TEXT.replace("## Metrics\n\n", "", 1).replace("sections: 2", "sections: 1"),
        (),
        [
            ("clarify.section", key, f"{key} stands before the first section", SECTION)
            for key in ("Q1", "Q2")
        ],
    ),
    (
        TEXT.replace("### Q3:", "### Q4:"),
        (),
        [
            (
                "clarify.number",
                "Q4",
                "Q4 (Labels) is not the next id, which is Q3",
                "number new questions in the order of the file",
            )
        ],
    ),
    (
        without("Labels", "Data Q1"),
        (),
        [("clarify.lost", "Data Q2", "Data Q2 (Old labels) is in no `_Consolidated from: …_` and not dropped", LOST)],
    ),
    (
        without("Labels", "Data Q1", "Data Q2", "Metrics Q1"),
        (),
        [("clarify.twice", "Metrics Q1", "Metrics Q1 is used more than once", ONCE)],
    ),
    (
        TEXT,
        ("Data Q2",),
        [("clarify.twice", "Data Q2", "Data Q2 is used more than once", ONCE)],
    ),
    (
        without("Labels", "Data Q1", "Data Q2", "Data Q9"),
        (),
        [("clarify.origin", "Data Q9", "'Data Q9' is not a research question", NAMES)],
    ),
    (TEXT, ("Rumours Q1",), [("clarify.origin", "Rumours Q1", "'Rumours Q1' is not a research question", NAMES)]),
    (
        without("Labels"),
        ("Data Q1", "Data Q2"),
        [
            (
                "clarify.origin",
                "Q3",
                "Q3 does not say which research questions it comes from",
                "add `_Consolidated from: Metrics Q1, …_`",
            )
        ],
    ),
    (TEXT.replace("What is it?", "What \0 is it?", 1), (), CONTROL),
]  # fmt: skip


@pytest.mark.req("CL-1", "CL-2")
@pytest.mark.parametrize(("text", "dropped", "found"), REFUSED)
def test_what_a_consolidator_may_not_do_is_refused_with_the_reason(
    text: str, dropped: tuple[str, ...], found: list[Said]
) -> None:
    assert consolidation(text, *dropped) == found


@pytest.mark.req("CL-2")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (TEXT.replace("status: pending", "status: [pending"), "clarifications.frontmatter"),
        (TEXT.replace("\n---\n", "\n", 1), "clarifications.frontmatter"),
        (TEXT.replace("What is it?", "```\nWhat is it?", 1), "clarifications.fence"),
        (TEXT.replace("### Q2:", "### Q1:"), "clarifications.duplicate"),
    ],
)
def test_a_file_that_cannot_be_read_for_sure_is_refused_also_where_people_have_answered(text: str, rule: str) -> None:
    for before in ("", cl.with_answers(cl.parse(TEXT), {"Q1": "Mine", "Q3": "Mine too"})):
        assert rule in [found[0] for found in consolidation(text, before=before)]


@pytest.mark.req("CL-2")
def test_a_good_consolidation_is_taken_with_or_without_something_dropped() -> None:
    assert consolidation(TEXT) == []
    assert consolidation(without("Labels", "Data Q1"), "Data Q2") == []


SHOWN = {"Q1": "Rate", "Q2": "Late", "Q3": "Labels", "Q4": "Gone long ago", "R1.1": "Below"}
KEPT: list[tuple[str, list[str]]] = [
    (TEXT, []),
    (TEXT.replace("### Q1: Rate", "### Q1: The  rate"), ["Q1 was 'Rate' and is now 'The  rate'"]),
    (TEXT.replace("### Q3: Labels", "### Q5: Names"), []),
    (TEXT.replace("### Q3: Labels", "### Q4: Names"), ["Q4 was 'Gone long ago' and is now 'Names'"]),
    (TEXT.replace("### Q3: Labels", "### Q6: Names"), ["Q6 (Names) is not the next id, which is Q5"]),
]


@pytest.mark.req("CL-1")
@pytest.mark.parametrize(("text", "problems"), KEPT)
def test_an_id_that_people_have_seen_keeps_its_question_and_is_not_given_again(text: str, problems: list[str]) -> None:
    assert [found[2] for found in consolidation(text, shown=SHOWN)] == problems


def taken(text: str, *dropped: str, before: str = "") -> tuple[cl.Clarifications, list[str]]:
    old = cl.parse(before) if before else None
    made = authority.consolidated(own(origins=ORIGINS), consolidator(text, *dropped), old)
    return cl.parse(made.text), sorted({finding.rule for finding in made.fixed})


@pytest.mark.req("CL-2")
def test_counts_are_computed_and_a_wrong_one_is_said() -> None:
    assert taken(TEXT)[1] == []
    doc, rules = taken(TEXT.replace("question_count: 3", "question_count: 30").replace("removed: 1", "removed: 0"))
    right = {"question_count": 3, "sections": 2, "duplicates_removed": 1, "refinement_count": 0, "status": "pending"}
    assert (dict(doc.front), rules) == (right, ["clarifications.counts"])
    assert taken(without("Labels", "Data Q1"), "Data Q2")[0].front["duplicates_removed"] == 0


@pytest.mark.req("CL-2")
def test_older_forms_are_mended_and_each_is_said() -> None:
    text = TEXT.replace("**Answer:**", "**Answer**:").replace("A. One way", "- a) One way").replace("B. An", "- b) An")
    doc, rules = taken(text)
    assert "clarifications.older.answer" in rules
    assert doc.text.count("**Answer:**") == 3
    assert [item.choices[0].text for item in doc.questions] == ["One way"] * 3


@pytest.mark.req("CL-1", "CL-3")
def test_answers_of_people_are_carried_over_and_no_answered_question_is_asked_away() -> None:
    mine = {"Q1": "Some words\n\n```\nof mine\n```", "Q2": "B"}
    before = cl.with_answers(cl.parse(TEXT), mine)
    doc, _ = taken(
        TEXT.replace("### Q2: Late", "### Q4: Another").replace("What is it?", "What is it now?"), before=before
    )
    assert {item.key: item.answer for item in doc.questions} == {"Q1": mine["Q1"], "Q2": "B", "Q4": "", "Q3": ""}
    assert not doc.problems


# --- detailed-research ------------------------------------------------------------------------------------------------

ANSWERED = cl.with_answers(cl.parse(TEXT), {"Q1": "A", "Q2": "B", "Q3": "TBD"})
JUDGED = own(evaluation=evaluate(cl.parse(ANSWERED)))


def analyst(*sources: str, note: str = "They cannot both hold.") -> outputs.AnalystOutput:
    one = {"sources": list(sources), "title": "Either", "note": note}
    return outputs.parse_analyst(json.dumps({"contradictions": [one]}).encode(), "output")


ONE_SIDE = ("clarify.contradiction", "Either", "the contradiction 'Either' has one side only", "name two different ids")


def unclear(names: str) -> Said:
    problem = f"the contradiction 'Either' names {names}, which has no clear answer"
    return "clarify.contradiction", "Either", problem, "name ids whose answers are clear"


@pytest.mark.req("CL-7")
@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (("Q1", "Q2"), []),
        (("Q1", "Q3"), [unclear("Q3")]),
        (("Q1", "Q9", "D1"), [unclear("Q9, D1")]),
        (("Q1", "Q1"), [ONE_SIDE]),
        (("Q3", "Q3"), [unclear("Q3, Q3"), ONE_SIDE]),
    ],
)
def test_a_contradiction_is_between_two_clear_answers(sources: tuple[str, ...], found: list[Said]) -> None:
    assert said(authority.check_analyst(at(JUDGED, {PATH: ANSWERED}), analyst(*sources))) == found


def test_an_analyst_gives_text() -> None:
    found = authority.check_analyst(at(JUDGED, {PATH: ANSWERED}), analyst("Q1", "Q2", note="a\0b"))
    assert said(found) == CONTROL


# --- section-refiner --------------------------------------------------------------------------------------------------


def refiner(*parents: str, why: str = "It is not clear.") -> outputs.RefinerOutput:
    ones = [
        {"parent": parent, "title": f"More {n}", "why": why, "choices": list(CHOICES), "recommendation": "A"}
        for n, parent in enumerate(parents)
    ]
    return outputs.parse_refiner(json.dumps({"refinements": ones}).encode(), "output")


def amount(key: str, number: int) -> Said:
    return "clarify.amount", key, f"{key} got {number} refinements", "give one to 3 for each item"


def stranger(key: str) -> Said:
    return "clarify.parent", key, f"{key} was not given to refine", "refine only Q1, R3.1"


@pytest.mark.req("CL-7")
@pytest.mark.parametrize(
    ("parents", "found"),
    [
        (("Q1", "R3.1"), []),
        (("Q1",) * 3 + ("R3.1",) * 3, []),
        (("Q1",), [amount("R3.1", 0)]),
        ((), [amount("Q1", 0), amount("R3.1", 0)]),
        (("Q1",) * 4 + ("R3.1",), [amount("Q1", 4)]),
        (("Q1", "R3.1", "Q2", "Q2"), [stranger("Q2")]),
        (("R1.1", "R3.1"), [stranger("R1.1"), amount("Q1", 0)]),
    ],
)
def test_each_item_gets_one_to_three_refinements_and_nothing_else_gets_any(
    parents: tuple[str, ...], found: list[Said]
) -> None:
    now = at(JUDGED, {}, {"items": [{"id": "Q1"}, {"id": "R3.1"}]})
    assert said(authority.check_refiner(now, refiner(*parents))) == found


def test_a_refiner_gives_text() -> None:
    now = at(JUDGED, {}, {"items": [{"id": "Q1"}]})
    assert said(authority.check_refiner(now, refiner("Q1", why="\0"))) == CONTROL


# --- confirm-decisions ------------------------------------------------------------------------------------------------

WORDS = {"decision": "It is so", "reasoning": "It was said", "implication": "It will be so"}


def entry(number: int, key: str, status: str = "resolved", **values: Any) -> de.Decision:
    titles = {"Q1": "Rate", "Q2": "Late", "Q3": "Labels"}
    answers = {"Q1": "One way", "Q2": "Another way", "Q3": "TBD"}
    return de.Decision(
        id=f"D{number}", title=titles[key], sources=(key,), section="", answers={key: answers[key]}, status=status,
        **{**WORDS, **values},
    )  # fmt: skip


DECIDED = (entry(1, "Q1"), entry(2, "Q2"), entry(3, "Q3", "needs-review"))
DRAFT = de.render([entry(1, "Q1", "draft", decision="", reasoning="", implication="")], {"status": "draft"})


def confirmation(*entries: de.Decision, asked: Sequence[str] = ("D1", "D2", "D3"), text: str = "") -> list[Said]:
    now = at(JUDGED, {PATH: ANSWERED, MADE: DRAFT}, {"entries": [{"id": name} for name in asked]})
    output = outputs.ConfirmOutput(decisions=text or de.render(entries, {}))
    return said(check_confirm(now, output))


@pytest.mark.req("CL-9")
def test_decisions_that_keep_the_protocol_are_taken_in_whole_or_in_the_part_that_was_asked_for() -> None:
    assert confirmation(*DECIDED) == []
    assert confirmation(DECIDED[1], asked=["D2"]) == []


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        (DECIDED[1:], "D1 (Rate) is not there, and no entry may be dropped"),
        ((entry(1, "Q1", "draft"), *DECIDED[1:]), "D1 still has the status 'draft', and every draft has to be decided"),
        (
            (entry(1, "Q1", reasoning=""), *DECIDED[1:]),
            "D1 was passed through: it has no Reasoning of its own",
        ),
        ((*DECIDED, entry(4, "Q1")), "D4 (Rate) is an id that was not asked for"),
        (
            (*DECIDED[:2], entry(3, "Q3")),
            "D3 has the status 'resolved', which it may not have now: none of its sources (Q3) has a clear answer",
        ),
    ],
)
def test_decisions_that_break_the_protocol_are_refused(entries: Sequence[de.Decision], problem: str) -> None:
    assert [found[2] for found in confirmation(*entries)] == [problem]


@pytest.mark.req("CL-9")
def test_an_entry_that_was_not_asked_for_this_time_is_refused() -> None:
    (found,) = confirmation(*DECIDED[:2], asked=["D2"])
    assert (found[0], found[2]) == ("decisions.unknown", "D1 (Rate) was not asked for this time")


def test_a_torn_file_of_decisions_is_refused() -> None:
    whole = de.render(DECIDED, {"status": "complete"})
    torn = confirmation(text=whole.replace("status: complete", "status: [complete", 1))
    assert [found[0] for found in torn] == ["decisions.frontmatter"]
    assert confirmation(text=whole.replace("It is so", "It is \0 so", 1))[0] == CONTROL[0]


def test_without_questions_nothing_has_to_be_decided() -> None:
    assert every_entry(at(own(), {})) == ()
