"""The role players of clarify: they do the job in English and Chinese, and the contracts accept what they give."""

from __future__ import annotations

import pytest
from clarify_sitting import Sitting, brief, example, example_answers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signoff.workflows.clarify import clarifications as cl
from signoff.workflows.clarify import inquiry
from signoff.workflows.clarify.autofill import autofill
from signoff.workflows.clarify.decisions import Decision
from signoff.workflows.clarify.players import PLAYERS, openings
from signoff.workflows.clarify.players.consolidator import grouped
from signoff.workflows.clarify.players.research_notes import Note, letter_of, parse

TOPIC = """\
# Brief

## Metrics

### Win rate (must settle)

Offices report between 21 and 48 percent. How is the win rate calculated?

- Won deals divided by all closed deals (recommended: nothing can be hidden)
- Won value divided by the value of all closed deals
"""

CHINESE = """\
# 销售管道简报

## 指标

### 每月经常性收入（必须确定）

托管服务有月费，项目没有。项目的每月经常性收入如何计算？

- 项目总额除以工作月数
- 项目作为一次性收入，不计入经常性收入（推荐：审计只认合同）
- 只计超过十二个月的项目

## 阶段

### 进入管道（必须确定）

市场部希望尽早看到。商机在哪个阶段进入管道？

- 在“线索”阶段进入管道
- 在“已确认”阶段进入管道（通常）
- 在“已报价”阶段进入管道

### 停滞商机

商机停滞多久后移出管道？

- 90天没有变化
- 由负责人移出

## 业务规则

折扣超过5%时由谁审批，待定。续约由客户经理负责还是由销售负责？
"""
TALK = """\
# 访谈

## 收入

项目的每月经常性收入如何计算，各办事处还没有统一的口径。
"""


@pytest.fixture(scope="module")
def asked() -> Sitting:
    sitting = example()
    sitting.research()
    sitting.consolidate()
    return sitting


def again(sitting: Sitting) -> Sitting:
    """The same sitting, to be changed."""
    return Sitting(dict(sitting.files), sitting.dimensions, sitting.own, sitting.conflicts)


def played() -> Sitting:
    """The example up to the decisions."""
    sitting = example()
    sitting.research()
    sitting.consolidate()
    sitting.answer(example_answers("first"))
    sitting.detail()
    sitting.refine()
    sitting.answer(example_answers("refinements"))
    sitting.refine(deeper=True)
    sitting.answer(example_answers("deeper"))
    return sitting


# --- the example ------------------------------------------------------------------------------------------------------


def test_there_is_a_player_for_each_agent_of_the_workflow() -> None:
    agents = ["dimension-researcher", "consolidate-research", "detailed-research", "section-refiner"]
    assert list(PLAYERS) == [*agents, "confirm-decisions"]


@pytest.mark.req("CL-2")
def test_the_example_gives_twelve_to_eighteen_questions_with_its_duplicates_merged(asked: Sitting) -> None:
    questions = asked.doc.questions
    assert 12 <= len(questions) <= 18
    assert [item.key for item in questions] == [f"Q{number}" for number in range(1, len(questions) + 1)]
    assert len(asked.own.origins) - len(questions) == asked.doc.front["duplicates_removed"] >= 4
    assert 4 <= sum(item.must for item in questions) <= 5


@pytest.mark.req("CL-2")
def test_a_question_that_two_dimensions_raised_names_both_and_keeps_the_choices_of_the_brief(asked: Sitting) -> None:
    merged = {item.title: item for item in asked.doc.questions if len(item.origins) > 1}
    dates = merged["Close dates"]
    assert {origin.rpartition(" ")[0] for origin in dates.origins} == {"Metrics", "Data"}
    assert dates.choices[1].text == "The finance system, from the signed contract"
    assert dates.recommendation.startswith("B — ")
    assert {"Monthly recurring revenue", "Renewals", "Stalled deals", "Discount approval"} < set(merged)


@pytest.mark.req("CL-4", "CL-5")
def test_the_first_answers_of_the_example_are_mixed_and_leave_one_critical_gap(asked: Sitting) -> None:
    sitting = again(asked)
    sitting.answer(example_answers("first"))
    assert sitting.evaluation.verdict == "mixed"
    assert sitting.evaluation.open_must == ("Q3",)
    assert {verdict for _, verdict in sitting.evaluation.per_question} == {"clear", "vague", "not_answered"}


