"""How a surface drives a run: which runtime works on it, how it begins or goes on, where it stands as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from signoff.core.commands import Ask
from signoff.core.errors import UsageError
from signoff.core.workflow import Workflow
from signoff.service.project import Project
from signoff.shell import live as shell
from signoff.shell.live import LiveRun
from signoff.shell.runtimes import Offline, Runtime

LABELS = {"offline": "offline role players"}
"""The runtimes there are, and what their work is called wherever it is shown."""


def runtime(name: str, workflow: Workflow, *, faults: str | None = None, seed: int | None = None) -> Runtime:
    """The runtime of this name; a fault plan makes its players misbehave on purpose, to see what the run does then."""
    if name not in LABELS:
        raise UsageError(f"there is no runtime {name!r}", valid=", ".join(LABELS), repair="name one of them")
    if faults is None and seed is None:
        return Offline(workflow)
    if workflow.misbehaving is None:
        raise UsageError(f"the role players of {workflow.name} know no faults", repair="run it without a fault plan")
    plan = faults if faults is not None else f"seed:{seed}"
    return Offline(replace(workflow, players=workflow.misbehaving(workflow.players, plan)))


async def begin_or_go_on(project: Project, workflow: Workflow, run: str, params: Mapping[str, Any]) -> LiveRun:
    """Begins the run, or opens it where it has begun; what only counts at the start is then refused if it differs."""
    found = await project.existing(workflow, run)
    if found is None:
        return await project.begin(workflow, run, params)
    late = [name for name, value in params.items() if found.state.params.get(name) != value]
    if late:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in late)
        place = next(iter(workflow.scaffold(project.store.read)), "the config of the project")
        raise UsageError(
            f"{run} has begun already, and {flags} only counts when a run begins",
            repair=f"set it in {place}, which is read again at every step, then go on with `signoff resume {run}`",
        )
    return found


def described(live: LiveRun) -> dict[str, Any]:
    """Where a run stands, as `status.json` has it, with its project."""
    return {"project": live.store.name, **shell.status(live.workflow, live.run, live.state)}


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
