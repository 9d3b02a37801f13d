"""Cut columns into bins that all blocks share, so that the counts of blocks can be added up.

A column of few values has a bin for each value. Other columns have at most 256 bins, cut between values. Any cuts give
the same program; good cuts give it sooner. A block also stores the exact values of its own rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.learn.literals import MANY
from unless.table import MAX_DOMAIN_VALUES, Column

Values = NDArray[np.float64] | Sequence[str]
"""Numbers or texts, in order."""

Cuts = Values
"""Values at which parts end; one more part follows the last."""

Spans = tuple[tuple[int, ...], tuple[int, ...]]
"""The positions where some spans of finer parts begin, and where they end."""

_BYTES = 256
_BINS = 256
_NUMERIC = 240
"""The most numeric bins: they come in groups of 16, and with one bin for missing cells there are at most 256."""
SLICES = 64
"""The number of slices of a finer part that contains many numbers."""
_FINER = 64
"""The most finer parts of a bin of numbers: the part within the bin is a byte."""


@dataclass(frozen=True, eq=False)
class ColumnBins:
    """The values of one column, without rows, and the cuts between its bins.

    An ``open`` column has too many values to list them all, and ``column`` contains only some. ``cuts`` are those of
    the numbers and of the texts; without them, each value has a bin. ``finer`` cuts divide the numbers of an open
    column without texts into more parts than there are bins. Such a column is ``bare``: blocks store its numbers, not
    ranks.
    """

    column: Column
    value_counts: NDArray[np.int64]
    """The number of times each value occurs and, last, the number of missing cells."""
    open: bool = False
    cuts: tuple[NDArray[np.float64], tuple[str, ...]] | None = None
    finer: NDArray[np.float64] | None = None

    @property
    def bare(self) -> bool:
        """Whether all cells are numbers or missing, with too many numbers to list."""
        return self.finer is not None

    @property
    def shape(self) -> tuple[int, int] | None:
        """The number of numeric and categorical bins, including missing; None if every value has its own bin."""
        if self.cuts is None:
            return None
        numbers, texts = self.cuts
        return (len(numbers) + 1 if len(self.column.numbers) else 0), len(texts) + (2 if self.column.categories else 1)

    @property
    def distinct(self) -> int:
        """The number of distinct values, up to `MANY`; missing counts as one value."""
        return MANY if self.open else min(self.column.missing + bool(self.value_counts[-1]), MANY)

    def domain(self) -> Column:
        """Return the column with its smallest and largest finite number and its most frequent categories."""
        count = len(self.column.numbers)
        numbers = self.column.numbers[np.isfinite(self.column.numbers)]
        often = np.argsort(-self.value_counts[count:-1], kind="stable")[:MAX_DOMAIN_VALUES]
        categories = tuple(self.column.categories[place] for place in np.sort(often))
        return replace(
            self.column, numbers=np.unique(numbers[[0, -1]]) if len(numbers) else numbers, categories=categories
        )

    def bin_of(self, column: Column) -> NDArray[np.uint8]:
        """Find the bin of every rank of a column that contains some of the values; only for cut bins."""
        if self.cuts is None or self.shape is None:
            raise ValueError("every value has a bin of its own")
        numeric, categorical = self.shape
        first = -(-numeric // 16) * 16
        numbers = find_parts(column.numbers, self.cuts[0])
        texts = find_parts(column.categories, self.cuts[1]) + first
        return np.concatenate([numbers, texts, [first + categorical - 1]]).astype(np.uint8)

    @property
    def _bare_cuts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the cuts between the bins and between the finer parts of a bare column."""
        if self.cuts is None or self.finer is None:
            raise ValueError("there are no finer parts")
        return self.cuts[0], self.finer

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """The first finer part of each bin that a byte can hold; missing cells have one more part."""
        cuts, finer = self._bare_cuts
        found = np.full(_BYTES, len(finer) + 1, np.int32)
        found[: len(cuts) + 1] = [0, *(np.searchsorted(finer, cuts) + 1)]
        return found

    def parts_within_bins(self, column: Column) -> NDArray[np.uint8]:
        """Find the finer part, counted within its bin, of every rank of a column of numbers."""
        _, finer = self._bare_cuts
        parts = np.append(find_parts(column.numbers, finer), len(finer) + 1)
        found: NDArray[np.uint8] = (parts - self.starts[self.bin_of(column)]).astype(np.uint8)
        return found

    def parts_in(self, low: float | None, high: float | None) -> tuple[int, int]:
        """Find the finer parts that may contain numbers above ``low`` and up to ``high``; None means no limit."""
        _, finer = self._bare_cuts
        first = 0 if low is None else int(np.searchsorted(finer, low, "right"))
        return first, len(finer) + 1 if high is None else int(np.searchsorted(finer, high)) + 1

    def spans_in(self, lows: Sequence[float | None], highs: Sequence[float | None]) -> Spans:
        """Find the finer parts between several pairs of numbers (`parts_in`)."""
        _, finer = self._bare_cuts
        low, high = np.array(lows, np.float64), np.array(highs, np.float64)  # None becomes NaN, which sorts last
        first = np.where(np.isnan(low), 0, np.searchsorted(finer, low, "right"))
        return tuple(first.tolist()), tuple((np.searchsorted(finer, high) + 1).tolist())

    def part_of(self, number: float) -> tuple[int, int]:
        """Find the bin of a number, and its part within the bin."""
        cuts, finer = self._bare_cuts
        bin_ = int(np.searchsorted(cuts, number))
        return bin_, int(np.searchsorted(finer, number)) - int(self.starts[bin_])


