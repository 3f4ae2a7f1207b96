"""Commands on plain files, without a run: an order computed and drawn, a roster checked, a design verified."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from signoff.artifacts.textio import decode
from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.workflow import FileCall, FileCommand, FileOutcome, Parameter
from signoff.workflows.orchestration import (
    checkpoints,
    design_files,
    drawing,
    file_contracts,
    ids,
    places,
    registry,
    roster,
    roster_checks,
    sequence,
    sequencing,
    verification,
)

THREE = (places.ROSTER, places.CONTRACTS, places.CHECKPOINTS)
"""What an order is computed from, as it is named on a command line."""

DRAWINGS = {"text": drawing.terminal, "mermaid": drawing.mermaid}


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path[: len(path) - len(_base(path))]


BESIDE = (_base(places.CONTRACTS), _base(places.CHECKPOINTS))


# --- which file is which ----------------------------------------------------------------------------------------------


def _roles(call: FileCall) -> dict[str, str]:
    """Which of the given files is which of the three: by its name, else by its place in the call."""
    found = {place: name for place in THREE for name in call.files if _base(name) == _base(place)}
    others = [name for name in call.files if name not in found.values()]
    free = [place for place in THREE if place not in found]
    found |= dict(zip(free, others, strict=False))
    if lacking := [_base(place) for place in THREE if place not in found]:
        raise UsageError(
            f"there is no {' and no '.join(lacking)} beside {next(iter(call.files))}",
            valid="a roster with file contracts and checkpoints beside it, or ROSTER CONTRACTS CHECKPOINTS",
        )
    return found


def _computed(call: FileCall) -> tuple[sequence.Sequence, str]:
    """The order of the design that was named, and the file of its roster; findings name files as they were given."""
    names = _roles(call)
    by_place = {place: call.files[name] for place, name in names.items()}
    who = roster.parse(by_place[places.ROSTER], names[places.ROSTER])
    files = file_contracts.parse(by_place[places.CONTRACTS], names[places.CONTRACTS])
    proofs = checkpoints.parse(by_place[places.CHECKPOINTS], names[places.CHECKPOINTS])
    try:
        return sequencing.sequence(who, files, proofs), names[places.ROSTER]
    except DocumentError as error:
        raise DocumentError(_renamed(error.findings, names)) from None


def _renamed(findings: Iterable[Finding], names: dict[str, str]) -> list[Finding]:
    return [replace(one, file=names.get(one.file, one.file)) for one in findings]


# --- sequence and graph -----------------------------------------------------------------------------------------------


def _sequence(call: FileCall) -> FileOutcome:
    made, beside = _computed(call)
    text = sequence.render(made)
    said = [
        f"{phase.phase_id}. {phase.phase_name}: {', '.join(one.agent_name for one in phase.agents)}"
        for phase in made.execution_phases
    ]
    said.append(f"critical path: {' -> '.join(made.critical_path) or 'none'}")
    said += [f"note: {note}" for note in made.notes]
    target = _folder(beside) + _base(places.SEQUENCE)
    writes = {target: text} if call.params["write"] else {}
    return FileOutcome(said=tuple(said), data=json.loads(text), writes=writes)


def _graph(call: FileCall) -> FileOutcome:
    name, data = next(iter(call.files.items()))
    made = sequence.parse(data, name) if _is_sequence(name, data) else _computed(call)[0]
    form = call.params["format"]
    drawn = DRAWINGS[form](made)
    return FileOutcome(shown=drawn, data={"format": form, "drawing": drawn})


def _is_sequence(name: str, data: bytes) -> bool:
    """Whether a file is a sequence: by its name, or by what is in it."""
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        plain = None
    return _base(name) == _base(places.SEQUENCE) or (isinstance(plain, dict) and "execution_phases" in plain)


# --- roster check -----------------------------------------------------------------------------------------------------


def _roster_check(call: FileCall) -> FileOutcome:
    """The roster against the plan, the registry and itself."""
    name, data = next(iter(call.files.items()))
    who = roster.parse(data, name)
    computed = registry.completed(
        who.agents, _registry(call), _has(call), task_id=who.task_id, created=who.created
    )  # what code would say of the same agents
    findings = [
        *_against_the_plan(call, who, name),
        *_existence(who, computed, name),
        *roster_checks.guidance_findings(computed, name),
        *_renamed(sequencing.of_roster(who), {places.ROSTER: name}),
    ]
    kinds: tuple[tuple[roster.Kind, str], ...] = (("doer", "doer"), ("verifier", "verifier"), ("poc", "PoC"))
    counts = ", ".join(_counted(len(who.of_kind(kind)), word) for kind, word in kinds)
    said = f"{counts}; missing: {', '.join(computed.missing_agents) or 'nobody'}"
    agents = {one: {"kind": who.agents[one].kind, "exists": computed.agents[one].exists} for one in sorted(who.agents)}
    return FileOutcome(findings=tuple(findings), said=(said,), data={"agents": agents})


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _against_the_plan(call: FileCall, who: roster.Roster, name: str) -> list[Finding]:
    """Without the plan only what needs no plan can be said."""
    file = _base(places.summary(ids.slug(who.task_id)))
    given = next((one for one in call.files if _base(one) == file), None)
    summary = decode(call.files[given], given) if given else ""
    found = roster_checks.findings(who.agents, summary, name)
    if given:
        return list(found)
    problem = f"there is no {file} beside it, so nobody can say whether its quotes are in the plan"
    lacking = Finding(
        rule="roster.plan", problem=problem, repair="put the plan beside the roster", file=name, severity="warning"
    )
    return [lacking, *(one for one in found if one.rule != "roster.quote")]


def _existence(who: roster.Roster, computed: roster.Roster, name: str) -> Iterator[Finding]:
    for agent in sorted(who.agents):
        there = computed.agents[agent].exists
        if who.agents[agent].exists != there:
            problem = f"`exists` of {agent} is {str(not there).lower()}, and it is {str(there).lower()}"
            yield _flag("exists", problem, name, agent)
    if {*who.missing_agents} != {*computed.missing_agents}:
        wanted = ", ".join(computed.missing_agents) or "none"
        yield _flag("missing", f"`missing_agents` is not what is missing: {wanted}", name)
    if who.requires_user_action != computed.requires_user_action:
        wanted = str(computed.requires_user_action).lower()
        yield _flag("missing", f"`requires_user_action` must be {wanted}", name)


def _flag(rule: str, problem: str, file: str, about: str = "") -> Finding:
    repair = "leave it to the run, which computes it, or write what is so"
    return Finding(rule=f"roster.{rule}", problem=problem, repair=repair, file=file, about=about)


def _registry(call: FileCall) -> registry.Registry:
    """Built in, then the person's, then the project's: the nearest wins."""
    own = next((name for name in call.files if _base(name) == _base(places.REGISTRY)), None)
    levels = [(places.USER_REGISTRY, call.places.get(places.USER_REGISTRY)), (own, call.files[own] if own else None)]
    read = [registry.parse(data, str(path)) for path, data in levels if data is not None]
    return registry.merged(registry.BUILT_IN, *read)


def _has(call: FileCall) -> Callable[[str], bool]:
    """Whether a file is there: at home, beside the roster as it lies in `orchestration/`, or in the project."""
    folder = _folder(next(iter(call.files)))

    def has(path: str) -> bool:
        if path.startswith("~/"):
            return path in call.places
        return folder + path.removeprefix(f"{places.HOME}/") in call.files or call.read(path) is not None

    return has


# --- verify -----------------------------------------------------------------------------------------------------------


def _verify(call: FileCall) -> FileOutcome:
    """The checklist of a design; what its reader says is in `design_verification.json`, and not here."""
    if places.ROSTER not in call.places:
        raise UsageError(
            f"there is no {places.ROSTER}, so there is no design to verify",
            repair="give the folder of a project that has one with --project",
        )
    who = roster.parse(call.places[places.ROSTER], places.ROSTER)
    texts = {path: decode(data, path) for path, data in call.places.items() if _is_designed(path)}
    made = verification.verified(design_files.read(texts, ids.slug(who.task_id)), None, who.created)
    findings = [Finding(**one.model_dump(exclude={"area"})) for check in made.checks for one in check.findings]
    said = [f"{check.check}: {check.result}" for check in made.checks]
    return FileOutcome(findings=tuple(findings), said=tuple(said), data=json.loads(verification.render(made)))


def _is_designed(path: str) -> bool:
    """Whether a file belongs to the design: what agents have made is anything, and is not read."""
    return path.endswith((".json", ".md")) and "/task_output/" not in path


COMMANDS = (
    FileCommand(
        name="sequence",
        about="Compute the order of the work; a roster alone brings its file contracts and checkpoints along",
        run=_sequence,
        writes=True,
        example="signoff orchestration sequence orchestration/agent_roster.json --write",
        files="ROSTER CONTRACTS CHECKPOINTS",
        most=3,
        beside=BESIDE,
        parameters=(Parameter(name="write", about="write workflow_sequence.json beside the roster", flag=True),),
    ),
    FileCommand(
        name="graph",
        about="Draw the order of the work, from a sequence or from a roster, its file contracts and checkpoints",
        run=_graph,
        checks=False,
        example="signoff orchestration graph orchestration/workflow_sequence.json --format mermaid",
        files="SEQUENCE",
        most=3,
        beside=BESIDE,
        parameters=(
            Parameter(
                name="format",
                about="a text for a terminal, or Mermaid for a page",
                choices=tuple(DRAWINGS),
                default="text",
            ),
        ),
    ),
    FileCommand(
        name="roster check",
        about="Check a roster against its plan, the registry and itself",
        run=_roster_check,
        example="signoff orchestration roster check orchestration/agent_roster.json",
        files="ROSTER",
        places=(places.USER_REGISTRY, f"{places.PROTOCOLS}*.md", f"{places.COMMANDS}*.md"),
        beside=("conversation_summary_*.md", _base(places.REGISTRY), "templates/*"),
    ),
    FileCommand(
        name="verify",
        about="Check a whole design: instructions, contracts, validations, dependencies, ids, escalation, gaps",
        run=_verify,
        example="signoff orchestration verify",
        most=0,
        places=(f"{places.HOME}/",),
    ),
)
