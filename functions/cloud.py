"""The serverless backend: Firestore, Cloud Tasks and Pub/Sub, from settings. Imports no agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine.events import pubsub
from engine.execution import Execution, ExecutionId
from engine.ports import Clock, EventBus, SystemClock, UnknownExecution
from engine.queues import cloud_tasks
from engine.queues.cloud_tasks import CloudTasksQueue, CloudTasksSettings, Target, WrongTarget
from engine.service import Executions
from engine.stores.firestore import FirestoreStore
from engine.sweeping import Sweeper
from functions.following import Watch, follow
from functions.settings import Settings, SettingsError

NEEDED = (
    "turn_queue",
    "delegation_queue",
    "turn_url",
    "delegation_url",
    "turn_account",
    "delegation_account",
)


def check(settings: Settings) -> CloudTasksSettings:
    """Where tasks go. Raises SettingsError, which names what is missing or wrong."""
    settings.need(*NEEDED)
    if settings.dispatch_seconds <= (settings.run_minutes + 1) * 60:
        raise SettingsError(
            "the setting SOLUTION_ARCHITECT_DISPATCH_SECONDS is wrong: it must be longer than a "
            f"claim, which lasts {(settings.run_minutes + 1) * 60:.0f} s with "
            f"SOLUTION_ARCHITECT_RUN_MINUTES={settings.run_minutes:g}"
        )
    if settings.events_topic:
        try:
            pubsub.check_topic(settings.events_topic)
        except pubsub.WrongTopic as wrong:
            raise SettingsError(
                f"the setting SOLUTION_ARCHITECT_EVENTS_TOPIC is wrong: {wrong}"
            ) from wrong
    try:
        return CloudTasksSettings(
            turns=_target(settings, settings.turn_queue, settings.turn_url, settings.turn_account),
            delegations=_target(
                settings,
                settings.delegation_queue,
                settings.delegation_url,
                settings.delegation_account,
            ),
        )
    except WrongTarget as wrong:
        raise SettingsError(f"a setting of the queues is wrong: {wrong}") from wrong


def _target(settings: Settings, queue: str | None, url: str | None, account: str | None) -> Target:
    return Target(
        queue=queue or "",
        url=url or "",
        service_account=account or "",
        audience=url or "",
        deadline=timedelta(seconds=settings.dispatch_seconds),
    )


@dataclass
class Cloud:
    """The adapters of one event loop, and what people may do through them."""

    settings: Settings
    store: FirestoreStore
    queue: CloudTasksQueue
    bus: EventBus | None
    executions: Executions
    clock: Clock
    _transports: Sequence[Any]

    @classmethod
    def open(cls, settings: Settings, clock: Clock | None = None) -> Cloud:
        """Open it for the running event loop. Raises SettingsError."""
        targets = check(settings)
        clock = clock or SystemClock()
        store = FirestoreStore(settings.project, settings.database)
        tasks = cloud_tasks.connect(settings.tasks_server)
        queue = CloudTasksQueue(tasks, targets)
        transports: list[Any] = [tasks.transport]
        bus: EventBus | None = None
        if settings.events_topic:
            publisher = pubsub.connect(settings.pubsub_emulator)
            transports.append(publisher.transport)
            bus = pubsub.PubSubBus(publisher, settings.events_topic)
        executions = Executions(store, queue, clock, bus)
        return cls(settings, store, queue, bus, executions, clock, transports)

    async def close(self) -> None:
        """Close the connections."""
        for transport in self._transports:
            await transport.close()
        await self.store.close()

    def sweeper(self) -> Sweeper:
        """What looks after stalled Executions."""
        return Sweeper(self.store, self.queue, self.clock, self.bus)

    async def ready(self) -> None:
        """Read from the store once. Raises StoreError when it cannot be reached."""
        try:
            await self.store.load(ExecutionId("readyz"))
        except UnknownExecution:
            return

    async def resume(self, execution: ExecutionId) -> Execution:
        """Make sure that what is due is in flight, under new names if it has stalled."""
        state = await self.store.load(execution)
        stalled = state.stalls_at is not None and state.stalls_at <= self.clock.now()
        return await self.executions.resume(execution, redrive=stalled)

    async def follow(self, execution: ExecutionId, watch: Watch) -> Execution:
        """Watch until it ends or waits for a person; the work is done elsewhere."""
        return await follow(self.store, execution, watch)
