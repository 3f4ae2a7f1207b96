"""What `signoff doctor` tries on models: one small question to a real one, and a turn by one that spies."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.settings import ModelSettings

from signoff.core.declarations import Assignment
from signoff.core.events import Usage
from signoff.core.permissions import READ_INPUT
from signoff.shell.runtimes.model.conversation import OUTPUT, Talk
from signoff.shell.runtimes.model.provider_errors import gave_up
from signoff.shell.runtimes.runtime import ToolPort

QUESTION = "This is a test of the connection. Answer with the one word: yes"


async def ask(name: str, model: Model) -> Usage:
    """Asks a model one small question."""
    try:
        async with model:
            answer = await Agent(model, model_settings=ModelSettings(max_retries=0)).run(QUESTION)
    except AgentRunError as error:
        raise gave_up(error, name, Usage(cost=None)) from error
    used = answer.usage
    said = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens, "cost": used.cost}
    return Usage.reported(said)


async def spy(assignment: Assignment, schema: Mapping[str, Any], tools: ToolPort, paths: Sequence[str]) -> str:
    """The conversation of a turn in which the model asks for every one of these paths; gives what it was told."""
    heard: list[str] = []

    async def spying(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[dict[int, DeltaToolCall]]:
        heard[:] = _told(messages)
        if heard:
            yield {0: DeltaToolCall(name=OUTPUT, json_args="{}", tool_call_id="output")}
            return
        for number, path in enumerate(paths):
            asked = DeltaToolCall(name=READ_INPUT, json_args=json.dumps({"path": path}), tool_call_id=f"spy-{number}")
            yield {number: asked}

    await Talk("a spy", FunctionModel(stream_function=spying), assignment, schema, (), tools).hold()
    return "".join(heard)


def _told(messages: list[ModelMessage]) -> list[str]:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]
