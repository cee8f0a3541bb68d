"""A process that ends gives its claim back; what a store refuses for good is a recorded failure."""

from __future__ import annotations

import asyncio

from agents.fake_runtime import Calls, FakeRuntime, ScriptedTeam, When
from agents.runtime import AgentTask, Outcome, RoleSpec
from engine.deliverables import Kind
from engine.execution import Execution, ExecutionId, due_tasks
from engine.ports import Command, Delivery, StoreError
from engine.stores.memory import MemoryStore
from tests.support.team import contents, make_runs
from tests.unit.test_publishing import ID, House


async def test_a_stopped_run_gives_its_claim_back_and_the_queue_keeps_the_task() -> None:
    began = asyncio.Event()

    async def stuck(role: RoleSpec, task: AgentTask, calls: Calls) -> Outcome:
        began.set()
        await asyncio.sleep(3600)
        raise AssertionError

    house = await House(None).start()
    runtime = FakeRuntime([(When("orchestrator", run=1), stuck)], default=ScriptedTeam(contents))
    house.runs = make_runs(house.store, house.queue, house.clock, runtime)
    house.runs.stopping = asyncio.Event()
    (task,) = due_tasks(await house.store.load(ID))
    run = asyncio.create_task(house.runs.handle(Delivery(task, 0)))
    await began.wait()
    assert (await house.store.load(ID)).turn.claim is not None
    house.runs.stopping.set()
    assert await run == 503
    assert (await house.store.load(ID)).turn.claim is None
    house.restart()
    assert await house.runs.handle(Delivery(task, 1)) == 200
    assert (await house.store.load(ID)).turn.n == 1


async def test_nothing_is_started_once_the_process_ends() -> None:
    house = await House(None).start()
    house.runs.stopping = asyncio.Event()
    house.runs.stopping.set()
    (task,) = due_tasks(await house.store.load(ID))
    assert await house.runs.handle(Delivery(task, 0)) == 503
    after = await house.store.load(ID)
    assert after.turn.claim is None
    assert due_tasks(after) == (task,)


class Narrow(MemoryStore):
    """Refuses contents, as a store does with one that is too large."""

    async def transact(self, execution: ExecutionId, command: Command) -> Execution:
        before = await self.load(execution)
        if any(type(write).__name__ == "ContentWrite" for write in command(before).writes):
            raise StoreError("the content is too large: shorten it")
        return await super().transact(execution, command)


async def test_a_content_that_the_store_refuses_is_a_recorded_failure() -> None:
    house = House(None)
    house.store = Narrow()
    house.executions.store = house.executions._commits.store = house.store
    house.restart()
    await house.start()
    await house.work()
    execution = await house.store.load(ID)
    assert execution.status.value == "failed"
    assert "too large: shorten it" in (execution.failure or "")
    assert Kind.REQUIREMENTS in {e.deliverable for e in await house.store.events(ID)}
