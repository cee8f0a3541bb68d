"""What doors do to Executions: start, answer, decide, cancel, resume. Commit first, then enqueue.

A door holds no state: every call loads, commits through the store, enqueues what is due and
publishes what happened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from engine import lifecycle, waits
from engine.commits import Commits, Committed
from engine.decisions import Decision
from engine.execution import Execution, ExecutionError, ExecutionId, due_tasks
from engine.ports import Clock, EventBus, ExecutionStore, TaskQueue
from engine.waits import DecisionRefused


@dataclass
class Executions:
    """Commands of people and programs on Executions."""

    store: ExecutionStore
    queue: TaskQueue
    clock: Clock
    bus: EventBus | None = None

    def __post_init__(self) -> None:
        self._commits = Commits(self.store, self.queue, self.clock, self.bus)

    async def start(self, request: lifecycle.StartRequest) -> Execution:
        """Start an Execution. Raises AlreadyExists."""
        request = request.having(publishes=self.bus is not None)
        created = await self._commits.create(lifecycle.start(request, self.clock.now()))
        return await self._drive(created)

    async def answer(
        self, execution: ExecutionId, answers: Mapping[str, str], by: str
    ) -> Execution:
        """Answer questions by id. Raises AnswerRefused or Finished."""
        now = self.clock.now()
        return await self._drive(
            await self._commits.commit(execution, lambda e: waits.answer(e, answers, by, now))
        )

    async def decide(self, execution: ExecutionId, decision: Decision, by: str) -> Execution:
        """Decide what is waited for. Raises DecisionRefused, which is recorded, or Finished."""
        now = self.clock.now()
        try:
            after = await self._commits.commit(
                execution, lambda e: waits.decide(e, decision, by, now)
            )
        except DecisionRefused as refusal:
            reason = str(refusal)
            refused = await self._commits.commit(
                execution, lambda e: waits.record_refusal(e, decision.wait, by, reason, now)
            )
            await self._commits.publish(refused)
            raise
        return await self._drive(after)

    async def tell(self, execution: ExecutionId, text: str, by: str) -> Execution:
        """Keep something that the user said; it decides nothing. Raises Finished."""
        now = self.clock.now()
        return await self.store.transact(execution, lambda e: waits.tell(e, text, by, now))

    async def cancel(self, execution: ExecutionId, by: str) -> Execution:
        """End it at the user's wish. Raises Finished."""
        now = self.clock.now()
        return await self._drive(
            await self._commits.commit(execution, lambda e: lifecycle.cancel(e, by, now))
        )

    async def void_claims(self, execution: ExecutionId) -> None:
        """Let go of claims whose holder is known to be gone."""
        now = self.clock.now()
        with contextlib.suppress(ExecutionError):
            await self.store.transact(execution, lambda e: lifecycle.void_claims(e, now))

    async def resume(self, execution: ExecutionId, *, redrive: bool = False) -> Execution:
        """Make sure that everything due is in flight; with ``redrive`` under new task names.

        New names are for a queue that dropped a task after its last attempt and still knows its
        name. Waiting and terminal Executions are returned as they are.
        """
        current = Committed(await self.store.load(execution))
        if redrive and due_tasks(current.execution):
            now = self.clock.now()
            try:
                current = await self._commits.commit(execution, lambda e: lifecycle.redrive(e, now))
            except ExecutionError:
                current = Committed(await self.store.load(execution))
        return await self._drive(current)

    async def _drive(self, committed: Committed) -> Execution:
        await self._commits.follow(committed)
        return committed.execution
