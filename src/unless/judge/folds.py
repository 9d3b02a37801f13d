"""Which records to test on: both ways keep the share of every label, and depend on the seed only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.table import Labels

__all__ = ["fold_of", "held_back"]


def held_back(labels: Labels, share: float, seed: int = 0) -> NDArray[np.bool_]:
    """Which rows to hold back for a test: about that share of every label, never the last record of one."""
    if not 0 <= share < 1:
        raise ParameterError(f"the share of records to hold back is at least 0 and less than 1, not {share!r}")
    order = _by_label(labels, seed)
    sizes = np.bincount(labels.codes, minlength=len(labels.labels))
    ends = np.cumsum(sizes)
    upto = np.floor(share * ends + 0.5).astype(np.int64)  # rounded sums: small labels are held back in turn
    wanted = np.minimum(np.diff(upto, prepend=0), np.maximum(sizes - 1, 0))
    place = np.arange(len(order)) - np.repeat(ends - sizes, sizes)
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order] = place < np.repeat(wanted, sizes)
    return chosen


def fold_of(labels: Labels, count: int, seed: int = 0) -> NDArray[np.intp]:
    """The fold of every row, from 0 to ``count - 1``: each has its share of every label."""
    if not 2 <= count <= len(labels.codes):
        raise ParameterError(f"there are 2 to {len(labels.codes)} folds of {len(labels.codes)} records, not {count}")
    folds = np.empty(len(labels.codes), dtype=np.intp)
    folds[_by_label(labels, seed)] = np.arange(len(labels.codes)) % count
    return folds


def _by_label(labels: Labels, seed: int) -> NDArray[np.intp]:
    """The rows label by label, shuffled within each."""
    order = np.random.default_rng(seed).permutation(len(labels.codes))
    return order[np.argsort(labels.codes[order], kind="stable")]
