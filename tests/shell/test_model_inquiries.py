"""Whole inquiries on models: the real clients of two providers, against a stub behind which scripted agents sit."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from clarify_models import NAME, inquire, without_models
from model_kit import CLAUDE, GPT, task

from signoff.testing.stub import call, give

BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
CONTEXT = f"{NAME}/context"
RUN = f"_workflow/clarify/{NAME}"


def documents(root: Path) -> dict[str, str]:
    return {file.name: file.read_text("utf-8") for file in (root / CONTEXT).glob("*.md")}


def events(root: Path, kind: str) -> list[dict[str, object]]:
    lines = (root / RUN / "journal.jsonl").read_text("utf-8").splitlines()
    found = [event for line in lines for event in json.loads(line)["events"]]
    return [event for event in found if event["type"] == kind]


@BOTH
def test_an_inquiry_goes_from_a_brief_to_decisions(model: str, tmp_path: Path) -> None:
    assert without_models(tmp_path / "scripted").state.stop == "complete"
    with inquire(tmp_path / "model", model) as asking:
        assert asking.through() == [3, 3, 0]
    agents = Counter(task(asked)[0].partition("-")[2] for asked in asking.stub.asked)
    assert agents.keys() == {
        "dimension-researcher",
        "consolidate-research",
        "detailed-research",
        "section-refiner",
        "confirm-decisions",
    }
    assert {asked.body["model"] for asked in asking.stub.asked} == {model.partition(":")[2]}
    assert documents(tmp_path / "model") == documents(tmp_path / "scripted")
    assert "status: complete" in documents(tmp_path / "model")["decisions.md"]


@BOTH
def test_researchers_are_asked_at_the_same_time_and_each_turn_has_its_price(model: str, tmp_path: Path) -> None:
    with inquire(tmp_path, model) as asking:
        ended = asking("run")
    assert ended.code == 3
    turns = [task(asked)[0] for asked in asking.stub.asked]
    assert sorted(turns[:3]) == [f"000{number}-dimension-researcher" for number in range(1, 4)]
    noted = [json.loads(file.read_text()) for file in (tmp_path / RUN / "turns").glob("*/usage-1.json")]
    assert len(noted) == len(turns) == ended.json["spend"]["turns"]
    assert {note["model"] for note in noted} == {model}
    assert all(float(note["cost"]) > 0 for note in noted)


@BOTH
def test_an_output_against_the_contract_is_asked_for_once_more_with_what_was_wrong(model: str, tmp_path: Path) -> None:
    with inquire(tmp_path, model, [give({"questions": "none"})]) as asking:
        assert asking("run").code == 3
    again = [asked for asked in asking.stub.asked if task(asked)[1] == 2]
    assert len(again) == 1
    assert "# What was wrong with your last output" in again[0].text


@BOTH
def test_a_researcher_reads_its_inputs_and_nothing_else(model: str, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/salaries.md").write_text("a secret of the house")
    steps = [call("read_input", path="private/salaries.md")]
    with inquire(tmp_path, model, steps) as asking:
        assert asking("run").code == 3
    (refused,) = events(tmp_path, "called")
    assert (refused["tool"], refused["args"]) == ("read_input", {"path": "private/salaries.md"})
    told = [asked.text for asked in asking.stub.asked if "is not an input of this turn" in asked.text]
    assert len(told) == 1
    assert not any("a secret of the house" in asked.text for asked in asking.stub.asked)
