"""The Ledger's transitions: each with a case that passes and one that is refused."""

from __future__ import annotations

import pytest

from engine import ledger as rules
from engine.deliverables import ANCESTORS, DEPENDENTS, GRAPH, SPECS, Kind, Phase, fingerprint
from engine.ledger import LedgerError, PhaseStatus, RevisionCapReached, State
from tests.support.histories import START


def submitted(*kinds: Kind, approved: tuple[Phase, ...] = ()) -> rules.Ledger:
    ledger = rules.new_ledger()
    for kind in kinds:
        ledger = rules.set_deliverable(
            ledger, kind, state=State.SUBMITTED, revision=1, digest=f"d-{kind}"
        )
    for phase in approved:
        ledger = rules.set_phase(ledger, phase, status=PhaseStatus.APPROVED, approved_by="ann")
    return ledger


EVERYTHING = submitted(*Kind, approved=tuple(Phase))


def test_the_graph_has_no_cycle_and_one_root() -> None:
    assert all(kind not in ANCESTORS[kind] for kind in Kind)
    assert [kind for kind in Kind if not ANCESTORS[kind]] == [Kind.REQUIREMENTS]
    assert set(DEPENDENTS[Kind.REQUIREMENTS]) == set(Kind) - {Kind.REQUIREMENTS}
    assert set(ANCESTORS[Kind.SOLUTION_GUIDE]) == set(Kind) - {Kind.SOLUTION_GUIDE}


def test_the_fingerprint_changes_with_the_graph() -> None:
    assert fingerprint(GRAPH) != fingerprint(GRAPH[:-1])
    assert fingerprint(GRAPH) == fingerprint(tuple(GRAPH))


def test_only_the_root_is_ready_at_first() -> None:
    assert rules.ready(rules.new_ledger()) == (Kind.REQUIREMENTS,)


def test_a_dependency_in_the_same_phase_is_met_once_submitted() -> None:
    ledger = submitted(Kind.REQUIREMENTS)
    assert rules.ready(ledger) == (Kind.TECHNICAL_DECOMPOSITION,)


def test_a_dependency_in_an_earlier_phase_is_met_once_that_phase_is_approved() -> None:
    both = (Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION)
    assert rules.ready(submitted(*both)) == ()
    assert "Phase requirements_discovery is not approved" in rules.unmet(
        submitted(*both), Kind.PRODUCT_SELECTION
    )
    approved = submitted(*both, approved=(Phase.REQUIREMENTS_DISCOVERY,))
    assert rules.ready(approved) == (Kind.PRODUCT_SELECTION,)


def test_diagram_and_recommendations_become_ready_together() -> None:
    ledger = submitted(
        Kind.REQUIREMENTS,
        Kind.TECHNICAL_DECOMPOSITION,
        Kind.PRODUCT_SELECTION,
        approved=(Phase.REQUIREMENTS_DISCOVERY,),
    )
    assert rules.ready(ledger) == (Kind.ARCHITECTURE_DIAGRAM, Kind.DESIGN_RECOMMENDATIONS)


def test_begin_refuses_what_is_not_ready_and_says_why() -> None:
    with pytest.raises(LedgerError, match="requirements is not submitted"):
        rules.begin(rules.new_ledger(), Kind.TECHNICAL_DECOMPOSITION)
    working = rules.begin(rules.new_ledger(), Kind.REQUIREMENTS)
    with pytest.raises(LedgerError, match="in_progress, not pending"):
        rules.begin(working, Kind.REQUIREMENTS)


def test_submit_needs_work_in_progress_and_uses_up_the_feedback() -> None:
    with pytest.raises(LedgerError, match="only work in progress"):
        rules.submit(rules.new_ledger(), Kind.REQUIREMENTS, "d")
    ledger = rules.set_deliverable(
        rules.begin(rules.new_ledger(), Kind.REQUIREMENTS), Kind.REQUIREMENTS, feedback=("x",)
    )
    entry = rules.submit(ledger, Kind.REQUIREMENTS, "d").deliverables[Kind.REQUIREMENTS]
    assert (entry.state, entry.revision, entry.feedback) == (State.SUBMITTED, 1, ())


def test_release_sends_back_only_work_in_progress() -> None:
    ledger = rules.release(rules.begin(rules.new_ledger(), Kind.REQUIREMENTS), Kind.REQUIREMENTS)
    assert ledger == rules.new_ledger()
    with pytest.raises(LedgerError, match="not in progress"):
        rules.release(ledger, Kind.REQUIREMENTS)


@pytest.mark.parametrize(
    ("ledger", "phase", "reason"),
    [
        (submitted(Kind.REQUIREMENTS), Phase.REQUIREMENTS_DISCOVERY, "technical_decomposition"),
        (submitted(*Kind), Phase.SOLUTION_VALIDATION, "comes first"),
        (EVERYTHING, Phase.PACKAGING, "approved already"),
        (
            rules.set_phase(
                submitted(*Kind), Phase.REQUIREMENTS_DISCOVERY, change_request="less cost"
            ),
            Phase.REQUIREMENTS_DISCOVERY,
            "less cost",
        ),
    ],
)
def test_an_approval_is_not_requested(ledger: rules.Ledger, phase: Phase, reason: str) -> None:
    with pytest.raises(LedgerError, match=reason):
        rules.request_approval(ledger, phase)


