"""The personas that ask nothing of their own: they show where the work stands, and put to a person what holds it up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.core.commands import Ask
from signoff.core.errors import DocumentError
from signoff.core.personas import Need, Persona, Said, Scene, Settling, Way
from signoff.core.questions import Question
from signoff.workflows.orchestration import ids, places, sequence, status
from signoff.workflows.orchestration.escalating import ADAPT
from signoff.workflows.orchestration.personas.asking import asked, one_line, option, task_of
from signoff.workflows.orchestration.sequence import Placed
from signoff.workflows.orchestration.status import SharedStatus

HELD_UP: Final = ("failed-", "verification-", "poc-", "abandoned-")
"""What stops one agent, and is neither its question nor a change of the plan."""
TOLD: Final = ("guide", "modify")
"""The ways whose words the agent is given: without them they would be a plain retry."""


def _risks(scene: Scene) -> str:
    data = scene.read(places.RISK_REPORT)
    return data.decode("utf-8", "replace") if data else "There is no report yet: see where the run stands."


# --- where the work stands --------------------------------------------------------------------------------------------


def board(scene: Scene) -> str:
    """The board in the order of the phases: who stands where, and how many notes are not settled."""
    held, order = scene.read(places.STATUS), scene.read(places.SEQUENCE)
    try:
        known = status.parse(held or b"", places.STATUS)
        phases = sequence.parse(order or b"", places.SEQUENCE).execution_phases
    except DocumentError as error:
        return f"{places.STATUS} or {places.SEQUENCE} cannot be read. {error}"
    lines = [f"{scene.task}: {known.status}; notes: {known.overall_completion_drive_gate}"]
    for phase in phases:
        who = (f"{one.agent_name} {_stands(one, known)}" for one in phase.agents)
        lines.append(f"phase {phase.phase_id}: {', '.join(who)}")
    placed = {one.agent_name for phase in phases for one in phase.agents}
    lines += [f"beside: {name} {one.status}" for name, one in known.agents.items() if name not in placed]
    return "\n".join(lines)


def _stands(one: Placed, known: SharedStatus) -> str:
    if one.agent_name in known.verification:
        return known.verification[one.agent_name].status
    state = known.agents.get(one.agent_name)
    if state is None:
        return "not on the board"
    notes = {0: "", 1: " (1 note is not settled)"}.get(state.unresolved_notes)
    return state.status + (f" ({state.unresolved_notes} notes are not settled)" if notes is None else notes)


# --- what holds it up -------------------------------------------------------------------------------------------------


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """An agent that failed, was not verified, or was given up, and a PoC that did not pass."""
    if not ask.key.startswith(HELD_UP):
        return None
    about = dict(ask.notes.get("about") or {})
    ways = tuple(_way(act, str(about.get(act, ""))) for act in ask.options if act != ADAPT)
    stands = [board(scene), ""] if scene.read(places.STATUS) is not None else []
    return Settling("\n".join([*stands, *_history(ask)]), ways)


def _history(ask: Ask) -> Iterator[str]:
    """The whole of it: each attempt with what was missing; of a PoC, what was found and concluded."""
    for number, one in enumerate(ask.notes.get("history") or (), 1):
        yield f"attempt {number}: {'; '.join(map(one_line, map(str, _missing(one))))}"
    review = dict(ask.notes.get("review") or {})
    if review:
        yield f"assessed: {review.get('assessment')}; proposed: {review.get('decision')}"
        yield one_line(str(review.get("rationale", "")))
    if ADAPT in ask.options:
        yield "To change the plan instead: `signoff chat workflow-adaptation`."


def _missing(one: Any) -> list[Any]:
    return list(one.get("missing") or ()) if isinstance(one, Mapping) else []


def _way(act: str, about: str) -> Way:
    if act not in TOLD:
        return option(act, about)

    def questions(said: Said) -> Iterator[Question]:
        must = "Say it: the agent is given these words, and has nothing else to go by."
        yield asked(said, "note", "What is it told?", must=must)

    return Way(word=act, about=about, act=act, questions=questions, payload=lambda said: {"note": said["note"].strip()})


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
    about="Carries out a design that was approved, shows the board, and brings what holds it up.",
    needs=lambda _task: (
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.STATUS, "workflow-designer"),
        Need(places.VERIFICATION, "design-verifier"),
    ),
    settle=settle,
    report=board,
    task=task_of,
    run=ids.run_of,
)
