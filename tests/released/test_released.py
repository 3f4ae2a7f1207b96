"""Projects that an earlier version made still open, replay byte for byte and go on.

Each archive is a project folder as version 0.1 left it on disk: one finished run of every workflow, and three runs that
wait for a person. They are never made again; a change that cannot read them breaks what users have.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import environment, signoff

HERE = Path(__file__).parent
RUNS = {
    "article": "quench-oil-maintenance",
    "clarify": "sales-pipeline",
    "content": "autumn-launch",
    "orchestration": "user-management",
    "solution-page": "rondo-speakerphone",
}
WAITING = ("article", "clarify", "orchestration")


def unpacked(archive: str, into: Path) -> Path:
    with tarfile.open(HERE / f"{archive}.tar.xz") as packed:
        packed.extractall(into, filter="data")
    [root] = into.iterdir()
    return root


@pytest.mark.parametrize("workflow", RUNS)
def test_a_finished_run_of_an_earlier_version_opens_and_replays(workflow: str, tmp_path: Path) -> None:
    root = unpacked(f"{workflow}-done", tmp_path)
    [run] = signoff("status", "--json", cwd=root).json["runs"]
    assert (run["workflow"], run["run"]) == (workflow, RUNS[workflow])
    replayed = signoff("replay", RUNS[workflow], "--json", cwd=root)
    assert (replayed.code, replayed.json["differences"]) == (0, {}), replayed


@pytest.mark.parametrize("workflow", WAITING)
def test_a_waiting_run_of_an_earlier_version_goes_on_to_its_end(workflow: str, tmp_path: Path) -> None:
    root = unpacked(f"{workflow}-waiting", tmp_path / "project")
    assert signoff("inbox", "--json", cwd=root).json["requests"] != []
    play = [sys.executable, HERE.parent / "crash" / "play_on.py", root, RUNS[workflow], tmp_path / "asked", workflow]
    ended = subprocess.run(play, capture_output=True, text=True, env=environment(), check=False)
    assert ended.returncode == 0, ended.stderr
    [run] = signoff("status", "--json", cwd=root).json["runs"]
    assert run["stop"] == "complete"
