"""The conversation of `signoff answer`: lines in, lines and answers out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell_out import TOYS

from signoff.core.declarations import Question
from signoff.service import questionnaires
from signoff.service.questionnaires import Sheet
from signoff.surfaces.cli.terminal import question_prompts
from signoff.surfaces.cli.terminal.question_prompts import Heard

sys.path.insert(0, str(TOYS))
from quiz import workflow as quiz

FILE = "lamp/quiz.txt"
RED = Question(
    key="Q1", title="Which red?", text="The one.", choices=(("A", "crimson"), ("E", "other")), recommendation="A\n"
)
OPEN = Question(key="Q2", title="Why?", text="")


# --- what a line means ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "line", "meant"),
    [
        (RED, None, Heard("end")),
        (RED, "", Heard("leave")),
        (RED, "  \n", Heard("leave")),
        (RED, "<", Heard("back")),
        (RED, "q", Heard("end")),
        (RED, "?", Heard("help")),
        (RED, '"""', Heard("many")),
        (RED, "e", Heard("edit")),
        (RED, "E", Heard("answer", "E")),
        (RED, " a ", Heard("answer", "A")),
        (RED, "=", Heard("answer", "A")),
        (RED, "x", Heard("wrong", "no choice 'x'. Valid: A, E")),
        (RED, "A, but darker", Heard("answer", "A, but darker")),
        (RED, "红", Heard("answer", "红")),
        (OPEN, "x", Heard("answer", "x")),
        (OPEN, "=", Heard("wrong", "Q2 has no recommendation to take")),
        (OPEN, "Q", Heard("answer", "Q")),
    ],
)
def test_a_line_is_a_mark_a_choice_or_an_answer(question: Question, line: str | None, meant: Heard) -> None:
    assert question_prompts.heard(question, line) == meant


@given(st.text())
def test_whatever_is_typed_means_something(line: str) -> None:
    meant = question_prompts.heard(OPEN, line)
    assert meant.what != "answer" or meant.text == line.strip() != ""


# --- the conversation -------------------------------------------------------------------------------------------------


