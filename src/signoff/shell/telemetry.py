"""What a run does, as OpenTelemetry spans (run, turn, model call, tool, gate), named after the GenAI conventions.

Nothing is imported or sent unless OTEL_EXPORTER_OTLP_ENDPOINT is set, or the program that embeds signoff has a tracer
provider. What was said stays out of the spans unless the environment asks for it. Telemetry never breaks a run.
"""

from __future__ import annotations

import json
import os
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signoff.core.commands import Check, Gather, Reply, StartTurn
from signoff.core.events import Usage
from signoff.core.findings import Finding, failing
from signoff.core.state import State

if TYPE_CHECKING:
    from opentelemetry.trace import Span as Spanned
    from opentelemetry.trace import TracerProvider

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SAYS = ("1", "true", "span_only", "span_and_event")
"""Values of the variable that let what was said into spans."""

LONGEST = 100
"""The most characters of a tool's name: a model can make up any."""

OPERATION, PROVIDER, MODEL = "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"
CONVERSATION, AGENT, FAILURE = "gen_ai.conversation.id", "gen_ai.agent.name", "error.type"


@dataclass(frozen=True, slots=True)
class Tracing:
    """Where the spans of the current run go. `content` lets what was said into them."""

    provider: TracerProvider
    conversation: str
    content: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Without a real one, it ignores everything."""

    real: Spanned | None = None
    content: bool = False

    def note(self, attributes: Mapping[str, Any]) -> None:
        """Adds attributes; None means unknown and is left out."""
        if self.real is not None:
            self.real.set_attributes({name: value for name, value in attributes.items() if value is not None})

    def said(self, name: str, value: object) -> None:
        """Adds what was said, if that is wanted."""
        if self.content:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            self.note({name: _sayable(text)})

    def failed(self, kind: str) -> None:
        """Marks it as failed, with a short word: a message might quote what must not get out."""
        if self.real is not None:
            from opentelemetry.trace import StatusCode

            self.note({FAILURE: kind})
            self.real.set_status(StatusCode.ERROR)

    def used(self, usage: Usage) -> None:
        """What a turn cost."""
        self.note(
            {
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                "signoff.cost": None if usage.cost is None else float(usage.cost),
            }
        )

    def replied(self, reply: Reply) -> None:
        """How the kernel answered a call."""
        if reply.illegal:
            self.failed("refused")
        self.said("gen_ai.tool.call.result", reply.illegal or reply.result)

    def found(self, findings: tuple[Finding, ...]) -> None:
        """How much a gate found, never what."""
        self.note({"signoff.findings": len(findings), "signoff.gate.passed": not failing(findings)})

    def stands(self, state: State) -> None:
        """Where a run stands at the end of the work on it."""
        self.note({"signoff.stop": state.stop, "signoff.revision": state.rev, "signoff.requests": len(state.requests)})


NOTHING = Span()
_tracing: ContextVar[Tracing | None] = ContextVar("signoff.tracing", default=None)


def current() -> Tracing | None:
    """Where spans go now, in this task and those it started; None means nowhere."""
    return _tracing.get()


# --- the spans --------------------------------------------------------------------------------------------------------


@contextmanager
def run(workflow: str, name: str, runtime: str, notice: Callable[[str], None]) -> Iterator[Span]:
    """Work on a run; `notice` is told, once, if the spans do not arrive."""
    with _listening(name, notice) as tracing:
        token = _tracing.set(tracing)
        try:
            with _span(
                f"invoke_workflow {workflow}",
                {OPERATION: "invoke_workflow", "gen_ai.workflow.name": workflow, "signoff.runtime": runtime},
            ) as span:
                yield span
        finally:
            _tracing.reset(token)


@contextmanager
def turn(start: StartTurn, runtime: str) -> Iterator[Span]:
    """An agent works on a turn; without an output, the span still says why and what was spent."""
    about = {
        OPERATION: "invoke_agent",
        PROVIDER: f"signoff.{runtime}",
        AGENT: start.agent,
        "gen_ai.output.type": "json",
        "signoff.turn": start.turn,
        "signoff.attempt": start.attempt,
        "signoff.step": start.key,
        "signoff.runtime": runtime,
    }
    with _span(f"invoke_agent {start.agent}", about) as span:
        try:
            yield span
        except Exception as error:
            if isinstance(usage := getattr(error, "usage", None), Usage):
                span.used(usage)
            raise


def asks(provider: str, model: str) -> None:
    """Notes on the current turn's span which model is asked."""
    if current() is not None:
        from opentelemetry.trace import get_current_span

        Span(get_current_span()).note({PROVIDER: provider, MODEL: model})


