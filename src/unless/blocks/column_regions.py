"""Count the weights of the values that rows have in intervals of columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.column_bins import find_positions
from unless.kernels import RowSelection

if TYPE_CHECKING:
    from unless.blocks.block import Block


Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """The numbers or the texts of a column above ``low`` and up to ``high``; None means no limit."""

    column: int
    texts: bool
    low: Any = None
    high: Any = None

    @property
    def begin(self) -> tuple[Any, ...]:
        """Return the key by which intervals are sorted."""
        return self.column, self.texts, self.low is not None, self.low

    def span(self, values: Sequence[Any]) -> tuple[int, int]:
        """Find where the part begins and ends in sorted values."""
        first = 0 if self.low is None else bisect_right(values, self.low)
        return first, len(values) if self.high is None else bisect_right(values, self.high)


Span = tuple[int, int, int]
"""A column, and the positions where a part of its codes begins and ends."""


@dataclass(frozen=True)
class WeightedValues:
    """Sorted values, and the weight of the rows with each value, set by set."""

    values: NDArray[np.float64] | list[str]
    weights: Integers


@dataclass(frozen=True)
class ColumnRegion:
    """Sorted disjoint intervals of the numbers or the texts of a column."""

    column: int
    texts: bool
    lows: Sequence[Any]
    highs: Sequence[Any]

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> list[ColumnRegion]:
        """Group intervals into regions: one for the numbers and one for the texts of each column."""
        found: dict[tuple[int, bool], list[Interval]] = {}
        for one in intervals:
            found.setdefault((one.column, one.texts), []).append(one)
        return [cls(*key, [one.low for one in each], [one.high for one in each]) for key, each in found.items()]

    def intervals(self) -> list[Interval]:
        """List the intervals of the region."""
        return [Interval(self.column, self.texts, *ends) for ends in zip(self.lows, self.highs, strict=True)]

    def edges(self, values: Sequence[Any] | NDArray[Any]) -> NDArray[np.intp]:
        """Find where each part begins and ends in sorted values."""
        first = find_positions(values, self.lows[1:] if self.lows[0] is None else self.lows)
        end = find_positions(values, self.highs[:-1] if self.highs[-1] is None else self.highs)
        first = first if len(first) == len(self.lows) else np.append(0, first)
        end = end if len(end) == len(self.highs) else np.append(end, len(values))
        return np.array([first, end], np.intp)


def count_region(block: Block, sets: Sequence[RowSelection], region: ColumnRegion) -> WeightedValues:
    """Count the values of rows in a region, in one pass over a column from its first part to its last."""
    if block.is_bare(region.column) and region.texts:
        return WeightedValues([], np.zeros((len(sets), 0), np.int64))
    if block.is_bare(region.column):
        return WeightedValues(*block.numbers_in(sets, region.column, region.lows, region.highs))
    column = block.column(region.column)
    values: Any = column.categories if region.texts else column.numbers
    before = len(column.numbers) if region.texts else 0
    first, end = region.edges(values)
    low, high = int(first[0]), max(int(end[-1]), int(first[0]))
    weights = np.array([block.weights_by_rank(rows, region.column, before + low, before + high) for rows in sets])
    inside = np.zeros(high - low + 1, np.int32)
    np.add.at(inside, first - low, 1)
    np.subtract.at(inside, end - low, 1)
    there = np.flatnonzero(weights.any(axis=0) & (np.cumsum(inside[:-1]) > 0))
    found = [values[k] for k in (low + there).tolist()] if region.texts else values[low + there]
    return WeightedValues(found, weights[:, there])


def sum_weighted_values(pieces: Sequence[WeightedValues]) -> WeightedValues:
    """Merge the values of all pieces, and sum their weights."""
    weights = np.concatenate([piece.weights for piece in pieces], axis=1)
    if isinstance(pieces[0].values, list):
        every = [value for piece in pieces for value in piece.values]
        values: Any = sorted(set(every))
        place = {value: k for k, value in enumerate(values)}
        part_indices = np.array([place[value] for value in every], np.intp)
    else:
        values, part_indices = np.unique(np.concatenate([piece.values for piece in pieces]), return_inverse=True)
    total = np.zeros((len(weights), len(values)), np.int64)
    for one, into in zip(weights, total, strict=True):
        np.add.at(into, part_indices, one)
    return WeightedValues(values, total)
