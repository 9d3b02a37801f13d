"""What each rule of a program decides on labelled records, and how often it is right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.learn.fold import Learned
from unless.model import Statistics
from unless.prediction import deciding_rules
from unless.rule import Program
from unless.table import Table


def measure(program: Program, table: Table, weights: NDArray[np.floating[Any]] | None = None) -> Statistics:
    """Count what a program decides on labelled records."""
    classes = table.labels.labels
    rules = deciding_rules(program, table) % (len(program.rules) + 1)  # -1, no rule, becomes the last
    size = (len(program.rules) + 1) * len(classes)
    places = rules.astype(np.int64) * len(classes) + table.labels.codes
    counts = np.bincount(places, weights, size).astype(np.float64).reshape(-1, len(classes))
    return Statistics(classes, program.heads, counts, _are_weighted(weights))


def measured(learned: Learned, table: Table, weights: NDArray[np.floating[Any]] | None = None) -> Statistics:
    """Count what a program decides on the records it was just learned from; most learners have counted it already."""
    if learned.interrupted is not None or not learned.left:
        return measure(learned.program, table, weights)
    left = np.array(learned.left, dtype=np.float64)
    counts = np.concatenate([left[:-1] - left[1:], left[-1:]])
    return Statistics(table.labels.labels, learned.program.heads, counts, _are_weighted(weights))


def _are_weighted(weights: NDArray[np.floating[Any]] | None) -> bool:
    return weights is not None and bool((weights != 1).any())
