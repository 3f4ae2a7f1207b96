"""`signoff … --runtime claude-code`, as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from headless_kit import CLAUDE, needs_claude, players, task, turns
from model_kit import RONDO, lay_out
from shell_out import signoff

from signoff.testing.stub import Stub

RUN = ("run", "solution-page", RONDO, "--runtime", "claude-code")


@needs_claude
def test_a_run_on_claude_code_waits_for_the_person_and_says_who_worked(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    with Stub(players(root)) as stub:
        asked = (*RUN, "--model", CLAUDE, "--require-strategy-approval", "--json")
        ended = signoff(*asked, cwd=root, **stub.environment())
    assert (ended.code, ended.err) == (3, "")
    assert ended.json["runtime"] == "headless Claude Code"
    assert [task(one)[0] for one in turns(stub)] == ["0001-strategist"]


@needs_claude
def test_doctor_says_which_claude_code_there_is(tmp_path: Path) -> None:
    ended = signoff("doctor", "--runtime", "claude-code", cwd=tmp_path, ANTHROPIC_API_KEY="k")
    assert ended.code == 0
    assert "(Claude Code) at " in ended.out


def test_what_is_missing_is_a_usage_error_before_anything_is_spent(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    for args, env, said in (
        (("--model", CLAUDE), {"SIGNOFF_CLAUDE": "/nowhere/claude"}, "SIGNOFF_CLAUDE is '/nowhere/claude'"),
        (("--model", "openai:gpt-5"), {"SIGNOFF_CLAUDE": sys.executable}, "Claude Code has only models of Anthropic"),
        (("--faults", "off-schema"), {"SIGNOFF_CLAUDE": sys.executable}, "no agent 'off-schema' in the fault"),
    ):
        ended = signoff(*RUN, *args, cwd=root, **env, ANTHROPIC_API_KEY="k")
        assert (ended.code, said in ended.err, "Traceback" in ended.err) == (2, True, False), ended.err
    unready = signoff("doctor", "--runtime", "claude-code", cwd=tmp_path, SIGNOFF_CLAUDE="/nowhere/claude")
    assert unready.code == 1
    assert "SIGNOFF_CLAUDE is '/nowhere/claude', which is not a program" in unready.out
