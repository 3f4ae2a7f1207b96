"""Applies named edits to a roster and its contracts, refuses impossible edits, and shows what the edits change."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from signoff.artifacts.markdown_parsing import squeeze
from signoff.artifacts.yaml_forms import Form
from signoff.core.errors import DefinitionError, DocumentError
from signoff.core.findings import Finding
from signoff.workflows.kit.suggestions import nearest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design.named_edits import (
    AddAgent,
    AddDependency,
    AddPoc,
    DropDependency,
    Edit,
    RemoveAgent,
    ReplaceAgent,
    Rescope,
)
from signoff.workflows.orchestration.documents.agent_registry import agent_task_id
from signoff.workflows.orchestration.documents.agent_roster import Member, Proposed, Roster
from signoff.workflows.orchestration.documents.contracts import (
    Checkpoints,
    FileContract,
    FileContracts,
    Read,
    Written,
)
from signoff.workflows.orchestration.documents.risks import Poc, PocSpecs
from signoff.workflows.orchestration.ids import ARCHIVAL, TSA, default_verifier

Design: TypeAlias = tuple[Roster, FileContracts]
Exists: TypeAlias = Callable[[str, Proposed], bool]
"""Whether an agent of this name can be started: registry entry, template and command file exist."""
Wrong: TypeAlias = tuple[str, str, str]
"""Rule, problem and repair."""


def apply(
    roster: Roster,
    contracts: FileContracts,
    edits: Sequence[Edit],
    specs: PocSpecs,
    *,
    created: int,
    exists: Exists | None = None,
) -> Design:
    """Roster and contracts after the edits, applied in order; DocumentError names all impossible ones.

    Without `exists` a new agent exists if the roster has an existing agent of its type.
    """

    def of_known_type(name: str, agent: Proposed) -> bool:
        wanted = agent.agent_type or name
        return any(one.exists for known, one in roster.agents.items() if roster.type_of(known) == wanted)

    design, findings = (roster, contracts), list[Finding]()
    for number, edit in enumerate(edits, 1):
        wrong = [*_wrong(edit, design, specs)]
        for rule, problem, repair in wrong:
            said = f"edit {number} ({edit.edit}): {problem}"
            findings.append(Finding(rule=f"edit.{rule}", problem=said, repair=repair, about=str(number)))
        if not wrong:
            design = _done(edit, design, specs, created, exists or of_known_type)
    if findings:
        raise DocumentError(findings)
    after = design[0]
    missing = tuple(sorted(name for name, member in after.agents.items() if not member.exists))
    if missing != tuple(sorted(roster.missing_agents)):
        after = after.model_copy(update={"missing_agents": missing, "requires_user_action": bool(missing)})
    return after, design[1]


def taken(roster: Roster) -> frozenset[str]:
    """The names that a new agent cannot have: those of the roster, of its doers' verifiers, and reserved names."""
    verifiers = (default_verifier(name) for name in roster.of_kind("doer"))
    return frozenset({*roster.agents, *verifiers, TSA, ARCHIVAL})


# --- what cannot be done ----------------------------------------------------------------------------------------------


def _wrong(edit: Edit, design: Design, specs: PocSpecs) -> Iterable[Wrong]:
    roster, contracts = design
    match edit:
        case AddAgent():
            return [*_wrong_name(edit.name, roster), *_wrong_agent(edit.agent, ("doer", "verifier"), roster)]
        case RemoveAgent():
            gone = (edit.name, *along(edit.name, roster, contracts))
            return _unknown([edit.name], roster.agents) or _needed(gone, roster)
        case ReplaceAgent():
            if unknown := _unknown([edit.name], roster.agents):
                return unknown
            left, kind = _without(roster, edit.name), roster.agents[edit.name].kind
            return [*_wrong_name(edit.by, left), *_wrong_agent(edit.agent, (kind,), left)]
        case AddDependency():
            unknown = _unknown([edit.agent, edit.on], roster.agents)
            if unknown or edit.on not in roster.agents[edit.agent].dependencies:
                return unknown
            return [("duplicate", f"{edit.agent} depends on {edit.on} already", "remove the edit")]
        case DropDependency():
            unknown = _unknown([edit.agent], roster.agents)
            if unknown or edit.on in (waits := roster.agents[edit.agent].dependencies):
                return unknown
            found = f"{edit.agent} does not depend on {edit.on}; valid: {', '.join(waits) or 'none'}"
            return [("dependency", found, "name one of its dependencies, or remove the edit")]
        case Rescope():
            return _unknown([edit.agent], roster.agents) or _wrong_scope(edit, roster)
        case AddPoc():
            return [*_wrong_name(edit.name, roster), *_wrong_poc(edit, roster, specs)]


