"""A few seeds in every test run; ``make simulate`` runs many more (see simulate.py)."""

from __future__ import annotations

import pytest

from tests.simulation.simulate import simulate


@pytest.mark.parametrize("seed", range(20))
def test_seed(seed: int) -> None:
    assert simulate(seed).violations == []


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_seed_gives_the_same_history_again(seed: int) -> None:
    first, second = simulate(seed), simulate(seed)
    assert first.shape is second.shape
    assert (first.steps, first.faults) == (second.steps, second.faults)
