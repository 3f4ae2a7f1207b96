"""The loop: carry out what is open, apply what comes back, until nothing is open or a person must act."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from signoff.core.budget import Allowance, Budget, left, refusal
from signoff.core.commands import Check, Gather, Reply, StartTurn, Wake
from signoff.core.declarations import Assignment, Probe
from signoff.core.errors import CorruptError, DocumentError, StoreError, UsageError
from signoff.core.events import Ticked, TurnFailed, TurnHeld, Usage
from signoff.core.permissions import WRITE_FILE
from signoff.core.state import OpenTurn, State, outstanding
from signoff.shell import telemetry
from signoff.shell.outside.gather_jobs import Gatherer
from signoff.shell.run import transcripts
from signoff.shell.run.attempts import Attempt, called, strayed
from signoff.shell.run.briefs import Crew, compose, standing, wanted_models
from signoff.shell.run.journal import sayable
from signoff.shell.run.live_run import LiveRun, MakeEvent
from signoff.shell.run.project_budget import Purse
from signoff.shell.run.workspace import Workspace
from signoff.shell.runtimes.recorded import LeftRecordingError
from signoff.shell.runtimes.runtime import (
    AT_ONCE,
    Following,
    GaveUpError,
    Host,
    Offline,
    Port,
    Preparing,
    Provided,
    Returned,
    Runtime,
    as_bytes,
)

Prober = Callable[[list[str], Mapping[str, Any]], Coroutine[Any, Any, Mapping[str, Probe]]]
Job = Callable[[], Coroutine[Any, Any, None]]
POLL = 0.05
PAUSED = "the run is paused: end your turn now, a later one goes on from here"


class Runner:
    """Drives one run with one runtime, with as many open turns at once as the runtime and each provider allow.

    The runtime does not take turns of the agents in `apart`: their outputs come by another way.
    """

    def __init__(
        self,
        live: LiveRun,
        runtime: Runtime,
        team: Crew,
        prober: Prober,
        *,
        at_once: int = AT_ONCE,
        apart: Collection[str] = (),
    ) -> None:
        self.live, self.runtime, self.team, self.prober, self.at_once = live, runtime, team, prober, at_once
        self.apart = apart
        self.code = Offline(live.workflow.by_code.always(live.state.params), name="code")
        self.purse = Purse(live)
        self.gatherer = Gatherer(live)
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._providers: dict[str, str] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._waiting: dict[str, set[str]] = {}
        self._moved = asyncio.Event()
        self._news = asyncio.Condition()

    async def drive(self) -> State:
        """Runs until nothing is open here: the run has stopped, or waits for a person."""
        await self.live.refresh()
        await self._prepare()
        try:
            while True:
                await self._look_after_host()
                self._start_jobs()
                if not self._jobs:
                    return self.live.state
                await self._next()
        finally:
            for task in self._jobs.values():
                self._end(task)
            self._jobs.clear()
            await asyncio.gather(*self._ending, return_exceptions=True)

    async def _prepare(self) -> None:
        """Checks what the runtime and the search need, before the first turn and only if there is work."""
        if self._wanted(self.live.state):
            self.gatherer.require()
            allowed = await self._left()  # raises here, for any runtime, if the project's budget cannot be read
            if isinstance(self.runtime, Following):
                self.at_once = min(self.at_once, self.runtime.at_once)
                self.runtime.follow(self.live)
            if isinstance(self.runtime, Preparing):
                models = {agent: model for agent, model in self._models().items() if agent not in self.code.players}
                self.runtime.prepare(models, allowed)

    def _models(self) -> dict[str, str | None]:
        return wanted_models(self.live.workflow, self.team, self.live.state, self.live.library)

    async def _left(self) -> Allowance:
        """What a turn that begins now may use: of the run, and of the project."""
        return left(self._budgets(), self.live.state.spend).least(await self.purse.left())

    def _budgets(self) -> tuple[Budget, ...]:
        return self.live.workflow.budgets(self.live.state, self.live.library)

    def _start_jobs(self) -> None:
        wanted = self._wanted(self.live.state)
        for name in [name for name in self._jobs if name not in wanted]:
            self._end(self._jobs.pop(name))
        for name, job in wanted.items():
            if name not in self._jobs and len(self._at_work()) < self.at_once and self._has_place(name):
                self._jobs[name] = asyncio.create_task(job(), name=name)

    def _at_work(self) -> set[str]:
        return self._jobs.keys() - self._waiting.keys()

    def _has_place(self, job: str) -> bool:
        """Whether the provider of a turn takes one more now; meanwhile a turn of another provider may go out."""
        turn = self.live.state.turns.get(job.rpartition(".")[0])
        if turn is None or self._is_for_code(turn.start) or not isinstance(self.runtime, Provided):
            return True
        agent = turn.start.agent
        try:
            provider = self.runtime.provider(agent, self._models()[agent])
        except UsageError:  # the turn itself fails without a model, and says so
            return True
        if provider is None:
            return True
        self._providers[job] = provider
        busy = sum(self._providers.get(name) == provider for name in self._at_work())
        return busy < self.purse.at_once(provider)

    def _wanted(self, state: State) -> dict[str, Job]:
        """What is outstanding and carried out here, by name. After a crash it is the same again."""
        hosted = isinstance(self.runtime, Host)
        jobs: dict[str, Job] = {}
        for command in outstanding(state):
            match command:
                case StartTurn() if self._is_worked_on_here(state.turns[command.turn]) or self._received(command):
                    jobs[f"{command.turn}.{command.attempt}"] = partial(self._turn, command)
                case Check():
                    jobs[command.check] = partial(self._check, command)
                case Gather():
                    jobs[f"gather {command.gather}"] = partial(self._gather, command)
                case Wake() if not hosted or self._until(command.at) <= 0:
                    jobs[f"timer {command.timer}"] = partial(self._timer, command.timer, command.at)
        return jobs

    def _is_worked_on_here(self, turn: OpenTurn) -> bool:
        """Whether a turn that is open is carried out by this runner.

        Code that waits for what a host gives is left out: its calls are numbered, so it goes on after the reply.
        """
        hosted = isinstance(self.runtime, Host)
        if self._is_for_code(turn.start):
            return not hosted or all(reply is not None for _, reply in turn.calls.values())
        return not hosted and turn.start.agent not in self.apart

    def _is_for_code(self, start: StartTurn) -> bool:
        return start.agent in self.code.players

    def _worker(self, start: StartTurn) -> Runtime:
        """What carries out a turn: code for its agents, the runtime for all others."""
        return self.code if self._is_for_code(start) else self.runtime

    def _received(self, start: StartTurn) -> bool:
        """Whether the output reached the disk before a stop: then there is nothing left to wait for."""
        return Attempt(self.live, start).output() is not None

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
        """Carries out a turn; an output that is on the disk already is not asked for again."""
        own = Attempt(self.live, start)
        data, log = own.output(), own.log
        if data is None:
            if begun := log.uncertain():
                return await self._interrupted(start, begun)
            if why := await self._refused(start):
                return self._held(start, why)
            log.begun_anew()
            try:
                with telemetry.turn(start, self._worker(start).name) as span, own.space() as space:
                    returned = await self._perform(start, own.folder, space)
                    span.used(returned.usage)
                    data = await self._keep(own, returned, await self._wrote(start, space))
            except (StoreError, LeftRecordingError):  # not the agent's fault: the turn stays open
                raise
            except TimeoutError:
                problem = f"no output within {start.limits.seconds} s"
                return await self._failed(start, "timeout", problem, self._unknown(start), uncertain=log.uncertain())
            except GaveUpError as error:
                return await self._failed(
                    start, error.kind, str(error), error.usage, error.model, uncertain=log.uncertain()
                )
            except Exception as error:  # whatever a runtime does, it ends a turn and not the run
                kind, problem = type(error).__name__, str(error)
                return await self._failed(start, kind, problem, self._unknown(start), uncertain=log.uncertain())
        return own.returned(data)

    def _unknown(self, start: StartTurn) -> Usage:
        """The cost of a turn that ended without reporting it: nothing if no model worked, else unknown."""
        return Usage(cost=None) if self._worker(start).paid else Usage()

    async def _wrote(self, start: StartTurn, space: Workspace) -> dict[str, bytes]:
        """The files that a turn made under its contract; the kernel refuses what it changed elsewhere."""
        if strays := space.strays():
            await self._call(start, WRITE_FILE, *strayed(start, strays))
        return space.changes()

    async def _perform(self, start: StartTurn, folder: str, space: Workspace) -> Returned:
        opened = self.live.state.turns.get(start.turn)
        calls = opened.calls if opened else {}  # those of a conversation that was broken off
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
            left=await self._left(),
            called=len(calls),
        )
        pinned = {ref.path: ref for ref in start.pinned}
        hears = partial(self.live.watcher.heard, start.turn)
        port = Port(self.live.library, pinned, partial(self._call, start), hears, space, partial(self._said, start))
        async with asyncio.timeout(start.limits.seconds):
            return await self._worker(start).perform(assignment, port)

    def _said(self, start: StartTurn, messages: Sequence[Any]) -> None:
        """Keeps the conversation of a turn; if that fails, the turn goes on."""
        try:
            transcripts.keep(self.live.store, self.live.folder, start.turn, start.attempt, messages)
        except Exception as error:  # a transcript is for people: no output is lost without it
            self.live.watcher.notice(f"the conversation of {start.turn} could not be kept: {error}")

    async def _keep(self, own: Attempt, returned: Returned, wrote: Mapping[str, bytes]) -> bytes:
        """Keeps the output with all that belongs to it, its price first.

        An output that was submitted meanwhile stays: the journal may have its digest already.
        """
        async with self.live.store.locked(self.live.folder):
            first = own.output()
            if first is not None:
                return first
            data = as_bytes(returned.raw)
            own.receipt(self._worker(own.start).name, returned.usage, returned.model)
            own.keep(data, own.keep_files(wrote))
            return data

    async def _interrupted(self, start: StartTurn, uncertain: tuple[str, ...]) -> MakeEvent:
        """The end of a turn that was stopped while a command ran: a person must settle it."""
        problem = "this was stopped while a command ran"
        return await self._failed(start, "interrupted", problem, self._unknown(start), uncertain=uncertain)

    async def _failed(
        self,
        start: StartTurn,
        kind: str,
        detail: str,
        usage: Usage,
        model: str = "",
        uncertain: tuple[str, ...] = (),
    ) -> MakeEvent:
        """The end without an output, with its receipt, unless an output was submitted meanwhile."""
        own = Attempt(self.live, start)
        async with self.live.store.locked(self.live.folder):
            if own.output() is None:
                own.receipt(self._worker(start).name, usage, model)
                own.settle()
        kind, detail, uncertain = sayable(kind), sayable(detail), tuple(sayable(uncertain))
        return lambda _state, at: TurnFailed(
            id=f"{start.turn}.{start.attempt}",
            at=at,
            by="code",
            turn=start.turn,
            attempt=start.attempt,
            kind=kind,
            detail=detail,
            uncertain_calls=uncertain,
            usage=usage,
        )

    # --- turns that may not begin ---

    async def _refused(self, start: StartTurn) -> str | None:
        """Why a turn that was issued may not begin: others have spent since, or a limit was lowered."""
        paid = self._worker(start).paid
        spend = self.live.state.spend
        try:
            others = replace(spend, turns=spend.turns - 1)  # the turn itself was counted when it was issued
            return refusal(self._budgets(), others, paid=paid) or await self.purse.refuses(paid=paid)
        except (DocumentError, CorruptError) as error:  # turns in flight are not given up because of a file
            return f"it is unknown what is left: {str(error).rstrip('.')}; then resume"

    def _held(self, start: StartTurn, why: str) -> MakeEvent:
        """Parks the turn, unless its output came in by another way meanwhile."""
        return lambda state, at: (
            None
            if self._received(start)
            else TurnHeld(
                id=f"{start.turn}.{start.attempt}.held-{state.rev + 1}",
                at=at,
                by="code",
                turn=start.turn,
                attempt=start.attempt,
                why=why,
            )
        )

    async def _look_after_host(self) -> None:
        """Holds turns that may not begin, before a host takes their briefs.

        A turn that was stopped while a command ran has failed: it is unknown how the command ended.
        """
        if not isinstance(self.runtime, Host):
            return
        for start in [turn.start for turn in self.live.state.turns.values()]:
            with self.live.store.lease(self.live.folder, start.turn) as mine:
                if not mine or self._received(start) or self._is_for_code(start):
                    continue
                if begun := Attempt(self.live, start).log.uncertain():
                    await self._apply(await self._interrupted(start, begun))
                    continue
                brief = self.live.store.read(f"{self.live.folder}/turns/{start.turn}/brief-{start.attempt}.md")
                if brief is None and (why := await self._refused(start)):
                    await self._apply(self._held(start, why))

    # --- tool calls within a turn ---

    async def _call(self, start: StartTurn, tool: str, args: Mapping[str, object], call_id: str) -> Reply:
        """Puts a call to the kernel and waits for its reply; further turns that it starts run meanwhile."""
        await self._apply(lambda _, at: called(start, tool, args, call_id, at))
        job = f"{start.turn}.{start.attempt}"
        waiting = self._waiting.setdefault(job, set())
        waiting.add(call_id)  # a turn that waits for others takes no place from them
        self._moved.set()
        try:
            while (reply := self._reply(start.turn, call_id)) is None:
                if self._stalled(job):
                    return Reply(turn=start.turn, call_id=call_id, illegal=f"{tool} waits for a person; {PAUSED}")
                await self._wait_for_news()
        finally:
            waiting.discard(call_id)
            if not waiting:
                self._waiting.pop(job, None)
        return reply

    def _stalled(self, job: str) -> bool:
        """Whether all that is open here waits for replies that only a person's act can bring.

        A job that is no longer wanted here does not give up: it is about to be ended, and begins again later.
        """
        wanted = self._wanted(self.live.state)
        return job in wanted and all(self._idle(name) for name in wanted)

    def _idle(self, job: str) -> bool:
        turn, waiting = job.rpartition(".")[0], self._waiting.get(job, set())
        return bool(waiting) and all(self._reply(turn, call_id) is None for call_id in waiting)

    def _reply(self, turn: str, call_id: str) -> Reply | None:
        opened = self.live.state.turns.get(turn)
        if opened is None:
            return Reply(turn=turn, call_id=call_id, illegal="the turn was cancelled")
        return opened.calls[call_id][1]

    # --- checks that need the network, looking outside, and timers ---

    async def _check(self, check: Check) -> None:
        urls = self.live.urls(check, self.live.state)
        with telemetry.probes(check, len(urls)):
            probes = await self.prober(urls, check.params)
        await self._apply(
            lambda state, at: self.live.checked(check, state, at, probes) if check.check in state.checks else None
        )

    async def _gather(self, gather: Gather) -> None:
        with self.live.store.lease(self.live.folder, gather.gather) as mine:
            if not mine:
                await self._wait_for_news()
                return
            await self.live.sync()
            if gather.gather in self.live.state.gathers:
                with telemetry.gather(gather):
                    make = await self.gatherer.gathered(gather)
                await self._apply(make)

    async def _timer(self, timer: str, at: str) -> None:
        await asyncio.sleep(max(0.0, self._until(at)))
        await self._apply(lambda _, now: Ticked(id=f"tick-{timer}", at=now, by="code", timer=timer))

    def _until(self, at: str) -> float:
        wait = datetime.fromisoformat(at) - datetime.fromisoformat(self.live.clock(self.live.state.rev))
        return wait.total_seconds()
