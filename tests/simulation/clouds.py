"""The cloud adapters in a simulated world: their own code over services that fail by the seed.

The store is DocumentStore over documents in memory, the queue CloudTasksQueue over a client that
keeps tasks in the world's queue. Both answer with the errors of the real APIs, among them an error
after the write was applied, and one whose write is applied later, when others have gone on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from google.api_core import exceptions
from google.cloud.tasks_v2.types import CreateTaskRequest

from engine.queues.cloud_tasks import CloudTasksQueue, CloudTasksSettings, Target, task_id
from engine.queues.wire import read_body
from engine.stores.database import DocumentWrite, Found, Patience, Query, Refused
from engine.stores.document_store import DocumentStore
from engine.stores.firestore import _errors as firestore_errors
from tests.support.memory_database import MemoryDatabase

if TYPE_CHECKING:
    from tests.simulation.world import World

ABORTED = "too much contention on these documents. Please try again."
PRECONDITION = "the stored version does not match the required base version"
ENDLESS = 1e9
PATIENCE_ENDS = 0.1


class SeededPatience(Patience):
    """Tries again without waiting; when to give up is left to the seed, not to the time."""

    attempt = 10.0
    first = 0.0
    longest = 0.0

    def __init__(self, world: World) -> None:
        object.__setattr__(self, "_world", world)

    @property
    def whole(self) -> float:  # type: ignore[override]
        world: World = self.__dict__["_world"]
        if world.chance(PATIENCE_ENDS):
            world.faults["store: given up"] += 1
            return 0.0
        return ENDLESS


class FailingDatabase(MemoryDatabase):
    """Fails by the seed, in the words of the Firestore API, which the adapter translates."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    async def _arrive(self) -> None:
        await self._world.park()
        waiting, self.late = self.late, []
        for writes in waiting:
            if self._world.calm or self._world.rng.random() < 0.3:
                with contextlib.suppress(Refused):  # nobody hears of it
                    self._apply(writes)
            else:
                self.late.append(writes)

    def _fails(self, what: str, probability: float) -> bool:
        fails = self._world.chance(probability)
        if fails:
            self._world.faults[f"store: {what}"] += 1
        return fails

    def _reading(self) -> None:
        if self._fails("unavailable on reading", 0.01):
            raise exceptions.ServiceUnavailable("failed to connect to all addresses")
        if self._fails("deadline exceeded on reading", 0.005):
            raise exceptions.DeadlineExceeded("Deadline Exceeded")

    async def get(self, paths: Sequence[str]) -> dict[str, Found]:
        """Documents by path."""
        with firestore_errors():
            self._reading()
            return await super().get(paths)

    async def query(self, query: Query) -> list[Found]:
        """Documents of one collection that match."""
        with firestore_errors():
            self._reading()
            return await super().query(query)

    async def commit(self, writes: Sequence[DocumentWrite]) -> object:
        """All or none; no answer may mean either, or that it comes later."""
        await self._arrive()
        with firestore_errors():
            if self._fails("aborted", 0.02):
                raise exceptions.Aborted(ABORTED)
            if self._fails("precondition failed", 0.01):
                raise exceptions.FailedPrecondition(PRECONDITION)
            if self._fails("unavailable, not applied", 0.01):
                raise exceptions.ServiceUnavailable("failed to connect to all addresses")
            if self._fails("deadline exceeded, applied late", 0.01):
                self.late.append(writes)
                raise exceptions.DeadlineExceeded("Deadline Exceeded")
            version = self._apply(writes)
            if self._fails("deadline exceeded, applied", 0.02):
                raise exceptions.DeadlineExceeded("Deadline Exceeded")
            if self._fails("unavailable, applied", 0.01):
                raise exceptions.ServiceUnavailable("Socket closed")
        await self._world.park()  # the answer is on its way
        return version


class QuietDatabase(MemoryDatabase):
    """The same documents for whoever only looks: no faults, and nobody comes between."""

    def __init__(self, seen: MemoryDatabase) -> None:
        super().__init__()
        self.documents = seen.documents

    async def commit(self, writes: Sequence[DocumentWrite]) -> NoReturn:
        """Refuse: an observer changes nothing."""
        raise AssertionError("an observer wrote")


def document_store(world: World) -> DocumentStore:
    """A process's store, which remembers nothing yet."""
    return DocumentStore(world.database, SeededPatience(world))


class TasksService:
    """A TasksApi that keeps tasks in the world's queue, and fails by the seed."""

    def __init__(self, world: World) -> None:
        self._world = world

    def _fails(self, what: str, probability: float) -> bool:
        fails = self._world.chance(probability)
        if fails:
            self._world.faults[f"queue: {what}"] += 1
        return fails

    async def create_task(
        self,
        request: CreateTaskRequest,
        *,
        retry: None,
        timeout: float,
    ) -> object:
        """Create one task."""
        await self._world.park()
        if self._fails("aborted", 0.02):
            raise exceptions.Aborted("aborted")
        if self._fails("unavailable, not applied", 0.03):
            raise exceptions.ServiceUnavailable("failed to connect to all addresses")
        if self._fails("too many requests", 0.01):
            raise exceptions.ResourceExhausted("quota")
        if self._fails("refused", 0.01):
            raise exceptions.FailedPrecondition("the queue is being mended")
        if self._fails("given up", 0.01):  # what the retry raises when its time is over
            raise exceptions.RetryError("timeout", exceptions.ServiceUnavailable("down"))
        task = read_body(request.task.http_request.body)
        assert request.task.name == f"{request.parent}/tasks/{task_id(task)}"
        if task.name in self._world.queue.seen:
            raise exceptions.AlreadyExists("a task with this name existed too recently")
        await self._world.queue.enqueue([task])
        if self._fails("deadline exceeded, applied", 0.03):
            raise exceptions.DeadlineExceeded("Deadline Exceeded")
        await asyncio.sleep(0)
        return request.task


def cloud_tasks(world: World) -> CloudTasksQueue:
    """The queue's adapter, which tries again without waiting."""

    def target(door: str) -> Target:
        return Target(
            queue=f"projects/p/locations/l/queues/{door}s",
            url=f"https://{door}.example.com",
            service_account=f"{door}@example.com",
            audience=f"https://{door}.example.com",
            deadline=timedelta(minutes=15),
        )

    settings = CloudTasksSettings(
        turns=target("turn"),
        delegations=target("delegation"),
        first_wait=0.0,
        longest_wait=0.0,
        total=ENDLESS,
    )
    return CloudTasksQueue(TasksService(world), settings)
