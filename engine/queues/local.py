"""The local queue and dispatcher: the semantics of a task queue for one machine.

At least once, named-task dedupe with tombstones, exponential backoff, retry counts, a limit of
attempts, and limits of concurrency. Tasks are kept in a SQLite file, so a killed process loses
none; and since every task is a function of an Execution's state, a lost file loses none either.

A dispatcher works for the Executions that it holds a file lock on. The operating system frees the
lock of a killed process, and whoever takes it next knows that the leases left behind are void: it
delivers those tasks again with a higher retry count. Beyond one machine the answer is Cloud Tasks.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engine.deliverables import Kind
from engine.execution import ExecutionId, Task, TaskKind
from engine.ports import Delivery
from engine.stores.sqlite import connect, store_errors

LAYOUT = 1
TOMBSTONE_SECONDS = 24 * 3600

_SCHEMA = """
CREATE TABLE tasks (
  name TEXT PRIMARY KEY, execution TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL,
  redrive INTEGER NOT NULL, deliverable TEXT, retry INTEGER NOT NULL, due REAL NOT NULL,
  state TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tasks_by_execution ON tasks (execution, state, due);
"""

Handler = Callable[[Delivery], Awaitable[int]]
"""Takes a delivery and answers an HTTP status: 2xx ends the task, anything else retries it."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before a retry: doubling from ``first`` up to ``longest`` seconds."""

    first: float = 0.5
    longest: float = 30.0
    jitter: float = 0.2
    attempts: int = 8

    def delay(self, retry: int, rng: random.Random) -> float:
        """Seconds before the delivery with this retry count (1 for the first retry)."""
        base = min(self.first * 2 ** (retry - 1), self.longest)
        return float(base * (1 + rng.uniform(-self.jitter, self.jitter)))


SERVING = " (serve)"
"""What a process that serves all Executions writes behind its id into their locks."""


class QueueHeld(Exception):
    """Another process works on the Execution; ``serving`` if it does so for all of them."""

    def __init__(self, execution: str, holder: str) -> None:
        super().__init__(
            f"Execution {execution} is being worked on by process {holder}; "
            "follow it with `events`, or end that process and resume"
        )
        self.serving = holder.endswith(SERVING)


class LocalQueue:
    """Persistent tasks in ``folder``/queue.sqlite."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "queue.sqlite"
        self._db = connect(self._path, _SCHEMA, LAYOUT, "OFF")
        self._write(
            "DELETE FROM tasks WHERE state = 'done' AND due < ?", time.time() - TOMBSTONE_SECONDS
        )
        self.changed = asyncio.Event()
        self.serving = False

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _write(self, statement: str, *values: object) -> None:
        with store_errors(self._path):
            self._db.execute(statement, values)

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        """Put tasks into the queue; a name that was seen before is dropped."""
        now = time.time()
        self._db.executemany(
            "INSERT OR IGNORE INTO tasks VALUES (?,?,?,?,?,?,0,?,'queued')",
            [(t.name, t.execution, t.kind, t.number, t.redrive, t.deliverable, now) for t in tasks],
        )
        self.changed.set()

    def lease(
        self, executions: Iterable[ExecutionId], kind: TaskKind, limit: int
    ) -> list[tuple[Task, int]]:
        """Take tasks of a kind that are due, each with its retry count."""
        wanted = json.dumps(list(executions))
        with store_errors(self._path):
            rows = self._db.execute(
                "UPDATE tasks SET state = 'leased' WHERE name IN (SELECT name FROM tasks WHERE "
                "execution IN (SELECT value FROM json_each(?)) AND kind = ? AND state = 'queued' "
                "AND due <= ? ORDER BY due LIMIT ?) "
                "RETURNING execution, number, redrive, deliverable, retry",
                (wanted, kind, time.time(), limit),
            ).fetchall()
        return [
            (
                Task(
                    ExecutionId(execution),
                    kind,
                    number,
                    redrive,
                    Kind(deliverable) if deliverable else None,
                ),
                retry,
            )
            for execution, number, redrive, deliverable, retry in rows
        ]

    def finish(self, task: Task) -> None:
        """The task is done; its name stays as a tombstone."""
        self._write(
            "UPDATE tasks SET state = 'done', due = ? WHERE name = ?", time.time(), task.name
        )

    def again(self, task: Task, retry: int, delay: float) -> None:
        """Deliver the task again after a delay in seconds."""
        self._write(
            "UPDATE tasks SET state = 'queued', retry = ?, due = ? WHERE name = ?",
            *(retry, time.time() + delay, task.name),
        )
        self.changed.set()

    def recover(self, execution: ExecutionId) -> None:
        """Void the leases of a dead process: deliver those tasks again, as retries."""
        self._write(
            "UPDATE tasks SET state = 'queued', retry = retry + 1, due = ? "
            "WHERE execution = ? AND state = 'leased'",
            *(time.time(), execution),
        )

    def busy(self) -> set[ExecutionId]:
        """The Executions that have tasks to be delivered or being delivered."""
        with store_errors(self._path):
            rows = self._db.execute("SELECT DISTINCT execution FROM tasks WHERE state != 'done'")
            return {ExecutionId(row[0]) for row in rows}

    def next_due(self, executions: Iterable[ExecutionId]) -> float | None:
        """When the next queued task of these Executions is due, as a Unix time."""
        with store_errors(self._path):
            due: float | None = self._db.execute(
                "SELECT min(due) FROM tasks WHERE state = 'queued' AND "
                "execution IN (SELECT value FROM json_each(?))",
                (json.dumps(list(executions)),),
            ).fetchone()[0]
        return due

    def hold(self, execution: ExecutionId) -> IO[str]:
        """Take the file lock of an Execution. Raises QueueHeld with the holder's process id."""
        path = self.folder / "locks" / f"{execution}.lock"
        path.parent.mkdir(exist_ok=True)
        lock = path.open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise QueueHeld(execution, holder) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}{SERVING if self.serving else ''}")
        lock.flush()
        self.recover(execution)
        return lock