@pytest.mark.req("CL-7")
def test_detailed_research_finds_the_one_contradiction_of_the_example(asked: Sitting) -> None:
    sitting = again(asked)
    sitting.answer(example_answers("first"))
    (found,) = sitting.detail()
    assert found.sources == ["Q4", "Q10"]
    assert "Proposal Sent" in found.note
    assert "Qualified" in found.note


@pytest.mark.req("CL-7", "CL-8")
def test_the_answer_files_of_the_example_fit_the_refinements_that_are_asked() -> None:
    sitting = played()
    keys = {item.key for item in (*sitting.doc.refinements, *sitting.doc.entries)}
    assert {*example_answers("refinements"), *example_answers("deeper")} == keys
    assert [item.key for item in sitting.doc.refinements if item.key[-1].isalpha()] == ["R7.2a"]


@pytest.mark.req("CL-9", "CL-10")
def test_the_example_ends_with_every_draft_decided_and_one_question_handed_on() -> None:
    sitting = played()
    entries = sitting.confirm().entries
    assert sitting.corrected == ()
    by_title = {entry.title: entry for entry in entries}
    assert by_title["[Contradiction] Coverage vs. Pipeline entry"].status == "conflict-resolved"
    assert by_title["[Critical Gap] Win rate"].decision == by_title["[Critical Gap] Win rate"].settled + "."
    assert by_title["Stalled deals: the exact rule"].change == "90 days (Q12) became 60 days (R12.1)."
    assert [entry.title for entry in entries if entry.status == "needs-review"] == ["Partner deals: to begin with"]


@pytest.mark.req("CL-9")
def test_a_decision_keeps_the_part_of_its_answer_that_a_settled_contradiction_does_not_touch() -> None:
    coverage = next(entry for entry in played().confirm().entries if entry.title == "Coverage")
    assert coverage.decision.startswith("Pipeline that closes in the quarter, against the quota of that quarter.")
    assert "Proposal Sent" not in coverage.decision
    assert "D13" in coverage.decision


@pytest.mark.req("CL-9")
def test_a_contradiction_that_was_settled_earlier_still_holds_when_only_one_entry_is_decided_again() -> None:
    sitting = played()
    sitting.files[inquiry.decisions("inquiry")] = sitting.confirm().text.encode()
    given = {"id": "D3", "title": "Coverage", "sources": ["Q4"], "section": "Metrics", "answers": {}, "settled": ""}
    notes = {
        "entries": [{**given, "was": "resolved", "allowed": ["resolved", "needs-review"]}],
        "path": sitting.path,
        "decisions": inquiry.decisions("inquiry"),
        "only": True,
    }
    assert "As settled in D13" in sitting.raw("confirm-decisions", notes)


def test_the_same_turn_gives_the_same_bytes(asked: Sitting) -> None:
    notes = {"dimension": {"name": "metrics", "title": "Metrics", "about": "what is counted and how"}, "scope": None}
    assert asked.raw("dimension-researcher", notes) == again(asked).raw("dimension-researcher", notes)


# --- the researcher ---------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-2")
def test_a_topic_with_listed_ways_becomes_a_question_with_these_choices_and_the_marked_one_recommended() -> None:
    (found,) = brief(TOPIC).research()["metrics"].questions
    assert found.title == "Win rate"
    assert found.question == "Offices report between 21 and 48 percent. How is the win rate calculated?"
    assert found.choices == [
        "Won deals divided by all closed deals",
        "Won value divided by the value of all closed deals",
    ]
    assert found.recommendation == "A — Nothing can be hidden."
    assert found.must_answer
    assert found.sources[0].quote == "How is the win rate calculated?"


def test_a_topic_belongs_to_the_dimension_that_its_section_names_and_to_no_other() -> None:
    found = brief(TOPIC).research()
    assert {name for name, output in found.items() if output.questions} == {"metrics"}


