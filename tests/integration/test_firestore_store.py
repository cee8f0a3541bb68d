"""What only the Firestore store can do wrong, on the emulator; the adapter's wire is counted.

1. Several processes on one Execution lose nothing; a missed answer neither loses nor doubles.
2. What does not fit is refused before a request is made.
3. The documents are what operators read; what they cost is counted.
4. Each event loop has a client of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from pathlib import Path

import google.auth
import pytest
from google.api_core import exceptions
from google.auth.exceptions import DefaultCredentialsError
from google.cloud.firestore_v1 import AsyncClient, FieldFilter

from agents.fake_runtime import FakeRuntime, ScriptedTeam
from engine import lifecycle, turns, waits
from engine.decisions import parse_decision
from engine.deliverables import Kind
from engine.execution import Change, ContentWrite, ExecutionId, SessionId, Status, Task
from engine.ports import Delivery, StoreError, SystemClock, Unavailable, Unreadable
from engine.service import Executions
from engine.stores.database import Patience, TooLarge
from engine.stores.firestore import FirestoreStore
from tests.benchmarks.workload import TEXT, contents
from tests.support.firestore_wire import Wire, lost_answer, once
from tests.support.histories import START, History
from tests.support.team import PassingContracts, make_runs

ID = ExecutionId("e1")
REQUEST = lifecycle.StartRequest(id=ID, session_id=SessionId("s1"), owner="ann", request="Größe ✓")
LONG = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
async def store(firestore_project: str) -> AsyncIterator[FirestoreStore]:
    store = FirestoreStore(firestore_project)
    yield store
    await store.close()


@pytest.fixture
async def client(firestore_project: str) -> AsyncIterator[AsyncClient]:
    """Google's own client, which knows nothing of ours."""
    client = AsyncClient(project=firestore_project)
    yield client
    await client._firestore_api.transport.close()


def tell(text: str):
    return lambda e: waits.tell(e, text, "ann", START)


def keep(revision: int, text: str, files: tuple[tuple[str, str], ...] = ()):
    kind = Kind.DEPLOYMENT_GUIDANCE

    def command(execution):
        ledger = execution.ledger
        entry = ledger.deliverables[kind].having(revision=revision)
        ledger = ledger.having(deliverables={**ledger.deliverables, kind: entry})
        write = ContentWrite(kind, revision, text, files, "d1", START)
        return Change(execution.having(rev=execution.rev + 1, ledger=ledger), (), (write,))

    return command


async def test_every_state_of_a_history_is_read_back_equal(firestore_project: str) -> None:
    store, reader = FirestoreStore(firestore_project), FirestoreStore(firestore_project)
    states = []

    class Recorder(History):
        def take(self, change: Change):
            states.append(change.execution)
            return super().take(change)

    history = Recorder()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    history.ask(Kind.REQUIREMENTS, "Who?", "Where?", permission=True)
    whole = Recorder()
    whole.whole()
    for number, state in enumerate(states):
        state = state.having(id=ExecutionId(f"e{number}"))
        await store.create(Change(state))
        assert await reader.load(state.id) == state
    assert whole.execution.status is Status.COMPLETED
    await store.close()
    await reader.close()


async def test_eight_processes_at_once_lose_nothing(firestore_project: str) -> None:
    stores = [FirestoreStore(firestore_project) for _ in range(8)]
    await stores[0].create(lifecycle.start(REQUEST, START))

    async def say(number: int) -> None:
        for n in range(3):
            await stores[number].transact(ID, tell(f"{number}-{n}"))

    await asyncio.gather(*map(say, range(8)))
    assert (await stores[0].load(ID)).rev == 25
    messages = await stores[1].messages(ID)
    assert [m.seq for m in messages] == list(range(1, 26))
    assert sorted(m.text for m in messages[1:]) == [f"{a}-{n}" for a in range(8) for n in range(3)]
    for store in stores:
        await store.close()


