"""A task on its way through an HTTP queue: the body with ids only, and what the headers say.

Doors read deliveries with this module; it knows no cloud client.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.deliverables import Kind
from engine.execution import ExecutionId, Task, TaskKind
from engine.ports import Delivery

MAX_BODY_BYTES = 4096
"""Ids fit many times over; more is not one of our tasks."""

RETRY_COUNT = "x-cloudtasks-taskretrycount"
"""All retries. ExecutionCount leaves out answers of 5xx, so the limit of attempts is not on it."""

TRACEPARENT: ContextVar[str | None] = ContextVar("traceparent", default=None)
"""The W3C trace context that tasks enqueued from here carry on."""

_TRACE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

Count = Annotated[int, Field(ge=0, le=2**31 - 1)]


class PoisonedTask(Exception):
    """A delivery that is no task of ours. It never will be: answer 200 and log it."""


class _Body(BaseModel):
    # A newer version may add a field; an older one that meets it must not drop the task.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    # The id becomes part of a document's path, so no slash.
    execution: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$")]
    kind: TaskKind
    number: Count
    redrive: Count
    deliverable: Kind | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if (self.kind is TaskKind.DELEGATION) != (self.deliverable is not None):
            raise ValueError("a Delegation names its Deliverable, and a Turn names none")
        return self


def write_body(task: Task) -> bytes:
    """The body of a task: JSON with ids only."""
    body = _Body(
        execution=task.execution,
        kind=task.kind,
        number=task.number,
        redrive=task.redrive,
        deliverable=task.deliverable,
    )
    return body.model_dump_json(exclude_none=True).encode()


def read_delivery(headers: Mapping[str, str], body: bytes, max_attempts: int) -> Delivery:
    """The delivery that a request makes.

    Headers are looked up in any case; without a retry count it is a first delivery.
    ``max_attempts`` is the queue's, the first one included. Headers prove nothing about the
    caller: verify it first. Raises PoisonedTask.
    """
    task = read_body(body)
    retry = _retry_count(headers)
    return Delivery(task, retry, last=retry + 1 >= max_attempts)


def read_body(body: bytes) -> Task:
    """The task of a body. Raises PoisonedTask."""
    if len(body) > MAX_BODY_BYTES:
        raise PoisonedTask(
            f"the body has {len(body)} bytes, a task at most {MAX_BODY_BYTES}: it is not ours"
        )
    try:
        read = _Body.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise PoisonedTask(f"the task cannot be read: {where}: {first['msg']}") from None
    return Task(ExecutionId(read.execution), read.kind, read.number, read.redrive, read.deliverable)


def _retry_count(headers: Mapping[str, str]) -> int:
    for name, value in headers.items():
        if name.lower() == RETRY_COUNT:
            if re.fullmatch(r"[0-9]{1,9}", value):
                return int(value)
            raise PoisonedTask(f"the retry count {value[:40]!r} is no count")
    return 0


def trace_of(headers: Mapping[str, str]) -> str | None:
    """The trace context that a request carries, if it is well formed."""
    for name, value in headers.items():
        if name.lower() == "traceparent" and _TRACE.fullmatch(value):
            return value
    return None


def trace_headers() -> dict[str, str]:
    """The header that carries the trace context on, or none."""
    trace = TRACEPARENT.get()
    return {"traceparent": trace} if trace and _TRACE.fullmatch(trace) else {}
