"""The workflow itself: contracts and checkpoints side by side, the sequence by code, instructions for every agent."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from signoff.core.commands import Ask, Command, StartTurn, Write
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
    coordination,
    instructions,
    named_edits,
    places,
    registry,
    sequencing,
    status,
)
from signoff.workflows.orchestration import checkpoints as cp
from signoff.workflows.orchestration import file_contracts as fc
from signoff.workflows.orchestration import roster as ro
from signoff.workflows.orchestration import sequence as sq
from signoff.workflows.orchestration.checkpoints import Checkpoint, Checkpoints
from signoff.workflows.orchestration.decisions import without_evolution
from signoff.workflows.orchestration.design import Design, Shelf, noted, own_of
from signoff.workflows.orchestration.file_contracts import FileContract, FileContracts, Read
from signoff.workflows.orchestration.ids import VERIFIER_TYPE
from signoff.workflows.orchestration.outputs import CheckpointsOutput, ContractsOutput, InstructionsOutput
from signoff.workflows.orchestration.risks import Poc
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.turns import fan, required, said, turn

CONTRACTS, CHECKPOINTS = "contracts", "checkpoints"
SEPARATE, SERIALISE, REDESIGN, AGAIN = "separate", "serialise", "redesign", "again"


# --- contracts and checkpoints, side by side --------------------------------------------------------------------------


def _wanted_contracts(now: Now) -> Mapping[str, StartTurn]:
    own = own_of(now.state)
    reads = (own.summary, places.STACK, places.DECISIONS, places.ROSTER)
    turns = {
        CONTRACTS: (
            "file-structure-designer", "file-contracts", "Say what each agent reads and writes.", places.CONTRACTS,
        ),
        CHECKPOINTS: (
            "checkpoint-designer", "checkpoints", "Say what proves each doer's work, and who verifies it.",
            places.CHECKPOINTS,
        ),
    }  # fmt: skip
    return {
        key: turn(
            key, agent, contract, task,
            notes={"task": own.task, "required": required(own, key)}, reads=(*reads, path),
        )
        for key, (agent, contract, task, path) in turns.items()
        if key not in own.kept
    }  # fmt: skip


def _contracted(now: Now) -> Move:
    """Both are in, or the one that was to be mended."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    head = {"task_id": own.task_id, "created": own.created}
    texts: dict[str, str] = {}
    if CONTRACTS in own.returned:
        given = said(now, own, CONTRACTS, ContractsOutput).agents
        known = shelf.contracts.agents if places.CONTRACTS in now.state.docs else {}
        agreed = FileContracts(**head, agents=given)
        pocs = {
            name: known.get(name, adapting.poc_contract(name, _poc(shelf, name), agreed))
            for name in shelf.roster.of_kind("poc")
        }
        texts[places.CONTRACTS] = fc.render(FileContracts(**head, agents={**given, **pocs}))
    if CHECKPOINTS in own.returned:
        proofs = said(now, own, CHECKPOINTS, CheckpointsOutput).checkpoints
        texts[places.CHECKPOINTS] = cp.render(Checkpoints(**head, checkpoints=proofs))
    own = replace(own.mended(CONTRACTS, CHECKPOINTS), kept=frozenset())
    return Move(own, tuple(Write(path=path, text=text) for path, text in texts.items()), "done")


enter_contracts, on_contracts = fan(_wanted_contracts, _contracted)


def check_contracts(now: Now, output: ContractsOutput) -> Sequence[Finding]:
    """Every agent has its contract, and nobody writes what is another's."""
    own = own_of(now.state)
    given = FileContracts(task_id=own.task_id, created=own.created, agents=output.agents)
    return contract_checks.contract_findings(given, without_pocs(Shelf(now.state, now.look).roster))


def check_checkpoints(now: Now, output: CheckpointsOutput) -> Sequence[Finding]:
    """Every doer has one, with criteria that can be measured."""
    own = own_of(now.state)
    given = Checkpoints(task_id=own.task_id, created=own.created, checkpoints=output.checkpoints)
    return checkpoint_checks.findings(given, Shelf(now.state, now.look).roster)


def without_pocs(known: Roster) -> Roster:
    """The roster as it was before risks were looked at."""
    return known.model_copy(update={"agents": {n: one for n, one in known.agents.items() if one.kind != "poc"}})


# --- the sequence, by code --------------------------------------------------------------------------------------------


