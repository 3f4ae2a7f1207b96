"""`run` and `resume`: they work on a run, put what it asks to the person at this terminal, and go on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.core.decide import RESUME
from signoff.core.workflow import Workflow
from signoff.service import run_control, runs
from signoff.service.project import Project, Run
from signoff.service.recordings import recorder
from signoff.surfaces.cli import run_work
from signoff.surfaces.cli.run_work import How
from signoff.surfaces.cli.terminal import question_prompts
from signoff.surfaces.cli.terminal.formatting import clean
from signoff.surfaces.cli.terminal.keyboard import Keyboard
from signoff.surfaces.cli.terminal.progress_view import Reporter
from signoff.surfaces.cli.terminal.request_prompts import Requests, Wait


def run(workflow: Workflow, slug: str, sources: list[Path], params: Mapping[str, Any], how: How) -> int:
    """Begins a run, or goes on with one that has begun."""
    with run_work.waiting(f"signoff resume {slug}") as wait:
        live, told = work(Project(how.project), workflow, slug, sources, params, how, wait)
    return run_work.end(live, told, how)


def work(
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
    """Begins a run or goes on with it, until it ends, or waits for somebody who is not here."""
    live: Run | None = wait(project.existing(workflow, slug))
    how = how.on(live)
    worker = how.worker(project, workflow, slug)
    if live is None and how.asks and not run_control.played(worker):
        params = {**params, **question_prompts.missing(workflow.parameters, params, Keyboard())}
    with run_work.reporter(project, workflow, slug, how, worker) as told:
        project.take_in(sources)
        if live is None:
            live = wait(run_control.begin(project, workflow, slug, params, worker))
        else:
            run_control.refuse_late(live, params)
        wait(how.limit(live))
        wait(runs.drive(live, worker))
    return live, attend(live, worker, how, told, wait, recorded=recorded)


def resume(slug: str, how: How, step: str | None = None) -> int:
    """Goes on; if the run waits for exactly that, it is the person's answer."""
    project = Project(how.project)
    with run_work.waiting(f"signoff resume {slug}") as wait:
        live: Run = wait(project.open(slug))
        how = how.on(live)
        worker = how.worker(project, live.workflow, slug)
        actor = run_work.here()
        if run_control.resumption(live, actor, step):
            run_work.confirm(RESUME, actor)
        with run_work.reporter(project, live.workflow, slug, how, worker, live.state) as told:
            wait(live.refresh())
            wait(how.limit(live))
            if ask := runs.resumable(live.state):
                wait(runs.answer(live, ask.request, RESUME, actor, {"from": step} if step else {}))
            wait(runs.drive(live, worker))
        told = attend(live, worker, how, told, wait)
    return run_work.end(live, told, how)


def attend(live: Run, worker: Any, how: How, told: Reporter, wait: Wait, *, recorded: bool = False) -> Reporter:
    """Puts what the run waits for to the person here and goes on, until it ends or they leave.

    In a run that plays a recording, the answer of the recorded person is offered; `recorded` takes it without asking.
    """
    requests = Requests(live, Keyboard(), wait)
    while runs.exit_code(live.state) == runs.WAITING:
        offer = recorder.offer(run_control.played(worker), live)
        if recorded and offer:
            _take(live, offer, how, wait)
        elif not how.asks or not requests.settle(offer):
            break
        with run_work.reporter(live.project, live.workflow, live.run, how, worker, live.state, opened=True) as told:
            wait(runs.drive(live, worker))
    if how.asks and live.state.requests:
        place = run_work.elsewhere(live.project)
        where = f" --project {shlex.quote(place)}" if place else ""
        print(f"Nothing is lost: `signoff resume {live.run}{where}` goes on and asks again.")
    return told


def _take(live: Run, offer: recorder.Offer, how: How, wait: Wait) -> None:
    if not how.as_json:
        print(f"The run asks: {clean(run_work.question(live, offer.ask), 1000)}")
        print(f"  recorded answer of {clean(offer.by)}: {clean(offer.text, 1000)}")
    wait(offer.take())
