"""Where spans go if signoff runs as its own program: to the OTLP collector that the environment names.

The variables are those of OpenTelemetry. The extra `otel` is imported only if one of them names a collector.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from signoff.core.errors import OperatorError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
SPOKEN = "http/protobuf"
TRY, WAIT = 2.0, 5.0
"""Seconds for one delivery, unless the environment sets them, and seconds that a run waits for it at its end."""

_SECRET = re.compile(r"//[^/@\s]*@")


class Delivery:
    """The connection to one collector, for the life of the process; without a provider, `troubles` says why."""

    def __init__(self, provider: TracerProvider | None, troubles: _Troubles, address: str) -> None:
        self.provider, self.troubles, self.address = provider, troubles, address
        self.told = False

    def flushed(self) -> str | None:
        """Sends what is left and waits a moment; gives what the person must be told, once."""
        if self.told:  # a collector that was not there is not waited for again
            return None
        if self.provider is not None:
            self._flush(self.provider)
        if not self.troubles.last:
            return None
        self.told = True
        found = f"the spans of this run do not reach {self.address}: {self.troubles.last}"
        repair = self.troubles.repair or f"start the collector or correct {ENDPOINTS[1]}; the run does not need it"
        return str(OperatorError(found, repair=repair))

    def _flush(self, provider: TracerProvider) -> None:
        flush = threading.Thread(target=provider.force_flush, daemon=True)
        flush.start()
        flush.join(WAIT)
        if flush.is_alive():
            self.troubles.note(f"no answer within {WAIT:g} s")


class _Troubles(logging.Handler):
    """Keeps the exporter's complaints, which it would otherwise print into the person's terminal."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last = self.repair = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.note(record.getMessage())

    def note(self, said: str, repair: str = "") -> None:
        """Keeps the last complaint, without a password from an address."""
        self.last, self.repair = _SECRET.sub("//", said)[:300], repair


def delivery(environment: Mapping[str, str]) -> Delivery | None:
    """The connection to the collector that the environment names; None if it names none."""
    address = _first(environment, ENDPOINTS)
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if not address or off or environment.get("OTEL_TRACES_EXPORTER", "otlp").strip() == "none":
        return None
    settings = tuple(sorted((name, value) for name, value in environment.items() if name.startswith("OTEL_")))
    return _delivery(_SECRET.sub("//", address), settings)


def _first(environment: Mapping[str, str], names: Sequence[str]) -> str:
    return next((found for name in names if (found := environment.get(name, "").strip())), "")


@cache
def _delivery(address: str, settings: tuple[tuple[str, str], ...]) -> Delivery:
    environment, troubles = dict(settings), _Troubles()
    if (protocol := _first(environment, PROTOCOLS) or SPOKEN) != SPOKEN:
        troubles.note(f"{PROTOCOLS[1]} is {protocol!r}", f"set it to {SPOKEN}, or leave it unset")
        return Delivery(None, troubles, address)
    try:
        return Delivery(_provider(environment, troubles), troubles, address)
    except ImportError:
        troubles.note("OpenTelemetry is not installed", "install it with `pip install 'signoff[otel]'`")
    except Exception as error:  # a bad variable never stops the work
        troubles.note(str(error), "correct the variables OTEL_…")
    return Delivery(None, troubles, address)


def _provider(environment: Mapping[str, str], troubles: _Troubles) -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    logger = logging.getLogger("opentelemetry")
    logger.addHandler(troubles)
    logger.propagate = False
    exporter = OTLPSpanExporter(timeout=None if _first(environment, TIMEOUTS) else TRY)
    provider = TracerProvider(resource=Resource.create(_about(environment)), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    troubles.note("")  # complaints about settings were answered with defaults; spans still go out
    return provider


def _about(environment: Mapping[str, str]) -> dict[str, Any]:
    """The name and version that spans carry; a name in the environment wins."""
    import signoff

    named = "OTEL_SERVICE_NAME" in environment or "service.name=" in environment.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return {"service.version": signoff.__version__, **({} if named else {"service.name": "signoff"})}
