"""Points that lists of rules give: for every row, the points of the rule that decides it, added up over the lists.

`VotingCode` are lists, `VoteCounter` the same for the columns of a table; `kernels.voting` runs them. The literals of a
column cut its ranks into *intervals*. The kernel sorts rows into the intervals of each column, as a bit for each row,
so that a *test* is three numbers: the intervals [low, end) that satisfy it, and whether those do not. The lists are
instructions of three numbers, which work on a stack of conditions: each rule takes the rows that it covers from those
that no rule before it has decided. The third number of a test tells where to go on if no row is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.errors import UnknownNameError
from unless.model.points import Points
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.table import Codes, Column

MAX_RULES = 2**16
"""The most rules of a list."""

_FIRST, _AND, _TRUE, _UNLESS, _RULE, _LIST, _LAST = range(7)
"""The instructions of `kernels.voting`."""

_BLOCK = 4096
"""Rows per block. With fewer, following the code takes longer than working out conditions; more take too much room."""

_THREADS_FROM = 20_000
"""From this many rows on, two threads are faster."""


class VotingCode:
    """Lists whose last rule covers every record, as instructions, and the literals that they test, by number."""

    def __init__(self, lists: Sequence[Program], points: Sequence[Points]) -> None:
        self.literals: dict[Literal, int] = {}
        self.tests: dict[str, list[tuple[int, Literal]]] = {}
        self.width = points[0].shape[1] if points else 1
        self.points = np.concatenate([np.empty(0, np.int64), *(own.reshape(-1) for own in points)]).astype(np.int32)
        self._numbers: list[int] = []
        first = 0
        for program, own in zip(lists, points, strict=True):
            self._list(program, first)
            first += own.size
        self.numbers = np.array(self._numbers, dtype=np.int32)
        for literal, number in self.literals.items():
            self.tests.setdefault(literal.feature, []).append((number, literal))

    def _list(self, program: Program, first: int) -> None:
        self._numbers += (_LIST, 0, 0)
        *rules, _ = program.rules
        for number, rule in enumerate(rules):
            self._condition(rule, _RULE, first + number * self.width)
        self._numbers += (_LAST, first + len(rules) * self.width, 0)

    def _condition(self, rule: Rule, end: int, operand: int) -> None:
        """Add where the rule covers a record, and what then happens; if it is nowhere, that is left out."""
        numbers, tests = self._numbers, list[int]()
        for literal in rule.default:
            numbers += (_AND if tests else _FIRST, self.literals.setdefault(literal, len(self.literals)), 0)
            tests.append(len(numbers) - 1)
        if not tests:
            numbers += (_TRUE, 0, 0)
        for exception in rule.exceptions:
            self._condition(exception, _UNLESS, 0)
        numbers += (end, operand, 0)
        for place in tests:
            numbers[place] = len(numbers)


class VoteCounter:
    """The same, ready for rows of these columns."""

    def __init__(self, code: VotingCode, columns: Sequence[Column]) -> None:
        if unknown := code.tests.keys() - {column.name for column in columns}:
            raise UnknownNameError(f"rules test {min(unknown)!r}, which is not among the columns")
        self._code = code
        self._tests = np.empty((len(code.literals), 3), np.int32)
        self._intervals, self._counts, slots = list[NDArray[np.int32]](), np.empty(len(columns), np.int32), 0
        for place, column in enumerate(columns):
            self._counts[place] = self._cut_column(column, slots)
            slots += int(self._counts[place]) + 1
        self._room = slots + len(code.literals) + MAX_DEPTH + 2

    def add(self, codes: Sequence[Codes], sums: NDArray[np.int32], threads: int = 2) -> None:
        """Add the points of every row to ``sums``; codes are in the order of the columns."""
        rows = len(sums)
        if not len(self._code.numbers):  # a committee without lists
            return
        if threads < 2 or rows < _THREADS_FROM:
            self._run(codes, sums, 0, rows)
            return
        share = -(-rows // (threads * _BLOCK)) * _BLOCK
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda first: self._run(codes, sums, first, min(first + share, rows)), range(0, rows, share)))

    def _run(self, codes: Sequence[Codes], sums: NDArray[np.int32], first: int, last: int) -> None:
        words = -(-min(_BLOCK, last - first) // 64)
        block, room = np.zeros((len(codes), 64 * words), np.int32), np.empty(words * self._room, np.uint64)
        for start in range(first, last, _BLOCK):
            end = min(start + _BLOCK, last)
            for row, intervals, column in zip(block, self._intervals, codes, strict=True):
                np.take(intervals, column[start:end], out=row[: end - start], mode="clip")
            kernels.add_votes(
                self._counts,
                self._tests.reshape(-1),
                self._code.numbers,
                self._code.points,
                self._code.width,
                words,
                block.reshape(-1),
                room,
                sums[start:end].reshape(-1),
            )

    def _cut_column(self, column: Column, first: int) -> int:
        """Cut a column into intervals by its literals, whose tests count from ``first``; how many there are."""
        spans = [(k, *column.span(one)) for k, one in self._code.tests.get(column.name, ())]
        ends, all_ = {end for _, *pair, _ in spans for end in pair}, column.missing + 1
        cuts = sorted(end for end in ends if 0 < end < all_)
        before = {end: 0 for end in ends if end <= 0} | {cut: place for place, cut in enumerate(cuts, 1)}
        for k, low, end, other in spans:
            self._tests[k] = (*(first + before.get(one, len(cuts) + 1) for one in (low, end)), other)
        sizes = np.diff([0, *cuts, all_])
        self._intervals.append(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))
        return len(sizes)
