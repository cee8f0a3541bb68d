"""A task server of our own: the Cloud Tasks API over gRPC, deliveries over HTTP.

There is no emulator of Cloud Tasks. This one serves tests and ``serve --emulators``: nothing is
kept on disk, tokens come from a local issuer, and faults can be switched on (``Faults`` for
deliveries, ``ApiFault`` for calls). Run it with ``python -m tests.support.task_server --help``.

Beside the API there is a small HTTP server on the loopback address: ``/certs`` (certificates of
the issuer), ``/token?email=…&audience=…`` (a token for a developer), ``/stats`` (what went out).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import re
import signal
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, Self

import grpc
import httpx
from google.cloud import tasks_v2
from google.protobuf import empty_pb2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.support.http_server import serving
from tests.support.issuer import Issuer
from tests.support.push_queue import Faults, PushQueue

SERVICE = "google.cloud.tasks.v2.CloudTasks"
Context = grpc.aio.ServicerContext
State = tasks_v2.Queue.State

_TASK = re.compile(r"(projects/[^/]+/locations/[^/]+/queues/[^/]+)/tasks/[A-Za-z0-9_-]{1,500}")
MAX_BODY_BYTES = 1024 * 1024
HTTP_DEFAULT_DEADLINE = timedelta(minutes=10)
SHORTEST, LONGEST = timedelta(seconds=15), timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class ApiFault:
    """What the next call that creates a task answers.

    ``applied``: the task is created all the same. ``hangs``: no answer comes within this many
    seconds, so the caller's own deadline ends the call.
    """

    code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE
    applied: bool = False
    hangs: float = 0.0


@dataclass
class TaskServer:
    """The server; use it as ``async with TaskServer() as server``.

    ``scale`` shortens backoff, deadlines and tombstones. ``api_faults`` are used up one a call.
    ``api_errors`` is the probability of an UNAVAILABLE, applied or not.
    """

    scale: float = 1.0
    faults: Faults = field(default_factory=Faults)
    seed: int = 0
    port: int = 0
    http_port: int = 0
    api_errors: float = 0.0
    api_faults: deque[ApiFault] = field(default_factory=deque)
    queues: dict[str, PushQueue] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    async def __aenter__(self) -> Self:
        self._rng = random.Random(self.seed)
        self._stack = AsyncExitStack()
        routes = [
            Route("/certs", self._certs),
            Route("/token", self._token),
            Route("/stats", self._stats),
        ]
        self.url = await self._stack.enter_async_context(
            serving(Starlette(routes=routes), self.http_port)
        )
        self.issuer = Issuer(self.url)
        # A connection a delivery: doors are killed and restarted under this client.
        self._client = await self._stack.enter_async_context(
            httpx.AsyncClient(
                timeout=None,
                trust_env=False,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
            )
        )
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((self._handlers(),))
        bound = server.add_insecure_port(f"127.0.0.1:{self.port}")
        self.address = f"127.0.0.1:{bound}"
        await server.start()
        self._stack.push_async_callback(server.stop, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        for queue in self.queues.values():
            await queue.close()
        await self._stack.aclose()

    @property
    def certs_url(self) -> str:
        """Where the issuer's certificates are."""
        return f"{self.url}/certs"

    def add_queue(self, rules: tasks_v2.Queue) -> PushQueue:
        """Make a queue, as CreateQueue does."""
        rules.state = State.RUNNING
        made = PushQueue(
            rules=rules,
            client=self._client,
            token=self.issuer.token,
            faults=self.faults,
            rng=self._rng,
            counts=self.counts,
            scale=self.scale,
        )
        self.queues[rules.name] = made
        return made

    @property
    def idle(self) -> bool:
        """Nothing is queued and nothing is on its way."""
        return all(queue.idle for queue in self.queues.values())

    # -- HTTP ----------------------------------------------------------------------------

    async def _certs(self, request: Request) -> Response:
        self.counts["certificate fetches"] += 1
        return JSONResponse(
            self.issuer.certificates(), headers={"Cache-Control": "public, max-age=3600"}
        )

    async def _token(self, request: Request) -> Response:
        email, audience = (request.query_params.get(name) for name in ("email", "audience"))
        if not email or not audience:
            return PlainTextResponse("give email and audience", status_code=400)
        return PlainTextResponse(self.issuer.token(email, audience))

    async def _stats(self, request: Request) -> Response:
        queued = {name: len(queue.entries) for name, queue in self.queues.items()}
        return JSONResponse({"idle": self.idle, "queued": queued, "counts": self.counts})

    # -- gRPC ----------------------------------------------------------------------------

    def _handlers(self) -> grpc.GenericRpcHandler:
        def unary(
            call: Callable[[Any, Context], Awaitable[Any]], request: Any, response: Any
        ) -> grpc.RpcMethodHandler:
            return grpc.unary_unary_rpc_method_handler(
                call,
                request_deserializer=request.deserialize,
                response_serializer=(
                    empty_pb2.Empty.SerializeToString if response is None else response.serialize
                ),
            )

        v2 = tasks_v2
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "CreateQueue": unary(self._create_queue, v2.CreateQueueRequest, v2.Queue),
                "GetQueue": unary(self._get_queue, v2.GetQueueRequest, v2.Queue),
                "PauseQueue": unary(self._pause_queue, v2.PauseQueueRequest, v2.Queue),
                "ResumeQueue": unary(self._resume_queue, v2.ResumeQueueRequest, v2.Queue),
                "PurgeQueue": unary(self._purge_queue, v2.PurgeQueueRequest, v2.Queue),
                "CreateTask": unary(self._create_task, v2.CreateTaskRequest, v2.Task),
                "GetTask": unary(self._get_task, v2.GetTaskRequest, v2.Task),
                "ListTasks": unary(self._list_tasks, v2.ListTasksRequest, v2.ListTasksResponse),
                "RunTask": unary(self._run_task, v2.RunTaskRequest, v2.Task),
                "DeleteTask": unary(self._delete_task, v2.DeleteTaskRequest, None),
            },
        )

    async def _queue(self, name: str, context: Context) -> PushQueue:
        if name not in self.queues:
            await _abort(context, grpc.StatusCode.NOT_FOUND, f"Queue {name} does not exist.")
        return self.queues[name]

    async def _create_queue(
        self, request: tasks_v2.CreateQueueRequest, context: Context
    ) -> tasks_v2.Queue:
        if request.queue.name in self.queues:
            await _abort(context, grpc.StatusCode.ALREADY_EXISTS, "Queue already exists.")
        return self.add_queue(request.queue).rules

    async def _get_queue(
        self, request: tasks_v2.GetQueueRequest, context: Context
    ) -> tasks_v2.Queue:
        return (await self._queue(request.name, context)).rules

    async def _pause_queue(
        self, request: tasks_v2.PauseQueueRequest, context: Context
    ) -> tasks_v2.Queue:
        queue = await self._queue(request.name, context)
        queue.set_state(State.PAUSED)
        return queue.rules

    async def _resume_queue(
        self, request: tasks_v2.ResumeQueueRequest, context: Context
    ) -> tasks_v2.Queue:
        queue = await self._queue(request.name, context)
        queue.set_state(State.RUNNING)
        return queue.rules

    async def _purge_queue(
        self, request: tasks_v2.PurgeQueueRequest, context: Context
    ) -> tasks_v2.Queue:
        queue = await self._queue(request.name, context)
        queue.purge()
        return queue.rules

    async def _create_task(
        self, request: tasks_v2.CreateTaskRequest, context: Context
    ) -> tasks_v2.Task:
        self.counts["create calls"] += 1
        fault = self._api_fault()
        if fault is None:
            return await self._create(request, context)
        if fault.applied:
            await self._create(request, context)
        await asyncio.sleep(fault.hangs)
        return await _abort(context, fault.code, "injected")

    def _api_fault(self) -> ApiFault | None:
        if self.api_faults:
            return self.api_faults.popleft()
        if self._rng.random() < self.api_errors:
            return ApiFault(applied=self._rng.random() < 0.5)
        return None

    async def _create(self, request: tasks_v2.CreateTaskRequest, context: Context) -> tasks_v2.Task:
        queue = await self._queue(request.parent, context)
        task = request.task
        if not task.name:
            task.name = f"{request.parent}/tasks/{self._rng.getrandbits(64)}"
        task.dispatch_deadline = task.dispatch_deadline or HTTP_DEFAULT_DEADLINE
        task.http_request.http_method = task.http_request.http_method or tasks_v2.HttpMethod.POST
        if problem := _problem(request.parent, task):
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, problem)
        task.create_time = datetime.now(UTC)
        if not queue.add(task, time.monotonic(), time.time()):
            await _abort(
                context,
                grpc.StatusCode.ALREADY_EXISTS,
                "The task cannot be created because a task with this name existed too recently.",
            )
        self.counts["created"] += 1
        return task

    async def _find(self, name: str, context: Context) -> PushQueue:
        queue = await self._queue(name.partition("/tasks/")[0], context)
        if name not in queue.entries:
            await _abort(context, grpc.StatusCode.NOT_FOUND, "The task does not exist.")
        return queue

    async def _get_task(self, request: tasks_v2.GetTaskRequest, context: Context) -> tasks_v2.Task:
        return (await self._find(request.name, context)).entries[request.name].task

    async def _list_tasks(
        self, request: tasks_v2.ListTasksRequest, context: Context
    ) -> tasks_v2.ListTasksResponse:
        queue = await self._queue(request.parent, context)
        return tasks_v2.ListTasksResponse(tasks=[e.task for e in queue.entries.values()])

    async def _run_task(self, request: tasks_v2.RunTaskRequest, context: Context) -> tasks_v2.Task:
        queue = await self._find(request.name, context)
        queue.run_now(request.name)
        return queue.entries[request.name].task

    async def _delete_task(
        self, request: tasks_v2.DeleteTaskRequest, context: Context
    ) -> empty_pb2.Empty:
        (await self._find(request.name, context)).remove(request.name)
        return empty_pb2.Empty()


