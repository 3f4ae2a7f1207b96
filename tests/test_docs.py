"""Docs that execute: what is generated is current, and what the READMEs tell people to type does what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import generate  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/surfaces"))
import warm  # noqa: E402
from shell_out import CALL  # noqa: E402

FENCE = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@cache
def generated() -> Mapping[Path, str]:
    return generate.generated()


@pytest.mark.parametrize("path", sorted(generated()), ids=lambda path: path.name)
def test_what_is_generated_is_current(path: Path) -> None:
    assert path.read_text("utf-8") == generated()[path], f"run `make docs`: {path.relative_to(ROOT)} is old"


def commands(page: Path) -> str:
    return "\n".join(FENCE.findall(page.read_text("utf-8")))


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `signoff` that begins with its imports done."""
    folder = tmp_path_factory.mktemp("programs")
    warm.program(folder / "signoff", CALL)
    return folder


INSTALLED = Path(sys.executable).parent


def typed(script: str, folder: Path, *programs: Path) -> subprocess.CompletedProcess[str]:
    """Types the commands into one shell, as a person called Ada; the first folder of programs that has one wins."""
    path = os.pathsep.join([*map(str, programs), str(INSTALLED), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "SIGNOFF_PERSON": "ada", "HOME": str(folder)}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.req("SP-18")
def test_the_readme_does_what_it_says(programs: Path, tmp_path: Path) -> None:
    done = typed(commands(ROOT / "README.md"), tmp_path, programs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "my-page/4-release/rondo-speakerphone/content-cn.md").exists()
    decided = (tmp_path / "pipeline/sales-pipeline/context/decisions.md").read_text("utf-8")
    assert decided.startswith("---\nstatus: complete\n")
    assert "approved" in (tmp_path / "hawser/content/autumn-launch/summary.md").read_text("utf-8")
    assert "5 of 5 used" in (tmp_path / "quench/output/quench-oil-maintenance-report.md").read_text("utf-8")
    assert "poc_001" in (tmp_path / "users/orchestration/workflow_coordination_plan.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("workflow", "example", "status", "said"),
    [
        ("solution_page", "hardware", "_workflow/status.json", "kept as unverified"),
        ("clarify", "sales-pipeline", "_workflow/clarify/sales-pipeline/status.json", "answers"),
        ("content", "harbour-tools", "_workflow/content/autumn-launch/status.json", "approved"),
        ("article", "heat-treatment", "_workflow/article/quench-oil-maintenance/status.json", "materials.quote"),
        ("orchestration", "user-management", "_workflow/orchestration/user-management/status.json", "roster"),
    ],
)
def test_a_workflow_readme_does_what_it_says(
    workflow: str, example: str, status: str, said: str, programs: Path, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "examples" / example, tmp_path / "project")
    done = typed(commands(ROOT / f"src/signoff/workflows/{workflow}/README.md"), tmp_path / "project", programs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in (tmp_path / "project" / status).read_text("utf-8")


def test_the_installed_programs_answer(tmp_path: Path) -> None:
    done = typed("signoff --version; solution-page --help; qa-gate --help", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("signoff 0.")


def test_the_page_on_claude_code_does_what_it_says(programs: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples/hardware", tmp_path / "project")
    before = sorted(tmp_path.rglob("*"))
    done = typed(commands(ROOT / "docs/claude-code.md"), tmp_path / "project", programs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "everything is in place" in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("example", "ends"),
    [
        ("hardware", 0),
        ("algorithm", 0),
        ("escalating", 4),
        pytest.param("sales-pipeline", 0, marks=pytest.mark.slow),  # the README of the project plays these four too
        pytest.param("harbour-tools", 0, marks=pytest.mark.slow),
        pytest.param("heat-treatment", 3, marks=pytest.mark.slow),
        pytest.param("user-management", 0, marks=pytest.mark.slow),
    ],
)
def test_an_example_runs_as_its_readme_says(example: str, ends: int, programs: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    script = FENCE.findall((ROOT / f"examples/{example}/README.md").read_text("utf-8"))[0]
    done = typed(script, tmp_path, programs)
    assert done.returncode == ends, done.stdout + done.stderr


def test_links_between_docs_lead_somewhere() -> None:
    pages = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    pages += [
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("src/signoff/workflows/*/README.md"),
        *ROOT.glob("examples/*/README.md"),
    ]
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken
