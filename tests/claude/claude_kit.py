"""The real Claude Code, led to a stubbed provider: a model behind it that does what the slash commands say."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from mcp_kit import PAGE, RONDO, lay_out
from shell_out import signoff

from signoff.core.commands import Reply
from signoff.core.declarations import Assignment
from signoff.core.events import to_plain
from signoff.service.project import Project
from signoff.shell.runtimes.runtime import Port
from signoff.testing.stub import Asked, Step, Stub, call, say

OWN = "mcp__signoff__"
TOLD = re.compile(r"run (\S+), turn (\S+)")
Answer = Callable[[Asked], Step]


def binary() -> Path | None:
    """The client that the wheel of its SDK carries."""
    found = importlib.util.find_spec("claude_agent_sdk")
    home = Path(next(iter(found.submodule_search_locations or ()))) if found else None
    file = home / "_bundled/claude" if home else None
    return file if file and file.exists() else None


def require() -> Path:
    found = binary()
    if found is None:
        pytest.skip("NOT TESTED: there is no Claude Code here (pip install claude-agent-sdk)")
    return found


@dataclass(frozen=True)
class Ended:
    """How a session ended: its last words, what it was denied, and what it was made of."""

    code: int
    events: Sequence[Mapping[str, Any]]
    err: str

    @property
    def result(self) -> Mapping[str, Any]:
        return self.events[-1]

    @property
    def began(self) -> Mapping[str, Any]:
        return next(event for event in self.events if event.get("subtype") == "init")


@dataclass(frozen=True)
class Desk:
    """A project in which Signoff is installed, a home that is thrown away, and the client."""

    root: Path
    home: Path

    def claude(self, stub: Stub, prompt: str, *options: str, **env: str) -> Ended:
        """One headless session."""
        done = self.command(stub, "-p", prompt, "--output-format", "stream-json", "--verbose", *options, **env)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert events, done.stderr
        return Ended(done.returncode, events, done.stderr)

    def command(self, stub: Stub, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(require()), *args],
            cwd=self.root, env=self.environment(stub) | env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip

    def environment(self, stub: Stub) -> dict[str, str]:
        """Nothing of ours or of the machine's; the client waits for its servers, however busy the machine is."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {
            **kept, **stub.environment(), "HOME": str(self.home), "PATH": path, "SIGNOFF_CLOCK": "revision",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "ENABLE_TOOL_SEARCH": "false",
            "MCP_CONNECTION_NONBLOCKING": "false", "MCP_CONNECT_TIMEOUT_MS": "120000", "MCP_TIMEOUT": "120000",
        }  # fmt: skip

    def events(self, run: str = RONDO) -> list[dict[str, Any]]:
        return [to_plain(event) for event in asyncio.run(Project(self.root).open(run)).events]


_FOREIGN = ("CLAUDE", "ANTHROPIC", "OPENAI", "SIGNOFF_", "AI_AGENT")


def desk(folder: Path, example: str = "hardware", config: str = "", *install: str) -> Desk:
    """A project whose folder the person trusts, as they say to the client when they first start it there."""
    root, home = lay_out(folder / "project", example, config), folder / "home"
    home.mkdir()
    (home / ".claude.json").write_text(json.dumps({"projects": {str(root): {"hasTrustDialogAccepted": True}}}))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = signoff("install", "claude-code", *install, cwd=root, PATH=path, HOME=str(home))
    assert done.code == 0, done.err
    return Desk(root, home)


# --- a model that does what it is told --------------------------------------------------------------------------------


def model(root: Path, run: str = RONDO) -> Answer:
    """It begins the run, starts the agent of each open turn, and is that agent; the role players know the work."""

    def answer(asked: Asked) -> Step:
        return _agent(asked, root) if "You are told the name of a run" in asked.system else _session(asked, run)

    return answer


def _session(asked: Asked, run: str) -> Step:
    tool, result = last(asked)
    if tool is None:
        return call(f"{OWN}start_run", workflow=PAGE["workflow"], name=run)
    if not tool.endswith("get_status"):
        return call(f"{OWN}get_status", run=run)
    status = json.loads(result)
    if not status["turns"]:
        return say(f"The run stands at {status['stop'] or [one['key'] for one in status['requests']]}.")
    turn = status["turns"][0]
    return call(
        "Agent",
        description="a turn",
        prompt=f"run {run}, turn {turn['turn']}",
        subagent_type=f"signoff-{PAGE['workflow']}-{turn['agent']}",
        run_in_background=False,
    )


def _agent(asked: Asked, root: Path) -> Step:
    tool, result = last(asked)
    found = TOLD.search(asked.text)
    assert found, asked.text[-500:]
    run, name = found.groups()
    if tool is None:
        return call(f"{OWN}next_turn", run=run, turn=name)
    if tool.endswith("next_turn"):
        (turn,) = json.loads(result)["turns"]
        raw = asyncio.run(played(root, run, turn["turn"]))
        return call(f"{OWN}submit_turn", run=run, turn=turn["turn"], attempt=turn["attempt"], output=raw)
    assert json.loads(result)["accepted"], result
    return say("Submitted and accepted.")


async def played(root: Path, run: str, turn: str) -> str:
    """What the role player of a turn gives."""
    live = await Project(root).open(run)
    start = live.state.turns[turn].start
    port = Port(live.library, {ref.path: ref for ref in start.pinned}, _no_calls)
    assignment = Assignment(start=start, brief="", params=live.state.params, at=live.state.at)
    return live.workflow.by_code.players[start.agent](assignment, port)


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    raise AssertionError(f"a player called {tool} ({call_id})")


def last(asked: Asked) -> tuple[str | None, str]:
    """The tool that was called last, and what it said; None where none was called yet."""
    called = {
        block["id"]: block["name"]
        for message in asked.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_use"
    }
    results = [
        block
        for message in asked.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    if not results:
        return None, ""
    content = results[-1].get("content") or ""
    parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return called[results[-1]["tool_use_id"]], parts[0] if parts else ""
