"""The demo: copied, run, summed up."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import signoff


def test_the_demo_ends_complete_with_all_gates_green_and_all_claims_verified(tmp_path: Path) -> None:
    told = signoff("demo", "solution-page", "--json", cwd=tmp_path).json
    assert told["exit"] == 0
    assert told["runtime"] == "code that assembles a page from its sheet"
    assert set(told["summary"]["gates"].values()) == {"pass"}
    assert told["summary"]["claims"]["used"] == told["summary"]["claims"]["verified"] > 10
    project = tmp_path / "demo/rondo-speakerphone"
    assert all((project / path).is_file() for path in (*told["outputs"], told["summary"]["registry"]))
    for line in told["next"][1:]:
        assert signoff(*line.split()[1:], cwd=project).code == 0, line


def test_a_second_demo_leaves_the_first_alone_and_says_where_it_went(tmp_path: Path) -> None:
    (tmp_path / "demo/tarn-edge-gateway").mkdir(parents=True)
    ended = signoff("demo", "solution-page", "--example", "escalating", cwd=tmp_path)
    assert ended.code == 4
    assert "copied to demo/tarn-edge-gateway-2" in ended.out
    assert "red: " in ended.out
    assert list((tmp_path / "demo/tarn-edge-gateway").iterdir()) == []
