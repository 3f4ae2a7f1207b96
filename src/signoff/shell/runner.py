"""The loop: what is open is carried out, what comes back is applied, until nothing is open or a person must act."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from signoff.core.commands import Check, Reply, StartTurn
from signoff.core.errors import StoreError
from signoff.core.events import Called, Ticked, TurnFailed, TurnReturned, Usage
from signoff.core.policies import Allowance
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.core.workflow import Assignment, Probe
from signoff.shell.briefs import Crew, compose, standing, wanted_models
from signoff.shell.live import LiveRun, MakeEvent
from signoff.shell.runtimes import GaveUpError, Host, Offline, Port, Preparing, Returned, Runtime, as_bytes

Prober = Callable[[list[str], Mapping[str, Any]], Coroutine[Any, Any, Mapping[str, Probe]]]
Job = Callable[[], Coroutine[Any, Any, None]]
POLL = 0.05
PAUSED = "the run is paused: end your turn now, a later one goes on from here"


class Runner:
    """Drives one run with one runtime, as many turns at once as are open, up to a limit."""

    def __init__(self, live: LiveRun, runtime: Runtime, team: Crew, prober: Prober, *, at_once: int = 8) -> None:
        self.live, self.runtime, self.team, self.prober, self.at_once = live, runtime, team, prober, at_once
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._waiting: dict[str, tuple[str, str]] = {}
        self._moved = asyncio.Event()
        self._news = asyncio.Condition()

    async def drive(self) -> State:
        """Runs until nothing is open here: the run has stopped, or waits for a person."""
        await self.live.refresh()
        self._prepare()
        try:
            while True:
                self._start_jobs()
                if not self._jobs:
                    return self.live.state
                await self._next()
        finally:
            await self._cancel()

    def _prepare(self) -> None:
        """What a runtime needs is looked at before the first turn, and only if there is work."""
        if self._wanted(self.live.state) and isinstance(self.runtime, Preparing):
            self.runtime.prepare(self._models(), self._left())

    def _models(self) -> dict[str, str | None]:
        return wanted_models(self.live.workflow, self.team, self.live.state, self.live.library)

    def _left(self) -> Allowance:
        return self.live.workflow.budget(self.live.state, self.live.library).left(self.live.state.spend)

    def _start_jobs(self) -> None:
        wanted = self._wanted(self.live.state)
        for name in [name for name in self._jobs if name not in wanted]:
            self._end(self._jobs.pop(name))
        for name, job in wanted.items():
            if name not in self._jobs and len(self._jobs.keys() - self._waiting.keys()) < self.at_once:
                self._jobs[name] = asyncio.create_task(job(), name=name)

    def _wanted(self, state: State) -> dict[str, Job]:
        hosted = isinstance(self.runtime, Host)
        starts = [turn.start for turn in state.turns.values() if not hosted or self._received(turn.start)]
        timers = {timer: at for timer, at in state.timers.items() if not hosted or self._until(at) <= 0}
        return {
            **{f"{start.turn}.{start.attempt}": partial(self._turn, start) for start in starts},
            **{check.check: partial(self._check, check) for check in state.checks.values()},
            **{f"timer {timer}": partial(self._timer, timer, at) for timer, at in timers.items()},
        }

    def _received(self, start: StartTurn) -> bool:
        """Whether an output reached the disk before somebody was stopped: then there is nothing left to wait for."""
        return self.live.store.read(f"{self.live.folder}/turns/{start.turn}/raw-{start.attempt}.txt") is not None

    async def _next(self) -> None:
        """Waits until a job ends or the run moves under one that goes on."""
        moved = asyncio.create_task(self._moved.wait())
        done, _ = await asyncio.wait({*self._jobs.values(), moved}, return_when=asyncio.FIRST_COMPLETED)
        moved.cancel()
        self._moved.clear()
        for task in done - {moved}:
            self._jobs.pop(task.get_name(), None)
            if not task.cancelled():
                task.result()

    def _end(self, task: asyncio.Task[None]) -> None:
        task.cancel()
        self._ending.add(task)

    async def _cancel(self) -> None:
        for task in self._jobs.values():
            self._end(task)
        self._jobs.clear()
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def _apply(self, make: MakeEvent) -> None:
        await self.live.apply(make)
        self._moved.set()
        async with self._news:
            self._news.notify_all()

    async def _wait_for_news(self) -> None:
        """Until this process moves the run, or for a moment: another process may have."""
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL), self._news:
                await self._news.wait()
        await self.live.refresh()

    # --- one turn ---

    async def _turn(self, start: StartTurn) -> None:
        with self.live.store.lease(self.live.folder, start.turn) as mine:
            if not mine:
                await self._wait_for_news()
                return
            await self.live.sync()
            turn = self.live.state.turns.get(start.turn)
            if turn is not None and turn.start.attempt == start.attempt:
                await self._apply(await self._work(turn.start))

    async def _work(self, start: StartTurn) -> MakeEvent:
        """An output that had reached the disk is not asked for again."""
        folder = f"{self.live.folder}/turns/{start.turn}"
        path = f"{folder}/raw-{start.attempt}.txt"
        data = self.live.store.read(path)
        if data is None:
            try:
                returned = await self._perform(start, folder)
            except StoreError:  # the disk is nobody's turn: whoever runs the machine must act
                raise
            except TimeoutError:
                return self._failed(start, "timeout", f"no output within {start.limits.seconds} s", self._unknown())
            except GaveUpError as error:
                return self._failed(start, error.kind, str(error), error.usage)
            except Exception as error:  # whatever a runtime does, it ends a turn and not the run
                return self._failed(start, type(error).__name__, str(error), self._unknown())
            data = await self._keep(folder, path, start, returned)
        return self._returned(start, folder, Ref(path, self.live.library.received(data)))

    def _unknown(self) -> Usage:
        """What a turn cost that ended without saying so: nothing where no model works, else nobody knows."""
        return Usage() if isinstance(self.runtime, Offline) else Usage(cost=None)

    async def _perform(self, start: StartTurn, folder: str) -> Returned:
        calls = self._calls(start.turn)
        brief = compose(self.live.workflow, self.team, start, self.live.library, calls)
        self.live.store.jot(f"{folder}/brief-{start.attempt}.md", brief.encode())
        self.live.watcher.working(start, self.live.state)
        assignment = Assignment(
            start=start,
            brief=brief,
            params=self.live.state.params,
            at=self.live.state.at,
            standing=standing(self.live.workflow, self.team, start, self.live.library),
            model=self._models()[start.agent],
            left=self._left(),
            called=len(calls),
        )
        pinned = {ref.path: ref for ref in start.pinned}
        hears = partial(self.live.watcher.heard, start.turn)
        port = Port(self.live.library, pinned, partial(self._call, start), hears)
        async with asyncio.timeout(start.limits.seconds):
            return await self.runtime.perform(assignment, port)

    async def _keep(self, folder: str, path: str, start: StartTurn, returned: Returned) -> bytes:
        """The price first, then the output, durably: an output on disk always has its price beside it.

        An output that somebody submitted meanwhile stays: the journal may have its digest already.
        """
        by = {"runtime": self.runtime.name, **({"model": returned.model} if returned.model else {})}
        usage = json.dumps({**by, **asdict(returned.usage)}, default=str)
        async with self.live.store.locked(self.live.folder):
            first = self.live.store.read(path)
            if first is not None:
                return first
            data = as_bytes(returned.raw)
            self.live.store.jot(f"{folder}/usage-{start.attempt}.json", f"{usage}\n".encode())
            self.live.store.write(path, data, durable=True)
            return data

    def _returned(self, start: StartTurn, folder: str, output: Ref) -> MakeEvent:
        usage = _usage(self.live.store.read(f"{folder}/usage-{start.attempt}.json"))
        return lambda _state, at: TurnReturned(
            id=f"{start.turn}.{start.attempt}",
            at=at,
            by=f"agent:{start.agent}",
            turn=start.turn,
            attempt=start.attempt,
            output=output,
            usage=usage,
        )

    def _failed(self, start: StartTurn, kind: str, detail: str, usage: Usage | None = None) -> MakeEvent:
        return lambda _state, at: TurnFailed(
            id=f"{start.turn}.{start.attempt}",
            at=at,
            by="code",
            turn=start.turn,
            attempt=start.attempt,
            kind=kind,
            detail=detail,
            usage=usage or Usage(),
        )

    # --- tool calls within a turn ---

    async def _call(self, start: StartTurn, tool: str, args: Mapping[str, object], call_id: str) -> Reply:
        """Puts a call to the kernel and waits for its reply; further turns that it starts run meanwhile."""
        by, name = f"agent:{start.agent}", f"{start.turn}.{start.attempt}.{call_id}"
        await self._apply(
            lambda _, at: Called(id=name, at=at, by=by, turn=start.turn, call_id=call_id, tool=tool, args=args)
        )
        job = f"{start.turn}.{start.attempt}"
        self._waiting[job] = (start.turn, call_id)  # a turn that waits for others takes no place from them
        self._moved.set()
        try:
            while (reply := self._reply(start.turn, call_id)) is None:
                if self._stalled():
                    return Reply(turn=start.turn, call_id=call_id, illegal=f"{tool} waits for a person; {PAUSED}")
                await self._wait_for_news()
        finally:
            self._waiting.pop(job, None)
        return reply

    def _stalled(self) -> bool:
        """Whether all that is open here waits for replies that nobody is working on: a person must act first."""
        return all(
            name in self._waiting and self._reply(*self._waiting[name]) is None
            for name in self._wanted(self.live.state)
        )

    def _calls(self, turn: str) -> Mapping[str, tuple[str, Reply | None]]:
        """What the turn has called so far, in a conversation that was broken off."""
        opened = self.live.state.turns.get(turn)
        return opened.calls if opened else {}

    def _reply(self, turn: str, call_id: str) -> Reply | None:
        opened = self.live.state.turns.get(turn)
        if opened is None:
            return Reply(turn=turn, call_id=call_id, illegal="the turn was cancelled")
        return opened.calls[call_id][1]

    # --- checks that need the network, and timers ---

    async def _check(self, check: Check) -> None:
        probes = await self.prober(self.live.urls(check, self.live.state), check.params)
        await self._apply(
            lambda state, at: self.live.checked(check, state, at, probes) if check.check in state.checks else None
        )

    async def _timer(self, timer: str, at: str) -> None:
        await asyncio.sleep(max(0.0, self._until(at)))
        await self._apply(lambda _, now: Ticked(id=f"tick-{timer}", at=now, by="code", timer=timer))

    def _until(self, at: str) -> float:
        wait = datetime.fromisoformat(at) - datetime.fromisoformat(self.live.clock(self.live.state.rev))
        return wait.total_seconds()


def _usage(data: bytes | None) -> Usage:
    """What an output cost, as noted beside it; a lost note is an unknown price."""
    try:
        plain = json.loads(data or b"")
        cost = plain.pop("cost")
        plain.pop("runtime")
        plain.pop("model", None)
        return Usage(**plain, cost=None if cost is None else Decimal(cost))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        return Usage(cost=None)
