"""An inquiry from the brief to the decisions, as a person has it: what is asked, what is chosen, what is on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from clarify_project import (
    AGENTS,
    ALL,
    BRIEF,
    CONFIG,
    DIMENSIONS,
    MIXED,
    PERSON,
    SOURCES,
    Case,
    changed,
    failing_at,
    lay_out,
    on_the_way,
    put,
    says,
    scripted,
)

from signoff.artifacts import yamlio
from signoff.core.declarations import Assignment, Tools
from signoff.core.errors import DocumentError, RefusedError
from signoff.service import runs
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.runtime import Misbehaving, Offline
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.faults import FAULTS
from signoff.workflows.kit.fault_plans import Fault

GAP = "Critical Gap: Record of addresses"
CLASH = {"sources": ["Q1", "Q4"], "title": "Label or scan", "note": "Q1 counts from the scan, Q4 from the label."}
CONTRADICTION = "Contradiction: Label or scan"
ANALYST = {"detailed-research": says({"contradictions": [CLASH]})}


def statuses(case: Case) -> dict[str, str]:
    return {entry.title: entry.status for entry in case.made.entries}


def blocks(text: str) -> dict[str, str]:
    """The entries of a decisions file by id, byte for byte."""
    parts = (part.rstrip("\n") for part in text.split("### D")[1:])
    return {f"D{part.split(':', 1)[0]}": part for part in parts}


# --- step 1: research and consolidation (CL-2) ------------------------------------------------------------------------


@pytest.mark.req("CL-2")
def test_each_dimension_is_researched_once_and_its_notes_name_their_sources(asked: Case) -> None:
    assert [turn[5:] for turn in asked.turns()] == ["dimension-researcher"] * 3 + ["consolidate-research"]
    notes = asked.text("lockers/context/research/metrics.md")
    assert "## Metrics Q1: Delivery time [MUST ANSWER]" in notes
    assert f'_Source: {BRIEF}: "From when is the delivery time counted?"_' in notes
    assert sorted(file.name for file in (asked.root / "lockers/context/research").iterdir()) == [
        "data.md",
        "metrics.md",
        "stages.md",
    ]
    assert asked.own.origins["Stages Q1"] == "Parcel entry"
    assert len(asked.own.origins) == 8


@pytest.mark.req("CL-2")
def test_what_two_dimensions_raise_is_asked_once_and_names_both(asked: Case) -> None:
    (old,) = [item for item in asked.doc.questions if item.title == "Old labels"]
    assert set(old.origins) == {"Stages Q3", "Data Q1"}
    assert [item.key for item in asked.doc.questions] == [f"Q{n}" for n in range(1, 8)]
    front = {"question_count": 7, "sections": 3, "duplicates_removed": 1, "refinement_count": 0}
    assert front.items() <= asked.doc.front.items()
    assert {name for item in asked.doc.questions for name in item.origins} == set(asked.own.origins)


@pytest.mark.req("CL-2")
def test_a_researcher_that_fails_twice_is_reported_and_the_others_are_consolidated(fresh: Case) -> None:
    fresh.drive(failing_at("dimension-researcher", "data"))
    (skipped,) = fresh.warned("clarify.skipped")
    assert "dimension-researcher gave nothing usable for data and was skipped" in skipped.problem
    assert len(list((fresh.root / fresh.folder / "turns").glob("*/raw-2.txt"))) == 1
    assert not (fresh.root / "lockers/context/research/data.md").exists()
    assert [section.title for section in fresh.doc.sections] == ["Metrics", "Stages"]
    assert '"skipped": [\n  "data"\n ]' in fresh.brief(fresh.turns("consolidate-research")[0])


SILENT = {"dimension-researcher": says({"questions": [], "notes": ""})}


@pytest.mark.req("CL-2")
@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (SILENT, "the researchers found no open question about 'parcel lockers' in 0-sources/"),
        ({"dimension-researcher": says("no")}, "no researcher gave anything usable"),
    ],
)
def test_research_without_a_question_needs_a_person_and_resumes(
    tmp_path: Path, agents: Mapping[str, Any], said: str
) -> None:
    case = Case(lay_out(tmp_path / "project"))
    state = case.run(agents, topic="parcel lockers")
    assert (state.stop, case.own.resume_to, list(case.asked())) == ("escalated", "research", ["escalation"])
    assert said in case.own.blockers[0]
    case.choose("resume")
    assert case.own.step == "answers"
    assert case.own.blockers == ()


def test_a_dimension_taken_out_while_it_is_researched_does_not_keep_the_others_waiting(fresh: Case) -> None:
    shorter = DIMENSIONS.replace("  - {name: data, about: where the figures come from}\n", "")
    fresh.drive(on_the_way("dimension-researcher", lambda: put(fresh.root, CONFIG, shorter), "data"))
    assert fresh.own.step == "answers"
    assert [section.title for section in fresh.doc.sections] == ["Metrics", "Stages"]


def test_a_brief_edited_while_it_is_researched_is_researched_anew(fresh: Case) -> None:
    mine = f"{SOURCES[BRIEF]}\nThe lockers are blue.\n"
    fresh.drive(on_the_way("dimension-researcher", lambda: put(fresh.root, BRIEF, mine), "data"))
    assert fresh.own.step == "answers"
    first, last = fresh.turns("dimension-researcher")[:3], fresh.turns("dimension-researcher")[3:]
    assert len(last) == 3, "each dimension, also those that had returned"
    assert not any("The lockers are blue." in fresh.brief(turn) for turn in first)
    assert all("The lockers are blue." in fresh.brief(turn) for turn in last)


def test_a_brief_edited_after_the_research_is_said_and_the_run_goes_on(answered: Case) -> None:
    answered.replace(BRIEF, "parcel lockers", "all parcel lockers")
    assert answered.warned("clarify.sources")[0].problem == "the sources changed after the research"
    answered.choose("research")
    assert answered.own.step == "refinements"


@pytest.mark.req("CL-2")
def test_a_consolidator_that_fails_twice_needs_a_person_and_is_asked_again_on_resume(fresh: Case) -> None:
    state = fresh.drive({"consolidate-research": says("---")})
    assert (state.stop, fresh.own.resume_to, fresh.own.escalation_reason) == (
        "escalated",
        "consolidate",
        "unusable_output",
    )
    assert not (fresh.root / fresh.questions).exists()
    researchers = fresh.turns("dimension-researcher")
    fresh.choose("resume")
    assert fresh.own.step == "answers"
    assert fresh.turns("dimension-researcher") == researchers, "what is known is not paid for twice"


# --- the evaluation (CL-5) --------------------------------------------------------------------------------------------


@pytest.mark.req("CL-5", "CL-8")
def test_the_evaluation_on_disk_is_what_the_file_says_after_every_edit(asked: Case, refining: Case) -> None:
    for case, answers in ((asked, {}), (asked, MIXED), (refining, {"R2.1": "A"})):
        case.answer(answers)
        assert case.evaluation == evaluate(case.doc).plain()
    assert {"question_id": "R2.1", "verdict": "clear"} in refining.evaluation["per_question"]
    assert {"question_id": "R7.1", "verdict": "not_answered"} in refining.evaluation["per_question"]


@pytest.mark.req("CL-5")
@pytest.mark.parametrize("mine", ['{"verdict": "sufficient"}\n', None])
def test_an_evaluation_that_is_edited_or_removed_is_put_back(answered: Case, mine: str | None) -> None:
    right = answered.text(answered.judged)
    if mine is None:
        (answered.root / answered.judged).unlink()
    else:
        put(answered.root, answered.judged, mine)
    answered.refresh()
    assert answered.text(answered.judged) == right
    kept = [file.read_text() for file in answered.root.glob(f"{answered.folder}/edited/answer-evaluation.json.*")]
    assert kept == ([] if mine is None else [mine])
    assert any(f"{answered.judged} was {'removed' if mine is None else 'edited'}" in told for told in answered.told)


@pytest.mark.req("CL-4", "CL-5")
def test_a_term_or_a_threshold_of_the_config_counts_at_once(answered: Case) -> None:
    answered.answer({"Q2": "by order", "Q7": "B"})
    assert answered.evaluation["verdict"] == "sufficient", "six of seven are enough"
    answered.edit(CONFIG, f"{DIMENSIONS}thresholds: {{sufficient: 1.0}}\n")
    assert (answered.evaluation["verdict"], answered.asked()) == (
        "mixed",
        {"answers": ("research", "autofill", "answer")},
    )
    answered.edit(CONFIG, f"{DIMENSIONS}thresholds: {{sufficient: 1.0}}\nknown_terms: [By order]\n")
    assert (answered.evaluation["verdict"], answered.asked()) == ("sufficient", {"answers": ("decide", "research")})


# --- the gate (CL-6) --------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-6")
@pytest.mark.parametrize(
    ("answers", "verdict", "options"),
    [
        ({}, "insufficient", ("answer", "autofill")),
        ({"Q1": "B", "Q2": "A", "Q3": "TBD"}, "insufficient", ("answer", "autofill")),
        (MIXED, "mixed", ("research", "autofill", "answer")),
        ({**ALL, "Q1": ""}, "mixed", ("research", "autofill", "answer")),
        (ALL, "sufficient", ("decide", "research")),
    ],
)
def test_the_verdict_says_what_may_be_chosen(
    asked: Case, answers: dict[str, str], verdict: str, options: tuple[str, ...]
) -> None:
    asked.answer(answers)
    assert asked.asked() == {"answers": options}
    assert (asked.status["verdict"], asked.evaluation["verdict"]) == (verdict, verdict)
    (ask,) = asked.state.requests.values()
    assert ask.question.startswith(f"The answers are {verdict}: ")


@pytest.mark.req("CL-6")
def test_what_the_verdict_does_not_offer_is_refused_and_moves_nothing(asked: Case) -> None:
    before = asked.text(f"{asked.folder}/journal.jsonl")

    async def deciding(live: LiveRun) -> None:
        await runs.answer(live, "answers", "decide", PERSON, {})

    with pytest.raises(RefusedError, match=r"'decide' is no answer to it\. Repair: use one of answer, autofill"):
        asked.go(deciding)
    assert asked.text(f"{asked.folder}/journal.jsonl") == before


@pytest.mark.req("CL-6")
def test_a_choice_is_on_record_with_who_and_when_and_the_note(answered: Case) -> None:
    answered.choose("answer", note="Tuesday")
    assert answered.asked() == {"answers": ("research", "autofill", "answer")}, "it is asked again"
    answered.choose("research")
    first, second = answered.status["choices"]
    assert (first["act"], first["by"], first["note"]) == ("answer", PERSON.by, "Tuesday")
    assert first["request"].startswith("answers-")
    assert (second["act"], second["note"]) == ("research", "")
    assert first["at"] < second["at"]


@pytest.mark.req("CL-3", "CL-6")
def test_autofill_copies_recommendations_into_empty_answers_and_goes_straight_to_the_decisions(answered: Case) -> None:
    before = answered.doc
    state = answered.choose("autofill")
    assert state.stop == "complete"
    assert answered.text(answered.questions) == cl.with_answers(before, {"Q7": before.item("Q7").recommendation})  # type: ignore[union-attr]
    (said,) = answered.warned("clarify.autofill")
    assert said.problem == "1 answers were filled from recommendations: Q7"
    assert answered.turns("detailed-research") == answered.turns("section-refiner") == []
    assert statuses(answered)["Return rate"] == "needs-review", "TBD is a person's answer, and is not filled over"
    assert answered.made.front["round"] == 1


@pytest.mark.req("CL-6", "CL-9")
def test_sufficient_answers_become_decisions_without_drafts(done: Case) -> None:
    assert [turn[5:] for turn in done.turns()][4:] == ["confirm-decisions"]
    assert [entry.sources for entry in done.made.entries] == [(f"Q{n}",) for n in range(1, 8)]
    assert set(statuses(done).values()) == {"resolved"}
    front = {"status": "complete", "decision_count": 7, "conflicts_resolved": 0, "round": 1}
    assert dict(done.made.front) == front
    assert done.status["outputs"] == [done.decided]


def test_nothing_to_decide_from_asks_for_answers_again(fresh: Case) -> None:
    def bare(output: dict[str, Any], _assignment: object) -> None:
        lines = str(output["clarifications"]).replace(" [MUST ANSWER]", "").splitlines()
        output["clarifications"] = "\n".join(line for line in lines if not line.startswith("**Recommendation:**"))

    def optional(output: dict[str, Any], _assignment: object) -> None:
        for question in output["questions"]:
            question["must_answer"] = False

    fresh.drive({**changed("consolidate-research", bare), **changed("dimension-researcher", optional)})
    fresh.choose("autofill")
    assert (fresh.own.step, fresh.asked()) == ("answers", {"answers": ("answer", "autofill")})
    assert fresh.warned("clarify.undecided")
    assert (
        "still empty, for there is nothing to fill in for sure: Q1, Q2" in fresh.warned("clarify.autofill")[0].problem
    )
    assert not (fresh.root / fresh.decided).exists()


# --- step 3: detailed research (CL-7) ---------------------------------------------------------------------------------


@pytest.mark.req("CL-7")
def test_drafts_are_made_by_code_from_clear_answers_and_missing_ones(refining: Case) -> None:
    made = refining.made
    assert [(one.id, one.title, one.sources, one.status) for one in made.entries] == [
        ("D1", "Delivery time", ("Q1",), "draft"),
        ("D2", "Full lockers", ("Q3",), "draft"),
        ("D3", "Parcel entry", ("Q4",), "draft"),
        ("D4", "Pickup end", ("Q5",), "draft"),
        ("D5", "Old labels", ("Q6",), "draft"),
        ("D6", "[Critical Gap] Record of addresses", ("Q7",), "critical-gap"),
    ]
    assert (made.entries[0].section, dict(made.entries[0].answers)) == ("Metrics", {"Q1": "From the first scan"})
    assert dict(made.front) == {"status": "draft", "decision_count": 6}
    assert refining.turns("confirm-decisions") == []


@pytest.mark.req("CL-7")
def test_only_a_section_with_something_unclear_gets_a_refiner(refining: Case) -> None:
    given = [refining.brief(turn).split("# Given by the orchestrator")[1] for turn in refining.turns("section-refiner")]
    assert [text.split('"section": "')[1].split('"')[0] for text in given] == ["Metrics", "Data"]
    assert '"items": [\n  {\n   "id": "Q2",\n   "verdict": "vague"\n  }\n ]' in given[0]
    assert {item.key[:2] for item in refining.doc.refinements} == {"R2", "R7"}
    assert all(1 <= len(refining.doc.below(key)) <= 3 for key in ("Q2", "Q7"))
    assert refining.doc.front["refinement_count"] == len(refining.doc.refinements)


@pytest.mark.req("CL-7")
def test_a_critical_gap_is_put_to_the_person_in_the_file(refining: Case) -> None:
    (gap,) = refining.doc.entries
    assert (gap.key, gap.origins, gap.answer) == (GAP, ("Q7",), "")
    (ask,) = refining.state.requests.values()
    assert f"Still open: {GAP}." in ask.question
    assert ask.notes["open"] == [GAP]


@pytest.mark.req("CL-7")
def test_all_refinements_come_in_one_write(answered: Case) -> None:
    answered.choose_only("research")
    answered.play()
    assert answered.own.step == "refine"
    before = answered.text(answered.questions)
    answered.play()
    assert (answered.own.step, answered.text(answered.questions)) == ("refine", before), "one of two is in"
    answered.play()
    assert answered.own.step == "refinements"
    assert {item.key for item in answered.doc.refinements} >= {"R2.1", "R7.1"}


@pytest.mark.req("CL-7")
def test_a_section_that_fails_twice_is_reported_and_skipped_and_the_others_are_merged(answered: Case) -> None:
    answered.choose("research", failing_at("section-refiner", "Metrics"))
    (skipped,) = answered.warned("clarify.skipped")
    assert "section-refiner gave nothing usable for Metrics and was skipped" in skipped.problem
    assert {item.key[:2] for item in answered.doc.refinements} == {"R7"}
    assert answered.own.step == "refinements"
    assert len(list((answered.root / answered.folder / "turns").glob("*-section-refiner/raw-2.txt"))) == 1
    assert any("Metrics" in warning for warning in answered.status["warnings"])


@pytest.mark.req("CL-7")
@pytest.mark.parametrize(
    ("choices", "keys"),
    [(["the  Office", "The depot"], ["R2.1"]), (["The office", "The shop"], ["R2.1", "R7.1"])],
    ids=["the same choices", "other choices"],
)
def test_what_two_sections_ask_in_the_same_words_is_asked_once(
    answered: Case, choices: list[str], keys: list[str]
) -> None:
    def alike(output: dict[str, Any], assignment: Assignment) -> None:
        is_first = assignment.start.key == "Metrics"
        output["refinements"][0]["title"] = "Who says so" if is_first else "Who  Says so"
        output["refinements"][0]["choices"] = ["The office", "The depot"] if is_first else choices

    answered.choose("research", changed("section-refiner", alike))
    assert [item.key for item in answered.doc.refinements if item.title.casefold() == "who says so"] == keys
    said = [finding.problem for finding in answered.warned("clarify.duplicate")]
    assert said == (["a refinement of Q7, 'Who  Says so', was asked at Q2 already"] if len(keys) == 1 else [])


@pytest.mark.req("CL-7")
def test_a_refinement_is_written_with_its_choices_and_an_empty_answer(refining: Case) -> None:
    for item in refining.doc.refinements:
        assert (item.answer, item.choices[-1].other, bool(item.recommendation)) == ("", True, True)
        assert 3 <= len(item.choices) <= 5
    assert refining.text(refining.questions).count("#### Refinements") == 2


@pytest.mark.req("CL-7")
def test_with_fewer_than_two_clear_answers_nobody_looks_for_contradictions(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project", config=f"{DIMENSIONS}thresholds: {{mixed: 0.1}}\n"))
    case.run()
    case.answer({"Q1": "B"})
    case.choose("research")
    assert case.turns("detailed-research") == []
    assert (case.own.step, len(case.turns("section-refiner"))) == ("refinements", 3)


@pytest.mark.req("CL-6", "CL-7")
def test_research_on_clear_answers_alone_refines_nothing_and_decides(asked: Case) -> None:
    asked.answer(ALL)
    state = asked.choose("research")
    assert state.stop == "complete"
    assert asked.turns("section-refiner") == []
    assert asked.made.front["decision_count"] == 7


@pytest.mark.req("CL-7", "CL-8", "CL-9")
def test_a_contradiction_is_kept_with_both_answers_until_a_person_says_which_holds(asked: Case) -> None:
    asked.answer(ALL)
    asked.choose("research", ANALYST)
    draft = asked.made.entries[-1]
    assert (draft.title, draft.section, draft.status) == (
        "[Contradiction] Label or scan",
        "Cross-cutting",
        "contradiction",
    )
    assert dict(draft.answers) == {"Q1": "From the first scan", "Q4": "At the first scan"}
    item = asked.doc.item(CONTRADICTION)
    assert item is not None
    assert [choice.text for choice in item.choices] == [
        "Q1 holds: From the first scan",
        "Q4 holds: At the first scan",
        "Other (please specify)",
    ]
    for nothing in ("", "Other", "TBD"):
        asked.answer({CONTRADICTION: nothing})
        (ask,) = asked.state.requests.values()
        assert ask.notes["open"] == [CONTRADICTION], nothing
    asked.choose("decide")
    assert (asked.own.step, asked.made.front["status"]) == ("unsettled", "open")
    assert statuses(asked)["[Contradiction] Label or scan"] == "contradiction"
    asked.answer({CONTRADICTION: "B"})
    assert asked.choose("decide").stop == "complete"
    last = asked.made.entries[-1]
    assert (last.status, last.settled) == ("conflict-resolved", "Q4 holds: At the first scan")
    assert "Q1" in last.contradiction
    assert "Q4" in last.contradiction
    assert (asked.made.front["status"], asked.made.front["conflicts_resolved"]) == ("complete", 1)


@pytest.mark.req("CL-7")
def test_an_analyst_that_fails_twice_needs_a_person(answered: Case) -> None:
    state = answered.choose("research", {"detailed-research": says("{")})
    assert (state.stop, answered.own.resume_to) == ("escalated", "detail")
    assert not (answered.root / answered.decided).exists()
    answered.choose("resume")
    assert answered.own.step == "refinements"


# --- step 4: refinements (CL-8) ---------------------------------------------------------------------------------------


@pytest.mark.req("CL-8")
def test_sub_refinements_are_asked_once_and_then_no_more(refining: Case) -> None:
    assert refining.asked() == {"refinements": ("decide", "deepen", "autofill", "answer")}
    firsts = {item.key for item in refining.doc.refinements}
    refining.answer(dict.fromkeys(firsts - {"R2.1"}, "A") | {"R2.1": "not sure"})
    refining.choose("deepen")
    new = [item.key for item in refining.doc.refinements if item.key not in firsts]
    assert new
    assert all(key[:-1] == "R2.1" and key[-1].isalpha() for key in new)
    assert refining.asked() == {"refinements": ("decide", "autofill", "answer")}, "one such pass at most"
    refining.answer({new[0]: "A"})
    assert {"question_id": new[0], "verdict": "clear"} in refining.evaluation["per_question"]


@pytest.mark.req("CL-8")
def test_where_every_refinement_is_clear_no_deeper_pass_is_offered(refining: Case) -> None:
    refining.answer({item.key: "A" for item in refining.doc.refinements})
    assert refining.asked() == {"refinements": ("decide", "autofill", "answer")}


@pytest.mark.req("CL-3", "CL-8")
def test_autofill_of_refinements_leaves_questions_and_gaps_to_the_person(refining: Case) -> None:
    refining.choose("autofill")
    assert all(item.answer == item.recommendation for item in refining.doc.refinements)
    assert [refining.doc.item(key).answer for key in ("Q7", GAP)] == ["", ""]  # type: ignore[union-attr]
    assert statuses(refining)["[Critical Gap] Record of addresses"] == "resolved", "a refinement of it is clear now"
    assert refining.state.stop == "complete"


@pytest.mark.req("CL-8")
def test_answer_more_asks_again_with_how_far_it_is(refining: Case) -> None:
    refining.answer({"R7.1": "A"})
    refining.choose("answer")
    (ask,) = refining.state.requests.values()
    total = len(refining.doc.refinements)
    assert (ask.key, ask.question.split(" Answer in")[0]) == ("refinements", f"1 of {total} refinements are clear.")


# --- step 5: decisions (CL-9, CL-10) ----------------------------------------------------------------------------------


@pytest.mark.req("CL-10")
def test_an_open_gap_keeps_the_file_from_complete_and_deciding_again_costs_nothing(refining: Case) -> None:
    refining.choose("decide")
    assert (refining.own.step, refining.state.stop, refining.asked()) == (
        "unsettled",
        None,
        {"open": ("decide", "answer")},
    )
    assert (refining.made.front["status"], refining.made.front["round"]) == ("open", 1)
    (ask,) = refining.state.requests.values()
    assert "D6 [Critical Gap] Record of addresses" in ask.question
    before, turns = refining.text(refining.decided), refining.turns()
    refining.choose("decide")
    refining.choose("answer")
    assert (refining.text(refining.decided), refining.turns()) == (before, turns)
    assert list(refining.asked()) == ["open"]


@pytest.mark.req("CL-9", "CL-10")
@pytest.mark.parametrize(
    ("answers", "settled"), [({GAP: "B"}, "The depot"), ({"Q7": "B"}, ""), ({"R7.1": "A"}, "")], ids=str
)
def test_a_gap_is_closed_where_it_was_put_at_the_question_or_at_a_refinement(
    refining: Case, answers: dict[str, str], settled: str
) -> None:
    refining.choose("decide")
    before = blocks(refining.text(refining.decided))
    refining.answer(answers)
    assert refining.choose("decide").stop == "complete"
    after = blocks(refining.text(refining.decided))
    entry = refining.made.entry("D6")
    assert entry is not None
    assert (entry.status, entry.settled, entry.title) == ("resolved", settled, "[Critical Gap] Record of addresses")
    assert {key: after[key] for key in before if key != "D6"} == {key: before[key] for key in before if key != "D6"}
    assert dict(refining.made.front) == {
        "status": "complete",
        "decision_count": len(after),
        "conflicts_resolved": 0,
        "round": 2,
    }


@pytest.mark.req("CL-9")
def test_every_draft_is_decided_and_a_refinement_without_a_draft_becomes_a_decision(refining: Case) -> None:
    drafts = {one.id: one.title for one in refining.made.entries}
    refining.answer({**{item.key: "A" for item in refining.doc.refinements}, GAP: "B"})
    assert refining.choose("decide").stop == "complete"
    made = refining.made
    assert {one.id: one.title for one in made.entries if one.id in drafts} == drafts
    assert "draft" not in statuses(refining).values()
    assert all(one.decision and one.reasoning and one.implication for one in made.entries)
    new = [one for one in made.entries if one.id not in drafts]
    assert [one.id for one in new] == [f"D{len(drafts) + n}" for n in range(1, len(new) + 1)]
    assert {one.sources[0] for one in new} == {item.key for item in refining.doc.refinements if item.key[:2] == "R2"}
    assert not made.problems


@pytest.mark.req("CL-9")
def test_a_confirmer_that_fails_twice_needs_a_person_and_the_draft_stays(refining: Case) -> None:
    before = refining.text(refining.decided)
    state = refining.choose("decide", {"confirm-decisions": says({"decisions": "# Decisions\n"})})
    assert (state.stop, refining.own.resume_to, refining.text(refining.decided)) == ("escalated", "confirm", before)
    assert "D1 (Delivery time) is not there, and no entry may be dropped" in refining.own.blockers[0]
    refining.choose("resume")
    assert refining.own.step == "unsettled"


# --- the scope (CL-11) ------------------------------------------------------------------------------------------------


def wide(output: dict[str, Any], _assignment: object) -> None:
    output["clarifications"] = cl.with_front(str(output["clarifications"]), {"scope_recommendation": True})
    output["scope_reason"] = "Two subjects in one brief"


WIDE = changed("consolidate-research", wide)


@pytest.mark.req("CL-11")
def test_a_recommended_scope_stops_everything_until_a_person_overrides(fresh: Case) -> None:
    fresh.drive(WIDE)
    assert fresh.asked() == {"scope": ("narrow", "override")}
    (ask,) = fresh.state.requests.values()
    assert ask.question == "A narrower scope is recommended for lockers (7 questions): Two subjects in one brief"
    fresh.answer(ALL)
    assert list(fresh.asked()) == ["scope"], "answers do not settle it"
    fresh.choose("override", note="we want all of it")
    assert fresh.asked() == {"answers": ("decide", "research")}
    assert [(one.act, one.note) for one in fresh.own.choices] == [("override", "we want all of it")]
    assert fresh.choose("decide").stop == "complete"


@pytest.mark.req("CL-1", "CL-11")
def test_a_narrower_scope_is_researched_again_with_the_note_and_keeps_ids_and_answers(fresh: Case) -> None:
    fresh.drive(WIDE)
    fresh.answer({"Q4": "B", "Q7": "A person's\n\nown words"})
    fresh.choose("narrow", note="Stages, Data")
    second = fresh.turns("dimension-researcher")[3:]
    assert len(second) == 3
    assert all('"scope": "Stages, Data"' in fresh.brief(turn) for turn in second)
    titles = {item.title: item.key for item in fresh.doc.questions}
    assert titles["Record of addresses"] == "Q7"
    assert titles["Parcel entry"] == "Q4"
    assert (fresh.doc.item("Q4").answer, fresh.doc.item("Q7").answer) == ("B", "A person's\n\nown words")  # type: ignore[union-attr]
    gone = {"Q1", "Q2", "Q3"} - set(titles.values())
    assert {finding.about for finding in fresh.warned("clarify.withdrawn")} == gone != set()
    assert set(fresh.own.shown) >= gone, "an id that people saw is not given to anything else"
    assert list(fresh.asked()) == ["answers"]


@pytest.mark.req("CL-11")
def test_the_flag_edited_in_the_file_settles_the_scope_and_leaves_one_request(fresh: Case) -> None:
    fresh.drive(WIDE)
    fresh.replace(fresh.questions, "scope_recommendation: true", "scope_recommendation: false")
    assert fresh.asked() == {"answers": ("answer", "autofill")}
    fresh.answer(MIXED)
    fresh.replace(fresh.questions, "scope_recommendation: false", "scope_recommendation: true")
    assert fresh.asked() == {"scope": ("narrow", "override")}, "what was asked before is taken back"


def flagged(case: Case) -> None:
    put(case.root, case.questions, cl.with_front(case.text(case.questions), {"scope_recommendation": True}))


@pytest.mark.req("CL-11")
@pytest.mark.parametrize("agent", ["detailed-research", "section-refiner"])
def test_the_flag_set_while_an_agent_works_stops_it(answered: Case, agent: str) -> None:
    answered.choose("research", on_the_way(agent, lambda: flagged(answered)))
    assert (answered.own.step, list(answered.asked())) == ("scope", ["scope"])
    assert not answered.doc.refinements
    answered.choose("override")
    assert list(answered.asked()) == ["answers"]


@pytest.mark.req("CL-11")
def test_once_there_are_refinements_the_scope_can_only_be_overridden(refining: Case) -> None:
    flagged(refining)
    refining.refresh()
    assert refining.asked() == {"scope": ("override",)}


@pytest.mark.req("CL-11")
def test_the_flag_set_while_a_gap_is_open_stops_the_next_decision(refining: Case) -> None:
    refining.choose("decide")
    turns = refining.turns("confirm-decisions")
    flagged(refining)
    refining.answer({GAP: "B"})
    refining.choose("decide")
    assert (refining.own.step, refining.asked()) == ("scope", {"scope": ("override",)})
    assert refining.turns("confirm-decisions") == turns


# --- what people edit -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["questions", "decided"])
def test_a_removed_file_of_answers_or_decisions_is_put_back_as_it_was(refining: Case, which: str) -> None:
    path: str = getattr(refining, which)
    refining.answer({"R7.1": "A person's words,\r\nas they are"})
    before = refining.text(path)
    (refining.root / path).unlink()
    refining.refresh()
    assert refining.text(path) == before
    assert refining.warned("clarify.removed")[0].problem == f"{path} was removed and has been put back as it was"
    assert list(refining.asked()) == ["refinements"]


@pytest.mark.req("CL-3")
def test_an_edit_while_refiners_work_wins_and_only_what_it_changed_is_refined_again(answered: Case) -> None:
    """Data is refined when the person answers Q2: Metrics needs no refinement any more, and Data is not asked twice."""
    answered.choose_only("research")
    answered.play()
    assert answered.own.step == "refine"

    def settle() -> None:
        put(answered.root, answered.questions, cl.with_answers(answered.doc, {"Q2": "Orders, all of a month together"}))

    answered.drive(on_the_way("section-refiner", settle, "Data"))
    assert answered.own.step == "refinements"
    assert answered.doc.item("Q2").answer == "Orders, all of a month together"  # type: ignore[union-attr]
    assert {item.key[:2] for item in answered.doc.refinements} == {"R7"}


def test_a_section_whose_question_is_edited_is_refined_again_and_the_others_keep_what_they_have(answered: Case) -> None:
    answered.choose_only("research")
    answered.play(2)
    assert list(answered.own.returned) == ["Metrics"]
    before = answered.own.returned
    answered.answer({"Q3": "B"})
    assert answered.own.returned == before, "Q3 is not what was refined"
    answered.answer({"Q2": "it depends"})
    assert answered.own.returned == {}
    answered.drive()
    assert answered.own.step == "refinements"
    assert {item.key[:2] for item in answered.doc.refinements} == {"R2", "R7"}
    briefs = (answered.root / answered.folder / "turns").glob("*-section-refiner/brief-1.md")
    assert all("**Answer:** it depends" in brief.read_text("utf-8") for brief in briefs)


@pytest.mark.req("CL-9")
def test_an_answer_changed_while_the_decisions_are_written_is_what_they_rest_on(asked: Case) -> None:
    asked.answer(ALL)
    state = asked.choose(
        "decide",
        on_the_way(
            "confirm-decisions", lambda: put(asked.root, asked.questions, cl.with_answers(asked.doc, {"Q1": "A"}))
        ),
    )
    assert state.stop == "complete"
    assert asked.made.entries[0].answers == {"Q1": "From the label"}
    assert asked.own.stale == {}


@pytest.mark.req("CL-1")
def test_a_file_that_became_ambiguous_is_refused_before_it_is_taken_in(answered: Case) -> None:
    before = answered.text(f"{answered.folder}/journal.jsonl")
    good = answered.text(answered.questions)
    with pytest.raises(DocumentError, match="Q1"):
        answered.replace(answered.questions, "### Q2: Return rate", "### Q1: Return rate")
    assert answered.text(f"{answered.folder}/journal.jsonl") == before
    answered.edit(answered.questions, good)
    assert list(answered.asked()) == ["answers"]


@pytest.mark.req("CL-1")
def test_a_question_that_a_person_takes_out_is_named_and_its_id_stays_its_own(asked: Case) -> None:
    item = asked.doc.item("Q7")
    assert item is not None
    text = asked.text(asked.questions)
    asked.edit(asked.questions, text[: item.span[0]] + text[item.span[1] :])
    assert asked.warned("clarify.vanished")[0].problem == "Q7 (Record of addresses) is no longer in the file"
    assert asked.own.shown["Q7"] == "Record of addresses"
    assert asked.evaluation["total_count"] == 6


@pytest.mark.req("CL-3")
def test_what_a_person_writes_stays_byte_for_byte_to_the_end(asked: Case) -> None:
    odd = "B, and\r\n\r\n- a list\r\n  - with depth\n\n```sql\n### Q9: not a question\n```\n\n   odd   spacing\t"
    text = asked.text(asked.questions).replace("**Answer:**", f"**Answer:** {odd}", 1)
    asked.edit(asked.questions, text)
    asked.answer({key: said for key, said in MIXED.items() if key != "Q1"})
    asked.choose("research")
    asked.answer({GAP: "B"})
    asked.choose("decide")
    assert odd in asked.text(asked.questions)
    assert asked.state.stop == "complete"


# --- after the decisions (CL-13) --------------------------------------------------------------------------------------


@pytest.mark.req("CL-13")
def test_a_changed_answer_shows_what_is_stale_and_only_that_is_decided_again(done: Case) -> None:
    before = blocks(done.text(done.decided))
    done.answer({"Q3": "A locker of its own for each of them"})
    turns = done.turns()
    assert set(done.own.stale) == {"D3"}
    assert (
        "Q3 said “As late” when this was decided and says “A locker of its own for each of them” now"
        in done.own.stale["D3"]
    )
    (ask,) = done.state.requests.values()
    assert (ask.key, ask.options, ask.notes["turns"]) == ("stale", ("resume",), 1)
    assert (done.drive().stop, done.turns()) == ("complete", turns), "nothing is done before the person says so"
    assert done.status["stale"].keys() == {"D3"}
    assert done.choose("resume").stop == "complete"
    after = blocks(done.text(done.decided))
    assert [key for key in after if after[key] != before[key]] == ["D3"]
    brief = done.brief(done.turns("confirm-decisions")[-1])
    assert '"only": true' in brief
    assert '"id": "D3"' in brief
    assert '"id": "D2"' not in brief
    assert (done.made.front["round"], done.own.stale, done.asked()) == (2, {}, {})


@pytest.mark.req("CL-13")
def test_an_answer_that_is_changed_back_is_not_stale_any_more(done: Case) -> None:
    good = done.text(done.questions)
    done.answer({"Q3": "B"})
    assert list(done.asked()) == ["stale"]
    done.edit(done.questions, good)
    assert (done.asked(), done.own.stale, done.own.edited_since) == ({}, {}, ())


@pytest.mark.req("CL-13")
def test_what_a_person_noted_between_decisions_survives_a_partial_decision(done: Case) -> None:
    done.replace(done.decided, "### D3:", "Ask Ines about this one.\n\n### D3:")
    assert done.asked() == {}, "a note makes nothing stale"
    before = done.text(done.decided)
    done.answer({"Q5": "B"})
    done.choose("resume")
    after = done.text(done.decided)
    assert after.split("### D5:")[0].replace("round: 2", "round: 1") == before.split("### D5:")[0]
    assert after.split("### D6:")[1] == before.split("### D6:")[1]


@pytest.mark.req("CL-13")
def test_an_answer_given_after_the_decisions_gets_a_decision_of_its_own(answered: Case) -> None:
    answered.answer({"Q2": "", "Q7": "B"})
    answered.choose("decide")
    before = blocks(answered.text(answered.decided))
    answered.answer({"Q2": "B"})
    assert answered.own.stale == {"Q2": "answered since, and in no decision yet"}
    answered.choose("resume")
    after = blocks(answered.text(answered.decided))
    assert {key: after[key] for key in before} == before
    assert answered.made.entries[-1].sources == ("Q2",)
    assert answered.made.front["decision_count"] == 7


@pytest.mark.req("CL-10", "CL-13")
def test_a_must_answer_that_is_emptied_is_open_again_and_the_file_no_longer_complete(done: Case) -> None:
    done.answer({"Q7": ""})
    assert "D7" in done.own.stale
    done.choose("resume")
    assert (done.own.step, done.made.front["status"]) == ("unsettled", "open")
    entry = done.made.entry("D7")
    assert entry is not None
    assert entry.status == "critical-gap"


@pytest.mark.req("CL-13")
def test_a_person_may_begin_again_at_the_answers(done: Case) -> None:
    done.answer({"Q3": "TBD"})
    done.choose("resume", **{"from": "answers"})
    assert done.asked() == {"answers": ("decide", "research")}


# --- agents that misbehave --------------------------------------------------------------------------------------------

REFUSED = {
    "malformed": "yaml",
    "off-schema": "confidence",
    "crash": "seeded fault",
    "invented-source": "names the source '0-sources/never-written.md', which is not an input of this turn",
    "invented-quote": "quotes 'these words stand nowhere in the brief'",
    "lost": "is in no `_Consolidated from: …_` and not dropped",
    "answered": "and answers are the person's",
    "renumbered": "is not the next id, which is Q1",
    "unclear-side": "names Q998, Q999, which has no clear answer",
    "stranger": "Q997 was not given to refine",
    "too-many": "refinements. Repair: give one to 3 for each item",
    "dropped": "is not there, and no entry may be dropped",
    "renamed": "renamed",
    "passed-through": "still has the status 'draft'",
    "unearned": "has the status 'resolved', which it may not have now",
}
"""What the second brief says was wrong with the first output."""
TAKEN: Mapping[tuple[str, str], set[str]] = {
    ("dimension-researcher", "silent"): set(),
    ("consolidate-research", "miscounted"): {"clarifications.counts"},
    ("consolidate-research", "older"): {"clarifications.older.answer", "clarifications.older.recommendation"},
    ("confirm-decisions", "miscounted"): {"decisions.count"},
}
"""What is taken all the same: corrected with warnings of these rules, or legal."""


def misbehaving(plan: str) -> Misbehaving:
    return Misbehaving(Offline(AGENTS), FAULTS.planned(plan))


@pytest.mark.req("CL-2", "CL-7", "CL-9")
@pytest.mark.parametrize("fault", FAULTS.every(), ids=str)
def test_every_fault_is_refused_and_retried_or_corrected_and_the_inquiry_ends_all_the_same(
    researched: Path, refined: Path, tmp_path: Path, fault: Fault
) -> None:
    case, agents = Case(tmp_path / "project"), misbehaving(str(fault))
    if fault.agent in ("dimension-researcher", "consolidate-research"):
        lay_out(case.root)
        case.run(agents)
    else:
        shutil.copytree(refined if fault.agent == "confirm-decisions" else researched, case.root)
    if not case.doc.refinements:
        case.answer({item.key: MIXED[item.key] for item in case.doc.questions if item.key in MIXED and not item.must})
        case.choose("research", agents)
    case.choose("decide", agents)
    assert (case.own.step, case.made.front["status"]) == ("unsettled", "open")
    case.answer({item.key: "B" for item in case.doc.entries})
    assert case.choose("decide", agents).stop == "complete"
    _has_dealt_with(case, fault)


def _has_dealt_with(case: Case, fault: Fault) -> None:
    again = case.root / case.folder / "turns" / case.turns(fault.agent)[0] / "brief-2.md"
    if (fault.agent, fault.kind) in TAKEN:
        assert not again.exists()
        assert {finding.rule for finding in case.own.warnings} == TAKEN[fault.agent, fault.kind]
    else:
        told = again.read_text("utf-8").split("# What was wrong with your last output")[1].split("# You may write")[0]
        assert REFUSED[fault.kind] in told
        assert case.own.warnings == ()


def spoilt(agent: str, field: str, before: str, after: str) -> Mapping[str, Any]:
    def acting(assignment: Assignment, tools: Tools) -> str:
        output = yamlio.load_mapping(scripted(agent, assignment, tools), "")
        return json.dumps({**output, field: str(output[field]).replace(before, after, 1)})

    return {agent: acting}


@pytest.mark.req("CL-2", "CL-9")
@pytest.mark.parametrize(
    ("agent", "before", "after"),
    [
        ("consolidate-research", "question_count: 7", "question_count: ["),
        ("consolidate-research", "\n---\n", "\n"),
        ("consolidate-research", "Return rate", "Return\0rate"),
        ("confirm-decisions", "Return rate", "Return\0rate"),
    ],
)
def test_an_output_that_could_not_be_read_again_is_refused_and_never_ends_the_run(
    researched: Path, tmp_path: Path, agent: str, before: str, after: str
) -> None:
    """What was kept of such an output would be looked at by every later call."""
    case = Case(tmp_path / "project")
    if agent == "consolidate-research":
        lay_out(case.root)
        state = case.run(spoilt(agent, "clarifications", before, after))
    else:
        shutil.copytree(researched, case.root)
        case.answer(ALL)
        state = case.choose("decide", spoilt(agent, "decisions", before, after))
    assert (state.stop, list(case.asked())) == ("escalated", ["escalation"])
    case.choose("resume")
    assert case.own.step == ("answers" if agent == "consolidate-research" else "complete")


@pytest.mark.req("CL-2")
def test_counts_that_an_agent_got_wrong_are_corrected_in_the_file(fresh: Case) -> None:
    fresh.drive(misbehaving("consolidate-research:miscounted"))
    assert (fresh.doc.front["question_count"], fresh.doc.front["refinement_count"]) == (7, 0)
    assert any("99" in finding.problem for finding in fresh.own.warnings)


@pytest.mark.req("CL-2")
def test_older_forms_of_an_agent_are_repaired_in_the_file(fresh: Case, researched: Path) -> None:
    fresh.drive(misbehaving("consolidate-research:older"))
    assert fresh.text(fresh.questions) == Case(researched).text(fresh.questions)
