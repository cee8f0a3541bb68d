"""The neutral agent runtime (SPEC: Agent runtime): no framework's type crosses this module.

A runtime takes a role, a task and tools, lets a model work, and returns an Outcome. Two families
of errors leave it: ``AgentRetry`` (try the same run again later) and ``AgentFailed`` (final).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

Json = Mapping[str, Any]


class Tier(StrEnum):
    """What a tool may touch: ``general`` runs freely, ``cloud_read`` needs permission."""

    GENERAL = "general"
    CLOUD_READ = "cloud_read"


class Frozen(BaseModel):
    """Base of all values that cross the runtime: frozen, and no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Attachment(Frozen):
    """A file that comes with a Deliverable; ``path`` is relative and uses forward slashes."""

    path: str
    text: str


class Document(Frozen):
    """A Deliverable as an agent reads it; ``kind`` may also be ``pillar:<name>``."""

    kind: str
    content: str
    attachments: tuple[Attachment, ...] = ()
    revision: int = 1


class Question(Frozen):
    """What a Specialist asks; ``proposal`` is what it will assume if the user just agrees."""

    text: str
    why: str = ""
    proposal: str = ""


class Answer(Frozen):
    """An answer that was routed to the Specialist that asked."""

    question: str
    answer: str
    by: str = ""


class RoleSpec(Frozen):
    """A role file: front matter plus instructions (see ``agents/roles``)."""

    role: str
    deliverable: str | None
    upstream_task: str = ""
    skills: tuple[str, ...] = ()
    tool_tiers: tuple[Tier, ...] = (Tier.GENERAL,)
    mcp_servers: tuple[str, ...] = ()
    model: str | None = None
    budget: int
    instructions: str


class AgentTask(Frozen):
    """What one run is about. Everything here is data; none of it can change a rule.

    ``dependencies`` are the direct Dependencies, whole. ``previous`` is the last submitted content
    when the Deliverable was reopened, and ``feedback`` says why. ``situation`` is the
    Orchestrator's: the state and what happened since its last Turn.
    """

    execution_id: str
    run: str
    request: str
    interactive: bool
    deliverable: str | None = None
    pillar: str | None = None
    dependencies: tuple[Document, ...] = ()
    previous: Document | None = None
    feedback: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    situation: str = ""
    deadline: datetime | None = None


class ToolCall(Frozen):
    """One call that a model made, as recorded; arguments and results are not kept."""

    tool: str
    ok: bool


class RunRecord(Frozen):
    """What a run used. Tokens are None when the model reports none (the offline planner)."""

    model: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    skills: tuple[str, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None


class Submitted(Frozen):
    """The contract passed; this is what to record."""

    content: str
    attachments: tuple[Attachment, ...] = ()
    record: RunRecord = RunRecord()


class NeedsInput(Frozen):
    """The Specialist cannot go on without the user: answers, or permission for a tier."""

    questions: tuple[Question, ...] = ()
    permission: Tier | None = None
    record: RunRecord = RunRecord()


class BudgetExhausted(Frozen):
    """The run used up its tool calls; ``summary`` says how far it came."""

    summary: str
    record: RunRecord = RunRecord()


class TurnEnded(Frozen):
    """The Orchestrator ended its Turn; its decisions are in the tools' own record."""

    text: str = ""
    record: RunRecord = RunRecord()


Outcome = Submitted | NeedsInput | BudgetExhausted | TurnEnded


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool answers: ``content`` goes to the model; an ``outcome`` ends the run with it.

    ``ok`` is False when the tool refused or failed; the reason is then in ``content["error"]``.
    """

    content: Json
    outcome: Outcome | None = None
    ok: bool = True

    @classmethod
    def refusal(cls, error: str, **more: Any) -> ToolReply:
        """A structured refusal that a model can act on."""
        return cls({"error": error, **more}, ok=False)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool in neutral form. ``parameters`` is a JSON Schema object; runtimes validate against it.

    ``call`` takes the validated arguments and never raises for bad input: it returns a refusal.
    It may raise ``AgentRetry`` or ``AgentFailed``, which end the run.
    """

    name: str
    description: str
    parameters: Json
    call: Callable[[Mapping[str, Any]], Awaitable[ToolReply]]
    tier: Tier = Tier.GENERAL
    ending: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


class AgentError(Exception):
    """Base of the two families."""


class AgentRetry(AgentError):
    """The run can be tried again later: the model is overloaded, or the network failed."""


class AgentFailed(AgentError):
    """The run cannot succeed by trying again; the reason is for people."""


class AgentRuntime(Protocol):
    """Runs one agent once."""

    async def run(self, role: RoleSpec, task: AgentTask, tools: Sequence[ToolSpec]) -> Outcome:
        """Let the role's model work on the task with these tools until an Outcome stands.

        Raises AgentRetry or AgentFailed.
        """
        ...
