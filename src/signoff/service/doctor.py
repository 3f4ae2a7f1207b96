"""Is everything in place? The runtime is really tried, and the journals of the project are really added up."""

from __future__ import annotations

import fcntl
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from signoff.core.commands import Reply, StartTurn
from signoff.core.decide import decide
from signoff.core.errors import DocumentError, SignoffError, UsageError
from signoff.core.events import Called
from signoff.core.policies import Allowance
from signoff.core.refs import Ref, digest
from signoff.core.state import OpenTurn, State
from signoff.core.workflow import Assignment, Tools, Workflow
from signoff.service import catalog, driving
from signoff.service.project import Project
from signoff.shell.briefs import compose, crew
from signoff.shell.folder import FolderStore
from signoff.shell.library import Library
from signoff.shell.live import LiveRun
from signoff.shell.runtimes import Host, Port, Preparing, Runtime
from signoff.shell.store import Store

OLDEST = (3, 11)
NAMED, SECRET, MARK = "0-sources/named.md", "0-sources/other.md", "a-marker-that-only-another-turn-may-know"


@dataclass(frozen=True, slots=True)
class Result:
    """One thing that was looked at. `ok` is None where something is not supported and not needed."""

    name: str
    ok: bool | None
    said: str

    def plain(self) -> dict[str, Any]:
        """The result as JSON data."""
        return {"name": self.name, "ok": self.ok, "said": self.said}


async def examine(root: Path, runtime: str) -> list[Result]:
    """Everything, in order: the machine, the project, and each workflow on the runtime."""
    project = Project(root)
    found = [python(sys.version_info[:3]), writable(project.root)]
    found += [await journal(project, folder) for folder in project.store.runs()]
    for name in catalog.names():
        found += await on_runtime(catalog.workflow(name), runtime, project)
    return found


def python(version: tuple[int, ...]) -> Result:
    """The Python that runs this."""
    shown, oldest = ".".join(map(str, version)), ".".join(map(str, OLDEST))
    return Result("python", version >= OLDEST, f"{shown}, at least {oldest} is needed")


def writable(root: Path) -> Result:
    """Whether the project can be written, and whether a lock taken there holds."""
    try:
        with tempfile.NamedTemporaryFile(dir=root, prefix=".signoff-doctor-") as file, open(file.name, "rb") as other:  # noqa: PTH123
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            held = not _locks(other.fileno())
    except OSError as error:
        return Result("project folder", False, f"{root} cannot be written or locked: {error.strerror}")
    return Result(
        "project folder", held, f"{root} can be written and locked" if held else f"locks do not hold in {root}"
    )


def _locks(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# --- journals ---------------------------------------------------------------------------------------------------------


async def journal(project: Project, folder: str) -> Result:
    """Whether one run's journal adds up, and whether the files that follow from it are what it says."""
    try:
        started = await project.started(folder)
        if started is None:
            return Result(f"journal {folder}", False, "it does not begin with a start")
        live = await project.open(started.run)
    except SignoffError as error:
        return Result(f"journal {folder}", False, str(error))
    differing = differences(live)
    said = f"{started.run}: revision {live.state.rev} adds up" + (
        f"; not as it says: {', '.join(differing)}" if differing else ""
    )
    return Result(f"journal {folder}", not differing, said)


def differences(live: LiveRun, store: Store | None = None) -> dict[str, str]:
    """The files that should follow from the journal byte for byte and do not, each with what is the matter."""
    found, home = {}, store or live.store
    for path, text in live.projections().items():
        data, should = home.read(path), None if text is None else text.encode()
        if data != should:
            found[path] = (
                "is missing" if data is None else "should not be there" if should is None else _first_line(data, should)
            )
    return found


def _first_line(data: bytes, should: bytes) -> str:
    pairs = zip([*data.splitlines(), b""], [*should.splitlines(), b""], strict=False)
    line = next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)
    return f"differs from line {line}"


def edited(live: LiveRun) -> dict[str, str]:
    """The documents that a person changed since the journal's last word; the next step of the run takes them in."""
    found = live.store.digests(sorted(live.state.docs))
    return {
        path: "is gone" if path not in found else "was edited"
        for path, sha in live.state.docs.items()
        if found.get(path) != sha
    }


# --- the runtime ------------------------------------------------------------------------------------------------------


