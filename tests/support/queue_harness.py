"""Queues with their dispatchers behind one face, so that one contract suite holds for all.

A harness has E1's tasks delivered to a handler: ``start`` one, put tasks into ``queue``, wait until
it is ``drained``. ``ATTEMPTS`` is the limit of attempts of each.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from google.cloud import tasks_v2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.deliverables import Kind
from engine.execution import ExecutionId, Task, TaskKind
from engine.ports import Delivery, TaskQueue
from engine.queues.cloud_tasks import CloudTasksQueue, CloudTasksSettings, Target, connect
from engine.queues.local import Backoff, Handler, LocalDispatcher, LocalQueue
from engine.queues.wire import read_delivery, write_body
from tests.support.http_server import listen, serving
from tests.support.task_server import TaskServer, queue_rules

ATTEMPTS = 4
E1 = ExecutionId("e1")
QUEUES = "projects/p/locations/l/queues"
ACCOUNT = "tasks@p.iam.gserviceaccount.com"
SCALE = 0.01
"""Backoff of 1, 2, 4 seconds becomes 10, 20, 40 ms; a deadline of 1 minute becomes 0.6 s."""


def turn(number: int, execution: ExecutionId = E1, redrive: int = 0) -> Task:
    return Task(execution, TaskKind.TURN, number, redrive)


def delegation(number: int, kind: Kind = Kind.REQUIREMENTS) -> Task:
    return Task(E1, TaskKind.DELEGATION, number, 0, kind)


class Recorder:
    """A handler that answers from a script and remembers its deliveries."""

    def __init__(self, *statuses: int, seconds: float = 0.0) -> None:
        self.statuses = list(statuses)
        self.seconds = seconds
        self.seen: list[Delivery] = []
        self.running = 0
        self.most = 0

    async def __call__(self, delivery: Delivery) -> int:
        self.seen.append(delivery)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(self.seconds)
        self.running -= 1
        return self.statuses.pop(0) if self.statuses else 200


async def reached(condition: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, f"waited in vain: {what}"
        await asyncio.sleep(0.005)


class QueueHarness(Protocol):
    """A queue with its dispatcher."""

    queue: TaskQueue

    async def start(self, handler: Handler, *, turns: int = 8, delegations: int = 8) -> None:
        """Deliver to this handler from now on, no more than so many at once."""
        ...

    async def drained(self) -> None:
        """Everything that was put in has been delivered or dropped."""
        ...

    async def kill_while_running(self, task: Task) -> None:
        """Put in a task for a process that begins it and is killed."""
        ...


class LocalHarness:
    """The local queue and its dispatcher."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.queue = LocalQueue(folder)
        self.dispatcher: LocalDispatcher | None = None

    async def start(self, handler: Handler, *, turns: int = 8, delegations: int = 8) -> None:
        self.dispatcher = LocalDispatcher(
            self.queue,
            handler,
            turns=turns,
            delegations=delegations,
            backoff=Backoff(first=0.01, longest=0.04, jitter=0.0, attempts=ATTEMPTS),
            rng=random.Random(1),
        )

    async def drained(self) -> None:
        dispatcher = self.dispatcher
        assert dispatcher is not None
        dispatcher.hold(E1)
        limit = time.monotonic() + 20

        async def done() -> bool:
            assert time.monotonic() < limit, "the queue did not drain"
            return self.queue.next_due(dispatcher.held) is None and not dispatcher._running

        await dispatcher.run(done)

    async def kill_while_running(self, task: Task) -> None:
        program = (
            "import asyncio, pathlib, sys\n"
            "from engine.queues.local import LocalDispatcher, LocalQueue\n"
            "from engine.queues.wire import read_body\n"
            "async def handler(delivery):\n"
            "    print('begun', flush=True)\n"
            "    await asyncio.sleep(60)\n"
            "async def main():\n"
            "    queue = LocalQueue(pathlib.Path(sys.argv[1]))\n"
            "    task = read_body(sys.argv[2].encode())\n"
            "    await queue.enqueue([task])\n"
            "    dispatcher = LocalDispatcher(queue, handler)\n"
            "    dispatcher.hold(task.execution)\n"
            "    async def never(): return False\n"
            "    await dispatcher.run(never)\n"
            "asyncio.run(main())\n"
        )
        async with _process(program, str(self.folder), write_body(task).decode()) as job:
            await _line(job, b"begun")
            job.kill()


