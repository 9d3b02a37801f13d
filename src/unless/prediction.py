"""What a program decides on a table: the label of every row, and the rule that decides it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.rule import Program, Rule
from unless.table import Codes, Column, Table

__all__ = ["deciding_rules", "make_decider", "predict"]

_BLOCK = 4096
"""Rows per block: the ranks of twenty columns fit into the second-level cache."""

_THREADS_FROM = 200_000
"""From this many rows on, two threads are faster."""


def predict(program: Program, table: Table) -> NDArray[np.object_]:
    """The label of every row: that of the first rule that covers it, else the program's ``otherwise``.

    The table needs the columns that the program uses, in any order; a category or a number that training did not have
    is like any other. Read new records with ``read_table(source, like=program)``.

    Returns
    -------
    array of object
        Labels; None where the program leaves a record unclassified.
    """
    deciding = deciding_rules(program, table)
    labels = np.empty(len(program.rules) + 1, dtype=object)
    labels[:] = program.heads
    return labels[deciding]


def deciding_rules(program: Program, table: Table) -> NDArray[np.int32]:
    """The index of the rule that decides each row, -1 if no rule covers it."""
    if not isinstance(program, Program):
        raise ParameterError(f"a {type(program).__name__} is not a Program; predict takes a program, then a table")
    if not isinstance(table, Table):
        raise ParameterError(f"a {type(table).__name__} is not a Table; make one: read_table(source, like=program)")
    notations = program.notations
    columns = [_column(table, feature).in_notation(notations.get(feature)) for feature in program.used]
    return make_decider(program, columns)([column.codes for column in columns], len(table))


def make_decider(program: Program, columns: Sequence[Column]) -> Callable[[Sequence[Codes], int], NDArray[np.int32]]:
    """A function from codes, in the columns that the program uses, and a number of rows to the deciding rules."""
    code = _compile_program(program, columns)

    def decide(codes: Sequence[Codes], rows: int) -> NDArray[np.int32]:
        out = np.empty(rows, np.int32)

        def run(first: int, last: int) -> None:
            block = np.empty((len(codes), _BLOCK), np.int32)
            for start in range(first, last, _BLOCK):
                end = min(start + _BLOCK, last)
                for ranks, column in zip(block, codes, strict=True):
                    ranks[: end - start] = column[start:end]
                kernels.decide_rows(code, block.reshape(-1), out[start:end])

        if rows < _THREADS_FROM:
            run(0, rows)
        else:
            middle = rows // (2 * _BLOCK) * _BLOCK
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(run, (0, middle), (middle, rows)))
        return out

    return decide


def _column(table: Table, feature: str) -> Column:
    if feature not in table.features:
        raise UnknownNameError(f"the program uses {feature!r}, which the table lacks{suggest(feature, table.features)}")
    return table.column(feature)


def _compile_program(program: Program, columns: Sequence[Column]) -> NDArray[np.int32]:
    """The program as jumps between tests of ranks, see `kernels.deciding`.

    A test is five numbers: where its column starts in a block, the ranks [low, end) that satisfy it, where to go if it
    fails, and where to go if it holds. Going to -2 - k is the end: rule k decides, or no rule does (k = -1). The tests
    are laid out backwards, so that every goal is known; the first number of the code is the entry.
    """
    code: list[int] = [0]
    place = {column.name: number for number, column in enumerate(columns)}

    def rule_from(rule: Rule, success: int, failure: int) -> int:
        goal = success
        for exception in reversed(rule.exceptions):
            goal = rule_from(exception, failure, goal)
        for literal in reversed(rule.default):
            number = place[literal.feature]
            low, end, negated = columns[number].span(literal)
            code.extend([number * _BLOCK, low, end, *((goal, failure) if negated else (failure, goal))])
            goal = len(code) - 5
        return goal

    goal = -1
    for number in reversed(range(len(program.rules))):
        goal = rule_from(program.rules[number], -2 - number, goal)
    code[0] = goal
    return np.array(code, dtype=np.int32)
