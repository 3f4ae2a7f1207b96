"""Code that assembles a page from a filled product sheet: what the runtime `offline` of this workflow is.

It writes no text of its own. Sentences come from the sheet; the plan, the headings around them and the reasons are
fixed forms that are filled in. A turn gets what an agent's turn gets, acts on the world only through its tools, and
gives one YAML document back. The same assignment over the same inputs gives the same output, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff import RolePlayer
from signoff.workflows.solution_page.assembler.copywriter import copywriter
from signoff.workflows.solution_page.assembler.editor import editor
from signoff.workflows.solution_page.assembler.strategist import strategist

__all__ = ["ASSEMBLER", "copywriter", "editor", "strategist"]

ASSEMBLER: Final[Mapping[str, RolePlayer]] = {"strategist": strategist, "copywriter": copywriter, "editor-qa": editor}