def enter_sequence(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    try:
        found = sequencing.sequence(shelf.roster, shelf.contracts, shelf.checkpoints)
    except DocumentError as error:
        return _unordered(own, error.findings)
    own = replace(own, members=tuple(sorted({*shelf.roster.agents, *found.dependency_graph})))
    return Move(own, (Write(path=places.SEQUENCE, text=sq.render(found)),), "done")


def _unordered(own: Design, findings: Sequence[Finding]) -> Move:
    """No order can be found: whoever can mend it is asked."""
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
        about = {
            REDESIGN: "the roster-designer is asked again and told of the cycle; you see the new roster",
            AGAIN: f"try again: you have edited {places.ROSTER} or {places.CONTRACTS}",
        }
        ask = _choice("cycle", f"The agents of {own.task} wait for each other: {told}", about, findings)
        return Move(own, (ask,))
    about = {
        SEPARATE: "every doer gets a verifier of its own",
        SERIALISE: "the doers are put one after the other, so that the verifier can follow each",
    }
    return Move(own, (_choice("verifier", f"One verifier cannot be at two places: {told}", about, findings),))


def _choice(key: str, question: str, about: Mapping[str, str], findings: Sequence[Finding]) -> Ask:
    notes: dict[str, Any] = {"about": dict(about), "findings": [_plain(one) for one in findings]}
    return Ask(key=key, kind="choice", options=tuple(about), question=question, notes=notes)


def _plain(finding: Finding) -> dict[str, str]:
    return {"rule": finding.rule, "problem": finding.problem, "repair": finding.repair, "about": finding.about}


def on_sequence(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    own = replace(own, choices=(*own.choices, f"{now.event.request}: {now.event.act}, {now.event.by}"))
    if now.event.act == REDESIGN:
        return Move(replace(own, rejected={**own.rejected, "roster": _cycle(now)}), (), "missing")
    if now.event.act == AGAIN:
        return Move(own, (), "again")
    writes = _separated(now) if now.event.act == SEPARATE else _serialised(now)
    return Move(own, writes, "again")


def _cycle(now: Now) -> str:
    found = now.request.notes["findings"] if now.request else []
    return "; ".join(str(one["problem"]) for one in found)


def _shared(now: Now) -> dict[str, list[str]]:
    """The verifiers that are wanted by several doers at once, as the request named them."""
    found = now.request.notes["findings"] if now.request else []
    wanted = {str(one["about"]) for one in found}
    checkpoints = Shelf(now.state, now.look).checkpoints.checkpoints
    return {
        name: sorted(one.doer for one in checkpoints if one.verified_by == name)
        for name in sorted({one.verified_by for one in checkpoints} & wanted)
    }


def _separated(now: Now) -> tuple[Command, ...]:
    """The doers get verifiers of their own."""
    doers = {doer for wanted in _shared(now).values() for doer in wanted}
    known = Shelf(now.state, now.look).checkpoints
    return (Write(path=places.CHECKPOINTS, text=cp.render(_apart(known, doers))),)


def _apart(known: Checkpoints, doers: Collection[str]) -> Checkpoints:
    mended = tuple(one.model_copy(update={"verifier": None}) if one.doer in doers else one for one in known.checkpoints)
    return known.model_copy(update={"checkpoints": mended})


def _serialised(now: Now) -> tuple[Command, ...]:
    """Each doer waits for the one before it, in the order that they have without the verifier."""
    shelf = Shelf(now.state, now.look)
    free = sequencing.sequence(shelf.roster, shelf.contracts, _apart(shelf.checkpoints, shelf.roster.agents))
    place = {one.agent_name: phase.phase_id for phase in free.execution_phases for one in phase.agents}
    lines = [sorted(doers, key=lambda doer: (place[doer], doer)) for doers in _shared(now).values()]
    pairs = [pair for line in lines for pair in pairwise(line)]
    reason = "one verifier follows both"
    edits = [
        named_edits.AddDependency(edit="add_dependency", agent=later, on=earlier, reason=reason)
        for earlier, later in pairs
        if earlier not in shelf.roster.agents[later].dependencies
    ]
    own = own_of(now.state)
    mended, _ = adapting.apply(shelf.roster, shelf.contracts, edits, shelf.specs, created=own.created)
    return (Write(path=places.ROSTER, text=ro.render(mended)),)


# --- instructions -----------------------------------------------------------------------------------------------------


def instructing(name: str) -> str:
    """The key of the turn that writes one agent's instructions."""
    return f"instructions-{name}"


def given_to(
    name: str, contracts: FileContracts, checkpoints: Checkpoints
) -> tuple[FileContract, tuple[Checkpoint, ...]]:
    """What an agent works under: its contract, or what its doers write; and the checkpoints it proves or judges."""
    mine = tuple(one for one in checkpoints.checkpoints if name in (one.doer, one.verified_by))
    if name in contracts.agents:
        return contracts.agents[name], mine
    reads = tuple(
        Read(path=written.path, **{"from": one.doer}, format=written.format)
        for one in mine
        if one.doer in contracts.agents
        for written in contracts.agents[one.doer].writes
    )
    return FileContract(reads=reads), mine


def works_under(shelf: Shelf, name: str) -> tuple[FileContract, tuple[Checkpoint, ...]]:
    """The same for an agent of the design as it is; a PoC is judged by what its spec says."""
    contract, mine = given_to(name, shelf.contracts, shelf.checkpoints)
    poc = _poc(shelf, name)
    return contract, (instructions.trial(poc),) if poc else mine


def _poc(shelf: Shelf, name: str) -> Poc | None:
    known = shelf.roster.agents.get(name)
    return shelf.specs.of(known.poc_id) if known and known.poc_id else None


def _wanted_instructions(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    return {instructing(name): _writer(own, shelf, name) for name in _taking_part(shelf) if not _fits(own, shelf, name)}


def _taking_part(shelf: Shelf) -> tuple[str, ...]:
    """Everybody of the sequence, in its order."""
    placed = (one.agent_name for phase in shelf.sequence.execution_phases for one in phase.agents)
    return tuple(dict.fromkeys(placed))


def _fits(own: Design, shelf: Shelf, name: str) -> bool:
    """Whether instructions are there, and nothing that they were written from has changed."""
    return places.instructions(name) in shelf.state.docs and own.written.get(name) == _basis(shelf, name)


def _basis(shelf: Shelf, name: str) -> str:
    """Stands for what one agent's instructions are written from; that the plan changed is said to people instead."""
    contract, mine = works_under(shelf, name)
    known = shelf.roster.agents.get(name)
    given = {
        "drafts": [shelf.state.docs.get(places.STACK), digest(without_evolution(shelf.text(places.DECISIONS)))],
        "member": known.model_dump(mode="json", exclude={"exists", "creation_guidance"}) if known else None,
        "contract": contract.model_dump(mode="json"),
        "checkpoints": [one.model_dump(mode="json") for one in mine],
        "template": template_of(shelf, name),
    }
    return digest(json.dumps(given, sort_keys=True))


def concerning(name: str, members: Sequence[str], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that one agent's instructions have to answer for; what names nobody concerns everybody."""
    named = {
        one: [who for who in members if one.about == who or one.file == places.instructions(who)] for one in findings
    }
    return tuple(one for one in findings if name in (named[one] or (name,)))


def _writer(own: Design, shelf: Shelf, name: str) -> StartTurn:
    contract, mine = works_under(shelf, name)
    known = shelf.roster.agents.get(name)
    kind, poc = known.kind if known else "verifier", _poc(shelf, name)
    notes = {
        "task": own.task,
        "agent": name,
        "kind": kind,
        "doers": [one.doer for one in mine] if kind == "verifier" else [],
        "contract": contract.model_dump(mode="json", by_alias=True),
        "checkpoint": [one.model_dump(mode="json") for one in mine],
        "poc": poc.model_dump(mode="json", by_alias=True) if poc else None,
        "required": [str(one) for one in concerning(name, own.members, own.required.get("instructions", ()))],
    }
    task = f"Write the task of {name} so that it can be done with nothing else at hand."
    reads = (
        own.summary,
        places.STACK,
        places.DECISIONS,
        places.ROSTER,
        places.CONTRACTS,
        places.CHECKPOINTS,
        *((places.POC_SPECS,) if poc else ()),
    )
    return turn(instructing(name), "instruction-writer", "instructions", task, notes=notes, reads=reads)


def _instructed(now: Now) -> Move:
    """All are in: instructions, status and plan are written. What was said of other instructions is dropped, and so are
    the instructions of agents that take no part any more."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    texts, names = dict(_texts(now, own, shelf)), _taking_part(shelf)
    gone = _orphans(shelf, names)
    if not own.integrated:
        stale = (places.consultation(name) for name in names if places.instructions(name) in texts)
        gone += (path for path in stale if path in now.state.docs)
    writes = (
        *(Write(path=path, text=text) for path, text in texts.items()),
        *(Write(path=path, text=None) for path in gone),
        *_overview(own, shelf),
    )
    own = replace(
        own.mended("instructions").warned(*_rewritten(own, texts)),
        written={name: _basis(shelf, name) for name in names},
        by_hand=own.by_hand - {*texts},
    )
    return Move(own, writes, "done" if own.integrated else "risks")


def _rewritten(own: Design, texts: Collection[str]) -> Iterator[Finding]:
    """What people wrote gives way only when what it was written for has changed, and they are told."""
    for path in sorted(own.by_hand & {*texts}):
        problem = f"{path} was edited by a person, and is written anew because what it is made from has changed"
        yield noted("instructions.rewritten", problem, "look whether it says again what you had added", file=path)


def _orphans(shelf: Shelf, names: Sequence[str]) -> list[str]:
    """What was written for agents, or kinds of agents, that are not in the design any more."""
    doers = shelf.roster.of_kind("doer")
    wanted = {
        *map(places.instructions, names),
        *map(places.consultation, doers),
        *(places.checklist(shelf.roster.type_of(name)) for name in doers),
    }
    known = {path.removeprefix(places.AGENTS).split("/")[0] for path in shelf.under(places.AGENTS)}
    known -= tactical_tasks(own_of(shelf.state))
    told = {*map(places.instructions, known)} & shelf.state.docs.keys()  # what agents make may be called the same
    risky = (path for folder in ("checklists", "consultations") for path in shelf.under(f"{places.RISK}/{folder}/"))
    return sorted({*told, *risky} - wanted)


def tactical_tasks(own: Design) -> set[str]:
    """The tasks that came up while the work was done; they are in no design, and their files stay."""
    return {name for name, worker in own.work.workers.items() if worker.serves} if own.work else set()


def _texts(now: Now, own: Design, shelf: Shelf) -> Iterator[tuple[str, str]]:
    for key in own.returned:
        output = said(now, own, key, InstructionsOutput)
        yield places.instructions(output.agent), rendered(own, shelf, output)


def rendered(own: Design, shelf: Shelf, output: InstructionsOutput) -> str:
    """One agent's instructions: its template, filled with what the writer, the contract and the checkpoint say."""
    name = output.agent
    contract, mine = works_under(shelf, name)
    practices = own.practices.get(name, ()) if own.integrated else ()
    return instructions.render(name, output, template_of(shelf, name), contract, mine, practices)


def template_of(shelf: Shelf, name: str) -> str:
    """The template of an agent of the design."""
    known = shelf.roster.agents.get(name)
    return template_for(
        shelf, VERIFIER_TYPE if known is None or known.kind == "verifier" else shelf.roster.type_of(name)
    )


def template_for(shelf: Shelf, kind: str) -> str:
    """The template that the registry names for a type: the project's or the person's file, or the shipped one."""
    entry = shelf.registry.agent_types.get(kind)
    place = registry.template_place(entry.template, shelf.has) if entry else None
    if place in instructions.TEMPLATES or place is None:
        return instructions.TEMPLATES[place or places.DOER_TEMPLATE]
    return shelf.text(places.home(own_of(shelf.state).run, place))


def _overview(own: Design, shelf: Shelf) -> tuple[Command, ...]:
    """What follows from the design: the status with which work begins, and the plan as people read it."""
    started = status.initial(shelf.roster, shelf.sequence, own.created)
    plan = coordination.render(shelf.plan, shelf.roster, shelf.sequence, shelf.checkpoints, shelf.specs)
    return (Write(path=places.STATUS, text=status.render(started)), Write(path=places.COORDINATION, text=plan))


enter_instructions, on_instructions = fan(_wanted_instructions, _instructed)


def check_instructions(now: Now, output: InstructionsOutput) -> Sequence[Finding]:
    """They are for the agent that was asked about, and whole."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    wanted = str(now.turn.start.notes["agent"]) if now.turn else output.agent
    contract, mine = works_under(shelf, wanted)
    if wrong := instructions.output_findings(output, wanted, contract):
        return wrong
    text = rendered(own, shelf, output)
    return instructions.findings(text, places.instructions(wanted), wanted, contract, mine)
