"""Points that lists of rules give: for every row, the points of the rule that decides it, added up over the lists.

`Votes` are lists assembled for the columns of a table; `kernels.vote` runs them. A *test* is five numbers: where its
column starts in a block, the ranks [low, end) that satisfy it, and the byte for rows inside and outside of them. The
lists are pairs of an instruction and a number, which work on a stack of conditions: rules are taken from the last to
the first, and each takes the rows that it covers from those that came before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.score.points import Points
from unless.table import Codes, Column

MAX_RULES = 2**16
"""The most rules of a list: two bytes hold the number of the one that decides."""

_FIRST, _AND, _TRUE, _UNLESS, _RULE, _HIGH, _LIST, _ADD = range(8)
"""The instructions of `kernels.vote`."""

_BLOCK = 4096
"""Rows per block: the ranks of twenty columns fit into the second-level cache."""

_THREADS_FROM = 20_000
"""From this many rows on, two threads are faster."""


class Votes:
    """Lists whose last rule covers every record, with the points of their rules, ready for rows of these columns."""

    def __init__(self, lists: Sequence[Program], points: Sequence[Points], columns: Sequence[Column]) -> None:
        self._place = {column.name: number for number, column in enumerate(columns)}
        self._columns = columns
        self._literals: dict[Literal, int] = {}
        code, first = list[int](), 0
        for program, own in zip(lists, points, strict=True):
            code += [*self._list(program), _ADD, first]
            first += own.size
        self._code = np.array(code, dtype=np.int32)
        self._tests = np.array([self._test(literal) for literal in self._literals], dtype=np.int32).reshape(-1)
        self._width = points[0].shape[1] if points else 1
        self._points = np.concatenate([np.empty(0, np.int64), *(own.reshape(-1) for own in points)]).astype(np.int32)

    def add(self, codes: Sequence[Codes], sums: NDArray[np.int32], threads: int = 2) -> None:
        """Add the points of every row to ``sums``; codes are in the order of the columns."""
        rows = len(sums)
        if threads < 2 or rows < _THREADS_FROM:
            self._run(codes, sums, 0, rows)
            return
        share = -(-rows // (threads * _BLOCK)) * _BLOCK
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda first: self._run(codes, sums, first, min(first + share, rows)), range(0, rows, share)))

    def _run(self, codes: Sequence[Codes], sums: NDArray[np.int32], first: int, last: int) -> None:
        block = np.zeros((max(len(codes), 1), _BLOCK), np.int32)
        room = np.empty((len(self._literals) + MAX_DEPTH + 3) * 256, np.uint8)
        for start in range(first, last, _BLOCK):
            end = min(start + _BLOCK, last)
            for ranks, column in zip(block, codes, strict=False):
                ranks[: end - start] = column[start:end]
            kernels.vote(
                self._tests, self._code, self._points, self._width, block.reshape(-1), room, sums[start:end].reshape(-1)
            )

    def _list(self, program: Program) -> Iterator[int]:
        last = len(program.rules) - 1
        yield from (_LIST, last)
        for number in reversed(range(last)):
            yield from self._condition(program.rules[number])
            if last > 255:
                yield from (_HIGH, number)
            yield from (_RULE, number)

    def _condition(self, rule: Rule) -> Iterator[int]:
        """Push where the rule covers a record."""
        if not rule.default:
            yield from (_TRUE, 0)
        for place, literal in enumerate(rule.default):
            yield from (_AND if place else _FIRST, self._literals.setdefault(literal, len(self._literals)))
        for exception in rule.exceptions:
            yield from self._condition(exception)
            yield from (_UNLESS, 0)

    def _test(self, literal: Literal) -> tuple[int, int, int, int, int]:
        number = self._place[literal.feature]
        low, end, negated = self._columns[number].span(literal)
        return number * _BLOCK, low, end, *((0, 255) if negated else (255, 0))
