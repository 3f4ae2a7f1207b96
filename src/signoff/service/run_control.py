"""How a surface drives a run: which runtime works on it, how it begins or goes on, where it stands as plain data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.core.commands import Ask
from signoff.core.decide import RESUME
from signoff.core.errors import UsageError
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.state import State
from signoff.core.terms import language_of
from signoff.core.workflow import Workflow
from signoff.service import people, runs
from signoff.service.files import new_project
from signoff.service.people import PERSONAL, Actor
from signoff.service.project import Project, Run
from signoff.shell.run import recordings
from signoff.shell.run.attempts import worker_of
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.recordings import Recording
from signoff.shell.runtimes import recorded
from signoff.shell.runtimes.claude_code import runtime as claude_code
from signoff.shell.runtimes.claude_code.runtime import ClaudeCode
from signoff.shell.runtimes.model.model_choice import choice as model_choice
from signoff.shell.runtimes.model.runtime import ModelRuntime, require
from signoff.shell.runtimes.recorded import Recorded
from signoff.shell.runtimes.runtime import Host, Misbehaving, Offline, Runtime

OFFLINE, RECORDED, MODEL, CLAUDE_CODE = "offline", recorded.RECORDED, "model", "claude-code"
LABELS = {
    OFFLINE: "code that assembles a page from its sheet",
    RECORDED: "a recorded run",
    MODEL: "language models",
    CLAUDE_CODE: "headless Claude Code",
    "host": "an MCP host",
}
"""The runtimes there are, and what their work is called wherever it is shown."""

APPROVAL = "approval"


def runtime(name: str | None, workflow: Workflow, *, models: Sequence[str] = (), played: Path | None = None) -> Runtime:
    """The runtime of this name; without one, the code of a workflow that has any.

    `models` are given as `NAME` or `AGENT=NAME`, and win over what environment, config and agent files say. `played` is
    the folder of the recording that the runtime `recorded` plays.
    """
    name = named(name, models)
    if name not in LABELS:
        raise UsageError(f"there is no runtime {name!r}", valid=", ".join(LABELS), repair="name one of them")
    if name in (MODEL, CLAUDE_CODE):
        by_agent = model_choice(models, workflow.agent_names, os.environ)
        if name == CLAUDE_CODE:
            claude_code.require()
            return ClaudeCode(workflow, by_agent)
        require()
        return ModelRuntime(workflow, by_agent)
    if models:
        raise UsageError(f"--model {models[0]} means nothing to {LABELS[name]}", repair=f"add --runtime {MODEL}")
    if name == Host().name:
        return Host()
    if name == RECORDED:
        return Recorded(recordings.read(played or Path(), workflow, played.name if played else None))
    if workflow.agent_names and not workflow.by_code.players:
        raise _needs_a_model(workflow, played)
    return Offline(workflow.by_code.players)


def worker(
    project: Project,
    workflow: Workflow,
    run: str,
    name: str | None,
    *,
    models: Sequence[str] = (),
    faults: str | None = None,
    seed: int | None = None,
) -> Runtime:
    """What carries out the turns of a run; a wrong choice is told before anything is done.

    `faults` and `seed` spoil its outputs by plan or at random, to see what the run does then.
    """
    played = project.root / recordings.place(run)
    return misbehaving(runtime(name, workflow, models=models, played=played), workflow, faults, seed)


def named(name: str | None, models: Sequence[str]) -> str:
    """The name of the runtime that is meant: `model` if models are given, else `offline`."""
    return name or (MODEL if models else OFFLINE)


def _needs_a_model(workflow: Workflow, played: Path | None) -> UsageError:
    """Says that a model is needed, and what works without one."""
    there = played is not None and (played / recordings.INDEX).is_file()
    play = (
        "`--runtime recorded` plays the recording that lies here"
        if there
        else f"`signoff demo {workflow.name}` plays a recorded run"
        if any(one.workflow == workflow.name for one in new_project.demos())
        else ""
    )
    known = [f"`signoff {workflow.name} {command.name}`" for command in workflow.people.commands[:3]]
    files = f"{', '.join(known)} work{'s' * (len(known) == 1)} on files" if known else ""
    without = ", and ".join(part for part in (play, files) if part)
    return UsageError(
        f"the agents of {workflow.name} are language models, and no model is named",
        valid="--runtime model --model NAME (any provider), --runtime claude-code, or --runtime host (an MCP host)",
        repair="name one" + (f"; without a model {without}" if without else ""),
    )


def label(worker: Runtime) -> str:
    """How the work of a runtime is shown; of a recording, whose turns it plays."""
    made = played(worker)
    return made.label if made else LABELS.get(worker.name, worker.name)


def played(worker: Runtime | None) -> Recording | None:
    """The recording that a runtime plays."""
    inner = worker.inner if isinstance(worker, Misbehaving) else worker
    return inner.recording if isinstance(inner, Recorded) else None


def misbehaving(runtime: Runtime, workflow: Workflow, faults: str | None, seed: int | None) -> Runtime:
    """The runtime with its outputs spoilt by a fault plan, to see what the run does then; without a plan, as it is."""
    if faults is None and seed is None:
        return runtime
    if isinstance(runtime, Host):
        raise UsageError("a host does not misbehave by plan", repair="give the fault plan to another runtime")
    if workflow.by_code.faults is None:
        raise UsageError(f"{workflow.name} knows no faults", repair="run it without a fault plan")
    return Misbehaving(runtime, workflow.by_code.faults(faults if faults is not None else f"seed:{seed}"))


def remembered(live: LiveRun) -> tuple[str, tuple[str, ...]]:
    """The runtime that worked on the run last, and the models that its agents had: a run goes on as it was begun.

    An agent that had no turn yet gets the model of the last one.
    """
    worked = [event for event in live.events if isinstance(event, TurnReturned | TurnFailed)]
    found = [(event.by, *worker_of(live.store, live.folder, event.turn, event.attempt)) for event in worked]
    name = next((runtime for _, runtime, _ in reversed(found) if runtime in LABELS), "")
    if name in (OFFLINE, RECORDED, ""):
        return name, ()
    models = {by.removeprefix("agent:"): model for by, runtime, model in found if runtime == name and model}
    own = [f"{agent}={model}" for agent, model in models.items() if agent in live.workflow.agent_names]
    return name, (*([*models.values()][-1:]), *own)


async def begin_or_go_on(
    project: Project,
    workflow: Workflow,
    run: str,
    params: Mapping[str, Any],
    worker: Runtime | None = None,
    by: str = "person",
) -> Run:
    """Begins the run, or opens it if it has begun; what only counts at the start is then refused if it differs."""
    found = await project.existing(workflow, run)
    if found is None:
        return await begin(project, workflow, run, params, worker, by)
    refuse_late(found, params)
    return found


async def begin(
    project: Project,
    workflow: Workflow,
    run: str,
    params: Mapping[str, Any],
    worker: Runtime | None = None,
    by: str = "person",
) -> Run:
    """Begins the run; one in which a recording is played says so, and begins when the recorded one did."""
    if made := played(worker):
        return await project.begin(workflow, run, params, f"{recordings.MARK}{made.label}", made.began)
    return await project.begin(workflow, run, params, by)


def refuse_late(live: Run, params: Mapping[str, Any]) -> None:
    """What only counts when a run begins is refused if it differs from what the run began with."""
    late = [name for name, value in params.items() if live.state.params.get(name) != value]
    if late:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in late)
        known = {parameter.name: parameter.later for parameter in live.workflow.parameters}
        place = next(iter(live.workflow.setup.scaffold(live.store.read)), "the config of the project")
        config = f"set it in {place}, which is read again at every step, then go on with `signoff resume {live.run}`"
        raise UsageError(
            f"{live.run} has begun already, and {flags} only counts when a run begins",
            repair=known.get(late[0]) or config,
        )


def described(live: LiveRun) -> dict[str, Any]:
    """Where a run stands, as `status.json` has it, with its project."""
    return {"project": live.store.name, **live.status()}


async def traced(project: Project, what: str, run: str | None = None) -> tuple[str, Mapping[str, Any]]:
    """Where an id came from and what depends on it, with the one run that knows it; `edited` if it has not seen all."""
    lives = [await project.open(run)] if run else await project.open_all()
    names = [live.run for live in lives]
    found = {live.run: way for live in lives if (way := runs.known(live, what)) is not None}
    if len(found) == 1:
        [(name, way)] = found.items()
        edited = runs.edited(lives[names.index(name)])
        return name, {**way, "edited": edited} if edited else way
    if not names:
        raise UsageError(f"no run has begun in {project.root}", repair="begin one with `signoff run`")
    if found:
        repair = f"say which run you mean, as in `signoff trace {what} --run {next(iter(found))}`"
        raise UsageError(f"{len(found)} runs know {what!r}", valid=", ".join(found), repair=repair)
    problem = f"no run knows an id {what!r}; the runs here are {', '.join(names)}"
    raise UsageError(
        f"{names[0]} knows no id {what!r}" if len(names) == 1 else problem,
        repair="name an id that stands in the documents of the run",
    )


def request(live: LiveRun, key: str, act: str, actor: Actor) -> Ask:
    """The request under this key that this actor may settle with this act."""
    asks = list(live.state.requests.values())
    found = next((ask for ask in asks if key in (ask.key, ask.request) and act in ask.options), None)
    if found is None:
        waiting = ", ".join(f"{ask.key} ({' or '.join(ask.options)})" for ask in asks)
        raise UsageError(
            f"{live.run} has nothing to {act} under {key!r}",
            valid=waiting or "nothing waits for a person in this run",
            repair=f"see what waits with `signoff inbox {live.store.name}`",
        )
    people.check_settling(actor, live.run, found, act)
    return found


def resumption(live: LiveRun, actor: Actor, step: str | None = None) -> Ask | None:
    """The request that `resume` settles for this actor, if the run waits for that; `step` is where it begins again."""
    ask = runs.resumable(live.state)
    offered = list(ask.notes.get("from", ())) if ask else []
    if step is not None and step not in offered:
        raise UsageError(
            f"{live.run} cannot begin again at {step!r} now",
            valid=", ".join(offered) or "nothing: the run is not stopped, it just goes on",
            repair="leave --from out to go on where it stopped",
        )
    if ask is not None:
        people.check_settling(actor, live.run, ask, RESUME)
    return ask


# --- choices ----------------------------------------------------------------------------------------------------------


def choosable(ask: Ask) -> tuple[str, ...]:
    """The options of a request that every actor may choose; signing off is a person's act with its own command."""
    return () if ask.kind == APPROVAL else tuple(option for option in ask.options if option not in PERSONAL)