@contextmanager
def tool(name: str, call_id: str, args: Mapping[str, object]) -> Iterator[Span]:
    """A tool is called within a turn."""
    known = _sayable(name)[:LONGEST]
    about = {
        OPERATION: "execute_tool",
        "gen_ai.tool.name": known,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": _sayable(call_id),
    }
    with _span(f"execute_tool {known}", about) as span:
        span.said("gen_ai.tool.call.arguments", args)
        yield span


def gate(check: Check) -> AbstractContextManager[Span]:
    """A gate runs."""
    about = {"signoff.gate": check.gate, "signoff.check": check.check}
    return _span(f"signoff.gate {check.gate}", about)


def probes(check: Check, count: int) -> AbstractContextManager[Span]:
    """What a gate needs is fetched from the network before it runs."""
    about = {"signoff.gate": check.gate, "signoff.check": check.check, "signoff.urls": count}
    return _span(f"signoff.probe {check.gate}", about)


def gather(gather: Gather) -> AbstractContextManager[Span]:
    """Documents are looked for outside."""
    about = {
        "signoff.gather": gather.gather,
        "signoff.queries": len(gather.queries),
        "signoff.urls": len(gather.urls),
    }
    return _span(f"signoff.gather {gather.key}", about)


@contextmanager
def _span(name: str, attributes: Mapping[str, Any]) -> Iterator[Span]:
    tracing = _tracing.get()
    if tracing is None:
        yield NOTHING
        return
    import signoff

    tracer = tracing.provider.get_tracer("signoff", signoff.__version__)
    about = {**attributes, CONVERSATION: tracing.conversation}
    with tracer.start_as_current_span(
        name, attributes=about, record_exception=False, set_status_on_exception=False
    ) as real:
        span = Span(real, tracing.content)
        try:
            yield span
        except BaseException as error:
            span.failed(_kind(error))
            raise


def _sayable(text: str) -> str:
    """Text that can be sent, even if a model made invalid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()


def _kind(error: BaseException) -> str:
    """One word for an error: the journal's, if it has one."""
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, CancelledError):
        return "cancelled"
    return str(getattr(error, "kind", "") or type(error).__name__)


# --- who listens ------------------------------------------------------------------------------------------------------


@contextmanager
def _listening(conversation: str, notice: Callable[[str], None]) -> Iterator[Tracing | None]:
    """The tracer provider of the embedding program, else the collector that the environment names."""
    content = os.environ.get(CONTENT, "").strip().lower() in SAYS
    if (embedding := _embedding()) is not None:
        yield Tracing(embedding, conversation, content)
        return
    from signoff.shell import telemetry_export

    delivery = telemetry_export.delivery(os.environ)
    if delivery is None:
        yield None
        return
    try:
        yield Tracing(delivery.provider, conversation, content) if delivery.provider else None
    finally:
        if told := delivery.flushed():
            notice(told)


def _embedding() -> TracerProvider | None:
    """The tracer provider of the embedding program, if it has set one."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    found: TracerProvider = trace.get_tracer_provider()
    return None if isinstance(found, trace.ProxyTracerProvider) else found
