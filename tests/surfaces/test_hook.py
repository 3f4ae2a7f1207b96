"""The hooks: a session may always end unless it holds a turn that it can still give back, and is told of each once."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_kit import PAGE, RONDO, Visit, lay_out, visiting
from shell_out import Ended, environment, signoff

from signoff.service.hosts import turn_leases
from signoff.surfaces.claude_code import hook
from signoff.surfaces.mcp.server import Server

ME = turn_leases.Taker("session-1", 4711)
TURN = "_workflow/turns/0001-strategist"


async def _took(host: Visit) -> Path:
    await host.call("start_run", **PAGE)
    await host.call("next_turn", run=RONDO)
    return host.root


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A project in which this session took a turn."""
    root = lay_out(tmp_path / "page")
    return visiting(root, _took, Server(root, ME))


def stop(root: Path, session: str = ME.session, environment: dict[str, str] | None = None, **said: Any) -> str:
    told = hook.stop({"session_id": session, "cwd": str(root), **said}, environment or {})
    assert told.get("decision") in (None, "block")
    return str(told.get("reason", ""))


def test_a_session_is_told_of_the_turn_it_holds_once(held: Path) -> None:
    said = stop(held / "0-sources")
    assert f"turn 0001-strategist (attempt 1) of the run {RONDO}, for strategist" in said
    assert "submit_turn" in said
    assert stop(held) == ""
    assert stop(held, stop_hook_active=True) == ""


def test_a_turn_that_was_taken_again_or_refused_is_told_of_again(held: Path) -> None:
    assert stop(held)

    async def wrong(host: Visit) -> None:
        given = {"run": RONDO, "turn": "0001-strategist", "attempt": 1, "output": "no"}
        assert not (await host.call("submit_turn", **given))["accepted"]
        assert stop(held) == ""  # the next attempt was not taken yet
        await host.call("next_turn", run=RONDO)

    visiting(held, wrong, Server(held, ME))
    assert "(attempt 2)" in stop(held, stop_hook_active=True)
    assert stop(held, stop_hook_active=True) == ""


def test_another_session_is_not_held_and_one_with_another_name_in_the_same_process_is(held: Path) -> None:
    assert stop(held, "session-2") == ""
    assert stop(held, "session-2", {"CLAUDE_PID": "4712"}) == ""
    assert stop(held, "session-2", {"CLAUDE_PID": "4711"})


def test_nobody_is_held_while_their_agents_still_run(held: Path) -> None:
    assert stop(held, background_tasks=[{"id": "1", "status": "running"}]) == ""
    assert stop(held)


