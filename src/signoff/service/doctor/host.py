"""The runtime `host`: does the file by which a host finds the server name it, and does that server really answer?"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from signoff.core.errors import UsageError
from signoff.service.doctor.results import Result
from signoff.shell.runtimes.runtime import Host

NAME = Host().name
FILE, SERVERS, SERVER = ".mcp.json", "mcpServers", "signoff"
WRITE = f"write it with `signoff mcp --json > {FILE}`"
OWN = (sys.executable, "-c", "from signoff.surfaces.cli import main; main()", "mcp")
SECONDS = 30.0


async def examined(root: Path) -> list[Result]:
    """The extra, the file, the server; a project that no host is told of can still be told later."""
    if find_spec("mcp") is None:
        return [
            Result("extra mcp", False, "the package mcp is not installed", "install it: `pip install 'signoff[mcp]'`")
        ]
    try:
        entry = _entry(root)
    except UsageError as error:
        return [Result.of(error, FILE, False)]
    if entry is None:
        told = Result(FILE, None, f"{root} has none, so no host finds the server by itself", WRITE)
    else:
        told = Result(FILE, True, f"it names the server {SERVER}")
    return [told, await _answers(root, entry or {"command": OWN[0], "args": [*OWN[1:], "--project", str(root)]})]


def _entry(root: Path) -> dict[str, Any] | None:
    """What the file says of our server."""
    file = root / FILE
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text("utf-8"))[SERVERS][SERVER]
    except (ValueError, OSError) as error:
        raise UsageError(f"{file} cannot be read: {error}", repair=WRITE) from error
    except (LookupError, TypeError) as error:
        raise UsageError(
            f"{file} names no server {SERVER}", repair=f"add what `signoff mcp --json` prints: {WRITE}"
        ) from error
    if not isinstance(found, dict) or not (found.get("command") or found.get("url")):
        raise UsageError(f"{file}: {SERVER} has neither a command nor an address", repair=WRITE)
    return found


async def _answers(root: Path, entry: dict[str, Any]) -> Result:
    """Starts what a host would start, or goes where it would go, and asks for the tools."""
    shown = entry.get("url") or " ".join(["signoff" if entry["command"] == OWN[0] else entry["command"], "mcp"])
    try:
        async with asyncio.timeout(SECONDS):
            tools = await _tools(root, entry)
    except Exception as error:  # a command of a configuration file may fail in any way
        reason = f"no answer within {SECONDS:g} s" if isinstance(error, TimeoutError) else _root(error)
        return Result("server", False, f"`{shown}` does not serve: {reason}", WRITE)
    return Result("server", True, f"`{shown}` starts and offers {len(tools)} tools: {', '.join(tools)}")


async def _tools(root: Path, entry: dict[str, Any]) -> list[str]:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    if url := entry.get("url"):
        async with Client(url) as client:
            return [tool.name for tool in (await client.list_tools()).tools]
    params = StdioServerParameters(
        command=entry["command"], args=list(entry.get("args", ())), env={**os.environ, **entry.get("env", {})}, cwd=root
    )
    with tempfile.TemporaryFile("w+") as said:
        async with Client(stdio_client(params, errlog=said)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]


def _root(error: BaseException) -> str:
    """What was wrong at first: groups of tasks wrap it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
