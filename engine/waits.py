"""What people do to an Execution: answer questions and decide. Pure.

Approvals and permissions come only from here, from a Decision that is bound to the open wait (its
id, Phase and the digest of what was shown) and is used once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from engine import ledger as rules
from engine.decisions import (
    ApprovalDecision,
    BudgetDecision,
    Decision,
    EscalationDecision,
    PermissionDecision,
)
from engine.delegations import ANSWER_LENGTH, keep_answer
from engine.deliverables import Kind
from engine.execution import (
    AskedQuestion,
    Change,
    EventType,
    Execution,
    ExecutionError,
    Finished,
    Status,
    Wait,
    WaitKind,
    check_version,
)
from engine.step import Step
from engine.turns import revise


class DecisionRefused(ExecutionError):
    """The decision does not answer what is waited for; nothing was granted."""


class AlreadyDecided(DecisionRefused):
    """Somebody decided this wait before."""


class AnswerRefused(ExecutionError):
    """The answers do not match the questions that are open; nothing was recorded."""


def decide(execution: Execution, decision: Decision, by: str, now: datetime) -> Change:
    """Apply a decision of an authorised caller.

    Raises AlreadyDecided, DecisionRefused, Finished or GraphMismatch; the state is then unchanged
    and the caller records the refusal with ``record_refusal``.
    """
    check_version(execution)
    for closed in execution.closed:
        if closed.id == decision.wait:
            raise AlreadyDecided(
                f"already decided: {closed.by} answered {closed.decision!r} to {closed.id} "
                f"({closed.kind}) at {closed.at.isoformat(timespec='seconds')}"
            )
    if execution.status.terminal:
        raise Finished(f"Execution {execution.id} is {execution.status} already")
    wait = execution.wait
    if wait is None:
        raise DecisionRefused(f"Execution {execution.id} waits for no decision now")
    if wait.id != decision.wait:
        raise DecisionRefused(f"the decision is for {decision.wait}, but {wait.id} is waited for")
    if decision.shown != wait.shown:
        raise DecisionRefused(
            f"what was shown is not what is waited for (digest {decision.shown}, "
            f"now {wait.shown}); look at it again and decide"
        )
    step = Step(execution, now)
    choice = decision.choice
    match choice:
        case ApprovalDecision() if wait.kind is WaitKind.APPROVAL:
            _approval(step, wait, choice, by)
        case PermissionDecision() if wait.kind is WaitKind.PERMISSION:
            _permission(step, choice.cloud_read, by)
        case EscalationDecision() if wait.kind is WaitKind.ESCALATION:
            _check_option(wait, choice.decision)
            _escalation(step, wait, choice.decision, by)
        case BudgetDecision() if wait.kind is WaitKind.BUDGET:
            _check_option(wait, choice.decision)
            _budget(step, wait, choice, by)
        case _:
            raise DecisionRefused(f"{wait.id} waits for {wait.kind}, which this does not decide")
    step.settle(wake=True)
    return step.change()


def record_refusal(execution: Execution, wait: str, by: str, reason: str, now: datetime) -> Change:
    """Put a refused decision into the history; nothing else changes."""
    step = Step(execution, now)
    step.emit(EventType.DECISION_REFUSED, by=by, wait=wait, detail=reason)
    return step.change()


def _check_option(wait: Wait, option: str) -> None:
    if option not in wait.options:
        raise DecisionRefused(f"{option!r} is not possible here; {wait.id} takes {wait.options}")


def _approval(step: Step, wait: Wait, choice: ApprovalDecision, by: str) -> None:
    if choice.phase is not wait.phase:
        raise DecisionRefused(f"{wait.id} is about {wait.phase}, the decision about {choice.phase}")
    step.close_wait(by, choice.decision)
    if choice.decision == "approve":
        step.set(ledger=rules.approve(step.execution.ledger, choice.phase, by, step.now))
        step.emit(EventType.APPROVED, phase=choice.phase, by=by, wait=wait.id)
        step.note(f"The user approved {choice.phase}.")
        return
    step.set(ledger=rules.request_changes(step.execution.ledger, choice.phase, choice.feedback))
    step.emit(
        EventType.CHANGES_REQUESTED,
        phase=choice.phase,
        by=by,
        detail=choice.feedback,
        wait=wait.id,
    )
    step.say("user", by, choice.feedback)
    step.note(f"The user did not approve {choice.phase} and asks for changes: {choice.feedback}")


def _permission(step: Step, granted: bool, by: str) -> None:
    step.close_wait(by, "granted" if granted else "refused")
    step.set(cloud_read=granted)
    for kind, work in step.execution.work.items():
        if work.needs_permission:
            step.set_work(kind, needs_permission=False)
    step.emit(EventType.PERMISSION_GRANTED if granted else EventType.PERMISSION_REFUSED, by=by)
    step.note(f"The user {'granted' if granted else 'refused'} read-only cloud access.")


def _stop(step: Step, by: str) -> None:
    step.end(Status.CANCELED, EventType.CANCELED, by=by, detail="stopped by decision")


def _escalation(step: Step, wait: Wait, option: str, by: str) -> None:
    step.close_wait(by, option)
    step.emit(EventType.DECIDED, by=by, detail=option, wait=wait.id, deliverable=wait.deliverable)
    if option == "stop":
        _stop(step, by)
    elif option == "retry":
        if wait.deliverable is not None:
            step.set_work(wait.deliverable, failures=0)
    elif wait.deliverable is not None:
        _beyond_cap(step, wait.deliverable, wait.pending_reason or "", option, by)


def _beyond_cap(step: Step, kind: Kind, reason: str, option: str, by: str) -> None:
    execution = step.execution
    if option == "accept":
        step.set(ledger=rules.drop_change_requests(execution.ledger))
        step.warn(f"{kind} was kept as it is by decision of {by}, although: {reason}")
        step.note(f"The user keeps {kind} as it is.")
        return
    extra = execution.extra_revisions.get(kind, 0) + 1
    step.set(extra_revisions={**execution.extra_revisions, kind: extra})
    revise(step, kind, reason, execution.limits.max_revisions + extra)


def _budget(step: Step, wait: Wait, choice: BudgetDecision, by: str) -> None:
    step.close_wait(by, choice.decision)
    step.emit(
        EventType.DECIDED, by=by, detail=choice.decision, wait=wait.id, deliverable=wait.deliverable
    )
    if choice.decision == "stop":
        _stop(step, by)
    elif wait.deliverable is None:
        step.set_turn(extra_calls=step.execution.turn.extra_calls + choice.calls)
    else:
        work = step.execution.work[wait.deliverable]
        step.set_work(wait.deliverable, exhausted=None, extra_calls=work.extra_calls + choice.calls)


def answer(execution: Execution, answers: Mapping[str, str], by: str, now: datetime) -> Change:
    """Record answers by question id and route each to the Specialists behind the question.

    Ids are those of the open wait (``q1``) or of a Specialist's question (``requirements.1``),
    so that an answer that comes before the questions were put to the user is kept too. What
    remains unanswered stays open. Raises AnswerRefused, Finished or GraphMismatch.
    """
    check_version(execution)
    if execution.status.terminal:
        raise Finished(f"Execution {execution.id} is {execution.status} already")
    if not answers:
        raise AnswerRefused("no answer was given")
    for key, text in answers.items():
        if not text.strip():
            raise AnswerRefused(f"the answer to {key} is empty")
        if len(text) > ANSWER_LENGTH:
            raise AnswerRefused(f"the answer to {key} has {len(text)} characters, more than 4000")
    step = Step(execution, now)
    asked = {q.id: q for q in execution.wait.questions} if execution.wait else {}
    unknown = []
    for key, text in answers.items():
        if key in asked:
            _answer_asked(step, key, text, by)
        elif not _answer_source(step, key, text, by):
            unknown.append(key)
    if unknown:
        known = ", ".join(asked) or ", ".join(
            q.id for w in execution.work.values() for q in w.questions
        )
        raise AnswerRefused(f"no open question {', '.join(unknown)}; open: {known or 'none'}")
    wait = step.execution.wait
    if wait is not None and wait.kind is WaitKind.QUESTIONS and not wait.questions:
        step.close_wait(by, "answered")
        step.settle(wake=True)
    elif wait is None:
        step.settle(wake=True)
    return step.change()


def _answer_asked(step: Step, key: str, text: str, by: str) -> None:
    wait = step.execution.wait
    if wait is None:
        raise RuntimeError("no wait")
    question = next((q for q in wait.questions if q.id == key), None)
    if question is None:  # answered a moment ago by the id of its source
        return
    step.say("user", by, f"{question.text}\n{text}")
    for kind, source in question.sources:
        _route(step, kind, source, text, by)
    if not question.sources:
        step.emit(EventType.ANSWERED, by=by, detail=question.text, wait=wait.id)
        step.note(f"You asked: {question.text}\nThe user answered: {text}")
    left = tuple(q for q in wait.questions if q.id != key)
    step.set(wait=wait.having(questions=left))


def _answer_source(step: Step, key: str, text: str, by: str) -> bool:
    """Answer a Specialist's question by its own id, also where it was merged into a wait."""
    for kind, work in step.execution.work.items():
        if any(q.id == key for q in work.questions):
            step.say("user", by, text)
            _route(step, kind, key, text, by)
            wait = step.execution.wait
            if wait is not None and wait.kind is WaitKind.QUESTIONS:
                left = tuple(
                    q for q in (_without(q, kind, key) for q in wait.questions) if q is not None
                )
                step.set(wait=wait.having(questions=left))
            return True
    return False


def _without(question: AskedQuestion, kind: Kind, key: str) -> AskedQuestion | None:
    if (kind, key) not in question.sources:
        return question
    sources = tuple(source for source in question.sources if source != (kind, key))
    return question.having(sources=sources) if sources else None


def _route(step: Step, kind: Kind, source: str, text: str, by: str) -> None:
    work = step.execution.work[kind]
    question = next((q for q in work.questions if q.id == source), None)
    if question is None:  # a Revision withdrew the question meanwhile
        step.note(f"The user answered a withdrawn question of {kind}: {text}")
        return
    step.set_work(kind, questions=tuple(q for q in work.questions if q.id != source))
    keep_answer(step, kind, question.text, text, by)


def tell(execution: Execution, text: str, by: str, now: datetime) -> Change:
    """Keep something that the user said outside any question; the next Turn reads it.

    It grants nothing and answers no question. Raises Finished.
    """
    if execution.status.terminal:
        raise Finished(f"Execution {execution.id} is {execution.status} already")
    step = Step(execution, now)
    step.say("user", by, text)
    step.note(f"The user said: {text[:ANSWER_LENGTH]}")
    return step.change()
