"""A design on the real command line: the shipped example from its plan to the last yes, and every way back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from design_desk import AGENTS, AT_HOME, DOERS, FOLDER, MISSING, REQUEST, RUN, TASK, TECHNOLOGIES, TRIAL, Desk

from signoff.workflows.orchestration import changelog, places, questions, reviews, sequence
from signoff.workflows.orchestration.changelog import Drafts

pytestmark = pytest.mark.xdist_group("design on the command line")  # one process, so that the example is walked once


@pytest.fixture
def at(stops: dict[str, Desk], tmp_path: Path) -> Any:
    return lambda name: stops[name].copied(tmp_path / name)


# --- from the plan to the last yes ------------------------------------------------------------------------------------


@pytest.mark.req("OR-10", "OR-11", "OR-12")
def test_at_each_stop_a_person_is_told_what_waits_and_the_commands_that_settle_it(stops: dict[str, Desk]) -> None:
    def told(name: str) -> list[str]:
        return stops[name].heard.splitlines()

    assert "offline role players" in told("questions")[0]
    assert f"  $ signoff answer {RUN}  # answer the questions one by one" in told("questions")
    assert any(line.startswith(f"  $ signoff choose {RUN} continue") for line in told("questions"))
    for gate in ("architecture", "roster", "design"):
        assert f"  approval: Approve the {gate} of {TASK}?" in told(gate)
        assert f"  $ signoff approve {RUN} --gate {gate}" in told(gate)
        assert f'  $ signoff reject {RUN} --gate {gate} --reason "…"' in told(gate)
        assert f"`signoff approve {RUN} --gate {gate} --accept-changes`" in stops[gate].text(REQUEST)
    assert any(f"{MISSING} does not exist yet" in line for line in told("agent"))
    assert [line.split("  #")[0] for line in told("agent") if line.startswith("  $")] == [
        f"  $ signoff choose {RUN} create", f"  $ signoff choose {RUN} drop",
    ]  # fmt: skip
    assert not any("finished" in line for line in told("approved")), "the work is still to be done"
    assert not (stops["approved"].root / REQUEST).exists()


@pytest.mark.req("OR-10")
def test_what_a_person_signs_off_is_shown_with_its_reasons(stops: dict[str, Desk]) -> None:
    architecture = stops["architecture"].text(REQUEST)
    assert "> **Why this order:**" in architecture
    assert "> ### Feedback Not Incorporated:" in architecture
    roster = stops["roster"].text(REQUEST)
    assert f"### {MISSING} (**does not exist yet**, after database_agent)" in roster
    assert "- Build: A migration script creates the table, and a second script takes it back" in roster
    design = stops["design"].text(REQUEST)
    assert f"{MISSING} waits for api_agent: both write app/__main__.py" in design
    assert "- poc_001: The e-mail addresses of the legacy file are unique once case is ignored" in design
    assert stops["approved"].json(f"{FOLDER}/status.json")["digest"] in design


def test_the_inbox_says_what_to_know_before_an_approval_as_the_run_does(at: Any) -> None:
    said = at("design").go("inbox", code=0)
    assert "  note: " in said
    assert "no criterion mentions what was answered to Q1" in said


def test_a_file_that_is_seen_for_the_first_time_was_edited_by_nobody(stops: dict[str, Desk]) -> None:
    lines = stops["design"].text(f"{FOLDER}/journal.jsonl").splitlines()
    events = [event for line in lines for event in json.loads(line)["events"] if event["type"] == "docs_changed"]
    assert [event["by"] for event in events if "legacy/users.csv" in event["docs"]] == ["code"]


FIRST = ("database_agent", TRIAL)
"""Who begins, once the design is approved."""
FILES = {
    places.summary(TASK), places.STACK, places.DECISIONS, places.ORDER, places.QUESTIONS, places.CHANGELOG,
    places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.COORDINATION, places.VERIFICATION,
    places.STATUS, places.RISK_REPORT, places.POC_SPECS, places.REGISTRY, f"{places.TEMPLATES}{MISSING}_template.md",
    *map(places.review, ("security", "api_dataflow", "database_storage")), *map(places.research, TECHNOLOGIES),
    *map(places.checklist, DOERS), *map(places.consultation, DOERS), *map(places.instructions, AGENTS),
    *map(places.session, FIRST),
}  # fmt: skip


@pytest.mark.req("OR-3", "OR-12", "OR-14")
def test_in_the_end_every_file_of_a_design_is_there_and_no_other(stops: dict[str, Desk]) -> None:
    approved = stops["approved"]
    assert approved.files().keys() == FILES
    for name in AGENTS:
        assert (approved.root / places.agent(name) / "completion_drive").is_dir()
        assert (approved.root / places.output(name)).is_dir()
    ids = {approved.json(path)["task_id"] for path in (places.STACK, places.ROSTER, places.SEQUENCE, places.STATUS)}
    assert len(ids) == 1
    assert (approved.root / "legacy/users.csv").read_bytes() == (
        stops["questions"].root / "legacy/users.csv"
    ).read_bytes()


@pytest.mark.req("OR-4", "OR-11")
def test_a_missing_agent_is_created_with_its_entry_and_template_and_nothing_is_designed_before(
    stops: dict[str, Desk],
) -> None:
    before, after = stops["agent"], stops["design"]
    roster = before.json(places.ROSTER)
    assert (roster["missing_agents"], roster["requires_user_action"]) == ([MISSING], True)
    assert roster["agents"][MISSING]["creation_guidance"]["registry_entry"]["agent_type"] == MISSING
    assert not {places.REGISTRY, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE} & before.files().keys()
    assert f"{MISSING} does not exist yet" in before.go("run", "orchestration", RUN, code=3)
    assert not (before.root / places.CONTRACTS).exists()
    entry = after.json(places.REGISTRY)["agent_types"][MISSING]
    assert (after.root / entry["template"]).exists()
    done = after.json(places.ROSTER)
    assert (done["missing_agents"], done["agents"][MISSING]["exists"]) == ([], True)


def test_writers_of_one_file_come_one_after_the_other_and_a_trial_before_what_rests_on_it(
    stops: dict[str, Desk],
) -> None:
    made = sequence.parse(stops["approved"].text(places.SEQUENCE).encode(), places.SEQUENCE)
    phase = {one.agent_name: phase.phase_id for phase in made.execution_phases for one in phase.agents}
    assert phase["api_agent"] < phase["api_verifier"] < phase[MISSING]
    assert made.notes == (f"{MISSING} waits for api_agent: both write app/__main__.py",)
    assert phase[TRIAL] < phase[MISSING]
    assert TRIAL in made.dependency_graph[MISSING]
    assert stops["approved"].json(places.POC_SPECS)["pocs"][0]["gates"] == [MISSING]


@pytest.mark.req("OR-9")
def test_the_changelog_names_every_change_from_the_first_drafts_to_the_approved_ones(stops: dict[str, Desk]) -> None:
    def drafts(name: str) -> Drafts:
        return Drafts(stack=stops[name].text(places.STACK), decisions=stops[name].text(places.DECISIONS))

    log = changelog.parse(stops["architecture"].text(places.CHANGELOG).encode(), places.CHANGELOG)
    order = reviews.parse_order(stops["architecture"].text(places.ORDER).encode(), places.ORDER).order
    assert [one.domain for one in log] == list(order)
    changed = {one.place for one in changelog.differences(drafts("questions"), drafts("architecture"))}
    assert changed <= {change.place for one in log for change in one.changes}
    refused = [one.suggestion for entry in log for one in entry.not_taken]
    assert [any(word in one for one in refused) for word in ("encrypting", "PostgreSQL")] == [True, True]
    answers = [one.answer for one in questions.answers(stops["architecture"].text(places.QUESTIONS))]
    assert all(answer in stops["architecture"].text(places.DECISIONS) for answer in answers)


# --- what was found out is kept ---------------------------------------------------------------------------------------

SECOND = """\
# Conversation Summary: Reader Accounts

