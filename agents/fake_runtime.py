"""A runtime without a model: it plays scripts (for tests, simulation and benchmarks).

A script stands in for what a model would have done in one run. `ScriptedTeam` is a script for all
roles at once, which takes an Execution from its request to the end with the engine's real tools.
Nothing here is random and nothing imports an agent framework.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.runtime import (
    AgentFailed,
    AgentTask,
    Attachment,
    BudgetExhausted,
    Outcome,
    Question,
    RoleSpec,
    ToolCall,
    ToolReply,
    ToolSpec,
    TurnEnded,
)
from engine.deliverables import ORCHESTRATOR, PHASE_KINDS, Kind, Phase

Call = Callable[[Mapping[str, Any]], Awaitable[ToolReply]]
Calls = Mapping[str, Call]
"""The run's tools by name. Arguments are not checked against the schema: a script is trusted."""

ScriptedRun = Callable[[RoleSpec, AgentTask, Calls], Awaitable[Outcome]]
Script = Outcome | Exception | ScriptedRun
"""What one run does: end at once with an Outcome, raise, or call tools and then end."""

Contents = Callable[[str], tuple[str, tuple[Attachment, ...]]]
"""Gives what to submit for a kind; a pillar's section is asked for as ``pillar:<name>``."""


@dataclass(frozen=True, slots=True)
class When:
    """Which runs a script is for; None matches every value.

    ``run`` is the how-manieth run, from 1, of this role for this Deliverable and pillar in its
    Execution; a run that is tried again counts again.
    """

    role: str
    deliverable: str | None = None
    pillar: str | None = None
    run: int | None = None

    def matches(self, role: RoleSpec, task: AgentTask, run: int) -> bool:
        """Whether the script is for this run."""
        return (
            self.role == role.role
            and self.deliverable in (None, task.deliverable)
            and self.pillar in (None, task.pillar)
            and self.run in (None, run)
        )


@dataclass(frozen=True, slots=True)
class FakeRun:
    """A run that was asked of the runtime, for tests to look at."""

    role: str
    task: AgentTask
    run: int


class _Spent(Exception):
    """The script made more tool calls than the role's budget allows."""


@dataclass
class FakeRuntime:
    """An AgentRuntime that plays the first script whose `When` matches, else ``default``.

    The budget holds as in a real runtime: the call that exceeds it ends the run as
    BudgetExhausted. A task's deadline does not. ``runs`` lists what was asked, if ``keep_runs``.
    """

    scripts: Sequence[tuple[When, Script]] = ()
    default: Script | None = None
    keep_runs: bool = True
    runs: list[FakeRun] = field(default_factory=list)
    _counts: dict[tuple[str, str, str | None, str | None], int] = field(default_factory=dict)

    async def run(self, role: RoleSpec, task: AgentTask, tools: Sequence[ToolSpec]) -> Outcome:
        """Play the script of this run. Raises AgentFailed when there is none."""
        number = self._count(role, task)
        script = next((s for when, s in self.scripts if when.matches(role, task, number)), None)
        if script is None:
            script = self.default
        if script is None:
            what = task.pillar or task.deliverable or "a Turn"
            raise AgentFailed(f"no script for run {number} of {role.role} ({what})")
        if isinstance(script, Exception):
            raise script
        if not callable(script):
            return script
        made: list[ToolCall] = []
        calls = {tool.name: _recorded(tool, made, role.budget) for tool in tools}
        try:
            outcome = await script(role, task, calls)
        except _Spent:
            names = ", ".join(call.tool for call in made)
            outcome = BudgetExhausted(summary=f"{role.budget} tool calls were made: {names}.")
        record = outcome.record.model_copy(update={"tool_calls": tuple(made)})
        return outcome.model_copy(update={"record": record})

    def _count(self, role: RoleSpec, task: AgentTask) -> int:
        if not (self.scripts or self.keep_runs):
            return 1
        key = (task.execution_id, role.role, task.deliverable, task.pillar)
        self._counts[key] = number = self._counts.get(key, 0) + 1
        if self.keep_runs:
            self.runs.append(FakeRun(role.role, task, number))
        return number