@pytest.mark.parametrize(
    ("section", "dimension"),
    [
        ("How we calculate", "metrics"),
        ("Customer groups and tiers", "segmentation"),
        ("Steps of a deal", "stages"),
        ("Approval and exceptions", "business-rules"),
        ("Systems and records", "data"),
        ("细分", "segmentation"),
        ("审批权限", "business-rules"),
    ],
)
def test_a_section_is_recognised_by_other_words_of_the_trade(section: str, dimension: str) -> None:
    found = brief(f"## {section}\n\n### Thing\n\n- this way\n- that way\n").research()
    assert [name for name, output in found.items() if output.questions] == [dimension]


@pytest.mark.parametrize(
    ("sentence", "title", "choices"),
    [
        (
            "Which stage counts, either Qualified or Proposal Sent?",
            "Stage counts",
            ("Qualified", "Proposal Sent"),
        ),
        (
            "It is unclear whether the stage is set by sales or by finance.",
            "Stage is set",
            ("By sales", "By finance"),
        ),
        (
            "Is a stage closed at signature or at kick-off?",
            "Stage closed",
            ("At signature", "At kick-off"),
        ),
        ("The entry stage varies between offices.", "Entry stage", openings.GENERIC),
        ("The exit stage is TBD.", "Exit stage", openings.GENERIC),
        ("There is no written rule for leaving a stage early.", "Leaving a stage early", openings.GENERIC),
        ("阶段由销售确定还是由财务确定？", "阶段", ("由销售确定", "由财务确定")),
        ("退出阶段的条件不明确。", "退出阶段的条件", openings.GENERIC_HAN),
    ],
)
def test_an_open_sentence_in_prose_becomes_a_question_with_the_alternatives_it_names(
    sentence: str, title: str, choices: tuple[str, ...]
) -> None:
    (found,) = brief(f"# Notes\n\n{sentence}\n").research()["stages"].questions
    assert (found.title, tuple(found.choices)) == (title, choices)
    assert sentence.rstrip(".。") in found.question
    assert found.sources[0].quote == sentence


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A plain statement about stages.",
        "The stage is Qualified. It varies.",
        "```\nWhich stage?\n```",
        "| stage? | TBD |\n|---|---|\n",
        "## Stages\n\n### Entry (settled)\n\n- this\n- that\n",
        "<!-- which stage? -->",
    ],
)
def test_what_is_not_open_is_not_asked(text: str) -> None:
    assert brief(text).research()["stages"].questions == []


def test_sources_that_are_no_prose_are_passed_by_and_named() -> None:
    sitting = brief(TOPIC)
    sitting.files |= {
        "0-sources/a.bin": b"\xff\xfe\0\x01",
        "0-sources/b.csv": b"stage?,TBD",
        "0-sources/c.pdf": b"%PDF-1",
    }
    found = sitting.research()["stages"]
    assert found.questions == []
    assert all(path in found.notes for path in ("0-sources/a.bin", "0-sources/b.csv", "0-sources/c.pdf"))


@pytest.mark.req("CL-11")
@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        (None, ["Discounts", "Renewals"]),
        ("renewals only", ["Renewals"]),
        ("everything but not renewals", ["Discounts"]),
        ("business rules", ["Discounts", "Renewals"]),
        ("payroll", []),
    ],
)
def test_a_narrower_scope_leaves_questions_out_and_says_which(scope: str | None, kept: list[str]) -> None:
    text = "## Rules\n\n### Discounts\n\n- a way\n- no way\n\n### Renewals\n\n- a way\n- no way\n"
    found = brief(text).research(scope)["business-rules"]
    assert [question.title for question in found.questions] == kept
    assert all(title in found.notes for title in {"Discounts", "Renewals"} - set(kept))


def test_of_more_topics_than_one_dimension_may_ask_those_that_must_be_settled_are_kept_and_the_rest_is_named() -> None:
    topics = (f"### Topic {n}{' (must settle)' if n > 190 else ''}\n\n- way {n}\n- other way {n}\n" for n in range(200))
    found = brief("## Metrics\n\n" + "\n".join(topics)).research()["metrics"]
    assert len(found.questions) == 60
    assert [question.title for question in found.questions if question.must_answer] == [
        f"Topic {n}" for n in range(191, 200)
    ]
    assert "Topic 190" in found.notes


# --- the consolidator -------------------------------------------------------------------------------------------------


def note(origin: str, title: str, question: str, *choices: str) -> Note:
    return Note(origin, title, False, question, choices or ("yes", "no"), "A — why")


