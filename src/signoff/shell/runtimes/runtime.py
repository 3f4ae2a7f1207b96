"""Runtimes carry out turns: they get an assignment and a port to the world, and give raw output back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from signoff.core.budget import Allowance
from signoff.core.commands import Reply
from signoff.core.declarations import Assignment, Conversation, Misbehaviour, RolePlayer, Tools
from signoff.core.errors import SignoffError, UsageError
from signoff.core.events import Usage
from signoff.core.permissions import READ_INPUT, RUN_COMMAND, WRITE_FILE
from signoff.core.refs import Ref
from signoff.shell import telemetry
from signoff.shell.run.library import Library
from signoff.shell.run.processes import Ran
from signoff.shell.run.workspace import Workspace

AT_ONCE = 50
"""The most turns at once that a config can ask for; by default a provider takes fewer."""

LONGEST = 400
"""How many characters of an argument the journal keeps of a refused call."""


@dataclass(frozen=True, slots=True)
class Returned:
    """Raw output, exactly as the agent gave it, and what it cost; `model` names the model, if there was one."""

    raw: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""


class GaveUpError(SignoffError):
    """A runtime ends a turn without an output. `kind` goes into the journal, `usage` is what was spent all the same.

    `model` names the model, if one was asked.
    """

    def __init__(self, kind: str, found: str, *, repair: str = "", usage: Usage | None = None, model: str = "") -> None:
        self.kind, self.usage, self.model = kind, usage or Usage(), model
        super().__init__(found, repair=repair)


def as_bytes(raw: str) -> bytes:
    """A raw output as bytes, also if it is invalid Unicode, which is refused later when it is parsed."""
    return raw.encode("utf-8", "surrogatepass")


def as_words(reply: Reply) -> str:
    """A reply of the kernel as an agent reads it."""
    if reply.illegal:
        return f"Refused: {reply.illegal}. Legal now: {', '.join(reply.legal) or 'nothing'}."
    return json.dumps(reply.result, ensure_ascii=False, default=str)


def noted(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """What the journal keeps of a refused call's arguments: only the path of a file, and nothing long."""
    kept = ("path",) if tool in (READ_INPUT, WRITE_FILE) else tuple(args)
    return {_cut(name): _cut(args[name]) for name in kept if name in args}


def _cut(value: Any) -> Any:
    if isinstance(value, int | float | None):
        return value
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


class ToolPort(Tools, Protocol):
    """What a turn may do besides giving its output: read, write and run what it names, call the workflow's tools.

    A runtime puts what was refused to the kernel with `call`, which records it. `run` blocks: it is for a thread.
    """

    def run(self, command: str) -> Ran: ...

    @property
    def workspace(self) -> Workspace:
        """The turn's own folder."""

    async def call(self, tool: str, args: Mapping[str, object], call_id: str) -> Reply: ...

    def heard(self, characters: int) -> None:
        """Tells the watcher how much of an answer has arrived."""

    def said(self, messages: Sequence[Any]) -> None:
        """Hands over the conversation so far, as JSON data, to be kept."""


class Runtime(Protocol):
    """Carries out turns. `name` is shown wherever its work is shown; `paid` says whether it may cost money."""

    @property
    def name(self) -> str: ...

    @property
    def paid(self) -> bool: ...

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned: ...


@runtime_checkable
class Preparing(Protocol):
    """A runtime that checks before anything is spent whether it can work: key, model, known price."""

    def prepare(self, models: Mapping[str, str | None], left: Allowance) -> None: ...

    def ready(self) -> str:
        """What is ready, after `prepare` did not raise."""


@runtime_checkable
class Following(Protocol):
    """A runtime that reads the run's history and limits the turns at once."""

    @property
    def at_once(self) -> int: ...

    def follow(self, live: Any) -> None:
        """Learns which run it works on, before the first turn; raises if it cannot work on it."""


@runtime_checkable
class Provided(Protocol):
    """A runtime whose turns a provider of models works on, which limits the turns at once."""

    def provider(self, agent: str, wanted: str | None) -> str | None:
        """The provider of an agent's turns; `wanted` is the model that the config or the agent file names.

        None means that no provider limits the turns.
        """


@runtime_checkable
class Spying(Protocol):
    """A runtime that can show what a turn could read, without asking a model."""

    async def spy(self, assignment: Assignment, tools: ToolPort, paths: Sequence[str]) -> str:
        """Reads what a turn can read of these paths, and gives all that it saw."""


@runtime_checkable
class Asking(Protocol):
    """A runtime that can say which model each agent has, and ask one of them a small question."""

    def chosen(self, models: Mapping[str, str | None]) -> dict[str, str]: ...

    async def ask(self, model: str) -> Usage:
        """Really asks, which spends a little; gives the usage, or gives up with a reason."""