## What We're Trying to Accomplish
The users table holds an e-mail address and a display name. A migration script creates the table. The REST API creates
and lists users. Automated tests cover the schema and the REST API.

## Key Decisions Made
- Decision: The users table is kept in SQLite, in one file beside the service
  - Rationale: A backup is the copy of one file.
- Decision: The REST API is a WSGI application in Python that needs the standard library only
  - Rationale: Nothing has to be installed.
- Decision: The REST API answers an unknown user with 404
  - Rationale: Callers expect it.

## Constraints & Assumptions
- Python 3.11 or newer with its standard library; pytest is the only package beside it.
- Tests run without a network, each against a database of its own in a temporary folder.
- Every caller of the REST API sends a key of its own; a request without a known key is answered 401.

## Questions Resolved
- Q: Does every behaviour need a test of its own?
- A: One test for each endpoint; a figure for coverage is not wanted.

## Open Items

## Dependencies & Integration Points
"""


@pytest.mark.req("OR-14")
def test_research_is_kept_at_home_and_a_second_project_with_the_same_stack_asks_no_researcher(
    stops: dict[str, Desk], tmp_path: Path
) -> None:
    first = stops["approved"]
    library = {file.stem: file.read_bytes() for file in (first.home / AT_HOME).iterdir()}
    assert library == {name: first.files()[places.research(name)] for name in TECHNOLOGIES}
    assert "best-practices-researcher returned" in stops["design"].heard
    second = Desk(tmp_path)
    shutil.copytree(first.home, second.home)
    (second.root / places.HOME).mkdir(parents=True)
    (second.root / places.summary("reader_accounts")).write_text(SECOND)
    second.go("run", "orchestration", "reader-accounts", code=3)
    second.go("approve", "reader-accounts", "--gate", "architecture", code=3, person="Ada")
    said = second.go("approve", "reader-accounts", "--gate", "roster", code=3, person="Ada")
    assert "Approve the design of reader_accounts?" in said
    assert "risk-checklist returned" in said
    assert "best-practices-researcher" not in said
    assert {name: second.files()[places.research(name)] for name in TECHNOLOGIES} == library
    assert {file.stem: file.read_bytes() for file in (second.home / AT_HOME).iterdir()} == library


# --- looking at it ----------------------------------------------------------------------------------------------------


def test_status_inbox_trace_and_cost_tell_where_a_design_stands_and_why(stops: dict[str, Desk]) -> None:
    waiting, approved = stops["design"], stops["approved"]
    row = waiting.call("status").out.splitlines()[1].split()
    assert row[:4] == [".", RUN, "orchestration", "5"]
    [request] = waiting.call("inbox", "--json").json["requests"]
    assert (request["key"], request["answers"][0]) == ("design", f"signoff approve {RUN} --gate design")
    trial = approved.call("trace", "poc_001", "--json").json
    assert (trial["gates"], trial["tried by"]) == ([MISSING], [TRIAL])
    tree = approved.call("trace", "api_agent").out
    for said in (
        "task id: api_",
        "waited for by",
        "test_agent",
        "app/registry.py",
        "verified by: api_verifier",
        "phase: 3",
    ):
        assert said in tree
    assert "total: 0.00 USD, 0 tokens, 35 turns (35 attempts)" in approved.call("cost", RUN).out


def test_a_design_is_replayed_and_forked_and_the_two_are_compared(stops: dict[str, Desk], tmp_path: Path) -> None:
    approved = stops["approved"].copied(tmp_path / "approved")
    assert approved.call("replay", RUN, "--json").json["equal"] is True
    forked = approved.go("fork", RUN, "--at", "31", "--into", "../forked", code=3)
    assert "asked anew: 0031-poc-recommendation" in forked
    assert "Approve the design" in forked
    approved.go("diff", RUN, f"../forked:{RUN}", code=0)
    assert (approved.root.parent / "forked" / places.SEQUENCE).read_bytes() == (
        approved.root / places.SEQUENCE
    ).read_bytes()


@pytest.mark.req("OR-3", "OR-13")
def test_the_commands_on_files_agree_with_what_the_run_left(stops: dict[str, Desk], tmp_path: Path) -> None:
    approved = stops["approved"].copied(tmp_path / "approved")
    before = approved.files()
    approved.go("orchestration", "sequence", places.ROSTER, "--write", code=0)
    assert approved.files() == before, "the same input, the same bytes"
    drawn = approved.go("orchestration", "graph", places.SEQUENCE, code=0)
    assert "9 agents, 8 phases, at most 2 at once" in drawn
    assert "missing: nobody" in approved.go("orchestration", "roster", "check", places.ROSTER, code=0)
    verified = approved.go("orchestration", "verify", code=0).splitlines()
    assert "verify: pass, 2 findings" in verified
    assert [line.partition(": ")[2].partition(":")[0] for line in verified if ": gap." in line] == ["gap.answer"] * 2


# --- no ---------------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-9", "OR-10", "OR-15")
@pytest.mark.parametrize(
    ("gate", "reason", "again", "waits"),
    [
        ("architecture", "Use PostgreSQL instead of SQLite", "0008-solution-architect", "2 questions for you"),
        ("roster", "Remove: test_agent", "0009-roster-designer", "Approve the roster"),
        ("design", "contracts: Name the log", "0036-file-structure-designer", "Approve the design"),
    ],
)
def test_a_no_goes_back_to_who_made_it_with_the_reason_and_is_shown_with_the_next_request(
    at: Any, gate: str, reason: str, again: str, waits: str
) -> None:
    desk = at(gate)
    said = desk.go("reject", RUN, "--gate", gate, "--reason", reason, code=3, person="Ada")
    assert f"starts {again}" in said
    assert waits in said
    assert reason.removeprefix("contracts: ") in desk.text(f"{FOLDER}/turns/{again}/brief-1.md")
    if gate != "architecture":
        assert f"- {gate}, person:Ada: {reason}" in desk.text(REQUEST)


@pytest.mark.req("OR-11")
def test_an_agent_that_is_not_wanted_is_dropped_and_the_new_roster_goes_to_the_person(at: Any) -> None:
    desk = at("agent")
    said = desk.go("choose", RUN, "drop", code=3)
    assert "Approve the roster" in said
    assert MISSING not in desk.json(places.ROSTER)["agents"]


@pytest.mark.req("OR-15")
def test_an_edit_after_the_approval_voids_it_and_resume_leads_back_to_a_new_approval(at: Any) -> None:
    desk = at("approved")
    desk.edit(places.STACK, "SQLite 3", "SQLite 4")
    said = desk.go("run", "orchestration", RUN, code=3)
    assert f"{places.STACK} changed after the design of {TASK} was approved" in said
    assert f"$ signoff resume {RUN}" in said
    told = desk.json(f"{FOLDER}/status.json")
    assert (told["digest"], told["stale"]) == (None, "approve_architecture")
    assert [one["holds"] for one in told["approvals"]] == [False] * 3
    assert "Approve the architecture" in desk.go("resume", RUN, code=3, person="Ada")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-15")
def test_every_planned_fault_of_a_design_is_refused_by_the_rule_that_is_there_for_it(at: Any) -> None:
    desk = at("agent")
    desk.go("choose", RUN, "create", "--no-run", code=0)
    faults = {
        "file-structure-designer:foreign-folder": "contracts.foreign",
        "checkpoint-designer:unverified": "checkpoints.missing",
        "instruction-writer:pathless": "instructions.purpose",
        "best-practices-researcher:no-source": "research.source",
        "risk-checklist:missing-category": "checklist.category",
        "doer-consultation:unknown-item": "consultation.item",
        "poc-recommendation:untried": "poc.risk",
        "poc-integration:left-out": "integration.missing",
        "best-practices-integration:own-words": "practices.words",
        "design-verifier:off-schema": "output.schema",
    }
    said = desk.go("run", "orchestration", RUN, "--faults", ",".join(faults), code=3)
    refused = [line for line in said.splitlines() if "refused with" in line]
    assert len(refused) == len(faults)
    for fault, rule in faults.items():
        agent = fault.partition(":")[0]
        assert any(f"{agent} returned" in line and f" {rule}: " in line for line in refused), (fault, refused)
    assert "Approve the design" in said


def test_a_turn_that_is_refused_twice_goes_to_a_person_with_a_report(at: Any) -> None:
    desk = at("questions")
    desk.go("choose", RUN, "continue", "--no-run", code=0)
    plan = "tactical-solution-architect:unnamed-change@1, tactical-solution-architect:phantom-change@2"
    said = desk.go("run", "orchestration", RUN, "--faults", plan, code=4)
    assert f"$ signoff resume {RUN}" in said
    report = desk.text(f"{FOLDER}/escalation-report.md")
    assert "- Reason: unusable_output" in report
    assert "changelog.unmade" in report
    assert not (desk.root / places.CHANGELOG).exists()


def test_a_run_begins_with_a_plan_that_is_whole_and_does_not_write_over_another_design(at: Any) -> None:
    desk = at("approved")
    before = desk.files()
    nothing = desk.go("run", "orchestration", "other-task", code=2)
    assert "there is no plan for other_task" in nothing
    assert "signoff chat plan-developer" in nothing
    plan = desk.text(places.summary(TASK))
    other = desk.root / places.summary("other_task")
    other.write_text(plan.replace("## Open Items", "## Opened"))
    assert "the section “Open Items” is missing" in desk.go("run", "orchestration", "other-task", code=2)
    other.write_text(plan)
    taken = desk.go("run", "orchestration", "other-task", code=2)
    assert "holds a design already" in taken
    assert "--replace" in taken
    assert desk.files() == {**before, places.summary("other_task"): plan.encode()}
    desk.go("run", "orchestration", "other-task", "--replace", code=3)
    assert places.ROSTER not in desk.files()
