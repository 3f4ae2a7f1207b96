"""`mcp`: serves the project to an MCP host."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signoff import UsageError
from signoff.service.project import find_root
from signoff.surfaces.cli.options import ProjectDir, print_json

PORT = 8765


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP on this machine; else stdio.")] = False,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="With --http: a loopback address.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="With --http: the port; 0 takes a free one.")] = PORT,
    as_json: Annotated[
        bool, typer.Option("--json", help="Serve nothing; print the entry for a host's configuration as JSON.")
    ] = False,
    project: ProjectDir = Path(),
) -> int:
    """Serve the project to an MCP host, such as Claude Code, which then takes the turns of its runs.

    The host asks for open turns with the tool next_turn and gives outputs back with submit_turn. No tool approves,
    rejects or resumes: those are yours, with the commands of the same names.

    \b
    Example:
      signoff mcp
      signoff mcp --http --port 8765
      signoff mcp --json > .mcp.json
    """
    if as_json:
        call = {"type": "stdio", "command": "signoff", "args": ["mcp", "--project", str(find_root(project))]}
        entry = {"type": "http", "url": f"http://{host}:{port}/mcp"} if http else call
        print_json({"mcpServers": {"signoff": entry}})
        return 0
    try:
        from signoff.surfaces.mcp import server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise UsageError(
            "the MCP server needs the package mcp, which is not installed",
            repair="install it with `pip install 'signoff[mcp]'`",
        ) from error
    if http:
        server.over_http(project, host, port)
    else:
        server.over_stdio(project)
    return 0
