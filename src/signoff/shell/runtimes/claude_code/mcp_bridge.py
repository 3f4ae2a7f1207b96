"""An MCP server on loopback for Claude Code, in this process, for one turn.

It answers questions for permission, and offers the workflow's tools and the one for commands. Requests must carry the
secret of the turn.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool
from starlette.types import ASGIApp, Receive, Scope, Send

from signoff.core.declarations import Tool as Declared
from signoff.core.errors import UsageError
from signoff.core.permissions import RUN_COMMAND
from signoff.shell.runtimes.claude_code import permissions
from signoff.shell.runtimes.runtime import ToolPort, as_words

HOST, PATH = "127.0.0.1", "/mcp"
CALL = "claudecode/toolUseId"
ANYTHING = {"type": "object", "additionalProperties": True}
COMMAND = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": 'A command that your brief lists under "You may run".'}
    },
    "required": ["command"],
}
RUNS = "Runs one command in your folder and gives its exit code and output. There is no shell."


@dataclass(slots=True)
class Desk:
    """The tools of one turn. `known` are the calls that are in the journal or need not be."""

    port: ToolPort
    declared: Sequence[Declared] = ()
    known: set[str] = field(default_factory=set)

    async def record(self, tool: str, args: Mapping[str, Any], call_id: str) -> None:
        """Reports a refused call to the kernel, once."""
        if call_id not in self.known:
            self.known.add(call_id)
            name, plain = permissions.recorded(tool, args, self.port.workspace.folder)
            await self.port.call(name, plain, call_id)

    async def permission(self, args: Mapping[str, Any]) -> str:
        """The answer to a question for permission, in Claude Code's form."""
        tool, given = str(args.get("tool_name")), args.get("input") or {}
        why = permissions.refusal(tool, given, self.port.workspace)
        if not why:
            return json.dumps({"behavior": "allow", "updatedInput": given})
        await self.record(tool, given, str(args.get("tool_use_id") or secrets.token_hex(8)))
        return json.dumps({"behavior": "deny", "message": why})

    async def command(self, args: Mapping[str, Any], call_id: str) -> str:
        """One command of the contract."""
        command = str(args.get("command", ""))
        try:
            return (await asyncio.to_thread(self.port.run, command)).told()
        except UsageError as error:
            await self.record(RUN_COMMAND, {"command": command}, call_id)
            return f"Refused: {error}"

    # --- the protocol ---

    async def tools(self, _ctx: ServerRequestContext[Any], _params: PaginatedRequestParams | None) -> ListToolsResult:
        """The tools that are offered; their descriptions never depend on the turn."""
        runs = self.port.workspace.start.runs
        command = [Tool(name=RUN_COMMAND, description=RUNS, input_schema=COMMAND)] if runs else []
        asks = Tool(name=permissions.PERMISSION, input_schema=ANYTHING)
        theirs = [Tool(name=tool.name, description=tool.about, input_schema=dict(tool.takes)) for tool in self.declared]
        return ListToolsResult(tools=[*command, *theirs, asks])

    async def answer(self, ctx: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        """One call of a tool."""
        args, meta = params.arguments or {}, dict(ctx.meta or {})
        call_id = str(meta.get(CALL) or secrets.token_hex(8))
        if params.name == permissions.PERMISSION:
            text = await self.permission(args)
        elif params.name == RUN_COMMAND:
            text = await self.command(args, call_id)
        else:
            text = as_words(await self.port.call(params.name, args, call_id))
        return CallToolResult(content=[TextContent(text=text)])

    @asynccontextmanager
    async def served(self) -> AsyncIterator[dict[str, Any]]:
        """Serves the turn; gives the MCP config that leads Claude Code here."""
        server: Server[Any] = Server(permissions.SERVER, on_list_tools=self.tools, on_call_tool=self.answer)
        secret = f"Bearer {secrets.token_urlsafe(32)}"
        app = _only_with(secret, server.streamable_http_app(streamable_http_path=PATH, host=HOST))
        with socket.create_server((HOST, 0)) as listening:
            url = f"http://{HOST}:{listening.getsockname()[1]}{PATH}"
            config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=1)
            serving = _Quiet(config)
            task = asyncio.create_task(serving.serve([listening]))
            try:
                yield {
                    "mcpServers": {
                        permissions.SERVER: {"type": "http", "url": url, "headers": {"Authorization": secret}}
                    }
                }
            finally:
                serving.should_exit = True
                await task


class _Quiet(uvicorn.Server):
    """A server that does not take over the signals of the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _only_with(secret: str, app: ASGIApp) -> ASGIApp:
    """Refuses requests without the secret: other processes of this machine can reach the port."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers") or ())
        if scope["type"] != "http" or hmac.compare_digest(headers.get(b"authorization", b""), secret.encode()):
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return guarded
