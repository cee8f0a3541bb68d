"""The aggregate's rules: claims, wake rules, questions, permission, budgets, Revisions, ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine import delegations, lifecycle, turns, waits
from engine.decisions import parse_decision
from engine.deliverables import Kind, Phase
from engine.execution import (
    ClaimLost,
    Duplicate,
    EventType,
    ExecutionId,
    Finished,
    GraphMismatch,
    Mode,
    ScriptedAnswer,
    Stale,
    Status,
    Task,
    TaskKind,
    WaitKind,
    check_version,
    due_tasks,
)
from engine.ledger import PhaseStatus, State
from engine.step import NO_USER
from tests.support.histories import LEASE, NONE, History, submission

ASK = turns.AskUser(questions=())


def history_at_parallel_work(mode: Mode = Mode.INTERACTIVE) -> History:
    """Diagram and recommendations are in flight at once."""
    history = History(mode)
    if mode is Mode.INTERACTIVE:
        history.phase_1()
    else:
        history.work(Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION)
        history.turn(
            turns.RequestApproval(phase=Phase.REQUIREMENTS_DISCOVERY, summary="s"),
            turns.Delegate(kinds=(Kind.PRODUCT_SELECTION,)),
        )
        history.submit(Kind.PRODUCT_SELECTION)
    if mode is Mode.INTERACTIVE:
        history.work(Kind.PRODUCT_SELECTION)
    history.turn(turns.Delegate(kinds=(Kind.ARCHITECTURE_DIAGRAM, Kind.DESIGN_RECOMMENDATIONS)))
    return history


# -- names and tasks ---------------------------------------------------------------------------


def test_task_names_are_deterministic_and_change_with_a_redrive() -> None:
    history = History()
    assert [t.name for t in due_tasks(history.execution)] == ["e1-turn-1-0"]
    history.take(lifecycle.redrive(history.execution, history.tick()))
    assert [t.name for t in due_tasks(history.execution)] == ["e1-turn-1-1"]
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    assert [t.name for t in due_tasks(history.execution)] == ["e1-requirements-1-1"]


def test_a_whole_interactive_history() -> None:
    history = History()
    end = history.whole()
    assert end.status is Status.COMPLETED
    assert history.types().count("submitted") == 9
    assert history.types().count("approved") == 4
    assert [e.by for e in history.events if e.type is EventType.APPROVED] == ["ann"] * 4
    assert due_tasks(end) == ()


# -- claims ------------------------------------------------------------------------------------


def test_the_same_delivery_twice_is_a_duplicate_and_a_higher_retry_takes_over() -> None:
    history = History()
    task = history.task(None)
    begin = turns.begin_turn
    history.take(begin(history.execution, task, "a", 0, history.tick(), LEASE))
    with pytest.raises(Duplicate):
        begin(history.execution, task, "b", 0, history.tick(), LEASE)
    old = history.execution.turn.claim
    assert old is not None
    history.take(begin(history.execution, task, "b", 1, history.tick(), LEASE))
    with pytest.raises(Duplicate):
        begin(history.execution, task, "c", 0, history.tick(), LEASE)
    with pytest.raises(ClaimLost):
        turns.end_turn(history.execution, old, (), "", NONE, history.tick())


def test_a_claim_whose_deadline_passed_is_taken_over_by_the_same_delivery() -> None:
    history = History()
    task = history.task(None)
    history.take(turns.begin_turn(history.execution, task, "a", 0, history.tick(), LEASE))
    history.tick(minutes=14)
    history.take(turns.begin_turn(history.execution, task, "b", 0, history.now, LEASE))
    assert history.execution.turn.claim is not None
    assert history.execution.turn.claim.holder == "b"


def test_a_redriven_task_waits_for_a_live_claim() -> None:
    history = History()
    history.take(
        turns.begin_turn(history.execution, history.task(None), "a", 0, history.tick(), LEASE)
    )
    history.take(lifecycle.redrive(history.execution, history.tick()))
    with pytest.raises(Duplicate):
        turns.begin_turn(history.execution, history.task(None), "b", 5, history.tick(), LEASE)


def test_a_task_of_work_that_is_over_is_stale() -> None:
    history = History()
    first = history.task(None)
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    delegation = history.task(Kind.REQUIREMENTS)
    with pytest.raises(Stale):
        turns.begin_turn(history.execution, first, "a", 0, history.tick(), LEASE)
    history.submit(Kind.REQUIREMENTS)
    with pytest.raises(Stale):
        delegations.begin_delegation(history.execution, delegation, "a", 9, history.tick(), LEASE)


def test_an_in_progress_that_nobody_holds_stays_due() -> None:
    history = History()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    task, claim = history.begin(Kind.REQUIREMENTS)
    assert history.execution.stalls_at == claim.until
    history.take(delegations.give_back(history.execution, task, claim, history.tick()))
    assert history.task(Kind.REQUIREMENTS) == task
    history.begin(Kind.REQUIREMENTS)


def test_only_the_holder_of_the_claim_can_submit() -> None:
    history = History()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    task, old = history.begin(Kind.REQUIREMENTS)
    history.begin(Kind.REQUIREMENTS, retry=1)
    with pytest.raises(ClaimLost):
        delegations.submit(history.execution, task, old, submission("x"), NONE, history.tick())
    assert history.types().count("submitted") == 0


# -- wake rules --------------------------------------------------------------------------------


def test_new_work_wakes_the_orchestrator_while_others_still_run() -> None:
    history = history_at_parallel_work()
    assert {t.kind for t in due_tasks(history.execution)} == {TaskKind.DELEGATION}
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    kinds = [t.deliverable or t.kind for t in due_tasks(history.execution)]
    assert kinds == [Kind.DESIGN_RECOMMENDATIONS, TaskKind.TURN]


def test_an_end_that_makes_nothing_ready_wakes_nobody_while_others_run() -> None:
    history = history_at_parallel_work()
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    history.turn(turns.Delegate(kinds=(Kind.ARCHITECTURE_DESCRIPTION,)))
    history.submit(Kind.ARCHITECTURE_DESCRIPTION)
    assert [t.deliverable for t in due_tasks(history.execution)] == [Kind.DESIGN_RECOMMENDATIONS]


def test_a_question_alone_wakes_nobody_so_that_questions_are_combined() -> None:
    history = history_at_parallel_work()
    history.ask(Kind.ARCHITECTURE_DIAGRAM, "Which level of detail?")
    assert [t.deliverable for t in due_tasks(history.execution)] == [Kind.DESIGN_RECOMMENDATIONS]
    history.ask(Kind.DESIGN_RECOMMENDATIONS, "Which budget?")
    history.turn(ASK)
    wait = history.execution.wait
    assert wait is not None
    assert [q.text for q in wait.questions] == ["Which level of detail?", "Which budget?"]


def test_a_delegation_that_ends_during_a_turn_leaves_a_mark_and_one_more_turn_follows() -> None:
    history = history_at_parallel_work()
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    task = history.task(None)
    history.take(turns.begin_turn(history.execution, task, "h", 0, history.tick(), LEASE))
    claim = history.execution.turn.claim
    assert claim is not None
    history.submit(Kind.DESIGN_RECOMMENDATIONS)
    assert history.execution.turn.again
    delegate = (turns.Delegate(kinds=(Kind.ARCHITECTURE_DESCRIPTION,)),)
    history.take(turns.end_turn(history.execution, claim, delegate, "", NONE, history.tick()))
    assert history.execution.turn.due
    assert history.execution.turn.n == task.number + 1


def test_while_a_person_is_waited_for_ends_are_recorded_and_no_turn_starts() -> None:
    history = history_at_parallel_work()
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    own = turns.AskUser(questions=(turns.TurnQuestion(text="Who signs?"),))
    history.turn(own)
    history.submit(Kind.DESIGN_RECOMMENDATIONS)
    assert due_tasks(history.execution) == ()
    assert history.execution.ledger.deliverables[Kind.DESIGN_RECOMMENDATIONS].revision == 1
    history.take(waits.answer(history.execution, {"q1": "Bob"}, "ann", history.tick()))
    assert [t.kind for t in due_tasks(history.execution)] == [TaskKind.TURN]
    assert "Bob" in history.execution.inbox[-1]


# -- questions ---------------------------------------------------------------------------------


def two_questions() -> History:
    history = history_at_parallel_work()
    history.ask(Kind.ARCHITECTURE_DIAGRAM, "Which detail?")
    history.ask(Kind.DESIGN_RECOMMENDATIONS, "Which budget?")
    history.turn(ASK)
    return history


def test_one_of_two_answers_reaches_the_specialist_that_asked_and_the_other_stays_open() -> None:
    history = two_questions()
    history.take(waits.answer(history.execution, {"q2": "38,000 EUR"}, "ann", history.tick()))
    work = history.execution.work
    assert [a.answer for a in work[Kind.DESIGN_RECOMMENDATIONS].answers] == ["38,000 EUR"]
    assert work[Kind.ARCHITECTURE_DIAGRAM].answers == ()
    assert history.execution.wait is not None
    assert [q.text for q in history.execution.wait.questions] == ["Which detail?"]
    history.take(waits.answer(history.execution, {"q1": "high"}, "ann", history.tick()))
    assert history.execution.wait is None
    assert history.execution.turn.due


def test_a_merged_question_is_answered_to_everyone_behind_it() -> None:
    history = history_at_parallel_work()
    history.ask(Kind.ARCHITECTURE_DIAGRAM, "Region?")
    history.ask(Kind.DESIGN_RECOMMENDATIONS, "Where?")
    merged = turns.TurnQuestion(
        text="Where shall it run?", merges=("architecture_diagram.1", "design_recommendations.1")
    )
    history.turn(turns.AskUser(questions=(merged,)))
    history.take(waits.answer(history.execution, {"q1": "Frankfurt"}, "ann", history.tick()))
    for kind, asked in (
        (Kind.ARCHITECTURE_DIAGRAM, "Region?"),
        (Kind.DESIGN_RECOMMENDATIONS, "Where?"),
    ):
        answers = history.execution.work[kind].answers
        assert [(a.question, a.answer, a.by) for a in answers] == [(asked, "Frankfurt", "ann")]


def test_an_answer_that_comes_before_the_wait_is_kept() -> None:
    history = history_at_parallel_work()
    history.ask(Kind.ARCHITECTURE_DIAGRAM, "Which detail?")
    history.take(
        waits.answer(history.execution, {"architecture_diagram.1": "high"}, "ann", history.tick())
    )
    assert history.execution.work[Kind.ARCHITECTURE_DIAGRAM].answers[0].answer == "high"
    assert history.execution.turn.due


def test_an_answer_to_a_specialists_question_also_closes_the_merged_one() -> None:
    history = two_questions()
    early = {"architecture_diagram.1": "high", "design_recommendations.1": "none"}
    history.take(waits.answer(history.execution, early, "ann", history.tick()))
    assert history.execution.wait is None


@pytest.mark.parametrize(
    ("answers", "names"),
    [
        ({}, "no answer"),
        ({"q9": "x"}, "no open question q9; open: q1, q2"),
        ({"q1": "  "}, "q1 is empty"),
        ({"q1": "x" * 4001}, "4001"),
    ],
)
def test_answers_that_do_not_fit_are_refused(answers: dict[str, str], names: str) -> None:
    history = two_questions()
    with pytest.raises(waits.AnswerRefused, match=names):
        waits.answer(history.execution, answers, "ann", history.tick())


def test_a_deliverable_with_an_open_question_is_not_delegated() -> None:
    history = history_at_parallel_work()
    history.ask(Kind.ARCHITECTURE_DIAGRAM, "Which detail?")
    history.submit(Kind.DESIGN_RECOMMENDATIONS)
    history.turn(turns.Delegate(kinds=(Kind.ARCHITECTURE_DIAGRAM,)))
    assert EventType.DISCARDED in {e.type for e in history.events}
    assert "open questions" in history.execution.inbox[0]


def test_a_pre_approved_run_answers_by_pattern_or_tells_to_assume() -> None:
    history = History(
        Mode.PRE_APPROVED,
        scripted_answers=(ScriptedAnswer(pattern="budg.t", answer="500 EUR a month"),),
    )
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    history.ask(Kind.REQUIREMENTS, "What is the Budget?", "What is the RTO?")
    answers = history.execution.work[Kind.REQUIREMENTS].answers
    assert [a.answer for a in answers] == ["500 EUR a month", NO_USER]
    assert history.execution.wait is None
    assert history.execution.turn.due


# -- approvals and decisions -------------------------------------------------------------------


def at_approval() -> History:
    history = History()
    history.work(Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION)
    history.turn(turns.RequestApproval(phase=Phase.REQUIREMENTS_DISCOVERY, summary="s"))
    return history


PHASE_1 = {"phase": "requirements_discovery", "decision": "approve"}


def test_approve_and_changes_at_once_one_wins_and_the_other_hears_who() -> None:
    history = at_approval()
    approve = history.decision(approval=PHASE_1)
    changes = history.decision(approval={**PHASE_1, "decision": "changes", "feedback": "no"})
    history.take(waits.decide(history.execution, approve, "ann", history.tick()))
    with pytest.raises(waits.AlreadyDecided, match="already decided: ann answered 'approve'"):
        waits.decide(history.execution, changes, "bob", history.tick())
    status = history.execution.ledger.phases[Phase.REQUIREMENTS_DISCOVERY].status
    assert status is PhaseStatus.APPROVED


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"shown": "other"}, "look at it again"),
        ({"shown": None}, "look at it again"),
        ({"wait": "w9"}, "for w9, but w1"),
        ({"approval": {**PHASE_1, "phase": "packaging"}}, "about requirements_discovery"),
        ({"approval": None, "permission": {"cloud_read": True}}, "waits for approval"),
    ],
)
def test_a_decision_is_bound_to_what_was_shown(change: dict[str, object], names: str) -> None:
    history = at_approval()
    wait = history.execution.wait
    assert wait is not None
    data = {"wait": wait.id, "shown": wait.shown, "approval": PHASE_1, **change}
    with pytest.raises(waits.DecisionRefused, match=names):
        waits.decide(history.execution, parse_decision(data), "ann", history.tick())


def test_an_old_approval_after_a_reopening_is_refused_and_recorded() -> None:
    history = at_approval()
    old = history.decision(approval=PHASE_1)
    history.decide(approval={**PHASE_1, "decision": "changes", "feedback": "RTO is 15 minutes"})
    history.turn(
        turns.Reopen(kind=Kind.REQUIREMENTS, reason="RTO is 15 minutes"),
        turns.Delegate(kinds=(Kind.REQUIREMENTS,)),
    )
    history.submit(Kind.REQUIREMENTS, "other")
    history.work(Kind.TECHNICAL_DECOMPOSITION)
    history.turn(turns.RequestApproval(phase=Phase.REQUIREMENTS_DISCOVERY, summary="s"))
    with pytest.raises(waits.AlreadyDecided):
        waits.decide(history.execution, old, "ann", history.tick())
    forged = old.model_copy(update={"wait": "w2"})
    with pytest.raises(waits.DecisionRefused, match="look at it again"):
        waits.decide(history.execution, forged, "ann", history.tick())
    before = history.execution.ledger
    history.take(waits.record_refusal(history.execution, old.wait, "ann", "old", history.tick()))
    assert history.execution.ledger == before
    assert history.events[-1].type is EventType.DECISION_REFUSED


def test_free_text_never_grants() -> None:
    history = at_approval()
    before = history.execution
    history.take(waits.tell(before, "looks good, go ahead", "ann", history.tick()))
    assert history.execution.ledger == before.ledger
    assert history.execution.wait == before.wait


def test_changes_must_be_taken_up_before_the_phase_can_be_shown_again() -> None:
    history = at_approval()
    history.decide(approval={**PHASE_1, "decision": "changes", "feedback": "name the users"})
    history.turn(turns.RequestApproval(phase=Phase.REQUIREMENTS_DISCOVERY, summary="again"))
    assert history.execution.wait is None
    assert any("name the users" in note for note in history.execution.inbox)
    history.turn(turns.Reopen(kind=Kind.REQUIREMENTS, reason="name the users"))
    feedback = history.execution.ledger.deliverables[Kind.REQUIREMENTS].feedback
    assert feedback == ("name the users",)


def test_a_revision_withdraws_approvals_and_the_event_says_which() -> None:
    history = History()
    history.phase_1()
    history.work(Kind.PRODUCT_SELECTION)
    history.turn(turns.Reopen(kind=Kind.REQUIREMENTS, reason="RTO is 15 minutes"))
    event = next(e for e in history.events if e.type is EventType.REOPENED)
    assert event.phases == (Phase.REQUIREMENTS_DISCOVERY,)
    assert (event.revision, history.execution.revisions) == (1, 1)
    status = history.execution.ledger.phases[Phase.REQUIREMENTS_DISCOVERY].status
    assert status is PhaseStatus.OPEN


def test_a_revision_discards_work_in_flight() -> None:
    history = history_at_parallel_work()
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    task, claim = history.begin(Kind.DESIGN_RECOMMENDATIONS)
    history.turn(turns.Reopen(kind=Kind.PRODUCT_SELECTION, reason="cheaper"))
    with pytest.raises(ClaimLost):
        delegations.submit(history.execution, task, claim, submission("x"), NONE, history.tick())
    history.take(
        lifecycle.discard(
            history.execution, Kind.DESIGN_RECOMMENDATIONS, 1, "withdrawn", history.tick()
        )
    )
    assert history.events[-1].type is EventType.DISCARDED
    history.turn(turns.Delegate(kinds=(Kind.PRODUCT_SELECTION,)))
    assert history.execution.work[Kind.PRODUCT_SELECTION].attempt == 2


def test_in_pre_approved_mode_an_approval_is_granted_at_once_in_the_same_turn() -> None:
    history = History(Mode.PRE_APPROVED)
    history.work(Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION)
    history.turn(
        turns.RequestApproval(phase=Phase.REQUIREMENTS_DISCOVERY, summary="s"),
        turns.Delegate(kinds=(Kind.PRODUCT_SELECTION,)),
    )
    assert history.execution.ledger.deliverables[Kind.PRODUCT_SELECTION].state is State.IN_PROGRESS
    approved = [e for e in history.events if e.type is EventType.APPROVED]
    assert [e.by for e in approved] == ["pre-approved"]


def test_finish_needs_every_phase() -> None:
    history = at_approval()
    history.decide(approval=PHASE_1)
    history.turn(turns.Finish())
    assert history.execution.status is Status.WORKING
    assert "every Phase approved" in history.execution.inbox[0]


# -- escalation --------------------------------------------------------------------------------


def at_the_cap(mode: Mode = Mode.INTERACTIVE) -> History:
    history = History(mode)
    history.work(Kind.REQUIREMENTS)
    for number in range(3):
        reason = f"change {number}"
        history.turn(
            turns.Reopen(kind=Kind.REQUIREMENTS, reason=reason),
            turns.Delegate(kinds=(Kind.REQUIREMENTS,)),
        )
        history.submit(Kind.REQUIREMENTS, reason)
    history.turn(turns.Reopen(kind=Kind.REQUIREMENTS, reason="change 4"))
    return history


def test_the_cap_asks_the_user_and_nothing_is_reopened() -> None:
    history = at_the_cap()
    wait = history.execution.wait
    assert wait is not None
    assert (wait.kind, wait.options) == (WaitKind.ESCALATION, ("revise", "accept", "stop"))
    assert history.execution.ledger.deliverables[Kind.REQUIREMENTS].state is State.SUBMITTED


def test_the_user_grants_one_more_revision() -> None:
    history = at_the_cap()
    history.decide(escalation={"decision": "revise"})
    entry = history.execution.ledger.deliverables[Kind.REQUIREMENTS]
    assert (entry.state, entry.feedback) == (State.PENDING, ("change 4",))
    assert history.execution.turn.due


def test_the_user_keeps_it_and_the_end_says_so() -> None:
    history = at_the_cap()
    history.decide(escalation={"decision": "accept"})
    assert "kept as it is by decision of ann" in history.execution.warnings[0]
    history.work(Kind.TECHNICAL_DECOMPOSITION)
    history.approve(Phase.REQUIREMENTS_DISCOVERY)
    history.phase_2()
    history.work(Kind.VALIDATION_RESULTS)
    history.approve(Phase.SOLUTION_VALIDATION)
    history.work(Kind.SOLUTION_GUIDE)
    history.approve(Phase.PACKAGING)
    assert history.turn(turns.Finish()).status is Status.COMPLETED_WITH_WARNINGS


def test_the_user_stops_it() -> None:
    history = at_the_cap()
    assert history.decide(escalation={"decision": "stop"}).status is Status.CANCELED


def test_an_option_that_is_not_offered_is_refused() -> None:
    history = at_the_cap()
    with pytest.raises(waits.DecisionRefused, match="retry"):
        history.decide(escalation={"decision": "retry"})


def test_a_pre_approved_escalation_ends_with_warnings() -> None:
    history = at_the_cap(Mode.PRE_APPROVED)
    assert history.execution.status is Status.COMPLETED_WITH_WARNINGS
    assert "No user was available" in history.execution.warnings[0]
    assert not turns.completed(history.execution)


# -- permission, budgets, failures -------------------------------------------------------------


def test_permission_is_asked_once_and_a_refusal_lets_the_work_go_on() -> None:
    history = History()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    history.ask(Kind.REQUIREMENTS, permission=True)
    wait = history.execution.wait
    assert wait is not None
    assert wait.kind is WaitKind.PERMISSION
    history.decide(permission={"cloud_read": False})
    assert history.execution.cloud_read is False
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    history.ask(Kind.REQUIREMENTS, permission=True)
    assert history.execution.wait is None
    assert history.execution.turn.due


def test_a_pre_approved_run_takes_permission_from_the_request_only() -> None:
    assert History(Mode.PRE_APPROVED).execution.cloud_read is False
    assert History(Mode.PRE_APPROVED, cloud_read=True).execution.cloud_read is True


def exhausted(mode: Mode = Mode.INTERACTIVE) -> History:
    history = History(mode)
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    task, claim = history.begin(Kind.REQUIREMENTS)
    history.take(
        delegations.exhaust(history.execution, task, claim, "15 calls", NONE, history.tick())
    )
    return history


def test_a_used_up_budget_goes_to_the_user_who_grants_more() -> None:
    history = exhausted()
    wait = history.execution.wait
    assert wait is not None
    assert (wait.kind, wait.deliverable) == (WaitKind.BUDGET, Kind.REQUIREMENTS)
    history.decide(budget={"decision": "continue", "calls": 7})
    assert history.execution.work[Kind.REQUIREMENTS].extra_calls == 7
    history.work(Kind.REQUIREMENTS)
    assert history.execution.work[Kind.REQUIREMENTS].extra_calls == 0


def test_a_used_up_budget_fails_a_pre_approved_execution() -> None:
    execution = exhausted(Mode.PRE_APPROVED).execution
    assert execution.status is Status.FAILED
    assert execution.failure is not None
    assert "15 calls" in execution.failure


def test_a_turns_used_up_budget_goes_to_the_user() -> None:
    history = History()
    history.take(
        turns.begin_turn(history.execution, history.task(None), "h", 0, history.tick(), LEASE)
    )
    claim = history.execution.turn.claim
    assert claim is not None
    history.take(turns.turn_exhausted(history.execution, claim, "40 calls", NONE, history.tick()))
    history.decide(budget={"decision": "continue", "calls": 5})
    assert history.execution.turn.extra_calls == 5
    assert history.execution.turn.due


def failed_run(history: History) -> None:
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    task, claim = history.begin(Kind.REQUIREMENTS)
    history.take(delegations.run_failed(history.execution, task, claim, "no key", history.tick()))


def test_a_run_that_fails_twice_goes_to_the_user_who_may_retry() -> None:
    history = History()
    failed_run(history)
    assert history.execution.wait is None
    failed_run(history)
    wait = history.execution.wait
    assert wait is not None
    assert "no key" in wait.summary
    history.decide(escalation={"decision": "retry"})
    history.work(Kind.REQUIREMENTS)
    assert history.execution.ledger.deliverables[Kind.REQUIREMENTS].revision == 1


def test_a_run_that_fails_twice_fails_a_pre_approved_execution() -> None:
    history = History(Mode.PRE_APPROVED)
    failed_run(history)
    failed_run(history)
    assert history.execution.status is Status.FAILED


def test_a_failing_branch_leaves_its_siblings_work() -> None:
    history = history_at_parallel_work()
    task, claim = history.begin(Kind.DESIGN_RECOMMENDATIONS)
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    history.take(delegations.run_failed(history.execution, task, claim, "crash", history.tick()))
    assert history.execution.ledger.deliverables[Kind.ARCHITECTURE_DIAGRAM].revision == 1
    assert history.execution.ledger.deliverables[Kind.DESIGN_RECOMMENDATIONS].state is State.PENDING


def test_pillars_are_kept_under_the_first_attempt_with_the_same_inputs() -> None:
    history = history_at_parallel_work()
    kind = Kind.DESIGN_RECOMMENDATIONS
    task, claim = history.begin(kind)
    change = delegations.keep_pillar(
        history.execution, task, claim, "security", "- x", NONE, history.tick()
    )
    history.take(change)
    assert [(w.basis, w.pillar) for w in change.writes if hasattr(w, "basis")] == [(1, "security")]
    history.take(delegations.run_failed(history.execution, task, claim, "crash", history.tick()))
    history.submit(Kind.ARCHITECTURE_DIAGRAM)
    history.turn(turns.Delegate(kinds=(kind,)))
    assert (history.execution.work[kind].attempt, history.execution.work[kind].basis) == (2, 1)
    history.submit(kind)
    history.turn(turns.Reopen(kind=kind, reason="more"), turns.Delegate(kinds=(kind,)))
    assert (history.execution.work[kind].attempt, history.execution.work[kind].basis) == (3, 3)


def test_three_turns_without_a_decision_go_to_the_user_or_fail() -> None:
    history = History()
    for _ in range(3):
        history.turn()
    assert history.execution.wait is not None
    assert history.execution.wait.options == ("retry", "stop")
    batch = History(Mode.PRE_APPROVED)
    for _ in range(3):
        batch.turn()
    assert batch.execution.status is Status.FAILED


# -- ends --------------------------------------------------------------------------------------


def test_a_canceled_execution_takes_nothing_more_and_late_results_are_recorded() -> None:
    history = History()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    task, claim = history.begin(Kind.REQUIREMENTS)
    history.take(lifecycle.cancel(history.execution, "ann", history.tick()))
    assert history.execution.stalls_at is None
    with pytest.raises(ClaimLost, match="canceled"):
        delegations.submit(history.execution, task, claim, submission("x"), NONE, history.tick())
    with pytest.raises(Finished):
        lifecycle.cancel(history.execution, "ann", history.tick())
    history.take(lifecycle.discard(history.execution, Kind.REQUIREMENTS, 1, "late", history.tick()))
    assert history.types()[-2:] == ["canceled", "discarded"]


def test_a_wait_expires_after_its_time_and_not_before() -> None:
    history = at_approval()
    assert history.execution.wait is not None
    assert history.execution.stalls_at == history.execution.wait.expires_at
    with pytest.raises(Exception, match="no wait that lasted too long"):
        lifecycle.expire(history.execution, history.now + timedelta(days=29))
    history.take(lifecycle.expire(history.execution, history.now + timedelta(days=30)))
    assert history.execution.status is Status.EXPIRED
    assert "nobody decided within 30 days" in (history.execution.failure or "")


def test_another_graph_or_document_version_is_refused() -> None:
    execution = History().execution
    check_version(execution)
    for update in ({"graph": "0123"}, {"schema_version": 99}):
        other = execution.model_copy(update=update)
        with pytest.raises(GraphMismatch, match="finish it with the version that started it"):
            check_version(other)


def test_redrive_is_refused_where_nothing_is_due() -> None:
    with pytest.raises(Exception, match="waits for a person"):
        lifecycle.redrive(at_approval().execution, at_approval().now)


def test_an_answer_by_both_ids_of_a_question_is_taken_once() -> None:
    history = two_questions()
    both = {"architecture_diagram.1": "high", "q1": "low", "q2": "none"}
    history.take(waits.answer(history.execution, both, "ann", history.tick()))
    answers = history.execution.work[Kind.ARCHITECTURE_DIAGRAM].answers
    assert [a.answer for a in answers] == ["high"]
    assert history.execution.wait is None


def test_a_specialist_that_only_asks_fails_a_pre_approved_execution() -> None:
    history = History(Mode.PRE_APPROVED)
    for _ in range(40):
        if history.execution.status.terminal:
            break
        history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
        history.ask(Kind.REQUIREMENTS, *["why?"] * 10)
    assert history.execution.status is Status.FAILED
    assert "keeps asking" in (history.execution.failure or "")


def test_an_orchestrator_that_only_asks_is_idle() -> None:
    history = History(Mode.PRE_APPROVED)
    for _ in range(3):
        history.turn(turns.AskUser(questions=(turns.TurnQuestion(text="why?"),)))
    assert history.execution.status is Status.FAILED


def test_reopening_what_is_pending_moves_nothing_and_keeps_the_document_small() -> None:
    history = History()
    history.work(Kind.REQUIREMENTS)
    history.turn(turns.Reopen(kind=Kind.REQUIREMENTS, reason="r"))
    for _ in range(30):
        if history.execution.wait is not None:
            break
        history.turn(turns.Reopen(kind=Kind.REQUIREMENTS, reason="x" * 100_000))
    assert history.execution.wait is not None
    assert len(history.execution.model_dump_json()) < 200_000


def test_a_run_that_needs_nothing_has_failed() -> None:
    history = History()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    history.ask(Kind.REQUIREMENTS)
    assert "without a question" in (history.execution.work[Kind.REQUIREMENTS].failure or "")


def test_claims_of_a_holder_that_is_gone_are_void() -> None:
    history = History()
    history.turn(turns.Delegate(kinds=(Kind.REQUIREMENTS,)))
    task, old = history.begin(Kind.REQUIREMENTS)
    history.take(lifecycle.void_claims(history.execution, history.tick()))
    with pytest.raises(ClaimLost):
        delegations.submit(history.execution, task, old, submission("x"), NONE, history.tick())
    history.begin(Kind.REQUIREMENTS)
    with pytest.raises(Exception, match="holds no claim"):
        lifecycle.void_claims(History().execution, history.tick())


def test_the_title_is_the_first_line_that_says_something() -> None:
    assert lifecycle.title_of("\n\n# Move the order platform\nmore") == "Move the order platform"
    assert lifecycle.title_of("Dear team,\n\nwe need a shop.") == "we need a shop."
    assert lifecycle.title_of("Hi\nshop") == "Hi"
    assert len(lifecycle.title_of("x" * 500)) == 120


def test_a_task_for_a_turn_names_no_deliverable() -> None:
    task = Task(ExecutionId("e"), TaskKind.TURN, 1, 0)
    with pytest.raises(Stale):
        delegations.begin_delegation(History().execution, task, "h", 0, History().now, LEASE)
