"""`fork`, `diff` and `transcript` as a person types them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from shell_out import at_terminal, signoff

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
from model_kit import players

from signoff.surfaces.cli.commands import recordings
from signoff.testing.stub import Stub

RONDO = "rondo-speakerphone"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cli")
    assert signoff("demo", "solution-page", home / "page", cwd=home).code == 0
    return home / "page"


def test_a_fork_goes_on_and_is_compared_with_where_it_came_from(page: Path) -> None:
    ended = signoff("fork", RONDO, "--at", 4, cwd=page)
    assert ended.code == 0, ended
    home = page.parent / "page-fork-4"
    for said in (
        f"{RONDO} forked at 0004-copywriter (revision 16) into {home}",
        "reused, not paid for again: 0001-strategist, 0002-copywriter, 0003-editor-qa",
        "copywriter starts 0004-copywriter",
        "finished: complete",
    ):
        assert said in ended.out
    assert "starts 0003" not in ended.out
    table = signoff("diff", RONDO, home, cwd=page)
    assert table.code == 0
    rows = {line[3:].partition("  ")[0]: line for line in table.out.splitlines()}
    assert rows["forked at"].split() == ["*", "forked", "at", "-", "0004-copywriter"]
    assert rows["ended"].split() == ["ended", "complete", "complete"]
    assert rows["gates that fail"].endswith("none of 12")
    assert "15 the same, 0 not" in table.out
    found = signoff("diff", RONDO, home, "--json", "--text", cwd=page).json
    assert [side["own"]["attempts"] for side in found["runs"]] == [5, 2]
    assert (found["workflow"], found["text"]) == ("solution-page", "")
    assert "forked from ../page, " in signoff("replay", RONDO, cwd=home).out


def test_a_fork_may_wait_for_changes_of_its_config(page: Path, tmp_path: Path) -> None:
    made = signoff("fork", RONDO, "--at", 3, "--no-run", "--into", tmp_path / "fork", "--json", cwd=page).json
    assert (made["turn"], made["asked"], made["revision"]) == ("0003-editor-qa", ["0003-editor-qa"], 9)
    assert made["next"] == [f"signoff resume {RONDO} --project {tmp_path / 'fork'}"]
    assert signoff("status", "--json", cwd=tmp_path / "fork").json["runs"][0]["step"] == "review_en"
    assert signoff("resume", RONDO, "--project", tmp_path / "fork", cwd=tmp_path).code == 0


def test_a_model_named_for_a_fork_is_asked_from_n_on_and_its_words_can_be_read_again(
    page: Path, tmp_path: Path
) -> None:
    home = tmp_path / "fork"
    with Stub(players(home)) as stub:
        ended = signoff(
            "fork", RONDO, "--at", 5, "--model", "openai:gpt-5", "--into", home, cwd=page, **stub.environment()
        )
    assert ended.code == 0, ended
    assert len(stub.asked) == 1
    assert "language models" in ended.out
    text = signoff("transcript", RONDO, 5, cwd=home)
    for said in ("0005-editor-qa, attempt 1", "\ninstructions\n", "\nuser-prompt\n", "\ntool-call final_result\n"):
        assert said in text.out
    messages = signoff("transcript", RONDO, "0005-editor-qa", "--attempt", 1, "--json", cwd=home).json["messages"]
    assert messages[0]["instructions"] in stub.asked[0].system
    none = signoff("transcript", RONDO, 4, cwd=home)
    assert (none.code, "there is no conversation of 0004-copywriter" in none.err) == (2, True)
    later = signoff("transcript", RONDO, 5, "--attempt", 2, cwd=home)
    assert (later.code, "Valid: attempts 1" in later.err) == (2, True)
    assert "worked on by" in signoff("diff", page, home, cwd=tmp_path).out


def test_the_table_is_the_same_at_a_terminal(page: Path, tmp_path: Path) -> None:
    ended = at_terminal(["diff", page, page], tmp_path)
    assert ended.code == 0
    assert "*" not in ended.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("fork", RONDO, "--at", 9), "0005-editor-qa"),
        (("fork", RONDO, "--at", 3, "--prompt", "copywriter"), "AGENT=FILE"),
        (("fork", RONDO, "--at", 3, "--prompt", "nobody=x.md"), "has no agent"),
        (("fork", RONDO, "--at", 3, "--runtime", "nonsense"), "no runtime"),
        (("fork", RONDO, "--at", 3, "--runtime", "offline", "--model", "openai:gpt-5"), "--runtime model"),
        (("fork", RONDO, "--at", 3, "--into", "."), "inside the project"),
        (("fork", RONDO, "--at", 3, "--into", ".."), "is there already"),
        (("diff", RONDO, "nobody"), "neither a run in"),
        (("transcript", RONDO, 9), "has no turn '9'"),
    ],
)
def test_a_wrong_call_is_said_and_makes_nothing(page: Path, args: tuple[object, ...], said: str) -> None:
    before = sorted(page.parent.iterdir())
    ended = signoff(*args, cwd=page)
    assert (ended.code, "Traceback" in ended.err) == (2, False)
    assert said in ended.err
    assert sorted(page.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "system", "content": "Be brief."}, ["system text", "Be brief."]),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "name": "Read", "input": {"path": "a.md"}}]},
            ["assistant tool_use Read", '"path": "a.md"'],
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": "the file"}]},
            ["user tool_result", "the file"],
        ),
        ({"mood": "odd"}, ["message", '"mood": "odd"']),
    ],
)
def test_what_claude_code_and_we_said_is_shown_by_who_said_it(message: dict[str, object], said: list[str]) -> None:
    shown = "\n".join(recordings.message_lines(message))
    assert all(words in shown for words in said), shown
