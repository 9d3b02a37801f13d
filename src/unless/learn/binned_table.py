"""A table in bins, from which a committee learns all its lists: every cell is a byte.

A column with few values has a bin for each value. Otherwise, numbers are cut into bins of about equal weight, and only
the most frequent categories have their own bins. Bins are coarser than the exact values, but the lists of a committee
together have many thresholds. A threshold lies half-way between the largest number of a bin and the next number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from unless.kernels import ListGrower
from unless.learn.literals import without_implied
from unless.learn.thresholds import move_threshold
from unless.learn.weights import Weights
from unless.rule import Literal, Rule
from unless.table import Column
from unless.values import Label
from unless.values.notation import WHOLE

NUMBERS, CATEGORIES = 100, 120
"""The approximate number of bins for numbers, and the maximum for categories, including other and missing."""

_BYTE = 256
"""The number of bins that a byte can distinguish."""


class BinnedTable:
    """Columns in bins, and the literals that correspond to the numbers of bins.

    The thresholds of ``exact`` literals are always bin boundaries: they come from one list that is learned from exact
    values, and preserve the sharp edges of a table.
    """

    def __init__(
        self, columns: Sequence[Column], counts: Weights, threads: int = 1, exact: Iterable[Literal] = ()
    ) -> None:
        self.columns = columns
        exact = tuple(exact)
        parts = [_BinnedColumn(column, counts, _threshold_ranks(column, exact)) for column in columns]
        self._parts = parts
        self._literals: dict[int, Literal] = {}
        bins = np.concatenate([np.empty(0, np.uint8), *(part.bins[part.column.codes] for part in parts)])
        self.lists = ListGrower(
            bins, [part.numbers for part in parts], [part.end for part in parts], [part.size for part in parts], threads
        )

    def rules(self, code: NDArray[np.int32], heads: Sequence[Label]) -> list[Rule]:
        """Decode the rules of a list (`kernels.ListGrower` describes the code); the last rule has no literals."""
        numbers, at, found = code.tolist(), 0, list[Rule]()
        for head in heads[:-1]:
            rule, at = self._rule(numbers, at, head)
            found.append(rule)
        return [*found, Rule(heads[-1])]

    def _rule(self, numbers: list[int], at: int, head: Label | None) -> tuple[Rule, int]:
        """Decode a rule; return it and the start of the next one."""
        begin, end = at + 2, at + 2 + 3 * numbers[at]
        features, places, others = (numbers[k:end:3] for k in range(begin, begin + 3))
        default = tuple(map(self._literal, features, places, others))
        if len(set(features)) < len(features):
            default = self._without_implied_thresholds(default, features, places, others)
        exceptions = []
        for _ in range(numbers[at + 1]):
            exception, end = self._rule(numbers, end, None)
            exceptions.append(exception)
        return Rule(head, default, tuple(exceptions)), end

    def _without_implied_thresholds(
        self, literals: tuple[Literal, ...], features: list[int], places: list[int], others: list[int]
    ) -> tuple[Literal, ...]:
        """Return the literals without literals that follow from others: the later of two thresholds is tighter."""
        numeric = [place < self._parts[feature].numbers for feature, place in zip(features, places, strict=True)]
        tests = list(zip(features, numeric, others, strict=True))
        known = {feature for feature, number, other in tests if number or not other}
        named = {feature for feature, number, _ in tests if not number}
        if any(features.count(feature) > 1 for feature in known & named):
            return without_implied(literals)
        last = {(*test, test[1] or place): k for k, (test, place) in enumerate(zip(tests, places, strict=True))}
        return tuple(literals[k] for k in sorted(last.values()))  # several literals with != stay

    def _literal(self, feature: int, place: int, other: int) -> Literal:
        key = feature << 9 | place << 1 | other
        if (literal := self._literals.get(key)) is None:
            literal = self._literals[key] = self._parts[feature].literal(place, other=bool(other))
        return literal


class _BinnedColumn:
    """A binned column: the bin of each rank, and the rank of each bin."""

    def __init__(self, column: Column, counts: Weights, exact: NDArray[np.intp]) -> None:
        self.column = column
        weights = np.bincount(column.codes, counts, column.missing + 1).astype(np.float64)
        count, missing = len(column.numbers), column.missing
        kept = count + _largest_positions(weights[count:missing], CATEGORIES)
        room = _BYTE - len(kept) - 2
        ends = _last_rank_of_bins(weights[:count], min(NUMBERS, room // 2 - 1))
        ends = np.union1d(ends, exact[: max(room - len(ends), 0)])
        there = np.flatnonzero(weights[:count])
        self.next = np.append(there, count - 1)[np.searchsorted(there, ends, "right")]  # a record has it
        self.numbers = len(ends)
        self.ranks = [*ends.tolist(), *kept.tolist(), missing]
        self.end = len(self.ranks)
        others = len(kept) < missing - count
        self.size = self.end + others
        self.bins = np.full(missing + 1, self.end, np.uint8)
        self.bins[:count] = np.searchsorted(ends, np.arange(count))
        self.bins[kept] = self.numbers + np.arange(len(kept))
        self.bins[missing] = self.end - 1

    def literal(self, place: int, *, other: bool) -> Literal:
        """Return the literal for a bin; a threshold is a short number about half-way between two bins."""
        value = self.column.value(self.ranks[place])
        if place < self.numbers:
            literal = Literal(self.column.name, ">" if other else "<=", value)
            if place + 1 == self.numbers:
                return literal
            low, high = self.column.numbers[[self.ranks[place], self.next[place]]].tolist()
            return move_threshold(literal, low, high, rounded=True, whole=self.column.notation == WHOLE)
        if value is None:
            return Literal(self.column.name, "present" if other else "missing")
        return Literal(self.column.name, "!=" if other else "==", value)


def _threshold_ranks(column: Column, literals: Iterable[Literal]) -> NDArray[np.intp]:
    """Return the ranks after which the thresholds of literals cut the numbers of a column."""
    own = [literal for literal in literals if literal.feature == column.name and literal.op in ("<=", ">")]
    spans = [(literal.op, *column.span(literal)[:2]) for literal in own]
    after = [(end if op == "<=" else low) - 1 for op, low, end in spans]
    return np.array([rank for rank in after if rank >= 0], np.intp)


def _last_rank_of_bins(weights: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the last rank of each bin: bins of a single rank that occurs, or of about equal weight.

    Frequent values have their own bins, and the other values share the rest: in a column with 92 % zeros, the other 8 %
    are cut as finely as if there were no zeros. There are about ``most`` bins, at most twice as many.
    """
    there = np.flatnonzero(weights)
    if len(there) > most:
        amount = weights[there]
        alone = np.zeros(len(there), bool)
        while (frequent := ~alone & (amount * (most - alone.sum()) >= amount[~alone].sum())).any():
            alone |= frequent
            if alone.sum() >= most - 1:
                break
        amount = np.where(alone, 0.0, amount)
        sums = np.cumsum(amount) - amount / 2
        place = np.floor(sums * ((most - alone.sum()) / amount.sum()))
        there = there[np.append((np.diff(place) > 0) | alone[1:] | alone[:-1], True)]
    return np.unique(np.append(there, len(weights) - 1)) if len(weights) else there


def _largest_positions(weights: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the positions of the largest weights, in order; the first of equal weights."""
    return np.sort(np.argsort(-weights, kind="stable")[:most])
