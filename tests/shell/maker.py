"""A small workflow whose agent writes files and runs commands itself, for every runtime."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "kernel"))
from test_fanout import begin, no_probes
from toys import contract

from signoff.artifacts.agent_files import AgentFile
from signoff.core.commands import Finish, StartTurn, TurnLimits
from signoff.core.declarations import Agent, Assignment, Effects, Now, Tools
from signoff.core.errors import UsageError
from signoff.core.events import Started, TurnFailed, TurnReturned, to_plain
from signoff.core.workflow import ByCode, Documents, Workflow
from signoff.shell.run.briefs import Crew
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Runtime

TOOL = "tool.py"
SCHEMA = {"type": "object", "properties": {"done": {"type": "boolean"}}}
FOLDER = "_workflow/maker/try"
CHECK = f"{sys.executable} {TOOL}"
TEAM = Crew({"doer": AgentFile(file="", name="doer", description="", skills=(), body="You do.")}, {})
SHOWS = """\
import os, pathlib, sys
print("keys:", [name for name in os.environ if "KEY" in name])
print("found:", pathlib.Path(sys.argv[1]).read_text())
pathlib.Path("out/log.txt").write_text("checked\\n")
pathlib.Path("stray.txt").write_text("x")
"""


def maker_step(now: Now, limits: TurnLimits) -> Effects:
    match now.event:
        case Started():
            turn = StartTurn(
                key="make",
                agent="doer",
                contract="doer",
                task="Make it.",
                reads=(TOOL,),
                writes=("out/*",),
                tools=("write_file",),
                runs=(f"{CHECK} *",),
                limits=limits,
            )
            return Effects(None, (turn,))
        case TurnReturned():
            return Effects(None, (Finish(reason="refused" if now.refused else "complete"),))
        case TurnFailed():
            return Effects(None, (Finish(reason=now.refused[0].rule),))
    return Effects(None)


def maker(player: Any = None, **limits: Any) -> Workflow:
    """The workflow, with this player and these limits of its turn."""
    return Workflow(
        name="maker",
        about="one agent that writes and runs",
        package="tests.kernel",
        steps=partial(maker_step, limits=TurnLimits(**limits)),
        agents=(Agent(name="doer", contract=replace(contract("doer"), schema=lambda: SCHEMA)),),
        documents=Documents(
            tracked=lambda _: [TOOL, "out/"],
        ),
        by_code=ByCode(
            players={"doer": player} if player else {},
        ),
    )


def made(root: Path, runtime: Runtime, text: str = SHOWS, workflow: Workflow | None = None) -> LiveRun:
    """The run, driven to its end or to where it stops."""
    workflow = workflow or getattr(runtime, "workflow", None) or maker()
    (root / TOOL).write_text(text)

    async def go() -> LiveRun:
        live = await begin(workflow, root, "try")
        await Runner(live, runtime, TEAM, no_probes).drive()  # type: ignore[arg-type]
        return live

    return asyncio.run(go())


def of(live: LiveRun, kind: str) -> list[dict[str, Any]]:
    return [plain for event in live.events if (plain := to_plain(event))["type"] == kind]


def calls(live: LiveRun) -> list[tuple[str, Mapping[str, Any]]]:
    """What stands in the journal of tools that were called."""
    return [(event["tool"], event["args"]) for event in of(live, "called")]


def good(_assignment: Assignment, tools: Tools) -> str:
    """A player that does what it may."""
    tools.write("out/a.txt", "made\n")
    ran = tools.run(f"{CHECK} out/a.txt")
    return json.dumps({"said": ran.output, "code": ran.code, "again": tools.read("out/log.txt").decode()})


def greedy(_assignment: Assignment, tools: Tools) -> str:
    """A player that tries what it may not, too."""
    tools.write("out/a.txt", "made\n")
    for attempt in (
        lambda: tools.write("evil.txt", "x"),
        lambda: tools.run("rm -rf out"),
        lambda: tools.read("/etc/passwd"),
    ):
        try:
            attempt()
        except UsageError:
            continue
    return "{}"
