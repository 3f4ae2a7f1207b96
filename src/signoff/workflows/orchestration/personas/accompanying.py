"""The personas that ask nothing of their own before a design is carried out: they show where it stands."""

from __future__ import annotations

from typing import Final

from signoff.core.personas import Need, Persona, Scene
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.personas.asking import task_of

SESSIONS: Final = f"{places.AGENTS}*/completion_drive/session_current.json"
"""What agents note while they work; nobody makes it before a design is carried out."""


def _risks(scene: Scene) -> str:
    data = scene.read(places.RISK_REPORT)
    return data.decode("utf-8", "replace") if data else "There is no report yet: see where the run stands."


def _approved(_scene: Scene) -> str:
    return "A design is worked out, checked and approved here. To carry it out is not in this version yet."


RISK_ASSESSMENT: Final = Persona(
    name="risk-assessment",
    about="Shows what could go wrong, what is tried before the work and what is borne.",
    needs=lambda task: (
        Need(places.summary(task), "plan-developer"),
        Need(places.STACK, "solution-architect"),
        Need(places.ROSTER, "workflow-designer"),
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.COORDINATION, "workflow-designer"),
    ),
    report=_risks,
    task=task_of,
    run=ids.run_of,
    next="design-verifier",
)
WORKFLOW_EXECUTOR: Final = Persona(
    name="workflow-executor",
    about="Goes on with a design that was approved, and says where it stands.",
    needs=lambda _task: (
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.STATUS, "workflow-designer"),
        Need(places.VERIFICATION, "design-verifier"),
    ),
    report=_approved,
    task=task_of,
    run=ids.run_of,
)
ESCALATION_RESOLUTION: Final = Persona(
    name="escalation-resolution",
    about="Settles with you what blocked agents ask while a design is carried out.",
    needs=lambda _task: (Need(places.STATUS, "workflow-designer"), Need(SESSIONS, "workflow-executor")),
    task=task_of,
    run=ids.run_of,
    next="workflow-executor",
)
WORKFLOW_ADAPTATION: Final = Persona(
    name="workflow-adaptation",
    about="Changes a design that is being carried out, by named edits that you see first.",
    needs=lambda _task: (
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.VERIFICATION, "design-verifier"),
        Need(SESSIONS, "workflow-executor"),
    ),
    task=task_of,
    run=ids.run_of,
    next="workflow-executor",
)
