"""The server itself: tools and prompts on the MCP SDK, errors that say what is valid, stdio and loopback HTTP."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent, ToolAnnotations
from pydantic import ValidationError

import signoff
from signoff import DefinitionError, OperatorError, SignoffError, UsageError, UserError
from signoff.service import people
from signoff.service.hosts import host_reads
from signoff.service.hosts.turn_leases import Taker
from signoff.service.project import SLUG, Project
from signoff.surfaces.mcp.prompts import prompts
from signoff.surfaces.mcp.tools import Desk, takes

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ACTING = ("run_command",)
"""What a turn's command does, the patterns of its contract do not confine: a host should know that."""
READING = ("list_runs", "next_turn", "get_status", "read_document", "run_gate", "trace_id")
_PERSONAL = re.compile("approv|reject|resum|sign_?off")
INSTRUCTIONS = """\
Signoff runs workflows in this project: agents propose, code decides, people sign off. Take a turn with next_turn, be \
the agent that its brief describes, give the output to submit_turn, and go on until nothing is open. No tool approves, \
rejects or resumes: show the person the command and wait.\
"""


class Server(MCPServer[Any]):
    """An MCP server over one project. Whatever goes wrong is a result that says how to go on."""

    def __init__(self, root: Path, taker: Taker | None = None) -> None:
        self.desk = Desk(Project(root).root, taker)
        tools = _tools(self.desk)
        super().__init__(
            "signoff", instructions=INSTRUCTIONS, version=signoff.__version__, log_level="ERROR", tools=tools
        )
        self.arguments = {tool.name: tuple(tool.parameters["properties"]) for tool in tools}
        for told in prompts(self.desk.root):
            self.add_prompt(Prompt.from_function(told.text, name=told.name, description=told.about))

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """One call; what a person or the operator must fix comes back as an error that a model can read."""
        try:
            self._refuse(name, arguments)
            result = await super().call_tool(name, arguments, context)
        except SignoffError as error:
            return _failed(error)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                return _failed(_mistyped(name, error.__cause__))
            if isinstance(error.__cause__, UserError | OperatorError):
                return _failed(error.__cause__)
            raise
        return self._with_notices(result)

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """One prompt; what is wrong with the call or an agent file is said to the host."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            known = ", ".join(prompt.name for prompt in await self.list_prompts())
            told = f"there is no prompt {name!r}. Valid: {known}." if name not in known.split(", ") else _cause(error)
            raise MCPError(code=INVALID_PARAMS, message=_sayable(told)) from error

    def _refuse(self, name: str, arguments: Mapping[str, Any]) -> None:
        if name not in self.arguments:
            if act := _PERSONAL.search(name.casefold()):
                _refuse_personal(act.group(), arguments.get("run"))
            raise UsageError(f"there is no tool {name!r}", valid=", ".join(self.arguments), repair="call one of them")
        if wrong := [given for given in arguments if given not in self.arguments[name]]:
            valid = ", ".join(sorted(self.arguments[name])) or "it takes none"
            raise UsageError(f"{name} takes no {', '.join(map(repr, wrong))}", valid=valid, repair="leave it out")

    def _with_notices(self, result: Any) -> Any:
        if isinstance(result, CallToolResult) and (told := self.desk.notices()):
            result.content.append(TextContent(text="\n".join(f"note: {text}" for text in told)))
        return result


def _tools(desk: Desk) -> list[Tool]:
    """The server's own tools, and those that workflows declare, under their names and as they are declared."""
    own = [Tool.from_function(tool, annotations=_hints(tool.__name__)) for tool in desk.tools()]
    for function, declared in desk.declared():
        if any(tool.name == declared.name for tool in own):
            raise DefinitionError(
                f"a workflow declares the tool {declared.name!r}, which the server has", repair="rename it"
            )
        tool = Tool.from_function(
            function, name=declared.name, description=declared.about, annotations=_hints(declared.name)
        )
        own.append(tool.model_copy(update={"parameters": takes(declared)}))
    return own


def _hints(name: str) -> ToolAnnotations:
    acts = name in ACTING
    return ToolAnnotations(read_only_hint=name in READING, destructive_hint=acts, open_world_hint=acts)


def _cause(error: BaseException) -> str:
    """What was wrong at first: the SDK says only that something was."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, SignoffError):
        found = found.__cause__
    return str(found or error)


def _refuse_personal(word: str, run: Any) -> None:
    """Says how a person does what a host looked for a tool for."""
    act = {"approv": "approve", "reject": "reject", "resum": "resume"}.get(word, "approve")
    name = run if isinstance(run, str) and SLUG.fullmatch(run) else "RUN"
    people.check(people.HOST, people.Act.SIGN_OFF, repr(act), people.command(people.HOST, name, "GATE", act))


def _mistyped(name: str, error: ValidationError) -> UsageError:
    problems = [f"{'.'.join(map(str, one['loc'])) or name}: {one['msg']}" for one in error.errors()]
    return UsageError(f"{name}: {'; '.join(problems)}", repair="call it again with arguments of its schema")


def _failed(error: SignoffError) -> CallToolResult:
    found = {name: _sayable(value) for name in ("found", "valid", "repair") if (value := getattr(error, name))}
    findings = [host_reads.finding(one) for one in getattr(error, "findings", ())]
    plain = {"kind": type(error).__name__, **found, **({"findings": findings} if findings else {})}
    return CallToolResult(
        content=[TextContent(text=_sayable(str(error)))],
        structured_content={"error": plain},
        is_error=True,
    )


def _sayable(text: str) -> str:
    """Text that JSON can carry, whatever was quoted in it."""
    return text.encode("utf-8", "backslashreplace").decode()


# --- transports -------------------------------------------------------------------------------------------------------


def over_stdio(root: Path) -> None:
    """Serves one host on standard input and output, until the host goes away; a person at a terminal is told so."""
    if sys.stdin.isatty():
        print("signoff mcp: an MCP host starts this and speaks to it; Ctrl-D ends it", file=sys.stderr)
    anyio.run(Server(root, Taker.here(os.environ, os.getppid())).run_stdio_async)


def over_http(root: Path, host: str, port: int) -> None:
    """Serves any number of hosts of this machine; the address is said on standard error once it is open."""
    if host not in LOOPBACK:
        raise UsageError(
            f"--host is {host!r}; everybody who reaches the server can read the project",
            valid=", ".join(LOOPBACK),
            repair="keep it on this machine, and reach it through a tunnel that knows who you are",
        )
    listening = _bound(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"signoff mcp: http://{shown}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
    anyio.run(_serve, root, host, listening)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen()  # from here on no host is turned away: an early one waits
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"port {port} of {host} cannot be opened: {reason}",
            valid="0 to 65535; 0 takes a free one",
            repair="name another with --port",
        ) from error
    return found


async def _serve(root: Path, host: str, listening: socket.socket) -> None:
    import uvicorn

    app = Server(root).streamable_http_app(streamable_http_path=PATH, host=host)
    await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve([listening])
