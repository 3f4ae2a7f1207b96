"""The runtime `claude-code`. Nothing is validated here: the kernel judges what came back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.core.budget import Allowance
from signoff.core.declarations import Assignment
from signoff.core.errors import UsageError
from signoff.core.workflow import Workflow
from signoff.shell.runtimes.claude_code import process
from signoff.shell.runtimes.claude_code.stream import Heard
from signoff.shell.runtimes.model.model_choice import Choice
from signoff.shell.runtimes.runtime import Returned, ToolPort

if TYPE_CHECKING:
    from signoff.shell.runtimes.claude_code.mcp_bridge import Desk
from signoff.core.events import Usage
from signoff.shell.runtimes.claude_code.process import Exit
from signoff.shell.runtimes.claude_code.stream import KEY
from signoff.shell.runtimes.runtime import GaveUpError

PROVIDER = "anthropic"
HOUSE = """
# Where you are

You work in a folder of your own, which is removed at the end. It holds copies of your inputs, at their paths. Files \
that you write count when your output is accepted, and only those that your brief says you may write. What your brief \
does not name is refused, and the refusal is recorded: do not look for a way around it. End the turn by giving your \
output, complete, with the tool for structured output.
"""


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """Carries out turns with headless Claude Code."""

    workflow: Workflow
    choice: Choice
    clock: Callable[[], float] = time.monotonic
    name: str = "claude-code"
    paid: bool = True

    def prepare(self, models: Mapping[str, str | None], left: Allowance) -> None:  # noqa: ARG002 - the protocol's
        """Raises before anything is spent if Claude Code, a key or login, or a model that it has is missing."""
        require()
        program = process.find_program(self.choice.environment)
        for agent, wanted in models.items():
            self._model(agent, wanted)
        outer = self.choice.environment
        if not process.paid(outer) and not process.logged_in(program, process.environment(outer, Path())):
            raise UsageError("Claude Code has no key and nobody is logged in", repair=LOGIN)

    def ready(self) -> str:
        """Which Claude Code it is; the program is started for that."""
        program = process.find_program(self.choice.environment)
        return f"{process.version(program)} at {program}; a turn can read only what its brief names"

    def provider(self, agent: str, wanted: str | None) -> str:  # noqa: ARG002 - the protocol's
        """The provider of all its models."""
        return PROVIDER

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        """One turn: the brief to Claude Code, its raw output back."""
        require()
        from signoff.shell.runtimes.claude_code.mcp_bridge import Desk

        model = self._model(assignment.start.agent, assignment.model)
        sitting = _Sitting(assignment, Desk(tools, self.workflow.declared(assignment.start)))
        began = self.clock()
        async with sitting.desk.served() as servers:
            files = sitting.files(servers)
            schema = self.workflow.contract(assignment.start.contract).schema()
            command = process.arguments(assignment.start, model, schema, files, assignment.left.cost)
            try:
                ended = await process.converse(
                    [str(process.find_program(self.choice.environment)), *command],
                    tools.workspace.folder,
                    process.environment(self.choice.environment, tools.workspace.beside),
                    sitting.task,
                    sitting.hear,
                )
            finally:  # whole, or up to where it broke off
                tools.said(sitting.conversation())
            await sitting.record_denied()
        usage = sitting.heard.usage(self.clock() - began)
        raw = sitting.output(ended.code)
        if raw is None:
            raise gave_up(sitting.heard, ended, model, usage, assignment.left)
        return Returned(raw, usage, f"{PROVIDER}:{model}")

    def _model(self, agent: str, wanted: str | None) -> str:
        named = self.choice.model(agent, wanted)
        provider, _, model = named.partition(":")
        if provider != PROVIDER or not model:
            raise UsageError(
                f"the agent {agent!r} wants {named}, and Claude Code has only models of Anthropic",
                valid=f"{PROVIDER}:…",
                repair=f"name one with --model {agent}={PROVIDER}:…, or take --runtime model",
            )
        return model


@dataclass(slots=True)
class _Sitting:
    """One conversation while it goes on."""

    assignment: Assignment
    desk: Desk
    heard: Heard = field(default_factory=Heard)
    seen: int = 0

    def files(self, servers: Mapping[str, object]) -> dict[str, Path]:
        """Files for the program. Others cannot read them: the turn's base folder is ours alone."""
        beside = self.desk.port.workspace.beside
        system, told = beside / "system.md", beside / "servers.json"
        system.write_text(self.system, "utf-8")
        told.write_text(json.dumps(servers), "utf-8")
        return {"system": system, "servers": told}

    @property
    def system(self) -> str:
        """What it is told of itself."""
        return self.assignment.standing + HOUSE

    @property
    def task(self) -> str:
        """What it is asked to do."""
        return self.assignment.brief.removeprefix(self.assignment.standing)

    def conversation(self) -> list[Mapping[str, object]]:
        """What was said so far, by everybody."""
        asked = [{"role": "system", "content": self.system}, {"role": "user", "content": self.task}]
        return [*asked, *self.heard.messages]

    async def hear(self, line: bytes) -> bool:
        """Takes a line in; True if there is no use in going on."""
        before = self.heard.characters
        self.heard.take(line)
        if self.heard.characters != before:
            self.desk.port.heard(self.heard.characters)
        if len(self.heard.uses) > self.seen:
            self.seen = len(self.heard.uses)
            for use in self.heard.strange():
                await self.desk.record(use.tool, use.args, use.id)
        return self.heard.refused is not None or self._enough()

    def _enough(self) -> bool:
        left, heard = self.assignment.left.tokens, self.heard
        if left is None or heard.output is not None or not heard.paused:  # an answer under way is paid for: let it come
            return False
        return heard.tokens >= left

    async def record_denied(self) -> None:
        """Puts denied uses into the journal, also those it did not ask us about."""
        for use in self.heard.denied():
            await self.desk.record(use.tool, use.args, use.id)

    def output(self, code: int) -> str | None:
        """The output that was given last, accepted there or not; its words if it ended well without an output."""
        if self.heard.output is not None and self.heard.result is not None:
            return self.heard.output
        result = self.heard.result or {}
        words = str(result.get("result") or "")
        return words if code == 0 and not result.get("is_error") and words.strip() else None


