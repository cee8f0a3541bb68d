"""Every event is published at least once and in order, at no cost in commits.

1. A consumer that drops doubles by number hears each event once, in order, whatever crashes.
2. A running Execution takes as many commits with a bus as without; one more when it ended.
3. A bus that is down fails nothing, and the sweeper publishes what it missed.
4. Without a bus nothing changes.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from agents.fake_runtime import FakeRuntime, ScriptedTeam
from engine import lifecycle
from engine.execution import (
    STALL_AFTER,
    ExecutionId,
    Mode,
    SessionId,
    Status,
    Task,
    due_tasks,
    unpublished,
)
from engine.ports import Delivery
from engine.runs import FaultPoint
from engine.service import Executions
from engine.stores.memory import MemoryStore
from engine.sweeping import Sweeper, Swept
from tests.support.buses import ListBus
from tests.support.histories import START
from tests.support.team import FixedClock, contents, make_runs

ID = ExecutionId("e1")


class DropQueue:
    """Tasks are a function of the state; the tests deliver them."""

    async def enqueue(self, tasks) -> None:
        self.last = tuple(tasks)


class Crash(BaseException):
    """The process is gone."""


class House:
    """An Execution, delivered by hand, with a bus or without."""

    def __init__(self, bus: ListBus | None) -> None:
        self.store, self.queue, self.clock, self.bus = (
            MemoryStore(),
            DropQueue(),
            FixedClock(START),
            bus,
        )
        self.executions = Executions(self.store, self.queue, self.clock, bus)
        self.restart()

    def restart(self) -> None:
        runtime = FakeRuntime(default=ScriptedTeam(contents), keep_runs=False)
        self.runs = make_runs(self.store, self.queue, self.clock, runtime, bus=self.bus)

    async def start(self, mode: Mode = Mode.PRE_APPROVED) -> House:
        await self.executions.start(
            lifecycle.StartRequest(
                id=ID, session_id=SessionId("s"), owner="ann", request="r", mode=mode
            )
        )
        return self

    async def work(self, limit: int = 200) -> None:
        for _ in range(limit):
            due = due_tasks(await self.store.load(ID))
            if not due:
                return
            self.clock.time += timedelta(seconds=1)
            assert await self.runs.handle(Delivery(due[0], 0)) == 200

    async def sweep(self, later: timedelta = STALL_AFTER * 2) -> Swept:
        self.clock.time += later
        return await Sweeper(self.store, self.queue, self.clock, self.bus).sweep()

    async def numbers(self) -> list[int]:
        return [event.seq for event in await self.store.events(ID)]


async def test_each_event_is_heard_once_in_order_and_the_end_is_marked() -> None:
    house = await House(ListBus()).start()
    await house.work()
    execution = await house.store.load(ID)
    assert execution.status is Status.COMPLETED
    assert house.bus.heard(ID) == await house.numbers()
    assert execution.published == execution.last_event
    assert execution.stalls_at is None


async def test_publishing_costs_no_commit_but_the_last_mark() -> None:
    with_bus, without = await House(ListBus()).start(), await House(None).start()
    await with_bus.work()
    await without.work()
    revs = [(await house.store.load(ID)).rev for house in (with_bus, without)]
    assert revs[0] == revs[1] + 1


async def test_without_a_bus_nothing_stays_to_be_published() -> None:
    house = await House(None).start()
    await house.work()
    execution = await house.store.load(ID)
    assert (execution.published, execution.stalls_at, unpublished(execution)) == (0, None, False)


async def test_a_bus_that_is_down_fails_nothing_and_the_sweeper_publishes_later() -> None:
    down = True
    house = await House(ListBus(lambda: down)).start()
    await house.work()
    execution = await house.store.load(ID)
    assert (execution.status, execution.published) == (Status.COMPLETED, 0)
    assert execution.stalls_at is not None
    assert house.bus.published == []
    assert (await house.sweep()).published == 1
    assert (await house.store.load(ID)).published == 0
    down = False
    await house.sweep()
    after = await house.store.load(ID)
    assert house.bus.heard(ID) == await house.numbers()
    assert (after.published, after.stalls_at) == (after.last_event, None)
    assert await house.sweep() == Swept()


@pytest.mark.parametrize("point", list(FaultPoint))
@pytest.mark.parametrize("number", [1, 7, 15])
async def test_a_crash_anywhere_loses_no_event(point: FaultPoint, number: int) -> None:
    seen = 0

    async def crash(at: FaultPoint, task: Task) -> None:
        nonlocal seen
        if at is point:
            seen += 1
            if seen == number:
                raise Crash

    house = await House(ListBus()).start()
    house.runs.fault = crash
    with pytest.raises(Crash):
        await house.work()
    house.restart()
    house.clock.time += timedelta(hours=1)  # claims of the dead process are over
    await house.work()
    await house.sweep()
    assert (await house.store.load(ID)).status is Status.COMPLETED
    assert house.bus.heard(ID) == await house.numbers()


async def test_while_a_person_is_waited_for_the_sweeper_publishes_and_marks_once() -> None:
    down = True
    house = await House(ListBus(lambda: down)).start(Mode.INTERACTIVE)
    await house.work()
    waiting = await house.store.load(ID)
    assert waiting.wait is not None
    assert waiting.stalls_at is not None
    assert waiting.stalls_at < waiting.wait.expires_at
    down = False
    await house.sweep()
    marked = await house.store.load(ID)
    assert marked.having(rev=0, published=0, stalls_at=None) == waiting.having(
        rev=0, published=0, stalls_at=None
    )
    assert marked.stalls_at == waiting.wait.expires_at
    assert house.bus.heard(ID) == await house.numbers()


async def test_commands_of_people_are_published_too() -> None:
    house = await House(ListBus()).start(Mode.INTERACTIVE)
    await house.work()
    await house.executions.cancel(ID, "ann")
    execution = await house.store.load(ID)
    assert house.bus.heard(ID) == await house.numbers()
    assert (execution.published, execution.stalls_at) == (execution.last_event, None)


# -- the sweeper's other work --------------------------------------------------------------------


async def test_stalled_work_is_redriven_once_and_not_before_its_time() -> None:
    house = await House(None).start()
    assert await house.sweep(timedelta(minutes=1)) == Swept()
    assert await house.sweep() == Swept(found=1, redriven=1)
    assert house.queue.last[0].redrive == 1
    assert await house.sweep(timedelta(0)) == Swept()


async def test_a_wait_that_lasted_too_long_expires() -> None:
    house = await House(ListBus()).start(Mode.INTERACTIVE)
    await house.work()
    assert (await house.sweep(timedelta(days=29))).expired == 0
    assert (await house.sweep(timedelta(days=2))).expired == 1
    execution = await house.store.load(ID)
    assert (execution.status, execution.stalls_at) == (Status.EXPIRED, None)
    assert house.bus.heard(ID) == await house.numbers()


async def test_an_execution_of_another_graph_is_failed_with_the_reason() -> None:
    house = await House(None).start()
    record = house.store._record(ID)
    record.execution = record.execution.model_copy(update={"graph": "other"})
    assert await house.sweep() == Swept(found=1, failed=1)
    assert "finish it with the version" in ((await house.store.load(ID)).failure or "")
