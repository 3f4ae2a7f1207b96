"""solution-architect: asks what the summary leaves open about the system, and asks a person to approve the
architecture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.personas import Interview, Said, Scene, Settling
from signoff.core.refs import digest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.personas.questions import SUMMARY, asked, needs, no, options, persona, text_of, yes

ARCHITECTURE, ANSWERS = "architecture", "questions"
QUESTIONS: Final[Mapping[str, str]] = {
    "scale": "How much must it handle: how many people or calls, how much data, how fast an answer?",
    "team": "Which technologies does the team know, and which may it not use?",
    "integration": "Which systems must it work with, and over which protocols?",
    "security": "Who may do what, and which data need protection?",
    "deployment": "Where does it run, and who puts it there?",
}
"""The architect's questions; the answers are an input of its turn (`places.answers`)."""
_LEFT: Final = "Do not repeat what the summary says. An empty line: nothing to add."


def questions(said: Said, scene: Scene) -> Iterator[Question]:
    """The architect's questions; if a person rejected the last version, also what should be different."""
    if rejected := str(scene.notes.get("rejected") or ""):
        key = f"instead-{digest(rejected)[:8]}"  # one for each reason, so that every rejection is asked about
        text = f"It was sent back: {rejected}"
        yield asked(said, key, "What should be different this time?", text, section="Sent back")
    for key, question in QUESTIONS.items():
        yield asked(said, key, question, _LEFT, section=key.capitalize())


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """The reviewers' questions, and the approval of the architecture with the review order and every change."""
    if ask.key == ARCHITECTURE:
        shown = (text_of(scene, path) for path in (places.ORDER, places.CHANGELOG))
        return Settling(
            "\n\n".join(filter(None, shown)),
            (
                yes("approve", "This is the architecture; agents are chosen next."),
                no("reject", "The architect designs it again, with your reason.", "What must be different?"),
            ),
        )
    return Settling("", options(ask, "Goes on.")) if ask.key == ANSWERS else None


SOLUTION_ARCHITECT: Final = persona(
    name="solution-architect",
    about="Asks about scale, team, integration, security and deployment, and asks you to approve the architecture.",
    needs=needs(SUMMARY),
    interview=Interview(questions=questions),
    agent="solution-architect",
    settle=settle,
    begins=True,
    next="workflow-designer",
)