async def on_runtime(workflow: Workflow, name: str, project: Project) -> list[Result]:
    """The three questions to a runtime, tried in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="signoff-doctor-") as folder:
        probe = _Probe(workflow, name, FolderStore(Path(folder)))
        isolation = await probe.isolation()
    where = f"{workflow.name}, {driving.LABELS[name]}"
    return [
        replace(isolation, name=f"{isolation.name} ({where})"),
        replace(calls_agent(workflow), name=f"agent calls agent ({where})"),
        replace(skills(workflow, project), name=f"skill loading ({where})"),
    ]


class _Probe:
    """A turn that tries to see what it was not given."""

    def __init__(self, workflow: Workflow, runtime: str, store: FolderStore) -> None:
        self.workflow, self.store = workflow, store
        self.agent = next(iter(workflow.agents))
        self.heard: list[str] = []
        spying = replace(workflow, players={self.agent: self.spy})
        self.runtime: Runtime = driving.runtime(runtime, spying)
        store.write(NAMED, b"what the brief names\n", durable=False)
        store.write(SECRET, f"{MARK}\n".encode(), durable=False)
        store.write(f"{workflow.folder('doctor')}/turns/0001-other/raw-1.txt", f"{MARK}\n".encode(), durable=False)

    def spy(self, _assignment: Assignment, tools: Tools) -> str:
        """Reads its input, then everything else it can think of."""
        got = [tools.read(NAMED).decode()]
        folder = self.workflow.folder("doctor")
        for path in (SECRET, f"{folder}/turns/0001-other/raw-1.txt", f"{folder}/journal.jsonl", "../etc/passwd"):
            try:
                got.append(tools.read(path).decode())
            except UsageError:
                self.heard.append(path)
        return "".join(got)

    async def isolation(self) -> Result:
        if isinstance(self.runtime, Host):
            said = "not tried: what a host may read is for the host to say; the tools of `signoff mcp` stay in the run"
            return Result("context isolation", None, said)
        if isinstance(self.runtime, Preparing):
            return self._ready(self.runtime)
        library = Library(self.store, self.workflow.folder("doctor"))
        pinned = {NAMED: Ref(NAMED, digest(self.store.read(NAMED) or b""))}
        start = _turn(self.workflow, self.agent, pinned[NAMED])
        brief = compose(self.workflow, crew(self.workflow, self.store), start, library)
        assignment = Assignment(start=start, brief=brief, params={}, at="2026-01-01T00:00:00+00:00")
        returned = await self.runtime.perform(assignment, Port(library, pinned, _no_calls))
        ok = len(self.heard) == 4 and MARK not in returned.raw and MARK not in brief
        said = "a turn reads what its brief names and nothing else" if ok else "a turn saw what it was not given"
        return Result("context isolation", ok, said)

    def _ready(self, runtime: Preparing) -> Result:
        """Whether the runtime could begin, as far as that can be told without spending anything."""
        agents = crew(self.workflow, self.store).agents
        try:
            runtime.prepare({name: agent.model for name, agent in agents.items()}, Allowance())
            return Result("ready", True, runtime.ready())
        except UsageError as error:
            return Result("ready", False, str(error))


def _turn(workflow: Workflow, agent: str, *pinned: Ref) -> StartTurn:
    contract = workflow.agents[agent].contract
    return StartTurn(key="doctor", agent=agent, contract=contract, task="A probe.", pinned=pinned, turn=f"0002-{agent}")


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    return Reply(turn="doctor", call_id=call_id, illegal=f"{tool} is not a tool here")


def calls_agent(workflow: Workflow, tools: tuple[str, ...] = ()) -> Result:
    """Whether a turn with these tools can start another agent: it asks the kernel, as a tool call would."""
    agent = next(iter(workflow.agents))
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


def skills(workflow: Workflow, project: Project) -> Result:
    """Whether each agent's brief holds the text of all its skills, the project's own files included."""
    try:
        missing = list(_unloaded(workflow, project))
    except (DocumentError, UsageError) as error:
        return Result("skill loading", False, str(error))
    count = len(crew(workflow, project.store).skills)
    said = f"{count} skills of {len(workflow.agents)} agents are in their briefs"
    return Result("skill loading", not missing, said if not missing else f"not in the brief: {', '.join(missing)}")


def _unloaded(workflow: Workflow, project: Project) -> Iterator[str]:
    team = crew(workflow, project.store)
    library = Library(project.store, workflow.folder("doctor"))
    for name, agent in team.agents.items():
        brief = compose(workflow, team, _turn(workflow, name), library)
        yield from (f"{name}: {skill}" for skill in agent.skills if team.skills[skill].strip() not in brief)


def failed(results: list[Result]) -> bool:
    """Whether something that is needed is not there."""
    return any(result.ok is False for result in results)
