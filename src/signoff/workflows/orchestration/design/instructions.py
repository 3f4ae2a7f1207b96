"""The instructions step: a writer words each agent's task; code fills the templates and writes status and plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from signoff.core.commands import StartTurn
from signoff.core.declarations import Now
from signoff.core.findings import Finding
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design.turns import fan, output_of, turn, written
from signoff.workflows.orchestration.documents import agent_instructions, agent_registry, shared_status
from signoff.workflows.orchestration.documents.architecture_decisions import without_evolution
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract, Read
from signoff.workflows.orchestration.ids import VERIFIER_TYPE
from signoff.workflows.orchestration.outputs import InstructionsOutput
from signoff.workflows.orchestration.state import Design, Shelf, noted, own_of
from signoff.workflows.orchestration.views import coordination_plan


def works_under(shelf: Shelf, name: str) -> tuple[FileContract, tuple[Checkpoint, ...]]:
    """An agent's contract, and the checkpoints that it proves or judges.

    A verifier without a contract reads what its doers write; a PoC is judged by its spec.
    """
    contracts = shelf.contracts.agents
    mine = tuple(one for one in shelf.checkpoints.checkpoints if name in (one.doer, one.verified_by))
    reads = tuple(
        Read(path=written.path, **{"from": one.doer}, format=written.format)
        for one in mine
        if one.doer in contracts
        for written in contracts[one.doer].writes
    )
    poc = shelf.poc(name)
    return contracts.get(name, FileContract(reads=reads)), (agent_instructions.poc_checkpoint(poc),) if poc else mine


def _wanted(now: Now) -> Iterator[StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    for name in _taking_part(shelf):
        if places.instructions(name) not in shelf.state.docs or own.written.get(name) != _basis(shelf, name):
            yield _writer(own, shelf, name)


def _taking_part(shelf: Shelf) -> tuple[str, ...]:
    """The agents of the sequence, in its order."""
    placed = (one.agent_name for phase in shelf.sequence.execution_phases for one in phase.agents)
    return tuple(dict.fromkeys(placed))


def _basis(shelf: Shelf, name: str) -> str:
    """A digest of what one agent's instructions are written from; people are warned if the plan changes."""
    contract, mine = works_under(shelf, name)
    known = shelf.roster.agents.get(name)
    given = {
        "drafts": [shelf.state.docs.get(places.STACK), digest(without_evolution(shelf.text(places.DECISIONS)))],
        "member": known.model_dump(mode="json", exclude={"exists", "creation_guidance"}) if known else None,
        "contract": contract.model_dump(mode="json"),
        "checkpoints": [one.model_dump(mode="json") for one in mine],
        "template": _template_of(shelf, name),
    }
    return digest(json.dumps(given, sort_keys=True))


def concerning(name: str, members: Sequence[str], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings about one agent's instructions; a finding that names no agent concerns all."""
    named = {
        one: [who for who in members if one.about == who or one.file == places.instructions(who)] for one in findings
    }
    return tuple(one for one in findings if name in (named[one] or (name,)))


def _writer(own: Design, shelf: Shelf, name: str) -> StartTurn:
    contract, mine = works_under(shelf, name)
    known = shelf.roster.agents.get(name)
    kind, poc = known.kind if known else "verifier", shelf.poc(name)
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
        own.summary, places.STACK, places.DECISIONS, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS,
        *((places.POC_SPECS,) if poc else ()),
    )  # fmt: skip
    return turn(f"instructions-{name}", "instruction-writer", "instructions", task, notes=notes, reads=reads)


def _instructed(now: Now) -> Move:
    """All outputs are in: instructions, status and plan are written. Consultations on changed instructions are removed,
    and so are the instructions of agents that no longer take part."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    names = _taking_part(shelf)
    texts: dict[str, str | None] = {}
    for key in own.returned:
        output = output_of(now, own, key, InstructionsOutput)
        texts[places.instructions(output.agent)] = _rendered(own, shelf, output)
    gone = _orphans(shelf, names)
    if not own.integrated:
        stale = (places.consultation(name) for name in names if places.instructions(name) in texts)
        gone += (path for path in stale if path in now.state.docs)
    for path in sorted(own.by_hand & {*texts}):
        problem = f"{path} was edited by a person, and is written anew because what it is made from has changed"
        repair = "look whether it says again what you had added"
        own = own.warned(noted("instructions.rewritten", problem, repair, file=path))
    status = shared_status.initial(shelf.roster, shelf.sequence, own.created)
    plan = coordination_plan.render(shelf.plan, shelf.roster, shelf.sequence, shelf.checkpoints, shelf.specs)
    own = replace(
        own.mended("instructions"),
        written={name: _basis(shelf, name) for name in names},
        by_hand=own.by_hand - {*texts},
    )
    overview = {places.STATUS: shared_status.render(status), places.COORDINATION: plan}
    writes = (*written(texts), *written(dict.fromkeys(gone)), *written(overview))
    return Move(own, writes, "done" if own.integrated else "risks")


def _orphans(shelf: Shelf, names: Sequence[str]) -> list[str]:
    """Files for agents, or types of agents, that are no longer in the design."""
    doers = shelf.roster.of_kind("doer")
    wanted = {
        *map(places.instructions, names),
        *map(places.consultation, doers),
        *(places.checklist(shelf.roster.type_of(name)) for name in doers),
    }
    known = {path.removeprefix(places.AGENTS).split("/")[0] for path in shelf.under(places.AGENTS)}
    known -= own_of(shelf.state).tactical_tasks
    told = {*map(places.instructions, known)} & shelf.state.docs.keys()  # an agent's output may have the same name
    risky = (path for folder in ("checklists", "consultations") for path in shelf.under(f"{places.RISK}/{folder}/"))
    return sorted({*told, *risky} - wanted)


def _rendered(own: Design, shelf: Shelf, output: InstructionsOutput) -> str:
    """One agent's instructions: its template, filled from the writer's output, the contract and the checkpoint."""
    name = output.agent
    contract, mine = works_under(shelf, name)
    practices = own.practices.get(name, ()) if own.integrated else ()
    return agent_instructions.render(name, output, _template_of(shelf, name), contract, mine, practices)


def _template_of(shelf: Shelf, name: str) -> str:
    known = shelf.roster.agents.get(name)
    verifies = known is None or known.kind == "verifier"
    return template_for(shelf, VERIFIER_TYPE if verifies else shelf.roster.type_of(name))


def template_for(shelf: Shelf, kind: str) -> str:
    """The template that the registry names for a type: the project's or the person's file, or the shipped one."""
    entry = shelf.registry.agent_types.get(kind)
    place = agent_registry.template_place(entry.template, shelf.has) if entry else None
    if place in agent_instructions.TEMPLATES or place is None:
        return agent_instructions.TEMPLATES[place or places.DOER_TEMPLATE]
    return shelf.text(places.home(own_of(shelf.state).run, place))


enter_instructions, on_instructions = fan(_wanted, _instructed)


def check_instructions(now: Now, output: InstructionsOutput) -> Iterable[Finding]:
    """The instructions are complete, and for the agent that the turn names."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    wanted = str(now.turn.start.notes["agent"]) if now.turn else output.agent
    contract, mine = works_under(shelf, wanted)
    if wrong := [*agent_instructions.output_findings(output, wanted, contract)]:
        return wrong
    text = _rendered(own, shelf, output)
    return agent_instructions.findings(text, places.instructions(wanted), wanted, contract, mine)
