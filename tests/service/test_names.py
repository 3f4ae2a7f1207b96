"""Several workflows in one project: names of runs, ids that two runs know, starters of their own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

import signoff.workflows
from signoff.core.errors import RefusedError, UsageError
from signoff.service import catalog, run_control
from signoff.service.files import new_project
from signoff.service.project import Project

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import TOYS, toy


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(TOYS)])


def test_a_package_without_a_definition_is_no_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_made").mkdir()
    (tmp_path / "half_made/__init__.py").write_text("")
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(tmp_path)])
    assert {"solution-page", "quiz"} <= set(catalog.names())
    with pytest.raises(UsageError, match="there is no workflow 'half-made'"):
        catalog.workflow("half-made")


def test_two_workflows_cannot_have_runs_of_one_name(tmp_path: Path) -> None:
    new_project.start(tmp_path)
    page, quiz = catalog.workflow("solution-page"), catalog.workflow("quiz")
    asyncio.run(Project(tmp_path).begin(page, "lamp", {}))
    with pytest.raises(RefusedError, match=r"already holds a solution-page run 'lamp'.*signoff run solution-page lamp"):
        asyncio.run(run_control.begin_or_go_on(Project(tmp_path), quiz, "lamp", {}))
    asyncio.run(run_control.begin_or_go_on(Project(tmp_path), quiz, "other", {}))
    with pytest.raises(RefusedError, match=r"already holds the solution-page run 'lamp'.*one solution-page run"):
        asyncio.run(run_control.begin_or_go_on(Project(tmp_path), page, "other", {}))
    assert sorted(asyncio.run(Project(tmp_path).known())) == ["lamp", "other"]


def test_going_on_opens_the_run_of_that_workflow(tmp_path: Path) -> None:
    new_project.start(tmp_path)
    page, quiz = catalog.workflow("solution-page"), catalog.workflow("quiz")
    for workflow, run in ((page, "lamp"), (quiz, "talk")):
        asyncio.run(Project(tmp_path).begin(workflow, run, {}))
        live = asyncio.run(run_control.begin_or_go_on(Project(tmp_path), workflow, run, {}))
        assert (live.workflow, live.run, live.state.rev > 0) == (workflow, run, True)
        assert asyncio.run(Project(tmp_path).open(run)).workflow is workflow


def test_an_id_that_several_runs_know_needs_a_run(tmp_path: Path) -> None:
    for run in ("one", "two"):
        toy("run", "quiz", run, cwd=tmp_path)
    unclear = toy("trace", "Q1", cwd=tmp_path)
    assert unclear.code == 2
    assert "2 runs know 'Q1'. Valid: one, two." in unclear.err
    shown = toy("trace", "Q1", "--run", "two", cwd=tmp_path)
    assert shown.out.splitlines() == ["Q1: a question", "└─ led to", "   └─ R1.1: finer"]
    unknown = toy("trace", "Q9", cwd=tmp_path).err
    assert "no run knows an id 'Q9'; the runs here are one, two" in unknown
    assert "two knows no id 'Q9'" in toy("trace", "Q9", "--run", "two", cwd=tmp_path).err


def test_a_project_can_be_made_for_any_workflow(tmp_path: Path) -> None:
    made = new_project.start(tmp_path / "Some Talk", workflow="quiz")
    assert (made.workflow, made.slug, made.starter) == ("quiz", "some-talk", ("0-sources/topic.md",))
    ended = toy("init", "new", "--workflow", "quiz", cwd=tmp_path)
    assert ended.out.splitlines()[-3:] == [
        "Fill in 0-sources/topic.md, then:",
        "  $ cd new",
        "  $ signoff run quiz new",
    ]
    page = toy("init", "page", cwd=tmp_path).out
    assert "Fill in 0-sources/product.yaml and 0-sources/brief.md, then:" in page
    with pytest.raises(UsageError, match="one of solution-page, not of 'quiz'"):
        new_project.start(tmp_path / "x", "hardware", "quiz")
    assert not (tmp_path / "x").exists()
