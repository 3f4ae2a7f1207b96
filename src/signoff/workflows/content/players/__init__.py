"""The offline role players: code that does the job of each agent by stated rules, with no model.

They get what an agent gets, act on the world only through the tools of their turn, and give one YAML document back.
The same assignment over the same inputs gives the same output, byte for byte. They work on English.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.workflow import RolePlayer
from signoff.workflows.content.players.author import author
from signoff.workflows.content.players.critic import critic
from signoff.workflows.content.players.judging import judge
from signoff.workflows.content.players.selector import critic_selector

__all__ = ["PLAYERS", "author", "critic", "critic_selector", "judge"]

PLAYERS: Final[Mapping[str, RolePlayer]] = {"author": author, "critic": critic, "critic-selector": critic_selector}
