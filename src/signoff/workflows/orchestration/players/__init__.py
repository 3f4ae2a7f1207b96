"""The offline role players: code that does the job of each agent on a plan in its fixed form, with no model.

They get what an agent gets, act on the world only through the tools of their turn, and give one YAML document back.
The same assignment over the same inputs gives the same output, byte for byte. They work on English.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from signoff.core.workflow import RolePlayer
from signoff.workflows.orchestration.players.architect import solution_architect
from signoff.workflows.orchestration.players.checklist import risk_checklist
from signoff.workflows.orchestration.players.consultation import doer_consultation
from signoff.workflows.orchestration.players.doing import doer
from signoff.workflows.orchestration.players.files import file_structure_designer
from signoff.workflows.orchestration.players.integration import best_practices_integration, poc_integration
from signoff.workflows.orchestration.players.looping import loop_resolution
from signoff.workflows.orchestration.players.poc_review import poc_decision, poc_evidence_reviewer
from signoff.workflows.orchestration.players.pocs import poc_recommendation
from signoff.workflows.orchestration.players.points import checkpoint_designer
from signoff.workflows.orchestration.players.reading import design_verifier
from signoff.workflows.orchestration.players.researcher import best_practices_researcher
from signoff.workflows.orchestration.players.resolution import escalation_resolution
from signoff.workflows.orchestration.players.reviewer import (
    api_reviewer,
    database_reviewer,
    frontend_reviewer,
    security_reviewer,
)
from signoff.workflows.orchestration.players.roster import roster_designer
from signoff.workflows.orchestration.players.tactical import tactical_solution_architect
from signoff.workflows.orchestration.players.verifying import verifier
from signoff.workflows.orchestration.players.writer import instruction_writer

PLAYERS: Final[Mapping[str, RolePlayer]] = {
    "solution-architect": solution_architect,
    "security-reviewer": security_reviewer,
    "database-reviewer": database_reviewer,
    "api-reviewer": api_reviewer,
    "frontend-reviewer": frontend_reviewer,
    "tactical-solution-architect": tactical_solution_architect,
    "roster-designer": roster_designer,
    "file-structure-designer": file_structure_designer,
    "checkpoint-designer": checkpoint_designer,
    "instruction-writer": instruction_writer,
    "best-practices-researcher": best_practices_researcher,
    "risk-checklist": risk_checklist,
    "doer-consultation": doer_consultation,
    "poc-recommendation": poc_recommendation,
    "poc-integration": poc_integration,
    "best-practices-integration": best_practices_integration,
    "design-verifier": design_verifier,
    "doer": doer,
    "verifier": verifier,
    "poc-evidence-reviewer": poc_evidence_reviewer,
    "poc-decision": poc_decision,
    "escalation-resolution": escalation_resolution,
    "loop-resolution": loop_resolution,
}
"""One for each agent: those of the design, then those of the work."""
