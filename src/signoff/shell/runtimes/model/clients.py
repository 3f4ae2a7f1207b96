"""A model by its name, ready to be asked, and tried: what is missing is said before anything is spent."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from genai_prices import calc_price
from pydantic_ai import Agent, RequestUsage
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.settings import ModelSettings

from signoff.core.declarations import Assignment
from signoff.core.errors import UsageError
from signoff.core.events import Usage
from signoff.core.permissions import READ_INPUT
from signoff.shell.runtimes.model.conversation import OUTPUT, Talk
from signoff.shell.runtimes.model.model_choice import KNOWN, canonical
from signoff.shell.runtimes.model.provider_requests import gave_up
from signoff.shell.runtimes.runtime import ToolPort

_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]*_(?:API_KEY|KEY|TOKEN|BASE_URL|URL))`")


def build(name: str, environment: Mapping[str, str]) -> Model:
    """The model with its client, without a request."""
    try:
        return infer_model(canonical(name, environment))
    except ImportError as error:
        repair = f"install it with `pip install 'pydantic-ai-slim[{name.partition(':')[0]}]'`"
        raise UsageError(f"{name} needs a package that is not installed: {error}", repair=repair) from error
    except UserError as error:
        raise _unready(name, str(error)) from error


def _unready(name: str, said: str) -> UsageError:
    if "Unknown model" in said:
        hint = re.search(r"Did you mean '([^']+)'", said)
        return UsageError(
            f"{name!r} is not a model of a known provider",
            valid=KNOWN,
            repair=f"did you mean {hint[1]}?" if hint else "write PROVIDER:MODEL",
        )
    variables = list(dict.fromkeys(_VARIABLE.findall(said)))
    if variables:
        return UsageError(
            f"{name} has no {'key' if 'KEY' in variables[0] else 'address'}: {variables[0]} is not set",
            repair=f"set {' or '.join(variables)} in the environment, or choose another model with --model",
        )
    return UsageError(f"{name} cannot be used: {said}", repair="choose another model with --model")


def has_native_output(model: Model) -> bool:
    """Whether the provider can hold this model to a JSON schema."""
    return bool(model.profile.get("supports_json_schema_output", False))


def has_price(model: Model) -> bool:
    """Whether the library's price list knows what this model costs."""
    try:
        calc_price(RequestUsage(input_tokens=1, output_tokens=1), model_ref=model.model_name, provider_id=model.system)
    except LookupError:
        return False
    return True


# --- what `signoff doctor` tries --------------------------------------------------------------------------------------

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
    """Holds a turn in which the model asks for each of these paths; gives what it was told."""
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
