"""A whole piece of content on the real Claude Code: it conducts, writes and judges, and the rubric decides."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from content_kit import ORDER, WORKFLOW, behind, conducting, small
from headless_kit import CLAUDE, lead, needs_claude
from small_content import NAME

from signoff.shell.runtimes.claude_code.runtime import ClaudeCode
from signoff.shell.runtimes.model.model_choice import choice
from signoff.testing.stub import Asked, Call, Step, Stub


def through_mcp(asked: Asked) -> Step:
    """The orchestrator, which calls the tools of the workflow under the names that they have there."""
    step = conducting(asked)
    return replace(step, calls=tuple(Call(f"mcp__signoff__{one.tool}", one.args) for one in step.calls))


@pytest.mark.req("CP-1", "CP-7")
@needs_claude
def test_a_piece_is_conducted_written_and_judged_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME, orchestrator=through_mcp)) as stub:
        lead(monkeypatch, stub)
        state = case.drive(ClaudeCode(WORKFLOW, choice([CLAUDE], WORKFLOW.agent_names, os.environ)))
    assert (state.stop, case.piece.saved) == ("complete", "approved")
    assert {tool for tool, _ in case.calls()} == set(ORDER)
    assert not [said for _, said in case.calls() if said]
    assert (case.root / f"content/{NAME}/content.md").exists()
    assert state.spend.unpriced == 0
