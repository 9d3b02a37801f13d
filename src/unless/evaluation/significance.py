"""Test two shares exactly, and adjust p-values for many tests.

No large-sample approximations are used, because rules often decide few records.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, sqrt

import numpy as np

__all__ = ["ALPHA", "adjust_p_values", "share_p_value"]

ALPHA = 0.05
"""The probability of a false alarm, if nothing has changed."""

_TERMS = 4096  # the maximum number of terms of a sum computed at a time
_ENOUGH = 1e-17  # a term below this part of the sum changes nothing


def share_p_value(count: float, total: float, other_count: float, other_total: float) -> float:
    """Return the p-value of the difference of two shares, by Fisher's exact test.

    The p-value is twice the smaller tail, at most 1. So it is below 5 % in at most 5 % of the cases without a
    difference, however small the counts are. Counts are rounded to whole records.

    >>> round(share_p_value(1, 10, 9, 10), 4), share_p_value(5, 10, 5, 10), share_p_value(0, 0, 5, 10)
    (0.0011, 1.0, 1.0)
    """
    one, other = round(total), round(other_total)
    first, second = min(round(count), one), min(round(other_count), other)
    if first * other < second * one:  # seen from the sample with the larger share, it is the upper tail
        first, one, second, other = second, other, first, one
    return min(1.0, 2 * _upper_tail(first, one, first + second, one + other))


def _upper_tail(count: int, total: int, marked: int, everything: int) -> float:
    """Return the probability that at least ``count`` of ``total`` drawn records are among the ``marked`` ones."""
    most, terms_at_once = min(marked, total), _term_count(total, marked, everything)
    term = whole = exp(_log_probability(count, total, marked, everything))
    first = count
    while first < most and term > _ENOUGH * whole:
        x = np.arange(first, min(first + terms_at_once, most), dtype=np.float64)
        steps = (marked - x) * (total - x) / ((x + 1) * (everything - marked - total + x + 1))
        terms = term * np.cumprod(steps)
        whole, term, first = whole + float(terms.sum()), float(terms[-1]), first + len(x)
    return whole


def _term_count(total: int, marked: int, everything: int) -> int:
    """Return how many terms matter: the terms within nine standard deviations, which are few for small samples."""
    share, other = (marked / everything, total / everything) if everything else (0.0, 0.0)
    return min(_TERMS, 32 + int(9 * sqrt(everything * share * (1 - share) * other * (1 - other))))


def _log_probability(count: int, total: int, marked: int, everything: int) -> float:
    """Return the logarithm of the probability that exactly ``count`` drawn records are marked."""
    rest = everything - marked
    return _log_binomial(marked, count) + _log_binomial(rest, total - count) - _log_binomial(everything, total)


def _log_binomial(total: int, count: int) -> float:
    return lgamma(total + 1) - lgamma(count + 1) - lgamma(total - count + 1)


def adjust_p_values(chances: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of tests by Holm's method.

    If nothing differs, the smallest adjusted p-value is below 5 % in at most 5 % of all cases, even for dependent
    tests.

    >>> adjust_p_values([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, largest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        found[place] = largest
    return found
