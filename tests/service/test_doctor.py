"""The doctor: three questions to the runtime, and whether machine and journals are sound."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.core.commands import StartTurn
from signoff.core.workflow import Effects, Now, Workflow
from signoff.service import catalog, doctor
from signoff.service.project import Project

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import signoff


@pytest.fixture
def workflow() -> Workflow:
    return catalog.workflow("solution-page")


@pytest.mark.req("SP-19")
def test_the_offline_runtime_gets_a_named_result_for_each_of_the_three_questions(tmp_path: Path) -> None:
    results = asyncio.run(doctor.examine(tmp_path, "offline"))
    by_name = {result.name.split(" (")[0]: result for result in results}
    assert by_name["context isolation"].ok is True
    assert by_name["agent calls agent"].ok is None
    assert "not needed" in by_name["agent calls agent"].said
    assert by_name["skill loading"].ok is True
    assert not doctor.failed(results)


@pytest.mark.req("SP-19")
def test_an_agent_that_could_start_another_would_be_found(workflow: Workflow) -> None:
    agent = next(iter(workflow.agents))
    more = StartTurn(key="more", agent=agent, contract=workflow.agents[agent].contract, task="t")
    loose = replace(workflow, step=lambda _now: _starting(_now, more), budget=_plenty)
    assert doctor.calls_agent(loose, tools=("start_turn",)).ok is False


def _starting(now: Now, more: StartTurn) -> Effects:
    return Effects(now.state.own, (more,))


def _plenty(_state: Any, _look: Any) -> Any:
    from signoff.core.policies import Budget

    return Budget()


@pytest.mark.req("SP-19")
def test_an_unknown_skill_of_a_projects_own_agent_file_is_found(workflow: Workflow, tmp_path: Path) -> None:
    own = tmp_path / ".promptpack/agents/copywriter.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\nname: copywriter\ndescription: x\nmodel: y\nskills: [juggling]\n---\nWrite.\n")
    result = doctor.skills(workflow, Project(tmp_path))
    assert result.ok is False
    assert "juggling" in result.said


@pytest.mark.parametrize(("version", "ok"), [((3, 10, 9), False), ((3, 11, 0), True), ((3, 14, 1), True)])
def test_an_old_python_is_named(version: tuple[int, ...], ok: bool) -> None:
    assert doctor.python(version).ok is ok


def test_a_folder_that_is_not_there_cannot_be_written(tmp_path: Path) -> None:
    assert doctor.writable(tmp_path).ok is True
    assert doctor.writable(tmp_path / "gone").ok is False


def test_a_journal_that_does_not_add_up_fails_the_doctor(tmp_path: Path) -> None:
    project = tmp_path / "page"
    assert signoff("demo", project, cwd=tmp_path).code == 0
    assert signoff("doctor", cwd=project).code == 0
    journal = project / "_workflow/journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:1], *lines[2:]]))
    ended = signoff("doctor", "--json", cwd=project)
    assert ended.code == 1
    assert [result["ok"] for result in ended.json["results"] if result["name"] == "journal _workflow"] == [False]
