"""The desk that Claude Code must ask, spoken to by a real MCP client."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

sys.path.insert(0, str(Path(__file__).parent))
from test_workspace import PYTHON, opened

from signoff.core.commands import Reply
from signoff.core.declarations import Tool
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.library import Library
from signoff.shell.runtimes.claude_code.mcp_bridge import Desk
from signoff.shell.runtimes.runtime import Port

DRAFT = Tool(
    name="draft", about="Writes a draft.", takes={"type": "object", "properties": {"text": {"type": "string"}}}
)


class Asking:
    """A client at the desk of one turn; `called` is what reached the kernel."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.called: list[tuple[str, Mapping[str, object]]] = []

    async def call(self, tool: str, args: Mapping[str, object], call_id: str) -> Reply:
        self.called.append((tool, args))
        if tool == "draft":
            return Reply(turn="0001-doer", call_id=call_id, result={"length": len(str(args["text"]))})
        return Reply(turn="0001-doer", call_id=call_id, illegal=f"{tool} is not a tool here")

    def do(self, *calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
        async def go() -> tuple[list[str], list[str]]:
            with opened(self.root, tools=("write_file", "draft")) as space:
                port = Port(Library(FolderStore(self.root), "_workflow"), {}, self.call, space=space)
                async with Desk(port, [DRAFT]).served() as told:
                    return await _spoken(told["mcpServers"]["signoff"], calls)

        return asyncio.run(go())


async def _spoken(
    server: Mapping[str, Any], calls: tuple[tuple[str, dict[str, Any]], ...]
) -> tuple[list[str], list[str]]:
    async with (
        httpx2.AsyncClient(headers=server["headers"]) as http,
        Client(streamable_http_client(server["url"], http_client=http)) as client,
    ):
        names = [tool.name for tool in (await client.list_tools()).tools]
        results = [await client.call_tool(name, args) for name, args in calls]
        return names, [one.content[0].text for one in results]


def test_it_offers_the_tools_of_the_contract_and_answers_questions_for_permission(tmp_path: Path) -> None:
    asking = Asking(tmp_path)
    question = {"tool_name": "Write", "input": {"file_path": "out/a.txt", "content": "x"}, "tool_use_id": "1"}
    evil = {"tool_name": "Write", "input": {"file_path": "evil.txt", "content": "x"}, "tool_use_id": "2"}
    names, said = asking.do(("permission", question), ("permission", evil), ("permission", evil), ("permission", {}))
    assert names == ["run_command", "draft", "permission"]
    assert json.loads(said[0]) == {"behavior": "allow", "updatedInput": question["input"]}
    denied = [json.loads(one) for one in said[1:]]
    assert {one["behavior"] for one in denied} == {"deny"}
    assert "'evil.txt' is not for this turn to write" in denied[0]["message"]
    assert asking.called == [("write_file", {"path": "evil.txt"}), ("None", {})]


def test_it_runs_commands_and_hands_the_workflows_tools_on(tmp_path: Path) -> None:
    asking = Asking(tmp_path)
    _, said = asking.do(
        ("run_command", {"command": f"{PYTHON} -c 'print(6 * 7)'"}),
        ("run_command", {"command": "rm -rf /"}),
        ("run_command", {}),
        ("draft", {"text": "hello"}),
        ("approve", {"gate": "final"}),
    )
    assert said[0] == "exit code 0\n42\n"
    assert said[1].startswith("Refused: 'rm -rf /' is not for this turn to run")
    assert said[3:] == ['{"length": 5}', "Refused: approve is not a tool here. Legal now: nothing."]
    assert asking.called == [
        ("run_command", {"command": "rm -rf /"}),
        ("run_command", {"command": ""}),
        ("draft", {"text": "hello"}),
        ("approve", {"gate": "final"}),
    ]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer guessed"}, {"Authorization": "x"}])
def test_who_does_not_know_the_secret_of_the_turn_is_not_heard(headers: dict[str, str], tmp_path: Path) -> None:
    asking = Asking(tmp_path)

    async def go() -> tuple[int, str]:
        with opened(tmp_path) as space:
            port = Port(Library(FolderStore(tmp_path), "_workflow"), {}, asking.call, space=space)
            async with Desk(port).served() as told, httpx.AsyncClient() as client:
                server = told["mcpServers"]["signoff"]
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "draft", "arguments": {}}}
                answer = await client.post(server["url"], json=body, headers=headers)
                return answer.status_code, server["url"]

    status, url = asyncio.run(go())
    assert (status, asking.called) == (401, [])
    assert url.startswith("http://127.0.0.1:")
