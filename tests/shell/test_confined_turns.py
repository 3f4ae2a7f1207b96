"""Turns that write files and run commands, offline and on models: what the contract names, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from maker import CHECK, FOLDER, TOOL, calls, good, greedy, made, maker, of
from model_kit import CLAUDE, GPT, lead
from test_workspace import FORKS, hears_the_end

from signoff.core.declarations import Assignment, Now, Tools
from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.core.refs import digest
from signoff.core.workflow import Workflow
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Offline, Runtime
from signoff.testing.stub import Stub, call, give

BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
BEYOND = "write_file went beyond the contract of the turn: 'evil.txt'"
STRAY = ("write_file", {"paths": ["stray.txt"], "in all": 1})


def offline(player: Any) -> Runtime:
    return Offline(maker(player).by_code.players)


def on_model(model: str) -> Runtime:
    return ModelRuntime(maker(), choice([model], ("doer",), os.environ))


def expect_made(live: LiveRun, root: Path) -> None:
    """What every runtime must have done of the same work."""
    assert live.state.stop == "complete"
    assert (root / "out/a.txt").read_text() == "made\n"
    assert (root / "out/log.txt").read_text() == "checked\n"
    assert not (root / "stray.txt").exists()
    assert calls(live) == [STRAY]
    (returned,) = of(live, "turn_returned")
    assert returned["files"] == {"out/a.txt": digest("made\n"), "out/log.txt": digest("checked\n")}
    assert returned["ran"] == [{"command": f"{CHECK} out/a.txt", "code": 0, "output": "keys: []\nfound: made\n\n"}]
    assert live.state.docs.keys() == {TOOL, "out/a.txt", "out/log.txt"}


def test_a_player_writes_and_runs_what_its_turn_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    live = made(tmp_path, offline(good))
    expect_made(live, tmp_path)
    raw = json.loads((tmp_path / FOLDER / "turns/0001-doer/raw-1.txt").read_text())
    assert raw == {"said": "keys: []\nfound: made\n\n", "code": 0, "again": "checked\n"}
    brief = (tmp_path / FOLDER / "turns/0001-doer/brief-1.md").read_text()
    assert f"# You may run\n\n- {CHECK} *" in brief


@BOTH
def test_a_model_writes_and_runs_what_its_turn_names(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        call("write_file", path="out/a.txt", text="made\n"),
        call("run_command", command=f"{CHECK} out/a.txt"),
        call("read_input", path="out/log.txt"),
        give({"done": True}),
    ]
    with Stub(steps) as stub:
        lead(monkeypatch, stub)
        live = made(tmp_path, on_model(model))
    expect_made(live, tmp_path)
    assert stub.asked[0].tools == ("read_input", "write_file", "run_command", "final_result")
    assert "out/a.txt is written." in stub.asked[1].text
    assert "exit code 0\nkeys: []\nfound: made" in stub.asked[2].text
    assert stub.asked[3].text.endswith("checked\n")


def test_what_a_player_may_not_do_is_refused_and_recorded(tmp_path: Path) -> None:
    live = made(tmp_path, offline(greedy))
    assert live.state.stop == "complete"
    assert calls(live) == [
        ("write_file", {"path": "evil.txt"}),
        ("run_command", {"command": "rm -rf out"}),
        ("read_input", {"path": "/etc/passwd"}),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["_workflow", "out", TOOL]
    assert not (tmp_path / FOLDER / "turns/0001-doer/calls-1.jsonl").exists()


@BOTH
def test_what_a_model_may_not_do_is_refused_and_recorded(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        call("write_file", path="../evil.txt", text="x"),
        call("run_command", command=f"{CHECK} x && rm -rf out"),
        call("run_command", command="rm -rf out"),
        give({"done": True}),
    ]
    with Stub(steps) as stub:
        lead(monkeypatch, stub)
        live = made(tmp_path, on_model(model), text="import sys; print(sys.argv[1:])\n")
    assert calls(live) == [("write_file", {"path": "../evil.txt"}), ("run_command", {"command": "rm -rf out"})]
    assert "Refused: '../evil.txt' is not for this turn to write. Valid: out/*." in stub.asked[1].text
    assert "['x', '&&', 'rm', '-rf', 'out']" in stub.asked[2].text
    assert f"Refused: 'rm -rf out' is not for this turn to run. Valid: {CHECK} *." in stub.asked[3].text
    assert not (tmp_path.parent / "evil.txt").exists()


class Strict:
    """A contract that is kept only by a turn that was refused nothing; `seen` is what it was told of each output."""

    def __init__(self) -> None:
        self.seen: list[list[tuple[str, str]]] = []

    def check(self, now: Now, _value: object) -> list[Finding]:
        assert now.turn is not None
        calls = [(tool, reply.illegal if reply else "") for tool, reply in now.turn.calls.values()]
        self.seen.append(calls)
        return [Finding(rule="wrote", problem=tool, repair="do not") for tool, illegal in calls if illegal]

    def workflow(self, player: Any = None) -> Workflow:
        plain = maker(player)
        return replace(
            plain, agents=tuple(replace(one, contract=replace(one.contract, check=self.check)) for one in plain.agents)
        )


def test_a_refused_write_of_a_player_is_known_when_its_turn_returns(tmp_path: Path) -> None:
    strict, tries = Strict(), iter(["evil.txt", "out/good.txt"])

    def tempted(_assignment: Assignment, tools: Tools) -> str:
        with suppress(UsageError):
            tools.write(next(tries), "x")
        return "{}"

    workflow = strict.workflow(tempted)
    live = made(tmp_path, Offline(workflow.by_code.players), text="", workflow=workflow)
    assert (live.state.stop, strict.seen) == ("complete", [[("write_file", BEYOND)], []])


@BOTH
def test_a_refused_write_of_a_model_is_known_when_its_turn_returns(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = Strict()
    steps = [call("write_file", path="evil.txt", text="x"), give({"done": True}), give({"done": True})]
    with Stub(steps) as stub:
        lead(monkeypatch, stub)
        live = made(tmp_path, ModelRuntime(strict.workflow(), choice([model], ("doer",), os.environ)), text="")
    assert (live.state.stop, strict.seen) == ("complete", [[("write_file", BEYOND)], []])


def test_a_path_that_is_no_unicode_is_refused_and_recorded_all_the_same(tmp_path: Path) -> None:
    def odd(_assignment: Assignment, tools: Tools) -> str:
        with pytest.raises(UsageError):
            tools.write("out/\ud800", "x")
        return "{}"

    live = made(tmp_path, offline(odd))
    assert (live.state.stop, calls(live)) == ("complete", [("write_file", {"path": "out/?"})])


def test_nothing_that_a_refused_turn_wrote_is_in_its_place(tmp_path: Path) -> None:
    def bad(_assignment: Assignment, tools: Tools) -> str:
        tools.write("out/a.txt", "made\n")
        return "no json"

    live = made(tmp_path, offline(bad))
    assert live.state.stop == "refused"
    assert not (tmp_path / "out").exists()
    assert [event["files"] for event in of(live, "turn_returned")] == [{"out/a.txt": digest("made\n")}] * 2


def test_nothing_that_a_failed_turn_wrote_is_in_its_place(tmp_path: Path) -> None:
    def fails(_assignment: Assignment, tools: Tools) -> str:
        tools.write("out/a.txt", "made\n")
        raise RuntimeError("it broke")

    live = made(tmp_path, offline(fails))
    assert live.state.stop == "turn.failed"
    assert not (tmp_path / "out").exists()


def test_a_person_who_got_there_first_keeps_their_bytes(tmp_path: Path) -> None:
    def late(_assignment: Assignment, tools: Tools) -> str:
        tools.write("out/a.txt", "made\n")
        return "{}"

    live = made(tmp_path, _WhileWriting(Offline(maker(late).by_code.players), tmp_path / "out/a.txt"))
    assert live.state.stop == "complete"
    assert (tmp_path / "out/a.txt").read_text() == "a person's\n"


class _WhileWriting:
    """A store's commit is not the moment of writing: between the two a person saves a file."""

    name, paid = "offline", False

    def __init__(self, inner: Offline, file: Path) -> None:
        self.inner, self.file = inner, file

    async def perform(self, assignment: Assignment, tools: Any) -> Any:
        store, path = tools.library.store, "out/a.txt"
        commit = store.commit

        async def committing(run: str, one: Any) -> None:
            await commit(run, one)
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_text("a person's\n")

        store.commit = committing
        assert store.read(path) is None
        return await self.inner.perform(assignment, tools)


