"""Convert weights of records to counts: whole weights are repetitions; otherwise, only proportions matter."""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError

Weights = NDArray[np.float64]

_MOST_UNITS = 2**30
"""The maximum sum of weights in units, which fits into 32 bits."""

_EXACT = 2.0**53
"""Up to this number, float64 represents every count exactly."""

_HALF = 0.500001
"""The limit for rounding up, slightly below one half, so that 0.5 is rounded in the same way at any scale."""

_NOTHING = 2.0**-11
"""A record that weighs less than this share of the mean counts as absent."""

_FEW, _LARGEST = 64, 12
"""The limits for simple proportions: the number of distinct weights, and the units of the lightest weight."""


def check_weights(weights: object, rows: int) -> Weights:
    """Return the weights of this many rows as an array; reject negative, infinite or all-zero weights."""
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights must be numbers, not {weights!r:.60}") from None
    if found.shape != (rows,):
        raise ParameterError(f"{rows} rows need {rows} weights, not an array of shape {found.shape}")
    if not ((found >= 0).all() and np.isfinite(found).all()):
        raise ParameterError("weights must be finite numbers of at least 0")
    if not found.any():
        raise ParameterError("weights: every row weighs 0; there is nothing to learn from")
    return found


def weights_to_counts(weights: Weights, times: Weights | None = None) -> Weights:
    """Convert weights to numbers of records; ``times`` contains how many records have each weight, by default one.

    Whole weights are repetitions: 2 counts a record twice, 0 leaves it out. If some are not whole, only the proportions
    matter: weights above 0 are scaled to a mean of 1, and rounded to multiples of a unit, so that no sum depends on the
    order of rows. A weight below a two-thousandth of the mean becomes 0: FOLD-RM learns rules down to the last record,
    however little it weighs.

    >>> weights_to_counts(np.array([2.0, 0.0, 1.0])).tolist(), weights_to_counts(np.array([1e-9, 3e-9, 0.0])).tolist()
    ([2.0, 0.0, 1.0], [0.5, 1.5, 0.0])
    """
    if _are_whole(weights, times):
        return weights
    shares = weights / weights.max()  # the sum of 1e300 and 1e300 may be infinite
    return _scale_to_multiples(shares * (_sum(weights > 0, times) / _sum(shares, times)), times)


def multiply_counts(counts: Weights, factors: Weights, times: Weights | None = None) -> Weights:
    """Multiply numbers of records by factors; if some factors are not whole, the sum stays what it was."""
    product = counts * factors
    if not product.any():
        raise ParameterError("every row weighs 0; there is nothing to learn from")
    if _are_whole(factors, times) and _sum(product, times) < _EXACT:
        return product
    shares = counts * (factors / factors.max())
    return _scale_to_multiples(shares * (_sum(counts * (factors > 0), times) / _sum(shares, times)), times)


def counts_to_units(counts: Weights, times: Weights | None = None) -> tuple[NDArray[np.int32], float]:
    """Convert counts to whole multiples of a unit that add up to at most about 2**30; return them and the unit."""
    total = _sum(counts, times)
    if total < _MOST_UNITS and _are_whole(counts, times):
        return counts.astype(np.int32), 1.0
    whole = _find_simple_proportions(counts, times)
    if whole is not None:
        unit = np.float32(total / _sum(whole, times))  # 24 bits: its multiples, and their sums, are exact
        return whole.astype(np.int32), float(unit)
    power = 2.0 ** ceil(log2(total / _MOST_UNITS) - 1e-3)  # a little less: its own multiples give it again
    return np.floor(counts / power + _HALF).astype(np.int32), power


def _scale_to_multiples(counts: Weights, times: Weights | None) -> Weights:
    mean = _sum(counts, times) / _sum(counts > 0, times)
    units, unit = counts_to_units(np.where(counts < _NOTHING * mean, 0.0, counts), times)
    return units.astype(np.float64) * unit


def _are_whole(weights: Weights, times: Weights | None) -> bool:
    # The largest first: a sum of large weights may be infinite.
    whole = weights.max() < _EXACT and bool((weights == np.floor(weights)).all())
    return whole and _sum(weights, times) < _EXACT


def _sum(amounts: NDArray[Any], times: Weights | None) -> float:
    return float(amounts.sum() if times is None else (amounts * times).sum())


def _find_simple_proportions(weights: Weights, times: Weights | None) -> Weights | None:
    """Return small whole numbers in the same proportions, if they exist; they make ties between rules exact."""
    distinct = np.unique(weights)
    distinct = distinct[distinct > 0]
    if len(distinct) > _FEW:
        return None
    for lightest in range(1, _LARGEST + 1):
        found = distinct * (lightest / distinct[0])
        if (np.abs(found - np.rint(found)) < 1e-9 * found).all():
            whole = np.rint(weights * (lightest / distinct[0]))
            return whole if _sum(whole, times) < _MOST_UNITS else None
    return None
