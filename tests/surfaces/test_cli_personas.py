"""The personas of orchestration on the command line: from the first question to an approved design."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from shell_out import Ended, at_terminal, signoff

from signoff.core.refs import digest
from signoff.workflows.orchestration import places, plan, roster
from signoff.workflows.orchestration.roster import CreationGuidance, Member, RegistryEntry, Roster

pytestmark = pytest.mark.req("OR-1")

TASK = "user_management"
SUMMARY = places.summary(TASK)
PLAN = (
    "We want user management for the portal.", "=", "Sixty readers have an account.",
    "Accounts are in SQLite", "A backup is one file.", "", "",
    "", "Addresses are unique", "",
    "Are passwords taken over?", "not sure", "the portal team", "",
    "", "The portal calls it", "",
)  # fmt: skip
MISSING = "data_migration_agent"
ENTRY = RegistryEntry(
    agent_type=MISSING,
    template=f"{places.PROTOCOLS}orchestration_doer_agent_template.md",
    capabilities=("rollback",),
    description="Moves data",
)
ROSTER = Roster(
    task_id="user_management_1727539200",
    created=1727539200,
    agents={
        MISSING: Member(
            role="Moves the accounts",
            task_id="move_1727539200",
            exists=False,
            creation_guidance=CreationGuidance(reason="New", base_template=ENTRY.template, registry_entry=ENTRY),
        )
    },
    missing_agents=(MISSING,),
    requires_user_action=True,
)


def chat(root: Path, *args: object, lines: tuple[str, ...] = (), person: str | None = None) -> Ended:
    typed = "".join(f"{line}\n" for line in lines)
    return signoff("chat", *args, cwd=root, lines=typed, person=person, name="personas")


def events(root: Path) -> list[dict[str, Any]]:
    lines = (root / "_workflow/drawing/user-management/journal.jsonl").read_text().splitlines()
    return [event for line in lines for event in json.loads(line)["events"]]


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    assert chat(tmp_path, "plan-developer", lines=(*PLAN, "write")).code == 0
    return tmp_path


@pytest.fixture
def drawn(planned: Path) -> Path:
    lines = ("60 users", "", "", "", "one box", "submit", "approve")
    assert chat(planned, "solution-architect", lines=lines, person="Ada").code == 3
    return planned


# --- plan-developer ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
def test_a_plan_is_talked_over_and_written_when_the_person_has_seen_the_draft(tmp_path: Path) -> None:
    ended = chat(tmp_path, "plan-developer", lines=(*PLAN, "write"))
    assert ended.code == 0, ended.err
    found = plan.parse((tmp_path / SUMMARY).read_bytes(), SUMMARY)
    assert found.task == TASK
    assert (
        found.goal
        == "We want user management for the portal.\n\nIt is done when this is so: Sixty readers have an account."
    )
    assert [one.decision for one in found.decisions] == ["Accounts are in SQLite"]
    assert found.constraints == ("Assumption: Addresses are unique",)
    assert found.open_items == ("Are passwords taken over? To be settled by: the portal team",)
    assert found.dependencies == ("The portal calls it",)
    draft = ended.out.index("  # Conversation Summary: user_management")
    assert draft < ended.out.index("  write: write it into the project") < ended.out.index(f"Written: {SUMMARY}")
    assert "recommendation: user_management" in ended.out
    assert ended.out.splitlines()[-1].startswith("Next: signoff chat solution-architect user_management  # ")


@pytest.mark.req("OR-5")
def test_nothing_is_written_before_the_person_says_so_and_an_old_summary_stays(planned: Path) -> None:
    old = (planned / SUMMARY).read_bytes()
    ended = chat(planned, "plan-developer", TASK, lines=("anew", "Another goal", *[""] * 8, "write"))
    assert ended.code == 2
    assert "-We want user management for the portal.\n" in ended.out
    assert "+Another goal\n" in ended.out
    assert (planned / SUMMARY).read_bytes() == old
    done = chat(planned, "plan-developer", TASK, lines=("on", "write", "replace"), person="Ada")
    assert done.code == 0
    assert plan.parse((planned / SUMMARY).read_bytes(), SUMMARY).goal == "Another goal"


def test_at_a_terminal_it_is_the_same_conversation(tmp_path: Path) -> None:
    typed = "".join(f"{line}\n" for line in (*PLAN, "write"))
    ended = at_terminal(["chat", "plan-developer"], tmp_path, typed, name="personas")
    assert ended.code == 0, ended.out
    assert plan.parse((tmp_path / SUMMARY).read_bytes(), SUMMARY).task == TASK


# --- the personas of a run --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("solution-architect", f"{SUMMARY} is made by plan-developer"),
        ("workflow-designer", f"{places.STACK} is made by solution-architect"),
        ("risk-assessment", f"{places.SEQUENCE} is made by workflow-designer"),
        ("design-verifier", f"{places.RISK_REPORT} is made by risk-assessment"),
        ("workflow-executor", f"{places.VERIFICATION} is made by design-verifier"),
        ("escalation-resolution", "session_current.json is made by workflow-executor"),
        ("workflow-adaptation", "session_current.json is made by workflow-executor"),
    ],
)
def test_no_persona_begins_without_its_files_and_each_says_who_makes_them(
    tmp_path: Path, name: str, missing: str
) -> None:
    ended = chat(tmp_path, name, TASK)
    assert (ended.code, ended.out) == (2, "")
    assert f"{name} cannot begin without " in ended.err
    assert missing in ended.err
    assert not list(tmp_path.iterdir())


@pytest.mark.req("OR-6")
def test_the_architect_begins_the_run_and_what_was_answered_is_in_the_drafts(planned: Path) -> None:
    ended = chat(planned, "solution-architect", lines=("60 users", "", "", "not sure", "one box", "submit", "/exit"))
    assert ended.code == 3, ended.err
    assert "Scale: How much has it to carry" in ended.out
    assert "SQLite" in (planned / places.STACK).read_text()
    assert "one box" in ended.out
    assert [event["type"] for event in events(planned)] == ["started", "turn_returned"]


def test_an_architecture_that_is_rejected_is_talked_over_again_at_once(planned: Path) -> None:
    lines = (
        "60 users",
        "",
        "",
        "",
        "",
        "submit",
        "reject",
        "No SQLite, PostgreSQL instead.",
        "on",
        "=",
        "PostgreSQL 15",
    )
    ended = chat(planned, "solution-architect", lines=(*lines, "submit", "/exit"), person="Ada")
    assert ended.code == 3, ended.out
    assert "It was sent back: No SQLite, PostgreSQL instead." in ended.out
    assert "PostgreSQL 15" in (planned / places.STACK).read_text()
    assert [event["payload"] for event in events(planned) if event.get("act") == "reject"] == [
        {"reason": "No SQLite, PostgreSQL instead."}
    ]


@pytest.mark.req("OR-10", "OR-11")
def test_the_designer_puts_the_roster_and_then_the_missing_agent_with_its_entry_and_template(drawn: Path) -> None:
    put(drawn, places.ROSTER, roster.render(ROSTER))
    lines = ("proceed", "create", "=", "=", "the legacy file", "", "a count", "", "create", "/exit")
    ended = chat(drawn, "workflow-designer", "--runtime", "host", lines=lines, person="Ada")
    assert ended.code == 3, ended.out + ended.err
    assert f"  ## {MISSING} (missing): Moves the accounts\n" in ended.out
    [approved] = [event for event in events(drawn) if event.get("request", "").startswith("roster")]
    assert (approved["act"], approved["by"]) == ("approve", "person:Ada")
    entry = json.loads((drawn / places.REGISTRY).read_text())
    assert (entry["agent_type"], entry["template"]) == (MISSING, f"orchestration/templates/{MISSING}_template.md")
    assert "- Data: the legacy file\n- Proof: a count\n\n{{task}}" in (drawn / entry["template"]).read_text()


@pytest.mark.req("OR-10")
def test_a_roster_that_is_to_be_changed_goes_back_with_the_persons_words(drawn: Path) -> None:
    put(drawn, places.ROSTER, roster.render(ROSTER))
    ended = chat(drawn, "workflow-designer", lines=("add", "", "a documentation agent"), person="Ada")
    assert ended.code == 3
    assert "the agents are given these words" in ended.out
    [back] = [event for event in events(drawn) if event.get("request", "").startswith("roster")]
    assert (back["act"], back["payload"]) == ("reject", {"reason": "Add: a documentation agent"})


@pytest.mark.req("OR-15")
def test_the_verifier_takes_its_turn_and_puts_the_design_to_the_person(drawn: Path) -> None:
    put(drawn, places.ROSTER, roster.render(ROSTER))
    for path in (places.SEQUENCE, places.STATUS, places.COORDINATION, places.RISK_REPORT, places.VERIFICATION):
        put(drawn, path, "{}")
    left = chat(drawn, "workflow-designer", "--runtime", "host", lines=("proceed", "drop", ""), person="Ada")
    assert "open turn: 0002-design-verifier" in left.out
    lines = ("No way back", "A", "C", "", "a dump", "", "", "submit", "approve")
    ended = chat(drawn, "design-verifier", "--json", lines=lines, person="Ada")
    told = json.loads(ended.out)
    assert (told["exit"], told["next"], told["run"]["stop"]) == (0, "workflow-executor", "complete")
    assert json.loads((drawn / "read.json").read_text()) == ["No way back"]
    assert told["settled"][0]["of"] == {places.STATUS: digest("{}")}
    done = chat(drawn, "workflow-executor", TASK)
    assert done.code == 0
    assert "To carry it out is not in this version yet." in done.out
    shown = chat(drawn, "risk-assessment", TASK)
    assert (shown.code, "  {}\n" in shown.out) == (0, True)


def test_all_eight_are_listed_with_whether_they_can_begin(planned: Path) -> None:
    told = json.loads(chat(planned, "--json").out)["personas"]
    assert {one["persona"]: one["can_begin"] for one in told} == {
        "plan-developer": True, "solution-architect": True, "workflow-designer": False, "risk-assessment": False,
        "design-verifier": False, "workflow-executor": False, "escalation-resolution": False,
        "workflow-adaptation": False,
    }  # fmt: skip
