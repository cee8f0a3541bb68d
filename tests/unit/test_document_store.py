"""The optimistic store, on a database in memory that fails on purpose.

1. However commits fail, what was reported done is there once; what was reported as unavailable is
   there once at most.
2. Several processes at once lose nothing, and no number is given twice.
3. What a process remembers may be old: no command is refused by it, and no old content is shown.
4. What cannot be stored is refused before anything is sent, and says which content it is.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import delegations, lifecycle, turns, waits
from engine.deliverables import Kind
from engine.execution import (
    Change,
    ContentWrite,
    Event,
    EventType,
    ExecutionError,
    ExecutionId,
    PillarWrite,
    SessionId,
    due_tasks,
)
from engine.ports import (
    AlreadyExists,
    StoreError,
    Unavailable,
    UnknownExecution,
    Unreadable,
)
from engine.stores.commits import RECENT_EVENTS, RECENT_MARKS
from engine.stores.database import Patience, Recent, TooLarge, Unsure
from engine.stores.document_store import DocumentStore
from tests.support.histories import LEASE, NONE, START
from tests.support.memory_database import Fault, MemoryDatabase

ID = ExecutionId("e1")
PATH = "executions/e1"
AT_ONCE = Patience(whole=3600, first=0, longest=0)
NEVER = Patience(whole=0, first=0, longest=0)
LIMIT = 1_048_576


def started(id: str = "e1", request: str = "r", owner: str = "ann") -> Change:
    return lifecycle.start(
        lifecycle.StartRequest(
            id=ExecutionId(id), session_id=SessionId("s1"), owner=owner, request=request
        ),
        START,
    )


def tell(text: str):
    return lambda e: waits.tell(e, text, "ann", START)


def note(text: str):
    """A command that appends an event and nothing else."""

    def command(execution):
        seq = execution.last_event + 1
        event = Event(seq=seq, at=START, type=EventType.DISCARDED, detail=text)
        return Change(execution.having(rev=execution.rev + 1, last_event=seq), (event,))

    return command


def keep(kind: Kind, text: str, revision: int = 1, files: tuple[tuple[str, str], ...] = ()):
    """A command that submits a content, without the rules around it."""

    def command(execution):
        ledger = execution.ledger
        entry = ledger.deliverables[kind].having(revision=revision)
        ledger = ledger.having(deliverables={**ledger.deliverables, kind: entry})
        write = ContentWrite(kind, revision, text, files, "d", START)
        return Change(execution.having(rev=execution.rev + 1, ledger=ledger), (), (write,))

    return command


async def new(database: MemoryDatabase, patience: Patience = AT_ONCE) -> DocumentStore:
    store = DocumentStore(database, patience)
    await store.create(started())
    return store


FAULTS = st.lists(st.sampled_from(Fault), max_size=30)


@settings(max_examples=150, deadline=None)
@given(FAULTS, st.lists(st.integers(0, 4), max_size=120), st.integers(1, 4))
def test_whatever_fails_each_command_takes_effect_once(faults, pauses, processes) -> None:
    async def run() -> None:
        database = MemoryDatabase(faults, pauses)
        await new(database)
        stores = [DocumentStore(database, AT_ONCE) for _ in range(processes)]
        texts = [f"{number}-{n}" for number in range(processes) for n in range(4)]

        async def say(text: str) -> None:
            store = stores[int(text[0])]
            await store.transact(ID, tell(text))
            await store.transact(ID, note(text))

        await asyncio.gather(*(say(text) for text in texts))
        execution = await DocumentStore(database).load(ID)
        messages = await stores[0].messages(ID)
        events = await stores[0].events(ID)
        assert sorted(m.text for m in messages[1:]) == texts
        assert sorted(e.detail for e in events[1:]) == texts
        assert [m.seq for m in messages] == list(range(1, len(texts) + 2))
        assert [e.seq for e in events] == list(range(1, len(texts) + 2))
        assert execution.rev == 1 + 2 * len(texts)
        for store in stores:  # what each remembers still works
            await store.transact(ID, tell("more"))

    asyncio.run(run())


@settings(max_examples=100, deadline=None)
@given(FAULTS)
def test_what_could_not_be_told_is_there_once_at_most(faults) -> None:
    async def run() -> None:
        database = MemoryDatabase()
        store = await new(database, NEVER)
        database.faults = faults
        done, unsure = [], []
        for number in range(12):
            text = str(number)
            try:
                await store.transact(ID, tell(text))
                done.append(text)
            except Unavailable:
                unsure.append(text)
        texts = [m.text for m in await store.messages(ID, after=1)]
        assert set(done) <= set(texts) <= {*done, *unsure}
        assert len(set(texts)) == len(texts)

    asyncio.run(run())


@pytest.mark.parametrize("fault", [f for f in Fault if f is not Fault.NONE])
async def test_a_creation_whose_commit_fails_creates_once(fault) -> None:
    database = MemoryDatabase([fault])
    store = await new(database)
    assert (await store.load(ID)).rev == 1
    assert len(await store.events(ID)) == len(await store.messages(ID)) == 1
    with pytest.raises(AlreadyExists):
        await store.create(started())
    with pytest.raises(AlreadyExists):
        await DocumentStore(database).create(started(owner="eve"))


async def test_an_answer_missed_while_too_many_others_wrote_is_unavailable() -> None:
    database = MemoryDatabase()
    store, other = await new(database), DocumentStore(database, AT_ONCE)
    real = database.commit

    async def commit(writes):
        database.commit = real
        await real(writes)
        for number in range(RECENT_MARKS):
            await other.transact(ID, tell(str(number)))
        raise Unsure("deadline exceeded")

    database.commit = commit
    with pytest.raises(Unavailable, match="nobody can tell"):
        await store.transact(ID, tell("mine"))
    assert len(await store.messages(ID)) == RECENT_MARKS + 2


async def test_patience_ends_with_a_sentence() -> None:
    database = MemoryDatabase()
    store = await new(database, NEVER)
    database.faults = [Fault.ABORTED]
    with pytest.raises(Unavailable, match=r"writing Execution e1 .* 1 attempts .*try again later"):
        await store.transact(ID, tell("x"))
    await store.transact(ID, tell("y"))


async def test_a_command_is_not_refused_by_what_is_remembered() -> None:
    database = MemoryDatabase()
    store, other = await new(database), DocumentStore(database, AT_ONCE)
    await other.transact(ID, tell("x"))

    def only_after_two(execution):
        if execution.last_message < 2:
            raise ExecutionError("too early")
        return waits.tell(execution, "y", "ann", START)

    assert (await store.transact(ID, only_after_two)).rev == 3
    with pytest.raises(ExecutionError, match="never"):
        await store.transact(ID, lambda e: (_ for _ in ()).throw(ExecutionError("never")))


async def test_alone_a_process_writes_without_reading() -> None:
    database = MemoryDatabase()
    store = await new(database)
    database.get = None  # type: ignore[assignment]
    for number in range(5):
        await store.transact(ID, tell(str(number)))
    assert (await store.messages(ID, limit=1))[0].text == "r"
    assert database.commits == 6


async def test_contents_that_another_process_replaced_are_not_shown() -> None:
    database = MemoryDatabase()
    store, other = await new(database), DocumentStore(database, AT_ONCE)
    await store.transact(ID, keep(Kind.REQUIREMENTS, "one", 1, (("a.txt", "1"), ("b/c.txt", "2"))))
    await store.transact(ID, keep(Kind.PRODUCT_SELECTION, "p", 1))
    both = (Kind.PRODUCT_SELECTION, Kind.REQUIREMENTS, Kind.SOLUTION_GUIDE)
    assert list(await other.contents(ID, both)) == list(both[:2])
    await other.transact(ID, keep(Kind.REQUIREMENTS, "two", 2, (("b/c.txt", "3"),)))
    found = await store.contents(ID, both)
    assert [c.content for c in found.values()] == ["p", "two"]
    assert found[Kind.REQUIREMENTS].attachments == (("b/c.txt", "3"),)
    for reader in (store, other, DocumentStore(database)):
        old = await reader.content(ID, Kind.REQUIREMENTS, 1)
        assert old is not None
        assert (old.content, old.attachments) == ("one", (("a.txt", "1"), ("b/c.txt", "2")))
    third = DocumentStore(database, AT_ONCE)  # remembers no content, so it reads the old one
    await third.transact(ID, keep(Kind.REQUIREMENTS, "three", 3))
    assert [(await store.content(ID, Kind.REQUIREMENTS, n)).content for n in (1, 2, 3)] == [
        "one",
        "two",
        "three",
    ]


async def test_events_move_out_eight_at_a_time_and_are_followed_from_anywhere() -> None:
    database = MemoryDatabase()
    store = await new(database)
    for number in range(2, 30):
        await store.transact(ID, note(str(number)))
        assert len(database.documents[PATH][1]["recent_events"]) < RECENT_EVENTS
    pages = [path for path in database.documents if "/events/" in path]
    assert pages == [f"{PATH}/events/{first:06d}" for first in (1, 9, 17)]
    for reader in (store, DocumentStore(database)):
        for after in range(30):
            assert [e.seq for e in await reader.events(ID, after)] == list(range(after + 1, 30))
            assert [e.seq for e in await reader.events(ID, after, 3)] == [
                n for n in range(after + 1, after + 4) if n < 30
            ]


async def test_events_that_move_out_while_they_are_read_come_once() -> None:
    database = MemoryDatabase()
    store, other = await new(database), DocumentStore(database, AT_ONCE)
    for number in range(2, 14):
        await store.transact(ID, note(str(number)))
    real = database.query

    async def query(wanted):
        database.query = real
        for number in range(14, 20):
            await other.transact(ID, note(str(number)))
        return await real(wanted)

    database.query = query
    assert [e.seq for e in await store.events(ID, 3)] == list(range(4, 14))
    assert [e.seq for e in await store.events(ID, 3)] == list(range(4, 20))


async def test_long_events_move_out_at_once() -> None:
    database = MemoryDatabase()
    store = await new(database)
    await store.transact(ID, note("x" * 300_000))
    assert database.documents[PATH][1]["recent_events"] == []
    assert [e.seq for e in await store.events(ID)] == [1, 2]


def largest_content() -> int:
    path = f"{PATH}/deliverables/requirements/revisions/0001"
    rest = {"kind": 12, "revision": 8, "digest": 2, "submitted_at": 8, "attachments": 1}
    other = sum(len(name) + 1 + size for name, size in rest.items()) + 1
    return LIMIT - len(path) - 1 - 16 - 32 - other - len("content") - 1 - 1


async def test_the_largest_content_fits_also_as_an_earlier_revision() -> None:
    database = MemoryDatabase()
    store = await new(database)
    size = largest_content()
    commits = database.commits
    with pytest.raises(TooLarge, match=r"content of requirements \(revision 1\) takes 1,048,577"):
        await store.transact(ID, keep(Kind.REQUIREMENTS, "x" * (size + 1)))
    assert database.commits == commits
    await store.transact(ID, keep(Kind.REQUIREMENTS, "é" * (size // 2) + "x" * (size % 2)))
    await store.transact(ID, keep(Kind.REQUIREMENTS, "y", 2))
    assert len((await store.content(ID, Kind.REQUIREMENTS, 1)).content.encode()) == size


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (keep(Kind.REQUIREMENTS, "x", 1, (("a.tf", "é" * 600_000),)), r"attachment a\.tf of requi"),
        (tell("x" * LIMIT), "message 2 takes"),
        (note("x" * LIMIT), "the events from 1 on takes"),
        (keep(Kind.REQUIREMENTS, "a\ud800"), "content of requirements .* half a character"),
        (keep(Kind.REQUIREMENTS, "x", 1, (("a", "1"), ("a", "2"))), "two attachments with one"),
        (keep(Kind.REQUIREMENTS, "x", 1, (("a" * 999, "1"),)), "path that is too long"),
        (lambda e: Change(e.having(inbox=("x" * 600_000, "y" * 600_000))), "document of Exec"),
        (
            lambda e: Change(e.having(), (), (PillarWrite(1, "security", "x" * LIMIT),)),
            "the section on security",
        ),
    ],
)
async def test_what_cannot_be_stored_is_named_and_nothing_is_sent(command, why) -> None:
    database = MemoryDatabase()
    store = await new(database)
    with pytest.raises(StoreError, match=why):
        await store.transact(ID, command)
    assert database.commits == 1
    assert (await store.load(ID)).rev == 1


async def test_a_document_that_grows_field_by_field_is_refused_in_time() -> None:
    database = MemoryDatabase()
    store = await new(database)
    await store.transact(ID, lambda e: Change(e.having(rev=2, inbox=("x" * 600_000,))))
    for reader in (store, DocumentStore(database)):
        with pytest.raises(TooLarge, match="the document of Execution e1"):
            await reader.transact(ID, lambda e: Change(e.having(warnings=("y" * 600_000,))))


async def test_a_request_that_is_too_long_starts_nothing() -> None:
    database = MemoryDatabase()
    with pytest.raises(TooLarge, match="the request takes"):
        await DocumentStore(database).create(started(request="x" * LIMIT))
    with pytest.raises(StoreError, match="cannot be the id"):
        await DocumentStore(database).create(started(id="a/b"))
    assert database.documents == {}


@pytest.mark.parametrize("id", ["a/b", "..", "nobody"])
async def test_ids_that_nobody_has(id) -> None:
    store, id = DocumentStore(MemoryDatabase()), ExecutionId(id)
    for call in (store.load(id), store.transact(id, tell("x")), store.events(id)):
        with pytest.raises(UnknownExecution):
            await call
    assert await store.content(id, Kind.REQUIREMENTS) is None
    assert await store.content(id, Kind.REQUIREMENTS, 1) is None
    assert await store.contents(id, [Kind.REQUIREMENTS]) == {}
    assert await store.messages(id) == []
    assert await store.pillars(id, 1) == {}


async def test_a_deleted_execution_is_unknown_to_who_remembers_it() -> None:
    database = MemoryDatabase()
    store = await new(database)
    await store.transact(ID, keep(Kind.REQUIREMENTS, "x"))
    database.documents.clear()
    for call in (
        store.contents(ID, [Kind.REQUIREMENTS]),
        store.transact(ID, tell("x")),
        store.load(ID),
    ):
        with pytest.raises(UnknownExecution):
            await call


async def test_parts_of_different_times_are_said_to_be_so() -> None:
    database = MemoryDatabase()
    store = await new(database)
    old = database.documents[PATH]
    await store.transact(ID, tell("x"))
    database.documents[PATH] = old
    with pytest.raises(StoreError, match="restore it whole"):
        await store.transact(ID, tell("y"))
    del database.documents[PATH]
    with pytest.raises(StoreError, match="documents below it do"):
        await store.create(started())


async def test_an_execution_restored_from_a_backup_goes_on_from_there() -> None:
    database = MemoryDatabase()
    store = await new(database)
    backup = dict(database.documents)
    await store.transact(ID, tell("x"))
    database.documents = backup
    assert (await store.load(ID)).rev == 1
    assert (await store.transact(ID, tell("y"))).rev == 2
    assert [m.text for m in await store.messages(ID)] == ["r", "y"]


async def test_damage_is_unreadable_and_left_out_of_lists(caplog) -> None:
    database = MemoryDatabase()
    store = await new(database)
    await store.create(started("e2"))
    await store.transact(ID, keep(Kind.REQUIREMENTS, "x", 1, (("a", "1"),)))
    version, fields = database.documents[PATH]
    database.documents[PATH] = (99, {**fields, "status": "asleep"})
    for call in (store.load(ID), store.transact(ID, tell("x")), store.events(ID)):
        with pytest.raises(Unreadable, match="executions/e1"):
            await call
    assert [s.id for s in await store.list()] == ["e2"]
    assert "left out of a list: the document executions/e1" in caplog.text
    with pytest.raises(AlreadyExists):
        await store.create(started())
    database.documents[PATH] = (version, fields)
    del database.documents[f"{PATH}/deliverables/requirements/attachments/0001-a"]
    with pytest.raises(Unreadable, match="0001-a cannot be read"):
        await DocumentStore(database).content(ID, Kind.REQUIREMENTS)


async def test_pillars_of_one_process_at_once_do_not_get_in_each_others_way() -> None:
    database = MemoryDatabase()
    store = await new(database)
    await asyncio.gather(
        *(
            store.transact(
                ID,
                lambda e, n=n: Change(e.having(rev=e.rev + 1), (), (PillarWrite(1, f"p{n}", "x"),)),
            )
            for n in range(6)
        )
    )
    assert database.commits == 7
    assert len(await store.pillars(ID, 1)) == 6


async def test_a_cancelled_command_locks_nothing_and_leaves_nothing_stale() -> None:
    database = MemoryDatabase()
    store = await new(database)
    real, applied = database.commit, asyncio.Event()

    async def commit(writes):
        await real(writes)
        applied.set()
        await asyncio.Event().wait()

    database.commit = commit
    running = asyncio.create_task(store.transact(ID, tell("a")))
    await applied.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    database.commit = real
    assert (await store.transact(ID, tell("b"))).rev == 3
    assert [m.text for m in await store.messages(ID, 1)] == ["a", "b"]


async def test_stalled_gives_the_longest_stalled_first() -> None:
    database = MemoryDatabase()
    store = await new(database)
    await store.create(lifecycle.start(request("late"), START + timedelta(minutes=1)))
    await store.create(lifecycle.start(request("early"), START - timedelta(minutes=1)))
    assert await store.stalled(START + timedelta(hours=1)) == ["early", "e1", "late"]
    assert await store.stalled(START + timedelta(hours=1), limit=1) == ["early"]


def request(id: str) -> lifecycle.StartRequest:
    return lifecycle.StartRequest(
        id=ExecutionId(id), session_id=SessionId("s"), owner="ann", request="r"
    )


async def test_a_zombie_is_refused_by_the_state_and_not_by_what_it_remembers() -> None:
    """The claim that it remembers was taken over: its outcome is lost, on a state just read."""
    database = MemoryDatabase()
    store, other = await new(database), DocumentStore(database, AT_ONCE)
    task = due_tasks(await store.load(ID))[0]
    begun = await store.transact(ID, lambda e: turns.begin_turn(e, task, "h", 0, START, LEASE))
    await other.transact(ID, lambda e: turns.begin_turn(e, task, "other", 1, START, LEASE))
    with pytest.raises(delegations.ClaimLost):
        await store.transact(
            ID,
            lambda e: turns.end_turn(e, begun.turn.claim, (), "", NONE, START),
        )


def test_what_is_remembered_has_a_limit() -> None:
    recent: Recent[str, str] = Recent(10, len)
    recent.put("a", "xxxx")
    recent.put("b", "xxxx")
    assert recent.get("a") == "xxxx"
    recent.put("c", "xxxx")
    assert [recent.get(key) for key in "abc"] == ["xxxx", None, "xxxx"]
    recent.put("a", "y")
    recent.put("big", "x" * 11)
    assert [recent.get(key) for key in ("a", "c", "big")] == [None, None, None]
    recent.put("d", "z")
    assert recent.get("d") == "z"
