"""Commands of orchestration on plain files: what they find, say, draw and write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from orchestration_team import AT, contracts, design, roster
from small_design import Small

from signoff.artifacts import jsonio
from signoff.core.errors import UsageError
from signoff.service.files import file_commands
from signoff.service.files.file_commands import Done
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import design_checklist
from signoff.workflows.orchestration.commands import COMMANDS
from signoff.workflows.orchestration.documents import design_verification
from signoff.workflows.orchestration.sequence import picture, work_sequence
from signoff.workflows.orchestration.sequence.sequencer import sequence as computed

NAMED = {command.name: command for command in COMMANDS}
TEAM = design(
    {"database_agent": "", "api_agent": "database_agent", "web_agent": ""},
    {"api_agent": {"writes": ["src/"]}, "web_agent": {"writes": ["src/web.ts"]}},
)
FILES = {
    "agent_roster.json": jsonio.render(TEAM[0]),
    "file_contracts.json": jsonio.render(TEAM[1]),
    "validation_checkpoints.json": jsonio.render(TEAM[2]),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project with the design in its place."""
    for name, text in FILES.items():
        put(tmp_path / "orchestration" / name, text)
    return tmp_path / "orchestration"


def put(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def call(name: str, *files: Path, **params: Any) -> Done:
    defaults = {"write": False} if name == "sequence" else {"format": "text"} if name == "graph" else {}
    return file_commands.call(NAMED[name], files, {**defaults, **params})


def rules(done: Done) -> list[str]:
    return [one.rule for one in done.findings]


# --- sequence ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-13")
def test_a_roster_brings_along_what_lies_beside_it_and_its_order_is_said(home: Path) -> None:
    done = call("sequence", home / "agent_roster.json")
    assert (done.passed, done.written) == (True, ())
    assert done.said == (
        "1. Database, Web: database_agent, web_agent",
        "2. Verification of Database, Web: database_verifier, web_verifier",
        "3. Api: api_agent",
        "4. Verification of Api: api_verifier",
        "critical path: database_agent -> database_verifier -> api_agent -> api_verifier",
        "note: api_agent waits for web_agent: src/ and src/web.ts can be one file, and both write it",
    )
    assert done.data == json.loads(work_sequence.render(computed(*TEAM)))
    assert len(done.files) == 3


@pytest.mark.req("OR-13")
def test_the_order_is_written_beside_the_roster_when_it_is_asked_for(home: Path) -> None:
    target = home / "workflow_sequence.json"
    dry = file_commands.call(NAMED["sequence"], [home / "agent_roster.json"], {"write": True}, dry=True)
    assert '+      "phase_name": "Database, Web",' in dry.changes
    assert not target.exists()
    assert call("sequence", home / "agent_roster.json", write=True).written == (str(target),)
    assert target.read_text("utf-8") == work_sequence.render(computed(*TEAM))
    assert call("sequence", home / "agent_roster.json", write=True).written == (), "the same bytes again"


@pytest.mark.parametrize("turned", [False, True])
def test_three_files_are_known_by_their_names_else_by_their_order(home: Path, tmp_path: Path, turned: bool) -> None:
    names = [home / name for name in FILES]
    assert call("sequence", *(reversed(names) if turned else names)).passed
    others = [put(tmp_path / f"{number}.json", text) for number, text in enumerate(FILES.values())]
    done = call("sequence", *others, write=True)
    assert done.written == (str(tmp_path / "workflow_sequence.json"),)
    assert done.data == json.loads(work_sequence.render(computed(*TEAM)))


def test_a_roster_that_has_nothing_beside_it_says_what_is_lacking(tmp_path: Path) -> None:
    only = put(tmp_path / "agent_roster.json", FILES["agent_roster.json"])
    with pytest.raises(
        UsageError, match=r"there is no file_contracts\.json and no validation_checkpoints\.json beside"
    ):
        call("sequence", only)
    put(tmp_path / "file_contracts.json", FILES["file_contracts.json"])
    with pytest.raises(UsageError, match=r"there is no validation_checkpoints\.json beside"):
        call("graph", only)


@pytest.mark.req("OR-13")
def test_what_stands_against_an_order_is_found_in_the_files_as_they_were_named(home: Path) -> None:
    put(
        home / "agent_roster.json",
        jsonio.render(roster({"a_agent": "b_agent", "b_agent": "a_agent", "c_agent": ""})),
    )
    put(home / "file_contracts.json", jsonio.render(contracts({})))
    done = call("sequence", home / "agent_roster.json", write=True)
    assert not done.passed
    assert (done.written, done.said) == ((), ())
    found = {(one.rule, one.about): one.file for one in done.findings}
    assert found[("sequence.cycle", "a_agent -> b_agent -> a_agent")] == str(home / "agent_roster.json")
    assert found[("sequence.unverified", "c_agent")] == str(home / "validation_checkpoints.json")


def test_a_file_that_is_no_roster_is_a_finding_with_its_line(home: Path) -> None:
    put(home / "agent_roster.json", '{\n  "task_id": "x",\n  "agents": {}\n}\n')
    done = call("sequence", home / "agent_roster.json")
    assert {one.rule for one in done.findings} == {"roster.form"}
    assert {one.file for one in done.findings} == {str(home / "agent_roster.json")}
    assert 2 in [one.line for one in done.findings]


# --- graph ------------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-13")
@pytest.mark.parametrize(("form", "draw"), [("text", picture.terminal), ("mermaid", picture.mermaid)])
def test_the_order_is_drawn_from_the_design_or_from_its_sequence(home: Path, form: str, draw: Any) -> None:
    wanted = draw(computed(*TEAM))
    done = call("graph", home / "agent_roster.json", format=form)
    assert (done.shown, done.said, done.findings) == (wanted, (), ())
    assert done.data == {"format": form, "drawing": wanted}
    file = put(home / "workflow_sequence.json", work_sequence.render(computed(*TEAM)))
    assert call("graph", file, format=form).shown == wanted
    assert call("graph", put(home.parent / "elsewhere.json", file.read_text("utf-8")), format=form).shown == wanted


@pytest.mark.parametrize("text", ['{"execution_phases": []}', '{"execution_phases": 7'])
def test_a_sequence_that_cannot_be_read_is_a_finding(home: Path, text: str) -> None:
    done = call("graph", put(home / "workflow_sequence.json", text))
    assert not done.passed
    assert done.shown == ""
    assert {one.file for one in done.findings} == {str(home / "workflow_sequence.json")}


@pytest.mark.parametrize("text", ["[]", "7", "", "not JSON", '"execution_phases"'])
def test_what_is_no_sequence_is_taken_for_a_roster_that_lacks_the_rest(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"there is no file_contracts\.json"):
        call("graph", put(tmp_path / "x.json", text))


# --- roster check -----------------------------------------------------------------------------------------------------

SUMMARY = "# Plan\n\nMake the users table. Index the email. Seed two users.\n"
GOOD: dict[str, Any] = {
    "agent_type": "ledger_agent",
    "plan_actions": ["Make the table", "Index it", "Seed it"],
    "plan_action_sources": ["Make the users table", "Index the email", "Seed two users"],
}
TEMPLATE = "orchestration_ledger_agent_template.md"
ENTRY: dict[str, Any] = {"template": TEMPLATE, "capabilities": ["sql"], "description": "Makes tables"}
REGISTRY = json.dumps({"version": "1.0", "last_updated": AT, "agent_types": {"ledger_agent": ENTRY}})


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    return tmp_path / "person/.claude/protocols"


def put_roster(folder: Path, **changed: Any) -> Path:
    plain = jsonio.render(roster({"users_agent": {**GOOD, **changed}}))
    return put(folder / "agent_roster.json", plain)


@pytest.mark.req("OR-10")
def test_a_roster_whose_agents_the_project_knows_is_sound(tmp_path: Path, person: Path) -> None:
    del person
    home = tmp_path / "orchestration"
    put(home / "conversation_summary_user_management.md", SUMMARY)
    put(home / "agent_registry.json", REGISTRY)
    put(home / "templates" / TEMPLATE, "# Template\n")
    done = call("roster check", put_roster(home))
    assert done.findings == ()
    assert done.said == ("1 doer, 0 verifiers, 0 PoCs; missing: none",)
    assert done.data == {"agents": {"users_agent": {"kind": "doer", "exists": True}}}


@pytest.mark.req("OR-4", "OR-10")
def test_what_a_person_has_at_home_is_known_too(tmp_path: Path, person: Path) -> None:
    home = tmp_path / "orchestration"
    put(home / "conversation_summary_user_management.md", SUMMARY)
    file = put_roster(home)
    put(person / "orchestration_agent_registry.json", REGISTRY)
    assert "roster.exists" in rules(call("roster check", file)), "its template is nowhere"
    put(person / TEMPLATE, "# Template\n")
    assert call("roster check", file).findings == ()


@pytest.mark.req("OR-10")
def test_flags_that_say_what_is_not_so_are_found_and_so_is_guidance_that_is_lacking(
    tmp_path: Path, person: Path
) -> None:
    del person
    home = tmp_path / "orchestration"
    put(home / "conversation_summary_user_management.md", SUMMARY)
    done = call("roster check", put_roster(home))
    assert rules(done) == ["roster.exists", "roster.missing", "roster.missing", "roster.guidance"]
    assert done.findings[0].problem == "`exists` of users_agent is true, but should be false"
    assert {one.file for one in done.findings} == {str(home / "agent_roster.json")}
    assert done.said[0].endswith("missing: users_agent")


@pytest.mark.req("OR-10", "OR-13")
def test_quotes_dependencies_and_cycles_are_checked(tmp_path: Path, person: Path) -> None:
    del person
    home = tmp_path / "orchestration"
    put(home / "conversation_summary_user_management.md", "# Plan\n\nMake the users table. Index the email.\n")
    put(home / "agent_registry.json", REGISTRY)
    put(home / "templates" / TEMPLATE, "# Template\n")
    agents = {"a_agent": {**GOOD, "dependencies": "b_agent gone"}, "b_agent": {**GOOD, "dependencies": "a_agent"}}
    done = call("roster check", put(home / "agent_roster.json", jsonio.render(roster(agents))))
    assert {*rules(done)} == {"roster.quote", "roster.dependency", "sequence.cycle"}
    assert "a_agent -> b_agent -> a_agent" in [one.about for one in done.findings]
    assert {one.file for one in done.findings} == {str(home / "agent_roster.json")}


def test_without_its_plan_a_roster_is_checked_but_for_its_quotes(tmp_path: Path, person: Path) -> None:
    del person
    put(tmp_path / "conversation_summary_other.md", SUMMARY)
    put(tmp_path / "agent_registry.json", REGISTRY)
    put(tmp_path / "templates" / TEMPLATE, "# Template\n")
    done = call("roster check", put_roster(tmp_path, plan_actions=[], plan_action_sources=[]))
    assert rules(done) == ["roster.plan", "roster.actions"]
    assert done.findings[0].severity == "warning"
    assert "conversation_summary_user_management.md" in done.findings[0].problem


def test_a_registry_that_cannot_be_read_is_a_finding(tmp_path: Path, person: Path) -> None:
    put(person / "orchestration_agent_registry.json", "{")
    done = call("roster check", put_roster(tmp_path))
    assert [(one.rule, one.file) for one in done.findings] == [("registry.json", places.USER_REGISTRY)]


# --- verify -----------------------------------------------------------------------------------------------------------


def verify(project: Path) -> Done:
    return file_commands.call(NAMED["verify"], [], {}, home=project)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    for path, text in Small().texts().items():
        put(tmp_path / path, text)
    return tmp_path


@pytest.mark.req("OR-15")
def test_a_sound_design_passes_every_check_and_what_agents_made_is_not_read(whole: Path) -> None:
    made = whole / places.output("api_agent") / "broken.json"
    made.parent.mkdir(parents=True)
    made.write_bytes(b"\xff\xfe\0")
    done = verify(whole)
    assert done.findings == ()
    assert done.said == tuple(f"{name}: pass" for name in design_checklist.CHECKS)
    assert done.data["result"] == "pass"
    assert design_verification.Verification.model_validate(done.data).task_id == Small().roster.task_id


@pytest.mark.req("OR-15")
def test_a_design_that_somebody_damaged_fails_the_check_that_it_concerns(whole: Path) -> None:
    file = whole / places.SEQUENCE
    put(file, file.read_text("utf-8").replace('"phase_name": "Api"', '"phase_name": "Another"'))
    done = verify(whole)
    assert not done.passed
    assert "sequence-current: fail" in done.said
    assert {one.file for one in done.findings} == {places.SEQUENCE}


def test_what_a_design_lacks_is_named_and_a_folder_without_one_is_refused(whole: Path, tmp_path: Path) -> None:
    (whole / places.STATUS).unlink()
    (whole / places.CONTRACTS).write_text("{")
    done = verify(whole)
    assert [(one.rule, one.file) for one in done.findings] == [
        ("contracts.json", places.CONTRACTS),
        ("design.missing", places.STATUS),
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"there is no orchestration/agent_roster\.json"):
        verify(tmp_path / "empty")


def test_every_command_teaches_and_names_itself_in_its_example() -> None:
    for command in COMMANDS:
        assert command.example.startswith(f"signoff orchestration {command.name}")
        assert command.about[0].isupper()
