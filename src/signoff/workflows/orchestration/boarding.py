"""The board: `shared_status.json` and the files that follow from the work. Code writes them, from the state alone."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.workflows.orchestration import jsondoc, places, scheduling, status
from signoff.workflows.orchestration import notes as no
from signoff.workflows.orchestration.design import Design, Shelf, own_of
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.manifests import Manifest
from signoff.workflows.orchestration.status import AgentState, RunStatus, SharedStatus, VerifierState
from signoff.workflows.orchestration.verdicts import VerificationResults
from signoff.workflows.orchestration.work import Work, Worker


def board(own: Design, work: Work, shelf: Shelf) -> SharedStatus:
    """Where every agent stands; tactical tasks are there from when they came up."""
    sequence = shelf.sequence
    agents = {name: _agent(before, work.workers[name]) for name, before in sequence.waits_for.items()}
    doers = dict(sequence.verifies)
    for name, worker in sorted(work.workers.items()):
        if worker.serves:
            agents[name] = _agent((), worker)
            doers[default_verifier(name)] = (name,)
    return SharedStatus(
        task_id=own.task_id,
        status=run_status(work, shelf, stale=bool(own.stale)),
        session_start=work.begun,
        agents=agents,
        verification={
            name: VerifierState(status=work.verifiers.get(name, "pending"), assigned_agents=assigned)
            for name, assigned in doers.items()
        },
        overall_completion_drive_gate="clear" if work.clear else "blocked",
    )


def _agent(dependencies: tuple[str, ...], worker: Worker) -> AgentState:
    return AgentState(
        status=worker.status,
        completion_drive_notes_count=len(worker.notes),
        unresolved_notes=len(worker.unresolved),
        dependencies=dependencies,
        last_update=worker.since,
    )


def run_status(work: Work, shelf: Shelf, *, stale: bool = False) -> RunStatus:
    """The status of the whole: failed by its worst, blocked only when nobody can go on; what was edited after the end
    waits for a person."""
    workers = work.workers.values()
    if any(worker.status == "failed" for worker in workers):
        return "failed"
    if work.ended:
        return "blocked" if stale else "complete"
    if all(worker.status == "pending" for worker in workers):
        return "pending"
    if not scheduling.due(work, shelf.sequence) and scheduling.current(work, shelf.sequence):
        return "blocked"
    return "in_progress"


def derived(work: Work, shelf: Shelf, stands: SharedStatus) -> Iterator[tuple[str, str | None]]:
    """Every file that follows from the work and may have changed since the shelf's state, None where there is none."""
    yield places.STATUS, status.render(stands)
    last = own_of(shelf.state).work
    known = last.workers if last and last.ended == work.ended else {}
    for name, worker in sorted(work.workers.items()):
        if worker is known.get(name):  # values are never changed in place: the same one has the same files
            continue
        if worker.session_start is not None and worker.status != "session_complete":
            session = no.Session(task_id=worker.task_id, session_start=worker.session_start, notes=worker.notes)
            yield places.session(name), no.render(session)
        yield places.results(name), _results(worker)
        if worker.version:
            yield places.manifest(name), jsondoc.render(Manifest.of(worker))
    for name, review in sorted(work.decided.items()):
        if poc_id := shelf.roster.agents[name].poc_id:
            yield places.poc_review(poc_id), jsondoc.render(review)


def _results(worker: Worker) -> str | None:
    """There only while the last verification failed."""
    if not worker.failing:
        return None
    last = worker.failures[-1]
    return jsondoc.render(VerificationResults(task_id=worker.task_id, timestamp=last.at, missing_evidence=last.missing))
