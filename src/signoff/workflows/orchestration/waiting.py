"""Who waits for whom, and why: by dependencies, by gates of PoCs, and by the files that contracts name.

Waiting for a doer is waiting for its verification, so a task waits for units. Within a unit the verifier waits for its
doer, which goes without saying, and nobody for anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from signoff.core.findings import Finding
from signoff.workflows.orchestration import graph, places
from signoff.workflows.orchestration.checkpoints import Checkpoints
from signoff.workflows.orchestration.crew import NEVER, Crew, Task, together
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.patterns import Index
from signoff.workflows.orchestration.roster import Roster

Waits = dict[Task, dict[str, str]]
"""For each task the units that it waits for, each with the reason."""

_SHOWN = 6
"""How many steps of a cycle are explained; the cycle itself is always named whole."""


@dataclass(slots=True)
class Waiting:
    """What is said about who waits for whom; `supposed` are reads that name nobody, `wanted` who takes no part."""

    crew: Crew
    roster: Roster
    waits: Waits
    supposed: Waits
    wanted: dict[str, set[str]] = field(default_factory=dict)

    def want(self, name: str, why: str) -> None:
        """Somebody counts on an agent that takes no part."""
        self.wanted.setdefault(name, set()).add(why)

    def add(self, task: Task, name: str, why: str, *, aside: bool) -> None:
        """The task waits for an agent; `aside` says that it is no contradiction to name somebody of one's own unit."""
        units = {one.unit for one in self.crew.tasks(name)}
        if not units:
            self.want(name, why)
        if aside or units != {task.unit}:
            units -= {task.unit, *self.crew.verified.get(task.agent, ())}
        for unit in units:
            self.waits[task].setdefault(unit, why)


def waiting(crew: Crew, roster: Roster, contracts: FileContracts, checkpoints: Checkpoints) -> Waiting:
    """Everything that the three files say about it."""
    tasks = sorted({task for unit in crew.units for task in (Task(unit), crew.end(unit))})
    found = Waiting(crew, roster, {task: {} for task in tasks}, {task: {} for task in tasks})
    for name in sorted(roster.agents):
        for task in crew.tasks(name):
            for other in sorted(roster.agents[name].dependencies):
                found.add(task, other, f"{name} depends on {other}", aside=bool(task.verifies))
    _gates(found)
    _reads(found, contracts)
    _strangers(found, contracts, checkpoints)
    return found


def _gates(found: Waiting) -> None:
    for poc in sorted(found.crew.pocs):
        for gated in sorted(found.roster.agents[poc].gates):
            why = f"{poc} gates {gated}"
            if not found.crew.tasks(gated):
                found.want(gated, why)
            for task in found.crew.tasks(gated):
                found.waits[task].setdefault(poc, why)


def _strangers(found: Waiting, contracts: FileContracts, checkpoints: Checkpoints) -> None:
    """What is said of a stranger is meant for somebody: it would be forgotten."""
    for name in contracts.agents.keys() - found.roster.agents.keys() - NEVER.keys():
        if not found.crew.tasks(name):
            found.want(name, "the file contracts have a contract for it")
    for name in {one.doer for one in checkpoints.checkpoints} - found.roster.agents.keys():
        found.want(name, "a checkpoint is for it")


# --- files ------------------------------------------------------------------------------------------------------------


def _reads(found: Waiting, contracts: FileContracts) -> None:
    """A read waits for whom it names. Where it names nobody, it waits for everybody who may write the path."""
    writers = _writers(found.crew, contracts)
    index = Index.of(writers)
    for name in sorted(contracts.agents):
        contract = contracts.agents[name]
        for task in found.crew.tasks(name):
            for read in contract.reads:
                if read.source:
                    found.add(task, read.source, f"{name} reads {read.path} from {read.source}", aside=True)
            if not task.verifies:  # what a verifier reads besides is as it finds it
                open_reads = sorted({read.path for read in contract.reads if not read.source})
                mine = {path for one in contract.writes for path in index.overlapping(one.path)} if open_reads else ()
                for read_path in open_reads:
                    for path in index.overlapping(read_path):
                        if path not in mine:  # who writes it too gets a place among its writers anyway
                            _suppose(found, task, read_path, path, writers[path])


