"""Traces an agent, a file, a note, a PoC, a criterion or a risk: where it came from, and what it led to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.events import Event
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import review_questions, risks
from signoff.workflows.orchestration.state import Shelf, own_of
from signoff.workflows.orchestration.work.progress import Worker

Found = Mapping[str, Any] | None


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Found:  # noqa: ARG001
    """Finds an agent by name or task id, a file by path, a note by `agent/note_001` (or `note_001` for all agents), and
    everything else by id."""
    shelf = Shelf(state, look)
    kinds = (_agent, _tactical, _file, _note, _notes, _poc, _criterion, _risk) if places.ROSTER in state.docs else ()
    return next((found for kind in (_question, *kinds) if (found := kind(shelf, what)) is not None), None)


def _workers(shelf: Shelf) -> Mapping[str, Worker]:
    work = own_of(shelf.state).work
    return work.workers if work else {}


def _agent(shelf: Shelf, what: str) -> Found:
    known = shelf.roster.agents
    name = next((name for name, one in known.items() if what in (name, one.task_id)), None)
    if name is None:
        return None
    one, docs = known[name], shelf.state.docs
    quoted = zip(one.plan_actions, one.plan_action_sources, strict=False)
    actions = [f"{action} <- {own_of(shelf.state).summary}: {quote!r}" for action, quote in quoted]
    told: dict[str, Any] = {"id": name, "text": one.role, "task_id": one.task_id, "actions": actions}
    told["after"] = [*one.dependencies, *(other for other, its in sorted(known.items()) if name in its.gates)]
    told["waited for by"] = sorted({*one.gates, *(other for other, its in known.items() if name in its.dependencies)})
    if places.CONTRACTS in docs and name in shelf.contracts.agents:
        told["writes"] = [written.path for written in shelf.contracts.agents[name].writes]
    if places.CHECKPOINTS in docs and (point := shelf.checkpoints.of(name)):
        told["verified by"] = point.verified_by
        told["criteria"] = [f"{criterion.id}: {criterion.text}" for criterion in point.criteria]
    if places.SEQUENCE in docs:
        phases = shelf.sequence.execution_phases
        mine = (phase.phase_id for phase in phases if any(each.agent_name == name for each in phase.agents))
        told["phase"] = next(mine, None)
    return {**told, **_done(shelf, name)}


def _done(shelf: Shelf, name: str) -> dict[str, Any]:
    """An agent's work so far: its files, its evidence, its notes, and the findings of its verifications."""
    worker = _workers(shelf).get(name)
    if worker is None:
        return {}
    told: dict[str, Any] = {
        "status": worker.status,
        "made": [f"{path} v{worker.written[path][0]} sha256 {sha[:12]}" for path, sha in sorted(worker.files.items())],
        "ran": [f"{one.command} -> {one.code}" for one in worker.ran],
        "evidence": [f"{one.criterion}: {one.shows}" for one in worker.evidence],
        "judged": [f"{one.id}: {'met' if one.met else 'not met'}, {one.evidence}" for one in worker.judged],
        "failed before": ["; ".join(one.missing) for one in worker.failures],
        "notes": [f"{name}/{note.note_id}: {note.status}, {note.description}" for note in worker.notes],
        "rulings": [f"{one.note_id}: {one.decision} <- {one.ground!r}" for one in worker.rulings],
        "built on": [f"{other} v{version}" for other, version in worker.read.items()],
    }
    return {label: value for label, value in told.items() if value}


def _tactical(shelf: Shelf, what: str) -> Found:
    """A tactical task: it came up during the work."""
    for name, worker in _workers(shelf).items():
        if worker.serves and what in (name, worker.task_id):
            told = {"id": name, "text": f"decides for {worker.serves}", "task_id": worker.task_id}
            return {**told, **_done(shelf, name)}
    return None


