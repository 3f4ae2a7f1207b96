"""The tools and prompts one by one: what they give, what they refuse, and what no host can do."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_kit import INQUIRY, LOCKERS, PAGE, RONDO, TOOLS, Visit, files, lay_out, lay_out_inquiry, visiting
from shell_out import signoff

from signoff.service import catalog
from signoff.service.project import Project

EN = f"3-drafts/{RONDO}/content-en.md"
QUESTIONS = f"{LOCKERS}/context/clarifications.md"
TURN = "0001-strategist"
GATED = "human_gates: {strategy_approval: true}\n"


async def _begun(host: Visit, given: dict[str, Any]) -> Path:
    await host.call("start_run", **given)
    return host.root


async def _played(host: Visit, given: dict[str, Any]) -> Path:
    await host.call("start_run", **given)
    await host.play(given["name"])
    return host.root


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One project per moment: a page begun, one that waits for approval, one finished, an inquiry with questions."""
    home = tmp_path_factory.mktemp("homes")
    return {
        "begun": visiting(lay_out(home / "begun"), lambda host: _begun(host, PAGE)),
        "waiting": visiting(lay_out(home / "waiting", config=GATED), lambda host: _played(host, PAGE)),
        "complete": visiting(lay_out(home / "complete"), lambda host: _played(host, PAGE)),
        "asked": visiting(lay_out_inquiry(home / "asked"), lambda host: _played(host, INQUIRY)),
    }


@pytest.fixture
def at(homes: dict[str, Path], tmp_path: Path) -> Any:
    """A copy of the project of one moment."""
    return lambda moment: Path(shutil.copytree(homes[moment], tmp_path / "project", symlinks=True))


# --- what there is ----------------------------------------------------------------------------------------------------


def test_the_tools_are_these_and_none_of_them_approves_rejects_or_resumes(tmp_path: Path) -> None:
    async def listing(host: Visit) -> list[Any]:
        return list((await host.client.list_tools()).tools)

    tools = visiting(tmp_path, listing)
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert not any(word in tool.name for word in ("approve", "reject", "resume"))
        assert not re.search(r"\b(approve|reject|resume)\b", json.dumps(tool.input_schema))


def test_tool_schemas_stay_small(tmp_path: Path) -> None:
    async def sizes(host: Visit) -> dict[str, int]:
        tools = (await host.client.list_tools()).tools
        return {tool.name: len(tool.model_dump_json(exclude_none=True)) for tool in tools}

    found = visiting(tmp_path, sizes)
    assert max(found.values()) < 900, found
    assert sum(found.values()) < 13_000, found


def test_there_is_a_prompt_for_every_agent_of_every_workflow_and_one_for_the_loop(tmp_path: Path) -> None:
    async def reading(host: Visit) -> dict[str, str]:
        names = [prompt.name for prompt in (await host.client.list_prompts()).prompts if not prompt.arguments]
        return {name: (await host.client.get_prompt(name)).messages[0].content.text for name in names}

    wanted = {
        f"{name}-{agent.name}": agent.contract.name
        for name in catalog.names()
        for agent in catalog.workflow(name).agents
    }
    found = visiting(tmp_path, reading)
    assert set(found) == set(wanted)
    for name, contract in wanted.items():
        assert f"## Output contract: {contract}" in found[name]
    assert "# Skill: " in found["solution-page-copywriter"]

    async def loop(host: Visit) -> str:
        return (await host.client.get_prompt("work-on-run", {"run": RONDO})).messages[0].content.text

    told = visiting(tmp_path, loop)
    assert all(word in told for word in (RONDO, "next_turn", "submit_turn", "theirs alone"))


def test_a_persona_is_the_projects_own_where_it_has_one(tmp_path: Path) -> None:
    own = tmp_path / ".promptpack/agents/strategist.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\nname: strategist\ndescription: ours\n---\nOur own words.\n")

    async def reading(host: Visit) -> str:
        return (await host.client.get_prompt("solution-page-strategist")).messages[0].content.text

    assert "Our own words." in visiting(tmp_path, reading)
    own.write_text("---\nname: strategist\ndescription: ours\nskils: x\n---\nOur own words.\n")
    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        visiting(tmp_path, reading)
    assert "unknown field 'skils'" in _message(caught.value)


def test_a_prompt_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        visiting(tmp_path, lambda host: host.client.get_prompt("strategist"))
    assert "there is no prompt 'strategist'" in _message(caught.value)
    assert "solution-page-strategist" in _message(caught.value)


def _message(error: BaseException) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error)


def test_runs_are_listed_with_what_is_open(at: Any) -> None:
    assert visiting(at("waiting"), lambda host: host.call("list_runs")) == {
        "runs": [
            {
                "run": RONDO,
                "workflow": "solution-page",
                "stop": None,
                "open_turns": [],
                "waits_for_person": ["strategy"],
            }
        ]
    }


