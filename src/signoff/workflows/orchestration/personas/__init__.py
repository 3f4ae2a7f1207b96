"""The eight personas of orchestration, in the order in which people meet them; the guides for hosts lie beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.personas import Persona
from signoff.workflows.orchestration.personas.accompanying import RISK_ASSESSMENT, WORKFLOW_EXECUTOR
from signoff.workflows.orchestration.personas.adapting import WORKFLOW_ADAPTATION
from signoff.workflows.orchestration.personas.architecting import SOLUTION_ARCHITECT
from signoff.workflows.orchestration.personas.designing import WORKFLOW_DESIGNER
from signoff.workflows.orchestration.personas.planning import PLAN_DEVELOPER
from signoff.workflows.orchestration.personas.resolving import ESCALATION_RESOLUTION
from signoff.workflows.orchestration.personas.verifying import DESIGN_VERIFIER

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
