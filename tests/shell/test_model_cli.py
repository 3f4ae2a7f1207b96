"""`signoff run --runtime model`, as a process of its own, against a stubbed provider."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from model_kit import RONDO, first, lay_out, players, task
from shell_out import at_terminal, signoff

from signoff.core.commands import StartTurn
from signoff.surfaces.cli.terminal import progress
from signoff.surfaces.cli.terminal.progress import Board
from signoff.testing.stub import Stub, give, refuse

SONNET = "anthropic:claude-sonnet-5-5"
RUN = ("run", "solution-page", RONDO, "--runtime", "model")


@pytest.mark.parametrize("model", [SONNET, "openai:gpt-5"])
def test_a_page_is_made_from_the_command_line(model: str, tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(first([give("{"), refuse(429, retry_after=0)], players(root))) as stub:
        ended = signoff(*RUN, "--model", model, "--json", cwd=root, **stub.environment())
    assert (ended.code, ended.err) == (0, "")
    assert (ended.json["stop"], ended.json["runtime"]) == ("complete", "language models")
    assert Decimal(ended.json["spend"]["cost"]) > 0
    assert [task(asked)[1] for asked in stub.asked] == [1, 2, 2, 1, 1, 1, 1]
    assert {asked.body["model"] for asked in stub.asked} == {model.partition(":")[2]}


def test_lines_say_what_happens_and_what_it_cost(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(first([give("{")], players(root))) as stub:
        ended = signoff(*RUN, "--model", SONNET, cwd=root, **stub.environment())
    assert ended.code == 0
    assert f"{RONDO} (solution-page): the work is done by language models" in ended.out
    assert "strategist returned 0001-strategist, refused with 1 finding: " in ended.out
    assert f"{RONDO}: complete" in ended.out


def test_a_run_goes_on_with_another_model_after_a_person_approved(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(players(root)) as stub:
        env = stub.environment()
        begun = signoff(*RUN, "--model", SONNET, "--require-strategy-approval", cwd=root, **env)
        more = ("--runtime", "model", "--model", "openai:gpt-5", "--model", f"editor-qa={SONNET}")
        ended = signoff("approve", RONDO, "--gate", "strategy", *more, cwd=root, person="ada", **env)
    assert (begun.code, ended.code) == (3, 0)
    named = [asked.body["model"] for asked in stub.asked]
    assert named == ["claude-sonnet-5-5", *["gpt-5", "claude-sonnet-5-5"] * 2]


def test_a_run_goes_on_with_what_worked_last_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(players(root)) as stub:
        env = stub.environment()
        signoff(*RUN, "--model", "openai:gpt-5", "--require-strategy-approval", cwd=root, **env)
        ended = signoff("approve", RONDO, "--gate", "strategy", "--json", cwd=root, person="ada", **env)
    assert (ended.code, ended.json["runtime"]) == (0, "language models")
    assert [asked.body["model"] for asked in stub.asked] == ["gpt-5"] * 5


@pytest.mark.parametrize(
    ("args", "env", "said"),
    [
        (("--model", SONNET), {"ANTHROPIC_API_KEY": ""}, "ANTHROPIC_API_KEY is not set"),
        (("--model", "sonnet"), {}, "'sonnet' does not say whose model it is"),
        (("--model", "editor=openai:gpt-5"), {}, "there is no agent 'editor'"),
        ((), {"SIGNOFF_MODEL": "antropic:claude"}, "'antropic:claude' is not a model of a known provider"),
    ],
)
def test_what_is_missing_is_a_usage_error(
    args: tuple[str, ...], env: dict[str, str], said: str, tmp_path: Path
) -> None:
    root = lay_out(tmp_path)
    with Stub([]) as stub:
        ended = signoff(*RUN, *args, cwd=root, **{**stub.environment(), **env})
    assert (ended.code, stub.asked) == (2, [])
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_wrong_key_ends_with_a_person_who_is_told_what_to_set(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(players(root)) as stub:
        ended = signoff(*RUN, "--model", SONNET, cwd=root, **stub.environment("wrong"))
        assert ended.code == 4
        assert "set ANTHROPIC_API_KEY to a valid key" in ended.out
        again = ("resume", RONDO, "--runtime", "model", "--model", SONNET)
        assert signoff(*again, cwd=root, person="ada", **stub.environment()).code == 0


def test_a_terminal_shows_a_page_that_is_made_by_models(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(players(root)) as stub:
        ended = at_terminal([*RUN, "--model", SONNET], cwd=root, env=stub.environment())
    assert ended.code == 0
    assert "language models" in ended.out


def test_the_board_shows_how_much_of_an_answer_has_arrived() -> None:
    start = StartTurn(key="draft", agent="writer", contract="writer", task="Write.", turn="0002-writer")
    board, _ = progress.working(Board(run="r", workflow="w", runtime="language models"), start)
    assert dict(progress.rows(progress.heard(board, "0002-writer", 1234), 3.0))["working"] == (
        "writer (0002-writer), language models, 1234 characters so far"
    )
    assert progress.heard(board, "0003-other", 99) == board


def test_doctor_says_whether_models_could_be_asked(tmp_path: Path) -> None:
    with Stub([]) as stub:
        ready = signoff("doctor", "--runtime", "model", cwd=tmp_path, **stub.environment())
        unready = signoff("doctor", "--runtime", "model", cwd=tmp_path, ANTHROPIC_API_KEY="")
    assert (ready.code, stub.asked) == (0, [])
    assert "every agent has a model with a key" in ready.out
    assert unready.code == 1
    assert "ANTHROPIC_API_KEY is not set" in unready.out
