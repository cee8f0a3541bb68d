"""The Ledger: states of Deliverables and Phases, and the rules of Revision. Pure, no I/O.

Deliverable: pending -> in_progress -> submitted; only a Revision goes back.
Phase: open -> awaiting_approval -> approved; only a Revision or a change request goes back.
Source of the rules: SPEC, "The Ledger".
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict

from engine.deliverables import DEPENDENTS, GRAPH, PHASE_KINDS, SPECS, Kind, Phase

FEEDBACK_LENGTH, FEEDBACK_KEPT = 8000, 12
"""Characters of one reason, and how many reasons, that the document holds."""


class Value(BaseModel):
    """Base of the core's values: frozen, and no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def having(self, **fields: object) -> Self:
        """A copy with some fields replaced, which are not validated again.

        ``model_copy`` does the same with deep bookkeeping; a command makes dozens of copies, and
        this one shares everything that did not change.
        """
        copy = self.__class__.__new__(self.__class__)
        state = self.__dict__.copy()
        state.update(fields)
        object.__setattr__(copy, "__dict__", state)
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        object.__setattr__(copy, "__pydantic_fields_set__", set(state))
        return copy


class State(StrEnum):
    """Where a Deliverable stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    SUBMITTED = "submitted"


class PhaseStatus(StrEnum):
    """Where a Phase stands."""

    OPEN = "open"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"


class DeliverableState(Value):
    """One Deliverable's state.

    ``revision`` numbers its submitted contents (0: none yet); ``revisions`` counts how often it was
    reopened by name, which is what the cap counts; a Deliverable that only follows another keeps
    its count. ``digest`` is the SHA-256 of the submitted content with its attachments.
    """

    state: State = State.PENDING
    revision: int = 0
    revisions: int = 0
    feedback: tuple[str, ...] = ()
    digest: str = ""


class PhaseState(Value):
    """One Phase's state; ``change_request`` is feedback that no Revision has taken up yet."""

    status: PhaseStatus = PhaseStatus.OPEN
    approved_by: str | None = None
    approved_at: datetime | None = None
    change_request: str | None = None


class Ledger(Value):
    """States of all Deliverables and Phases."""

    deliverables: dict[Kind, DeliverableState]
    phases: dict[Phase, PhaseState]


class LedgerError(Exception):
    """A transition that the rules refuse; the message says why and what is missing."""


class RevisionCapReached(LedgerError):
    """The Deliverable was reopened as often as the Execution allows; only the user can go on."""

    def __init__(self, kind: Kind, reason: str, cap: int) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(
            f"{kind} was already revised {cap} times, which is the cap; "
            f"the user must decide about this further change: {reason}"
        )


@dataclass(frozen=True, slots=True)
class Reopened:
    """What a Revision did: every Deliverable sent back, and the Phases whose Approval it took."""

    ledger: Ledger
    affected: tuple[Kind, ...]
    withdrawn: tuple[Phase, ...]


def new_ledger() -> Ledger:
    """A Ledger in which everything is still to be done."""
    return Ledger(
        deliverables={spec.kind: DeliverableState() for spec in GRAPH},
        phases={phase: PhaseState() for phase in Phase},
    )


def unmet(ledger: Ledger, kind: Kind) -> tuple[str, ...]:
    """What still stands between a Deliverable and its start, as sentences.

    A Dependency in the same Phase is met once submitted; one in an earlier Phase once that Phase
    is approved.
    """
    missing = []
    for needed in SPECS[kind].depends_on:
        phase = SPECS[needed].phase
        if ledger.deliverables[needed].state is not State.SUBMITTED:
            missing.append(f"{needed} is not submitted")
        elif phase is not SPECS[kind].phase and (
            ledger.phases[phase].status is not PhaseStatus.APPROVED
        ):
            missing.append(f"Phase {phase} is not approved")
    return tuple(dict.fromkeys(missing))


def ready(ledger: Ledger) -> tuple[Kind, ...]:
    """Pending Deliverables whose every Dependency is met, in the order of the graph."""
    return tuple(
        kind
        for kind, entry in ledger.deliverables.items()
        if entry.state is State.PENDING and _met(ledger, kind)
    )