@contextmanager
def leased(folder: Path) -> Iterator[None]:
    fd = os.open(folder, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    yield
    os.close(fd)


def test_nobody_is_held_for_a_turn_that_somebody_else_works_on_or_has_given(held: Path) -> None:
    with leased(held / TURN):
        assert stop(held) == ""
    (held / TURN / "raw-1.txt").write_text("an output that is not taken in yet")
    assert stop(held) == ""


def test_nobody_is_held_where_only_a_person_can_go_on_or_the_run_has_ended(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page", config="human_gates: {strategy_approval: true}\n")

    async def playing(host: Visit) -> None:
        await host.call("start_run", **PAGE)
        await host.play(RONDO)

    visiting(root, playing, Server(root, ME))
    assert (root / TURN / "taken.json").exists()
    assert stop(root) == ""
    assert signoff("approve", RONDO, "--gate", "strategy", "--runtime", "offline", cwd=root, person="ada").code == 0
    assert stop(root) == ""


def test_a_host_that_does_not_say_who_it_is_leaves_no_note(tmp_path: Path) -> None:
    root = visiting(lay_out(tmp_path / "page"), _took)
    assert not (root / TURN / "taken.json").exists()
    assert turn_leases.Taker.here({}, 1) is None
    assert turn_leases.Taker.here({"CLAUDE_CODE_SESSION_ID": "s"}, 7) == turn_leases.Taker("s", 7)


def test_a_note_that_cannot_be_written_traps_nobody(held: Path) -> None:
    note = held / TURN / "taken.json"
    note.rename(held / "note")
    note.symlink_to(held / "note")
    before = (held / "note").read_bytes()
    assert [stop(held, stop_hook_active=active) != "" for active in (False, True, True)] == [True, False, False]
    assert (held / "note").read_bytes() == before  # nothing is written through a link


@pytest.mark.parametrize("note", ["", "[]", "{", "null", '{"session": 1}', "[" * 100_000])
def test_a_note_that_makes_no_sense_holds_nobody(held: Path, note: str) -> None:
    (held / TURN / "taken.json").write_text(note)
    assert stop(held) == ""


# --- as the host calls it ---------------------------------------------------------------------------------------------


def called(name: str, said: str, cwd: Path) -> Ended:
    return signoff("hook", name, cwd=cwd, lines=said)


def test_the_host_reads_json(held: Path) -> None:
    done = called("stop", json.dumps({"session_id": ME.session, "cwd": str(held)}), held)
    assert (done.code, done.json["decision"]) == (0, "block")
    done = called("stop", json.dumps({"session_id": ME.session, "cwd": str(held)}), held)
    assert (done.code, done.out) == (0, "")


@pytest.mark.parametrize(
    ("name", "said"),
    [("stop", ""), ("stop", "no json"), ("stop", "[]"), ("stop", '{"cwd": 7}'), ("bash", "7"), ("start", "{}")],
)
def test_a_hook_never_ends_with_the_code_that_would_hold_a_session(tmp_path: Path, name: str, said: str) -> None:
    done = called(name, said, tmp_path)
    assert done.code in (0, 1)
    assert done.out == ""


def test_a_hook_answers_before_anything_heavy_is_imported(held: Path) -> None:
    code = (
        "import sys; from signoff.surfaces.cli import execute; execute(['hook', 'stop'])\n"
        "print([m for m in ('typer', 'pydantic', 'yaml', 'asyncio', 'signoff.core') if m in sys.modules])"
    )
    said = json.dumps({"session_id": "other", "cwd": str(held)})
    done = subprocess.run(
        [sys.executable, "-c", code], input=said, env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("signoff approve page --gate final", True),
        ("cd x && SIGNOFF_PERSON=eve signoff reject page --gate final --reason y", True),
        ("/opt/venv/bin/signoff --project . resume page", True),
        ("bash -c 'signoff approve page'", True),
        ("script -qc 'signoff approve page --gate final' /dev/null", True),
        ('python -c "from signoff.surfaces.cli import execute" -- approve', True),
        ("export SIGNOFF_PERSON=eve", True),
        ("claude -p '/approve page final'", True),
        ("claude -p '/signoff:resume page'", True),
        ("claude -p '/signoff-approve page final'", True),
        ("signoff \\\n approve page", True),
        ("signoff app\\\nrove page", True),
        ("unset CLAUDECODE\nsignoff $ACT page", True),
        ('signoff app""rove page', True),
        ("signoff approv\\e page", True),
        ('SIGNOFF_"PERSON"=1 signoff choose page', True),
        ('env -u CLAUDECODE -u AI_AGENT sign""off res""ume page', True),
        ("env --unset=AI_AGENT bash x.sh", True),
        ("unset CLAUDECODE AI_AGENT; signoff $ACT page", True),
        ("CLAUDECODE= signoff $ACT page", True),
        ('git log --grep "signoff: approve"', False),
        ("echo $CLAUDECODE", False),
        ("signoff status", False),
        ("signoff inbox --runtime host", False),
        ("signoff run solution-page page --runtime host", False),
        ("signoff status; git commit -m 'approve the wording'", False),
        ("grep -rn approve docs", False),
        ("", False),
    ],
)
def test_a_shell_command_that_would_act_for_a_person_is_refused(command: str, refused: bool) -> None:
    told = hook.bash({"tool_name": "Bash", "tool_input": {"command": command}})
    assert bool(told) is refused
    if refused:
        assert told["hookSpecificOutput"]["permissionDecision"] == "deny"


# --- an agent's shell -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["CLAUDECODE", "AI_AGENT"])
def test_nobody_acts_for_a_person_in_a_shell_that_an_agent_opened(tmp_path: Path, variable: str) -> None:
    root = lay_out(tmp_path / "page", config="human_gates: {strategy_approval: true}\n")
    assert signoff("run", "solution-page", RONDO, cwd=root).code == 3
    ended = signoff("approve", RONDO, "--gate", "strategy", cwd=root, person="eve", **{variable: "1"})
    assert ended.code == 2
    assert f"this shell was opened by an agent ({variable} is set)" in ended.err
    assert "answered" not in (root / "_workflow/journal.jsonl").read_text("utf-8")
    shown = signoff("inbox", "--runtime", "host", cwd=root, **{variable: "1"}).out
    assert f"$ signoff approve {RONDO} --gate strategy --runtime host\n" in shown
    approved = signoff("approve", RONDO, "--gate", "strategy", "--runtime", "host", cwd=root, person="ada")
    assert (approved.code, "open: copywriter" in signoff("status", cwd=root).out) == (3, True)
