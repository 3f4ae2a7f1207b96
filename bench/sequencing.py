"""The order of the work of many agents, from a roster, file contracts and checkpoints that nobody has seen before.

Of five edges to an agent, three are dependencies and two are files that are read; one in twenty needs a thing that
others need too. The time is that of the processor. The floor is the topological sort of the standard library over the
same edges, which puts the agents in some order and knows neither files nor verifiers nor phases. What one agent costs
should be the same however many there are: the last lines show it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median

from bench.figures import Figure, Part, timed
from signoff.workflows.orchestration.documents.agent_roster import Member, Roster
from signoff.workflows.orchestration.documents.contracts import (
    Checkpoint,
    Checkpoints,
    Criterion,
    FileContract,
    FileContracts,
    Read,
    Written,
)
from signoff.workflows.orchestration.sequence.path_patterns import overlap
from signoff.workflows.orchestration.sequence.sequencer import sequence

SIZE = 1_000
SIZES = (1_000, 2_500, 5_000, 10_000)
OF = "graphlib, the same edges"
AT = 1_727_539_200
NEAR = 200
"""How far back an agent looks for those it waits for: so phases grow in number, as in a long plan."""

Design = tuple[Roster, FileContracts, Checkpoints]


def a_design(size: int, number: int) -> tuple[Design, dict[str, set[str]]]:
    """A design and its edges; `number` makes it another one."""
    chance = random.Random(number)
    names = [f"maker_{number}_{at:05}_agent" for at in range(size)]
    members, contracts, edges = {}, {}, {}
    for at, name in enumerate(names):
        before = names[max(0, at - NEAR) : at]
        waits = chance.sample(before, min(5, len(before)))
        edges[name] = set(waits)
        members[name] = Member(role="makes", dependencies=tuple(waits[:3]), task_id=f"{name}_{AT}", exists=True)
        contracts[name] = FileContract(
            reads=(
                *(Read.model_validate({"path": f"docs/{one}.md", "from": one}) for one in waits[3:4]),
                *(Read(path=f"src/{one}/api.py") for one in waits[4:5]),
            ),
            writes=(Written(path=f"src/{name}/"), Written(path=f"docs/{name}.md")),
            resources=(f"machine {at // 400}",) if at % 20 == 0 else (),
        )
    head = {"task_id": f"bench_{AT}", "created": AT}
    criteria = (Criterion(id="c1", text="It works", evidence="the output of the tests"),)
    checks = tuple(Checkpoint(id=name, doer=name, criteria=criteria) for name in names)
    design = (
        Roster.model_validate({**head, "agents": members}),
        FileContracts.model_validate({**head, "agents": contracts}),
        Checkpoints.model_validate({**head, "checkpoints": checks}),
    )
    return design, edges


def measure(home: Path, quick: bool) -> Part:  # noqa: ARG001 - no file is written
    times = 1 if quick else 5
    design, edges = a_design(SIZE, 0)
    made = sequence(*design)
    floor = median(timed(lambda: list(TopologicalSorter(edges).static_order()), 9, time.process_time))
    count = f"{SIZE:,} agents, {sum(map(len, edges.values())):,} edges"
    figures = [Figure("sequencing", f"{count}: {OF}", floor * 1e3, "ms", 1.0, "the same")]
    taken = _taken(SIZE, times, 100)
    figures.append(Figure("sequencing", f"{count}: the sequence", taken * 1e3, "ms", taken / floor, OF, "under 500 ms"))
    figures += _growth(SIZES[:2] if quick else SIZES, times)
    figures.append(_pairs(times))
    return Part(figures, {"phases": f"{made.total_phases:,}", "forced orders": f"{len(made.notes):,}"})


def _taken(size: int, times: int, first: int) -> float:
    designs = [a_design(size, first + number)[0] for number in range(times)]
    return median(timed(_one(design), 1, time.process_time)[0] for design in designs)


def _one(design: Design) -> Callable[[], object]:
    return lambda: sequence(*design)


def _growth(sizes: Sequence[int], times: int) -> list[Figure]:
    shares = {size: _taken(size, times, 1_000) / size for size in sizes}
    least = shares[sizes[0]]
    return [
        Figure("sequencing", f"per agent of {size:,}", share * 1e6, "µs", share / least, f"of {sizes[0]:,}", "flat")
        for size, share in shares.items()
    ]


def _pairs(times: int) -> Figure:
    """Two patterns of many stars, where every way has to be tried, against two that differ where they begin."""
    hard = ("src/**/a*b*c.py", "src/*a/**/*b*/c?[a-d]*[!c].py")
    easy = ("src/a/**", "lib/b/**")
    took, least = (
        median(timed(lambda pair=pair: overlap(*pair), 20 * times, time.process_time)) for pair in (hard, easy)
    )
    return Figure("sequencing", "two patterns of many stars", took * 1e6, "µs", took / least, "two with other folders")
