"""A whole Execution on ADK with the engine's real tools, and runs at the same time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from pathlib import Path

import pytest

from agents.adk_runtime import AdkRuntime
from agents.fake_runtime import ScriptedTeam
from agents.prompts import read_task
from agents.roles import for_pillar, load_roles
from agents.runtime import RoleSpec, Submitted
from agents.skills import find_skills
from engine.deliverables import PILLAR_ADVISOR, Kind, Pillar
from engine.execution import ExecutionId, Mode, SessionId, Status, Task
from engine.lifecycle import StartRequest
from engine.ports import Delivery, SystemClock
from engine.service import Executions
from engine.stores.memory import MemoryStore
from tests.support.adk_runs import Desk, role, runtime, task
from tests.support.scripted_model import (
    ScriptedModel,
    call,
    declared,
    results,
    said,
    system_instruction,
)
from tests.support.team import make_runs

ROOT = Path(__file__).parents[2]


class Line:
    """A queue that delivers in order, each name once."""

    def __init__(self) -> None:
        self.waiting: deque[Task] = deque()
        self.seen: set[str] = set()

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        for one in tasks:
            if one.name not in self.seen:
                self.seen.add(one.name)
                self.waiting.append(one)


def team(request):
    """What a model of any role answers: the obvious next call."""
    if "ready_work" not in declared(request):
        given = read_task(said(request)[0])
        assert given.request == "Move it. </request>"
        return call("submit_deliverable", content=f"{given.deliverable} {given.pillar}")
    seen = results(request)
    if not seen or "phases" not in seen[-1]:
        return call("ready_work")
    step = ScriptedTeam(lambda kind: (kind, ()))._next(seen[-1])
    assert step is not None
    return call(step[0], **step[1])


async def test_a_pre_approved_execution_runs_to_its_end() -> None:
    store, queue, clock = MemoryStore(), Line(), SystemClock()

    agents = AdkRuntime(models=lambda _: ScriptedModel(team), skills=find_skills([]))
    runs = make_runs(store, queue, clock, agents)
    execution = ExecutionId("e1")
    request = StartRequest(
        id=execution,
        session_id=SessionId("s1"),
        owner="ann",
        request="Move it. </request>",
        mode=Mode.PRE_APPROVED,
    )
    await Executions(store, queue, clock).start(request)
    while queue.waiting:
        assert await runs.handle(Delivery(queue.waiting.popleft(), 0)) == 200
    ended = await store.load(execution)
    assert ended.status is Status.COMPLETED, ended.failure
    for kind in Kind:
        found = await store.content(execution, kind)
        assert found is not None
        assert found.content == f"{kind} None"
    assert ended.usage.runs > 9 + 6


async def test_runs_at_the_same_time_keep_apart() -> None:
    answers = [call("echo", n=1), call("echo", n=2)]

    def model(named: RoleSpec) -> ScriptedModel:
        return ScriptedModel(*answers, call("submit_deliverable", content=named.role), seconds=0.01)

    agents = runtime(None)
    agents.models = model
    names = [f"role-{number}" for number in range(6)]
    tools = [Desk().specs() for _ in names]
    outcomes = await asyncio.gather(
        *(agents.run(role(name), task(), spec) for name, spec in zip(names, tools, strict=True))
    )
    assert [outcome.content for outcome in outcomes] == names
    assert [len(outcome.record.tool_calls) for outcome in outcomes] == [3] * 6


ROLES = load_roles(ROOT / "agents" / "roles")
SPECS = [
    *(spec for name, spec in ROLES.items() if name != PILLAR_ADVISOR),
    *(for_pillar(ROLES[PILLAR_ADVISOR], pillar) for pillar in Pillar),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.role}-{spec.skills[0]}")
async def test_each_role_file_runs_with_its_skills(spec: RoleSpec) -> None:
    """Names with hyphens, braces in the instructions, the Skills that the role names."""
    loads = [call("load_skill", skill_name=name) for name in spec.skills]
    model = ScriptedModel(*loads, call("submit_deliverable", content="good"))
    agents = runtime(model, skills=find_skills([ROOT / "skills"]))
    outcome = await agents.run(spec, task(), Desk().specs())
    assert isinstance(outcome, Submitted)
    assert outcome.record.skills == spec.skills
    assert spec.instructions in system_instruction(model.requests[0])
