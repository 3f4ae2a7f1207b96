"""Where an agent, a file, a note, a PoC, a criterion or a risk came from, and what it led to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.events import Event
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.orchestration import places, questions, risks
from signoff.workflows.orchestration.design import Shelf, own_of
from signoff.workflows.orchestration.work import Work


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None:  # noqa: ARG001
    """An agent by its name or task id, a file by its path, a note as `agent/note_001` or, of all agents, as `note_001`;
    all else by its id."""
    shelf = Shelf(state, look)
    if (told := _question(shelf, what)) is not None:
        return told
    if places.ROSTER not in state.docs:
        return None
    for found in (_agent, _tactical, _file, _note, _notes, _poc, _criterion, _risk):
        if (told := found(shelf, what)) is not None:
            return told
    return None


def _agent(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    known = shelf.roster.agents
    name = next((name for name, one in known.items() if what in (name, one.task_id)), None)
    if name is None:
        return None
    one = known[name]
    actions = [f"{action} <- {own_of(shelf.state).summary}: {quote!r}" for action, quote in _quoted(one)]
    told: dict[str, Any] = {"id": name, "text": one.role, "task_id": one.task_id, "actions": actions}
    told["after"] = [*one.dependencies, *(other for other, its in sorted(known.items()) if name in its.gates)]
    told["waited for by"] = sorted({*one.gates, *(other for other, its in known.items() if name in its.dependencies)})
    if places.CONTRACTS in shelf.state.docs and name in shelf.contracts.agents:
        told["writes"] = [written.path for written in shelf.contracts.agents[name].writes]
    if places.CHECKPOINTS in shelf.state.docs and (point := shelf.checkpoints.of(name)):
        told["verified by"] = point.verified_by
        told["criteria"] = [f"{criterion.id}: {criterion.text}" for criterion in point.criteria]
    if places.SEQUENCE in shelf.state.docs:
        told["phase"] = next(iter(_phase(shelf, name)), None)
    return {**told, **_done(shelf, name)}


def _work(shelf: Shelf) -> Work:
    return own_of(shelf.state).work or Work(begun=0)


def _done(shelf: Shelf, name: str) -> dict[str, Any]:
    """What came of an agent's work so far: its files, its evidence, its notes, and what its verifications found."""
    work = _work(shelf)
    worker = work.workers.get(name)
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


def _tactical(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    """A task that came up while the work was done."""
    workers = _work(shelf).workers.items()
    name = next((name for name, one in workers if one.serves and what in (name, one.task_id)), None)
    if name is None:
        return None
    worker = _work(shelf).workers[name]
    told = {"id": name, "text": f"decides for {worker.serves}", "task_id": worker.task_id}
    return {**told, **_done(shelf, name)}


def _file(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    """A file of the project: who made it, from which words of the plan, and what shows that it is right."""
    makers = [name for name, worker in _work(shelf).workers.items() if what in worker.files]
    if not makers:
        return None
    known = _work(shelf).workers[makers[-1]]
    told = {"id": what, "text": f"made by {', '.join(makers)}", "status": known.status, "sha256": known.files[what]}
    if what in known.by_hand:
        told["text"] = f"{told['text']}, and changed by a person since"
    if shelf.state.docs.get(what) != known.files[what]:
        told["edited since"] = "what is there now was not looked at"
    return {**told, "version": known.written[what][0], "by": _agent(shelf, makers[-1]) or {}}


def _question(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    """What the reviewers asked a person, and what that led to."""
    found = next((one for one in questions.answers(shelf.text(places.QUESTIONS)) if one.key == what), None)
    if found is None:
        return None
    told = {"id": what, "text": squeeze(found.question), "asked by": places.review(found.domain)}
    taken = [path for path in (places.STACK, places.DECISIONS) if found.answer and found.answer in shelf.text(path)]
    return {**told, "answer": found.answer or "none", "stands in": [places.QUESTIONS, *taken]}


def _notes(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    """A number that several agents may have given to a note: each is told."""
    told = [one for name in sorted(_work(shelf).workers) if (one := _note(shelf, f"{name}/{what}"))]
    if not told:
        return None
    return {"id": what, "text": f"{len(told)} of the agents {'has' if len(told) == 1 else 'have'} it", "notes": told}


def _note(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    agent, _, note_id = what.rpartition("/")
    worker = _work(shelf).workers.get(agent)
    note = next((one for one in worker.notes if one.note_id == note_id), None) if worker else None
    if note is None:
        return None
    facts = note.model_dump(mode="json", exclude_none=True, exclude={"note_id", "description"})
    helpers = {name: one for name, one in _work(shelf).workers.items() if one.serves == agent}
    ruled = [name for name, one in helpers.items() if any(ruling.note_id == note_id for ruling in one.rulings)]
    return {"id": what, "text": note.description, "said by": agent, **facts, "ruled on by": ruled}


def _quoted(one: Any) -> Iterator[tuple[str, str]]:
    return zip(one.plan_actions, one.plan_action_sources, strict=False)


def _phase(shelf: Shelf, name: str) -> Iterator[int]:
    for phase in shelf.sequence.execution_phases:
        if any(placed.agent_name == name for placed in phase.agents):
            yield phase.phase_id


def _poc(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    found = next((one for one in shelf.specs.pocs if one.poc_id == what), None)
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


def _criterion(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    if places.CHECKPOINTS not in shelf.state.docs:
        return None
    for point in shelf.checkpoints.checkpoints:
        for one in point.criteria:
            if what in (one.id, point.id):
                told = {"id": what, "text": one.text, "proves": point.doer, "judged by": point.verified_by}
                told |= {"evidence": one.evidence, "command": one.command or "none"}
                return {**told, **_judged(shelf, point.doer, one.id)}
    return None


def _judged(shelf: Shelf, doer: str, criterion: str) -> dict[str, Any]:
    """What the last verification found, where there was one."""
    worker = _work(shelf).workers.get(doer)
    found = next((one for one in worker.judged if one.id == criterion), None) if worker else None
    return {"found": f"{'met' if found.met else 'not met'}: {found.evidence}"} if found else {}


def _risk(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    found = risks.named(shelf.consultations.values()).get(what)
    if found is None:
        return None
    agent, risk = found
    tried = risks.poc_for(risk, shelf.specs.pocs)
    done = tried.poc_id if tried else f"borne: {shelf.specs.borne.get(what, 'it is not grave')}"
    told = {"id": what, "text": risk.description, "seen by": agent, "evidence": risk.evidence}
    return {**told, "likelihood": risk.likelihood, "impact": risk.impact, "what is done": done}
