"""`signoff chat`: conversations at a terminal and in a pipe, what comes of them, and what only a person can say."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shell_out import NAMES, Ended, at_terminal, environment, toy

pytestmark = pytest.mark.req("OR-1")

ORDER, PIECE = "orders/bowl.md", "pieces/bowl.md"
TALK = "_workflow/conversations/order-taker.json"
LINES = ("a round bowl", "=", "rim", "", "write")
TEXT = "# bowl\n\n- a round bowl\n- rim\n"


def chat(root: Path, *args: object, lines: tuple[str, ...] = (), person: str | None = None, **env: str) -> Ended:
    return toy("chat", *args, cwd=root, lines="".join(f"{line}\n" for line in lines), person=person, **env)


def said(root: Path, path: str = TALK) -> dict[str, str]:
    kept = json.loads((root / path).read_text())
    return {one["key"]: one["answer"] for one in kept["said"]}


def events(root: Path) -> list[dict[str, Any]]:
    lines = (root / "_workflow/atelier/bowl/journal.jsonl").read_text().splitlines()
    return [event for line in lines for event in json.loads(line)["events"]]


@pytest.fixture
def ordered(tmp_path: Path) -> Path:
    assert chat(tmp_path, "order-taker", lines=LINES).code == 0
    return tmp_path


@pytest.fixture
def carved(ordered: Path) -> Path:
    assert chat(ordered, "master-carver", lines=("a", "submit")).code == 3
    return ordered


# --- who can begin ----------------------------------------------------------------------------------------------------


def test_without_a_name_everybody_is_shown_with_what_they_lack(ordered: Path, tmp_path_factory: Any) -> None:
    empty = tmp_path_factory.mktemp("empty")
    lines = [line.split(maxsplit=3) for line in chat(empty).out.splitlines()]
    assert ["master-carver", "-", "no", "needs orders/TASK.md, made by order-taker"] in lines
    assert ["order-taker", "-", "yes", "Takes down what somebody wants."] in lines
    lines = [line.split(maxsplit=3) for line in chat(ordered).out.splitlines()]
    assert ["master-carver", "bowl", "yes", "Carves with the person."] in lines
    told = json.loads(chat(ordered, "--json").out)["personas"]
    [foreman] = [one for one in told if one["persona"] == "foreman"]
    assert foreman["needs"] == [{"path": PIECE, "maker": "master-carver", "there": False}]
    assert (foreman["can_begin"], foreman["task"], foreman["next"]) == (False, "bowl", "dispatcher")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("foreman", "bowl"), "foreman cannot begin without pieces/bowl.md. Valid: pieces/bowl.md is made by master-"),
        (("foreman", "bowl"), "begin with `signoff chat master-carver`"),
        (("dispatcher", "bowl"), "cannot begin without pieces/bowl.md, ledger/*.md"),
        (("dispatcher", "bowl"), "ledger/*.md is made by the office"),
        (("master-carver", "lamp"), "cannot begin without orders/lamp.md"),
        (("master-carver", "../bowl"), "'../bowl' is no name for a piece"),
        (("nobody",), "there is no persona 'nobody'. Valid: "),
    ],
)
def test_a_persona_without_its_input_files_does_not_begin_and_names_them_and_who_makes_them(
    ordered: Path, args: tuple[str, ...], said: str
) -> None:
    ended = chat(ordered, *args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_task_is_named_where_there_is_more_than_one(ordered: Path) -> None:
    (ordered / "orders/lamp.md").write_text("# lamp\n\n- light\n")
    (ordered / "orders/Not A Name.md").write_text("x")
    ended = chat(ordered, "master-carver")
    assert ended.code == 2
    assert "Valid: bowl, lamp. Repair: name the task, as in `signoff chat master-carver bowl`" in ended.err
    (ordered / "orders/bowl.md").unlink()
    assert "- light" in chat(ordered, "master-carver").out


# --- a file before a run ----------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
def test_a_conversation_ends_with_the_file_and_names_who_comes_next(tmp_path: Path) -> None:
    ended = chat(tmp_path, "order-taker", lines=LINES)
    assert ended.code == 0, ended.err
    assert (tmp_path / ORDER).read_text() == TEXT
    draft, written = ended.out.index("  - a round bowl\n  - rim\n"), ended.out.index(f"Written: {ORDER}")
    assert draft < ended.out.index("write: write it into the project") < written
    assert ended.out.splitlines()[-1] == "Next: signoff chat master-carver bowl  # Carves with the person."


@pytest.mark.req("OR-5")
def test_as_json_the_result_is_all_that_is_printed(tmp_path: Path) -> None:
    ended = chat(tmp_path, "order-taker", "--json", lines=LINES)
    told = json.loads(ended.out)
    assert told == {
        "persona": "order-taker", "task": "bowl", "written": [ORDER], "turns": [], "settled": [], "left": False,
        "run": None, "next": "master-carver", "exit": 0,
    }  # fmt: skip
    assert "What is wanted?" in ended.err
    told = json.loads(chat(tmp_path, "order-taker", "--json", lines=("/exit",)).out)
    assert (told["left"], told["written"], told["exit"]) == (True, [], 3)


@pytest.mark.req("OR-5")
@pytest.mark.parametrize("number", range(4))
def test_one_thing_is_asked_at_a_time_and_the_end_of_the_input_writes_nothing(tmp_path: Path, number: int) -> None:
    ended = chat(tmp_path, "order-taker", lines=LINES[:number])
    assert ended.code == 3
    asked = [title for title in ("What is wanted?", "What is it called?", "Parts: A part of it?") if title in ended.out]
    assert len(asked) == min(number + 1, 3)
    assert ended.out.count("\n> ") == number + 1
    assert not (tmp_path / ORDER).exists()
    assert "Left. What was said is kept" in ended.out
    assert list(said(tmp_path).values() if number else []) == ["a round bowl", "bowl", "rim"][:number]


@pytest.mark.req("OR-5")
@pytest.mark.parametrize("where", range(5))
def test_exit_leaves_at_any_time_and_what_was_said_is_taken_up_again(tmp_path: Path, where: int) -> None:
    left = chat(tmp_path, "order-taker", lines=(*LINES[:where], "/exit"))
    assert left.code == 3
    assert not (tmp_path / "orders").exists()
    again = (("on",) if where else ()) + LINES[where:]
    ended = chat(tmp_path, "order-taker", lines=again)
    assert ended.code == 0, ended.out
    assert ("What you said before is kept" in ended.out) is bool(where)
    assert (tmp_path / ORDER).read_text() == TEXT


def test_whoever_begins_anew_loses_the_old_words_with_the_first_new_one_and_not_before(tmp_path: Path) -> None:
    chat(tmp_path, "order-taker", lines=("a round bowl",))
    assert chat(tmp_path, "order-taker", lines=("anew",)).code == 3
    assert said(tmp_path) == {"wish": "a round bowl"}
    chat(tmp_path, "order-taker", lines=("anew", "a chair"))
    assert said(tmp_path) == {"wish": "a chair"}


def test_an_answer_can_be_taken_back_changed_and_looked_at_before_it_counts(tmp_path: Path) -> None:
    lines = ("a chair", "/back", "/back", "", "a round bowl", "9", "=", "/draft", "/exti", "leg", "", "7", "3", "rim")
    ended = chat(tmp_path, "order-taker", lines=(*lines, "write"))
    assert ended.code == 0, ended.out
    assert (tmp_path / ORDER).read_text() == TEXT
    for line in (
        "  There is nothing before this.",
        "  Say what is wanted.",
        "  A name has small letters.",
        "  - a round bowl",
        "  '/exti' is not a command; did you mean /exit? (? for help)",
        "  '7' is none of these:",
        "  3. A part of it?: leg",
        "  answer now (answered): leg",
    ):
        assert line in ended.out.splitlines()
    assert "> /draft\n  # bowl\n" in ended.out


def test_a_part_is_taken_out_by_leaving_it_empty_and_those_behind_it_stay(tmp_path: Path) -> None:
    lines = ("a round bowl", "=", "leg", "rim", "", "3", "", "write")
    assert chat(tmp_path, "order-taker", lines=lines).code == 0
    assert (tmp_path / ORDER).read_text() == TEXT


def test_a_draft_that_would_not_do_cannot_be_written_and_says_why(ordered: Path) -> None:
    ended = chat(ordered, "master-carver", lines=("", "submit", "/exit"))
    assert ended.code == 3
    assert "This does not do yet:" in ended.out
    assert "it has no parts. Repair: give parts" in ended.out
    assert "'submit' is none of these:" in ended.out
    assert [event["type"] for event in events(ordered)] == ["started"]


def test_what_no_file_can_hold_is_not_kept(tmp_path: Path) -> None:
    ended = chat(tmp_path, "order-taker", lines=("a \x1b[31mbowl",))
    assert "the answer has the character U+001B" in ended.out
    assert not (tmp_path / TALK).exists()


def test_the_task_can_be_named_from_the_beginning_and_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    assert chat(tmp_path, "order-taker", "bowl", lines=("a round bowl",)).code == 3
    assert "a conversation about bowl, too: `signoff chat order-taker bowl`" in chat(tmp_path, "order-taker").out
    ended = chat(tmp_path, "order-taker", "bowl", lines=("on", "rim", "", "write"))
    assert ended.code == 0
    assert "What is it called?" not in ended.out
    assert (tmp_path / ORDER).read_text() == TEXT
    assert "a conversation about bowl" not in chat(tmp_path, "order-taker").out


# --- a file that is there ---------------------------------------------------------------------------------------------

OTHER = ("anew", "a bowl", "=", "", "write")


@pytest.mark.req("OR-5")
def test_a_file_that_is_there_is_shown_as_a_difference_and_replaced_only_by_a_persons_word(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / ORDER).write_text("# bowl\n\n- by hand\n")
    ended = chat(tmp_path, "order-taker", lines=(*LINES, "replace"))
    assert ended.code == 2
    assert f"replacing {ORDER} is a person's act, and no person is named" in ended.err
    assert "-- by hand\n+- a round bowl\n+- rim\n" in ended.out
    assert (tmp_path / ORDER).read_text() == "# bowl\n\n- by hand\n"
    again = chat(tmp_path, "order-taker", lines=("on", "write"), person="Ada")
    assert (again.code, (tmp_path / ORDER).read_text()) == (3, "# bowl\n\n- by hand\n")
    kept = chat(tmp_path, "order-taker", lines=("on", "write", "keep", "/exit"), person="Ada")
    assert (kept.code, (tmp_path / ORDER).read_text()) == (3, "# bowl\n\n- by hand\n")
    agent = chat(tmp_path, "order-taker", lines=("on", "write", "replace"), person="Ada", CLAUDECODE="1")
    assert (agent.code, (tmp_path / ORDER).read_text()) == (2, "# bowl\n\n- by hand\n")
    done = chat(tmp_path, "order-taker", lines=("on", "write", "replace"), person="Ada")
    assert (done.code, (tmp_path / ORDER).read_text()) == (0, TEXT)


@pytest.mark.req("OR-5")
def test_at_a_terminal_the_word_alone_replaces_it(ordered: Path) -> None:
    typed = "".join(f"{line}\n" for line in ("a bowl", "=", "", "write", "replace"))
    ended = at_terminal(["chat", "order-taker"], ordered, typed, name="toy")
    assert ended.code == 0, ended.out
    assert (ordered / ORDER).read_text() == "# bowl\n\n- a bowl\n"


def test_a_file_that_says_the_same_is_left_alone_and_nobody_is_asked(ordered: Path) -> None:
    before = (ordered / ORDER).stat().st_mtime_ns
    ended = chat(ordered, "order-taker", "bowl", lines=("on", "write"))
    assert (ended.code, (ordered / ORDER).stat().st_mtime_ns) == (0, before)
    assert f"It is there already, just so: {ORDER}" in ended.out


# --- kills ------------------------------------------------------------------------------------------------------------


class Talking:
    """A conversation in a process of its own, a line at a time."""

    def __init__(self, root: Path, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-c", NAMES["toy"], "chat", *args],
            cwd=root, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip

    def asked(self) -> None:
        """Waits for the next prompt."""
        assert self.process.stdout is not None
        text = ""
        while not text.endswith("\n> "):
            char = self.process.stdout.read(1)
            assert char, text
            text += char

    def types(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self.asked()

    def ends(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        _, err = self.process.communicate()
        return self.process.returncode, err


@pytest.mark.req("OR-5")
@pytest.mark.parametrize("answers", range(1, 4))
def test_a_kill_in_the_middle_loses_no_answer(tmp_path: Path, answers: int) -> None:
    talking = Talking(tmp_path, "order-taker")
    talking.asked()
    for line in LINES[:answers]:
        talking.types(line)
    talking.ends(signal.SIGKILL)
    assert list(said(tmp_path).values()) == ["a round bowl", "bowl", "rim"][:answers]
    assert chat(tmp_path, "order-taker", lines=("on", *LINES[answers:])).code == 0
    assert (tmp_path / ORDER).read_text() == TEXT


def test_an_interruption_ends_it_and_says_that_nothing_is_lost(tmp_path: Path) -> None:
    talking = Talking(tmp_path, "order-taker")
    talking.asked()
    talking.types("a round bowl")
    code, err = talking.ends(signal.SIGINT)
    assert (code, "Nothing is lost" in err) == (130, True)
    assert said(tmp_path) == {"wish": "a round bowl"}


def test_two_cannot_go_on_with_one_conversation_at_once(tmp_path: Path) -> None:
    talking = Talking(tmp_path, "order-taker")
    talking.asked()
    talking.types("a round bowl")
    assert chat(tmp_path, "order-taker", lines=("on", "=", "/exit")).code == 3
    assert talking.process.stdin is not None
    _, err = talking.process.communicate("other\n")
    assert talking.process.returncode == 2
    assert "another process goes on with this conversation" in err
    assert said(tmp_path) == {"wish": "a round bowl", "task": "bowl"}


# --- a part of a run --------------------------------------------------------------------------------------------------


def test_a_turn_is_talked_through_on_its_own_inputs_and_given_back_when_the_person_agrees(ordered: Path) -> None:
    ended = chat(ordered, "master-carver", "--json", lines=("a", "submit"))
    told = json.loads(ended.out)
    assert (told["turns"], told["exit"], told["next"]) == (["0001-carver"], 3, "foreman")
    assert "  - a round bowl\n" in ended.err
    assert (ordered / PIECE).read_text() == "# bowl\n\n- A\n"
    assert [event["type"] for event in events(ordered)] == ["started", "turn_returned"]
    receipt = json.loads((ordered / "_workflow/atelier/bowl/turns/0001-carver/usage-1.json").read_text())
    assert (receipt["runtime"], receipt["cost"]) == ("chat", "0")
    assert "chat" in toy("cost", "bowl", "--by", "model", cwd=ordered).out


def test_leaving_a_turn_leaves_it_open_and_what_was_said_is_there_again(ordered: Path) -> None:
    assert chat(ordered, "master-carver", lines=("a", "/exit")).code == 3
    assert [event["type"] for event in events(ordered)] == ["started"]
    assert chat(ordered, "master-carver", lines=("on", "submit")).code == 3
    assert (ordered / PIECE).read_text() == "# bowl\n\n- A\n"


@pytest.mark.req("OR-11")
def test_a_choice_takes_along_what_was_talked_over_and_the_run_goes_on_to_the_approval(carved: Path) -> None:
    ended = chat(carved, "foreman", lines=("make", "=", "make", "/exit"))
    assert ended.code == 3, ended.err
    assert "  A **chisel** is missing.\n" in ended.out
    [answer] = [event for event in events(carved) if event["type"] == "answered"]
    assert (answer["act"], answer["payload"], answer["by"]) == ("create", {"steel": "tool steel"}, "script")
    assert (carved / "tools/chisel.md").read_text() == "tool steel\n"
    assert not list(carved.glob("_workflow/conversations/foreman*.json"))
    assert "polisher returned 0002-polisher" in ended.out


@pytest.mark.req("OR-11")
def test_leaving_in_the_middle_of_a_choice_settles_nothing(carved: Path) -> None:
    assert chat(carved, "foreman", lines=("make", "=", "/exit")).code == 3
    assert "answered" not in [event["type"] for event in events(carved)]
    assert chat(carved, "foreman", lines=("make", "on", "make")).code == 3
    assert (carved / "tools/chisel.md").read_text() == "tool steel\n"


def test_an_approval_in_a_conversation_is_a_persons_act_as_everywhere(carved: Path) -> None:
    chat(carved, "foreman", lines=("drop",))
    for env in ({}, {"person": "Ada", "CLAUDECODE": "1"}, {"person": "Ada", "AI_AGENT": "x"}):
        ended = chat(carved, "foreman", lines=("ship", "approve"), **env)
        assert ended.code == 2
        assert "'approve' is a person's act, and" in ended.err
    wrong = at_terminal(["chat", "foreman"], carved, "ship\nyes\n", name="toy")
    assert wrong.code == 2
    assert "Type approve to confirm" in wrong.out
    assert "approve" not in [event.get("act") for event in events(carved)]
    right = at_terminal(["chat", "foreman"], carved, "ship\napprove\n", name="toy")
    assert right.code == 0, right.out
    assert "bowl is done." in right.out
    [answer] = [event for event in events(carved) if event.get("act") == "approve"]
    assert answer["by"].startswith("person:")
    assert list(answer["seen"]) == [PIECE]


def test_an_approval_by_a_script_that_names_a_person_is_theirs(carved: Path) -> None:
    chat(carved, "foreman", lines=("drop",))
    told = json.loads(chat(carved, "foreman", "--json", lines=("ship",), person="Ada").out)
    assert (told["exit"], told["next"], told["run"]["stop"]) == (0, "dispatcher", "complete")
    [settled] = told["settled"]
    assert (settled["act"], settled["by"], list(settled["of"])) == ("approve", "person:Ada", [PIECE])


def test_a_rejection_takes_the_reason_along_and_other_agents_go_on(carved: Path) -> None:
    chat(carved, "foreman", lines=("drop",))
    ended = chat(carved, "foreman", lines=("back", "too plain"), person="Ada")
    assert ended.code == 3
    assert ([event["payload"] for event in events(carved) if event.get("act") == "reject"]) == [{"reason": "too plain"}]
    assert "carver returned 0003-carver" in ended.out
    assert "tool-chisel" in ended.out


def test_a_turn_of_the_personas_agent_is_left_to_the_person_wherever_the_run_stands(carved: Path) -> None:
    chat(carved, "foreman", lines=("drop",))
    assert toy("reject", "bowl", "--gate", "final", "--reason", "x", "--no-run", cwd=carved, person="Ada").code == 0
    ended = chat(carved, "master-carver", lines=("anew", "beech", "submit"))
    assert ended.code == 3
    assert (carved / PIECE).read_text() == "# bowl\n\n- beech\n"
