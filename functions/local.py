"""The embedded default: everything in one process, on a SQLite store and the local queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from engine.execution import Execution, ExecutionId
from engine.ports import Clock, ExecutionStore, SystemClock
from engine.queues.local import LocalDispatcher, LocalQueue, QueueHeld
from engine.runs import Runs
from engine.service import Executions
from engine.stores.sqlite import SqliteStore
from functions.following import Watch, at_rest, follow
from functions.settings import Settings

Drive = Callable[[ExecutionId, Watch], Awaitable[Execution]]
"""Works on an Execution, or follows the work, until it ends or waits for a person."""


class Backend(Protocol):
    """What the command line needs of a backend."""

    @property
    def store(self) -> ExecutionStore:
        """Where Executions are kept."""
        ...

    @property
    def executions(self) -> Executions:
        """What people may do to them."""
        ...

    async def resume(self, execution: ExecutionId) -> Execution:
        """Make sure that everything due is in flight, under new names where that is needed."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...


@dataclass
class Embedded:
    """The store, the queue and what people may do, for one state folder."""

    settings: Settings
    store: SqliteStore
    queue: LocalQueue
    executions: Executions

    @classmethod
    def open(cls, settings: Settings, clock: Clock | None = None) -> Embedded:
        """Open the state folder. Raises StoreError with one sentence when it cannot be used."""
        store = SqliteStore(settings.state / "executions.sqlite")
        queue = LocalQueue(settings.state)
        return cls(settings, store, queue, Executions(store, queue, clock or SystemClock()))

    async def resume(self, execution: ExecutionId) -> Execution:
        """Look only: nothing is touched before `drive` holds the Execution's lock."""
        return await self.store.load(execution)

    async def close(self) -> None:
        """Close both files."""
        self.queue.close()
        self.store.close()

    async def drive(self, runs: Runs, execution: ExecutionId, watch: Watch) -> Execution:
        """Work on an Execution until it ends or waits for a person with nothing in flight.

        Where a `serve` process works on it, this follows. Raises QueueHeld when another process
        does.
        """
        dispatcher = LocalDispatcher(
            self.queue, runs.handle, delegations=self.settings.delegations_at_once
        )
        try:
            dispatcher.hold(execution)
        except QueueHeld as held:
            if not held.serving:
                raise
            return await follow(self.store, execution, watch)
        seen = 0
        await self.executions.void_claims(execution)  # the lock says that their holder is gone
        state = await self.executions.resume(execution)

        async def settled() -> bool:
            nonlocal seen, state
            state = await self.store.load(execution)
            events = await self.store.events(execution, after=seen)
            seen += len(events)
            watch(state, events)
            if not at_rest(state) and dispatcher.idle:
                # The queue dropped what is due, after its last attempt or in an earlier process.
                await self.executions.resume(execution, redrive=True)
            return at_rest(state)

        await dispatcher.run(settled)
        return state
