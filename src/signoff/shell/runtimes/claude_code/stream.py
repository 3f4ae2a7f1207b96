"""The output stream of Claude Code: how much has arrived, which tools it called, how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from signoff.core.events import Usage

OUTPUT = "StructuredOutput"
KEY = (401, 403)


@dataclass(frozen=True, slots=True)
class Use:
    """One call of a tool."""

    id: str
    tool: str
    args: Mapping[str, Any]


@dataclass(slots=True)
class Heard:
    """What matters of one conversation.

    `messages` are those of both sides, in its own protocol; `output` is the last one, byte for byte; `refused` is the
    status with which the provider refused the key; `paused` says whether the last answer has ended.
    """

    offered: tuple[str, ...] = ()
    uses: list[Use] = field(default_factory=list)
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    output: str | None = None
    characters: int = 0
    tokens: int = 0
    refused: int | None = None
    paused: bool = False
    result: Mapping[str, Any] | None = None
    _writing: bool = False

    def take(self, line: bytes) -> None:
        """One line; a line that is not of the protocol is ignored."""
        try:
            plain = json.loads(line)
        except (ValueError, RecursionError):
            return
        match plain:
            case {"type": "system", "subtype": "init", "tools": [*tools]}:
                self.offered = tuple(map(str, tools))
            case {"type": "system", "subtype": "api_retry", "error_status": int(status)} if status in KEY:
                self.refused = status
            case {"type": "stream_event", "event": dict(event)}:
                self._event(event)
            case {"type": "user", "message": dict(message)}:
                self.messages.append(_message(message))
            case {"type": "assistant", "message": {"content": [*blocks]} as message}:
                self.messages.append(_message(message))
                self.uses += [_use(block) for block in blocks if block.get("type") == "tool_use"]
            case {"type": "result"}:
                self.result = plain

    def _event(self, event: Mapping[str, Any]) -> None:
        match event:
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                self.tokens += _input(usage)
                self.paused = False
            case {"type": "message_delta", "usage": {"output_tokens": count}} if _counts(count):
                self.tokens += count
            case {"type": "message_stop"}:
                self.paused = True
            case {"type": "content_block_start", "content_block": {"type": "tool_use", "name": str(name)}}:
                self._writing = name == OUTPUT
                self.output = "" if self._writing else self.output
            case {"type": "content_block_start"}:
                self._writing = False
            case {"type": "content_block_delta", "delta": {"partial_json": str(text)}}:
                self.characters += len(text)
                if self._writing:
                    self.output = f"{self.output or ''}{text}"
            case {"type": "content_block_delta", "delta": {"text": str(text)}}:
                self.characters += len(text)

    def strange(self) -> list[Use]:
        """The calls of tools that were never offered."""
        return [use for use in self.uses if self.offered and use.tool not in self.offered]

    def denied(self) -> list[Use]:
        """The uses that Claude Code reports as denied."""
        denials = (self.result or {}).get("permission_denials") or ()
        return [Use(str(one["tool_use_id"]), str(one["tool_name"]), one.get("tool_input") or {}) for one in denials]

    def usage(self, seconds: float) -> Usage:
        """What it cost; unknown if the conversation broke off or a model has no price."""
        models = (self.result or {}).get("modelUsage")
        if not isinstance(models, dict) or not all(isinstance(part, dict) for part in models.values()):
            return Usage(input_tokens=self.tokens, cost=None, seconds=round(seconds, 3))
        parts = list(models.values())
        priced = all(part.get("costBasis", "list") != "unknown" for part in parts)
        said = {
            "input_tokens": _total(parts, "inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens"),
            "output_tokens": _total(parts, "outputTokens"),
            "cached_tokens": _total(parts, "cacheReadInputTokens"),
            "cost": (self.result or {}).get("total_cost_usd") if priced else None,
            "seconds": round(seconds, 3),
        }
        return Usage.reported(said)


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message without the provider's ids and counts."""
    return {name: message[name] for name in ("role", "content") if name in message}


def _total(parts: Sequence[Mapping[str, Any]], *names: str) -> int | None:
    """The sum over all models; None if one of them gives something that is not a count."""
    counts = [part.get(name) for part in parts for name in names]
    known = [count for count in counts if _counts(count)]
    return sum(known) if len(known) == len(counts) else None


def _counts(found: object) -> TypeGuard[int]:
    return type(found) is int and found >= 0


def _use(block: Mapping[str, Any]) -> Use:
    args = block.get("input")
    return Use(str(block.get("id")), str(block.get("name")), args if isinstance(args, dict) else {"arguments": args})


def _input(usage: Mapping[str, Any]) -> int:
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(count for name in names if _counts(count := usage.get(name)))
