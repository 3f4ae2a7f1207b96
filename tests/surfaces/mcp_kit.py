"""A host for the tests: the SDK's own client, in memory or at a real server, that says what agents of code say."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "article"))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "clarify"))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "orchestration"))
import article_project
import clarify_project
import orchestration_agents
import warm
from clarify_project import MIXED
from clarify_project import lay_out as lay_out_inquiry
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from shell_out import CALL, environment

from signoff.core.commands import Reply, StartTurn
from signoff.core.declarations import Assignment, RolePlayer
from signoff.core.refs import digest
from signoff.service import catalog, runs
from signoff.service.project import Project
from signoff.shell.run.processes import Ran
from signoff.shell.runtimes.runtime import Port
from signoff.surfaces.mcp.server import Server
from signoff.workflows.orchestration.documents.reviews import REVIEWERS

REVIEWED = tuple(REVIEWERS)
"""Every reviewer of an architecture."""
EXAMPLES = Path(__file__).parents[2] / "examples"
RONDO, LOCKERS, QUENCH = "rondo-speakerphone", clarify_project.Case.name, article_project.TOPIC
PAGE = {"workflow": "solution-page", "name": RONDO}
INQUIRY = {"workflow": "clarify", "name": LOCKERS, "params": {"topic": "Parcel lockers"}}
AGENTS: Mapping[str, Mapping[str, RolePlayer]] = {
    "article": article_project.AGENTS,
    "clarify": clarify_project.AGENTS,
    "orchestration": orchestration_agents.agents(order=REVIEWED),
}
"""The scripted agents of workflows that have no code of their own for them."""
TOOLS = [
    "list_runs", "start_run", "next_turn", "write_file", "run_command", "submit_turn", "get_status",
    "read_document", "run_gate", "trace_id", "answer_question", "choose_option", "submit_artifact",
    *catalog.tools(),
]  # fmt: skip
T = TypeVar("T")
__all__ = [
    "AGENTS", "EXAMPLES", "INQUIRY", "LOCKERS", "MIXED", "PAGE", "QUENCH", "RONDO", "TOOLS", "Visit", "files", "http",
    "lay_out", "lay_out_article", "lay_out_inquiry", "stdio", "visit", "visiting",
]  # fmt: skip


def lay_out(root: Path, example: str = "hardware", config: str = "") -> Path:
    """A fresh project from an example's sources."""
    shutil.copytree(EXAMPLES / example / "0-sources", root / "0-sources")
    if config:
        (root / "_workflow").mkdir()
        (root / "_workflow/config.yaml").write_text(config)
    return root


def lay_out_article(root: Path) -> Path:
    """A project with the document of the small article."""
    return article_project.ArticleProject.laid_out(root).root


def files(root: Path) -> dict[str, str]:
    """Every file by digest; locks are left out."""
    found = (file for file in sorted(root.rglob("*")) if file.is_file() and not file.name.startswith("."))
    return {str(file.relative_to(root)): digest(file.read_bytes()) for file in found}


async def _no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    raise AssertionError(f"a player called {tool} ({call_id})")


@dataclass
class Hands:
    """The tools of a role player, each call of which goes through the tools of the server; a player is no coroutine."""

    host: Visit
    of: Mapping[str, Any]
    port: Port
    loop: asyncio.AbstractEventLoop

    def read(self, path: str) -> bytes:
        if path in self.port.pinned and path not in self._given():
            return self.port.read(path)
        return str(self._asked("read_document", run=self.of["run"], path=path)["text"]).encode()

    def write(self, path: str, text: str) -> None:
        self._asked("write_file", **self.of, path=path, text=text)

    def run(self, command: str) -> Ran:
        ran = self._asked("run_command", **self.of, command=command)
        return Ran(command, ran["code"], ran["output"])

    def _given(self) -> list[str]:
        [turn] = self._asked("next_turn", run=self.of["run"], turn=self.of["turn"])["turns"]
        return list(turn["given"])

    def _asked(self, tool: str, **given: Any) -> dict[str, Any]:
        return asyncio.run_coroutine_threadsafe(self.host.call(tool, **given), self.loop).result()


