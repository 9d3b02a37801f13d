"""Points: whole numbers for each label that add up to a probability.

A sum of points is a logit in thousandths: a thousand points multiply the odds of a label by e. Because points are whole
numbers, every engine computes the same sums in any order of addition, and finds the same label.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

POINTS_PER_LOGIT = 1000

Points = NDArray[np.int64]
"""An array of points, whose last axis has an entry for each label."""


def points_of(logits: NDArray[np.float64]) -> Points:
    """Round logits to the nearest points."""
    return np.rint(logits * POINTS_PER_LOGIT).astype(np.int64)


def probabilities_of(points: Points) -> NDArray[np.float64]:
    """Compute the probability of each label from points: its share of the odds.

    >>> probabilities_of(np.array([[0, 0], [1000, 0]])).round(3).tolist()
    [[0.5, 0.5], [0.731, 0.269]]
    """
    odds = np.exp((points - points.max(axis=-1, keepdims=True)) / POINTS_PER_LOGIT)
    shares: NDArray[np.float64] = odds / odds.sum(axis=-1, keepdims=True)
    return shares


def leading_label_index(points: Points) -> NDArray[np.intp]:
    """Return the index of the label with the most points; the first of several."""
    places: NDArray[np.intp] = points.argmax(axis=-1)
    return places


def expand_to_all_labels(totals: Points, labels: int) -> Points:
    """Convert points of columns to points of labels: with two labels, the first one has 0 points."""
    return np.stack([np.zeros_like(totals[..., 0]), totals[..., 0]], axis=-1) if labels == 2 else totals
