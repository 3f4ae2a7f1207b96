"""The personas of orchestration on the command line: from the first question to an approved design.

A person types, in a pipe or at a terminal. The turns of other agents go to a stubbed provider, and the model behind it
are the scripted agents of the small design.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from design_desk import AGENTS, FOLDER, MISSING, RUN, TASK, TRIAL, Desk
from shell_out import Ended, at_terminal, signoff

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
from design_project import ANSWER, lay_out, scripted
from model_kit import CLAUDE, players
from model_kit import task as turn_of
from orchestration_agents import Line, agents
from small_orchestration import ONE, QUESTION, THREE, TWO, Turn, raw, roster
from small_work import ASKED, escalates, worked

from signoff.testing.stub import Asked, Stub
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import agent_registry, plan_summary

pytestmark = [pytest.mark.req("OR-1"), pytest.mark.xdist_group("personas")]  # one worker makes the stages

At = Callable[[str], Desk]
SUMMARY = places.summary(TASK)
NEW = "user_management"
"""A task that is named in the first conversation."""
PLAN = (
    "We want user management for the portal.", "=", "Sixty readers have an account.",
    "Accounts are in SQLite", "A backup is one file.", "", "",
    "", "Addresses are unique", "",
    "Are passwords taken over?", "not sure", "the portal team", "",
    "", "The portal calls it", "",
)  # fmt: skip
ARCHITECTURE = ("60 users", "", "", "not sure", "on one Debian box")
SETTLED = (ANSWER, "continue", "")
CREATED = ("proceed", "create", "=", "=", "the legacy file", "", "a count", "", "create")


def pipe(desk: Desk, *args: object, lines: tuple[str, ...] = (), person: str | None = "Ada", **env: str) -> Ended:
    """What somebody types into a pipe; a run goes on with what it was worked on with last."""
    typed = "".join(f"{line}\n" for line in lines)
    return signoff(*args, cwd=desk.root, lines=typed, person=person, HOME=str(desk.folder / "home"), **env)


def chat(desk: Desk, *args: object, lines: tuple[str, ...] = (), person: str | None = "Ada") -> Ended:
    return pipe(desk, "chat", *args, lines=lines, person=person)


@dataclass(frozen=True)
class Modelled:
    """What came of a call whose turns went to a model, and what the model was asked, by agent."""

    ended: Ended
    asked: list[Asked]

    @property
    def agents(self) -> list[str]:
        return [turn_of(one)[0].partition("-")[2] for one in self.asked]

    def of(self, agent: str) -> list[str]:
        """What an agent was asked, one text for each request."""
        return [one.text for one, name in zip(self.asked, self.agents, strict=True) if name == agent]


def on_a_model(
    desk: Desk, *args: object, lines: tuple[str, ...] = (), person: str | None = "Ada", says: Mapping[str, Line] = {}
) -> Modelled:
    """The same on a model, which says what the scripted agents say."""
    with Stub(players(desk.root, RUN, agents({"doer": asks, **says}))) as stub:
        model = ("--runtime", "model", "--model", CLAUDE)
        ended = pipe(desk, *args, *model, lines=lines, person=person, **stub.environment())
    return Modelled(ended, stub.asked)


def asks(turn: Turn) -> str:
    """A doer that writes nothing and asks a person."""
    return raw(worked(turn, status="blocked", notes=escalates("requirement")))


def goes_on(turn: Turn) -> str:
    """A doer that ends what it began: its files are there."""
    ended = "completion_drive_review" if turn.start.key.startswith("do-") else "ready_for_verification"
    return raw(worked(turn, status=ended))


def events(desk: Desk) -> list[dict[str, Any]]:
    lines = desk.text(f"{FOLDER}/journal.jsonl").splitlines()
    return [event for line in lines for event in json.loads(line)["events"]]


def acts(desk: Desk) -> list[tuple[str, str, str]]:
    return [(event["request"], event["act"], event["by"]) for event in events(desk) if event["type"] == "answered"]


def payloads(desk: Desk, act: str) -> list[dict[str, Any]]:
    return [event["payload"] for event in events(desk) if event.get("act") == act]


def kept(desk: Desk) -> dict[str, str]:
    """What was said to the architect."""
    return {one["key"]: one["answer"] for one in desk.json(places.answers(TASK))["said"]}


@pytest.fixture
def at(stops: dict[str, Desk], tmp_path: Path) -> At:
    return lambda name: stops[name].copied(tmp_path / name)


@pytest.fixture
def planned(tmp_path: Path) -> Desk:
    """A project that has its plan, and nothing else."""
    return Desk(lay_out(tmp_path / "planned"))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, Ended]:
    """A plan whose architect has asked; nobody has drawn anything up."""
    desk = Desk(lay_out(tmp_path_factory.mktemp("asked") / "asked"))
    return desk, chat(desk, "solution-architect", lines=(*ARCHITECTURE, "submit"))


@pytest.fixture(scope="module")
def drawn(asked: tuple[Desk, Ended], tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, Modelled]:
    """The architecture that a model drew up then, at the questions of its reviewers."""
    desk = asked[0].copied(tmp_path_factory.mktemp("drawn"))
    return desk, on_a_model(desk, "chat", "solution-architect", lines=("on", "submit", "/exit"))


# --- plan-developer ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
def test_a_plan_is_talked_over_and_written_when_the_person_has_seen_the_draft(tmp_path: Path) -> None:
    typed = "".join(f"{line}\n" for line in (*PLAN, "write"))
    ended = signoff("chat", "plan-developer", cwd=tmp_path, lines=typed)
    assert ended.code == 0, ended.err
    path = places.summary(NEW)
    found = plan_summary.parse((tmp_path / path).read_bytes(), path)
    assert found.task == NEW
    assert found.goal.split("\n\n") == [PLAN[0], "It is done when this is so: Sixty readers have an account."]
    assert [one.decision for one in found.decisions] == ["Accounts are in SQLite"]
    assert found.constraints == ("Assumption: Addresses are unique",)
    assert found.open_items == ("Are passwords taken over? To be settled by: the portal team",)
    assert found.dependencies == ("The portal calls it",)
    draft = ended.out.index(f"  # Conversation Summary: {NEW}")
    assert draft < ended.out.index("  write: write it into the project") < ended.out.index(f"Written: {path}")
    assert f"recommendation: {NEW}" in ended.out
    assert ended.out.splitlines()[-1].startswith(f"Next: signoff chat solution-architect {NEW}  # ")


@pytest.mark.req("OR-5")
def test_nothing_is_written_before_the_person_says_so_and_an_old_summary_stays(planned: Desk) -> None:
    old = planned.text(SUMMARY)
    lines = ("Another goal", *[""] * 7, "write", "replace")
    ended = chat(planned, "plan-developer", TASK, lines=lines, person=None)
    assert ended.code == 2
    assert "is a person's act, and no person is named" in ended.err
    assert "\n+Another goal\n" in ended.out
    assert planned.text(SUMMARY) == old
    done = chat(planned, "plan-developer", TASK, lines=("on", "write", "replace"))
    assert done.code == 0, done.out
    assert plan_summary.parse(planned.text(SUMMARY).encode(), SUMMARY).goal == "Another goal"


@pytest.mark.req("OR-5")
def test_at_a_terminal_it_is_the_same_conversation(tmp_path: Path) -> None:
    typed = "".join(f"{line}\n" for line in (*PLAN, "write"))
    ended = at_terminal(["chat", "plan-developer"], tmp_path, typed)
    assert ended.code == 0, ended.out
    path = places.summary(NEW)
    assert plan_summary.parse((tmp_path / path).read_bytes(), path).task == NEW


# --- who can begin ----------------------------------------------------------------------------------------------------


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
    ended = signoff("chat", name, TASK, cwd=tmp_path, person="Ada")
    assert (ended.code, ended.out) == (2, "")
    assert f"{name} cannot begin without " in ended.err
    assert missing in ended.err
    assert not list(tmp_path.iterdir())


def test_all_eight_are_listed_with_whether_they_can_begin(planned: Desk) -> None:
    told = chat(planned, "--json").json["personas"]
    assert {one["persona"]: one["can_begin"] for one in told} == {
        "plan-developer": True, "solution-architect": True, "workflow-designer": False, "risk-assessment": False,
        "design-verifier": False, "workflow-executor": False, "escalation-resolution": False,
        "workflow-adaptation": False,
    }  # fmt: skip


def test_whoever_comes_too_early_is_sent_to_who_is_asked_first(at: At) -> None:
    desk = at("design")
    sequence = desk.root / places.SEQUENCE
    sequence.rename(desk.root / "elsewhere.json")
    assert f"{places.SEQUENCE} is made by workflow-designer" in chat(desk, "workflow-executor").err
    (desk.root / "elsewhere.json").rename(sequence)
    told = chat(desk, "workflow-executor", "--json").json
    assert (told["next"], told["exit"]) == ("design-verifier", 3)


# --- solution-architect -----------------------------------------------------------------------------------------------


@pytest.mark.req("OR-6")
def test_the_architect_asks_and_keeps_every_answer_and_says_that_a_model_draws_it_up(asked: tuple[Desk, Ended]) -> None:
    desk, ended = asked
    assert ended.code == 2, ended.err
    parts = ("Scale: ", "Team: ", "Integration: ", "Security: ", "Deployment: ")
    assert [line.partition(": ")[0] + ": " for line in ended.out.splitlines() if line.startswith(parts)] == [*parts]
    keys = (part.removesuffix(": ").lower() for part in parts)
    assert kept(desk) == dict(zip(keys, ARCHITECTURE, strict=True))
    assert "Your answers are kept. A language model makes the draft of them" in ended.out
    assert "no model is named. Valid: --runtime model --model NAME" in ended.err
    assert "turn_returned" not in {event["type"] for event in events(desk)}
    assert desk.files().keys() == {SUMMARY}, "nothing is drawn up without a model"


@pytest.mark.req("OR-6")
def test_a_wrong_choice_of_model_is_refused_before_a_run_begins(planned: Desk) -> None:
    ended = chat(planned, "solution-architect", "--runtime", "offline", lines=ARCHITECTURE)
    assert ended.code == 2
    assert "the agents of orchestration are language models" in ended.err
    assert not (planned.root / FOLDER).exists()


@pytest.mark.req("OR-6")
def test_a_host_finds_the_turn_open_with_the_answers_among_its_inputs(
    asked: tuple[Desk, Ended], tmp_path: Path
) -> None:
    desk = asked[0].copied(tmp_path / "host")
    ended = chat(desk, "solution-architect", "--runtime", "host", lines=("on", "submit"))
    assert ended.code == 3, ended.err
    assert "-solution-architect" in ended.out
    assert "an MCP host takes it with the tool next_turn of `signoff mcp`" in ended.out
    assert desk.files().keys() == {SUMMARY}


@pytest.mark.req("OR-6")
def test_what_was_answered_reaches_the_model_that_draws_it_up_and_reviews_follow(drawn: tuple[Desk, Modelled]) -> None:
    desk, found = drawn
    assert found.ended.code == 3, found.ended.err
    assert found.agents == ["solution-architect", "security-reviewer", "database-reviewer"]
    [brief] = found.of("solution-architect")
    given = brief.partition(f"## {places.answers(TASK)}\n")[2]
    assert json.loads(given.split("```")[1])["said"] == desk.json(places.answers(TASK))["said"]
    assert {"60 users", "not sure", "on one Debian box"} <= set(kept(desk).values())
    assert "PostgreSQL 15" in desk.text(places.STACK)
    assert "approval: " not in found.ended.out, "the reviewers' questions come first"
    assert QUESTION in found.ended.out


@pytest.mark.req("OR-6")
def test_the_person_settles_what_the_reviewers_ask_and_approves_the_architecture(
    drawn: tuple[Desk, Modelled], tmp_path: Path
) -> None:
    desk = drawn[0].copied(tmp_path / "drawn")
    found = on_a_model(desk, "chat", "solution-architect", lines=(*SETTLED, "approve"))
    assert found.ended.code == 3, found.ended.err
    assert QUESTION in found.ended.out
    assert ANSWER in desk.text(places.QUESTIONS)
    assert [ANSWER in text for text in found.of("tactical-solution-architect")] == [True, True]
    assert "performance_targets.p1" in found.ended.out.partition("approval architecture-2: ")[2], (
        "every change is shown"
    )
    assert acts(desk) == [
        ("questions-1", "continue", "person:Ada"),
        ("architecture-2", "approve", "person:Ada"),
    ]
    assert found.agents[-1] == "roster-designer"
    assert found.ended.out.splitlines()[-1].startswith(f"Next: signoff chat workflow-designer {TASK}  # ")


@pytest.mark.req("OR-6")
def test_an_architecture_that_is_rejected_is_talked_over_again_at_once(
    drawn: tuple[Desk, Modelled], tmp_path: Path
) -> None:
    desk, reason = drawn[0].copied(tmp_path / "drawn"), "No SQLite, PostgreSQL instead."
    again = ("reject", reason, "on", "PostgreSQL 15 of the town", "/exit")
    found = on_a_model(desk, "chat", "solution-architect", lines=(*SETTLED, *again))
    assert found.ended.code == 3, found.ended.out
    assert f"It was sent back: {reason}" in found.ended.out
    assert "solution-architect" not in found.agents, "the person is asked before anybody draws it up again"
    assert ("architecture-2", "reject", "person:Ada") in acts(desk)
    assert [*kept(desk).values()][-1] == "PostgreSQL 15 of the town"
    assert kept(desk)["scale"] == "60 users", "what was said before stands"
    found = on_a_model(desk, "run", "orchestration", RUN)
    [brief] = found.of("solution-architect")
    assert (reason in brief, "PostgreSQL 15 of the town" in brief, "60 users" in brief) == (True, True, True)


def test_nobody_approves_an_architecture_in_a_pipe_without_a_person(at: At) -> None:
    desk = at("questions")
    found = on_a_model(desk, "chat", "solution-architect", lines=(*SETTLED, "approve"), person=None)
    assert found.ended.code == 2
    assert "'approve' is a person's act, and no person is named" in found.ended.err
    assert acts(desk) == [("questions-1", "continue", "script")]


# --- workflow-designer ------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-10", "OR-11")
def test_the_designer_puts_the_roster_and_the_missing_agent_gets_its_entry_and_its_template(at: At) -> None:
    desk = at("roster")
    before = len(acts(desk))
    found = on_a_model(desk, "chat", "workflow-designer", lines=CREATED)
    assert found.ended.code == 3, found.ended.err
    assert f"## {MISSING} (missing): " in found.ended.out
    assert "1. Choose what is cached  <- “Choose what is cached”" in found.ended.out
    known = agent_registry.parse(desk.text(places.REGISTRY).encode(), places.REGISTRY)
    template = f"{places.TEMPLATES}{MISSING}_template.md"
    assert known.agent_types[MISSING].template == template
    assert "- Data: the legacy file\n- Proof: a count\n\n{{task}}" in desk.text(template)
    made = desk.json(places.ROSTER)
    assert (made["missing_agents"], made["agents"][MISSING]["exists"]) == ([], True)
    assert "- Data: the legacy file" in desk.text(places.instructions(MISSING))
    assert acts(desk)[before:] == [
        ("roster-3", "approve", "person:Ada"),
        (f"agent-{MISSING}-4", "create", "person:Ada"),
    ]
    assert found.agents[-1] == "design-verifier"
    assert found.ended.out.splitlines()[-1].startswith(f"Next: signoff chat risk-assessment {TASK}  # ")


@pytest.mark.req("OR-10")
def test_a_roster_that_is_to_be_changed_is_designed_again_and_put_again(at: At) -> None:
    def more(turn: Turn) -> str:
        wanted = THREE in str(turn.notes.get("rejected"))
        return dict(roster(replace(turn, doers=(*turn.doers, THREE)) if wanted else turn))["good"]

    desk = at("roster")
    lines = ("add", "", f"{THREE}: build the page", "/exit")
    found = on_a_model(desk, "chat", "workflow-designer", lines=lines, says={"roster-designer": more})
    assert found.ended.code == 3, found.ended.err
    assert "the agents are given these words" in found.ended.out
    assert payloads(desk, "reject") == [{"reason": f"Add: {THREE}: build the page"}]
    assert found.agents == ["roster-designer"]
    assert f"Add: {THREE}: build the page" in found.of("roster-designer")[0]
    assert THREE in desk.json(places.ROSTER)["agents"]
    assert f"## {THREE}: " in found.ended.out.partition("approval roster-4: ")[2]


@pytest.mark.req("OR-11")
def test_an_agent_that_is_dropped_goes_back_to_the_roster(at: At) -> None:
    desk = at("roster")
    found = on_a_model(desk, "chat", "workflow-designer", lines=("proceed", "drop", "not now", "/exit"))
    assert found.ended.code == 3, found.ended.err
    assert payloads(desk, "drop") == [{"note": "not now"}]
    assert found.agents == ["roster-designer"]
    assert MISSING not in desk.json(places.ROSTER)["agents"]
    assert "approval roster-5: " in found.ended.out


# --- risk-assessment, design-verifier, workflow-executor --------------------------------------------------------------


@pytest.mark.req("OR-15")
def test_the_design_is_shown_with_its_risks_and_approved_and_the_work_begins(at: At) -> None:
    desk = at("design")
    shown = chat(desk, "risk-assessment")
    assert shown.code == 3
    assert "## Sources" in shown.out
    assert shown.out.splitlines()[-1].startswith(f"Next: signoff chat design-verifier {TASK}")
    found = on_a_model(desk, "chat", "design-verifier", "--json", lines=("approve",))
    told = found.ended.json
    assert (told["next"], "board" in told["run"]) == ("workflow-executor", True)
    assert places.ROSTER in told["settled"][0]["of"]
    assert "# Verification: pass" in found.ended.err
    assert set(found.agents) == {"doer"}
    shown = on_a_model(desk, "chat", "workflow-executor", TASK).ended
    board = rf"^  phase 1: .*\b{ONE} blocked \(1 note is not settled\).*\b{TRIAL} "
    assert re.search(board, shown.out, re.MULTILINE), shown.out


@pytest.mark.req("OR-15")
def test_a_design_that_was_sent_back_is_read_by_the_person_themselves(at: At) -> None:
    desk, problem = at("design"), "Nobody says who is called at night"
    lines = ("reject", "instructions: say it plainer", problem, "B", "D", "", "name them", "", "", "submit", "approve")
    found = on_a_model(desk, "chat", "design-verifier", lines=lines)
    assert found.ended.code == 3, found.ended.err
    told = ["person.rejected: say it plainer. " in text for text in found.of("instruction-writer")]
    assert told == [True] * len(AGENTS)
    assert "design-verifier" not in found.agents, "the person reads it, and nobody else"
    assert f"- the reader: warning: {problem}. name them" in found.ended.out
    read = desk.json(places.VERIFICATION)["reading"]
    assert [(one["severity"], one["area"], one["problem"]) for one in read["findings"]] == [
        ("warning", "instructions", problem)
    ]
    returned = [event for event in events(desk) if event["type"] == "turn_returned"]
    last = [event for event in returned if event["turn"].endswith("-design-verifier")][-1]
    assert last["by"] == "agent:design-verifier"
    assert desk.json(f"{FOLDER}/turns/{last['turn']}/usage-1.json")["runtime"] == "chat"
    assert [(act, by) for _, act, by in acts(desk)][-2:] == [("reject", "person:Ada"), ("approve", "person:Ada")]


# --- escalation-resolution, workflow-adaptation -----------------------------------------------------------------------


@pytest.mark.req("OR-23", "OR-26")
def test_a_blocked_agent_is_answered_or_given_another_plan_and_goes_on_with_what_was_said(at: At) -> None:
    desk = at("approved")
    desk.drive(scripted({f"doer/{ONE}": "asks requirement"}))
    session = places.session(ONE)
    assert (noted(desk, session)["status"], noted(desk, session)["category"]) == ("escalated", "requirement")

    edits = ("adapt", "The endpoint can begin earlier", "E", TWO, "nobody", ONE, "=", "", "adapt")
    changed = on_a_model(desk, "chat", "workflow-adaptation", lines=(*edits, "reject", "It cannot", "/exit")).ended
    assert f"There is no nobody; valid: {ONE}, " in changed.out
    assert f"      - dependencies: {ONE}" in changed.out.splitlines()
    assert f"  Verified, and kept: {TRIAL}" in changed.out.splitlines()
    dropped = {"edit": "drop_dependency", "agent": TWO, "on": ONE, "reason": edits[1]}
    assert payloads(desk, "adapt") == [{"edits": [dropped], "note": edits[1]}]

    open_still = chat(desk, "escalation-resolution", lines=("answer", "not sure", "/exit"))
    assert ASKED["requirement"] in open_still.out
    assert "escalation.answers: no question is answered." in open_still.out
    assert payloads(desk, "answer") == []
    said = "A thousand rows, for good."
    answered = ("answer", "anew", said, "answer", "/exit")
    found = on_a_model(desk, "chat", "escalation-resolution", lines=answered, says={f"doer/{ONE}": goes_on})
    assert f"{ONE} has stopped, with one question." in found.ended.out
    assert payloads(desk, "answer") == [{"answers": {"note_001": said}}]
    note = noted(desk, session)
    assert (note["status"], note["resolution"], note["resolved_by"]) == ("resolved", said, "user")
    assert found.agents[:2] == ["escalation-resolution", "doer"]
    assert said in found.of("doer")[0], "it goes on with what was said"
    assert desk.json(places.STATUS)["agents"][ONE]["status"] == "verified"
    assert f"{TWO} has stopped, with one question." in found.ended.out, "whoever asks next comes next"


def noted(desk: Desk, session: str) -> dict[str, Any]:
    """The first note of a session."""
    return dict(desk.json(session)["notes"][0])
