"""Points that rules give: for every row, those of the rules that decide it or hold for it, added up over lists.

`Instructions` are lists in the form that `kernels.voting` runs, `VotingCode` the same with the bins of features. The
kernel sorts rows into the bins of each feature, as a bit for each row, so that a *test* is three numbers: the bins
[low, end) that satisfy it, and whether those do not. The lists are instructions of three numbers, which work on a stack
of conditions: each rule takes the rows that it covers from those that no rule before it has decided. The third number
of a test tells where to go on if no row is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.model.points import Points
from unless.model.value_bins import Bins, Fill, ValueBins
from unless.rule import MAX_DEPTH, Literal, Program, Rule

MAX_RULES = 2**16
"""The most rules of a list."""

_FIRST, _AND, _TRUE, _UNLESS, _RULE, _LIST, _LAST, _HOLDS, _UNDECIDED, _EXCEPT, _BACK = range(11)
"""The instructions of `kernels.voting`."""

_BLOCK = 4096
"""Rows per block. With fewer, following the code takes longer than working out conditions; more take too much room."""

_THREADS_FROM = 20_000
"""From this many rows on, two threads are faster."""


class Instructions:
    """Lists as instructions, and the literals that they test, by number; ``width`` points lie side by side."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.numbers: list[int] = []
        self.literals: dict[Literal, int] = {}

    def add_list(self, program: Program, first: int) -> None:
        """Add a list whose last rule covers every record; the points of its rules start at a position."""
        self.numbers += (_LIST, 0, 0)
        *rules, _ = program.rules
        for number, rule in enumerate(rules):
            self._condition(rule, (_RULE, first + number * self.width, 0))
        self.numbers += (_LAST, first + len(rules) * self.width, 0)

    def add_parts(self, program: Program, decides: int, inner: Sequence[int | None]) -> None:
        """Add a list that gives points for its `program_parts`, but for literals.

        Those of ``decides`` parts say which rule decides, and are first; ``inner`` are the positions of the points of
        the others, None where they have none.
        """
        self.numbers += (_LIST, 1, 0)
        positions = iter(inner)
        for number, rule in enumerate(program.rules):
            decided = (_UNDECIDED, 0, 0, _RULE, number * self.width, 0)
            if rule.default or rule.exceptions:
                self._condition(rule, decided, positions, top=True)
            else:
                self.numbers += (_TRUE, 0, 0, *decided)
        if decides > len(program.rules):
            self.numbers += (_LAST, len(program.rules) * self.width, 0)

    def _condition(
        self, rule: Rule, end: Sequence[int], inner: Iterator[int | None] | None = None, *, top: bool = False
    ) -> None:
        """Add where a rule covers a record, and what then happens; if it is nowhere, that is left out."""
        own = None if inner is None else next(inner)
        tests = self._default(rule)
        if inner is not None and top and rule.default and rule.exceptions:
            self._holds(next(inner))
        beside = inner is not None and len(rule.exceptions) > 1  # each exception holds whether or not others do
        self.numbers += (_TRUE, 0, 0) * beside
        for exception in rule.exceptions:
            self._condition(exception, (_EXCEPT if beside else _UNLESS, 0, 0), inner)
        self.numbers += (_BACK, 0, 0) * beside
        self._holds(own)
        self.numbers += end
        for place in tests:
            self.numbers[place] = len(self.numbers)

    def _default(self, rule: Rule) -> list[int]:
        """Add the tests of a default; return where they say where to go on if no row is left."""
        tests = list[int]()
        for literal in rule.default:
            number = self.literals.setdefault(literal, len(self.literals))
            self.numbers += (_AND if tests else _FIRST, number, 0)
            tests.append(len(self.numbers) - 1)
        if not tests:
            self.numbers += (_TRUE, 0, 0)
        return tests

    def _holds(self, position: int | None) -> None:
        """Add points for what holds."""
        if position is not None:
            self.numbers += (_HOLDS, position, 0)


class VotingCode:
    """Instructions that give points to rows with these bins; ``points`` are one after another."""

    def __init__(self, bins: Sequence[ValueBins], written: Instructions, points: Points) -> None:
        self.bins, self._width, self._points = tuple(bins), written.width, points
        self._numbers = np.array(written.numbers, dtype=np.int32)
        self._counts = np.array([one.count for one in bins], dtype=np.int32)
        starts = accumulate((one.count + 1 for one in bins), initial=0)
        of = {one.feature: (start, one) for start, one in zip(starts, bins, strict=False)}
        tests = [_test(literal, *of[literal.feature]) for literal in written.literals]
        self._tests = np.array(tests, dtype=np.int32).reshape(-1)
        self._slots = int(self._counts.sum()) + len(bins) + len(tests) + 2 * MAX_DEPTH + 3

    def add(self, fills: Sequence[Fill], sums: Points, threads: int = 2) -> None:
        """Add the points of every row to ``sums``, given what fills in the bins."""
        rows = len(sums)
        if not len(self._numbers):  # a committee without lists
            return
        if threads < 2 or rows < _THREADS_FROM:
            self._run(fills, sums, 0, rows)
            return
        share = -(-rows // (threads * _BLOCK)) * _BLOCK
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda first: self._run(fills, sums, first, min(first + share, rows)), range(0, rows, share)))

    def _run(self, fills: Sequence[Fill], sums: Points, first: int, last: int) -> None:
        words = -(-min(_BLOCK, last - first) // 64)
        block, room = np.zeros((len(fills), 64 * words), np.int32), self.room(words)
        for start in range(first, last, _BLOCK):
            end = min(start + _BLOCK, last)
            for bins, fill in zip(block, fills, strict=True):
                fill(start, end, bins[: end - start])
            self.add_block(block, room, sums[start:end])

    def add_block(self, block: Bins, room: NDArray[np.uint64], sums: Points) -> None:
        """Add the points of a few rows, given the bins of each feature (rows of ``block``, as long as whole words)."""
        kernels.add_votes(
            self._counts,
            self._tests,
            self._numbers,
            self._points,
            self._width,
            block.shape[1] // 64,
            block.reshape(-1),
            room,
            sums.reshape(-1),
        )

    def room(self, words: int) -> NDArray[np.uint64]:
        """Room for the conditions of this many words of rows."""
        return np.empty(words * self._slots, np.uint64)


def _test(literal: Literal, start: int, bins: ValueBins) -> tuple[int, int, int]:
    """A literal as a test of bins, given where those of its feature start."""
    low, end, negated = bins.span(literal)
    return start + low, start + end, int(negated)
