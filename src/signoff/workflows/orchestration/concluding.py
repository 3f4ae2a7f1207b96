"""The beginning and the end of sessions: what lies there is put away, and at the end the report says what was built."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.core.commands import Command, Finish, Write
from signoff.core.frozen import replace
from signoff.core.refs import Ref
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import adapting, archival, evolving, outcome, places
from signoff.workflows.orchestration.archival import Archive
from signoff.workflows.orchestration.boarding import board
from signoff.workflows.orchestration.design import ADAPTATION, Design, Shelf, own_of
from signoff.workflows.orchestration.ids import ARCHIVAL, default_verifier, epoch
from signoff.workflows.orchestration.manifests import Manifest
from signoff.workflows.orchestration.status import render
from signoff.workflows.orchestration.work import DONE, Work

COMPLETE, ENDED = "complete", "ended"
"""How the work ends: everything is verified, or a person said that it is enough."""


# --- sessions ---------------------------------------------------------------------------------------------------------


def put_away(now: Now) -> Archive:
    """Every session that lies there goes to its name in the archive; what cannot be read stays, and is told."""
    docs = now.state.docs
    sessions = [path for path in docs if archival.agent_of(path) is not None]
    books = [path for path in docs if path.startswith(f"{places.agent(ARCHIVAL)}/")]
    there = [path for path in docs if path.startswith(places.AGENTS)]
    return archival.archive(
        {path: _bytes(now, path) for path in sessions},
        there=there,
        books={path: _bytes(now, path) for path in books},
        at=epoch(now.event.at),
    )


def is_archived(path: str) -> bool:
    """Whether a file belongs to the archive: it outlives the run that made it."""
    drive = "/completion_drive/session_"
    return path.startswith(f"{places.agent(ARCHIVAL)}/") or (drive in path and archival.agent_of(path) is None)


def _bytes(now: Now, path: str) -> bytes:
    return now.look(Ref(path, now.state.docs[path]), lambda data, _path: data)


def writes(archive: Archive) -> tuple[Command, ...]:
    return tuple(Write(path=path, text=text) for path, text in archive.writes.items())


# --- the end ----------------------------------------------------------------------------------------------------------


def enter_done(now: Now) -> Move:
    """Everybody's session is complete and put away; the report is written."""
    own = own_of(now.state)
    assert own.work is not None  # narrows the type: the work came to its end
    at = epoch(now.event.at)
    work = _closed(own.work, at)
    archive = put_away(now)
    own = replace(own.warned(*archive.warnings), work=work)
    status = Write(path=places.STATUS, text=render(board(own, work, Shelf(now.state, now.look))))
    report = Write(path=places.REPORT, text=outcome.render(_account(own, work, now)))
    return Move(own, (*writes(archive), status, report, Finish(reason=ENDED if work.over else COMPLETE)))


def _closed(work: Work, at: int) -> Work:
    for name, worker in work.workers.items():
        if worker.status == "verified":
            work = work.with_worker(name, worker.moved("session_complete", at))
    return replace(work, ended=at)


# --- what the report is made of ---------------------------------------------------------------------------------------


def _account(own: Design, work: Work, now: Now) -> outcome.Account:
    shelf = Shelf(now.state, now.look)
    return outcome.Account(
        task_id=own.task_id,
        begun=work.begun,
        ended=work.ended,
        agents=tuple(_agents(work, shelf)),
        spend=now.state.spend,
        stopped=f"{work.over} said that it is enough" if work.over else "",
        rulings=evolving.all_ruled(work),
        trials=tuple(_trials(work, shelf)),
        adaptations=tuple(_adaptations(own, work)),
        decided=(*(f"{one.gate}: approve, {one.by}" for one in own.approvals), *own.rejections, *own.choices),
        open=tuple(one.problem for one in own.warnings),
    )


def _adaptations(own: Design, work: Work) -> Iterator[outcome.Adaptation]:
    """Each with who wanted it, and who agreed to it."""
    agreed = [one.by for one in own.approvals if one.gate == ADAPTATION]
    for (when, one), by in zip(work.adapted, agreed, strict=True):
        reason = f"{one.why} (wanted by {one.by}, approved by {by})"
        yield outcome.Adaptation(at=when, reason=reason, edits=tuple(map(adapting.in_words, one.edits)))


def _agents(work: Work, shelf: Shelf) -> Iterator[outcome.Agent]:
    placed = [one for phase in shelf.sequence.execution_phases for one in phase.agents]
    verifiers = {doer: one.agent_name for one in placed for doer in one.verifies or ()}
    order = list(dict.fromkeys(one.agent_name for one in placed if one.agent_name in work.workers))
    for name in (*order, *sorted(work.workers.keys() - set(order))):
        worker, known = work.workers[name], shelf.roster.agents.get(name)
        broken = work.broken.get(name)
        yield outcome.Agent(
            name=name,
            role=known.role if known else f"decided for {worker.serves}",
            kind="tactical" if worker.serves else "poc" if known and known.kind == "poc" else "doer",
            status=worker.status,
            turns=worker.turns,
            summary=worker.summary,
            files=Manifest.of(worker).files if worker.version else (),
            verifier=default_verifier(name) if worker.serves else verifiers.get(name, ""),
            criteria=worker.judged,
            ran=tuple(outcome.Command(command=one.command, code=one.code) for one in worker.ran),
            failures=tuple(one.missing for one in worker.failures),
            notes=worker.notes,
            given_up=name in work.given_up,
            why=broken.why if broken else "a person gave it up" if name in work.given_up else "",
            rounds=worker.rounds,
            by_hand=worker.by_hand,
            ruled={
                one.note_id: tactical
                for tactical, helper in work.workers.items()
                if helper.serves == name and helper.status in DONE
                for one in helper.rulings
            },
        )


def _trials(work: Work, shelf: Shelf) -> Iterator[outcome.Trial]:
    for name, review in sorted(work.decided.items()):
        spec = shelf.specs.of(shelf.roster.agents[name].poc_id or "")
        if spec is None:
            continue
        told = review.decision != "proceed" and work.workers[name].status in DONE
        yield outcome.Trial(
            poc_id=spec.poc_id, agent=name, assumption=spec.assumption, assessment=review.assessment,
            decision=review.decision, rationale=review.rationale,
            answer="a person said to proceed" if told else "",
        )  # fmt: skip
