"""The checklist of a design (OR-15): each check is a function of its files, and says where, what and how to mend."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.workflows.orchestration import (
    checkpoint_checks,
    contract_checks,
    coordination,
    gaps,
    ids,
    instructions,
    patterns,
    places,
    sections,
    sequence,
    status,
)
from signoff.workflows.orchestration.checkpoints import Checkpoint
from signoff.workflows.orchestration.crew import together
from signoff.workflows.orchestration.design_files import DesignFiles, ordered
from signoff.workflows.orchestration.file_contracts import FileContract
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.status import SharedStatus

Check: TypeAlias = Callable[[DesignFiles], Iterable[Finding]]

_UNPROVEN: Final = ("checkpoints.criteria", "checkpoints.failures")
_IDLE: Final = "contracts.idle"


# --- instructions -----------------------------------------------------------------------------------------------------


def instructions_complete(files: DesignFiles) -> Iterator[Finding]:
    """Everybody who takes part has instructions, with all that belongs in them."""
    for name in sorted(files.working):
        path = places.instructions(name)
        if path in files.texts:
            contract = files.contracts.agents.get(name, FileContract())
            yield from instructions.findings(files.texts[path], path, name, contract, _proof(name, files))
        else:
            yield Finding(
                rule="instructions.missing",
                problem=f"{name} takes part and has no instructions",
                repair="let the instruction-writer write them",
                file=path,
                about=name,
            )


def _proof(name: str, files: DesignFiles) -> Sequence[Checkpoint]:
    """What proves somebody's work: of a PoC its spec, of a verifier the checkpoints of those it looks at."""
    member = files.roster.agents.get(name)
    if member and member.kind == "poc":
        spec = files.specs.of(member.poc_id or "")
        return [instructions.trial(spec)] if spec else []
    return [one for one in files.checkpoints.checkpoints if one.doer in files.crew.verified.get(name, [name])]


# --- contracts --------------------------------------------------------------------------------------------------------


def contracts_consistent(files: DesignFiles) -> Iterator[Finding]:
    """Everybody who makes something has a contract, and what one reads from another, that one writes there."""
    found = contract_checks.contract_findings(files.contracts, files.roster)
    yield from (finding for finding in found if finding.rule != _IDLE)
    yield from _formats(files)


def _formats(files: DesignFiles) -> Iterator[Finding]:
    """What is written in one format and read as another; formats are free words, so it is a warning."""
    for name, contract in sorted(files.contracts.agents.items()):
        for read in contract.reads:
            written = files.contracts.agents.get(read.source or "", FileContract()).writes
            forms = {one.format.casefold() for one in written if one.format and patterns.overlap(one.path, read.path)}
            if read.format and forms and read.format.casefold() not in forms:
                said = (
                    f"{name} reads {read.path} as {read.format}, {read.source} writes it as {together(sorted(forms))}"
                )
                yield Finding(
                    rule="contracts.format",
                    problem=said,
                    repair="name the same format on both sides",
                    file=places.CONTRACTS,
                    about=name,
                    severity="warning",
                )


def contracts_acyclic(files: DesignFiles) -> Iterator[Finding]:
    """Nobody reads what comes, file by file, from what it writes itself."""
    for finding in _cycles(_by_files_alone(files)):
        repair = "let one of them read what was there before, and name nobody it is from"
        yield replace(finding, rule="contracts.cycle", file=places.CONTRACTS, repair=repair)


def _by_files_alone(files: DesignFiles) -> tuple[Finding, ...]:
    free = {name: one.model_copy(update={"dependencies": (), "gates": ()}) for name, one in files.roster.agents.items()}
    return ordered(files.roster.model_copy(update={"agents": free}), files.contracts, files.checkpoints)[1]


def _cycles(findings: Iterable[Finding]) -> Iterator[Finding]:
    return (finding for finding in findings if finding.rule == "sequence.cycle")


# --- validation, dependencies, ids ------------------------------------------------------------------------------------


def validation_at_every_handoff(files: DesignFiles) -> Iterator[Finding]:
    """Every doer has one checkpoint, and a verifier that has the time to look at it."""
    found = checkpoint_checks.findings(files.checkpoints, files.roster)
    wrong = [finding for finding in found if finding.rule not in _UNPROVEN]
    yield from wrong
    rules = ("sequence.shared_verifier", "sequence.unverified")[: 1 if wrong else 2]  # the rest is the same, said again
    yield from (finding for finding in files.computed[1] if finding.rule in rules)


def dependencies_satisfiable(files: DesignFiles) -> Iterator[Finding]:
    """Everybody whom somebody waits for takes part, and nobody waits for itself in the end."""
    for name, member in sorted(files.roster.agents.items()):
        said = [
            *((other, "depends on") for other in member.dependencies),
            *((other, "gates") for other in member.gates),
        ]
        yield from (_absent(name, verb, other, files) for other, verb in said if other not in files.working)
    known = {finding.about for finding in _cycles(_by_files_alone(files))}
    yield from (finding for finding in _cycles(files.computed[1]) if finding.about not in known)
    yield from (finding for finding in files.computed[1] if finding.rule == "sequence.never")


