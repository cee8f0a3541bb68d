"""How an Execution lies in documents.

1. Whatever is written is read back equal, through the wire's messages too.
2. The fields that a change writes, laid over the old document, are the new document.
3. No enum, no array in an array, no name but words.
4. A document that cannot be read says which and why.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.deliverables import Kind
from engine.execution import AskedQuestion, Execution, Wait, WaitKind
from engine.ports import StoreError, Unreadable
from engine.stores import firestore, layout, readback
from tests.support.any_execution import events, executions
from tests.support.histories import START, History
from tests.support.memory_database import _check

SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def document(execution: Execution, newest=(), marks=()) -> layout.Fields:
    return {
        **layout.execution_fields(execution),
        "recent_events": [layout.plain(event) for event in newest],
        "recent_writes": list(marks),
    }


def through_the_wire(fields: layout.Fields) -> layout.Fields:
    request = firestore.messages.CommitRequest()
    raw = firestore.messages.CommitRequest.pb(request).writes.add().update
    for name, value in fields.items():
        firestore._fill(raw.fields[name], value)
    again = type(raw).FromString(raw.SerializeToString())
    return {name: firestore._read(value) for name, value in again.fields.items()}


@SOME
@given(executions(), st.lists(events(), max_size=3), st.lists(st.text("abc"), max_size=3))
def test_what_is_written_is_read_back_equal(execution, newest, marks) -> None:
    fields = document(execution, newest, marks)
    _check(fields)
    for read in (fields, through_the_wire(fields)):
        found = readback.read_execution("executions/e1", read)
        assert found == (execution, tuple(newest), marks)
    assert through_the_wire(fields) == fields


@SOME
@given(executions(), executions())
def test_changed_fields_make_the_new_document_of_the_old(before, after) -> None:
    patched = {**document(before), **layout.changed_fields(before, after)}
    assert patched == document(after)


def test_a_small_change_writes_few_fields() -> None:
    history = History()
    before = history.execution
    after = before.having(rev=9, updated_at=START + timedelta(1))
    assert set(layout.changed_fields(before, after)) == {"rev", "updated_at"}
    assert layout.changed_fields(before, before) == {}


def test_names_are_words_and_what_people_look_for_stands_on_top() -> None:
    history = History()
    history.work(Kind.REQUIREMENTS)
    fields = document(history.execution, history.events)
    names: set[str] = set()

    def collect(value: layout.Plain) -> None:
        if isinstance(value, dict):
            names.update(value)
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(fields)
    assert all(re.fullmatch(r"[a-z]{2,}(_[a-z]+)*", name) for name in names)
    assert fields["phase"] == "requirements_discovery"
    assert fields["status"] == "working"
    assert fields["waiting_for"] is None
    assert fields["graph_fingerprint"] == history.execution.graph
    assert fields["schema_version"] == 1
    assert fields["turn"] == {"number": 2, "due": True}
    assert fields["ledger"]["deliverables"]["solution_guide"] == {"state": "pending", "revision": 0}
    assert fields["recent_events"][0]["number"] == 1
    assert fields["recent_events"][2]["type"] == "submitted"


def test_where_a_question_came_from_is_a_list_of_maps() -> None:
    asked = AskedQuestion(id="q1", text="Who?", sources=((Kind.REQUIREMENTS, "requirements.1"),))
    wait = Wait(
        id="w1", kind=WaitKind.QUESTIONS, opened_at=START, expires_at=START, questions=(asked,)
    )
    execution = History().execution.having(wait=wait)
    fields = document(execution)
    assert fields["wait"]["questions"][0]["sources"] == [
        {"deliverable": "requirements", "question": "requirements.1"}
    ]
    assert fields["waiting_for"] == "questions"
    assert readback.read_execution("x", fields)[0] == execution


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ({"schema_version": 7}, r"executions/e1 has version 7 and this program knows 1"),
        ({"invented": 1}, r"invented: .*newer version"),
        ({"status": "asleep"}, "status"),
        ({"turn": {"due": True}}, "number is missing"),
        ({"ledger": None}, "ledger"),
        ({"recent_events": None}, "cannot be read"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(damage, why) -> None:
    fields = {**document(History().execution), **damage}
    with pytest.raises(Unreadable, match=why):
        readback.read_execution("executions/e1", fields)


@pytest.mark.parametrize(
    "name", ["rev", "id", "graph_fingerprint", "schema_version", "recent_writes", "delegations"]
)
def test_a_document_without_what_decides_is_damaged(name) -> None:
    fields = document(History().execution)
    del fields[name]
    with pytest.raises(Unreadable, match="executions/e1 cannot be read"):
        readback.read_execution("executions/e1", fields)


def test_a_field_that_an_earlier_version_did_not_write_has_its_default() -> None:
    fields = document(History().execution)
    del fields["warnings"]
    assert readback.read_execution("x", fields)[0] == History().execution


def test_a_moment_in_another_zone_is_read_in_utc() -> None:
    there = datetime(2026, 1, 5, 10, 0, tzinfo=timezone(timedelta(hours=1)))
    assert through_the_wire({"at": there}) == {"at": datetime(2026, 1, 5, 9, 0, tzinfo=UTC)}


def test_sizes_are_counted_as_firestore_documents_them() -> None:
    # The example of "Storage size calculations": tasks under a user, 147 bytes.
    fields = {
        "type": "Personal",
        "done": False,
        "priority": 1,
        "description": "Learn Cloud Firestore",
    }
    path = "users/jeff/tasks/my_task_id"
    size = layout.path_bytes(path) + sum(layout.field_bytes(n, v) for n, v in fields.items())
    assert size == 147


@pytest.mark.parametrize("id", ["", ".", "..", "a/b", "__x__", "x" * 1001])
def test_ids_that_no_document_can_have(id) -> None:
    assert not layout.possible(id)


def test_an_attachments_path_is_kept_readable_in_its_id() -> None:
    path = layout.attachment_path("e1", Kind.DEPLOYMENT_GUIDANCE, 2, "terraform/main.tf")
    assert path.endswith("/deployment_guidance/attachments/0002-terraform%2Fmain.tf")
    with pytest.raises(StoreError, match="too long"):
        layout.attachment_path("e1", Kind.DEPLOYMENT_GUIDANCE, 2, "x" * 1001)


def test_an_array_inside_an_array_is_no_document() -> None:
    with pytest.raises(TypeError, match="array inside an array"):
        layout.plain(((1,),))
    with pytest.raises(TypeError, match="no form"):
        layout.plain(1.5)