@pytest.mark.parametrize(
    "error",
    [
        exceptions.DeadlineExceeded("too late"),
        exceptions.ServiceUnavailable("connection reset"),
        exceptions.InternalServerError("?"),
        exceptions.Aborted("contention"),
        exceptions.ResourceExhausted("quota"),
    ],
)
async def test_a_commit_whose_answer_is_missed_counts_once(
    store: FirestoreStore, firestore_project: str, error: Exception
) -> None:
    await store.create(lifecycle.start(REQUEST, START))
    wire, other = Wire(store), FirestoreStore(firestore_project)
    wire.faults = [lost_answer(error)]
    assert (await store.transact(ID, tell("a"))).rev == 2
    wire.faults = [lost_answer(error, lambda: other.transact(ID, tell("between")))]
    assert (await store.transact(ID, tell("b"))).rev == 3
    wire.faults = [once(error), once(error), lost_answer(error)]
    await store.transact(ID, tell("c"))
    wire.faults = [once(error)]
    await store.transact(ID, tell("d"))
    assert [m.text for m in await other.messages(ID, 1)] == ["a", "b", "between", "c", "d"]
    assert (await store.load(ID)).rev == 6
    await other.close()


async def test_a_creation_whose_answer_is_missed_is_no_double(store: FirestoreStore) -> None:
    wire = Wire(store)
    wire.faults = [lost_answer(exceptions.DeadlineExceeded("too late"))]
    await store.create(lifecycle.start(REQUEST, START))
    assert len(await store.messages(ID)) == 1
    assert wire.refused == 0


async def test_content_that_does_not_fit_makes_no_request(store: FirestoreStore) -> None:
    await store.create(lifecycle.start(REQUEST, START))
    wire = Wire(store)
    with pytest.raises(TooLarge, match=r"the content of deployment_guidance \(revision 1\) takes"):
        await store.transact(ID, keep(1, "x" * 1_048_487))
    with pytest.raises(TooLarge, match=r"attachment a\.tf of deployment_guidance .* takes"):
        await store.transact(ID, keep(1, "x", (("a.tf", "x" * 1_200_000),)))
    files = tuple((f"{n}.tf", "x" * (1_000_000 + n)) for n in range(4))
    with pytest.raises(TooLarge, match=r"written at once.*attachment 3\.tf .* with 1,000,"):
        await store.transact(ID, keep(1, "x" * 300_000, files))
    assert wire.requests == 0
    assert (await store.load(ID)).rev == 1


async def test_the_largest_content_is_taken_and_kept_when_it_is_revised(
    store: FirestoreStore, firestore_project: str, client: AsyncClient
) -> None:
    """Our count of a document's size is the emulator's, to the byte."""
    await store.create(lifecycle.start(REQUEST, START))
    with pytest.raises(TooLarge) as raised:
        await store.transact(ID, keep(1, "x" * 1_048_576))
    takes = int(re.search(r"takes ([\d,]+) bytes", str(raised.value))[1].replace(",", ""))
    size = 1_048_576 - (takes - 1_048_576)
    with pytest.raises(TooLarge, match="takes 1,048,577 bytes"):
        await store.transact(ID, keep(1, "x" * (size + 1)))
    await store.transact(ID, keep(1, "x" * size))
    await store.transact(ID, keep(2, "y"))
    reader = FirestoreStore(firestore_project)
    old = await reader.content(ID, Kind.DEPLOYMENT_GUIDANCE, 1)
    assert old is not None
    assert len(old.content) == size
    await reader.close()
    place = client.document("executions/e1/deliverables/deployment_guidance/revisions/0001")
    with pytest.raises(exceptions.InvalidArgument, match="maximum entity size"):
        await place.update({"content": "x" * (size + 1)})


