"""Decide the rows of a table: the label of every row, and the rule that gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unless import kernels
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.model.value_bins import Fill, ValueBins, bins_tested_by, fillers
from unless.rule import Program, Rule
from unless.table import Codes, Column, Table
from unless.values import Label

__all__ = [
    "Decider",
    "Decisions",
    "ProgramCode",
    "decide",
    "deciding_rules",
    "head_indices",
    "label_places",
    "predict",
    "tested_columns",
]

Chooser = Callable[[Sequence[Codes], int], NDArray[np.int32]]

_BLOCK = 4096
"""Rows per block, chosen so that the bins of twenty columns fit into the second-level cache."""

_THREADS_FROM = 200_000
"""From this many rows on, two threads are faster."""


class Decider(Protocol):
    """A `Program`, a `Committee`, or another class with these attributes and methods.

    In addition to the attributes below, a decider has ``decide(table, threads)``, which returns `Decisions`, and
    ``explain(record)``, which returns an object that prints as an answer to "why". The functions `decide` and
    `unless.explain` call these methods, except for programs, which they handle directly. All other code takes a
    `Decider` of any type; an export rejects types of deciders that it cannot express.
    """

    @property
    def noun(self) -> str:
        """The name of the decider in messages: "program", "committee of 5 lists"."""

    @property
    def by_rule(self) -> bool:
        """Whether one rule decides each record; ``heads`` are then the heads of ``all_rules``."""

    @property
    def target(self) -> str:
        """The name of the column of labels."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all training columns."""

    @property
    def used(self) -> tuple[str, ...]:
        """The features that rules test, in the order of ``features``; decisions need only these."""

    @property
    def heads(self) -> tuple[Label | None, ...]:
        """The labels that `Decisions.choices` count; None leaves a record undecided."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """The distinct labels that the decider can give."""

    @property
    def lists(self) -> tuple[Program, ...]:
        """The decider's lists of rules; if ``by_rule``, only one of them decides each record."""

    @property
    def all_rules(self) -> Program:
        """All rules in one list, which shows what the decider tests, but not what it decides."""


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """The decisions for the rows of a table."""

    choices: NDArray[np.int32]
    """The index in `Decider.heads` of the label of each row; -1 for a row that no rule of a program covers."""
    points: NDArray[np.int64] | None = None
    """The points of each row and label, from which probabilities follow; None if the decider has no points."""


@singledispatch
def decide(decider: Any, table: Table, threads: int = 2) -> Decisions:
    """Decide every row of a table, which must contain the columns ``decider.used`` in any order."""
    if not hasattr(decider, "decide"):
        raise ParameterError(f"a {type(decider).__name__} is not a Program; predict takes a program, then a table")
    found: Decisions = decider.decide(table, threads)
    return found


@decide.register(Program)
def _(decider: Program, table: Table, threads: int = 2) -> Decisions:
    return Decisions(deciding_rules(decider, table, threads))


def label_places(decider: Decider, table: Table, labels: Sequence[Label]) -> NDArray[np.int64]:
    """Return the index, among the given labels, of the label that each row gets; -1 if it gets none of them."""
    return head_indices(decider, labels)[decide(decider, table).choices]


def head_indices(decider: Decider, labels: Sequence[Label]) -> NDArray[np.int64]:
    """Return the index of each of ``decider.heads`` among the given labels; -1 is no label."""
    place: dict[Label | None, int] = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(head, -1) for head in decider.heads], dtype=np.int64)


def predict(decider: Decider, table: Table) -> NDArray[np.object_]:
    """Predict the label of every row: for a program, the label of the first rule that covers it, or ``otherwise``.

    The table must contain the columns that the program uses, in any order; categories and numbers that training did not
    have are treated like any other. Read new records with ``read_table(source, like=program)``.

    Returns
    -------
    array of object
        Labels; None where the program leaves a record unclassified.
    """
    choices = decide(decider, table).choices
    labels = np.empty(len(decider.heads), dtype=object)
    labels[:] = decider.heads
    return labels[choices]


