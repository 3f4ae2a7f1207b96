"""PoC-integration and best-practices-integration: a place for every trial, and practices for whom they concern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places, risks
from signoff.workflows.orchestration import sequence as sequences
from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.pocs import trial
from signoff.workflows.orchestration.players.relevance import concerning
from signoff.workflows.orchestration.risks import Poc
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.wording import content

MOST: Final = 6
"""So many practices an agent can keep in mind."""


def _places(desk: Desk) -> Payload:
    specs = risks.parse_specs(desk.files[places.POC_SPECS], places.POC_SPECS)
    phases = _phases(desk)
    return {"edits": [_edit(poc, phases, desk.roster) for poc in specs.pocs]}


def _phases(desk: Desk) -> Mapping[str, int]:
    """The phase in which each agent begins, as far as there is a sequence."""
    data = desk.data(places.SEQUENCE)
    if data is None:
        return {}
    found = sequences.parse(data, places.SEQUENCE)
    return {agent.agent_name: phase.phase_id for phase in found.execution_phases[::-1] for agent in phase.agents}


def _edit(poc: Poc, phases: Mapping[str, int], roster: Roster) -> dict[str, Any]:
    first = min((phases[gate] for gate in poc.gates if gate in phases), default=None)
    begins = f", begun in phase {first}," if first else ""
    behind = sorted(name for name, one in roster.agents.items() if set(poc.gates) & set(one.dependencies))
    work = f"the work of {' and '.join(poc.gates)}{begins} has to be done again"
    more = f", and then that of {' and '.join(behind)}" if behind else ""
    return {
        "edit": "add_poc",
        "poc_id": poc.poc_id,
        "name": f"{poc.poc_id}_{trial(poc.assumption)[0]}_agent",
        "reason": f"If this does not hold, {work}{more}: {squeeze(poc.assumption)}",
    }


def _practices(desk: Desk) -> Payload:
    doers = (name for name, member in desk.roster.agents.items() if member.kind == "doer")
    return {"practices": {name: chosen for name in doers if (chosen := _chosen(name, desk))}}


def _chosen(name: str, desk: Desk) -> list[str]:
    """Of what is known of the kind's technologies, what has the most words in common with the agent's task."""
    member = desk.roster.agents[name]
    domain = domains.of_agent(name, member.agent_type)
    task = content(" ".join((member.role, domain.description, *member.plan_actions)))
    research = concerning(domain, desk.research)
    every = dict.fromkeys(one.practice for found in research for one in found.best_practices)
    return sorted(every, key=lambda text: -len(content(text) & task))[:MOST]


poc_integration = player(_places)
best_practices_integration = player(_practices)