def test_a_run_opened_again_from_its_journal_has_the_same_files(tmp_path: Path) -> None:
    live = made(tmp_path, offline(good))
    (tmp_path / FOLDER / "status.json").unlink()
    (tmp_path / "out/a.txt").unlink()
    again = LiveRun(live.workflow, live.store, "try", live.clock)
    asyncio.run(again.refresh())
    assert again.events == live.events
    assert (tmp_path / "out/a.txt").read_text() == "made\n"


def test_an_output_that_had_reached_the_disk_brings_its_files_along(tmp_path: Path) -> None:
    live = made(tmp_path, offline(good))
    asked: list[str] = []
    back_to_its_beginning(tmp_path)
    again = made(tmp_path, offline(lambda *_: asked.append("asked") or "{}"))
    assert (again.state.stop, asked) == ("complete", [])
    assert [{**one, "at": ""} for one in of(again, "turn_returned")] == [
        {**one, "at": ""} for one in of(live, "turn_returned")
    ]
    assert again.state.docs == live.state.docs
    assert (tmp_path / "out/a.txt").read_text() == "made\n"


def test_commands_of_a_go_that_was_broken_off_are_not_told_of_the_next(tmp_path: Path) -> None:
    live = made(tmp_path, offline(good))
    assert of(live, "turn_returned")[0]["ran"] != []
    back_to_its_beginning(tmp_path)
    (tmp_path / FOLDER / "turns/0001-doer/raw-1.txt").unlink()
    raw = json.dumps({"said": "keys: []\nfound: made\n\n", "code": 0, "again": "checked\n"})
    again = made(tmp_path, offline(lambda *_: raw))
    (returned,) = of(again, "turn_returned")
    assert (returned["output"], returned["attempt"]) == (of(live, "turn_returned")[0]["output"], 1)
    assert returned["ran"] == []


