"""Points: whole numbers for each label that add up to a probability.

A sum of points is a logit in thousandths: a thousand points multiply the odds of a label by e. Points are whole
numbers, so that every engine, in any order, adds up the same sums and finds the same label.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

POINTS_PER_LOGIT = 1000

Points = NDArray[np.int64]
"""A point for each label in the last axis."""


def points_of(logits: NDArray[np.float64]) -> Points:
    """The points nearest to logits."""
    return np.rint(logits * POINTS_PER_LOGIT).astype(np.int64)


def probabilities_of(points: Points) -> NDArray[np.float64]:
    """The probability of each label: its share of the odds.

    >>> probabilities_of(np.array([[0, 0], [1000, 0]])).round(3).tolist()
    [[0.5, 0.5], [0.731, 0.269]]
    """
    odds = np.exp((points - points.max(axis=-1, keepdims=True)) / POINTS_PER_LOGIT)
    shares: NDArray[np.float64] = odds / odds.sum(axis=-1, keepdims=True)
    return shares


def leading_label_index(points: Points) -> NDArray[np.intp]:
    """The place of the label with most points; the first of several."""
    places: NDArray[np.intp] = points.argmax(axis=-1)
    return places


def expand_to_all_labels(totals: Points, labels: int) -> Points:
    """Points of columns as points of labels: of two labels, the first has none."""
    return np.stack([np.zeros_like(totals[..., 0]), totals[..., 0]], axis=-1) if labels == 2 else totals
