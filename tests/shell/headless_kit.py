"""Turns that the real Claude Code carries out against a stubbed provider; it is the one that its SDK brings along."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, Paged, first, lead, page, players, task

from signoff.core.errors import UsageError
from signoff.core.state import State
from signoff.service import runs
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes.claude_code import process
from signoff.shell.runtimes.claude_code.runtime import ClaudeCode
from signoff.shell.runtimes.model.model_choice import choice
from signoff.testing.stub import Asked, Stub
from signoff.workflows.solution_page.workflow import WORKFLOW

SONNET = CLAUDE.partition(":")[2]


def _missing() -> str:
    try:
        process.find_program(os.environ)
    except UsageError as error:
        return str(error)
    return ""


def needs_claude(test: Any) -> Any:
    """A test that starts the real program; where there is none, it says so and counts as not tested."""
    why = _missing()
    return pytest.mark.claude(pytest.mark.skipif(bool(why), reason=why)(test))


def on_claude(case: Paged, *flags: str, heard: Any = None) -> State:
    """Drives a page with Claude Code."""

    async def doing(live: LiveRun) -> State:
        if heard is not None:
            live.watcher.heard = heard
        return await runs.drive(
            live, ClaudeCode(WORKFLOW, choice(flags or (CLAUDE,), WORKFLOW.agent_names, os.environ))
        )

    return case.go(doing)


def turns(stub: Stub) -> Sequence[Asked]:
    """The requests that are about a turn; Claude Code may make others of its own."""
    return [asked for asked in stub.asked if "# Task " in asked.text]


__all__ = [
    "CLAUDE",
    "SONNET",
    "Paged",
    "first",
    "lead",
    "needs_claude",
    "on_claude",
    "page",
    "players",
    "task",
    "turns",
]
