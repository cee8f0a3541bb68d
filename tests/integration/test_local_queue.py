"""What is particular to the local queue: locks, one dispatcher an Execution, its backoff.

Its contract is in ``test_queue_contract.py``.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.execution import ExecutionId
from engine.queues.local import Backoff, LocalDispatcher, LocalQueue, QueueHeld
from tests.support.queue_harness import E1, LocalHarness, Recorder, local_harness, turn

E2 = ExecutionId("e2")


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[LocalHarness]:
    async with local_harness(tmp_path) as made:
        yield made


def test_the_backoff_doubles_up_to_its_longest() -> None:
    backoff = Backoff(first=1, longest=5, jitter=0.0)
    rng = random.Random(0)
    assert [backoff.delay(n, rng) for n in (1, 2, 3, 4, 9)] == [1, 2, 4, 5, 5]
    jittered = {Backoff(first=1, jitter=0.5).delay(1, rng) for _ in range(20)}
    assert len(jittered) > 10
    assert all(0.5 <= d <= 1.5 for d in jittered)


async def test_only_the_executions_held_are_worked_on(harness: LocalHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    await harness.queue.enqueue([turn(1), turn(1, E2)])
    await harness.drained()
    assert [d.task.execution for d in handler.seen] == [E1]


async def test_a_stopped_dispatcher_leaves_its_work_as_a_retry(harness: LocalHarness) -> None:
    slow = Recorder(seconds=60)
    await harness.queue.enqueue([turn(1)])
    first = LocalDispatcher(harness.queue, slow)
    first.hold(E1)

    async def started() -> bool:
        return bool(slow.seen)

    await first.run(started)
    again = Recorder()
    await harness.start(again)
    await harness.drained()
    assert [d.retry for d in again.seen] == [1]


async def test_two_dispatchers_do_not_share_an_execution(harness: LocalHarness) -> None:
    first = LocalDispatcher(harness.queue, Recorder())
    first.hold(E1)
    with pytest.raises(QueueHeld, match="being worked on by process"):
        LocalDispatcher(harness.queue, Recorder()).hold(E1)
    first.release(E1)
    second = LocalDispatcher(harness.queue, Recorder())
    second.hold(E1)
    assert second.held == (E1,)
    second.release(E1)


def test_the_holder_is_named_until_its_process_is_gone(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time\n"
        "from engine.queues.local import LocalQueue\n"
        "queue = LocalQueue(pathlib.Path(sys.argv[1]))\n"
        "lock = queue.hold('e1')\n"
        "print('held', flush=True)\n"
        "time.sleep(60)\n"
    )
    job = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert job.stdout is not None
    assert job.stdout.readline().strip() == "held"
    queue = LocalQueue(tmp_path)
    with pytest.raises(QueueHeld, match=str(job.pid)):
        queue.hold(E1)
    job.kill()
    job.wait()
    job.stdout.close()
    queue.hold(E1).close()
    queue.close()
