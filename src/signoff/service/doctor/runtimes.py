"""The runtimes: which of them work here, and what a turn of one can see and do; tried as far as it costs nothing.

A runtime needs no special case here. It can be built or says why not. If it is `Preparing`, it says what it lacks; if
it is `Spying`, a probe tries what a turn could read; if it is `Asking` and the person wants that, it is really asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from signoff.core.budget import Allowance
from signoff.core.commands import Reply, StartTurn
from signoff.core.decide import decide
from signoff.core.declarations import Assignment
from signoff.core.errors import DocumentError, UsageError
from signoff.core.events import Called
from signoff.core.refs import Ref, digest
from signoff.core.state import OpenTurn, State
from signoff.core.workflow import Workflow
from signoff.service import catalog, run_control
from signoff.service.doctor import host
from signoff.service.doctor.results import Result, failed
from signoff.service.project import Project
from signoff.shell.run import recordings
from signoff.shell.run.briefs import compose, crew, standing
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.library import Library
from signoff.shell.runtimes.runtime import Asking, GaveUpError, Host, Port, Preparing, Runtime, Spying

NAMED, SECRET = "0-sources/named.md", "0-sources/other.md"
GIVEN, MARK = "what-the-brief-names", "a-marker-that-only-another-turn-may-know"
SHIPPED = "offline"
"""The runtime that needs nothing: if it does not work, nothing does."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runtime is looked at, with which models; `trying` really asks them, which spends a little."""

    name: str
    models: tuple[str, ...] = ()
    trying: bool = False

    def runtime(self, workflow: Workflow) -> Runtime:
        """The runtime for this workflow; a model that is named for an agent of another one is that one's."""
        others = {agent for name in catalog.names() for agent in catalog.workflow(name).agent_names} - {
            *workflow.agent_names
        }
        models = [flag for flag in self.models if flag.partition("=")[0] not in others]
        return run_control.runtime(self.name, workflow, models=models)


# --- all of them, briefly ---------------------------------------------------------------------------------------------


async def verdicts(project: Project) -> list[Result]:
    """Every runtime in a line: works here, or does not, and why. One that is not set up is no failure."""
    return [await _verdict(name, project) for name in run_control.LABELS]


async def _verdict(name: str, project: Project) -> Result:
    found = await examined(Wanted(name), project)
    wrong = next((result for result in found if result.ok is False), None)
    label = f"runtime {name}"
    if wrong is None and name == run_control.RECORDED:
        return replace(found[0], name=label)
    if wrong is None:
        return Result(label, True, f"works here: {run_control.LABELS[name]}")
    said = f"does not work here: {wrong.said}"
    return Result(label, False if name == SHIPPED else None, said, wrong.repair)


# --- one of them, thoroughly ------------------------------------------------------------------------------------------


async def examined(wanted: Wanted, project: Project) -> list[Result]:
    """Everything about one runtime: what it needs, and the three questions for every workflow."""
    if wanted.name == run_control.RECORDED:
        return [_recordings(project)]
    found: list[Result] = []
    for workflow in map(catalog.workflow, catalog.names()):
        if workflow.agent_names and (wanted.name != run_control.OFFLINE or workflow.by_code.players):
            found += await on_runtime(workflow, wanted, project)
    if wanted.trying and not failed(found):
        found += await _asked(wanted, project)
    return found + (await host.examined(project.root) if wanted.name == host.NAME else [])


def _recordings(project: Project) -> Result:
    """Which recordings the project has, and whether each can be played."""
    folders = sorted(file.parent for file in (project.root / recordings.FOLDER).glob(f"*/{recordings.INDEX}"))
    if not folders:
        return Result("ready", None, "there is no recording in this project; `signoff demo` plays those that ship")
    try:
        labels = [f"{one.run}: {one.label}" for one in map(recordings.read, folders)]
    except UsageError as error:
        return Result.of(error, "ready", False)
    return Result("ready", True, "; ".join(labels))


async def on_runtime(workflow: Workflow, wanted: Wanted, project: Project) -> list[Result]:
    """Whether it could begin, and the three questions to it; turns are tried in a folder of their own."""
    where = f"{workflow.name}, {run_control.LABELS[wanted.name]}"
    try:
        runtime = wanted.runtime(workflow)
    except UsageError as error:
        return [Result.of(error, f"ready ({where})", False)]
    found = [
        *_ready(workflow, runtime, project),
        await _isolation(workflow, runtime),
        calls_agent(workflow),
        skills(workflow, project),
    ]
    return [replace(result, name=f"{result.name} ({where})") for result in found]


def _ready(workflow: Workflow, runtime: Runtime, project: Project) -> list[Result]:
    """Whether the runtime could begin, as far as that can be told without spending anything."""
    if not isinstance(runtime, Preparing):
        return []
    try:
        models = _models(workflow, project)
        runtime.prepare(models, Allowance())
    except (UsageError, DocumentError) as error:
        return [Result.of(error, "ready", False)]
    if not isinstance(runtime, Asking):
        return [Result("ready", True, runtime.ready())]
    chosen = ", ".join(f"{agent}: {model}" for agent, model in runtime.chosen(models).items())
    return [Result("ready", True, f"every agent has a model with a key: {chosen}")]


def _models(workflow: Workflow, project: Project) -> dict[str, str | None]:
    return {name: agent.model for name, agent in crew(workflow, project.store).agents.items()}


