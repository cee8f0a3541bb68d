"""What a run works from: the request, Dependencies, feedback and answers, read from the store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents.runtime import AgentTask, Answer, Attachment, Document
from engine.deliverables import ANCESTORS, SPECS, Kind
from engine.execution import PRE_APPROVED, Execution, ExecutionId
from engine.ports import Content, ExecutionStore
from engine.tools import ReadDeliverable

Ancestors = Callable[[], Awaitable[Mapping[Kind, Content]]]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What one Delegation is given.

    ``dependencies`` are the direct ones. ``words`` are the user's own: the request and every answer
    of theirs, which the contracts look into.
    """

    request: str
    words: str
    dependencies: tuple[Content, ...]
    previous: Content | None


async def load_request(store: ExecutionStore, execution: ExecutionId) -> str:
    """The request: the first message of an Execution."""
    return (await store.messages(execution, limit=1))[0].text


def ancestors_of(store: ExecutionStore, execution: ExecutionId, kind: Kind) -> Ancestors:
    """A reader of everything that a Deliverable builds on; contracts ask only when they check."""

    async def read() -> Mapping[Kind, Content]:
        return await store.contents(execution, ANCESTORS[kind])

    return read


async def load_inputs(store: ExecutionStore, execution: Execution, kind: Kind) -> Inputs:
    """Read what a Specialist of ``kind`` works from."""
    dependencies = await store.contents(execution.id, SPECS[kind].depends_on)
    previous = None
    if execution.ledger.deliverables[kind].revision:
        previous = await store.content(execution.id, kind)
    request = await load_request(store, execution.id)
    said = [
        answer.answer
        for work in execution.work.values()
        for answer in work.answers
        if answer.by != PRE_APPROVED
    ]
    feedback = [reason for d in execution.ledger.deliverables.values() for reason in d.feedback]
    return Inputs(
        request, "\n".join((request, *said, *feedback)), tuple(dependencies.values()), previous
    )


def specialist_task(
    execution: Execution, run: str, kind: Kind, inputs: Inputs, deadline: datetime
) -> AgentTask:
    """The task of one run: direct Dependencies whole, feedback and answers of its own."""
    return AgentTask(
        execution_id=execution.id,
        run=run,
        request=inputs.request,
        interactive=not execution.pre_approved,
        deliverable=kind.value,
        dependencies=tuple(_document(content) for content in inputs.dependencies),
        previous=_document(inputs.previous) if inputs.previous else None,
        feedback=execution.ledger.deliverables[kind].feedback,
        answers=tuple(
            Answer(question=a.question, answer=a.answer, by=a.by)
            for a in execution.work[kind].answers
        ),
        deadline=deadline,
    )


def reader(store: ExecutionStore, execution: ExecutionId) -> ReadDeliverable:
    """What ``read_deliverable`` of a run calls."""

    async def read(kind: Kind) -> Mapping[str, Any] | None:
        found = await store.content(execution, kind)
        if found is None:
            return None
        return {
            "kind": kind.value,
            "revision": found.revision,
            "content": found.content,
            "attachments": [{"path": p, "text": t} for p, t in found.attachments],
        }

    return read


def _document(content: Content) -> Document:
    return Document(
        kind=content.kind.value,
        content=content.content,
        attachments=tuple(Attachment(path=p, text=t) for p, t in content.attachments),
        revision=content.revision,
    )
