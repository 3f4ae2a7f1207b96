"""What people read of a design: where it stands, what they sign off, why it stopped. All follows from the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from signoff.core.commands import Ask
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.orchestration import places, reopening
from signoff.workflows.orchestration.amending import GATE
from signoff.workflows.orchestration.design import STEPS, Approval, Design, Shelf, own_of
from signoff.workflows.orchestration.work import DONE, Broken, Case, Work, Worker
from signoff.workflows.wording import clipped

_WHY: Final = 160


def home(own: Design) -> str:
    """The folder of the run."""
    return f"_workflow/orchestration/{own.run}"


def project(state: State) -> Mapping[str, str | None]:
    """The folders of the agents until they work in them, the request that waits, the report of an escalation."""
    own = own_of(state)
    members = () if own.work else own.members
    folders = (
        f"{places.agent(name)}/{part}/.gitkeep" for name in members for part in ("completion_drive", "task_output")
    )
    waiting = next((ask for ask in state.requests.values() if ask.kind == "approval"), None)
    report = escalation_report(own) if own.step == "escalated" else None
    return {
        **dict.fromkeys(folders, ""),
        f"{home(own)}/approval-request.md": approval_request(own, waiting, state) if waiting else None,
        f"{home(own)}/escalation-report.md": report,
    }


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    return {
        "phase": own.phase,
        "step": own.step,
        "task_id": own.task_id,
        "rounds": dict(own.rounds),
        "next_agent": "human" if state.requests else _workers(state),
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
    """Where every agent stands, as a table: its notes, its rounds of verification, its version and what it built on."""
    edited = reopening.edited(work, docs) if work.ended else {}
    void = dict.fromkeys(edited, "edited since") | dict.fromkeys(
        reopening.builders(work, edited), "built on what was edited"
    )
    rows = [
        [
            name,
            _standing(worker, work.case_of(name), work.broken.get(name), void.get(name, "")),
            f"{len(worker.unresolved)} of {len(worker.notes)} open" if worker.notes else "-",
            str(worker.rounds) if worker.rounds else "-",
            f"v{worker.version}" if worker.version else "-",
            ", ".join(f"{other} v{version}" for other, version in worker.read.items()) or "-",
        ]
        for name, worker in sorted(work.workers.items(), key=lambda one: (bool(one[1].serves), one[0]))
    ]
    return {"head": ["AGENT", "STATUS", "NOTES", "VERIFICATION", "VERSION", "BUILT ON"], "rows": rows}


def _standing(worker: Worker, case: Case | None, broken: Broken | None, void: str) -> str:
    """The status, whom a blocked one waits for, why one has failed, or why it does not hold any more."""
    if broken and worker.status == "failed":
        return f"failed: {clipped(broken.why, _WHY)}"
    waits = {"tactical": "the tactical architect", "asked": "you", "clearing": "its answer to be cleared"}
    if void:
        return f"{worker.status}, {void}"
    return f"{worker.status}, waits for {waits.get(case.stage, 'the workflow')}" if case else worker.status


def _workers(state: State) -> str:
    return ", ".join(dict.fromkeys(turn.start.agent for turn in state.turns.values())) or "code"


def _approval(yes: Approval, own: Design) -> dict[str, Any]:
    """A yes holds until its gate is asked again, or an edit leads back to it; what code adds later undoes none."""
    latest = [one for one in own.approvals if one.gate == yes.gate][-1]
    at = own.step if own.step in STEPS else own.resume_to or STEPS[0]
    if yes.gate == GATE:
        return {"gate": yes.gate, "by": yes.by, "at": yes.at, "digests": dict(yes.digests), "holds": bool(own.digest)}
    stands = min((at, own.stale or at), key=STEPS.index)
    holds = yes == latest and STEPS.index(stands) > STEPS.index(f"approve_{yes.gate}")
    return {"gate": yes.gate, "by": yes.by, "at": yes.at, "digests": dict(yes.digests), "holds": holds}


# --- what a person signs off ------------------------------------------------------------------------------------------

_POINTS = {
    "architecture": (
        "Are these the technologies and decisions?",
        "Is what was not taken from the reviews rightly left?",
    ),
    "roster": ("Are these the right agents, each with the right part of the plan?", "May the missing ones be made?"),
    "design": ("May this design be carried out as it is?", "Are the risks that are borne yours to bear?"),
    "adaptation": ("May the plan be changed like this?", "Is what is verified still worth what it was?"),
}


def approval_request(own: Design, ask: Ask, state: State) -> str:
    """The request as a page: what it is about, to the byte, and the exact commands."""
    gate = ask.key
    lines = [
        f"# Approval request: {own.task}, {gate}", "",
        f"- Asked: {state.at}", f"- Phase: {own.phase}", f"- Request: {ask.request}", "",
        "## Key decision points", "", *_bullets(_POINTS.get(gate, ())), "",
        *_SHOWN.get(gate, lambda _: [])(ask.notes),
        "## To know before", "", *_bullets(map(str, own.warnings), none="Nothing was noticed."), "",
        "## Rejected before", "", *_bullets(own.rejections, none="Never."), "",
        "## Artifacts to review", "", *_bullets(f"`{path}` sha256 `{sha}`" for path, sha in ask.of.items()), "",
        "## What to do", "",
        f"- Approve: `signoff approve {own.run} --gate {gate}`",
        f'- Reject: `signoff reject {own.run} --gate {gate} --reason "…"`{_REASONS.get(gate, "")}',
        f"- Modify: edit the files above, then `signoff approve {own.run} --gate {gate} --accept-changes`", "",
    ]  # fmt: skip
    return "\n".join(lines)


_REASONS = {
    "roster": '; say what to modify, or "Add: …", "Remove: name"',
    "adaptation": "; the agent that wanted it is told",
    "design": "; begin the reason with `roster:`, `contracts:`, `checkpoints:`, `instructions:` or `risk:`",
}


def _architecture(notes: Mapping[str, Any]) -> list[str]:
    return ["## Review order and changes", "", *_quoted(str(notes["order"])), "", *_quoted(str(notes["changelog"])), ""]


def _roster(notes: Mapping[str, Any]) -> list[str]:
    lines = ["## Agents", ""]
    for name, one in notes["agents"].items():
        after = f", after {', '.join(one['dependencies'])}" if one["dependencies"] else ""
        there = "exists" if one["exists"] else "**does not exist yet**"
        lines += [f"### {name} ({there}{after})", "", _line(one["role"]), "", *_bullets(one["plan_actions"]), ""]
    return lines


def _design(notes: Mapping[str, Any]) -> list[str]:
    phases = [f"{n}. {', '.join(agents)}" for n, agents in enumerate(notes["phases"], 1)]
    pocs = [f"{poc}: {assumption}" for poc, assumption in notes["pocs"].items()]
    borne = [f"{risk}: {why}" for risk, why in notes["borne"].items()]
    return [
        "## Phases", "", *phases, "",
        "## Forced orders", "", *_bullets(notes["forced"], none="None."), "",
        "## Tried before", "", *_bullets(pocs, none="Nothing."), "",
        "## Risks that are borne", "", *_bullets(borne, none="None."), "",
        f"The whole design has the digest `{notes['digest']}`.", "",
    ]  # fmt: skip


def _adaptation(notes: Mapping[str, Any]) -> list[str]:
    phases = [f"{n}. {', '.join(agents)}" for n, agents in enumerate(notes["phases"], 1)]
    return [
        "## Why", "", _line(notes["why"]), "", *_bullets(notes["edits"]), "",
        "## What changes", "", *(f"    {line}" for line in notes["difference"]), "",
        "## Phases then", "", *phases, "",
        "## Verified and kept", "", *_bullets(notes["kept"], none="Nothing is verified yet."), "",
    ]  # fmt: skip


_SHOWN = {"architecture": _architecture, "roster": _roster, "design": _design, GATE: _adaptation}


# --- why it stopped ---------------------------------------------------------------------------------------------------


def escalation_report(own: Design) -> str:
    """What is in the way, and what a person can do about it."""
    return "\n".join(
        [
            f"# Escalation report: {own.task}", "",
            f"- Reason: {own.escalation_reason}", f"- Step: {own.resume_to}", "",
            "## In the way", "", *_bullets(own.blockers, none="Nothing was named."), "",
            "## To resume", "",
            "Edit what is wrong (the documents below `orchestration/` are yours), then run",
            f"`signoff resume {own.run}`. It goes on from `{own.resume_to}`; `--from STEP` begins earlier.", "",
        ]
    )  # fmt: skip


# --- what came of it --------------------------------------------------------------------------------------------------


def summary(state: State, look: Look) -> Mapping[str, Any]:
    """The design in a few lines, and what to try next."""
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
        lines += [f"forced order: {_line(note)}" for note in order.notes]
        following.append(f"signoff orchestration graph {places.SEQUENCE}")
    lines += [f"tried before: {_line(one.assumption)} ({one.poc_id})" for one in shelf.specs.pocs]
    if own.digest:
        lines.append(f"design: approved, digest {own.digest[:12]}, in {{project}}/{places.COORDINATION}")
    if own.work:
        done = [name for name, worker in own.work.workers.items() if worker.status in DONE and not worker.serves]
        todo = [name for name, worker in own.work.workers.items() if not worker.serves]
        lines.append(f"verified: {len(done)} of {len(todo)} agents")
        following.append(f"signoff status {own.run}")
    if state.stop in ("complete", "ended"):
        lines.append(f"report: {{project}}/{places.REPORT}")
    return {"lines": lines, "next": following}


def _line(text: str) -> str:
    return " ".join(str(text).split())


def _bullets(items: Iterable[str], none: str = "None.") -> list[str]:
    return [f"- {_line(item)}" for item in items] or [none]


def _quoted(text: str) -> list[str]:
    """A document inside another: its headings are not headings of the page."""
    return [f"> {line}".rstrip() for line in text.strip().splitlines()]
