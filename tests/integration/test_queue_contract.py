"""The contract of a TaskQueue with its dispatcher; every queue passes it.

1. A task is delivered at least once, and no more once its handler answered 2xx.
2. A name that was seen is dropped, also after the task is done (tombstone).
3. A failure is delivered again after a backoff, with a higher retry count; the last attempt is
   marked, and then the task is dropped.
4. No more than the allowed number runs at once.
5. A killed process loses no task: what it had begun comes again as a retry.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.deliverables import Kind
from engine.execution import ExecutionId, Task, TaskKind
from engine.ports import Delivery
from engine.queues.local import Backoff, LocalDispatcher, LocalQueue, QueueHeld

E1, E2 = ExecutionId("e1"), ExecutionId("e2")
FAST = Backoff(first=0.01, longest=0.04, jitter=0.0, attempts=4)


def turn(number: int, execution: ExecutionId = E1, redrive: int = 0) -> Task:
    return Task(execution, TaskKind.TURN, number, redrive)


def delegation(number: int, kind: Kind = Kind.REQUIREMENTS) -> Task:
    return Task(E1, TaskKind.DELEGATION, number, 0, kind)


class Recorder:
    """A handler that answers from a script and remembers its deliveries."""

    def __init__(self, *statuses: int, seconds: float = 0.0) -> None:
        self.statuses = list(statuses)
        self.seconds = seconds
        self.seen: list[Delivery] = []
        self.running = 0
        self.most = 0

    async def __call__(self, delivery: Delivery) -> int:
        self.seen.append(delivery)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(self.seconds)
        self.running -= 1
        return self.statuses.pop(0) if self.statuses else 200


async def drain(dispatcher: LocalDispatcher, seconds: float = 5.0) -> None:
    """Run until nothing is queued and nothing runs."""
    limit = time.monotonic() + seconds

    async def done() -> bool:
        assert time.monotonic() < limit, "the queue did not drain"
        return dispatcher.queue.next_due(dispatcher.held) is None and not dispatcher._running

    await dispatcher.run(done)


def dispatcher(queue: LocalQueue, handler: Recorder, **more: int) -> LocalDispatcher:
    made = LocalDispatcher(queue, handler, backoff=FAST, rng=random.Random(1), **more)
    made.hold(E1)
    return made


@pytest.fixture
def queue(tmp_path: Path):
    made = LocalQueue(tmp_path)
    yield made
    made.close()


async def test_a_task_is_delivered_whole_and_once(queue: LocalQueue) -> None:
    handler = Recorder()
    tasks = [turn(1), delegation(2, Kind.ARCHITECTURE_DIAGRAM)]
    await queue.enqueue(tasks)
    await drain(dispatcher(queue, handler))
    assert sorted((d.task for d in handler.seen), key=lambda t: t.name) == sorted(
        tasks, key=lambda t: t.name
    )
    assert {(d.retry, d.last) for d in handler.seen} == {(0, False)}


async def test_a_name_is_taken_once_also_after_it_is_done(queue: LocalQueue) -> None:
    handler = Recorder()
    await queue.enqueue([turn(1), turn(1)])
    await queue.enqueue([turn(1)])
    await drain(dispatcher(queue, handler))
    await queue.enqueue([turn(1)])
    await drain(dispatcher(queue, handler))
    assert len(handler.seen) == 1
    await queue.enqueue([turn(1, redrive=1)])
    await drain(dispatcher(queue, handler))
    assert len(handler.seen) == 2


async def test_failures_come_again_with_a_higher_retry_count(queue: LocalQueue) -> None:
    handler = Recorder(503, 409)
    await queue.enqueue([turn(1)])
    await drain(dispatcher(queue, handler))
    assert [d.retry for d in handler.seen] == [0, 1, 2]


async def test_the_last_attempt_is_marked_and_then_the_task_is_dropped(queue: LocalQueue) -> None:
    handler = Recorder(503, 503, 503, 503, 503)
    await queue.enqueue([turn(1)])
    await drain(dispatcher(queue, handler))
    assert [(d.retry, d.last) for d in handler.seen] == [
        (0, False),
        (1, False),
        (2, False),
        (3, True),
    ]


def test_the_backoff_doubles_up_to_its_longest() -> None:
    backoff = Backoff(first=1, longest=5, jitter=0.0)
    rng = random.Random(0)
    assert [backoff.delay(n, rng) for n in (1, 2, 3, 4, 9)] == [1, 2, 4, 5, 5]
    jittered = {Backoff(first=1, jitter=0.5).delay(1, rng) for _ in range(20)}
    assert len(jittered) > 10
    assert all(0.5 <= d <= 1.5 for d in jittered)


async def test_no_more_than_allowed_runs_at_once(queue: LocalQueue) -> None:
    handler = Recorder(seconds=0.01)
    await queue.enqueue([delegation(n) for n in range(12)])
    await drain(dispatcher(queue, handler, delegations=3))
    assert len(handler.seen) == 12
    assert handler.most == 3


async def test_only_the_executions_held_are_worked_on(queue: LocalQueue) -> None:
    handler = Recorder()
    await queue.enqueue([turn(1), turn(1, E2)])
    await drain(dispatcher(queue, handler))
    assert [d.task.execution for d in handler.seen] == [E1]


async def test_a_stopped_dispatcher_leaves_its_work_as_a_retry(queue: LocalQueue) -> None:
    slow = Recorder(seconds=60)
    await queue.enqueue([turn(1)])
    first = dispatcher(queue, slow)

    async def started() -> bool:
        return bool(slow.seen)

    await first.run(started)
    again = Recorder()
    await drain(dispatcher(queue, again))
    assert [d.retry for d in again.seen] == [1]


async def test_two_dispatchers_do_not_share_an_execution(queue: LocalQueue) -> None:
    first = dispatcher(queue, Recorder())
    with pytest.raises(QueueHeld, match="being worked on by process"):
        LocalDispatcher(queue, Recorder()).hold(E1)
    first.release(E1)
    second = LocalDispatcher(queue, Recorder())
    second.hold(E1)
    assert second.held == (E1,)
    second.release(E1)


async def test_a_killed_process_loses_no_task(tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys\n"
        "from engine.queues.local import *\n"
        "from engine.execution import *\n"
        "async def handler(delivery):\n"
        "    print('begun', flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "async def main():\n"
        "    queue = LocalQueue(pathlib.Path(sys.argv[1]))\n"
        "    await queue.enqueue([Task('e1', TaskKind.TURN, 1, 0)])\n"
        "    d = LocalDispatcher(queue, handler)\n"
        "    d.hold('e1')\n"
        "    async def never(): return False\n"
        "    await d.run(never)\n"
        "asyncio.run(main())\n"
    )
    job = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert job.stdout is not None
    assert job.stdout.readline().strip() == "begun"
    queue = LocalQueue(tmp_path)
    with pytest.raises(QueueHeld, match=str(job.pid)):
        LocalDispatcher(queue, Recorder()).hold(E1)
    job.kill()
    job.wait()
    job.stdout.close()
    handler = Recorder()
    await drain(dispatcher(queue, handler))
    assert [(d.task.name, d.retry) for d in handler.seen] == [("e1-turn-1-0", 1)]
    queue.close()
