"""The checklist of a design (OR-15): each check is a function of the design's files that gives findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final, TypeAlias

from signoff.artifacts import markdown_headings
from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.findings import Finding, Severity
from signoff.core.state import replace
from signoff.workflows.kit.suggestions import nearest
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.checks import contract_checks
from signoff.workflows.orchestration.checks.design_files import DesignFiles, ordered
from signoff.workflows.orchestration.documents import agent_instructions, review_questions, shared_status
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract
from signoff.workflows.orchestration.documents.design_verification import Area, Checked, Noted, Verification
from signoff.workflows.orchestration.documents.shared_status import SharedStatus
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.outputs import ReadingOutput
from signoff.workflows.orchestration.sequence import path_patterns, work_sequence
from signoff.workflows.orchestration.sequence.waits import together
from signoff.workflows.orchestration.views import coordination_plan

Check: TypeAlias = Callable[[DesignFiles], Iterable[Finding]]

_UNPROVEN: Final = ("checkpoints.criteria", "checkpoints.failures")
_IDLE: Final = "contracts.idle"
_NAMED: Final = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.\w+)`")
"""A file of the project that a decision names: `app/report.py`."""
_WORD: Final = re.compile(r"\w{4,}|\d+")
LEAST: Final = 0.5
"""The share of an answer's words that a criterion must have to be about it."""
SHOWN: Final = 120
"""How many characters of a decision or answer a finding shows."""


def verified(files: DesignFiles, reading: ReadingOutput | None, at: int) -> Verification:
    """The result of all checks and of the reading; an error in either fails the design."""
    checks = []
    for name, (area, check) in CHECKS.items():
        found = tuple(Noted(area=_ELSEWHERE.get(one.rule, area), **asdict(one)) for one in check(files))
        wrong = any(one.severity == "error" for one in found)
        checks.append(Checked(check=name, result="fail" if wrong else "pass", findings=found))
    fails = any(one.result == "fail" for one in checks)
    fails = fails or any(seen.severity == "error" for seen in (reading.findings if reading else ()))
    return Verification(
        task_id=files.roster.task_id,
        created=at,
        result="fail" if fails else "pass",
        checks=tuple(checks),
        reading=reading,
    )


def _instructions_complete(files: DesignFiles) -> Iterator[Finding]:
    """Every agent that takes part has complete instructions."""
    for name in sorted(files.working):
        path = places.instructions(name)
        if path in files.texts:
            contract = files.contracts.agents.get(name, FileContract())
            yield from agent_instructions.findings(files.texts[path], path, name, contract, _proof(name, files))
        else:
            problem, repair = f"{name} takes part without instructions", "let the instruction-writer write them"
            yield Finding(rule="instructions.missing", problem=problem, repair=repair, file=path, about=name)


def _proof(name: str, files: DesignFiles) -> Sequence[Checkpoint]:
    """What proves an agent's work: for a PoC its spec, for a verifier the checkpoints of its doers."""
    member = files.roster.agents.get(name)
    if member and member.kind == "poc":
        spec = files.specs.of(member.poc_id or "")
        return [agent_instructions.poc_checkpoint(spec)] if spec else []
    return [one for one in files.checkpoints.checkpoints if one.doer in files.crew.verified.get(name, [name])]


def _contracts_consistent(files: DesignFiles) -> Iterator[Finding]:
    """Every agent that makes something has a contract, and writes what others read from it."""
    found = contract_checks.contract_findings(files.contracts, files.roster)
    yield from (finding for finding in found if finding.rule != _IDLE)
    for name, contract in sorted(files.contracts.agents.items()):  # formats are free words, so it is a warning
        for read in contract.reads:
            written = files.contracts.agents.get(read.source or "", FileContract()).writes
            same = (one for one in written if one.format and path_patterns.overlap(one.path, read.path))
            forms = {one.format.casefold() for one in same}
            if read.format and forms and read.format.casefold() not in forms:
                yield Finding(
                    rule="contracts.format",
                    problem=f"{name} reads {read.path} as {read.format}, "
                    f"{read.source} writes it as {together(sorted(forms))}",
                    repair="name the same format on both sides",
                    file=places.CONTRACTS,
                    about=name,
                    severity="warning",
                )


def _contracts_acyclic(files: DesignFiles) -> Iterator[Finding]:
    """No agent reads what comes, file by file, from what it writes itself."""
    for finding in _cycles_of_files(files):
        repair = "let one of them read what exists before the work, and leave `from` out"
        yield replace(finding, rule="contracts.cycle", file=places.CONTRACTS, repair=repair)


