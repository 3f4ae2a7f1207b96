"""The published JSON Schemas of orchestration: one for each document and for each agent's output."""

from __future__ import annotations

from typing import Any, Final

from signoff.artifacts.yaml_forms import Form
from signoff.workflows.orchestration.documents.agent_registry import Registry
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.architecture_decisions import Decided
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts
from signoff.workflows.orchestration.documents.design_verification import Verification
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.reviews import Order, Review
from signoff.workflows.orchestration.documents.risks import Checklist, Consultation, PocSpecs, Research
from signoff.workflows.orchestration.documents.shared_status import SharedStatus
from signoff.workflows.orchestration.documents.technology_stack import Stack
from signoff.workflows.orchestration.documents.tsa_changelog import Entry
from signoff.workflows.orchestration.outputs import FORMS
from signoff.workflows.orchestration.sequence.work_sequence import Sequence

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
    "risk_research": Research,
    "risk_checklist": Checklist,
    "risk_consultation": Consultation,
    "poc_specs": PocSpecs,
    "shared_status": SharedStatus,
    "design_verification": Verification,
    "agent_registry": Registry,
    **{f"outputs/{contract}": form for contract, form in FORMS.items()},
}
"""The forms by file name under `schemas/orchestration/`; for Markdown, the form that it is parsed into."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one form."""
    form = SCHEMAS[name].model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **form,
        "title": f"signoff/orchestration/{name}@1",
    }
