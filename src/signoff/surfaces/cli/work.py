"""Work on a run from the command line: with which options, shown how, and how it goes on when it asks a person."""

from __future__ import annotations

import asyncio
import inspect
import os
import shlex
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from signoff import State, Workflow
from signoff.service import run_control, run_limits, runs
from signoff.service.people import Via
from signoff.service.project import Project, Run
from signoff.service.recordings import recorder
from signoff.surfaces.cli import exits
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal import progress, progress_view, question_prompts
from signoff.surfaces.cli.terminal.formatting import clean, harmless
from signoff.surfaces.cli.terminal.keyboard import Keyboard, at_terminal
from signoff.surfaces.cli.terminal.progress_view import Reporter
from signoff.surfaces.cli.terminal.request_prompts import Requests, Wait
from signoff.surfaces.cli.terminal.signing import here
from signoff.surfaces.cli.workflow_options import argument, shaped


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a run is worked on and shown."""

    project: Path
    runtime: str | None = None
    models: tuple[str, ...] = ()
    as_json: bool = False
    faults: str | None = None
    seed: int | None = None
    go_on: bool = True
    no_input: bool = False
    max_cost: str | None = None
    max_tokens: str | None = None

    def __post_init__(self) -> None:
        run_limits.read(self.max_cost, self.max_tokens)  # refuses an invalid limit before anything is done

    @property
    def limited(self) -> bool:
        """Whether a limit was given."""
        return (self.max_cost, self.max_tokens) != (None, None)

    @property
    def asks(self) -> bool:
        """Whether a person is there who sees a question and can answer it: no pipe on either side, no agent's shell."""
        quiet = self.as_json or self.no_input
        return not quiet and at_terminal() and sys.stdout.isatty() and here().via is not Via.AGENT

    async def limit(self, live: Run) -> None:
        """Enters the limits that were given; they are in force from now on."""
        await run_limits.enter(live, run_limits.read(self.max_cost, self.max_tokens), here().by)

    def on(self, live: Run | None) -> How:
        """How this run is worked on: as it was called, else as it was worked on last."""
        if self.runtime or live is None:
            return self
        name, models = run_control.remembered(live)
        return replace(self, runtime=name or None, models=self.models or models)

    def worker(self, project: Project, workflow: Workflow, slug: str) -> Any:
        """The runtime that was chosen; a wrong choice is refused before anything is done."""
        return run_control.worker(
            project, workflow, slug, self.runtime, models=self.models, faults=self.faults, seed=self.seed
        )


OPTIONS = {
    "no_run": (o.NoRun, False),
    "no_input": (o.NoInput, False),
    "runtime": (o.RuntimeName, None),
    "model": (o.Models, None),
    "max_cost": (o.MaxCost, None),
    "max_tokens": (o.MaxTokens, None),
    "as_json": (o.AsJson, False),
    "project": (o.ProjectDir, Path()),
}
"""The options of `How`. The first two are only for commands that ask for them."""


def run_options(*more: str, **other: Any) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Gives a command the options of `How` in the place of its parameter `how`.

    `more` names those that not every such command has; `other` replaces the annotation of an option.
    """

    def made(command: Callable[..., int]) -> Callable[..., int]:
        own = [one for one in inspect.signature(command, eval_str=True).parameters.values() if one.name != "how"]
        chosen = [name for name in OPTIONS if name in more or not name.startswith("no_")]
        options = [argument(name, other.get(name, OPTIONS[name][0]), OPTIONS[name][1]) for name in chosen]

        def call(**given: Any) -> int:
            return command(**{one.name: given[one.name] for one in own}, how=how_of(given))

        return shaped(call, [*own, *options], command.__doc__)

    return made


def how_of(given: Mapping[str, Any]) -> How:
    """The options of a command line as `How`."""
    named = {name: given[name] for name in ("faults", "no_input", "max_cost", "max_tokens") if name in given}
    return How(
        project=given["project"],
        runtime=given["runtime"],
        models=tuple(given["model"] or ()),
        as_json=given["as_json"],
        seed=given.get("fault_seed"),
        go_on=not given.get("no_run"),
        **named,
    )


def project_with_notices(root: Path) -> Project:
    """The project, whose notices go to standard error."""
    project = Project(root)
    project.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    return project


@contextmanager
def event_loop(again: str) -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """One event loop for a whole command, which also asks in between; Ctrl-C says how to go on."""
    with asyncio.Runner() as loop:
        try:
            yield loop.run
        except KeyboardInterrupt:
            raise exits.InterruptedRunError(again) from None


def run_to_end(coroutine: Coroutine[Any, Any, int], again: str) -> int:
    """Waits for the end of the work; Ctrl-C says how to go on."""
    with event_loop(again) as wait:
        return int(wait(coroutine))


# --- what is shown of the work ----------------------------------------------------------------------------------------


def reporter(
    project: Project,
    workflow: Workflow,
    slug: str,
    how: How,
    worker: Any,
    before: State | None = None,
    *,
    opened: bool = False,
) -> Reporter:
    """A reporter that the project's watcher tells everything; one that was `opened` before says no more who works."""
    board = progress.Board(
        run=slug,
        workflow=workflow.name,
        runtime=run_control.label(worker),
        project=elsewhere(project),
        asked=frozenset(before.requests if before else ()),
        stop=before.stop if before else None,
    )
    told = Reporter(
        board,
        progress_view.screen(as_json=how.as_json),
        workflow.status,
        run_limits.of_state(project, workflow, slug),
        workflow.views.terms,
        opened=opened,
    )
    watcher = project.watcher
    watcher.applied, watcher.working, watcher.notice = told.applied, told.working, told.notice
    watcher.heard = told.heard
    return told


