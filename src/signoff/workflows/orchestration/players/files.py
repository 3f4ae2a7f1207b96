"""The file-structure-designer: what each agent reads and writes, from the layout that all designers share.

The contract of a PoC is made by code, from its spec.
"""

from __future__ import annotations

from typing import Any

from signoff.workflows.orchestration.file_contracts import FileContract
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.layout import Layout


def _work(desk: Desk) -> Payload:
    layout = Layout(desk.reading, desk.roster)
    lasting = (name for name, member in desk.roster.agents.items() if member.kind != "poc")
    return {"agents": {name: _contract(name, layout) for name in lasting}}


def _contract(name: str, layout: Layout) -> dict[str, Any]:
    if layout.roster.agents[name].kind == "doer":
        made = FileContract(reads=layout.reads(name), writes=layout.writes(name))
    else:
        made = FileContract(reads=layout.handed(name))
    return made.model_dump(mode="json", by_alias=True, exclude_none=True)


file_structure_designer = player(_work)
