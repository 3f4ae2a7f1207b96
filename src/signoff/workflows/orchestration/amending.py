"""Another plan while the work is done: named edits, shown as a difference before they are made, verified work kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from signoff.core.commands import PERSONS, Ask, Command, Write
from signoff.core.decide import APPROVE
from signoff.core.errors import DocumentError
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.refs import digest
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import (
    adapting,
    checkpoint_checks,
    contract_checks,
    jsondoc,
    places,
    registry,
    roster_checks,
    sequencing,
)
from signoff.workflows.orchestration import checkpoints as cp
from signoff.workflows.orchestration import file_contracts as fc
from signoff.workflows.orchestration import roster as ro
from signoff.workflows.orchestration.approving import REJECT
from signoff.workflows.orchestration.checkpoints import Checkpoints
from signoff.workflows.orchestration.design import ADAPTATION, Approval, Shelf, own_of
from signoff.workflows.orchestration.designing import without_pocs
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.risks import PocSpecs, named, poc_for
from signoff.workflows.orchestration.roster import Proposed, Roster
from signoff.workflows.orchestration.sequence import Sequence
from signoff.workflows.orchestration.staffing import bare
from signoff.workflows.orchestration.work import Proposal, Work

GATE: Final = ADAPTATION
DROP: Final = "drop"


@dataclass(frozen=True, slots=True)
class Adapted:
    """What the edits make of a design."""

    roster: Roster
    contracts: FileContracts
    checkpoints: Checkpoints
    sequence: Sequence
    specs: PocSpecs

    def task_of(self, name: str) -> str | None:
        """The task that an agent has then."""
        return self.roster.agents[name].task_id if name in self.roster.agents else None


def adapted(now: Now, proposal: Proposal) -> Adapted:
    """The design after the edits; DocumentError with all that is wrong with it."""
    shelf = Shelf(now.state, now.look)
    if not proposal.edits:
        problem = "there are no edits, or they cannot be read"
        raise DocumentError([Finding(rule="edit.none", problem=problem, repair="give a list of named edits")])

    def exists(name: str, agent: Proposed) -> bool:
        return registry.exists(agent.agent_type or name, shelf.registry, shelf.has)

    created = epoch(now.event.at)
    roster, contracts = adapting.apply(
        shelf.roster, shelf.contracts, proposal.edits, shelf.specs, created=created, exists=exists
    )
    checkpoints = adapting.checkpointed(shelf.checkpoints, roster, proposal.edits)
    proposed = {name: bare(member) for name, member in roster.agents.items()}
    own = own_of(now.state)
    helping = own.work.workers if own.work else {}
    wrong = [
        *(_taken(name) for name in roster.agents if name in helping and helping[name].serves),
        *(_missing(name) for name in roster.missing_agents),
        *roster_checks.findings(proposed, shelf.text(own.summary), own.summary),
        *contract_checks.contract_findings(contracts, roster),
        *checkpoint_checks.findings(checkpoints, without_pocs(roster)),
    ]
    if wrong := [one for one in wrong if one.severity == "error"]:
        raise DocumentError(wrong)
    specs = _specified(shelf, roster, proposal)
    return Adapted(roster, contracts, checkpoints, sequencing.sequence(roster, contracts, checkpoints), specs)


def _specified(shelf: Shelf, roster: Roster, proposal: Proposal) -> PocSpecs:
    """The PoCs that are left, gating whom they gate then; what one of them was to try and is not tried is borne."""
    known = shelf.specs
    gates = {one.poc_id: one.gates for one in roster.agents.values() if one.poc_id}
    left = tuple(poc.model_copy(update={"gates": gates[poc.poc_id]}) for poc in known.pocs if poc.poc_id in gates)
    risks = named(shelf.consultations.values())
    untried = [name for name, (_, risk) in risks.items() if poc_for(risk, known.pocs) and not poc_for(risk, left)]
    return known.model_copy(update={"pocs": left, "borne": {**known.borne, **dict.fromkeys(untried, proposal.why)}})


def _taken(name: str) -> Finding:
    problem = f"{name} is what a tactical task of this work is called"
    return Finding(rule="edit.name", problem=problem, repair="take another name", about=name)


def _missing(name: str) -> Finding:
    problem = f"no agent of the registry is of the type of {name}"
    repair = "give it the agent_type of one that is there, or edit the registry first"
    return Finding(rule="edit.missing", problem=problem, repair=repair, about=name)


# --- the step ---------------------------------------------------------------------------------------------------------


def enter_adapt(now: Now) -> Move:
    """The person sees what the edits do before they are made; what cannot be made is said instead."""
    own = own_of(now.state)
    work, proposal = _proposal(now)
    try:
        after = adapted(now, proposal)
    except DocumentError as error:
        return Move(own, (_impossible(proposal, error),))
    shelf = Shelf(now.state, now.look)
    difference = adapting.difference((shelf.roster, shelf.contracts), (after.roster, after.contracts))
    difference = (*difference, *adapting.proved(shelf.checkpoints, after.checkpoints))
    borne = sorted(after.specs.borne.keys() - shelf.specs.borne.keys())
    difference = (*difference, *(f"~ risk {name}: not tried any more, and borne" for name in borne))
    phases = [[one.agent_name for one in phase.agents] for phase in after.sequence.execution_phases]
    kept = [
        name
        for name, worker in sorted(work.workers.items())
        if worker.status == "verified" and after.task_of(name) == worker.task_id
    ]
    edits = [adapting.in_words(one) for one in proposal.edits]
    notes = {
        "why": proposal.why,
        "edits": edits,
        "by": proposal.by,
        "difference": list(difference),
        "phases": phases,
        "kept": kept,
    }
    of = {path: now.state.docs[path] for path in (places.ROSTER, places.CONTRACTS, places.CHECKPOINTS)}
    question = f"Change the plan of {own.task}? {proposal.why}"
    return Move(
        own, (Ask(key=GATE, kind="approval", options=(APPROVE, REJECT), question=question, of=of, notes=notes),)
    )


def _proposal(now: Now) -> tuple[Work, Proposal]:
    work = own_of(now.state).work
    assert work is not None and work.proposal is not None  # noqa: PT018 - narrows two types: the step began with it
    return work, work.proposal


def _impossible(proposal: Proposal, error: DocumentError) -> Ask:
    about = {DROP: "the plan stays as it is; whoever asked is told why"}
    told = "; ".join(str(finding) for finding in error.findings)
    notes = {
        "about": about,
        PERSONS: True,
        "why": proposal.why,
        "edits": [one.model_dump(mode="json") for one in proposal.edits],
    }
    return Ask(
        key="edits", kind="choice", options=tuple(about),
        question=f"The plan cannot be changed like this: {told}", notes=notes,
    )  # fmt: skip


def on_adapt(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    work, proposal = _proposal(now)
    who = f"{GATE}: {now.event.act}, {now.event.by}"
    own = replace(own, choices=(*own.choices, who))
    if now.event.act == APPROVE:
        after, shelf = adapted(now, proposal), Shelf(now.state, now.look)
        texts = {
            places.ROSTER: ro.render(after.roster),
            places.CONTRACTS: fc.render(after.contracts),
            places.CHECKPOINTS: cp.render(after.checkpoints),
            **({places.POC_SPECS: jsondoc.render(after.specs)} if after.specs != shelf.specs else {}),
        }
        writes: tuple[Command, ...] = tuple(Write(path=path, text=text) for path, text in texts.items())
        digests = {path: digest(text) for path, text in texts.items()}
        yes = Approval(gate=GATE, by=now.event.by, at=now.event.at, digests=digests)
        changed = replace(work.heard(), adapted=(*work.adapted, (epoch(now.event.at), proposal)))
        own = replace(own, work=changed, adapting=True, approvals=(*own.approvals, yes))
        return Move(own, writes, "applied")
    reason = str(now.event.payload.get("reason") or now.event.payload.get("note") or "the plan stays as it is")
    own = replace(own, work=_refused(work, proposal, reason), rejections=(*own.rejections, f"{who}: {reason}"))
    return Move(own, (), "back")


def _refused(work: Work, proposal: Proposal, reason: str) -> Work:
    """The plan stays as it is; an agent that wanted another is told, and its questions go to the person."""
    work = work.heard()
    if proposal.by not in work.workers:
        return work
    worker = work.workers[proposal.by]
    return work.with_worker(proposal.by, replace(worker, told=(*worker.told, f"The plan was not changed: {reason}")))
