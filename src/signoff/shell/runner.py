"""The loop: what is open is carried out, what comes back is applied, until nothing is open or a person must act."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from signoff.core.commands import Check, Reply, StartTurn
from signoff.core.errors import CorruptError, DocumentError, StoreError
from signoff.core.events import Called, Ticked, TurnFailed, TurnHeld, TurnReturned, Usage
from signoff.core.permissions import WRITE_FILE
from signoff.core.policies import Allowance, Budget, left, refusal
from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.core.workflow import Assignment, Probe
from signoff.shell import receipts, telemetry, transcripts
from signoff.shell.briefs import Crew, compose, standing, wanted_models
from signoff.shell.journal import sayable
from signoff.shell.live import LiveRun, MakeEvent
from signoff.shell.purse import Purse
from signoff.shell.runtimes import GaveUpError, Host, Offline, Port, Preparing, Returned, Runtime, as_bytes
from signoff.shell.workspace import CallLog, Workspace

Prober = Callable[[list[str], Mapping[str, Any]], Coroutine[Any, Any, Mapping[str, Probe]]]
Job = Callable[[], Coroutine[Any, Any, None]]
POLL = 0.05
PAUSED = "the run is paused: end your turn now, a later one goes on from here"
STRAYS = 20


class Runner:
    """Drives one run with one runtime, as many turns at once as are open, up to a limit.

    Turns of the agents in `apart` are not the runtime's: somebody else gives their outputs.
    """

    def __init__(
        self,
        live: LiveRun,
        runtime: Runtime,
        team: Crew,
        prober: Prober,
        *,
        at_once: int = 8,
        apart: Collection[str] = (),
    ) -> None:
        self.live, self.runtime, self.team, self.prober, self.at_once = live, runtime, team, prober, at_once
        self.apart = apart
        self.purse = Purse(live)
        self._jobs: dict[str, asyncio.Task[None]] = {}
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
                await self._hold_for_host()
                self._start_jobs()
                if not self._jobs:
                    return self.live.state
                await self._next()
        finally:
            await self._cancel()

    async def _prepare(self) -> None:
        """What a runtime needs is looked at before the first turn, and only if there is work."""
        if self._wanted(self.live.state):
            allowed = await self._left()  # a budget of the project that cannot be read is said here, for any runtime
            if isinstance(self.runtime, Preparing):
                self.runtime.prepare(self._models(), allowed)

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
            if name not in self._jobs and len(self._jobs.keys() - self._waiting.keys()) < self.at_once:
                self._jobs[name] = asyncio.create_task(job(), name=name)

    def _wanted(self, state: State) -> dict[str, Job]:
        hosted = isinstance(self.runtime, Host)
        open_turns = [turn.start for turn in state.turns.values()]
        starts = [one for one in open_turns if not (hosted or one.agent in self.apart) or self._received(one)]
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
            log = CallLog(self.live.store, f"{folder}/calls-{start.attempt}.jsonl")
            if begun := log.uncertain():
                problem = "this was stopped while a command ran"
                return await self._failed(start, "interrupted", problem, self._unknown(), uncertain=begun)
            if why := await self._refused():
                return self._held(start, why)
            try:
                with telemetry.turn(start, self.runtime.name) as span, self._space(start, log) as space:
                    returned = await self._perform(start, folder, space)
                    span.used(returned.usage)
                    data = await self._keep(folder, path, start, returned, await self._wrote(start, space))
            except StoreError:  # the disk is nobody's turn: whoever runs the machine must act
                raise
            except TimeoutError:
                problem = f"no output within {start.limits.seconds} s"
                return await self._failed(start, "timeout", problem, self._unknown(), uncertain=log.uncertain())
            except GaveUpError as error:
                return await self._failed(
                    start, error.kind, str(error), error.usage, error.model, uncertain=log.uncertain()
                )
            except Exception as error:  # whatever a runtime does, it ends a turn and not the run
                kind, problem = type(error).__name__, str(error)
                return await self._failed(start, kind, problem, self._unknown(), uncertain=log.uncertain())
        return self._returned(start, folder, Ref(path, self.live.library.received(data)))

    def _space(self, start: StartTurn, log: CallLog) -> Workspace:
        return Workspace(start, self._inputs(start), log)

    def _unknown(self) -> Usage:
        """What a turn cost that ended without saying so: nothing where no model works, else nobody knows."""
        return Usage() if isinstance(self.runtime, Offline) else Usage(cost=None)

    def _inputs(self, start: StartTurn) -> Callable[[str], bytes]:
        pinned = {ref.path: ref for ref in start.pinned}
        return lambda path: self.live.library.data(pinned[path])

    async def _wrote(self, start: StartTurn, space: Workspace) -> dict[str, bytes]:
        """The files that a turn made under its contract; what it changed elsewhere is refused by the kernel."""
        if strays := space.strays():
            args = {"paths": list(strays[:STRAYS]), "in all": len(strays)}
            await self._call(start, WRITE_FILE, args, f"strays-{start.attempt}")
        return space.changes()

    async def _perform(self, start: StartTurn, folder: str, space: Workspace) -> Returned:
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
            left=await self._left(),
            called=len(calls),
        )
        pinned = {ref.path: ref for ref in start.pinned}
        hears = partial(self.live.watcher.heard, start.turn)
        port = Port(self.live.library, pinned, partial(self._call, start), hears, space, partial(self._said, start))
        async with asyncio.timeout(start.limits.seconds):
            return await self.runtime.perform(assignment, port)

    def _said(self, start: StartTurn, messages: Sequence[Any]) -> None:
        """Notes the conversation of a turn; whatever is wrong with that, the turn goes on."""
        try:
            transcripts.keep(self.live.store, self.live.folder, start.turn, start.attempt, messages)
        except Exception as error:  # a transcript is for people: no output is lost for want of it
            self.live.watcher.notice(f"the conversation of {start.turn} could not be kept: {error}")

    async def _keep(
        self, folder: str, path: str, start: StartTurn, returned: Returned, wrote: Mapping[str, bytes]
    ) -> bytes:
        """Price and files first, then the output, durably: an output on disk always has them beside it.

        An output that somebody submitted meanwhile stays: the journal may have its digest already.
        """
        async with self.live.store.locked(self.live.folder):
            first = self.live.store.read(path)
            if first is not None:
                return first
            data = as_bytes(returned.raw)
            self._receipt(start, returned.usage, returned.model)
            if wrote:
                self._keep_files(f"{folder}/files-{start.attempt}.json", wrote, digest(data))
            self.live.store.write(path, data, durable=True)
            return data

    def _keep_files(self, path: str, wrote: Mapping[str, bytes], output: str) -> None:
        """The files of a turn as objects of the library, and the list of them, which names the output it belongs to."""
        refs = [Ref(name, digest(data)) for name, data in sorted(wrote.items())]
        for ref in refs:
            self.live.library.keep(ref, wrote[ref.path])
        listed = json.dumps({"output": output, "files": {ref.path: ref.sha256 for ref in refs}}, ensure_ascii=False)
        self.live.store.write(path, f"{listed}\n".encode(), durable=True)

    def _receipt(self, start: StartTurn, usage: Usage, model: str) -> None:
        place = receipts.place(self.live.folder, start.turn, start.attempt)
        self.live.store.jot(place, receipts.render(self.runtime.name, usage, model))

    def _returned(self, start: StartTurn, folder: str, output: Ref) -> MakeEvent:
        usage = receipts.usage(self.live.store.read(receipts.place(self.live.folder, start.turn, start.attempt)))
        files = _listed(self.live.store.read(f"{folder}/files-{start.attempt}.json"), output.sha256)
        return lambda _state, at: TurnReturned(
            id=f"{start.turn}.{start.attempt}",
            at=at,
            by=f"agent:{start.agent}",
            turn=start.turn,
            attempt=start.attempt,
            output=output,
            files=files,
            usage=usage,
        )

    async def _failed(
        self,
        start: StartTurn,
        kind: str,
        detail: str,
        usage: Usage,
        model: str = "",
        uncertain: tuple[str, ...] = (),
    ) -> MakeEvent:
        """The end without an output, with its receipt, unless somebody submitted an output meanwhile."""
        async with self.live.store.locked(self.live.folder):
            if not self._received(start):
                self._receipt(start, usage, model)
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

    async def _refused(self) -> str | None:
        """Why a turn that is out may not begin: since it was issued, others have spent, or somebody lowered a limit."""
        paid = not isinstance(self.runtime, Offline)
        spend = self.live.state.spend
        try:
            others = replace(spend, turns=spend.turns - 1)  # the turn itself was counted when it was issued
            return refusal(self._budgets(), others, paid=paid) or await self.purse.refuses(paid=paid)
        except (DocumentError, CorruptError) as error:  # turns in flight are not given up for a file
            return f"nobody can tell what is left: {str(error).rstrip('.')}; then resume"

    def _held(self, start: StartTurn, why: str) -> MakeEvent:
        """The turn is parked, unless an output of it came in by another way meanwhile: that is taken."""
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

    async def _hold_for_host(self) -> None:
        """A host begins a turn when it takes the brief; what may not begin is held before that."""
        if not isinstance(self.runtime, Host):
            return
        for start in [turn.start for turn in self.live.state.turns.values()]:
            with self.live.store.lease(self.live.folder, start.turn) as mine:
                if mine and not self._received(start) and not self._briefed(start) and (why := await self._refused()):
                    await self._apply(self._held(start, why))

    def _briefed(self, start: StartTurn) -> bool:
        return self.live.store.read(f"{self.live.folder}/turns/{start.turn}/brief-{start.attempt}.md") is not None

    # --- tool calls within a turn ---

    async def _call(self, start: StartTurn, tool: str, args: Mapping[str, object], call_id: str) -> Reply:
        """Puts a call to the kernel and waits for its reply; further turns that it starts run meanwhile."""
        by, name, args = f"agent:{start.agent}", f"{start.turn}.{start.attempt}.{call_id}", sayable(args)
        await self._apply(
            lambda _, at: Called(id=name, at=at, by=by, turn=start.turn, call_id=call_id, tool=tool, args=args)
        )
        job = f"{start.turn}.{start.attempt}"
        waiting = self._waiting.setdefault(job, set())
        waiting.add(call_id)  # a turn that waits for others takes no place from them
        self._moved.set()
        try:
            while (reply := self._reply(start.turn, call_id)) is None:
                if self._stalled():
                    return Reply(turn=start.turn, call_id=call_id, illegal=f"{tool} waits for a person; {PAUSED}")
                await self._wait_for_news()
        finally:
            waiting.discard(call_id)
            if not waiting:
                self._waiting.pop(job, None)
        return reply

    def _stalled(self) -> bool:
        """Whether all that is open here waits for replies that nobody is working on: a person must act first."""
        return all(self._idle(name) for name in self._wanted(self.live.state))

    def _idle(self, job: str) -> bool:
        turn, waiting = job.rpartition(".")[0], self._waiting.get(job, set())
        return bool(waiting) and all(self._reply(turn, call_id) is None for call_id in waiting)

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
        urls = self.live.urls(check, self.live.state)
        with telemetry.probes(check, len(urls)):
            probes = await self.prober(urls, check.params)
        await self._apply(
            lambda state, at: self.live.checked(check, state, at, probes) if check.check in state.checks else None
        )

    async def _timer(self, timer: str, at: str) -> None:
        await asyncio.sleep(max(0.0, self._until(at)))
        await self._apply(lambda _, now: Ticked(id=f"tick-{timer}", at=now, by="code", timer=timer))

    def _until(self, at: str) -> float:
        wait = datetime.fromisoformat(at) - datetime.fromisoformat(self.live.clock(self.live.state.rev))
        return wait.total_seconds()


def _listed(data: bytes | None, output: str) -> dict[str, str]:
    """The files that came with this output; a list that somebody left who was stopped before is not its list."""
    plain = json.loads(data) if data else {}
    return dict(plain["files"]) if plain.get("output") == output else {}
