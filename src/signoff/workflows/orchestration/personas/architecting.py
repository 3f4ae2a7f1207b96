"""solution-architect: what the summary leaves open about the house; a language model draws up what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from signoff.core.commands import Ask
from signoff.core.personas import Interview, Need, Persona, Said, Scene, Settling
from signoff.core.questions import Question
from signoff.core.refs import digest
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.personas.asking import asked, no, option, task_of, yes

AGENT: Final = "solution-architect"
ARCHITECTURE, ANSWERS = "architecture", "questions"
QUESTIONS: Final[Mapping[str, str]] = {
    "scale": "How much has it to carry: how many people or calls, how much data, how fast an answer?",
    "team": "Which technologies does the team know, and which may it not use?",
    "integration": "Which systems does it have to work with, and how do they speak?",
    "security": "Who may do what, and which data need protection?",
    "deployment": "Where does it run, and who puts it there?",
}
"""What an architect asks; the answers are an input of the architect's turn (`places.answers`)."""
_LEFT: Final = "What the summary says already need not be said again. An empty line: nothing to add."


def questions(said: Said, scene: Scene) -> Iterator[Question]:
    """What an architect asks about the house; and where the last version was sent back, what it should be instead."""
    if rejected := _rejected(scene):
        text = f"It was sent back: {rejected}"
        yield asked(said, _instead(rejected), "What should be different this time?", text, section="Sent back")
    for key, question in QUESTIONS.items():
        yield asked(said, key, question, _LEFT, section=key.capitalize())


def _rejected(scene: Scene) -> str:
    return str(scene.notes.get("rejected") or "")


def _instead(rejected: str) -> str:
    """The key of what should be different: one for each reason, so that every rejection is asked about."""
    return f"instead-{digest(rejected)[:8]}"


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """The reviewers' questions, and the approval of the architecture with the order's reasons and every change."""
    if ask.key == ARCHITECTURE:
        shown = (scene.read(path) for path in (places.ORDER, places.CHANGELOG))
        return Settling(
            "\n\n".join(data.decode("utf-8", "replace").strip() for data in shown if data),
            (
                yes("approve", "This is the architecture; agents are chosen next."),
                no("reject", "The architect draws it up again, with your reason.", "What must be different?"),
            ),
        )
    if ask.key == ANSWERS:
        about = dict(ask.notes.get("about") or {})
        return Settling("", tuple(option(act, str(about.get(act, "Goes on."))) for act in ask.options))
    return None


SOLUTION_ARCHITECT: Final = Persona(
    name="solution-architect",
    about="Asks about scale, team, integration, security and deployment, and puts the architecture to you.",
    needs=lambda task: (Need(places.summary(task), "plan-developer"),),
    interview=Interview(questions=questions),
    agent=AGENT,
    settle=settle,
    begins=True,
    task=task_of,
    run=ids.run_of,
    next="workflow-designer",
)
