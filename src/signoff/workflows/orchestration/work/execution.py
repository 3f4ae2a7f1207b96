"""Carries out the work, phase by phase: starts the turns that are due, and takes in what they return."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from signoff.core.commands import CancelTurn, Command, Withdraw, Write
from signoff.core.declarations import Now
from signoff.core.events import Answered, TurnFailed
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design.approvals import STALE, resumed, stale_request
from signoff.workflows.orchestration.design.instructions import works_under
from signoff.workflows.orchestration.design.turns import ended, written
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import AssessmentOutput, PocDecisionOutput, PocReview
from signoff.workflows.orchestration.sequence.work_sequence import Sequence
from signoff.workflows.orchestration.state import Shelf, own_of
from signoff.workflows.orchestration.work import (
    assignments,
    doer_turns,
    escalations,
    person_requests,
    schedule,
    work_files,
)
from signoff.workflows.orchestration.work.progress import DONE, Broken, Proposal, Work, Worker
from signoff.workflows.orchestration.work.schedule import Task


def enter_execute(now: Now) -> Move:
    """Starts the work; if the design changed since its approval, a person first decides how to go on."""
    own, shelf, at = own_of(now.state), Shelf(now.state, now.look), epoch(now.event.at)
    if own.stale:
        return Move(own, (stale_request(own),))
    if own.work is None:
        return go_on(now, _joined(Work(begun=at), shelf))
    known = doer_turns.edited_outputs(own.work, now.state.docs, at)
    work = doer_turns.held_against(_joined(known, shelf), shelf, at)
    lost = sorted(places.results(name) for name in known.workers.keys() - work.workers.keys())
    gone = written(dict.fromkeys(path for path in lost if path in now.state.docs))
    move = go_on(now, work)
    return replace(move, commands=(*gone, *move.commands))


def _joined(work: Work, shelf: Shelf) -> Work:
    """The work for the roster as it is now: new agents and agents with another task begin, removed agents are gone.

    Verified work is kept. A tactical task stays if it is verified, or if the agent that asked has the same task.
    """
    workers: dict[str, Worker] = {}
    for name, member in shelf.roster.agents.items():
        if member.kind == "verifier":
            continue
        known = work.workers.get(name)
        if known is None:
            workers[name] = Worker(task_id=member.task_id)
        elif known.task_id != member.task_id:  # the versions of its files go on
            files, made = known.files, known.written
            workers[name] = Worker(task_id=member.task_id, version=known.version, files=files, written=made)
        else:
            workers[name] = known
    same = {name for name, one in workers.items() if one is work.workers.get(name)}
    helping = {name: one for name, one in work.workers.items() if one.serves}
    helping = {name: one for name, one in helping.items() if one.serves in same or one.status in DONE}
    workers, same = {**workers, **helping}, {*same, *helping}
    return replace(
        work,
        workers=workers,
        verifiers={name: state for name, state in work.verifiers.items() if state != "working"},
        decided={name: one for name, one in work.decided.items() if name in same},
        assessed={name: one for name, one in work.assessed.items() if name in same},
        cases=tuple(case for case in work.cases if case.agent in same),
        broken={name: one for name, one in work.broken.items() if name in same},
        given_up=tuple(name for name in work.given_up if name in same),
    )


def on_execute(now: Now) -> Move:
    own = own_of(now.state)
    assert own.work is not None  # narrows the type: the step began with it
    if isinstance(now.event, Answered) and now.request is not None and now.request.key == STALE:
        return resumed(now)
    if own.stale:  # the design changed: a person first decides how to go on
        return Move(own)
    if ended(now) and now.turn is not None:
        kind, _, agent = now.turn.start.key.partition("-")
        work = _taken(now, own.work, kind, agent) if agent in own.work.workers else own.work
        return go_on(now, work)
    if isinstance(now.event, Answered) and now.request is not None:
        said = f"{now.request.key}: {now.event.act}, {now.event.by}"
        noted = replace(own, choices=(*own.choices, said))
        seen = replace(now, state=replace(now.state, own=noted))
        return go_on(seen, person_requests.answered(seen, own.work))
    return Move(own)


def _taken(now: Now, work: Work, kind: str, agent: str) -> Work:
    at = epoch(now.event.at)
    if now.refused:
        return _broken(now, work, kind, agent, at)
    if kind in ("do", "drive"):
        return doer_turns.worked(now, work, kind, agent, at)
    if kind == "verify":
        return doer_turns.verified(now, work, agent, at)
    if kind == "assess":
        assessed: AssessmentOutput = now.output
        held = doer_turns.proof(works_under(Shelf(now.state, now.look), agent)[1])
        work = work.with_worker(agent, replace(work.workers[agent], proof=held))
        return replace(work, assessed={**work.assessed, agent: assessed.assessment})
    if kind == "decide":
        return _decided(now.output, work, agent, at)
    return escalations.taken(now, work, kind, agent, at)


def _broken(now: Now, work: Work, kind: str, agent: str, at: int) -> Work:
    """The work after a turn that failed all its attempts: a person is asked.

    An agent has failed only if the turn was its own work, not if it was for example its verification.
    """
    assert now.turn is not None  # narrows the type: a turn ended
    why = "; ".join(str(finding) for finding in now.refused)
    verifier = str(now.turn.start.notes.get("verifier", ""))
    own = kind in ("do", "drive")
    who = agent if own else verifier or now.turn.start.agent
    cut = isinstance(now.event, TurnFailed) and bool(now.event.uncertain_calls)
    if cut and isinstance(now.event, TurnFailed):
        why = "; ".join(now.event.uncertain_calls)
    work = replace(work, broken={**work.broken, agent: Broken(kind=kind, who=who, why=why, cut=cut)})
    if verifier:
        work = replace(work, verifiers={**work.verifiers, verifier: "failed"})
    return work.with_worker(agent, work.workers[agent].moved("failed", at)) if own else work


def _decided(output: PocDecisionOutput, work: Work, agent: str, at: int) -> Work:
    """The work after the decision on a PoC: `proceed` goes on at once, `adapt` and `escalate` wait for a person."""
    assessment: Any = work.assessed[agent]
    review = PocReview(assessment=assessment, decision=output.decision, rationale=output.rationale, edits=output.edits)
    work = replace(work, decided={**work.decided, agent: review})
    if output.decision == "proceed":
        return work.with_worker(agent, work.workers[agent].moved("verified", at))
    if output.decision == "adapt" and output.edits:
        return work.proposing(Proposal(by=agent, why=output.rationale, edits=output.edits))
    return work


def go_on(now: Now, work: Work) -> Move:
    """Starts what is due, asks what only a person can settle, and writes the files that follow from the work."""
    shelf, at = Shelf(now.state, now.look), epoch(now.event.at)
    work = _fresh(escalations.advanced(work, config_of(now.state, now.look), at), shelf.sequence, at)
    starts = [turn.start for turn in (*now.state.turns.values(), *now.state.parked)]
    wanted = schedule.wanted(work, shelf.sequence)  # an edit may have made a turn pointless
    cancelled = tuple(CancelTurn(turn=start.turn) for start in starts if start.key not in wanted)
    out = {start.key for start in starts if start.key in wanted}
    done = schedule.current(work, shelf.sequence) is None and work.clear and not work.cases
    outcome = None
    if not out and (work.over or done):
        outcome = "done"
    elif not out and work.proposal:
        outcome = "adapt"
    tasks = () if work.proposal or work.over or outcome else schedule.due(work, shelf.sequence)
    work, fresh = _begun(now, work, tasks, out)
    noted = _noted(now, work, shelf)
    known = replace(work, noted=(*work.noted, *escalations.unrecorded(work))) if noted else work
    own = replace(own_of(now.state), work=known)
    stands = work_files.board(own, work, shelf)
    derived = work_files.derived(work, shelf, stands)
    files = written({path: text for path, text in derived if text is not None or path in now.state.docs})
    if outcome:  # what still matters is asked again
        asked = (Withdraw(request=name) for name, ask in now.state.requests.items() if ask.kind == "choice")
        return Move(own, (*cancelled, *asked, *noted, *files), outcome)
    seen = replace(now, state=replace(now.state, own=replace(own, work=work)))
    told = stands.model_dump(mode="json") if fresh else {}
    turns = tuple(assignments.start(seen, work, task, told) for task in fresh)
    requests = person_requests.requests(now, work, quiet=not out and not turns)
    new = {
        places.instructions(name): assignments.tactical_instructions(own, shelf, name, work)
        for name, worker in sorted(work.workers.items())
        if worker.serves and worker.status == "working" and not worker.turns
    }
    return Move(own, (*cancelled, *noted, *written(new), *files, *turns, *requests))


def _fresh(work: Work, sequence: Sequence, at: int) -> Work:
    """The work without outdated results: an agent that built on an old version begins again."""
    for name in schedule.stale(work):
        work = doer_turns.voided(work, name, at)
    looks = [(one.agent_name, one.verifies or ()) for phase in sequence.execution_phases for one in phase.agents]
    void = {name for name, doers in looks if any(work.workers[doer].status not in DONE for doer in doers)}
    kept = {name: state for name, state in work.verifiers.items() if state != "verified" or name not in void}
    return replace(work, verifiers=kept)


def _begun(now: Now, work: Work, tasks: tuple[Task, ...], out: Collection[str]) -> tuple[Work, list[Task]]:
    """The tasks that can start now, as many as there is room for, and the work with their agents started."""
    room = config_of(now.state, now.look).agents_at_once - len(out)
    fresh = [task for task in tasks if task.key not in out][: max(0, room)]
    at = epoch(now.event.at)
    for task in fresh:
        worker = work.workers[task.agent]
        if task.kind == "do" and worker.status == "pending":
            worker = replace(worker.moved("working", at), session_start=worker.session_start or at)
            work = work.with_worker(task.agent, worker)
        if task.kind == "verify":
            work = replace(work, verifiers={**work.verifiers, task.by: "working"})
    return work, fresh


def _noted(now: Now, work: Work, shelf: Shelf) -> tuple[Command, ...]:
    """Writes verified rulings into the evolution notes, unless a turn that reads the decisions is running."""
    reading = any(ref.path == places.DECISIONS for turn in now.state.turns.values() for ref in turn.start.pinned)
    fresh = escalations.unrecorded(work)
    if reading or not fresh:
        return ()
    text = escalations.recorded(shelf.text(places.DECISIONS), escalations.rulings_of(work, fresh))
    return (Write(path=places.DECISIONS, text=text),)
