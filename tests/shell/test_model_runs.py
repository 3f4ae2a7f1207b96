"""Whole pages on models: the real clients of two providers, against a stub behind which the role players sit."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, CN, EN, GPT, RONDO, files, first, lead, page, players, task

from signoff.testing.stub import Asked, Step, Stub, call, give, say

BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
TURNS = ["0001-strategist", "0002-copywriter", "0003-editor-qa", "0004-copywriter", "0005-editor-qa"]


@BOTH
def test_a_page_is_made_from_sources_to_release(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offline = page(tmp_path / "offline")
    offline.drive()
    case = page(tmp_path / "model")
    heard: list[tuple[str, int]] = []
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model, heard=lambda turn, characters: heard.append((turn, characters)))
    assert (state.stop, state.spend.turns, state.spend.unpriced) == ("complete", 5, 0)
    assert [task(asked) for asked in stub.asked] == [(turn, 1) for turn in TURNS]
    assert all(asked.stream for asked in stub.asked)
    products = ("1-planning/", "3-drafts/", "4-release/", "_shared/")
    made = {name: sha for name, sha in files(case.root).items() if name.startswith(products)}
    assert made == {name: sha for name, sha in files(offline.root).items() if name.startswith(products)}
    for turn in TURNS:
        counts = [characters for one, characters in heard if one == turn]
        assert counts == sorted(counts)
        assert counts[-1] == len(case.raw(turn))
    assert {EN, CN} <= files(case.root).keys()


@BOTH
def test_what_every_turn_of_a_role_shares_comes_first_and_is_cached(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        case.on_models(model)
    for one, other in ((1, 3), (2, 4)):
        early, late = stub.asked[one], stub.asked[other]
        assert early.system == late.system
        assert early.body["tools"] == late.body["tools"]
        assert case.usage(TURNS[one])["cached_tokens"] == 0
        assert case.usage(TURNS[other])["cached_tokens"] > 5_000
    for asked, turn in zip(stub.asked, TURNS, strict=True):
        brief = (case.root / f"_workflow/turns/{turn}/brief-1.md").read_text("utf-8")
        standing, _, rest = brief.partition("\n# Task ")
        assert asked.system.endswith(standing.rstrip("\n"))
        assert asked.text.strip() == f"# Task {rest}".strip()
        if model == CLAUDE:
            assert asked.body["system"][-1]["cache_control"]["type"] == "ephemeral"


@BOTH
def test_the_usage_of_a_turn_has_tokens_model_and_price(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    noted = [case.usage(turn) for turn in TURNS]
    assert {(note["runtime"], note["model"]) for note in noted} == {("model", model)}
    assert all(note["input_tokens"] > note["cached_tokens"] and note["output_tokens"] for note in noted)
    assert sum(Decimal(note["cost"]) for note in noted) == state.spend.cost > 0
    assert sum(note["input_tokens"] + note["output_tokens"] for note in noted) == state.spend.tokens
    assert [event["usage"]["cost"] for event in case.of("turn_returned")] == [note["cost"] for note in noted]


def test_a_price_that_nobody_knows_is_unknown_and_not_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models("openai-compatible:home-made")
    assert (state.stop, state.spend.unpriced, state.spend.cost) == ("complete", 5, 0)
    assert (case.usage(TURNS[0])["cost"], case.usage(TURNS[0])["output_tokens"] > 0) == (None, True)


@BOTH
@pytest.mark.parametrize(
    ("step", "raw", "said"),
    [
        (give('{"agent": "strategist", '), '{"agent": "strategist", ', "yaml.syntax"),
        (give({"agent": "strategist", "mood": "good"}), '{"agent": "strategist", "mood": "good"}', "mood"),
        (give("[1, 2]"), "[1, 2]", "a list where keys and values are wanted"),
        (say("I would rather not."), "I would rather not.", "where keys and values are wanted"),
    ],
)
def test_a_wrong_output_is_kept_to_the_byte_and_asked_for_once_more_with_what_was_wrong(
    model: str, step: Step, raw: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    with Stub(first([step], players(case.root))) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert state.stop == "complete"
    assert case.raw(TURNS[0], 1) == raw
    assert [task(asked) for asked in stub.asked[:3]] == [(TURNS[0], 1), (TURNS[0], 2), (TURNS[1], 1)]
    assert "# What was wrong with your last output" not in stub.asked[0].text
    told = stub.asked[1].text.partition("# What was wrong with your last output")[2].partition("# You may write")[0]
    assert said in told


@BOTH
def test_two_wrong_outputs_are_put_to_a_person(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path)
    with Stub([give("{")] * 2) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert (state.stop, len(stub.asked)) == ("escalated", 2)


@BOTH
def test_output_that_is_escaped_as_json_may_be_is_read_as_json(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    play = players(case.root)

    def escaped(asked: Asked) -> Step:
        output = {**play(asked).output, "notes": ["\U0001f600"]}
        return give(json.dumps(output).replace("/", "\\/"))

    with Stub(escaped) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(model).stop == "complete"
    assert "\\ud83d\\ude00" in case.raw(TURNS[0])


@pytest.mark.parametrize(("model", "mode"), [(GPT, "native"), (GPT, "prompted"), (CLAUDE, "prompted")])
def test_a_model_that_knows_no_tools_may_give_its_output_in_words(
    model: str, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    monkeypatch.setenv("SIGNOFF_MODEL_OUTPUT", mode)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(model).stop == "complete"
    assert {asked.output_tool for asked in stub.asked} == {None}


@BOTH
def test_an_input_that_is_not_in_the_brief_can_be_read_page_by_page(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    steps = [call("read_input", path="0-sources/reports/rondo-test.pdf")]
    with Stub(first(steps, players(case.root))) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(model).stop == "complete"
    assert "--- page 1 ---" not in stub.asked[0].text
    assert "--- page 1 ---" in stub.asked[1].text
    assert case.of("called") == []
    assert [task(asked) for asked in stub.asked[:2]] == [(TURNS[0], 1)] * 2


def test_a_long_input_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "0-sources/long.md"
    case = page(tmp_path, sources={long: "".join(f"line {number}\n" for number in range(6_000))})
    steps = [call("read_input", path=long), call("read_input", path=long, offset=40_000)]
    with Stub(first(steps, players(case.root))) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(GPT).stop == "complete"
    assert "go on with offset=40000" in stub.asked[1].text
    assert "line 5999\n" not in stub.asked[1].text
    assert "line 5999\n" in stub.asked[2].text


def test_each_agent_may_have_a_model_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from signoff.service import run_control, runs
    from signoff.workflows.solution_page.workflow import WORKFLOW

    case = page(tmp_path, f"models: {{strategist: '{CLAUDE}', copywriter: '{CLAUDE}', editor-qa: '{CLAUDE}'}}\n")
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        monkeypatch.setenv("SIGNOFF_MODEL_COPYWRITER", GPT)
        case.go(
            lambda live: runs.drive(live, run_control.runtime("model", WORKFLOW, models=["editor-qa=openai:gpt-5.1"]))
        )
    asked: list[Any] = [one.body["model"] for one in stub.asked]
    assert asked == ["claude-sonnet-5", "gpt-5", "gpt-5.1", "gpt-5", "gpt-5.1"]
    assert RONDO == "rondo-speakerphone"