def _file(shelf: Shelf, what: str) -> Found:
    """A file of the project: the agent that made it, the words of the plan behind it, and the evidence for it."""
    makers = [name for name, worker in _workers(shelf).items() if what in worker.files]
    if not makers:
        return None
    known = _workers(shelf)[makers[-1]]
    text = f"made by {', '.join(makers)}" + (", and changed by a person since" if what in known.by_hand else "")
    told = {"id": what, "text": text, "status": known.status, "sha256": known.files[what]}
    if shelf.state.docs.get(what) != known.files[what]:
        told["edited since"] = "the file as it is now was not verified"
    return {**told, "version": known.written[what][0], "by": _agent(shelf, makers[-1]) or {}}


def _question(shelf: Shelf, what: str) -> Found:
    """A reviewer's question to the person, and where the answer went."""
    found = next((one for one in review_questions.answers(shelf.text(places.QUESTIONS)) if one.key == what), None)
    if found is None:
        return None
    told = {"id": what, "text": squeeze(found.question), "asked by": places.review(found.domain)}
    taken = [path for path in (places.STACK, places.DECISIONS) if found.answer and found.answer in shelf.text(path)]
    return {**told, "answer": found.answer or "none", "stands in": [places.QUESTIONS, *taken]}


def _notes(shelf: Shelf, what: str) -> Found:
    """All notes with this number: each agent counts its own."""
    told = [one for name in sorted(_workers(shelf)) if (one := _note(shelf, f"{name}/{what}"))]
    if not told:
        return None
    return {"id": what, "text": f"{len(told)} of the agents {'has' if len(told) == 1 else 'have'} it", "notes": told}


def _note(shelf: Shelf, what: str) -> Found:
    agent, _, note_id = what.rpartition("/")
    workers = _workers(shelf)
    notes = workers[agent].notes if agent in workers else ()
    note = next((one for one in notes if one.note_id == note_id), None)
    if note is None:
        return None
    facts = note.model_dump(mode="json", exclude_none=True, exclude={"note_id", "description"})
    helpers = {name: one for name, one in workers.items() if one.serves == agent}
    ruled = [name for name, one in helpers.items() if any(ruling.note_id == note_id for ruling in one.rulings)]
    return {"id": what, "text": note.description, "said by": agent, **facts, "ruled on by": ruled}


def _poc(shelf: Shelf, what: str) -> Found:
    found = shelf.specs.of(what)
    if found is None:
        return None
    seen = [
        f"{name} of {agent}: {risk.description}"
        for name, (agent, risk) in risks.named(shelf.consultations.values()).items()
        if risks.poc_for(risk, (found,))
    ]
    placed = [name for name, one in shelf.roster.agents.items() if one.poc_id == what]
    return {
        "id": what,
        "text": found.assumption,
        "comes from": seen,
        "tried by": placed or [found.agent],
        "passes if": list(found.passes),
        "fails if": list(found.fails),
        "gates": list(found.gates),
    }


def _criterion(shelf: Shelf, what: str) -> Found:
    if places.CHECKPOINTS not in shelf.state.docs:
        return None
    for point in shelf.checkpoints.checkpoints:
        for one in point.criteria:
            if what in (one.id, point.id):
                told = {"id": what, "text": one.text, "proves": point.doer, "judged by": point.verified_by}
                told |= {"evidence": one.evidence, "command": one.command or "none"}
                worker = _workers(shelf).get(point.doer)
                for last in worker.judged if worker else ():
                    if last.id == one.id:
                        told["found"] = f"{'met' if last.met else 'not met'}: {last.evidence}"
                return told
    return None


def _risk(shelf: Shelf, what: str) -> Found:
    found = risks.named(shelf.consultations.values()).get(what)
    if found is None:
        return None
    agent, risk = found
    tried = risks.poc_for(risk, shelf.specs.pocs)
    done = tried.poc_id if tried else f"borne: {shelf.specs.borne.get(what, 'it is not grave')}"
    told = {"id": what, "text": risk.description, "seen by": agent, "evidence": risk.evidence}
    return {**told, "likelihood": risk.likelihood, "impact": risk.impact, "what is done": done}