def back_to_its_beginning(root: Path) -> None:
    """The run as a kill may leave it: the journal ends with its first line, files of the turn are on disk."""
    journal = root / FOLDER / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    for gone in (f"{FOLDER}/status.json", "out/a.txt", "out/log.txt"):
        (root / gone).unlink()


def test_a_list_of_files_that_belongs_to_another_output_is_not_taken(tmp_path: Path) -> None:
    turn = tmp_path / FOLDER / "turns/0001-doer"
    (tmp_path / TOOL).write_text("")

    def killed(_assignment: Assignment, _tools: Tools) -> str:
        turn.mkdir(parents=True, exist_ok=True)
        listed = {"output": digest("another"), "files": {"out/a.txt": digest("made\n")}}
        (turn / "files-1.json").write_text(json.dumps(listed))
        return "{}"

    live = made(tmp_path, offline(killed))
    assert (live.state.stop, of(live, "turn_returned")[0]["files"]) == ("complete", {})


# --- a command that may or may not have had its effect ----------------------------------------------------------------

WAITS = """\
import os, sys
open(sys.argv[1], "w").write("begun")
open(sys.argv[2]).read()
"""
DRIVES = """\
import sys
sys.path[:0] = {path!r}
from maker import made, maker
from signoff.shell.runtimes.runtime import Offline
from pathlib import Path
made(Path({root!r}), Offline(maker(lambda _a, tools: str(tools.run({command!r}))).by_code.players), text={text!r})
"""


def test_a_command_that_was_under_way_at_a_kill_is_put_to_the_person_and_not_repeated(tmp_path: Path) -> None:
    begun, release = tmp_path / "begun", tmp_path / "release"
    os.mkfifo(begun)
    os.mkfifo(release)
    command = f"{CHECK} {begun} {release}"
    root = tmp_path / "project"
    root.mkdir()
    code = DRIVES.format(path=sys.path, root=str(root), command=command, text=WAITS)
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)})
    assert begun.read_text() == "begun"
    process.send_signal(signal.SIGKILL)
    process.wait()
    release.write_text("")
    asked: list[str] = []
    live = made(root, offline(lambda *_: asked.append("asked") or "{}"), text=WAITS)
    assert (live.state.stop, asked) == ("turn.uncertain", [])
    (failed,) = of(live, "turn_failed")
    assert (failed["kind"], failed["uncertain_calls"]) == ("interrupted", [command])


def test_a_kill_while_an_attempt_is_noted_leaves_nothing_half_written_once_it_is_put_to_the_person(
    tmp_path: Path,
) -> None:
    """Nobody writes these files again, so nothing else would use up what was cut off beside them."""
    turn = tmp_path / FOLDER / "turns/0001-doer"

    def killed(_assignment: Assignment, _tools: Tools) -> str:
        (turn / "calls-1.jsonl").write_text('{"call": 1, "began": "rm -r old"}\n')
        for name in ("calls-1.jsonl", "files-1.json", "raw-1.txt"):
            (turn / f".{name}.tmp").write_text('{"call": 1, "en')
        raise SystemExit

    with suppress(SystemExit):
        made(tmp_path, offline(killed))
    live = made(tmp_path, offline(good))
    assert live.state.stop == "turn.uncertain"
    assert sorted(path.name for path in turn.iterdir()) == ["brief-1.md", "calls-1.jsonl", "usage-1.json"]


def test_a_command_that_ended_before_a_failure_is_certain(tmp_path: Path) -> None:
    def fails(_assignment: Assignment, tools: Tools) -> str:
        tools.run(f"{CHECK} {TOOL}")
        raise RuntimeError("it broke")

    live = made(tmp_path, offline(fails), text="print(1)\n")
    assert live.state.stop == "turn.failed"
    assert [event["uncertain_calls"] for event in of(live, "turn_failed")] == [[]] * 3


def test_a_command_that_a_turn_out_of_time_was_running_ends_with_it_and_is_uncertain(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lives")
    pipe = os.open(tmp_path / "lives", os.O_RDONLY | os.O_NONBLOCK)
    command = f"{CHECK} {tmp_path / 'lives'} hang"
    workflow = maker(lambda _, tools: str(tools.run(command)), seconds=3.0)
    live = made(tmp_path, Offline(workflow.by_code.players), text=FORKS, workflow=workflow)
    (failed,) = of(live, "turn_failed")
    assert (failed["kind"], failed["uncertain_calls"]) == ("timeout", [command])
    assert live.state.stop == "turn.uncertain"
    assert os.read(pipe, 1) == b"x"
    assert hears_the_end(pipe)
    os.close(pipe)
