"""The people and the agents of a simulated world: mostly sensible, by the seed also not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from agents.fake_runtime import Calls, ScriptedTeam
from agents.runtime import (
    AgentFailed,
    AgentRetry,
    AgentTask,
    BudgetExhausted,
    NeedsInput,
    Outcome,
    Question,
    RoleSpec,
    Tier,
)
from engine.decisions import InvalidDecision, parse_decision
from engine.deliverables import Kind
from engine.execution import ExecutionError, ExecutionId, Wait, WaitKind
from engine.ports import Unavailable
from engine.service import Executions
from tests.simulation.world import World
from tests.support.team import contents

OWNER = "ann"


class SeededTeam(ScriptedTeam):
    """The scripted team, with runs that fail, ask, tire or need permission by the seed."""

    world: World

    def __init__(self, world: World) -> None:
        super().__init__(contents)
        object.__setattr__(self, "world", world)

    async def __call__(self, role: RoleSpec, task: AgentTask, calls: Calls) -> Outcome:
        world = self.world
        await world.park()
        if world.chance(0.06):
            world.faults["model overloaded"] += 1
            raise AgentRetry("overloaded")
        if world.chance(0.01):
            world.faults["run failed"] += 1
            raise AgentFailed("broken")
        if world.chance(0.01):
            world.faults["budget used up"] += 1
            return BudgetExhausted(summary="tired")
        if task.deliverable and not task.pillar and world.chance(0.08):
            world.faults["specialist asked"] += 1
            if world.rng.random() < 0.3:
                return NeedsInput(permission=Tier.CLOUD_READ)
            return NeedsInput(questions=(Question(text=f"what of {task.deliverable}?"),))
        return await super().__call__(role, task, calls)


class Person:
    """Answers and decides; also too late, twice, at once, and wrongly."""

    def __init__(
        self, world: World, executions: Callable[[], Executions], execution: ExecutionId
    ) -> None:
        self.world = world
        self._executions = executions
        self.execution = execution
        self.granted: set[str] = set()
        self.old: list[dict[str, Any]] = []
        self.changes = 0

    @property
    def executions(self) -> Executions:
        """What some process does for the person."""
        return self._executions()

    async def look(self) -> None:
        """Look at the Execution, think for a while, act."""
        wait = (await self.world.observer.load(self.execution)).wait
        await self.world.park()
        if self.old and self.world.chance(0.3):
            self.world.faults["old decision sent again"] += 1
            await self._send(self.world.rng.choice(self.old))
        if self.world.chance(0.2):
            self.world.faults["wrong decision"] += 1
            await self._send(self._wrong(wait))
        if self.world.chance(0.1):
            self.world.faults["free text"] += 1
            await self._try(self.executions.tell(self.execution, "looks good, go ahead", OWNER))
        if wait is None:
            return
        if wait.kind is WaitKind.QUESTIONS:
            ids = [q.id for q in wait.questions]
            if self.world.chance(0.3):
                ids = ids[:1]
            await self._try(self.executions.answer(self.execution, dict.fromkeys(ids, "42"), OWNER))
            return
        await self._send(self._decision(wait), meant=True)

    def _decision(self, wait: Wait) -> dict[str, Any]:
        bound: dict[str, Any] = {"wait": wait.id, "shown": wait.shown}
        match wait.kind:
            case WaitKind.APPROVAL:
                decision = "approve"
                if self.changes < 4 and self.world.chance(0.3):
                    decision = "changes"
                    self.changes += 1
                kind = self.world.rng.choice(list(Kind)).value
                return bound | {
                    "approval": {
                        "phase": wait.phase,
                        "decision": decision,
                        "feedback": f"mend {kind}" if wait.phase == "packaging" else "mend it",
                    }
                }
            case WaitKind.PERMISSION:
                return bound | {"permission": {"cloud_read": self.world.rng.random() < 0.5}}
            case WaitKind.ESCALATION:
                options = [option for option in wait.options if option != "stop"]
                return bound | {"escalation": {"decision": self.world.rng.choice(options)}}
            case _:
                return bound | {"budget": {"decision": "continue"}}

    def _wrong(self, wait: Wait | None) -> dict[str, Any]:
        phase = (wait.phase if wait else None) or "packaging"
        id = wait.id if wait else "w1"
        return self.world.rng.choice(
            [
                {"wait": id, "shown": "0000", "approval": {"phase": phase, "decision": "approve"}},
                {"wait": "w99", "approval": {"phase": phase, "decision": "approve"}},
                {"wait": id, "approval": {"phase": phase, "decision": "Approve"}},
                {"wait": id, "approval": {"phase": phase, "decision": "approved "}},
                {"wait": id, "shown": None, "permission": {"cloud_read": "true"}},
            ]
        )

    async def _send(self, data: dict[str, Any], *, meant: bool = False) -> None:
        try:
            decision = parse_decision(data)
        except InvalidDecision:
            return
        if meant:  # noted before it is sent: the sender may die after the commit
            self.old.append(data)
            if decision.approval and decision.approval.decision == "approve":
                self.granted.add(decision.wait)
        await self._try(self.executions.decide(self.execution, decision, OWNER))

    async def _try(self, job: Any) -> None:
        with contextlib.suppress(ExecutionError, Unavailable):
            await job
