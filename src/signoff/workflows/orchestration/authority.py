"""Who decides what: the category of a note says whose question it is (OR-22). In doubt it is somebody else's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Category = Literal[
    "technology", "architecture", "security", "requirement", "conflict", "consistency", "bug", "implementation",
    "documentation",
]  # fmt: skip
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
Decider = Literal["tactical_solution_architect", "person", "escalation_resolution", "agent_self"]

DECIDES: Final[Mapping[Category, Decider]] = {
    "technology": "tactical_solution_architect",
    "architecture": "tactical_solution_architect",
    "security": "tactical_solution_architect",
    "requirement": "person",
    "conflict": "escalation_resolution",
    "consistency": "agent_self",
    "bug": "agent_self",
    "implementation": "agent_self",
    "documentation": "agent_self",
}


def decided_by(decider: Decider) -> tuple[Category, ...]:
    """The categories that somebody decides."""
    return tuple(category for category, who in DECIDES.items() if who == decider)