def _met(ledger: Ledger, kind: Kind) -> bool:
    """Whether every Dependency is met; ``unmet`` says the same in sentences."""
    deliverables, own = ledger.deliverables, SPECS[kind].phase
    for needed in SPECS[kind].depends_on:
        if deliverables[needed].state is not State.SUBMITTED:
            return False
        phase = SPECS[needed].phase
        if phase is not own and ledger.phases[phase].status is not PhaseStatus.APPROVED:
            return False
    return True


def in_progress(ledger: Ledger) -> tuple[Kind, ...]:
    """Deliverables that a Specialist works on."""
    return tuple(k for k, d in ledger.deliverables.items() if d.state is State.IN_PROGRESS)


def set_deliverable(ledger: Ledger, kind: Kind, **fields: object) -> Ledger:
    """The Ledger with some fields of one Deliverable replaced."""
    entry = ledger.deliverables[kind].having(**fields)
    return ledger.having(deliverables={**ledger.deliverables, kind: entry})


def set_phase(ledger: Ledger, phase: Phase, **fields: object) -> Ledger:
    """The Ledger with some fields of one Phase replaced."""
    entry = ledger.phases[phase].having(**fields)
    return ledger.having(phases={**ledger.phases, phase: entry})


def begin(ledger: Ledger, kind: Kind) -> Ledger:
    """From pending to in_progress. Raises LedgerError when the Deliverable is not ready."""
    state = ledger.deliverables[kind].state
    if state is not State.PENDING:
        raise LedgerError(f"{kind} is {state}, not pending")
    if missing := unmet(ledger, kind):
        raise LedgerError(f"{kind} is not ready: {'; '.join(missing)}")
    return set_deliverable(ledger, kind, state=State.IN_PROGRESS)


def release(ledger: Ledger, kind: Kind) -> Ledger:
    """From in_progress to pending, when a run ended without a submission."""
    if ledger.deliverables[kind].state is not State.IN_PROGRESS:
        raise LedgerError(f"{kind} is not in progress")
    return set_deliverable(ledger, kind, state=State.PENDING)


def submit(ledger: Ledger, kind: Kind, digest: str) -> Ledger:
    """From in_progress to submitted, with the next revision number; its feedback is used up."""
    entry = ledger.deliverables[kind]
    if entry.state is not State.IN_PROGRESS:
        raise LedgerError(f"{kind} is {entry.state}; only work in progress can be submitted")
    return set_deliverable(
        ledger,
        kind,
        state=State.SUBMITTED,
        revision=entry.revision + 1,
        digest=digest,
        feedback=(),
    )


def unsubmitted(ledger: Ledger, phase: Phase) -> tuple[Kind, ...]:
    """What a Phase still lacks before its Approval can be asked for."""
    return tuple(
        kind
        for kind in PHASE_KINDS[phase]
        if ledger.deliverables[kind].state is not State.SUBMITTED
    )


def approval_blocker(ledger: Ledger, phase: Phase) -> str | None:
    """Why the Approval of a Phase cannot be asked for now, or None."""
    entry = ledger.phases[phase]
    if entry.status is not PhaseStatus.OPEN:
        return f"Phase {phase} is {entry.status} already"
    for earlier in list(Phase)[: phase.number - 1]:
        if ledger.phases[earlier].status is not PhaseStatus.APPROVED:
            return f"Phase {earlier} comes first and is not approved"
    if missing := unsubmitted(ledger, phase):
        return f"not submitted yet: {', '.join(missing)}"
    if entry.change_request is not None:
        return (
            f"the user asked for changes and nothing was reopened for it yet: "
            f"{entry.change_request!r}; call reopen on the Deliverable that it concerns"
        )
    return None


def request_approval(ledger: Ledger, phase: Phase) -> Ledger:
    """From open to awaiting_approval. Raises LedgerError with the blocker."""
    if blocker := approval_blocker(ledger, phase):
        raise LedgerError(f"Approval of {phase} cannot be requested: {blocker}")
    return set_phase(ledger, phase, status=PhaseStatus.AWAITING_APPROVAL)


def _awaiting(ledger: Ledger, phase: Phase) -> None:
    status = ledger.phases[phase].status
    if status is not PhaseStatus.AWAITING_APPROVAL:
        raise LedgerError(f"Phase {phase} is {status}; no Approval was requested")


