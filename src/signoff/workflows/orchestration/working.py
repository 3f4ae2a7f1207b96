"""What becomes of a doer's turn and of its verification: code takes the work in, and moves the statuses."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.events import Ran, TurnReturned
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.permissions import may_run_line
from signoff.core.refs import digest
from signoff.core.workflow import Now
from signoff.workflows.orchestration import escalating, loops, noting, patterns, places
from signoff.workflows.orchestration.authority import decided_by
from signoff.workflows.orchestration.checkpoints import Checkpoint, Criterion
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design import Shelf, own_of
from signoff.workflows.orchestration.designing import works_under
from signoff.workflows.orchestration.escalating import TACTICAL
from signoff.workflows.orchestration.sequence import before
from signoff.workflows.orchestration.status import AgentStatus
from signoff.workflows.orchestration.turns import strayed
from signoff.workflows.orchestration.verdicts import Evidence, Judged, TacticalOutput, VerdictOutput, WorkOutput
from signoff.workflows.orchestration.work import (
    ALLOWED,
    DONE,
    IDLE,
    REVIEWS,
    Broken,
    Failure,
    Question,
    Refusal,
    Work,
    Worker,
)
from signoff.workflows.wording import clipped

_SHOWN: Final = 400
"""So much of what a command printed, or an agent said, a person is told."""


def subject(now: Now) -> str:
    """The agent whose work the turn is about."""
    return now.turn.start.key.partition("-")[2] if now.turn else ""


def worker_of(now: Now) -> Worker | None:
    """The worker that the turn is about, where there still is one."""
    work = own_of(now.state).work
    return work.workers.get(subject(now)) if work else None


# --- work and its review ----------------------------------------------------------------------------------------------


def worked(now: Now, work: Work, kind: str, agent: str, at: int) -> Work:
    """A turn of work, or the completion review after it."""
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn that was not refused returned
    output: WorkOutput = now.output
    work = _handed_over(work, agent, now.event.files)
    worker = work.workers[agent].with_files(now.event.files, at)
    worker = replace(worker, by_hand=worker.by_hand - {*now.event.files})
    turns = worker.turns + 1
    threshold = config_of(now.state, now.look).similarity
    same = partial(loops.similar, threshold=threshold)
    asked = tuple(Question(turn=turns, text=text) for text in noting.asked(worker.notes, output.notes, same))
    notes = noting.merged(worker.notes, output.notes, at)
    worker = replace(
        worker, notes=notes, turns=turns, summary=output.summary, evidence=output.evidence,
        asked=(*worker.asked, *asked), ran=_ran(now.event, worker), read=_read(now, work, agent),
        rulings=output.rulings if isinstance(output, TacticalOutput) else (),
    )  # fmt: skip
    work = _with_refusal(work, agent, worker.status, output.status, at)
    if asked and loops.looping(worker.asked, threshold):
        return _blocked(work, agent, worker, at, "the same was asked in a third turn")
    if any(note.status == "escalated" for note in notes):
        return _blocked(work, agent, worker, at)
    if kind == "drive":
        return _reviewed(output, work, agent, worker, at)
    if output.status == "working":
        return _unfinished(work, agent, replace(worker, idle=worker.idle + 1, since=at), at)
    return work.with_worker(agent, replace(worker.moved("completion_drive_review", at), reviews=0))


def _ran(event: TurnReturned, worker: Worker) -> tuple[Ran, ...]:
    """What was run on the work as it is: what ran before it was changed shows nothing of it any more."""
    return event.ran if event.ran or event.files else worker.ran


def _handed_over(work: Work, agent: str, files: Collection[str]) -> Work:
    """A file is of who wrote it last: who wrote it before answers for it no more."""
    for name, other in work.workers.items():
        if name != agent and not other.files.keys().isdisjoint(files):
            kept = {path: sha for path, sha in other.files.items() if path not in files}
            work = work.with_worker(name, replace(other, files=kept))
    return work


def _with_refusal(work: Work, agent: str, source: AgentStatus, to: AgentStatus, at: int) -> Work:
    """A proposed status that cannot be had from here is refused and recorded; the work itself counts."""
    if source == to or (source, to) in ALLOWED:
        return work
    return replace(work, refused=(*work.refused, Refusal(agent=agent, at=at, source=source, to=to)))


def _blocked(work: Work, agent: str, worker: Worker, at: int, why: str = "") -> Work:
    """What is escalated goes to who settles it; with `why`, everything that is open does. Who has asked for many turns
    without coming to an end asks a person."""
    notes = tuple(noting.escalated(note, why) for note in worker.notes) if why else worker.notes
    worker = replace(worker.moved("blocked", at), notes=notes, idle=worker.idle + 1)
    case = escalating.opened(agent, worker, at)
    if worker.idle >= IDLE:
        case = case.to_person(tuple(case.routes))
    return work.with_worker(agent, worker).with_case(case)


def _unfinished(work: Work, agent: str, worker: Worker, at: int) -> Work:
    if worker.idle < IDLE:
        return work.with_worker(agent, worker)
    why = f"it has worked for {IDLE} turns without coming to an end{_where_it_stands(worker)}"
    broken = {**work.broken, agent: Broken(kind="do", who=agent, why=why)}
    return replace(work, broken=broken).with_worker(agent, worker.moved("failed", at))


def _where_it_stands(worker: Worker) -> str:
    """What holds it up, as far as code has seen it: the command of its last turn that failed, and how that ended."""
    failed = next((one for one in reversed(worker.ran) if one.code != 0), None)
    if failed is None:
        return f"; in its own words: {clipped(squeeze(worker.summary), _SHOWN)}" if worker.summary.strip() else ""
    ended = "did not end" if failed.code is None else f"ended with exit code {failed.code}"
    last = squeeze(failed.output)[-_SHOWN:].strip()
    return f": `{failed.command}` {ended}" + (f"; the end of what it printed: {last}" if last else "")


def _reviewed(output: WorkOutput, work: Work, agent: str, worker: Worker, at: int) -> Work:
    """The completion review, always a turn of its own: nobody is ready with an open note."""
    worker = replace(worker, reviews=worker.reviews + 1)
    if output.status == "working":
        return _unfinished(work, agent, replace(worker.moved("working", at), idle=worker.idle + 1), at)
    if not worker.unresolved:
        return work.with_worker(agent, replace(worker.moved("ready_for_verification", at), idle=0))
    if worker.reviews < REVIEWS:
        return work.with_worker(agent, replace(worker, since=at))
    return _blocked(work, agent, worker, at, f"it was still open after {REVIEWS} reviews")


def _read(now: Now, work: Work, agent: str) -> Mapping[str, int]:
    """The versions that the agent has built on: of whom its contract names, and of who comes before it and made what it
    was given, whether anybody is named there or not."""
    if work.workers[agent].serves:
        return {}
    assert now.turn is not None  # narrows the type: a turn came back
    shelf, given = Shelf(now.state, now.look), {ref.path for ref in now.turn.start.pinned}
    contract, _ = works_under(shelf, agent)
    named = {read.source or "" for read in contract.reads}
    found = {name for name in before(shelf.sequence, agent) if not given.isdisjoint(_files(work, name))}
    return {name: work.workers[name].version for name in sorted((named | found) & work.workers.keys())}


def _files(work: Work, name: str) -> Collection[str]:
    return work.workers[name].files if name in work.workers else ()


# --- verification -----------------------------------------------------------------------------------------------------


def verified(now: Now, work: Work, doer: str, at: int) -> Work:
    """A pass makes the work verified; a failure sends it back with what is not shown."""
    output: VerdictOutput = now.output
    verifier = str(now.turn.start.notes.get("verifier", "")) if now.turn else ""
    known = work.workers[doer]
    worker = replace(known, judged=output.criteria, proof=proof(_points(now)), rounds=known.rounds + 1)
    passed = output.result == "pass"
    work = replace(work, verifiers={**work.verifiers, verifier: "verified" if passed else "failed"})
    if passed:
        work = work.with_worker(doer, replace(worker.moved("verified", at), failing=False))
        return escalating.ruled(work, doer, at) if worker.serves else work
    failures = (*worker.failures, Failure(at=at, missing=output.missing_evidence))
    worker = replace(worker, failures=failures, failing=True)
    worker = worker.moved("working", at)
    if worker.is_at_limit:
        worker = worker.moved("blocked", at)
    return work.with_worker(doer, worker)


def proof(points: Iterable[Checkpoint]) -> str:
    """What work is held against, in short: what was met is not met of other criteria."""
    criteria = [one.model_dump(mode="json") for point in points for one in point.criteria]
    return digest(json.dumps(criteria, sort_keys=True))


# --- what people change -----------------------------------------------------------------------------------------------


def edited_outputs(work: Work, docs: Mapping[str, str], at: int) -> Work:
    """A person's edit of what an agent has made is another version: what was verified is not what is there.

    Of a tactical task that was verified, its rulings count: what lies beside them is its own affair.
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
    """What an agent is told of each of its files that changed: a person's bytes are theirs, what is gone is not."""
    words = {path: (f"A person edited {path}.", f"{path} is gone: it was removed after you made it.") for path in there}
    known = {one for both in words.values() for one in both}
    fresh = (words[path][0 if still else 1] for path, still in there.items())
    return (*(one for one in told if one not in known), *fresh)


