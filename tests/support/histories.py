"""Short ways to bring an Execution into a state, for tests of the pure core."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine import delegations, lifecycle, turns, waits
from engine.decisions import parse_decision
from engine.deliverables import Kind, Phase
from engine.execution import Change, Event, Execution, ExecutionId, Mode, SessionId, Task, due_tasks
from engine.ledger import content_digest
from engine.turns import Action, TurnUsage

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
LEASE = timedelta(minutes=13)
NONE = TurnUsage()


class History:
    """An Execution that is driven by hand, with all events that it ever had."""

    def __init__(self, mode: Mode = Mode.INTERACTIVE, **more: object) -> None:
        self.now = START
        self.events: list[Event] = []
        self.contents: dict[Kind, list[int]] = {}
        request = lifecycle.StartRequest(
            id=ExecutionId("e1"),
            session_id=SessionId("s1"),
            owner="ann",
            request="Move our order platform to the cloud, RTO 1 h.",
            mode=mode,
            **more,
        )
        self.take(lifecycle.start(request, self.now))

    execution: Execution

    def take(self, change: Change) -> Execution:
        self.execution = change.execution
        self.events.extend(change.events)
        for write in change.writes:
            if isinstance(write, delegations.ContentWrite):
                self.contents.setdefault(write.kind, []).append(write.revision)
        return self.execution

    def tick(self, **delta: float) -> datetime:
        self.now += timedelta(**(delta or {"seconds": 1}))
        return self.now

    def turn(self, *actions: Action, text: str = "") -> Execution:
        task = self.task(None)
        self.take(turns.begin_turn(self.execution, task, "h", 0, self.tick(), LEASE))
        claim = self.execution.turn.claim
        assert claim is not None
        return self.take(turns.end_turn(self.execution, claim, actions, text, NONE, self.tick()))

    def task(self, kind: Kind | None) -> Task:
        return next(t for t in due_tasks(self.execution) if t.deliverable == kind)

    def begin(self, kind: Kind, retry: int = 0):
        task = self.task(kind)
        self.take(
            delegations.begin_delegation(self.execution, task, "h", retry, self.tick(), LEASE)
        )
        claim = self.execution.work[kind].claim
        assert claim is not None
        return task, claim

    def submit(self, kind: Kind, text: str = "text") -> Execution:
        task, claim = self.begin(kind)
        return self.take(
            delegations.submit(self.execution, task, claim, submission(text), NONE, self.tick())
        )

    def ask(self, kind: Kind, *questions: str, permission: bool = False) -> Execution:
        task, claim = self.begin(kind)
        asked = tuple(delegations.AskedBySpecialist(text=q) for q in questions)
        return self.take(
            delegations.need_input(
                self.execution, task, claim, asked, permission, NONE, self.tick()
            )
        )

    def work(self, *kinds: Kind) -> Execution:
        """Delegate and submit, one Turn each."""
        for kind in kinds:
            self.turn(turns.Delegate(kinds=(kind,)))
            self.submit(kind)
        return self.execution

    def decide(self, by: str = "ann", **choice: object) -> Execution:
        return self.take(waits.decide(self.execution, self.decision(**choice), by, self.tick()))

    def decision(self, **choice: object):
        wait = self.execution.wait
        assert wait is not None
        return parse_decision({"wait": wait.id, "shown": wait.shown, **choice})

    def approve(self, phase: Phase) -> Execution:
        self.turn(turns.RequestApproval(phase=phase, summary="please"))
        return self.decide(approval={"phase": phase.value, "decision": "approve"})

    def phase_1(self) -> Execution:
        self.work(Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION)
        return self.approve(Phase.REQUIREMENTS_DISCOVERY)

    def phase_2(self) -> Execution:
        self.work(
            Kind.PRODUCT_SELECTION,
            Kind.ARCHITECTURE_DIAGRAM,
            Kind.ARCHITECTURE_DESCRIPTION,
            Kind.DESIGN_RECOMMENDATIONS,
            Kind.DEPLOYMENT_GUIDANCE,
        )
        return self.approve(Phase.SOLUTION_ARCHITECTURE)

    def whole(self) -> Execution:
        self.phase_1()
        self.phase_2()
        self.work(Kind.VALIDATION_RESULTS)
        self.approve(Phase.SOLUTION_VALIDATION)
        self.work(Kind.SOLUTION_GUIDE)
        self.approve(Phase.PACKAGING)
        return self.turn(turns.Finish())

    def types(self) -> list[str]:
        return [event.type.value for event in self.events]


def submission(text: str) -> delegations.Submission:
    return delegations.Submission(content=text, digest=content_digest(text, ()))
