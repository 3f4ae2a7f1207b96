"""An OTLP collector on loopback: takes spans over HTTP, decodes them, and shows them as a tree."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Seen:
    """One span as it arrived."""

    name: str
    id: bytes
    parent: bytes
    trace: bytes
    kind: int
    failed: bool
    attributes: dict[str, Any]
    resource: dict[str, Any]
    began: int
    ended: int
    events: tuple[str, ...] = ()


class Collector:
    """Open it in a `with`; then `spans` is what it got, `bodies` the bytes."""

    def __init__(self, status: int = 200) -> None:
        self.status, self.bodies, self.headers = status, [], []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    bodies: list[bytes]
    headers: list[dict[str, str]]

    @property
    def environment(self) -> dict[str, str]:
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self._server.server_port}"}

    @property
    def spans(self) -> list[Seen]:
        """All spans, in the order in which they began."""
        return sorted((span for body in self.bodies for span in _decoded(body)), key=lambda span: span.began)

    def named(self, prefix: str) -> list[Seen]:
        return [span for span in self.spans if span.name.startswith(prefix)]

    def below(self, parent: Seen) -> list[Seen]:
        return [span for span in self.spans if span.parent == parent.id]

    def tree(self, parent: Seen | None = None) -> list[Any]:
        """Names, and below each what it holds, as nested lists."""
        found = self.below(parent) if parent else [span for span in self.spans if not span.parent]
        return [[span.name, *self.tree(span)] for span in found]

    def __enter__(self) -> Collector:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _decoded(body: bytes) -> list[Seen]:
    request = ExportTraceServiceRequest.FromString(body)
    return [
        Seen(
            span.name,
            span.span_id,
            span.parent_span_id,
            span.trace_id,
            span.kind,
            span.status.code == 2,
            _plain(span.attributes),
            _plain(part.resource.attributes),
            span.start_time_unix_nano,
            span.end_time_unix_nano,
            tuple(event.name for event in span.events),
        )
        for part in request.resource_spans
        for scope in part.scope_spans
        for span in scope.spans
    ]


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)


def _handler(collector: Collector) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature is the library's
            """Nothing is printed."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path == "/v1/traces" and collector.status == 200:
                collector.bodies.append(body)
                collector.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(collector.status if self.path == "/v1/traces" else 404)
            self.send_header("content-length", "0")
            self.end_headers()

    return Handler
