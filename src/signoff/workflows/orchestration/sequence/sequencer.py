"""Computes the order of the work: the same roster, contracts and checkpoints give the same bytes.

Agents that wait for no agent begin; every other agent comes in the first phase in which all it waits for is done.
Agents that write the same path, need the same resource or have the same verifier never work at the same time. They are
ordered by level, then by name, so a forced order contradicts no dependency. The later agent waits for the whole unit of
the earlier one, because a doer that fails its verification works again.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.sequence import dependency_graph, waits
from signoff.workflows.orchestration.sequence.path_patterns import Index
from signoff.workflows.orchestration.sequence.waits import Crew, Task, Waiting, together
from signoff.workflows.orchestration.sequence.work_sequence import Parallelisation, Phase, Placed, Sequence

_NAMED = 3
"""How many agents the name of a phase lists; the others are only counted."""


def sequence(roster: Roster, contracts: FileContracts, checkpoints: Checkpoints) -> Sequence:
    """The sequence, or DocumentError with everything that prevents one."""
    crew, findings = waits.crew(roster, checkpoints)
    found = waits.waiting(crew, roster, contracts, checkpoints)
    findings += waits.missing(found)
    idle = waits.idle(roster, crew)
    notes = [f"{name} verifies nobody: no checkpoint names it, so it takes no part" for name in idle]
    tangled = list(waits.cycles(found))
    if not tangled:
        notes += waits.settle(found)
        tangled = list(waits.cycles(found))
    if tangled:
        raise DocumentError([*findings, *tangled])
    notes += _force(found, contracts)
    tasks = _tasks(found)
    levels = dependency_graph.levels(tasks)
    if not found.wanted:  # a missing agent would change the phases
        findings += _shared(crew, levels)
    if findings:
        raise DocumentError(findings)
    return _sequence(roster, crew, tasks, levels, notes)


def of_roster(roster: Roster) -> list[Finding]:
    """The cycles of a roster alone, before there are contracts and checkpoints."""
    files = FileContracts(task_id=roster.task_id, created=roster.created, agents={})
    proofs = Checkpoints(task_id=roster.task_id, created=roster.created, checkpoints=())
    crew, _ = waits.crew(roster, proofs)
    return list(waits.cycles(waits.waiting(crew, roster, files, proofs)))


def _tasks(found: Waiting) -> dict[Task, set[Task]]:
    """The tasks that each task waits for."""
    after = {task: {found.crew.end(unit) for unit in before} for task, before in found.waits.items()}
    return {task: before | {Task(task.verifies)} if task.verifies else before for task, before in after.items()}


def _shared(crew: Crew, levels: Mapping[Task, int]) -> Iterator[Finding]:
    """Verifiers that would have to verify two doers at the same time."""
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


# --- forced orders ----------------------------------------------------------------------------------------------------

Place = tuple[int, str, bool, Task]
"""A task's place in the order: by the level and name of its unit, and a doer before its verifier."""


class Forced(NamedTuple):
    """One forced order: the task waits for the unit."""

    task: Task
    unit: str
    why: str


def _force(found: Waiting, contracts: FileContracts) -> list[str]:
    """Adds every order that does not follow from anything else, and gives a note for each."""
    levels = dependency_graph.levels(waits.units(found.crew, found.waits))
    orders = {(one.task, one.unit): one for one in reversed([*_orders(found.crew, contracts, levels)])}
    seen, bits = dependency_graph.reached(_tasks(found), {found.crew.end(unit) for _, unit in orders})
    notes = []
    for (task, unit), one in sorted(orders.items()):
        if not seen[task] & bits[found.crew.end(unit)]:
            found.waits[task][unit] = one.why
            named = f"{task.agent} (of {task.verifies})" if task.verifies else task.agent
            notes.append(f"{named} waits for {unit}: {one.why}")
    return notes


