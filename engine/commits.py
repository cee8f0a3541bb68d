"""What follows every commit: the tasks that are due now, and the events for the event bus.

Publishing costs no document write of its own. The document knows up to which event the bus has
confirmed (``published``); a handler publishes what lies beyond it while its agent runs, and the
commit that ends the run carries the new number along. What a commit adds is published right after
it, unmarked, so that nobody waits for it; the doubles this makes are dropped by their number. Only
where nothing is due any more does one small command of its own set the mark.

Every publisher starts right behind ``published`` and leaves no gap. So when event n reaches the
bus for the first time all before it did, and order holds for consumers that drop doubles.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from engine.execution import (
    Change,
    Event,
    Execution,
    ExecutionId,
    Usage,
    due_tasks,
    unpublished,
)
from engine.lifecycle import mark_published, with_published
from engine.ports import Clock, Command, EventBus, ExecutionStore, StoreError, TaskQueue

log = logging.getLogger(__name__)

PUBLISH_SECONDS = 10.0
"""How long publishing may take before it is left to whoever comes next."""


Observe = Callable[[Sequence[Event], Usage, Usage], None]
"""Hears of each commit: its events, and what was used in all before and after."""


def unobserved(events: Sequence[Event], before: Usage, after: Usage) -> None:
    """Nobody counts."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A state that is stored, and the events that its commit added."""

    execution: Execution
    events: tuple[Event, ...] = ()


@dataclass
class Commits:
    """Commits commands and does what follows. Without a bus nothing is published."""

    store: ExecutionStore
    queue: TaskQueue
    clock: Clock
    bus: EventBus | None = None
    observe: Observe = unobserved
    seconds: float = PUBLISH_SECONDS

    async def create(self, change: Change) -> Committed:
        """Store a new Execution. Raises AlreadyExists."""
        await self.store.create(change)
        return Committed(change.execution, change.events)

    async def commit(
        self, execution: ExecutionId, command: Command, published: int = 0
    ) -> Committed:
        """Commit a command; ``published`` is noted in the same write. Raises as ``transact``."""
        events: tuple[Event, ...] = ()
        usage = Usage()

        def noted(before: Execution) -> Change:
            nonlocal events, usage
            change = with_published(command(before), published)
            events, usage = change.events, before.usage
            return change

        after = await self.store.transact(execution, noted)
        self.observe(events, usage, after.usage)
        return Committed(after, events)

    async def follow(self, committed: Committed) -> None:
        """Enqueue, then publish."""
        await self.enqueue(committed)
        await self.publish(committed)

    async def enqueue(self, committed: Committed) -> None:
        """Put what is due into the queue. Raises Unavailable."""
        await self.queue.enqueue(due_tasks(committed.execution))

    async def publish(self, committed: Committed, *, mark: bool = False) -> None:
        """Publish what is not published yet, and note it where the Execution ended.

        ``mark`` notes it where a person is waited for, too. Nothing that goes wrong here is raised:
        whoever comes next, the sweeper at the latest, publishes the rest.
        """
        execution = committed.execution
        if self.bus is None or not unpublished(execution):
            return
        upto = await self._rest(execution, committed.events)
        if upto <= execution.published or due_tasks(execution):
            return
        if not (mark or execution.status.terminal):
            return
        now = self.clock.now()
        try:
            await self.store.transact(execution.id, lambda e: mark_published(e, upto, now))
        except StoreError as error:
            log.warning("events of %s are published but not marked: %s", execution.id, error)

    @asynccontextmanager
    async def publishing(self, execution: Execution) -> AsyncIterator[Callable[[], Awaitable[int]]]:
        """Publish in the background; the value awaits up to which event all are published."""
        if self.bus is None or not unpublished(execution):

            async def nothing() -> int:
                return 0

            yield nothing
            return
        job = asyncio.create_task(self._rest(execution))

        async def result() -> int:
            return await asyncio.shield(job)

        try:
            yield result
        finally:
            job.cancel()

    async def _rest(self, execution: Execution, fresh: tuple[Event, ...] = ()) -> int:
        """Publish all events of a state beyond ``published``; up to which number all are."""
        if self.bus is None:
            return execution.published
        upto = execution.published
        try:
            async with asyncio.timeout(self.seconds):
                if fresh and fresh[0].seq <= upto + 1:
                    await self.bus.publish(execution.id, fresh)
                    return fresh[-1].seq
                while upto < execution.last_event:
                    events = await self.store.events(execution.id, after=upto)
                    if not events:
                        break
                    await self.bus.publish(execution.id, events)
                    upto = events[-1].seq
        except TimeoutError:
            log.warning("events of %s from %d on follow later: too slow", execution.id, upto + 1)
        except StoreError as error:
            log.warning("events of %s from %d on follow later: %s", execution.id, upto + 1, error)
        except Exception:  # whatever it is, a run must not fail for it
            log.exception("events of %s from %d on follow later", execution.id, upto + 1)
        return upto
