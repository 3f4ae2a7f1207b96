"""Which agents take part in the work, which wait for which, and why: dependencies, gates of PoCs, files of contracts.

A doer and its verification are one unit, and so is a PoC. Waiting for a doer means waiting for its verification, so a
task waits for units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_roster import Kind, Roster
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts
from signoff.workflows.orchestration.ids import ARCHIVAL, LONGEST, TSA, default_verifier
from signoff.workflows.orchestration.sequence import dependency_graph
from signoff.workflows.orchestration.sequence.path_patterns import Index

NEVER = {
    TSA: "it is called if an agent escalates, and has no place in a sequence",
    ARCHIVAL: "archiving is done by code after the last phase",
}
"""Agents that never take part, and why."""
_SHOWN = 6
"""How many steps of a cycle are explained; the cycle itself is always named whole."""


class Task(NamedTuple):
    """One piece of work: an agent, and for a verifier the doer whose work it verifies. A verifier may have several."""

    agent: str
    verifies: str = ""

    @property
    def unit(self) -> str:
        """The doer or PoC whose work it belongs to."""
        return self.verifies or self.agent


@dataclass(frozen=True, slots=True)
class Crew:
    """The agents that take part: the verifier of each doer, the PoCs, and the doers of each verifier."""

    verifiers: dict[str, str]
    pocs: frozenset[str]
    verified: dict[str, list[str]]

    @property
    def units(self) -> list[str]:
        return sorted((*self.verifiers, *self.pocs))

    def end(self, unit: str) -> Task:
        """The last task of a unit: for a doer its verification."""
        return Task(self.verifiers[unit], unit) if unit in self.verifiers else Task(unit)

    def tasks(self, agent: str) -> tuple[Task, ...]:
        """The tasks of an agent: a verifier has one for each doer, an agent that takes no part has none."""
        if agent in self.verified:
            return tuple(Task(agent, doer) for doer in self.verified[agent])
        return (Task(agent),) if agent in self.verifiers or agent in self.pocs else ()

    def kind(self, task: Task) -> Kind:
        return "verifier" if task.verifies else "doer" if task.agent in self.verifiers else "poc"


def crew(roster: Roster, checkpoints: Checkpoints) -> tuple[Crew, list[Finding]]:
    """The crew, and what is wrong with it. A doer without a checkpoint gets its default verifier, to go on."""
    given: dict[str, set[str]] = {}
    for one in checkpoints.checkpoints:
        given.setdefault(one.doer, set()).add(one.verified_by)
    doers = [name for name in roster.of_kind("doer") if _takes_part(roster, name)]
    verifiers = {doer: min(given[doer]) if doer in given else default_verifier(doer) for doer in doers}
    verified: dict[str, list[str]] = {}
    for doer, verifier in verifiers.items():
        verified.setdefault(verifier, []).append(doer)
    pocs = frozenset(name for name in roster.of_kind("poc") if _takes_part(roster, name))
    made = Crew(verifiers, pocs, verified)
    return made, [*_never(roster), *_unverified(made, roster, given)]


def idle(roster: Roster, made: Crew) -> list[str]:
    """The verifiers of the roster that no checkpoint names."""
    return [name for name in roster.of_kind("verifier") if name not in made.verified and _takes_part(roster, name)]


def _takes_part(roster: Roster, name: str) -> bool:
    return name not in NEVER and roster.type_of(name) not in NEVER


def _never(roster: Roster) -> Iterator[Finding]:
    for name in sorted(roster.agents):
        if not _takes_part(roster, name):
            why = NEVER[name if name in NEVER else roster.type_of(name)]
            problem, repair = f"{name} is in the roster; {why}", f"take {name} out of the roster"
            yield Finding(rule="sequence.never", problem=problem, repair=repair, file=places.ROSTER, about=name)


def _unverified(made: Crew, roster: Roster, given: dict[str, set[str]]) -> Iterator[Finding]:
    """Doers whose work no agent verifies, or several do, or one that cannot."""

    def finding(doer: str, problem: str, repair: str) -> Finding:
        rule = "sequence.unverified"
        return Finding(rule=rule, problem=problem, repair=repair, file=places.CHECKPOINTS, about=doer)

    for doer in made.verifiers:
        if doer not in given:
            repair = f"add a checkpoint for {doer}; unless it names another, {default_verifier(doer)} verifies it"
            yield finding(doer, f"{doer} has no checkpoint, so no agent verifies its work", repair)
    for doer, verifiers in sorted(given.items()):
        if len(verifiers) > 1:
            problem = f"{doer} has checkpoints with several verifiers: {', '.join(sorted(verifiers))}"
            yield finding(doer, problem, "keep one checkpoint, with one verifier")
    for verifier, doers in sorted(made.verified.items()):
        kind = roster.agents[verifier].kind if verifier in roster.agents else "verifier"
        if kind != "verifier" or verifier in NEVER:
            what = f"is a {kind} of the roster" if verifier not in NEVER else "verifies nothing"
            problem = f"{verifier}, who would verify {together(doers)}, {what}"
            yield finding(doers[0], problem, "name a verifier in the checkpoint")
    for doer, verifier in made.verifiers.items():
        if len(verifier) > LONGEST:
            problem = f"the verifier of {doer} would have a name of {len(verifier)} characters, {LONGEST} at most"
            yield finding(doer, problem, "name a verifier in the checkpoint, or give the doer a shorter name")


def together(names: Sequence[str]) -> str:
    """Names as a list in a sentence: `a, b and c`."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


