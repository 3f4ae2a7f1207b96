"""The parts of the runtime `claude-code` that need no Claude Code: finding it, calling it, hearing it, judging it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_workspace import opened

from signoff.core.budget import Allowance
from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.events import Usage
from signoff.shell.run.workspace import Workspace
from signoff.shell.runtimes.claude_code import permissions, process
from signoff.shell.runtimes.claude_code.process import Exit
from signoff.shell.runtimes.claude_code.runtime import ClaudeCode, gave_up
from signoff.shell.runtimes.claude_code.stream import Heard, Use
from signoff.shell.runtimes.model.model_choice import choice
from signoff.workflows.solution_page.workflow import WORKFLOW

SONNET = "anthropic:claude-sonnet-5"


def program(folder: Path, text: str = "exit 0", name: str = "claude") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


# --- finding it -------------------------------------------------------------------------------------------------------


def test_the_program_that_is_named_wins_over_the_one_on_the_path(tmp_path: Path) -> None:
    named, found = program(tmp_path / "a", name="mine"), program(tmp_path / "b")
    assert process.find_program({"SIGNOFF_CLAUDE": str(named), "PATH": str(found.parent)}) == named
    assert process.find_program({"PATH": str(found.parent)}) == found


def test_a_named_program_that_is_not_there_is_an_error_and_not_another_one(tmp_path: Path) -> None:
    found = program(tmp_path)
    with pytest.raises(UsageError, match="SIGNOFF_CLAUDE is 'gone', which is not a program"):
        process.find_program({"SIGNOFF_CLAUDE": "gone", "PATH": str(found.parent)})


def test_where_there_is_none_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SDK", "a_package_that_nobody_has")
    with pytest.raises(UsageError, match=r"Claude Code is not here.*pip install 'signoff\[claude-code\]'"):
        process.find_program({"PATH": ""})


def test_a_program_that_does_not_start_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not start"):
        process.version(program(tmp_path, "exit 3"))
    assert process.version(program(tmp_path, "echo 9.9 '(Claude Code)'")) == "9.9 (Claude Code)"


@pytest.mark.parametrize(
    ("says", "there"),
    [
        ("""echo '{"loggedIn": false}'; exit 1""", False),
        ("""echo '{"loggedIn": true}'""", True),
        ("echo 'unknown command'; exit 1", True),
    ],
)
def test_nobody_logged_in_is_said_before_anything_is_spent(says: str, there: bool, tmp_path: Path) -> None:
    found = program(tmp_path, says)
    environment = {"PATH": f"{found.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    runtime = ClaudeCode(WORKFLOW, choice([SONNET], WORKFLOW.agent_names, environment))
    models = dict.fromkeys(WORKFLOW.agent_names)
    if there:
        runtime.prepare(models, Allowance())
        return
    with pytest.raises(UsageError, match=r"no key and nobody is logged in.*ANTHROPIC_API_KEY"):
        runtime.prepare(models, Allowance())


@pytest.mark.parametrize("model", ["openai:gpt-5", "google-gla:gemini-3", "anthropic:"])
def test_a_model_that_is_not_of_anthropic_is_said_before_anything_is_spent(model: str, tmp_path: Path) -> None:
    environment = {"PATH": str(program(tmp_path).parent), "ANTHROPIC_API_KEY": "k", "SIGNOFF_MODEL": model}
    runtime = ClaudeCode(WORKFLOW, choice([], WORKFLOW.agent_names, environment))
    with pytest.raises(UsageError, match="Claude Code has only models of Anthropic"):
        runtime.prepare(dict.fromkeys(WORKFLOW.agent_names), Allowance())


# --- calling it -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outer", "home", "config"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "/own", "/own/.claude"),
        ({"ANTHROPIC_AUTH_TOKEN": "k"}, "/own", "/own/.claude"),
        ({"CLAUDE_CODE_OAUTH_TOKEN": "k"}, "/own", "/own/.claude"),
        ({"CLAUDE_CODE_USE_BEDROCK": "1"}, "/home/ann", "/own/.claude"),
        ({}, "/home/ann", None),
        ({"CLAUDE_CONFIG_DIR": "/home/ann/claude"}, "/home/ann", "/home/ann/claude"),
    ],
)
def test_only_a_login_brings_the_persons_own_home_along(
    outer: Mapping[str, str], home: str, config: str | None
) -> None:
    known = process.environment({"HOME": "/home/ann", **outer}, Path("/own"))
    assert (known["HOME"], known.get("CLAUDE_CONFIG_DIR")) == (home, config)


def test_it_knows_who_pays_and_nothing_of_the_session_that_started_it() -> None:
    outer = {
        "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://x", "AWS_PROFILE": "p", "https_proxy": "http://proxy",
        "NO_PROXY": "intranet", "OPENAI_API_KEY": "secret", "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_SSE_PORT": "9", "DATABASE_URL": "secret", "PATH": "/bin", "HOME": "/home/ann",
    }  # fmt: skip
    known = process.environment(outer, Path("/own"))
    assert {name: known[name] for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "AWS_PROFILE", "PATH")} == {
        name: outer[name] for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "AWS_PROFILE", "PATH")
    }
    assert not known.keys() & {"OPENAI_API_KEY", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"}
    assert "DATABASE_URL" not in known
    assert known["NO_PROXY"] == known["no_proxy"] == "intranet,127.0.0.1,localhost"


@pytest.mark.parametrize(
    ("changes", "tools", "allowed"),
    [
        ({}, "Read,Glob,Grep", None),
        ({"writes": ("out/*",)}, "Read,Glob,Grep", None),
        ({"writes": ("out/*",), "tools": ("write_file",)}, "Read,Glob,Grep,Write,Edit", None),
        ({"runs": ("make *",)}, "Read,Glob,Grep", "mcp__signoff__run_command"),
        ({"tools": ("draft", "read_input")}, "Read,Glob,Grep", "mcp__signoff__draft"),
    ],
)
def test_its_tools_are_those_of_the_contract(changes: dict[str, Any], tools: str, allowed: str | None) -> None:
    start = StartTurn(key="x", agent="a", contract="c", task="", **changes)
    told = {"system": Path("s"), "servers": Path("m")}
    given = process.arguments(start, "sonnet", {"type": "object"}, told, Decimal("0.5"))
    pairs = dict(pairwise(given))
    assert (pairs["--tools"], pairs.get("--allowedTools")) == (tools, allowed)
    assert (pairs["--permission-prompt-tool"], pairs["--setting-sources"]) == ("mcp__signoff__permission", "")
    assert (pairs["--max-budget-usd"], "--strict-mcp-config" in given) == ("0.5", True)
    assert not [word for word in given if "skip-permissions" in word]


# --- what it may do ---------------------------------------------------------------------------------------------------


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path, tools=("write_file", "draft")) as found:
        yield found


@pytest.mark.parametrize(
    ("tool", "args", "why"),
    [
        ("Write", {"file_path": "{folder}/out/a.txt"}, ""),
        ("Edit", {"file_path": "src/tool.py"}, ""),
        ("Read", {"file_path": "{folder}/spec.md"}, ""),
        ("mcp__signoff__draft", {}, ""),
        ("mcp__signoff__run_command", {"command": "rm"}, ""),  # the desk judges the command itself
        ("Write", {"file_path": "{folder}/spec.md"}, "not for this turn to write"),
        ("Write", {"file_path": "{folder}/out/../spec.md"}, "not for this turn to write"),
        ("Write", {"file_path": "{folder}x/out/a.txt"}, "not for this turn to write"),
        ("Write", {"file_path": "/out/a.txt"}, "not for this turn to write"),
        ("Write", {}, "not for this turn to write"),
        ("Write", {"file_path": ["out/a.txt"]}, "not for this turn to write"),
        ("Read", {"file_path": "/etc/passwd"}, "not an input of this turn"),
        ("Read", {"file_path": "{folder}/../beside/servers.json"}, "not an input of this turn"),
        ("Read", {"file_path": "{folder}/link"}, "not an input of this turn"),
        ("Glob", {"pattern": "/etc/*"}, "not something that this turn may do"),
        ("Bash", {"command": "make"}, "not something that this turn may do"),
        ("NotebookEdit", {"notebook_path": "out/a.ipynb"}, "not something that this turn may do"),
        ("mcp__signoff__save", {}, "not something that this turn may do"),
        ("mcp__other__draft", {}, "not something that this turn may do"),
        ("Task", {}, "not something that this turn may do"),
    ],
)
def test_what_it_asks_for_is_allowed_by_the_contract_alone(
    tool: str, args: dict[str, Any], why: str, space: Workspace
) -> None:
    (space.folder / "link").symlink_to("/etc/passwd")
    filled = {
        name: value.replace("{folder}", str(space.folder)) if isinstance(value, str) else value
        for name, value in args.items()
    }
    said = permissions.refusal(tool, filled, space)
    assert (why in said) if why else (said == "")


def test_writing_is_refused_in_a_turn_that_gives_its_documents_in_its_output(tmp_path: Path) -> None:
    with opened(tmp_path, tools=()) as space:
        assert "Write is not something that this turn may do" in permissions.refusal(
            "Write", {"file_path": "out/a.txt"}, space
        )


def test_a_refusal_is_recorded_in_the_words_of_the_journal() -> None:
    folder = Path("/tmp/turn/work")
    long = {"file_path": "/tmp/turn/work/evil.txt", "content": "x" * 10_000}
    assert permissions.recorded("Write", long, folder) == ("write_file", {"path": "evil.txt"})
    assert permissions.recorded("Read", {"file_path": "/etc/passwd"}, folder) == ("read_input", {"path": "/etc/passwd"})
    tool, args = permissions.recorded("Bash", {"command": "y" * 1_000, "timeout": 5}, folder)
    assert (tool, args["timeout"]) == ("Bash", 5)
    assert args["command"] == f"{'y' * 400}… (1000 characters)"


# --- hearing it -------------------------------------------------------------------------------------------------------


def heard(*lines: object) -> Heard:
    found = Heard()
    for line in lines:
        found.take(line if isinstance(line, bytes) else json.dumps(line).encode())
    return found


def block(name: str, *pieces: str) -> list[dict[str, Any]]:
    start = {"type": "content_block_start", "content_block": {"type": "tool_use", "name": name}}
    deltas = [{"type": "content_block_delta", "delta": {"partial_json": piece}} for piece in pieces]
    return [{"type": "stream_event", "event": event} for event in (start, *deltas)]


def test_the_output_is_what_was_given_last_as_it_came() -> None:
    said = heard(
        *block("StructuredOutput", '{"a": 1.', "0}"), *block("Read", '{"x": 1}'), *block("StructuredOutput", "{")
    )
    assert (said.output, said.characters) == ("{", 19)
    assert heard(*block("Read", "{}")).output is None
    assert heard(*block("StructuredOutput")).output == ""


def test_what_is_no_line_of_the_protocol_is_left_aside() -> None:
    odd = [
        b"",
        b"no json",
        b"[]",
        b"3",
        b"\xff",
        {"type": "assistant"},
        {"type": "stream_event", "event": 3},
        {},
        b"[" * 99_999,
    ]
    assert heard(*odd, b"[" * 99_999) == Heard()


def test_a_tool_that_was_never_offered_is_noticed() -> None:
    use = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "id"}}
    init = {"type": "system", "subtype": "init", "tools": ["Read"]}
    said = heard(init, {"type": "assistant", "message": {"content": [use, {"type": "text", "text": "x"}]}})
    assert said.strange() == [Use("1", "Bash", {"command": "id"})]


def test_tokens_and_price_come_from_the_result_and_are_unknown_without_one() -> None:
    part = {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 3, "cacheCreationInputTokens": 2}
    result = {"type": "result", "total_cost_usd": 0.25, "modelUsage": {"a": part, "b": {**part, "costBasis": "list"}}}
    used = heard(result).usage(1.5)
    assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (30, 10, 6)
    assert (used.cost, used.seconds) == (Decimal("0.25"), 1.5)
    unpriced = {**result, "modelUsage": {"a": {**part, "costBasis": "unknown"}}}
    assert heard(unpriced).usage(0.0).cost is None
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 7, "cache_read_input_tokens": 4}}}
    assert heard({"type": "stream_event", "event": start}).usage(0.0).input_tokens == 11
    assert heard().usage(0.0).cost is None


@pytest.mark.parametrize(
    ("price", "tokens", "known"),
    [
        ("NaN", "10", 10),
        ("1e999", "10", 10),
        ("-5", "10", 10),
        ("null", "10", 10),
        ("0.25", "-100000", 0),
        ("0.25", "1.5", 0),
        ("0.25", "null", 0),
    ],
)
def test_a_price_or_a_count_that_cannot_be_is_unknown(price: str, tokens: str, known: int) -> None:
    part = f'{{"inputTokens":{tokens},"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0}}'
    said = Heard()
    said.take(f'{{"type":"result","total_cost_usd":{price},"modelUsage":{{"m":{part}}}}}'.encode())
    assert said.usage(1.5) == Usage(input_tokens=known, output_tokens=5, cost=None, seconds=1.5)


def test_counts_that_cannot_be_are_left_out_while_it_works() -> None:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": -7, "cache_read_input_tokens": "4"}}}
    delta = {"type": "message_delta", "usage": {"output_tokens": -9}}
    said = heard({"type": "stream_event", "event": start}, {"type": "stream_event", "event": delta})
    assert said.usage(0.0) == Usage(cost=None)


# --- how it ended -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "left", "kind", "said"),
    [
        ([{"type": "system", "subtype": "api_retry", "error_status": 401}], {}, "key", "refused the key"),
        ([{"type": "result", "api_error_status": 403, "result": "no"}], {}, "key", "refused the key"),
        ([{"type": "result", "api_error_status": 404, "result": "no"}], {}, "unknown-model", "does not know sonnet"),
        ([{"type": "result", "api_error_status": 529, "result": "busy"}], {}, "provider", "busy"),
        ([{"type": "result", "subtype": "error_max_budget_usd", "errors": ["over"]}], {}, "budget", "over"),
        ([{"type": "result", "subtype": "error_max_turns", "errors": ["60"]}], {}, "behaviour", "60"),
        ([{"type": "result", "subtype": "success", "result": ""}], {}, "behaviour", "nothing that could be an output"),
        ([], {}, "crashed", "exit code 1 and no result: it broke"),
        ([], {"tokens": 0}, "budget", "0 tokens are used and 0 were left"),
    ],
)
def test_an_end_without_an_output_says_what_ended_it(
    lines: list[Any], left: dict[str, int], kind: str, said: str
) -> None:
    said_all = heard(*lines)
    error = gave_up(said_all, Exit(1, "it broke"), "sonnet", said_all.usage(0.0), Allowance(**left))
    assert error.kind == kind
    assert said in str(error)