def _orders(crew: Crew, contracts: FileContracts, levels: Mapping[str, int]) -> Iterator[Forced]:
    """Enough orders to keep apart any two tasks that must not meet, directly or through others."""

    def placed(agents: Iterable[str]) -> list[Place]:
        return sorted(
            (levels[task.unit], task.unit, bool(task.verifies), task) for name in agents for task in crew.tasks(name)
        )

    taken = {name: one for name, one in contracts.agents.items() if crew.tasks(name)}
    resources: dict[str, set[str]] = {}
    writes: dict[str, set[str]] = {}
    for name, contract in taken.items():
        for thing in contract.resources:
            resources.setdefault(thing, set()).add(name)
        for written in contract.writes:
            writes.setdefault(written.path, set()).add(name)
    for thing, names in sorted(resources.items()):
        yield from _row(placed(names), f"both need {thing} for themselves")
    for verifier in sorted(crew.verified):
        yield from _row(placed([verifier]), f"{verifier} verifies one at a time")
    writers = {path: placed(names) for path, names in sorted(writes.items())}
    for path, row in writers.items():
        yield from _row(row, f"both write {path}")
    index = Index.of(writers)
    for path, row in writers.items():
        for other in index.overlapping(path):
            if path < other:
                yield from _between(row, writers[other], f"{path} and {other} can be one file, and both write it")


def _row(row: list[Place], why: str) -> Iterator[Forced]:
    """An order from each place to the next."""
    for earlier, later in pairwise(row):
        yield from _order(earlier, later, why)


def _between(some: list[Place], others: list[Place], why: str) -> Iterator[Forced]:
    """Two rows become one: each task of the shorter row finds its place in the longer one."""
    fewer, more = sorted((some, others), key=len)
    for place in fewer:
        at = bisect(more, place)
        yield from (order for one in more[at - 1 : at] for order in _order(one, place, why))
        yield from (order for one in more[at : at + 1] for order in _order(place, one, why))


def _order(earlier: Place, later: Place, why: str) -> Iterator[Forced]:
    if earlier[1] != later[1]:
        yield Forced(later[3], earlier[1], why)


# --- the document -----------------------------------------------------------------------------------------------------


def _sequence(
    roster: Roster, crew: Crew, tasks: Mapping[Task, set[Task]], levels: Mapping[Task, int], notes: list[str]
) -> Sequence:
    rows: list[list[Task]] = [[] for _ in range(max(levels.values(), default=-1) + 1)]
    for task in sorted(levels):
        rows[levels[task]].append(task)
    graph: dict[str, set[str]] = {}
    for task, before in tasks.items():
        # for a verifier with several doers the doer is named: the verifier does not wait for itself
        named = (one.verifies if len(crew.verified.get(one.agent, ())) > 1 else one.agent for one in before)
        graph.setdefault(task.agent, set()).update(named)
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
        critical_path=tuple(task.agent for task in dependency_graph.longest(tasks)),
        dependency_graph={name: tuple(sorted(before)) for name, before in sorted(graph.items())},
        notes=tuple(notes),
    )


def _phase(number: int, row: list[Task], crew: Crew) -> Phase:
    agents = tuple(
        Placed(
            agent_name=task.agent,
            agent_type=crew.kind(task),
            verifies=(task.verifies,) if task.verifies else None,
            dependencies_satisfied_by_phase=number - 1 or None,
        )
        for task in row
    )
    return Phase(phase_id=number, phase_name=_name(row, crew), parallel=len(row) > 1, agents=agents)


def _name(row: list[Task], crew: Crew) -> str:
    """The name of a phase, from those of its agents: `Api, Web; verification of Database`."""
    parts = []
    for kind, before in (("poc", "PoC "), ("doer", ""), ("verifier", "verification of ")):
        if units := sorted(task.unit for task in row if crew.kind(task) == kind):
            bare = (name.removesuffix("_agent").removesuffix("_poc").removeprefix("poc_") for name in units)
            titles = [name[:1].upper() + name[1:].replace("_", " ") for name in bare]
            more = f" and {len(titles) - _NAMED} more" if len(titles) > _NAMED else ""
            parts.append(f"{before}{', '.join(titles[:_NAMED])}{more}")
    said = "; ".join(parts)
    return said[:1].upper() + said[1:]