@pytest.mark.req("CL-2")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("When does a deal leave the pipeline?", "Deals leave the pipeline when?", True),
        ("Who approves discounts above 5 percent?", "Who signs contracts above 5 percent?", False),
        ("项目的经常性收入如何计算？", "经常性收入如何计算项目？", True),
        ("折扣由谁审批？", "合同由谁签署？", False),
    ],
)
def test_questions_are_merged_when_they_share_the_words_that_tell(one: str, other: str, same: bool) -> None:
    notes = [note("Metrics Q1", one.rstrip("?？"), one), note("Data Q1", other.rstrip("?？"), other)]
    assert (len(grouped(notes)) == 1) is same


def test_notes_are_read_back_as_the_research_wrote_them() -> None:
    sitting = brief(TOPIC)
    (question,) = sitting.research()["metrics"].questions
    (read,) = parse(sitting.files[inquiry.research("inquiry", "metrics")].decode())
    assert (read.origin, read.title, read.must) == ("Metrics Q1", question.title, True)
    assert (read.question, list(read.choices), read.recommendation) == (
        question.question,
        question.choices,
        question.recommendation,
    )


@pytest.mark.req("CL-1")
def test_a_question_that_people_have_seen_keeps_its_id_and_new_ones_get_the_next(asked: Sitting) -> None:
    sitting = again(asked)
    shown = {item.key: item.title for item in asked.doc.questions}
    extra = b"\n### Churn\n\nHow is churn counted?\n\n- by customers\n- by value\n"
    text = sitting.files["0-sources/brief.md"].replace(b"\n## Segmentation", extra + b"\n## Segmentation", 1)
    sitting.files["0-sources/brief.md"] = text.replace(b"### Customer size", b"### Unrelated subject (settled)")
    sitting.research()
    sitting.consolidate()
    now = {item.key: item.title for item in sitting.doc.questions}
    assert now.pop(f"Q{len(shown) + 1}") == "Churn"
    assert now == {key: title for key, title in shown.items() if title != "Customer size"}


@pytest.mark.req("CL-11")
def test_more_questions_than_one_sitting_takes_lead_to_a_narrower_scope_with_its_reason() -> None:
    sitting = example()
    sitting.research()
    assert sitting.consolidate(most=10).scope_reason.startswith("17 questions are open and one sitting takes about 10")
    assert sitting.doc.front["scope_recommendation"] is True


def test_a_research_question_that_cannot_be_read_is_dropped_with_the_reason() -> None:
    sitting = brief(TOPIC)
    sitting.research()
    sitting.own.origins["Data Q7"] = "Lost"  # type: ignore[index]  # the notes do not have it
    (dropped,) = sitting.consolidate().dropped
    assert dropped.origin == "Data Q7"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("B — it is usual", ("B", "it is usual")),
        ("B", ("B", "")),
        ("A. Since it is so.", ("A", "Since it is so.")),
        ("Because of the auditors", ("", "Because of the auditors")),
        ("", ("", "")),
    ],
)
def test_a_recommendation_is_a_letter_and_a_reason(text: str, found: tuple[str, str]) -> None:
    assert letter_of(text) == found


# --- contradictions ---------------------------------------------------------------------------------------------------


TWO_TOPICS = """\
## Stages

### Leaving

When do stalled deals leave the pipeline?

- after 90 days
- never

### Cleaning

What is cleaned up each month?

- old leads
- nothing
"""


@pytest.mark.req("CL-7")
def test_only_clear_answers_are_compared() -> None:
    sitting = brief(TWO_TOPICS)
    sitting.research()
    sitting.consolidate()
    sitting.answer({"Q1": "Stalled deals leave the pipeline after 90 days", "Q2": "60 days"})
    assert sitting.detail() == ()
    sitting.answer({"Q2": "Stalled deals leave the pipeline after 60 days"})
    assert [one.sources for one in sitting.detail()] == [["Q1", "Q2"]]


# --- refinements and decisions ----------------------------------------------------------------------------------------


def one_question(answer: str, must: bool = False) -> Sitting:
    sitting = brief(TOPIC if must else TOPIC.replace(" (must settle)", ""))
    sitting.research()
    sitting.consolidate()
    sitting.answer({"Q1": answer})
    return sitting


