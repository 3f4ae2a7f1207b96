"""Turns that write files and run commands, carried out by a host: what the contract names, and nothing else."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from doing_kit import (
    HOME,
    INSPECTOR,
    JOINER,
    PIECE,
    RUN,
    TRY,
    WORKSHOP,
    begin,
    calls,
    cli,
    lay_out,
    of,
    offline,
    server,
    submit,
    tried,
    whole,
    write,
)
from mcp_kit import Visit, files, visiting

import signoff.workflows
from signoff.core.refs import digest

ODD = f"out/sub/räume.{'e' * 200}"


@pytest.fixture(autouse=True)
def _workshop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(WORKSHOP)])


# --- what is given ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_host_writes_and_runs_what_its_turns_name_and_the_events_equal_those_of_the_offline_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    monkeypatch.setenv("SIGNOFF_CLOCK", "revision")
    root, other = lay_out(tmp_path / "hosted"), lay_out(tmp_path / "offline")
    ended = visiting(root, whole, server(root) if transport == "stdio" else None)
    assert (ended["stop"], (root / PIECE).read_text()) == ("complete", "made\n")
    assert offline(other) == 0
    mine, theirs = of(root, "turn_returned"), of(other, "turn_returned")
    for one in (*mine, *theirs):
        del one["usage"]
    assert mine == theirs
    assert [one["files"] for one in mine] == [{PIECE: digest("made\n")}, {}]
    assert [one["ran"] for one in mine] == [
        [{"command": f"{TRY} {PIECE}", "code": 0, "output": "keys: []\nfound: made\n"}]
    ] * 2
    assert calls(root) == []


def test_what_was_given_is_beside_the_turn_and_not_in_the_project_before_the_output_is_accepted(tmp_path: Path) -> None:
    root = lay_out(tmp_path)

    async def giving_some(host: Visit) -> dict[str, Any]:
        await begin(host)
        said = await write(host, text="máde\n")
        assert (said["sha256"], said["given"]) == (digest("máde\n"), [PIECE])
        ran = await tried(host, f"{TRY} {PIECE} log")
        assert (ran["code"], ran["output"], ran["changed"]) == (0, "keys: []\nfound: máde\n", ["out/log"])
        assert not (root / "out").exists()
        [turn] = (await host.call("next_turn", run=RUN))["turns"]
        assert (turn["tools"], turn["may_write"], turn["given"]) == (
            ["write_file", "run_command"], ["out/*"], ["out/log", PIECE],
        )  # fmt: skip
        assert turn["ran"] == [{"command": f"{TRY} {PIECE} log", "code": 0}]
        read = [await host.call("read_document", run=RUN, path=path) for path in (PIECE, "out/log")]
        assert [one["text"] for one in read] == ["máde\n", "tried\n"]
        return await submit(host)

    assert visiting(root, giving_some)["accepted"]
    assert ((root / PIECE).read_text("utf-8"), (root / "out/log").read_text()) == ("máde\n", "tried\n")


def test_a_file_that_is_written_again_is_the_new_one_and_what_a_command_removes_is_gone(tmp_path: Path) -> None:
    root = lay_out(tmp_path, "import os, sys; os.remove(sys.argv[1])\n")

    async def writing(host: Visit) -> dict[str, Any]:
        await begin(host)
        for path, text in ((PIECE, "first"), (PIECE, "second"), ("out/other", "x"), (ODD, "odd")):
            await write(host, path, text)
        assert (await tried(host, f"{TRY} out/other"))["removed"] == ["out/other"]
        return await submit(host)

    assert visiting(root, writing)["accepted"]
    assert files(root) | {PIECE: digest("second"), ODD: digest("odd")} == files(root)
    assert len(files(root / "out")) == 2


def test_the_brief_of_a_host_names_the_tools_that_count(tmp_path: Path) -> None:
    async def briefed(host: Visit) -> str:
        await begin(host)
        return await host.brief(RUN, (await host.call("next_turn", run=RUN))["turns"][0])

    brief = visiting(lay_out(tmp_path), briefed)
    assert "# You may write\n\n- out/*\n\nGive each file whole to the tool `write_file`" in brief
    assert f"# You may run\n\n- {TRY} *\n- no-such-program *\n\nRun them with the tool `run_command`" in brief


def test_a_long_output_is_cut_in_the_middle_and_a_command_out_of_time_is_stopped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never")
    tool = "import sys\nprint('x' * 100_000, flush=True)\nif sys.argv[1] != 'long': open(sys.argv[1])\n"
    root = lay_out(tmp_path / "project", tool)

    async def running(host: Visit) -> tuple[dict[str, Any], dict[str, Any]]:
        await begin(host, seconds=2)
        long = await tried(host, f"{TRY} long")
        return long, await tried(host, f"{TRY} {tmp_path / 'never'}")

    long, late = visiting(root, running)
    assert (long["code"], len(long["output"]) < 21_000, "bytes left out" in long["output"]) == (0, True, True)
    assert (late["code"], late["stopped_after_seconds"]) == (-signal.SIGKILL, 2.0)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("write_file", {"path": "evil.txt", "text": "x"}, "'evil.txt' is not for this turn to write. Valid: out/*"),
        ("write_file", {"path": "../evil.txt", "text": "x"}, "'../evil.txt' is not for this turn to write"),
        ("write_file", {"path": "/evil.txt", "text": "x"}, "'/evil.txt' is not for this turn to write"),
        ("write_file", {"path": "out/../evil", "text": "x"}, "'out/../evil' is not for this turn to write"),
        ("write_file", {"path": f"{HOME}/journal.jsonl", "text": "x"}, "is not for this turn to write"),
        ("write_file", {"path": "out/a\nb", "text": "x"}, "is not for this turn to write"),
        ("write_file", {"path": f"out/{'x' * 300}", "text": "x"}, "cannot be written: File name too long"),
        ("write_file", {"path": "out/big", "text": "x" * 20_000_001}, "would have 20000001 bytes. Valid: at most 2000"),
        ("run_command", {"command": "rm -rf out"}, f"'rm -rf out' is not for this turn to run. Valid: {TRY} *; no"),
        ("run_command", {"command": "sh -c 'true'"}, "is not for this turn to run"),
        ("run_command", {"command": f"{TRY} 'x"}, "is not a valid command: No closing quotation"),
        ("run_command", {"command": "no-such-program x"}, "'no-such-program' cannot be run"),
    ],
)  # fmt: skip
def test_what_a_turn_may_not_do_is_refused_recorded_and_costs_it_its_output(
    tmp_path: Path, tool: str, given: dict[str, str], says: str
) -> None:
    root = lay_out(tmp_path / "project")

    async def trying(host: Visit) -> dict[str, Any]:
        await begin(host)
        await write(host)
        assert says in await host.refused(tool, run=RUN, turn=JOINER, attempt=1, **given)
        return await submit(host)

    said = visiting(root, trying)
    assert [one["rule"] for one in said["findings"]] == ["made.beyond"]
    assert [turn["attempt"] for turn in said["turns"]] == [2]
    asked = {name: value for name, value in given.items() if name != "text"}
    assert calls(root) == [(tool, asked)]
    assert [path.name for path in tmp_path.iterdir()] == ["project"]
    assert sorted(path.name for path in root.iterdir()) == ["_workflow", "tool.py"]


def test_a_turn_that_has_no_such_tool_is_told_which_it_has_and_the_call_is_recorded(tmp_path: Path) -> None:
    root = lay_out(tmp_path)

    async def trying(host: Visit) -> str:
        await begin(host)
        await submit(host)
        given = {"run": RUN, "turn": INSPECTOR, "attempt": 1, "path": PIECE, "text": "x"}
        return await host.refused("write_file", **given)

    assert f"turn {INSPECTOR} has no write_file. Valid: run_command" in visiting(root, trying)
    assert calls(root) == [("write_file", {"path": PIECE})]


def test_a_verdict_on_a_command_that_did_not_run_in_the_turn_is_refused_whatever_ran_before(tmp_path: Path) -> None:
    root = lay_out(tmp_path)

    async def claiming(host: Visit) -> list[list[str]]:
        await begin(host)
        await write(host)
        await tried(host)
        await submit(host)
        claim = {"tried": f"{TRY} {PIECE}"}
        first = await submit(host, INSPECTOR, **claim)
        given = {"run": RUN, "turn": INSPECTOR, "attempt": 2}
        await host.call("run_command", **given, command=f"{TRY} tool.py")
        second = await submit(host, INSPECTOR, 2, **claim)
        return [[one["rule"] for one in said["findings"]] for said in (first, second)]

    assert visiting(root, claiming) == [["tried.not"], ["tried.not"]]
    assert [one["ran"] != [] for one in of(root, "turn_returned")] == [True, False, True]


def test_what_a_command_changes_elsewhere_is_told_recorded_once_and_never_taken(tmp_path: Path) -> None:
    tool = "import os, sys\nos.makedirs('out', exist_ok=True)\nfor name in sys.argv[1:]: open(name, 'w').write('x')\n"
    root = lay_out(tmp_path, tool)

    async def straying(host: Visit) -> dict[str, Any]:
        await begin(host)
        first = await tried(host, f"{TRY} stray.txt out/fine")
        assert (first["changed"], first["strays"]) == (["out/fine"], ["stray.txt"])
        assert (await tried(host, f"{TRY} tool.py"))["strays"] == ["stray.txt", "tool.py"]
        assert (await tried(host, f"{TRY} out/fine"))["code"] == 0  # the tool is the one that was pinned
        return await submit(host)

    [finding] = visiting(root, straying)["findings"]
    assert (finding["rule"], finding["problem"]) == (
        "made.beyond",
        "write_file went beyond the contract of the turn: 'stray.txt', 'tool.py'",
    )
    assert calls(root) == [("write_file", {"paths": ["stray.txt", "tool.py"], "in all": 2})]
    assert (root / "tool.py").read_text() == tool
    assert of(root, "turn_returned")[0]["files"] == {"out/fine": digest("x")}


def test_what_commands_leave_behind_is_neither_taken_nor_told(tmp_path: Path) -> None:
    root = lay_out(tmp_path, "import sys; sys.path.insert(0, sys.argv[1]); import part\n")

    async def leaving(host: Visit) -> dict[str, Any]:
        await begin(host)
        await write(host, "out/part.py", "made = True\n")
        ran = await tried(host, f"{TRY} out")
        assert (ran["code"], ran["changed"], "strays" in ran) == (0, [], False)
        return await submit(host)

    assert visiting(root, leaving)["accepted"]
    assert (calls(root), files(root / "out")) == ([], {"part.py": digest("made = True\n")})


NOT_OPEN: list[tuple[str, int]] = [
    (JOINER, 2), (JOINER, 0), (JOINER, -1), (JOINER, 10**30), (INSPECTOR, 1), ("../..", 1), ("a\0b", 1), ("", 1),
]  # fmt: skip


def test_nothing_is_taken_for_what_is_not_open_and_nothing_is_written_by_it(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    visiting(root, begin)
    before = files(root)

    async def trying(host: Visit) -> list[str]:
        told = []
        for turn, attempt in NOT_OPEN:
            given = {"run": RUN, "turn": turn, "attempt": attempt}
            told.append(await host.refused("write_file", **given, path=PIECE, text="x"))
            told.append(await host.refused("run_command", **given, command=f"{TRY} x"))
        return told

    told = visiting(root, trying)
    assert all(f"Valid: {JOINER} at attempt 1" in one and "nothing was done" in one for one in told)
    assert (files(root), list((root / HOME / "turns").glob("*/*"))) == (before, [])


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("write_file", {"path": PIECE, "text": "a\ud800"}, "the text has half a character at 1"),
        ("write_file", {"path": "x" * 10_001, "text": ""}, "the path has 10001 characters. Valid: up to 10000"),
        ("write_file", {"path": PIECE, "text": 5}, "text: Input should be"),
        ("write_file", {"path": PIECE}, "text: Field required"),
        ("run_command", {"command": "x" * 10_001}, "the command has 10001 characters. Valid: up to 10000"),
        ("run_command", {"command": ["ls"]}, "command: Input should be"),
        ("run_command", {"command": "ls", "cwd": "/"}, "run_command takes no 'cwd'"),
    ],
)  # fmt: skip
def test_a_call_that_makes_no_sense_is_refused_and_changes_nothing(
    tmp_path: Path, tool: str, given: dict[str, Any], says: str
) -> None:
    root = lay_out(tmp_path)
    visiting(root, begin)
    before = files(root)

    async def trying(host: Visit) -> str:
        return await host.refused(tool, run=RUN, turn=JOINER, attempt=1, **given)

    assert says in visiting(root, trying)
    assert files(root) == before


def test_after_an_output_nothing_more_is_taken_and_an_attempt_begins_with_nothing(tmp_path: Path) -> None:
    root = lay_out(tmp_path)

    async def mending(host: Visit) -> dict[str, Any]:
        await begin(host)
        await write(host, "out/old", "x")
        bad = await host.call("submit_turn", run=RUN, turn=JOINER, attempt=1, output="no json")
        assert not bad["accepted"]
        late = await host.refused("write_file", run=RUN, turn=JOINER, attempt=1, path=PIECE, text="x")
        assert f"Valid: {JOINER} at attempt 2" in late
        assert bad["turns"][0]["given"] == []
        await write(host, attempt=2)
        return await submit(host, attempt=2)

    assert visiting(root, mending)["accepted"]
    assert [one["files"] for one in of(root, "turn_returned")] == [{"out/old": digest("x")}, {PIECE: digest("made\n")}]
    assert files(root / "out") == {"piece.txt": digest("made\n")}


def test_an_agent_that_is_installed_has_the_tools_of_its_role_and_commands_are_asked_for_each_time(
    tmp_path: Path,
) -> None:
    root = lay_out(tmp_path)
    done = cli(root, "install", "claude-code")
    assert done.code == 0, done.err
    heads = [(root / f".claude/agents/signoff-workshop-{name}.md").read_text() for name in ("joiner", "inspector")]
    assert ["mcp__signoff__write_file" in head for head in heads] == [True, False]
    assert ["mcp__signoff__run_command" in head for head in heads] == [True, True]
    allowed = json.loads((root / ".claude/settings.json").read_text())["permissions"]["allow"]
    assert ["mcp__signoff__write_file" in allowed, "mcp__signoff__run_command" in allowed] == [True, False]
