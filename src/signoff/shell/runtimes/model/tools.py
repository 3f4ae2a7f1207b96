"""What a model may do besides giving its output: read, write and run what its turn names, call the workflow's tools.

The kernel refuses calls of anything else, so they are in the journal and the model is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext, Tool
from pydantic_ai.messages import ToolCallPart

from signoff.core.commands import StartTurn
from signoff.core.declarations import Tool as Declared
from signoff.core.errors import DocumentError, UsageError
from signoff.core.permissions import CONFINED, READ_INPUT, RUN_COMMAND, WRITE_FILE
from signoff.evidence.sources.files import parse_source
from signoff.shell import telemetry
from signoff.shell.runtimes.runtime import ToolPort, as_words, noted

PAGE = 40_000


def names(start: StartTurn) -> tuple[str, ...]:
    """The tools of one turn: reading always, writing and running if the turn allows them, and the workflow's."""
    writes = (WRITE_FILE,) if WRITE_FILE in start.tools else ()
    runs = (RUN_COMMAND,) if start.runs else ()
    return (READ_INPUT, *writes, *runs, *(name for name in start.tools if name not in CONFINED))


@dataclass(slots=True)
class CallIds:
    """Ids for the calls of a conversation, numbered after those that the turn had before.

    The kernel does a call of a known id once. A provider may repeat its ids in a later answer, or after a kill broke
    off the conversation: the numbers make them unique.
    """

    called: int = 0

    def __call__(self, given: object) -> str:
        self.called += 1
        return f"{self.called}-{given}"


def offered(port: ToolPort, start: StartTurn, declared: Sequence[Declared], ids: CallIds) -> list[Tool[None]]:
    """The tools of one turn; their descriptions never depend on the turn, so a provider can cache them."""
    confined = {READ_INPUT: _reading, WRITE_FILE: _writing, RUN_COMMAND: _running}
    return [
        *(confined[name](port, ids) for name in names(start) if name in confined),
        *(_named(port, tool, ids) for tool in declared),
    ]


def _reading(port: ToolPort, ids: CallIds) -> Tool[None]:
    async def read_input(ctx: RunContext[None], path: str, offset: int = 0) -> str:
        """Reads an input of your brief, for those that were too long to be in it.

        Args:
            path: The path, exactly as it stands under "Inputs".
            offset: The character to begin at; an answer that is not the whole says where to go on.
        """
        try:
            data = port.read(path)
        except UsageError as error:
            await port.call(READ_INPUT, noted(READ_INPUT, {"path": path}), ids(ctx.tool_call_id))
            return f"Refused: {error}"
        with telemetry.tool(READ_INPUT, str(ctx.tool_call_id), {"path": path, "offset": offset}) as span:
            read = _page(readable(data, path), offset)
            span.said("gen_ai.tool.call.result", read)
        return read

    return Tool(read_input, name=READ_INPUT, takes_ctx=True)


def _writing(port: ToolPort, ids: CallIds) -> Tool[None]:
    async def write_file(ctx: RunContext[None], path: str, text: str) -> str:
        """Writes one file, whole. It counts when your output is accepted.

        Args:
            path: A path that your brief lists under "You may write".
            text: The whole text of the file.
        """
        try:
            port.write(path, text)
        except UsageError as error:
            await port.call(WRITE_FILE, noted(WRITE_FILE, {"path": path}), ids(ctx.tool_call_id))
            return f"Refused: {error}"
        return f"{path} is written."

    return Tool(write_file, name=WRITE_FILE, takes_ctx=True)


def _running(port: ToolPort, ids: CallIds) -> Tool[None]:
    async def run_command(ctx: RunContext[None], command: str) -> str:
        """Runs one command in a folder that holds your inputs and the files you wrote. There is no shell.

        Args:
            command: A command that your brief lists under "You may run"; a `*` there stands for words of your choice.
        """
        try:
            return (await asyncio.to_thread(port.run, command)).told()
        except UsageError as error:
            await port.call(RUN_COMMAND, noted(RUN_COMMAND, {"command": command}), ids(ctx.tool_call_id))
            return f"Refused: {error}"

    return Tool(run_command, name=RUN_COMMAND, takes_ctx=True, sequential=True)


def _named(port: ToolPort, tool: Declared, ids: CallIds) -> Tool[None]:
    """A tool of the workflow as it is declared. Only the kernel judges its arguments."""

    async def ask(ctx: RunContext[None], **args: Any) -> str:
        return as_words(await port.call(tool.name, args, ids(ctx.tool_call_id)))

    takes = dict(tool.takes)
    return Tool.from_schema(ask, name=tool.name, description=tool.about, json_schema=takes, takes_ctx=True)


async def record(port: ToolPort, call: ToolCallPart, ids: CallIds) -> None:
    """Passes a call of a tool that was never offered to the kernel, which refuses and records it."""
    await port.call(call.tool_name, noted(call.tool_name, _arguments(call)), ids(call.tool_call_id))


def _arguments(call: ToolCallPart) -> Mapping[str, Any]:
    try:
        return call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return {"arguments": call.args}


def readable(data: bytes, path: str) -> str:
    """An input as text: a PDF page by page, everything else as it is."""
    if not path.lower().endswith(".pdf"):
        return data.decode("utf-8", "replace")
    try:
        pages = parse_source(data, path).pages
    except DocumentError as error:
        return f"It cannot be read: {error}"
    return "\n".join(f"--- page {number} ---\n{text}" for number, text in enumerate(pages, 1))


def _page(text: str, offset: int) -> str:
    start = max(0, offset)
    part = text[start : start + PAGE]
    end = start + len(part)
    return part if end >= len(text) else f"{part}\n\n[{end} of {len(text)} characters; go on with offset={end}]"
