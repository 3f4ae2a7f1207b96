"""The contract steps: file contracts and checkpoints side by side, then the sequence that code computes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from signoff.core.commands import Ask, Command, StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import contract_checks
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.named_edits import AddDependency
from signoff.workflows.orchestration.design.turns import fan, output_of, required, turn, written
from signoff.workflows.orchestration.documents import agent_roster, contracts
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts
from signoff.workflows.orchestration.outputs import CheckpointsOutput, ContractsOutput
from signoff.workflows.orchestration.sequence import sequencer, work_sequence
from signoff.workflows.orchestration.state import Design, Shelf, own_of

CONTRACTS, CHECKPOINTS = "contracts", "checkpoints"
SEPARATE, SERIALISE, REDESIGN, AGAIN = "separate", "serialise", "redesign", "again"


def _wanted(now: Now) -> Iterator[StartTurn]:
    own = own_of(now.state)
    reads = (own.summary, places.STACK, places.DECISIONS, places.ROSTER)
    if CONTRACTS not in own.kept:
        agent, task = "file-structure-designer", "Say what each agent reads and writes."
        notes = {"task": own.task, "required": required(own, CONTRACTS)}
        yield turn(CONTRACTS, agent, "file-contracts", task, notes=notes, reads=(*reads, places.CONTRACTS))
    if CHECKPOINTS not in own.kept:
        agent, task = "checkpoint-designer", "Say what proves each doer's work, and who verifies it."
        notes = {"task": own.task, "required": required(own, CHECKPOINTS)}
        yield turn(CHECKPOINTS, agent, "checkpoints", task, notes=notes, reads=(*reads, places.CHECKPOINTS))


def _contracted(now: Now) -> Move:
    """Both outputs are in, or the one that had to be fixed."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    texts: dict[str, str | None] = {}
    if CONTRACTS in own.returned:
        given = output_of(now, own, CONTRACTS, ContractsOutput).agents
        known = shelf.contracts.agents if places.CONTRACTS in now.state.docs else {}
        agreed = _contracts(own, given)
        pocs = {
            name: known.get(name, plan_edits.poc_contract(name, shelf.poc(name), agreed))
            for name in shelf.roster.of_kind("poc")
        }
        texts[places.CONTRACTS] = contracts.render(_contracts(own, {**given, **pocs}))
    if CHECKPOINTS in own.returned:
        proofs = output_of(now, own, CHECKPOINTS, CheckpointsOutput)
        texts[places.CHECKPOINTS] = contracts.render(_checkpoints(own, proofs))
    own = replace(own.mended(CONTRACTS, CHECKPOINTS), kept=frozenset())
    return Move(own, written(texts), "done")


enter_contracts, on_contracts = fan(_wanted, _contracted)


def _contracts(own: Design, agents: Mapping[str, contracts.FileContract]) -> FileContracts:
    return FileContracts(task_id=own.task_id, created=own.created, agents=dict(agents))


def _checkpoints(own: Design, output: CheckpointsOutput) -> Checkpoints:
    return Checkpoints(task_id=own.task_id, created=own.created, checkpoints=output.checkpoints)


def check_contracts(now: Now, output: ContractsOutput) -> Iterable[Finding]:
    """Every agent has a contract, and no agent writes what belongs to another."""
    given = _contracts(own_of(now.state), output.agents)
    return contract_checks.contract_findings(given, Shelf(now.state, now.look).roster.without_pocs())


def check_checkpoints(now: Now, output: CheckpointsOutput) -> Iterable[Finding]:
    """Every doer has a checkpoint with criteria that can be measured."""
    given = _checkpoints(own_of(now.state), output)
    return contract_checks.checkpoint_findings(given, Shelf(now.state, now.look).roster)


# --- the sequence, by code --------------------------------------------------------------------------------------------