@dataclass
class Visit:
    """A host at a server of the project in `root`."""

    client: Client
    root: Path

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A call that must succeed; its text says the same as its data."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """A call that must be refused; gives what is said."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        assert {"repair", "valid", "findings"} & result.structured_content["error"].keys()
        return result.content[0].text

    async def brief(self, run: str, turn: Mapping[str, Any]) -> str:
        """The whole brief of a turn, however long it is."""
        text, rest = turn["brief"], turn.get("brief_goes_on")
        while rest:
            piece = await self.call("read_document", run=run, path=rest["path"], offset=rest["offset"])
            text += piece["text"]
            rest = {**rest, "offset": piece["next_offset"]} if "next_offset" in piece else None
        return text

    async def output(self, run: str, turn: Mapping[str, Any]) -> str:
        """What this turn's agent says to the brief that the host was given."""
        live = await Project(self.root).open(run)
        start: StartTurn = live.state.turns[turn["turn"]].start
        brief = await self.brief(run, turn)
        composed = {one.turn: text for one, text in (await runs.next_open(live)).turns}
        assert brief == composed[start.turn]
        port = Port(live.library, {ref.path: ref for ref in start.pinned}, _no_calls)
        assignment = Assignment(start=start, brief=brief, params=live.state.params, at=live.state.at)
        player = AGENTS.get(live.workflow.name, live.workflow.by_code.players)[start.agent]
        if not {"write_file", "run_command"} & {*turn.get("tools", ())}:
            return player(assignment, port)
        hands = Hands(
            self, {"run": run, "turn": start.turn, "attempt": start.attempt}, port, asyncio.get_running_loop()
        )
        return await asyncio.to_thread(player, assignment, hands)

    async def play(self, run: str) -> dict[str, Any]:
        """Takes turns until none is open; gives what the last call said."""
        while True:
            found = await self.call("next_turn", run=run)
            if not found["turns"]:
                return found
            for turn in found["turns"]:
                raw = await self.output(run, turn)
                given = {"run": run, "turn": turn["turn"], "attempt": turn["attempt"], "output": raw}
                after = await self.call("submit_turn", **given)
                assert after["accepted"], after["findings"]

    async def options(self, run: str) -> list[str]:
        """What can be chosen now."""
        found = await self.call("next_turn", run=run)
        return [option for request in found["requests"] for option in request["options"]]


# --- servers ----------------------------------------------------------------------------------------------------------


def visiting(root: Path, act: Callable[[Visit], Awaitable[T]], server: Any = None) -> T:
    """One visit: at a server in memory, or at the one that is named."""

    async def doing() -> T:
        async with visit(root, server) as host:
            return await act(host)

    return asyncio.run(doing())


@asynccontextmanager
async def visit(root: Path, server: Any = None) -> AsyncIterator[Visit]:
    async with Client(server or Server(root)) as client:
        yield Visit(client, root)


def stdio(root: Path) -> StdioServerParameters:
    """The real command, as a host starts it."""
    return StdioServerParameters(command=warm.server(CALL), args=["mcp"], cwd=root, env=environment())


@contextmanager
def http(root: Path) -> Iterator[str]:
    """The real command on a free port of this machine; gives its address."""
    heard, said = os.pipe()
    with Path(os.devnull).open("r+b") as nothing, os.fdopen(heard, encoding="utf-8") as told:
        streams = (nothing.fileno(), nothing.fileno(), said)
        process = warm.of("mcp").start(CALL, ["mcp", "--http", "--port", "0"], root, environment(), streams)
        os.close(said)
        line = told.readline()
        assert line.startswith("signoff mcp: http://127.0.0.1:"), line
        try:
            yield line.removeprefix("signoff mcp: ").strip()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
