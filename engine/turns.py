"""The Orchestrator's Turn: its claim, its actions as values, and their effect. Pure.

A Turn works on a copy; its actions are then applied again to the state as it is by that time
(DESIGN: Delivery is at least once). One function, ``apply``, serves both.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from engine import ledger as rules
from engine.deliverables import Kind, Phase
from engine.execution import (
    MAX_IDLE_TURNS,
    PRE_APPROVED,
    AskedQuestion,
    Change,
    Claim,
    ClaimLost,
    Duplicate,
    EventType,
    Execution,
    ExecutionError,
    Stale,
    Status,
    Task,
    WaitKind,
    check_version,
    open_questions,
)
from engine.ledger import Value
from engine.step import Step, may_claim, scripted


class Delegate(Value):
    """Give these Deliverables to their Specialists."""

    kinds: tuple[Kind, ...]


class TurnQuestion(Value):
    """A question of the Orchestrator; ``merges`` are ids of Specialists' questions it covers."""

    text: str
    why: str = ""
    proposal: str = ""
    merges: tuple[str, ...] = ()


class AskUser(Value):
    """Put questions to the user, with one voice."""

    questions: tuple[TurnQuestion, ...]


class RequestApproval(Value):
    """Ask for the Approval of a Phase."""

    phase: Phase
    summary: str


class Reopen(Value):
    """Start a Revision."""

    kind: Kind
    reason: str


class Finish(Value):
    """Close the Execution."""


Action = Delegate | AskUser | RequestApproval | Reopen | Finish


class ActionRefused(ExecutionError):
    """An action that the state does not allow; the message tells the Orchestrator what is so."""


class TurnUsage(Value):
    """What a run cost, for the totals."""

    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    skills: tuple[str, ...] = ()


def begin_turn(
    execution: Execution, task: Task, holder: str, retry: int, now: datetime, lease: timedelta
) -> Change:
    """Claim a Turn. Raises GraphMismatch, Stale or Duplicate."""
    check_version(execution)
    turn = execution.turn
    if execution.status.terminal or execution.wait or not turn.due or turn.n != task.number:
        raise Stale(f"Turn {task.number} of {execution.id} is not due")
    if not may_claim(turn.claim, task.name, retry, now):
        raise Duplicate(f"Turn {task.number} of {execution.id} is being run already")
    step = Step(execution, now)
    claim = Claim(task=task.name, holder=holder, retry=retry, until=now + lease)
    step.set_turn(claim=claim, seen=len(execution.inbox))
    return step.change()


def end_turn(
    execution: Execution,
    claim: Claim,
    actions: tuple[Action, ...],
    text: str,
    usage: TurnUsage,
    now: datetime,
) -> Change:
    """Apply a Turn's actions to the state as it is now, and decide whether another one is due.

    An action that no longer fits is recorded as discarded and the next Turn hears of it.
    Raises ClaimLost when the Turn is not this claim's any more.
    """
    if execution.turn.claim != claim:
        raise ClaimLost(f"Turn {execution.turn.n} of {execution.id} was taken over or withdrawn")
    step = Step(execution, now)
    step.set(inbox=execution.inbox[execution.turn.seen :])
    again = execution.turn.again
    step.set_turn(due=False, claim=None, again=False, seen=0, extra_calls=0)
    add_usage(step, usage)
    if text:
        step.say("orchestrator", "orchestrator", text)
    before = _standing(step.execution)
    for action in actions:
        if step.execution.status.terminal:
            break
        try:
            apply(step, action)
        except ExecutionError as refusal:
            again = True
            step.emit(EventType.DISCARDED, detail=f"{type(action).__name__}: {refusal}")
            step.note(
                f"Your {type(action).__name__} no longer fitted when it was recorded: {refusal}"
            )
    _count_idle(step, moved=_standing(step.execution) != before)
    step.settle(wake=again)
    return step.change()


def turn_exhausted(
    execution: Execution, claim: Claim, summary: str, usage: TurnUsage, now: datetime
) -> Change:
    """The Turn used up its tool calls: the user decides, or a pre-approved Execution fails."""
    return _interrupted(execution, claim, usage, now, WaitKind.BUDGET, summary)


def turn_failed(execution: Execution, claim: Claim, reason: str, now: datetime) -> Change:
    """The Turn cannot succeed: the user decides, or a pre-approved Execution fails."""
    return _interrupted(execution, claim, TurnUsage(), now, WaitKind.ESCALATION, reason)


