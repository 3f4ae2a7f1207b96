"""`signoff answer` as people and scripts call it, and what it does to the document."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from shell_out import TOYS, at_terminal, toy

import signoff.workflows
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError, RefusedError, UsageError
from signoff.service import questionnaires
from signoff.service.people import Actor, Via
from signoff.service.project import Project
from signoff.service.questionnaires import Sheet

sys.path.insert(0, str(TOYS))
from quiz import workflow as quiz

FILE = "lamp/quiz.txt"
SCRIPT = Actor(Via.SCRIPT)
RED = Question(key="Q1", title="Which red?", text="The one.")
OPEN = Question(key="Q2", title="Why?", text="")


# --- reading and writing in a project ---------------------------------------------------------------------------------


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    assert toy("run", "quiz", "lamp", cwd=tmp_path).code == 3
    return tmp_path


@pytest.fixture
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(TOYS)])


@pytest.mark.req("CL-3")
@pytest.mark.usefixtures("_toys")
def test_an_answer_goes_into_the_document_as_it_is_now(waiting: Path) -> None:
    live = asyncio.run(Project(waiting).open("lamp"))
    file = waiting / FILE
    edited = quiz.SHEET.replace("two metres", "three metres") + "\nA remark.\n"
    file.write_text(edited)
    sheet = asyncio.run(questionnaires.write(live, {"Q1": " A\r\n"}, SCRIPT))
    assert file.read_text() == edited.replace("answer:\n", "answer: A\n")
    assert [(one.key, one.answer) for one in sheet.questions] == [("Q1", "A"), ("Q2", "hm"), ("Q3", "three metres")]


@pytest.mark.req("LB-6")
@pytest.mark.usefixtures("_toys")
@pytest.mark.parametrize(
    ("actor", "changes"),
    [
        (Actor(Via.TERMINAL, "ada"), True),
        (Actor(Via.NAMED, "ada"), True),
        (Actor(Via.RECORDING, "ada"), True),
        (SCRIPT, True),
        (Actor(Via.HOST), False),
        (Actor(Via.AGENT, "CLAUDECODE"), False),
    ],
    ids=lambda value: value.via.value if isinstance(value, Actor) else "",
)
def test_hosts_and_agents_answer_what_is_open_and_change_no_clear_answer(
    waiting: Path, actor: Actor, changes: bool
) -> None:
    live = asyncio.run(Project(waiting).open("lamp"))
    asyncio.run(questionnaires.write(live, {"Q1": "A", "Q2": "why not", "Q3": "two metres"}, actor))
    if changes:
        asyncio.run(questionnaires.write(live, {"Q3": "three metres"}, actor))
        assert "answer: three metres" in (waiting / FILE).read_text()
    else:
        said = "changing Q3, which has the clear answer 'two metres', is a person's act, and .* `signoff answer lamp`"
        with pytest.raises(RefusedError, match=said):
            asyncio.run(questionnaires.write(live, {"Q3": "three metres"}, actor))
        assert "answer: two metres" in (waiting / FILE).read_text()


def test_an_agents_shell_changes_no_clear_answer_on_the_command_line(waiting: Path) -> None:
    ended = toy("answer", "lamp", "Q3=three metres", cwd=waiting, person="Ada", CLAUDECODE="1")
    assert (ended.code, (waiting / FILE).read_text()) == (2, quiz.SHEET)
    assert "this shell was opened by an agent (CLAUDECODE is set)" in ended.err
    assert toy("answer", "lamp", "Q3=three metres", cwd=waiting, person="Ada").code == 0


@pytest.mark.usefixtures("_toys")
def test_an_answer_waits_for_whoever_holds_the_run(waiting: Path) -> None:
    project = Project(waiting)
    project.store.lock_seconds = 0.01
    live = asyncio.run(project.open("lamp"))
    held = os.open(waiting / "_workflow/quiz/lamp/.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(Exception, match="is held by another process"):
        asyncio.run(questionnaires.write(live, {"Q1": "A"}, SCRIPT))
    os.close(held)
    assert (waiting / FILE).read_text() == quiz.SHEET


@pytest.mark.usefixtures("_toys")
def test_the_judgement_follows_the_settings_of_the_project(waiting: Path) -> None:
    live = asyncio.run(Project(waiting).open("lamp"))
    assert questionnaires.read(live).to_json()["answered"] == 1
    (waiting / "_workflow/quiz.yaml").write_text("strict")
    assert questionnaires.read(live).to_json()["answered"] == 0


@pytest.mark.usefixtures("_toys")
def test_a_document_that_is_gone_is_not_made_up(waiting: Path) -> None:
    live = asyncio.run(Project(waiting).open("lamp"))
    (waiting / FILE).unlink()
    with pytest.raises(RefusedError, match=f"{FILE} is gone"):
        asyncio.run(questionnaires.write(live, {"Q1": "A"}, SCRIPT))
    assert not (waiting / FILE).exists()


SHEET = Sheet(FILE, tuple(quiz.read(quiz.SHEET.encode(), FILE, None)))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"q1": "A"}, r"no question 'q1' \(close: Q1.*Valid: Q1, Q2, Q3"),
        ({"Q1": "A", "nothing": "B"}, "no question 'nothing'. Valid"),
        ({"Q1": "a\x00b"}, r"U\+0000"),
        ({"Q1": "a\udc80b"}, r"U\+DC80"),
        ({"Q1": "\x1b[31m"}, r"U\+001B"),
    ],
)
def test_unknown_keys_and_text_that_no_file_can_hold_are_refused(answers: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        questionnaires.check(SHEET, answers)


def test_a_key_that_stands_there_twice_is_not_answered() -> None:
    with pytest.raises(UsageError, match="f has Q2 2 times"):
        questionnaires.check(Sheet("f", (RED, OPEN, OPEN)), {"Q1": "A", "Q2": "x"})
    questionnaires.check(Sheet("f", (RED, OPEN, OPEN)), {"Q1": "A"})


@pytest.mark.parametrize(
    ("argument", "known", "pair"),
    [
        ("Q1=A", ["Q1"], ("Q1", "A")),
        ("Q1=", ["Q1"], ("Q1", "")),
        ("Q1=a=b", ["Q1"], ("Q1", "a=b")),
        ("Gap: a=b=c", ["Gap: a", "Gap: a=b"], ("Gap: a=b", "c")),
        ("Q9=x", ["Q1"], ("Q9", "x")),
    ],
)
def test_an_argument_is_a_key_and_a_text(argument: str, known: Iterable[str], pair: tuple[str, str]) -> None:
    assert questionnaires.split(argument, known) == pair


@pytest.mark.parametrize("argument", ["Q1", "=A", ""])
def test_an_argument_without_key_or_sign_is_refused(argument: str) -> None:
    with pytest.raises(UsageError, match="KEY=TEXT"):
        questionnaires.split(argument, ["Q1"])


@pytest.mark.parametrize(
    ("line", "said"), [("Q1: true", "True"), ("Q1: 1.50", "1.5"), ("Q1:", "None"), ("Q1: [a]", "a")]
)
def test_a_value_that_yaml_takes_for_something_else_is_refused_with_its_line(
    tmp_path: Path, line: str, said: str
) -> None:
    (tmp_path / "f.yaml").write_text(f"# answers\n{line}\n")
    with pytest.raises(DocumentError, match=f"f.yaml:2: answers.text: the answer to Q1 is .*{said}.*quotes"):
        questionnaires.from_file(tmp_path / "f.yaml")


@pytest.mark.parametrize(
    ("verdict", "answer", "done"),
    [
        ("clear", "x", True),
        ("clear: a choice", "x", True),
        ("vague", "x", False),
        ("not_answered", "", False),
        ("", "x", True),
        ("", " ", False),
    ],
)
def test_an_answer_is_settled_by_its_verdict_or_by_being_there(verdict: str, answer: str, done: bool) -> None:
    assert questionnaires.settled(Question(key="k", title="t", text="", verdict=verdict, answer=answer)) is done


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-3")
def test_answers_on_the_command_line_are_written_and_the_way_on_is_said(waiting: Path) -> None:
    ended = toy("answer", "lamp", "Q1=A", "Q2=", cwd=waiting)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "  Q1: clear",
        "  Q2: not answered",
        "lamp: 2 of 3 questions answered, 1 open",
        "  go on with: signoff choose lamp more or signoff choose lamp done",
    ]
    assert "  answer: A\n" in (waiting / FILE).read_text()
    assert (waiting / "_workflow/quiz/lamp/journal.jsonl").read_text().count("docs-") == 1, "the run has them"


def test_answers_come_from_a_yaml_file_too(waiting: Path) -> None:
    (waiting / "mine.yaml").write_text("Q1: B\nQ2: |\n  one thing\n  and another\n")
    told = toy("answer", "lamp", "Q3=two feet", "--from", "mine.yaml", "--json", cwd=waiting).json
    assert told["written"] == ["Q3", "Q1", "Q2"]
    assert [one["answer"] for one in told["questions"]] == ["B", "one thing\nand another", "two feet"]
    assert (told["answered"], told["open"]) == (3, 0)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "there is no terminal to ask at"),
        (("--json",), "KEY=TEXT"),
        (("Q1=A", "Q7=x"), "no question 'Q7'"),
        (("Q1=A", "Q1=B"), "Q1 is answered twice"),
        (("Q1=A", "--from", "mine.yaml"), "Q1 is answered twice"),
        (("--from", "missing.yaml"), "there is no file 'missing.yaml'"),
        (("Q1",), "'Q1' is not an answer"),
        (("Q1=A", "--list"), "--list only shows"),
        (("Q1=A", "Q2=forbidden"), "that word is not allowed"),
    ],
)
def test_a_wrong_call_writes_nothing_and_teaches(waiting: Path, args: tuple[str, ...], said: str) -> None:
    (waiting / "mine.yaml").write_text("Q1: B\n")
    ended = toy("answer", "lamp", *args, cwd=waiting)
    assert ended.code == 2
    assert said in ended.err + ended.out
    assert (waiting / FILE).read_text() == quiz.SHEET


def test_the_list_shows_every_question_with_its_verdict(waiting: Path) -> None:
    lines = toy("answer", "lamp", "--list", cwd=waiting).out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["KEY", "ANSWER"], ["Q1", "not"], ["Q2", "vague"]]
    assert lines[-1] == "lamp: 1 of 3 questions answered, 1 vague, 1 open; must be answered yet: Q1"
    told = toy("answer", "lamp", "--list", "--json", cwd=waiting).json
    assert (told["path"], told["must"]) == (FILE, ["Q1"])
    assert told["questions"][0]["choices"][1] == {"letter": "B", "text": "scarlet"}
    assert [one["verdict"] for one in told["questions"]] == ["not_answered", "vague", "clear"]
    assert told["questions"][1]["why"] == "fewer than 2 words"


@pytest.mark.req("CL-3")
def test_a_person_at_a_terminal_is_asked_question_by_question(waiting: Path) -> None:
    editor = waiting / "editor.sh"
    editor.write_text("#!/bin/sh\necho 'because I say so' > \"$1\"\n")
    editor.chmod(0o755)
    ended = at_terminal(["answer", "lamp"], waiting, "a\ne\n", name="toy", env={"EDITOR": str(editor)})
    assert ended.code == 0
    for said in ("1 of 2, Colours", "Q1: Which red? [must answer]", "Q1: clear", "Q2: clear", "go on with"):
        assert said in ended.out
    assert "  answer: because I say so\n" in (waiting / FILE).read_text()


def test_a_run_of_a_workflow_without_questions_says_so(tmp_path: Path) -> None:
    toy("init", "--example", "hardware", cwd=tmp_path)
    toy("run", "solution-page", "rondo-speakerphone", "--require-strategy-approval", cwd=tmp_path)
    ended = toy("answer", "rondo-speakerphone", "--list", cwd=tmp_path)
    assert ended.code == 2
    assert "asks no questions in a document" in ended.err