async def test_four_megabytes_in_one_submission_are_stored(store: FirestoreStore) -> None:
    """The contracts take 4,000,000 bytes of content and attachments together."""
    await store.create(lifecycle.start(REQUEST, START))
    files = tuple((f"{n}.tf", "x" * 1_000_000) for n in range(3))
    await store.transact(ID, keep(1, "x" * 1_000_000, files))
    await store.transact(ID, keep(2, "y" * 1_000_000, files))
    found = await store.content(ID, Kind.DEPLOYMENT_GUIDANCE, 1)
    assert found is not None
    assert found.attachments == files


async def test_documents_are_what_an_operator_reads(
    store: FirestoreStore, client: AsyncClient
) -> None:
    await Doors(store, lambda: store, lambda: store).whole("e1")
    await store.transact(ID, keep(2, "second", (("terraform/main.tf", "x"),)))
    document = (await client.document("executions/e1").get()).to_dict()
    assert {name: document[name] for name in ("owner", "session_id", "mode", "status")} == {
        "owner": "ann",
        "session_id": "s1",
        "mode": "interactive",
        "status": "completed",
    }
    assert (document["phase"], document["waiting_for"]) == ("packaging", None)
    assert isinstance(document["updated_at"], datetime)
    assert document["stalls_at"] is None
    assert document["schema_version"] == 1
    assert len(document["graph_fingerprint"]) == 12
    approved = document["ledger"]["phases"]["packaging"]
    assert (approved["status"], approved["approved_by"]) == ("approved", "ann")
    assert document["ledger"]["deliverables"]["requirements"]["state"] == "submitted"
    assert document["delegations"]["requirements"] == {"attempt": 1}
    assert [e["type"] for e in document["recent_events"]][-1] == "completed"

    pages = [d async for d in client.collection("executions/e1/events").stream()]
    assert [d.id for d in pages] == ["000001", "000009", "000017"]
    events = [event for page in pages for event in page.to_dict()["events"]]
    assert [e["number"] for e in events] == list(range(1, 25))
    assert events[2]["type"] == "submitted"
    assert events[2]["deliverable"] == "requirements"

    message = (await client.document("executions/e1/messages/000001").get()).to_dict()
    assert (message["role"], message["by"], message["text"]) == ("user", "ann", TEXT)

    place = "executions/e1/deliverables/deployment_guidance"
    current = (await client.document(place).get()).to_dict()
    assert (current["revision"], current["content"]) == (2, "second")
    assert current["attachments"] == ["terraform/main.tf"]
    first = (await client.document(f"{place}/revisions/0001").get()).to_dict()
    assert first["content"] == contents("deployment_guidance")[0]
    files = [d async for d in client.collection(f"{place}/attachments").stream()]
    assert [d.id for d in files] == ["0001-terraform%2Fmain.tf", "0002-terraform%2Fmain.tf"]
    assert files[0].to_dict() == {"path": "terraform/main.tf", "revision": 1, "text": TEXT}

    pillars = [d async for d in client.collection("executions/e1/pillars").stream()]
    assert "1-security" in [d.id for d in pillars]
    stalled = client.collection("executions").where(filter=FieldFilter("stalls_at", "<", LONG))
    assert [d.id async for d in stalled.stream()] == []


async def test_a_newer_or_damaged_document_is_unreadable_and_left(
    store: FirestoreStore, client: AsyncClient
) -> None:
    await store.create(lifecycle.start(REQUEST, START))
    document = client.document("executions/e1")
    for patch, why in (
        ({"schema_version": 2}, "version 2 and this program knows 1"),
        ({"schema_version": 1, "invented": 1.5}, "invented.*newer version"),
    ):
        await document.update(patch)
        before = (await document.get()).to_dict()
        for call in (store.load(ID), store.transact(ID, tell("x"))):
            with pytest.raises(Unreadable, match=why):
                await call
        assert (await document.get()).to_dict() == before


