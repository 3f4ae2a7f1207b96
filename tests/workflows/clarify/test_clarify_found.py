"""What newcomers and attackers found in inquiries, each once: it stays mended."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from clarify_agents import LOCKERS
from clarify_project import BRIEF, CONFIG, PERSON, Case, changed, lay_out, put
from clarify_text import canonical

from signoff.core.declarations import Assignment
from signoff.core.errors import DocumentError, RefusedError, UsageError
from signoff.service import questionnaires, run_control
from signoff.shell.run.live_run import LiveRun
from signoff.workflows.clarify.config import parse_doc as read_config
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.workflow import WORKFLOW


def wide(output: dict[str, Any], _assignment: Assignment) -> None:
    output["clarifications"] = str(output["clarifications"]).replace("---\n", "---\nscope_recommendation: true\n", 1)


@pytest.mark.req("CL-12")
def test_a_dimension_that_found_nothing_does_not_hide_where_the_others_came_from(fresh: Case) -> None:
    def silent(output: dict[str, Any], assignment: Assignment) -> None:
        output["questions"] = output["questions"] if assignment.start.key == "data" else []

    fresh.drive(changed("dimension-researcher", silent))
    found = fresh.trace("Q1")
    assert found is not None
    assert found["came_from"][0]["sources"] == [{"file": BRIEF, "span": f'"{LOCKERS[5].said}"'}]


@pytest.mark.req("CL-11")
def test_narrowing_keeps_every_answered_question_as_the_person_answered_it(fresh: Case) -> None:
    fresh.drive(changed("consolidate-research", wide))
    fresh.answer({"Q1": "B", "Q5": "When the\n\n- door\n- closes"})
    own = "\n### Q8: Mine\nOf my own?\n\nA. Yes\nB. No\nC. Other (please specify)\n\n**Answer:** A\n"
    fresh.edit(fresh.questions, fresh.text(fresh.questions).rstrip("\n") + "\n" + own)
    kept = {key: _block(fresh.doc, key) for key in ("Q1", "Q5", "Q8")}

    def reworded(output: dict[str, Any], _assignment: Assignment) -> None:
        text = str(output["clarifications"])
        output["clarifications"] = text.replace("A. From the label", "A. Something else").replace("A. ", "A. Not ")

    fresh.choose("narrow", changed("consolidate-research", reworded), note="Data")
    assert {key: _block(fresh.doc, key) for key in kept} == kept
    assert not fresh.doc.problems
    assert fresh.doc.front["question_count"] == len(fresh.doc.questions)
    found = fresh.trace("Q8")
    assert found is not None and found["answer"] == "A"  # noqa: PT018 - narrows


def _block(doc: cl.Clarifications, key: str) -> str:
    item = doc.item(key)
    assert item is not None
    return doc.text[slice(*item.span)].strip()


def test_a_second_pass_of_research_never_uses_a_name_of_the_first(fresh: Case) -> None:
    fresh.drive(changed("consolidate-research", wide))
    first = dict(fresh.own.origins)
    fresh.choose("narrow", note="Data")
    assert first.keys() == fresh.own.retired.keys()
    assert fresh.own.origins.keys().isdisjoint(first)
    assert (fresh.root / "lockers/context/research/data-2.md").exists()
    assert fresh.trace(next(iter(first))) is not None, "what was raised before can still be traced"


@pytest.mark.req("CL-2")
def test_questions_that_are_there_before_the_run_are_answered_and_not_researched_again(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "project")
    question = cl.Draft(title="May we?", choices=("Yes", "No"), recommendation="A — why not", answer="B")
    mine = canonical([("Mine", [("Q1", question)])], {})
    put(root, "lockers/context/clarifications.md", mine)
    case = Case(root)
    case.run()
    assert (case.state.issued, case.text(case.questions)) == (0, mine)
    assert list(case.asked()) == ["answers"]


def test_an_emptied_file_is_refused_and_a_removed_one_is_put_back(asked: Case) -> None:
    asked.answer({"Q1": "B"})
    before = asked.text(asked.questions)
    with pytest.raises(DocumentError, match="there is no question in it"):
        asked.edit(asked.questions, "")
    (asked.root / asked.questions).unlink()
    asked.refresh()
    assert asked.text(asked.questions) == before


@pytest.mark.req("CL-3")
def test_an_answer_is_taken_in_at_once_and_never_written_over_unseen(asked: Case) -> None:
    async def both(live: LiveRun) -> None:
        await questionnaires.write(live, {"Q1": "Somebody else was faster with this"}, PERSON, {"Q1": ""})
        with pytest.raises(RefusedError, match="another answer to Q1 was written meanwhile: 'Somebody else"):
            await questionnaires.write(live, {"Q1": "A"}, PERSON, {"Q1": ""})
        await questionnaires.write(live, {"Q1": "B"}, PERSON, {"Q1": "Somebody else was faster with this"})

    asked.go(both)
    assert asked.doc.item("Q1").answer == "B"  # type: ignore[union-attr]
    assert asked.evaluation["answered_count"] == 1, "the run knows it without being driven"
    found = asked.trace("Q1")
    assert found is not None
    assert [one["answer"] for one in found["answers_over_time"]] == ["Somebody else was faster with this", "B"]


def test_what_may_be_meant_as_a_question_is_named_and_no_longer_when_it_is_mended(asked: Case) -> None:
    asked.edit(asked.questions, asked.text(asked.questions) + "\n### My question\nIs it?\n\n**Answer:** Yes\n")
    assert any("`### My question`" in said for said in asked.status["warnings"])
    asked.replace(asked.questions, "### My question", "### Q8: My question")
    assert not any("My question" in said for said in asked.status["warnings"])


@pytest.mark.req("CL-13")
def test_a_decision_edited_by_hand_is_traced_as_such_until_it_is_decided_again(asked: Case) -> None:
    asked.answer({"Q1": "B", "Q2": "A", "Q3": "A", "Q4": "B", "Q5": "A", "Q6": "A", "Q7": "B"})
    asked.choose("decide")
    entry = asked.made.entries[0]
    asked.replace(asked.decided, f"**Decision:** {entry.decision}", "**Decision:** As I say.")
    assert asked.trace("D1")["edited_by_hand"]  # type: ignore[index]
    assert not asked.trace("D2")["edited_by_hand"]  # type: ignore[index]
    asked.answer({"Q1": "A"})
    asked.choose("resume")
    assert not asked.trace("D1")["edited_by_hand"]  # type: ignore[index]


@pytest.mark.req("CL-2")
@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda text: text.replace(" [MUST ANSWER]", "", 1), "clarify.must"),
        (lambda text: text.replace("---\n", "---\nscope_recommendation: 'yes'\n", 1), "clarify.scope"),
        (lambda text: text.replace("## Stages", "## Sta\u202eges", 1), "clarify.character"),
        (lambda text: text.replace("sections:", "x: 1\u2028sections:", 1), "clarify.character"),
    ],
)
def test_a_consolidator_cannot_drop_a_must_hedge_the_scope_or_turn_text_around(
    change: Any, rule: str, tmp_path: Path
) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.begin()

    def spoil(output: dict[str, Any], _assignment: Assignment) -> None:
        output["clarifications"] = change(str(output["clarifications"]))

    state = case.drive(changed("consolidate-research", spoil))
    assert state.stop == "escalated"
    assert rule in case.own.blockers[0]


def test_what_is_dropped_is_named_with_its_reason(fresh: Case) -> None:
    def drop(output: dict[str, Any], assignment: Assignment) -> None:
        first = assignment.start.notes["origins"][1]
        blocks = str(output["clarifications"]).split("### Q2:")
        rest = blocks[1].split("### Q3:", 1)[1]
        text = f"{blocks[0]}### Q3:{rest}"
        for number in range(3, 8):
            text = text.replace(f"### Q{number}:", f"### Q{number - 1}:")
        output |= {"clarifications": text, "dropped": [{"origin": first, "reason": "settled last year"}]}

    fresh.drive(changed("consolidate-research", drop))
    (warning,) = fresh.warned("clarify.dropped")
    assert "settled last year" in warning.problem


@pytest.mark.req("CL-12")
def test_a_source_that_nobody_looked_up_is_never_shown_as_one(fresh: Case) -> None:
    def forge(output: dict[str, Any], _assignment: Assignment) -> None:
        for one in output["questions"]:
            one["question"] += '\n_Source: 0-sources/contract.pdf: "The board approved this"_'

    fresh.drive(changed("dimension-researcher", forge))
    found = str(fresh.traces(*(item.key for item in fresh.doc.questions)))
    assert "0-sources/brief.md" in found
    assert "contract.pdf" not in str([one["came_from"] for one in fresh.traces("Q1").values() if one])


def test_a_quote_of_a_letter_is_no_place(fresh: Case) -> None:
    def shorten(output: dict[str, Any], _assignment: Assignment) -> None:
        for one in output["questions"]:
            one["sources"][0]["quote"] = "a"

    assert fresh.drive(changed("dimension-researcher", shorten)).stop == "escalated"
    assert "too little to find a place by" in str(fresh.own.warnings)


@pytest.mark.parametrize(
    "line", ["name: " + "x" * 61, "name: a\n    title: 'Sales, marketing'", 'name: a\n    title: "Two\\nlines"']
)
def test_a_dimension_has_a_name_that_files_and_origins_can_carry(line: str) -> None:
    with pytest.raises(DocumentError):
        read_config(f"dimensions:\n  - {line}\n".encode(), CONFIG)


def test_what_only_counts_at_the_start_says_how_to_go_on(asked: Case) -> None:
    async def again() -> None:
        await run_control.begin_or_go_on(asked.opened(), WORKFLOW, "lockers", {"topic": "other"})

    with pytest.raises(UsageError, match="leave --topic out to go on, or start a run of another name"):
        asyncio.run(again())


def test_a_raised_budget_takes_the_place_of_the_turn_that_waited_for_it(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    put(case.root, CONFIG, case.text(CONFIG) + "budget:\n  turns: 4\n")
    case.run()
    case.answer({"Q1": "B", "Q2": "TBD", "Q3": "A", "Q4": "B", "Q5": "A", "Q6": "A"})
    case.choose("research")
    assert (case.state.stop, list(case.asked())) == ("budget", ["budget"])
    case.replace(CONFIG, "turns: 4", "turns: 40")
    assert (case.state.stop, case.asked(), len(case.state.turns)) == (None, {}, 1)
    case.drive()
    assert list(case.asked()) == ["refinements"]


def test_a_run_cannot_take_the_name_of_the_sources(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))

    async def begin() -> None:
        await case.opened().begin(WORKFLOW, "0-sources", {})

    with pytest.raises(UsageError, match="is not a name for a run"):
        asyncio.run(begin())


def test_an_agent_that_says_it_all_in_one_turn_is_still_asked_by_code(asked: Case) -> None:
    """A must-answer that was put off is open, whatever confirm-decisions writes about it."""
    asked.answer({"Q1": "TBD", "Q2": "A", "Q3": "A", "Q4": "B", "Q5": "A", "Q6": "A", "Q7": "B"})
    state = asked.choose("decide") if "decide" in asked.asked()["answers"] else asked.choose("autofill")
    assert state.stop != "complete"
    assert "[Critical Gap] Delivery time" in {entry.title for entry in asked.made.entries}
