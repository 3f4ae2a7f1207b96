"""The offline role players: code that does the job of each agent on a brief in Markdown, with no model.

They get what an agent gets, act on the world only through the tools of their turn, and give one YAML document back.
The same assignment over the same inputs gives the same output, byte for byte. They work on English and Chinese.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.workflow import RolePlayer
from signoff.workflows.clarify.players.analyst import detailed_research
from signoff.workflows.clarify.players.confirmer import confirm_decisions
from signoff.workflows.clarify.players.consolidator import consolidate_research
from signoff.workflows.clarify.players.refiner import section_refiner
from signoff.workflows.clarify.players.researcher import dimension_researcher

__all__ = [
    "PLAYERS",
    "confirm_decisions",
    "consolidate_research",
    "detailed_research",
    "dimension_researcher",
    "section_refiner",
]

PLAYERS: Final[Mapping[str, RolePlayer]] = {
    "dimension-researcher": dimension_researcher,
    "consolidate-research": consolidate_research,
    "detailed-research": detailed_research,
    "section-refiner": section_refiner,
    "confirm-decisions": confirm_decisions,
}
