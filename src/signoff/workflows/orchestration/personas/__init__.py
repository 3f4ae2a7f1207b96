"""The eight personas of orchestration, in the order in which people meet them; guides for hosts are beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.personas import Persona
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.personas.design_verifier import DESIGN_VERIFIER
from signoff.workflows.orchestration.personas.escalation_resolution import ESCALATION_RESOLUTION
from signoff.workflows.orchestration.personas.plan_developer import PLAN_DEVELOPER
from signoff.workflows.orchestration.personas.questions import SUMMARY, needs, persona, text_of
from signoff.workflows.orchestration.personas.solution_architect import SOLUTION_ARCHITECT
from signoff.workflows.orchestration.personas.workflow_adaptation import WORKFLOW_ADAPTATION
from signoff.workflows.orchestration.personas.workflow_designer import WORKFLOW_DESIGNER
from signoff.workflows.orchestration.personas.workflow_executor import WORKFLOW_EXECUTOR

RISK_ASSESSMENT: Final = persona(
    name="risk-assessment",
    about="Shows the risks: which are tried before the work, and which are borne.",
    needs=needs(SUMMARY, places.STACK, places.ROSTER, places.SEQUENCE, places.COORDINATION),
    report=lambda scene: text_of(scene, places.RISK_REPORT) or "There is no report yet: see `signoff status`.",
    next="design-verifier",
)
"""It only shows the risk report; it asks no questions."""

PERSONAS: Final[Mapping[str, Persona]] = {
    persona.name: persona
    for persona in (
        PLAN_DEVELOPER,
        SOLUTION_ARCHITECT,
        WORKFLOW_DESIGNER,
        RISK_ASSESSMENT,
        DESIGN_VERIFIER,
        WORKFLOW_EXECUTOR,
        ESCALATION_RESOLUTION,
        WORKFLOW_ADAPTATION,
    )
}