async def _abort(context: Context, code: grpc.StatusCode, details: str) -> NoReturn:
    await context.abort(code, details)
    raise AssertionError("abort returned")


def _problem(parent: str, task: tasks_v2.Task) -> str | None:
    """What the service would find wrong with a task."""
    named = _TASK.fullmatch(task.name)
    if not named or named[1] != parent:
        return f"Task name {task.name!r} does not belong to {parent!r} or is malformed."
    if not task.http_request.url.startswith(("http://", "https://")):
        return "Only HTTP targets, with an http or https URL."
    if not SHORTEST <= task.dispatch_deadline <= LONGEST:
        return "The dispatch deadline must be between 15 seconds and 30 minutes."
    if len(task.http_request.body) > MAX_BODY_BYTES:
        return "The task is too large."
    return None


def queue_rules(
    name: str,
    *,
    max_attempts: int = 8,
    first_backoff: float = 1.0,
    longest_backoff: float = 300.0,
    concurrency: int = 100,
    rate: float = 500.0,
    burst: int = 0,
) -> tasks_v2.Queue:
    """A queue's configuration; backoff in seconds before scaling."""
    return tasks_v2.Queue(
        name=name,
        retry_config=tasks_v2.RetryConfig(
            max_attempts=max_attempts,
            min_backoff=timedelta(seconds=first_backoff),
            max_backoff=timedelta(seconds=longest_backoff),
        ),
        rate_limits=tasks_v2.RateLimits(
            max_concurrent_dispatches=concurrency,
            max_dispatches_per_second=rate,
            max_burst_size=burst,
        ),
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="task_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="gRPC port (0: any)")
    parser.add_argument("--http-port", type=int, default=0, help="port of /certs and /stats")
    parser.add_argument("--queue", action="append", default=[], help="full resource name")
    parser.add_argument("--max-attempts", type=int, default=8)
    parser.add_argument("--first-backoff", type=float, default=1.0, help="seconds")
    parser.add_argument("--concurrency", type=int, default=100)
    parser.add_argument("--rate", type=float, default=500.0, help="dispatches a second")
    parser.add_argument("--scale", type=float, default=1.0, help="of backoff and deadlines")
    parser.add_argument("--seed", type=int, default=0)
    for fault in ("duplicates", "lost-acks", "delays", "late"):
        parser.add_argument(f"--{fault}", type=float, default=0.0, help="probability")
    parser.add_argument("--delay", type=float, default=1.0, help="longest delay in seconds")
    parser.add_argument("--api-errors", type=float, default=0.0, help="probability")
    return parser.parse_args()


async def _main(given: argparse.Namespace) -> None:
    faults = Faults(given.duplicates, given.lost_acks, given.delays, given.late, given.delay)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with TaskServer(
        scale=given.scale,
        faults=faults,
        seed=given.seed,
        port=given.port,
        http_port=given.http_port,
        api_errors=given.api_errors,
    ) as server:
        for name in given.queue:
            server.add_queue(
                queue_rules(
                    name,
                    max_attempts=given.max_attempts,
                    first_backoff=given.first_backoff,
                    concurrency=given.concurrency,
                    rate=given.rate,
                )
            )
        ready = {"grpc": server.address, "http": server.url, "certs": server.certs_url}
        print(json.dumps(ready | {"issuer": server.issuer.name}), flush=True)
        await stop.wait()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    asyncio.run(_main(_arguments()))
