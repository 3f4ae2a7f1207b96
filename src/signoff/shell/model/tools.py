"""What a model may do besides giving its output: read the inputs of its turn, call the tools that the turn names.

A call of anything else is put to the kernel, which refuses it; so it is in the journal, and the model is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext, Tool
from pydantic_ai.messages import ToolCallPart

from signoff.artifacts.sources import parse_source
from signoff.core.commands import Reply
from signoff.core.errors import DocumentError, UsageError
from signoff.core.workflow import Tool as Declared
from signoff.shell.runtimes import ToolPort

READ = "read_input"
PAGE = 40_000


def offered(port: ToolPort, declared: Sequence[Declared]) -> list[Tool[None]]:
    """The tools of one turn; how they are described never depends on the turn, so that a provider's cache holds."""

    async def read_input(ctx: RunContext[None], path: str, offset: int = 0) -> str:
        """Reads an input of your brief, for those that were too long to be in it.

        Args:
            path: The path, exactly as it stands under "Inputs".
            offset: The character to begin at; an answer that is not the whole says where to go on.
        """
        try:
            return _page(readable(port.read(path), path), offset)
        except UsageError as error:
            await port.call(READ, {"path": path}, str(ctx.tool_call_id))
            return f"Refused: {error}"

    return [Tool(read_input, name=READ, takes_ctx=True), *(_named(port, tool) for tool in declared)]


def _named(port: ToolPort, tool: Declared) -> Tool[None]:
    """A tool of the workflow as it is declared. What it is given is the kernel's to judge, and nobody's before it."""

    async def ask(ctx: RunContext[None], **args: Any) -> str:
        return _told(await port.call(tool.name, args, str(ctx.tool_call_id)))

    takes = dict(tool.takes)
    return Tool.from_schema(ask, name=tool.name, description=tool.about, json_schema=takes, takes_ctx=True)


@dataclass(slots=True)
class Numbered:
    """The port of a conversation, with its calls numbered after those that the turn had before.

    The kernel does a call of a known id once. The ids of a provider need not differ between two of its answers, nor
    from those of a conversation that a kill broke off: the numbers do.
    """

    port: ToolPort
    called: int

    def read(self, path: str) -> bytes:
        return self.port.read(path)

    async def call(self, tool: str, args: Mapping[str, object], call_id: str) -> Reply:
        self.called += 1
        return await self.port.call(tool, args, f"{self.called}-{call_id}")

    def heard(self, characters: int) -> None:
        self.port.heard(characters)


def _told(reply: Reply) -> str:
    if reply.illegal:
        return f"Refused: {reply.illegal}. Legal now: {', '.join(reply.legal) or 'nothing'}."
    return json.dumps(reply.result, ensure_ascii=False, default=str)


async def record(port: ToolPort, call: ToolCallPart) -> None:
    """Puts a call of a tool that was never offered to the kernel, which refuses and records it."""
    await port.call(call.tool_name, _arguments(call), call.tool_call_id)


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
