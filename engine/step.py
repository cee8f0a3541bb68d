"""The workbench of a command: collects state, events and writes, and ends with one Change.

The wake rules live here, because every command ends with them (DESIGN: When the Orchestrator
wakes): a Turn becomes due as soon as new work is ready or nothing is in flight any more; a
question alone wakes nobody while others still run; nothing starts while a person is waited for.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from engine.deliverables import Kind, Phase
from engine.execution import (
    KEPT_CLOSED_WAITS,
    MAX_FAILURES,
    PRE_APPROVED,
    AskedQuestion,
    Change,
    Claim,
    Closed,
    Event,
    EventType,
    Execution,
    MessageWrite,
    ScriptedAnswer,
    Status,
    Wait,
    WaitKind,
    Write,
    next_stall,
    open_questions,
    workable,
)
from engine.ledger import in_progress

NOTE_LENGTH, NOTES_KEPT = 8000, 40
SUMMARY_LENGTH = 8000
"""Bounds of texts in the document; the whole of what was said is in the messages."""

NO_USER = (
    "No user is available. State your assumption, record it in the Deliverable under "
    "'Assumptions', and proceed."
)


class Step:
    """One command being carried out on ``execution`` at ``now``."""

    def __init__(self, execution: Execution, now: datetime) -> None:
        self.execution = execution
        self.now = now
        self.events: list[Event] = []
        self.writes: list[Write] = []

    def set(self, **fields: object) -> None:
        """Replace fields of the Execution."""
        self.execution = self.execution.having(**fields)

    def set_work(self, kind: Kind, **fields: object) -> None:
        """Replace fields of what is known of a Deliverable's Delegations."""
        entry = self.execution.work[kind].having(**fields)
        self.set(work={**self.execution.work, kind: entry})

    def set_turn(self, **fields: object) -> None:
        """Replace fields of the Turn's state."""
        self.set(turn=self.execution.turn.having(**fields))

    def emit(
        self,
        type: EventType,
        *,
        deliverable: Kind | None = None,
        phase: Phase | None = None,
        by: str | None = None,
        detail: str | None = None,
        attempt: int | None = None,
        revision: int | None = None,
        wait: str | None = None,
        phases: tuple[Phase, ...] = (),
    ) -> None:
        """Append to the history, with the next number."""
        seq = self.execution.last_event + 1
        self.events.append(
            Event(
                seq=seq,
                at=self.now,
                type=type,
                deliverable=deliverable,
                phase=phase,
                by=by,
                detail=detail,
                attempt=attempt,
                revision=revision,
                wait=wait,
                phases=phases,
            )
        )
        self.set(last_event=seq)

    def say(self, role: str, by: str, text: str) -> None:
        """Keep a message between user and Orchestrator."""
        seq = self.execution.last_message + 1
        self.writes.append(MessageWrite(seq, role, by, text, self.now))
        self.set(last_message=seq)

    def note(self, text: str) -> None:
        """Tell the next Turn something."""
        self.set(inbox=(*self.execution.inbox, text[:NOTE_LENGTH])[:NOTES_KEPT])

    def open_wait(
        self,
        kind: WaitKind,
        summary: str,
        *,
        phase: Phase | None = None,
        shown: str | None = None,
        deliverable: Kind | None = None,
        questions: tuple[AskedQuestion, ...] = (),
        options: tuple[str, ...] = (),
        pending_reason: str | None = None,
    ) -> Wait:
        """Begin to wait for a person."""
        number = self.execution.waits + 1
        wait = Wait(
            id=f"w{number}",
            kind=kind,
            opened_at=self.now,
            expires_at=self.now + timedelta(days=self.execution.limits.wait_days),
            summary=summary[:SUMMARY_LENGTH],
            phase=phase,
            shown=shown,
            deliverable=deliverable,
            questions=questions,
            options=options,
            pending_reason=pending_reason,
        )
        self.set(wait=wait, waits=number, status=Status.WAITING)
        return wait

    def close_wait(self, by: str, decision: str) -> None:
        """End the wait; the decision is used up, and whoever comes later hears of it."""
        wait = self.execution.wait
        if wait is None:
            raise RuntimeError("no wait to close")
        closed = Closed(id=wait.id, kind=wait.kind, by=by, at=self.now, decision=decision)
        self.set(
            wait=None,
            status=Status.WORKING,
            closed=(*self.execution.closed, closed)[-KEPT_CLOSED_WAITS:],
        )

    def end(self, status: Status, type: EventType, *, by: str | None, detail: str | None) -> None:
        """Make the Execution terminal; every claim and wait is void."""
        work = {
            kind: entry.having(claim=None) if entry.claim else entry
            for kind, entry in self.execution.work.items()
        }
        failure = detail if status in (Status.FAILED, Status.EXPIRED) else None
        self.set(status=status, wait=None, work=work, failure=failure)
        self.set_turn(due=False, claim=None, again=False)
        self.emit(type, by=by, detail=detail)

    def fail(self, reason: str) -> None:
        """End as failed."""
        self.end(Status.FAILED, EventType.FAILED, by=None, detail=reason)

    def complete(self, by: str) -> None:
        """End as completed, with warnings where there are some."""
        status = Status.COMPLETED_WITH_WARNINGS if self.execution.warnings else Status.COMPLETED
        self.end(status, EventType.COMPLETED, by=by, detail=None)

    def warn(self, text: str) -> None:
        """Record a warning that stays with the result."""
        self.set(warnings=(*self.execution.warnings, text))

    def settle(self, *, wake: bool) -> None:
        """Apply the wake rules; ``wake`` says that new work is ready or a person has decided."""
        execution = self.execution
        if execution.status.terminal or execution.wait is not None:
            return
        if execution.turn.claim is not None:
            if wake:
                self.set_turn(again=True)
            return
        if execution.turn.due:
            return
        idle = not in_progress(execution.ledger)
        if not wake and not idle:
            return
        if not wake and not workable(execution) and not open_questions(execution):
            self._ask_what_holds_up()
        if self.execution.wait is None and not self.execution.status.terminal:
            self.set_turn(n=execution.turn.n + 1, due=True)

    def _ask_what_holds_up(self) -> None:
        """Wait for the person whom a Deliverable needs: permission, then budget, then failures."""
        work = self.execution.work
        blocked = [kind for kind, entry in work.items() if entry.needs_permission]
        if blocked:
            wait = self.open_wait(
                WaitKind.PERMISSION,
                "Read-only access to your cloud projects would let "
                f"{', '.join(blocked)} work from what really runs there. Without it the gap is "
                "recorded and the work goes on.",
                options=("grant", "refuse"),
            )
            self.emit(EventType.PERMISSION_REQUESTED, wait=wait.id)
            return
        for kind, entry in work.items():
            if entry.exhausted is not None:
                self.open_wait(
                    WaitKind.BUDGET, entry.exhausted, deliverable=kind, options=("continue", "stop")
                )
                return
            if entry.failures >= MAX_FAILURES:
                wait = self.open_wait(
                    WaitKind.ESCALATION,
                    f"{kind} failed {entry.failures} times. Last reason: {entry.failure}",
                    deliverable=kind,
                    options=("retry", "stop"),
                )
                self.emit(
                    EventType.ESCALATED,
                    deliverable=kind,
                    detail=entry.failure,
                    wait=wait.id,
                )
                return

    def change(self) -> Change:
        """What the command did, with the revision of the document raised."""
        execution = self.execution
        execution = execution.having(
            rev=execution.rev + 1,
            updated_at=self.now,
            stalls_at=next_stall(execution, self.now),
        )
        return Change(execution, tuple(self.events), tuple(self.writes))


def may_claim(current: Claim | None, task: str, retry: int, now: datetime) -> bool:
    """Whether this delivery may take the work: nobody holds it, or whoever did has lost it.

    The same task with a higher retry count proves that the queue gave up on the holder; a passed
    deadline proves that the holder must have stopped.
    """
    if current is None or current.until <= now:
        return True
    return current.task == task and retry > current.retry


def scripted(answers: tuple[ScriptedAnswer, ...], question: str) -> tuple[str, str]:
    """The answer of a pre-approved run and who gives it: the first pattern that matches."""
    for entry in answers:
        if re.search(entry.pattern, question, re.IGNORECASE):
            return entry.answer, "scripted answer"
    return NO_USER, PRE_APPROVED
