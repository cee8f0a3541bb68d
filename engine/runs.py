"""Carries out tasks: claim, run the agent, commit, enqueue (DESIGN: Delivery is at least once).

``Runs.handle`` takes one delivery and answers an HTTP status for the queue: 200 when nothing more
is to be done for this task, 409 when somebody else is at it, 503 when the queue should try again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol

from agents.runtime import (
    AgentFailed,
    AgentRetry,
    AgentRuntime,
    AgentTask,
    Attachment,
    BudgetExhausted,
    Document,
    NeedsInput,
    Outcome,
    RoleSpec,
    Submitted,
    ToolSpec,
    TurnEnded,
)
from engine import delegations, lifecycle, turns
from engine.commits import Commits, Committed, Observe, unobserved
from engine.deliverables import (
    ORCHESTRATOR,
    PILLAR_ADVISOR,
    SPECS,
    Kind,
    Pillar,
)
from engine.execution import (
    Change,
    Claim,
    ClaimLost,
    Duplicate,
    Execution,
    ExecutionId,
    Finished,
    GraphMismatch,
    Stale,
    Task,
    TaskKind,
)
from engine.inputs import (
    Ancestors,
    Inputs,
    ancestors_of,
    load_inputs,
    load_request,
    reader,
    specialist_task,
)
from engine.ledger import content_digest
from engine.ports import (
    Clock,
    Command,
    Delivery,
    EventBus,
    ExecutionStore,
    StoreError,
    TaskQueue,
    Unavailable,
    UnknownExecution,
    Unreadable,
)
from engine.tools import (
    CheckedContent,
    OrchestratorDesk,
    gate,
    specialist_tools,
)
from engine.turns import TurnUsage

log = logging.getLogger(__name__)

OK, CONFLICT, TRY_AGAIN = 200, 409, 503


class FaultPoint(StrEnum):
    """Where tests let a run crash."""

    BEFORE_CLAIM = "before_claim"
    AFTER_CLAIM = "after_claim"
    BEFORE_COMMIT = "before_commit"
    AFTER_COMMIT = "after_commit"
    BEFORE_ENQUEUE = "before_enqueue"
    AFTER_ENQUEUE = "after_enqueue"


class Stopped(Exception):
    """The process ends before the run did."""


async def no_faults(point: FaultPoint, task: Task) -> None:
    """Nothing goes wrong by itself."""


class ContractChecker(Protocol):
    """Checks what a Specialist submits (``engine/contracts.py`` with its injected checkers)."""

    async def deliverable(
        self,
        kind: Kind,
        content: str,
        attachments: tuple[Attachment, ...],
        request: str,
        ancestors: Ancestors,
    ) -> CheckedContent:
        """Check a Deliverable against its contract."""
        ...

    async def pillar(
        self, pillar: Pillar, content: str, request: str, ancestors: Ancestors
    ) -> CheckedContent:
        """Check one pillar's section."""
        ...


@dataclass(frozen=True, slots=True)
class RunSettings:
    """``deadline`` bounds an agent's run; a claim lasts a little longer than that."""

    holder: str
    deadline: timedelta = timedelta(minutes=12)
    margin: timedelta = timedelta(minutes=1)
    pillars_at_once: int = 4

    @property
    def lease(self) -> timedelta:
        """How long a claim holds."""
        return self.deadline + self.margin


