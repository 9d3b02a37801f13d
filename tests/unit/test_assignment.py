"""Pairs of rows and columns that are worth most together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from unless.assignment import assigned

sides = st.integers(0, 7)


@given(st.integers(0, 2**32 - 1), sides, sides, st.sampled_from([2, 5, 1000]))
def test_as_much_as_scipy_finds(seed, rows, columns, values):
    """Each row and column at most once, as many pairs as there can be, and no other pairs are worth more."""
    worth = np.random.default_rng(seed).integers(-values, values, (rows, columns)) / 4
    found = assigned(worth)
    assert len(found) == min(rows, columns)
    assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)
    assert sum(worth[pair] for pair in found) == worth[linear_sum_assignment(worth, maximize=True)].sum()
