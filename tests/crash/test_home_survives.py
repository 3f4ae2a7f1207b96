"""Killed at any system call that writes, copies of what is at home and what is lent to it are whole or not there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from signoff.core.refs import digest
from signoff.testing import crash_harness
from signoff.testing.ptrace import Unsupported

TOYS = Path(__file__).parents[1] / "shell/home_workflows"
RUN = "tea"
COPY = f"_workflow/keepsake/{RUN}/home/other.json"


def tree(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name not in (".lock", ".stamps.json"))
    return {path.relative_to(root).as_posix(): digest(path.read_bytes()) for path in sorted(files)}


def test_a_kill_at_any_moment_leaves_whole_copies_and_whole_gifts(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def prepare(folder: Path) -> None:
        (folder / "project/_workflow").mkdir(parents=True)
        (folder / "home/.keepsake").mkdir(parents=True)
        (folder / "home/.keepsake/other.json").write_text('{"much": "of it"}\n')

    def argv(folder: Path) -> Sequence[str]:
        home = f"HOME={folder / 'home'}"
        return ["/usr/bin/env", home, sys.executable, str(TOYS / "run_it.py"), str(folder / "project"), RUN]

    def observe(folder: Path) -> crash_harness.Observation:
        return {
            **tree(folder),
            "stop": json.loads((folder / f"project/_workflow/keepsake/{RUN}/status.json").read_text()),
        }

    def check(at_crash: Path, at_end: Path) -> Sequence[str]:
        whole = tree(at_end)
        wanted = (f"project/{COPY}", "home/.keepsake/tea.json", "home/.keepsake/other.json")
        there = tree(at_crash)
        return [f"{path} was there in part" for path in wanted if there.get(path, whole[path]) != whole[path]]

    subject = crash_harness.Subject(
        prepare=prepare,
        argv=argv,
        observe=observe,
        check=check,
        env={**os.environ, "SIGNOFF_CLOCK": "revision", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    wanted = request.config.getoption("--crash-points")
    points: crash_harness.Amount = "all" if wanted == "all" else int(wanted)
    try:
        report = crash_harness.explore(subject, tmp_path / "work", points=points, recovery=1, jobs=2)
    except Unsupported as reason:
        pytest.skip(f"not tested: {reason}")
    assert not report.failures, report
    assert {point.path.rpartition("/")[2] for point in report.points} >= {"tea.json", ".other.json.tmp"}
