"""Compile lists to instructions that add up, for every row, the points of the rules that decide it or hold for it.

`Instructions` are lists in the form that `kernels.voting` executes; `VotingCode` adds the bins of features. The kernel
sorts rows into the bins of each feature, as a bit for each row. A *test* is three numbers: the bins [low, end) that
satisfy it, and whether it is negated. The lists are instructions of three numbers, which work on a stack of conditions:
each rule takes the rows that it covers from the rows that no earlier rule has decided. The third number of a test is
the jump target if no row is left.
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
"""The maximum number of rules in a list."""

_FIRST, _AND, _TRUE, _UNLESS, _RULE, _LIST, _LAST, _HOLDS, _UNDECIDED, _EXCEPT, _BACK = range(11)
"""The instructions of `kernels.voting`."""

_BLOCK = 4096
"""Rows per block. With fewer, decoding instructions takes longer than evaluating them; more take too much memory."""

_THREADS_FROM = 20_000
"""From this many rows on, two threads are faster."""


class Instructions:
    """Lists as instructions, with the literals that they test, by number; each rule has ``width`` adjacent points."""

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
        """Add a list that gives points for its `program_parts`, except literals.

        The first ``decides`` points belong to the parts about the deciding rule; ``inner`` contains the positions of
        the points of the other parts, None for a part without points.
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
        """Add the tests of a rule and the action for the rows that it covers, which is skipped if there are none."""
        own = None if inner is None else next(inner)
        tests = self._default(rule)
        if inner is not None and top and rule.default and rule.exceptions:
            self._holds(next(inner))
        beside = inner is not None and len(rule.exceptions) > 1  # exceptions hold independently of each other
        self.numbers += (_TRUE, 0, 0) * beside
        for exception in rule.exceptions:
            self._condition(exception, (_EXCEPT if beside else _UNLESS, 0, 0), inner)
        self.numbers += (_BACK, 0, 0) * beside
        self._holds(own)
        self.numbers += end
        for place in tests:
            self.numbers[place] = len(self.numbers)

    def _default(self, rule: Rule) -> list[int]:
        """Add the tests of a default; return the positions of their jump targets."""
        tests = list[int]()
        for literal in rule.default:
            number = self.literals.setdefault(literal, len(self.literals))
            self.numbers += (_AND if tests else _FIRST, number, 0)
            tests.append(len(self.numbers) - 1)
        if not tests:
            self.numbers += (_TRUE, 0, 0)
        return tests

    def _holds(self, position: int | None) -> None:
        """Add the points of the current condition."""
        if position is not None:
            self.numbers += (_HOLDS, position, 0)


class VotingCode:
    """Instructions that give points to rows with these bins; ``points`` is a flat array."""

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
        """Add the points of every row to ``sums``, given functions that write the bins."""
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
        """Add the points of a few rows, given the bins of each feature (rows of ``block``, padded to whole words)."""
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
        """Allocate memory for the conditions of this many words of rows."""
        return np.empty(words * self._slots, np.uint64)


def _test(literal: Literal, start: int, bins: ValueBins) -> tuple[int, int, int]:
    """Convert a literal to a test of bins, given the first bin of its feature."""
    low, end, negated = bins.span(literal)
    return start + low, start + end, int(negated)
