"""The ways in which the agents of a piece misbehave on purpose, so that every refusal can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.declarations import Assignment, Tools
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil


def _off_schema(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A field nobody asked for."""
    output["confidence"] = "high"


def _stranger(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A critic who was not among the candidates."""
    output["advisorIds"] = [*output.get("advisorIds", []), "somebody-famous"]


def _flattering(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A pass that the issues contradict: it is computed, so it changes nothing."""
    output["pass"] = True
    output["issues"] = [{"severity": "high", "description": "seeded fault", "suggestion": "look twice"}]


def _out_of_range(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["score"] = 11


def _empty(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["content"] = "  "


def _boasting(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It says that it waits although nobody asked it to."""
    output["status"] = "approved"


SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: _off_schema,
    "stranger": _stranger,
    "flattering": _flattering,
    "out-of-range": _out_of_range,
    "empty": _empty,
    "boasting": _boasting,
}
_ANYONE: Final = (MALFORMED, OFF_SCHEMA, CRASH)
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "critic-selector": (*_ANYONE, "stranger"),
    "orchestrator": (*_ANYONE, "boasting"),
    "author": (*_ANYONE, "empty"),
    "critic": (*_ANYONE, "flattering", "out-of-range"),
}
"""Which agent can go wrong in which way."""

FAULTS: Final = Faults(KINDS, SPOIL)