# --- who waits for whom -----------------------------------------------------------------------------------------------

Waits = dict[Task, dict[str, str]]
"""For each task, the units that it waits for and the reasons."""


@dataclass(slots=True)
class Waiting:
    """What each task waits for; `supposed`: reads that name no writer; `wanted`: agents that take no part."""

    crew: Crew
    roster: Roster
    waits: Waits
    supposed: Waits
    wanted: dict[str, set[str]] = field(default_factory=dict)

    def add(self, task: Task, name: str, why: str, *, aside: bool) -> None:
        """Makes the task wait for an agent. With `aside`, an agent of its own unit is no contradiction."""
        units = {one.unit for one in self.crew.tasks(name)}
        if not units:
            self.want(name, why)
        if aside or units != {task.unit}:
            units -= {task.unit, *self.crew.verified.get(task.agent, ())}
        for unit in units:
            self.waits[task].setdefault(unit, why)

    def want(self, name: str, why: str) -> None:
        self.wanted.setdefault(name, set()).add(why)


def waiting(crew: Crew, roster: Roster, contracts: FileContracts, checkpoints: Checkpoints) -> Waiting:
    """Everything that the three files say about waiting."""
    tasks = sorted({task for unit in crew.units for task in (Task(unit), crew.end(unit))})
    found = Waiting(crew, roster, {task: {} for task in tasks}, {task: {} for task in tasks})
    for name in sorted(roster.agents):
        for task in crew.tasks(name):
            for other in sorted(roster.agents[name].dependencies):
                found.add(task, other, f"{name} depends on {other}", aside=bool(task.verifies))
    for poc in sorted(crew.pocs):
        for gated in sorted(roster.agents[poc].gates):
            why = f"{poc} gates {gated}"
            if not crew.tasks(gated):
                found.want(gated, why)
            for task in crew.tasks(gated):
                found.waits[task].setdefault(poc, why)
    _reads(found, contracts)
    for name in contracts.agents.keys() - roster.agents.keys() - NEVER.keys():
        if not crew.tasks(name):
            found.want(name, "the file contracts have a contract for it")
    for name in {one.doer for one in checkpoints.checkpoints} - roster.agents.keys():
        found.want(name, "a checkpoint is for it")
    return found


