"""A seeded world: virtual time, a scheduler that chooses who goes on, a queue that misbehaves.

Everything that runs is a fiber, an asyncio task that parks at every point where something else may
come between (store calls, fault points, agent steps). The scheduler wakes one fiber at a time, by
the seed, so a seed always gives the same history.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from engine.execution import Execution, ExecutionId, Task
from engine.ports import Command, Delivery, ExecutionStore, TaskQueue
from engine.runs import FaultPoint, Runs
from engine.stores.document_store import DocumentStore
from engine.stores.memory import MemoryStore
from tests.simulation import clouds
from tests.support.buses import ListBus
from tests.support.histories import START
from tests.support.team import FixedClock

MAX_ATTEMPTS = 5


class Crash(BaseException):
    """The process that ran this fiber is gone."""


class Shape(StrEnum):
    """Which adapters a world runs; the seed chooses."""

    MEMORY = "memory"
    DOCUMENTS = "documents"
    CLOUD = "documents and cloud tasks"


@dataclass
class Queued:
    task: Task
    retry: int = 0
    due: timedelta = timedelta(0)
    leased: bool = False


@dataclass
class World:
    """One seed's world. ``faults`` counts what was injected by kind."""

    seed: int
    rng: random.Random = field(init=False)
    clock: FixedClock = field(default_factory=lambda: FixedClock(START))
    faults: Counter[str] = field(default_factory=Counter)
    calm: bool = False

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.parked: list[asyncio.Future[None]] = []
        self.fibers: dict[asyncio.Task[Any], str | None] = {}
        self.queue = MisbehavingQueue(self)
        self.bus = ListBus(self._bus_fails)
        self.shape = list(Shape)[self.seed % len(Shape)]
        self.memory = ParkingStore(self)
        self.database = clouds.FailingDatabase(self)
        self.observer: ExecutionStore = (
            self.memory
            if self.shape is Shape.MEMORY
            else DocumentStore(clouds.QuietDatabase(self.database))
        )

    @property
    def pace(self) -> float:
        """What one step is worth: with a database, the same work takes more steps."""
        return 1.0 if self.shape is Shape.MEMORY else 0.3

    def new_store(self) -> ExecutionStore:
        """The store as a process that has just started has it."""
        return self.memory if self.shape is Shape.MEMORY else clouds.document_store(self)

    def new_queue(self) -> TaskQueue:
        """What a process enqueues with."""
        return clouds.cloud_tasks(self) if self.shape is Shape.CLOUD else self.queue

    @property
    def elapsed(self) -> timedelta:
        return self.clock.time - START

    def chance(self, probability: float) -> bool:
        """Whether a fault happens here; never once the world is calm."""
        return not self.calm and self.rng.random() < probability

    def _bus_fails(self) -> bool:
        fails = self.chance(0.05)
        if fails:
            self.faults["event bus down"] += 1
        return fails

    async def park(self) -> None:
        """Let the scheduler choose who goes on."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.parked.append(future)
        await future

    def spawn(self, job: Callable[[], Coroutine[Any, Any, Any]], name: str | None = None) -> None:
        """Start a fiber; ``name`` is the task that it delivers."""
        self.fibers[asyncio.create_task(self._fiber(job))] = name

    async def _fiber(self, job: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        with contextlib.suppress(Crash):
            await self.park()
            await job()

    async def settle(self) -> None:
        """Let everything run until all fibers are parked or done."""
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        while ready:  # else nobody can go on but us
            await asyncio.sleep(0)
        for fiber in [f for f in self.fibers if f.done()]:
            name = self.fibers.pop(fiber)
            if not fiber.cancelled():
                fiber.result()
            if name is not None:
                self.queue.lost(name)

    def wake_one(self) -> None:
        """Wake one parked fiber, chosen by the seed."""
        future = self.parked.pop(self.rng.randrange(len(self.parked)))
        if not future.done():
            future.set_result(None)

    async def restart(self) -> None:
        """Kill every fiber: the process is gone, the store and the queue stay."""
        self.faults["process restarted"] += 1
        await self.stop()

    async def stop(self) -> None:
        """End every fiber, as a kill would."""
        for fiber in self.fibers:
            fiber.cancel()
        await asyncio.gather(*self.fibers, return_exceptions=True)
        for name in self.fibers.values():
            if name is not None:
                self.queue.lost(name)
        self.fibers.clear()
        self.parked.clear()

    async def fault(self, point: FaultPoint, task: Task) -> None:
        """A fault point of ``runs``: crash here, or let others go first."""
        await self.park()
        if self.chance(0.04):
            self.faults[f"crash {point.value}"] += 1
            raise Crash


class ParkingStore(MemoryStore):
    """The memory store, with a point before and after each call where others may come between."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    async def transact(self, execution: ExecutionId, command: Command) -> Execution:
        await self._world.park()
        after = await super().transact(execution, command)
        await self._world.park()
        return after


class MisbehavingQueue:
    """At least once, in any order, with lost acknowledgements, doubles and late deliveries."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tasks: dict[str, Queued] = {}
        self.seen: set[str] = set()
        self.done: list[Task] = []

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            if task.name not in self.seen:
                self.seen.add(task.name)
                self.tasks[task.name] = Queued(task, due=self._delay())

    def _delay(self) -> timedelta:
        late = self._world.chance(0.05)
        if late:
            self._world.faults["delivery delayed"] += 1
        return self._world.elapsed + timedelta(minutes=20 if late else 0)

    def due(self) -> list[Queued]:
        return [q for q in self.tasks.values() if not q.leased and q.due <= self._world.elapsed]

    def deliver(self, queued: Queued, runs: Runs) -> None:
        """Lease a task and start its handler; sometimes start it twice."""
        queued.leased = True
        delivery = Delivery(queued.task, queued.retry, queued.retry + 1 >= MAX_ATTEMPTS)
        self._world.spawn(lambda: self._handle(delivery, runs), queued.task.name)
        if self._world.chance(0.08):
            self._world.faults["delivered twice at once"] += 1
            self._world.spawn(lambda: runs.handle(delivery))

    async def _handle(self, delivery: Delivery, runs: Runs) -> None:
        status = await runs.handle(delivery)
        name = delivery.task.name
        queued = self.tasks.get(name)
        if queued is None or queued.retry != delivery.retry:
            return
        if status == 200 and self._world.chance(0.05):
            self._world.faults["acknowledgement lost"] += 1
            return  # stays leased; settle() finds it and delivers again
        if status == 200 or delivery.last:
            del self.tasks[name]
            self.done.append(delivery.task)
        else:
            self._again(queued)

    def lost(self, name: str) -> None:
        """Whoever held this lease is gone."""
        queued = self.tasks.get(name)
        if queued is not None and queued.leased:
            if queued.retry + 1 >= MAX_ATTEMPTS:
                self._world.faults["task dropped after its last attempt"] += 1
                del self.tasks[name]
            else:
                self._again(queued)

    def _again(self, queued: Queued) -> None:
        queued.leased = False
        queued.retry += 1
        queued.due = self._world.elapsed + timedelta(seconds=2**queued.retry)

    def late_double(self, runs: Runs) -> None:
        """Deliver a task again that was done long ago."""
        if self.done:
            self._world.faults["done task delivered again"] += 1
            task = self._world.rng.choice(self.done)
            delivery = Delivery(task, self._world.rng.randrange(3))
            self._world.spawn(lambda: runs.handle(delivery))
