"""Who settles what doers may not: rulings, a person's answers held against others' tasks, loops, and trials."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from orchestration_plans import example
from orchestration_site import Site, told
from orchestration_sitting import CREATED, Sitting, plain

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import adapting, places
from signoff.workflows.orchestration.escalating import RULED, is_ground
from signoff.workflows.orchestration.notes import Note

pytestmark = pytest.mark.xdist_group("orchestration-settling")

TASK, POC = "user_management", "poc_001_uniqueness_agent"
LEGACY = "legacy/users.csv"


@pytest.fixture(scope="module")
def design() -> Sitting:
    return Sitting(example(), TASK).whole()


@pytest.fixture
def site(design: Sitting, tmp_path: Path) -> Site:
    return Site(Sitting(dict(design.files), TASK, known=design.known, practices=design.practices), tmp_path)


def note(number: int, said: str, category: Any = "requirement", **more: Any) -> dict[str, Any]:
    made = Note(
        note_id=f"note_{number:03}", timestamp=1, description=said, context="a test", category=category,
        status="escalated", escalation_reason="It is not mine.", **more,
    )  # fmt: skip
    return plain(made)


# --- rulings ----------------------------------------------------------------------------------------------------------

ASKED = (
    note(1, "Which server runs the WSGI application? I would take wsgiref of the standard library.", "technology"),
    note(2, "Is a FastAPI service allowed? I would take FastAPI; it is quick.", "technology"),
    note(3, "How are keys compared?", "security"),
)  # fmt: skip


def ruled(site: Site, mode: str = "work") -> Any:
    notes = {
        "agent": "api_tactical",
        "serves": "api_agent",
        "mode": mode,
        "criteria": [plain(RULED)],
        "escalated": ASKED,
    }
    return site.play("tactical", site.papers, notes)[0]


@pytest.mark.req("OR-23")
def test_every_question_gets_a_ruling_on_words_that_stand_in_what_was_approved(site: Site) -> None:
    made = ruled(site)
    papers = (places.DECISIONS, places.STACK, site.sitting.summary)
    approved = squeeze(" ".join(site.files[path].decode() for path in papers)).casefold()
    assert [one.note_id for one in made.rulings] == ["note_001", "note_002", "note_003"]
    assert all(is_ground(one.ground, approved) for one in made.rulings)
    assert made.status == "completion_drive_review"
    assert ruled(site, "review").status == "ready_for_verification"


@pytest.mark.req("OR-23")
def test_what_the_doer_would_take_is_taken_unless_the_plan_decided_against_it(site: Site) -> None:
    first, second, third = ruled(site).rulings
    assert first.decision == "Take wsgiref of the standard library."
    assert second.decision.startswith("Keep to what is decided: ")
    assert "compared in constant time" in third.ground


@pytest.mark.req("OR-23", "OR-20")
@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ({}, ""),
        ({"ground": "these words stand in no document"}, "the ground of note_001 stands in no document"),
        ({"ground": " "}, "the ground of note_001 stands in no document"),
        ({"note_id": "note_009"}, "note_001 has no decision"),
    ],
)
def test_a_verifier_looks_for_the_ground_of_each_ruling_and_for_a_decision_on_each_question(
    site: Site, spoilt: Mapping[str, str], said: str
) -> None:
    first, *others = (plain(one) for one in ruled(site).rulings)
    notes = {
        "agent": "api_tactical",
        "criteria": [plain(RULED)],
        "escalated": ASKED,
        "rulings": [{**first, **spoilt}, *others],
    }
    verdict = site.play("verdict", site.papers, notes)[0]
    assert [one.id for one in verdict.criteria] == ["within", "answers"]
    assert verdict.result == ("fail" if said else "pass")
    assert said in "".join(verdict.missing_evidence)


# --- a person's answers -----------------------------------------------------------------------------------------------


def cleared(site: Site, **answers: str) -> Any:
    asked = [note(number, "What holds?") for number, _ in enumerate(answers, 1)]
    notes = {"agent": "api_agent", "escalated": asked, "answers": answers}
    return site.play("resolution", site.papers, notes)[0]


@pytest.mark.req("OR-23")
@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        ("Yes, as you would do it.", ""),
        ("Measure it here; the server is measured before the release.", ""),
        ("The users table is not kept in SQLite any more.", "database_agent"),
        ("The legacy file never stays as it is; it is put right by hand.", "data_migration_agent"),
        ("", "it has no answer"),
    ],
)
def test_an_answer_that_contradicts_another_agents_task_is_in_conflict_with_it(
    site: Site, answer: str, broken: str
) -> None:
    made = cleared(site, note_001=answer)
    assert made.resolutions == ({} if broken else {"note_001": answer})
    assert broken in "".join(made.conflicts.values())
    assert bool(made.conflicts) == bool(broken)


@pytest.mark.req("OR-23")
def test_one_answer_that_breaks_something_does_not_hold_up_the_others(site: Site) -> None:
    made = cleared(site, note_001="Yes.", note_002="The users table is not kept in SQLite.")
    assert (list(made.resolutions), list(made.conflicts)) == (["note_001"], ["note_002"])


@pytest.mark.req("OR-23")
def test_a_conflict_is_settled_by_what_the_plan_decides_and_else_goes_to_the_person(site: Site) -> None:
    asked = (
        note(1, "One document deletes a user, another says that a user is never deleted.", "conflict"),
        note(2, "The colour of the bicycle shed differs.", "conflict"),
    )
    made = site.play("resolution", site.papers, {"agent": "api_agent", "escalated": asked})[0]
    assert "A user is never deleted" in made.resolutions["note_001"]
    assert list(made.conflicts) == ["note_002"]


# --- loops ------------------------------------------------------------------------------------------------------------


def unlooped(site: Site, question: str, agent: str = "database_agent", **notes: Any) -> Any:
    history = [{"turn": turn, "text": question} for turn in (1, 4, 6)]
    return site.play("loop", site.papers, {"agent": agent, "question": question, "history": history, **notes})[0]


@pytest.mark.req("OR-24")
def test_a_question_that_was_answered_and_comes_again_is_an_unclear_requirement(site: Site) -> None:
    question = "Which columns does the report have?"
    answered = [{**note(1, question), "resolution": "The usual ones."}]
    made = unlooped(site, question, notes=answered)
    assert made.root_cause == "unclear_requirements"
    assert "The usual ones." in made.questions[0]
    assert "1, 4, 6" in made.explanation


@pytest.mark.req("OR-24")
def test_a_question_that_nothing_answers_is_a_gap_in_the_plan(site: Site) -> None:
    made = unlooped(site, "Who waters the beans?")
    assert (made.root_cause, made.questions) == ("planning_gap", ("Who waters the beans?",))


@pytest.mark.req("OR-24", "OR-26")
def test_who_needs_what_comes_after_it_waits_in_a_circle_and_the_edit_opens_it(site: Site) -> None:
    made = unlooped(site, "What does api_agent write into the schema?")
    assert made.root_cause == "circular_dependency"
    [edit] = made.edits
    assert (edit.edit, edit.agent, edit.on) == ("drop_dependency", "api_agent", "database_agent")


# --- trials -----------------------------------------------------------------------------------------------------------


def tried(site: Site) -> tuple[Any, Any, Any]:
    """A PoC from its work to what is decided on it."""
    site.do(POC)
    done, worker = site.review(POC), site.workers[POC]
    [poc] = site.sitting.specs.pocs
    notes = {
        "agent": POC, "poc": poc.model_dump(mode="json", by_alias=True),
        "evidence": [plain(one) for one in worker.evidence], "ran": told(worker.ran), "summary": worker.summary,
    }  # fmt: skip
    reads = [places.POC_SPECS, *site.outputs(POC), *site.inputs(POC)]
    assessed = site.play("assessment", reads, notes, runs=tuple(site.commands))[0]
    reads += [places.ROSTER, places.CONTRACTS, places.SEQUENCE]
    return done, assessed, site.play("poc-decision", reads, {**notes, "assessment": assessed.assessment})[0]


def assume(site: Site, other: str) -> None:
    """The PoC is to find out something else."""
    path, said = places.instructions(POC), "The e-mail addresses of the legacy file are unique once case is ignored"
    before = site.files[path].decode()
    assert said in before
    site.files[path] = before.replace(said, other).encode()


def result(site: Site) -> str:
    return site.files[f"{places.output(POC)}result.md"].decode()


@pytest.mark.req("OR-25")
def test_an_assumption_that_holds_is_counted_assessed_and_gone_on_with(site: Site) -> None:
    done, assessed, decided = tried(site)
    assert done.status == "ready_for_verification"
    assert "values: 58, different: 58, more than once: 0" in result(site)
    assert (assessed.assessment, decided.decision, decided.edits) == ("pass", "proceed", ())
    assert {one.id: one.met for one in assessed.criteria} == {"poc_001_pass_1": True, "poc_001_fail_1": False}


@pytest.mark.req("OR-25", "OR-26")
def test_an_assumption_that_does_not_hold_is_listed_with_its_lines_and_the_plan_is_adapted(site: Site) -> None:
    line = next(text for text in site.files[LEGACY].decode().splitlines() if "kwame.eklund" in text)
    site.files[LEGACY] += line.replace("kwame.eklund", "KWAME.Eklund").encode() + b"\n"
    done, assessed, decided = tried(site)
    assert done.status == "ready_for_verification", "that it does not hold is what was to be found out"
    assert "the same value in the lines 2, 62" in result(site)
    assert (assessed.assessment, decided.decision) == ("fail", "adapt")
    assert {one.id: one.met for one in assessed.criteria} == {"poc_001_pass_1": False, "poc_001_fail_1": True}
    roster, _ = adapting.apply(
        site.sitting.roster, site.sitting.contracts, decided.edits, site.sitting.specs, created=CREATED
    )
    assert "This does not hold: The e-mail addresses" in roster.agents["data_migration_agent"].role


@pytest.mark.req("OR-25")
def test_what_cannot_be_tried_is_not_said_to_hold_and_a_person_decides(site: Site) -> None:
    assume(site, "The porter's phone is fast enough")
    _, assessed, decided = tried(site)
    assert "Not tried" in result(site)
    assert (assessed.assessment, decided.decision) == ("partial", "escalate")


@pytest.mark.req("OR-25")
def test_a_form_that_is_assumed_is_read_from_the_first_to_the_last_line(site: Site) -> None:
    assume(site, "Every line of the legacy file has the same fields")
    site.files[LEGACY] += b"one field\n"
    _, assessed, _ = tried(site)
    assert "lines: 61, of another form: 1" in result(site)
    assert "line 62" in result(site)
    assert assessed.assessment == "fail"