@pytest.mark.req("CL-7")
@pytest.mark.parametrize(
    ("answer", "titles", "words"),
    [
        ("TBD", ["Win rate: the exact rule"], "You wrote “TBD”. Which of these comes closest?"),
        ("it depends", ["Win rate: the exact rule", "Win rate: what it depends on"], "You wrote “it depends”."),
        ("C", ["Win rate: the exact rule"], "You chose “Other” and did not say what."),
        ("", ["Win rate: to begin with"], "There is no answer yet."),
    ],
)
def test_an_item_that_is_not_clear_gets_the_next_smaller_question(answer: str, titles: list[str], words: str) -> None:
    found = one_question(answer).refine()
    assert [one.title for one in found] == titles
    assert found[0].why.startswith(words)
    assert any("Won deals divided by all closed deals" in choice for choice in found[0].choices)


@pytest.mark.req("CL-7")
def test_what_must_be_settled_cannot_be_left_out_of_the_first_version() -> None:
    for must in (True, False):
        (found,) = one_question("", must=must).refine()
        assert any(choice.startswith("Leave it out") for choice in found.choices) is not must


@pytest.mark.req("CL-8")
def test_a_refinement_that_is_not_clear_gets_a_question_between_two_of_its_ways() -> None:
    sitting = one_question("TBD")
    sitting.refine()
    sitting.answer({"R1.1": "hm, maybe"})
    (found,) = sitting.refine(deeper=True)
    assert (found.parent, found.title) == ("R1.1", "Win rate: for now")
    assert "hm, maybe" in found.why
    assert sitting.doc.item("R1.1a") is not None


def decided(sitting: Sitting) -> Decision:
    (entry,) = sitting.confirm().entries
    return entry


@pytest.mark.req("CL-9")
def test_a_decision_says_which_choice_bears_it_and_which_fall_away() -> None:
    entry = decided(one_question("A"))
    assert entry.status == "resolved"
    assert entry.decision == "Won deals divided by all closed deals."
    assert "choice A, which the research recommended as well" in entry.reasoning
    assert "B. Won value divided by the value of all closed deals" in entry.implication


@pytest.mark.req("CL-9")
def test_a_recommendation_that_was_taken_over_is_not_called_the_persons_own_words() -> None:
    sitting = one_question("")
    sitting.put(autofill(sitting.doc).text)
    entry = decided(sitting)
    assert entry.answers == {"Q1": "Won deals divided by all closed deals — Nothing can be hidden."}
    assert entry.decision == "Won deals divided by all closed deals."
    assert entry.reasoning == (
        "Q1 was answered by taking over the recommendation, A. The research gave this reason: Nothing can be hidden. "
        "No other answer bears on it."
    )
    assert "B. Won value divided by the value of all closed deals" in entry.implication


@pytest.mark.req("CL-9")
@pytest.mark.parametrize(
    ("answer", "decision", "reasons"),
    [
        ("A — Nothing can be hidden.\n<!-- agreed -->", "Won deals divided by all closed deals.", "taking over"),
        ("A — Nothing can be hidden. In euros.", "— Nothing can be hidden. In euros.", "in the person's own words"),
        ("A", "Won deals divided by all closed deals.", "which the research recommended as well"),
        ("B, as finance does", "closed deals — as finance does.", "the research recommended A. What goes beyond"),
    ],
)
def test_only_the_very_words_of_a_recommendation_are_taken_over(answer: str, decision: str, reasons: str) -> None:
    entry = decided(one_question(answer))
    assert entry.decision.endswith(decision)
    assert reasons in entry.reasoning


@pytest.mark.req("CL-9")
def test_a_recommendation_without_a_letter_is_taken_over_as_it_is_written() -> None:
    sitting = one_question("")
    advice = "Count what the finance system counts as won"
    sitting.put(sitting.doc.text.replace("A — Nothing can be hidden.", advice))
    sitting.answer({"Q1": advice})
    entry = decided(sitting)
    assert entry.decision == f"{advice}."
    assert "taking over the recommendation as it was written" in entry.reasoning


