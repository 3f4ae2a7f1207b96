"""The order of the work, computed: the same roster, contracts and checkpoints give the same bytes.

Whoever waits for nobody begins; everybody else comes in the first phase in which all they wait for is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import crew as crews
from signoff.workflows.orchestration import forcing, graph, places, waiting
from signoff.workflows.orchestration.checkpoints import Checkpoints
from signoff.workflows.orchestration.crew import Crew, Task, together
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.sequence import Parallelisation, Phase, Placed, Sequence

_NAMED = 3
"""How many agents give a phase its name; of more, the number is said."""


def sequence(roster: Roster, contracts: FileContracts, checkpoints: Checkpoints) -> Sequence:
    """The sequence, or DocumentError with everything that stands against it."""
    crew, findings = crews.crew(roster, checkpoints)
    found = waiting.waiting(crew, roster, contracts, checkpoints)
    findings += waiting.missing(found)
    notes = [
        f"{name} verifies nobody: no checkpoint names it, so it takes no part" for name in crews.idle(roster, crew)
    ]
    tangled = list(waiting.cycles(found))
    if not tangled:
        notes += waiting.settle(found)
        tangled = list(waiting.cycles(found))
    if tangled:
        raise DocumentError([*findings, *tangled])
    notes += forcing.force(found, contracts)
    tasks = forcing.tasks(found)
    levels = graph.levels(tasks)
    if not found.wanted:  # who is missing would change the phases
        findings += _shared(crew, levels)
    if findings:
        raise DocumentError(findings)
    return _sequence(roster, crew, tasks, levels, notes)


def of_roster(roster: Roster) -> list[Finding]:
    """The cycles that a roster has by itself, before there are contracts and checkpoints."""
    files = FileContracts(task_id=roster.task_id, created=roster.created, agents={})
    proofs = Checkpoints(task_id=roster.task_id, created=roster.created, checkpoints=())
    crew, _ = crews.crew(roster, proofs)
    return list(waiting.cycles(waiting.waiting(crew, roster, files, proofs)))


def _shared(crew: Crew, levels: Mapping[Task, int]) -> Iterator[Finding]:
    """One verifier for doers that work at the same time would have to be in two places."""
    for verifier, doers in sorted(crew.verified.items()):
        for level in sorted({levels[Task(doer)] for doer in doers}):
            at_once = [doer for doer in doers if levels[Task(doer)] == level]
            if len(at_once) > 1:
                own = together([default_verifier(doer) for doer in at_once])
                yield Finding(
                    rule="sequence.shared_verifier",
                    problem=f"{verifier} would verify {together(at_once)}, who work side by side in phase {level + 1}",
                    repair=f"give each a verifier of its own in the checkpoints (with none named: {own}), "
                    f"or let {at_once[1]} depend on {at_once[0]} in the roster",
                    file=places.CHECKPOINTS,
                    about=verifier,
                )


# --- the document -----------------------------------------------------------------------------------------------------


def _sequence(
    roster: Roster, crew: Crew, tasks: Mapping[Task, set[Task]], levels: Mapping[Task, int], notes: list[str]
) -> Sequence:
    rows: list[list[Task]] = [[] for _ in range(max(levels.values(), default=-1) + 1)]
    for task in sorted(levels):
        rows[levels[task]].append(task)
    return Sequence(
        task_id=roster.task_id,
        created=roster.created,
        execution_phases=tuple(_phase(number, row, crew) for number, row in enumerate(rows, 1)),
        total_phases=len(rows),
        parallelization_summary=Parallelisation(
            total_agents=len({task.agent for task in tasks}),
            max_parallel_agents=max(map(len, rows), default=0),
            sequential_phases=sum(len(row) == 1 for row in rows),
            parallel_phases=sum(len(row) > 1 for row in rows),
        ),
        critical_path=tuple(task.agent for task in graph.longest(tasks)),
        dependency_graph=_graph(crew, tasks),
        notes=tuple(notes),
    )


def _phase(number: int, row: list[Task], crew: Crew) -> Phase:
    return Phase(
        phase_id=number,
        phase_name=_name(row, crew),
        parallel=len(row) > 1,
        agents=tuple(
            Placed(
                agent_name=task.agent,
                agent_type=crew.kind(task),
                verifies=(task.verifies,) if task.verifies else None,
                dependencies_satisfied_by_phase=number - 1 or None,
            )
            for task in row
        ),
    )


def _name(row: list[Task], crew: Crew) -> str:
    """What is done in a phase, by the names of the agents: `Api, Web; verification of Database`."""
    of_kind = {kind: [task.unit for task in row if crew.kind(task) == kind] for kind in ("poc", "doer", "verifier")}
    parts = [
        f"{before}{_short(names)}"
        for before, names in zip(("PoC ", "", "verification of "), of_kind.values(), strict=True)
        if names
    ]
    said = "; ".join(parts)
    return said[:1].upper() + said[1:]


def _short(names: list[str]) -> str:
    bare = (name.removesuffix("_agent").removesuffix("_poc").removeprefix("poc_") for name in sorted(names))
    words = [name.replace("_", " ") for name in bare]
    titles = [word[:1].upper() + word[1:] for word in words]
    return ", ".join(titles[:_NAMED]) + (f" and {len(titles) - _NAMED} more" if len(titles) > _NAMED else "")


def _graph(crew: Crew, tasks: Mapping[Task, set[Task]]) -> dict[str, tuple[str, ...]]:
    """Whom each agent waits for, by name. Of a verifier with several doers the doer is named, or it would seem to wait
    for itself."""
    found: dict[str, set[str]] = {}
    for task, before in tasks.items():
        found.setdefault(task.agent, set()).update(_as_named(crew, before))
    return {name: tuple(sorted(before)) for name, before in sorted(found.items())}


def _as_named(crew: Crew, tasks: Iterable[Task]) -> Iterator[str]:
    for task in tasks:
        yield task.verifies if len(crew.verified.get(task.agent, ())) > 1 else task.agent
