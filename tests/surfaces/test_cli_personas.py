"""The personas of orchestration on the command line: from the first question to an approved design."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shell_out import Ended, at_terminal, signoff

from signoff.workflows.orchestration import places, plan, registry

pytestmark = [pytest.mark.req("OR-1"), pytest.mark.xdist_group("personas")]  # one worker makes the stages

EXAMPLE = Path(__file__).parents[2] / "examples/user-management"
TASK = "user_management"
SUMMARY = places.summary(TASK)
MISSING = "data_migration_agent"
PLAN = (
    "We want user management for the portal.", "=", "Sixty readers have an account.",
    "Accounts are in SQLite", "A backup is one file.", "", "",
    "", "Addresses are unique", "",
    "Are passwords taken over?", "not sure", "the portal team", "",
    "", "The portal calls it", "",
)  # fmt: skip
ARCHITECTURE = ("60 users", "", "", "not sure", "on one Debian box", "submit")
SETTLED = ("Six months.", "No.", "continue", "")
CREATED = ("proceed", "create", "=", "=", "the legacy file", "", "a count", "", "create")


def chat(root: Path, *args: object, lines: tuple[str, ...] = (), person: str | None = "Ada") -> Ended:
    typed = "".join(f"{line}\n" for line in lines)
    return signoff("chat", *args, cwd=root, lines=typed, person=person)


def events(root: Path) -> list[dict[str, Any]]:
    lines = (root / "_workflow/orchestration/user-management/journal.jsonl").read_text().splitlines()
    return [event for line in lines for event in json.loads(line)["events"]]


def acts(root: Path) -> list[tuple[str, str, str]]:
    return [(event["request"], event["act"], event["by"]) for event in events(root) if event["type"] == "answered"]


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The example with its plan, with an architecture that was approved, and with a design that waits for it."""
    found = {name: tmp_path_factory.mktemp(name) / "project" for name in ("planned", "drawn", "designed")}
    shutil.copytree(EXAMPLE, found["planned"])
    shutil.copytree(found["planned"], found["drawn"])
    ended = chat(found["drawn"], "solution-architect", lines=(*ARCHITECTURE, *SETTLED, "approve"))
    assert ended.code == 3, ended.err
    shutil.copytree(found["drawn"], found["designed"])
    ended = chat(found["designed"], "workflow-designer", lines=CREATED)
    assert ended.code == 3, ended.err
    return found


@pytest.fixture
def at(stages: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(stages[name], tmp_path / name))


# --- plan-developer ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
def test_a_plan_is_talked_over_and_written_when_the_person_has_seen_the_draft(tmp_path: Path) -> None:
    ended = chat(tmp_path, "plan-developer", lines=(*PLAN, "write"), person=None)
    assert ended.code == 0, ended.err
    found = plan.parse((tmp_path / SUMMARY).read_bytes(), SUMMARY)
    assert found.task == TASK
    assert found.goal.split("\n\n") == [PLAN[0], "It is done when this is so: Sixty readers have an account."]
    assert [one.decision for one in found.decisions] == ["Accounts are in SQLite"]
    assert found.constraints == ("Assumption: Addresses are unique",)
    assert found.open_items == ("Are passwords taken over? To be settled by: the portal team",)
    assert found.dependencies == ("The portal calls it",)
    draft = ended.out.index("  # Conversation Summary: user_management")
    assert draft < ended.out.index("  write: write it into the project") < ended.out.index(f"Written: {SUMMARY}")
    assert "recommendation: user_management" in ended.out
    assert ended.out.splitlines()[-1].startswith("Next: signoff chat solution-architect user_management  # ")


@pytest.mark.req("OR-5")
def test_nothing_is_written_before_the_person_says_so_and_an_old_summary_stays(at: Callable[[str], Path]) -> None:
    root = at("planned")
    old = (root / SUMMARY).read_bytes()
    ended = chat(root, "plan-developer", TASK, lines=("Another goal", *[""] * 7, "write", "replace"), person=None)
    assert ended.code == 2
    assert "only a person can have it replaced" in ended.err
    assert "\n+Another goal\n" in ended.out
    assert (root / SUMMARY).read_bytes() == old
    done = chat(root, "plan-developer", TASK, lines=("on", "write", "replace"))
    assert done.code == 0, done.out
    assert plan.parse((root / SUMMARY).read_bytes(), SUMMARY).goal == "Another goal"


