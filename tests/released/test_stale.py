"""`status`, `inbox` and `trace` notice what was edited after a run of any workflow was complete, before any step."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
sys.path.insert(0, str(Path(__file__).parent))
from shell_out import signoff
from test_released import RUNS, unpacked

PLACES = {
    "article": (
        "0-sources/brief.md",
        "knowledge/quench-oil-maintenance-sources.md",
        "drafts/quench-oil-maintenance.md",
        "output/quench-oil-maintenance.md",
    ),
    "clarify": (
        "0-sources/interviews/finance.md",
        "sales-pipeline/context/research/data.md",
        "sales-pipeline/context/clarifications.md",
        "sales-pipeline/context/decisions.md",
    ),
    "content": ("ideas/autumn-launch.md", "foundation/positioning.md", "content/autumn-launch/content.md"),
    "orchestration": (
        "0-sources/wsgi.md",
        "orchestration/architecture_decisions.md",
        "orchestration/agents/api_agent/task_output/endpoints.md",
        "app/api.py",
    ),
    "solution-page": (
        "0-sources/specs/rondo.yaml",
        "0-sources/reports/rondo-test.pdf",
        "_shared/claims-registry.yaml",
        "3-drafts/rondo-speakerphone/content-en.md",
        "4-release/rondo-speakerphone/content-cn.md",
    ),
}
"""Of each workflow a source, evidence or what the agents worked from, a document and an output."""


@pytest.fixture(params=RUNS)
def done(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A finished run, at which this version looked once."""
    root = unpacked(f"{request.param}-done", tmp_path)
    assert signoff("resume", RUNS[request.param], cwd=root).code == 0
    return request.param, root


def shown(root: Path) -> dict[str, object]:
    [run] = signoff("status", "--json", cwd=root).json["runs"]
    return dict(run)


@pytest.mark.req("EV-8")
def test_each_file_that_is_edited_or_removed_after_the_end_is_named_at_once(done: tuple[str, Path]) -> None:
    workflow, root = done
    assert "edited" not in shown(root)
    for path in PLACES[workflow]:
        file = root / path
        data = file.read_bytes()
        file.write_bytes(data + b"\n")
        found = shown(root)
        assert (found["stop"], found["edited"]) == ("complete", {path: "changed"})
        file.unlink()
        assert shown(root)["edited"] == {path: "gone"}
        file.write_bytes(data)
        assert "edited" not in shown(root), "the same bytes at another time are no edit"


@pytest.mark.req("EV-8")
def test_a_stale_run_waits_for_the_person_who_is_told_what_changed_and_what_to_type(done: tuple[str, Path]) -> None:
    workflow, root = done
    path = PLACES[workflow][0]
    with (root / path).open("ab") as file:
        file.write(b"# an afterthought\n")
    told = signoff("status", cwd=root).out
    assert f"stale: {path} changed; `signoff resume {RUNS[workflow]}`" in told
    [request] = signoff("inbox", "--json", cwd=root).json["requests"]
    assert request["question"].startswith(f"{path} changed since {RUNS[workflow]} was complete.")
    assert request["answers"] == [f"signoff resume {RUNS[workflow]}"]
    assert f"{path} changed since" in signoff("inbox", cwd=root).out
    assert f"{path} changed since" in signoff(cwd=root).out


def test_a_run_that_an_earlier_version_left_still_shows_where_it_stands(tmp_path: Path) -> None:
    root = unpacked("content-done", tmp_path)
    (root / "ideas/autumn-launch.md").unlink()
    found = shown(root)
    assert (found["stop"], "edited" in found) == ("complete", False)


def test_the_list_of_an_earlier_version_is_added_without_a_word(tmp_path: Path) -> None:
    root = unpacked("solution-page-done", tmp_path)
    resumed = signoff("resume", RUNS["solution-page"], cwd=root)
    assert "edited by hand" not in resumed.out + resumed.err
    assert not (root / "_workflow/edited").exists()
    listed = json.loads((root / "_workflow/status.json").read_text("utf-8"))["documents"]
    assert "0-sources/specs/rondo.yaml" in listed["files"]


@pytest.mark.req("EV-8")
def test_trace_says_that_the_evidence_it_shows_was_edited(tmp_path: Path) -> None:
    root = unpacked("solution-page-done", tmp_path)
    claim = "C-RS-001"
    assert "edited" not in signoff("trace", claim, "--json", cwd=root).json
    source = root / "0-sources/specs/rondo.yaml"
    source.write_bytes(source.read_bytes() + b"# edited\n")
    assert signoff("trace", claim, "--json", cwd=root).json["edited"] == {"0-sources/specs/rondo.yaml": "changed"}
    first = signoff("trace", claim, cwd=root).out.splitlines()[0]
    assert first == "stale: 0-sources/specs/rondo.yaml changed; `signoff resume rondo-speakerphone`"


def test_a_run_that_was_resumed_after_an_edit_no_longer_says_that_it_was_not_looked_at(tmp_path: Path) -> None:
    root = unpacked("solution-page-done", tmp_path)
    signoff("resume", RUNS["solution-page"], cwd=root)
    (root / "0-sources/new.md").write_text("More.\n")
    assert shown(root)["edited"] == {"0-sources/new.md": "new"}
    signoff("resume", RUNS["solution-page"], cwd=root, person="ada")
    assert "edited" not in shown(root)


def test_a_file_in_the_place_of_another_with_its_size_and_time_is_read(tmp_path: Path) -> None:
    root = unpacked("content-done", tmp_path)
    signoff("resume", RUNS["content"], cwd=root)
    file = root / "ideas/autumn-launch.md"
    was, data = file.stat(), file.read_bytes()
    file.write_bytes(data[:-2] + b"x\n")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert shown(root)["edited"] == {"ideas/autumn-launch.md": "changed"}