async def test_a_database_that_does_not_answer_is_unavailable(
    store: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:9")
    nobody = FirestoreStore("p", patience=Patience(whole=0, attempt=5, first=0, longest=0))
    for call in (nobody.load(ID), nobody.list(), nobody.create(lifecycle.start(REQUEST, START))):
        with pytest.raises(Unavailable, match="try again later"):
            await call
    await nobody.close()


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (exceptions.PermissionDenied("no"), r"roles/datastore\.user"),
        (exceptions.Unauthenticated("who"), "did not let us in"),
        (exceptions.InvalidArgument("bad field"), "refused the request: .*bad field"),
        (
            exceptions.NotFound("The database (default) does not exist for project p"),
            "not set up",
        ),
    ],
)
async def test_what_no_retry_mends_is_said_at_once(
    store: FirestoreStore, error: Exception, why: str
) -> None:
    await store.create(lifecycle.start(REQUEST, START))
    wire = Wire(store)
    wire.faults = [once(error)]
    with pytest.raises(StoreError, match=why) as raised:
        await store.transact(ID, tell("x"))
    assert not isinstance(raised.value, Unavailable)
    assert wire.requests == 1


async def test_without_credentials_or_project_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)
    monkeypatch.delenv("GOOGLE_CLOUD_PROJECT", raising=False)

    def none(**_):
        raise DefaultCredentialsError("no file")

    monkeypatch.setattr(google.auth, "default", none)
    with pytest.raises(StoreError, match="gcloud auth application-default login"):
        await FirestoreStore().load(ID)
    monkeypatch.setattr(google.auth, "default", lambda **_: (None, None))
    with pytest.raises(StoreError, match="set GOOGLE_CLOUD_PROJECT"):
        await FirestoreStore().load(ID)


def test_each_event_loop_has_its_own_client(firestore_project: str) -> None:
    store = FirestoreStore(firestore_project)

    async def first() -> object:
        await store.create(lifecycle.start(REQUEST, START))
        client = store.database.client()
        await store.close()
        return client

    async def second() -> object:
        await store.transact(ID, tell("x"))
        client = store.database.client()
        assert store.database.client() is client
        await store.close()
        return client

    assert asyncio.run(first()) is not asyncio.run(second())


# -- what it costs -----------------------------------------------------------------------------


class Waiting:
    """A queue that keeps tasks in order and knows the names it has seen."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.seen: set[str] = set()

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            if task.name not in self.seen:
                self.seen.add(task.name)
                self.tasks.append(task)


class Reading(PassingContracts):
    """Accepts everything, but reads what the real contracts read."""

    async def deliverable(self, kind, content, attachments, request, ancestors):
        if callable(ancestors):
            await ancestors()
        return await super().deliverable(kind, content, attachments, request, ancestors)

    async def pillar(self, pillar, content, request, ancestors):
        if callable(ancestors):
            await ancestors()
        return await super().pillar(pillar, content, request, ancestors)


class Doors:
    """Workload W through its doors: who starts and decides, Turns, Delegations."""

    def __init__(self, front, turn, delegation) -> None:
        self.queue = Waiting()
        self.front = front
        self.executions = Executions(front, self.queue, SystemClock())
        self.stores = {False: turn, True: delegation}

    def runs(self, task: Task):
        team = FakeRuntime(default=ScriptedTeam(contents), keep_runs=False)
        store = self.stores[task.deliverable is not None]()
        runs = make_runs(store, self.queue, SystemClock(), team)
        runs.contracts = Reading()
        return runs

    async def whole(self, id: str) -> None:
        request = REQUEST.model_copy(update={"id": ExecutionId(id), "request": TEXT})
        await self.executions.start(request)
        while True:
            while self.queue.tasks:
                task = self.queue.tasks.pop(0)
                assert await self.runs(task).handle(Delivery(task, 0)) == 200
            state = await self.front.load(ExecutionId(id))
            if state.wait is None:
                assert state.status is Status.COMPLETED
                return
            choice = {"phase": state.wait.phase, "decision": "approve"}
            decision = {"wait": state.wait.id, "shown": state.wait.shown, "approval": choice}
            await self.executions.decide(ExecutionId(id), parse_decision(decision), "ann")


@pytest.mark.parametrize("processes", [1, 3])
async def test_an_execution_costs_at_most_80_reads_and_80_writes(
    firestore_project: str, processes: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one process, and with a process each for the front, Turns and Delegations."""
    stores = [FirestoreStore(firestore_project) for _ in range(processes)]
    wires = [Wire(store) for store in stores]
    front, turn, delegation = (stores * 3)[:3]
    await Doors(front, lambda: turn, lambda: delegation).whole("e1")
    reads, writes = cost(f"{processes} process(es)", wires, capsys)
    assert reads <= 80
    assert writes <= 80
    for store in stores:
        await store.close()