def differing(worker: Worker, docs: Mapping[str, str]) -> list[str]:
    """The files of an agent that are not what it made, or are gone."""
    return sorted(path for path, sha in worker.files.items() if docs.get(path) != sha)


def held_against(work: Work, shelf: Shelf, at: int) -> Work:
    """The work on a plan that changed: what was found of it by other criteria than there are now is void."""
    for name, worker in work.workers.items():
        if not worker.proof or worker.serves or worker.proof == proof(works_under(shelf, name)[1]):
            continue
        if worker.status == "ready_for_verification":
            work = unjudged(work, name, at)
        elif worker.status in DONE:
            work = voided(work, name, at)
    return work


def unjudged(work: Work, name: str, at: int) -> Work:
    """What was found of work that is another now is found anew."""
    work = work.with_worker(name, replace(work.workers[name], judged=(), since=at))
    decided = {other: one for other, one in work.decided.items() if other != name}
    assessed = {other: one for other, one in work.assessed.items() if other != name}
    return replace(work, decided=decided, assessed=assessed)


def voided(work: Work, name: str, at: int) -> Work:
    """Work that was verified, or was to be, and is not what it should be built on begins again.

    Whose session was complete and put away begins another one.
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


# --- what is refused --------------------------------------------------------------------------------------------------


def check_work(now: Now, output: WorkOutput) -> Sequence[Finding]:
    """What a doer may not do or say: write elsewhere, settle what is not its own, claim what did not happen."""
    return tuple(_wrong_work(now, output))


def _wrong_work(now: Now, output: WorkOutput) -> Iterator[Finding]:
    worker = worker_of(now)
    if worker is None or not isinstance(now.event, TurnReturned) or now.turn is None:
        return
    yield from strayed(now)
    keywords = config_of(now.state, now.look).escalate
    yield from noting.findings(worker.notes, output.notes, keywords, decided_by(TACTICAL) if worker.serves else ())
    if output.status == "blocked" and all(one.status != "escalated" for one in output.notes):
        repair = "escalate the note that it waits for, with its reason, or go on"
        yield Finding(rule="work.blocked", problem="it is blocked, and nothing says by what", repair=repair)
    yield from _elsewhere(now, subject(now), now.event.files)
    for one in output.evidence:
        yield from _unfounded(now, one)


def _elsewhere(now: Now, agent: str, files: Mapping[str, str]) -> Iterator[Finding]:
    """Files that no pattern of the contract means: there a `*` ends with the folder, so that contracts keep apart."""
    worker = worker_of(now)
    known = () if worker and worker.serves else works_under(Shelf(now.state, now.look), agent)[0].writes
    mine = [f"{places.output(agent)}**", *(written.path for written in known)]
    for path in files:
        if not any(patterns.overlap(path, pattern) for pattern in mine) or path == places.manifest(agent):
            problem = f"{path} is not in the contract of {agent}"
            yield Finding(rule="work.strayed", problem=problem, repair=f"write only {', '.join(mine)}", file=path)


def _unfounded(now: Now, evidence: Evidence) -> Iterator[Finding]:
    """Evidence that names a command which never ran on the work as it is, or a file that is not there."""
    assert isinstance(now.event, TurnReturned)  # narrows the type: only an output has evidence
    worker = worker_of(now)
    earlier = worker.ran if worker and not now.event.files else ()
    ran = {one.command for one in (*now.event.ran, *earlier) if one.code is not None}
    if evidence.command and evidence.command not in ran:
        problem = f"the evidence for {evidence.criterion} names {evidence.command!r}, which was not run"
        repair = f"run it and give what it showed; these ran: {'; '.join(sorted(ran)) or 'none'}"
        yield Finding(rule="evidence.command", problem=problem, repair=repair, about=evidence.criterion)
    if evidence.path and evidence.path not in now.state.docs:
        problem = f"the evidence for {evidence.criterion} is said to lie in {evidence.path}, where nothing is"
        repair = "name the file that shows it, by its path from the project's folder"
        yield Finding(rule="evidence.path", problem=problem, repair=repair, about=evidence.criterion)


def check_tactical(now: Now, output: TacticalOutput) -> Sequence[Finding]:
    """Every question is ruled on, and every ground is to be found in what was approved."""
    return (*check_work(now, output), *_wrong_rulings(now, output))


def _wrong_rulings(now: Now, output: TacticalOutput) -> Iterator[Finding]:
    work, worker = own_of(now.state).work, worker_of(now)
    case = work.case_of(worker.serves) if work and worker else None
    if case is None:
        return
    asked = set(case.left("tactical_solution_architect"))
    ruled = [one.note_id for one in output.rulings]
    for note in sorted({note for note in ruled if note not in asked or ruled.count(note) > 1}):
        problem = f"{note} is ruled on, and is not one of the questions or comes twice"
        yield Finding(rule="ruling.note", problem=problem, repair=f"rule once on each of {', '.join(sorted(asked))}")
    missing = sorted(asked - set(ruled))
    if missing and output.status in ("completion_drive_review", "ready_for_verification"):
        problem = f"{', '.join(missing)} is not ruled on"
        yield Finding(rule="ruling.missing", problem=problem, repair="rule on it, or escalate why you cannot")
    approved = escalating.ground_text(Shelf(now.state, now.look))
    for one in output.rulings:
        if not escalating.is_ground(one.ground, approved):
            problem = f"the ground of {one.note_id} is not to be found: {one.ground[:80]!r}"
            repair = "quote a heading or a sentence of the decisions, the stack or the plan, word for word"
            yield Finding(rule="ruling.ground", problem=problem, repair=repair, about=one.note_id)


def check_verdict(now: Now, output: VerdictOutput) -> Sequence[Finding]:
    """A verdict speaks of every criterion, and passes only what holds; what a command shows, code has seen."""
    return tuple(_wrong_verdict(now, output))


def _wrong_verdict(now: Now, output: VerdictOutput) -> Iterator[Finding]:
    yield from strayed(now)
    wanted = {one.id: one for point in _points(now) for one in point.criteria}
    said = [one.id for one in output.criteria]
    for name in sorted({*said} ^ {*wanted} | {name for name in said if said.count(name) > 1}):
        problem = f"{name} is judged, and is no criterion" if name not in wanted else f"{name} is not judged once"
        yield Finding(rule="verdict.criteria", problem=problem, repair=f"judge each once: {', '.join(wanted)}")
    unmet = [one.id for one in output.criteria if not one.met and not one.left_out]
    if output.result == "pass" and (unmet or output.missing_evidence):
        problem = f"it passes although {', '.join(unmet) or 'evidence'} is missing"
        yield Finding(rule="verdict.result", problem=problem, repair="fail it, and say what is missing")
    if output.result == "fail" and not output.missing_evidence:
        repair = "say in missing_evidence what has to be shown"
        yield Finding(rule="verdict.result", problem="it fails and does not say what is missing", repair=repair)
    for one in output.criteria:
        if one.left_out:
            yield from _not_theirs(now, one)
        if one.met and one.id in wanted:
            yield from _unseen(now, wanted[one.id])


def _not_theirs(now: Now, judged: Judged) -> Iterator[Finding]:
    """Only a person leaves something out, and only what they were asked about by its id; it is not met then."""
    worker = worker_of(now)
    told = [note.description for note in worker.notes if note.resolved_by == "user"] if worker else []
    named = re.compile(rf"(?<![\w.]){re.escape(judged.id)}(?![\w.]*\w)")
    if judged.met or not any(map(named.search, (*told, *(worker.told if worker else ())))):
        problem = f"{judged.id} is said to be left out, and {'met' if judged.met else 'no person was asked about it'}"
        repair = "say what is not shown; only a person who was asked about it by its id leaves a criterion out"
        yield Finding(rule="verdict.left_out", problem=problem, repair=repair, about=judged.id)


def _unseen(now: Now, criterion: Criterion) -> Iterator[Finding]:
    """A criterion that a command shows is met when that command ran in this very turn and ended well."""
    command = criterion.command
    if not command or now.turn is None or not may_run_line(command, now.turn.start.runs):
        return
    assert isinstance(now.event, TurnReturned)  # narrows the type: only an output is checked
    codes = [one.code for one in now.event.ran if one.command == command]
    if not codes or codes[-1] != 0:
        found = f"ended with {codes[-1]}" if codes else "was not run"
        problem = f"{criterion.id} is said to be met, and {command!r} {found} in this turn"
        yield Finding(
            rule="verdict.command", problem=problem, repair="run it; what fails is not met", about=criterion.id
        )


def _points(now: Now) -> tuple[Checkpoint, ...]:
    worker = worker_of(now)
    if worker is not None and worker.serves:
        return (escalating.RULED,)
    return works_under(Shelf(now.state, now.look), subject(now))[1]
