"""`signoff cost`, and the limits of the command line, as real processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell_out import signoff

RONDO = "rondo-speakerphone"
BEGIN = ("run", "solution-page", RONDO)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    assert signoff("init", "page", "--example", "hardware", cwd=tmp_path).code == 0
    return tmp_path / "page"


def journal(page: Path) -> list[dict[str, object]]:
    lines = (page / "_workflow/journal.jsonl").read_text("utf-8").splitlines()
    return [event for line in lines for event in json.loads(line)["events"]]


def test_a_limit_stops_a_run_before_a_turn_begins_and_resume_raises_it(page: Path) -> None:
    ended = signoff(*BEGIN, "--runtime", "host", "--max-cost", "0", cwd=page)
    assert ended.code == 5
    assert "script: at most 0.00 USD for this run" in ended.out
    assert "used: 0.00 of 0.00 USD" in ended.out
    assert "0 of 0 USD are used; resume with a larger --max-cost." in ended.out
    assert "0.00 of 0.00 USD" in signoff("status", cwd=page).out
    ended = signoff("resume", RONDO, "--runtime", "host", "--max-cost", "5", cwd=page, person="ada")
    assert (ended.code, "open turn: 0001-strategist, attempt 1" in ended.out) == (3, True)
    signoff("resume", RONDO, "--runtime", "host", "--max-cost", "5.0", cwd=page, person="ada")
    limited = [(event["cost"], event["by"]) for event in journal(page) if event["type"] == "limited"]
    assert limited == [("0", "script"), ("5", "person:ada")], "what changes nothing is not entered again"
    assert signoff("replay", RONDO, cwd=page).code == 0


def test_the_ledger_of_a_run_and_of_a_folder_of_projects(page: Path) -> None:
    assert signoff(*BEGIN, "--max-cost", "0", "--max-tokens", "1000", cwd=page).code == 0
    ended = signoff("cost", cwd=page)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "RUN                 WORKFLOW       MODEL    TURNS  ATTEMPTS  IN  OUT  CACHED   USD",
        f"{RONDO}  solution-page  offline      5         5   0    0       0  0.00",
        "total: 0.00 USD, 0 tokens, 5 turns (5 attempts)",
        f"limit of {RONDO}: 0 of 1000 tokens, 0.00 of 0.00 USD (1000 tokens and 0.00 USD left)",
    ]
    by_turn = signoff("cost", RONDO, cwd=page).out.splitlines()
    assert [line.split()[0] for line in by_turn[1:6]] == [
        "0001-strategist", "0002-copywriter", "0003-editor-qa", "0004-copywriter", "0005-editor-qa",
    ]  # fmt: skip
    found = signoff("cost", page.parent, "--by", "agent", "--json", cwd=page.parent).json
    assert [(row["agent"], row["turns"], row["cost"]) for row in found["rows"]] == [
        ("strategist", 1, "0"), ("copywriter", 2, "0"), ("editor-qa", 2, "0"),
    ]  # fmt: skip
    assert found["limits"][0]["left"] == {"tokens": 1000, "cost": "0"}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((*BEGIN, "--max-cost", "-1"), "--max-cost is '-1'. Valid: USD from 0"),
        ((*BEGIN, "--max-tokens", "nan"), "--max-tokens is 'nan'. Valid: a whole number from 1"),
        (("choose", RONDO, "--max-cost", "1"), "a limit is set when a run moves"),
        (("cost", "--by", "moon"), "--by is 'moon'. Valid: run, agent, model, turn"),
        (("cost", "nobody"), "'nobody' is neither a run in "),
    ],
)
def test_what_means_nothing_is_a_usage_error_and_begins_nothing(page: Path, args: tuple[str, ...], said: str) -> None:
    ended = signoff(*args, cwd=page)
    assert (ended.code, said in ended.err) == (2, True), ended.err
    assert not (page / "_workflow/journal.jsonl").exists()
