"""`signoff choose`: what anybody may settle, and what stays a person's act."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell_out import at_terminal, toy


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    assert toy("run", "quiz", "lamp", cwd=tmp_path).code == 3
    return tmp_path


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    assert toy("run", "quiz", "lamp", "--twice", cwd=tmp_path).code == 3
    return tmp_path


def _answers(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "_workflow/quiz/lamp/journal.jsonl").read_text().splitlines()
    events = [event for line in lines for event in json.loads(line)["events"]]
    return [event for event in events if "act" in event]


@pytest.mark.req("CL-6")
def test_a_choice_settles_the_request_and_the_run_goes_on(waiting: Path) -> None:
    ended = toy("choose", "lamp", "done", "--note", " Enough. ", cwd=waiting, person="Ada")
    assert ended.code == 0
    assert "person:Ada: done gate-1" in ended.out
    [answer] = _answers(waiting)
    assert (answer["act"], answer["by"], answer["payload"]) == ("done", "person:Ada", {"note": "Enough."})


def test_a_script_may_choose_and_is_recorded_as_one(waiting: Path) -> None:
    told = toy("choose", "lamp", "more", "--json", cwd=waiting).json
    assert told["answered"] == {"request": "gate-1", "act": "more", "by": "script"}
    assert told["exit"] == 3
    assert [(one["by"], one["payload"]) for one in _answers(waiting)] == [("script", {})]


def test_at_a_terminal_the_person_is_recorded_and_nothing_more_is_asked(waiting: Path) -> None:
    ended = at_terminal(["choose", "lamp", "done"], waiting, name="toy")
    assert ended.code == 0
    assert str(_answers(waiting)[0]["by"]).startswith("person:")


def test_a_run_that_is_done_shows_what_came_of_it_and_one_that_waits_does_not(waiting: Path) -> None:
    more = toy("choose", "lamp", "more", "--json", cwd=waiting).json
    assert "summary" not in more
    done = toy("choose", "lamp", "done", cwd=waiting)
    assert done.out.splitlines()[-1] == "3 questions in ."
    elsewhere = toy("run", "quiz", "lamp", "--project", waiting, "--json", cwd=waiting.parent).json
    assert elsewhere["summary"]["lines"] == [f"3 questions in {waiting.name}"]


def test_no_run_records_the_choice_only(waiting: Path) -> None:
    ended = toy("choose", "lamp", "done", "--no-run", cwd=waiting)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "Recorded. Go on with: signoff resume lamp")
    assert _answers(waiting)[0]["act"] == "done"


def test_without_an_option_the_choices_are_shown_with_what_they_do(waiting: Path) -> None:
    ended = toy("choose", "lamp", cwd=waiting)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "choice gate-1: Is it enough?",
        "  $ signoff answer lamp  # answer the questions one by one",
        "  $ signoff choose lamp more  # Asks once more.",
        "  $ signoff choose lamp done  # Ends the quiz as it is.",
    ]
    [request] = toy("choose", "lamp", "--json", cwd=waiting).json["requests"]
    assert request["about"] == {"more": "Asks once more.", "done": "Ends the quiz as it is."}
    assert _answers(waiting) == []


def test_what_is_shown_follows_what_people_edited(waiting: Path) -> None:
    file = waiting / "lamp/quiz.txt"
    file.write_text(file.read_text().replace("answer: hm", "answer: enough now"))
    [request] = toy("choose", "lamp", "--json", cwd=waiting).json["requests"]
    assert (request["question"], request["request"]) == ("Is it enough now?", "gate-2")
    assert toy("choose", "lamp", "done", "--json", cwd=waiting).json["answered"]["request"] == "gate-2"


def test_the_inbox_and_the_end_of_a_run_show_the_same_commands(waiting: Path) -> None:
    commands = toy("inbox", "--json", cwd=waiting).json["requests"][0]["answers"]
    assert commands[1] == "signoff choose lamp more  # Asks once more."
    ended = toy("run", "quiz", "lamp", cwd=waiting).out
    for line in commands:
        assert f"  $ {line}" in ended.splitlines()


def test_where_two_requests_have_the_option_one_must_be_named(twice: Path) -> None:
    unclear = toy("choose", "lamp", "done", cwd=twice)
    assert unclear.code == 2
    assert "'done' can be chosen in 2 requests of lamp. Valid: gate, second." in unclear.err
    shown = toy("choose", "lamp", cwd=twice).out
    assert "$ signoff choose lamp done --request second" in shown
    assert "final" not in shown
    assert toy("choose", "lamp", "more", "--request", "second", cwd=twice).code == 3
    assert _answers(twice)[0]["request"] == "second-2"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("approve",), "use its own command, `signoff approve lamp`"),
        (("resume",), "use its own command, `signoff resume lamp`"),
        (("waive",), "has nothing in which 'waive' can be chosen"),
        (("odd",), "Valid: more or done (gate), more or done (second)"),
        (("more", "--request", "third"), "can be chosen under 'third'"),
        (("more", "--request", "gate", "--note", " "), "--note is empty"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_what_can(twice: Path, args: tuple[str, ...], said: str) -> None:
    ended = toy("choose", "lamp", *args, cwd=twice, person="Ada")
    assert ended.code == 2
    assert said in ended.err
    assert _answers(twice) == []


def test_when_nothing_can_be_chosen_that_is_said(waiting: Path) -> None:
    assert toy("choose", "lamp", "done", cwd=waiting).code == 0
    assert "Nothing can be chosen in lamp now" in toy("choose", "lamp", cwd=waiting).out
    assert "nothing can be chosen in this run now" in toy("choose", "lamp", "done", cwd=waiting).err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("signoff choose la", "lamp"),
        ("signoff choose lamp mo", "more"),
        ("signoff choose lamp more --request ga", "gate"),
        ("signoff init --workflow qu", "quiz"),
        ("signoff quiz co", "count"),
        ("signoff quiz count --of le", "letters"),
    ],
)
def test_the_shell_completes_runs_options_requests_and_what_workflows_declare(
    waiting: Path, typed: str, offered: str
) -> None:
    more = {"_SIGNOFF_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": typed}
    said = toy(cwd=waiting, **more).out
    assert offered in said
    assert "approve" not in said
