"""The scripted runtime, and the scripted team on the engine's real tools."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path

import pytest

from agents.fake_runtime import Calls, FakeRuntime, ScriptedTeam, When
from agents.runtime import (
    AgentFailed,
    AgentRetry,
    AgentTask,
    Attachment,
    BudgetExhausted,
    Question,
    RoleSpec,
    Submitted,
    ToolReply,
    ToolSpec,
    TurnEnded,
)
from engine.decisions import Decision, parse_decision
from engine.deliverables import SPECS, Kind, Phase, Pillar
from engine.execution import ExecutionId, Mode, SessionId, Status, Task, WaitKind
from engine.lifecycle import StartRequest
from engine.ports import Delivery, SystemClock
from engine.service import Executions
from engine.stores.memory import MemoryStore
from tests.support.team import make_runs


def role(name: str = "decomposer", budget: int = 15) -> RoleSpec:
    return RoleSpec(role=name, deliverable=None, budget=budget, instructions="Work.")


def task(**more: object) -> AgentTask:
    base = {
        "execution_id": "e1",
        "run": "r1",
        "request": "Move it.",
        "interactive": True,
        "deliverable": "technical_decomposition",
    }
    return AgentTask.model_validate(base | more)


async def echo(args):
    return ToolReply({"got": dict(args)}) if args else ToolReply.refusal("nothing given")


ECHO = ToolSpec("echo", "Echoes.", {"type": "object"}, echo)


async def test_the_first_script_that_matches_is_played() -> None:
    runtime = FakeRuntime(
        scripts=[
            (When("decomposer", run=1), AgentRetry("model busy")),
            (When("decomposer", deliverable="requirements"), TurnEnded(text="not this")),
            (When("pillar-advisor", pillar="security"), Submitted(content="security")),
            (When("decomposer", run=2), Submitted(content="second")),
        ],
        default=Submitted(content="default"),
    )
    with pytest.raises(AgentRetry, match="busy"):
        await runtime.run(role(), task(), [])
    assert await runtime.run(role(), task(), []) == Submitted(content="second")
    assert await runtime.run(role(), task(), []) == Submitted(content="default")
    advisor = role("pillar-advisor")
    assert await runtime.run(advisor, task(pillar="security"), []) == Submitted(content="security")
    other = await runtime.run(advisor, task(pillar="reliability"), [])
    assert other == Submitted(content="default")
    assert [(run.role, run.run) for run in runtime.runs] == [
        ("decomposer", 1),
        ("decomposer", 2),
        ("decomposer", 3),
        ("pillar-advisor", 1),
        ("pillar-advisor", 1),
    ]


async def test_runs_are_counted_apart_for_each_execution() -> None:
    runtime = FakeRuntime([(When("decomposer", run=1), Submitted(content="first"))])
    for execution in ("e1", "e2"):
        outcome = await runtime.run(role(), task(execution_id=execution), [])
        assert outcome == Submitted(content="first")


async def test_without_a_script_the_run_fails_and_says_which() -> None:
    with pytest.raises(AgentFailed, match=r"run 1 of decomposer \(technical_decomposition\)"):
        await FakeRuntime().run(role(), task(), [])


async def test_calls_are_recorded_with_what_became_of_them() -> None:
    async def script(role: RoleSpec, task: AgentTask, calls: Calls):
        await calls["echo"]({"a": 1})
        await calls["echo"]({})
        return Submitted(content="done")

    outcome = await FakeRuntime(default=script).run(role(), task(), [ECHO])
    assert [(call.tool, call.ok) for call in outcome.record.tool_calls] == [
        ("echo", True),
        ("echo", False),
    ]


async def test_the_budget_ends_a_script() -> None:
    async def script(role: RoleSpec, task: AgentTask, calls: Calls):
        while True:
            await calls["echo"]({"a": 1})

    outcome = await FakeRuntime(default=script).run(role(budget=3), task(), [ECHO])
    assert isinstance(outcome, BudgetExhausted)
    assert "3 tool calls" in outcome.summary
    assert len(outcome.record.tool_calls) == 3


def test_it_is_light() -> None:
    check = (
        "import agents.fake_runtime, sys; "
        "heavy = ('google.adk', 'google.genai', 'jsonschema', 'litellm'); "
        "bad = [m for m in sys.modules if m.startswith(heavy)]; "
        "assert not bad, bad"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", check], check=True, cwd=root)


# -- The scripted team on the engine's real tools ----------------------------------------------


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


def contents(kind: str) -> tuple[str, tuple[Attachment, ...]]:
    files = () if kind.startswith("pillar:") else SPECS[Kind(kind)].attachments
    return f"Content of {kind}.", tuple(Attachment(path=p, text=f"text of {p}") for p in files)


class Bench:
    """An engine in memory with a scripted team."""

    def __init__(self, team: ScriptedTeam) -> None:
        self.store, self.queue, clock = MemoryStore(), Line(), SystemClock()
        self.runtime = FakeRuntime(default=team)

        self.runs = make_runs(self.store, self.queue, clock, self.runtime)
        self.doors = Executions(self.store, self.queue, clock)
        self.id = ExecutionId("e1")

    async def start(self, mode: Mode) -> None:
        request = StartRequest(
            id=self.id, session_id=SessionId("s1"), owner="ann", request="Move it.", mode=mode
        )
        await self.doors.start(request)

    async def settle(self):
        while self.queue.waiting:
            assert await self.runs.handle(Delivery(self.queue.waiting.popleft(), 0)) == 200
        return await self.store.load(self.id)

    async def approval(self, decision: str, feedback: str = "") -> Decision:
        wait = (await self.store.load(self.id)).wait
        assert wait is not None
        assert wait.kind is WaitKind.APPROVAL
        choice = {"phase": wait.phase, "decision": decision, "feedback": feedback}
        return parse_decision({"wait": wait.id, "shown": wait.shown, "approval": choice})


async def test_a_pre_approved_execution_runs_to_its_end() -> None:
    bench = Bench(ScriptedTeam(contents))
    await bench.start(Mode.PRE_APPROVED)
    execution = await bench.settle()
    assert execution.status is Status.COMPLETED
    for kind in Kind:
        found = await bench.store.content(bench.id, kind)
        assert found is not None
        assert (found.revision, found.content) == (1, f"Content of {kind}.")
    delegated = [run for run in bench.runtime.runs if run.role != "orchestrator"]
    assert len(delegated) == 9 + 6
    assert {run.task.pillar for run in delegated} == {None, *Pillar}


async def test_an_interactive_execution_asks_is_answered_changed_and_approved() -> None:
    question = Question(text="RPO?", why="sizing", proposal="5 min")
    team = ScriptedTeam(
        contents,
        questions={"architecture_diagram": [question], "design_recommendations": [question]},
        seconds=0.001,
    )
    bench = Bench(team)
    await bench.start(Mode.INTERACTIVE)
    await bench.settle()
    await bench.doors.decide(bench.id, await bench.approval("approve"), "ann")
    execution = await bench.settle()
    assert execution.wait is not None
    assert execution.wait.kind is WaitKind.QUESTIONS
    assert len(execution.wait.questions) == 1, "the same question of two Specialists is asked once"
    await bench.doors.answer(bench.id, {execution.wait.questions[0].id: "10 min"}, "ann")
    await bench.settle()
    await bench.doors.decide(
        bench.id, await bench.approval("changes", "architecture_diagram lacks the link"), "ann"
    )
    await bench.settle()
    for _ in range(3):
        await bench.doors.decide(bench.id, await bench.approval("approve"), "ann")
        execution = await bench.settle()
    assert execution.status is Status.COMPLETED
    assert execution.revisions == 1
    diagram = [r.task for r in bench.runtime.runs if r.task.deliverable == "architecture_diagram"]
    assert [t.feedback for t in diagram] == [(), (), ("architecture_diagram lacks the link",)]
    assert diagram[1].answers[0].answer == "10 min"
    selection = await bench.store.content(bench.id, Kind.PRODUCT_SELECTION)
    assert selection is not None
    assert selection.revision == 1, "only what depends on the diagram was done again"


async def test_what_a_change_request_is_about_can_be_given() -> None:
    team = ScriptedTeam(contents, reopen=lambda phase, request: Kind.TECHNICAL_DECOMPOSITION)
    bench = Bench(team)
    await bench.start(Mode.INTERACTIVE)
    await bench.settle()
    await bench.doors.decide(bench.id, await bench.approval("changes", "cut it finer"), "ann")
    execution = await bench.settle()
    assert execution.ledger.deliverables[Kind.TECHNICAL_DECOMPOSITION].revision == 2
    assert execution.ledger.deliverables[Kind.REQUIREMENTS].revision == 1
    assert execution.phase is Phase.REQUIREMENTS_DISCOVERY


async def test_a_refused_submission_fails_the_run_with_its_problems() -> None:
    async def refuse(args):
        return ToolReply.refusal("not met", problems=["no heading", "no id"])

    submit = ToolSpec("submit_deliverable", "Submits.", {"type": "object"}, refuse)
    with pytest.raises(AgentFailed, match="not met no heading; no id"):
        await FakeRuntime(default=ScriptedTeam(contents)).run(role(), task(), [submit])