def elsewhere(project: Project) -> str | None:
    """The project folder, unless a command typed here finds it by itself."""
    at = Path.cwd().resolve()
    return None if at == project.root or project.root in at.parents else str(project.root)


def where(project: Project) -> str:
    """What a command typed here needs to find the project."""
    return f" --project {shlex.quote(place)}" if (place := elsewhere(project)) else ""


def end(live: Run, told: Reporter, how: How, *, summed_up: bool = False, **more: Any) -> int:
    """Says how the run stands now and, if it is done or `summed_up` is set, what came of it; gives the exit code."""
    status, code = run_control.described(live), runs.exit_code(live.state)
    found = summary(live) if summed_up or code == runs.DONE else {}
    if how.as_json:
        came = {"summary": found} if found else {}
        o.print_json({**status, "exit": code, "runtime": told.board.runtime, "notices": told.notices, **came, **more})
    else:
        print("\n".join(progress.ending(status, told.board.project, live.language)))
        print("".join(f"{harmless(line)}\n" for line in found.get("lines", ())), end="")
    return code


def summary(live: Run) -> dict[str, Any]:
    """What came of a run, with the project's folder where its lines speak of it."""
    found, root = live.workflow.views.summary(live.state, live.library), live.project.root
    place = min(os.path.relpath(root), str(root), key=len)
    return {**found, "lines": [str(line).replace("{project}", place) for line in found.get("lines", ())]}


# --- the work ---------------------------------------------------------------------------------------------------------


def begin_or_go_on(
    project: Project,
    workflow: Workflow,
    slug: str,
    sources: list[Path],
    params: Mapping[str, Any],
    how: How,
    wait: Wait,
    *,
    recorded: bool = False,
) -> tuple[Run, Reporter]:
    """Begins a run or goes on with it, until it ends, or waits for a person who is not here."""
    live: Run | None = wait(project.existing(workflow, slug))
    how = how.on(live)
    worker = how.worker(project, workflow, slug)
    if live is None and how.asks and not run_control.played(worker):
        params = {**params, **question_prompts.missing(workflow.parameters, params, Keyboard())}
    with reporter(project, workflow, slug, how, worker) as told:
        project.take_in(sources)
        if live is None:
            live = wait(run_control.begin(project, workflow, slug, params, worker))
        else:
            run_control.refuse_late(live, params)
        wait(how.limit(live))
        wait(runs.drive(live, worker))
    return live, attend(live, worker, how, told, wait, recorded=recorded)


def attend(live: Run, worker: Any, how: How, told: Reporter, wait: Wait, *, recorded: bool = False) -> Reporter:
    """Puts what the run waits for to the person here and goes on, until it ends or they leave.

    In a run that plays a recording, the answer of the recorded person is offered; `recorded` takes it without asking.
    """
    requests = Requests(live, Keyboard(), wait)
    while runs.exit_code(live.state) == runs.WAITING:
        offer = recorder.offer(run_control.played(worker), live)
        if recorded and offer:
            if not how.as_json:
                print(f"The run asks: {clean(live.named(offer.ask.question), 1000)}")
                print(f"  recorded answer of {clean(offer.by)}: {clean(offer.text, 1000)}")
            wait(offer.take())
        elif not how.asks or not requests.settle(offer):
            break
        with reporter(live.project, live.workflow, live.run, how, worker, live.state, opened=True) as told:
            wait(runs.drive(live, worker))
    if how.asks and live.state.requests:
        print(f"Nothing is lost: `signoff resume {live.run}{where(live.project)}` goes on and asks again.")
    return told
