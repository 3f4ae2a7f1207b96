"""`signoff run` and `signoff resume` at a terminal: what the run asks is settled there, and it goes on."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
import warm
from shell_out import Ended, signoff, talk, toy

pytestmark = pytest.mark.req("LB-9")

RONDO = "rondo-speakerphone"
PAGE = ("run", "solution-page", RONDO)
BOTH = ("--require-strategy-approval", "--require-final-approval")
REGISTRY, BRIEF = "_shared/claims-registry.yaml", "1-planning/content-brief.md"
MENU, CONFIRM = "q: leave", "to confirm: "
AGAIN = f"`signoff resume {RONDO}` goes on and asks again"


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that waits for the approval of its strategy."""
    folder = tmp_path_factory.mktemp("page")
    assert signoff("init", "--example", "hardware", cwd=folder).code == 0
    assert signoff(*PAGE, *BOTH, cwd=folder).code == 3
    return folder


@pytest.fixture
def page(waiting: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(waiting, tmp_path / "page"))


def answers(folder: Path, run: str = "") -> list[dict[str, Any]]:
    lines = (folder / "_workflow" / run / "journal.jsonl").read_text().splitlines()
    return [event for line in lines for event in json.loads(line)["events"] if "act" in event]


def quiz(folder: Path, *steps: Any, command: tuple[str, ...] = ("run", "quiz", "lamp"), **env: str) -> Ended:
    return talk(command, folder, *steps, name="toy", env=env)


# --- approvals --------------------------------------------------------------------------------------------------------