def _reads(found: Waiting, contracts: FileContracts) -> None:
    """A read waits for the agent it names. If it names none, it waits for every agent that may write the path."""
    taking_part = [name for name in sorted(contracts.agents) if found.crew.tasks(name)]
    writers: dict[str, list[str]] = {}
    for name in taking_part:
        for path in sorted({one.path for one in contracts.agents[name].writes}):
            writers.setdefault(path, []).append(name)
    index = Index.of(writers)
    for name in taking_part:
        contract = contracts.agents[name]
        for task in found.crew.tasks(name):
            for read in contract.reads:
                if read.source:
                    found.add(task, read.source, f"{name} reads {read.path} from {read.source}", aside=True)
            if task.verifies:  # a verifier reads other files as they are
                continue
            unnamed = sorted({read.path for read in contract.reads if not read.source})
            mine = {path for one in contract.writes for path in index.overlapping(one.path)} if unnamed else ()
            for read_path in unnamed:
                for path in index.overlapping(read_path):
                    if path not in mine:  # an agent that also writes it is ordered among its writers anyway
                        _suppose(found, task, read_path, path, writers[path])


def _suppose(found: Waiting, task: Task, read: str, path: str, writers: list[str]) -> None:
    as_said = read if read == path else f"{read} ({path})"
    for name in writers:
        for other in found.crew.tasks(name):
            if other.unit != task.unit and other.unit not in found.waits[task]:
                found.supposed[task].setdefault(other.unit, f"{task.agent} reads {as_said}, which {name} writes")


def settle(found: Waiting) -> list[str]:
    """Adds what was supposed, except for reads of a path whose writer comes later by what the files say.

    Such a read can only mean the file as it was before, and a note says so. What the files say must have no cycles.
    """
    said, supposed = units(found.crew, found.waits), units(found.crew, found.supposed)
    whole = {unit: before | supposed[unit] for unit, before in said.items()}
    seen, bits = dependency_graph.reached(said, [unit for knot in dependency_graph.knots(whole) for unit in knot])
    notes = []
    for task, before in found.supposed.items():
        for unit, why in sorted(before.items()):
            if seen[unit] & bits.get(task.unit, 0):
                notes.append(f"{why}: it is read as it was before, for {unit} comes after {task.unit}")
            else:
                found.waits[task][unit] = why
    return notes


def units(crew: Crew, waits: Waits) -> dict[str, set[str]]:
    """The units that each unit waits for."""
    found: dict[str, set[str]] = {unit: set() for unit in crew.units}
    for task, before in waits.items():
        found[task.unit] |= before.keys()
    return found


def missing(found: Waiting) -> Iterator[Finding]:
    """Agents that others wait for and that take no part."""
    for name, why in sorted(found.wanted.items()):
        wants = together(sorted(why))
        if name in NEVER or name in found.roster.agents:
            reason = NEVER.get(name, "it takes no part, for no checkpoint names it")
            problem, repair = f"{wants}; {reason}", f"name another agent than {name}, or none"
        else:
            problem = f"{name} is not in the roster, and {wants}"
            repair = f"let the roster-designer run again to add {name}, or name an agent of the roster"
        yield Finding(rule="sequence.missing", problem=problem, repair=repair, file=places.ROSTER, about=name)


def cycles(found: Waiting) -> Iterator[Finding]:
    """The shortest cycle of each knot, and why each of its agents waits for the next."""
    for cycle in dependency_graph.cycles(units(found.crew, found.waits)):
        steps = list(pairwise(cycle))
        why = [_why(found, one, other) for one, other in steps[:_SHOWN]]
        if len(steps) > _SHOWN:
            why.append(f"and {len(steps) - _SHOWN} more steps")
        around = " -> ".join(cycle)
        yield Finding(
            rule="sequence.cycle",
            problem=f"{around}: each waits for the next, so none can begin ({'; '.join(why)})",
            repair="drop one of these steps: a dependency or a gate in the roster, or a read in the file contracts",
            file=places.ROSTER,
            about=around,
        )


def _why(found: Waiting, unit: str, other: str) -> str:
    both = (found.waits[task] for task in (Task(unit), found.crew.end(unit)))
    return next(before[other] for before in both if other in before)
