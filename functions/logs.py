"""Log lines as JSON that the cloud's log viewer understands; no request text, secret or token.

What a line is about travels in a context: the Execution, the task, its attempt and the trace.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TextIO

_NOTHING: Mapping[str, object] = MappingProxyType({})
_ABOUT: ContextVar[Mapping[str, object]] = ContextVar("about", default=_NOTHING)
_EXTRA = ("event", "execution", "task", "attempt", "door", "caller", "status", "seconds", "counts")
_QUIET = ("httpx", "httpcore", "google", "google_adk", "LiteLLM", "urllib3", "asyncio", "grpc")
"""Libraries that log what they send; only their warnings are for us."""


@contextmanager
def about(**facts: object) -> Iterator[None]:
    """Add facts to every line that is logged inside."""
    token = _ABOUT.set({**_ABOUT.get(), **facts})
    try:
        yield
    finally:
        _ABOUT.reset(token)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: severity, message, time, what it is about, and the trace."""

    def __init__(self, project: str | None = None) -> None:
        super().__init__()
        self._project = project

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "severity": record.levelname,
            "message": record.getMessage(),
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "logger": record.name,
            **{key: value for key, value in _ABOUT.get().items() if key != "traceparent"},
        }
        for name in _EXTRA:
            if (value := getattr(record, name, None)) is not None:
                line[name] = value
        line |= self._trace(_ABOUT.get().get("traceparent"))
        if record.exc_info:
            line["stack_trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)

    def _trace(self, traceparent: object) -> dict[str, object]:
        if not isinstance(traceparent, str):
            return {}
        _, trace, span, flags = traceparent.split("-")
        name = f"projects/{self._project}/traces/{trace}" if self._project else trace
        return {
            "logging.googleapis.com/trace": name,
            "logging.googleapis.com/spanId": span,
            "logging.googleapis.com/trace_sampled": flags.endswith("1"),
        }


def set_up(level: str, project: str | None = None, stream: TextIO | None = None) -> None:
    """Send everything to one stream as JSON."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter(project))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))
    # It warns at each call of a model that reports no tokens.
    logging.getLogger("google_adk.google.adk.telemetry").setLevel(logging.ERROR)
