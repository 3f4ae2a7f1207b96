"""Requests to a provider: asked again while it is busy, each with a span, and in words when they fail."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from opentelemetry.trace import get_current_span
from pydantic_ai import RunContext
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from signoff.core.events import Usage
from signoff.shell import telemetry
from signoff.shell.runtimes.runtime import GaveUpError

BUSY = frozenset({408, 409, 429})
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a request is made, and how long to wait between: what the provider asks for, else doubling times."""

    tries: int = 6
    first: float = 1.0
    longest: float = 60.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    spread: Callable[[], float] = random.random

    def wait(self, error: ModelAPIError, attempt: int) -> float | None:
        """How long to wait after this try; None if another is not worth it."""
        if attempt >= self.tries or not passing(error):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest else None
        return min(self.longest, self.first * 2.0 ** (attempt - 1)) * (0.5 + float(self.spread()) / 2)


def passing(error: ModelAPIError) -> bool:
    """Whether the same request may well succeed in a while."""
    if isinstance(error, ModelQuotaExceededError) or error.in_stream:
        return False
    if isinstance(error, ModelHTTPError):
        return error.provider_retry_hint is not False and (error.status_code in BUSY or error.status_code >= 500)
    return isinstance(error, ModelConnectionError)


class Patient(WrapperModel):
    """A model that waits for its busy provider. A request is not made again once its answer has begun."""

    def __init__(self, wrapped: Model, patience: Patience) -> None:
        super().__init__(wrapped)
        self.patience = patience

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async def ask() -> ModelResponse:
            return await self.wrapped.request(messages, model_settings, model_request_parameters)

        return await self._asked(ask)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with AsyncExitStack() as stack:

            async def ask() -> StreamedResponse:
                return await stack.enter_async_context(
                    self.wrapped.request_stream(messages, model_settings, model_request_parameters, run_context)
                )

            yield await self._asked(ask)

    async def _asked(self, ask: Callable[[], Awaitable[T]]) -> T:
        attempt = 0
        while True:
            attempt += 1
            try:
                return await ask()
            except ModelAPIError as error:
                wait = self.patience.wait(error, attempt)
                if wait is None:
                    error.add_note(f"after {attempt} {'try' if attempt == 1 else 'tries'}")
                    raise
            await self.patience.sleep(wait)


# --- spans -----------------------------------------------------------------------------------------------------------


def traced(model: Model) -> Model:
    """The model, with a span for each request; a request that is made again has one of its own."""
    tracing = telemetry.current()
    if tracing is None:
        return model
    telemetry.asks(model.system, model.model_name)
    settings = InstrumentationSettings(
        tracer_provider=tracing.provider,
        include_content=tracing.content,
        include_model_request_parameters=False,
        version=6,
    )
    return InstrumentedModel(_Named(model, tracing.conversation), settings)


class _Named(WrapperModel):
    """Adds the run and the kind of error to the span of a request, which the library leaves out."""

    def __init__(self, wrapped: Model, conversation: str) -> None:
        super().__init__(wrapped)
        self.conversation = conversation

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        span = telemetry.Span(get_current_span())
        span.note({telemetry.CONVERSATION: self.conversation, "gen_ai.request.stream": True})
        try:
            async with self.wrapped.request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                yield stream
        except Exception as error:
            status = error.status_code if isinstance(error, ModelHTTPError) else None
            span.note({telemetry.FAILURE: str(status or type(error).__name__)})
            raise


# --- what went wrong -------------------------------------------------------------------------------------------------

LATER = "go on later: finished turns are not repeated"


class EnoughError(AgentRunError):
    """The budget does not allow one more request in this turn."""


def gave_up(error: AgentRunError, model: str, usage: Usage) -> GaveUpError:
    """The end of a turn without an output, by what ended it."""
    kind, found, repair = _words(error, model)
    return GaveUpError(kind, found, repair=repair, usage=usage, model=model)


def _words(error: AgentRunError, model: str) -> tuple[str, str, str]:
    said = _said(error) + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    match error:
        case ModelAuthenticationError():
            return "key", f"the provider of {model} refused the key: {said}", f"set {_variable(model)} to a valid key"
        case ModelNotFoundError():
            repair = "name a model that the provider has, with --model or under `models:` in the config"
            return "unknown-model", f"the provider does not know {model}: {said}", repair
        case ModelQuotaExceededError():
            return "quota", f"the account is used up: {said}", "look at the provider's billing, or choose another model"
        case ModelContextWindowExceededError():
            return "too-long", f"the brief is too long for {model}: {said}", "choose a model with a larger window"
        case ModelRequestRejectedError():
            return "rejected", f"the provider rejected the request to {model}: {said}", "choose another model"
        case ModelConnectionError() if not isinstance(error, ModelHTTPError):
            return "provider", f"the connection to {model} failed: {said}", LATER
        case ModelAPIError():
            return "provider", f"the provider of {model} did not answer: {said}", LATER
        case EnoughError():
            return "budget", f"the budget ended within the turn: {said}", "raise it"
        case ContentFilterError():
            return "filtered", f"the provider's content filter held the answer back: {said}", "look at the sources"
        case _:
            return "behaviour", f"{model} gave nothing that could be an output: {said}", "choose another model"


def _said(error: AgentRunError) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = str(inner.get("message")) if isinstance(inner, dict) and inner.get("message") else error.message
    status = f"{error.status_code}, " if isinstance(error, ModelHTTPError) else ""
    return f"{status}{message}"[:400]


def _variable(model: str) -> str:
    """The variable for the key of a provider."""
    provider = model.partition(":")[0]
    first = {"openai-chat": "OPENAI", "openai-compatible": "OPENAI", "google-gla": "GOOGLE"}
    return f"{first.get(provider, provider.upper().replace('-', '_'))}_API_KEY"
