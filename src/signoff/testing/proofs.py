"""Proofs of a workflow: every state it can reach, a run with fixed replies or a kept one, and kills at any moment."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from signoff.core.commands import Ask, StartTurn
from signoff.core.decide import APPROVE
from signoff.core.declarations import Assignment
from signoff.core.refs import digest
from signoff.core.state import State, replace
from signoff.core.workflow import Workflow
from signoff.service import run_control, runs
from signoff.service.edited_files import STAMPS
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.service.recordings import recorder
from signoff.shell.run import recordings
from signoff.shell.runtimes.recorded import Recorded
from signoff.shell.runtimes.runtime import Returned, ToolPort
from signoff.testing import crash_harness as crashes
from signoff.testing.explorer import Alphabet, Explorer, Graph, circle, stuck

Reply = Callable[[Assignment], str]
Said = str | BaseModel
PERSON = Actor(Via.NAMED, "test")


# --- every state ------------------------------------------------------------------------------------------------------


def explore(
    workflow: Workflow,
    outputs: Mapping[str, Mapping[str, Said]],
    documents: Mapping[str, str],
    *,
    params: Mapping[str, Any] | None = None,
    edits: Mapping[str, Mapping[str, str | None]] | None = None,
    limit: int = 20_000,
) -> Graph:
    """Every state that the workflow can reach if each agent may give any of these outputs at any time.

    `outputs` are labelled outputs by agent, good and bad; `documents` are the project's at the start; `edits` are what
    people may write at any time. People may give every answer to every request, and every turn may crash. It fails if
    no end can be reached from a state, or if agents alone can go round in a circle.
    """
    raw = {
        agent: [(label, said if isinstance(said, str) else said.model_dump_json()) for label, said in given.items()]
        for agent, given in outputs.items()
    }

    def given(_state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        return raw.get(start.agent, ())

    def answers(_state: State, ask: Ask) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        for option in ask.options:
            yield option, option, {"reason": "no"} if option == "reject" else {}

    changes = [(label, edit) for label, edit in (edits or {}).items()]
    explorer = Explorer(workflow, Alphabet(outputs=given, answers=answers, edits=lambda _: changes), key=_key)
    graph = explorer.explore({"slug": "explored", **(params or {})}, documents, limit=limit)
    if not graph.complete:
        raise AssertionError(f"more than {limit} states: give fewer outputs, or raise the limit")
    if dead := stuck(graph, lambda state: state.stop is not None):
        raise AssertionError(f"no end can be reached after: {' > '.join(graph.path(dead[0])) or 'the start'}")
    people = tuple(f"{ask.key}: " for state in graph.states.values() for ask in state.requests.values())
    if (endless := circle(graph, (*people, "edit: "))) is not None:
        raise AssertionError(f"agents alone can go on for ever after: {' > '.join(endless) or 'the start'}")
    return graph


def _key(state: State) -> Any:
    """What can decide anything: neither times nor numbers."""
    own = state.own
    if hasattr(own, "approvals"):
        own = replace(
            own, approvals=tuple((one.step, tuple(sorted(one.digests.items()))) for one in own.approvals[-1:])
        )
    turns = [(t.start.key, t.start.pinned, t.start.told, t.invalid, t.crashed) for t in state.turns.values()]
    asks = [(ask.key, ask.question, sorted(ask.of.items())) for ask in state.requests.values()]
    return repr((own, turns, asks, sorted(state.docs.items()), state.stop))


# --- a whole run ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Replies:
    """A runtime for tests: a function gives the output of each turn."""

    reply: Reply
    name: str = "replies"
    paid: bool = False

    async def perform(self, assignment: Assignment, _tools: ToolPort) -> Returned:
        return Returned(self.reply(assignment))


def play(
    workflow: Workflow,
    run: str,
    reply: Reply,
    documents: Mapping[str, str],
    folder: Path,
    *,
    params: Mapping[str, Any] | None = None,
    answer: Callable[[Ask], str] = lambda ask: APPROVE if APPROVE in ask.options else ask.options[0],
) -> State:
    """Plays a run in a folder: `reply` gives the raw output of each turn, `answer` the act for each request.

    Played again in the same folder it goes on from where the run is, so `reply` should follow from its assignment.
    """
    _lay_out(folder, documents)
    return asyncio.run(_played(workflow, run, reply, folder, params or {}, answer))


async def _played(
    workflow: Workflow, run: str, reply: Reply, folder: Path, params: Mapping[str, Any], answer: Callable[[Ask], str]
) -> State:
    worker = Replies(reply)
    live = await run_control.begin_or_go_on(Project(folder), workflow, run, params, worker)
    state = await runs.drive(live, worker)
    while state.requests and state.stop is None:
        ask = next(iter(state.requests.values()))
        await runs.answer(live, ask.request, answer(ask), PERSON, {})
        state = await runs.drive(live, worker)
    await live.refresh()  # a kill after the last answer left files that were still to be written
    return live.state


def _lay_out(folder: Path, documents: Mapping[str, str]) -> None:
    for path, text in documents.items():
        if not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")


def recorded(workflow: Workflow, recording: Path, documents: Mapping[str, str], folder: Path) -> State:
    """Plays a kept run (`signoff record RUN --into DIR`) in a folder, with its outputs and the acts of its people.

    Kernel, gates and checks are those of now. It fails if the run leaves the recording: if a turn, a request or a
    document is not as it was.
    """
    _lay_out(folder, documents)
    return asyncio.run(_recorded(workflow, recordings.read(recording, workflow), folder))


async def _recorded(workflow: Workflow, made: recordings.Recording, folder: Path) -> State:
    worker, project = Recorded(made), Project(folder)
    params = {name: value for name, value in made.params.items() if name != "slug"}
    live = await project.begin(workflow, made.run, params, recordings.MARK, made.began)
    state = await runs.drive(live, worker)
    while (offer := recorder.offer(made, live)) is not None:
        await offer.take()
        state = await runs.drive(live, worker)
    return state


# --- kills ------------------------------------------------------------------------------------------------------------


def crash(
    workflow: Workflow,
    run: str,
    reply: Reply,
    documents: Mapping[str, str],
    workdir: Path,
    *,
    points: int | str = 8,
    recovery: int = 0,
) -> crashes.Report:
    """Kills a process that plays the run, at so many of its system calls that write, and starts it again.

    At the end the files must be the same as without the kill, byte for byte. The process finds `workflow` and `reply`
    by their names in the module that has `reply`.
    """
    home = sys.modules[reply.__module__]
    place = next((name for name, value in vars(home).items() if value is workflow), "")
    if not place or not getattr(home, "__file__", ""):
        raise AssertionError(f"{reply.__module__} has no name for {workflow.name!r}: import the workflow there")
    told = {
        "module": home.__file__,
        "workflow": place,
        "reply": reply.__name__,
        "run": run,
        "documents": dict(documents),
        "path": sys.path,
    }
    (workdir / "play.json").write_text(json.dumps(told), encoding="utf-8")
    subject = crashes.Subject(
        prepare=lambda folder: _lay_out(folder / "project", documents),
        argv=lambda folder: [
            sys.executable, "-m", "signoff.testing.proofs", str(workdir / "play.json"), str(folder / "project"),
        ],
        observe=_observe,
        root=lambda folder: folder / "project",
        env={"SIGNOFF_CLOCK": "revision"},
    )  # fmt: skip
    _undisturbed(subject, workdir / "once")
    amount: crashes.Amount = "all" if points == "all" else int(points)
    return crashes.explore(subject, workdir / "crashes", points=amount, recovery=recovery, jobs=1)


def _undisturbed(subject: crashes.Subject, folder: Path) -> None:
    """Fails if the run does not end by itself: kills of it would show nothing."""
    subject.prepare(folder)
    env = {**os.environ, **(subject.env or {})}
    ended = subprocess.run(subject.argv(folder), cwd=folder, env=env, capture_output=True, text=True, check=False)
    if ended.returncode:
        said = ended.stderr.strip() or f"it waits, and ended with exit code {ended.returncode}"
        raise AssertionError(f"the run does not end without a kill either: {said}")


def _observe(folder: Path) -> crashes.Observation:
    apart = (".lock", STAMPS)  # what only the machine needs, and may differ
    files = (path for path in (folder / "project").rglob("*") if path.is_file() and not path.name.endswith(apart))
    return {path.relative_to(folder).as_posix(): digest(path.read_bytes()) for path in files}


def main(told: str, folder: str) -> int:
    """The process that is killed: it plays the run that the file describes, from wherever it is."""
    said = json.loads(Path(told).read_text("utf-8"))
    sys.path[:] = [str(Path(said["module"]).parent), *said["path"]]
    spec = importlib.util.spec_from_file_location("signoff_played", said["module"])
    assert spec is not None and spec.loader is not None  # noqa: PT018 - narrows two types
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    workflow, reply = getattr(module, said["workflow"]), getattr(module, said["reply"])
    state = play(workflow, said["run"], reply, said["documents"], Path(folder))
    return 0 if state.stop else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
