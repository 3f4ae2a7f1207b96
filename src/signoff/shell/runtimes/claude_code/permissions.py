"""What Claude Code may do in a turn: read its folder, write what the contract names, call the tools it is offered.

It asks before it does anything else, and all else is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.permissions import CONFINED, READ_INPUT, RUN_COMMAND, WRITE_FILE
from signoff.shell.run.workspace import Workspace
from signoff.shell.runtimes.runtime import noted

SERVER, PERMISSION = "signoff", "permission"
READING, WRITING = ("Read", "Glob", "Grep"), ("Write", "Edit")


def theirs(start: StartTurn) -> tuple[str, ...]:
    """The tools of Claude Code that a turn is offered. Commands go through our own tool instead."""
    return (*READING, *(WRITING if WRITE_FILE in start.tools else ()))


def ours(start: StartTurn) -> tuple[str, ...]:
    """The tools that we offer: those of the workflow, and one for commands if the turn may run any."""
    return (*((RUN_COMMAND,) if start.runs else ()), *(name for name in start.tools if name not in CONFINED))


def called(tool: str) -> str:
    """How Claude Code calls a tool of ours."""
    return f"mcp__{SERVER}__{tool}"


def refusal(tool: str, args: Mapping[str, Any], space: Workspace) -> str:
    """Why a use of a tool is refused; empty if it is allowed."""
    try:
        if tool in theirs(space.start) and tool in WRITING:
            space.target(_path(args, space.folder))
        elif tool == "Read":
            file = space.folder / str(args.get("file_path", ""))
            if not file.resolve().is_relative_to(space.folder):
                raise UsageError(f"{str(file)!r} is not an input of this turn", repair="read only what the brief names")
        elif tool not in map(called, ours(space.start)):
            return f"{tool} is not something that this turn may do"
    except UsageError as error:
        return str(error)
    return ""


def _path(args: Mapping[str, Any], folder: Path) -> str:
    """A path as the contract names it: relative to the folder, if it is inside."""
    path = str(args.get("file_path", ""))
    return path.removeprefix(f"{folder}/")


def recorded(tool: str, args: Mapping[str, Any], folder: Path) -> tuple[str, dict[str, Any]]:
    """A refused call in the words of the journal, which are the same for every runtime."""
    name = WRITE_FILE if tool in WRITING else READ_INPUT if tool == "Read" else tool
    return name, noted(name, {"path": _path(args, folder)} if name != tool else args)
