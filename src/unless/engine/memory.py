"""The in-memory engine: index arrays and histograms over the kernels."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.engine.base import Counts, Engine
from unless.engine.bins import Bins
from unless.rule import Literal
from unless.table import Table

__all__ = ["MemoryEngine"]

Index = NDArray[np.int32]
Histogram = NDArray[np.int32]

_MOST_TALLIES = 1 << 22
"""How many counters the histograms per label may have (16 MB); beyond that they are counted afresh for each rule."""


class Selection:
    """Rows by number, with what has been counted of them. ``whole`` and ``rest`` may save counting: whole - rest = these."""

    __slots__ = ("_histogram", "_rest", "_whole", "index", "tallies")

    def __init__(self, index: Index, whole: Histogram | None = None, rest: Index | None = None) -> None:
        self.index = index
        self._histogram: Histogram | None = None
        self._whole = whole
        self._rest = rest
        self.tallies: NDArray[np.int32] | None = None

    def known(self) -> Histogram | None:
        """The histogram, if it has been counted."""
        return self._histogram

    def histogram(self, bins: Bins) -> Histogram:
        """The number of rows in each bin: counted once, from these rows or from the rest, whichever is fewer."""
        if self._histogram is None:
            if self._whole is not None and self._rest is not None and len(self._rest) < len(self.index):
                self._histogram = self._whole.copy()
                kernels.count(bins.grid, bins.first, self._rest, self._histogram, -1)
            else:
                self._histogram = np.zeros(bins.size, np.int32)
                kernels.count(bins.grid, bins.first, self.index, self._histogram, 1)
            self._whole = self._rest = None
        return self._histogram

    def preset(self, histogram: Histogram) -> None:
        """Take a histogram that is already known."""
        self._histogram = histogram
        self._whole = self._rest = None


class MemoryEngine(Engine[Selection]):
    """Answers from a table in memory.

    Histograms outlive the question they were counted for: a subset's is its superset's minus the rest, and swapping
    E+ and E- costs nothing, so that hardly a row is counted twice.
    """

    def __init__(self, table: Table) -> None:
        if table.target is None:
            raise ValueError("the table has no labels")
        self.target = table.target.name
        self.features = table.features
        self.labels = table.target.labels
        self._columns = table.columns
        self._codes = table.target.codes.astype(np.int32)
        self._bins = Bins(table)
        self._search = self._bins.search()
        self._mark = np.zeros(len(table), np.uint8)
        self._places: dict[Literal, tuple[int, int]] = {}

    def everything(self) -> Selection:
        return Selection(np.arange(len(self._codes), dtype=np.int32))

    def size(self, rows: Selection) -> int:
        return len(rows.index)

    def popularity(self, rows: Selection) -> Sequence[int]:
        counts = np.zeros(len(self.labels), np.intp)
        kernels.count_labels(self._codes, rows.index, counts, 1)
        return counts.tolist()  # type: ignore[no-any-return]

    def split(self, rows: Selection, label: int) -> tuple[Selection, Selection]:
        out = np.empty(len(rows.index), np.int32)
        number = kernels.split(self._codes, rows.index, label, out)
        positive, negative = Selection(out[:number]), Selection(out[number:])
        if len(self.labels) * self._bins.size <= _MOST_TALLIES and len(rows.index) > kernels.SMALL:
            tallies = self._tallies(rows)
            positive.preset(tallies[label].copy())
            negative.preset(tallies.sum(axis=0, dtype=np.int32) - tallies[label])
        return positive, negative

    def _tallies(self, rows: Selection) -> NDArray[np.int32]:
        """A histogram per label."""
        if rows.tallies is None:
            rows.tallies = np.zeros((len(self.labels), self._bins.size), np.int32)
            self._tally(rows.tallies, rows.index, 1)
        return rows.tallies

    def _tally(self, tallies: NDArray[np.int32], index: Index, step: int) -> None:
        bins = self._bins
        kernels.count_by_label(bins.grid, bins.first, self._codes, index, tallies.reshape(-1), bins.size, step)

    def covered(self, rows: Selection, literal: Literal) -> Selection:
        feature, _ = self._place(literal)
        out = np.empty(len(rows.index), np.int32)
        number = self._search.cover(feature, *self._columns[feature].span(literal), rows.index, out)
        return Selection(out[:number], rows.known(), out[number:])

    def minus(self, rows: Selection, gone: Selection) -> Selection:
        if not len(gone.index):
            return rows
        out = np.empty(len(rows.index), np.int32)
        number = kernels.minus(rows.index, gone.index, self._mark, out)
        left = Selection(out[:number], rows.known(), gone.index)
        if rows.tallies is not None:  # handed on, not copied: the learner does not look back
            left.tallies, rows.tallies = rows.tallies, None
            self._tally(left.tallies, gone.index, -1)
        return left

    def counts(self, positive: Selection, negative: Selection) -> Iterator[Counts]:
        for column in self._columns:
            size = column.missing + 1
            p = np.bincount(column.codes[positive.index], minlength=size)
            n = np.bincount(column.codes[negative.index], minlength=size)
            present = np.flatnonzero(p + n).tolist()
            values = [column.value(code) for code in present]
            yield Counts(column.name, values, p[present].tolist(), n[present].tolist())

    def best_literal(self, positive: Selection, negative: Selection, used: tuple[Literal, ...]) -> Literal | None:
        """Algorithm 2 by bounds (`kernels.Search`): the same literal as from the counts."""
        places = [self._place(literal) for literal in used]
        empty = self._bins.nothing
        few = len(positive.index) + len(negative.index) <= kernels.SMALL
        feature, rank, other = self._search.best(
            positive.index,
            negative.index,
            empty if few else positive.histogram(self._bins),
            empty if few else negative.histogram(self._bins),
            array("i", [feature for feature, _ in places]),
            array("i", [rank for _, rank in places]),
        )
        return None if feature < 0 else self._literal(feature, rank, other)

    def _literal(self, feature: int, rank: int, other: bool) -> Literal:
        column = self._columns[feature]
        value = column.value(rank)
        ops: Any = (("<=", ">") if isinstance(value, float) else ("missing", "present") if value is None else ("==", "!="))
        literal = Literal(column.name, ops[other], value)
        self._places[literal] = feature, rank
        return literal

    def _place(self, literal: Literal) -> tuple[int, int]:
        """The feature and the rank of a literal's value; the engine has seen its own literals."""
        if literal not in self._places:
            feature = self.features.index(literal.feature)
            column = self._columns[feature]
            first, end, _ = column.span(literal)
            self._places[literal] = feature, end - 1 if literal.op == "<=" else first - 1 if literal.op == ">" else first
        return self._places[literal]
