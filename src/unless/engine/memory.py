"""The in-memory engine: index arrays and histograms over the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.engine.base import Counts, Engine
from unless.errors import ParameterError, ReadError
from unless.kernels import Search, Selection
from unless.rule import Literal, Operator
from unless.table import Codes, Column, Table

__all__ = ["MemoryEngine"]

Test = tuple[int, int, bool]
"""A literal as the kernels know it: feature, rank, and whether it is the other one (``>``, ``!=``) on that value."""

_MOST_WEIGHT = 2**30
"""Of all rows, in units: sums of counts stay within 32 bits."""


class MemoryEngine(Engine[Selection]):
    """Answers from a table in memory.

    Histograms outlive the question they were counted for: a subset's is its superset's minus the rest, and swapping
    E+ and E- costs nothing, so that hardly a row is counted twice.
    """

    def __init__(self, table: Table, weights: NDArray[np.floating[Any]] | None = None) -> None:
        if table.target is None:
            raise ReadError("the table has no labels; name them: read_table(source, target=...)")
        self.target = table.target.name
        self.features = table.features
        self.labels = table.target.labels
        self._columns = table.columns
        units, self._unit = _units(weights, len(table))
        self._grid = _grid(table.columns, table.target.codes.astype(np.int32), units)
        self._literals: dict[Test, Literal] = {}
        self._tests: dict[int, Test] = {}

    def everything(self) -> Selection:
        return self._grid.everything()

    def size(self, rows: Selection) -> float:
        return rows.weight() if self._unit == 1 else rows.weight() * self._unit

    def popularity(self, rows: Selection) -> Sequence[float]:
        weights = self._grid.popularity(rows, len(self.labels))
        return weights if self._unit == 1 else [weight * self._unit for weight in weights]

    def distinct(self) -> Sequence[int]:
        return [self._grid.distinct(i, column.missing + 1) for i, column in enumerate(self._columns)]

    def split(self, rows: Selection, label: int) -> tuple[Selection, Selection]:
        return self._grid.by_label(rows, label, len(self.labels))

    def covered(self, rows: Selection, literal: Literal) -> Selection:
        return self._grid.covered(rows, *self._test(literal))

    def minus(self, rows: Selection, gone: Selection) -> Selection:
        return self._grid.minus(rows, gone)

    def best_literal(self, positive: Selection, negative: Selection, used: tuple[Literal, ...]) -> Literal | None:
        """Algorithm 2 by bounds (`kernels.Search`): the same literal as from the counts."""
        test = self._grid.best(positive, negative, [self._test(literal) for literal in used])
        return None if test is None else self._literal(test)

    def purest_literal(self, positive: Selection, negative: Selection, support: float) -> Literal | None:
        """Our own heuristic by bounds: the same literal as from the counts."""
        test = self._grid.purest(positive, negative, ceil(support / self._unit))
        return None if test is None else self._literal(test)

    def counts(self, positive: Selection, negative: Selection) -> Iterator[Counts]:
        for column in self._columns:
            size = column.missing + 1
            p = np.bincount(column.codes[positive.rows()], minlength=size)
            n = np.bincount(column.codes[negative.rows()], minlength=size)
            present = np.flatnonzero(p + n).tolist()
            values = [column.value(code) for code in present]
            yield Counts(column.name, values, p[present].tolist(), n[present].tolist())

    def _literal(self, test: Test) -> Literal:
        """The literal of a test; the same object for the same test, so that `_test` knows it again."""
        if test not in self._literals:
            feature, rank, other = test
            column = self._columns[feature]
            literal = Literal(column.name, _operator(column, rank, other=other), column.value(rank))
            self._literals[test] = literal
            self._tests[id(literal)] = test
        return self._literals[test]

    def _test(self, literal: Literal) -> Test:
        """The test of a literal. Of its own, which it keeps, the engine knows it by identity: hashing costs more."""
        test = self._tests.get(id(literal))
        return self._foreign(literal) if test is None else test

    def _foreign(self, literal: Literal) -> Test:
        """The test of a literal that somebody else made."""
        feature = self.features.index(literal.feature)
        first, end, other = self._columns[feature].span(literal)
        match literal.op:
            case "<=":
                return feature, end - 1, False
            case ">":
                return feature, first - 1, True
        return feature, first, other


def _units(weights: NDArray[np.floating[Any]] | None, rows: int) -> tuple[NDArray[np.int32], float]:
    """Weights as whole numbers of a unit, so that sums do not depend on the order of rows, and the unit.

    Whole weights are counted as they are. Others are rounded to a power of two near a thousandth of their mean, so that
    a weight below half of that is none; finer would not fit 32 bits on a million rows.
    """
    if weights is None:
        return np.ones(rows, np.int32), 1
    try:
        weights = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights must be numbers, not {weights!r:.60}") from None
    if weights.shape != (rows,):
        raise ParameterError(f"{rows} rows need as many weights, not an array of shape {weights.shape}")
    if not ((weights >= 0).all() and 1e-200 < weights.max(initial=0) < 1e200):
        raise ParameterError("weights must be finite numbers from 0 to 1e200, and not all 0 (or below 1e-200)")
    total = float(weights.sum())
    if (weights == np.floor(weights)).all() and total < _MOST_WEIGHT:
        return weights.astype(np.int32), 1
    unit = 2.0 ** max(floor(log2(total / rows / 1024)), ceil(log2(total / _MOST_WEIGHT)))
    return np.rint(weights / unit).astype(np.int32), unit


def _grid(columns: tuple[Column, ...], labels: NDArray[np.int32], weights: NDArray[np.int32]) -> Search:
    """The bins of columns, with labels and weights of the rows."""
    ranks = [column.missing + 1 for column in columns]
    grid = Search(labels, weights, [len(column.numbers) for column in columns], ranks)
    for i, column in enumerate(columns):
        if grid.is_wide(i):
            loaded = grid.load_wide(i, _signed(column.codes), ranks[i])
        else:
            loaded = grid.load_narrow(i, column.codes.astype(np.uint8, copy=False))
        if not loaded:
            raise ReadError(f"the column {column.name!r} has codes beyond its {ranks[i] - 1} values and missing")
    grid.loaded()
    return grid


def _signed(codes: Codes) -> NDArray[np.int32]:
    """Codes as the kernels take them; those of 32 bits as they are, without a copy."""
    return codes.view(np.int32) if codes.dtype == np.uint32 else codes.astype(np.int32)


def _operator(column: Column, rank: int, *, other: bool) -> Operator:
    if rank < len(column.numbers):
        return ">" if other else "<="
    if rank == column.missing:
        return "present" if other else "missing"
    return "!=" if other else "=="
