"""The Python API: open a project, start runs, watch them, and settle what they ask.

A thin layer over the service. Every call is a coroutine; `Project.sync` gives the same handles for code that cannot
await. Who acts is decided as everywhere (`service/people.py`): a program that signs off names the person for whom it
acts, and the journal holds that name.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from concurrent import futures
from functools import cache, wraps
from pathlib import Path
from typing import Any, Self
from weakref import WeakSet

from signoff.core.commands import Ask
from signoff.core.decide import APPROVE, RESUME
from signoff.core.declarations import Question
from signoff.core.errors import UsageError
from signoff.core.events import Event
from signoff.core.workflow import Workflow
from signoff.service import (
    catalog,
    conversations,
    cost_ledger,
    people,
    project,
    questionnaires,
    run_control,
    runs,
    status_overview,
)
from signoff.service.cost_ledger import Sum
from signoff.service.hosts import host_turns
from signoff.service.people import REJECT, Actor
from signoff.shell.run import recordings
from signoff.shell.run.live_run import LiveRun, Watcher
from signoff.shell.runtimes.runtime import Runtime

_log = logging.getLogger("signoff")


def open_project(path: str | Path, *, person: str = "") -> Project:
    """Opens the project in a folder, or the one that the folder lies in.

    `person` is the name of the person for whom the program acts; the journal holds it. Approving, rejecting and
    resuming need one. In a shell that an agent opened no name counts.

    Example:
        async with open_project("pipeline", person="Ada") as project:
            print(await project.runs())
    """
    return Project(project.find_root(Path(path)), people.of_process(os.environ, named=person))


class Project:
    """An open project. Make it with `open_project`; at the end of `async with` work that is under way is stopped.

    Example:
        async with open_project("pipeline") as project:
            print(project.root.name)
    """

    def __init__(self, root: Path, actor: Actor) -> None:
        self.root, self.actor = root, actor
        self._opened_runs: WeakSet[Run] = WeakSet()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stops the work that is under way; nothing that was finished is lost.

        Example:
            await project.close()
        """
        for run in list(self._opened_runs):
            await _ended(run._work)

    def sync(self) -> BlockingProject:
        """The same project for code that cannot await, such as the cells of a notebook. It ends with `with` or `close`.

        Example:
            with open_project("pipeline").sync() as project:
                print(project.runs())
        """
        return BlockingProject(self, _Loop())

    async def start(
        self, workflow: str, name: str, /, *, runtime: str | None = None, models: Sequence[str] = (), **params: Any
    ) -> Run:
        """Begins a run of a workflow, or opens it if it has begun. Iterate over the run to have it worked on.

        `runtime` and `models` say who takes the turns, as `--runtime` and `--model` on the command line. `params` are
        what the workflow takes at its start.

        Example:
            run = await project.start("clarify", "sales-pipeline", topic="Sales pipeline", runtime="recorded")
        """
        definition, opened = catalog.workflow(workflow), self._opened()
        begun = await opened.existing(definition, name)
        worker = _runtime(opened, definition, name, begun, runtime, models)
        told = host_turns.checked_params(definition, params)
        if begun is None:
            begun = await run_control.begin(opened, definition, name, told, worker, self.actor.by)
        else:
            run_control.refuse_late(begun, told)
        live = begun
        return Run(self, live, lambda: worker)

    async def run(self, name: str, *, runtime: str | None = None, models: Sequence[str] = ()) -> Run:
        """Opens a run that has begun. Without a `runtime` it goes on with the one that it had.

        Example:
            run = await project.run("sales-pipeline")
        """
        opened = self._opened()
        live = await opened.open(name)
        return Run(self, live, lambda: _runtime(opened, live.workflow, name, live, runtime, models))

    async def runs(self) -> list[str]:
        """The names of the runs that have begun.

        Example:
            names = await project.runs()
        """
        return await self._opened().known()

    def status(self) -> list[dict[str, Any]]:
        """Where every run stands, as its `status.json` says it.

        Example:
            waiting = [one["run"] for one in project.status() if one["requests"]]
        """
        return list(status_overview.statuses(self.root, depth=0))

    def _opened(self) -> project.Project:
        """The project as the service has it, with a watcher for one run."""
        return project.Project(self.root, watcher=Watcher(notice=lambda text: _log.warning("%s", text)))