def _cycles_of_files(files: DesignFiles) -> list[Finding]:
    """The cycles of the contracts alone, without the dependencies of the roster."""
    free = {name: one.model_copy(update={"dependencies": (), "gates": ()}) for name, one in files.roster.agents.items()}
    found = ordered(files.roster.model_copy(update={"agents": free}), files.contracts, files.checkpoints)[1]
    return [one for one in found if one.rule == "sequence.cycle"]


def _validation_at_every_handoff(files: DesignFiles) -> Iterator[Finding]:
    """Every doer has one checkpoint, and a verifier that is free to look at it."""
    found = contract_checks.checkpoint_findings(files.checkpoints, files.roster)
    wrong = [finding for finding in found if finding.rule not in _UNPROVEN]
    yield from wrong
    rules = ("sequence.shared_verifier", "sequence.unverified")[
        : 1 if wrong else 2
    ]  # the second would repeat the above
    yield from (finding for finding in files.computed[1] if finding.rule in rules)


def _dependencies_satisfiable(files: DesignFiles) -> Iterator[Finding]:
    """Every agent that another waits for takes part, and no agent waits for itself."""
    for name, member in sorted(files.roster.agents.items()):
        said = [*((one, "depends on") for one in member.dependencies), *((one, "gates") for one in member.gates)]
        valid = sorted(files.working - {name})
        for other, verb in said:
            if other not in files.working:
                near = nearest(other, valid)
                problem = f"{name} {verb} {other}, which takes no part; valid: {', '.join(valid) or 'none'}"
                repair = f"write {near}" if near else f"add {other} to the roster, or do not name it"
                yield Finding(
                    rule="dependencies.absent", problem=problem, repair=repair, file=places.ROSTER, about=name
                )
    known = {finding.about for finding in _cycles_of_files(files)}
    cycles = (finding for finding in files.computed[1] if finding.rule == "sequence.cycle")
    yield from (finding for finding in cycles if finding.about not in known)
    yield from (finding for finding in files.computed[1] if finding.rule == "sequence.never")


def _task_ids_unique(files: DesignFiles) -> Iterator[Finding]:
    """No two tasks have the same id, and all files belong to one task."""
    owners = {files.roster.task_id: ["the whole task"]}
    for name, member in sorted(files.roster.agents.items()):
        owners.setdefault(member.task_id, []).append(name)
    for task_id, several in owners.items():
        if len(several) > 1:
            problem = f"{task_id} is the id of {together(several)}"
            repair = "give each its own: a few words of the task and its Unix seconds"
            yield Finding(rule="tasks.twice", problem=problem, repair=repair, file=places.ROSTER, about=task_id)
    of_files = {
        places.STACK: files.stack.task_id,
        places.CONTRACTS: files.contracts.task_id,
        places.CHECKPOINTS: files.checkpoints.task_id,
        places.SEQUENCE: files.sequence.task_id,
        places.STATUS: files.status.task_id,
    }
    for path, found in of_files.items():
        if found != files.roster.task_id:
            problem = f"the file belongs to {found}, the roster to {files.roster.task_id}"
            repair = "restore the file that belongs to this roster"
            yield Finding(rule="tasks.other", problem=problem, repair=repair, file=path, about=found)


def _escalation_paths(files: DesignFiles) -> Iterator[Finding]:
    """The plan says who decides what and when a person is asked; each agent's instructions say how to escalate."""
    for title in ("Escalation", "User Intervention Points"):
        yield from _unsaid(files, places.COORDINATION, title, "escalation.plan")
    yield from coordination_plan.undecided(files.texts.get(places.COORDINATION, ""), places.COORDINATION)
    for name in sorted(files.working):
        if places.instructions(name) in files.texts:
            yield from _unsaid(files, places.instructions(name), "Escalation", "escalation.agent")


def _unsaid(files: DesignFiles, path: str, title: str, rule: str) -> Iterator[Finding]:
    found = markdown_headings.named(markdown_headings.split(files.texts.get(path, "")), title)
    if found is None or not found.whole.strip():
        problem = f"there is nothing under `## {title}`"
        repair = "let the file be made again, or write there who is asked and what happens next"
        line = found.line if found else None
        yield Finding(rule=rule, problem=problem, repair=repair, file=path, line=line, about=title)