@dataclass
class Runs:
    """The shell around the pure core.

    ``role`` gives a role's spec (and a pillar-advisor's for a pillar); ``extra_tools`` gives the
    tools that a role has beside its submission tools, which work on the attachments given. Once
    ``stopping`` is set, runs end without an outcome and give their claims back.
    """

    store: ExecutionStore
    queue: TaskQueue
    runtime: AgentRuntime
    contracts: ContractChecker
    role: Callable[[str, Pillar | None], RoleSpec]
    extra_tools: Callable[[RoleSpec, Sequence[Attachment]], Sequence[ToolSpec]]
    clock: Clock
    settings: RunSettings
    fault: Callable[[FaultPoint, Task], Awaitable[None]] = no_faults
    bus: EventBus | None = None
    stopping: asyncio.Event | None = None
    observe: Observe = unobserved

    def __post_init__(self) -> None:
        self._commits = Commits(self.store, self.queue, self.clock, self.bus, self.observe)

    async def handle(self, delivery: Delivery) -> int:
        """Carry out one delivery; the HTTP status that tells the queue what to do."""
        try:
            return await self._answer(delivery)
        except Unavailable as unavailable:
            log.warning("task %s: %s", delivery.task.name, unavailable)
            return TRY_AGAIN

    async def _answer(self, delivery: Delivery) -> int:
        """The status. Raises Unavailable, also while it re-drives or records what went wrong."""
        task = delivery.task
        try:
            return await self._handle(delivery)
        except UnknownExecution:
            log.warning("task %s names an unknown Execution", task.name)
            return OK
        except Duplicate:
            return CONFLICT
        except (Stale, Finished):
            return await self._drive(task.execution)
        except ClaimLost as lost:
            return await self._discard(task, str(lost))
        except (GraphMismatch, Unreadable) as mismatch:
            return await self._fail_whole(task.execution, str(mismatch))

    async def _handle(self, delivery: Delivery) -> int:
        task = delivery.task
        if self.stopping is not None and self.stopping.is_set():
            return TRY_AGAIN
        await self.fault(FaultPoint.BEFORE_CLAIM, task)
        begin = turns.begin_turn if task.kind is TaskKind.TURN else delegations.begin_delegation
        now = self.clock.now()
        holder = self.settings.holder
        execution = await self.store.transact(
            task.execution,
            lambda e: begin(e, task, holder, delivery.retry, now, self.settings.lease),
        )
        await self.fault(FaultPoint.AFTER_CLAIM, task)
        claim = _claim(execution, task)
        run = self._turn if task.kind is TaskKind.TURN else self._delegation
        async with self._commits.publishing(execution) as published:
            try:
                command = await self._unless_stopped(run(execution, task, claim))
            except Stopped:
                log.info("task %s gives its claim back: the process ends", task.name)
                now = self.clock.now()
                await self.store.transact(
                    task.execution, lambda e: delegations.give_back(e, task, claim, now)
                )
                return TRY_AGAIN
            except AgentRetry as reason:
                if not delivery.last:
                    log.info("task %s will be tried again: %s", task.name, reason)
                    return TRY_AGAIN
                command = self._failure(
                    task, claim, f"{reason} (given up after {delivery.retry + 1} attempts)"
                )
            except AgentFailed as reason:
                command = self._failure(task, claim, str(reason))
            upto = await published()
        await self.fault(FaultPoint.BEFORE_COMMIT, task)
        try:
            committed = await self._commits.commit(task.execution, command, published=upto)
        except (Unavailable, UnknownExecution, Unreadable):
            raise
        except StoreError as refused:  # what it holds will never be taken, such as a huge content
            failure = self._failure(task, claim, str(refused))
            committed = await self._commits.commit(task.execution, failure, published=upto)
        await self.fault(FaultPoint.AFTER_COMMIT, task)
        await self.fault(FaultPoint.BEFORE_ENQUEUE, task)
        await self._commits.enqueue(committed)
        await self.fault(FaultPoint.AFTER_ENQUEUE, task)
        await self._commits.publish(committed)
        return OK

    async def _unless_stopped(self, run: Coroutine[Any, Any, Command]) -> Command:
        """The run's result. Raises Stopped when the process shall end first."""
        if self.stopping is None:
            return await run
        job = asyncio.create_task(run)
        stop = asyncio.create_task(self.stopping.wait())
        try:
            await asyncio.wait([job, stop], return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            raise Stopped
        finally:
            stop.cancel()
            if not job.done():
                job.cancel()
                await asyncio.gather(job, return_exceptions=True)

    async def _drive(self, execution: ExecutionId) -> int:
        """This task's work is over: make sure that what is due now is in flight."""
        await self._commits.follow(Committed(await self.store.load(execution)))
        return OK

    async def _discard(self, task: Task, reason: str) -> int:
        now = self.clock.now()
        committed = await self._commits.commit(
            task.execution,
            lambda e: lifecycle.discard(e, task.deliverable, task.number, reason, now),
        )
        await self._commits.follow(committed)
        return OK

    async def _fail_whole(self, execution: ExecutionId, reason: str) -> int:
        now = self.clock.now()
        log.error("Execution %s: %s", execution, reason)
        try:
            committed = await self._commits.commit(
                execution, lambda e: lifecycle.fail(e, reason, now)
            )
            await self._commits.follow(committed)
        except (Finished, Unreadable):
            log.info("Execution %s is left as it is", execution)
        return OK

    def _failure(self, task: Task, claim: Claim, reason: str) -> Command:
        def command(execution: Execution) -> Change:
            now = self.clock.now()
            if task.kind is TaskKind.TURN:
                return turns.turn_failed(execution, claim, reason, now)
            return delegations.run_failed(execution, task, claim, reason, now)

        return command

    async def _run_agent(
        self, role: RoleSpec, task: AgentTask, tools: Sequence[ToolSpec]
    ) -> Outcome:
        limit = self.settings.deadline.total_seconds()
        try:
            async with asyncio.timeout(limit):
                return await self.runtime.run(role, task, tools)
        except TimeoutError:
            raise AgentRetry(f"{role.role} did not finish within {limit:.0f} s") from None

    # -- Turns -------------------------------------------------------------------------------

    async def _turn(self, execution: Execution, task: Task, claim: Claim) -> Command:
        role = self.role(ORCHESTRATOR, None)
        role = _with_budget(role, execution.limits.orchestrator_budget, execution.turn.extra_calls)
        now = self.clock.now()
        desk = OrchestratorDesk(execution, now, reader(self.store, execution.id))
        agent_task = AgentTask(
            execution_id=execution.id,
            run=task.name,
            request=await load_request(self.store, execution.id),
            interactive=not execution.pre_approved,
            situation=desk.situation(),
            deadline=now + self.settings.deadline,
        )
        outcome = await self._run_agent(role, agent_task, desk.specs())
        usage = _usage(outcome)
        match outcome:
            case TurnEnded():
                actions, text = tuple(desk.actions), outcome.text
                return lambda e: turns.end_turn(e, claim, actions, text, usage, self.clock.now())
            case BudgetExhausted():
                summary = outcome.summary
                return lambda e: turns.turn_exhausted(e, claim, summary, usage, self.clock.now())
            case _:
                raise AgentFailed(f"the Orchestrator's run ended as {type(outcome).__name__}")

    # -- Delegations -------------------------------------------------------------------------

    async def _delegation(self, execution: Execution, task: Task, claim: Claim) -> Command:
        kind = _deliverable(task)
        inputs = await load_inputs(self.store, execution, kind)
        deadline = self.clock.now() + self.settings.deadline
        agent_task = specialist_task(execution, task.name, kind, inputs, deadline)
        extra: tuple[Document, ...] = ()
        if kind is Kind.DESIGN_RECOMMENDATIONS:
            pillars = await self._pillars(execution, task, claim, agent_task, inputs)
            if not isinstance(pillars, dict):
                return self._end(pillars, task, claim)
            extra = tuple(Document(kind=f"pillar:{p}", content=text) for p, text in pillars.items())
        if extra:
            agent_task = agent_task.model_copy(
                update={"dependencies": (*agent_task.dependencies, *extra)}
            )

        async def check(content: str, attachments: tuple[Attachment, ...]) -> CheckedContent:
            ancestors = ancestors_of(self.store, execution.id, kind)
            return await self.contracts.deliverable(
                kind, content, attachments, inputs.words, ancestors
            )

        role = self._specialist(execution, kind, SPECS[kind].role, None)
        tools = (
            *specialist_tools(kind, check, reader(self.store, execution.id)),
            *self._tier_tools(role, execution, agent_task),
        )
        return self._end(await self._run_agent(role, agent_task, tools), task, claim)

    def _end(self, outcome: Outcome, task: Task, claim: Claim) -> Command:
        usage = _usage(outcome)
        match outcome:
            case Submitted():
                files = tuple((a.path, a.text) for a in outcome.attachments)
                submission = delegations.Submission(
                    content=outcome.content,
                    attachments=files,
                    digest=content_digest(outcome.content, files),
                )
                return lambda e: delegations.submit(
                    e, task, claim, submission, usage, self.clock.now()
                )
            case NeedsInput():
                questions = tuple(
                    delegations.AskedBySpecialist(text=q.text, why=q.why, proposal=q.proposal)
                    for q in outcome.questions
                )
                permission = outcome.permission is not None
                return lambda e: delegations.need_input(
                    e, task, claim, questions, permission, usage, self.clock.now()
                )
            case BudgetExhausted():
                summary = outcome.summary
                return lambda e: delegations.exhaust(
                    e, task, claim, summary, usage, self.clock.now()
                )
            case _:
                raise AgentFailed(f"a Specialist's run ended as {type(outcome).__name__}")

    async def _pillars(
        self,
        execution: Execution,
        task: Task,
        claim: Claim,
        agent_task: AgentTask,
        inputs: Inputs,
    ) -> dict[Pillar, str] | Outcome:
        """Run the pillar-advisors that have not finished yet, a few at once.

        Each finished section is kept at once, so that a retry repeats none. An Outcome comes back
        instead when one of them cannot finish; the others' sections are kept all the same.
        """
        basis = execution.work[_deliverable(task)].basis
        kept = await self.store.pillars(execution.id, basis)
        slots = asyncio.Semaphore(self.settings.pillars_at_once)

        async def one(pillar: Pillar) -> Outcome:
            async with slots:
                outcome = await self._pillar(execution, pillar, agent_task, inputs)
            if isinstance(outcome, Submitted):
                await self.store.transact(
                    execution.id,
                    lambda e: delegations.keep_pillar(
                        e, task, claim, pillar, outcome.content, _usage(outcome), self.clock.now()
                    ),
                )
            return outcome

        missing = [pillar for pillar in Pillar if pillar.value not in kept]
        results = await asyncio.gather(*map(one, missing), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        for result in results:
            if not isinstance(result, Submitted | BaseException):
                return result
        new = {
            pillar.value: result.content
            for pillar, result in zip(missing, results, strict=True)
            if isinstance(result, Submitted)
        }
        kept = {**kept, **new}
        return {pillar: kept[pillar.value] for pillar in Pillar}

    async def _pillar(
        self, execution: Execution, pillar: Pillar, agent_task: AgentTask, inputs: Inputs
    ) -> Outcome:
        kind = Kind.DESIGN_RECOMMENDATIONS

        async def check(content: str, attachments: tuple[Attachment, ...]) -> CheckedContent:
            ancestors = ancestors_of(self.store, execution.id, kind)
            return await self.contracts.pillar(pillar, content, inputs.words, ancestors)

        role = self._specialist(execution, kind, PILLAR_ADVISOR, pillar)
        tools = (
            *specialist_tools(kind, check, reader(self.store, execution.id)),
            *self._tier_tools(role, execution, agent_task),
        )
        pillar_task = agent_task.model_copy(
            update={"pillar": pillar.value, "run": f"{agent_task.run}-{pillar.value}"}
        )
        return await self._run_agent(role, pillar_task, tools)

    def _specialist(
        self, execution: Execution, kind: Kind, name: str, pillar: Pillar | None
    ) -> RoleSpec:
        role = self.role(name, pillar)
        return _with_budget(
            role, execution.limits.specialist_budget, execution.work[kind].extra_calls
        )

    def _tier_tools(
        self, role: RoleSpec, execution: Execution, task: AgentTask
    ) -> tuple[ToolSpec, ...]:
        files = [a for document in task.dependencies for a in document.attachments]
        return tuple(gate(tool, execution.cloud_read) for tool in self.extra_tools(role, files))


def _claim(execution: Execution, task: Task) -> Claim:
    claim = (
        execution.turn.claim if task.deliverable is None else execution.work[task.deliverable].claim
    )
    if claim is None:
        raise ClaimLost(f"{task.name} has no claim")
    return claim


def _deliverable(task: Task) -> Kind:
    if task.deliverable is None:
        raise Stale(f"{task.name} names no Deliverable")
    return task.deliverable


def _with_budget(role: RoleSpec, cap: int, extra: int) -> RoleSpec:
    """A role may lower the Execution's cap of tool calls; what the user granted comes on top."""
    calls = min(role.budget, cap) + extra
    return role if calls == role.budget else role.model_copy(update={"budget": calls})


def _usage(outcome: Outcome) -> TurnUsage:
    record = outcome.record
    return TurnUsage(
        tool_calls=len(record.tool_calls),
        input_tokens=record.input_tokens or 0,
        output_tokens=record.output_tokens or 0,
        skills=record.skills,
    )