def _runtime(
    opened: project.Project,
    workflow: Workflow,
    name: str,
    begun: LiveRun | None,
    runtime: str | None,
    models: Sequence[str],
) -> Runtime:
    """Who takes the turns: as the caller says, else as the run was worked on last."""
    if runtime is None and begun is not None:
        last, known = run_control.remembered(begun)
        runtime, models = last or None, models or known
    return run_control.runtime(runtime, workflow, models=models, played=opened.root / recordings.place(name))


async def _ended(work: asyncio.Task[Any] | None) -> None:
    """Stops the work of a loop over a run, if there is any."""
    if work is not None:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


class Run:
    """A run of a workflow. Make it with `Project.start` or `Project.run`.

    Iterating over it has it worked on, and gives each event when it is in the journal, until the run waits for a person
    or a host, or ends. Leaving the loop stops the work; nothing that was finished is lost. An act such as `answer` or
    `approve` is in the journal at once; iterate again to go on. Properties say what this handle knows; `refresh` takes
    in what others did.

    Example:
        async for event in run:
            print(event.at, event.by, event.type)
    """

    def __init__(self, project: Project, live: LiveRun, runtime: Callable[[], Runtime]) -> None:
        self._project, self._live, self._runtime = project, live, cache(runtime)
        self._work: asyncio.Task[Any] | None = None
        project._opened_runs.add(self)

    @property
    def name(self) -> str:
        """The name of the run.

        Example:
            print(run.name)
        """
        return self._live.run

    @property
    def status(self) -> dict[str, Any]:
        """Where the run stands, as its `status.json` says it.

        Example:
            print(run.status["phase"])
        """
        return run_control.described(self._live)

    @property
    def stop(self) -> str | None:
        """Why the run ended or stopped, such as "complete"; None if it has not.

        Example:
            print(run.stop or "it goes on")
        """
        return self._live.state.stop

    @property
    def requests(self) -> tuple[Ask, ...]:
        """What waits for a person: `key`, `kind`, `question` and `options`.

        Example:
            for request in run.requests:
                print(request.key, request.question, request.options)
        """
        return tuple(self._live.state.requests.values())

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions in the run's document, each with its answer and a verdict on that.

        Example:
            empty = [question.key for question in run.questions if not question.answer]
        """
        return questionnaires.read(self._live).questions

    async def __aiter__(self) -> AsyncGenerator[Event, None]:
        await _ended(self._work)
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._live.watcher.applied = lambda event, _state: events.put_nowait(event)
        work = self._work = asyncio.create_task(runs.drive(self._live, self._runtime()))
        work.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            if not work.cancelled():
                work.result()
        finally:
            await _ended(work)

    async def refresh(self) -> None:
        """Takes in what other processes did and what people edited in the files.

        Example:
            await run.refresh()
        """
        await self._live.refresh()

    async def answer(self, answers: Mapping[str, str]) -> tuple[Question, ...]:
        """Writes answers into the run's document of questions, by key; gives the questions as they are then.

        Example:
            await run.answer({"Q1": "A", "Q2": "Only paid orders count."})
        """
        if wrong := [key for key, text in answers.items() if not isinstance(text, str)]:
            raise UsageError(
                f"the answer to {wrong[0]} is {answers[wrong[0]]!r}", valid="text", repair="put it in quotes"
            )
        await self._live.refresh()
        return (await questionnaires.write(self._live, answers, self._project.actor)).questions

    async def choose(
        self, option: str, *, request: str | None = None, note: str = "", payload: Mapping[str, Any] | None = None
    ) -> None:
        """Settles a request with one of its options. `request` names it if several have the option.

        `note` is recorded with the choice. `payload` is what the option takes along, such as edits.

        Example:
            await run.choose("research")
        """
        await self._live.refresh()
        ask = run_control.choice(self._live, option, self._project.actor, request)
        given = {**(payload or {}), **({"note": note.strip()} if note.strip() else {})}
        conversations.refuse_payload(conversations.way(self._live, ask, option), option, given)
        await runs.answer(self._live, ask.request, option, self._project.actor, given)

    def changes(self, gate: str) -> str:
        """What changed in the documents of a request since it was written, as a diff.

        Example:
            print(run.changes("strategy"))
        """
        return runs.changes(self._live, runs.waiting(self._live.state, gate))

    async def approve(self, gate: str, *, accept_changes: bool = False) -> None:
        """Approves what waits under this gate, to the byte, in the name of the person.

        If a document changed after the request was written, look at `changes` and pass `accept_changes=True`. A
        document that changes after you looked is refused.

        Example:
            await run.approve("strategy")
        """
        await self._sign(gate, APPROVE, {"accept_changes": accept_changes})

    async def reject(self, gate: str, reason: str, *, payload: Mapping[str, Any] | None = None) -> None:
        """Sends back what waits under this gate; the agents are given the reason. `payload` goes along with it.

        Example:
            await run.reject("strategy", "Speak to integrators, not to buyers.")
        """
        if not reason.strip():
            raise UsageError("the reason is empty", repair="say what must change: the agent is given these words")
        await self._sign(gate, REJECT, {**(payload or {}), "reason": reason.strip()})

    async def resume(self, *, step: str | None = None) -> None:
        """Lets a run go on that was escalated, is out of budget or was edited after its end.

        `step` is where it begins again, if the request offers that. A run that is not stopped is left as it is.

        Example:
            await run.resume()
        """
        await self._live.refresh()
        if ask := run_control.resumption(self._live, self._project.actor, step):
            given = {"from": step} if step else {}
            await runs.answer(self._live, ask.request, RESUME, self._project.actor, given)

    async def cost(self) -> Sum:
        """What the run has used. `unpriced` counts the attempts whose price is unknown; they are not in `cost`.

        Example:
            used = await run.cost()
            print(used.tokens, used.cost, used.unpriced)
        """
        return cost_ledger.add_up((await cost_ledger.book(self._project.root, self.name)).entries)

    async def _sign(self, gate: str, act: str, payload: Mapping[str, Any]) -> None:
        """Signs off what this handle knows: digests of documents that changed since then are not the seen ones."""
        ask = run_control.request(self._live, gate, act, self._project.actor)
        seen = runs.shown(self._live, ask)
        await runs.answer(self._live, ask.request, act, self._project.actor, payload, seen)


# --- for code that cannot await ---------------------------------------------------------------------------------------


class Blocking:
    """A project or a run whose coroutines are waited for: the same names, arguments and results, without `await`.

    They run in the loop of another thread, so this works in a thread that runs a loop already, as in Jupyter.

    Example:
        with open_project("pipeline").sync() as project:
            run = project.start("clarify", "sales-pipeline", topic="Sales pipeline", runtime="recorded")
            for event in run:
                print(event.at, event.by, event.type)
    """

    def __init__(self, handle: Any, loop: _Loop) -> None:
        self._handle, self._loop = handle, loop

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._handle, name)
        if not callable(found):
            return found

        @wraps(found)
        def call(*args: Any, **given: Any) -> Any:
            result = self._loop.wait(lambda: found(*args, **given))
            return Blocking(result, self._loop) if isinstance(result, Run) else result

        return call

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._handle) if not name.startswith("_")]

    def __iter__(self) -> Iterator[Event]:
        events = aiter(self._handle)
        try:
            while (event := self._loop.wait(lambda: anext(events, None))) is not None:
                yield event
        finally:
            if self._loop.running:
                self._loop.wait(events.aclose)


class BlockingProject(Blocking):
    """A project for code that cannot await. Make it with `Project.sync`.

    Example:
        project = open_project("pipeline").sync()
        print(project.runs())
        project.close()
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops the work that is under way, and the thread. Closing twice does nothing.

        Example:
            project = open_project("pipeline").sync()
            project.close()
        """
        if self._loop.running:
            self._loop.wait(self._handle.close)
            self._loop.end()


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop, self._ended = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="signoff", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._ended.wait())

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def wait(self, call: Callable[[], Any]) -> Any:
        """What a call gives, made in the loop and waited for; if the wait is interrupted, the call is cancelled."""
        if not self.running:
            raise UsageError("the project is closed", repair="open it again with open_project")

        async def made() -> Any:
            result = call()
            return await result if inspect.isawaitable(result) else result

        future = asyncio.run_coroutine_threadsafe(made(), self._loop)
        try:
            while not future.done():  # a signal that comes just before an endless wait would never be seen
                futures.wait([future], timeout=0.2)
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()