# --- what is refused --------------------------------------------------------------------------------------------------


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("begun", "start_run", {"workflow": "novel", "name": "x"}, "there is no workflow 'novel'. Valid: article, cla"),
    ("begun", "start_run", {"workflow": "clarify", "name": "A b"}, "'A b' is not a name for a run"),
    ("begun", "start_run", {"workflow": "clarify", "name": "../x"}, "'../x' is not a name for a run"),
    ("begun", "start_run", {"workflow": "clarify", "name": RONDO}, "already holds a solution-page run"),
    ("begun", "start_run", {"workflow": "clarify", "name": "x", "params": {"tone": 1}}, "'tone'. Valid: topic"),
    ("begun", "start_run", {"workflow": "clarify", "name": "x", "params": {"topic": 1}}, "topic is 1. Valid: text"),
    ("begun", "start_run", {**PAGE, "params": {"require_final_approval": "yes"}}, "Valid: true or false"),
    ("begun", "start_run", {**PAGE, "params": {"require_final_approval": True}}, "only counts when a run begins"),
    ("begun", "start_run", {**PAGE, "params": [1]}, "start_run: params"),
    ("begun", "next_turn", {"run": "other"}, "there is no run 'other'"),
    ("begun", "next_turn", {"run": "../../etc"}, "Valid: " + RONDO),
    ("begun", "next_turn", {"run": RONDO, "turn": "0009-x"}, f"no open turn '0009-x'. Valid: {TURN}"),
    ("begun", "next_turn", {}, "run: Field required"),
    ("begun", "next_turn", {"run": RONDO, "aprove": True}, "next_turn takes no 'aprove'. Valid: run, turn"),
    ("begun", "submit_turn", {"run": RONDO, "turn": TURN, "attempt": "one", "output": "x"}, "attempt: Input should be"),
    ("begun", "submit_turn", {"run": RONDO, "turn": TURN, "attempt": 1, "output": {"a": 1}}, "output: Input should be"),
    ("begun", "submit_turn", {"run": RONDO, "turn": TURN, "attempt": 1, "output": "x" * 2_000_001}, "up to 2000000"),
    ("begun", "submit_turn", {"run": "other", "turn": TURN, "attempt": 1, "output": "x"}, "there is no run 'other'"),
    ("begun", "write_file", {"run": RONDO, "turn": TURN, "attempt": 2, "path": "a", "text": ""}, f"Valid: {TURN} at"),
    ("complete", "run_command", {"run": RONDO, "turn": TURN, "attempt": 1, "command": "ls"}, "Valid: no turn is open"),
    ("begun", "get_status", {"run": ""}, "there is no run ''"),
    ("begun", "read_document", {"run": RONDO, "path": "../secret.md"}, "'../secret.md' leads out of the project"),
    ("begun", "read_document", {"run": RONDO, "path": "/etc/passwd"}, "'/etc/passwd' leads out of the project"),
    ("begun", "read_document", {"run": RONDO, "path": "_workflow/journal.jsonl"}, "is neither a document of"),
    ("begun", "read_document", {"run": RONDO, "path": f"_workflow/turns/{TURN}/raw-1.txt"}, "is neither a document of"),
    ("begun", "read_document", {"run": RONDO, "path": "0-sources/../../x"}, "leads out of the project"),
    ("begun", "read_document", {"run": RONDO, "path": "a\0b"}, "is not a file name"),
    ("begun", "read_document", {"run": RONDO, "path": "0-sources/brief.md", "offset": -1}, "offset is -1. Valid: 0 to"),
    ("begun", "read_document", {"run": RONDO, "path": "0-sources/brief.md", "offset": 10**9}, "Valid: 0 to"),
    ("begun", "run_gate", {"gate": "beauty", "files": ["0-sources/brief.md"]}, "gate is 'beauty'. Valid: "),
    ("begun", "run_gate", {"gate": "structure", "files": []}, "no files are given"),
    ("begun", "run_gate", {"gate": "structure", "files": ["no.md"]}, "there is no file"),
    ("begun", "run_gate", {"gate": "structure", "files": ["../x.md"]}, "leads out of the project"),
    ("begun", "run_gate", {"gate": "structure", "files": ["/etc/hostname"]}, "leads out of the project"),
    ("begun", "run_gate", {"gate": "structure", "files": ["0-sources/brief.md"], "lang": "de"}, "Valid: "),
    ("begun", "run_gate", {"gate": "parity", "files": ["0-sources/brief.md"]}, "parity compares two files"),
    ("begun", "run_gate", {"gate": "claims", "files": ["0-sources/brief.md"]}, "has no _shared/claims-registry.yaml"),
    ("begun", "trace_id", {"id": "C-XX-999"}, "knows no id 'C-XX-999'"),
    ("begun", "trace_id", {"id": "Q1", "run": "other"}, "there is no run 'other'"),
    ("begun", "answer_question", {"run": RONDO, "key": "Q1", "text": "A"}, "waits for no answers"),
    ("begun", "choose_option", {"run": RONDO, "option": "research"}, "nothing in which 'research' can be chosen"),
    ("begun", "submit_artifact", {"persona": "nobody", "task": "x", "output": "{}"}, "there is no persona 'nobody'"),
    ("asked", "answer_question", {"run": LOCKERS, "key": "Q99", "text": "A"}, "has no question 'Q99'"),
    ("asked", "answer_question", {"run": LOCKERS, "key": "Q1", "text": "a\x1b[2J"}, "U+001B"),
    ("asked", "choose_option", {"run": LOCKERS, "option": "nothing"}, "nothing in which 'nothing' can be chosen"),
    ("asked", "choose_option", {"run": LOCKERS, "option": "answer", "request": "other"}, "under 'other'"),
    ("begun", "delete_run", {"run": RONDO}, "there is no tool 'delete_run'. Valid: list_runs, start_run"),
    ("waiting", "approve", {"run": RONDO}, f"`signoff approve {RONDO} --gate "),
    ("waiting", "approve_run", {"run": "x; rm -rf"}, "`signoff approve RUN --gate "),
    ("waiting", "reject_turn", {"run": RONDO}, f"`signoff reject {RONDO} --gate "),
    ("waiting", "resume_run", {"run": RONDO}, f"`signoff resume {RONDO} --runtime host`"),
    ("waiting", "choose_option", {"run": RONDO, "option": "approve"}, f"{RONDO} --gate strategy --runtime host`"),
    ("waiting", "choose_option", {"run": RONDO, "option": "reject"}, f"run `signoff reject {RONDO} --gate strategy"),
    ("waiting", "choose_option", {"run": RONDO, "option": "resume"}, "is a person's act and not one of the choices"),
    ("waiting", "answer_question", {"run": RONDO, "key": "strategy", "text": "approve"}, "waits for no answers"),
    *(("begun", tool, {"run": RONDO}, f"of solution-page, which has no tool '{tool}'") for tool in catalog.tools()),
]  # fmt: skip