def _unknown(names: Iterable[str], known: Collection[str], rule: str = "unknown", what: str = "agent") -> list[Wrong]:
    def repair(name: str) -> str:
        near = nearest(name, known)
        return f"write {near}" if near else "name a known one, or add it before this edit"

    valid = ", ".join(sorted(known)) or "none"
    return [(rule, f"there is no {what} {name}; valid: {valid}", repair(name)) for name in names if name not in known]


def _wrong_name(name: str, roster: Roster) -> Iterator[Wrong]:
    if name in taken(roster):
        yield "duplicate", f"there is an agent {name} already", "choose another name, or replace that agent"


def _wrong_agent(agent: Proposed, kinds: Sequence[str], roster: Roster) -> Iterator[Wrong]:
    if agent.kind not in kinds:
        yield "kind", f"the agent is a {agent.kind}; valid: {' or '.join(kinds)}", "add a PoC with `add_poc`"
    yield from _unknown(agent.dependencies, roster.agents, "dependency")


def _needed(gone: Sequence[str], roster: Roster) -> Iterator[Wrong]:
    """Agents that wait for a removed one. What they read of its work is removed too, as the difference shows."""
    for other, member in sorted(roster.agents.items()):
        if other in gone:
            continue
        for name in gone:
            if name in member.dependencies:
                repair = f"first drop the dependency of {other} on {name}, or replace {gone[0]}"
                yield "needed", f"{other} depends on {name}", repair
        if member.gates and {*member.gates} <= {*gone}:
            yield "needed", f"{other} gates only {gone[0]}", f"first remove {other}"


def along(name: str, roster: Roster, contracts: FileContracts) -> tuple[str, ...]:
    """The verifiers that verify only this doer: they are removed with it."""
    if name not in roster.of_kind("doer"):
        return ()
    looks_at = {who: {read.source for read in one.reads if read.source} for who, one in contracts.agents.items()}
    others = {verifier for verifier, doers in looks_at.items() if doers - {name}}
    mine = {verifier for verifier, doers in looks_at.items() if doers == {name}}
    known = {*roster.of_kind("verifier"), *(mine - roster.agents.keys())}
    return tuple(sorted((mine | {default_verifier(name)}) & known - others))


def _wrong_scope(edit: Rescope, roster: Roster) -> Iterator[Wrong]:
    if roster.agents[edit.agent].kind == "poc":
        yield "kind", f"{edit.agent} is a PoC, whose task is its spec", "remove it, and add a PoC with another spec"
    if len(edit.plan_actions) != len(edit.plan_action_sources):
        counts = f"{len(edit.plan_actions)} actions have {len(edit.plan_action_sources)} sources"
        yield "sources", counts, "give for each action the words of the summary that it comes from"


def _wrong_poc(edit: AddPoc, roster: Roster, specs: PocSpecs) -> Iterator[Wrong]:
    spec = specs.of(edit.poc_id)
    yield from _unknown([edit.poc_id], [poc.poc_id for poc in specs.pocs], "poc", "PoC")
    for name, member in sorted(roster.agents.items()):
        if member.poc_id == edit.poc_id:
            yield "duplicate", f"{edit.poc_id} is placed already, as {name}", "remove the edit"
    yield from _unknown(spec.gates if spec else (), roster.agents, "gate")


# --- what is done -----------------------------------------------------------------------------------------------------


def _done(edit: Edit, design: Design, specs: PocSpecs, created: int, exists: Exists) -> Design:
    roster, contracts = design
    match edit:
        case AddAgent():
            member = _member(edit.name, edit.agent, roster, created, exists(edit.name, edit.agent))
            return _with(roster, edit.name, member), _under(contracts, edit.name, edit.contract)
        case RemoveAgent():
            return _removed((edit.name, *along(edit.name, roster, contracts)), roster, contracts)
        case ReplaceAgent():
            return _replaced(edit, roster, contracts, created, exists)
        case AddDependency():
            waits = (*roster.agents[edit.agent].dependencies, edit.on)
            return _changed(roster, edit.agent, dependencies=waits), contracts
        case DropDependency():
            waits = tuple(name for name in roster.agents[edit.agent].dependencies if name != edit.on)
            return _changed(roster, edit.agent, dependencies=waits), contracts
        case Rescope():
            return _rescoped(edit, roster, created), contracts
        case AddPoc():
            contract = poc_contract(edit.name, specs.of(edit.poc_id), contracts)
            return _with_poc(edit, roster, specs, created), _under(contracts, edit.name, contract)


