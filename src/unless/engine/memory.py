"""The in-memory engine: index arrays and histograms over the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unless.engine.base import Counts, Engine
from unless.kernels import Grid, Selection
from unless.rule import Literal, Operator
from unless.table import Column, Table

__all__ = ["MemoryEngine"]

Test = tuple[int, int, bool]
"""A literal as the kernels know it: feature, rank, and whether it is the other one (``>``, ``!=``) on that value."""

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
        self._grid = _grid(table)
        self._literals: dict[Test, Literal] = {}
        self._tests: dict[int, Test] = {}

    def everything(self) -> Selection:
        return self._grid.everything()

    def size(self, rows: Selection) -> int:
        return rows.weight()

    def popularity(self, rows: Selection) -> Sequence[int]:
        return self._grid.popularity(rows, len(self.labels))

    def split(self, rows: Selection, label: int) -> tuple[Selection, Selection]:
        return self._grid.by_label(rows, label, len(self.labels))

    def covered(self, rows: Selection, literal: Literal) -> Selection:
        return self._grid.covered(rows, *self._test(literal))

    def minus(self, rows: Selection, gone: Selection) -> Selection:
        return self._grid.minus(rows, gone)

    def best_literal(self, positive: Selection, negative: Selection, used: tuple[Literal, ...]) -> Literal | None:
        """Algorithm 2 by bounds (`kernels.Grid`): the same literal as from the counts."""
        test = self._grid.best(positive, negative, [self._test(literal) for literal in used])
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
            literal = Literal(column.name, _operator(column, rank, other), column.value(rank))
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
        return (feature, end - 1, False) if literal.op == "<=" else (feature, first - (literal.op == ">"), other or literal.op == ">")


def _grid(table: Table) -> Grid:
    """The bins of a table and its labels."""
    columns = table.columns
    ranks = [column.missing + 1 for column in columns]
    weights = np.ones(len(table), np.int32)
    grid = Grid(table.target.codes.astype(np.int32), weights, [len(column.numbers) for column in columns], ranks)
    for i, column in enumerate(columns):
        if grid.is_wide(i):
            grid.load_wide(i, column.codes.astype(np.int32, copy=False), ranks[i])
        else:
            grid.load_narrow(i, column.codes.astype(np.uint8, copy=False))
    grid.loaded()
    return grid


def _operator(column: Column, rank: int, other: bool) -> Operator:
    if rank < len(column.numbers):
        return ">" if other else "<="
    if rank == column.missing:
        return "present" if other else "missing"
    return "!=" if other else "=="
