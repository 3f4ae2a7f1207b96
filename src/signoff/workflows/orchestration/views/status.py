"""The status of a run as people see it: `status.json`, the board of the work, and a summary in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.evidence.shared_words import clipped
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.state import ADAPTATION, STEPS, Approval, Design, Shelf, own_of
from signoff.workflows.orchestration.work import completion
from signoff.workflows.orchestration.work.progress import DONE, Work, Worker

_WHY: Final = 160
_WAITS: Final = {"tactical": "the tactical architect", "asked": "you", "clearing": "its answer to be cleared"}


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    workers = ", ".join(dict.fromkeys(turn.start.agent for turn in state.turns.values())) or "code"
    return {
        "phase": own.phase,
        "step": own.step,
        "task_id": own.task_id,
        "rounds": dict(own.rounds),
        "next_agent": "human" if state.requests else workers,
        "agents": list(own.members),
        "approvals": [_approval(yes, own) for yes in own.approvals],
        "digest": own.digest or None,
        "choices": list(own.choices),
        "blockers": list(own.blockers),
        "warnings": [str(finding) for finding in own.warnings],
        "escalation_reason": own.escalation_reason,
        "stale": own.stale or None,
        "edited_since": list(own.edited_since),
        "outputs": [places.REPORT] if state.stop in ("complete", "ended") else [],
        **({"board": _board(own.work, state.docs)} if own.work else {}),
    }


def _board(work: Work, docs: Mapping[str, str]) -> dict[str, Any]:
    """The agents as a table: status, notes, verifications, version, and the versions that each built on."""
    edited = completion.edited(work, docs) if work.ended else {}
    void = dict.fromkeys(edited, "edited since")
    void |= dict.fromkeys(completion.builders(work, edited), "built on what was edited")
    rows = [
        [
            name,
            _standing(name, worker, work, void.get(name, "")),
            f"{len(worker.unresolved)} of {len(worker.notes)} open" if worker.notes else "-",
            str(worker.rounds) if worker.rounds else "-",
            f"v{worker.version}" if worker.version else "-",
            ", ".join(f"{other} v{version}" for other, version in worker.read.items()) or "-",
        ]
        for name, worker in sorted(work.workers.items(), key=lambda one: (bool(one[1].serves), one[0]))
    ]
    return {"head": ["AGENT", "STATUS", "NOTES", "VERIFICATION", "VERSION", "BUILT ON"], "rows": rows}


def _standing(name: str, worker: Worker, work: Work, void: str) -> str:
    """The status, with the reason why an agent failed, is blocked, or no longer counts."""
    broken, case = work.broken.get(name), work.case_of(name)
    if broken and worker.status == "failed":
        return f"failed: {clipped(broken.why, _WHY)}"
    if void:
        return f"{worker.status}, {void}"
    return f"{worker.status}, waits for {_WAITS.get(case.stage, 'the workflow')}" if case else worker.status


def _approval(yes: Approval, own: Design) -> dict[str, Any]:
    """An approval holds until its gate is asked again or an edit leads back to it; additions by code do not void it."""
    latest = [one for one in own.approvals if one.gate == yes.gate][-1]
    holds = bool(own.digest)
    if yes.gate != ADAPTATION:
        at = own.step if own.step in STEPS else own.resume_to or STEPS[0]
        stands = min((at, own.stale or at), key=STEPS.index)
        holds = yes == latest and STEPS.index(stands) > STEPS.index(f"approve_{yes.gate}")
    return {"gate": yes.gate, "by": yes.by, "at": yes.at, "digests": dict(yes.digests), "holds": holds}


def summary(state: State, look: Look) -> Mapping[str, Any]:
    """The design in a few lines, and commands to try next."""
    own, shelf = own_of(state), Shelf(state, look)
    if places.ROSTER not in state.docs:
        return {"lines": [f"plan: {own.summary}"], "next": []}
    known = shelf.roster
    doers, pocs = known.of_kind("doer"), known.of_kind("poc")
    lines = [f"agents: {len(doers)} doers, {len(pocs)} PoCs; missing: {', '.join(known.missing_agents) or 'none'}"]
    following: list[str] = []
    if places.SEQUENCE in state.docs:
        order = shelf.sequence
        lines.append(f"phases: {order.total_phases}, critical path of {len(order.critical_path)} agents")
        lines += [f"forced order: {squeeze(note)}" for note in order.notes]
        following.append(f"signoff orchestration graph {places.SEQUENCE}")
    lines += [f"tried before: {squeeze(one.assumption)} ({one.poc_id})" for one in shelf.specs.pocs]
    if own.digest:
        lines.append(f"design: approved, digest {own.digest[:12]}, in {{project}}/{places.COORDINATION}")
    if own.work:
        todo = [worker for worker in own.work.workers.values() if not worker.serves]
        lines.append(f"verified: {sum(worker.status in DONE for worker in todo)} of {len(todo)} agents")
        following.append(f"signoff status {own.run}")
    if state.stop in ("complete", "ended"):
        lines.append(f"report: {{project}}/{places.REPORT}")
    return {"lines": lines, "next": following}