def test_approval_and_change_request_need_a_request() -> None:
    ledger = submitted(*Kind)
    with pytest.raises(LedgerError, match="no Approval was requested"):
        rules.approve(ledger, Phase.REQUIREMENTS_DISCOVERY, "ann", START)
    with pytest.raises(LedgerError, match="no Approval was requested"):
        rules.request_changes(ledger, Phase.REQUIREMENTS_DISCOVERY, "x")
    waiting = rules.request_approval(ledger, Phase.REQUIREMENTS_DISCOVERY)
    approved = rules.approve(waiting, Phase.REQUIREMENTS_DISCOVERY, "ann", START)
    assert approved.phases[Phase.REQUIREMENTS_DISCOVERY].approved_by == "ann"


def test_reopening_takes_along_everything_that_depends_on_it() -> None:
    result = rules.reopen(EVERYTHING, Kind.PRODUCT_SELECTION, "cheaper", cap=3)
    assert set(result.affected) == {Kind.PRODUCT_SELECTION, *DEPENDENTS[Kind.PRODUCT_SELECTION]}
    assert result.withdrawn == tuple(Phase)[1:]
    kept = result.ledger
    assert kept.deliverables[Kind.REQUIREMENTS].state is State.SUBMITTED
    assert kept.phases[Phase.REQUIREMENTS_DISCOVERY].status is PhaseStatus.APPROVED
    assert kept.deliverables[Kind.PRODUCT_SELECTION].feedback == ("cheaper",)
    assert kept.deliverables[Kind.ARCHITECTURE_DIAGRAM].feedback == ()
    counts = {k: d.revisions for k, d in kept.deliverables.items() if d.revisions}
    assert counts == {Kind.PRODUCT_SELECTION: 1}
    assert rules.ready(kept) == (Kind.PRODUCT_SELECTION,)


def test_reopening_the_diagram_leaves_validation_but_takes_the_guide() -> None:
    result = rules.reopen(EVERYTHING, Kind.ARCHITECTURE_DIAGRAM, "show the cache", cap=3)
    assert Kind.VALIDATION_RESULTS not in result.affected
    assert Kind.SOLUTION_GUIDE in result.affected
    assert result.withdrawn == (Phase.SOLUTION_ARCHITECTURE, Phase.PACKAGING)


def test_work_under_way_whose_phase_lost_its_approval_is_sent_back() -> None:
    ledger = rules.set_deliverable(EVERYTHING, Kind.VALIDATION_RESULTS, state=State.IN_PROGRESS)
    result = rules.reopen(ledger, Kind.ARCHITECTURE_DIAGRAM, "show the cache", cap=3)
    assert Kind.VALIDATION_RESULTS in result.affected
    assert result.ledger.deliverables[Kind.VALIDATION_RESULTS].state is State.PENDING


def test_what_was_never_submitted_cannot_be_reopened() -> None:
    with pytest.raises(LedgerError, match="never submitted"):
        rules.reopen(rules.new_ledger(), Kind.REQUIREMENTS, "x", cap=3)


def test_the_cap_holds_for_each_deliverable() -> None:
    ledger = rules.set_deliverable(EVERYTHING, Kind.REQUIREMENTS, revisions=3)
    with pytest.raises(RevisionCapReached, match="already revised 3 times"):
        rules.reopen(ledger, Kind.REQUIREMENTS, "again", cap=3)
    assert rules.reopen(ledger, Kind.REQUIREMENTS, "again", cap=4).affected
    assert rules.reopen(ledger, Kind.PRODUCT_SELECTION, "other", cap=3).affected


def test_a_deliverable_already_sent_back_only_gains_the_reason() -> None:
    once = rules.reopen(EVERYTHING, Kind.REQUIREMENTS, "RTO", cap=3).ledger
    twice = rules.reopen(once, Kind.PRODUCT_SELECTION, "cheaper", cap=3)
    assert twice.affected == (Kind.PRODUCT_SELECTION,)
    entry = twice.ledger.deliverables[Kind.PRODUCT_SELECTION]
    assert (entry.revisions, entry.feedback) == (0, ("cheaper",))


def test_a_revision_takes_up_change_requests_of_its_phase_and_later_ones() -> None:
    ledger = rules.set_phase(
        EVERYTHING,
        Phase.SOLUTION_ARCHITECTURE,
        status=PhaseStatus.OPEN,
        change_request="RTO is 15 minutes",
    )
    result = rules.reopen(ledger, Kind.REQUIREMENTS, "RTO is 15 minutes", cap=3)
    assert result.ledger.phases[Phase.SOLUTION_ARCHITECTURE].change_request is None
    later = rules.set_phase(
        EVERYTHING,
        Phase.REQUIREMENTS_DISCOVERY,
        status=PhaseStatus.OPEN,
        change_request="name the users",
    )
    kept = rules.reopen(later, Kind.PRODUCT_SELECTION, "x", cap=3).ledger
    assert kept.phases[Phase.REQUIREMENTS_DISCOVERY].change_request == "name the users"


def test_the_shown_digest_changes_with_each_content_of_the_phase_only() -> None:
    before = rules.phase_digest(EVERYTHING, Phase.SOLUTION_ARCHITECTURE)
    for kind in Kind:
        changed = rules.set_deliverable(EVERYTHING, kind, digest="other")
        after = rules.phase_digest(changed, Phase.SOLUTION_ARCHITECTURE)
        assert (after != before) is (SPECS[kind].phase is Phase.SOLUTION_ARCHITECTURE)


def test_the_content_digest_sees_content_paths_and_texts() -> None:
    base = rules.content_digest("a", (("p", "x"), ("q", "y")))
    assert base == rules.content_digest("a", (("q", "y"), ("p", "x")))
    others = {
        rules.content_digest("b", (("p", "x"), ("q", "y"))),
        rules.content_digest("a", (("p", "y"), ("q", "x"))),
        rules.content_digest("a", (("p", "x"),)),
    }
    assert base not in others
    assert len(others) == 3
