"""The work on an approved design by the real Claude Code: contracts, commands, evidence and verdicts hold there too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "orchestration"))
from headless_kit import CLAUDE, lead, needs_claude
from work_kit import approved, expect_worked, offered, to_claude_code, worker

from signoff.shell.runtimes.claude_code.runtime import ClaudeCode
from signoff.shell.runtimes.model.model_choice import choice
from signoff.testing.stub import Stub
from signoff.workflows.orchestration.workflow import WORKFLOW

READING = {"Read", "Glob", "Grep", "StructuredOutput", "mcp__signoff__run_command"}


@pytest.mark.req("OR-18", "OR-20")
@needs_claude
def test_a_design_is_carried_out_within_its_contract_and_verified_by_what_really_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(tmp_path)
    model = worker(case, to_claude_code)
    with Stub(model) as stub:
        lead(monkeypatch, stub)
        expect_worked(case, stub, model, ClaudeCode(WORKFLOW, choice([CLAUDE], WORKFLOW.agent_names, os.environ)))
    work, review, verdict = model.order
    assert offered(stub, work) == offered(stub, review) == {*READING, "Write", "Edit"}
    assert offered(stub, verdict) == READING
