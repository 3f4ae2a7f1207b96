"""The work on an approved design, on the real command line: the shipped example is really built, killed and changed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from design_desk import DOERS, FOLDER, MISSING, REQUEST, RUN, TASK, TRIAL, Desk
from shell_out import CALL, environment

from signoff.workflows.orchestration import places, sequence

pytestmark = pytest.mark.xdist_group("design on the command line")  # one process, so that the example is walked once

ANSWER = "A measurement on the machine of the tests will do."


@pytest.fixture
def at(stops: dict[str, Desk], tmp_path: Path) -> Any:
    return lambda name: stops[name].copied(tmp_path / name)


@pytest.fixture(scope="module")
def working(stops: dict[str, Desk], tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The work where an agent first needs a person."""
    desk = stops["approved"].copied(tmp_path_factory.mktemp("working"))
    return Desk(desk.folder, desk.call("run", "orchestration", RUN))


@pytest.fixture(scope="module")
def finished(working: Desk, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The work at its end."""
    desk = working.copied(tmp_path_factory.mktemp("finished"))
    return Desk(desk.folder, desk.call("choose", RUN, "answer", "--note", ANSWER, person="Ada"))


def agents_of(desk: Desk) -> dict[str, str]:
    return {name: one["status"] for name, one in desk.json(places.STATUS)["agents"].items()}


@pytest.mark.req("OR-16", "OR-17", "OR-18", "OR-22", "OR-23")
def test_an_approved_design_is_carried_out_until_an_agent_needs_a_person(working: Desk) -> None:
    assert working.said is not None
    assert working.said.code == 3, working.said
    assert agents_of(working) == {
        "api_agent": "blocked", "api_tactical": "verified", MISSING: "pending", "database_agent": "verified",
        TRIAL: "verified", "test_agent": "pending",
    }  # fmt: skip
    notes = working.json(places.session("api_agent"))["notes"]
    by = {note["category"]: note.get("resolved_by") for note in notes if note["status"] == "resolved"}
    assert by["technology"] == "escalation_resolution", "the tactical architect has ruled on it"
    assert [note["category"] for note in notes if note["status"] == "escalated"] == ["requirement"]
    assert working.json(places.STATUS)["overall_completion_drive_gate"] == "blocked"
    assert "asked by `api_agent`" in working.text(places.DECISIONS).partition("Evolution Notes")[2]
    [request] = working.call("inbox", "--json").json["requests"]
    assert request["key"] == "escalation-api_agent"
    board = working.call("status", RUN).out
    assert "blocked, waits for you" in board
    assert "database_agent v2" in board, "the version that somebody has built on"


@pytest.mark.req("OR-20", "OR-27", "OR-29")
def test_the_work_ends_with_everything_verified_archived_and_reported(finished: Desk) -> None:
    assert finished.said is not None
    assert finished.said.code == 0, finished.said
    assert set(agents_of(finished).values()) == {"session_complete"}
    told = finished.json(places.STATUS)
    assert (told["status"], told["overall_completion_drive_gate"]) == ("complete", "clear")
    assert not [
        path for path in finished.files() if path.endswith(("session_current.json", "verification_results.json"))
    ]
    index = finished.json("orchestration/agents/archival_agent/archive_index.json")
    assert {one["agent"] for one in index} == agents_of(finished).keys()
    assert all((finished.root / one["path"]).exists() for one in index)
    report = finished.text(places.REPORT)
    assert "The work is done: 6 of 6 agents are verified." in report
    assert "Round 1 failed. Missing:" in report, "one piece of work was sent back, and mended"
    assert "exit code 0" in report
    manifest = finished.json(places.manifest("database_agent"))
    assert (manifest["version"], {one["version"] for one in manifest["files"]}) == (2, {1, 2})
    built = finished.call("trace", "app/api.py", "--json").json
    assert built["by"]["id"] == "api_agent"
    assert built["by"]["actions"][0].endswith("'")


def test_what_was_built_works_by_itself(finished: Desk) -> None:
    """Somebody who takes the project over runs its tests, and nothing of ours is needed."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=finished.root, env=clean, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    assert "75 passed" in ended.stdout


@pytest.mark.req("OR-28")
def test_a_run_that_is_killed_in_the_middle_of_the_work_repeats_nothing_that_was_verified(
    working: Desk, finished: Desk, tmp_path: Path
) -> None:
    desk = working.copied(tmp_path)
    journal = desk.root / FOLDER / "journal.jsonl"
    began = len(journal.read_bytes())
    command = [sys.executable, "-c", CALL, "choose", RUN, "answer", "--note", ANSWER]
    env = environment({"HOME": str(desk.home), "SIGNOFF_PERSON": "Ada"})
    with subprocess.Popen(command, cwd=desk.root, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "verifier returned" in line:  # one piece of work is verified, and others are on their way
                process.send_signal(signal.SIGKILL)
                break
        assert process.wait(60) == -signal.SIGKILL
    assert len(journal.read_bytes()) > began
    verified = [name for name, status in agents_of(desk).items() if status == "verified"]
    assert "api_agent" in verified
    ended = desk.call("resume", RUN, person="Ada")
    while ended.code == 3:  # a command that the kill cut off is put to the person, who has it tried again
        ended = desk.call("choose", RUN, "retry", person="Ada")
    assert ended.code == 0, ended
    again = [line for line in ended.out.splitlines() if " starts " in line and "api_agent" in line]
    assert not again, "what was verified is not done again"
    product = ("app", "migrations", "tests")
    for folder in product:
        assert desk.files(folder) == finished.files(folder)


HELD = """\
#!/bin/sh
echo $$ > {told}
exec cat {never}
"""
"""A python that says that it has begun, and then waits for what never comes."""


@pytest.mark.req("OR-17", "OR-21", "OR-28")
def test_a_kill_while_two_agents_of_a_phase_run_a_command_puts_both_commands_to_the_person(
    at: Any, tmp_path: Path
) -> None:
    desk, told = at("approved"), tmp_path / "told"
    os.mkfifo(told)
    os.mkfifo(tmp_path / "never")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").write_text(HELD.format(told=told, never=tmp_path / "never"))
    (tmp_path / "bin/python").chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-c", CALL, "run", "orchestration", RUN]
    env = environment({"HOME": str(desk.home), "PATH": path})
    with subprocess.Popen(command, cwd=desk.root, env=env, stdout=subprocess.DEVNULL) as process:
        try:
            begun = _lines(told, 2)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    for pid in begun:  # a command outlives whoever began it: how far it came, nobody knows
        os.kill(int(pid), signal.SIGKILL)
    turns = sorted((desk.root / FOLDER / "turns").glob("*-doer"))
    logs = {path: path.read_bytes() for turn in turns for path in turn.glob("calls-*.jsonl")}
    assert [log.count(b"began") for log in logs.values()] == [1, 1]
    desk.go("resume", RUN, code=3, person="Ada")
    keys = {request["key"] for request in desk.call("inbox", "--json").json["requests"]}
    assert keys == {"failed-database_agent", f"failed-{TRIAL}"}
    assert sorted((desk.root / FOLDER / "turns").glob("*-doer")) == turns, "nobody was asked again"
    assert {path: path.read_bytes() for path in logs} == logs, "and no command began again"
    assert not [name for name in ("app", "migrations", "tests") if desk.files(name)], "nothing of either is left"
    for key in sorted(keys):
        desk.go("choose", RUN, "retry", "--request", key, "--no-run", code=0, person="Ada")
    assert {agents_of(desk)[name] for name in ("database_agent", TRIAL)} == {"working"}
    said = desk.json(f"{FOLDER}/status.json")
    assert sorted(turn["task"] for turn in said["turns"]) == ["do-database_agent", f"do-{TRIAL}"]
    assert not said["requests"]


def _lines(fifo: Path, amount: int) -> list[str]:
    """So many lines of whoever writes there; the end of one writer is not the end of all."""
    with os.fdopen(os.open(fifo, os.O_RDWR), "rb", buffering=0) as pipe:
        found = b""
        while found.count(b"\n") < amount:
            assert select.select([pipe], [], [], 120)[0], f"only this was said: {found!r}"
            found += pipe.read(100)
    return found.decode().split()


@pytest.mark.req("OR-20", "OR-21")
def test_faults_of_agents_at_work_are_refused_counted_and_put_to_the_person(at: Any) -> None:
    desk = at("approved")
    said = desk.go("run", "orchestration", RUN, "--faults", "doer/database_agent:crash@1+", code=3)
    assert said.count("doer failed") == 3
    assert agents_of(desk)["database_agent"] == "failed"
    assert agents_of(desk)[TRIAL] == "verified", "who works beside it finishes first"
    [request] = desk.call("inbox", "--json").json["requests"]
    assert request["key"] == "failed-database_agent"
    assert request["options"] == ["retry", "guide", "adapt", "abandon"]


@pytest.mark.req("OR-31")
def test_a_turn_over_its_time_counts_as_crashed(at: Any) -> None:
    desk = at("approved")
    config = desk.root / "_workflow/orchestration/config.yaml"
    config.write_text(config.read_text("utf-8").replace("turn_seconds:", "turn_seconds: 0.001"), "utf-8")
    said = desk.go("run", "orchestration", RUN, code=3)
    assert "no output within 0.001 s" in said
    assert "failed" in agents_of(desk).values()


@pytest.mark.req("OR-15")
def test_an_edit_of_the_design_in_the_middle_of_the_work_stops_it_and_verified_work_is_kept(
    working: Desk, tmp_path: Path
) -> None:
    desk = working.copied(tmp_path)
    desk.edit(places.CHECKPOINTS, "cp_test.1", "cp_test.one")
    said = desk.go("run", "orchestration", RUN, code=3)
    assert f"{places.CHECKPOINTS} changed after the design of {TASK} was approved" in said
    assert desk.json(f"{FOLDER}/status.json")["digest"] is None
    assert "Approve the design" in desk.go("resume", RUN, code=3, person="Ada")
    desk.go("approve", RUN, "--gate", "design", "--no-run", code=0, person="Ada")
    assert agents_of(desk)["database_agent"] == "verified"
    assert agents_of(desk)["api_agent"] == "blocked"


@pytest.mark.req("OR-26")
def test_a_person_changes_the_plan_sees_the_difference_first_and_verified_work_is_kept(
    working: Desk, tmp_path: Path
) -> None:
    desk = working.copied(tmp_path)
    edits = [{"edit": "drop_dependency", "agent": "test_agent", "on": MISSING, "reason": "They do not need each other"}]
    (desk.root / "edits.json").write_text(json.dumps({"edits": edits}), "utf-8")
    said = desk.go("choose", RUN, "adapt", "--with", "edits.json", code=3, person="Ada")
    assert "Change the plan of user_management?" in said
    request = desk.text(REQUEST)
    assert f"- dependencies: {MISSING}" in request
    assert "- database_agent" in request.partition("Verified and kept")[2]
    before = desk.json(places.ROSTER)
    assert MISSING in before["agents"]["test_agent"]["dependencies"], "nothing is changed before the yes"
    desk.go("approve", RUN, "--gate", "adaptation", "--no-run", code=0, person="Ada")
    assert MISSING not in desk.json(places.ROSTER)["agents"]["test_agent"]["dependencies"]


@pytest.mark.req("OR-30")
def test_there_is_no_way_to_leave_a_role_out(stops: dict[str, Desk]) -> None:
    """However small the plan: every doer of it has its verifier, and no option does without."""
    offered = stops["approved"].call("run", "orchestration", "--help").out
    assert "--replace" in offered
    assert not any(word in offered for word in ("--simple", "--no-verif", "--skip"))
    order = sequence.parse(stops["approved"].text(places.SEQUENCE).encode(), places.SEQUENCE)
    verified = {doer for phase in order.execution_phases for one in phase.agents for doer in one.verifies or ()}
    assert verified == set(DOERS)
