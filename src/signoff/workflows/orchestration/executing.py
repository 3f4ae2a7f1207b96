"""The work itself, phase by phase: what is due is started, what comes back is taken in; code alone moves statuses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from signoff.core.commands import CancelTurn, Command, Withdraw, Write
from signoff.core.events import Answered, TurnFailed
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import (
    asking,
    assigning,
    boarding,
    escalating,
    evolving,
    places,
    scheduling,
    working,
)
from signoff.workflows.orchestration.approving import STALE, resumed, stale_request
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design import Design, Shelf, own_of
from signoff.workflows.orchestration.designing import works_under
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.scheduling import Task
from signoff.workflows.orchestration.sequence import Sequence
from signoff.workflows.orchestration.status import SharedStatus
from signoff.workflows.orchestration.turns import ended
from signoff.workflows.orchestration.verdicts import AssessmentOutput, PocDecisionOutput, PocReview
from signoff.workflows.orchestration.work import DONE, Broken, Proposal, Work, Worker

# --- the beginning ----------------------------------------------------------------------------------------------------


def enter_execute(now: Now) -> Move:
    """Nothing is begun on a design that changed since it was approved: a person says first how to go on."""
    own = own_of(now.state)
    if own.stale:
        return Move(own, (stale_request(own),))
    if own.work is not None:
        known = working.edited_outputs(own.work, now.state.docs, epoch(now.event.at))
        shelf = Shelf(now.state, now.look)
        work = working.held_against(_joined(known, shelf), shelf, epoch(now.event.at))
        lost = (places.results(name) for name in known.workers.keys() - work.workers.keys())
        gone = tuple(Write(path=path, text=None) for path in sorted(lost) if path in now.state.docs)
        move = go_on(now, work)
        return replace(move, commands=(*gone, *move.commands))
    work = _joined(Work(begun=epoch(now.event.at)), Shelf(now.state, now.look))
    return go_on(now, work)


def _joined(work: Work, shelf: Shelf) -> Work:
    """The work on the roster as it is: who is new begins, who was taken out is gone, who has another task begins anew.

    What was verified is kept. Tactical tasks stay as long as who asked has the task that it asked about, and where they
    are verified.
    """
    workers: dict[str, Worker] = {}
    for name, member in shelf.roster.agents.items():
        if member.kind == "verifier":
            continue
        known = work.workers.get(name)
        workers[name] = known if known and known.task_id == member.task_id else _anew(known, member.task_id)
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


def _anew(known: Worker | None, task_id: str) -> Worker:
    """An agent with another task; its files are counted on from where they are."""
    if known is None:
        return Worker(task_id=task_id)
    return Worker(task_id=task_id, version=known.version, files=known.files, written=known.written)


# --- what comes back --------------------------------------------------------------------------------------------------


def on_execute(now: Now) -> Move:
    own = own_of(now.state)
    assert own.work is not None  # narrows the type: the step began with it
    if isinstance(now.event, Answered) and now.request is not None and now.request.key == STALE:
        return resumed(now)
    if own.stale:  # nothing of a design that changed is taken in: a person says first how to go on
        return Move(own)
    if ended(now) and now.turn is not None:
        kind, _, agent = now.turn.start.key.partition("-")
        work = _taken(now, own.work, kind, agent) if agent in own.work.workers else own.work
        return go_on(now, work)
    if isinstance(now.event, Answered) and now.request is not None:
        said = f"{now.request.key}: {now.event.act}, {now.event.by}"
        noted = replace(own, choices=(*own.choices, said))
        seen = replace(now, state=replace(now.state, own=noted))
        return go_on(seen, asking.answered(seen, own.work))
    return Move(own)


def _taken(now: Now, work: Work, kind: str, agent: str) -> Work:
    at = epoch(now.event.at)
    if now.refused:
        return _broken(now, work, kind, agent, at)
    if kind in ("do", "drive"):
        return working.worked(now, work, kind, agent, at)
    if kind == "verify":
        return working.verified(now, work, agent, at)
    if kind == "assess":
        assessed: AssessmentOutput = now.output
        held = working.proof(works_under(Shelf(now.state, now.look), agent)[1])
        work = work.with_worker(agent, replace(work.workers[agent], proof=held))
        return replace(work, assessed={**work.assessed, agent: assessed.assessment})
    if kind == "decide":
        return _decided(now.output, work, agent, at)
    return escalating.taken(now, work, kind, agent, at)


def _broken(now: Now, work: Work, kind: str, agent: str, at: int) -> Work:
    """A turn that came to nothing, however often it was tried. Who did not do its own work has failed; what somebody
    else did not manage for it (a verdict, an answer) is only asked about."""
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
    """To proceed is unattended; to adapt and to escalate wait for the person."""
    assessment: Any = work.assessed[agent]
    review = PocReview(assessment=assessment, decision=output.decision, rationale=output.rationale, edits=output.edits)
    work = replace(work, decided={**work.decided, agent: review})
    if output.decision == "proceed":
        return work.with_worker(agent, work.workers[agent].moved("verified", at))
    if output.decision == "adapt" and output.edits:
        return work.proposing(Proposal(by=agent, why=output.rationale, edits=output.edits))
    return work


# --- what is due ------------------------------------------------------------------------------------------------------


def go_on(now: Now, work: Work) -> Move:
    """Starts what is due, asks what only a person can settle, and writes what follows from where the work stands."""
    shelf = Shelf(now.state, now.look)
    at = epoch(now.event.at)
    work = _fresh(escalating.advanced(work, config_of(now.state, now.look), at), shelf.sequence, at)
    pointless = _pointless(now, work, shelf.sequence)
    turns = (turn.start for turn in (*now.state.turns.values(), *now.state.parked))
    out = {start.key for start in turns if start.turn not in pointless}
    cancelled = tuple(CancelTurn(turn=turn) for turn in pointless)
    move = _gone_on(now, work, shelf, out)
    return replace(move, commands=(*cancelled, *move.commands))


def _pointless(now: Now, work: Work, sequence: Sequence) -> tuple[str, ...]:
    """The turns that nobody waits for any more, because a person's edit has undone what they were about."""
    wanted = scheduling.wanted(work, sequence)
    turns = (turn.start for turn in (*now.state.turns.values(), *now.state.parked))
    return tuple(start.turn for start in turns if start.key not in wanted)


