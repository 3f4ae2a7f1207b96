"""workflow-executor: shows the status board, and puts to a person what holds up the work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError
from signoff.core.personas import Need, Said, Scene, Settling, Way
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import shared_status
from signoff.workflows.orchestration.documents.shared_status import SharedStatus
from signoff.workflows.orchestration.personas.questions import asked, one_line, option, persona
from signoff.workflows.orchestration.sequence import work_sequence
from signoff.workflows.orchestration.sequence.work_sequence import Placed
from signoff.workflows.orchestration.work.escalations import ADAPT

HELD_UP: Final = ("failed-", "verification-", "poc-", "abandoned-")
"""Requests about one agent that has stopped, and that are neither its question nor a change of the plan."""
TOLD: Final = ("guide", "modify")
"""The ways whose words the agent is given: without them they would be a plain retry."""


def board(scene: Scene) -> str:
    """The board in the order of the phases: the status of each agent, and how many notes are not settled."""
    held, order = scene.read(places.STATUS), scene.read(places.SEQUENCE)
    try:
        known = shared_status.parse(held or b"", places.STATUS)
        phases = work_sequence.parse(order or b"", places.SEQUENCE).execution_phases
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
    count = state.unresolved_notes
    notes = f" ({count} {'note is' if count == 1 else 'notes are'} not settled)" if count else ""
    return f"{state.status}{notes}"


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """An agent that failed, was not verified, or was given up, and a PoC that did not pass."""
    if not ask.key.startswith(HELD_UP):
        return None
    about = dict(ask.notes.get("about") or {})
    ways = tuple(_way(act, str(about.get(act, ""))) for act in ask.options if act != ADAPT)
    stands = [board(scene), ""] if scene.read(places.STATUS) is not None else []
    return Settling("\n".join([*stands, *_history(ask)]), ways)


def _history(ask: Ask) -> Iterator[str]:
    """Each attempt with what was missing; for a PoC, what was found and concluded."""
    for number, one in enumerate(ask.notes.get("history") or (), 1):
        missing = one.get("missing") or () if isinstance(one, Mapping) else ()
        yield f"attempt {number}: {'; '.join(one_line(str(each)) for each in missing)}"
    if review := dict(ask.notes.get("review") or {}):
        yield f"assessed: {review.get('assessment')}; proposed: {review.get('decision')}"
        yield one_line(str(review.get("rationale", "")))
    if ADAPT in ask.options:
        yield "To change the plan instead: `signoff chat workflow-adaptation`."


def _way(act: str, about: str) -> Way:
    if act not in TOLD:
        return option(act, about)

    def questions(said: Said) -> Iterator[Question]:
        must = "Say it: the agent is given these words, and has nothing else to go by."
        yield asked(said, "note", "What is it told?", must=must)

    return Way(word=act, about=about, act=act, questions=questions, payload=lambda said: {"note": said["note"].strip()})


WORKFLOW_EXECUTOR: Final = persona(
    name="workflow-executor",
    about="Carries out a design that was approved, shows the board, and brings what holds it up.",
    needs=lambda _task: (
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.STATUS, "workflow-designer"),
        Need(places.VERIFICATION, "design-verifier"),
    ),
    settle=settle,
    report=board,
)
