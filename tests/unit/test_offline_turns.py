"""The offline Orchestrator: what a change is about, one voice, the obvious next step."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.planner import Call, Exchange, Say, next_move
from agents.offline.turns import concerned, merged, turn
from agents.runtime import AgentTask
from engine.deliverables import Kind, Phase

TASK = AgentTask(execution_id="e", run="r", request="x", interactive=True)
P1, P2 = Phase.REQUIREMENTS_DISCOVERY, Phase.SOLUTION_ARCHITECTURE


@pytest.mark.parametrize(
    ("phase", "feedback", "kind"),
    [
        (P1, "RTO must be 15 minutes", Kind.REQUIREMENTS),
        (P2, "RTO must be 15 minutes", Kind.REQUIREMENTS),
        (P1, "split the ingest component in two", Kind.TECHNICAL_DECOMPOSITION),
        (P2, "the diagram lacks the on-premises link", Kind.ARCHITECTURE_DIAGRAM),
        (P2, "use Spanner instead of Cloud SQL", Kind.PRODUCT_SELECTION),
        (P2, "alerts should go to two people", Kind.DESIGN_RECOMMENDATIONS),
        (P2, "pin the provider in Terraform to 8.6", Kind.DEPLOYMENT_GUIDANCE),
        (P2, "architecture_description: shorter please", Kind.ARCHITECTURE_DESCRIPTION),
        (P1, "use Terraform modules", Kind.REQUIREMENTS),
        (P2, "hmm", Kind.PRODUCT_SELECTION),
        (Phase.SOLUTION_VALIDATION, "the verdict is too short", Kind.VALIDATION_RESULTS),
        (Phase.PACKAGING, "hmm", Kind.SOLUTION_GUIDE),
    ],
)
def test_a_change_is_about_the_deliverable_that_its_words_name(
    phase: Phase, feedback: str, kind: Kind
) -> None:
    assert concerned(phase, feedback) is kind


def test_the_same_question_of_two_specialists_is_asked_once() -> None:
    asked = [
        {"id": "a.1", "text": "Which region?", "why": "w", "proposal": "p"},
        {"id": "b.1", "text": "which region", "why": "", "proposal": ""},
        {"id": "b.2", "text": "Which budget?", "why": "", "proposal": ""},
    ]
    found = merged(asked)
    assert [q["merges"] for q in found] == [["a.1", "b.1"], ["b.2"]]
    assert found[0]["proposal"] == "p"


def state(**more: Any) -> dict[str, Any]:
    return {
        "phases": [{"phase": p.value, "change_request": None} for p in Phase],
        "ready": [],
        "in_flight": [],
        "open_questions": [],
        "can_request_approval": None,
        "can_finish": False,
    } | more


def move(**more: Any) -> Call | Say:
    past = [Exchange("load_skill", {}), Exchange("ready_work", state(**more))]
    return next_move(turn(TASK), past)


def test_a_turn_looks_first() -> None:
    assert next_move(turn(TASK), []) == Call(
        "load_skill", {"skill_name": "google-cloud-solution-architecture"}
    )
    assert next_move(turn(TASK), [Exchange("load_skill", {})]) == Call("ready_work", {})


def test_a_change_request_comes_before_ready_work() -> None:
    phases = [{"phase": P1.value, "change_request": "RTO is 15 minutes"}]
    found = move(phases=phases, ready=["product_selection"])
    assert found == Call("reopen", {"kind": "requirements", "reason": "RTO is 15 minutes"})


def test_the_obvious_next_step() -> None:
    assert move(ready=["requirements"]) == Call("delegate", {"kinds": ["requirements"]})
    question = {"id": "a.1", "text": "t", "why": "", "proposal": ""}
    asked = move(open_questions=[question])
    assert isinstance(asked, Call)
    assert asked.tool == "ask_user"
    assert move(can_finish=True) == Call("finish", {})
    assert isinstance(move(in_flight=["requirements"], open_questions=[question]), Say)
    assert isinstance(move(), Say)


def test_an_approval_is_asked_for_with_a_summary_of_what_was_read() -> None:
    past = [
        Exchange("load_skill", {}),
        Exchange("ready_work", state(can_request_approval=P1.value)),
        Exchange(
            "read_deliverable",
            {"content": "## Functional requirements\n\n- **FR-1**: a\n- **FR-2**: b\n"},
        ),
        Exchange("read_deliverable", {"content": "## Components\n\n| C-1 | a | b | FR-1 |\n"}),
    ]
    found = next_move(turn(TASK), past)
    assert isinstance(found, Call)
    assert found.tool == "request_approval"
    assert found.args["summary"].startswith("2 functional and 0 non-functional requirements")


def test_a_refusal_ends_the_turn_with_its_reason() -> None:
    past = [
        Exchange("load_skill", {}),
        Exchange("ready_work", state(ready=["requirements"])),
        Exchange("delegate", {"error": "not ready"}),
    ]
    assert next_move(turn(TASK), past) == Say("delegate was refused: not ready")
