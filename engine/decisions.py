"""Structured decisions, parsed strictly (SPEC: Modes and waits).

A decision names the wait that it answers and the digest of what was shown. Nothing else grants:
no free text, no near miss ("Approve", "approved ", "yes"), no unknown key.

The wire form::

    {"wait": "w3", "shown": "1f0c…", "approval": {"phase": "requirements_discovery",
                                                 "decision": "approve"}}
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, model_validator

from engine.deliverables import Phase

FEEDBACK_LENGTH = 8000


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ApprovalDecision(_Strict):
    """Approve a Phase, or say what to change."""

    phase: Phase
    decision: Literal["approve", "changes"]
    feedback: Annotated[str, Field(strict=True, max_length=FEEDBACK_LENGTH)] = ""

    @model_validator(mode="after")
    def _changes_need_feedback(self) -> ApprovalDecision:
        if self.decision == "changes" and not self.feedback.strip():
            raise ValueError("'changes' needs feedback that says what to change")
        return self


class PermissionDecision(_Strict):
    """Grant or refuse read-only access to cloud projects."""

    cloud_read: StrictBool


class EscalationDecision(_Strict):
    """What to do where the rules end.

    ``revise`` grants one Revision beyond the cap, ``accept`` keeps the Deliverable as it is,
    ``retry`` runs again what failed, ``stop`` ends the Execution.
    """

    decision: Literal["revise", "accept", "retry", "stop"]


class BudgetDecision(_Strict):
    """Go on with so many more tool calls, or stop."""

    decision: Literal["continue", "stop"]
    calls: Annotated[int, Field(strict=True, ge=1, le=200)] = 10


Choice = ApprovalDecision | PermissionDecision | EscalationDecision | BudgetDecision


class Decision(_Strict):
    """One decision, bound to a wait and to what was shown."""

    wait: Annotated[str, Field(strict=True, min_length=1, max_length=40)]
    shown: Annotated[str, Field(strict=True, max_length=64)] | None = None
    approval: ApprovalDecision | None = None
    permission: PermissionDecision | None = None
    escalation: EscalationDecision | None = None
    budget: BudgetDecision | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Decision:
        given = [n for n in ("approval", "permission", "escalation", "budget") if getattr(self, n)]
        if len(given) != 1:
            raise ValueError("give exactly one of approval, permission, escalation, budget")
        return self

    @property
    def choice(self) -> Choice:
        """The one choice that was given."""
        choice = self.approval or self.permission or self.escalation or self.budget
        if choice is None:  # the validator admits no such value
            raise RuntimeError("a decision without a choice")
        return choice


class InvalidDecision(ValueError):
    """The data is no decision; the message names each fault."""


def parse_decision(data: Any) -> Decision:
    """A Decision from decoded JSON. Raises InvalidDecision, which names what was wrong."""
    if not isinstance(data, dict):
        raise InvalidDecision(f"a decision is an object, not {type(data).__name__}")
    try:
        return Decision.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc']) or 'decision'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)
        )
        raise InvalidDecision(f"not a valid decision: {faults}") from None