@dataclass
class Desk:
    """A person who types these lines, and a document in memory."""

    typed: list[str]
    text: str = quiz.SHEET
    said: list[str] = field(default_factory=list)
    saved: list[tuple[str, str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    editor: Callable[[str], str | None] = lambda _: None
    meanwhile: Callable[[str], str] = lambda text: text

    @property
    def sheet(self) -> Sheet:
        return Sheet(FILE, tuple(quiz.read(self.text.encode(), FILE, None)))

    def read(self, prompt: str) -> str | None:
        self.said.append(prompt)
        return self.typed.pop(0) if self.typed else None

    def say(self, line: str) -> None:
        self.said.append(line)

    def again(self) -> Sheet:
        return self.sheet

    def save(self, key: str, text: str, shown: str) -> Sheet:
        self.shown.append(shown)
        self.text = quiz.write(self.meanwhile(self.text).encode(), FILE, {key: questionnaires.normalized(text)})
        self.saved.append((key, text))
        return self.sheet

    def edit(self, text: str) -> str | None:
        return self.editor(text)


def _talk(*typed: str, every: bool = False, **more: object) -> Desk:
    desk = Desk(list(typed), **more)  # type: ignore[arg-type]
    question_prompts.converse(desk.sheet, question_prompts.wanted(desk.sheet, every=every), desk)
    return desk


def test_the_questions_without_a_clear_answer_are_asked_and_each_answer_is_written_at_once() -> None:
    desk = _talk("b", "because it is")
    assert desk.saved == [("Q1", "B"), ("Q2", "because it is")]
    assert [line for line in desk.said if " of " in line] == ["1 of 2, Colours", "2 of 2, Colours"]
    assert [line for line in desk.said if line.endswith(": clear")] == ["  Q1: clear", "  Q2: clear"]


def test_all_asks_every_question() -> None:
    desk = _talk("", "", "", every=True)
    assert [line for line in desk.said if line.startswith(("1 of", "2 of", "3 of"))][-1] == "3 of 3, Sizes"
    assert desk.saved == []


def test_a_question_is_shown_with_everything_that_helps() -> None:
    question = next(iter(quiz.read(quiz.SHEET.encode(), FILE, None)))
    assert list(question_prompts.shown(question, 3, 14)) == [
        "",
        "3 of 14, Colours",
        "Q1: Which red? [must answer]",
        "  The one on the door.",
        "  A. crimson",
        "  B. scarlet",
        "  recommendation: B",
    ]
    vague = Question(key="Gap: Why", title="Why", text="a\n\nb\x1b", answer="hm\nwell", verdict="vague: 1 word")
    assert list(question_prompts.shown(vague, 1, 1)) == [
        "",
        "1 of 1",
        "Gap: Why",
        "  a",
        "",
        "  b�",
        *_now("vague: 1 word"),
    ]


def _now(verdict: str) -> list[str]:
    return [f"  answer now ({verdict}): hm", "  well"]


def test_a_vague_answer_is_said_to_be_vague_and_the_next_question_comes() -> None:
    desk = _talk("", "no", "q")
    assert "  Q2: vague: fewer than 2 words" in desk.said


def test_an_empty_line_leaves_the_answer_as_it_is() -> None:
    desk = _talk("", "")
    assert (desk.saved, desk.text) == ([], quiz.SHEET)


def test_back_shows_the_question_before_with_its_new_answer() -> None:
    desk = _talk("A", "<", "B", "q")
    assert desk.saved == [("Q1", "A"), ("Q1", "B")]
    assert "  answer now (clear): A" in desk.said
    assert _talk("<", "A", "q").saved == [("Q1", "A")], "there is nothing before the first"


def test_the_recommendation_is_taken_with_an_equals_sign() -> None:
    assert _talk("=", "=", "q").saved == [("Q1", "B")]


def test_a_text_of_several_lines_ends_with_the_mark_it_began_with() -> None:
    desk = _talk("", '"""', "first", "", "q", '"""', "q")
    assert desk.saved == [("Q2", "first\n\nq")]
    assert desk.sheet.of("Q2").answer == "first\n\nq"  # type: ignore[union-attr]


def test_a_text_that_is_not_ended_is_not_written() -> None:
    desk = _talk('"""', "first")
    assert desk.saved == []
    assert any("not ended" in line for line in desk.said)


@pytest.mark.parametrize(
    ("came", "saved"),
    [(None, []), ("hm\n", []), ("well, why not\n", [("Q2", "well, why not\n")]), ("", [("Q2", "")])],
)
def test_the_editor_gets_the_present_answer_and_what_comes_back_is_written_if_it_differs(
    came: str | None, saved: list[tuple[str, str]]
) -> None:
    seen: list[str] = []

    def editor(text: str) -> str | None:
        seen.append(text)
        return came

    desk = _talk("", "e", "", editor=editor)
    assert (seen, desk.saved) == (["hm"], saved)


def test_help_and_a_wrong_letter_ask_the_same_question_again() -> None:
    desk = _talk("?", "z", "A", "q")
    assert desk.saved == [("Q1", "A")]
    assert question_prompts.HELP[0] in desk.said
    assert any("no choice 'z'. Valid: A, B" in line for line in desk.said)
    assert desk.said.count("Q1: Which red? [must answer]") == 1


def test_an_answer_that_cannot_be_written_is_explained_and_asked_for_again() -> None:
    desk = _talk("", "forbidden word", "fine by me", "q")
    assert desk.saved == [("Q2", "fine by me")]
    assert any("Not written: that word is not allowed" in line for line in desk.said)


def test_a_question_that_somebody_removed_meanwhile_is_passed_over() -> None:
    def remove(text: str) -> str:
        before, _, after = text.partition("Q2:")
        return before + after[after.index("## Sizes") :]

    desk = _talk("A", "q", meanwhile=remove)
    assert "Q2 is not in lamp/quiz.txt any more." in desk.said
    assert desk.saved == [("Q1", "A")]


@given(st.lists(st.sampled_from(["", "<", "?", "=", "e", '"""', "A", "z", "two words", "forbidden", "q"]), max_size=30))
def test_no_conversation_hangs_or_loses_an_answer_that_it_took(typed: list[str]) -> None:
    desk = _talk(*typed, every=True)
    last = dict(desk.saved)
    for key, text in last.items():
        assert desk.sheet.of(key).answer == questionnaires.normalized(text)  # type: ignore[union-attr]
    untouched = [question for question in desk.sheet.questions if question.key not in last]
    before = {question.key: question for question in Desk([]).sheet.questions}
    assert all(question == before[question.key] for question in untouched)