def approve(ledger: Ledger, phase: Phase, by: str, at: datetime) -> Ledger:
    """From awaiting_approval to approved."""
    _awaiting(ledger, phase)
    return set_phase(ledger, phase, status=PhaseStatus.APPROVED, approved_by=by, approved_at=at)


def request_changes(ledger: Ledger, phase: Phase, feedback: str) -> Ledger:
    """From awaiting_approval to open, and remember what the user wants changed."""
    _awaiting(ledger, phase)
    return set_phase(ledger, phase, status=PhaseStatus.OPEN, change_request=feedback)


def drop_change_requests(ledger: Ledger) -> Ledger:
    """Forget change requests, when the user decides to keep a Deliverable as it is."""
    for phase in Phase:
        if ledger.phases[phase].change_request is not None:
            ledger = set_phase(ledger, phase, change_request=None)
    return ledger


def reopen(ledger: Ledger, kind: Kind, reason: str, cap: int) -> Reopened:
    """Send a Deliverable back with a reason, and with it everything that depends on it.

    Every Phase touched that was approved or awaiting is open again. A Deliverable that another
    Revision already sent back only gains the reason, and its count stays. Work under way whose
    Dependencies no longer hold is sent back too.

    Raises LedgerError when nothing was ever submitted, RevisionCapReached at the cap.
    """
    entry = ledger.deliverables[kind]
    if entry.revision == 0:
        raise LedgerError(f"{kind} was never submitted, so there is nothing to reopen")
    feedback = (*entry.feedback, reason[:FEEDBACK_LENGTH])[-FEEDBACK_KEPT:]
    if entry.state is State.PENDING:
        ledger = set_deliverable(ledger, kind, feedback=feedback)
        return Reopened(_take_up(ledger, {SPECS[kind].phase}), (kind,), ())
    if entry.revisions >= cap:
        raise RevisionCapReached(kind, reason, cap)
    ledger = set_deliverable(ledger, kind, feedback=feedback, revisions=entry.revisions + 1)
    affected = {
        k for k in (kind, *DEPENDENTS[kind]) if ledger.deliverables[k].state is not State.PENDING
    }
    phases = {SPECS[k].phase for k in affected} | {SPECS[kind].phase}
    withdrawn = tuple(
        p for p in Phase if p in phases and ledger.phases[p].status is PhaseStatus.APPROVED
    )
    for phase in phases:
        ledger = set_phase(
            ledger, phase, status=PhaseStatus.OPEN, approved_by=None, approved_at=None
        )
    for k in affected:
        ledger = set_deliverable(ledger, k, state=State.PENDING)
    for k in in_progress(ledger):
        if unmet(ledger, k):
            ledger = set_deliverable(ledger, k, state=State.PENDING)
            affected.add(k)
    order = tuple(spec.kind for spec in GRAPH if spec.kind in affected)
    return Reopened(_take_up(ledger, phases), order, withdrawn)


def _take_up(ledger: Ledger, phases: set[Phase]) -> Ledger:
    """Change requests of these Phases, and of later ones, are taken up by this Revision.

    Feedback given at a Phase may concern an earlier one, so a Revision there answers it too.
    """
    first = min(phase.number for phase in phases)
    for phase in Phase:
        if phase.number >= first and ledger.phases[phase].change_request is not None:
            ledger = set_phase(ledger, phase, change_request=None)
    return ledger


def phase_digest(ledger: Ledger, phase: Phase) -> str:
    """A digest of what is shown when a Phase is to be approved: its contents, by their digests."""
    text = ";".join(f"{k}={ledger.deliverables[k].digest}" for k in PHASE_KINDS[phase])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def current_phase(ledger: Ledger) -> Phase:
    """The first Phase that is not approved, or the last one."""
    for phase in Phase:
        if ledger.phases[phase].status is not PhaseStatus.APPROVED:
            return phase
    return Phase.PACKAGING


def all_approved(ledger: Ledger) -> bool:
    """Whether every Phase is approved."""
    return all(entry.status is PhaseStatus.APPROVED for entry in ledger.phases.values())


def content_digest(content: str, attachments: tuple[tuple[str, str], ...]) -> str:
    """SHA-256 over a content and its (path, text) attachments, in order of path."""
    digest = hashlib.sha256(content.encode())
    for path, text in sorted(attachments):
        digest.update(b"\0" + path.encode() + b"\0" + text.encode())
    return digest.hexdigest()
