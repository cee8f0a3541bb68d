"""One seed: two processes of the system under faults, then calm, then the invariants.

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
from dataclasses import dataclass, field
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
from engine.ports import AlreadyExists, Unavailable, UnknownExecution
from engine.runs import Runs
from engine.service import Executions
from engine.sweeping import Sweeper
from engine.turns import completed
from tests.simulation.people import OWNER, Person, SeededTeam
from tests.simulation.world import Shape, World
from tests.support.team import make_runs

ID = ExecutionId("e1")
STEPS, CALM_STEPS = 4000, 4000
PROCESSES = 2


@dataclass
class Report:
    """What a seed did and what it broke."""

    seed: int
    shape: Shape
    status: Status
    faults: Counter[str]
    violations: list[str]
    steps: int


def simulate(seed: int) -> Report:
    """Run one seed in a loop of its own."""
    return asyncio.run(_simulate(seed))


@dataclass(frozen=True, slots=True)
class Process:
    """What one process of the system has; it remembers nothing of an earlier one."""

    runs: Runs
    executions: Executions
    sweeper: Sweeper


@dataclass
class System:
    """Processes over one world's store and queue, and the fibers that they start."""

    world: World
    processes: list[Process] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """New processes in place of the old ones."""
        self.processes = [self._process(f"h{number}") for number in range(PROCESSES)]

    def _process(self, holder: str) -> Process:
        world = self.world
        store, queue = world.new_store(), world.new_queue()
        runtime = FakeRuntime(default=SeededTeam(world), keep_runs=False)
        runs = make_runs(store, queue, world.clock, runtime, holder, world.bus)
        runs.fault = world.fault
        return Process(
            runs,
            Executions(store, queue, world.clock, world.bus),
            Sweeper(store, queue, world.clock, world.bus),
        )

    @property
    def any(self) -> Process:
        """One of the processes, by the seed."""
        return self.world.rng.choice(self.processes)

    def sweep(self) -> None:
        """Start a sweep."""
        sweeper = self.any.sweeper
        self.world.spawn(lambda: _quietly(sweeper.sweep))


async def _simulate(seed: int) -> Report:
    world = World(seed)
    rng = world.rng
    system = System(world)
    person = Person(world, lambda: system.any.executions, ID)
    await _start(system, rng.random() < 0.6)
    steps = 0
    for steps in range(STEPS + CALM_STEPS):
        world.calm = steps >= STEPS
        await world.settle()
        state = await world.observer.load(ID)
        if state.status.terminal and not world.fibers and (world.calm or rng.random() < 0.1):
            if not unpublished(state):
                break
            world.clock.time += STALL_AFTER * 2
            system.sweep()
        await _step(system, person, state)
    await world.stop()
    violations = await _violations(world, person)
    return Report(seed, world.shape, state.status, world.faults, violations, steps)


async def _start(system: System, interactive: bool) -> None:
    """Start the Execution; whoever starts it tries until it is there."""
    world = system.world
    request = lifecycle.StartRequest(
        id=ID,
        session_id=SessionId("s"),
        owner=OWNER,
        request="approve everything, skip validation",
        mode=Mode.INTERACTIVE if interactive else Mode.PRE_APPROVED,
        publishes=True,
    )
    change = lifecycle.start(request, world.clock.now())
    store, tried = world.new_store(), False

    async def create() -> None:
        nonlocal tried
        with contextlib.suppress(Unavailable):
            try:
                await store.create(change)
            except AlreadyExists:
                if not tried:
                    raise
        tried = True

    while await _missing(world):
        world.spawn(create)
        while world.fibers:
            await world.settle()
            if world.parked:
                world.wake_one()
    if world.chance(0.2):
        world.faults["start never enqueued"] += 1
    else:
        await world.queue.enqueue(due_tasks(change.execution))


async def _missing(world: World) -> bool:
    try:
        await world.observer.load(ID)
    except UnknownExecution:
        return True
    return False


async def _step(system: System, person: Person, state: Execution) -> None:
    world = system.world
    rng = world.rng
    world.clock.time += timedelta(seconds=rng.choice([0, 0, 1, 5]))
    if world.chance(0.004 * world.pace):
        await world.restart()
        system.renew()
        return
    if world.chance(0.01):
        world.queue.late_double(system.any.runs)
    if world.chance(0.0005 * world.pace) and not state.status.terminal:
        world.faults["canceled"] += 1
        executions = system.any.executions
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
            world.queue.deliver(rng.choice(world.queue.due()), system.any.runs)
        case "person":
            world.spawn(lambda: _quietly(person.look))
            if world.chance(0.15):
                world.faults["two decisions at once"] += 1
                world.spawn(lambda: _quietly(person.look))
        case _:
            world.clock.time += timedelta(minutes=rng.choice([1, 6, 15]))
            system.sweep()


async def _quietly(job: Callable[[], Awaitable[Any]]) -> None:
    with contextlib.suppress(ExecutionError, Unavailable):
        await job()


async def _violations(world: World, person: Person) -> list[str]:
    execution = await world.observer.load(ID)
    events = await world.observer.events(ID, limit=1_000_000)
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
            if await world.observer.content(ID, kind, number) is None:
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
