"""A busy provider is asked again, a bounded number of times, when it says so; everything else is somebody's to mend."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, ModelHTTPError, ModelQuotaExceededError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

LATER = frozenset({408, 409, 429})
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a request is made, and how long to wait between: what the provider asks for, else twice as long."""

    tries: int = 6
    first: float = 1.0
    longest: float = 60.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    spread: Callable[[], float] = random.random

    def wait(self, error: ModelAPIError, attempt: int) -> float | None:
        """How long to wait after this try; None is not worth it."""
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
        return error.provider_retry_hint is not False and (error.status_code in LATER or error.status_code >= 500)
    return isinstance(error, ModelConnectionError)


class Patient(WrapperModel):
    """A model that waits for its provider. An answer that has begun is never asked for again here."""

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