def _absent(name: str, verb: str, other: str, files: DesignFiles) -> Finding:
    valid = sorted(files.working - {name})
    near = difflib.get_close_matches(other, valid, 1)
    return Finding(
        rule="dependencies.absent",
        problem=f"{name} {verb} {other}, which takes no part; valid: {', '.join(valid) or 'nobody'}",
        repair=f"write {near[0]}" if near else f"add {other} to the roster, or do not name it",
        file=places.ROSTER,
        about=name,
    )


def task_ids_unique(files: DesignFiles) -> Iterator[Finding]:
    """Every task has an id of its own, and all files are of one task."""
    owners = {files.roster.task_id: ["the whole task"]}
    for name, member in sorted(files.roster.agents.items()):
        owners.setdefault(member.task_id, []).append(name)
    for task_id, several in owners.items():
        if len(several) > 1:
            yield Finding(
                rule="tasks.twice",
                problem=f"{task_id} is the id of {together(several)}",
                repair="give each its own: a few words of the task and the second in which it was made",
                file=places.ROSTER,
                about=task_id,
            )
    for path, found in _task_ids(files).items():
        if found != files.roster.task_id:
            yield Finding(
                rule="tasks.other",
                problem=f"the file is of {found}, the roster of {files.roster.task_id}",
                repair="restore the file that belongs to this roster",
                file=path,
                about=found,
            )


def _task_ids(files: DesignFiles) -> dict[str, str]:
    return {
        places.STACK: files.stack.task_id,
        places.CONTRACTS: files.contracts.task_id,
        places.CHECKPOINTS: files.checkpoints.task_id,
        places.SEQUENCE: files.sequence.task_id,
        places.STATUS: files.status.task_id,
    }


# --- escalation and gaps ----------------------------------------------------------------------------------------------


def escalation_paths(files: DesignFiles) -> Iterator[Finding]:
    """The plan says who decides what, and where a person comes in; and each agent knows its way out."""
    plan = files.texts.get(places.COORDINATION, "")
    for title in ("Escalation", "User Intervention Points"):
        yield from _unsaid(files, places.COORDINATION, title, "escalation.plan")
    found = coordination.findings(plan, places.COORDINATION)
    yield from (finding for finding in found if finding.rule == "coordination.escalation")
    for name in sorted(files.working):
        if places.instructions(name) in files.texts:
            yield from _unsaid(files, places.instructions(name), "Escalation", "escalation.agent")


def _unsaid(files: DesignFiles, path: str, title: str, rule: str) -> Iterator[Finding]:
    found = sections.named(sections.split(files.texts.get(path, "")), title)
    if found is None or not found.whole.strip():
        yield Finding(
            rule=rule,
            problem=f"there is nothing under `## {title}`",
            repair="let the file be made again, or write there who is asked, and how it goes on",
            file=path,
            line=found.line if found else None,
            about=title,
        )


def gaps_named(files: DesignFiles) -> Iterator[Finding]:
    """What the design leaves open: agents that nobody has, files from nowhere, work that nothing proves, and what the
    plan or its person decided and nobody has taken up."""
    for name, member in sorted(files.roster.agents.items()):
        if not member.exists:
            problem = f"{name} is of the type {files.roster.type_of(name)}, which nobody has"
            yield _gap("agent", places.ROSTER, name, problem, "create the type, or take the agent out of the roster")
    yield from _from_nowhere(files)
    made = contract_checks.contract_findings(files.contracts, files.roster)
    yield from (replace(finding, rule="gap.handoff") for finding in made if finding.rule == _IDLE)
    for finding in checkpoint_checks.findings(files.checkpoints, files.roster):
        if finding.rule in _UNPROVEN:
            yield replace(finding, rule=f"gap.{finding.rule.rpartition('.')[2]}")
    yield from gaps.decided(files)
    yield from gaps.answered(files)


def _from_nowhere(files: DesignFiles) -> Iterator[Finding]:
    """Files that somebody needs, nobody writes and the project does not have; where it was not looked at, none."""
    if files.before is None:
        return
    written = {one.path for contract in files.contracts.agents.values() for one in contract.writes}
    there = sorted({*written, *files.texts, *files.before})
    index = patterns.Index.of(there)
    for name, contract in sorted(files.contracts.agents.items()):
        for read in contract.reads:
            if read.required and read.source is None and not index.overlapping(read.path):
                near = difflib.get_close_matches(read.path, there, 1, 0.8)
                repair = f"write {near[0]}" if near else "let somebody write it, or do not require it"
                problem = f"{name} needs {read.path}, which nobody writes and the project does not have"
                yield _gap("handoff", places.CONTRACTS, name, problem, repair)


def _gap(rule: str, file: str, about: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"gap.{rule}", problem=problem, repair=repair, file=file, about=about)


# --- what code makes, made again --------------------------------------------------------------------------------------


