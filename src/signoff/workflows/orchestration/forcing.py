"""Forced orders: who writes one path, needs one thing for itself or has one verifier never works at the same time.

The order is that of levels, then of names, so it contradicts no dependency. The later one waits for the whole unit of
the earlier one, because a doer that fails its verification works again while it is verified.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from signoff.workflows.orchestration import graph
from signoff.workflows.orchestration.crew import Crew, Task
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.patterns import Index
from signoff.workflows.orchestration.waiting import Waiting, units

Place = tuple[int, str, bool, Task]
"""Where a task stands in the order: its unit's level and name, and a doer before its verifier."""


class Forced(NamedTuple):
    """One forced order: the task waits for the unit."""

    task: Task
    unit: str
    why: str


def force(found: Waiting, contracts: FileContracts) -> list[str]:
    """Puts in every order that nothing else gives, and says so in a note each."""
    levels = graph.levels(units(found.crew, found.waits))
    orders = {(one.task, one.unit): one for one in reversed([*_orders(found.crew, contracts, levels)])}
    seen, bits = graph.reached(tasks(found), {found.crew.end(unit) for _, unit in orders})
    notes = []
    for (task, unit), one in sorted(orders.items()):
        if not seen[task] & bits[found.crew.end(unit)]:
            found.waits[task][unit] = one.why
            notes.append(f"{_named(task)} waits for {unit}: {one.why}")
    return notes


def tasks(found: Waiting) -> dict[Task, set[Task]]:
    """Who waits for whom between tasks."""
    after = {task: {found.crew.end(unit) for unit in before} for task, before in found.waits.items()}
    return {task: before | {Task(task.verifies)} if task.verifies else before for task, before in after.items()}


def _named(task: Task) -> str:
    return f"{task.agent} (of {task.verifies})" if task.verifies else task.agent


def _orders(crew: Crew, contracts: FileContracts, levels: Mapping[str, int]) -> Iterator[Forced]:
    """Enough orders that any two who must not meet are before and after each other, directly or by others between."""

    def placed(agents: Iterable[str]) -> list[Place]:
        return sorted(
            (levels[task.unit], task.unit, bool(task.verifies), task) for name in agents for task in crew.tasks(name)
        )

    taken = {name: one for name, one in contracts.agents.items() if crew.tasks(name)}
    resources = _by((thing, name) for name, one in taken.items() for thing in one.resources)
    for thing, names in sorted(resources.items()):
        yield from _row(placed(names), f"both need {thing} for themselves")
    for verifier in sorted(crew.verified):
        yield from _row(placed([verifier]), f"{verifier} verifies one at a time")
    writers = {
        path: placed(names)
        for path, names in _by((one.path, name) for name, given in taken.items() for one in given.writes).items()
    }
    for path, places in sorted(writers.items()):
        yield from _row(places, f"both write {path}")
    index = Index.of(path for path in writers)
    for path, places in sorted(writers.items()):
        for other in index.overlapping(path):
            if path < other:
                yield from _between(places, writers[other], f"{path} and {other} can be one file, and both write it")


def _by(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, name in pairs:
        found.setdefault(key, set()).add(name)
    return found


def _row(places: list[Place], why: str) -> Iterator[Forced]:
    """One after the other."""
    for earlier, later in pairwise(places):
        yield from _order(earlier, later, why)


def _between(some: list[Place], others: list[Place], why: str) -> Iterator[Forced]:
    """Two rows made one: whoever is of the shorter row finds its place in the longer one."""
    fewer, more = sorted((some, others), key=len)
    for place in fewer:
        at = bisect(more, place)
        yield from (order for one in more[at - 1 : at] for order in _order(one, place, why))
        yield from (order for one in more[at : at + 1] for order in _order(place, one, why))


def _order(earlier: Place, later: Place, why: str) -> Iterator[Forced]:
    if earlier[1] != later[1]:
        yield Forced(later[3], earlier[1], why)
