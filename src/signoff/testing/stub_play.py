"""What a stubbed model says: a play is a list of steps, each the answer to one request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from signoff.core.errors import UsageError

OUTPUT_TOOLS = ("final_result", "StructuredOutput")
"""Tools through which clients take a structured output: the one of Pydantic AI, the one of Claude Code."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as the stub received it. Header names are in small letters."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def key(self) -> str:
        """The key of the request, from either header."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key", "") or bearer

    @property
    def system(self) -> str:
        """The standing instructions, in either protocol."""
        first = [message for message in self.body.get("messages", ()) if message["role"] in ("system", "developer")]
        return "\n".join([*texts(self.body.get("system")), *(text for one in first for text in texts(one["content"]))])

    @property
    def text(self) -> str:
        """What was said since, tool results included."""
        said = [message for message in self.body.get("messages", ()) if message["role"] not in ("system", "developer")]
        return "\n".join(text for one in said for text in texts(one.get("content")))

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that were offered."""
        return tuple(
            str(tool.get("name") or tool.get("function", {}).get("name")) for tool in self.body.get("tools", ())
        )

    @property
    def output_tool(self) -> str | None:
        """The tool that takes the output, if there is one."""
        choice = self.body.get("tool_choice")
        forced = choice.get("name") or choice.get("function", {}).get("name") if isinstance(choice, Mapping) else None
        return forced or next((name for name in self.tools if name in OUTPUT_TOOLS), None)


def texts(content: Any) -> list[str]:
    """Every text in a message's content, whatever its shape."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, Mapping):
        return texts(content.get("text") if content.get("type") == "text" else content.get("content"))
    return [text for part in content for text in texts(part)]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model asks for."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The answer to one request: words, tool calls, an output; or why there is none.

    `output` is a value, or a text that is given unchanged, so it can be malformed. `status` refuses the request. `cut`
    closes the connection after so many characters of the answer. `gate` holds the answer back until it is set. `times`
    says how many requests get this step; None means all. `stop` is the reason for the end that the model reports.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    output: Any = None
    status: int = 200
    retry_after: float | None = None
    message: str = ""
    cut: int | None = None
    gate: threading.Event | None = None
    times: int | None = 1
    stop: str = ""

    @property
    def raw(self) -> str | None:
        """The output as text, or None."""
        if self.output is None or isinstance(self.output, str):
            return self.output
        return json.dumps(self.output, ensure_ascii=False)


def say(text: str) -> Step:
    """Plain words."""
    return Step(text=text)


def give(output: Any) -> Step:
    """An output: a value, or a text that need not be well formed."""
    return Step(output=output)


def call(tool: str, /, **args: Any) -> Step:
    """A call of a tool."""
    return Step(calls=(Call(tool, args),))


def refuse(status: int, *, retry_after: float | None = None, times: int | None = 1, message: str = "") -> Step:
    """An error of the provider: 401, 429, 500, 529…"""
    return Step(status=status, retry_after=retry_after, times=times, message=message)


Answer = Callable[[Asked], Step]
Play = Sequence[Step] | Answer
"""Steps in the order of the requests, or a function that answers each."""


def in_order(steps: Sequence[Step]) -> Answer:
    """A function that answers with one step after the other, and refuses requests beyond the last."""
    left = list(steps)
    lock = threading.Lock()

    def answer(asked: Asked) -> Step:
        with lock:
            if not left:
                return refuse(400, message=f"the play has no step for request {asked.number}")
            step = left[0]
            if step.times is not None:
                left[:1] = [replace(step, times=step.times - 1)] if step.times > 1 else []
            return step

    return answer


def read_play(file: Path) -> list[Step]:
    """A play from a YAML file: a list of mappings with the fields of a step; `calls` are mappings of tool and args."""
    import yaml

    steps = yaml.safe_load(file.read_text("utf-8"))
    if not isinstance(steps, list):
        raise UsageError(f"{file} holds no list", repair="write one step per line, as in `- {output: {agent: editor}}`")
    return [_step(step, file, number) for number, step in enumerate(steps, 1)]


def _step(plain: Any, file: Path, number: int) -> Step:
    known = {one.name for one in fields(Step)} - {"gate"}
    wrong = sorted(set(plain) - known) if isinstance(plain, dict) else [repr(plain)]
    if wrong:
        raise UsageError(f"{file}, step {number}: {', '.join(wrong)} is unknown", valid=", ".join(sorted(known)))
    calls = tuple(Call(one["tool"], one.get("args", {})) for one in plain.get("calls", ()))
    return Step(**{**plain, "calls": calls})
