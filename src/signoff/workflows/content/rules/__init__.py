"""The rules by which offline critics judge a draft and the offline author mends it, each a pure function.

They speak English; about Chinese text the rules on words and sentences say nothing. Numbers behind the rules stand at
the top of each module, the words in words.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.workflows.content.rules import access, action, claims, headline, load, reading, search, structure, wording
from signoff.workflows.content.rules.piece import Found, Piece, Rule

__all__ = ["RULES", "Found", "Piece", "Rule"]

_MODULES = (load, headline, action, structure, claims, search, wording, reading, access)
RULES: Final[Mapping[str, Rule]] = {rule.id: rule for module in _MODULES for rule in module.RULES}
