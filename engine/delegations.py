"""A Delegation: its claim, and what its end does to the Execution. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from engine import ledger as rules
from engine.deliverables import Kind
from engine.execution import (
    MAX_FAILURES,
    Answered,
    Change,
    Claim,
    ClaimLost,
    ContentWrite,
    Duplicate,
    EventType,
    Execution,
    OpenQuestion,
    PillarWrite,
    Stale,
    Task,
    check_version,
    role_of,
    workable,
)
from engine.ledger import State, Value
from engine.step import Step, may_claim, scripted
from engine.turns import TurnUsage, add_usage

ANSWER_LENGTH = 4000
"""Characters of one answer that are kept; the Ledger document must stay small."""


MAX_SCRIPTED_QUESTIONS = 30
"""Questions of one Deliverable that a pre-approved run answers by itself."""


class Submission(Value):
    """What a Specialist submitted; its contract was checked. ``digest`` as in content_digest."""

    content: str
    attachments: tuple[tuple[str, str], ...] = ()
    digest: str


class AskedBySpecialist(Value):
    """A question of a Specialist."""

    text: str
    why: str = ""
    proposal: str = ""


def begin_delegation(
    execution: Execution, task: Task, holder: str, retry: int, now: datetime, lease: timedelta
) -> Change:
    """Claim a Delegation. Raises GraphMismatch, Stale or Duplicate."""
    check_version(execution)
    kind = _kind(task)
    work = execution.work[kind]
    entry = execution.ledger.deliverables[kind]
    if (
        execution.status.terminal
        or entry.state is not State.IN_PROGRESS
        or work.attempt != task.number
    ):
        raise Stale(f"attempt {task.number} at {kind} of {execution.id} is over")
    if not may_claim(work.claim, task.name, retry, now):
        raise Duplicate(f"attempt {task.number} at {kind} of {execution.id} is being run already")
    step = Step(execution, now)
    step.set_work(kind, claim=Claim(task=task.name, holder=holder, retry=retry, until=now + lease))
    return step.change()


def _kind(task: Task) -> Kind:
    if task.deliverable is None:
        raise Stale(f"{task.name} names no Deliverable")
    return task.deliverable


def _held(execution: Execution, task: Task, claim: Claim) -> Kind:
    kind = _kind(task)
    if execution.status.terminal:
        raise ClaimLost(f"Execution {execution.id} is {execution.status} already")
    if execution.work[kind].claim != claim:
        raise ClaimLost(f"attempt {task.number} at {kind} was taken over or withdrawn")
    return kind


def keep_pillar(
    execution: Execution,
    task: Task,
    claim: Claim,
    pillar: str,
    content: str,
    usage: TurnUsage,
    now: datetime,
) -> Change:
    """Keep one finished pillar section. Raises ClaimLost."""
    kind = _held(execution, task, claim)
    step = Step(execution, now)
    step.writes.append(PillarWrite(execution.work[kind].basis, pillar, content))
    add_usage(step, usage)
    return step.change()


def _end(execution: Execution, task: Task, claim: Claim, usage: TurnUsage, now: datetime) -> Step:
    kind = _held(execution, task, claim)
    step = Step(execution, now)
    step.set_work(kind, claim=None)
    add_usage(step, usage)
    return step


def _finish(step: Step, before: tuple[Kind, ...]) -> Change:
    """Wake the Orchestrator if this end made work ready that was not ready before."""
    after = workable(step.execution)
    step.settle(wake=any(kind not in before for kind in after))
    return step.change()


def submit(
    execution: Execution,
    task: Task,
    claim: Claim,
    submission: Submission,
    usage: TurnUsage,
    now: datetime,
) -> Change:
    """Record a submission. Raises ClaimLost."""
    before = workable(execution)
    step = _end(execution, task, claim, usage, now)
    kind = _kind(task)
    step.set(ledger=rules.submit(step.execution.ledger, kind, submission.digest))
    step.set_work(kind, basis=0, failures=0, failure=None, extra_calls=0)
    revision = step.execution.ledger.deliverables[kind].revision
    step.writes.append(
        ContentWrite(
            kind, revision, submission.content, submission.attachments, submission.digest, now
        )
    )
    step.emit(
        EventType.SUBMITTED,
        deliverable=kind,
        by=role_of(kind),
        attempt=task.number,
        revision=revision,
    )
    return _finish(step, before)


def need_input(
    execution: Execution,
    task: Task,
    claim: Claim,
    questions: tuple[AskedBySpecialist, ...],
    permission: bool,
    usage: TurnUsage,
    now: datetime,
) -> Change:
    """Send the Deliverable back to pending until its questions are answered. Raises ClaimLost.

    A pre-approved run answers at once: by the case's scripted answer, else by telling the
    Specialist to assume.
    """
    before = workable(execution)
    step = _end(execution, task, claim, usage, now)
    kind = _kind(task)
    step.set(ledger=rules.release(step.execution.ledger, kind))
    work = step.execution.work[kind]
    if permission and step.execution.cloud_read is None:
        step.set_work(kind, needs_permission=True)
    idle = not questions and not step.execution.work[kind].needs_permission
    if idle or (step.execution.pre_approved and work.asked >= MAX_SCRIPTED_QUESTIONS):
        reason = (
            "it ended without a question" if idle else "it keeps asking although nobody is here"
        )
        return _failed(step, kind, task, reason)
    asked = tuple(
        OpenQuestion(
            id=f"{kind}.{work.asked + number}",
            text=question.text,
            why=question.why,
            proposal=question.proposal,
        )
        for number, question in enumerate(questions, start=1)
    )
    step.set_work(kind, asked=work.asked + len(asked))
    for question in asked:
        step.emit(EventType.ASKED, deliverable=kind, by=role_of(kind), detail=question.text)
    if step.execution.pre_approved:
        for question in asked:
            answer, by = scripted(step.execution.scripted_answers, question.text)
            keep_answer(step, kind, question.text, answer, by)
    else:
        step.set_work(kind, questions=(*work.questions, *asked))
    return _finish(step, before)


def keep_answer(step: Step, kind: Kind, question: str, answer: str, by: str) -> None:
    """Route an answer to the Specialist that asked."""
    entry = Answered(question=question, answer=answer[:ANSWER_LENGTH], by=by)
    step.set_work(kind, answers=(*step.execution.work[kind].answers, entry))
    step.emit(EventType.ANSWERED, deliverable=kind, by=by, detail=question)


def exhaust(
    execution: Execution, task: Task, claim: Claim, summary: str, usage: TurnUsage, now: datetime
) -> Change:
    """The Specialist used up its tool calls. Raises ClaimLost.

    The user decides whether it may go on; a pre-approved Execution fails.
    """
    step = _end(execution, task, claim, usage, now)
    kind = _kind(task)
    step.emit(EventType.BUDGET_EXHAUSTED, deliverable=kind, attempt=task.number, detail=summary)
    step.set(ledger=rules.release(step.execution.ledger, kind))
    if step.execution.pre_approved:
        step.fail(f"{kind}: the budget of tool calls was used up. {summary}")
        return step.change()
    step.set_work(kind, exhausted=f"{kind}: the budget of tool calls was used up. {summary}")
    return _finish(step, workable(execution))


def run_failed(
    execution: Execution, task: Task, claim: Claim, reason: str, now: datetime
) -> Change:
    """The run cannot succeed. Raises ClaimLost.

    The Deliverable may be delegated again until it failed MAX_FAILURES times; then the user
    decides, and a pre-approved Execution fails.
    """
    step = _end(execution, task, claim, TurnUsage(), now)
    kind = _kind(task)
    step.set(ledger=rules.release(step.execution.ledger, kind))
    return _failed(step, kind, task, reason)


def _failed(step: Step, kind: Kind, task: Task, reason: str) -> Change:
    failures = step.execution.work[kind].failures + 1
    step.emit(EventType.RUN_FAILED, deliverable=kind, attempt=task.number, detail=reason)
    step.set_work(kind, failures=failures, failure=reason)
    step.note(f"The run for {kind} failed: {reason}")
    if failures >= MAX_FAILURES and step.execution.pre_approved:
        step.fail(f"{kind} failed {failures} times. Last reason: {reason}")
        return step.change()
    return _finish(step, workable(step.execution))


def give_back(execution: Execution, task: Task, claim: Claim, now: datetime) -> Change:
    """Let go of a claim without an outcome, so that the next delivery need not wait for it."""
    step = Step(execution, now)
    if task.deliverable is None:
        if execution.turn.claim != claim:
            raise ClaimLost(f"{task.name} was taken over")
        step.set_turn(claim=None)
    else:
        _held(execution, task, claim)
        step.set_work(task.deliverable, claim=None)
    return step.change()
