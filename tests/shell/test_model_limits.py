"""Limits on real clients: once one is reached, the provider sees no request. And cached tokens have their own price."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from genai_prices import calc_price
from pydantic_ai import RequestUsage

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, GPT, RONDO, Paged, lead, page, players
from page_project import put

from signoff.core.state import State
from signoff.service import cost_ledger, run_limits
from signoff.shell.run.live_run import LiveRun
from signoff.testing.stub import Stub, call
from signoff.testing.stub_wire import Used

BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
SMALL = pytest.mark.parametrize("small", [{"max": ("0.0001", None)}, {"max": (None, "100")}], ids=["cost", "tokens"])
PROJECT = "_workflow/budget.yaml"


def limit(case: Paged, cost: str | None = None, tokens: str | None = None) -> State:
    async def doing(live: LiveRun) -> State:
        await run_limits.enter(live, run_limits.read(cost, tokens), "person:ada")
        return live.state

    return case.go(doing)


@BOTH
@SMALL
def test_at_a_limit_the_provider_sees_no_request_and_a_larger_one_pays_for_nothing_twice(
    model: str, small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    limit(case, *small["max"])
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        assert (case.on_models(model).stop, len(stub.asked)) == ("budget", 1)
        assert (case.on_models(model).stop, len(stub.asked)) == ("budget", 1)
        case.answer("budget", "resume")
        assert (case.on_models(model).stop, len(stub.asked)) == ("budget", 1), "resumed without a larger limit"
        limit(case, "100", "10000000")
        case.answer("budget", "resume")
        assert (case.on_models(model).stop, len(stub.asked)) == ("complete", 5)


@BOTH
@SMALL
def test_within_a_turn_a_limit_of_the_command_line_ends_the_tool_loop(
    model: str, small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    limit(case, *small["max"])
    with Stub([call("read_input", path="0-sources/brief.md")]) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    (failed,) = case.of("turn_failed")
    assert (state.stop, len(stub.asked), failed["kind"]) == ("budget", 1, "budget")
    assert case.usage("0001-strategist")["model"] == model, "a failed attempt has a receipt too"


@BOTH
@pytest.mark.parametrize("budget", ["tokens: 100", "cost: 0.0001"])
def test_within_a_turn_the_budget_of_the_project_counts_as_well(
    model: str, budget: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    put(case.root, PROJECT, f"{budget}\n")
    with Stub([call("read_input", path="0-sources/brief.md")]) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert (state.stop, len(stub.asked), state.spend.turns) == ("budget", 1, 1)
    assert f"in {PROJECT}, then resume" in state.requests["budget-1"].question


@BOTH
@SMALL
@pytest.mark.parametrize("used", [0, -100_000])
@pytest.mark.filterwarnings("ignore:Failed to extract usage")
def test_a_provider_that_does_not_say_what_it_used_gets_no_second_request_under_a_limit(
    model: str, small: dict[str, Any], used: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    limit(case, *small["max"])
    with Stub(players(case.root)) as stub:
        monkeypatch.setattr(stub, "used", lambda _asked, _said: Used(used, used, 0, 0))
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert (state.stop == "complete", len(stub.asked), state.spend.unpriced) == (False, 1, 1)
    said = str([*(request.question for request in state.requests.values()), *case.of("turn_failed")])
    assert ("no known price" in said) or (f"{model} does not say how many tokens it uses" in said)


@BOTH
def test_where_nothing_may_be_spent_no_model_is_asked_and_the_role_players_still_work(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    limit(case, "0")
    with Stub([]) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert (state.stop, state.spend.turns, stub.asked) == ("budget", 0, [])
    assert "0 of 0 USD are used; resume with a larger --max-cost" in state.requests["budget-1"].question
    case.answer("budget", "resume")
    assert case.drive().stop == "complete"


def test_a_limit_lowered_under_an_open_turn_holds_it_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    case.play(1)  # by hand: nobody knows what it cost
    before = limit(case, "5")
    assert list(before.turns) == ["0002-copywriter"]
    with Stub([]) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(CLAUDE)
    assert (state.stop, state.wanted, stub.asked) == ("budget", ("0002-copywriter",), [])
    said = state.requests["budget-1"].question
    assert "a cost limit of 5 USD is set and 1 attempt has no known price; resume with --max-cost none" in said


def test_a_model_without_a_price_is_refused_under_a_budget_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    put(case.root, PROJECT, "cost: 5\n")
    with Stub([]) as stub:
        lead(monkeypatch, stub)
        with pytest.raises(Exception, match=r"the price of openai:of-my-own .* is unknown"):
            case.on_models("openai:of-my-own")
    assert stub.asked == []


@BOTH
def test_cached_tokens_cost_what_the_price_list_says_for_cached_ones(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        case.on_models(model)
    provider, _, name = model.partition(":")
    price: Any = calc_price(RequestUsage(input_tokens=1), model_ref=name, provider_id=provider).model_price
    note = case.usage("0005-editor-qa")  # the second one of its role: its standing part is read from the cache
    fresh, cached, out = note["input_tokens"] - note["cached_tokens"], note["cached_tokens"], note["output_tokens"]
    by_hand = fresh * price.input_mtok + cached * price.cache_read_mtok + out * price.output_mtok
    assert cached > 5_000
    assert Decimal(note["cost"]) == by_hand / 1_000_000
    assert price.cache_read_mtok < price.input_mtok


def test_the_ledger_knows_tokens_money_and_models_of_every_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    case = page(tmp_path)
    with Stub(players(case.root)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(GPT)
    book = asyncio.run(cost_ledger.book(case.root, RONDO))
    total = cost_ledger.add_up(book.entries)
    assert (total.tokens, total.cost, total.unpriced, total.turns) == (
        state.spend.tokens, state.spend.cost, 0, 5,
    )  # fmt: skip
    assert 0 < total.cached_tokens < total.input_tokens
    assert [row.of["model"] for row in cost_ledger.rows(book.entries, "model")] == [GPT]
    assert [(row.of["agent"], row.sum.turns) for row in cost_ledger.rows(book.entries, "agent")] == [
        ("strategist", 1), ("copywriter", 2), ("editor-qa", 2),
    ]  # fmt: skip
