"""Conversations: what is split is put together again, and every long text is there once."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import CorruptError
from signoff.shell.run import transcripts
from signoff.shell.run.folder_store import FolderStore

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, GPT, RONDO, first, lead, page, players

from signoff.testing.stub import KEY, Stub, call, give, refuse

LONG = "a long text, " * 20
ANY_TEXT = st.text(st.characters(), max_size=20) | st.sampled_from([LONG, LONG + "\ud800", "$body", "$plain"])
NAMES = st.text(max_size=5) | st.sampled_from(["$body", "$plain"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_is_split_is_put_together_again(value: Any) -> None:
    kept: dict[str, str] = {}

    def keep(text: str) -> str:
        kept[name := str(hash(text))] = text
        return name

    halves = transcripts.split(value, keep)
    assert transcripts.join(halves, kept.__getitem__) == value
    assert set(transcripts.bodies(halves)) == kept.keys()
    assert all(len(text) > transcripts.LONG for text in kept.values())


@given(st.lists(JSON, max_size=4))
def test_what_is_kept_is_read_again(tmp_path_factory: pytest.TempPathFactory, messages: list[Any]) -> None:
    store = FolderStore(tmp_path_factory.mktemp("kept"))
    transcripts.keep(store, "run", "0001-editor", 1, messages)
    assert transcripts.read(store, "run", "0001-editor", 1) == messages
    assert transcripts.read(store, "run", "0001-editor", 2) is None


@pytest.mark.parametrize("said", ['[{"$plain": 5}]', "[" * 100_000, '[{"$body": 5}]'])
def test_a_conversation_that_somebody_changed_is_corrupt_and_never_a_crash(tmp_path: Path, said: str) -> None:
    file = tmp_path / "run/turns/0001-editor/messages-1.json"
    file.parent.mkdir(parents=True)
    file.write_text(said)
    with pytest.raises(CorruptError, match="messages-1"):
        transcripts.read(FolderStore(tmp_path), "run", "0001-editor", 1)


def test_a_body_is_written_once_and_mended_when_it_was_cut_off(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for turn in ("0001-editor", "0002-editor"):
        transcripts.keep(store, "run", turn, 1, [{"content": LONG}, {"content": LONG}])
    [body] = (tmp_path / "run/messages").iterdir()
    body.write_text("cut")
    with pytest.raises(CorruptError, match="has other bytes than its name says"):
        transcripts.read(store, "run", "0001-editor", 1)
    transcripts.keep(store, "run", "0003-editor", 1, [LONG])
    assert transcripts.read(store, "run", "0001-editor", 1) == [{"content": LONG}, {"content": LONG}]
    body.unlink()
    with pytest.raises(CorruptError, match="is missing"):
        transcripts.read(store, "run", "0001-editor", 1)
    (tmp_path / "run/turns/0001-editor/messages-1.json").write_text('[{"con')
    with pytest.raises(CorruptError, match="is invalid JSON"):
        transcripts.read(store, "run", "0001-editor", 1)


# --- of turns on models -----------------------------------------------------------------------------------------------

TURNS = ["0001-strategist", "0002-copywriter", "0003-editor-qa", "0004-copywriter", "0005-editor-qa"]


def told(root: Path, turn: str, attempt: int = 1) -> list[Any]:
    found = transcripts.read(FolderStore(root), "_workflow", turn, attempt)
    assert found is not None
    return found


@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_the_conversation_of_a_turn_is_what_the_provider_saw(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        case.on_models(model)
    for turn, asked in zip(TURNS, stub.asked, strict=True):
        request, response, *_ = told(case.root, turn)
        assert request["instructions"] in asked.system
        assert asked.text.strip() == request["parts"][0]["content"].strip()
        given_back = response["parts"][0]["args"]
        assert (given_back if isinstance(given_back, str) else json.dumps(given_back)) == case.raw(turn)
    kept = {file.name: file.read_bytes() for file in (tmp_path / "_workflow/messages").iterdir()}
    standing = [told(case.root, turn)[0]["instructions"].encode() for turn in TURNS]
    assert len(set(standing)) == 3
    assert sum(data in standing for data in kept.values()) == 3
    assert sum(map(len, kept.values())) < sum(map(len, standing)) + sum(
        len(told(case.root, turn)[0]["parts"][0]["content"].encode()) + len(case.raw(turn).encode()) for turn in TURNS
    )
    assert all(len((case.root / transcripts.place("_workflow", turn, 1)).read_bytes()) < 6_000 for turn in TURNS)


def test_nothing_of_the_key_is_in_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stub.url.replace("http://", "http://user:hush-hush@"))
        case.on_models(CLAUDE)
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert KEY.encode() not in everything
    assert b"hush-hush" not in everything


def test_tool_calls_and_their_results_are_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    reads = call("read_input", path="0-sources/brief.md")
    with Stub(first([reads], players(case.root))) as stub:
        lead(monkeypatch, stub)
        case.on_models(CLAUDE)
    parts = [part for message in told(case.root, TURNS[0]) for part in message["parts"]]
    assert [part["part_kind"] for part in parts][:4] == ["user-prompt", "tool-call", "tool-return", "tool-call"]
    assert parts[2]["content"] == (tmp_path / "0-sources/brief.md").read_text("utf-8")


def test_a_turn_that_fails_keeps_its_conversation_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    steps = [call("read_input", path="0-sources/brief.md"), refuse(400, message="no more"), give("{")]
    with Stub(first(steps, players(case.root))) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(CLAUDE).stop == "complete"
    failed = told(case.root, TURNS[0], 1)
    kinds = [part["part_kind"] for message in failed for part in message["parts"]]
    assert kinds == ["user-prompt", "tool-call", "tool-return"]
    assert told(case.root, TURNS[0], 2)[1]["parts"][0]["args"] == "{"
    assert len(told(case.root, TURNS[0], 3)) >= 2
    assert [event["kind"] for event in case.of("turn_failed")] == ["rejected"]


def test_a_conversation_that_cannot_be_kept_costs_no_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    (tmp_path / "_workflow/messages").write_text("a file where a folder belongs")
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(CLAUDE).stop == "complete"
    assert sum("could not be kept" in said for said in case.told) == len(TURNS)
    assert RONDO in case.slug
