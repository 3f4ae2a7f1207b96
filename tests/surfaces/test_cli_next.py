"""`signoff` alone says what waits and what to type; `status NAME` finds a run by its name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from shell_out import signoff, toy

pytestmark = pytest.mark.req("LB-9")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a run that waits, one that is open and one that is done."""
    folder = tmp_path_factory.mktemp("project")
    for run in ("lamp", "vase"):
        assert toy("run", "quiz", run, cwd=folder).code == 3
    assert toy("choose", "lamp", "done", cwd=folder).code == 0
    _state(folder, "cup", turns=[{"turn": "0001-x", "agent": "x", "attempt": 1}])
    return folder


def _state(folder: Path, run: str, **more: object) -> None:
    home = folder / "_workflow/quiz" / run
    home.mkdir(parents=True)
    (home / "status.json").write_text(json.dumps({"run": run, "workflow": "quiz", "requests": [], **more}))


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


# --- signoff alone ----------------------------------------------------------------------------------------------------


def test_signoff_alone_shows_the_runs_the_requests_and_the_commands(project: Path) -> None:
    ended = toy(cwd=project)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "vase (quiz): waits for a person: gate",
        "  $ signoff resume vase  # asks you here, and goes on",
        "  choice: Is it enough?",
        "  $ signoff answer vase  # answer the questions one by one",
        "  $ signoff choose vase more  # Asks once more.",
        "  $ signoff choose vase done  # Ends the quiz as it is.",
        "cup (quiz): open: x",
        "  $ signoff resume cup",
        "lamp (quiz): complete",
        "",
        "1 of 3 runs waits for you.",
    ]


def test_in_a_folder_of_the_project_it_says_the_same(project: Path) -> None:
    assert toy(cwd=project / "lamp").out == toy(cwd=project).out


def test_above_projects_it_shows_theirs_and_the_commands_name_them(project: Path) -> None:
    lines = toy(cwd=project.parent).out.splitlines()
    assert lines[0] == "vase (quiz, in project): waits for a person: gate"
    assert lines[1] == f"  $ signoff resume vase --project {project}  # asks you here, and goes on"


def test_outside_of_a_project_it_says_how_to_begin(tmp_path: Path) -> None:
    ended = signoff(cwd=tmp_path)
    assert ended.code == 0
    assert "not in a Signoff project" in ended.out
    for command in ("signoff demo", "signoff init", "signoff --help"):
        assert f"$ {command} " in ended.out


def test_in_a_project_without_a_run_it_says_how_to_begin_one(tmp_path: Path) -> None:
    signoff("init", "--workflow", "clarify", cwd=tmp_path)
    ended = signoff(cwd=tmp_path)
    assert (ended.code, ended.out.splitlines()[0]) == (0, f"No run has begun in {tmp_path}.")
    assert "$ signoff run " in ended.out


def test_help_is_still_help(tmp_path: Path) -> None:
    assert signoff("--help", cwd=tmp_path).out.startswith("Usage: signoff ")


# --- by name ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["status", "inbox", "cost"])
@pytest.mark.parametrize("below", [".", "vase"])
def test_a_run_is_found_by_its_name_even_if_a_folder_has_it_too(project: Path, command: str, below: str) -> None:
    assert (project / "lamp").is_dir()
    assert signoff(command, "vase", "--json", cwd=project / below).code == 0
    if command == "status":
        [run] = signoff("status", "lamp", "--json", cwd=project / below).json["runs"]
        assert (run["run"], run["stop"]) == ("lamp", "complete")


def test_a_folder_is_still_a_folder(project: Path) -> None:
    below = signoff("status", "./lamp", cwd=project)
    assert (below.code, "No run has begun in" in below.out) == (0, True)
    runs = signoff("status", "project", "--json", cwd=project.parent).json["runs"]
    assert {run["run"] for run in runs} == {"cup", "lamp", "vase"}


def test_a_name_that_is_neither_gives_the_runs_that_there_are(project: Path) -> None:
    ended = signoff("status", "bowl", cwd=project)
    assert ended.code == 2
    assert ended.err == (
        f"'bowl' is neither a run in {project} nor a folder. Valid: cup, lamp, vase. Repair: name one of them.\n"
    )
