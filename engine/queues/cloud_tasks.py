"""Cloud Tasks as the queue: named tasks, identity tokens, a dispatch deadline (DESIGN: Delivery).

A name that the service has seen is success, so that enqueuing twice is harmless. Names begin with
a hash, because sequential names slow the service. What the service cannot take now is tried again
for a few seconds and then raised as Unavailable: the caller's own task stays in its queue, and
whoever comes next enqueues what is due.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import grpc
from google.api_core import exceptions
from google.api_core.retry import AsyncRetry, if_exception_type
from google.auth.exceptions import GoogleAuthError
from google.cloud.tasks_v2 import CloudTasksAsyncClient
from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcAsyncIOTransport
from google.cloud.tasks_v2.types import CreateTaskRequest, HttpMethod, HttpRequest, OidcToken
from google.cloud.tasks_v2.types import Task as CloudTask

from engine.execution import Task, TaskKind
from engine.ports import Unavailable
from engine.queues.wire import trace_headers, write_body

SHORTEST_DEADLINE, LONGEST_DEADLINE = timedelta(seconds=15), timedelta(minutes=30)

_QUEUE = re.compile(r"projects/[A-Za-z0-9.:-]+/locations/[a-z0-9-]+/queues/[A-Za-z0-9-]{1,100}")
_TRANSIENT = (
    exceptions.ServiceUnavailable,
    exceptions.GatewayTimeout,  # DeadlineExceeded is one; the task may be there: ALREADY_EXISTS
    exceptions.InternalServerError,
    exceptions.TooManyRequests,
    exceptions.Aborted,
    exceptions.Unknown,
)


class WrongTarget(ValueError):
    """A target of the queue cannot work; the message names the value."""


class QueueRefused(Unavailable):
    """The service refuses the task until somebody mends the queue, a right or a setting."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the tasks of one kind go. Raises WrongTarget.

    ``queue`` is the full resource name. The service calls ``url`` with an identity token of
    ``service_account`` for ``audience`` and waits for the answer until ``deadline``.
    """

    queue: str
    url: str
    service_account: str
    audience: str
    deadline: timedelta = timedelta(minutes=15)

    def __post_init__(self) -> None:
        if not _QUEUE.fullmatch(self.queue):
            raise WrongTarget(f"{self.queue!r} is no queue: write projects/…/locations/…/queues/…")
        if not self.url.startswith(("https://", "http://")):
            raise WrongTarget(f"tasks cannot be sent to {self.url!r}: write an http or https URL")
        if not self.service_account or not self.audience:
            raise WrongTarget(f"tasks for {self.url} need a service account and an audience")
        if not SHORTEST_DEADLINE <= self.deadline <= LONGEST_DEADLINE:
            raise WrongTarget(
                f"a dispatch deadline of {self.deadline} is outside of what Cloud Tasks takes, "
                "15 seconds to 30 minutes"
            )


@dataclass(frozen=True, slots=True)
class CloudTasksSettings:
    """One target for Turns and one for Delegations. Waits are in seconds.

    ``call`` bounds one attempt to create a task, ``total`` all of them.
    """

    turns: Target
    delegations: Target
    first_wait: float = 0.1
    longest_wait: float = 2.0
    call: float = 5.0
    total: float = 20.0

    def target(self, kind: TaskKind) -> Target:
        """Where tasks of a kind go."""
        return self.turns if kind is TaskKind.TURN else self.delegations


class TasksApi(Protocol):
    """What the adapter calls of the client; CloudTasksAsyncClient has it."""

    async def create_task(
        self,
        request: CreateTaskRequest,
        *,
        retry: None,
        timeout: float,  # noqa: ASYNC109 (the client's own name)
    ) -> object:
        """Create one task."""
        ...


def connect(emulator: str | None = None) -> CloudTasksAsyncClient:
    """A client for the running event loop; ``emulator`` is host:port of a task server.

    Close it with ``await client.transport.close()``.
    """
    if emulator is None:
        return CloudTasksAsyncClient()
    channel = grpc.aio.insecure_channel(emulator)
    return CloudTasksAsyncClient(transport=CloudTasksGrpcAsyncIOTransport(channel=channel))


def task_id(task: Task) -> str:
    """The last part of a task's name in Cloud Tasks: a stable hash, then words for people."""
    digest = hashlib.sha256(task.name.encode()).hexdigest()[:20]
    readable = re.sub(r"[^A-Za-z0-9_-]", "-", task.name)
    return f"{digest}-{readable[:400]}"


class CloudTasksQueue:
    """A TaskQueue on Cloud Tasks."""

    def __init__(self, client: TasksApi, settings: CloudTasksSettings) -> None:
        self._client = client
        self._settings = settings
        self._retry = AsyncRetry(
            predicate=if_exception_type(*_TRANSIENT),
            initial=settings.first_wait,
            maximum=settings.longest_wait,
            timeout=settings.total,
        )

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        """Create the tasks, all at once; a name that was seen before is success.

        Raises Unavailable (QueueRefused when waiting alone will not help) after every task was
        tried, so one that fails keeps back no other.
        """
        results = await asyncio.gather(
            *(self._create(task) for task in tasks), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _create(self, task: Task) -> None:
        target = self._settings.target(task.kind)
        request = self._request(task, target)

        async def call() -> None:
            await self._client.create_task(request, retry=None, timeout=self._settings.call)

        try:
            await self._retry(call)()
        except exceptions.AlreadyExists:
            return
        except (exceptions.RetryError, GoogleAuthError, *_TRANSIENT) as error:
            raise Unavailable(
                f"Cloud Tasks could not be reached for task {task.name} ({_reason(error)}); "
                "the same call may succeed later"
            ) from error
        except exceptions.GoogleAPICallError as error:
            raise QueueRefused(
                f"Cloud Tasks refuses task {task.name} for {target.queue} ({_reason(error)}); "
                "check that the queue exists, that this service may enqueue into it, and that it "
                f"may act as {target.service_account}"
            ) from error

    def _request(self, task: Task, target: Target) -> CreateTaskRequest:
        return CreateTaskRequest(
            parent=target.queue,
            task=CloudTask(
                name=f"{target.queue}/tasks/{task_id(task)}",
                dispatch_deadline=target.deadline,
                http_request=HttpRequest(
                    url=target.url,
                    http_method=HttpMethod.POST,
                    headers={"Content-Type": "application/json"} | trace_headers(),
                    body=write_body(task),
                    oidc_token=OidcToken(
                        service_account_email=target.service_account, audience=target.audience
                    ),
                ),
            ),
        )


def _reason(error: Exception) -> str:
    cause = error.cause if isinstance(error, exceptions.RetryError) else error
    return f"{type(cause).__name__}: {getattr(cause, 'message', cause)}"
