"""risk-assessment: shows the risk report; it asks no questions."""

from __future__ import annotations

from typing import Final

from signoff.core.personas import Need
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.personas.questions import persona, text_of

RISK_ASSESSMENT: Final = persona(
    name="risk-assessment",
    about="Shows the risks: which are tried before the work, and which are borne.",
    needs=lambda task: (
        Need(places.summary(task), "plan-developer"),
        Need(places.STACK, "solution-architect"),
        Need(places.ROSTER, "workflow-designer"),
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.COORDINATION, "workflow-designer"),
    ),
    report=lambda scene: text_of(scene, places.RISK_REPORT) or "There is no report yet: see `signoff status`.",
    next="design-verifier",
)