def sequence_current(files: DesignFiles) -> Iterator[Finding]:
    """The sequence is, byte for byte, what roster, contracts and checkpoints give."""
    made, against = files.computed
    if made is None:
        problem = f"there can be no sequence: {'; '.join(finding.problem for finding in against)}"
        yield _stale("sequence", places.SEQUENCE, problem, "mend what stands against it")
    elif files.texts[places.SEQUENCE] != sequence.render(made):
        problem = "it is not what roster, contracts and checkpoints give"
        yield _stale("sequence", places.SEQUENCE, problem, "let it be computed again")


def status_current(files: DesignFiles) -> Iterator[Finding]:
    """The status has everybody, with whom they wait for or look at; how far they have come is no matter of design, and
    neither are the tactical tasks that came up on the way."""
    if files.computed[0] is None:
        return
    wanted = _standing(status.initial(files.roster, files.computed[0], files.status.session_start))
    helping = {name for name in files.status.agents if name not in wanted and _came_up(name, files)}
    helping |= {default_verifier(name) for name in helping}
    found = {name: stands for name, stands in _standing(files.status).items() if name not in helping}
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            problem = (
                f"{name} is there {found.get(name, 'not at all')}; by the sequence it is {wanted.get(name, 'nobody')}"
            )
            yield replace(_stale("status", places.STATUS, problem, "let it be made again"), about=name)


def _came_up(name: str, files: DesignFiles) -> bool:
    """Whether this is a tactical task: nobody of the design, by its name and with instructions of its own."""
    return ids.TACTICAL.fullmatch(name) is not None and places.instructions(name) in files.texts


def _standing(found: SharedStatus) -> dict[str, str]:
    agents = {name: f"as one that waits for {_named(one.dependencies)}" for name, one in found.agents.items()}
    return agents | {name: f"as verifier of {_named(one.assigned_agents)}" for name, one in found.verification.items()}


def plan_current(files: DesignFiles) -> Iterator[Finding]:
    """The plan document tells this design and no other."""
    made, _ = files.computed
    wanted = made and coordination.render(files.plan, files.roster, made, files.checkpoints, files.specs)
    if wanted and files.texts.get(places.COORDINATION) != wanted:
        problem = "it is not the plan of this roster, sequence and these checkpoints"
        yield _stale("plan", places.COORDINATION, problem, "let it be made again")


def _stale(rule: str, file: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"{rule}.stale", problem=problem, repair=repair, file=file)


# --- PoCs -------------------------------------------------------------------------------------------------------------


def pocs_placed(files: DesignFiles) -> Iterator[Finding]:
    """Every PoC that was specified has one agent, which works before what it gates."""
    agents = {name: files.roster.agents[name] for name in files.roster.of_kind("poc")}
    for spec in files.specs.pocs:
        mine = [name for name, member in agents.items() if member.poc_id == spec.poc_id]
        if len(mine) != 1:
            problem = f"{spec.poc_id} is done by {_named(mine)}"
            yield _poc("agent", places.ROSTER, spec.poc_id, problem, "let one agent of the roster do it")
    for name, member in agents.items():
        one = files.specs.of(member.poc_id or "")
        if one is None:
            problem = f"{name} is to do {member.poc_id or 'no PoC at all'}, which is not specified"
            yield _poc("spec", places.POC_SPECS, name, problem, "specify it, or take the agent out of the roster")
        elif {*member.gates} != {*one.gates} & {*files.roster.agents}:
            problem = f"{name} gates {_named(member.gates)}, and {one.poc_id} is to gate {_named(one.gates)}"
            yield _poc("gates", places.ROSTER, name, problem, "let the roster say what the spec says")
    yield from _late(files)


def _late(files: DesignFiles) -> Iterator[Finding]:
    placed = [(one.agent_name, phase.phase_id) for phase in files.sequence.execution_phases for one in phase.agents]
    first = dict(reversed(placed))
    for name in files.roster.of_kind("poc"):
        for gate in files.roster.agents[name].gates:
            if gate in first and first.get(name, first[gate]) >= first[gate]:
                problem = f"{name} does not come before {gate}, which waits for what it shows"
                yield _poc("late", places.SEQUENCE, name, problem, "let the sequence be computed again")


def _poc(rule: str, file: str, about: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"poc.{rule}", problem=problem, repair=repair, file=file, about=about)


def _named(names: Sequence[str]) -> str:
    return together(names) if names else "nobody"


CHECKS: Final[Mapping[str, Check]] = {
    "instructions-complete": instructions_complete,
    "contracts-consistent": contracts_consistent,
    "contracts-acyclic": contracts_acyclic,
    "validation-at-every-handoff": validation_at_every_handoff,
    "dependencies-satisfiable": dependencies_satisfiable,
    "task-ids-unique": task_ids_unique,
    "escalation-paths": escalation_paths,
    "gaps-named": gaps_named,
    "sequence-current": sequence_current,
    "status-current": status_current,
    "plan-current": plan_current,
    "pocs-placed": pocs_placed,
}
"""What is checked, in the order in which it is shown."""
