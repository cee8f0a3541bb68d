"""Workload W on the Firestore emulator beside a bare writer of the same documents; makespan.

The bare writer sends the same commits by the same generated client: no model, no rule, no read, no
precondition but that a document exists or does not. It shares the process and the emulator.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import Any

from google.cloud.firestore_v1.types import firestore as messages

from agents.fake_runtime import FakeRuntime, ScriptedTeam
from engine import lifecycle
from engine.deliverables import SPECS, Kind, Pillar
from engine.execution import ExecutionId, Mode, SessionId, Task
from engine.ports import Delivery, SystemClock
from engine.runs import OK, Runs
from engine.service import Executions
from engine.stores.firestore import EMULATOR, FirestoreStore
from functions.emulators import Emulator, EmulatorKind, EmulatorMissing
from tests.benchmarks.workload import TEXT, AnyEngine, contents
from tests.support.firestore_wire import Wire
from tests.support.team import make_runs

ROUNDS = 16
DELEGATION_SECONDS = 0.5
RECORDED = "RECORDED"


class Recorder(Wire):
    """Notes each commit that is made."""

    def __init__(self, store: FirestoreStore) -> None:
        super().__init__(store)
        self.commits: list[bytes] = []

    async def commit(self, request: Any, **call: Any) -> Any:
        """Note it, and apply it."""
        self.commits.append(messages.CommitRequest.serialize(request))
        return await super().commit(request, **call)


async def bare(store: FirestoreStore, commits: Iterable[bytes], id: str) -> None:
    """Write the same documents under another id."""
    client = store.database.client()
    for commit in commits:
        request = messages.CommitRequest.deserialize(commit)
        raw = messages.CommitRequest.pb(request)
        for write in raw.writes:
            write.update.name = write.update.name.replace(RECORDED, id)
            if write.current_document.HasField("update_time"):
                write.current_document.exists = True
        await client.commit(request, **store.database._call())


async def timed(number: int, job: Callable[[str], Awaitable[Any]], name: str) -> list[float]:
    """Seconds and CPU seconds an Execution, with so many at once."""
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(job(f"{name}-{n}") for n in range(number)))
    return [
        (time.perf_counter() - wall) / number,
        (time.process_time() - cpu) / number,
    ]


async def beside_bare() -> None:
    """Ours and bare, alternately, 1, 8 and 32 at once."""
    recorded = FirestoreStore("bench")
    recorder = Recorder(recorded)
    await AnyEngine(recorded).whole(RECORDED)
    print(
        f"workload W on the Firestore emulator: {len(recorder.commits)} commits, "
        f"{recorder.writes} documents written, {recorder.reads} read"
    )
    store = FirestoreStore("bench")
    engine = AnyEngine(store)

    async def write(id: str) -> None:
        await bare(store, recorder.commits, id)

    await timed(4, engine.whole, "warm")
    await timed(4, write, "warm-bare")
    for number in (1, 8, 32):
        ours, other = [], []
        for turn in range(max(2, ROUNDS // number)):
            ours.append(await timed(number, engine.whole, f"o{number}-{turn}"))
            other.append(await timed(number, write, f"b{number}-{turn}"))
        (wall, cpu), (bare_wall, bare_cpu) = (
            [statistics.median(column) for column in zip(*rows, strict=True)]
            for rows in (ours, other)
        )
        print(
            f"  {number:>2} at once: ours {1 / wall:6.1f} Executions/s (CPU {cpu * 1000:5.1f} ms)  "
            f"bare {1 / bare_wall:6.1f} (CPU {bare_cpu * 1000:6.1f} ms)   "
            f"ratio {wall / bare_wall:5.2f}"
        )
    await store.close()
    await recorded.close()


class AtOnce:
    """Carries out each task as soon as it is enqueued."""

    def __init__(self) -> None:
        self.runs: Runs | None = None
        self.seen: set[str] = set()
        self.jobs: set[asyncio.Task[None]] = set()

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        """Start tasks that are new."""
        for task in tasks:
            if task.name not in self.seen:
                self.seen.add(task.name)
                job = asyncio.create_task(self._carry_out(task))
                self.jobs.add(job)
                job.add_done_callback(self.jobs.discard)

    async def _carry_out(self, task: Task) -> None:
        retry = 0
        while self.runs is not None and await self.runs.handle(Delivery(task, retry)) != OK:
            retry += 1
            await asyncio.sleep(0.05)


@cache
def longest(kind: Kind, pillars_at_once: int) -> float:
    """Delegations one after another on the longest path that ends with a Deliverable."""
    own = 1.0
    if kind is Kind.DESIGN_RECOMMENDATIONS:
        own += -(-len(Pillar) // pillars_at_once)
    before = SPECS[kind].depends_on
    return own + max((longest(k, pillars_at_once) for k in before), default=0.0)


async def makespan() -> None:
    """One Execution whose Delegations take a fixed time, beside the critical path."""
    store, queue, clock = FirestoreStore("bench"), AtOnce(), SystemClock()
    team = ScriptedTeam(contents, seconds=DELEGATION_SECONDS)
    queue.runs = make_runs(store, queue, clock, FakeRuntime(default=team, keep_runs=False))
    at_once = queue.runs.settings.pillars_at_once
    path = max(longest(kind, at_once) for kind in Kind) * DELEGATION_SECONDS
    request = lifecycle.StartRequest(
        id=ExecutionId("makespan"),
        session_id=SessionId("s"),
        owner="ann",
        request=TEXT,
        mode=Mode.PRE_APPROVED,
    )
    started = time.perf_counter()
    await Executions(store, queue, clock).start(request)
    while queue.jobs:
        await asyncio.wait(queue.jobs)
    taken = time.perf_counter() - started
    state = await store.load(request.id)
    print(
        f"makespan with Delegations of {DELEGATION_SECONDS} s: {taken:.2f} s ({state.status}), "
        f"critical path {path:.2f} s, ratio {taken / path:.3f}"
    )
    await store.close()


def bench() -> None:
    """All of it, on an emulator of its own."""
    try:
        emulator = Emulator.launch(EmulatorKind.FIRESTORE).wait()
    except EmulatorMissing as missing:
        print(missing)
        return
    before = os.environ.get(EMULATOR)
    os.environ[EMULATOR] = emulator.host
    try:
        asyncio.run(beside_bare())
        asyncio.run(makespan())
    finally:
        os.environ.pop(EMULATOR)
        if before is not None:
            os.environ[EMULATOR] = before
        emulator.stop()