@pytest.mark.req("OR-5")
def test_at_a_terminal_it_is_the_same_conversation(tmp_path: Path) -> None:
    typed = "".join(f"{line}\n" for line in (*PLAN, "write"))
    ended = at_terminal(["chat", "plan-developer"], tmp_path, typed)
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
def test_the_architect_asks_reviews_follow_and_the_person_settles_what_they_ask_and_approves(
    stages: dict[str, Path],
) -> None:
    root = stages["drawn"]
    assert [event["type"] for event in events(root)][:2] == ["started", "turn_returned"]
    receipt = root / "_workflow/orchestration/user-management/turns/0001-solution-architect/usage-1.json"
    assert json.loads(receipt.read_text())["runtime"] == "chat"
    drafts = (root / places.STACK).read_text() + (root / places.DECISIONS).read_text()
    assert all(words in drafts for words in ("60 users", "on one Debian box", "SQLite"))
    assert "not sure" not in drafts
    assert "Six months." in (root / places.QUESTIONS).read_text()
    assert acts(root) == [
        ("questions-1", "continue", "person:Ada"),
        ("architecture-2", "approve", "person:Ada"),
    ]


@pytest.mark.req("OR-6")
def test_an_architecture_that_is_rejected_is_talked_over_again_at_once(at: Callable[[str], Path]) -> None:
    root = at("planned")
    again = ("reject", "No SQLite, PostgreSQL instead.", "on", "PostgreSQL 15", "submit")
    ended = chat(root, "solution-architect", lines=(*ARCHITECTURE, *SETTLED, *again))
    assert ended.code == 3, ended.out
    assert "It was sent back: No SQLite, PostgreSQL instead." in ended.out
    assert "PostgreSQL 15" in (root / places.STACK).read_text()
    assert ("architecture-2", "reject", "person:Ada") in acts(root)


def test_nobody_approves_an_architecture_in_a_pipe_without_a_person(at: Callable[[str], Path]) -> None:
    root = at("planned")
    ended = chat(root, "solution-architect", lines=(*ARCHITECTURE, *SETTLED, "approve"), person=None)
    assert ended.code == 2
    assert "`signoff approve user-management` is a person's act" in ended.err
    assert acts(root) == [("questions-1", "continue", "script")]


@pytest.mark.req("OR-10", "OR-11")
def test_the_designer_puts_the_roster_and_the_missing_agent_gets_its_entry_and_its_template(
    stages: dict[str, Path],
) -> None:
    root = stages["designed"]
    known = registry.parse((root / places.REGISTRY).read_bytes(), places.REGISTRY)
    template = f"{places.TEMPLATES}{MISSING}_template.md"
    assert known.agent_types[MISSING].template == template
    assert "- Data: the legacy file\n- Proof: a count\n\n{{task}}" in (root / template).read_text()
    made = json.loads((root / places.ROSTER).read_text())
    assert (made["missing_agents"], made["agents"][MISSING]["exists"]) == ([], True)
    assert "- Data: the legacy file" in (root / places.instructions(MISSING)).read_text()
    assert acts(root)[2:] == [
        ("roster-3", "approve", "person:Ada"),
        (f"agent-{MISSING}-4", "create", "person:Ada"),
    ]


@pytest.mark.req("OR-10")
def test_a_roster_that_is_to_be_changed_is_designed_again_and_put_again(at: Callable[[str], Path]) -> None:
    root = at("drawn")
    ended = chat(root, "workflow-designer", lines=("add", "", "documentation: write the handbook", "/exit"))
    assert ended.code == 3, ended.err
    assert "the agents are given these words" in ended.out
    [back] = [event["payload"] for event in events(root) if event.get("act") == "reject"]
    assert back == {"reason": "Add: documentation: write the handbook"}
    assert "documentation_agent" in json.loads((root / places.ROSTER).read_text())["agents"]
    assert "approval roster-4: " in ended.out


@pytest.mark.req("OR-11")
def test_an_agent_that_is_dropped_goes_back_to_the_roster(at: Callable[[str], Path]) -> None:
    root = at("drawn")
    ended = chat(root, "workflow-designer", lines=("proceed", "drop", "not now", "/exit"))
    assert ended.code == 3, ended.err
    assert [event["payload"] for event in events(root) if event.get("act") == "drop"] == [{"note": "not now"}]
    assert MISSING not in json.loads((root / places.ROSTER).read_text())["agents"]


