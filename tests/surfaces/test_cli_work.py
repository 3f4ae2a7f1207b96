"""The work on an approved design, on the real command line: the shipped example is really built, killed and changed.

Its recording is played as far as it leads. Where a run leaves it, as it does when agents crash or a person wants
something else, a model behind a stub goes on which knows by heart what was recorded.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import warm
import yaml
from design_desk import Desk
from shell_out import CALL, Ended, environment, signoff

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
from model_kit import CLAUDE, task
from work_kit import results

from signoff.service.project import Project
from signoff.shell.run import recordings
from signoff.shell.run.recordings import Take
from signoff.testing.stub import Asked, Call, Step, Stub, give
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.sequence import work_sequence

pytestmark = pytest.mark.xdist_group("the example's work")  # one process, so that the example is walked once

EXAMPLE = Path(__file__).parents[2] / "examples/user-management"
RUN, TASK = "user-management", "user_management"
FOLDER = f"_workflow/orchestration/{RUN}"
REQUEST = f"{FOLDER}/approval-request.md"
MISSING, TRIAL = "data_migration_agent", "poc_001_uniqueness_agent"
DOERS = ("api_agent", MISSING, "database_agent", "test_agent")
PRODUCT = ("app", "migrations", "tests")
ANSWER = "A measurement on the machine of the tests will do."
ON_MODEL = ("--runtime", "model", "--model", CLAUDE)


# --- the example, a person, and who works for them --------------------------------------------------------------------

PLAIN = """\
#!/bin/sh
TMPDIR={memory} PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 exec {python} "$@"
"""
"""The python of whoever builds the example: it has pytest, and none of the plugins that these tests have."""
HELD = """\
#!/bin/sh
case "$*" in *{held}*) echo $$ > {told}; exec cat {never};; esac
exec {plain} "$@"
"""
"""A python that says of one command that it has begun, and then waits for what never comes."""


class Example(Desk):
    """The shipped example, with a folder of programs beside project and home; `said` is how the last call ended."""

    said: Ended

    def environment(self, **more: str) -> dict[str, str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"HOME": str(self.folder / "home"), "PATH": path, **more}

    def call(self, *args: object, person: str | None = None, stub: Stub | None = None) -> Ended:
        more = stub.environment() if stub else {}
        self.said = signoff(*args, cwd=self.root, person=person, **self.environment(**more))
        return self.said

    def type(self, *args: object, code: int, person: str | None = None, stub: Stub | None = None) -> str:
        ended = self.call(*args, person=person, stub=stub)
        assert ended.code == code, ended.out + ended.err
        return ended.out + ended.err

    def copied(self, to: Path) -> Example:
        shutil.copytree(self.folder, to, dirs_exist_ok=True)
        return Example(to, self.run)

    @property
    def turns(self) -> dict[str, dict[str, bytes]]:
        """Every turn that was ever asked for, with the calls that it began."""
        found = (self.root / FOLDER / "turns").iterdir()
        return {turn.name: {log.name: log.read_bytes() for log in turn.glob("calls-*.jsonl")} for turn in found}

    @property
    def agents(self) -> dict[str, str]:
        return {name: one["status"] for name, one in self.json(places.STATUS)["agents"].items()}

    @property
    def waiting(self) -> list[str]:
        return sorted(request["key"] for request in self.call("inbox", "--json").json["requests"])


class ByHeart:
    """A model that does what was recorded for the same purpose; `asked` are the purposes of its turns as they came."""

    def __init__(self, desk: Example) -> None:
        self.root = desk.root
        self.takes: dict[str, list[Take]] = {}
        for take in recordings.read(desk.root / recordings.place(RUN)).takes.values():
            self.takes.setdefault(take.key, []).append(take)
        self.asked: dict[str, str] = {}
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Step:
        take = self._take(task(asked)[0])
        writes = [Call("write_file", {"path": path, "text": data.decode()}) for path, data in take.files.items()]
        acts = [*writes, *(Call("run_command", {"command": one}) for one in take.commands)]
        done = results(asked)
        return Step(calls=(acts[done],)) if done < len(acts) else give(yaml.safe_load(take.raw))

    def _take(self, turn: str) -> Take:
        """The first time what was recorded first, and so on; after that the last again."""
        with self._lock:
            if turn not in self.asked:
                self.asked[turn] = asyncio.run(Project(self.root).open(RUN)).state.turns[turn].start.key
            key = self.asked[turn]
            before = [one for one, other in self.asked.items() if other == key].index(turn)
        return self.takes[key][min(before, len(self.takes[key]) - 1)]


@contextmanager
def killed_in_a_command(
    desk: Example, held: str, amount: int, *args: object, stub: Stub | None = None
) -> Iterator[None]:
    """A call that is killed once so many commands with these words run; within, such a command never ends."""
    told, never, bin_ = desk.folder / "told", desk.folder / "never", desk.folder / "bin"
    os.mkfifo(told)
    os.mkfifo(never)
    (bin_ / "python").rename(bin_ / "plain")
    program(bin_ / "python", HELD.format(held=held, told=told, never=never, plain=bin_ / "plain"))
    env = environment(desk.environment(SIGNOFF_PERSON="Ada", **(stub.environment() if stub else {})))
    with Path(os.devnull).open("r+b") as nothing:
        child = warm.of("models" if stub else "plain").start(
            CALL, [str(arg) for arg in args], desk.root, env, (nothing.fileno(),) * 3
        )
    try:
        begun = lines(told, amount)
    finally:
        child.kill()
    assert child.wait() == -signal.SIGKILL
    for pid in begun:  # a command outlives whoever began it: how far it came, nobody knows
        os.kill(int(pid), signal.SIGKILL)
    yield
    (bin_ / "plain").rename(bin_ / "python")


def lines(fifo: Path, amount: int) -> list[str]:
    """So many lines of whoever writes there; the end of one writer is not the end of all."""
    with os.fdopen(os.open(fifo, os.O_RDWR), "rb", buffering=0) as pipe:
        found = b""
        while found.count(b"\n") < amount:
            assert select.select([pipe], [], [], 120)[0], f"only this was said: {found!r}"
            found += pipe.read(100)
    return found.decode().split()


def program(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)


@pytest.fixture(scope="module")
def memory() -> Iterator[str]:
    """A folder in memory where there is such a thing, so that the databases of what is built wait for no disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None) as folder:
        yield folder


