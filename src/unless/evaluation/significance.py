"""Could it be chance? An exact test of two shares, and what many tests together allow.

Nothing here is an approximation for large samples: rules often decide a handful of records.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, sqrt

import numpy as np

__all__ = ["holm", "same_share"]

_TERMS = 4096  # of a sum at a time, at most
_ENOUGH = 1e-17  # a term below this part of the sum changes nothing


def same_share(count: float, total: float, other_count: float, other_total: float) -> float:
    """How probable two shares so different are, or more so, if both are samples of the same: Fisher's exact test.

    It is twice the smaller tail, at most 1. So a limit of 5 % is passed in at most 5 % of the cases where nothing
    differs, however small the counts are. Counts are rounded to whole records.

    >>> round(same_share(1, 10, 9, 10), 4), same_share(5, 10, 5, 10), same_share(0, 0, 5, 10)
    (0.0011, 1.0, 1.0)
    """
    one, other = round(total), round(other_total)
    first, second = min(round(count), one), min(round(other_count), other)
    if first * other < second * one:  # seen from the sample with the larger share, it is the upper tail
        first, one, second, other = second, other, first, one
    return min(1.0, 2 * _upper_tail(first, one, first + second, one + other))


def _upper_tail(count: int, total: int, marked: int, everything: int) -> float:
    """The probability that at least ``count`` of ``total`` drawn records are among the ``marked`` ones."""
    most, terms_at_once = min(marked, total), _terms(total, marked, everything)
    term = whole = exp(_logarithm(count, total, marked, everything))
    first = count
    while first < most and term > _ENOUGH * whole:
        x = np.arange(first, min(first + terms_at_once, most), dtype=np.float64)
        steps = (marked - x) * (total - x) / ((x + 1) * (everything - marked - total + x + 1))
        terms = term * np.cumprod(steps)
        whole, term, first = whole + float(terms.sum()), float(terms[-1]), first + len(x)
    return whole


def _terms(total: int, marked: int, everything: int) -> int:
    """How many terms matter: those within nine standard deviations. Few make small samples quick: pages ask often."""
    share, other = (marked / everything, total / everything) if everything else (0.0, 0.0)
    return min(_TERMS, 32 + int(9 * sqrt(everything * share * (1 - share) * other * (1 - other))))


def _logarithm(count: int, total: int, marked: int, everything: int) -> float:
    """The logarithm of the probability that exactly ``count`` are among the marked ones."""
    rest = everything - marked
    return _ways(marked, count) + _ways(rest, total - count) - _ways(everything, total)


def _ways(total: int, count: int) -> float:
    return lgamma(total + 1) - lgamma(count + 1) - lgamma(total - count + 1)


def holm(chances: Sequence[float]) -> list[float]:
    """Probabilities adjusted for how many there are, by Holm's method, in the same order.

    If nothing differs, the smallest of them is below 5 % in at most 5 % of all cases, whatever depends on what.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, largest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        found[place] = largest
    return found
