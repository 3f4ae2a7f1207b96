"""Several hosts at one turn, hosts that are killed or go away, and runtimes of ours that come after them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    WITH_IT,
    WORKSHOP,
    begin,
    calls,
    lay_out,
    of,
    offline,
    server,
    submit,
    tried,
    whole,
    write,
)
from mcp_kit import Visit, files, visit, visiting
from shell_out import environment

import signoff.workflows
from signoff.core.refs import digest
from signoff.shell.runtimes import host_workspace

TURN = f"{HOME}/turns/{JOINER}"
WAITS = """\
import sys
if len(sys.argv) > 2:
    open("made-before.txt", "w").write("x")
    open(sys.argv[1], "w").write("begun")
    open(sys.argv[2]).read()
print("ended")
"""


@pytest.fixture(autouse=True)
def _workshop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(WORKSHOP)])


@pytest.fixture
def pipes(tmp_path: Path) -> tuple[Path, Path]:
    """Two pipes: a command says in the first that it has begun, and waits at the second."""
    begun, release = tmp_path / "begun", tmp_path / "release"
    os.mkfifo(begun)
    os.mkfifo(release)
    return begun, release


@contextmanager
def serving(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A real server of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", WITH_IT, "mcp", "--http", "--port", "0"],
        cwd=root, env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stderr is not None
        url = process.stderr.readline().removeprefix("signoff mcp: ").strip()
        try:
            yield process, url
        finally:
            process.kill()


# --- at once ----------------------------------------------------------------------------------------------------------


def test_of_files_that_two_hosts_give_at_once_none_is_lost(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    names = [f"out/{number}" for number in range(12)]

    async def at_once() -> dict[str, Any]:
        async with visit(root) as one, visit(root, server(root)) as other:
            await begin(one)
            hosts = [one, other] * 6
            await asyncio.gather(*(write(host, name, name) for host, name in zip(hosts, names, strict=True)))
            return await submit(one)

    assert asyncio.run(at_once())["accepted"]
    assert of(root, "turn_returned")[0]["files"] == {name: digest(name) for name in names}


def test_while_a_command_runs_the_turn_is_open_and_nothing_else_is_done_for_it(
    tmp_path: Path, pipes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lay_out(tmp_path / "project", WAITS)
    begun, release = pipes
    monkeypatch.setattr(host_workspace, "PATIENCE", 0)

    async def meanwhile() -> list[str]:
        async with visit(root) as one, visit(root) as other:
            await begin(one)
            running = asyncio.create_task(tried(one, f"{TRY} {begun} {release}"))
            assert await asyncio.to_thread(begun.read_text) == "begun"
            [turn] = (await other.call("next_turn", run=RUN))["turns"]
            assert (turn["turn"], turn["ran"]) == (JOINER, [{"command": f"{TRY} {begun} {release}", "code": None}])
            given = {"run": RUN, "turn": JOINER, "attempt": 1}
            told = [
                await other.refused("run_command", **given, command=f"{TRY} x"),
                await other.refused("write_file", **given, path=PIECE, text="x"),
                await other.refused("submit_turn", **given, output='{"done": true}'),
            ]
            await asyncio.to_thread(release.write_text, "")
            assert (await running)["strays"] == ["made-before.txt"]
            await write(other)
            await submit(other)
            return told

    told = asyncio.run(meanwhile())
    assert all(f"something else is being done for turn {JOINER} just now" in one for one in told)
    (returned,) = of(root, "turn_returned")
    assert [one["code"] for one in returned["ran"]] == [0]
    assert returned["files"] == {PIECE: digest("made\n")}
    assert calls(root) == [("write_file", {"paths": ["made-before.txt"], "in all": 1})]


def test_a_command_whose_caller_went_away_runs_to_its_end_and_is_noted(
    tmp_path: Path, pipes: tuple[Path, Path]
) -> None:
    root = lay_out(tmp_path / "project", WAITS.replace('    open("made-before.txt", "w").write("x")\n', ""))
    begun, release = pipes

    async def leaving(host: Visit) -> dict[str, Any]:
        await begin(host)
        running = asyncio.create_task(tried(host, f"{TRY} {begun} {release}"))
        assert await asyncio.to_thread(begun.read_text) == "begun"
        running.cancel()
        await asyncio.wait({running})
        await asyncio.to_thread(release.write_text, "")
        return await submit(host)

    assert visiting(root, leaving)["accepted"]
    assert [(one["code"], one["output"]) for one in of(root, "turn_returned")[0]["ran"]] == [(0, "ended\n")]


# --- kills ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("next_look", ["next_turn", "submit_turn", "run_command", "offline"])
def test_a_command_that_was_under_way_at_a_kill_is_put_to_the_person_and_not_repeated(
    tmp_path: Path, pipes: tuple[Path, Path], next_look: str
) -> None:
    root = lay_out(tmp_path / "project", WAITS)
    begun, release = pipes
    command = f"{TRY} {begun} {release}"

    async def killed(process: subprocess.Popen[str], url: str) -> None:
        async with visit(root, url) as host:
            await begin(host)
            await write(host)
            running = asyncio.create_task(tried(host, command))
            assert await asyncio.to_thread(begun.read_text) == "begun"
            process.kill()
            await asyncio.to_thread(process.wait)
            running.cancel()
            await asyncio.wait({running})

    with serving(root) as (process, url):
        try:
            asyncio.run(killed(process, url))
        except ExceptionGroup:  # what the client says of a server that is gone
            assert process.poll() is not None
    release.write_text("")

    async def looking(host: Visit) -> None:
        given = {"run": RUN, "turn": JOINER, "attempt": 1}
        if next_look == "run_command":
            assert "no turn is open" in await host.refused("run_command", **given, command=command)
        elif next_look == "submit_turn":
            said = await host.refused("submit_turn", **given, output='{"done": true}')
            assert f"this was stopped while a command of turn {JOINER} ran ({command})" in said
        found = await host.call("next_turn", run=RUN)
        assert (found["stop"], found["turns"]) == ("turn.uncertain", [])

    if next_look == "offline":
        assert offline(root) == 1
    else:
        visiting(root, looking)
    (failed,) = of(root, "turn_failed")
    assert (failed["kind"], failed["uncertain_calls"]) == ("interrupted", [command])
    assert (of(root, "turn_returned"), (root / "out").exists()) == ([], False)


@pytest.mark.parametrize("by", ["host", "offline"])
def test_an_output_that_a_killed_server_left_on_disk_brings_its_files_and_commands_along(
    tmp_path: Path, by: str
) -> None:
    root = lay_out(tmp_path)
    visiting(root, whole)
    first, second = of(root, "turn_returned")
    journal = root / HOME / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    (root / HOME / "status.json").unlink()
    (root / PIECE).unlink()
    if by == "host":
        visiting(root, lambda host: host.call("next_turn", run=RUN))
    else:
        assert offline(root) == 0
    again = of(root, "turn_returned")
    assert [{**one, "at": ""} for one in again] == [{**one, "at": ""} for one in (first, second)]
    assert (root / PIECE).read_text() == "made\n"


def test_what_was_submitted_twice_changes_nothing_and_a_run_opened_from_its_journal_has_the_same_files(
    tmp_path: Path,
) -> None:
    root = lay_out(tmp_path)

    async def again(host: Visit) -> None:
        await whole(host)
        before = files(root)
        assert (await submit(host))["accepted"]
        assert (await submit(host, INSPECTOR, tried=f"{TRY} {PIECE}"))["accepted"]
        assert files(root) == before
        (root / HOME / "status.json").unlink()
        (root / PIECE).unlink()
        assert (await host.call("get_status", run=RUN))["stop"] == "complete"
        assert files(root) == before

    visiting(root, again)


# --- runtimes of ours, before and after -------------------------------------------------------------------------------


def test_a_runtime_of_ours_begins_a_hosts_turn_anew_and_takes_nothing_of_what_was_given(tmp_path: Path) -> None:
    root, other = lay_out(tmp_path / "taken-over"), lay_out(tmp_path / "offline")

    async def some(host: Visit) -> None:
        await begin(host)
        await write(host, "out/other", "of the host\n")
        await tried(host, f"{TRY} tool.py")

    visiting(root, some)
    assert (offline(root), offline(other)) == (0, 0)
    assert [one["files"] for one in of(root, "turn_returned")] == [one["files"] for one in of(other, "turn_returned")]
    assert [one["ran"] for one in of(root, "turn_returned")] == [one["ran"] for one in of(other, "turn_returned")]


def test_what_a_runtime_of_ours_had_run_and_written_is_nothing_that_a_host_can_claim(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    output = json.dumps({"done": True})
    ran = {"command": f"{TRY} {PIECE}", "code": 0}

    async def claiming(host: Visit) -> dict[str, Any]:
        await begin(host)
        turn = root / TURN
        turn.mkdir(parents=True, exist_ok=True)
        lines = [
            {"call": 1, "began": ran["command"]},
            {"call": 1, "ended": 0, "output": "found"},
            {"output": digest(output)},
        ]
        (turn / "calls-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        listed = {"output": digest(output), "files": {PIECE: digest("made\n")}}
        (turn / "files-1.json").write_text(json.dumps(listed))
        [open_turn] = (await host.call("next_turn", run=RUN))["turns"]
        assert (open_turn["given"], open_turn["ran"]) == ([], [])
        return await submit(host)

    assert visiting(root, claiming)["accepted"]
    (returned,) = of(root, "turn_returned")
    assert (returned["files"], returned["ran"]) == ({}, [])


def test_what_a_host_gave_before_a_runtime_of_ours_began_anew_and_was_killed_does_not_count(tmp_path: Path) -> None:
    root = lay_out(tmp_path)

    async def going_on(host: Visit) -> dict[str, Any]:
        await begin(host)
        await write(host, "out/old", "x")
        await tried(host, f"{TRY} tool.py")
        with (root / TURN / "calls-1.jsonl").open("a") as log:
            log.write('{"anew": true}\n')  # all that a runtime leaves that was killed before its first command
        [turn] = (await host.call("next_turn", run=RUN))["turns"]
        assert (turn["given"], turn["ran"]) == ([], [])
        assert (await write(host))["given"] == [PIECE]
        return await submit(host)

    assert visiting(root, going_on)["accepted"]
    (returned,) = of(root, "turn_returned")
    assert (returned["files"], returned["ran"]) == ({PIECE: digest("made\n")}, [])