@pytest.fixture(scope="module")
def approved(memory: str, tmp_path_factory: pytest.TempPathFactory) -> Example:
    """The example with its design approved, as its README leads there; nothing of the work is done."""
    desk = Example(tmp_path_factory.mktemp("approved"), RUN)
    for folder in ("bin", "home"):
        (desk.folder / folder).mkdir()
    program(desk.folder / "bin/python", PLAIN.format(memory=memory, python=sys.executable))
    begun = signoff("init", "project", "--example", EXAMPLE.name, cwd=desk.folder, HOME=str(desk.folder / "home"))
    assert f"$ signoff run orchestration {RUN}" in begun.out
    desk.type("run", "orchestration", RUN, "--runtime", "recorded", code=3, person="Ada")
    desk.type("answer", RUN, "--from", "answers/questions.yaml", code=0, person="Ada")
    desk.type("choose", RUN, "continue", code=3, person="Ada")
    desk.type("approve", RUN, "--gate", "architecture", code=3, person="Ada")
    desk.type("approve", RUN, "--gate", "roster", code=3, person="Ada")
    desk.type("choose", RUN, "create", code=3, person="Ada")
    desk.type("approve", RUN, "--gate", "design", "--no-run", code=0, person="Ada")
    return desk


@pytest.fixture(scope="module")
def working(approved: Example, tmp_path_factory: pytest.TempPathFactory) -> Example:
    """The work where an agent first needs a person."""
    desk = approved.copied(tmp_path_factory.mktemp("working"))
    desk.call("run", "orchestration", RUN)
    return desk


@pytest.fixture(scope="module")
def finished(working: Example, tmp_path_factory: pytest.TempPathFactory) -> Example:
    """The work at its end."""
    desk = working.copied(tmp_path_factory.mktemp("finished"))
    desk.call("choose", RUN, "answer", "--note", ANSWER, person="Ada")
    return desk


At = Callable[[Example], Example]


@pytest.fixture
def at(tmp_path: Path) -> At:
    return lambda desk: desk.copied(tmp_path / "copy")


# --- as it was recorded -----------------------------------------------------------------------------------------------


@pytest.mark.req("OR-16", "OR-17", "OR-18", "OR-22", "OR-23")
def test_an_approved_design_is_carried_out_until_an_agent_needs_a_person(working: Example, at: At) -> None:
    assert working.said.code == 3, working.said
    assert working.agents == {
        "api_agent": "blocked", "api_tactical": "verified", MISSING: "pending", "database_agent": "verified",
        TRIAL: "verified", "test_agent": "pending",
    }  # fmt: skip
    notes = working.json(places.session("api_agent"))["notes"]
    by = {note["category"]: note.get("resolved_by") for note in notes if note["status"] == "resolved"}
    assert by["technology"] == "escalation_resolution", "the tactical architect has ruled on it"
    assert [note["category"] for note in notes if note["status"] == "escalated"] == ["requirement"]
    assert working.json(places.STATUS)["overall_completion_drive_gate"] == "blocked"
    assert "asked by `api_agent`" in working.text(places.DECISIONS).partition("Evolution Notes")[2]
    desk = at(working)
    assert desk.waiting == ["escalation-api_agent"]
    board = desk.call("status", RUN).out
    assert "blocked, waits for you" in board
    assert "database_agent v2" in board, "the version that somebody has built on"


