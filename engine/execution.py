"""The aggregate: one Execution, its events, and the tasks that its state asks for. Pure, no I/O.

An Execution is a frozen value. Commands (in ``lifecycle``, ``turns``, ``delegations`` and
``waits``) take one and return a Change; nothing else alters it.

Liveness: every Execution is terminal, or waits for a person, or ``due_tasks`` is not empty.
"""

from __future__ import annotations

import re
import re._parser as _parser  # type: ignore[import-not-found]
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NewType

from pydantic import Field, field_validator

from engine.deliverables import FINGERPRINT, SPECS, Kind, Phase
from engine.ledger import Ledger, Value, current_phase, in_progress, ready

ExecutionId = NewType("ExecutionId", str)
SessionId = NewType("SessionId", str)

SCHEMA_VERSION = 1
PRE_APPROVED = "pre-approved"
STALL_AFTER = timedelta(minutes=10)
"""How long a task may stay unclaimed before the sweeper looks."""


class Mode(StrEnum):
    """Whether people decide, or everything was approved beforehand."""

    INTERACTIVE = "interactive"
    PRE_APPROVED = "pre_approved"


class Status(StrEnum):
    """Where an Execution stands."""

    WORKING = "working"
    WAITING = "waiting"
    COMPLETED = "completed"
    COMPLETED_WITH_WARNINGS = "completed_with_warnings"
    FAILED = "failed"
    CANCELED = "canceled"
    EXPIRED = "expired"

    @property
    def terminal(self) -> bool:
        """Whether nothing can follow."""
        return self not in (Status.WORKING, Status.WAITING)


class EventType(StrEnum):
    """What can have happened (SPEC: The Ledger), and five more that explain a history."""

    STARTED = "started"
    DELEGATED = "delegated"
    SUBMITTED = "submitted"
    APPROVAL_REQUESTED = "approval_requested"
    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    REOPENED = "reopened"
    ESCALATED = "escalated"
    ASKED = "asked"
    ANSWERED = "answered"
    PERMISSION_REQUESTED = "permission_requested"
    PERMISSION_GRANTED = "permission_granted"
    PERMISSION_REFUSED = "permission_refused"
    BUDGET_EXHAUSTED = "budget_exhausted"
    DECIDED = "decided"
    DECISION_REFUSED = "decision_refused"
    RUN_FAILED = "run_failed"
    REDRIVEN = "redriven"
    DISCARDED = "discarded"
    CANCELED = "canceled"
    EXPIRED = "expired"
    COMPLETED = "completed"
    FAILED = "failed"


class Event(Value):
    """One line of the history. ``seq`` is dense from 1; ``phases`` are withdrawn Approvals."""

    seq: int
    at: datetime
    type: EventType
    deliverable: Kind | None = None
    phase: Phase | None = None
    by: str | None = None
    detail: str | None = None
    attempt: int | None = None
    revision: int | None = None
    wait: str | None = None
    phases: tuple[Phase, ...] = ()


class WaitKind(StrEnum):
    """What an Execution can wait for."""

    QUESTIONS = "questions"
    APPROVAL = "approval"
    PERMISSION = "permission"
    ESCALATION = "escalation"
    BUDGET = "budget"


class OpenQuestion(Value):
    """A question that a Specialist asked and nobody answered yet."""

    id: str
    text: str
    why: str = ""
    proposal: str = ""


class AskedQuestion(Value):
    """A question as the user sees it; ``sources`` are the Specialists' questions behind it."""

    id: str
    text: str
    why: str = ""
    proposal: str = ""
    sources: tuple[tuple[Kind, str], ...] = ()


class Answered(Value):
    """An answer, routed to the Specialist that asked."""

    question: str
    answer: str
    by: str


class Wait(Value):
    """What is waited for. ``shown`` is the digest of what a decision decides about.

    ``options`` are the words that a decision of this wait may use.
    """

    id: str
    kind: WaitKind
    opened_at: datetime
    expires_at: datetime
    summary: str = ""
    phase: Phase | None = None
    shown: str | None = None
    deliverable: Kind | None = None
    questions: tuple[AskedQuestion, ...] = ()
    options: tuple[str, ...] = ()
    pending_reason: str | None = None


class Closed(Value):
    """A wait that was decided, kept so that a second decision hears who came first."""

    id: str
    kind: WaitKind
    by: str
    at: datetime
    decision: str


class Claim(Value):
    """Who works on a task, for which delivery of it, and until when nobody else may.

    ``retry`` is the queue's retry count: a higher one proves that the queue gave up on this holder.
    """

    task: str
    holder: str
    retry: int
    until: datetime


