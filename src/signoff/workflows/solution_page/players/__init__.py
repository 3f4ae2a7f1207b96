"""The offline role players: code that does the job of each agent from structured sources, with no model.

They get what an agent gets, act on the world only through the tools of their turn, and give one YAML document back.
The same assignment over the same inputs gives the same output, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.workflow import RolePlayer
from signoff.workflows.solution_page.players.copywriter import copywriter
from signoff.workflows.solution_page.players.editor import editor
from signoff.workflows.solution_page.players.strategist import strategist

__all__ = ["PLAYERS", "copywriter", "editor", "strategist"]

PLAYERS: Final[Mapping[str, RolePlayer]] = {"strategist": strategist, "copywriter": copywriter, "editor-qa": editor}
