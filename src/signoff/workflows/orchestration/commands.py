"""Commands on plain files, without a run: compute and draw an order, check a roster, verify a design."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import FileCall, FileCommand, FileOutcome, Parameter
from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.checks import design_checklist, design_files, roster_checks
from signoff.workflows.orchestration.documents import agent_registry, agent_roster, contracts, design_verification
from signoff.workflows.orchestration.sequence import picture, sequencer, work_sequence

THREE = (places.ROSTER, places.CONTRACTS, places.CHECKPOINTS)
"""The files that an order is computed from."""

DRAWINGS = {"text": picture.terminal, "mermaid": picture.mermaid}


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path[: len(path) - len(_base(path))]


BESIDE = (_base(places.CONTRACTS), _base(places.CHECKPOINTS))


def _roles(call: FileCall) -> dict[str, str]:
    """Which of the given files is which of the three: by its name, or else by its position in the call."""
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


def _computed(call: FileCall) -> tuple[work_sequence.Sequence, str]:
    """The order of the given design, and the file of its roster; findings name files as the call does."""
    names = _roles(call)
    roster, files, points = (names[place] for place in THREE)
    who = agent_roster.parse(call.files[roster], roster)
    agreed = contracts.parse_contracts(call.files[files], files)
    proofs = contracts.parse_checkpoints(call.files[points], points)
    try:
        return sequencer.sequence(who, agreed, proofs), roster
    except DocumentError as error:
        raise DocumentError(_renamed(error.findings, names)) from None


def _renamed(findings: Iterable[Finding], names: dict[str, str]) -> list[Finding]:
    return [replace(one, file=names.get(one.file, one.file)) for one in findings]


def _sequence(call: FileCall) -> FileOutcome:
    made, beside = _computed(call)
    text = work_sequence.render(made)
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
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        plain = None
    drawable = _base(name) == _base(places.SEQUENCE) or (isinstance(plain, dict) and "execution_phases" in plain)
    made = work_sequence.parse(data, name) if drawable else _computed(call)[0]
    form = call.params["format"]
    drawn = DRAWINGS[form](made)
    return FileOutcome(shown=drawn, data={"format": form, "drawing": drawn})


def _roster_check(call: FileCall) -> FileOutcome:
    """Checks a roster against the plan, the registry and itself."""
    name, data = next(iter(call.files.items()))
    who = agent_roster.parse(data, name)
    computed = agent_registry.completed(
        who.agents, _registry(call), _has(call), task_id=who.task_id, created=who.created
    )  # what code computes for the same agents
    findings = [
        *_against_the_plan(call, who, name),
        *_existence(who, computed, name),
        *roster_checks.guidance_findings(computed, name),
        *_renamed(sequencer.of_roster(who), {places.ROSTER: name}),
    ]
    kinds: tuple[tuple[agent_roster.Kind, str], ...] = (("doer", "doer"), ("verifier", "verifier"), ("poc", "PoC"))
    counted = ((len(who.of_kind(kind)), word) for kind, word in kinds)
    counts = ", ".join(f"{number} {word}{'s' * (number != 1)}" for number, word in counted)
    said = f"{counts}; missing: {', '.join(computed.missing_agents) or 'none'}"
    agents = {one: {"kind": who.agents[one].kind, "exists": computed.agents[one].exists} for one in sorted(who.agents)}
    return FileOutcome(findings=tuple(findings), said=(said,), data={"agents": agents})


def _against_the_plan(call: FileCall, who: agent_roster.Roster, name: str) -> list[Finding]:
    """The findings against the plan; without one, only the checks that need none run."""
    file = _base(places.summary(ids.slug(who.task_id)))
    given = next((one for one in call.files if _base(one) == file), None)
    summary = decode(call.files[given], given) if given else ""
    found = [*roster_checks.findings(who.agents, summary, name)]
    if given:
        return found
    problem = f"there is no {file} beside it, so its quotes cannot be checked"
    repair = "put the plan beside the roster"
    lacking = Finding(rule="roster.plan", problem=problem, repair=repair, file=name, severity="warning")
    return [lacking, *(one for one in found if one.rule != "roster.quote")]


def _existence(who: agent_roster.Roster, computed: agent_roster.Roster, name: str) -> Iterator[Finding]:
    for agent in sorted(who.agents):
        there = computed.agents[agent].exists
        if who.agents[agent].exists != there:
            problem = f"`exists` of {agent} is {str(not there).lower()}, but should be {str(there).lower()}"
            yield _flag("exists", problem, name, agent)
    if {*who.missing_agents} != {*computed.missing_agents}:
        wanted = ", ".join(computed.missing_agents) or "none"
        yield _flag("missing", f"`missing_agents` must list what is missing: {wanted}", name)
    if who.requires_user_action != computed.requires_user_action:
        wanted = str(computed.requires_user_action).lower()
        yield _flag("missing", f"`requires_user_action` must be {wanted}", name)


def _flag(rule: str, problem: str, file: str, about: str = "") -> Finding:
    repair = "correct the value, or let the run compute it"
    return Finding(rule=f"roster.{rule}", problem=problem, repair=repair, file=file, about=about)


def _registry(call: FileCall) -> agent_registry.Registry:
    """The built-in registry, then the person's, then the project's: the last one wins."""
    own = next((name for name in call.files if _base(name) == _base(places.REGISTRY)), None)
    levels = [(places.USER_REGISTRY, call.places.get(places.USER_REGISTRY)), (own, call.files[own] if own else None)]
    read = [agent_registry.parse(data, str(path)) for path, data in levels if data is not None]
    return agent_registry.merged(agent_registry.BUILT_IN, *read)


def _has(call: FileCall) -> Callable[[str], bool]:
    """Whether a file exists: in the person's home, beside the roster, or in the project."""
    folder = _folder(next(iter(call.files)))

    def has(path: str) -> bool:
        if path.startswith("~/"):
            return path in call.places
        return folder + path.removeprefix(f"{places.HOME}/") in call.files or call.read(path) is not None

    return has


def _verify(call: FileCall) -> FileOutcome:
    """The checklist of a design, without the design-verifier's findings (`design_verification.json`)."""
    if places.ROSTER not in call.places:
        raise UsageError(
            f"there is no {places.ROSTER}, so there is no design to verify",
            repair="give the folder of a project that has one with --project",
        )
    who = agent_roster.parse(call.places[places.ROSTER], places.ROSTER)
    designed = (path for path in call.places if path.endswith((".json", ".md")) and "/task_output/" not in path)
    texts = {path: decode(call.places[path], path) for path in designed}  # without the results of agents
    made = design_checklist.verified(design_files.read(texts, ids.slug(who.task_id)), None, who.created)
    findings = [Finding(**one.model_dump(exclude={"area"})) for check in made.checks for one in check.findings]
    said = [f"{check.check}: {check.result}" for check in made.checks]
    return FileOutcome(findings=tuple(findings), said=tuple(said), data=json.loads(design_verification.render(made)))


PERSONAS = tuple(
    place
    for entry in agent_registry.BUILT_IN.interactive_agents.values()
    for place in agent_registry.command_places(entry.command_file)
    if place.startswith(places.AT_HOME)
)
"""The commands of the built-in personas, as `signoff install --user` writes them."""

COMMANDS = (
    FileCommand(
        name="sequence",
        about="Compute the order of the work from a roster; its file contracts and checkpoints are read from beside it",
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
                about="text for a terminal, or Mermaid for a page",
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
        places=(places.USER_REGISTRY, f"{places.PROTOCOLS}*.md", f"{places.COMMANDS}*.md", *PERSONAS),
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