class TurnState(Value):
    """The Orchestrator's Turns: the current number, whether it is due, who runs it.

    ``again`` is the mark of a Delegation that ended meanwhile; ``seen`` counts the inbox notes that
    the running Turn was given; ``idle`` counts Turns in a row that decided nothing.
    """

    n: int = 0
    due: bool = False
    claim: Claim | None = None
    again: bool = False
    seen: int = 0
    idle: int = 0
    extra_calls: int = 0


class Work(Value):
    """What is known of a Deliverable's Delegations.

    ``attempt`` numbers them and never goes back. ``basis`` is the first attempt that worked from
    the same inputs: pillar results are kept under it, so that a later attempt repeats none.
    """

    attempt: int = 0
    basis: int = 0
    failures: int = 0
    failure: str | None = None
    claim: Claim | None = None
    questions: tuple[OpenQuestion, ...] = ()
    answers: tuple[Answered, ...] = ()
    asked: int = 0
    needs_permission: bool = False
    exhausted: str | None = None
    extra_calls: int = 0

    @property
    def held_up(self) -> bool:
        """Whether something must come from a person before the Deliverable can go on."""
        return bool(
            self.questions
            or self.needs_permission
            or self.exhausted is not None
            or self.failures >= MAX_FAILURES
        )


class Limits(Value):
    """The caps of an Execution, fixed when it starts."""

    max_revisions: int = 3
    orchestrator_budget: int = 40
    specialist_budget: int = 15
    wait_days: int = 30


class ScriptedAnswer(Value):
    """A pre-approved run's answer for questions that match the pattern (a regular expression)."""

    pattern: str
    answer: str

    @field_validator("pattern")
    @classmethod
    def _bounded(cls, pattern: str) -> str:
        """Refuse what does not compile, and a repetition inside a repetition.

        A question is matched inside a transaction, and such a pattern may never come to an end.
        """
        try:
            parsed = _parser.parse(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"not a regular expression: {error}") from None
        if _repeats(parsed, inside=False):
            raise ValueError("a repetition inside a repetition; write it without the outer one")
        return pattern


def _repeats(parsed: Any, *, inside: bool) -> bool:
    """Whether an unbounded repetition stands inside another one."""
    for operation, value in parsed:
        unbounded = "REPEAT" in str(operation) and value[1] > 100
        if unbounded and inside:
            return True
        for part in value if isinstance(value, list | tuple) else (value,):
            for branch in part if isinstance(part, list) else (part,):
                if isinstance(branch, _parser.SubPattern) and _repeats(
                    branch, inside=inside or unbounded
                ):
                    return True
    return False


class Usage(Value):
    """Totals over all runs whose outcome was recorded. Tokens are 0 where a model reports none."""

    runs: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


MAX_FAILURES = 2
"""Failed runs of one Deliverable before a person is asked (or a pre-approved Execution fails)."""
MAX_IDLE_TURNS = 3
"""Turns in a row that decide nothing before a person is asked."""
KEPT_CLOSED_WAITS = 8


class Execution(Value):
    """One run from a request to a Solution guide: all that decides what comes next.

    Contents, events and messages live beside it in the store; this value does not grow with them.
    ``publishes`` says that its events go to an event bus too; all up to ``published`` got there.
    """

    id: ExecutionId
    session_id: SessionId
    owner: str
    title: str
    mode: Mode
    status: Status
    created_at: datetime
    updated_at: datetime
    ledger: Ledger
    schema_version: int = SCHEMA_VERSION
    graph: str = FINGERPRINT
    rev: int = 0
    last_event: int = 0
    publishes: bool = False
    published: int = 0
    last_message: int = 0
    redrive: int = 0
    stalls_at: datetime | None = None
    turn: TurnState = TurnState()
    work: dict[Kind, Work]
    wait: Wait | None = None
    waits: int = 0
    closed: tuple[Closed, ...] = ()
    cloud_read: bool | None = None
    extra_revisions: dict[Kind, int] = Field(default_factory=dict)
    revisions: int = 0
    inbox: tuple[str, ...] = ()
    scripted_answers: tuple[ScriptedAnswer, ...] = ()
    limits: Limits = Limits()
    usage: Usage = Usage()
    skills: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str | None = None

    @property
    def phase(self) -> Phase:
        """The first Phase that is not approved."""
        return current_phase(self.ledger)

    @property
    def pre_approved(self) -> bool:
        """Whether nothing waits."""
        return self.mode is Mode.PRE_APPROVED


class TaskKind(StrEnum):
    """What a task starts."""

    TURN = "turn"
    DELEGATION = "delegation"


