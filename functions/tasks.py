"""The two doors that carry out tasks, ``turn`` and ``delegation``, differ by the task's kind."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from starlette.requests import Request

from engine.execution import TaskKind
from engine.ports import Delivery
from engine.queues.wire import (
    MAX_BODY_BYTES,
    TRACEPARENT,
    PoisonedTask,
    read_delivery,
    trace_of,
)
from engine.runs import OK, Runs
from functions import telemetry
from functions.cloud import Cloud, check
from functions.door import Door, Ending, caller_rules
from functions.logs import about
from functions.settings import Settings
from functions.wiring import Team, build_team

log = logging.getLogger(__name__)


@dataclass
class TaskHandler:
    """Parses a delivery and hands it to ``runs``; a poisoned body is answered 200 for good."""

    kind: TaskKind
    runs: Runs
    attempts: int

    async def __call__(self, request: Request) -> int:
        """Carry out the request's delivery."""
        try:
            delivery = await self._read(request)
        except PoisonedTask as poisoned:
            log.error("dropped a task: %s", poisoned, extra={"event": "poisoned_task"})
            return OK
        with (
            telemetry.span(f"{self.kind} task", trace_of(request.headers)) as traceparent,
            about(
                execution=delivery.task.execution,
                task=delivery.task.name,
                attempt=delivery.retry + 1,
                traceparent=traceparent,
            ),
        ):
            token = TRACEPARENT.set(traceparent)
            try:
                return await self._carry_out(delivery)
            finally:
                TRACEPARENT.reset(token)

    async def _read(self, request: Request) -> Delivery:
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            raise PoisonedTask(f"the body has {length} bytes: it is not ours")
        delivery = read_delivery(request.headers, await request.body(), self.attempts)
        if delivery.task.kind is not self.kind:
            raise PoisonedTask(f"a {delivery.task.kind} was sent to the {self.kind} door")
        return delivery

    async def _carry_out(self, delivery: Delivery) -> int:
        begin = time.monotonic()
        status = await self.runs.handle(delivery)
        telemetry.count(f"{self.kind}s", status=status)
        if delivery.retry:
            telemetry.count("retries", kind=self.kind)
        log.info(
            "task done with %d",
            status,
            extra={
                "event": "task",
                "status": status,
                "seconds": round(time.monotonic() - begin, 3),
            },
        )
        return status


def prepare(settings: Settings) -> Team:
    """What can be made before there is an event loop; every wrong setting shows here."""
    check(settings)
    caller_rules(settings)
    return build_team(settings)


def open_door(kind: TaskKind, settings: Settings, team: Team) -> Door:
    """The door, in the running event loop."""
    cloud = Cloud.open(settings)
    ending = Ending(settings.grace_seconds)
    runs = team.runs(
        cloud.store,
        cloud.queue,
        bus=cloud.bus,
        stopping=ending.stop,
        observe=telemetry.observe,
    )
    handler = TaskHandler(kind, runs, settings.task_attempts)
    return Door.of(kind.value, settings, cloud, handler, ending)
