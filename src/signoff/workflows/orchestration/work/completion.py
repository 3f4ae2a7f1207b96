"""The end of the work: archives the sessions, writes the report, and notices edits after the end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from signoff.core.commands import Ask, Command, Finish, Withdraw
from signoff.core.decide import RESUME
from signoff.core.declarations import Now
from signoff.core.events import Answered
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design import approvals, plan_edits
from signoff.workflows.orchestration.design.approvals import STALE
from signoff.workflows.orchestration.design.turns import written
from signoff.workflows.orchestration.documents import shared_status
from signoff.workflows.orchestration.ids import default_verifier, epoch
from signoff.workflows.orchestration.sequence.waits import together
from signoff.workflows.orchestration.state import ADAPTATION, STEPS, Design, Shelf, own_of
from signoff.workflows.orchestration.views import work_report
from signoff.workflows.orchestration.work import doer_turns, escalations, session_archive, work_files
from signoff.workflows.orchestration.work.progress import DONE, Work

COMPLETE, ENDED = "complete", "ended"
"""How the work ends: everything is verified, or a person ended it."""
LEADS = ("approve_architecture", "approve_roster", "sequence", "integration", "verify", "execute")
"""The steps at which a complete run can begin again."""


def enter_done(now: Now) -> Move:
    """Completes and archives every session, and writes the report."""
    own = own_of(now.state)
    assert own.work is not None  # narrows the type: the work came to its end
    at, work = epoch(now.event.at), own.work
    for name, worker in work.workers.items():
        if worker.status == "verified":
            work = work.with_worker(name, worker.moved("session_complete", at))
    work = replace(work, ended=at)
    archive = session_archive.put_away(now)
    own = replace(own.warned(*archive.warnings), work=work)
    status = shared_status.render(work_files.board(own, work, Shelf(now.state, now.look)))
    report = work_report.render(_account(own, work, now))
    texts = {**archive.writes, places.STATUS: status, places.REPORT: report}
    return Move(own, (*written(texts), Finish(reason=ENDED if work.over else COMPLETE)))


def _account(own: Design, work: Work, now: Now) -> work_report.Account:
    shelf = Shelf(now.state, now.look)
    return work_report.Account(
        task_id=own.task_id,
        begun=work.begun,
        ended=work.ended,
        agents=tuple(_agents(work, shelf)),
        spend=now.state.spend,
        stopped=f"{work.over} said that it is enough" if work.over else "",
        rulings=tuple(escalations.rulings_of(work, escalations.ruled_tasks(work))),
        trials=tuple(_trials(work, shelf)),
        adaptations=tuple(_adaptations(own, work)),
        decided=(*(f"{one.gate}: approve, {one.by}" for one in own.approvals), *own.rejections, *own.choices),
        open=tuple(one.problem for one in own.warnings),
    )


def _adaptations(own: Design, work: Work) -> Iterator[work_report.Adaptation]:
    """The changes of the plan, each with who wanted it and who approved it."""
    agreed = [one.by for one in own.approvals if one.gate == ADAPTATION]
    for (when, one), by in zip(work.adapted, agreed, strict=True):
        reason = f"{one.why} (wanted by {one.by}, approved by {by})"
        yield work_report.Adaptation(at=when, reason=reason, edits=tuple(map(plan_edits.in_words, one.edits)))


def _agents(work: Work, shelf: Shelf) -> Iterator[work_report.Agent]:
    placed = [one for phase in shelf.sequence.execution_phases for one in phase.agents]
    verifiers = {doer: one.agent_name for one in placed for doer in one.verifies or ()}
    order = list(dict.fromkeys(one.agent_name for one in placed if one.agent_name in work.workers))
    for name in (*order, *sorted(work.workers.keys() - set(order))):
        worker, known = work.workers[name], shelf.roster.agents.get(name)
        broken = work.broken.get(name)
        helpers = {task: one for task, one in work.workers.items() if one.serves == name and one.status in DONE}
        yield work_report.Agent(
            name=name,
            role=known.role if known else f"decided for {worker.serves}",
            kind="tactical" if worker.serves else "poc" if known and known.kind == "poc" else "doer",
            status=worker.status,
            turns=worker.turns,
            summary=worker.summary,
            files=work_files.Manifest.of(worker).files if worker.version else (),
            verifier=default_verifier(name) if worker.serves else verifiers.get(name, ""),
            criteria=worker.judged,
            ran=tuple(work_report.Command(command=one.command, code=one.code) for one in worker.ran),
            failures=tuple(one.missing for one in worker.failures),
            notes=worker.notes,
            given_up=name in work.given_up,
            why=broken.why if broken else "a person gave it up" if name in work.given_up else "",
            rounds=worker.rounds,
            by_hand=worker.by_hand,
            ruled={one.note_id: task for task, helper in helpers.items() for one in helper.rulings},
        )


def _trials(work: Work, shelf: Shelf) -> Iterator[work_report.Trial]:
    for name, review in sorted(work.decided.items()):
        spec = shelf.poc(name)
        if spec is None:
            continue
        told = review.decision != "proceed" and work.workers[name].status in DONE
        yield work_report.Trial(
            poc_id=spec.poc_id, agent=name, assumption=spec.assumption, assessment=review.assessment,
            decision=review.decision, rationale=review.rationale,
            answer="a person said to proceed" if told else "",
        )  # fmt: skip


# --- edits after the end ----------------------------------------------------------------------------------------------


def noticed(now: Now, own: Design, changed: Collection[str], leads: Callable[[str], str | None]) -> Move:
    """Marks the run stale while a result or the design differs from what was verified."""
    work, docs = own.work, now.state.docs
    assert work is not None  # narrows the type: the work came to its end
    outputs = {path for paths in edited(work, docs).values() for path in paths}
    design: set[str] = set()
    if own.digest != approvals.design_digest(now):
        design = {*own.edited_since, *changed} & {*approvals.approved_paths(now, "design")}
    steps = [*(leads(path) or "verify" for path in design), *(["execute"] if outputs else [])]
    stale = min(steps, key=STEPS.index, default="")
    since = tuple(sorted({*outputs, *design}))
    if (since, stale) == (own.edited_since, own.stale):
        return Move(own)
    own = replace(own, edited_since=since, stale=stale)
    shelf = Shelf(now.state, now.look)
    told = {
        places.STATUS: shared_status.render(work_files.board(own, work, shelf)),
        places.REPORT: work_report.marked(shelf.text(places.REPORT), own.edited_since),
    }
    old = tuple(Withdraw(request=name) for name, ask in now.state.requests.items() if ask.key == STALE)
    fresh: tuple[Command, ...] = (_request(own, work, docs),) if stale else ()
    return Move(own, (*written(told), *old, *fresh))


def edited(work: Work, docs: Mapping[str, str]) -> dict[str, list[str]]:
    """The agents whose files differ from what was verified, with the files; those of tactical tasks do not count."""
    found = {name: doer_turns.differing(one, docs) for name, one in sorted(work.workers.items()) if not one.serves}
    return {name: paths for name, paths in found.items() if paths}


def builders(work: Work, edited_ones: Collection[str]) -> list[str]:
    """The agents that built on the work of these, directly or through others."""
    found = {*edited_ones}
    while more := {name for name, one in work.workers.items() if name not in found and not found.isdisjoint(one.read)}:
        found |= more
    return sorted(found - {*edited_ones})


def _request(own: Design, work: Work, docs: Mapping[str, str]) -> Ask:
    notes = {"from": [own.stale], "default": own.stale}
    if own.stale != "execute":
        return replace(approvals.stale_request(own), notes=notes)
    files, doers = ", ".join(own.edited_since), list(edited(work, docs))
    others = builders(work, doers)
    built = f", and {together(others)} built on it" if others else ""
    question = f"{files} changed after the work of {together(doers)} was verified{built}. Resume to have it done again."
    return Ask(key=STALE, kind=STALE, options=(RESUME,), question=question, notes=notes)


def on_done(now: Now) -> Move:
    """A person resumes a stale run: it begins again at the step that the edit leads to."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    work, step = own.work, own.stale
    assert work is not None  # narrows the type: the work came to its end
    own = replace(own, choices=(*own.choices, f"{STALE}: {now.event.act}, {now.event.by}"))
    own, undone = approvals.begun(own, step)
    own = replace(own, work=replace(work, ended=0, over=""), digest=own.digest if step == "execute" else "")
    return Move(own, undone, f"to_{step}")