@pytest.mark.req("OR-15")
def test_the_design_is_shown_with_its_risks_and_approved_and_the_work_begins(at: Callable[[str], Path]) -> None:
    root = at("designed")
    shown = chat(root, "risk-assessment")
    assert shown.code == 3
    assert "## Sources" in shown.out
    assert shown.out.splitlines()[-1].startswith("Next: signoff chat design-verifier user_management")
    ended = chat(root, "design-verifier", "--json", lines=("approve",))
    told = json.loads(ended.out)
    assert (told["next"], "board" in told["run"]) == ("workflow-executor", True)
    assert places.ROSTER in told["settled"][0]["of"]
    assert "# Verification: pass" in ended.err
    shown = chat(root, "workflow-executor", TASK)
    assert re.search(r"^  phase 1: database_agent (?!pending)\w+, poc_001_uniqueness_agent ", shown.out, re.MULTILINE)


@pytest.mark.req("OR-23", "OR-26")
def test_a_blocked_agent_is_answered_or_given_another_plan_and_goes_on_with_what_was_said(
    at: Callable[[str], Path],
) -> None:
    root = at("planned")
    chat(root, "solution-architect", lines=(*ARCHITECTURE, "", "", "continue", "", "approve"))
    chat(root, "workflow-designer", lines=CREATED)
    chat(root, "design-verifier", lines=("approve",))
    session = root / places.session("database_agent")
    assert (noted(session)["status"], noted(session)["category"]) == ("escalated", "requirement")

    edits = ("adapt", "The tests can begin earlier", "E", "test_agent", "nobody", "api_agent", "=", "", "adapt")
    changed = chat(root, "workflow-adaptation", lines=(*edits, "reject", "They cannot", "/exit"))
    assert "There is no nobody; valid: database_agent, " in changed.out
    assert "      - dependencies: api_agent" in changed.out.splitlines()
    assert "Verified, and kept: poc_001_uniqueness_agent" in changed.out
    dropped = {"edit": "drop_dependency", "agent": "test_agent", "on": "api_agent", "reason": edits[1]}
    given = next(event["payload"] for event in events(root) if event.get("act") == "adapt")
    assert given == {"edits": [dropped], "note": edits[1]}

    open_still = chat(root, "escalation-resolution", lines=("answer", "not sure", "/exit"))
    assert "escalation.answers: nothing is answered." in open_still.out
    said = "No: an address belongs to one user for good."
    ended = chat(root, "escalation-resolution", lines=("answer", "anew", said, "answer", "/exit"))
    assert "database_agent has stopped, with one question." in ended.out
    given = next(event["payload"] for event in events(root) if event.get("act") == "answer")
    assert given == {"answers": {"note_001": said}}
    assert (noted(session)["status"], noted(session)["resolution"]) == ("resolved", said)
    assert noted(session)["resolved_by"] == "user"


def noted(session: Path) -> dict[str, Any]:
    """The first note of a session."""
    return dict(json.loads(session.read_text())["notes"][0])


@pytest.mark.req("OR-15")
def test_a_design_that_was_sent_back_is_read_by_the_person_themselves(at: Callable[[str], Path]) -> None:
    root = at("designed")
    lines = (
        "reject",
        "instructions: say it plainer",
        "Nobody says who is called at night",
        "B",
        "D",
        "",
        "name them",
        "",
    )
    ended = chat(root, "design-verifier", lines=(*lines, "", "submit", "approve"))
    assert "Nobody says who is called at night" in ended.out
    read = json.loads((root / places.VERIFICATION).read_text())["reading"]
    assert [(one["severity"], one["area"], one["problem"]) for one in read["findings"]] == [
        ("warning", "instructions", "Nobody says who is called at night")
    ]
    read_by = [event["by"] for event in events(root) if str(event.get("turn")).endswith("-design-verifier")]
    assert read_by[-1] == "agent:design-verifier"


def test_whoever_comes_too_early_is_sent_to_who_is_asked_first(at: Callable[[str], Path]) -> None:
    root = at("designed")
    (root / places.SEQUENCE).rename(root / "elsewhere.json")
    assert f"{places.SEQUENCE} is made by workflow-designer" in chat(root, "workflow-executor").err
    (root / "elsewhere.json").rename(root / places.SEQUENCE)
    told = json.loads(chat(root, "workflow-executor", "--json").out)
    assert (told["next"], told["exit"]) == ("design-verifier", 3)


def test_all_eight_are_listed_with_whether_they_can_begin(at: Callable[[str], Path]) -> None:
    told = json.loads(chat(at("planned"), "--json").out)["personas"]
    assert {one["persona"]: one["can_begin"] for one in told} == {
        "plan-developer": True, "solution-architect": True, "workflow-designer": False, "risk-assessment": False,
        "design-verifier": False, "workflow-executor": False, "escalation-resolution": False,
        "workflow-adaptation": False,
    }  # fmt: skip
