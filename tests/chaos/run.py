"""``python -m tests.chaos.run``: the serverless shape in real processes, under real harm.

Many Executions at once run on the emulators and the task server, which doubles, delays and
repeats deliveries and loses answers. Meanwhile processes of the doors are killed (at random, and
by themselves at named fault points), told to end, paused; the emulators are frozen for seconds;
one process is stopped beyond its claim and goes on as a zombie. People decide over the service.
Afterwards ``checks`` says what must hold. The last line sums it up, the exit code as well.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.decisions import parse_decision
from engine.execution import (
    Execution,
    ExecutionError,
    ExecutionId,
    Mode,
    SessionId,
    WaitKind,
    unpublished,
)
from engine.lifecycle import StartRequest
from engine.ports import AlreadyExists, Unavailable
from functions.cloud import Cloud
from functions.emulators import EmulatorMissing
from functions.settings import load_settings
from tests.chaos.checks import Expected, Listener, violations
from tests.chaos.house import SCALE, House, Worker

OWNER = "ann"
CALM_SECONDS = 120.0
CLAIM_SECONDS = 8.0
AFTERLIFE_SECONDS = 6.0
MORE = {
    "SOLUTION_ARCHITECT_RUN_MINUTES": "0.1",
    "SOLUTION_ARCHITECT_DISPATCH_SECONDS": "67",
    "SOLUTION_ARCHITECT_GRACE_SECONDS": "0.5",
}


@dataclass
class Report:
    """What happened. ``counts`` has kills, duplicates, discarded outcomes and more by name."""

    executions: int
    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


@dataclass
class Stopped:
    """Whom to tell of a process that has stopped itself; no work comes before ``tell`` is set."""

    tell: Callable[[Worker], object] = print


@dataclass
class Chaos:
    """One run of it."""

    house: House
    cloud: Cloud
    rng: random.Random
    expected: dict[ExecutionId, Expected]
    counts: Counter[str] = field(default_factory=Counter)
    states: dict[ExecutionId, Execution] = field(default_factory=dict)
    calm: bool = False
    zombies: asyncio.Queue[Worker] = field(default_factory=asyncio.Queue)

    # -- people --------------------------------------------------------------------------

    async def live(self, id: ExecutionId) -> None:
        """Start an Execution and decide what it waits for, until it has ended for everybody."""
        expected = self.expected[id]
        await self._start(id, expected)
        while True:
            with contextlib.suppress(Unavailable):
                state = self.states[id] = await self.cloud.store.load(id)
                if state.status.terminal and not unpublished(state):
                    return
                if not state.status.terminal:
                    await self._act(state, expected)
            await asyncio.sleep(0.5)

    async def _start(self, id: ExecutionId, expected: Expected) -> None:
        request = StartRequest(
            id=id,
            session_id=SessionId("chaos"),
            owner=OWNER,
            request="move the order platform to the cloud",
            mode=Mode.INTERACTIVE if expected.interactive else Mode.PRE_APPROVED,
        )
        while True:
            try:
                await self.cloud.executions.start(request)
                return
            except AlreadyExists:  # an attempt before was applied
                with contextlib.suppress(Unavailable):
                    await self.cloud.executions.resume(id)
                    return
            except Unavailable:
                self.counts["commands tried again"] += 1
            await asyncio.sleep(0.5)

    async def _act(self, state: Execution, expected: Expected) -> None:
        executions, wait = self.cloud.executions, state.wait
        try:
            if expected.cancel_after is not None and state.last_event >= expected.cancel_after:
                await executions.cancel(state.id, OWNER)
            elif wait is None:
                return
            elif wait.kind is WaitKind.QUESTIONS:
                answers = {question.id: "42" for question in wait.questions}
                await executions.answer(state.id, answers, OWNER)
            elif wait.kind is WaitKind.APPROVAL:
                approval = {"phase": wait.phase, "decision": "approve"}
                if self.rng.random() < 0.3:  # refused: it is bound to something else
                    wrong = {"wait": wait.id, "shown": "0000", "approval": approval}
                    with contextlib.suppress(ExecutionError):
                        await executions.decide(state.id, parse_decision(wrong), OWNER)
                expected.granted.add(wait.id)
                right = {"wait": wait.id, "shown": wait.shown, "approval": approval}
                await executions.decide(state.id, parse_decision(right), OWNER)
        except ExecutionError:  # others were first, such as an attempt before
            self.counts["commands refused"] += 1
        except Unavailable:
            self.counts["commands tried again"] += 1

    # -- harm ----------------------------------------------------------------------------

    async def harm(self) -> None:
        """Harm the house at random until it shall be calm."""
        while not self.calm:
            await asyncio.sleep(self.rng.uniform(0.5, 2.0))
            chosen = self.rng.random()
            if chosen < 0.12:
                await self._freeze(self.house.firestore.process.pid, "firestore freezes", 2, 4)
            elif chosen < 0.2:
                await self._freeze(self.house.pubsub.process.pid, "pubsub freezes", 2, 4)
            elif (victim := self.house.victim(self.rng)) is None:
                continue
            elif chosen < 0.3:
                victim.paused = True
                self.counts["pauses"] += 1
                self.house.send(victim, signal.SIGSTOP)
                await asyncio.sleep(self.rng.uniform(0.5, 3))
                self.house.send(victim, signal.SIGCONT)
                victim.paused = False
            elif chosen < 0.45:
                self.counts["told to end"] += 1
                self.house.send(victim, signal.SIGTERM)
            else:
                self.house.send(victim, signal.SIGKILL)

    async def _freeze(self, pid: int, what: str, least: float, most: float) -> None:
        self.counts[what] += 1
        os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(self.rng.uniform(least, most))
        finally:
            os.kill(pid, signal.SIGCONT)

    async def revive(self) -> None:
        """Start again what has died, for as long as this runs."""
        while True:
            self.house.revive()
            await asyncio.sleep(0.2)

    async def resurrect(self) -> None:
        """Let the zombie go on, once its claim is over and the queue has sent its task again."""
        while True:
            worker = await self.zombies.get()
            await asyncio.sleep(CLAIM_SECONDS + 67 * SCALE)
            if worker.process.poll() is None:
                break
            self.house.zombie_file.unlink()  # killed before it was known; another one, then
        self.house.send(worker, signal.SIGCONT)
        self.counts["zombies"] += 1
        await asyncio.sleep(AFTERLIFE_SECONDS)
        worker.paused = False

    async def play(self, seconds: float) -> None:
        """Everything at once; harm ends after ``seconds``, or when every Execution has ended."""
        helpers = [asyncio.create_task(job()) for job in (self.harm, self.revive, self.resurrect)]
        people = asyncio.gather(*map(self.live, self.expected))
        try:
            await asyncio.wait([people], timeout=seconds)
            self.calm = True
            await helpers[0]
            await asyncio.wait([helpers[2], people], timeout=CALM_SECONDS)
            for job in (people, helpers[2]):
                if job.done():
                    await job
        finally:
            for job in (*helpers, people):
                job.cancel()
            await asyncio.gather(*helpers, people, return_exceptions=True)


def plan(executions: int, rng: random.Random) -> dict[ExecutionId, Expected]:
    """Mostly pre-approved; every fourth is interactive, every thirteenth is canceled."""
    return {
        ExecutionId(f"chaos-{number}"): Expected(
            interactive=number % 4 == 1,
            cancel_after=rng.randrange(3, 25) if number % 13 == 12 else None,
        )
        for number in range(executions)
    }


async def chaos(house: House, executions: int, seconds: float, stopped: Stopped) -> Report:
    """Play on a running house and look at what it left."""
    rng = random.Random(house.seed)
    cloud = Cloud.open(load_settings())
    listener = await Listener.open(house.pubsub.host)
    try:
        run = Chaos(house, cloud, rng, plan(executions, rng))
        loop = asyncio.get_running_loop()
        stopped.tell = lambda worker: loop.call_soon_threadsafe(run.zombies.put_nowait, worker)
        await run.play(seconds)
        report = Report(executions, run.counts)
        await listener.hear(run.states)
        report.violations = await violations(cloud.store, run.expected, listener, report.counts)
        if not run.counts["zombies"]:
            report.violations.append("no process was stopped beyond its claim")
    finally:
        await listener.close()
        await cloud.close()
    report.counts["kills"] = house.ended["killed"]
    stats = house.stats()
    report.counts["duplicates"] = sum(stats.get(name, 0) for name in ("duplicates", "late"))
    report.counts["lost answers"] = stats.get("lost_acks", 0)
    report.counts["retries"] = stats.get("retries", 0)
    return report


def play(executions: int, seconds: float, seed: int, log: Path) -> Report:
    """Start the house, harm it, look at it, end it. Raises EmulatorMissing."""
    stopped = Stopped()
    with log.open("w", encoding="utf-8") as file:

        def line(name: str, text: str) -> None:
            with contextlib.suppress(ValueError):  # the file is closed: the house ends
                file.write(f"{time.time():.2f} {name:<14} {text}\n")
            if text.startswith("chaos: zombie"):
                worker = house.workers_by_name[name]
                worker.paused = True
                stopped.tell(worker)

        house = House(
            line,
            sweep_seconds=2.0,
            attempts=60,
            more=MORE,
            seed=seed,
            zombie_file=log.with_name("zombie"),
        )
        with house:
            before = dict(os.environ)
            os.environ.update(house.environment)
            try:
                return asyncio.run(chaos(house, executions, seconds, stopped))
            finally:
                os.environ.clear()
                os.environ.update(before)


def main() -> int:
    """Run it and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long harm lasts at most")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    log = Path(tempfile.mkdtemp(prefix="chaos-")) / "log.txt"
    print(f"seed {given.seed}; what every process says: {log}")
    begin = time.monotonic()
    try:
        report = play(given.executions, given.seconds, given.seed, log)
    except EmulatorMissing as missing:
        print(missing)
        return 2
    for violation in report.violations:
        print(violation)
    counts = report.counts
    others = {"kills", "duplicates", "discarded outcomes"}
    print(
        f"{time.monotonic() - begin:.0f} s;",
        ", ".join(f"{name} {n}" for name, n in sorted(counts.items()) if name not in others),
    )
    print(
        f"Executions {report.executions}, kills {counts['kills']}, "
        f"duplicates {counts['duplicates']}, discarded outcomes {counts['discarded outcomes']}, "
        f"violations {len(report.violations)}"
    )
    return bool(report.violations)


if __name__ == "__main__":
    sys.exit(main())
