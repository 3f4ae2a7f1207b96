"""A project of the toy workflow whose turns write and run, and a host that does them by the tools of the server."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import warm
from mcp.client.stdio import StdioServerParameters
from mcp_kit import Visit
from shell_out import CALL, Ended, called, environment

from signoff.core.events import to_plain
from signoff.service.project import Project

WORKSHOP = Path(__file__).parent / "doing_workflows"
WITH_IT = f"import signoff.workflows; signoff.workflows.__path__.append({str(WORKSHOP)!r}); {CALL}"
RUN, JOINER, INSPECTOR = "stool", "0001-joiner", "0002-inspector"
HOME = f"_workflow/workshop/{RUN}"
TRY = f"{sys.executable} tool.py"
PIECE = "out/piece.txt"
TOOL = """\
import os, pathlib, sys
print("keys:", [name for name in os.environ if "KEY" in name])
print("found:", pathlib.Path(sys.argv[1]).read_text().strip())
if sys.argv[2:] == ["log"]:
    pathlib.Path("out/log").write_text("tried\\n")
"""


def lay_out(root: Path, tool: str = TOOL) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "_workflow").mkdir()
    (root / "tool.py").write_text(tool)
    return root


def server(root: Path, **env: str) -> StdioServerParameters:
    """The real command with the toy workflow, as a host starts it."""
    return StdioServerParameters(command=warm.server(WITH_IT), args=["mcp"], cwd=root, env=environment(env))


async def begin(host: Visit, **params: Any) -> dict[str, Any]:
    return await host.call("start_run", workflow="workshop", name=RUN, params=params)


async def write(host: Visit, path: str = PIECE, text: str = "made\n", attempt: int = 1) -> dict[str, Any]:
    return await host.call("write_file", run=RUN, turn=JOINER, attempt=attempt, path=path, text=text)


async def tried(host: Visit, command: str = f"{TRY} {PIECE}", turn: str = JOINER) -> dict[str, Any]:
    return await host.call("run_command", run=RUN, turn=turn, attempt=1, command=command)


async def submit(host: Visit, turn: str = JOINER, attempt: int = 1, **output: Any) -> dict[str, Any]:
    said = json.dumps(output or {"done": True})
    return await host.call("submit_turn", run=RUN, turn=turn, attempt=attempt, output=said)


async def whole(host: Visit) -> dict[str, Any]:
    """What the workflow's own code does, by a host."""
    await begin(host)
    await write(host)
    await tried(host)
    assert (await submit(host))["accepted"]
    await tried(host, turn=INSPECTOR)
    return await submit(host, INSPECTOR, tried=f"{TRY} {PIECE}")


def offline(root: Path) -> int:
    """The same run by the workflow's own code, at the command line."""
    return cli(root, "run", "workshop", RUN, "--runtime", "offline").code


def cli(root: Path, *args: str) -> Ended:
    """The command line with the toy workflow."""
    return called(WITH_IT, args, root, {})


def of(root: Path, kind: str) -> list[dict[str, Any]]:
    """The events of one kind in the journal."""
    events = asyncio.run(Project(root).open(RUN)).events
    return [plain for event in events if (plain := to_plain(event))["type"] == kind]


def calls(root: Path) -> list[tuple[str, Any]]:
    return [(one["tool"], one["args"]) for one in of(root, "called")]