def offered(state: State) -> tuple[Ask, ...]:
    """The requests in which something can be chosen."""
    return tuple(ask for ask in state.requests.values() if choosable(ask))


def act(live: LiveRun, option: str) -> str:
    """The option that a person names in English or Chinese."""
    return live.workflow.views.terms.value(option) or option


def choice(live: LiveRun, option: str, actor: Actor, key: str | None = None) -> Ask:
    """The one request that this actor may settle with this option; `key` says which, if several have it."""
    if option in PERSONAL:
        for ask in live.state.requests.values():
            if option in ask.options:
                people.check_settling(actor, live.run, ask, option)
        raise UsageError(
            f"{option!r} is a person's act and not one of the choices",
            valid=_offers(live),
            repair=f"use its own command, `signoff {option} {live.run}`",
        )
    found = [ask for ask in offered(live.state) if option in choosable(ask) and key in (None, ask.key, ask.request)]
    if not found:
        under = f" under {key!r}" if key is not None else ""
        raise UsageError(
            f"{live.run} has nothing in which {option!r} can be chosen{under}",
            valid=_offers(live),
            repair=f"see what each choice does with `signoff choose {live.run}`",
        )
    if len(found) > 1:
        keys = Counter(ask.key for ask in found)
        raise UsageError(
            f"{option!r} can be chosen in {len(found)} requests of {live.run}",
            valid=", ".join(ask.request if keys[ask.key] > 1 else ask.key for ask in found),
            repair="say which one with --request",
        )
    people.check_settling(actor, live.run, found[0], option)
    return found[0]


def _offers(live: LiveRun) -> str:
    terms, language = live.workflow.views.terms, language_of(live.state.params)
    found = [
        f"{' or '.join(terms.name(option, language) for option in choosable(ask))} ({ask.key})"
        for ask in offered(live.state)
    ]
    asks = live.state.requests.values()
    waits = "; ".join(f"{ask.key} waits: {terms.shown(ask.question, language)}" for ask in asks)
    return ", ".join(found) or "nothing can be chosen in this run now" + (f"; {waits}" if waits else "")