@pytest.mark.req("CL-9")
@pytest.mark.parametrize("answer", ["A, B", "b and a", "A、B"])
def test_of_several_choices_all_are_decided_and_none_falls_away(answer: str) -> None:
    entry = decided(one_question(answer))
    texts = ["Won deals divided by all closed deals", "Won value divided by the value of all closed deals"]
    letters = ["A", "B"] if answer.startswith("A") else ["B", "A"]
    shown = [texts["AB".index(letter)] for letter in letters]
    assert [part.strip().casefold() for part in entry.decision.rstrip(".").split(";")] == [
        text.casefold() for text in shown
    ]
    assert f"Q1 was answered with the choices {', '.join(letters)}, all of them" in entry.reasoning
    assert "own words" not in entry.reasoning
    together = "; ".join(f"{letter}. {text}" for letter, text in zip(letters, shown, strict=True))
    assert f"These apply together: {together}." in entry.implication
    assert "does not apply" not in entry.implication


@pytest.mark.req("CL-9")
@pytest.mark.parametrize(
    ("answer", "told"),
    [("B", "Q1 was answered with choice B. "), ("A, B", "Q1 was answered with the choices A, B, all of them. ")],
)
def test_where_nothing_was_recommended_nothing_is_said_of_it(answer: str, told: str) -> None:
    sitting = one_question("")
    sitting.put(sitting.doc.text.replace("**Recommendation:** A — Nothing can be hidden.", ""))
    sitting.answer({"Q1": answer})
    entry = decided(sitting)
    assert entry.reasoning.startswith(told)
    assert "recommend" not in entry.reasoning


@pytest.mark.req("CL-9")
@pytest.mark.parametrize(
    ("answer", "letters", "reason"),
    [
        ("B — 审计只认合同。", "采用了调研的建议，即 B。调研给出的理由：审计只认合同。", "A. 项目总额除以工作月数"),
        ("A、C", "Q1 同时选择了 A, C；调研建议的是 B。", "以下做法同时适用：A. 项目总额除以工作月数; C. 只计"),
    ],
)
def test_choices_and_recommendations_are_told_in_chinese_too(answer: str, letters: str, reason: str) -> None:
    sitting = brief(CHINESE)
    sitting.research()
    sitting.consolidate()
    sitting.answer({"Q1": answer})
    entry = sitting.confirm().entries[0]
    assert letters in entry.reasoning
    assert reason in entry.implication


@pytest.mark.req("CL-9")
@pytest.mark.parametrize(
    ("later", "status"),
    [
        ("No, never count closed deals that nobody decided", "resolved"),
        ("Deals are never counted in this", "conflict-resolved"),
    ],
)
def test_a_refinement_that_speaks_against_its_question_is_a_conflict_with_both_sides_named(
    later: str, status: str
) -> None:
    sitting = one_question("TBD")
    sitting.refine()
    sitting.answer(
        {"Q1": "All deals are always counted" if status != "resolved" else "By value of closed deals", "R1.1": later}
    )
    entry = decided(sitting)
    assert entry.status == status
    assert ("Q1" in entry.contradiction and "R1.1" in entry.contradiction) is (status == "conflict-resolved")


@pytest.mark.req("CL-9", "CL-10")
def test_what_nobody_settled_stays_open_with_a_note() -> None:
    gap = decided(one_question("", must=True))
    assert (gap.status, gap.title) == ("critical-gap", "[Critical Gap] Win rate")
    assert "Q1 must be answered" in gap.note
    vague = decided(one_question("TBD"))
    assert vague.status == "needs-review"
    assert "Q1" in vague.note


@pytest.mark.req("CL-9")
def test_a_contradiction_that_nobody_answered_stays_a_contradiction() -> None:
    sitting = example()
    sitting.research()
    sitting.consolidate()
    sitting.answer(example_answers("first"))
    sitting.detail()
    sitting.refine()
    entry = sitting.confirm().entry("D13")
    assert entry is not None
    assert entry.status == "contradiction"
    assert "Q4, Q10 contradict each other" in entry.note


LEAVES = "Stalled deals leave the pipeline after {} days"


