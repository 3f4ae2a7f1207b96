"""Changes of the plan during the work: named edits, which a person sees as a difference and approves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from signoff.artifacts import jsonio
from signoff.core.commands import PERSONS, Ask
from signoff.core.decide import APPROVE
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import contract_checks, roster_checks
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.approvals import REJECT
from signoff.workflows.orchestration.design.roster import bare
from signoff.workflows.orchestration.design.turns import written
from signoff.workflows.orchestration.documents import agent_registry, agent_roster, risks
from signoff.workflows.orchestration.documents import contracts as fc
from signoff.workflows.orchestration.documents.agent_roster import Proposed, Roster
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.sequence import sequencer
from signoff.workflows.orchestration.sequence.work_sequence import Sequence
from signoff.workflows.orchestration.state import ADAPTATION, Approval, Shelf, own_of
from signoff.workflows.orchestration.work.progress import Proposal, Work

DROP: Final = "drop"


@dataclass(frozen=True, slots=True)
class Adapted:
    """The design after the edits."""

    roster: Roster
    contracts: fc.FileContracts
    checkpoints: fc.Checkpoints
    sequence: Sequence
    specs: risks.PocSpecs

    def task_of(self, name: str) -> str | None:
        """The id of an agent's task after the edits, if it has one."""
        return self.roster.agents[name].task_id if name in self.roster.agents else None


def adapted(now: Now, proposal: Proposal) -> Adapted:
    """The design after the edits, or DocumentError with everything that is wrong with it."""
    shelf = Shelf(now.state, now.look)
    if not proposal.edits:
        problem = "there are no edits, or they cannot be read"
        raise DocumentError([Finding(rule="edit.none", problem=problem, repair="give a list of named edits")])

    def exists(name: str, agent: Proposed) -> bool:
        return agent_registry.exists(agent.agent_type or name, shelf.registry, shelf.has)

    created = epoch(now.event.at)
    roster, contracts = plan_edits.apply(
        shelf.roster, shelf.contracts, proposal.edits, shelf.specs, created=created, exists=exists
    )
    checkpoints = plan_edits.checkpointed(shelf.checkpoints, roster, proposal.edits)
    proposed = {name: bare(member) for name, member in roster.agents.items()}
    own = own_of(now.state)
    helping = own.work.workers if own.work else {}
    wrong = []
    for name in roster.agents:
        if name in helping and helping[name].serves:
            problem = f"{name} is the name of a tactical task of this work"
            wrong.append(Finding(rule="edit.name", problem=problem, repair="take another name", about=name))
    for name in roster.missing_agents:
        problem = f"no agent of the registry is of the type of {name}"
        repair = "give it the agent_type of one that is there, or edit the registry first"
        wrong.append(Finding(rule="edit.missing", problem=problem, repair=repair, about=name))
    wrong += [
        *roster_checks.findings(proposed, shelf.text(own.summary), own.summary),
        *contract_checks.contract_findings(contracts, roster),
        *contract_checks.checkpoint_findings(checkpoints, roster.without_pocs()),
    ]
    if wrong := [one for one in wrong if one.severity == "error"]:
        raise DocumentError(wrong)
    specs = _specified(shelf, roster, proposal)
    return Adapted(roster, contracts, checkpoints, sequencer.sequence(roster, contracts, checkpoints), specs)


def _specified(shelf: Shelf, roster: Roster, proposal: Proposal) -> risks.PocSpecs:
    """The specs of the PoCs that are left, with their gates; risks that no PoC tries any more are accepted."""
    known = shelf.specs
    gates = {one.poc_id: one.gates for one in roster.agents.values() if one.poc_id}
    left = tuple(poc.model_copy(update={"gates": gates[poc.poc_id]}) for poc in known.pocs if poc.poc_id in gates)
    untried = [
        name
        for name, (_, risk) in risks.named(shelf.consultations.values()).items()
        if risks.poc_for(risk, known.pocs) and not risks.poc_for(risk, left)
    ]
    return known.model_copy(update={"pocs": left, "borne": {**known.borne, **dict.fromkeys(untried, proposal.why)}})


def enter_adapt(now: Now) -> Move:
    """Shows the person what the edits do, or why they are not possible."""
    own = own_of(now.state)
    work, proposal = _proposal(now)
    try:
        after = adapted(now, proposal)
    except DocumentError as error:
        return Move(own, (_impossible(proposal, error),))
    shelf = Shelf(now.state, now.look)
    borne = sorted(after.specs.borne.keys() - shelf.specs.borne.keys())
    difference = [
        *plan_edits.difference((shelf.roster, shelf.contracts), (after.roster, after.contracts)),
        *plan_edits.proved(shelf.checkpoints, after.checkpoints),
        *(f"~ risk {name}: not tried any more, and borne" for name in borne),
    ]
    phases = [[one.agent_name for one in phase.agents] for phase in after.sequence.execution_phases]
    kept = [
        name
        for name, worker in sorted(work.workers.items())
        if worker.status == "verified" and after.task_of(name) == worker.task_id
    ]
    notes = {
        "why": proposal.why,
        "edits": [plan_edits.in_words(one) for one in proposal.edits],
        "by": proposal.by,
        "difference": difference,
        "phases": phases,
        "kept": kept,
    }
    of = {path: now.state.docs[path] for path in (places.ROSTER, places.CONTRACTS, places.CHECKPOINTS)}
    question, options = f"Change the plan of {own.task}? {proposal.why}", (APPROVE, REJECT)
    return Move(own, (Ask(key=ADAPTATION, kind="approval", options=options, question=question, of=of, notes=notes),))


def _proposal(now: Now) -> tuple[Work, Proposal]:
    work = own_of(now.state).work
    assert work is not None and work.proposal is not None  # noqa: PT018 - narrows two types: the step began with it
    return work, work.proposal


def _impossible(proposal: Proposal, error: DocumentError) -> Ask:
    about = {DROP: "keep the plan as it is; the agent that asked is told why"}
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
    who = f"{ADAPTATION}: {now.event.act}, {now.event.by}"
    own = replace(own, choices=(*own.choices, who))
    if now.event.act == APPROVE:
        after, shelf = adapted(now, proposal), Shelf(now.state, now.look)
        texts = {
            places.ROSTER: agent_roster.render(after.roster),
            places.CONTRACTS: fc.render(after.contracts),
            places.CHECKPOINTS: fc.render(after.checkpoints),
            **({places.POC_SPECS: jsonio.render(after.specs)} if after.specs != shelf.specs else {}),
        }
        digests = {path: digest(text) for path, text in texts.items()}
        yes = Approval(gate=ADAPTATION, by=now.event.by, at=now.event.at, digests=digests)
        changed = replace(work.heard(), adapted=(*work.adapted, (epoch(now.event.at), proposal)))
        own = replace(own, work=changed, adapting=True, approvals=(*own.approvals, yes))
        return Move(own, written(texts), "applied")
    reason = str(now.event.payload.get("reason") or now.event.payload.get("note") or "the plan stays as it is")
    work = work.heard()
    if worker := work.workers.get(proposal.by):  # an agent that asked for the change is told
        told = (*worker.told, f"The plan was not changed: {reason}")
        work = work.with_worker(proposal.by, replace(worker, told=told))
    return Move(replace(own, work=work, rejections=(*own.rejections, f"{who}: {reason}")), (), "back")
