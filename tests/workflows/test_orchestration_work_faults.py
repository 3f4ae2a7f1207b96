"""Seeded faults of the work: each is what it says, and whoever is there to refuse it can see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from orchestration_plans import example
from orchestration_site import Site
from orchestration_sitting import CREATED, RefusedError, Sitting, plain

from signoff.core.errors import DocumentError, UsageError
from signoff.workflows.misbehaviour import CRASH, MALFORMED, OFF_SCHEMA, CrashedError, FaultPlan
from signoff.workflows.orchestration import adapting, loops, places, work_faults
from signoff.workflows.orchestration.escalating import RULED
from signoff.workflows.orchestration.faults import FAULTS, KINDS
from signoff.workflows.orchestration.players import PLAYERS
from signoff.workflows.orchestration.work import Question

pytestmark = pytest.mark.xdist_group("orchestration-work-faults")

TASK, DOER = "user_management", "database_agent"
POC = "poc_001_uniqueness_agent"
QUESTION = "Seeded fault: who reads what comes of this work in the end?"
ANSWERS = ("Thirty days.", "No.")


@pytest.fixture(scope="module")
def design() -> Sitting:
    sitting = Sitting(example(), TASK)
    sitting.architecture()
    sitting.review()
    sitting.answer(*ANSWERS)
    sitting.tactical()
    return sitting.rest()


Start = Callable[[str], Site]


@pytest.fixture
def site(design: Sitting, tmp_path: Path) -> Start:
    """A site whose players follow a plan of faults; nothing is run, for no fault depends on it."""

    def made(plan: str) -> Site:
        sitting = Sitting(dict(design.files), TASK, known=design.known, practices=design.practices)
        return Site(sitting, tmp_path, FAULTS.misbehaving(PLAYERS, plan), commands=())

    return made


# --- doers ------------------------------------------------------------------------------------------------------------

NOTE_RULES = {
    "settles-security": "note.authority",
    "settles-words": "note.authority",
    "uncertain": "note.authority",
    "unreasoned": "note.incomplete",
    "strange-note": "note.unknown",
}


@pytest.mark.req("OR-19", "OR-22")
@pytest.mark.parametrize("kind", NOTE_RULES)
def test_a_note_that_is_not_a_doers_to_say_is_refused_and_the_next_attempt_is_honest(site: Start, kind: str) -> None:
    at = site(f"doer:{kind}")
    with pytest.raises(RefusedError) as refused:
        at.do(DOER)
    assert refused.value.rules == {NOTE_RULES[kind]}
    assert at.do(DOER).status == "completion_drive_review"


@pytest.mark.req("OR-18")
@pytest.mark.parametrize(("kind", "what"), [("strays", "elsewhere/stray.txt"), ("runs-wild", "git push origin main")])
def test_what_a_contract_does_not_name_is_refused_when_it_is_tried(site: Start, kind: str, what: str) -> None:
    at = site(f"doer:{kind}")
    at.do(DOER)
    assert at.refused == [what]
    assert work_faults.STRAY not in at.files


SAID: Mapping[str, Callable[[Any], bool]] = {
    "slipshod": lambda said: said.evidence == (),
    "forged-evidence": lambda said: {one.command for one in said.evidence} == {work_faults.NEVER_RAN},
    "endless": lambda said: said.status == "working",
    "too-early": lambda said: said.status == "ready_for_verification",
    "open-notes": lambda said: said.status == "ready_for_verification" and {n.status for n in said.notes} == {"open"},
    "loop": lambda said: said.status == "blocked" and said.notes[-1].description == QUESTION,
    "conflicted": lambda said: said.status == "blocked" and said.notes[-1].category == "conflict",
}


@pytest.mark.req("OR-16", "OR-19", "OR-20")
@pytest.mark.parametrize("kind", SAID)
def test_a_doer_can_say_what_code_has_to_deal_with(site: Start, kind: str) -> None:
    at = site(f"doer:{kind}")
    assert SAID[kind](at.do(DOER))
    assert not SAID[kind](at.do(DOER))


@pytest.mark.req("OR-20")
@pytest.mark.parametrize("kind", ["slipshod", "forged-evidence"])
def test_evidence_that_is_missing_or_forged_does_not_get_past_an_offline_verifier(site: Start, kind: str) -> None:
    at = site(f"doer/{DOER}:{kind}@2")
    at.do(DOER)
    at.review(DOER)
    verdict = at.verify(DOER)
    assert verdict.result == "fail"
    assert len(verdict.missing_evidence) == len(verdict.criteria)


@pytest.mark.req("OR-24")
def test_a_loop_asks_the_same_in_three_turns_which_is_what_a_loop_is(site: Start) -> None:
    at = site(f"doer/{DOER}:loop@1+")
    asked = list[Question]()
    for turn in (1, 2, 3):
        assert loops.looping(asked, 0.85) == ""
        asked += (Question(turn=turn, text=one.description) for one in at.do(DOER).notes if one.status == "escalated")
        at.settle(DOER, {note.note_id: "The librarians." for note in at.escalated(DOER)})
    assert loops.looping(asked, 0.85) == QUESTION


@pytest.mark.req("OR-19")
def test_notes_that_are_never_settled_stay_open_in_every_review(site: Start) -> None:
    at = site(f"doer/{DOER}:open-notes@2+")
    at.do(DOER)
    for _ in range(3):
        assert {note.status for note in at.review(DOER).notes} == {"open"}


# --- everybody else ---------------------------------------------------------------------------------------------------


def verdict(at: Site) -> Any:
    at.do(DOER)
    at.review(DOER)
    return at.verify(DOER)


def assessment(at: Site) -> Any:
    return at.play("assessment", [places.POC_SPECS], trial(at))[0]


def decision(at: Site) -> Any:
    notes = {**trial(at), "assessment": "fail"}
    return at.play("poc-decision", [places.POC_SPECS, places.ROSTER, places.CONTRACTS], notes)[0]


def trial(at: Site) -> dict[str, Any]:
    [poc] = at.sitting.specs.pocs
    return {"agent": POC, "poc": poc.model_dump(mode="json", by_alias=True)}


def clearing(at: Site) -> Any:
    answers = {"note_001": "Yes.", "note_002": "The users table is not kept in SQLite."}
    return at.play("resolution", at.papers, {"agent": "api_agent", "answers": answers})[0]


def loop(at: Site) -> Any:
    return at.play("loop", at.papers, {"agent": DOER, "question": QUESTION, "history": []})[0]


def ruling(at: Site) -> Any:
    asked = {"note_id": "note_001", "description": "How are keys compared?", "category": "security"}
    notes = {"agent": "api_tactical", "criteria": [plain(RULED)], "escalated": [asked], "mode": "work"}
    return at.play("tactical", at.papers, notes)[0]


TURNS: Mapping[str, Callable[[Site], Any]] = {
    "verifier": verdict,
    "poc-evidence-reviewer": assessment,
    "poc-decision": decision,
    "escalation-resolution": clearing,
    "loop-resolution": loop,
    "tactical-solution-architect": ruling,
}


def edits_nobody(said: Any, at: Site) -> bool:
    sitting = at.sitting
    with pytest.raises(DocumentError, match="somebody_agent"):
        adapting.apply(sitting.roster, sitting.contracts, said.edits, sitting.specs, created=CREATED)
    return True


def met(said: Any) -> set[bool]:
    return {one.met for one in said.criteria}


SEEN: Mapping[tuple[str, str], Callable[[Any, Site], bool]] = {
    ("verifier", "lenient"): lambda said, _: said.result == "pass" and met(said) == {True},
    ("verifier", "strict"): lambda said, _: said.result == "fail" and met(said) == {False},
    ("verifier", "contradicts"): lambda said, _: said.result == "pass" and met(said) == {False},
    ("verifier", "speechless"): lambda said, _: said.result == "fail" and said.missing_evidence == (),
    ("verifier", "leaves-out"): lambda said, _: said.result == "pass" and all(one.left_out for one in said.criteria),
    ("verifier", "skips"): lambda said, _: "cp_nobody.1" in {one.id for one in said.criteria},
    ("poc-evidence-reviewer", "assessed-pass"): lambda said, _: said.assessment == "pass",
    ("poc-evidence-reviewer", "assessed-partial"): lambda said, _: met(said) == {False},
    ("poc-evidence-reviewer", "assessed-fail"): lambda said, _: said.assessment == "fail",
    ("poc-evidence-reviewer", "skips"): lambda said, _: "cp_nobody.1" in {one.id for one in said.criteria},
    ("poc-decision", "presses-on"): lambda said, _: said.decision == "proceed",
    ("poc-decision", "escalates"): lambda said, _: said.decision == "escalate",
    ("poc-decision", "edits-nobody"): edits_nobody,
    ("escalation-resolution", "overlooks"): lambda said, _: (len(said.resolutions), said.conflicts) == (2, {}),
    ("escalation-resolution", "quarrels"): lambda said, _: (said.resolutions, len(said.conflicts)) == ({}, 2),
    ("escalation-resolution", "unasked"): lambda said, _: "note_999" in said.resolutions,
    ("loop-resolution", "no-way-out"): lambda said, _: (said.edits, said.questions) == ((), ()),
    ("loop-resolution", "edits-nobody"): edits_nobody,
    ("tactical-solution-architect", "groundless"): lambda said, _: "no document" in said.rulings[0].ground,
    ("tactical-solution-architect", "unruled"): lambda said, _: said.rulings == (),
}


@pytest.mark.req("OR-20", "OR-23", "OR-24", "OR-25")
@pytest.mark.parametrize(("agent", "kind"), SEEN)
def test_each_fault_of_those_who_look_and_settle_is_what_it_says(site: Start, agent: str, kind: str) -> None:
    at = site(f"{agent}:{kind}")
    assert SEEN[agent, kind](TURNS[agent](at), at)


@pytest.mark.parametrize("agent", [*TURNS, "doer"])
@pytest.mark.parametrize("kind", [MALFORMED, OFF_SCHEMA, CRASH])
def test_everybody_can_crash_and_say_what_is_no_output(site: Start, agent: str, kind: str) -> None:
    turn = TURNS.get(agent, lambda at: at.do(DOER))
    with pytest.raises(CrashedError if kind == CRASH else DocumentError):
        turn(site(f"{agent}:{kind}"))


def test_every_fault_of_the_work_is_tried_here() -> None:
    doer = {*NOTE_RULES, *SAID, "strays", "runs-wild"}
    assert {*work_faults.KINDS["doer"]} == doer
    others = {(agent, kind) for agent, kinds in work_faults.KINDS.items() for kind in kinds if agent != "doer"}
    tactical = {("tactical-solution-architect", kind) for kind in work_faults.TACTICAL}
    assert others | tactical == set(SEEN)
    assert all(set(kinds) <= set(KINDS[agent]) for agent, kinds in work_faults.KINDS.items())


# --- plans of faults that are about one agent's turns -----------------------------------------------------------------


@pytest.mark.req("OR-21")
def test_a_fault_about_one_agent_counts_the_turns_about_that_agent_alone(site: Start) -> None:
    at = site(f"doer/{POC}:crash@2")
    at.do(DOER)
    at.do(POC)
    at.do(DOER)
    with pytest.raises(CrashedError, match=f"doer/{POC}:crash@2"):
        at.do(POC)


def test_a_fault_with_a_plus_lasts_from_its_turn_on(site: Start) -> None:
    at = site(f"doer/{DOER}:endless@2+")
    assert [at.do(DOER).status == "working" for _ in range(4)] == [False, True, True, True]


@pytest.mark.parametrize("text", [f"doer/{DOER}:endless@2+", "doer:crash@1", "verifier/api_agent:strict@3"])
def test_a_plan_about_one_agent_reads_what_it_writes(text: str) -> None:
    plan = FAULTS.parse(text)
    assert str(plan) == text
    assert FAULTS.parse(str(plan)) == plan != FaultPlan()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"nobody/{DOER}:crash", "no agent 'nobody'"),
        (f"doer/{DOER}:lenient", "doer has no fault 'lenient'"),
        ("doer:crash@+", r"the turn '\+'"),
        ("doer:crash@1++", r"the turn '1\+\+'"),
    ],
)
def test_a_plan_about_one_agent_that_is_not_understood_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        FAULTS.parse(text)
