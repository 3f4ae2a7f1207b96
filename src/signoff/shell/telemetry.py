"""What a run does, as OpenTelemetry spans: run, turn, model call, tool, gate, named as the GenAI conventions have it.

Nothing is imported or sent unless somebody asked for it: with OTEL_EXPORTER_OTLP_ENDPOINT, or by a tracer provider of
the program that signoff is embedded in. What was said stays out of the spans unless somebody asked for that too.
Telemetry never breaks a run.
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
"""Values of the variable by which the conventions let what was said into spans."""

LONGEST = 100
"""Characters of a tool's name: a model may call what it likes."""

OPERATION, PROVIDER, MODEL = "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"
CONVERSATION, AGENT, FAILURE = "gen_ai.conversation.id", "gen_ai.agent.name", "error.type"


@dataclass(frozen=True, slots=True)
class Tracing:
    """Who gets the spans of the run that is being driven. `content` lets what was said into them."""

    provider: TracerProvider
    conversation: str
    content: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """One span; without a real one it is nothing, and takes everything."""

    real: Spanned | None = None
    content: bool = False

    def note(self, attributes: Mapping[str, Any]) -> None:
        """Adds attributes; what is None is not known and not said."""
        if self.real is not None:
            self.real.set_attributes({name: value for name, value in attributes.items() if value is not None})

    def said(self, name: str, value: object) -> None:
        """Adds what was said, where that is wanted."""
        if self.content:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            self.note({name: _sayable(text)})

    def failed(self, kind: str) -> None:
        """Marks it as failed by a short word; a message may quote what must not get out."""
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
        """What a gate found: how much, never what."""
        self.note({"signoff.findings": len(findings), "signoff.gate.passed": not failing(findings)})

    def stands(self, state: State) -> None:
        """Where a run stands when nobody works on it any more."""
        self.note({"signoff.stop": state.stop, "signoff.revision": state.rev, "signoff.requests": len(state.requests)})


NOTHING = Span()
_tracing: ContextVar[Tracing | None] = ContextVar("signoff.tracing", default=None)


def current() -> Tracing | None:
    """Who gets spans now, in this task and those it started; None is nobody."""
    return _tracing.get()


# --- the spans --------------------------------------------------------------------------------------------------------


@contextmanager
def run(workflow: str, name: str, runtime: str, notice: Callable[[str], None]) -> Iterator[Span]:
    """Somebody works on a run; `notice` is told, once, if the spans do not get where they should."""
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
    """An agent works on a turn; ended without an output, the span says why and what was spent all the same."""
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
    """Says on the span of the turn that is being worked on whose model is asked."""
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
    """What a gate needs is fetched from the network, before it runs."""
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
    """Text that can be sent, whatever a model made up."""
    return text.encode("utf-8", "backslashreplace").decode()


def _kind(error: BaseException) -> str:
    """One word for an error: that of the journal, where it has one."""
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, CancelledError):
        return "cancelled"
    return str(getattr(error, "kind", "") or type(error).__name__)


# --- who listens ------------------------------------------------------------------------------------------------------


@contextmanager
def _listening(conversation: str, notice: Callable[[str], None]) -> Iterator[Tracing | None]:
    """The program around us, if it listens; else the collector that the environment names."""
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
    """The tracer provider that the program around us has set, if it has."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    found: TracerProvider = trace.get_tracer_provider()
    return None if isinstance(found, trace.ProxyTracerProvider) else found
