"""Bins: literals cut the values of a feature into a few bins, and values in one bin satisfy the same literals.

Bins depend only on the literals, not on the records: a decider is compiled once, and then decides any rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from unless.kernels import bin_numbers
from unless.rule import Literal, Program
from unless.table import Codes, Column
from unless.values import Value
from unless.values.notation import Notation

Bins = NDArray[np.int32]

Fill = Callable[[int, int, Bins], object]
"""Writes the bins of a range of rows of a feature."""


NewCells = Column | NDArray[np.float64] | Value
"""The cells of a feature of new records: a ranked column, plain numbers (NaN is missing), or a single value."""


class ValueBins:
    """The bins of one feature, whose numbers are written in a notation.

    Bins are in this order: the numbers up to each threshold, and the numbers above the last; each category that a
    literal names, and all other categories; missing cells.
    """

    __slots__ = ("_categories", "_thresholds", "count", "feature", "missing", "notation", "numbers", "other")

    def __init__(self, feature: str, literals: Iterable[Literal], notation: Notation | None = None) -> None:
        values = {literal.value for literal in literals}
        self.feature, self.notation = feature, notation
        self._thresholds = sorted(float(value) for value in values if isinstance(value, float))
        self.numbers = np.array(self._thresholds, dtype=np.float64)
        names = sorted(value for value in values if isinstance(value, str))
        self._categories = {name: number for number, name in enumerate(names, len(self._thresholds) + 1)}
        self.other = len(self._thresholds) + 1 + len(names)
        self.missing = self.other + 1
        self.count = self.missing + 1

    def bin_of(self, value: Value) -> int:
        """Return the bin of a value in the notation of the feature."""
        if value is None:
            return self.missing
        return (
            self._categories.get(value, self.other) if isinstance(value, str) else bisect_left(self._thresholds, value)
        )

    def bins_of(self, column: Column) -> Bins:
        """Return the bin of each rank of a column in the notation of the feature."""
        found = np.full(column.missing + 1, self.other, np.int32)
        first = len(column.numbers)
        found[:first] = self.numbers.searchsorted(column.numbers)
        for name, number in self._categories.items():
            place = bisect_left(column.categories, name)
            if column.categories[place : place + 1] == (name,):
                found[first + place] = number
        found[-1] = self.missing
        return found

    def filler(self, cells: NewCells, codes: Codes | None = None) -> Fill:
        """Return a function that writes the bins of the rows of a column, or of other codes of its values."""
        if isinstance(cells, Column):
            bins, ranks = self.bins_of(cells), cells.codes if codes is None else codes
            return lambda first, last, out: bins.take(ranks[first:last], out=out, mode="clip")
        if isinstance(cells, np.ndarray):
            return lambda first, last, out: bin_numbers(cells[first:last], self.numbers, self.missing, out)
        only = self.bin_of(cells)
        return lambda first, last, out: out.fill(only)

    def span(self, literal: Literal) -> tuple[int, int, bool]:
        """Return the bins that satisfy a literal: it holds where ``(first <= bin < end) != negated``."""
        match literal.op, literal.value:
            case ("<=", float(x)):
                return 0, bisect_left(self._thresholds, x) + 1, False
            case (">", float(x)):
                return bisect_left(self._thresholds, x) + 1, len(self._thresholds) + 1, False
            case (("==" | "!=") as op, str(category)):
                number = self._categories[category]
                return number, number + 1, op == "!="
            case (op, _):
                return self.missing, self.missing + 1, op == "present"


def bins_tested_by(program: Program) -> tuple[ValueBins, ...]:
    """Return the bins of each feature that a program tests, in the order of `Program.used`."""
    tests: dict[str, list[Literal]] = {name: [] for name in program.used}
    for literal in (literal for rule in program.rules for literal in rule.literals()):
        tests[literal.feature].append(literal)
    return tuple(ValueBins(name, own, program.notations.get(name)) for name, own in tests.items())


def fillers(bins: Sequence[ValueBins], columns: Sequence[NewCells], codes: Sequence[Codes] | None = None) -> list[Fill]:
    """Return functions that write the bins of each feature, from columns in the same order or other codes of them."""
    own = [None] * len(columns) if codes is None else codes
    return [one.filler(column, ranks) for one, column, ranks in zip(bins, columns, own, strict=True)]