def _gone_on(now: Now, work: Work, shelf: Shelf, out: Collection[str]) -> Move:
    if not out and (work.over or _is_done(work, shelf)):
        return _left(now, work, "done")
    if work.proposal and not out:
        return _left(now, work, "adapt")
    tasks = () if work.proposal or work.over else scheduling.due(work, shelf.sequence)
    work, fresh = _begun(now, work, tasks, out)
    stands = boarding.board(own_of(now.state), work, shelf)
    turns = _started(now, work, fresh, stands)
    noted = _noted(now, work, shelf)
    own = replace(own_of(now.state), work=evolving.noted(work) if noted else work)
    requests = asking.requests(now, work, quiet=not out and not turns)
    return Move(own, (*noted, *_instructed(own, work, shelf), *written(own, shelf, stands), *turns, *requests))


def _is_done(work: Work, shelf: Shelf) -> bool:
    """Every phase has ended, and the gate is clear."""
    return scheduling.current(work, shelf.sequence) is None and work.clear and not work.cases


def _left(now: Now, work: Work, outcome: str) -> Move:
    """The step is left; what people were asked here is asked again where it still matters."""
    shelf = Shelf(now.state, now.look)
    noted = _noted(now, work, shelf)
    own = replace(own_of(now.state), work=evolving.noted(work) if noted else work)
    open_ones = tuple(Withdraw(request=name) for name, ask in now.state.requests.items() if ask.kind == "choice")
    stands = boarding.board(own, work, shelf)
    return Move(own, (*open_ones, *noted, *written(own, shelf, stands)), outcome)


def _fresh(work: Work, sequence: Sequence, at: int) -> Work:
    """Who built on a version that is no longer the one there is begins again: its verification is void."""
    for name in scheduling.stale(work):
        work = working.voided(work, name, at)
    looks = [(one.agent_name, one.verifies or ()) for phase in sequence.execution_phases for one in phase.agents]
    void = {name for name, doers in looks if any(work.workers[doer].status not in DONE for doer in doers)}
    kept = {name: state for name, state in work.verifiers.items() if state != "verified" or name not in void}
    return replace(work, verifiers=kept)


def _begun(now: Now, work: Work, tasks: tuple[Task, ...], out: Collection[str]) -> tuple[Work, list[Task]]:
    """So many tasks as there is room for, and the work with their agents at it."""
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


def _started(now: Now, work: Work, fresh: list[Task], stands: SharedStatus) -> tuple[Command, ...]:
    """The turns of tasks; each is told where all stand."""
    if not fresh:
        return ()
    seen = replace(now, state=replace(now.state, own=replace(own_of(now.state), work=work)))
    told = stands.model_dump(mode="json")
    return tuple(assigning.start(seen, work, task, told) for task in fresh)


# --- what follows from the work ---------------------------------------------------------------------------------------


def written(own: Design, shelf: Shelf, stands: SharedStatus) -> tuple[Command, ...]:
    """The files that follow from where the work stands."""
    assert own.work is not None  # narrows the type: only the work is written so
    made = boarding.derived(own.work, shelf, stands)
    return tuple(Write(path=path, text=text) for path, text in made if text is not None or path in shelf.state.docs)


def _instructed(own: Design, work: Work, shelf: Shelf) -> tuple[Command, ...]:
    """Tactical tasks that have just come up get their instructions."""
    return tuple(
        Write(path=places.instructions(name), text=assigning.tactical_instructions(own, shelf, name, work))
        for name, worker in sorted(work.workers.items())
        if worker.serves and worker.status == "working" and not worker.turns
    )


def _noted(now: Now, work: Work, shelf: Shelf) -> tuple[Command, ...]:
    """Verified rulings go into the evolution notes, as soon as nobody is at work who reads the decisions."""
    reading = any(ref.path == places.DECISIONS for turn in now.state.turns.values() for ref in turn.start.pinned)
    if reading or not evolving.pending(work):
        return ()
    text = evolving.with_rulings(shelf.text(places.DECISIONS), work)
    return (Write(path=places.DECISIONS, text=text),)
