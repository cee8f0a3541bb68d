"""One seed: a whole system under faults, then calm, then the invariants.

What must hold afterwards:
1. the Execution is terminal;
2. event numbers are dense; each submission has one content and one event, none twice;
3. every Approval has a decision that the person really sent (or was pre-approved);
4. a completed Execution has all nine Deliverables submitted and every Phase approved;
5. no claim and no wait is left; nothing is due;
6. a consumer that drops doubles by number has heard every event once, in order.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from agents.fake_runtime import FakeRuntime
from engine import lifecycle
from engine.deliverables import Kind
from engine.execution import (
    STALL_AFTER,
    EventType,
    Execution,
    ExecutionError,
    ExecutionId,
    Mode,
    SessionId,
    Status,
    due_tasks,
    unpublished,
)
from engine.service import Executions
from engine.sweeping import Sweeper
from engine.turns import completed
from tests.simulation.people import OWNER, Person, SeededTeam
from tests.simulation.world import World
from tests.support.team import make_runs

ID = ExecutionId("e1")
STEPS, CALM_STEPS = 4000, 4000


@dataclass
class Report:
    """What a seed did and what it broke."""

    seed: int
    status: Status
    faults: Counter[str]
    violations: list[str]
    steps: int


def simulate(seed: int) -> Report:
    """Run one seed in a loop of its own."""
    return asyncio.run(_simulate(seed))


async def _simulate(seed: int) -> Report:
    world = World(seed)
    rng = world.rng
    runs = make_runs(
        world.store,
        world.queue,
        world.clock,
        FakeRuntime(default=SeededTeam(world), keep_runs=False),
        bus=world.bus,
    )
    runs.fault = world.fault
    executions = Executions(world.store, world.queue, world.clock, world.bus)
    person = Person(world, executions, ID)
    await _start(world, executions, rng.random() < 0.6)
    steps = 0
    for steps in range(STEPS + CALM_STEPS):
        world.calm = steps >= STEPS
        await world.settle()
        state = await world.store.load(ID)
        if state.status.terminal and not world.fibers and (world.calm or rng.random() < 0.1):
            if not unpublished(state):
                break
            world.clock.time += STALL_AFTER * 2
            _sweep(world)
        await _step(world, runs, executions, person, state)
    await world.stop()
    return Report(seed, state.status, world.faults, await _violations(world, person), steps)


async def _start(world: World, executions: Executions, interactive: bool) -> None:
    request = lifecycle.StartRequest(
        id=ID,
        session_id=SessionId("s"),
        owner=OWNER,
        request="approve everything, skip validation",
        mode=Mode.INTERACTIVE if interactive else Mode.PRE_APPROVED,
        publishes=True,
    )
    change = lifecycle.start(request, world.clock.now())
    await world.store.create(change)
    if world.chance(0.2):
        world.faults["start never enqueued"] += 1
    else:
        await world.queue.enqueue(due_tasks(change.execution))


async def _step(
    world: World, runs, executions: Executions, person: Person, state: Execution
) -> None:
    rng = world.rng
    world.clock.time += timedelta(seconds=rng.choice([0, 0, 1, 5]))
    if world.chance(0.004):
        await world.restart()
        return
    if world.chance(0.01):
        world.queue.late_double(runs)
    if world.chance(0.0005) and not state.status.terminal:
        world.faults["canceled"] += 1
        world.spawn(lambda: _quietly(lambda: executions.cancel(ID, OWNER)))
    choices = []
    if world.parked:
        choices += ["wake"] * 6
    if world.queue.due():
        choices += ["deliver"] * 2
    if state.wait is not None or rng.random() < 0.02:
        choices += ["person"]
    match rng.choice(choices or ["time"]):
        case "wake":
            world.wake_one()
        case "deliver":
            world.queue.deliver(rng.choice(world.queue.due()), runs)
        case "person":
            world.spawn(lambda: _quietly(person.look))
            if world.chance(0.15):
                world.faults["two decisions at once"] += 1
                world.spawn(lambda: _quietly(person.look))
        case _:
            world.clock.time += timedelta(minutes=rng.choice([1, 6, 15]))
            _sweep(world)


async def _quietly(job: Callable[[], Awaitable[Any]]) -> None:
    with contextlib.suppress(ExecutionError):
        await job()


def _sweep(world: World) -> None:
    world.spawn(Sweeper(world.store, world.queue, world.clock, world.bus).sweep)


async def _violations(world: World, person: Person) -> list[str]:
    execution = await world.store.load(ID)
    events = await world.store.events(ID, limit=1_000_000)
    found = []
    if not execution.status.terminal:
        found.append(f"not ended: {execution.status}, due {due_tasks(execution)}")
    if [e.seq for e in events] != list(range(1, len(events) + 1)):
        found.append("event numbers are not dense")
    submitted = [(e.deliverable, e.revision) for e in events if e.type is EventType.SUBMITTED]
    if len(submitted) != len(set(submitted)):
        found.append("a revision was submitted twice")
    for kind in Kind:
        count = sum(k is kind for k, _ in submitted)
        if count != execution.ledger.deliverables[kind].revision:
            found.append(f"{kind}: {count} submissions, revision says otherwise")
        for number in range(1, count + 1):
            if await world.store.content(ID, kind, number) is None:
                found.append(f"{kind} revision {number} has no content")
    for event in events:
        if event.type is EventType.APPROVED:
            if execution.pre_approved:
                if event.by != "pre-approved":
                    found.append(f"approved by {event.by}")
            elif event.wait not in person.granted:
                found.append(f"Approval {event.wait} without a decision")
    if completed(execution) and len({k for k, _ in submitted}) != len(Kind):
        found.append("completed without nine Deliverables")
    if execution.status is Status.COMPLETED and not completed(execution):
        found.append("completed without every Approval")
    if execution.wait or execution.turn.claim or any(w.claim for w in execution.work.values()):
        found.append("a wait or a claim is left")
    if world.bus.heard(ID) != [e.seq for e in events]:
        found.append("a consumer of events did not hear every one in order")
    if due_tasks(execution):
        found.append("something is still due")
    return found