@lru_cache(64)
def parts_in_spans(bins: ColumnBins, spans: Spans) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Flag the bins of a column that have finer parts in some spans, and flag these parts."""
    starts = bins.starts
    parts = np.zeros(int(starts[-1]) + len(starts), np.uint8)
    for first, end in zip(*spans, strict=True):
        parts[first:end] = 1
    ends = np.append(starts[1:], starts[-1] + 1).clip(starts)
    some = np.append(0, np.cumsum(parts))
    return (some[ends] > some[starts]).astype(np.uint8), parts


def slice_ends(lows: Sequence[float], highs: Sequence[float]) -> NDArray[np.float64]:
    """Compute the ends of equal slices of some parts of numbers, part by part."""
    low, high = np.array(lows)[:, None], np.array(highs)[:, None]
    ends = low + (high - low) * (np.arange(1, SLICES + 1) / SLICES)
    ends[:, -1] = high[:, 0]  # regardless of rounding
    found: NDArray[np.float64] = np.minimum(ends, high)
    return found


def find_positions(values: Values, limits: Sequence[Any] | NDArray[np.float64]) -> NDArray[np.intp]:
    """Find the position after each limit in sorted values."""
    if isinstance(values, np.ndarray):
        return np.searchsorted(values, np.asarray(limits, np.float64), "right")
    return np.array([bisect_right(values, limit) for limit in limits], np.intp)


def find_parts(values: Values, cuts: Cuts) -> NDArray[np.intp]:
    """Find the part that contains each value."""
    edges = np.concatenate([[0], find_positions(values, cuts), [len(values)]])
    return np.repeat(np.arange(len(cuts) + 1), np.diff(edges))


def make_column_bins(column: Column, weights: NDArray[np.int64], *, open: bool) -> ColumnBins:  # noqa: A002 - the word for it
    """Make the bins of a column from all or some of its values and the number of times each occurs, missing last."""
    numbers, categories = len(column.numbers), len(column.categories)
    if not open and -(-numbers // 16) * 16 + categories + 1 <= _BINS:
        return ColumnBins(column, weights)
    numeric = _NUMERIC if not categories else -(-_NUMERIC * numbers // (numbers + categories) // 16) * 16
    numeric = min(numeric, _NUMERIC - 16 if categories else _NUMERIC) if numbers else 0
    textual = _BINS - numeric - 1
    ends = _cut_evenly(weights[:numbers], max(numeric, 1))
    stops = _cut_evenly(weights[numbers : numbers + categories], textual)
    cuts = column.numbers[ends], tuple(column.categories[k] for k in stops)
    finer = column.numbers[_cut_finer(weights[:numbers], ends)] if open and not categories else None
    return ColumnBins(column, weights, open, cuts, finer)


def _cut_evenly(weights: NDArray[np.int64], parts: int) -> NDArray[np.intp]:
    """Choose positions after which to cut, so that parts have about the same weight."""
    if len(weights) <= parts:
        return np.arange(len(weights) - 1) if len(weights) else np.empty(0, np.intp)
    up_to = np.cumsum(np.maximum(weights, 1))
    parts_in_spans = up_to[-1] * (np.arange(1, parts) / parts)
    return np.unique(np.searchsorted(up_to, parts_in_spans).clip(0, len(weights) - 2))


def _cut_finer(weights: NDArray[np.int64], ends: NDArray[np.intp]) -> NDArray[np.intp]:
    """Choose positions after which finer parts are cut: the ends of bins, and some within each bin."""
    edges = [0, *(ends + 1).tolist(), len(weights)]
    inner = [first + _cut_evenly(weights[first:end], _FINER) for first, end in pairwise(edges)]
    return np.sort(np.concatenate([ends, *inner])).astype(np.intp)
