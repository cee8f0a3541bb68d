"""The embedded default: everything in one process, on a SQLite store and the local queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.execution import Event, Execution, ExecutionId, due_tasks
from engine.ports import Clock, ExecutionStore, SystemClock
from engine.queues.local import LocalDispatcher, LocalQueue
from engine.runs import Runs
from engine.service import Executions
from engine.stores.sqlite import SqliteStore
from functions.settings import Settings

Watch = Callable[[Execution, Sequence[Event]], None]
"""Called with the state and the events since the last call, also when there are none."""


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
        """Make sure that everything due is in flight, under new names."""
        return await self.executions.resume(execution, redrive=True)

    async def close(self) -> None:
        """Close both files."""
        self.queue.close()
        self.store.close()

    async def drive(self, runs: Runs, execution: ExecutionId, watch: Watch) -> Execution:
        """Work on an Execution until it ends or waits for a person with nothing in flight.

        Raises QueueHeld when another process works on it.
        """
        dispatcher = LocalDispatcher(
            self.queue, runs.handle, delegations=self.settings.delegations_at_once
        )
        dispatcher.hold(execution)
        seen = 0
        state = await self.executions.resume(execution)

        async def settled() -> bool:
            nonlocal seen, state
            state = await self.store.load(execution)
            events = await self.store.events(execution, after=seen)
            seen += len(events)
            watch(state, events)
            return state.status.terminal or (state.wait is not None and not due_tasks(state))

        await dispatcher.run(settled)
        return state
