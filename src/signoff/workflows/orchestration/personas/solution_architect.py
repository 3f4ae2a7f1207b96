"""solution-architect: asks what the summary leaves open about the system, and puts the architecture to a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.personas import Interview, Need, Said, Scene, Settling
from signoff.core.refs import digest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.personas.questions import asked, no, options, persona, text_of, yes

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
    """What an architect asks; if the last version was sent back, also what should be different."""
    if rejected := str(scene.notes.get("rejected") or ""):
        key = f"instead-{digest(rejected)[:8]}"  # one for each reason, so that every rejection is asked about
        text = f"It was sent back: {rejected}"
        yield asked(said, key, "What should be different this time?", text, section="Sent back")
    for key, question in QUESTIONS.items():
        yield asked(said, key, question, _LEFT, section=key.capitalize())


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """The reviewers' questions, and the approval of the architecture with the order's reasons and every change."""
    if ask.key == ARCHITECTURE:
        shown = (text_of(scene, path) for path in (places.ORDER, places.CHANGELOG))
        return Settling(
            "\n\n".join(filter(None, shown)),
            (
                yes("approve", "This is the architecture; agents are chosen next."),
                no("reject", "The architect draws it up again, with your reason.", "What must be different?"),
            ),
        )
    return Settling("", options(ask, "Goes on.")) if ask.key == ANSWERS else None


SOLUTION_ARCHITECT: Final = persona(
    name="solution-architect",
    about="Asks about scale, team, integration, security and deployment, and puts the architecture to you.",
    needs=lambda task: (Need(places.summary(task), "plan-developer"),),
    interview=Interview(questions=questions),
    agent=AGENT,
    settle=settle,
    begins=True,
    next="workflow-designer",
)
