"""The task server keeps to the rules of the service that it stands in for.

What else it does (tombstones, retries, headers, faults) is held by ``test_queue_contract.py`` and
``test_cloud_tasks.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import httpx
import pytest
from google.api_core import exceptions
from google.cloud import tasks_v2

from engine.queues.cloud_tasks import CloudTasksQueue, CloudTasksSettings, Target, connect
from functions.callers import CallerRules, Certificates, verify
from tests.support.push_queue import Bucket, backoff
from tests.support.queue_harness import (
    ACCOUNT,
    QUEUES,
    CloudTasksHarness,
    Recorder,
    cloud_tasks_harness,
    delegation,
    reached,
    turn,
)
from tests.support.task_server import queue_rules


@pytest.fixture
async def harness() -> AsyncIterator[CloudTasksHarness]:
    async with cloud_tasks_harness() as made:
        yield made


async def test_a_paused_queue_keeps_tasks_and_a_purged_one_forgets_them(
    harness: CloudTasksHarness,
) -> None:
    handler = Recorder()
    await harness.start(handler)
    name = f"{QUEUES}/turns"
    paused = await harness.client.pause_queue(tasks_v2.PauseQueueRequest(name=name))
    assert paused.state == tasks_v2.Queue.State.PAUSED
    await harness.queue.enqueue([turn(1), delegation(1)])
    await reached(lambda: len(handler.seen) == 1, "the delegation")
    await harness.client.purge_queue(tasks_v2.PurgeQueueRequest(name=name))
    await harness.client.resume_queue(tasks_v2.ResumeQueueRequest(name=name))
    await harness.queue.enqueue([turn(1), turn(2)])
    await harness.drained()
    assert [d.task for d in handler.seen] == [delegation(1), turn(2)]


def test_backoff_doubles_then_grows_linearly_up_to_its_longest() -> None:
    config = queue_rules("q", first_backoff=1, longest_backoff=300).retry_config
    config.max_doublings = 3
    assert [backoff(config, n) for n in range(1, 8)] == [1, 2, 4, 8, 16, 24, 32]
    config.max_backoff = timedelta(seconds=10)
    assert [backoff(config, n) for n in (4, 5, 99)] == [8, 10, 10]


def test_the_bucket_lets_a_burst_go_and_then_its_rate() -> None:
    bucket = Bucket(rate=2, burst=3)
    assert [bucket.wait(0.0) for _ in range(4)] == [0, 0, 0, 0.5]
    assert bucket.wait(0.25) == 0.25
    assert bucket.wait(0.5) == 0
    assert [bucket.wait(100.0) for _ in range(4)] == [0, 0, 0, 0.5]


async def test_a_rate_limit_holds_tasks_back_and_loses_none(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    harness.server.queues[f"{QUEUES}/delegations"].configure(
        queue_rules(f"{QUEUES}/delegations", rate=50, burst=1)
    )
    await harness.start(handler)
    await harness.queue.enqueue([delegation(n) for n in range(6)])
    await harness.drained()
    assert len(handler.seen) == 6


async def test_retries_end_only_when_duration_and_attempts_are_used_up(
    harness: CloudTasksHarness,
) -> None:
    rules = queue_rules(f"{QUEUES}/turns", max_attempts=2, longest_backoff=50)
    rules.retry_config.max_retry_duration = timedelta(seconds=200)
    harness.server.queues[f"{QUEUES}/turns"].configure(rules)
    handler = Recorder(*[503] * 99)
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert len(handler.seen) > 2
    assert harness.server.counts["dropped"] == 1


# -- The API -------------------------------------------------------------------------------


def _task(name: str = f"{QUEUES}/turns/tasks/x", **more: object) -> tasks_v2.CreateTaskRequest:
    request = tasks_v2.HttpRequest(url="http://127.0.0.1:1/")
    task = tasks_v2.Task({"name": name, "http_request": request} | more)
    return tasks_v2.CreateTaskRequest(parent=f"{QUEUES}/turns", task=task)


@pytest.mark.parametrize(
    "request_",
    [
        _task(f"{QUEUES}/turns/tasks/a.b"),
        _task(f"{QUEUES}/turns/tasks/{'x' * 501}"),
        _task(f"{QUEUES}/delegations/tasks/x"),
        _task(dispatch_deadline=timedelta(seconds=14)),
        _task(dispatch_deadline=timedelta(minutes=31)),
        _task(http_request=tasks_v2.HttpRequest(url="ftp://x")),
        _task(http_request=tasks_v2.HttpRequest(url="http://x", body=b"x" * 1_048_577)),
    ],
    ids=range(7),
)
async def test_what_the_service_would_refuse_is_refused(
    harness: CloudTasksHarness, request_: tasks_v2.CreateTaskRequest
) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        await harness.client.create_task(request_)


async def test_a_task_without_a_name_gets_one_and_can_be_deleted(
    harness: CloudTasksHarness,
) -> None:
    made = [await harness.client.create_task(_task("")) for _ in range(2)]
    assert made[0].name != made[1].name
    assert made[0].dispatch_deadline == timedelta(minutes=10)
    await harness.client.delete_task(tasks_v2.DeleteTaskRequest(name=made[0].name))
    with pytest.raises(exceptions.NotFound):
        await harness.client.get_task(tasks_v2.GetTaskRequest(name=made[0].name))
    assert (await harness.client.get_task(tasks_v2.GetTaskRequest(name=made[1].name))) == made[1]
    with pytest.raises(exceptions.AlreadyExists):
        await harness.client.create_task(_task(made[0].name))


async def test_a_task_for_later_waits_until_it_is_run(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    later = datetime.now(UTC) + timedelta(hours=1)
    url = harness.settings.turns.url
    request = tasks_v2.HttpRequest(
        url=url, body=b'{"execution":"e1","kind":"turn","number":1,"redrive":0}'
    )
    made = await harness.client.create_task(_task(schedule_time=later, http_request=request))
    await harness.queue.enqueue([turn(2)])
    await reached(lambda: len(handler.seen) == 1, "the other task")
    await harness.client.run_task(tasks_v2.RunTaskRequest(name=made.name))
    await harness.drained()
    assert [d.task for d in handler.seen] == [turn(2), turn(1)]


async def test_queues_are_made_once(harness: CloudTasksHarness) -> None:
    request = tasks_v2.CreateQueueRequest(
        parent="projects/p/locations/l", queue=tasks_v2.Queue(name=f"{QUEUES}/more")
    )
    made = await harness.client.create_queue(request)
    assert made.state == tasks_v2.Queue.State.RUNNING
    assert made.retry_config.max_attempts == 100
    assert await harness.client.get_queue(tasks_v2.GetQueueRequest(name=made.name)) == made
    with pytest.raises(exceptions.AlreadyExists):
        await harness.client.create_queue(request)
    with pytest.raises(exceptions.NotFound):
        await harness.client.get_queue(tasks_v2.GetQueueRequest(name=f"{QUEUES}/none"))


async def test_a_name_is_free_again_when_its_tombstone_is_gone(
    harness: CloudTasksHarness,
) -> None:
    handler = Recorder()
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    tombstones = harness.server.queues[f"{QUEUES}/turns"].tombstones
    assert len(tombstones) == 1
    tombstones.update(dict.fromkeys(tombstones, 0.0))
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert len(handler.seen) == 2


# -- As a process of its own ---------------------------------------------------------------


@contextlib.asynccontextmanager
async def _process(*arguments: str) -> AsyncIterator[SimpleNamespace]:
    job = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.task_server", *arguments),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert job.stdout is not None
        async with asyncio.timeout(60):
            ready = json.loads(await job.stdout.readline())
        yield SimpleNamespace(job=job, **ready)
    finally:
        with contextlib.suppress(ProcessLookupError):
            job.kill()
        await job.communicate()


async def test_it_runs_as_a_process_and_ends_when_told(harness: CloudTasksHarness) -> None:
    # The door is the harness's; queue and issuer are those of the other process.
    handler = Recorder(503)
    await harness.start(handler)
    name = f"{QUEUES}/other"
    async with _process("--queue", name, "--scale", "0.01", "--duplicates", "1") as server:
        client = connect(server.grpc)
        target = Target(name, harness.settings.turns.url, ACCOUNT, "https://door.example")
        await CloudTasksQueue(client, CloudTasksSettings(target, target)).enqueue([turn(1)])
        async with httpx.AsyncClient(trust_env=False) as http:

            async def stats() -> dict[str, object]:
                found: dict[str, object] = (await http.get(f"{server.http}/stats")).json()
                return found

            async with asyncio.timeout(30):
                while not (now := await stats())["idle"]:
                    await asyncio.sleep(0.02)
            assert now["queued"] == {name: 0}
            token = await http.get(
                f"{server.http}/token", params={"email": "ann@example.com", "audience": "x"}
            )
            assert (await http.get(f"{server.http}/token")).status_code == 400
        certificates = Certificates(server.certs)
        rules = CallerRules(frozenset({"x"}), None, frozenset({server.issuer}))
        caller = await verify(f"Bearer {token.text}", rules, certificates)
        assert caller.email == "ann@example.com"
        certificates.close()
        await client.transport.close()
        server.job.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            assert await server.job.wait() == 0
    # Twice at once, and again if the answer that was heard is the 503.
    assert len(handler.seen) in (2, 4)
    assert {d.task for d in handler.seen} == {turn(1)}
