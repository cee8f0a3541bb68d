"""Commands on an Execution as a whole: start, cancel, expire, redrive, fail, discard. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from engine.deliverables import GRAPH, Kind
from engine.execution import (
    Change,
    EventType,
    Execution,
    ExecutionError,
    ExecutionId,
    Finished,
    Limits,
    Mode,
    ScriptedAnswer,
    SessionId,
    Status,
    Work,
    check_version,
    due_tasks,
    next_stall,
)
from engine.ledger import Value, new_ledger
from engine.step import Step

TITLE_LENGTH = 120


class StartRequest(Value):
    """What starts an Execution. The request is kept as its first message."""

    id: ExecutionId
    session_id: SessionId
    owner: str
    request: str
    mode: Mode = Mode.INTERACTIVE
    cloud_read: bool | None = None
    scripted_answers: tuple[ScriptedAnswer, ...] = ()
    limits: Limits = Limits()
    publishes: bool = False


def title_of(request: str) -> str:
    """The first line of at least four words, so that a greeting is none; at most 120 characters."""
    lines = [
        line.strip().lstrip("#").strip().removeprefix("Subject:").strip()
        for line in request.splitlines()
    ]
    said = [line for line in lines if line]
    for line in [*(line for line in said if len(line.split()) >= 4), *said]:
        return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"
    return "(empty request)"


def start(request: StartRequest, now: datetime) -> Change:
    """A new Execution whose first Turn is due.

    In pre-approved mode nobody can be asked, so permission that was not given is refused.
    """
    cloud_read = request.cloud_read
    if request.mode is Mode.PRE_APPROVED and cloud_read is None:
        cloud_read = False
    execution = Execution(
        id=request.id,
        session_id=request.session_id,
        owner=request.owner,
        title=title_of(request.request),
        mode=request.mode,
        status=Status.WORKING,
        created_at=now,
        updated_at=now,
        ledger=new_ledger(),
        work={spec.kind: Work() for spec in GRAPH},
        cloud_read=cloud_read,
        scripted_answers=request.scripted_answers,
        limits=request.limits,
        publishes=request.publishes,
    )
    step = Step(execution, now)
    step.emit(EventType.STARTED, by=request.owner, detail=request.mode.value)
    step.say("user", request.owner, request.request)
    step.settle(wake=True)
    return step.change()


def cancel(execution: Execution, by: str, now: datetime) -> Change:
    """End it at the user's wish; what still runs is discarded. Raises Finished when terminal."""
    _not_terminal(execution)
    step = Step(execution, now)
    step.end(Status.CANCELED, EventType.CANCELED, by=by, detail=None)
    return step.change()


def expire(execution: Execution, now: datetime) -> Change:
    """End an Execution whose wait lasted too long. Raises ExecutionError when it did not."""
    _not_terminal(execution)
    wait = execution.wait
    if wait is None or wait.expires_at > now:
        raise ExecutionError(f"Execution {execution.id} has no wait that lasted too long")
    step = Step(execution, now)
    days = execution.limits.wait_days
    step.end(
        Status.EXPIRED,
        EventType.EXPIRED,
        by=None,
        detail=f"nobody decided within {days} days ({wait.kind})",
    )
    return step.change()


def redrive(execution: Execution, now: datetime) -> Change:
    """Give every due task a new name, so that a queue which has seen the old one takes it again.

    Raises Finished when terminal, ExecutionError when nothing is due.
    """
    check_version(execution)
    _not_terminal(execution)
    if not due_tasks(execution):
        raise ExecutionError(f"Execution {execution.id} waits for a person; nothing is due")
    step = Step(execution, now)
    step.set(redrive=execution.redrive + 1)
    step.emit(EventType.REDRIVEN, detail=f"redrive {execution.redrive + 1}")
    return step.change()


def sweep(execution: Execution, now: datetime) -> Change:
    """Bring back to life what stalled: expire a wait that lasted too long, else redrive.

    Raises ExecutionError when nothing of the kind is the case (any more), or GraphMismatch.
    """
    if execution.stalls_at is None or execution.stalls_at > now:
        raise ExecutionError(f"Execution {execution.id} has not stalled")
    wait = execution.wait
    if wait is not None and wait.expires_at <= now:
        return expire(execution, now)
    return redrive(execution, now)


def void_claims(execution: Execution, now: datetime) -> Change:
    """Let go of every claim, when their holder is known to be gone (the local queue's file lock).

    Raises Finished when terminal, ExecutionError when there is none.
    """
    _not_terminal(execution)
    step = Step(execution, now)
    for kind, work in execution.work.items():
        if work.claim is not None:
            step.set_work(kind, claim=None)
    step.set_turn(claim=None)
    if step.execution.work == execution.work and execution.turn.claim is None:
        raise ExecutionError(f"Execution {execution.id} holds no claim")
    return step.change()


def fail(execution: Execution, reason: str, now: datetime) -> Change:
    """End as failed, with a reason for people. Raises Finished when terminal."""
    _not_terminal(execution)
    step = Step(execution, now)
    step.fail(reason)
    return step.change()


def discard(
    execution: Execution, deliverable: Kind | None, attempt: int, reason: str, now: datetime
) -> Change:
    """Record that an outcome came too late or no longer fitted. Allowed in every state."""
    step = Step(execution, now)
    step.emit(EventType.DISCARDED, deliverable=deliverable, attempt=attempt, detail=reason)
    return step.change()


def with_published(change: Change, upto: int) -> Change:
    """The same Change, which also records that the events up to a number are published."""
    execution = change.execution
    if upto <= execution.published:
        return change
    execution = execution.having(published=upto)
    stalls_at = next_stall(execution, execution.updated_at)
    return replace(change, execution=execution.having(stalls_at=stalls_at))


def mark_published(execution: Execution, upto: int, now: datetime) -> Change:
    """Record that the events up to a number are published; no event tells of it.

    For an Execution where nothing is due: ``updated_at`` stays, and so does any wait.
    """
    after = execution.having(rev=execution.rev + 1, published=max(execution.published, upto))
    return Change(after.having(stalls_at=next_stall(after, now)))


def _not_terminal(execution: Execution) -> None:
    if execution.status.terminal:
        raise Finished(f"Execution {execution.id} is {execution.status} already")