def _gaps_named(files: DesignFiles) -> Iterator[Finding]:
    """What the design leaves open: agents that do not exist, work that nothing proves, and decisions and answers that
    no agent has taken up."""
    for name, member in sorted(files.roster.agents.items()):
        if not member.exists:
            problem = f"{name} is of the type {files.roster.type_of(name)}, which does not exist"
            repair = "create the type, or remove the agent from the roster"
            yield Finding(rule="gap.agent", problem=problem, repair=repair, file=places.ROSTER, about=name)
    made = contract_checks.contract_findings(files.contracts, files.roster)
    yield from (replace(finding, rule="gap.handoff") for finding in made if finding.rule == _IDLE)
    for finding in contract_checks.checkpoint_findings(files.checkpoints, files.roster):
        if finding.rule in _UNPROVEN:
            yield replace(finding, rule=f"gap.{finding.rule.rpartition('.')[2]}")
    yield from _unbuilt(files)
    yield from _unanswered(files)


def _unbuilt(files: DesignFiles) -> Iterator[Finding]:
    """Decisions and answers of the plan that no agent's action quotes, and files in them that no contract has."""
    known = files.contracts.paths
    quotes = [squeeze(one) for member in files.roster.agents.values() for one in member.plan_action_sources]
    said = [*(one.decision for one in files.plan.decisions), *(one.answer for one in files.plan.resolved)]
    for text in dict.fromkeys(map(squeeze, said)):
        quoted = any(quote in text or text in quote for quote in quotes if quote)
        named = list(dict.fromkeys(_NAMED.findall(text)))
        lost = [] if any(path_patterns.overlap(one, path) for one in named for path in known) else named
        if lost and quoted:
            problem = f"{_short(text)} names {', '.join(lost)}, which is in no contract"
            repair = "name the file in the contract of the agent that builds it, or remove it from the plan"
            yield _gap("unbuilt", problem, repair, places.CONTRACTS, lost[0])
        elif lost:
            problem = f"nobody builds what was decided: {_short(text)}"
            yield _gap("nobody", problem, "give an agent an action that quotes it", places.ROSTER, lost[0])
        elif not quoted:
            problem = f"no agent has an action from what was decided: {_short(text)}"
            repair = "give one an action that quotes it, or know that nobody looks after it"
            yield _gap("unquoted", problem, repair, places.ROSTER, "", "warning")


def _unanswered(files: DesignFiles) -> Iterator[Finding]:
    """Answers of the person to the reviewers that no criterion mentions."""
    proofs = [_words(f"{one.text} {one.evidence}") for point in files.checkpoints.checkpoints for one in point.criteria]
    for one in review_questions.answers(files.texts.get(places.QUESTIONS, "")):
        wanted = _words(one.answer)
        if wanted and not any(len(wanted & proof) >= LEAST * len(wanted) for proof in proofs):
            problem = f"no criterion mentions what was answered to {one.key}: {_short(squeeze(one.answer))}"
            repair = "let a criterion say it, or know that nothing shows it"
            yield _gap("answer", problem, repair, places.CHECKPOINTS, one.key, "warning")


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _gap(rule: str, problem: str, repair: str, file: str, about: str, severity: Severity = "error") -> Finding:
    return Finding(rule=f"gap.{rule}", problem=problem, repair=repair, file=file, about=about, severity=severity)


def _sequence_current(files: DesignFiles) -> Iterator[Finding]:
    """The sequence is, byte for byte, the one computed from roster, contracts and checkpoints."""
    made, against = files.computed
    if made is None:
        problem = f"there can be no sequence: {'; '.join(finding.problem for finding in against)}"
        yield _stale("sequence", places.SEQUENCE, problem, "fix these problems")
    elif files.texts[places.SEQUENCE] != work_sequence.render(made):
        problem = "it is not the one computed from roster, contracts and checkpoints"
        yield _stale("sequence", places.SEQUENCE, problem, "let it be computed again")


def _status_current(files: DesignFiles) -> Iterator[Finding]:
    """The status has every agent, with its dependencies or its doers. Progress is not checked, and neither are the
    tactical tasks that came up during the work: they have instructions of their own and are in no design."""
    if files.computed[0] is None:
        return
    wanted = _standing(shared_status.initial(files.roster, files.computed[0], files.status.session_start))
    helping = {
        name
        for name in files.status.agents
        if name not in wanted and ids.TACTICAL.fullmatch(name) and places.instructions(name) in files.texts
    }
    helping |= {default_verifier(name) for name in helping}
    found = {name: stands for name, stands in _standing(files.status).items() if name not in helping}
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            is_there, is_wanted = found.get(name, "missing"), wanted.get(name, "not part of the work")
            problem = f"the status has {name} {is_there}; by the sequence it is {is_wanted}"
            yield replace(_stale("status", places.STATUS, problem, "let it be made again"), about=name)


