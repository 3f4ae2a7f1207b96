"""Where an agent, a PoC, a criterion or a risk came from, and what it led to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signoff.core.events import Event
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.orchestration import places, risks
from signoff.workflows.orchestration.design import Shelf, own_of


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None:  # noqa: ARG001
    """An agent by its name or task id, a PoC, a criterion or a risk by its id."""
    shelf = Shelf(state, look)
    if places.ROSTER not in state.docs:
        return None
    for found in (_agent, _poc, _criterion, _risk):
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
    return told


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
                return {**told, "evidence": one.evidence, "command": one.command or "none"}
    return None


def _risk(shelf: Shelf, what: str) -> Mapping[str, Any] | None:
    found = risks.named(shelf.consultations.values()).get(what)
    if found is None:
        return None
    agent, risk = found
    tried = risks.poc_for(risk, shelf.specs.pocs)
    done = tried.poc_id if tried else f"borne: {shelf.specs.borne.get(what, 'it is not grave')}"
    told = {"id": what, "text": risk.description, "seen by": agent, "evidence": risk.evidence}
    return {**told, "likelihood": risk.likelihood, "impact": risk.impact, "what is done": done}