def enter_sequence(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    try:
        found = sequencer.sequence(shelf.roster, shelf.contracts, shelf.checkpoints)
    except DocumentError as error:
        return _unordered(own, error.findings)
    own = replace(own, members=tuple(sorted({*shelf.roster.agents, *found.dependency_graph})))
    return Move(own, (Write(path=places.SEQUENCE, text=work_sequence.render(found)),), "done")


def _unordered(own: Design, findings: Sequence[Finding]) -> Move:
    """No order can be found: the agent or the person that can fix that is asked."""
    rules = {finding.rule for finding in findings}
    told = "; ".join(finding.problem for finding in findings)
    if rules & {"sequence.missing", "sequence.never"}:
        lacking = tuple(sorted({one.about for one in findings if one.rule == "sequence.missing" and one.about}))
        own = replace(own, lacking=lacking, required={**own.required, "roster": tuple(findings)})
        return Move(own, (), "missing")
    if "sequence.unverified" in rules:
        own = replace(own, required={**own.required, CHECKPOINTS: tuple(findings)}, kept=frozenset({CONTRACTS}))
        return Move(own, (), "unverified")
    if "sequence.cycle" in rules:
        key, question = "cycle", f"The agents of {own.task} wait for each other: {told}"
        about = {
            REDESIGN: "the roster-designer is asked again and told of the cycle; you see the new roster",
            AGAIN: f"try again: you have edited {places.ROSTER} or {places.CONTRACTS}",
        }
    else:
        key, question = "verifier", f"One verifier cannot be at two places: {told}"
        about = {
            SEPARATE: "every doer gets a verifier of its own",
            SERIALISE: "the doers are put one after the other, so that the verifier can follow each",
        }
    fields = ("rule", "problem", "repair", "about")
    found = [{field: getattr(one, field) for field in fields} for one in findings]
    notes = {"about": about, "findings": found}
    return Move(own, (Ask(key=key, kind="choice", options=tuple(about), question=question, notes=notes),))


def on_sequence(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    found = now.request.notes["findings"] if now.request else []
    own = replace(own, choices=(*own.choices, f"{now.event.request}: {now.event.act}, {now.event.by}"))
    if now.event.act == REDESIGN:
        cycle = "; ".join(str(one["problem"]) for one in found)
        return Move(replace(own, rejected={**own.rejected, "roster": cycle}), (), "missing")
    if now.event.act == AGAIN:
        return Move(own, (), "again")
    points = Shelf(now.state, now.look).checkpoints.checkpoints
    named = {one.verified_by for one in points} & {str(one["about"]) for one in found}
    shared = [sorted(one.doer for one in points if one.verified_by == name) for name in sorted(named)]
    if now.event.act == SERIALISE:
        return Move(own, (_serialised(now, shared),), "again")
    apart = _apart(Shelf(now.state, now.look).checkpoints, {doer for doers in shared for doer in doers})
    return Move(own, (Write(path=places.CHECKPOINTS, text=contracts.render(apart)),), "again")


def _apart(known: Checkpoints, doers: Collection[str]) -> Checkpoints:
    """The checkpoints with a verifier of its own for each of these doers."""
    apart = tuple(one.model_copy(update={"verifier": None}) if one.doer in doers else one for one in known.checkpoints)
    return known.model_copy(update={"checkpoints": apart})


def _serialised(now: Now, shared: list[list[str]]) -> Command:
    """Each doer waits for the one before it, in the order that they would have without the verifier."""
    shelf = Shelf(now.state, now.look)
    free = sequencer.sequence(shelf.roster, shelf.contracts, _apart(shelf.checkpoints, shelf.roster.agents))
    place = {one.agent_name: phase.phase_id for phase in free.execution_phases for one in phase.agents}
    edits = [
        AddDependency(edit="add_dependency", agent=later, on=earlier, reason="one verifier follows both")
        for doers in shared
        for earlier, later in pairwise(sorted(doers, key=lambda doer: (place[doer], doer)))
        if earlier not in shelf.roster.agents[later].dependencies
    ]
    created = own_of(now.state).created
    ordered, _ = plan_edits.apply(shelf.roster, shelf.contracts, edits, shelf.specs, created=created)
    return Write(path=places.ROSTER, text=agent_roster.render(ordered))
