"""Forks of a piece: a conversation that was open at the cut goes on from there, and nothing finished is asked again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from content_project import GOOD, HIGH, Writing, lay_out
from small_content import ONE

from signoff.service.project import Project
from signoff.service.recordings import forks

FIRST_OF = {"critic-selector": 1, "orchestrator": 2, "author": 3, "critic": 4, "the revision": 6, "the last critic": 7}


@pytest.mark.parametrize("at", FIRST_OF.values(), ids=FIRST_OF)
def test_a_piece_forked_at_any_turn_asks_from_there_on_and_ends_alike(at: int, tmp_path: Path) -> None:
    said = {ONE: [HIGH, GOOD]}
    whole = Writing(lay_out(tmp_path / "whole"), said)
    whole.run()
    made = asyncio.run(forks.fork(Project(whole.root), "small", str(at), into=tmp_path / "fork"))
    case = Writing(made.root, said)
    assert case.run().stop == "complete"
    assert case.text("content/small/content.md") == whole.text("content/small/content.md")
    workers = [key for key in whole.asked if key not in ("select", "conduct")]
    again = [key for key in case.asked if key not in ("select", "conduct")]
    assert again == workers[len(workers) - len(again) :]
    assert len(again) == len(workers) - max(0, at - 3)
    assert case.asked.count("conduct") == 1
    refused = "What was wrong with your last output" in case.briefs["0002-orchestrator"]
    assert not refused, "the conversation goes on: its last word, said of calls that the fork makes anew, is not taken"


def test_every_turn_of_the_piece_is_one_of_those(tmp_path: Path) -> None:
    case = Writing(lay_out(tmp_path), {ONE: [HIGH, GOOD]})
    assert case.run().issued == max(FIRST_OF.values())