def _interrupted(
    execution: Execution,
    claim: Claim,
    usage: TurnUsage,
    now: datetime,
    kind: WaitKind,
    reason: str,
) -> Change:
    if execution.turn.claim != claim:
        raise ClaimLost(f"Turn {execution.turn.n} of {execution.id} was taken over or withdrawn")
    step = Step(execution, now)
    step.set_turn(due=False, claim=None, again=False, seen=0)
    add_usage(step, usage)
    exhausted = kind is WaitKind.BUDGET
    step.emit(EventType.BUDGET_EXHAUSTED if exhausted else EventType.RUN_FAILED, detail=reason)
    if execution.pre_approved:
        step.fail(f"The Orchestrator's Turn could not be completed: {reason}")
    else:
        step.open_wait(
            kind,
            f"The Orchestrator could not complete its Turn: {reason}",
            options=("continue", "stop") if exhausted else ("retry", "stop"),
        )
    return step.change()


def _standing(execution: Execution) -> tuple[object, ...]:
    """What a Turn can move: states of Deliverables and Phases."""
    ledger = execution.ledger
    return (
        *(entry.state for entry in ledger.deliverables.values()),
        *(entry.status for entry in ledger.phases.values()),
    )


def _count_idle(step: Step, *, moved: bool) -> None:
    """Three Turns in a row that move nothing, with nobody at work, need a person."""
    execution = step.execution
    if execution.status.terminal:
        return
    if moved or rules.in_progress(execution.ledger) or execution.wait:
        step.set_turn(idle=0)
        return
    idle = execution.turn.idle + 1
    step.set_turn(idle=idle)
    step.note("Your last Turn ended without a decision. Call ready_work, then act on it.")
    if idle < MAX_IDLE_TURNS:
        return
    reason = f"the Orchestrator ended {idle} Turns in a row without a decision"
    if execution.pre_approved:
        step.fail(reason)
        return
    step.set_turn(idle=0)
    wait = step.open_wait(WaitKind.ESCALATION, reason, options=("retry", "stop"))
    step.emit(EventType.ESCALATED, detail=reason, wait=wait.id)


def add_usage(step: Step, usage: TurnUsage) -> None:
    """Add a run to the Execution's totals."""
    total = step.execution.usage
    step.set(
        usage=total.having(
            runs=total.runs + 1,
            tool_calls=total.tool_calls + usage.tool_calls,
            input_tokens=total.input_tokens + usage.input_tokens,
            output_tokens=total.output_tokens + usage.output_tokens,
        )
    )
    new = tuple(name for name in usage.skills if name not in step.execution.skills)
    if new:
        step.set(skills=(*step.execution.skills, *new))


def apply(step: Step, action: Action) -> tuple[str, ...]:
    """Carry out one action, or raise ActionRefused with what stands against it.

    Returns the answers to questions that a pre-approved run answers by itself, else nothing.
    """
    if step.execution.wait is not None:
        raise ActionRefused("the Execution waits for the user now; this Turn is over")
    try:
        match action:
            case Delegate():
                _delegate(step, action.kinds)
            case AskUser():
                return _ask(step, action.questions)
            case RequestApproval():
                _request_approval(step, action.phase, action.summary)
            case Reopen():
                _reopen(step, action.kind, action.reason)
            case Finish():
                _finish(step)
    except rules.LedgerError as refusal:
        raise ActionRefused(str(refusal)) from refusal
    return ()


def _delegate(step: Step, kinds: tuple[Kind, ...]) -> None:
    if not kinds:
        raise ActionRefused("name at least one Deliverable to delegate")
    work = step.execution.work
    for kind in kinds:
        if work[kind].held_up:
            raise ActionRefused(f"{kind} waits for the user: {_hold_up(step.execution, kind)}")
    current = step.execution.ledger
    for kind in dict.fromkeys(kinds):
        current = rules.begin(current, kind)
    step.set(ledger=current)
    for kind in dict.fromkeys(kinds):
        attempt = work[kind].attempt + 1
        step.set_work(kind, attempt=attempt, basis=work[kind].basis or attempt, claim=None)
        step.emit(EventType.DELEGATED, deliverable=kind, attempt=attempt)


def _hold_up(execution: Execution, kind: Kind) -> str:
    work = execution.work[kind]
    if work.questions:
        return "it has open questions; call ask_user"
    if work.needs_permission:
        return "it needs permission for cloud_read, which is asked for when this Turn has ended"
    return work.exhausted or work.failure or "it was stopped"


