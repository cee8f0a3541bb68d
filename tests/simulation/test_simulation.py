"""A few seeds in every test run; ``make simulate`` runs many more (see simulate.py)."""

from __future__ import annotations

import pytest

from tests.simulation.simulate import simulate


@pytest.mark.parametrize("seed", range(20))
def test_seed(seed: int) -> None:
    assert simulate(seed).violations == []


def test_a_seed_gives_the_same_history_again() -> None:
    first, second = simulate(3), simulate(3)
    assert (first.steps, first.faults) == (second.steps, second.faults)
