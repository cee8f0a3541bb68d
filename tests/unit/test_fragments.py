"""What is written in parts reads back as the whole, whatever was kept from before."""

from __future__ import annotations

from engine import lifecycle, turns
from engine.deliverables import Kind
from engine.execution import Change, Execution
from engine.ledger import ready, unmet
from engine.stores.fragments import Fragment, fragment
from tests.support.histories import History


class Watched(History):
    """Writes every state on top of the one before, and reads it back."""

    kept: Fragment | None = None
    states = 0

    def take(self, change: Change) -> Execution:
        execution = super().take(change)
        self.kept = fragment(execution, self.kept)
        assert Execution.model_validate_json(self.kept.text) == execution
        assert self.kept.text == fragment(execution, None).text
        for kind in Kind:
            pending = execution.ledger.deliverables[kind].state == "pending"
            assert (kind in ready(execution.ledger)) == (
                pending and not unmet(execution.ledger, kind)
            )
        self.states += 1
        return execution


def test_a_whole_history_reads_back_after_every_command() -> None:
    history = Watched()
    history.phase_1()
    history.turn(turns.Delegate(kinds=(Kind.PRODUCT_SELECTION,)))
    history.ask(Kind.PRODUCT_SELECTION, 'a "quoted" question\n', permission=True)
    history.turn(turns.AskUser(questions=()))
    history.take(lifecycle.redrive(Watched().execution, history.tick()))
    history = Watched()
    history.whole()
    assert history.states > 40


def test_an_unchanged_part_is_not_written_again() -> None:
    history = Watched()
    history.phase_1()
    before = history.kept
    history.turn(turns.Delegate(kinds=(Kind.PRODUCT_SELECTION,)))
    assert before is not None
    assert history.kept is not None
    assert before.parts is not None
    assert history.kept.parts is not None
    assert history.kept.parts["title"] is before.parts["title"]
    old, new = before.parts["work"].parts, history.kept.parts["work"].parts
    assert old is not None
    assert new is not None
    assert new[Kind.REQUIREMENTS] is old[Kind.REQUIREMENTS]
    assert new[Kind.PRODUCT_SELECTION] is not old[Kind.PRODUCT_SELECTION]
