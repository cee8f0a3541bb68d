"""The contract of a TaskQueue with its dispatcher; every queue passes it.

1. A task is delivered at least once, and no more once its handler answered 2xx.
2. A name that was seen is dropped, also after the task is done (tombstone).
3. A failure is delivered again after a backoff, with a higher retry count; the last attempt is
   marked, and then the task is dropped.
4. No more than the allowed number runs at once, of Turns and of Delegations apart.
5. A killed process loses no task: what it had begun comes again as a retry.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.deliverables import Kind
from tests.support.queue_harness import (
    ATTEMPTS,
    QueueHarness,
    Recorder,
    cloud_tasks_harness,
    delegation,
    local_harness,
    turn,
)


@pytest.fixture(params=["local", "cloud_tasks"])
async def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[QueueHarness]:
    if request.param == "local":
        async with local_harness(tmp_path) as local:
            yield local
    else:
        async with cloud_tasks_harness() as cloud:
            yield cloud


async def test_a_task_is_delivered_whole_and_once(harness: QueueHarness) -> None:
    handler = Recorder()
    tasks = [turn(1), delegation(2, Kind.ARCHITECTURE_DIAGRAM)]
    await harness.start(handler)
    await harness.queue.enqueue(tasks)
    await harness.drained()
    assert sorted((d.task for d in handler.seen), key=lambda t: t.name) == sorted(
        tasks, key=lambda t: t.name
    )
    assert {(d.retry, d.last) for d in handler.seen} == {(0, False)}


async def test_nothing_enqueued_is_nothing_delivered(harness: QueueHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    await harness.queue.enqueue([])
    await harness.drained()
    assert handler.seen == []


async def test_a_name_is_taken_once_also_after_it_is_done(harness: QueueHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    await harness.queue.enqueue([turn(1), turn(1)])
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert len(handler.seen) == 1
    await harness.queue.enqueue([turn(1, redrive=1)])
    await harness.drained()
    assert [d.task for d in handler.seen] == [turn(1), turn(1, redrive=1)]


async def test_many_at_once_enqueue_the_same_task_once(harness: QueueHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    same = [turn(1), delegation(1)]
    await asyncio.gather(*(harness.queue.enqueue(same) for _ in range(8)))
    await harness.drained()
    assert len(handler.seen) == 2


@pytest.mark.parametrize("status", [503, 500, 409, 429, 401, 302])
async def test_every_answer_but_2xx_is_a_failure(harness: QueueHarness, status: int) -> None:
    handler = Recorder(status, 204)
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert [d.retry for d in handler.seen] == [0, 1]


async def test_failures_come_again_with_a_higher_retry_count(harness: QueueHarness) -> None:
    handler = Recorder(503, 409)
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert [(d.retry, d.task) for d in handler.seen] == [(0, turn(1)), (1, turn(1)), (2, turn(1))]


async def test_the_last_attempt_is_marked_and_then_the_task_is_dropped(
    harness: QueueHarness,
) -> None:
    handler = Recorder(*[503] * (ATTEMPTS + 1))
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert [(d.retry, d.last) for d in handler.seen] == [
        (0, False),
        (1, False),
        (2, False),
        (3, True),
    ]
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert len(handler.seen) == ATTEMPTS


async def test_no_more_than_allowed_runs_at_once(harness: QueueHarness) -> None:
    handler = Recorder(seconds=0.03)
    await harness.start(handler, turns=1, delegations=3)
    await harness.queue.enqueue([delegation(n) for n in range(12)])
    await harness.drained()
    assert len(handler.seen) == 12
    assert handler.most == 3
    turns = Recorder(seconds=0.03)
    await harness.start(turns, turns=1, delegations=3)
    await harness.queue.enqueue([turn(n) for n in range(3)])
    await harness.drained()
    assert (len(turns.seen), turns.most) == (3, 1)


async def test_turns_do_not_wait_for_delegations(harness: QueueHarness) -> None:
    handler = Recorder(seconds=0.05)
    await harness.start(handler, turns=1, delegations=1)
    await harness.queue.enqueue([delegation(1), delegation(2), turn(1)])
    await harness.drained()
    assert handler.most == 2


async def test_a_killed_process_loses_no_task(harness: QueueHarness) -> None:
    await harness.kill_while_running(turn(1))
    handler = Recorder()
    await harness.start(handler)
    await harness.drained()
    assert [(d.task, d.retry) for d in handler.seen] == [(turn(1), 1)]