@dataclass
class LocalDispatcher:
    """Delivers the tasks of the Executions that it holds to a handler.

    ``turns`` and ``delegations`` limit how many run at once.
    """

    queue: LocalQueue
    handler: Handler
    turns: int = 8
    delegations: int = 8
    backoff: Backoff = Backoff()
    rng: random.Random = field(default_factory=random.Random)
    _locks: dict[ExecutionId, IO[str]] = field(default_factory=dict)
    _running: dict[asyncio.Task[None], tuple[Task, int]] = field(default_factory=dict)

    def hold(self, execution: ExecutionId) -> None:
        """Work on an Execution from now on. Raises QueueHeld."""
        if execution not in self._locks:
            self._locks[execution] = self.queue.hold(execution)

    def release(self, execution: ExecutionId) -> None:
        """Stop working on an Execution, so that another process may."""
        if lock := self._locks.pop(execution, None):
            lock.close()

    @property
    def held(self) -> tuple[ExecutionId, ...]:
        """The Executions that it works on."""
        return tuple(self._locks)

    @property
    def idle(self) -> bool:
        """Whether nothing runs and nothing is queued, now or later."""
        return not self._running and self.queue.next_due(self._locks) is None

    async def run(self, until: Callable[[], Awaitable[bool]]) -> None:
        """Deliver until ``until`` says so; it is asked whenever a delivery ended or time passed.

        On the way out running deliveries are canceled and their tasks stay in the queue.
        """
        try:
            while not await until():
                self.queue.changed.clear()
                self._start()
                await self._pause()
                self._reap()
        finally:
            await self._stop()

    def _start(self) -> None:
        for kind, limit in ((TaskKind.TURN, self.turns), (TaskKind.DELEGATION, self.delegations)):
            room = limit - sum(task.kind is kind for task, _ in self._running.values())
            if room > 0 and self._locks:
                for task, retry in self.queue.lease(self._locks, kind, room):
                    job = asyncio.create_task(self._deliver(task, retry))
                    self._running[job] = (task, retry)

    async def _deliver(self, task: Task, retry: int) -> None:
        last = retry + 1 >= self.backoff.attempts
        status = await self.handler(Delivery(task, retry, last))
        if 200 <= status < 300 or last:
            self.queue.finish(task)
        else:
            self.queue.again(task, retry + 1, self.backoff.delay(retry + 1, self.rng))

    async def _pause(self) -> None:
        """Wait until a delivery ends, a task arrives, or the next one is due."""
        due = self.queue.next_due(self._locks)
        wait = 0.25 if due is None else min(max(due - time.time(), 0.001), 0.25)
        arrival = asyncio.create_task(self.queue.changed.wait())
        await asyncio.wait(
            [arrival, *self._running], timeout=wait, return_when=asyncio.FIRST_COMPLETED
        )
        arrival.cancel()

    def _reap(self) -> None:
        for job in [job for job in self._running if job.done()]:
            del self._running[job]
            job.result()

    async def _stop(self) -> None:
        for job in self._running:
            job.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for job, (task, retry) in self._running.items():
            if job.cancelled():
                self.queue.again(task, retry + 1, 0)
        self._running.clear()
        for execution in self.held:
            self.release(execution)
