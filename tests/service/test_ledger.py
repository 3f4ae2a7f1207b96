"""The ledger and the budget of a project: from the journals, nothing guessed, and no unknown price for nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "clarify"))
import clarify_project
from page_project import PERSON, RONDO, Case, lay_out, opened, put

from signoff.core.declarations import Assignment
from signoff.core.errors import CorruptError, DocumentError, UsageError
from signoff.core.events import Limited, TurnHeld, Usage
from signoff.core.state import Ceiling, State
from signoff.service import cost_ledger, run_limits, runs
from signoff.service.hosts import host_turns
from signoff.shell.outside.link_probes import probe
from signoff.shell.run.briefs import crew
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Host, Offline, Returned, ToolPort
from signoff.workflows.clarify.workflow import WORKFLOW

BUDGET = "_workflow/budget.yaml"
EACH = Usage(input_tokens=50, output_tokens=10, cached_tokens=20, cost=Decimal("0.25"), seconds=1.0)


@dataclass(frozen=True)
class Paid:
    """Scripted agents, at a price."""

    usage: Usage = EACH
    name: str = "paid"
    paid: bool = True

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        done = await Offline(clarify_project.AGENTS).perform(assignment, tools)
        return replace(done, usage=self.usage, model="test:scribe")


@dataclass
class Shared:
    """One project with as many inquiries as a test wants."""

    root: Path

    def go(self, run: str, act: Callable[[LiveRun], Coroutine[Any, Any, Any]]) -> State:
        async def doing() -> State:
            project = opened(self.root)
            live = await project.existing(WORKFLOW, run) or await project.begin(WORKFLOW, run, {"topic": "Sales"})
            await act(live)
            return live.state

        return asyncio.run(doing())

    def drive(self, run: str, runtime: Any = None, at_once: int = 1) -> State:
        def act(live: LiveRun) -> Coroutine[Any, Any, State]:
            team = crew(live.workflow, live.store)
            return Runner(live, runtime or Paid(), team, probe, at_once=at_once).drive()

        return self.go(run, act)

    def resume(self, run: str) -> State:
        return self.go(run, lambda live: runs.answer(live, "budget", "resume", PERSON, {}))

    def book(self, run: str | None = None) -> cost_ledger.Book:
        return asyncio.run(cost_ledger.book(self.root, run))


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(clarify_project.lay_out(tmp_path / "inquiries"))


# --- the budget of a project ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", ["tokens: 100\n", "cost: 0.5\n"])
def test_what_one_run_has_spent_is_not_there_for_another(shared: Shared, budget: str) -> None:
    put(shared.root, BUDGET, budget)
    one = shared.drive("one")
    assert (one.stop, one.spend.turns, len(one.parked), one.turns) == ("budget", 2, 1, {})
    assert runs.exit_code(one) == runs.BUDGET
    (shared.root / "_workflow/clarify/one/status.json").unlink()  # the journals are what counts
    two = shared.drive("two")
    assert (two.stop, two.spend.turns, two.spend.tokens, len(two.parked)) == ("budget", 0, 0, 3)
    assert "in this project " in two.requests["budget-1"].question
    assert not list(shared.root.glob("_workflow/clarify/two/turns/*/brief-*.md")), "no turn began"
    put(shared.root, BUDGET, "tokens: 100000\n")
    for run in ("one", "two"):
        shared.resume(run)
        done = shared.drive(run)
        assert (done.stop, done.spend.turns, done.issued) == (None, 4, 4), "no turn was lost, none was repeated"


def test_turns_in_flight_finish_and_the_others_are_held(shared: Shared) -> None:
    put(shared.root, BUDGET, "tokens: 1\n")
    state = shared.drive("one", at_once=2)
    assert (state.stop, state.turns) == ("budget", {})
    assert 1 <= state.spend.turns <= 2, "at most those that were in flight together"
    assert state.spend.turns + len(state.parked) == 3
    assert state.spend.tokens == 60 * state.spend.turns


def test_held_turns_stay_held_after_a_crash_and_the_same_state_is_replayed(shared: Shared) -> None:
    put(shared.root, BUDGET, "tokens: 100\n")
    state = shared.drive("one")

    async def again(live: LiveRun) -> None:
        assert [event for event in live.events if isinstance(event, TurnHeld)]
        assert len({event.id for event in live.events}) == len(live.events)
        assert await runs.replay(live) == state

    shared.go("one", again)
    assert shared.drive("one") == state, "nothing is asked for until somebody resumes"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tokens: 0\n", "valid: a whole number from 1"),
        ("tokens: yes\n", "valid: a whole number from 1"),
        ("tokens: 1.5\n", "valid: a whole number from 1"),
        ("cost: -1\n", "valid: USD, a number from 0"),
        ("cost: .nan\n", "is not a finite number"),
        ("costs: 1\n", "rename it to `cost`"),
        ("- 1\n", BUDGET),
    ],
)
def test_a_budget_of_a_project_that_cannot_be_read_is_said_before_anything_is_spent(
    shared: Shared, text: str, said: str
) -> None:
    put(shared.root, BUDGET, text)
    with pytest.raises(DocumentError) as caught:
        shared.drive("one")
    assert said in str(caught.value)
    assert BUDGET in str(caught.value)
    assert not list(shared.root.rglob("brief-*.md"))


def test_an_empty_budget_of_a_project_limits_nothing(shared: Shared) -> None:
    put(shared.root, BUDGET, "# tokens: 5\n")
    assert shared.drive("one").stop is None


def test_a_journal_that_does_not_add_up_stops_the_others_under_a_budget(shared: Shared) -> None:
    put(shared.root, BUDGET, "tokens: 100000\n")
    shared.drive("one")
    journal = shared.root / "_workflow/clarify/one/journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"input_tokens":50', b'"input_tokens":0', 1))
    with pytest.raises(CorruptError, match=r"one/journal\.jsonl"):
        shared.drive("two")
    book = shared.book()
    assert {entry.run for entry in book.entries} == set()
    assert any("one is in no sum" in problem for problem in book.problems)


def test_a_host_is_given_no_brief_once_nothing_is_left_and_one_that_is_out_still_counts(shared: Shared) -> None:
    shared.drive("one", Host())
    project = opened(shared.root)
    given = asyncio.run(host_turns.upcoming(project, "one"))["turns"]
    assert len(given) == 3
    put(shared.root, BUDGET, "cost: 0\n")
    assert len(asyncio.run(host_turns.upcoming(opened(shared.root), "one"))["turns"]) == 3, "their briefs are out"
    held = shared.drive("two", Host())
    assert (held.stop, held.turns, len(held.parked)) == ("budget", {}, 3)
    assert asyncio.run(host_turns.upcoming(opened(shared.root), "two"))["turns"] == []


# --- limits of a run --------------------------------------------------------------------------------------------------


def test_a_limit_is_entered_once_with_who_said_it_and_keeps_what_was_not_said(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()

    async def doing(live: LiveRun) -> None:
        for said in (
            run_limits.read("2.50"),
            run_limits.read("2.5"),
            run_limits.read(tokens="9"),
            run_limits.read(),
            {"cost": None},
        ):
            await run_limits.enter(live, said, "script")
        found = [event for event in live.events if isinstance(event, Limited)]
        assert [(event.cost, event.tokens, event.by) for event in found] == [
            (Decimal("2.50"), None, "script"), (Decimal("2.50"), 9, "script"), (None, 9, "script"),
        ]  # fmt: skip
        assert live.state.ceiling == Ceiling(tokens=9)

    case.go(doing)


@pytest.mark.parametrize("text", ["-1", "-0.01", "nan", "inf", "-Infinity", "1e9", "1000001", "$5", "2,50", "", " "])
def test_money_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--max-cost is .* Valid: USD from 0 to 1000000"):
        run_limits.read(text)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e3", "nan", "１０", "9" * 30, "1000000000001", "many", ""])
def test_tokens_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--max-tokens is .* Valid: a whole number from 1"):
        run_limits.read(tokens=text)


@pytest.mark.parametrize(
    ("cost", "tokens", "said"),
    [
        (None, None, {}),
        ("0", None, {"cost": Decimal(0)}),
        ("-0", None, {"cost": Decimal(0)}),
        (" 2.50 ", "200000", {"cost": Decimal("2.5"), "tokens": 200_000}),
        ("none", "None", {"cost": None, "tokens": None}),
    ],
)
def test_limits_are_read_as_they_are_meant(cost: str | None, tokens: str | None, said: dict[str, Any]) -> None:
    assert run_limits.read(cost, tokens) == said


# --- the ledger -------------------------------------------------------------------------------------------------------


def test_the_ledger_adds_up_to_what_the_run_knows(shared: Shared) -> None:
    states = {run: shared.drive(run) for run in ("one", "two")}
    book = shared.book()
    for row in cost_ledger.rows(book.entries, "run"):
        spend = states[row.of["run"]].spend
        assert (row.sum.tokens, row.sum.cost, row.sum.turns) == (spend.tokens, spend.cost, spend.turns)
        assert row.workers == ("test:scribe",)
    total = cost_ledger.add_up(book.entries)
    assert (total.turns, total.cached_tokens, total.seconds) == (8, 160, 8.0)
    assert len(shared.book("one").entries) == 4


def test_a_price_that_nobody_knows_is_counted_and_never_nothing(shared: Shared) -> None:
    shared.drive("one", Paid(replace(EACH, cost=None)))
    shared.drive("two")
    plain = shared.book().to_json("run")
    costs = [(row["run"], row["cost"], row["known_cost"], row["unpriced"]) for row in plain["rows"]]
    assert costs == [("one", None, "0", 4), ("two", "1.00", "1.00", 0)]
    assert (plain["total"]["cost"], plain["total"]["known_cost"], plain["total"]["unpriced"]) == (None, "1.00", 4)


def test_failed_attempts_count_and_a_lost_receipt_is_an_unknown_model(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()

    def crashing(_assignment: Any, _tools: Any) -> str:
        raise RuntimeError("out of memory")

    case.drive({"strategist": crashing})
    book = asyncio.run(cost_ledger.book(case.root))
    (row,) = cost_ledger.rows(book.entries, "turn")
    assert (row.sum.turns, row.sum.attempts, row.sum.failed, row.workers) == (1, 3, 3, ("offline",))
    (case.root / "_workflow/turns/0001-strategist/usage-2.json").write_text("{", "utf-8")
    book = asyncio.run(cost_ledger.book(case.root, RONDO))
    assert [row.of["model"] for row in cost_ledger.rows(book.entries, "model")] == ["offline", "unknown"]


def test_what_is_left_is_said_for_runs_and_for_the_project(shared: Shared) -> None:
    put(shared.root, BUDGET, "tokens: 1000\ncost: 20\n")
    shared.drive("one")
    shared.go("one", lambda live: run_limits.enter(live, run_limits.read("2"), "script"))
    found = {limit.of.get("run", "project"): limit.to_json() for limit in shared.book().limits}
    assert found["one"]["limits"] == {"tokens": None, "cost": "2"}
    assert found["one"]["left"] == {"tokens": None, "cost": "1.00"}
    assert found["project"]["left"] == {"tokens": 760, "cost": "19.00"}


def test_a_run_that_is_not_there_is_refused_by_name(shared: Shared) -> None:
    shared.drive("one", Host())
    with pytest.raises(UsageError, match=r"'three' is neither a folder nor a run .* Valid: one"):
        shared.book("three")
