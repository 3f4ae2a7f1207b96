"""The kernel carries a plan-driven graph of agents in parallel, edited while it runs, without knowing of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

from toys import FANOUT, PLAN, Board

from signoff.artifacts.agent_files import AgentFile
from signoff.core.commands import CancelTurn, StartTurn
from signoff.core.decide import decide
from signoff.core.declarations import Assignment
from signoff.core.events import DocsChanged, Event, Started, TurnReturned
from signoff.core.refs import Ref
from signoff.core.state import State, outstanding
from signoff.shell.clock import from_revision
from signoff.shell.run.briefs import Crew
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Returned, ToolPort
from signoff.testing.explorer import AT, Shelf

TEAM = Crew({n: AgentFile(file="", name=n, description="", skills=(), body=n) for n in ("doer", "verifier")}, {})


class Game:
    """Plays events on the kernel alone."""

    def __init__(self, plan: dict[str, list[str]]) -> None:
        self.shelf, self.state, self.commands = Shelf(), State(), []
        docs = {PLAN: self.shelf.put(json.dumps(plan))}
        self.play(Started(id="s", at=AT, by="p", workflow="fanout", version=1, run="r", params={}, docs=docs))

    def play(self, event: Event) -> bool:
        decision = decide(FANOUT, self.state, event, self.shelf)
        for command in decision.commands:
            if text := getattr(command, "text", None):
                self.shelf.put(text)
        self.state, self.commands, self.refused = decision.state, list(decision.commands), decision.refused
        return decision.applied

    def output(self, key: str) -> str:
        role, task = key.split(":")
        return json.dumps({"documents": {f"out/{task}.txt": f"{task} done"}} if role == "do" else {"ok": True})

    def finish(self, key: str, raw: str | None = None) -> bool:
        turn = self.state.turn_of(key)
        assert turn is not None, f"{key} is not open: {self.open}"
        return self.settle(turn.start, raw or self.output(key))

    def settle(self, start: StartTurn, raw: str) -> bool:
        ref = Ref(f"raw/{start.turn}", self.shelf.put(raw))
        return self.play(TurnReturned(id="t", at=AT, by="a", turn=start.turn, attempt=start.attempt, output=ref))

    def edit(self, plan: dict[str, list[str]]) -> bool:
        return self.play(DocsChanged(id="d", at=AT, by="p", docs={PLAN: self.shelf.put(json.dumps(plan))}))

    @property
    def open(self) -> set[str]:
        return {turn.start.key for turn in self.state.turns.values()}


def test_tasks_without_needs_start_together_and_a_join_waits_for_verified_ones() -> None:
    game = Game({"a": [], "b": [], "c": ["a", "b"]})
    assert game.open == {"do:a", "do:b"}
    game.finish("do:a")
    game.finish("verify:a")
    assert game.open == {"do:b"}
    game.finish("do:b")
    assert game.open == {"verify:b"}
    game.finish("verify:b")
    assert game.open == {"do:c"}


def test_a_verifier_that_says_no_sends_the_doer_back() -> None:
    game = Game({"a": []})
    game.finish("do:a")
    game.finish("verify:a", json.dumps({"ok": False}))
    assert game.open == {"do:a"}
    assert game.state.stop is None


def test_an_edited_plan_cancels_one_open_turn_and_leaves_the_others_out() -> None:
    game = Game({"a": [], "b": [], "c": [], "join": ["a", "b", "c"]})
    lost = game.state.turn_of("do:b")
    kept = game.state.turn_of("do:c")
    assert lost
    assert kept
    game.finish("do:a")
    game.edit({"a": [], "c": [], "d": [], "join": ["a", "c", "d"]})
    assert CancelTurn(turn=lost.start.turn) in game.commands
    assert game.open == {"verify:a", "do:c", "do:d"}
    assert game.state.turn_of("do:c") == kept, "a turn that the edit does not touch is not started again"
    before = game.state
    assert not game.settle(lost.start, game.output("do:b")), "the output of a cancelled turn is not applied"
    assert game.refused[0].rule == "turn.closed"
    assert game.state == before
    for key in ("verify:a", "do:c", "do:d", "verify:c", "verify:d", "do:join", "verify:join"):
        game.finish(key)
    assert game.state.stop == "complete"
    assert game.state.own == Board(verified=frozenset({"a", "c", "d", "join"}))


def test_any_order_in_which_parallel_turns_finish_gives_the_same_end() -> None:
    ends = set()
    for order in permutations("abc"):
        game = Game({"a": [], "b": [], "c": []})
        for task in order:
            game.finish(f"do:{task}")
        for task in reversed(order):
            game.finish(f"verify:{task}")
        ends.add((game.state.own, tuple(sorted(game.state.docs.items())), game.state.stop))
    assert len(ends) == 1


def test_what_is_outstanding_is_exactly_what_is_open() -> None:
    game = Game({"a": [], "b": []})
    game.finish("do:a")
    assert {command.key for command in outstanding(game.state) if isinstance(command, StartTurn)} == game.open


class Scripted:
    """A runtime whose turns end when the test lets them, in the order the test wants."""

    name, paid = "scripted", True

    def __init__(self, perform: Callable[[Assignment, ToolPort], object]) -> None:
        self._perform = perform

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        result = self._perform(assignment, tools)
        return Returned(str(await result if asyncio.iscoroutine(result) else result))  # type: ignore[misc]


async def begin(workflow: object, root: Path, run: str) -> LiveRun:
    live = LiveRun(workflow, FolderStore(root), run, from_revision)  # type: ignore[arg-type]
    docs = live.found({})
    await live.apply(
        lambda state, at: (
            None
            if state.rev
            else Started(id="s", at=at, by="p", workflow=live.workflow.name, version=1, run=run, params={}, docs=docs)
        )
    )
    return live


async def no_probes(_urls: object, _params: object) -> dict[str, object]:
    return {}


def test_twenty_turns_that_finish_at_once_are_each_applied_exactly_once(tmp_path: Path) -> None:
    (tmp_path / PLAN).write_text(json.dumps({f"t{n:02d}": [] for n in range(20)}))
    asked: list[str] = []
    gate = asyncio.Event()

    async def perform(assignment: Assignment, _tools: ToolPort) -> str:
        asked.append(assignment.start.turn)
        if len(asked) == 20:
            gate.set()
        await gate.wait()
        task, role = assignment.start.task, assignment.start.agent
        return json.dumps({"documents": {f"out/{task}.txt": task}} if role == "doer" else {"ok": True})

    async def go() -> LiveRun:
        live = await begin(FANOUT, tmp_path, "wide")
        await Runner(live, Scripted(perform), TEAM, no_probes, at_once=20).drive()  # type: ignore[arg-type]
        return live

    live = asyncio.run(go())
    assert live.state.stop == "complete"
    assert len(asked) == len(set(asked)) == 40
    returned = [event.turn for event in live.events if isinstance(event, TurnReturned)]
    assert len(returned) == len(set(returned)) == 40
    assert {path.read_text() for path in (tmp_path / "out").iterdir()} == {f"t{n:02d}" for n in range(20)}


def test_a_plan_edited_on_disk_while_turns_are_out_cancels_the_running_one(tmp_path: Path) -> None:
    (tmp_path / PLAN).write_text(json.dumps({"a": [], "b": []}))
    cancelled: list[str] = []
    working = asyncio.Event()

    async def perform(assignment: Assignment, _tools: ToolPort) -> str:
        task, role = assignment.start.task, assignment.start.agent
        if task == "b":
            working.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(assignment.start.turn)
                raise
        await working.wait()
        if role == "doer":
            (tmp_path / PLAN).write_text(json.dumps({"a": []}))
        return json.dumps({"documents": {f"out/{task}.txt": task}} if role == "doer" else {"ok": True})

    async def go() -> State:
        live = await begin(FANOUT, tmp_path, "edited")
        return await Runner(live, Scripted(perform), TEAM, no_probes).drive()  # type: ignore[arg-type]

    state = asyncio.run(go())
    assert state.stop == "complete"
    assert cancelled == ["0002-doer"]


def test_two_processes_worth_of_runners_on_one_run_ask_for_each_turn_once(tmp_path: Path) -> None:
    (tmp_path / PLAN).write_text(json.dumps({f"t{n}": [] for n in range(6)}))
    asked: list[str] = []

    async def perform(assignment: Assignment, _tools: ToolPort) -> str:
        asked.append(assignment.start.turn)
        await asyncio.sleep(0)
        task, role = assignment.start.task, assignment.start.agent
        return json.dumps({"documents": {f"out/{task}.txt": task}} if role == "doer" else {"ok": True})

    async def go() -> list[State]:
        await begin(FANOUT, tmp_path, "shared")
        lives = [await begin(FANOUT, tmp_path, "shared") for _ in range(2)]
        runners = [Runner(live, Scripted(perform), TEAM, no_probes, at_once=3) for live in lives]  # type: ignore[arg-type]
        return list(await asyncio.gather(*(runner.drive() for runner in runners)))

    states = asyncio.run(go())
    assert [state.stop for state in states] == ["complete", "complete"]
    assert len(asked) == len(set(asked)) == 12
