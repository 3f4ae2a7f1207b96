"""The ways in which the agents of a piece misbehave on purpose, so that every refusal can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.declarations import Assignment, Tools
from signoff.workflows.kit.fault_plans import ANY_AGENT, OFF_SCHEMA, Faults, Output, Spoil, sets


def _stranger(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A critic who was not among the candidates."""
    output["advisorIds"] = [*output.get("advisorIds", []), "somebody-famous"]


_HIGH: Final = {"severity": "high", "description": "seeded fault", "suggestion": "look twice"}
SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: sets(confidence="high"),
    "stranger": _stranger,
    "flattering": sets(**{"pass": True, "issues": [_HIGH]}),  # a pass is computed, so the claim changes nothing
    "out-of-range": sets(score=11),
    "empty": sets(content="  "),
    "boasting": sets(status="approved"),  # the turn says that it waits, although it was not asked to
}
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "critic-selector": (*ANY_AGENT, "stranger"),
    "orchestrator": (*ANY_AGENT, "boasting"),
    "author": (*ANY_AGENT, "empty"),
    "critic": (*ANY_AGENT, "flattering", "out-of-range"),
}
"""Which agent can go wrong in which way."""

FAULTS: Final = Faults(KINDS, SPOIL)
