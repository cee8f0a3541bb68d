"""What no task finds by itself: stalled work, waits that lasted too long, events left behind.

One indexed field, ``stalls_at``, tells which Executions to look at. A sweep twice, or two at once,
does no harm: each looks again inside its transaction.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from engine import lifecycle
from engine.commits import Commits, Committed
from engine.execution import (
    Execution,
    ExecutionError,
    ExecutionId,
    GraphMismatch,
    Status,
    due_tasks,
    unpublished,
)
from engine.ports import Clock, EventBus, ExecutionStore, StoreError, TaskQueue

log = logging.getLogger(__name__)


@dataclass
class Swept:
    """What a sweep did, in numbers of Executions. ``left`` are those it could not help now."""

    found: int = 0
    redriven: int = 0
    expired: int = 0
    published: int = 0
    failed: int = 0
    left: int = 0


@dataclass
class Sweeper:
    """Sweeps a store. ``at_once`` Executions are worked on at the same time."""

    store: ExecutionStore
    queue: TaskQueue
    clock: Clock
    bus: EventBus | None = None
    at_once: int = 8

    def __post_init__(self) -> None:
        self._commits = Commits(self.store, self.queue, self.clock, self.bus)

    async def sweep(self, limit: int = 1000) -> Swept:
        """Look after at most ``limit`` Executions, the longest stalled first.

        Raises Unavailable when the store cannot be asked.
        """
        found = await self.store.stalled(self.clock.now(), limit)
        swept = Swept(found=len(found))
        slots = asyncio.Semaphore(self.at_once)

        async def one(id: ExecutionId) -> None:
            async with slots:
                try:
                    await self._one(id, swept)
                except StoreError as error:
                    swept.left += 1
                    log.warning("Execution %s is left to the next sweep: %s", id, error)

        await asyncio.gather(*map(one, found))
        return swept

    async def _one(self, id: ExecutionId, swept: Swept) -> None:
        execution = await self.store.load(id)
        now = self.clock.now()
        if execution.stalls_at is None or execution.stalls_at > now:
            return
        if due_tasks(execution) or execution.wait is not None:
            await self._revive(execution, swept)
        elif unpublished(execution):
            await self._publish(Committed(execution), swept)

    async def _revive(self, execution: Execution, swept: Swept) -> None:
        id, now = execution.id, self.clock.now()
        try:
            committed = await self._commits.commit(id, lambda e: lifecycle.sweep(e, now))
        except GraphMismatch as mismatch:
            reason = str(mismatch)
            committed = await self._commits.commit(id, lambda e: lifecycle.fail(e, reason, now))
            swept.failed += 1
        except ExecutionError:
            # It moved on meanwhile, or it waits for a person and only events are left behind.
            await self._publish(Committed(await self.store.load(id)), swept)
            return
        else:
            expired = committed.execution.status is Status.EXPIRED
            swept.expired += expired
            swept.redriven += not expired
            log.warning(
                "Execution %s is %s",
                id,
                "expired" if expired else "redriven",
                extra={"event": "expired" if expired else "redriven", "execution": id},
            )
        await self._commits.enqueue(committed)
        await self._publish(committed, swept)

    async def _publish(self, committed: Committed, swept: Swept) -> None:
        if self.bus is not None and unpublished(committed.execution):
            await self._commits.publish(committed, mark=True)
            swept.published += 1