def _writers(crew: Crew, contracts: FileContracts) -> dict[str, list[str]]:
    """The agents that write each path or pattern, of those who take part."""
    found: dict[str, list[str]] = {}
    for name in sorted(contracts.agents):
        if crew.tasks(name):
            for path in sorted({one.path for one in contracts.agents[name].writes}):
                found.setdefault(path, []).append(name)
    return found


def _suppose(found: Waiting, task: Task, read: str, path: str, writers: list[str]) -> None:
    as_said = read if read == path else f"{read} ({path})"
    for name in writers:
        for other in found.crew.tasks(name):
            if other.unit != task.unit and other.unit not in found.waits[task]:
                found.supposed[task].setdefault(other.unit, f"{task.agent} reads {as_said}, which {name} writes")


def settle(found: Waiting) -> list[str]:
    """Takes in what was supposed, but for reads of a path that is written later by what is said elsewhere.

    Such a read can only mean what was there before; a note says so. What is said elsewhere must be free of cycles.
    """
    said, supposed = units(found.crew, found.waits), units(found.crew, found.supposed)
    whole = {unit: before | supposed[unit] for unit, before in said.items()}
    seen, bits = graph.reached(said, [unit for knot in graph.knots(whole) for unit in knot])
    notes = []
    for task, before in found.supposed.items():
        for unit, why in sorted(before.items()):
            if seen[unit] & bits.get(task.unit, 0):
                notes.append(f"{why}: it is read as it was before, for {unit} comes after {task.unit}")
            else:
                found.waits[task][unit] = why
    return notes


# --- what is wrong ----------------------------------------------------------------------------------------------------


def units(crew: Crew, waits: Waits) -> dict[str, set[str]]:
    """Who waits for whom between units."""
    found: dict[str, set[str]] = {unit: set() for unit in crew.units}
    for task, before in waits.items():
        found[task.unit] |= before.keys()
    return found


def missing(found: Waiting) -> Iterator[Finding]:
    """Agents that somebody counts on and that take no part."""
    for name, why in sorted(found.wanted.items()):
        wants = together(sorted(why))
        if name in NEVER or name in found.roster.agents:
            reason = NEVER.get(name, "it takes no part, for no checkpoint names it")
            problem, repair = f"{wants}; {reason}", f"name somebody else than {name}, or nobody"
        else:
            problem = f"{name} is not in the roster, and {wants}"
            repair = f"let the roster-designer run again to add {name}, or name an agent of the roster"
        yield Finding(rule="sequence.missing", problem=problem, repair=repair, file=places.ROSTER, about=name)


def cycles(found: Waiting) -> Iterator[Finding]:
    """The shortest cycle of each knot, whole, and why each waits for the next."""
    for cycle in graph.cycles(units(found.crew, found.waits)):
        steps = list(pairwise(cycle))
        why = [_why(found, one, other) for one, other in steps[:_SHOWN]]
        if len(steps) > _SHOWN:
            why.append(f"and {len(steps) - _SHOWN} more steps")
        yield Finding(
            rule="sequence.cycle",
            problem=f"{' -> '.join(cycle)}: each waits for the next, so none can begin ({'; '.join(why)})",
            repair="drop one of these steps: a dependency or a gate in the roster, or a read in the file contracts",
            file=places.ROSTER,
            about=" -> ".join(cycle),
        )


def _why(found: Waiting, unit: str, other: str) -> str:
    both = (found.waits[task] for task in (Task(unit), found.crew.end(unit)))
    return next(before[other] for before in both if other in before)
