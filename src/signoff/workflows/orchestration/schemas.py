"""The published forms of orchestration: one JSON Schema for each artifact and for each agent's output."""

from __future__ import annotations

from typing import Any, Final

from signoff.artifacts.forms import Form
from signoff.workflows.orchestration.changelog import Entry
from signoff.workflows.orchestration.checkpoints import Checkpoints
from signoff.workflows.orchestration.decisions import Decided
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.outputs import FORMS
from signoff.workflows.orchestration.plan import Plan
from signoff.workflows.orchestration.reviews import Order, Review
from signoff.workflows.orchestration.risks import Checklist, Consultation, PocSpecs, Research
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.sequence import Sequence
from signoff.workflows.orchestration.stack import Stack
from signoff.workflows.orchestration.status import SharedStatus
from signoff.workflows.orchestration.verification import Verification

SCHEMAS: Final[dict[str, type[Form]]] = {
    "conversation_summary": Plan,
    "technology_stack": Stack,
    "architecture_decisions": Decided,
    "review_sequence": Order,
    "review": Review,
    "tsa_changelog_entry": Entry,
    "agent_roster": Roster,
    "file_contracts": FileContracts,
    "validation_checkpoints": Checkpoints,
    "workflow_sequence": Sequence,
    "shared_status": SharedStatus,
    "risk_research": Research,
    "risk_checklist": Checklist,
    "risk_consultation": Consultation,
    "poc_specs": PocSpecs,
    "design_verification": Verification,
    **{f"outputs/{contract}": form for contract, form in FORMS.items()},
}
"""By the name of the file under `schemas/orchestration/`, without its ending; Markdown by the value it is read as."""


def schema(name: str) -> dict[str, Any]:
    """What one of them has to look like."""
    form = SCHEMAS[name].model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **form,
        "title": f"signoff/orchestration/{name}@1",
    }