def _standing(found: SharedStatus) -> dict[str, str]:
    agents = {name: f"waiting for {_named(one.dependencies)}" for name, one in found.agents.items()}
    return agents | {name: f"as verifier of {_named(one.assigned_agents)}" for name, one in found.verification.items()}


def _plan_current(files: DesignFiles) -> Iterator[Finding]:
    """The plan document describes this design and no other."""
    made, _ = files.computed
    wanted = made and coordination_plan.render(files.plan, files.roster, made, files.checkpoints, files.specs)
    if wanted and files.texts.get(places.COORDINATION) != wanted:
        problem = "it is not the plan of this roster, sequence and these checkpoints"
        yield _stale("plan", places.COORDINATION, problem, "let it be made again")


def _stale(rule: str, file: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"{rule}.stale", problem=problem, repair=repair, file=file)


def _pocs_placed(files: DesignFiles) -> Iterator[Finding]:
    """Every PoC that was specified has one agent, which works before what it gates."""

    def finding(rule: str, file: str, about: str, problem: str, repair: str) -> Finding:
        return Finding(rule=f"poc.{rule}", problem=problem, repair=repair, file=file, about=about)

    agents = {name: files.roster.agents[name] for name in files.roster.of_kind("poc")}
    for spec in files.specs.pocs:
        mine = [name for name, member in agents.items() if member.poc_id == spec.poc_id]
        if len(mine) != 1:
            problem = f"{spec.poc_id} is done by {_named(mine)}"
            yield finding("agent", places.ROSTER, spec.poc_id, problem, "let exactly one agent of the roster do it")
    for name, member in agents.items():
        one = files.specs.of(member.poc_id or "")
        if one is None:
            problem = f"{name} is to do {member.poc_id or 'a PoC without a name'}, which is not specified"
            yield finding("spec", places.POC_SPECS, name, problem, "specify it, or remove the agent from the roster")
        elif {*member.gates} != {*one.gates} & {*files.roster.agents}:
            problem = f"{name} gates {_named(member.gates)}; {one.poc_id} is to gate {_named(one.gates)}"
            yield finding("gates", places.ROSTER, name, problem, "give the roster the gates of the spec")
    placed = [(one.agent_name, phase.phase_id) for phase in files.sequence.execution_phases for one in phase.agents]
    first = dict(reversed(placed))
    for name, member in agents.items():
        for gate in member.gates:
            if gate in first and first.get(name, first[gate]) >= first[gate]:
                problem = f"{name} does not come before {gate}, which waits for its outcome"
                yield finding("late", places.SEQUENCE, name, problem, "let the sequence be computed again")


def _named(names: Sequence[str]) -> str:
    return together(names) if names else "no agent"


CHECKS: Final[Mapping[str, tuple[Area, Check]]] = {
    "instructions-complete": ("instructions", _instructions_complete),
    "contracts-consistent": ("contracts", _contracts_consistent),
    "contracts-acyclic": ("contracts", _contracts_acyclic),
    "validation-at-every-handoff": ("checkpoints", _validation_at_every_handoff),
    "dependencies-satisfiable": ("roster", _dependencies_satisfiable),
    "task-ids-unique": ("roster", _task_ids_unique),
    "escalation-paths": ("plan", _escalation_paths),
    "gaps-named": ("checkpoints", _gaps_named),
    "sequence-current": ("plan", _sequence_current),
    "status-current": ("plan", _status_current),
    "plan-current": ("plan", _plan_current),
    "pocs-placed": ("risk", _pocs_placed),
}
"""The checks in the order in which they are shown, each with the part of the design that fixes what it finds."""
_ELSEWHERE: Final[Mapping[str, Area]] = {
    "gap.agent": "roster",
    "gap.handoff": "contracts",
    "gap.unbuilt": "contracts",
    "gap.nobody": "roster",
    "gap.unquoted": "roster",
    "escalation.agent": "instructions",
}
"""The rules whose findings are fixed in another part than those of the rest of their check."""
