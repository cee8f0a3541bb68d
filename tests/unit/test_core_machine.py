"""The core under any order of commands.

After every command:
1. the Execution is terminal, or waits for a person, or ``due_tasks`` is not empty (liveness);
2. each Deliverable is submitted at most once a revision;
3. no Phase is approved without a decision (or, pre-approved, without a request);
4. no work is in progress across a Phase that is not approved;
5. event numbers are dense;
6. the document does not grow with the history.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine import delegations, lifecycle, turns, waits
from engine.decisions import Decision, parse_decision
from engine.deliverables import SPECS, Kind, Phase
from engine.execution import (
    Claim,
    EventType,
    ExecutionError,
    Mode,
    Task,
    WaitKind,
    due_tasks,
    open_questions,
    workable,
)
from engine.ledger import PhaseStatus, State, all_approved, approval_blocker, ready, unmet
from tests.support.histories import LEASE, NONE, History, submission


class CoreMachine(RuleBasedStateMachine):
    """Duplicates, late outcomes, lost claims, wrong decisions, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.history: History | None = None
        self.running: list[tuple[Task, Claim]] = []
        self.decisions = 0
        self.old_decisions: list[Decision] = []

    @property
    def h(self) -> History:
        assert self.history is not None
        return self.history

    @initialize(
        mode=st.sampled_from(Mode),
        cloud_read=st.sampled_from([None, True, False]),
        done=st.integers(0, 2),
    )
    def begin(self, mode: Mode, cloud_read: bool | None, done: int) -> None:
        self.history = History(mode, cloud_read=cloud_read)
        if mode is Mode.INTERACTIVE:
            for phase in (self.history.phase_1, self.history.phase_2)[:done]:
                phase()
            self.decisions = done

    def attempt(self, command, *args) -> bool:
        before = self.h.execution
        try:
            change = command(before, *args)
        except ExecutionError:
            assert self.h.execution == before
            return False
        self.h.take(change)
        return True

    @precondition(lambda self: self.history and due_tasks(self.history.execution))
    @rule(data=st.data(), retry=st.integers(0, 2), minutes=st.sampled_from([0, 1, 20]))
    def claim(self, data, retry: int, minutes: int) -> None:
        task = data.draw(st.sampled_from(due_tasks(self.h.execution)))
        command = turns.begin_turn if task.deliverable is None else delegations.begin_delegation
        self.h.tick(minutes=minutes)
        if self.attempt(command, task, f"h{len(self.running)}", retry, self.h.now, LEASE):
            claim = (
                self.h.execution.turn.claim
                if task.deliverable is None
                else self.h.execution.work[task.deliverable].claim
            )
            assert claim is not None
            self.running.append((task, claim))

    def _actions(self, data) -> tuple[turns.Action, ...]:
        execution = self.h.execution
        options: list[st.SearchStrategy[turns.Action]] = [
            st.sampled_from(Kind).map(lambda k: turns.Reopen(kind=k, reason="because")),
            st.sampled_from(Phase).map(lambda p: turns.RequestApproval(phase=p, summary="s")),
            st.just(turns.Finish()),
            st.sampled_from(Kind).map(lambda k: turns.Delegate(kinds=(k,))),
        ]
        ready = workable(execution)
        if ready:
            options += [st.just(turns.Delegate(kinds=ready))] * 6
        asked = open_questions(execution)
        if asked:
            merged = turns.TurnQuestion(text="all?", merges=tuple(q.id for _, q in asked))
            options += [st.just(turns.AskUser(questions=(merged,)))] * 4
            options.append(st.just(turns.AskUser(questions=())))
        else:
            options.append(st.just(turns.AskUser(questions=(turns.TurnQuestion(text="own?"),))))
        for phase in Phase:
            options += [st.just(turns.RequestApproval(phase=phase, summary="s"))]
        return tuple(data.draw(st.lists(st.one_of(options), max_size=2)))

    @precondition(lambda self: self.history and due_tasks(self.history.execution))
    @rule(data=st.data(), sensible=st.integers(0, 9))
    def progress(self, data, sensible: int) -> None:
        """What a good agent would do next, most of the time; the other rules disturb it."""
        execution = self.h.execution
        task = data.draw(st.sampled_from(due_tasks(execution)))
        now = self.h.tick(minutes=20)
        if task.deliverable is not None:
            assert self.attempt(delegations.begin_delegation, task, "good", 0, now, LEASE)
            claim = self.h.execution.work[task.deliverable].claim
            assert self.attempt(delegations.submit, task, claim, submission("t"), NONE, now)
            return
        assert self.attempt(turns.begin_turn, task, "good", 0, now, LEASE)
        execution = self.h.execution
        requestable = [p for p in Phase if approval_blocker(execution.ledger, p) is None]
        actions: tuple[turns.Action, ...] = ()
        submitted = [
            k for k, d in execution.ledger.deliverables.items() if d.state is State.SUBMITTED
        ]
        if open_questions(execution):
            actions = (turns.AskUser(questions=()),)
        elif submitted and sensible == 0:
            kind = data.draw(st.sampled_from(submitted))
            actions = (turns.Reopen(kind=kind, reason="because"),)
        elif workable(execution):
            actions = (turns.Delegate(kinds=workable(execution)),)
        elif all_approved(execution.ledger):
            actions = (turns.Finish(),)
        elif requestable:
            actions = (turns.RequestApproval(phase=requestable[0], summary="s"),)
        elif submitted:
            actions = (turns.Reopen(kind=submitted[0], reason="the user wishes it"),)
        claim = execution.turn.claim
        assert self.attempt(turns.end_turn, claim, actions, "", NONE, self.h.tick())

    @precondition(lambda self: self.running)
    @rule(data=st.data(), forget=st.booleans())
    def finish_run(self, data, forget: bool) -> None:
        index = data.draw(st.integers(0, len(self.running) - 1))
        task, claim = self.running[index]
        if forget:
            self.running.pop(index)
        now = self.h.tick()
        if task.deliverable is None:
            end = data.draw(st.sampled_from(["end"] * 6 + ["exhausted", "failed"]))
            if end == "end":
                self.attempt(turns.end_turn, claim, self._actions(data), "text", NONE, now)
            elif end == "exhausted":
                self.attempt(turns.turn_exhausted, claim, "tired", NONE, now)
            else:
                self.attempt(turns.turn_failed, claim, "broken", now)
            return
        end = data.draw(
            st.sampled_from(["submit"] * 8 + ["ask", "permission", "exhaust", "fail", "give_back"])
        )
        match end:
            case "submit":
                self.attempt(delegations.submit, task, claim, submission("t"), NONE, now)
            case "ask" | "permission":
                questions = (delegations.AskedBySpecialist(text="what?"),) if end == "ask" else ()
                self.attempt(
                    delegations.need_input, task, claim, questions, end != "ask", NONE, now
                )
            case "exhaust":
                self.attempt(delegations.exhaust, task, claim, "tired", NONE, now)
            case "fail":
                self.attempt(delegations.run_failed, task, claim, "broken", now)
            case "give_back":
                self.attempt(delegations.give_back, task, claim, now)

    @precondition(lambda self: self.history and self.history.execution.wait)
    @rule(data=st.data())
    def person_acts(self, data) -> None:
        wait = self.h.execution.wait
        assert wait is not None
        now = self.h.tick()
        if wait.kind is WaitKind.QUESTIONS:
            some = data.draw(st.sets(st.sampled_from([q.id for q in wait.questions]), min_size=1))
            assert self.attempt(waits.answer, dict.fromkeys(sorted(some), "yes"), "ann", now)
            return
        choice: dict[str, object]
        match wait.kind:
            case WaitKind.APPROVAL:
                approve = data.draw(st.integers(0, 4)) > 0
                choice = {
                    "approval": {
                        "phase": wait.phase,
                        "decision": "approve" if approve else "changes",
                        "feedback": "other",
                    }
                }
            case WaitKind.PERMISSION:
                choice = {"permission": {"cloud_read": data.draw(st.booleans())}}
            case WaitKind.ESCALATION:
                choice = {"escalation": {"decision": data.draw(st.sampled_from(wait.options))}}
            case _:
                choice = {"budget": {"decision": data.draw(st.sampled_from(wait.options))}}
        decision = parse_decision({"wait": wait.id, "shown": wait.shown, **choice})
        self.decisions += 1
        self.old_decisions.append(decision)
        assert self.attempt(waits.decide, decision, "ann", now)

    @precondition(lambda self: self.old_decisions)
    @rule(data=st.data())
    def old_decision_again(self, data) -> None:
        decision = data.draw(st.sampled_from(self.old_decisions))
        before = self.h.execution
        assert not self.attempt(waits.decide, decision, "eve", self.h.tick())
        assert self.attempt(waits.record_refusal, decision.wait, "eve", "old", self.h.now)
        assert self.h.execution.ledger == before.ledger

    @rule(what=st.sampled_from(["redrive"] * 20 + ["tell"] * 18 + ["cancel", "expire"]))
    def outside(self, what: str) -> None:
        if self.history is None:
            return
        now = self.h.tick(days=31 if what == "expire" else 0, seconds=1)
        match what:
            case "redrive":
                self.attempt(lifecycle.redrive, now)
            case "cancel":
                self.attempt(lifecycle.cancel, "ann", now)
            case "expire":
                self.attempt(lifecycle.expire, now)
            case "tell":
                self.attempt(waits.tell, "approve everything, call finish", "ann", now)

    @invariant()
    def live(self) -> None:
        if self.history is None:
            return
        execution = self.h.execution
        tasks = due_tasks(execution)
        if execution.status.terminal:
            assert tasks == ()
            assert execution.stalls_at is None
        else:
            assert tasks or execution.wait is not None
            assert execution.stalls_at is not None
        if execution.wait is not None:
            assert not any(task.deliverable is None for task in tasks)

    @invariant()
    def once_a_revision(self) -> None:
        if self.history is not None:
            for revisions in self.h.contents.values():
                assert revisions == list(range(1, len(revisions) + 1))

    @invariant()
    def approvals_come_from_decisions(self) -> None:
        if self.history is None:
            return
        approved = [e for e in self.h.events if e.type is EventType.APPROVED]
        if self.h.execution.pre_approved:
            assert all(e.by == "pre-approved" for e in approved)
        else:
            assert all(e.by == "ann" for e in approved)
            assert len(approved) <= self.decisions

    @invariant()
    def no_work_across_an_open_phase(self) -> None:
        if self.history is None:
            return
        ledger = self.h.execution.ledger
        for kind, entry in ledger.deliverables.items():
            if entry.state is State.IN_PROGRESS:
                for needed in SPECS[kind].depends_on:
                    assert ledger.deliverables[needed].state is State.SUBMITTED
                    phase = SPECS[needed].phase
                    if phase is not SPECS[kind].phase:
                        assert ledger.phases[phase].status is PhaseStatus.APPROVED

    @invariant()
    def what_is_ready_lacks_nothing(self) -> None:
        if self.history is not None:
            ledger = self.h.execution.ledger
            for kind, entry in ledger.deliverables.items():
                pending = entry.state is State.PENDING
                assert (kind in ready(ledger)) == (pending and not unmet(ledger, kind))

    @invariant()
    def events_are_dense(self) -> None:
        if self.history is not None:
            assert [e.seq for e in self.h.events] == list(range(1, len(self.h.events) + 1))
            assert self.h.execution.last_event == len(self.h.events)

    @invariant()
    def document_stays_small(self) -> None:
        if self.history is not None:
            assert len(self.h.execution.closed) <= 8
            assert len(self.h.execution.model_dump_json(exclude_defaults=True)) < 40_000


CoreMachine.TestCase.settings = settings(max_examples=200, stateful_step_count=80, deadline=None)
TestCore = CoreMachine.TestCase
