"""The contract of an ExecutionStore; every store passes it.

1. ``transact`` is atomic: document, events and writes appear together or not at all.
2. No two commands see the same revision, however many run at once.
3. What a command raises leaves the store as it was.
4. What was written is read back whole, in order, with its types.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from engine import delegations, lifecycle, turns, waits
from engine.decisions import parse_decision
from engine.deliverables import Kind, Phase
from engine.execution import (
    Execution,
    ExecutionError,
    ExecutionId,
    SessionId,
    Status,
    WaitKind,
    due_tasks,
)
from engine.ports import AlreadyExists, ExecutionStore, UnknownExecution
from engine.stores.firestore import FirestoreStore
from engine.stores.memory import MemoryStore
from engine.stores.sqlite import SqliteStore
from tests.support.histories import LEASE, NONE, START, submission

ID = ExecutionId("e1")


@pytest.fixture(params=["memory", "sqlite", "firestore"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ExecutionStore]:
    if request.param == "memory":
        yield MemoryStore()
        return
    if request.param == "firestore":
        firestore = FirestoreStore(request.getfixturevalue("firestore_project"))
        yield firestore
        await firestore.close()
        return
    sqlite = SqliteStore(tmp_path / "state" / "executions.sqlite")
    yield sqlite
    sqlite.close()


def started(id: str = "e1", owner: str = "ann", session: str = "s1"):
    request = lifecycle.StartRequest(
        id=ExecutionId(id), session_id=SessionId(session), owner=owner, request="Größe 3 TB ✓\n"
    )
    return lifecycle.start(request, START)


async def test_a_created_execution_is_read_back_equal(store: ExecutionStore) -> None:
    change = started()
    await store.create(change)
    assert await store.load(ID) == change.execution
    assert [e.type for e in await store.events(ID)] == ["started"]
    assert [m.text for m in await store.messages(ID)] == ["Größe 3 TB ✓\n"]


async def test_creating_twice_is_refused_and_changes_nothing(store: ExecutionStore) -> None:
    await store.create(started())
    with pytest.raises(AlreadyExists, match="e1"):
        await store.create(started(owner="eve"))
    assert (await store.load(ID)).owner == "ann"
    assert len(await store.events(ID)) == 1


async def test_an_unknown_execution_is_named(store: ExecutionStore) -> None:
    for call in (store.load(ID), store.transact(ID, lambda e: lifecycle.cancel(e, "a", START))):
        with pytest.raises(UnknownExecution, match="e1"):
            await call


async def test_a_command_that_raises_leaves_everything(store: ExecutionStore) -> None:
    await store.create(started())
    before = await store.load(ID)

    def command(execution: Execution):
        lifecycle.cancel(execution, "ann", START)
        raise ExecutionError("no")

    with pytest.raises(ExecutionError, match="no"):
        await store.transact(ID, command)
    assert await store.load(ID) == before
    assert len(await store.events(ID)) == 1


async def test_commands_at_once_are_applied_one_after_another(store: ExecutionStore) -> None:
    await store.create(started())

    async def tell(number: int) -> None:
        await store.transact(ID, lambda e: waits.tell(e, f"note {number}", "ann", START))

    await asyncio.gather(*(tell(n) for n in range(20)))
    execution = await store.load(ID)
    assert execution.rev == 21
    assert sorted(m.text for m in await store.messages(ID, after=1)) == sorted(
        f"note {n}" for n in range(20)
    )
    assert [m.seq for m in await store.messages(ID)] == list(range(1, 22))


async def test_contents_of_every_revision_stay_readable(store: ExecutionStore) -> None:
    await store.create(started())
    driver = StoreDriver(store)
    await driver.delegate(Kind.REQUIREMENTS)
    await driver.submit(Kind.REQUIREMENTS, "first", (("b.txt", "2"), ("a/ü.txt", "1")))
    await driver.turn(
        turns.Reopen(kind=Kind.REQUIREMENTS, reason="r"),
        turns.Delegate(kinds=(Kind.REQUIREMENTS,)),
    )
    await driver.submit(Kind.REQUIREMENTS, "second", ())
    newest = await store.content(ID, Kind.REQUIREMENTS)
    old = await store.content(ID, Kind.REQUIREMENTS, 1)
    assert newest is not None
    assert old is not None
    assert (newest.revision, newest.content) == (2, "second")
    assert (old.content, old.attachments) == ("first", (("b.txt", "2"), ("a/ü.txt", "1")))
    assert old.at == driver.now
    assert await store.content(ID, Kind.REQUIREMENTS, 9) is None
    assert await store.content(ID, Kind.SOLUTION_GUIDE) is None


async def test_events_are_dense_and_can_be_followed(store: ExecutionStore) -> None:
    await store.create(started())
    driver = StoreDriver(store)
    await driver.delegate(Kind.REQUIREMENTS)
    await driver.submit(Kind.REQUIREMENTS, "x", ())
    events = await store.events(ID)
    assert [e.seq for e in events] == [1, 2, 3]
    assert await store.events(ID, after=1, limit=1) == [events[1]]
    assert await store.events(ID, after=3) == []
    assert events[2].deliverable is Kind.REQUIREMENTS


async def test_pillars_are_kept_by_basis(store: ExecutionStore) -> None:
    await store.create(started())
    driver = StoreDriver(store)
    await driver.to_recommendations()
    task, claim = await driver.begin(Kind.DESIGN_RECOMMENDATIONS)
    for pillar in ("security", "reliability"):
        await store.transact(
            ID,
            lambda e, p=pillar: delegations.keep_pillar(e, task, claim, p, f"- {p}", NONE, START),
        )
    assert await store.pillars(ID, 1) == {"security": "- security", "reliability": "- reliability"}
    assert await store.pillars(ID, 2) == {}


async def test_lists_by_owner_and_session_newest_first(store: ExecutionStore) -> None:
    await store.create(started("a", "ann", "s1"))
    await store.create(started("b", "bob", "s1"))
    await store.create(started("c", "ann", "s2"))
    later = START + timedelta(hours=1)
    await store.transact(ExecutionId("a"), lambda e: waits.tell(e, "x", "ann", later))
    assert (await store.list())[0].id == "a"
    assert {s.id for s in await store.list(owner="ann")} == {"a", "c"}
    assert {s.id for s in await store.list(session=SessionId("s1"))} == {"a", "b"}
    assert len(await store.list(limit=2)) == 2
    summary = (await store.list(owner="bob"))[0]
    assert (summary.status, summary.phase) == (Status.WORKING, Phase.REQUIREMENTS_DISCOVERY)


async def test_a_waiting_execution_is_listed_as_such(store: ExecutionStore) -> None:
    await store.create(started())
    driver = StoreDriver(store)
    await driver.turn(turns.AskUser(questions=(turns.TurnQuestion(text="Who?"),)))
    summary = (await store.list())[0]
    assert (summary.status, summary.waiting_for) == (Status.WAITING, WaitKind.QUESTIONS)
    assert (await store.load(ID)).wait is not None


async def test_stalled_finds_by_time_and_not_the_finished(store: ExecutionStore) -> None:
    await store.create(started("a"))
    await store.create(started("b"))
    await store.transact(ExecutionId("b"), lambda e: lifecycle.cancel(e, "ann", START))
    assert await store.stalled(START + timedelta(minutes=9)) == []
    assert await store.stalled(START + timedelta(minutes=11)) == ["a"]


class StoreDriver:
    """Drives one Execution through a store."""

    def __init__(self, store: ExecutionStore) -> None:
        self.store = store
        self.now = START

    async def turn(self, *actions: turns.Action) -> None:
        def begin(e: Execution):
            task = next(t for t in due_tasks(e) if t.deliverable is None)
            return turns.begin_turn(e, task, "h", 0, self.now, LEASE)

        claim = (await self.store.transact(ID, begin)).turn.claim
        assert claim is not None
        await self.store.transact(
            ID, lambda e: turns.end_turn(e, claim, actions, "", NONE, self.now)
        )

    async def delegate(self, *kinds: Kind) -> None:
        await self.turn(turns.Delegate(kinds=kinds))

    async def begin(self, kind: Kind):
        execution = await self.store.load(ID)
        task = next(t for t in due_tasks(execution) if t.deliverable is kind)
        execution = await self.store.transact(
            ID, lambda e: delegations.begin_delegation(e, task, "h", 0, self.now, LEASE)
        )
        claim = execution.work[kind].claim
        assert claim is not None
        return task, claim

    async def submit(self, kind: Kind, text: str, files: tuple[tuple[str, str], ...]) -> None:
        task, claim = await self.begin(kind)
        sent = submission(text).model_copy(update={"attachments": files})
        await self.store.transact(
            ID, lambda e: delegations.submit(e, task, claim, sent, NONE, self.now)
        )

    async def to_recommendations(self) -> None:
        for kind in (Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION):
            await self.delegate(kind)
            await self.submit(kind, "x", ())
        await self.turn(turns.RequestApproval(phase=Phase.REQUIREMENTS_DISCOVERY, summary="s"))
        wait = (await self.store.load(ID)).wait
        assert wait is not None
        decision = parse_decision(
            {
                "wait": wait.id,
                "shown": wait.shown,
                "approval": {"phase": wait.phase, "decision": "approve"},
            }
        )
        await self.store.transact(ID, lambda e: waits.decide(e, decision, "ann", self.now))
        await self.delegate(Kind.PRODUCT_SELECTION)
        await self.submit(Kind.PRODUCT_SELECTION, "x", ())
        await self.delegate(Kind.DESIGN_RECOMMENDATIONS)
