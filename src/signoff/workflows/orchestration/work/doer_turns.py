"""Takes in the turns of doers and their verifications, and changes the statuses accordingly."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.declarations import Now
from signoff.core.events import TurnReturned
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.evidence.shared_words import clipped
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design.instructions import works_under
from signoff.workflows.orchestration.documents.contracts import Checkpoint
from signoff.workflows.orchestration.documents.shared_status import AgentStatus
from signoff.workflows.orchestration.outputs import TacticalOutput, VerdictOutput, WorkOutput
from signoff.workflows.orchestration.sequence.work_sequence import before
from signoff.workflows.orchestration.state import Shelf
from signoff.workflows.orchestration.work import escalations, loops, notes, progress
from signoff.workflows.orchestration.work.output_checks import points
from signoff.workflows.orchestration.work.progress import DONE, Work, Worker

_SHOWN: Final = 400
"""How many characters of a command's output, or of an agent's summary, a person is shown."""


# --- work and its review ----------------------------------------------------------------------------------------------


def worked(now: Now, work: Work, kind: str, agent: str, at: int) -> Work:
    """The work after a doer's turn, or after its completion review."""
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn that was not refused returned
    output: WorkOutput = now.output
    work = _handed_over(work, agent, now.event.files)
    worker = work.workers[agent].with_files(now.event.files, at)
    worker = replace(worker, by_hand=worker.by_hand - {*now.event.files})
    turns = worker.turns + 1
    threshold = config_of(now.state, now.look).similarity
    same = partial(loops.similar, threshold=threshold)
    asked = tuple(progress.Question(turn=turns, text=text) for text in notes.asked(worker.notes, output.notes, same))
    known = notes.merged(worker.notes, output.notes, at)
    ran = (
        now.event.ran if now.event.ran or now.event.files else worker.ran
    )  # commands that ran before a change prove nothing
    worker = replace(
        worker, notes=known, turns=turns, summary=output.summary, evidence=output.evidence,
        asked=(*worker.asked, *asked), ran=ran, read=_read(now, work, agent),
        rulings=output.rulings if isinstance(output, TacticalOutput) else (),
    )  # fmt: skip
    source, to = worker.status, output.status
    if source != to and (source, to) not in progress.ALLOWED:  # the status is refused and recorded; the work counts
        work = replace(work, refused=(*work.refused, progress.Refusal(agent=agent, at=at, source=source, to=to)))
    if asked and loops.looping(worker.asked, threshold):
        return _blocked(work, agent, worker, at, "the same was asked in a third turn")
    if any(note.status == "escalated" for note in known):
        return _blocked(work, agent, worker, at)
    if kind == "drive":
        return _reviewed(output, work, agent, worker, at)
    if output.status == "working":
        return _unfinished(work, agent, replace(worker, idle=worker.idle + 1, since=at), at)
    return work.with_worker(agent, replace(worker.moved("completion_drive_review", at), reviews=0))


def _handed_over(work: Work, agent: str, files: Collection[str]) -> Work:
    """Gives the files to the agent that wrote them last: earlier writers no longer answer for them."""
    for name, other in work.workers.items():
        if name != agent and not other.files.keys().isdisjoint(files):
            kept = {path: sha for path, sha in other.files.items() if path not in files}
            work = work.with_worker(name, replace(other, files=kept))
    return work


def _blocked(work: Work, agent: str, worker: Worker, at: int, why: str = "") -> Work:
    """Opens a case for what the agent escalated; with `why`, also for its open notes.

    An agent that has asked for many turns without an end asks a person.
    """
    known = tuple(note.escalated(why) for note in worker.notes) if why else worker.notes
    worker = replace(worker.moved("blocked", at), notes=known, idle=worker.idle + 1)
    case = escalations.opened(agent, worker, at)
    if worker.idle >= progress.IDLE:
        case = case.to_person(tuple(case.routes))
    return work.with_worker(agent, worker).with_case(case)


def _unfinished(work: Work, agent: str, worker: Worker, at: int) -> Work:
    if worker.idle < progress.IDLE:
        return work.with_worker(agent, worker)
    why = f"it has worked for {progress.IDLE} turns without coming to an end{_where_it_stands(worker)}"
    broken = {**work.broken, agent: progress.Broken(kind="do", who=agent, why=why)}
    return replace(work, broken=broken).with_worker(agent, worker.moved("failed", at))


def _where_it_stands(worker: Worker) -> str:
    """What holds the agent up: the last command that failed and its result, or else the agent's own summary."""
    failed = next((one for one in reversed(worker.ran) if one.code != 0), None)
    if failed is None:
        return f"; in its own words: {clipped(squeeze(worker.summary), _SHOWN)}" if worker.summary.strip() else ""
    ended = "did not end" if failed.code is None else f"ended with exit code {failed.code}"
    last = squeeze(failed.output)[-_SHOWN:].strip()
    return f": `{failed.command}` {ended}" + (f"; the end of what it printed: {last}" if last else "")


