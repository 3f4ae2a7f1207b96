"""A conversation that does not do yet: everything that was said, and that nothing was, can be said otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from signoff.artifacts import yamlio
from signoff.core.commands import Ask
from signoff.core.personas import Said, Scene, Way
from signoff.service import conversations
from signoff.service.conversations import Talk
from signoff.service.project import Project
from signoff.surfaces.cli.terminal.interview import Interviewer, LeftError
from signoff.workflows.orchestration.personas.escalation_resolution import ESCALATION_RESOLUTION

LONG = "Which of these holds: " + "a first thing, " * 60 + "and a second one?"
QUESTIONED = Ask(
    key="escalation-api_agent", kind="choice", options=("answer", "adapt"), question="?",
    notes={"asked": {"note_001": {"question": LONG}}},
)  # fmt: skip


class Script:
    """Somebody who types these lines, and what they saw."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines, self.seen = list(lines), list[str]()

    def read(self, prompt: str) -> str | None:
        del prompt
        return self.lines.pop(0) if self.lines else None

    def say(self, line: str) -> None:
        self.seen.append(line)

    def edit(self, text: str) -> str | None:
        del text
        return None


def answering() -> Way:
    put = ESCALATION_RESOLUTION.settle(QUESTIONED, Scene())
    assert put is not None
    return put.ways[0]


def talked(root: Path, *lines: str) -> tuple[Any, Script]:
    way, screen = answering(), Script(lines)

    def drafted(said: Said) -> str:
        conversations.refuse_payload(way, way.act, way.payload(said))
        return yamlio.dump(way.payload(said))

    talk = Talk(persona="escalation-resolution", topic=("small",))
    asking = Interviewer(Project(root), talk, way.questions, screen, drafted)
    try:
        return way.payload(asking.agree(way.word, way.about)), screen
    except LeftError:
        return None, screen


@pytest.mark.req("OR-1", "OR-23")
@pytest.mark.parametrize("again", ["1", "/back"])
def test_an_empty_answer_does_not_lock_the_conversation(tmp_path: Path, again: str) -> None:
    payload, screen = talked(tmp_path, "", again, "The second one.", "answer")
    assert payload == {"answers": {"note_001": "The second one."}}
    assert any("(nothing)" in line for line in screen.seen)


def test_a_question_is_shown_whole_where_it_is_answered(tmp_path: Path) -> None:
    _, screen = talked(tmp_path, "The second one.", "answer")
    assert any(line.endswith("and a second one?") for line in screen.seen)