def deciding_rules(program: Program, table: Table, threads: int = 2) -> NDArray[np.int32]:
    """Return the index of the rule that decides each row, -1 if no rule covers it."""
    columns, code = tested_columns(program, table), ProgramCode(program)
    return code.decide(fillers(code.bins, columns), len(table), threads)


def tested_features(decider: Decider, table: Table) -> Table:
    """Return a table without the features that no rule tests."""
    return Table(tuple(map(table.column, decider.used)), table.target, len(table))


def tested_columns(decider: Decider, table: Table) -> list[Column]:
    """Return the columns that rules test, with dates and levels in the notation of the rules."""
    if not isinstance(table, Table):
        raise ParameterError(f"a {type(table).__name__} is not a Table; make one: read_table(source, like=program)")
    if lacking := [name for name in decider.used if name not in table.features]:
        near = suggest(lacking[0], table.features)
        raise UnknownNameError(f"the {decider.noun} uses {lacking[0]!r}, which the table lacks{near}")
    notations = decider.all_rules.notations
    return [table.column(name).in_notation(notations.get(name)) for name in decider.used]


@singledispatch
def make_chooser(decider: Any, columns: Sequence[Column]) -> Chooser:
    """Return a function that computes `Decisions.choices` from codes of these columns and a number of rows."""

    def choose(codes: Sequence[Codes], rows: int) -> NDArray[np.int32]:
        changed = (replace(column, codes=own) for column, own in zip(columns, codes, strict=True))
        return decide(decider, Table(tuple(changed), rows=rows)).choices

    return choose


@make_chooser.register(Program)
def _(decider: Program, columns: Sequence[Column]) -> Chooser:
    code = ProgramCode(decider)
    return lambda codes, rows: code.decide(fillers(code.bins, columns, codes), rows)


class ProgramCode:
    """A program compiled to jumps between tests of bins, which `kernels.deciding` executes.

    ``numbers`` contains the tests, and ``starts`` the start of each rule, then the end (-1).
    A test is five numbers: the start of its column in a block, the bins [low, end) that satisfy it, the jump target if
    it fails, and the jump target if it holds. Target -2 - k ends: rule k decides, or no rule does (k = -1). The tests
    are laid out backwards, so that every target is known.
    """

    def __init__(self, program: Program) -> None:
        self.bins = bins_tested_by(program)
        self._numbers, starts = list[int](), [-1]
        columns = {one.feature: (number * _BLOCK, one) for number, one in enumerate(self.bins)}
        for number in reversed(range(len(program.rules))):
            starts.append(self._rule(program.rules[number], -2 - number, starts[-1], columns))
        self.numbers = np.array(self._numbers, dtype=np.int32)
        self.starts = np.array(starts[::-1], dtype=np.int32)

    def _rule(self, rule: Rule, success: int, failure: int, columns: Mapping[str, tuple[int, ValueBins]]) -> int:
        """Add the tests of a rule; return their start."""
        goal = success
        for exception in reversed(rule.exceptions):
            goal = self._rule(exception, failure, goal, columns)
        for literal in reversed(rule.default):
            start, bins = columns[literal.feature]
            low, end, negated = bins.span(literal)
            self._numbers.extend([start, low, end, *((goal, failure) if negated else (failure, goal))])
            goal = len(self._numbers) - 5
        return goal

    def decide(
        self, fills: Sequence[Fill], rows: int, threads: int = 2, after: NDArray[np.int32] | None = None
    ) -> NDArray[np.int32]:
        """Return the index of the rule that decides each row, -1 if no rule covers it.

        If ``after`` contains the index of a rule for each row, only later rules count.
        """
        out = np.full(rows, self.starts[0], np.int32) if after is None else self.starts[after + 1]

        def run(first: int, last: int) -> None:
            block = np.empty((len(fills), _BLOCK), np.int32)
            for start in range(first, last, _BLOCK):
                end = min(start + _BLOCK, last)
                for bins, fill in zip(block, fills, strict=True):
                    fill(start, end, bins[: end - start])
                kernels.decide_rows(self.numbers, block.reshape(-1), out[start:end])

        if threads < 2 or rows < _THREADS_FROM:
            run(0, rows)
        else:
            middle = rows // (2 * _BLOCK) * _BLOCK
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(run, (0, middle), (middle, rows)))
        return out