def test_every_wrong_call_is_refused_says_what_is_valid_and_changes_nothing(homes: dict[str, Path]) -> None:
    async def trying(host: Visit, moment: str) -> list[str]:
        return [
            f"{tool} {str(arguments)[:80]}: wanted {says!r}, got {told[:400]!r}"
            for when, tool, arguments, says in REFUSED
            if when == moment and says not in (told := await host.refused(tool, **arguments))
        ]

    for moment in {when for when, *_ in REFUSED}:
        before = files(homes[moment])
        assert not visiting(homes[moment], lambda host, moment=moment: trying(host, moment))
        assert files(homes[moment]) == before


def test_every_tool_with_arguments_has_a_row_in_the_table_of_refusals() -> None:
    assert {tool for _, tool, _, _ in REFUSED} >= set(TOOLS) - {"list_runs"}


def test_a_link_out_of_the_project_is_not_followed(at: Any, tmp_path: Path) -> None:
    root = at("begun")
    (tmp_path / "secret.md").write_text("# the secret\n")
    (root / "link.md").symlink_to(tmp_path / "secret.md")

    async def trying(host: Visit) -> list[str]:
        gate = {"gate": "structure", "files": ["link.md"]}
        return [await host.refused("run_gate", **gate), await host.refused("read_document", run=RONDO, path="link.md")]

    told = visiting(root, trying)
    assert all("leads out of the project" in text for text in told)
    assert not any("the secret" in text for text in told)


# --- what only a person can do ----------------------------------------------------------------------------------------


def test_an_approval_stays_open_whatever_a_host_calls(at: Any) -> None:
    root = at("waiting")
    arguments = {
        "run": RONDO, "workflow": "solution-page", "name": RONDO, "turn": TURN, "attempt": 1, "output": "approve",
        "path": "1-planning/message-house.md", "gate": "structure", "files": ["0-sources/brief.md"], "id": "strategy",
        "key": "strategy", "text": "approve", "option": "approve",
    }  # fmt: skip

    async def everything(host: Visit) -> list[str]:
        for tool in (await host.client.list_tools()).tools:
            given = {name: value for name, value in arguments.items() if name in tool.input_schema["properties"]}
            await host.client.call_tool(tool.name, given)
        found = await host.call("next_turn", run=RONDO)
        return [request["request"] for request in found["requests"]]

    assert visiting(root, everything) == ["strategy-1"]
    events = asyncio.run(Project(root).open(RONDO)).events
    assert not [event for event in events if event.type == "answered"]


