"""Spans and counters with OpenTelemetry, where it is installed and set up; else nothing.

The trace context comes with a task and goes on with the tasks that it enqueues, so that one trace
holds an Execution from its request to its last model call. Attributes carry ids and numbers only.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from engine.execution import Event, EventType, Usage

_NAME = "solution-architect"


def set_up(service: str) -> None:
    """Export to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, if that is set and installed."""
    if not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # type: ignore[import-not-found]
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # type: ignore[import-not-found]
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return
    resource = Resource.create({"service.name": service})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider([reader], resource=resource))


@cache
def _api() -> tuple[Any, Any] | None:
    """The tracing and metrics API, or None where OpenTelemetry is not installed."""
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return None
    return trace, metrics


@contextmanager
def span(
    name: str, parent: str | None = None, attributes: Mapping[str, str | int] | None = None
) -> Iterator[str]:
    """A span below a trace context; the value is the context to hand on (W3C traceparent).

    Without OpenTelemetry the trace goes on under a new span id, so that log lines still meet.
    """
    api = _api()
    if api is None:
        yield _next(parent)
        return
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    propagator = TraceContextTextMapPropagator()
    context = propagator.extract({"traceparent": parent} if parent else {})
    tracer = api[0].get_tracer(_NAME)
    with tracer.start_as_current_span(name, context=context, attributes=dict(attributes or {})):
        carrier: dict[str, str] = {}
        propagator.inject(carrier)
        yield carrier.get("traceparent") or _next(parent)


def _next(parent: str | None) -> str:
    trace = parent.split("-")[1] if parent else secrets.token_hex(16)
    return f"00-{trace}-{secrets.token_hex(8)}-{parent[-2:] if parent else '00'}"


@cache
def _counter(name: str) -> Any:
    api = _api()
    return None if api is None else api[1].get_meter(_NAME).create_counter(f"{_NAME}.{name}")


def count(name: str, number: int = 1, **attributes: str | int) -> None:
    """Add to a counter."""
    counter = _counter(name)
    if counter is not None and number:
        counter.add(number, attributes)


def observe(events: Sequence[Event], before: Usage, after: Usage) -> None:
    """Count what a commit records: events by type, runs, tool calls and tokens."""
    for event in events:
        count("events", type=event.type.value)
        if event.type is EventType.DISCARDED:
            count("discarded")
    count("runs", after.runs - before.runs)
    count("tool_calls", after.tool_calls - before.tool_calls)
    count("tokens", after.input_tokens - before.input_tokens, direction="input")
    count("tokens", after.output_tokens - before.output_tokens, direction="output")