def _reviewed(output: WorkOutput, work: Work, agent: str, worker: Worker, at: int) -> Work:
    """The work after a completion review: an agent with an open note is not ready."""
    worker = replace(worker, reviews=worker.reviews + 1)
    if output.status == "working":
        return _unfinished(work, agent, replace(worker.moved("working", at), idle=worker.idle + 1), at)
    if not worker.unresolved:
        return work.with_worker(agent, replace(worker.moved("ready_for_verification", at), idle=0))
    if worker.reviews < progress.REVIEWS:
        return work.with_worker(agent, replace(worker, since=at))
    return _blocked(work, agent, worker, at, f"it was still open after {progress.REVIEWS} reviews")


def _read(now: Now, work: Work, agent: str) -> Mapping[str, int]:
    """The versions that the agent has built on: of the agents that its contract names, and of earlier agents whose
    files it was given."""
    if work.workers[agent].serves:
        return {}
    assert now.turn is not None  # narrows the type: a turn came back
    shelf, given = Shelf(now.state, now.look), {ref.path for ref in now.turn.start.pinned}
    contract, _ = works_under(shelf, agent)
    named = {read.source or "" for read in contract.reads}
    earlier = (name for name in before(shelf.sequence, agent) if name in work.workers)
    found = {name for name in earlier if not given.isdisjoint(work.workers[name].files)}
    return {name: work.workers[name].version for name in sorted((named | found) & work.workers.keys())}


# --- verification -----------------------------------------------------------------------------------------------------


def verified(now: Now, work: Work, doer: str, at: int) -> Work:
    """The work after a verification: a pass makes it verified, a failure sends it back with what is missing."""
    output: VerdictOutput = now.output
    verifier = str(now.turn.start.notes.get("verifier", "")) if now.turn else ""
    known = work.workers[doer]
    worker = replace(known, judged=output.criteria, proof=proof(points(now)), rounds=known.rounds + 1)
    passed = output.result == "pass"
    work = replace(work, verifiers={**work.verifiers, verifier: "verified" if passed else "failed"})
    if passed:
        work = work.with_worker(doer, replace(worker.moved("verified", at), failing=False))
        return escalations.ruled(work, doer, at) if worker.serves else work
    failures = (*worker.failures, progress.Failure(at=at, missing=output.missing_evidence))
    worker = replace(worker, failures=failures, failing=True).moved("working", at)
    return work.with_worker(doer, worker.moved("blocked", at) if worker.is_at_limit else worker)


def proof(points: Iterable[Checkpoint]) -> str:
    """The digest of the criteria: a verification counts only for the criteria that it was made with."""
    criteria = [one.model_dump(mode="json") for point in points for one in point.criteria]
    return digest(json.dumps(criteria, sort_keys=True))


# --- what people change -----------------------------------------------------------------------------------------------


def edited_outputs(work: Work, docs: Mapping[str, str], at: int) -> Work:
    """The work after people's edits of results: each makes a new version, which is not verified.

    The files of a tactical task do not count, only its rulings.
    """
    for name, worker in work.workers.items():
        mine = differing(worker, docs)
        if not mine:
            continue
        worker = worker.with_files({path: docs.get(path, "") for path in mine}, at)
        files = {path: sha for path, sha in worker.files.items() if sha}
        told = _told(worker.told, {path: path in files for path in mine})
        worker = replace(worker, files=files, told=told, by_hand=(worker.by_hand | {*mine}) & {*files})
        work = work.with_worker(name, worker)
        if not worker.serves:
            work = unjudged(work, name, at) if worker.status == "ready_for_verification" else voided(work, name, at)
    return work


def _told(told: Sequence[str], there: Mapping[str, bool]) -> tuple[str, ...]:
    """What an agent is told, with the latest about each of its files that a person edited or removed."""
    words = {path: (f"A person edited {path}.", f"{path} is gone: it was removed after you made it.") for path in there}
    known = {one for both in words.values() for one in both}
    fresh = (words[path][0 if still else 1] for path, still in there.items())
    return (*(one for one in told if one not in known), *fresh)


def differing(worker: Worker, docs: Mapping[str, str]) -> list[str]:
    """The files of an agent that differ from what it made, or are gone."""
    return sorted(path for path, sha in worker.files.items() if docs.get(path) != sha)


def held_against(work: Work, shelf: Shelf, at: int) -> Work:
    """The work after a change of the plan: verifications by other criteria than those of now are void."""
    for name, worker in work.workers.items():
        if not worker.proof or worker.serves or worker.proof == proof(works_under(shelf, name)[1]):
            continue
        if worker.status == "ready_for_verification":
            work = unjudged(work, name, at)
        elif worker.status in DONE:
            work = voided(work, name, at)
    return work


def unjudged(work: Work, name: str, at: int) -> Work:
    """The work without the results of an agent's verification, because its files or criteria changed."""
    return work.unjudged(name).with_worker(name, replace(work.workers[name], judged=(), since=at))


def voided(work: Work, name: str, at: int) -> Work:
    """The work with a finished agent that begins again, because what it built on changed.

    If its session is complete and archived, it begins another one.
    """
    again: dict[str, AgentStatus] = {
        "verified": "pending", "session_complete": "pending", "ready_for_verification": "working",
    }  # fmt: skip
    worker = work.workers[name]
    if worker.status not in again:
        return work
    if worker.status == "session_complete":
        worker = replace(worker, session_start=None)
    return unjudged(work.with_worker(name, replace(worker.moved(again[worker.status], at), read={})), name, at)