@dataclass(frozen=True, slots=True)
class Task:
    """One task: ids only. ``number`` is the Turn's number or the Delegation's attempt."""

    execution: ExecutionId
    kind: TaskKind
    number: int
    redrive: int
    deliverable: Kind | None = None

    @property
    def name(self) -> str:
        """Deterministic, so that enqueuing twice is harmless."""
        what = self.deliverable or self.kind
        return f"{self.execution}-{what}-{self.number}-{self.redrive}"


@dataclass(frozen=True, slots=True)
class ContentWrite:
    """A submitted content to keep as a revision of its Deliverable."""

    kind: Kind
    revision: int
    content: str
    attachments: tuple[tuple[str, str], ...]
    digest: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MessageWrite:
    """What user and Orchestrator said to each other; ``role`` is ``user`` or ``orchestrator``."""

    seq: int
    role: str
    by: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PillarWrite:
    """A finished pillar section of a Delegation's basis."""

    basis: int
    pillar: str
    content: str


Write = ContentWrite | MessageWrite | PillarWrite


@dataclass(frozen=True, slots=True)
class Change:
    """What a command did: the new state, what to append to the history, what to keep beside it."""

    execution: Execution
    events: tuple[Event, ...] = ()
    writes: tuple[Write, ...] = field(default_factory=tuple)


class ExecutionError(Exception):
    """A command that the state refuses. The message says what happened and what to do."""


class Stale(ExecutionError):
    """The task belongs to work that is over; what is due now must be enqueued again."""


class Duplicate(ExecutionError):
    """The same delivery is being worked on already; the queue must keep the task."""


class ClaimLost(ExecutionError):
    """Somebody else holds the claim, or the work was withdrawn; the outcome does not count."""


class Finished(ExecutionError):
    """The Execution is terminal."""


class GraphMismatch(ExecutionError):
    """The Execution was started by a version with another graph or document layout."""


def check_version(execution: Execution) -> None:
    """Raise GraphMismatch when this code must not touch the Execution."""
    if execution.schema_version != SCHEMA_VERSION:
        raise GraphMismatch(
            f"Execution {execution.id} has document version {execution.schema_version} and this "
            f"program knows {SCHEMA_VERSION}; finish it with the version that started it, or "
            "start a new one"
        )
    if execution.graph != FINGERPRINT:
        raise GraphMismatch(
            f"Execution {execution.id} was started with the dependency graph {execution.graph} and "
            f"this program has {FINGERPRINT}; finish it with the version that started it, or "
            "start a new one"
        )


def due_tasks(execution: Execution) -> tuple[Task, ...]:
    """Every task that must be in flight now; a function of the state and of nothing else."""
    if execution.status.terminal:
        return ()
    tasks = [
        Task(
            execution.id,
            TaskKind.DELEGATION,
            execution.work[kind].attempt,
            execution.redrive,
            kind,
        )
        for kind in in_progress(execution.ledger)
    ]
    if execution.turn.due and execution.wait is None:
        tasks.append(Task(execution.id, TaskKind.TURN, execution.turn.n, execution.redrive))
    return tuple(tasks)


def claim_of(execution: Execution, task: Task) -> Claim | None:
    """The claim on a due task."""
    if task.deliverable is None:
        return execution.turn.claim
    return execution.work[task.deliverable].claim


def next_stall(execution: Execution, now: datetime) -> datetime | None:
    """When the sweeper should look at this Execution if nothing happens; None if never.

    Whoever runs a task publishes what is not published yet; where nothing is due (it is terminal,
    or a person is waited for) only the sweeper is left to do so.
    """
    due = due_tasks(execution)
    moments = []
    for task in due:
        claim = claim_of(execution, task)
        moments.append(claim.until if claim else now + STALL_AFTER)
    if execution.wait is not None:
        moments.append(execution.wait.expires_at)
    if not due and unpublished(execution):
        moments.append(now + STALL_AFTER)
    return min(moments, default=None)


def unpublished(execution: Execution) -> bool:
    """Whether the event bus has not confirmed every event yet."""
    return execution.publishes and execution.published < execution.last_event


def workable(execution: Execution) -> tuple[Kind, ...]:
    """Ready Deliverables that wait for nobody: what the Orchestrator may delegate."""
    return tuple(k for k in ready(execution.ledger) if not execution.work[k].held_up)


def open_questions(execution: Execution) -> tuple[tuple[Kind, OpenQuestion], ...]:
    """Every Specialist's unanswered question with who asked."""
    return tuple((kind, q) for kind, work in execution.work.items() for q in work.questions)


def role_of(kind: Kind) -> str:
    """The Specialist's role, which the history names as the author."""
    return SPECS[kind].role