def require() -> None:
    """Raises unless the extra is installed."""
    if find_spec("mcp") is None:
        raise UsageError(
            "the runtime `claude-code` needs the MCP SDK, which is not installed",
            repair="install it with `pip install 'signoff[claude-code]'`",
        )


# --- why it ended without an output ----------------------------------------------------------------------------------

LATER = "go on later: finished turns are not repeated"
LOGIN = "set ANTHROPIC_API_KEY to a valid key, or log in with `claude auth login`"


def gave_up(heard: Heard, ended: Exit, model: str, usage: Usage, left: Allowance) -> GaveUpError:
    """The end of a turn without an output, by what ended it."""
    kind, found, repair = _words(heard, ended, model, left)
    return GaveUpError(kind, found, repair=repair, usage=usage)


def _words(heard: Heard, ended: Exit, model: str, left: Allowance) -> tuple[str, str, str]:
    result = heard.result
    if heard.refused is not None:
        return "key", f"the provider refused the key of Claude Code ({heard.refused})", LOGIN
    if result is None and left.tokens is not None and heard.tokens >= left.tokens:
        used = f"{heard.tokens} tokens are used and {left.tokens} were left for it"
        return "budget", f"the budget ended within the turn: {used}", "raise it in the config"
    if result is None:
        said = f": {ended.said}" if ended.said else ""
        return "crashed", f"Claude Code ended with exit code {ended.code} and no result{said}", LATER
    said = str(result.get("result") or "; ".join(map(str, result.get("errors") or ())) or ended.said)[:400]
    match result.get("subtype"), result.get("api_error_status"):
        case _, int(status) if status in KEY:
            return "key", f"the provider refused the key of Claude Code: {said}", LOGIN
        case _, 404:
            return "unknown-model", f"the provider does not know {model}: {said}", "name another with --model"
        case _, int():
            return "provider", f"the provider of {model} did not answer: {said}", LATER
        case "error_max_budget_usd", _:
            return "budget", f"the budget ended within the turn: {said}", "raise it in the config"
        case _:
            return "behaviour", f"Claude Code gave nothing that could be an output: {said}", "choose another model"
