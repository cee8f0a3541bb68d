"""A store in memory: for tests, simulation and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from engine.deliverables import Kind
from engine.execution import (
    Change,
    ContentWrite,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    PillarWrite,
    SessionId,
)
from engine.ports import AlreadyExists, Command, Content, Summary, UnknownExecution, summary_of


@dataclass
class _Record:
    execution: Execution
    events: list[Event] = field(default_factory=list)
    messages: list[MessageWrite] = field(default_factory=list)
    contents: dict[Kind, list[Content]] = field(default_factory=dict)
    pillars: dict[tuple[int, str], str] = field(default_factory=dict)


class MemoryStore:
    """Keeps everything in this process; nothing survives it."""

    def __init__(self) -> None:
        self._records: dict[ExecutionId, _Record] = {}

    def _record(self, execution: ExecutionId) -> _Record:
        try:
            return self._records[execution]
        except KeyError:
            raise UnknownExecution(execution) from None

    async def create(self, change: Change) -> None:
        """Store a new Execution. Raises AlreadyExists."""
        if change.execution.id in self._records:
            raise AlreadyExists(f"Execution {change.execution.id} exists already")
        record = _Record(change.execution)
        self._records[change.execution.id] = record
        _keep(record, change)

    async def load(self, execution: ExecutionId) -> Execution:
        """The current state. Raises UnknownExecution."""
        return self._record(execution).execution

    async def transact(self, execution: ExecutionId, command: Command) -> Execution:
        """Run a command and store its Change. Nothing is awaited, so nothing comes between."""
        record = self._record(execution)
        change = command(record.execution)
        _keep(record, change)
        return change.execution

    async def content(
        self, execution: ExecutionId, kind: Kind, revision: int | None = None
    ) -> Content | None:
        """A submitted content, the newest unless a revision is named."""
        contents = self._record(execution).contents.get(kind, [])
        for content in reversed(contents):
            if revision is None or content.revision == revision:
                return content
        return None

    async def contents(self, execution: ExecutionId, kinds: Sequence[Kind]) -> dict[Kind, Content]:
        """The newest contents of these Deliverables."""
        kept = self._record(execution).contents
        return {kind: kept[kind][-1] for kind in kinds if kept.get(kind)}

    async def events(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[Event]:
        """The history after a number."""
        return self._record(execution).events[after : after + limit]

    async def messages(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[MessageWrite]:
        """What user and Orchestrator said."""
        return self._record(execution).messages[after : after + limit]

    async def pillars(self, execution: ExecutionId, basis: int) -> dict[str, str]:
        """Finished pillar sections of a basis."""
        kept = self._record(execution).pillars
        return {pillar: text for (number, pillar), text in kept.items() if number == basis}

    async def list(
        self,
        *,
        owner: str | None = None,
        session: SessionId | None = None,
        limit: int = 100,
    ) -> Sequence[Summary]:
        """Executions, the most recently changed first."""
        found = [
            record.execution
            for record in self._records.values()
            if owner in (None, record.execution.owner)
            and session in (None, record.execution.session_id)
        ]
        found.sort(key=lambda execution: execution.updated_at, reverse=True)
        return [summary_of(execution) for execution in found[:limit]]

    async def stalled(self, before: datetime, limit: int = 100) -> Sequence[ExecutionId]:
        """Executions whose ``stalls_at`` lies before a moment."""
        return [
            record.execution.id
            for record in self._records.values()
            if record.execution.stalls_at is not None and record.execution.stalls_at < before
        ][:limit]


def _keep(record: _Record, change: Change) -> None:
    record.execution = change.execution
    record.events.extend(change.events)
    for write in change.writes:
        match write:
            case ContentWrite():
                record.contents.setdefault(write.kind, []).append(
                    Content(
                        write.kind,
                        write.revision,
                        write.content,
                        write.attachments,
                        write.digest,
                        write.at,
                    )
                )
            case MessageWrite():
                record.messages.append(write)
            case PillarWrite():
                record.pillars[(write.basis, write.pillar)] = write.content
