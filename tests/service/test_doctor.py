"""The doctor: three questions to the runtime, and whether machine and journals are sound."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from signoff.core.commands import StartTurn
from signoff.core.declarations import Effects, Now
from signoff.core.workflow import Limits, Workflow
from signoff.service import catalog, doctor, run_control
from signoff.service.doctor import machine, runtimes
from signoff.service.project import Project
from signoff.shell.runtimes.runtime import Offline
from signoff.testing.stub import Stub, refuse, say

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import CALL, environment, signoff


@pytest.fixture
def workflow() -> Workflow:
    return catalog.workflow("solution-page")


@pytest.mark.req("SP-19")
def test_the_offline_runtime_gets_a_named_result_for_each_of_the_three_questions(tmp_path: Path) -> None:
    results = asyncio.run(doctor.examine(tmp_path, doctor.Wanted("offline")))
    by_name = {result.name.split(" (")[0]: result for result in results}
    assert by_name["context isolation"].ok is True
    assert by_name["agent calls agent"].ok is None
    assert "not needed" in by_name["agent calls agent"].said
    assert by_name["skill loading"].ok is True
    assert not doctor.failed(results)


@pytest.mark.req("SP-19")
def test_an_agent_that_could_start_another_would_be_found(workflow: Workflow) -> None:
    agent = next(iter(workflow.agent_names))
    more = StartTurn(key="more", agent=agent, contract=workflow.agent(agent).contract, task="t")
    loose = replace(workflow, steps=lambda _now: _starting(_now, more), limits=Limits(budget=_plenty))
    assert runtimes.calls_agent(loose, tools=("start_turn",)).ok is False


def _starting(now: Now, more: StartTurn) -> Effects:
    return Effects(now.state.own, (more,))


def _plenty(_state: Any, _look: Any) -> Any:
    from signoff.core.budget import Budget

    return Budget()


@pytest.mark.req("SP-19")
def test_an_unknown_skill_of_a_projects_own_agent_file_is_found(workflow: Workflow, tmp_path: Path) -> None:
    own = tmp_path / ".promptpack/agents/copywriter.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\nname: copywriter\ndescription: x\nmodel: y\nskills: [juggling]\n---\nWrite.\n")
    result = runtimes.skills(workflow, Project(tmp_path))
    assert result.ok is False
    assert "juggling" in result.said


@pytest.mark.parametrize(("version", "ok"), [((3, 10, 9), False), ((3, 11, 0), True), ((3, 14, 1), True)])
def test_an_old_python_is_named(version: tuple[int, ...], ok: bool) -> None:
    assert machine.python(version).ok is ok


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("environment", "ok", "said"),
    [
        ({}, None, "BRAVE_API_KEY is not set"),
        ({"BRAVE_API_KEY": "a b"}, None, "BRAVE_API_KEY holds characters that no key has"),
        ({"BRAVE_API_KEY": "BSA"}, True, "BRAVE_API_KEY is set"),
    ],
)
def test_it_is_said_where_documents_can_be_looked_for(environment: dict[str, str], ok: bool | None, said: str) -> None:
    folder, web = machine.looking(environment)
    assert (folder.name, folder.ok, web.name, web.ok) == ("search in a folder", True, "search on the web", ok)
    assert said in web.said
    assert bool(web.mending) == (ok is None)


def test_a_folder_that_is_not_there_cannot_be_written(tmp_path: Path) -> None:
    assert machine.writable(tmp_path).ok is True
    assert machine.writable(tmp_path / "gone").ok is False


def test_a_journal_that_does_not_add_up_fails_the_doctor(tmp_path: Path) -> None:
    project = tmp_path / "page"
    assert signoff("demo", "solution-page", project, cwd=tmp_path).code == 0
    journal = project / "_workflow/journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:1], *lines[2:]]))
    ended = signoff("doctor", "--json", cwd=project)
    assert ended.code == 1
    assert [result["ok"] for result in ended.json["results"] if result["name"] == "journal _workflow"] == [False]


# --- every runtime ----------------------------------------------------------------------------------------------------


def results(ended: Any) -> dict[str, dict[str, Any]]:
    return {result["name"]: result for result in ended.json["results"]}


def test_every_runtime_is_said_to_work_here_or_why_it_does_not(tmp_path: Path) -> None:
    ended = signoff("doctor", "--json", cwd=tmp_path)
    found = results(ended)
    assert (ended.code, ended.json["ok"], ended.json["runtime"]) == (0, True, None)
    assert [name for name in found if name.startswith("runtime ")] == [f"runtime {name}" for name in run_control.LABELS]
    assert (found["runtime offline"]["ok"], found["runtime host"]["ok"]) == (True, True)
    assert found["runtime model"]["ok"] is None, "a key that nobody has set is no failure of the machine"
    assert "ANTHROPIC_API_KEY is not set" in found["runtime model"]["said"]
    assert "set ANTHROPIC_API_KEY" in found["runtime model"]["repair"]
    assert all(result.keys() == {"name", "ok", "said", "repair"} for result in ended.json["results"])


@pytest.mark.slow
def test_people_are_told_the_same_with_the_repair_below(tmp_path: Path) -> None:
    with Stub([]) as stub:
        ended = signoff("doctor", cwd=tmp_path, **{**stub.environment(), "ANTHROPIC_API_KEY": ""})
        ready = signoff("doctor", cwd=tmp_path, **stub.environment())
    assert ended.code == ready.code == 0
    assert "-     runtime model: does not work here: " in ended.out
    assert "      Repair: set ANTHROPIC_API_KEY" in ended.out
    assert "ok    runtime model: works here: language models" in ready.out
    assert stub.asked == []


@pytest.mark.req("SP-19")
@pytest.mark.parametrize(("runtime", "isolation"), [("offline", True), ("model", True), ("host", None)])
def test_each_of_the_three_questions_has_a_result_for_every_runtime(
    runtime: str, isolation: bool | None, tmp_path: Path
) -> None:
    with Stub([]) as stub:
        ended = signoff("doctor", "--runtime", runtime, "--json", cwd=tmp_path, **stub.environment())
    assert (ended.code, stub.asked) == (0, [])
    found = results(ended)
    able = [
        name for name in catalog.names() if runtime != run_control.OFFLINE or catalog.workflow(name).by_code.players
    ]
    assert able == (["solution-page"] if runtime == run_control.OFFLINE else list(catalog.names()))
    for workflow in able:
        where = f"({workflow}, {run_control.LABELS[runtime]})"
        assert found[f"context isolation {where}"]["ok"] is isolation
        assert found[f"agent calls agent {where}"]["ok"] is None
        assert found[f"skill loading {where}"]["ok"] is True


@pytest.mark.req("SP-19")
def test_a_runtime_that_lets_a_turn_see_more_would_be_found(workflow: Workflow) -> None:
    @dataclass(frozen=True)
    class Loose(Offline):
        async def spy(self, assignment: Any, tools: Any, paths: Any) -> str:
            root = Path(tools.library.store.root)
            files = [root / path for path in paths if (root / path).is_file()]
            return await super().spy(assignment, tools, paths) + "".join(file.read_text() for file in files)

    result = asyncio.run(runtimes._isolation(workflow, Loose(workflow.by_code.players)))
    assert (result.ok, result.said) == (False, "a turn saw what it was not given")


def test_a_runtime_that_is_asked_for_and_cannot_work_fails_the_doctor(tmp_path: Path) -> None:
    ended = signoff("doctor", "--runtime", "model", "--json", cwd=tmp_path)
    assert ended.code == 1
    assert [one["ok"] for name, one in results(ended).items() if name.startswith("ready ")] == [False] * len(
        catalog.names()
    )


@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-5", "openai:gpt-5"])
def test_models_are_asked_once_each_when_somebody_wants_that(model: str, tmp_path: Path) -> None:
    call = ("doctor", "--runtime", "model", "--model", model, "--model", "editor-qa=anthropic:claude-haiku-4-5")
    with Stub([replace(say("yes"), times=None)]) as stub:
        ended = signoff(*call, "--try", "--json", cwd=tmp_path, **stub.environment())
    asked = {name: one for name, one in results(ended).items() if name.startswith("asked ")}
    assert ended.code == 0
    assert asked.keys() == {f"asked {model}", "asked anthropic:claude-haiku-4-5"}
    assert all(one["ok"] and "it answered, for " in one["said"] and "USD" in one["said"] for one in asked.values())
    assert sorted(one.body["model"] for one in stub.asked) == sorted([model.partition(":")[2], "claude-haiku-4-5"])


def test_a_model_that_does_not_answer_fails_the_doctor_with_the_reason(tmp_path: Path) -> None:
    call = ("doctor", "--runtime", "model", "--model", "openai:gpt-5", "--try", "--json")
    with Stub([refuse(404, times=None, message="no such model")]) as stub:
        ended = signoff(*call, cwd=tmp_path, **stub.environment())
        wrong = signoff(*call, cwd=tmp_path, **stub.environment("wrong"))
    assert (ended.code, wrong.code) == (1, 1)
    assert "does not know openai:gpt-5" in results(ended)["asked openai:gpt-5"]["said"]
    assert "OPENAI_API_KEY" in results(wrong)["asked openai:gpt-5"]["repair"]


@pytest.mark.parametrize("args", [("--try",), ("--model", "openai:gpt-5"), ("--runtime", "modle")])
def test_what_does_not_go_together_is_a_usage_error(args: tuple[str, ...], tmp_path: Path) -> None:
    ended = signoff("doctor", *args, cwd=tmp_path)
    assert ended.code == 2
    assert "Repair: " in ended.err


# --- hosts ------------------------------------------------------------------------------------------------------------


def told(root: Path, entry: Any) -> None:
    (root / ".mcp.json").write_text(json.dumps(entry))


def test_the_server_that_a_host_would_start_is_started_and_lists_its_tools(tmp_path: Path) -> None:
    call = [sys.executable, "-c", CALL, "mcp", "--project", str(tmp_path)]
    told(tmp_path, {"mcpServers": {"signoff": {"command": call[0], "args": call[1:]}}})
    ended = signoff("doctor", "--runtime", "host", "--json", cwd=tmp_path)
    assert ended.code == 0
    assert results(ended)[".mcp.json"]["ok"] is True
    assert "next_turn, write_file, run_command, submit_turn" in results(ended)["server"]["said"]


@pytest.mark.parametrize(
    ("entry", "where", "said"),
    [
        ({"mcpServers": {"other": {}}}, ".mcp.json", "names no server signoff"),
        (["signoff"], ".mcp.json", "names no server signoff"),
        ({"mcpServers": {"signoff": {"args": ["mcp"]}}}, ".mcp.json", "neither a command nor an address"),
        ({"mcpServers": {"signoff": {"command": "no-such-program"}}}, "server", "does not serve"),
        ({"mcpServers": {"signoff": {"command": sys.executable, "args": ["-c", ""]}}}, "server", "does not serve"),
        ({"mcpServers": {"signoff": {"url": "http://127.0.0.1:9/mcp"}}}, "server", "http://127.0.0.1:9/mcp"),
    ],
)
def test_a_server_that_no_host_would_find_is_said_with_the_repair(
    entry: Any, where: str, said: str, tmp_path: Path
) -> None:
    told(tmp_path, entry)
    ended = signoff("doctor", "--runtime", "host", "--json", cwd=tmp_path)
    assert ended.code == 1
    assert results(ended)[where]["ok"] is False
    assert said in results(ended)[where]["said"]
    assert "signoff mcp --json" in results(ended)[where]["repair"]


def test_without_the_extra_the_host_says_how_to_install_it(tmp_path: Path) -> None:
    code = f"""
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "mcp" else found(name, *more)
{CALL}"""
    call = [sys.executable, "-c", code, "doctor", "--json"]
    done = subprocess.run(call, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    host = next(one for one in json.loads(done.stdout)["results"] if one["name"] == "runtime host")
    assert (host["ok"], "signoff[mcp]" in host["repair"]) == (None, True)