def test_a_host_is_told_that_only_a_person_settles_an_approval_and_may_pass_on_a_choice(homes: dict[str, Path]) -> None:
    waiting = visiting(homes["waiting"], lambda host: host.call("next_turn", run=RONDO))
    assert waiting["how_to_go_on"].startswith("Only a person can settle this")
    assert [len(request["commands"]) for request in waiting["requests"]] == [2]
    asked = visiting(homes["asked"], lambda host: host.call("next_turn", run=LOCKERS))
    assert "choose_option" in asked["how_to_go_on"]
    assert all(request["kind"] == "choice" and not request["commands"] for request in asked["requests"])


# --- what is given ----------------------------------------------------------------------------------------------------


def test_an_answer_goes_into_the_document_and_a_clear_one_is_not_written_over(at: Any) -> None:
    root = at("asked")

    async def answering(host: Visit) -> tuple[dict[str, Any], str]:
        first = await host.call("answer_question", run=LOCKERS, key="Q1", text="A")
        before = files(root)
        assert await host.call("answer_question", run=LOCKERS, key="Q1", text="A") == first
        assert files(root) == before
        return first, await host.refused("answer_question", run=LOCKERS, key="Q1", text="B")

    said, refused = visiting(root, answering)
    assert (said["question"]["verdict"], said["progress"]["answered"], said["run"]) == ("clear", 1, LOCKERS)
    assert "an MCP host only passes on answers and choices" in refused
    assert f"signoff answer {LOCKERS}" in refused
    assert "nothing was changed" in refused


def test_what_a_person_edits_meanwhile_is_theirs_and_stays(at: Any) -> None:
    root = at("asked")
    file = root / QUESTIONS
    file.write_text(file.read_text("utf-8") + "\nA remark of mine.\n", "utf-8")
    visiting(root, lambda host: host.call("answer_question", run=LOCKERS, key="Q1", text="A"))
    assert "A remark of mine." in file.read_text("utf-8")
    last = [event.by for event in asyncio.run(Project(root).open(LOCKERS)).events][-2:]
    assert last == ["person", "host"]


def test_a_document_is_read_in_pieces_that_make_it_whole(at: Any) -> None:
    root = at("begun")
    (root / "0-sources/long.md").write_text("Größe ✓\n" * 20_000, "utf-8")

    async def reading(host: Visit) -> tuple[str, int]:
        await host.call("get_status", run=RONDO)
        text, offset, pieces = "", 0, 0
        while offset is not None:
            piece = await host.call("read_document", run=RONDO, path="0-sources/long.md", offset=offset)
            assert len(piece["text"]) <= 40_000
            text, offset, pieces = text + piece["text"], piece.get("next_offset"), pieces + 1
        return text, pieces

    text, pieces = visiting(root, reading)
    assert (text, pieces) == ("Größe ✓\n" * 20_000, 4)


def test_of_a_pdf_the_text_of_its_pages_is_read(at: Any) -> None:
    root = at("begun")
    pdf = next((root / "0-sources").rglob("*.pdf")).relative_to(root).as_posix()
    found = visiting(root, lambda host: host.call("read_document", run=RONDO, path=pdf))
    assert found["text"].startswith("[page 1]\n")


def test_a_gate_finds_what_the_command_line_finds(at: Any) -> None:
    root = at("complete")
    (root / EN).write_text("# One\n\nShort.\n", "utf-8")

    async def checking(host: Visit) -> list[dict[str, Any]]:
        return [
            await host.call("run_gate", gate="structure", files=[EN]),
            await host.call("run_gate", gate="parity", files=[EN, EN.replace("-en", "-cn")]),
            await host.call("run_gate", gate="claims", files=[EN]),
        ]

    found = visiting(root, checking)
    assert [result["pass"] for result in found] == [False, False, True]
    assert {one["file"] for one in found[0]["findings"]} == {EN}
    told = signoff("gate", "structure", EN, "--json", cwd=root).json
    assert [one["rule"] for one in told["findings"]] == [one["rule"] for one in found[0]["findings"]]


def test_an_id_leads_to_where_it_came_from(at: Any) -> None:
    found = visiting(at("complete"), lambda host: host.call("trace_id", id="C-RS-001"))
    assert (found["run"], found["id"]) == (RONDO, "C-RS-001")


def test_what_was_put_back_is_told_to_the_host(at: Any) -> None:
    root = at("begun")
    state = next((root / "_workflow").glob("state.yaml"))
    state.write_text("phase: complete\n")

    async def looking(host: Visit) -> list[str]:
        result = await host.client.call_tool("get_status", {"run": RONDO})
        return [block.text for block in result.content]

    told = visiting(root, looking)
    assert "state.yaml was edited by hand" in told[-1]
    assert "phase: complete" not in state.read_text()