def _recorded(tool: ToolSpec, made: list[ToolCall], budget: int) -> Call:
    async def call(args: Mapping[str, Any]) -> ToolReply:
        if len(made) >= budget:
            raise _Spent
        made.append(ToolCall(tool=tool.name, ok=False))
        place = len(made) - 1
        reply = await tool.call(args)
        made[place] = ToolCall(tool=tool.name, ok=reply.ok)
        return reply

    return call


@dataclass(frozen=True)
class ScriptedTeam:
    """A script for all roles: every run does the obvious next thing, and does it well.

    ``questions`` are asked by the Specialist of a kind before it submits, in interactive mode, and
    only while it has no answers. ``seconds`` is how long each Delegation takes. ``reopen`` says
    which Deliverable a change request of a Phase is about; without it, the first that the request
    names by its kind, else the Phase's first.
    """

    contents: Contents
    questions: Mapping[str, Sequence[Question]] = field(default_factory=dict)
    seconds: float = 0.0
    reopen: Callable[[Phase, str], Kind] | None = None

    async def __call__(self, role: RoleSpec, task: AgentTask, calls: Calls) -> Outcome:
        """Play one run of any role."""
        if role.role == ORCHESTRATOR:
            return await self._turn(calls)
        return await self._delegation(task, calls)

    async def _delegation(self, task: AgentTask, calls: Calls) -> Outcome:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        if task.deliverable is None:
            raise AgentFailed("the scripted team was given a Delegation without a Deliverable")
        kind = f"pillar:{task.pillar}" if task.pillar else task.deliverable
        questions = self.questions.get(kind, ())
        if questions and task.interactive and not (task.answers or task.previous):
            asked = [question.model_dump() for question in questions]
            return _ended("needs_input", await calls["needs_input"]({"questions": asked}))
        content, attachments = self.contents(kind)
        args: dict[str, Any] = {"content": content}
        if attachments:
            args["attachments"] = [attachment.model_dump() for attachment in attachments]
        return _ended("submit_deliverable", await calls["submit_deliverable"](args))

    async def _turn(self, calls: Calls) -> Outcome:
        """Ask what is so, do the first thing that applies, until the Turn ends.

        A refusal raises AgentFailed: a scripted Turn only does what ``ready_work`` offered.
        """
        while True:
            state = (await calls["ready_work"]({})).content
            if state.get("waiting_for"):
                return TurnEnded(text="The Execution waits for the user.")
            step = self._next(state)
            if step is None:
                return TurnEnded(text="Specialists are at work; nothing is to be decided.")
            name, args = step
            reply = await calls[name](args)
            if reply.outcome is not None:
                return reply.outcome
            if not reply.ok:
                raise AgentFailed(f"{name} was refused: {reply.content.get('error')}")

    def _next(self, state: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        for entry in state["phases"]:
            if entry["change_request"] is not None:
                kind = self._concerned(Phase(entry["phase"]), entry["change_request"])
                return "reopen", {"kind": kind.value, "reason": entry["change_request"]}
        if state["ready"]:
            return "delegate", {"kinds": list(state["ready"])}
        if state["in_flight"]:
            return None
        if state["open_questions"]:
            return "ask_user", {"questions": _combined(state["open_questions"])}
        if phase := state["can_request_approval"]:
            summary = f"Every Deliverable of {phase} is submitted."
            return "request_approval", {"phase": phase, "summary": summary}
        if state["can_finish"]:
            return "finish", {}
        return None

    def _concerned(self, phase: Phase, request: str) -> Kind:
        if self.reopen is not None:
            return self.reopen(phase, request)
        return next((kind for kind in Kind if kind.value in request), PHASE_KINDS[phase][0])


def _combined(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One question for each text that Specialists ask, however many of them ask it."""
    merged: dict[str, dict[str, Any]] = {}
    for question in questions:
        entry = merged.setdefault(
            question["text"],
            {
                "text": question["text"],
                "why": question["why"],
                "proposal": question["proposal"],
                "merges": [],
            },
        )
        entry["merges"].append(question["id"])
    return list(merged.values())


def _ended(tool: str, reply: ToolReply) -> Outcome:
    if reply.outcome is None:
        problems = "; ".join(map(str, reply.content.get("problems", ())))
        raise AgentFailed(f"{tool} was refused: {reply.content.get('error')} {problems}".strip())
    return reply.outcome
