"""A design on the real command line: what a person sees at each stop, signs, sends back and looks up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from design_desk import AGENTS, DOERS, FOLDER, MISSING, REQUEST, RUN, TASK, TECHNOLOGIES, TRIAL, Desk
from design_project import ANSWER, scripted

from signoff.workflows.orchestration import places

pytestmark = pytest.mark.xdist_group("design on the command line")  # one process, so that the design is made once

At = Callable[[str], Desk]


@pytest.fixture
def at(stops: dict[str, Desk], tmp_path: Path) -> At:
    return lambda name: stops[name].copied(tmp_path / name)


# --- from the plan to the last yes ------------------------------------------------------------------------------------


@pytest.mark.req("OR-10", "OR-11", "OR-12")
def test_at_each_stop_a_person_is_told_what_waits_and_the_commands_that_settle_it(stops: dict[str, Desk]) -> None:
    def told(name: str) -> list[str]:
        return stops[name].type("run", "orchestration", RUN, code=3).splitlines()

    assert f"  $ signoff answer {RUN}  # answer the questions one by one" in told("questions")
    assert any(line.startswith(f"  $ signoff choose {RUN} continue") for line in told("questions"))
    for gate in ("architecture", "roster", "design"):
        said = told(gate)
        assert f"  approval: Approve the {gate} of {TASK}?" in said
        assert any(line.startswith(f"  $ signoff approve {RUN} --gate {gate}") for line in said)
        assert any(line.startswith(f"  $ signoff reject {RUN} --gate {gate} --reason") for line in said)
        assert f"`signoff approve {RUN} --gate {gate} --accept-changes`" in stops[gate].text(REQUEST)
    said = told("agent")
    assert any(f"{MISSING} does not exist yet" in line for line in said)
    assert [line.split()[4] for line in said if line.startswith(f"  $ signoff choose {RUN}")] == ["create", "drop"]
    assert not (stops["approved"].root / REQUEST).exists()


@pytest.mark.req("OR-8")
def test_a_persons_answers_from_a_file_and_their_yes_lead_on(at: At) -> None:
    desk = at("questions")
    (desk.root / "answers.yaml").write_text(f"Q1: {ANSWER}\n")
    assert f"{RUN}: 1 of 1 question answered" in desk.type("answer", RUN, "--from", "answers.yaml", code=0)
    desk.type("choose", RUN, "continue", "--no-run", code=0)
    desk.drive()
    desk.type("approve", RUN, "--gate", "architecture", "--no-run", code=0, person="Ada")
    desk.drive()
    assert desk.waits_for == ["roster"]
    assert [(one.gate, one.by) for one in desk.own.approvals] == [("architecture", "person:Ada")]


@pytest.mark.req("OR-10")
def test_what_a_person_signs_off_is_shown_with_its_reasons(stops: dict[str, Desk]) -> None:
    architecture = stops["architecture"].text(REQUEST)
    assert "> **Why this order:**" in architecture
    assert "performance_targets.p1" in architecture
    roster = stops["roster"].text(REQUEST)
    assert f"### {MISSING} (**does not exist yet**" in roster
    assert "- Write the cache" in roster
    design = stops["design"].text(REQUEST)
    assert "- poc_001: The index can be added while people work" in design
    assert stops["approved"].json(f"{FOLDER}/status.json")["digest"] in design


def test_the_inbox_says_what_to_know_before_an_approval_as_the_run_does(at: At) -> None:
    said = at("design").type("inbox", code=0)
    assert "  note: " in said
    assert "no criterion mentions what was answered to Q1" in said


FIRST = ("database_agent", MISSING, TRIAL)
"""Who begins, once the design is approved."""
FILES = {
    places.summary(TASK), places.STACK, places.DECISIONS, places.ORDER, places.QUESTIONS, places.CHANGELOG,
    places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.COORDINATION, places.VERIFICATION,
    places.STATUS, places.RISK_REPORT, places.POC_SPECS, places.REGISTRY,
    *map(places.review, ("security", "database_storage")), *map(places.research, TECHNOLOGIES),
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


@pytest.mark.req("OR-4", "OR-11")
def test_a_missing_agent_is_created_with_its_entry_and_nothing_is_designed_before(
    stops: dict[str, Desk],
) -> None:
    before, after = stops["agent"], stops["design"]
    roster = before.json(places.ROSTER)
    assert (roster["missing_agents"], roster["requires_user_action"]) == ([MISSING], True)
    assert roster["agents"][MISSING]["creation_guidance"]["registry_entry"]["agent_type"] == MISSING
    assert f"{MISSING} does not exist yet" in before.type("run", "orchestration", RUN, code=3)
    assert not {places.REGISTRY, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE} & before.files().keys()
    entry = after.json(places.REGISTRY)["agent_types"][MISSING]
    assert entry["description"] == "Keeps what is asked for often"
    assert entry["template"] == "orchestration_doer_agent_template.md"
    done = after.json(places.ROSTER)
    assert (done["missing_agents"], done["agents"][MISSING]["exists"]) == ([], True)


@pytest.mark.req("OR-14")
def test_research_is_kept_at_home_and_a_second_project_with_the_same_stack_asks_no_researcher(at: At) -> None:
    first = at("approved")
    kept = first.folder / "home/.claude/protocols/orchestration_research"
    library = {file.stem: file.read_bytes() for file in kept.iterdir()}
    assert library == {name: first.files()[places.research(name)] for name in TECHNOLOGIES}
    (first.root).rename(first.folder / "first")
    second = Desk(first.folder)
    for path in (places.summary(TASK), "_workflow/orchestration/config.yaml"):
        (second.root / path).parent.mkdir(parents=True, exist_ok=True)
        (second.root / path).write_bytes((first.folder / "first" / path).read_bytes())
    asked = list[str]()
    state = second.drive()
    while "design" not in second.waits_for:
        [ask] = state.requests.values()
        state = second.settle(ask.key, ask.options[0])
        asked += second.asked
    assert "risk-checklist" in asked
    assert "best-practices-researcher" not in asked
    assert {name: second.files()[places.research(name)] for name in TECHNOLOGIES} == library
    assert {file.stem: file.read_bytes() for file in kept.iterdir()} == library


# --- looking at it ----------------------------------------------------------------------------------------------------


def test_status_inbox_trace_and_cost_tell_where_a_design_stands_and_why(stops: dict[str, Desk]) -> None:
    waiting, approved = stops["design"], stops["approved"]
    row = waiting.call("status").out.splitlines()[1].split()
    assert row[:4] == [".", RUN, "orchestration", "5"]
    [request] = waiting.call("inbox", "--json").json["requests"]
    assert request["key"] == "design"
    assert request["answers"][0].startswith(f"signoff approve {RUN} --gate design")
    trial = approved.call("trace", "poc_001", "--json").json
    assert (trial["gates"], trial["tried by"]) == (["api_agent"], [TRIAL])
    tree = approved.call("trace", "database_agent").out
    for said in ("task id: database_", "waited for by", "api_agent", "work.md", "verified by: database_verifier"):
        assert said in tree
    assert "0.00 USD, 0 tokens, 26 turns (26 attempts)" in approved.call("cost", RUN).out


def test_a_design_is_replayed_and_forked_and_the_two_are_compared(at: At) -> None:
    approved = at("approved")
    assert approved.call("replay", RUN, "--json").json["equal"] is True
    [turn] = (approved.root / FOLDER / "turns").glob("*-poc-recommendation")
    forked = approved.type("fork", RUN, "--at", int(turn.name[:4]), "--into", "../forked", code=3)
    assert f"asked again: {turn.name}" in forked
    approved.type("diff", RUN, f"../forked:{RUN}", code=0)
    assert (approved.folder / "forked" / places.ROSTER).is_file()


@pytest.mark.req("OR-3", "OR-13")
def test_the_commands_on_files_agree_with_what_the_run_left(at: At) -> None:
    approved = at("approved")
    before = approved.files()
    approved.type("orchestration", "sequence", places.ROSTER, "--write", code=0)
    assert approved.files() == before, "the same input, the same bytes"
    drawn = approved.type("orchestration", "graph", places.SEQUENCE, code=0)
    assert "7 agents, " in drawn
    assert "missing: none" in approved.type("orchestration", "roster", "check", places.ROSTER, code=0)
    verified = approved.type("orchestration", "verify", code=0).splitlines()
    assert "verify: pass, 1 finding" in verified
    assert [line.partition(": ")[2].partition(":")[0] for line in verified if ": gap." in line] == ["gap.answer"]


# --- no ---------------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-9", "OR-10", "OR-15")
@pytest.mark.parametrize(
    ("gate", "reason", "agent"),
    [
        ("architecture", "Use another database", "solution-architect"),
        ("roster", "Remove: api_agent", "roster-designer"),
        ("design", "contracts: Name the log", "file-structure-designer"),
    ],
)
def test_a_no_goes_back_to_who_made_it_with_the_reason_and_is_shown_with_the_next_request(
    at: At, gate: str, reason: str, agent: str
) -> None:
    desk = at(gate)
    desk.type("reject", RUN, "--gate", gate, "--reason", reason, "--no-run", code=0, person="Ada")
    desk.drive()
    assert desk.asked[0] == agent
    assert reason.removeprefix("contracts: ") in desk.brief(agent)
    if gate == "architecture":
        assert desk.waits_for == ["questions"]
    else:
        assert desk.waits_for == [gate]
        assert f"- {gate}, person:Ada: {reason}" in desk.text(REQUEST)


@pytest.mark.req("OR-11")
def test_an_agent_that_is_not_wanted_is_dropped_and_the_new_roster_goes_to_the_person(at: At) -> None:
    desk = at("agent")
    desk.type("choose", RUN, "drop", "--no-run", code=0)
    desk.drive()
    assert desk.waits_for == ["roster"]
    assert MISSING not in desk.json(places.ROSTER)["agents"]


@pytest.mark.req("OR-15")
def test_an_edit_after_the_approval_voids_it_and_resume_leads_back_to_a_new_approval(at: At) -> None:
    desk = at("approved")
    desk.replace(places.STACK, "PostgreSQL 15", "PostgreSQL 16")
    said = desk.type("run", "orchestration", RUN, code=3)
    assert f"{places.STACK} changed after the design of {TASK} was approved" in said
    assert f"$ signoff resume {RUN}" in said
    told = desk.json(f"{FOLDER}/status.json")
    assert (told["digest"], told["stale"]) == (None, "approve_architecture")
    assert [one["holds"] for one in told["approvals"]] == [False] * 3
    assert "Approve the architecture" in desk.type("resume", RUN, code=3, person="Ada")


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_turn_that_is_refused_twice_goes_to_a_person_with_a_report(at: At) -> None:
    desk = at("questions")
    plan = "tactical-solution-architect:unnamed-change@1, tactical-solution-architect:phantom-change@2"
    desk.settle("questions", "continue", scripted(faults=plan))
    assert f"$ signoff resume {RUN}" in desk.type("run", "orchestration", RUN, code=4)
    report = desk.text(f"{FOLDER}/escalation-report.md")
    assert "- Reason: unusable_output" in report
    assert "changelog.unmade" in report
    assert not (desk.root / places.CHANGELOG).exists()


def test_a_run_begins_with_a_plan_that_is_whole_and_does_not_write_over_another_design(at: At) -> None:
    desk = at("approved")
    before, other = desk.files(), ("run", "orchestration", "other-task", "--runtime", "host")
    nothing = desk.type(*other, code=2)
    assert "there is no plan for other_task" in nothing
    assert "signoff chat plan-developer" in nothing
    plan = desk.text(places.summary(TASK)).replace(f"Summary: {TASK}", "Summary: other_task")
    desk.put(places.summary("other_task"), plan.replace("## Open Items", "## Opened"))
    assert "the section “Open Items” is missing" in desk.type(*other, code=2)
    desk.put(places.summary("other_task"), plan)
    taken = desk.type(*other, code=2)
    assert "holds a design already" in taken
    assert "--replace" in taken
    assert desk.files() == {**before, places.summary("other_task"): plan.encode()}
    desk.type(*other, "--replace", code=3)
    assert places.ROSTER not in desk.files()


def test_a_journal_names_whoever_acted(stops: dict[str, Desk]) -> None:
    lines = stops["approved"].text(f"{FOLDER}/journal.jsonl").splitlines()
    events = [event for line in lines for event in json.loads(line)["events"]]
    assert {event["by"] for event in events if event["type"] == "answered"} == {"person:ada"}
