"""Killed at any system call that writes, a fork is not there or is whole, and where it comes from is untouched."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
from page_project import RONDO, Case, lay_out

from signoff.core.refs import digest
from signoff.testing import crash_harness
from signoff.testing.ptrace import Unsupported

HERE = Path(__file__).parent


def tree(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name not in (".lock", ".stamps.json"))
    return {path.relative_to(root).as_posix(): digest(path.read_bytes()) for path in sorted(files)}


def test_a_kill_leaves_a_whole_fork_or_none(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    origin = lay_out(tmp_path / "finished")
    Case(origin).run()

    def prepare(folder: Path) -> None:
        shutil.copytree(origin, folder / "project")

    def argv(folder: Path) -> Sequence[str]:
        return [sys.executable, str(HERE / "fork_it.py"), str(folder / "project"), RONDO, "3", str(folder / "fork")]

    def observe(folder: Path) -> crash_harness.Observation:
        assert (folder / "fork").is_dir()
        return tree(folder)

    def check(at_crash: Path, at_end: Path) -> Sequence[str]:
        there, changed = (at_crash / "fork").exists(), tree(at_crash / "project") != tree(origin)
        part = there and tree(at_crash / "fork") != tree(at_end / "fork")
        return ["a part of a fork was left"] * part + ["the project was changed"] * changed

    subject = crash_harness.Subject(
        prepare=prepare,
        argv=argv,
        observe=observe,
        check=check,
        env={**os.environ, "SIGNOFF_CLOCK": "revision", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    wanted = request.config.getoption("--crash-points")
    points: crash_harness.Amount = "all" if wanted == "all" else int(wanted) // 2
    try:
        report = crash_harness.explore(subject, tmp_path / "work", points=points, recovery=1, jobs=2)
    except Unsupported as reason:
        pytest.skip(f"not tested: {reason}")
    assert not report.failures, report
    assert len(report.points) > 50
