"""The offline role players: code that does the job of each agent on documents in English or Chinese, with no model.

They get what an agent gets and give one YAML document back; the same assignment over the same inputs gives the same
output, byte for byte. They invent nothing: what they state as a fact stands in a page or in the config, and what they
add is the author's voice, which states none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.workflow import RolePlayer
from signoff.workflows.article.players.config_creator import config_creator
from signoff.workflows.article.players.proofreader import proofreader
from signoff.workflows.article.players.researcher import web_researcher
from signoff.workflows.article.players.writer import outline_writer

__all__ = ["PLAYERS", "config_creator", "outline_writer", "proofreader", "web_researcher"]

PLAYERS: Final[Mapping[str, RolePlayer]] = {
    "config-creator": config_creator,
    "web-researcher": web_researcher,
    "outline-writer": outline_writer,
    "proofreader": proofreader,
}