async def _asked(wanted: Wanted, project: Project) -> list[Result]:
    """Each model that an agent has, asked one small question, once."""
    names: dict[str, Asking] = {}
    for name in catalog.names():
        workflow = catalog.workflow(name)
        runtime = wanted.runtime(workflow)
        if isinstance(runtime, Asking):
            names |= dict.fromkeys(runtime.chosen(_models(workflow, project)).values(), runtime)
    found = []
    for model, asking in sorted(names.items(), key=lambda pair: pair[0]):
        try:
            used = await asking.ask(model)
        except (UsageError, GaveUpError) as error:
            found.append(Result.of(error, f"asked {model}", False))
            continue
        cost = "an unknown price" if used.cost is None else f"{used.cost} USD"
        said = f"it answered, for {used.input_tokens + used.output_tokens} tokens and {cost}"
        found.append(Result(f"asked {model}", True, said))
    return found


# --- context isolation ------------------------------------------------------------------------------------------------


async def _isolation(workflow: Workflow, runtime: Runtime) -> Result:
    name = "context isolation"
    if isinstance(runtime, Host):
        said = "not tried: what a host may read is for the host to say; the tools of `signoff mcp` stay in the run"
        return Result(name, None, said)
    if not isinstance(runtime, Spying):
        return Result(name, None, "not tried: it cannot be tried without spending anything")
    with tempfile.TemporaryDirectory(prefix="signoff-doctor-") as folder:
        brief, saw = await _Probe(workflow, FolderStore(Path(folder))).seen(runtime)
    if MARK in brief + saw or GIVEN not in saw:
        return Result(name, False, "a turn saw what it was not given", "report this: it is a mistake in signoff")
    return Result(name, True, "a turn reads what its brief names and nothing else")


class _Probe:
    """A turn that tries to see what it was not given."""

    def __init__(self, workflow: Workflow, store: FolderStore) -> None:
        self.workflow, self.store = workflow, store
        self.folder = workflow.folder("doctor")
        self.other = f"{self.folder}/turns/0001-other/raw-1.txt"
        store.write(NAMED, f"{GIVEN}\n".encode(), durable=False)
        for path in (SECRET, self.other, f"{self.folder}/journal.jsonl"):
            store.write(path, f"{MARK}\n".encode(), durable=False)

    async def seen(self, runtime: Spying) -> tuple[str, str]:
        """The brief, and all that a turn could read: its input, and whatever it got hold of besides."""
        library, agent = Library(self.store, self.folder), next(iter(self.workflow.agent_names))
        pinned = {NAMED: Ref(NAMED, digest(self.store.read(NAMED) or b""))}
        start, team = _turn(self.workflow, agent, pinned[NAMED]), crew(self.workflow, self.store)
        brief = compose(self.workflow, team, start, library)
        assignment = Assignment(
            start=start,
            brief=brief,
            params={},
            at="2026-01-01T00:00:00+00:00",
            standing=standing(self.workflow, team, start, library),
        )
        paths = (NAMED, SECRET, self.other, f"{self.folder}/journal.jsonl", "../etc/passwd", "/etc/passwd")
        return brief, await runtime.spy(assignment, Port(library, pinned, _no_calls), paths)


def _turn(workflow: Workflow, agent: str, *pinned: Ref) -> StartTurn:
    contract = workflow.agent(agent).contract.name
    return StartTurn(key="doctor", agent=agent, contract=contract, task="A probe.", pinned=pinned, turn=f"0002-{agent}")


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    return Reply(turn="doctor", call_id=call_id, illegal=f"{tool} is not a tool here")


# --- agent calls agent ------------------------------------------------------------------------------------------------


def calls_agent(workflow: Workflow, tools: tuple[str, ...] = ()) -> Result:
    """Whether a turn with these tools can start another agent: it asks the kernel, as a tool call would."""
    agent = next(iter(workflow.agent_names))
    start = replace(_turn(workflow, agent), tools=tools)
    state = State(rev=1, turns={start.turn: OpenTurn(start=start)})
    event = Called(
        id="call",
        at="2026-01-01T00:00:00+00:00",
        by=f"agent:{agent}",
        turn=start.turn,
        call_id="1",
        tool="start_turn",
        args={},
    )
    decision = decide(workflow, state, event, _no_look)
    refused = any(isinstance(command, Reply) and command.illegal for command in decision.commands)
    started = len(decision.state.turns) > 1 or not refused
    said = "an agent started another one" if started else "not supported; not needed: the orchestrator starts turns"
    return Result("agent calls agent", False if started else None, said)


def _no_look(ref: Ref, _parse: object, /) -> Any:
    raise UsageError(f"the probe reads nothing, not {ref}")


# --- skill loading ----------------------------------------------------------------------------------------------------


def skills(workflow: Workflow, project: Project) -> Result:
    """Whether each agent's brief holds the text of all its skills, the project's own files included."""
    missing: list[str] = []
    try:
        team = crew(workflow, project.store)
        library = Library(project.store, workflow.folder("doctor"))
        for name, agent in team.agents.items():
            brief = compose(workflow, team, _turn(workflow, name), library)
            missing += [f"{name}: {skill}" for skill in agent.skills if team.skills[skill].strip() not in brief]
    except (DocumentError, UsageError) as error:
        return Result.of(error, "skill loading", False)
    count = len(team.skills)
    said = f"{count} skills of {len(workflow.agent_names)} agents are in their briefs"
    if missing:
        return Result("skill loading", False, f"not in the brief: {', '.join(missing)}", "correct the agent files")
    return Result("skill loading", True, said)
