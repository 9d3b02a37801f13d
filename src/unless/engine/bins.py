"""Bins: every cell of a table as one byte, for histograms.

A column of few values has a bin for each. A column of many has at most 256 quantile bins, a frequent value one of its
own, and keeps its exact ranks besides. See `unless.kernels` for the layout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.table import Column, Table

__all__ = ["Bins"]

_BINS = 256


class Bins:
    """The bins of a table: ``grid`` holds the bin of every cell, row by row; ``first`` the first bin of every column."""

    def __init__(self, table: Table) -> None:
        self.rows, columns = len(table), len(table.columns)
        self._bins = np.empty((columns, self.rows), np.uint8)
        self._fine = np.empty((sum(map(_is_wide, table.columns)), self.rows), np.int32)
        self.first, self._split, self._end = (np.zeros(columns, np.int32) for _ in range(3))
        self._wide = np.full(columns, -1, np.int32)
        self._numbers = np.array([len(column.numbers) for column in table.columns], np.int32)
        low: list[NDArray[np.int32]] = []
        width: list[NDArray[np.int32]] = []
        at = wide = 0
        for i, column in enumerate(table.columns):
            starts, numeric = _starts(column)
            ends = np.append(starts[1:], column.missing + 1)
            padding = _whole_groups(numeric) - numeric
            size = len(starts) + padding
            slots = np.arange(len(starts)) + padding * (np.arange(len(starts)) >= numeric)
            low.append(_spread(starts, slots, _whole_groups(size)))
            width.append(_spread(ends - starts, slots, _whole_groups(size)))
            self.first[i], self._split[i], self._end[i] = at, at + numeric + padding, at + size
            at += _whole_groups(size)
            bin_of = np.repeat(slots.astype(np.uint8), ends - starts)
            np.take(bin_of, column.codes, out=self._bins[i], mode="clip")  # clip: ranks are in range, unchecked is faster
            if _is_wide(column):
                self._fine[wide] = column.codes
                self._wide[i] = wide
                wide += 1
        self.size = at
        self._low, self._width = (np.concatenate([*parts, np.zeros(0, np.int32)]) for parts in (low, width))
        self.grid = np.empty(columns * self.rows, np.uint8)
        kernels.transpose(self._bins.reshape(-1), self.grid, columns, self.rows)
        self.nothing = np.zeros(0, np.int32)

    def search(self) -> kernels.Search:
        """A search over these bins, with its scratch space."""
        groups = self.size // kernels.GROUP + 1
        keys = max(self.rows, _BINS)
        levels = 5 * _BINS
        n = np.arange(self.rows + 1, dtype=np.float64)
        nlogn = n * np.log(np.maximum(n, 1.0))
        scratch = (
            np.empty(groups, np.int32),
            np.empty(groups, np.int32),
            np.empty(groups, np.float64),
            np.empty(keys, np.int64),
            np.empty(keys, np.int64),
            np.empty(levels + _BINS, np.intp),
            np.empty(levels, np.int32),
            np.empty(levels, np.int32),
        )
        layout = self.first, self._split, self._end, self._wide, self._numbers, self._low, self._width
        return kernels.Search(self._bins.reshape(-1), self._fine.reshape(-1), self.rows, *layout, nlogn, scratch)


def _whole_groups(bins: int) -> int:
    """The number of bins, rounded up to whole groups."""
    return -(-bins // kernels.GROUP) * kernels.GROUP


def _is_wide(column: Column) -> bool:
    """Whether a column has more ranks than bins, the padding of its numbers and a missing cell counted."""
    return _whole_groups(len(column.numbers)) + len(column.categories) + 1 > _BINS


def _starts(column: Column) -> tuple[NDArray[np.int64], int]:
    """The first rank of every bin, and how many bins are numeric."""
    numbers, ranks = len(column.numbers), column.missing + 1
    if not _is_wide(column):
        return np.arange(ranks), numbers
    counts = np.bincount(column.codes, minlength=ranks)
    share = round(_BINS * numbers / ranks)
    most = min(max(share, kernels.GROUP * (numbers > 0)), _BINS - kernels.GROUP) // kernels.GROUP * kernels.GROUP
    numeric = _quantiles(counts[:numbers], most)
    others = _quantiles(counts[numbers:], _BINS - _whole_groups(len(numeric))) + numbers
    return np.concatenate([numeric, others]), len(numeric)


def _quantiles(counts: NDArray[np.int64], bins: int) -> NDArray[np.int64]:
    """The first ranks of at most so many bins of about equally many rows."""
    if len(counts) <= bins:
        return np.arange(len(counts))
    before = np.cumsum(counts) - counts
    quantile = before * bins // max(int(counts.sum()), 1)
    return np.flatnonzero(np.diff(quantile, prepend=-1))


def _spread(values: NDArray[np.int64], slots: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """Values at their slots, zero elsewhere."""
    out = np.zeros(size, np.int32)
    out[slots] = values
    return out