class CloudTasksHarness:
    """The Cloud Tasks adapter, the task server, and a door that answers over HTTP."""

    def __init__(self, server: TaskServer, stack: AsyncExitStack) -> None:
        self.server = server
        self.stack = stack
        self.handler: Handler = Recorder()
        self.requests: list[Request] = []
        with listen() as free:
            self.port: int = free.getsockname()[1]
        door = f"http://127.0.0.1:{self.port}"

        def target(name: str) -> Target:
            server.add_queue(
                queue_rules(f"{QUEUES}/{name}", max_attempts=ATTEMPTS, first_backoff=1.0)
            )
            return Target(
                queue=f"{QUEUES}/{name}",
                url=f"{door}/{name}",
                service_account=ACCOUNT,
                audience=f"{door}/{name}",
                deadline=timedelta(minutes=30),
            )

        self.settings = CloudTasksSettings(
            turns=target("turns"),
            delegations=target("delegations"),
            first_wait=0.01,
            longest_wait=0.05,
            call=3.0,
            total=20.0,
        )
        self.client = connect(server.address)
        self.queue = CloudTasksQueue(self.client, self.settings)
        self.app = Starlette(routes=[Route("/{kind}", self._receive, methods=["POST"])])
        self.serving = False

    async def _receive(self, request: Request) -> Response:
        self.requests.append(request)
        delivery = read_delivery(request.headers, await request.body(), ATTEMPTS)
        return Response(status_code=await self.handler(delivery))

    async def start(self, handler: Handler, *, turns: int = 8, delegations: int = 8) -> None:
        self.handler = handler
        for name, limit in (("turns", turns), ("delegations", delegations)):
            queue = self.server.queues[f"{QUEUES}/{name}"]
            queue.rules.rate_limits.max_concurrent_dispatches = limit
        if not self.serving:
            await self.stack.enter_async_context(serving(self.app, self.port))
            self.serving = True
        for name in self.server.queues:
            await self.client.resume_queue(tasks_v2.ResumeQueueRequest(name=name))

    async def drained(self) -> None:
        await reached(lambda: self.server.idle, "the task server is idle")

    async def kill_while_running(self, task: Task) -> None:
        program = (
            "import sys, uvicorn\n"
            "async def app(scope, receive, send):\n"
            "    if scope['type'] == 'http':\n"
            "        print('begun', flush=True)\n"
            "        await __import__('asyncio').sleep(60)\n"
            "uvicorn.run(app, port=int(sys.argv[1]), log_level='error')\n"
        )
        async with _process(program, str(self.port)) as job:
            await _listening(self.port)
            await self.queue.enqueue([task])
            await _line(job, b"begun")
            for name in self.server.queues:
                await self.client.pause_queue(tasks_v2.PauseQueueRequest(name=name))
            job.kill()


@contextlib.asynccontextmanager
async def local_harness(folder: Path) -> AsyncIterator[LocalHarness]:
    """A local queue in a folder."""
    harness = LocalHarness(folder)
    try:
        yield harness
    finally:
        harness.queue.close()


@contextlib.asynccontextmanager
async def cloud_tasks_harness() -> AsyncIterator[CloudTasksHarness]:
    """A task server with two queues, and a door for both."""
    async with TaskServer(scale=SCALE, seed=1) as server, AsyncExitStack() as stack:
        harness = CloudTasksHarness(server, stack)
        stack.push_async_callback(harness.client.transport.close)
        yield harness


@contextlib.asynccontextmanager
async def _process(program: str, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    job = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield job
    finally:
        with contextlib.suppress(ProcessLookupError):
            job.kill()
        await job.communicate()


async def _line(job: asyncio.subprocess.Process, wanted: bytes) -> None:
    assert job.stdout is not None
    async with asyncio.timeout(30):
        assert (await job.stdout.readline()).strip() == wanted


async def _listening(port: int) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                await writer.wait_closed()
                return
