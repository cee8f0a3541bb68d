"""Decisions are parsed strictly: only the exact words of the exact shape grant anything."""

from __future__ import annotations

import pytest

from engine.decisions import InvalidDecision, parse_decision

BOUND = {"wait": "w1", "shown": "ab"}
PHASE = {"phase": "requirements_discovery"}


@pytest.mark.parametrize(
    "choice",
    [
        {"approval": {**PHASE, "decision": "approve"}},
        {"approval": {**PHASE, "decision": "changes", "feedback": "less cost"}},
        {"permission": {"cloud_read": True}},
        {"permission": {"cloud_read": False}},
        {"escalation": {"decision": "accept"}},
        {"budget": {"decision": "continue", "calls": 5}},
    ],
)
def test_right_decisions(choice: dict[str, object]) -> None:
    decision = parse_decision({**BOUND, **choice})
    assert decision.choice == getattr(decision, next(iter(choice)))


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (None, "NoneType"),
        ([], "list"),
        (True, "bool"),
        ("looks good, go ahead", "str"),
        ({}, "wait"),
        (BOUND, "exactly one"),
        ({**BOUND, "approval": None}, "exactly one"),
        ({**BOUND, "approval": {**PHASE, "decision": "Reject"}}, "approval.decision"),
        ({**BOUND, "approval": {**PHASE, "decision": "deny"}}, "approval.decision"),
        ({**BOUND, "approval": {**PHASE, "decision": "approved "}}, "approval.decision"),
        ({**BOUND, "approval": {**PHASE, "decision": "Approve"}}, "approval.decision"),
        ({**BOUND, "approval": {**PHASE, "decision": None}}, "approval.decision"),
        ({**BOUND, "approval": {**PHASE, "decision": True}}, "approval.decision"),
        ({**BOUND, "approval": {**PHASE, "decision": "changes"}}, "feedback"),
        ({**BOUND, "approval": {**PHASE, "decision": "changes", "feedback": " "}}, "feedback"),
        ({**BOUND, "approval": {"phase": "all", "decision": "approve"}}, "approval.phase"),
        ({**BOUND, "approval": {"decision": "approve"}}, "approval.phase"),
        ({**BOUND, "approval": {**PHASE, "decision": "approve", "x": 1}}, "approval.x"),
        ({**BOUND, "approval": [], "permission": {"cloud_read": True}}, "approval"),
        ({**BOUND, "permission": {"cloud_read": "true"}}, "permission.cloud_read"),
        ({**BOUND, "permission": {"cloud_read": 1}}, "permission.cloud_read"),
        ({**BOUND, "permission": {"cloud_read": None}}, "permission.cloud_read"),
        ({**BOUND, "escalation": {"decision": "yes"}}, "escalation.decision"),
        ({**BOUND, "budget": {"decision": "continue", "calls": 5.0}}, "budget.calls"),
        ({**BOUND, "budget": {"decision": "continue", "calls": 0}}, "budget.calls"),
        (
            {
                **BOUND,
                "permission": {"cloud_read": True},
                "approval": {**PHASE, "decision": "approve"},
            },
            "exactly one",
        ),
        ({"wait": 1, "shown": "a", "permission": {"cloud_read": True}}, "wait"),
        ({"shown": "a", "permission": {"cloud_read": True}}, "wait"),
    ],
)
def test_everything_else_is_an_error_that_names_the_fault(data: object, names: str) -> None:
    with pytest.raises(InvalidDecision, match=names):
        parse_decision(data)