def _removed(gone: Sequence[str], roster: Roster, contracts: FileContracts) -> Design:
    """The design without these agents, and without what others read of their work."""
    for name in gone:
        roster, contracts = _without(roster, name), _under(contracts, name, None)
    left = {
        who: one.model_copy(update={"reads": tuple(read for read in one.reads if read.source not in gone)})
        for who, one in contracts.agents.items()
    }
    return roster, contracts.model_copy(update={"agents": left})


def _member(name: str, agent: Proposed, roster: Roster, created: int, exists: bool) -> Member:
    return Member(**{**dict(agent), "task_id": _task_id(name, agent, roster, created), "exists": exists})


def _task_id(name: str, agent: Proposed, roster: Roster, created: int) -> str:
    others = {member.task_id for other, member in roster.agents.items() if other != name}
    return agent_task_id(name, agent, created, {roster.task_id, *others})


def _with(roster: Roster, name: str, member: Member) -> Roster:
    return roster.model_copy(update={"agents": {**roster.agents, name: member}})


def _changed(roster: Roster, name: str, **fields: Any) -> Roster:
    return _with(roster, name, roster.agents[name].model_copy(update=fields))


def _without(roster: Roster, name: str) -> Roster:
    """The roster without an agent, which no PoC gates any more."""
    left = {other: member for other, member in roster.agents.items() if other != name}
    return roster.model_copy(update={"agents": {other: _handed(member, name, None) for other, member in left.items()}})


def _under(contracts: FileContracts, name: str, contract: FileContract | None) -> FileContracts:
    agents = {other: known for other, known in contracts.agents.items() if other != name}
    return contracts.model_copy(update={"agents": {**agents, name: contract} if contract else agents})


def _replaced(edit: ReplaceAgent, roster: Roster, contracts: FileContracts, created: int, exists: Exists) -> Design:
    """The new agent takes the place of the old one, and every agent that waited for the old one waits for it."""
    old, new = edit.name, edit.by
    member = _member(new, edit.agent, _without(roster, old), created, exists(new, edit.agent))
    member = member.model_copy(update={"poc_id": roster.agents[old].poc_id, "gates": roster.agents[old].gates})
    agents = {
        new if name == old else name: member if name == old else _handed(known, old, new)
        for name, known in roster.agents.items()
    }
    others = {name: _reading(contract, old, new) for name, contract in contracts.agents.items() if name != old}
    updated = contracts.model_copy(update={"agents": {**others, new: edit.contract}})
    return roster.model_copy(update={"agents": agents}), updated


def _handed(member: Member, old: str, new: str | None) -> Member:
    """The agent with the old name replaced in its dependencies and gates; removed from them if there is no new name."""

    def renamed(names: Iterable[str]) -> tuple[str, ...]:
        named = (new if name == old else name for name in names)
        return tuple(dict.fromkeys(name for name in named if name))

    if old not in (*member.dependencies, *member.gates):
        return member
    return member.model_copy(update={"dependencies": renamed(member.dependencies), "gates": renamed(member.gates)})


def _reading(contract: FileContract, old: str, new: str) -> FileContract:
    """The contract with reads of the old agent's work pointing to the new agent and its folder."""

    def moved(read: Read) -> Read:
        inside = read.path.startswith(places.output(old))
        path = places.output(new) + read.path.removeprefix(places.output(old)) if inside else read.path
        return read.model_copy(update={"source": new, "path": path})

    if all(read.source != old for read in contract.reads):
        return contract
    reads = tuple(moved(read) if read.source == old else read for read in contract.reads)
    return contract.model_copy(update={"reads": reads})


def _rescoped(edit: Rescope, roster: Roster, created: int) -> Roster:
    """A new task gets a new id, because failures and questions are counted by id."""
    scope = {field: getattr(edit, field) for field in ("role", "plan_actions", "plan_action_sources")}
    changed = roster.agents[edit.agent].model_copy(update=scope)
    return _changed(roster, edit.agent, **scope, task_id=_task_id(edit.agent, changed, roster, created))