def _ask(step: Step, questions: tuple[TurnQuestion, ...]) -> tuple[str, ...]:
    """Merge the Specialists' open questions with the Orchestrator's own into one wait."""
    if step.execution.pre_approved:
        if not questions:
            raise ActionRefused("there is nothing to ask")
        answers = tuple(scripted(step.execution.scripted_answers, q.text)[0] for q in questions)
        for question, answer in zip(questions, answers, strict=True):
            step.emit(EventType.ANSWERED, by=PRE_APPROVED, detail=question.text)
            step.note(f"Question: {question.text}\nAnswer: {answer}")
        return answers
    waiting = {q.id: (kind, q) for kind, q in open_questions(step.execution)}
    asked: list[AskedQuestion] = []
    for question in questions:
        if unknown := [i for i in question.merges if i not in waiting]:
            raise ActionRefused(f"no open question has the id {', '.join(unknown)}")
        sources = tuple((waiting[i][0], i) for i in question.merges)
        asked.append(
            AskedQuestion(
                id=f"q{len(asked) + 1}",
                text=question.text,
                why=question.why,
                proposal=question.proposal,
                sources=sources,
            )
        )
    covered = {i for question in questions for i in question.merges}
    for i, (kind, q) in waiting.items():
        if i not in covered:
            asked.append(
                AskedQuestion(
                    id=f"q{len(asked) + 1}",
                    text=q.text,
                    why=q.why,
                    proposal=q.proposal,
                    sources=((kind, i),),
                )
            )
    if not asked:
        raise ActionRefused("there is no open question and none was given")
    wait = step.open_wait(WaitKind.QUESTIONS, f"{len(asked)} question(s)", questions=tuple(asked))
    step.emit(EventType.ASKED, by="orchestrator", wait=wait.id, detail=wait.summary)
    return ()


def _request_approval(step: Step, phase: Phase, summary: str) -> None:
    step.set(ledger=rules.request_approval(step.execution.ledger, phase))
    if step.execution.pre_approved:
        step.emit(EventType.APPROVAL_REQUESTED, phase=phase, detail=summary)
        step.set(ledger=rules.approve(step.execution.ledger, phase, PRE_APPROVED, step.now))
        step.emit(EventType.APPROVED, phase=phase, by=PRE_APPROVED)
        return
    wait = step.open_wait(
        WaitKind.APPROVAL,
        summary,
        phase=phase,
        shown=rules.phase_digest(step.execution.ledger, phase),
        options=("approve", "changes"),
    )
    step.emit(EventType.APPROVAL_REQUESTED, phase=phase, detail=summary, wait=wait.id)


def _reopen(step: Step, kind: Kind, reason: str) -> None:
    execution = step.execution
    cap = execution.limits.max_revisions + execution.extra_revisions.get(kind, 0)
    try:
        revise(step, kind, reason, cap)
    except rules.RevisionCapReached as reached:
        if execution.pre_approved:
            step.emit(EventType.ESCALATED, deliverable=kind, detail=str(reached))
            step.warn(f"{reached} No user was available.")
            step.complete(PRE_APPROVED)
            return
        wait = step.open_wait(
            WaitKind.ESCALATION,
            str(reached),
            deliverable=kind,
            options=("revise", "accept", "stop"),
            pending_reason=reason,
        )
        step.emit(EventType.ESCALATED, deliverable=kind, detail=str(reached), wait=wait.id)


def revise(step: Step, kind: Kind, reason: str, cap: int) -> None:
    """Carry out a Revision: the Ledger's cascade, and every touched Delegation is withdrawn."""
    execution = step.execution
    before = execution.ledger.deliverables[kind].revisions
    result = rules.reopen(execution.ledger, kind, reason, cap)
    step.set(ledger=result.ledger)
    for k in result.affected:
        step.set_work(
            k, claim=None, basis=0, failures=0, failure=None, exhausted=None, questions=()
        )
    counted = result.ledger.deliverables[kind].revisions - before
    step.set(revisions=execution.revisions + counted)
    step.emit(
        EventType.REOPENED,
        deliverable=kind,
        detail=reason,
        revision=result.ledger.deliverables[kind].revisions,
        phases=result.withdrawn,
    )


def _finish(step: Step) -> None:
    if not rules.all_approved(step.execution.ledger):
        missing = [
            p
            for p in Phase
            if step.execution.ledger.phases[p].status is not rules.PhaseStatus.APPROVED
        ]
        raise ActionRefused(f"finish needs every Phase approved; missing: {', '.join(missing)}")
    step.complete("orchestrator")


def completed(execution: Execution) -> bool:
    """Whether the Execution ended with a guide."""
    return execution.status in (
        Status.COMPLETED,
        Status.COMPLETED_WITH_WARNINGS,
    ) and rules.all_approved(execution.ledger)