@dataclass(frozen=True, slots=True)
class Port:
    """What one turn can reach: the inputs that its brief names, at their pinned digests."""

    library: Library
    pinned: Mapping[str, Ref]
    calls: Callable[[str, Mapping[str, object], str], Awaitable[Reply]]
    heard: Callable[[int], None] = lambda _characters: None
    space: Workspace | None = None
    said: Callable[[Sequence[Any]], None] = lambda _messages: None

    @property
    def workspace(self) -> Workspace:
        if self.space is None:
            raise UsageError("this turn has no folder of its own", repair="give the output alone")
        return self.space

    def read(self, path: str) -> bytes:
        if self.space is not None and (own := self.space.own(path)) is not None:
            return own
        if path not in self.pinned:
            raise UsageError(
                f"{path!r} is not an input of this turn",
                valid=", ".join(self.pinned) or "none",
                repair="read only what the brief names",
            )
        return self.library.data(self.pinned[path])

    def write(self, path: str, text: str) -> None:
        self.workspace.write(path, as_bytes(text))

    def run(self, command: str) -> Ran:
        return self.workspace.run(command)

    async def call(self, tool: str, args: Mapping[str, object], call_id: str) -> Reply:
        with telemetry.tool(tool, call_id, args) as span:
            reply = await self.calls(tool, args, call_id)
            span.replied(reply)
        return reply


@dataclass(frozen=True, slots=True)
class Host:
    """Turns stay open until an MCP host takes them and submits their outputs."""

    name: str = "host"
    paid: bool = True

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:  # noqa: ARG002 - the protocol's
        raise UsageError(
            f"turn {assignment.start.turn} waits for a host, and this is not one",
            repair="start `signoff mcp` in an MCP host and take the turn with its tool next_turn",
        )


@dataclass(frozen=True, slots=True)
class Offline:
    """Turns that code carries out, one function for each agent."""

    players: Mapping[str, RolePlayer]
    name: str = "offline"
    paid: bool = False

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        player = self.players.get(assignment.start.agent)
        if player is None:
            raise UsageError(
                f"no code carries out the turns of {assignment.start.agent!r}",
                valid=", ".join(self.players) or "none",
                repair="choose another runtime",
            )
        noting = _Noting(tools)
        try:
            if assignment.start.runs:  # a command takes its time, and other turns go on meanwhile
                said = await asyncio.to_thread(player, assignment, noting)
            else:
                said = player(assignment, noting)
            return Returned(said if isinstance(said, str) else await _conversed(said, tools))
        finally:
            for number, (tool, args) in enumerate(noting.refused, 1):
                await tools.call(tool, args, f"refused-{number}")

    async def spy(self, _assignment: Assignment, tools: ToolPort, paths: Sequence[str]) -> str:
        """What a role player can read of these paths."""
        seen = []
        for path in paths:
            with suppress(UsageError):
                seen.append(tools.read(path).decode("utf-8", "replace"))
        return "".join(seen)


@dataclass(frozen=True, slots=True)
class Misbehaving:
    """Any runtime whose outputs are spoilt by a fault plan, to see what a run does then."""

    inner: Runtime
    plan: Misbehaviour

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def paid(self) -> bool:
        return self.inner.paid

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        spoil = self.plan(assignment)
        returned = await self.inner.perform(assignment, tools)
        return returned if spoil is None else replace(returned, raw=spoil(returned.raw, tools))

    def prepare(self, models: Mapping[str, str | None], left: Allowance) -> None:
        if isinstance(self.inner, Preparing):
            self.inner.prepare(models, left)

    def ready(self) -> str:
        return self.inner.ready() if isinstance(self.inner, Preparing) else ""

    @property
    def at_once(self) -> int:
        return self.inner.at_once if isinstance(self.inner, Following) else AT_ONCE

    def follow(self, live: Any) -> None:
        if isinstance(self.inner, Following):
            self.inner.follow(live)

    def provider(self, agent: str, wanted: str | None) -> str | None:
        return self.inner.provider(agent, wanted) if isinstance(self.inner, Provided) else None


async def _conversed(talk: Conversation, tools: ToolPort) -> str:
    """Passes a player's calls to the kernel. They are numbered, so a replay after a kill does not do them again."""
    number = 1
    try:
        call = next(talk)
        while True:
            call = talk.send(await tools.call(call.tool, call.args, str(number)))
            number += 1
    except StopIteration as end:
        return str(end.value)


@dataclass(frozen=True, slots=True)
class _Noting:
    """The tools of a role player. It notes refusals, because a player is plain code and cannot await the kernel."""

    tools: ToolPort
    refused: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)

    def read(self, path: str) -> bytes:
        with self._noted(READ_INPUT, path=path):
            return self.tools.read(path)

    def write(self, path: str, text: str) -> None:
        with self._noted(WRITE_FILE, path=path):
            self.tools.write(path, text)

    def run(self, command: str) -> Ran:
        with self._noted(RUN_COMMAND, command=command):
            return self.tools.run(command)

    @contextmanager
    def _noted(self, tool: str, **args: object) -> Iterator[None]:
        try:
            yield
        except UsageError:
            self.refused.append((tool, args))
            raise
