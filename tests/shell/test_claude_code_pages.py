"""Whole pages on the real Claude Code, against a stub behind which the role players sit."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from headless_kit import CLAUDE, SONNET, lead, needs_claude, on_claude, page, players, task, turns
from model_kit import CN, EN, files

from signoff.shell.run import transcripts
from signoff.shell.run.folder_store import FolderStore
from signoff.testing.stub import Stub

TURNS = ["0001-strategist", "0002-copywriter", "0003-editor-qa", "0004-copywriter", "0005-editor-qa"]
PRODUCTS = ("1-planning/", "3-drafts/", "4-release/", "_shared/")


@needs_claude
def test_a_page_is_made_from_sources_to_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offline = page(tmp_path / "offline")
    offline.drive()
    case = page(tmp_path / "claude")
    heard: list[tuple[str, int]] = []
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        state = on_claude(case, heard=lambda turn, characters: heard.append((turn, characters)))
    assert (state.stop, state.spend.turns, state.spend.unpriced) == ("complete", 5, 0)
    assert [task(asked) for asked in turns(stub)] == [(turn, 1) for turn in TURNS]
    made = {name: sha for name, sha in files(case.root).items() if name.startswith(PRODUCTS)}
    assert made == {name: sha for name, sha in files(offline.root).items() if name.startswith(PRODUCTS)}
    assert {EN, CN} <= files(case.root).keys()
    assert case.of("called") == []
    for turn in TURNS:
        counts = [characters for one, characters in heard if one == turn]
        assert (counts, counts[-1]) == (sorted(counts), len(case.raw(turn)))
    for asked, turn in zip(turns(stub), TURNS, strict=True):
        brief = (case.root / f"_workflow/turns/{turn}/brief-1.md").read_text("utf-8")
        standing, _, rest = brief.partition("\n# Task ")
        assert standing.rstrip("\n") in asked.system
        assert asked.text.strip() == f"# Task {rest}".strip()
        assert set(asked.tools) == {"Read", "Glob", "Grep", "StructuredOutput"}
        assert asked.body["model"] == SONNET
    noted = [case.usage(turn) for turn in TURNS]
    assert {(note["runtime"], note["model"]) for note in noted} == {("claude-code", CLAUDE)}
    assert all(note["input_tokens"] >= note["cached_tokens"] and note["output_tokens"] for note in noted)
    assert sum(Decimal(note["cost"]) for note in noted) == state.spend.cost > 0
    for asked, turn in zip(turns(stub), TURNS, strict=True):
        told, given, *said = transcripts.read(FolderStore(case.root), "_workflow", turn, 1) or ()
        assert told["content"].strip() in asked.system
        assert given["content"].strip() == asked.text.strip()
        blocks = [block for one in said if one["role"] == "assistant" for block in one["content"]]
        outputs = [block["input"] for block in blocks if "input" in block]
        assert json.loads(case.raw(turn)) in outputs
    for early, late in ((1, 3), (2, 4)):
        assert turns(stub)[early].body["system"] == turns(stub)[late].body["system"]
        assert (noted[early]["cached_tokens"], noted[late]["cached_tokens"] > 5_000) == (0, True)
