"""How a program does on records: what each rule decides, how often it is right, and the probabilities that follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.learn.fold import Learned
from unless.model import Statistics
from unless.prediction import deciding_rules
from unless.rule import Program
from unless.table import Table

__all__ = ["measure", "measured"]


def measure(program: Program, table: Table, weights: NDArray[np.floating[Any]] | None = None) -> Statistics:
    """The statistics of a program on labelled records."""
    classes = table.labels.labels
    rules = deciding_rules(program, table) % (len(program.rules) + 1)  # -1, none, becomes the last
    size = (len(program.rules) + 1) * len(classes)
    places = rules.astype(np.int64) * len(classes) + table.labels.codes
    counts = np.bincount(places, weights, size).astype(np.float64).reshape(-1, len(classes))
    return Statistics(classes, program.heads, counts, _are_weighted(weights))


def measured(learned: Learned, table: Table, weights: NDArray[np.floating[Any]] | None = None) -> Statistics:
    """The same of a program that was just learned from these records, which knows what its rules decided."""
    if learned.interrupted is not None or not learned.left:
        return measure(learned.program, table, weights)
    left = np.array(learned.left, dtype=np.float64)
    counts = np.concatenate([left[:-1] - left[1:], left[-1:]])
    return Statistics(table.labels.labels, learned.program.heads, counts, _are_weighted(weights))


def _are_weighted(weights: NDArray[np.floating[Any]] | None) -> bool:
    return weights is not None and bool((weights != 1).any())
