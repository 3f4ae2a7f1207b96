"""risk-assessment: shows the risk report; it asks nothing of its own."""

from __future__ import annotations

from typing import Final

from signoff.core.personas import Need, Scene
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.personas.questions import persona


def report(scene: Scene) -> str:
    data = scene.read(places.RISK_REPORT)
    return data.decode("utf-8", "replace") if data else "There is no report yet: see where the run stands."


RISK_ASSESSMENT: Final = persona(
    name="risk-assessment",
    about="Shows what could go wrong, what is tried before the work and what is borne.",
    needs=lambda task: (
        Need(places.summary(task), "plan-developer"),
        Need(places.STACK, "solution-architect"),
        Need(places.ROSTER, "workflow-designer"),
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.COORDINATION, "workflow-designer"),
    ),
    report=report,
    next="design-verifier",
)
