"""A span for every request to a model, by the library's own instrumentation, where somebody listens."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from opentelemetry.trace import get_current_span
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from signoff.shell import telemetry


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
    """Adds to the span of a request what the library leaves out: the run, and what kind of error ended it."""

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
