"""The files that code writes about the work: status, sessions, manifests, verification results, PoC reviews."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import shared_status
from signoff.workflows.orchestration.documents.shared_status import AgentState, RunStatus, SharedStatus, VerifierState
from signoff.workflows.orchestration.ids import Epoch, default_verifier
from signoff.workflows.orchestration.outputs import VerificationResults
from signoff.workflows.orchestration.state import Design, Shelf, own_of
from signoff.workflows.orchestration.work import schedule
from signoff.workflows.orchestration.work.notes import Session
from signoff.workflows.orchestration.work.progress import Work, Worker

Version = Annotated[int, Field(ge=1, strict=True, description="a whole number from 1")]


class Entry(Form):
    """One file of an agent, and the version of the work that last changed it."""

    path: Text
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="64 hexadecimal digits")
    version: Version
    written_at: Epoch


class Manifest(Form):
    """`task_output/manifest.json`: all files of an agent at one version."""

    version: Version
    files: tuple[Entry, ...] = ()

    @staticmethod
    def of(worker: Worker) -> Manifest:
        """The manifest of an agent's work so far."""
        entries = tuple(
            Entry(path=path, sha256=sha, version=worker.written[path][0], written_at=worker.written[path][1])
            for path, sha in sorted(worker.files.items())
        )
        return Manifest(version=worker.version, files=entries)


def board(own: Design, work: Work, shelf: Shelf) -> SharedStatus:
    """The status of every agent, with the tactical tasks so far."""
    tactical = sorted(name for name, worker in work.workers.items() if worker.serves)
    doers = {**shelf.sequence.verifies, **{default_verifier(name): (name,) for name in tactical}}
    agents: dict[str, AgentState] = {}
    for name, dependencies in {**shelf.sequence.waits_for, **dict.fromkeys(tactical, ())}.items():
        worker = work.workers[name]
        agents[name] = AgentState(
            status=worker.status,
            completion_drive_notes_count=len(worker.notes),
            unresolved_notes=len(worker.unresolved),
            dependencies=dependencies,
            last_update=worker.since,
        )
    return SharedStatus(
        task_id=own.task_id,
        status=_run_status(work, shelf, stale=bool(own.stale)),
        session_start=work.begun,
        agents=agents,
        verification={
            name: VerifierState(status=work.verifiers.get(name, "pending"), assigned_agents=assigned)
            for name, assigned in doers.items()
        },
        overall_completion_drive_gate="clear" if work.clear else "blocked",
    )


def _run_status(work: Work, shelf: Shelf, *, stale: bool) -> RunStatus:
    """The status of the whole work: failed if an agent has failed, blocked if no agent can go on or if it was edited
    after its end."""
    workers = work.workers.values()
    if any(worker.status == "failed" for worker in workers):
        return "failed"
    if work.ended:
        return "blocked" if stale else "complete"
    if all(worker.status == "pending" for worker in workers):
        return "pending"
    if not schedule.due(work, shelf.sequence) and schedule.current(work, shelf.sequence):
        return "blocked"
    return "in_progress"


def derived(work: Work, shelf: Shelf, stands: SharedStatus) -> Iterator[tuple[str, str | None]]:
    """Every file about the work that may have changed since the shelf's state; None removes it."""
    yield places.STATUS, shared_status.render(stands)
    last = own_of(shelf.state).work
    known = last.workers if last and last.ended == work.ended else {}
    for name, worker in sorted(work.workers.items()):
        if worker is known.get(name):  # the same value has the same files
            continue
        if worker.session_start is not None and worker.status != "session_complete":
            session = Session(task_id=worker.task_id, session_start=worker.session_start, notes=worker.notes)
            yield places.session(name), jsonio.render(session)
        results = None  # the file exists only while the last verification failed
        if worker.failing:
            at, missing = worker.failures[-1].at, worker.failures[-1].missing
            found = VerificationResults(task_id=worker.task_id, timestamp=at, missing_evidence=missing)
            results = jsonio.render(found)
        yield places.results(name), results
        if worker.version:
            yield places.manifest(name), jsonio.render(Manifest.of(worker))
    for name, review in sorted(work.decided.items()):
        if poc_id := shelf.roster.agents[name].poc_id:
            yield places.poc_review(poc_id), jsonio.render(review)