def test_approvals_are_given_in_place_and_the_run_goes_on_until_it_is_done(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    yes = ((MENU, "approve\n"), (CONFIRM, "approve\n"))
    ended = talk([*PAGE, *BOTH], tmp_path, *yes, *yes)
    assert ended.code == 0, ended.out
    assert [(one["act"], one["by"].partition(":")[0]) for one in answers(tmp_path)] == [("approve", "person")] * 2
    assert (tmp_path / f"4-release/{RONDO}/content-cn.md").exists()
    assert ended.out.count("the work is done by") == 1


def test_what_is_to_be_approved_is_shown_to_the_byte_and_in_full_if_wanted(page: Path) -> None:
    ended = talk(["resume", RONDO], page, (MENU, "show\n"), (MENU, "later\n"))
    assert ended.code == 3
    assert f"{BRIEF}  sha256 {hashlib.sha256((page / BRIEF).read_bytes()).hexdigest()}" in ended.out
    assert "more about it: _workflow/approval-request.md" in ended.out
    assert (page / BRIEF).read_text().splitlines()[0] in ended.out.split(f"--- {BRIEF}")[1]


def test_what_was_approved_before_comes_with_the_difference_to_it(page: Path) -> None:
    yes = ((MENU, "approve\n"), (CONFIRM, "approve\n"))
    ended = talk(["resume", RONDO], page, *yes, (MENU, "q\n"))
    assert ended.code == 3
    _, _, final = ended.out.rpartition("approval final-")
    assert f"{REGISTRY}  sha256 " in final
    assert "changed since approved by person:" in final
    assert f"--- {REGISTRY} (approved)" in final
    assert "-    status: unverified" in final


def test_a_rejection_takes_its_reason_along_and_one_without_words_is_asked_again(page: Path) -> None:
    steps = ((MENU, "reject\n"), ("> ", "\n"), ("It needs words.", "Too dry.\n"), (CONFIRM, "reject\n"), (MENU, "q\n"))
    ended = talk(["resume", RONDO], page, *steps)
    assert ended.code == 3, ended.out
    [answer] = answers(page)
    assert (answer["act"], answer["payload"]) == ("reject", {"reason": "Too dry."})
    brief = sorted((page / "_workflow/turns").glob("*-strategist/brief-1.md"))[-1]
    assert "Too dry." in brief.read_text()


def test_another_word_than_the_act_confirms_nothing_and_it_is_asked_again(page: Path) -> None:
    ended = talk(["resume", RONDO], page, (MENU, "approve\n"), (CONFIRM, "yes\n"), ("nothing was done", "q\n"))
    assert (ended.code, answers(page)) == (3, [])


def test_a_file_that_changes_under_the_prompt_is_shown_again_before_it_can_be_approved(page: Path) -> None:
    def edit(_: warm.Child) -> str:
        with (page / BRIEF).open("a") as file:
            file.write("\nOne more line.\n")
        return "approve\n"

    ended = talk(["resume", RONDO], page, (MENU, edit), ("It changed while you looked", ""), (MENU, "q\n"))
    assert (ended.code, answers(page)) == (3, [])
    assert "+One more line." in ended.out


# --- choices and questions --------------------------------------------------------------------------------------------


def test_a_choice_shows_what_each_option_means_and_takes_a_note(tmp_path: Path) -> None:
    steps = (
        ("> ", "q\n"),
        (MENU, "odd\n"),
        ("'odd' is none of these", "done\n"),
        ("An empty line: none.", "Enough.\n"),
    )
    ended = quiz(tmp_path, *steps)
    assert ended.code == 0, ended.out
    assert "  more: Asks once more." in ended.out
    assert "  done: Ends the quiz as it is." in ended.out
    [answer] = answers(tmp_path, "quiz/lamp")
    assert (answer["act"], answer["payload"]) == ("done", {"note": "Enough."})


def test_open_questions_are_asked_one_by_one_before_the_choice(tmp_path: Path) -> None:
    steps = (("Which red?", "b\n"), ("Why?", "so it goes\n"), (MENU, "done\n"), ("An empty line: none.", "\n"))
    ended = quiz(tmp_path, *steps)
    assert ended.code == 0, ended.out
    text = (tmp_path / "lamp/quiz.txt").read_text()
    assert "answer: B\n" in text
    assert "answer: so it goes\n" in text


def test_a_new_round_of_questions_asks_them_again(tmp_path: Path) -> None:
    steps = (
        ("Which red?", "q\n"),
        (MENU, "more\n"),
        ("An empty line: none.", "\n"),
        ("Which red?", "q\n"),
        (MENU, "q\n"),
    )
    ended = quiz(tmp_path, *steps)
    assert (ended.code, [one["act"] for one in answers(tmp_path, "quiz/lamp")]) == (3, ["more"])


def test_a_request_that_is_left_for_later_makes_way_for_the_next(tmp_path: Path) -> None:
    steps = (("Which red?", "q\n"), (MENU, "later\n"), ("second-2: ", ""), ("Which red?", "q\n"), (MENU, "later\n"))
    ended = quiz(
        tmp_path, *steps, ("May it go out?", ""), (MENU, "later\n"), command=("run", "quiz", "lamp", "--twice")
    )
    assert (ended.code, answers(tmp_path, "quiz/lamp")) == (3, [])
    assert "$ signoff choose lamp done --request second" in ended.out


# --- leaving, and where nobody is asked -------------------------------------------------------------------------------


@pytest.mark.parametrize("leaves", ["q\n", "/exit\n", "\x04"], ids=["q", "exit", "ctrl-d"])
def test_who_leaves_is_told_how_to_go_on_and_nothing_is_recorded(page: Path, leaves: str) -> None:
    ended = talk(["resume", RONDO], page, (MENU, ""), ("> ", leaves))
    assert (ended.code, answers(page)) == (3, [])
    assert AGAIN in ended.out
    assert f"$ signoff approve {RONDO} --gate strategy" in ended.out


def test_ctrl_c_at_a_prompt_says_how_to_go_on(page: Path) -> None:
    def interrupt(child: warm.Child) -> str:
        child.send_signal(signal.SIGINT)
        return "\n"  # the prompt may be there a moment before anybody waits at it; then the line wakes it up

    ended = talk(["resume", RONDO], page, ("> ", interrupt))
    assert (ended.code, answers(page)) == (130, [])
    assert f"Nothing is lost: go on with `signoff resume {RONDO}`" in ended.out


@pytest.mark.parametrize("command", [PAGE, ("resume", RONDO)], ids=["run", "resume"])
@pytest.mark.parametrize(
    ("flags", "env"),
    [(("--no-input",), {}), (("--json",), {}), ((), {"CLAUDECODE": "1"})],
    ids=["no-input", "json", "agent"],
)
def test_nobody_is_asked_who_said_so_or_is_no_person(
    page: Path, command: tuple[str, ...], flags: tuple[str, ...], env: dict[str, str]
) -> None:
    ended = talk([*command, *flags], page, env=env)
    assert (ended.code, "> " in ended.out) == (3, False)


def test_a_pipe_is_never_asked(waiting: Path) -> None:
    ended = signoff("resume", RONDO, cwd=waiting, lines="approve\napprove\n")
    assert (ended.code, answers(waiting)) == (3, [])


def test_without_input_a_new_run_is_not_asked_about_its_parameters_either(tmp_path: Path) -> None:
    assert toy("init", "--workflow", "article", cwd=tmp_path).code == 0
    ended = talk(["run", "article", "oil", "--runtime", "host", "--no-input"], tmp_path)
    assert "A few questions first" not in ended.out
