"""How a surface drives a run: which runtime works on it, how it begins or goes on, where it stands as plain data."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.core.commands import Ask
from signoff.core.decide import APPROVE, RESUME
from signoff.core.errors import UsageError
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.state import State
from signoff.core.workflow import Workflow
from signoff.service.project import Project
from signoff.shell import receipts, recorded, recordings
from signoff.shell.claude_code import runtime as claude_code
from signoff.shell.claude_code.runtime import ClaudeCode
from signoff.shell.live import LiveRun
from signoff.shell.model.choosing import choice as chosen
from signoff.shell.model.runtime import ModelRuntime, require
from signoff.shell.recorded import Recorded
from signoff.shell.recordings import Recording
from signoff.shell.runtimes import Host, Misbehaving, Offline, Runtime

OFFLINE, RECORDED, MODEL, CLAUDE_CODE = "offline", recorded.RECORDED, "model", "claude-code"
LABELS = {
    OFFLINE: "code that assembles a page from its sheet",
    RECORDED: "a recorded run",
    MODEL: "language models",
    CLAUDE_CODE: "headless Claude Code",
    "host": "an MCP host",
}
"""The runtimes there are, and what their work is called wherever it is shown."""

APPROVAL, REJECT = "approval", "reject"
PERSONAL = (APPROVE, REJECT, RESUME)
"""Options that are a person's acts and have commands of their own."""


def runtime(name: str | None, workflow: Workflow, *, models: Sequence[str] = (), played: Path | None = None) -> Runtime:
    """The runtime of this name; without one, the code of a workflow that has any.

    `models` are given as `NAME` or `AGENT=NAME`, and win over what environment, config and agent files say. `played` is
    the folder of the recording that the runtime `recorded` plays.
    """
    name = named(name, models)
    if name not in LABELS:
        raise UsageError(f"there is no runtime {name!r}", valid=", ".join(LABELS), repair="name one of them")
    if name in (MODEL, CLAUDE_CODE):
        return _model(name, workflow, models)
    if models:
        raise UsageError(f"--model {models[0]} means nothing to {LABELS[name]}", repair=f"add --runtime {MODEL}")
    if name == Host().name:
        return Host()
    if name == RECORDED:
        return Recorded(recordings.read(played or Path(), workflow, played.name if played else None))
    if workflow.agents and not workflow.players:
        raise _needs_a_model(workflow, played)
    return Offline(workflow.players)


def named(name: str | None, models: Sequence[str]) -> str:
    """The name of the runtime that is meant: `model` if models are given, else `offline`."""
    return name or (MODEL if models else OFFLINE)


def _needs_a_model(workflow: Workflow, played: Path | None) -> UsageError:
    """What a person is told who has named no model: what is needed, and what there is without one."""
    there = played is not None and (played / recordings.INDEX).is_file()
    play = (
        "`--runtime recorded` plays the recording that lies here"
        if there
        else f"`signoff demo {workflow.name}` plays a recorded run"
    )
    known = [f"`signoff {workflow.name} {command.name}`" for command in workflow.commands[:3]]
    files = f"{', '.join(known)} work{'s' * (len(known) == 1)} on files"
    return UsageError(
        f"the agents of {workflow.name} are language models, and no model is named",
        valid="--runtime model --model NAME (any provider), --runtime claude-code, or --runtime host (an MCP host)",
        repair=f"name one; without a model {play}" + (f", and {files}" if known else ""),
    )


def label(name: str, project: Project, run: str) -> str:
    """What the work of a runtime is called where it is shown; of a recording, whose turns it plays."""
    if name != RECORDED:
        return LABELS.get(name, name)
    return recordings.read(project.root / recordings.place(run)).label


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
    if workflow.faults is None:
        raise UsageError(f"{workflow.name} knows no faults", repair="run it without a fault plan")
    return Misbehaving(runtime, workflow.faults(faults if faults is not None else f"seed:{seed}"))


def _model(name: str, workflow: Workflow, models: Sequence[str]) -> Runtime:
    named = chosen(models, workflow.agents, os.environ)
    if name == CLAUDE_CODE:
        claude_code.require()
        return ClaudeCode(workflow, named)
    require()
    return ModelRuntime(workflow, named)