@pytest.mark.req("OR-20", "OR-27", "OR-29")
def test_the_work_ends_with_everything_verified_archived_and_reported(finished: Example, at: At) -> None:
    assert finished.said.code == 0, finished.said
    assert set(finished.agents.values()) == {"session_complete"}
    told = finished.json(places.STATUS)
    assert (told["status"], told["overall_completion_drive_gate"]) == ("complete", "clear")
    assert not [
        path for path in finished.files() if path.endswith(("session_current.json", "verification_results.json"))
    ]
    index = finished.json("orchestration/agents/archival_agent/archive_index.json")
    assert {one["agent"] for one in index} == finished.agents.keys()
    assert all((finished.root / one["path"]).exists() for one in index)
    report = finished.text(places.REPORT)
    assert "The work is done: 6 of 6 agents are verified." in report
    assert "Round 1 failed. Missing:" in report, "one piece of work was sent back, and mended"
    assert "exit code 0" in report
    manifest = finished.json(places.manifest("database_agent"))
    assert (manifest["version"], {one["version"] for one in manifest["files"]}) == (2, {1, 2})
    built = at(finished).call("trace", "app/api.py", "--json").json
    assert built["by"]["id"] == "api_agent"
    assert built["by"]["actions"][0].endswith("'")


def test_what_was_built_works_by_itself(finished: Example) -> None:
    """Somebody who takes the project over runs its tests, and nothing of ours is needed."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        [finished.folder / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=finished.root, env=clean, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    assert "75 passed" in ended.stdout


# --- kills ------------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-28")
def test_a_run_that_is_killed_in_the_middle_of_the_work_repeats_nothing_that_was_verified(
    working: Example, finished: Example, at: At
) -> None:
    desk = at(working)
    journal = desk.root / FOLDER / "journal.jsonl"
    began = len(journal.read_bytes())
    with killed_in_a_command(desk, "tests/test_data_migration.py", 1, "choose", RUN, "answer", "--note", ANSWER):
        assert len(journal.read_bytes()) > began
        verified = {name for name, status in desk.agents.items() if status == "verified"}
        assert verified == {"api_agent", "api_tactical", "database_agent", TRIAL}
        turns = desk.turns
        desk.type("resume", RUN, code=3, person="Ada")
        assert desk.waiting == [f"failed-{MISSING}"], "a command that the kill cut off is put to the person"
        assert desk.turns == turns, "nobody was asked again, and no command began again"
    with Stub(model := ByHeart(desk)) as stub:  # what the person says now was never recorded
        desk.type("choose", RUN, "retry", *ON_MODEL, code=0, person="Ada", stub=stub)
    left = (MISSING, "test_agent")
    wanted = [f"{does}-{name}" for name in left for does in ("do", "drive", "verify")]
    assert [*model.asked.values()] == wanted, "what was verified is not done again"
    assert turns.items() <= desk.turns.items(), "nor is any command of it"
    assert set(desk.agents.values()) == {"session_complete"}
    for folder in PRODUCT:
        assert desk.files(folder) == finished.files(folder)


@pytest.mark.req("OR-17", "OR-21", "OR-28")
def test_a_kill_while_two_agents_of_a_phase_run_a_command_puts_both_commands_to_the_person(
    approved: Example, at: At
) -> None:
    desk = at(approved)
    with (
        Stub(ByHeart(desk)) as stub,
        killed_in_a_command(desk, "pytest", 2, "run", "orchestration", RUN, *ON_MODEL, stub=stub),
    ):
        turns, asked = desk.turns, len(stub.asked)
        logs = [log for name, logs in turns.items() if name.endswith("-doer") for log in logs.values()]
        assert [log.count(b"began") for log in logs] == [1, 1]
        desk.type("resume", RUN, *ON_MODEL, code=3, person="Ada", stub=stub)
        keys = desk.waiting
        assert keys == ["failed-database_agent", f"failed-{TRIAL}"]
        assert len(stub.asked) == asked, "nobody was asked again"
        assert desk.turns == turns, "and no command began again"
    assert not [name for name in PRODUCT if desk.files(name)], "nothing of either is left"
    for key in keys:
        desk.type("choose", RUN, "retry", "--request", key, "--no-run", code=0, person="Ada")
    assert {desk.agents[name] for name in ("database_agent", TRIAL)} == {"working"}
    said = desk.json(f"{FOLDER}/status.json")
    assert sorted(turn["task"] for turn in said["turns"]) == ["do-database_agent", f"do-{TRIAL}"]
    assert not said["requests"]


# --- what goes wrong, and what a person wants otherwise ---------------------------------------------------------------


@pytest.mark.req("OR-20", "OR-21")
def test_faults_of_agents_at_work_are_refused_counted_and_put_to_the_person(approved: Example, at: At) -> None:
    desk = at(approved)
    faults = ("--faults", "doer/database_agent:crash@1+")
    with Stub(ByHeart(desk)) as stub:
        said = desk.type("run", "orchestration", RUN, *ON_MODEL, *faults, code=3, stub=stub)
    assert said.count("doer failed") == 3
    assert desk.agents["database_agent"] == "failed"
    assert desk.agents[TRIAL] == "verified", "who works beside it finishes first"
    [request] = desk.call("inbox", "--json").json["requests"]
    assert request["key"] == "failed-database_agent"
    assert request["options"] == ["retry", "guide", "adapt", "abandon"]


@pytest.mark.req("OR-31")
def test_a_turn_over_its_time_counts_as_crashed(approved: Example, at: At) -> None:
    """What was asked for before somebody set a limit has none."""
    desk, never = at(approved), threading.Event()
    desk.replace("_workflow/orchestration/config.yaml", "turn_seconds:", "turn_seconds: 0.1")
    model = ByHeart(desk)

    def answer(asked: Asked) -> Step:
        step = model(asked)
        return replace(step, gate=never) if model.asked[task(asked)[0]].startswith("drive-") else step

    with Stub(answer) as stub:
        said = desk.type("run", "orchestration", RUN, *ON_MODEL, code=3, stub=stub)
        never.set()
    assert said.count("doer failed") == 6
    assert "no output within 0.1 s" in said
    assert desk.waiting == ["failed-database_agent", f"failed-{TRIAL}"]
    assert {desk.agents[name] for name in ("database_agent", TRIAL)} == {"failed"}


@pytest.mark.req("OR-15")
def test_an_edit_of_the_design_in_the_middle_of_the_work_stops_it_and_verified_work_is_kept(
    working: Example, at: At
) -> None:
    desk = at(working)
    desk.replace(places.CHECKPOINTS, "cp_test.1", "cp_test.one")
    said = desk.type("run", "orchestration", RUN, code=3)
    assert f"{places.CHECKPOINTS} changed after the design of {TASK} was approved" in said
    assert desk.json(f"{FOLDER}/status.json")["digest"] is None
    with Stub(ByHeart(desk)) as stub:
        assert "Approve the design" in desk.type("resume", RUN, *ON_MODEL, code=3, person="Ada", stub=stub)
    desk.type("approve", RUN, "--gate", "design", "--no-run", code=0, person="Ada")
    assert desk.agents["database_agent"] == "verified"
    assert desk.agents["api_agent"] == "blocked"


@pytest.mark.req("OR-26")
def test_a_person_changes_the_plan_sees_the_difference_first_and_verified_work_is_kept(
    working: Example, at: At
) -> None:
    desk = at(working)
    edits = [{"edit": "drop_dependency", "agent": "test_agent", "on": MISSING, "reason": "They do not need each other"}]
    (desk.root / "edits.json").write_text(json.dumps({"edits": edits}), "utf-8")
    said = desk.type("choose", RUN, "adapt", "--with", "edits.json", code=3, person="Ada")
    assert f"Change the plan of {TASK}?" in said
    request = desk.text(REQUEST)
    assert f"- dependencies: {MISSING}" in request
    assert "- database_agent" in request.partition("Verified and kept")[2]
    before = desk.json(places.ROSTER)
    assert MISSING in before["agents"]["test_agent"]["dependencies"], "nothing is changed before the yes"
    desk.type("approve", RUN, "--gate", "adaptation", "--no-run", code=0, person="Ada")
    assert MISSING not in desk.json(places.ROSTER)["agents"]["test_agent"]["dependencies"]
    assert desk.agents["database_agent"] == "verified"


@pytest.mark.req("OR-30")
def test_there_is_no_way_to_leave_a_role_out(approved: Example, at: At) -> None:
    """However small the plan: every doer of it has its verifier, and no option does without."""
    offered = at(approved).call("run", "orchestration", "--help").out
    assert "--replace" in offered
    assert not any(word in offered for word in ("--simple", "--no-verif", "--skip"))
    order = work_sequence.parse(approved.text(places.SEQUENCE).encode(), places.SEQUENCE)
    verified = {doer for phase in order.execution_phases for one in phase.agents for doer in one.verifies or ()}
    assert verified == set(DOERS)
