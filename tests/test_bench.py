"""The bench runs and reports every figure; how fast this machine is, no test decides."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_bench_reports_every_figure_with_its_ratio_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "--quick", "--json"]
    env = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["file_system"]
    parts = {
        "article",
        "clarify",
        "content",
        "corpus",
        "durable",
        "gates",
        "sequencing",
        "start",
        "status",
        "truth",
        "wide",
        "work",
    }
    assert set(told["parts"]) == parts
    for part, said in told["parts"].items():
        assert said["figures"], part
        for figure in said["figures"]:
            assert figure["value"] > 0, figure
            assert figure["ratio"] > 0, figure
            assert figure["of"], figure
    assert "signoff --help, whole" in {figure["name"] for figure in told["parts"]["start"]["figures"]}
    assert told["parts"]["durable"]["notes"]["fsynced per turn"]
    assert list(tmp_path.iterdir()) == []
