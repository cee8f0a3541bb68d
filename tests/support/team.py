"""What simulation, benchmarks and engine tests share: contracts that pass, roles, a Runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agents.fake_runtime import FakeRuntime, ScriptedTeam
from agents.runtime import AgentRuntime, Attachment, RoleSpec, ToolSpec
from engine.deliverables import ORCHESTRATOR, PILLAR_ADVISOR, SPECS, Kind, Pillar
from engine.inputs import Ancestors
from engine.ports import Clock, EventBus, ExecutionStore, TaskQueue
from engine.runs import Runs, RunSettings
from engine.tools import CheckedContent

ROLES = {spec.role: spec.kind.value for spec in SPECS.values()}


def role(name: str, pillar: Pillar | None) -> RoleSpec:
    """A role without a file."""
    return RoleSpec(
        role=name,
        deliverable=None if name in (ORCHESTRATOR, PILLAR_ADVISOR) else ROLES[name],
        budget=40 if name == ORCHESTRATOR else 15,
        instructions="x",
    )


class PassingContracts:
    """Accepts everything: the engine is what is tried, not the content."""

    async def deliverable(
        self,
        kind: Kind,
        content: str,
        attachments: tuple[Attachment, ...],
        request: str,
        ancestors: Ancestors,
    ) -> CheckedContent:
        return CheckedContent(content, ())

    async def pillar(
        self, pillar: Pillar, content: str, request: str, ancestors: Ancestors
    ) -> CheckedContent:
        return CheckedContent(content, ())


def contents(kind: str) -> tuple[str, tuple[Attachment, ...]]:
    """A short content for each kind."""
    return f"content of {kind}", ()


def no_tools(role: RoleSpec, files: Sequence[Attachment]) -> tuple[ToolSpec, ...]:
    """No tools beside the submission tools."""
    return ()


class FixedClock:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time


def make_runs(
    store: ExecutionStore,
    queue: TaskQueue,
    clock: Clock,
    runtime: AgentRuntime | None = None,
    holder: str = "h",
    bus: EventBus | None = None,
) -> Runs:
    """A Runs with a scripted team and contracts that pass."""
    return Runs(
        store=store,
        queue=queue,
        runtime=runtime or FakeRuntime(default=ScriptedTeam(contents), keep_runs=False),
        contracts=PassingContracts(),
        role=role,
        extra_tools=no_tools,
        clock=clock,
        settings=RunSettings(holder=holder),
        bus=bus,
    )
