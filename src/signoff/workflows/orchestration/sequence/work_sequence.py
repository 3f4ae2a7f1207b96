"""`workflow_sequence.json`: phases, critical path and graph, as `sequencer` computes them."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId


class Placed(Form):
    """One agent in its phase; `dependencies_satisfied_by_phase` is the last phase that it waits for."""

    agent_name: Name
    agent_type: Literal["doer", "verifier", "poc"]
    verifies: tuple[Name, ...] | None = None
    dependencies_satisfied_by_phase: int | None = None
    estimated_duration: Literal["unknown"] = "unknown"


class Phase(Form):
    """Agents that work at the same time."""

    phase_id: int
    phase_name: Text
    parallel: bool
    agents: tuple[Placed, ...]


class Parallelisation(Form):
    """How wide and how long the work is."""

    total_agents: int
    max_parallel_agents: int
    sequential_phases: int
    parallel_phases: int


class Sequence(Form):
    """The order of the work. `dependency_graph` names for each agent those it waits for; `notes` the forced orders.

    A verifier that has several doers comes once for each of them. In the graph, who waits for the verification of such
    a doer waits for the doer, by its name; everywhere else a doer is waited for by the name of its verifier.
    """

    task_id: TaskId
    created: Epoch
    execution_phases: tuple[Phase, ...]
    total_phases: int
    parallelization_summary: Parallelisation
    critical_path: tuple[Name, ...]
    dependency_graph: dict[Name, tuple[Name, ...]]
    notes: tuple[str, ...] = ()

    @cached_property
    def verifies(self) -> dict[str, tuple[str, ...]]:
        """The doers of each verifier."""
        found: dict[str, set[str]] = {}
        for phase in self.execution_phases:
            for one in phase.agents:
                found.setdefault(one.agent_name, set()).update(one.verifies or ())
        return {name: tuple(sorted(doers)) for name, doers in sorted(found.items()) if doers}

    @cached_property
    def waits_for(self) -> dict[str, tuple[str, ...]]:
        """For each doer and PoC, the agents whose work must be verified first."""
        placed = {one.agent_name for phase in self.execution_phases for one in phase.agents}
        return {
            name: tuple(
                sorted({doer for one in self.dependency_graph.get(name, ()) for doer in self.verifies.get(one, (one,))})
            )
            for name in sorted(placed - self.verifies.keys())
        }


def before(sequence: Sequence, agent: str) -> frozenset[str]:
    """All agents that an agent waits for, directly or through others."""
    waits, found, left = sequence.waits_for, set[str](), [agent]
    while left:
        fresh = {*waits.get(left.pop(), ())} - found
        found |= fresh
        left += fresh
    return frozenset(found)


parse = jsonio.parser(Sequence, "sequence")


def render(value: Sequence) -> str:
    """The sequence as JSON; `null` says that an agent waits for no phase."""
    plain = value.model_dump(mode="json")
    for phase in plain["execution_phases"]:
        for agent in phase["agents"]:
            if agent["verifies"] is None:
                del agent["verifies"]
    return jsonio.written(plain)
