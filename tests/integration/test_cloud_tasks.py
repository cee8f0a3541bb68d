"""What is particular to Cloud Tasks: names, requests, headers, faults of delivery and of the API.

The contract that it shares with the local queue is in ``test_queue_contract.py``; who may call is
in ``test_callers.py``. All of it runs over a real gRPC channel and real HTTP.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import grpc
import pytest
from google.auth import jwt
from google.cloud import tasks_v2

from engine import lifecycle
from engine.deliverables import Kind
from engine.execution import EventType, ExecutionId, Mode, SessionId, Status, Task, TaskKind
from engine.ports import Delivery, SystemClock, Unavailable
from engine.queues.cloud_tasks import (
    CloudTasksQueue,
    QueueRefused,
    Target,
    WrongTarget,
    connect,
    task_id,
)
from engine.queues.wire import TRACEPARENT
from engine.service import Executions
from engine.stores.memory import MemoryStore
from tests.support.queue_harness import (
    ACCOUNT,
    E1,
    QUEUES,
    CloudTasksHarness,
    Recorder,
    cloud_tasks_harness,
    delegation,
    reached,
    turn,
)
from tests.support.task_server import ApiFault
from tests.support.team import make_runs

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNAVAILABLE, DEADLINE = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.fixture
async def harness() -> AsyncIterator[CloudTasksHarness]:
    async with cloud_tasks_harness() as made:
        yield made


# -- Names ---------------------------------------------------------------------------------


def test_a_name_is_stable_begins_with_a_hash_and_can_be_read() -> None:
    name = task_id(delegation(2))
    assert name == task_id(delegation(2))
    assert re.fullmatch(r"[0-9a-f]{20}-e1-requirements-2-0", name)


def test_names_in_sequence_share_no_prefix() -> None:
    names = [task_id(turn(n)) for n in range(200)]
    assert len({name[:4] for name in names}) > 190


def test_names_keep_to_the_services_alphabet_and_length() -> None:
    odd = [ExecutionId("a/b:c"), ExecutionId("a-b-c"), ExecutionId("é" * 600)]
    names = [task_id(turn(1, id)) for id in odd]
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,500}", name) for name in names)


# -- Targets -------------------------------------------------------------------------------

TARGET = Target(f"{QUEUES}/turns", "https://turn.example", ACCOUNT, "https://turn.example")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"queue": "turns"}, "'turns' is no queue"),
        ({"queue": f"{QUEUES}/turns/tasks/x"}, "is no queue"),
        ({"url": "turn.example"}, "cannot be sent to 'turn.example'"),
        ({"service_account": ""}, "need a service account"),
        ({"audience": ""}, "need a service account and an audience"),
        ({"deadline": timedelta(seconds=14)}, "0:00:14 is outside"),
        ({"deadline": timedelta(minutes=31)}, "15 seconds to 30 minutes"),
    ],
    ids=str,
)
def test_a_target_that_cannot_work_is_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(WrongTarget, match=says):
        replace(TARGET, **wrong)  # type: ignore[arg-type]


# -- The request ---------------------------------------------------------------------------


async def test_a_task_in_the_queue_is_what_was_asked_for(harness: CloudTasksHarness) -> None:
    # No door is up, so both tasks stay.
    await harness.queue.enqueue([turn(1), delegation(1)])
    for kind, task in (("turns", turn(1)), ("delegations", delegation(1))):
        (found,) = await _tasks(harness, kind)
        target = harness.settings.target(task.kind)
        assert found.name == f"{QUEUES}/{kind}/tasks/{task_id(task)}"
        assert found.dispatch_deadline == target.deadline == timedelta(minutes=30)
        assert found.http_request.http_method == tasks_v2.HttpMethod.POST
        assert found.http_request.url == target.url
        assert found.http_request.oidc_token.service_account_email == ACCOUNT
        assert found.http_request.oidc_token.audience == target.audience
        assert set(json.loads(found.http_request.body)) <= {
            *("execution", "kind", "number", "redrive", "deliverable")
        }


async def _tasks(harness: CloudTasksHarness, queue: str) -> list[tasks_v2.Task]:
    pages = await harness.client.list_tasks(tasks_v2.ListTasksRequest(parent=f"{QUEUES}/{queue}"))
    return [task async for task in pages]


async def test_a_delivery_carries_all_headers(harness: CloudTasksHarness) -> None:
    await harness.start(Recorder(409, 503))
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    first, second, third = (request.headers for request in harness.requests)
    for headers in (first, second, third):
        assert headers["x-cloudtasks-queuename"] == "turns"
        assert headers["x-cloudtasks-taskname"] == task_id(turn(1))
        assert float(headers["x-cloudtasks-tasketa"]) > 0
        assert headers["user-agent"] == "Google-Cloud-Tasks"
        assert headers["content-type"] == "application/json"
        assert "traceparent" not in headers
    counts = [
        (h["x-cloudtasks-taskretrycount"], h["x-cloudtasks-taskexecutioncount"])
        for h in (first, second, third)
    ]
    assert counts == [("0", "0"), ("1", "1"), ("2", "1")]
    assert "x-cloudtasks-taskpreviousresponse" not in first
    assert third["x-cloudtasks-taskpreviousresponse"] == "503"
    assert third["x-cloudtasks-taskretryreason"] == "HTTP_503"
    claims = jwt.decode(
        first["authorization"].removeprefix("Bearer "), harness.server.issuer.certificates()
    )
    assert (claims["email"], claims["aud"]) == (ACCOUNT, harness.settings.turns.audience)


async def test_the_trace_context_travels_with_the_task(harness: CloudTasksHarness) -> None:
    await harness.start(Recorder())
    token = TRACEPARENT.set(TRACE)
    try:
        await harness.queue.enqueue([turn(1), delegation(1)])
    finally:
        TRACEPARENT.reset(token)
    await harness.drained()
    assert [request.headers["traceparent"] for request in harness.requests] == [TRACE] * 2


# -- Deliveries that go wrong --------------------------------------------------------------


async def test_a_lost_acknowledgement_brings_the_task_again(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    harness.server.faults.lost_acks = 1.0
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await reached(lambda: len(handler.seen) == 2, "a second delivery")
    harness.server.faults.lost_acks = 0.0
    await harness.drained()
    assert [d.retry for d in handler.seen] == list(range(len(handler.seen)))


async def test_a_duplicate_has_the_same_retry_count(harness: CloudTasksHarness) -> None:
    handler = Recorder(seconds=0.02)
    harness.server.faults.duplicates = 1.0
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert [(d.task, d.retry) for d in handler.seen] == [(turn(1), 0)] * 2
    assert handler.most == 2


async def test_a_late_copy_comes_after_the_task_is_done(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    harness.server.faults.late = 1.0
    harness.server.faults.delay = 0.05
    await harness.start(handler)
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert [(d.task, d.retry) for d in handler.seen] == [(turn(1), 0)] * 2
    assert harness.server.counts["done"] == 1


async def test_a_delayed_delivery_comes(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    harness.server.faults.delays = 1.0
    harness.server.faults.delay = 0.05
    await harness.start(handler)
    await harness.queue.enqueue([turn(n) for n in range(4)])
    await harness.drained()
    assert sorted(d.task.number for d in handler.seen) == [0, 1, 2, 3]


async def test_a_handler_beyond_the_dispatch_deadline_is_cut_off(
    harness: CloudTasksHarness,
) -> None:
    release = asyncio.Event()
    seen: list[Delivery] = []

    async def stuck_at_first(delivery: Delivery) -> int:
        seen.append(delivery)
        if delivery.retry == 0:
            await release.wait()
        return 200

    turns = replace(harness.settings.turns, deadline=timedelta(seconds=60))
    queue = CloudTasksQueue(harness.client, replace(harness.settings, turns=turns))
    await harness.start(stuck_at_first)
    await queue.enqueue([turn(1)])
    await harness.drained()
    release.set()
    assert [d.retry for d in seen] == [0, 1]
    assert harness.requests[1].headers["x-cloudtasks-taskretryreason"] == "DEADLINE_EXCEEDED"
    # The attempt got no answer, so the service counts no execution.
    assert harness.requests[1].headers["x-cloudtasks-taskexecutioncount"] == "0"


# -- Calls of the API that go wrong --------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        ApiFault(UNAVAILABLE),
        ApiFault(UNAVAILABLE, applied=True),
        ApiFault(DEADLINE, applied=True),
        ApiFault(DEADLINE),
        ApiFault(grpc.StatusCode.INTERNAL),
        ApiFault(grpc.StatusCode.RESOURCE_EXHAUSTED),
        ApiFault(grpc.StatusCode.ABORTED),
        ApiFault(grpc.StatusCode.UNKNOWN, applied=True),
    ],
    ids=lambda f: f"{f.code.name}{' applied' if f.applied else ''}",
)
async def test_a_passing_error_is_tried_again_and_the_task_comes_once(
    harness: CloudTasksHarness, fault: ApiFault
) -> None:
    handler = Recorder()
    await harness.start(handler)
    harness.server.api_faults.extend([fault, fault])
    await harness.queue.enqueue([turn(1)])
    await harness.drained()
    assert [d.task for d in handler.seen] == [turn(1)]
    # Once applied, the second call finds the name taken, and that is success.
    assert harness.server.counts["create calls"] == (2 if fault.applied else 3)


async def test_an_answer_that_never_comes_is_tried_again(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    harness.server.api_faults.append(ApiFault(UNAVAILABLE, applied=True, hangs=30))
    impatient = CloudTasksQueue(harness.client, replace(harness.settings, call=0.3))
    await impatient.enqueue([turn(1)])
    await harness.drained()
    assert [d.task for d in handler.seen] == [turn(1)]


async def test_an_error_that_stays_is_unavailable_and_names_the_task(
    harness: CloudTasksHarness,
) -> None:
    quick = CloudTasksQueue(harness.client, replace(harness.settings, total=0.2))
    harness.server.api_faults.extend([ApiFault(UNAVAILABLE)] * 1000)
    with pytest.raises(Unavailable, match=r"task e1-turn-1-0 \(ServiceUnavailable: .*later"):
        await quick.enqueue([turn(1)])
    assert harness.server.counts["create calls"] > 1


async def test_a_service_that_is_gone_is_unavailable(harness: CloudTasksHarness) -> None:
    client = connect(f"127.0.0.1:{harness.port}")  # nobody listens there yet
    quick = CloudTasksQueue(client, replace(harness.settings, total=0.2))
    with pytest.raises(Unavailable, match="could not be reached"):
        await quick.enqueue([turn(1)])
    await client.transport.close()


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
    ],
)
async def test_a_refusal_is_not_tried_again_and_says_what_to_check(
    harness: CloudTasksHarness, code: grpc.StatusCode
) -> None:
    harness.server.api_faults.append(ApiFault(code))
    with pytest.raises(QueueRefused, match=rf"for {QUEUES}/turns .*may act as {ACCOUNT}"):
        await harness.queue.enqueue([turn(1)])
    assert harness.server.counts["create calls"] == 1


async def test_a_queue_that_does_not_exist_is_a_refusal(harness: CloudTasksHarness) -> None:
    turns = replace(harness.settings.turns, queue=f"{QUEUES}/others")
    queue = CloudTasksQueue(harness.client, replace(harness.settings, turns=turns))
    with pytest.raises(QueueRefused, match="does not exist"):
        await queue.enqueue([turn(1)])


async def test_a_task_that_fails_keeps_back_no_other(harness: CloudTasksHarness) -> None:
    handler = Recorder()
    await harness.start(handler)
    harness.server.api_faults.append(ApiFault(grpc.StatusCode.PERMISSION_DENIED))
    with pytest.raises(QueueRefused):
        await harness.queue.enqueue([delegation(n) for n in range(4)])
    await harness.drained()
    assert len(handler.seen) == 3


async def test_an_id_that_fits_no_task_is_refused_before_a_call(
    harness: CloudTasksHarness,
) -> None:
    with pytest.raises(ValueError, match="execution"):
        await harness.queue.enqueue([Task(ExecutionId("a/b"), TaskKind.TURN, 1, 0)])
    assert harness.server.counts["create calls"] == 0


# -- A whole Execution ---------------------------------------------------------------------


async def test_an_execution_ends_well_on_a_queue_that_misbehaves(
    harness: CloudTasksHarness,
) -> None:
    store, clock = MemoryStore(), SystemClock()
    runs = make_runs(store, harness.queue, clock)
    await harness.start(runs.handle)
    faults = harness.server.faults
    faults.duplicates = faults.late = faults.delays = 0.3
    faults.lost_acks, faults.delay = 0.15, 0.05
    harness.server.api_errors = 0.2
    await Executions(store, harness.queue, clock).start(
        lifecycle.StartRequest(
            id=E1,
            session_id=SessionId("s"),
            owner="ann",
            request="the request",
            mode=Mode.PRE_APPROVED,
        )
    )
    await harness.drained()
    execution = await store.load(E1)
    assert execution.status is Status.COMPLETED
    events = await store.events(E1)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    submitted = Counter(e.deliverable for e in events if e.type is EventType.SUBMITTED)
    assert submitted == dict.fromkeys(Kind, 1)
    faults_seen = sum(
        harness.server.counts[name] for name in ("duplicates", "late", "delays", "lost_acks")
    )
    assert faults_seen > 0