def remembered(live: LiveRun) -> tuple[str, tuple[str, ...]]:
    """The runtime that worked on the run last, and the models that its agents had: a run goes on as it was begun.

    An agent that had no turn yet gets the model of the last one.
    """
    worked = [event for event in live.events if isinstance(event, TurnReturned | TurnFailed)]
    found = [(event.by, *_worker(live, event)) for event in worked]
    name = next((runtime for _, runtime, _ in reversed(found) if runtime in LABELS), "")
    if name in (OFFLINE, RECORDED, ""):
        return name, ()
    models = {by.removeprefix("agent:"): model for by, runtime, model in found if runtime == name and model}
    own = [f"{agent}={model}" for agent, model in models.items() if agent in live.workflow.agents]
    return name, (*([*models.values()][-1:]), *own)


def _worker(live: LiveRun, event: TurnReturned | TurnFailed) -> tuple[str, str]:
    return receipts.worker(live.store.read(receipts.place(live.folder, event.turn, event.attempt)))


async def begin_or_go_on(
    project: Project,
    workflow: Workflow,
    run: str,
    params: Mapping[str, Any],
    worker: Runtime | None = None,
    by: str = "person",
) -> LiveRun:
    """Begins the run, or opens it where it has begun; what only counts at the start is then refused if it differs."""
    found = await project.existing(workflow, run)
    if found is None:
        if made := played(worker):
            return await project.begin(workflow, run, params, f"{recordings.MARK}{made.label}", made.began)
        return await project.begin(workflow, run, params, by)
    late = [name for name, value in params.items() if found.state.params.get(name) != value]
    if late:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in late)
        known = {parameter.name: parameter.later for parameter in workflow.parameters}
        place = next(iter(workflow.scaffold(project.store.read)), "the config of the project")
        config = f"set it in {place}, which is read again at every step, then go on with `signoff resume {run}`"
        raise UsageError(
            f"{run} has begun already, and {flags} only counts when a run begins",
            repair=known.get(late[0]) or config,
        )
    return found


def described(live: LiveRun) -> dict[str, Any]:
    """Where a run stands, as `status.json` has it, with its project."""
    return {"project": live.store.name, **live.status()}


def request(live: LiveRun, key: str, act: str) -> Ask:
    """The request under this key that can be settled with this act."""
    asks = list(live.state.requests.values())
    found = next((ask for ask in asks if key in (ask.key, ask.request) and act in ask.options), None)
    if found is None:
        waiting = ", ".join(f"{ask.key} ({' or '.join(ask.options)})" for ask in asks)
        raise UsageError(
            f"{live.run} has nothing to {act} under {key!r}",
            valid=waiting or "nothing waits for a person in this run",
            repair=f"see what waits with `signoff inbox {live.store.name}`",
        )
    return found


# --- choices ----------------------------------------------------------------------------------------------------------


def choosable(ask: Ask) -> tuple[str, ...]:
    """The options of a request that anybody may choose: signing off is a person's, with a command of its own."""
    return () if ask.kind == APPROVAL else tuple(option for option in ask.options if option not in PERSONAL)


def offered(state: State) -> tuple[Ask, ...]:
    """The requests in which something can be chosen."""
    return tuple(ask for ask in state.requests.values() if choosable(ask))


def choice(live: LiveRun, option: str, key: str | None = None) -> Ask:
    """The one request that this option settles; `key` says which, where several have it."""
    if option in PERSONAL:
        raise UsageError(
            f"{option!r} is a person's act and not one of the choices",
            valid=_offers(live.state),
            repair=f"use its own command, `signoff {option} {live.run}`",
        )
    found = [ask for ask in offered(live.state) if option in choosable(ask) and key in (None, ask.key, ask.request)]
    if not found:
        under = f" under {key!r}" if key is not None else ""
        raise UsageError(
            f"{live.run} has nothing in which {option!r} can be chosen{under}",
            valid=_offers(live.state),
            repair=f"see what each choice does with `signoff choose {live.run}`",
        )
    if len(found) > 1:
        raise UsageError(
            f"{option!r} can be chosen in {len(found)} requests of {live.run}",
            valid=", ".join(ask.request if _shared(ask, found) else ask.key for ask in found),
            repair="say which one with --request",
        )
    return found[0]


def _shared(ask: Ask, asks: Sequence[Ask]) -> bool:
    return sum(other.key == ask.key for other in asks) > 1


def _offers(state: State) -> str:
    found = [f"{' or '.join(choosable(ask))} ({ask.key})" for ask in offered(state)]
    waits = "; ".join(f"{ask.key} waits: {ask.question}" for ask in state.requests.values())
    return ", ".join(found) or "nothing can be chosen in this run now" + (f"; {waits}" if waits else "")
