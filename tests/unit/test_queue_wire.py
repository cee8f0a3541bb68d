"""A task on the wire: what is written is read again, and nothing else is taken for a task."""

from __future__ import annotations

import contextvars
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.deliverables import Kind
from engine.execution import ExecutionId, Task, TaskKind
from engine.queues.wire import (
    MAX_BODY_BYTES,
    TRACEPARENT,
    PoisonedTask,
    read_body,
    read_delivery,
    trace_headers,
    trace_of,
    write_body,
)

TURN = Task(ExecutionId("20270101-101010-abc123"), TaskKind.TURN, 3, 1)
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}", fullmatch=True).map(ExecutionId)
counts = st.integers(0, 2**31 - 1)
tasks = st.builds(Task, ids, st.just(TaskKind.TURN), counts, counts) | st.builds(
    Task, ids, st.just(TaskKind.DELEGATION), counts, counts, st.sampled_from(Kind)
)


@given(tasks)
def test_what_is_written_is_read_again(task: Task) -> None:
    body = write_body(task)
    assert read_body(body) == task
    assert len(body) < MAX_BODY_BYTES


def test_a_body_holds_ids_only() -> None:
    delegation = Task(ExecutionId("e1"), TaskKind.DELEGATION, 2, 0, Kind.REQUIREMENTS)
    assert json.loads(write_body(delegation)) == {
        "execution": "e1",
        "kind": "delegation",
        "number": 2,
        "redrive": 0,
        "deliverable": "requirements",
    }
    assert set(json.loads(write_body(TURN))) == {"execution", "kind", "number", "redrive"}


def test_a_field_of_a_newer_version_is_left_alone() -> None:
    body = json.loads(write_body(TURN)) | {"later": "x"}
    assert read_body(json.dumps(body).encode()) == TURN


GOOD = {"execution": "e1", "kind": "turn", "number": 1, "redrive": 0}


@pytest.mark.parametrize(
    "changed",
    [
        {"execution": ""},
        {"execution": "a/b"},
        {"execution": "../x"},
        {"execution": "__x__"},
        {"execution": "e1\n"},
        {"execution": "x" * 200},
        {"execution": 7},
        {"execution": None},
        {"kind": "Turn"},
        {"kind": "sweep"},
        {"number": -1},
        {"number": "1"},
        {"number": True},
        {"number": 1.5},
        {"number": 2**40},
        {"redrive": None},
        {"deliverable": "requirements"},
        {"kind": "delegation"},
        {"kind": "delegation", "deliverable": "requirement"},
    ],
    ids=str,
)
def test_a_wrong_value_is_poison(changed: dict[str, object]) -> None:
    with pytest.raises(PoisonedTask):
        read_body(json.dumps(GOOD | changed).encode())


@pytest.mark.parametrize("missing", sorted(GOOD))
def test_a_missing_value_is_poison(missing: str) -> None:
    body = {name: value for name, value in GOOD.items() if name != missing}
    with pytest.raises(PoisonedTask, match=missing):
        read_body(json.dumps(body).encode())


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"7", b"{", b"\xff\xfe", b"{}" + b" " * MAX_BODY_BYTES, b"[" * 4000],
    ids=lambda body: repr(body[:8]),
)
def test_what_is_no_task_is_poison(body: bytes) -> None:
    with pytest.raises(PoisonedTask):
        read_body(body)


@given(st.binary(max_size=300))
def test_any_bytes_are_poison(body: bytes) -> None:
    with pytest.raises(PoisonedTask, match="cannot be read"):
        read_body(body)


def test_a_poisoned_body_is_not_repeated_in_the_message() -> None:
    with pytest.raises(PoisonedTask) as poison:
        read_body(json.dumps(GOOD | {"kind": "a secret"}).encode())
    assert "secret" not in str(poison.value)


@pytest.mark.parametrize(
    ("retry", "attempts", "last"),
    [(0, 8, False), (6, 8, False), (7, 8, True), (9, 8, True), (0, 1, True)],
)
def test_the_last_attempt_follows_from_the_retry_count(
    retry: int, attempts: int, last: bool
) -> None:
    headers = {"X-CloudTasks-TaskRetryCount": str(retry), "X-CloudTasks-TaskExecutionCount": "0"}
    delivery = read_delivery(headers, write_body(TURN), attempts)
    assert (delivery.task, delivery.retry, delivery.last) == (TURN, retry, last)


def test_header_names_are_read_in_any_case() -> None:
    for name in ("x-cloudtasks-taskretrycount", "X-CLOUDTASKS-TASKRETRYCOUNT"):
        assert read_delivery({name: "2"}, write_body(TURN), 8).retry == 2


def test_without_a_retry_count_it_is_a_first_delivery() -> None:
    assert read_delivery({}, write_body(TURN), 8).retry == 0


@pytest.mark.parametrize("value", ["", "-1", "1.5", "x", "١", "1 ", "9" * 20])
def test_a_retry_count_that_is_none_is_poison(value: str) -> None:
    with pytest.raises(PoisonedTask):
        read_delivery({"X-CloudTasks-TaskRetryCount": value}, write_body(TURN), 8)


def test_the_trace_context_travels_only_if_it_is_well_formed() -> None:
    assert trace_of({"Traceparent": TRACE}) == TRACE
    assert trace_of({"traceparent": TRACE + "\r\nx: y"}) is None
    assert trace_of({}) is None

    def inside(value: str | None) -> dict[str, str]:
        TRACEPARENT.set(value)
        return trace_headers()

    assert contextvars.copy_context().run(inside, TRACE) == {"traceparent": TRACE}
    assert contextvars.copy_context().run(inside, "junk") == {}
    assert contextvars.copy_context().run(inside, None) == {}
    assert trace_headers() == {}