async def test_what_an_execution_costs_where_no_process_remembers_anything(
    firestore_project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The dearest case: a new process for each task. It writes the same and reads more."""
    stores: list[FirestoreStore] = []
    wires: list[Wire] = []

    def fresh() -> FirestoreStore:
        stores.append(FirestoreStore(firestore_project))
        wires.append(Wire(stores[-1]))
        return stores[-1]

    await Doors(fresh(), fresh, fresh).whole("e1")
    reads, writes = cost("a new process a task", wires, capsys)
    assert reads <= 120
    assert writes <= 80
    for store in stores:
        await store.close()


def cost(what: str, wires: list[Wire], capsys: pytest.CaptureFixture[str]) -> tuple[int, int]:
    reads, writes = sum(w.reads for w in wires), sum(w.writes for w in wires)
    requests, refused = sum(w.requests for w in wires), sum(w.refused for w in wires)
    with capsys.disabled():
        print(
            f"\n  workload W, {what}: {reads} document reads, {writes} document writes, "
            f"{requests} requests, {refused} of them refused"
        )
    return reads, writes


async def test_following_costs_one_read_a_look(store: FirestoreStore) -> None:
    await Doors(store, lambda: store, lambda: store).whole("e1")
    wire = Wire(store)
    last = (await store.events(ID))[-1].seq
    assert last == 28
    wire.reads = 0
    assert await store.events(ID, last) == []
    assert wire.reads == 1
    assert [e.seq for e in await store.events(ID, last - 4)] == [25, 26, 27, 28]
    assert wire.reads == 2


async def test_the_document_does_not_grow_with_the_history(
    store: FirestoreStore, client: AsyncClient
) -> None:
    await store.create(lifecycle.start(REQUEST, START))
    sizes = []
    for number in range(40):
        await store.transact(ID, tell("x") if number == 0 else one_more_event)
        document = (await client.document("executions/e1").get()).to_dict()
        sizes.append(len(json.dumps(document, default=str)))
    assert max(sizes[20:]) <= max(sizes[:20]) + 20


def one_more_event(execution):
    return lifecycle.discard(execution, None, 1, "came too late", START)


def test_the_indexes_cover_every_query() -> None:
    text = (Path(__file__).parents[2] / "infra/firestore.indexes.json").read_text()
    indexes = json.loads(text)
    composite = [
        tuple((field["fieldPath"], field["order"]) for field in index["fields"])
        for index in indexes["indexes"]
    ]
    newest = ("updated_at", "DESCENDING")
    assert composite == [
        (("owner", "ASCENDING"), newest),
        (("session_id", "ASCENDING"), newest),
        (("owner", "ASCENDING"), ("session_id", "ASCENDING"), newest),
    ]
    unindexed = {(f["collectionGroup"], f["fieldPath"]) for f in indexes["fieldOverrides"]}
    queried = {
        ("executions", "owner"),
        ("executions", "session_id"),
        ("executions", "updated_at"),
        ("executions", "stalls_at"),
        ("events", "last"),
        ("messages", "number"),
        ("pillars", "basis"),
    }
    assert not unindexed & queried