def _with_poc(edit: AddPoc, roster: Roster, specs: PocSpecs, created: int) -> Roster:
    spec = specs.of(edit.poc_id)
    if spec is None:
        raise DefinitionError(f"{edit.poc_id} is placed and not specified", repair="refuse the edit first")
    agent = Proposed(
        role=f"Try: {squeeze(spec.assumption)}",
        kind="poc",
        agent_type=roster.type_of(spec.agent) if spec.agent in roster.agents else None,
        template=f"{places.PROTOCOLS}{places.DOER_TEMPLATE}",
        poc_id=spec.poc_id,
        gates=spec.gates,
    )
    return _with(roster, edit.name, _member(edit.name, agent, roster, created, exists=True))


def poc_contract(name: str, poc: Poc | None, contracts: FileContracts) -> FileContract:
    """A PoC writes only its evidence; it may read what existed before the work and the gated agents read."""
    gated = (poc.agent, *poc.gates) if poc else ()
    before = (read for who in gated if who in contracts.agents for read in contracts.agents[who].reads)
    return FileContract(
        reads=tuple(dict.fromkeys(read for read in before if read.source is None)),
        writes=(Written(path=f"{places.output(name)}**", description="the evidence of the PoC"),),
    )


def checkpointed(known: Checkpoints, roster: Roster, edits: Sequence[Edit]) -> Checkpoints:
    """The checkpoints after the edits: a new doer brings its own, and a successor may take over the old one."""
    points = {one.doer: one for one in known.checkpoints}
    for edit in edits:
        if isinstance(edit, AddAgent) and edit.checkpoint:
            points[edit.name] = edit.checkpoint
        if isinstance(edit, ReplaceAgent):
            old = points.pop(edit.name, None)
            inherited = old.model_copy(update={"doer": edit.by, "verifier": None}) if old else None
            if new := edit.checkpoint or inherited:
                points[edit.by] = new
    doers = roster.of_kind("doer")
    kept = tuple(one for name, one in points.items() if name in doers)
    return known.model_copy(update={"checkpoints": kept})


# --- what a person sees -----------------------------------------------------------------------------------------------


def proved(before: Checkpoints, after: Checkpoints) -> tuple[str, ...]:
    """What the edits did to the checkpoints, in the form of `difference`: weaker proofs must not go unseen."""
    old, new = (_facts({one.doer: one for one in points.checkpoints}) for points in (before, after))
    return tuple(_differences(old, new, "proof of"))


def difference(before: Design, after: Design) -> tuple[str, ...]:
    """What the edits did, a line for each change: `+` is new, `-` is gone, `~` is changed."""
    (roster, contracts), (roster_after, contracts_after) = before, after
    return (
        *_differences(_facts(roster.agents), _facts(roster_after.agents), "agent"),
        *_differences(_facts(contracts.agents), _facts(contracts_after.agents), "contract of"),
    )


def in_words(edit: Edit) -> str:
    """One edit in a sentence, with its reason."""
    match edit:
        case AddAgent() | AddPoc():
            said = f"{edit.name} is added"
        case RemoveAgent():
            said = f"{edit.name} is taken out"
        case ReplaceAgent():
            said = f"{edit.by} takes the place of {edit.name}"
        case AddDependency():
            said = f"{edit.agent} waits for {edit.on}"
        case DropDependency():
            said = f"{edit.agent} waits for {edit.on} no more"
        case Rescope():
            said = f"{edit.agent} has another task"
    return f"{said}: {edit.reason}"


def _facts(agents: Mapping[str, Form]) -> dict[str, dict[str, Any]]:
    return {name: one.model_dump(mode="json", by_alias=True, exclude_defaults=True) for name, one in agents.items()}


def _differences(before: Mapping[str, Any], after: Mapping[str, Any], what: str) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if name not in before:
            yield f"+ {what} {name}"
            yield from (f"    {field}: {_on_one_line(value)}" for field, value in after[name].items())
        elif name not in after:
            yield f"- {what} {name}"
        elif before[name] != after[name]:
            yield f"~ {what} {name}"
            yield from _changes(before[name], after[name])


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for field in dict.fromkeys((*before, *after)):
        old, new = before.get(field), after.get(field)
        if old == new:
            continue
        if isinstance(old or new, list):
            yield from (f"    - {field}: {_on_one_line(value)}" for value in old or () if value not in (new or ()))
            yield from (f"    + {field}: {_on_one_line(value)}" for value in new or () if value not in (old or ()))
        else:
            yield f"    {field}: {_on_one_line(old)} -> {_on_one_line(new)}"


def _on_one_line(value: Any) -> str:
    """A value on one line."""
    return squeeze(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