@pytest.mark.req("CL-9", "CL-13")
@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ({"Q2": LEAVES.format(90)}, "resolved"),
        ({"Q2": ""}, "resolved"),
        ({"Q2": LEAVES.format(30)}, "contradiction"),
        ({"Q1": "TBD", "Q2": "TBD"}, "needs-review"),
    ],
)
def test_a_contradiction_of_which_an_answer_changed_is_judged_by_the_answers_of_now(
    answers: dict[str, str], status: str
) -> None:
    sitting = brief(TWO_TOPICS)
    sitting.research()
    sitting.consolidate()
    sitting.answer({"Q1": LEAVES.format(90), "Q2": LEAVES.format(60)})
    sitting.detail()
    sitting.refine()
    sitting.put(cl.with_answers(sitting.doc, answers))
    entry = sitting.confirm().entry("D3")
    assert entry is not None
    assert entry.status == status
    told = entry.note if status == "contradiction" else entry.reasoning
    assert "An answer changed since the contradiction was found: " in told
    assert (
        f"Q2 said “{LEAVES.format(60)}” when this was recorded and says “{answers['Q2'] or '(not answered)'}”" in told
    )
    assert "60" not in entry.decision
    assert ("There is no contradiction any more" in entry.decision) == (status == "resolved")


# --- Chinese, and whatever people write -------------------------------------------------------------------------------


def test_a_chinese_brief_becomes_chinese_questions_and_decisions() -> None:
    sitting = brief(CHINESE, interview_md=TALK)
    sitting.research()
    sitting.consolidate()
    titles = [item.title for item in sitting.doc.questions]
    assert titles == ["每月经常性收入", "进入管道", "停滞商机", "折扣超过5%时由谁审批", "续约"]
    assert sitting.doc.questions[0].origins == ("Metrics Q1", "Metrics Q2")
    assert [item.key for item in sitting.doc.questions if item.must] == ["Q1", "Q2"]
    assert sitting.doc.questions[0].recommendation == "B — 审计只认合同。"
    sitting.answer(
        {"Q1": "B", "Q3": "90天，视情况", "Q4": "折扣由区域负责人审批；商机在“已报价”阶段进入管道", "Q2": "B"}
    )
    (found,) = sitting.detail()
    assert found.sources == ["Q2", "Q4"]
    assert "“已报价”" in found.note
    assert [one.title for one in sitting.refine()] == [
        "停滞商机：确切的规则",
        "停滞商机：取决于什么",
        "续约：先从何做起",
    ]
    sitting.answer(
        {"R3.1": "商机停滞60天后移出管道", "R5.1": "A", "Contradiction: 进入管道 与 折扣超过5%时由谁审批": "A"}
    )
    entries = {entry.title: entry for entry in sitting.confirm().entries}
    assert entries["停滞商机：确切的规则"].change == "90天（Q3）改为 60天（R3.1）。"
    assert entries["每月经常性收入"].reasoning == "Q1 选择了 B，与调研的建议一致。没有其他回答与此有关。"


# fmt: off
MARKS = ["# ", "## Metrics\n", "### ", "#### ", "- ", "  - ", "A. ", "> ", "```\n", "---\n", "**Answer:** ", "_x_"]
WORDS = ["stage", "either a or b", "TBD?", "unclear", "\r\n", "\n", "\n\n", "\r", " ", "\t", "阶段", "还是", "？", "。"]
WORDS += ["Other", "\x07", '"', "'", "\\", "`", "*", "(must settle)", "(usual: x)", "Q1: ", "R1.1:", "90 days", "never"]
WORDS += ["always", "\u2028", "🜚", "<!--", "[MUST ANSWER]", "~~~", "A", "B.", "C)", "it depends"]
# fmt: on
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
TEXT = st.lists(st.sampled_from([*MARKS, *WORDS]) | ANY, max_size=40).map("".join)
HOSTILE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(TEXT, st.lists(TEXT, max_size=4))
@HOSTILE
def test_whatever_a_brief_and_its_answers_say_every_output_is_accepted(text: str, answers: list[str]) -> None:
    sitting = brief(f"## Metrics\n\n### Topic of the day\n\n- this way\n- that way\n\n{text}")
    found = sitting.research()
    assert any(output.questions for output in found.values())
    sitting.consolidate()
    sitting.answer(dict(zip([item.key for item in sitting.doc.questions], answers, strict=False)))
    sitting.detail()
    sitting.refine()
    sitting.answer(dict(zip([item.key for item in sitting.doc.refinements], answers, strict=False)))
    sitting.refine(deeper=True)
    made = sitting.confirm()
    assert all(entry.status != "draft" for entry in made.entries)
