"""The two protocols that the stub speaks: Anthropic Messages and OpenAI Chat Completions, whole and as a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from signoff.testing.stub_play import Asked, Step

MESSAGES, COUNT, CHAT, MODELS = "/v1/messages", "/v1/messages/count_tokens", "/v1/chat/completions", "/v1/models"
PIECE = 64
KINDS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens as a provider reports them; `cached` are part of `input`."""

    input: int
    output: int
    cached: int
    written: int


@dataclass(frozen=True, slots=True)
class Block:
    """One part of an answer: words, or a tool call with its arguments as text."""

    text: str
    tool: str = ""
    id: str = ""


def blocks(step: Step, asked: Asked) -> list[Block]:
    """What a step says, in order: words, calls, output."""
    found = [Block(step.text)] if step.text else []
    found += [
        Block(json.dumps(dict(one.args), ensure_ascii=False), one.tool, f"call_{asked.number}_{index}")
        for index, one in enumerate(step.calls)
    ]
    if (raw := step.raw) is not None:
        tool = asked.output_tool
        found.append(Block(raw, tool, f"call_{asked.number}_output") if tool else Block(raw))
    return found


def pieces(text: str) -> list[str]:
    """A text as it arrives in a stream."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)] or [""]


def error(path: str, status: int, message: str) -> dict[str, Any]:
    """An error in the shape of the protocol."""
    kind = KINDS.get(status, "api_error")
    said = message or f"the stub was told to refuse with {status}"
    if path.startswith(MESSAGES):
        return {"type": "error", "error": {"type": kind, "message": said}}
    return {"error": {"message": said, "type": kind, "code": kind, "param": None}}


def whole(asked: Asked, said: list[Block], used: Used, stop: str) -> dict[str, Any]:
    """An answer in one piece."""
    return _message(asked, said, used, stop) if asked.path == MESSAGES else _completion(asked, said, used, stop)


def streamed(asked: Asked, said: list[Block], used: Used, stop: str) -> Iterator[tuple[str, str]]:
    """An answer as server-sent events: the lines to send, and how much of the answer they carry."""
    return _events(asked, said, used, stop) if asked.path == MESSAGES else _chunks(asked, said, used, stop)


# --- Anthropic Messages -----------------------------------------------------------------------------------------------


def _anthropic_usage(used: Used, output: int) -> dict[str, int]:
    return {
        "input_tokens": used.input - used.cached - used.written,
        "cache_read_input_tokens": used.cached,
        "cache_creation_input_tokens": used.written,
        "output_tokens": output,
    }


def _stop(said: list[Block], stop: str) -> str:
    return stop or ("tool_use" if any(block.tool for block in said) else "end_turn")


def _message(asked: Asked, said: list[Block], used: Used, stop: str) -> dict[str, Any]:
    return {
        **_head(asked, _anthropic_usage(used, used.output)),
        "content": [_content(block) for block in said],
        "stop_reason": _stop(said, stop),
    }


def _head(asked: Asked, usage: dict[str, int]) -> dict[str, Any]:
    return {
        "id": f"msg_{asked.number}", "type": "message", "role": "assistant", "model": asked.body.get("model"),
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _content(block: Block) -> dict[str, Any]:
    """A block of an answer. Outside of a stream, a call whose arguments are not a JSON object becomes text."""
    try:
        value = json.loads(block.text) if block.tool else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return {"type": "text", "text": block.text}
    return {"type": "tool_use", "id": block.id, "name": block.tool, "input": value}


def _events(asked: Asked, said: list[Block], used: Used, stop: str) -> Iterator[tuple[str, str]]:
    yield _event("message_start", message=_head(asked, _anthropic_usage(used, 1))), ""
    for index, block in enumerate(said):
        start: dict[str, Any] = {"type": "text", "text": ""}
        if block.tool:
            start = {"type": "tool_use", "id": block.id, "name": block.tool, "input": {}}
        yield _event("content_block_start", index=index, content_block=start), ""
        for piece in pieces(block.text):
            delta = {"type": "text_delta", "text": piece}
            if block.tool:
                delta = {"type": "input_json_delta", "partial_json": piece}
            yield _event("content_block_delta", index=index, delta=delta), piece
        yield _event("content_block_stop", index=index), ""
    ending = {"stop_reason": _stop(said, stop), "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": used.output}), ""
    yield _event("message_stop"), ""


def _event(kind: str, **data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data}, ensure_ascii=False)}\n\n"


# --- OpenAI Chat Completions ------------------------------------------------------------------------------------------


def _openai_usage(used: Used) -> dict[str, Any]:
    return {
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cached},
    }


def _finish(said: list[Block], stop: str) -> str:
    return stop or ("tool_calls" if any(block.tool for block in said) else "stop")


def _completion(asked: Asked, said: list[Block], used: Used, stop: str) -> dict[str, Any]:
    words = "".join(block.text for block in said if not block.tool)
    calls = [
        {"id": block.id, "type": "function", "function": {"name": block.tool, "arguments": block.text}}
        for block in said
        if block.tool
    ]
    message = {"role": "assistant", "content": words or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": _finish(said, stop), "logprobs": None}
    return {**_reply(asked, "chat.completion"), "choices": [choice], "usage": _openai_usage(used)}


def _reply(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{asked.number}", "object": kind, "created": 1767225600, "model": asked.body.get("model")}


def _chunks(asked: Asked, said: list[Block], used: Used, stop: str) -> Iterator[tuple[str, str]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _data({**_reply(asked, "chat.completion.chunk"), "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""}), ""
    calls = 0
    for block in said:
        if block.tool:
            name = {"name": block.tool, "arguments": ""}
            yield chunk({"tool_calls": [{"index": calls, "id": block.id, "type": "function", "function": name}]}), ""
        for piece in pieces(block.text):
            part: dict[str, Any] = {"content": piece}
            if block.tool:
                part = {"tool_calls": [{"index": calls, "function": {"arguments": piece}}]}
            yield chunk(part), piece
        calls += bool(block.tool)
    yield chunk({}, _finish(said, stop)), ""
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield _data({**_reply(asked, "chat.completion.chunk"), "choices": [], "usage": _openai_usage(used)}), ""
    yield "data: [DONE]\n\n", ""


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
