"""What the engine needs from outside: a store, a queue, an event bus and a clock.

Every adapter passes the contract suite of its port (``tests/integration``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from engine.deliverables import Kind, Phase
from engine.execution import (
    Change,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    Mode,
    SessionId,
    Status,
    Task,
    WaitKind,
)

Command = Callable[[Execution], Change]
"""A pure command: takes the current state, returns a Change or raises a domain error."""

MAX_TEXT_BYTES = 1_048_487
"""The longest string that every store must take (Firestore's limit for one field, in UTF-8)."""


class StoreError(Exception):
    """The store cannot do what was asked; the message says what to do."""


class UnknownExecution(StoreError):
    """No Execution has this id."""

    def __init__(self, execution: str) -> None:
        super().__init__(f"there is no Execution {execution!r}; `list` shows those that exist")


class Unreadable(StoreError):
    """A document cannot be read: it is damaged, or a newer version wrote it."""


class AlreadyExists(StoreError):
    """An Execution with this id exists already."""


class Unavailable(StoreError):
    """The store could not be reached or is contended; the same call may succeed later."""


@dataclass(frozen=True, slots=True)
class Content:
    """A submitted content. ``attachments`` are (path, text)."""

    kind: Kind
    revision: int
    content: str
    attachments: tuple[tuple[str, str], ...]
    digest: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of a list of Executions."""

    id: ExecutionId
    session_id: SessionId
    owner: str
    title: str
    mode: Mode
    status: Status
    phase: Phase
    waiting_for: WaitKind | None
    created_at: datetime
    updated_at: datetime


def summary_of(execution: Execution) -> Summary:
    """The line that a list shows for an Execution."""
    return Summary(
        id=execution.id,
        session_id=execution.session_id,
        owner=execution.owner,
        title=execution.title,
        mode=execution.mode,
        status=execution.status,
        phase=execution.phase,
        waiting_for=execution.wait.kind if execution.wait else None,
        created_at=execution.created_at,
        updated_at=execution.updated_at,
    )


class ExecutionStore(Protocol):
    """Keeps Executions, their history, contents, messages and pillar results.

    ``transact`` is atomic: document, events and writes appear together or not at all, and no two
    commands see the same revision. Every method may raise Unavailable.
    """

    async def create(self, change: Change) -> None:
        """Store a new Execution. Raises AlreadyExists."""
        ...

    async def load(self, execution: ExecutionId) -> Execution:
        """The current state. Raises UnknownExecution."""
        ...

    async def transact(self, execution: ExecutionId, command: Command) -> Execution:
        """Run a command on the current state and store its Change; the new state.

        The command may run several times. What it raises leaves the store unchanged and is raised
        again. Raises UnknownExecution.
        """
        ...

    async def content(
        self, execution: ExecutionId, kind: Kind, revision: int | None = None
    ) -> Content | None:
        """A submitted content, the newest unless a revision is named; None if there is none."""
        ...

    async def contents(self, execution: ExecutionId, kinds: Sequence[Kind]) -> dict[Kind, Content]:
        """The newest contents of these Deliverables in one read, of those that have one."""
        ...

    async def events(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[Event]:
        """The history after a number, in order."""
        ...

    async def messages(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[MessageWrite]:
        """What user and Orchestrator said, in order; the first is the request."""
        ...

    async def pillars(self, execution: ExecutionId, basis: int) -> dict[str, str]:
        """Finished pillar sections of a Delegation's basis, by pillar."""
        ...

    async def list(
        self,
        *,
        owner: str | None = None,
        session: SessionId | None = None,
        limit: int = 100,
    ) -> Sequence[Summary]:
        """Executions, the most recently changed first."""
        ...

    async def stalled(self, before: datetime, limit: int = 100) -> Sequence[ExecutionId]:
        """Executions whose ``stalls_at`` lies before a moment."""
        ...


class TaskQueue(Protocol):
    """Delivers tasks at least once. A name that was seen before is dropped in silence."""

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        """Put tasks into the queue; enqueuing one twice is harmless."""
        ...


class EventBus(Protocol):
    """Tells others what happened, at least once.

    Events of one Execution arrive in order but for doubles, which ``seq`` tells apart: a consumer
    drops every event whose number is not above the highest it has seen.
    """

    async def publish(self, execution: ExecutionId, events: Sequence[Event]) -> None:
        """Publish events, in order; return once the bus has them. Raises Unavailable."""
        ...


class Clock(Protocol):
    """Tells the time, as an aware datetime in UTC."""

    def now(self) -> datetime:
        """The time now."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery of a task. ``retry`` counts earlier deliveries that the queue saw fail."""

    task: Task
    retry: int
    last: bool = False
    """Whether the queue will drop the task if this delivery fails."""
