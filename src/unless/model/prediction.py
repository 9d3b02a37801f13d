"""What decides records, and what it decides on a table: the label of every row, and the rule that gives it."""

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
"""Rows per block: the bins of twenty columns fit into the second-level cache."""

_THREADS_FROM = 200_000
"""From this many rows on, two threads are faster."""


class Decider(Protocol):
    """What decides records: a `Program`, a `Committee`, or another class with these attributes and methods.

    Besides the attributes below it has ``decide(table, threads)``, which returns `Decisions`, and
    ``explain(record)``, which returns what prints itself as an answer to "why". The functions `decide` and
    `unless.explain` call these methods; for programs, which know nothing of tables, they do the work themselves.
    Everything else takes a `Decider` and never asks which one it is. An export that has no words for it refuses it.
    """

    @property
    def noun(self) -> str:
        """What people call it: "program", "committee of 5 lists"."""

    @property
    def by_rule(self) -> bool:
        """Whether one rule decides each record; ``heads`` are then those of ``all_rules``."""

    @property
    def target(self) -> str:
        """The name of the column of labels."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all columns of training."""

    @property
    def used(self) -> tuple[str, ...]:
        """The features that rules test, in the order of ``features``; decisions need only these."""

    @property
    def heads(self) -> tuple[Label | None, ...]:
        """The labels that `Decisions.choices` count; None leaves a record undecided."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """The different labels that it can give."""

    @property
    def lists(self) -> tuple[Program, ...]:
        """Its lists of rules; only one of them decides each record if ``by_rule``."""

    @property
    def all_rules(self) -> Program:
        """All its rules in one list, which says what is tested, but not what is decided."""


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What was decided of each row of a table."""

    choices: NDArray[np.int32]
    """The index in `Decider.heads` of the label of each row; where a program has no rule for a row, -1."""
    points: NDArray[np.int64] | None = None
    """The points of each row and label, whose shares of the odds are probabilities; None if there are none."""


@singledispatch
def decide(decider: Any, table: Table, threads: int = 2) -> Decisions:
    """Decide every row of a table, which needs the columns that ``decider.used`` names, in any order."""
    if not hasattr(decider, "decide"):
        raise ParameterError(f"a {type(decider).__name__} is not a Program; predict takes a program, then a table")
    found: Decisions = decider.decide(table, threads)
    return found


@decide.register(Program)
def _(decider: Program, table: Table, threads: int = 2) -> Decisions:
    return Decisions(deciding_rules(decider, table, threads))


def label_places(decider: Decider, table: Table, labels: Sequence[Label]) -> NDArray[np.int64]:
    """The place among some labels of the label that each row of a table gets; -1 if it gets none of them."""
    return head_indices(decider, labels)[decide(decider, table).choices]


def head_indices(decider: Decider, labels: Sequence[Label]) -> NDArray[np.int64]:
    """The place of each of ``decider.heads`` among some labels; -1 is no label."""
    place: dict[Label | None, int] = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(head, -1) for head in decider.heads], dtype=np.int64)


def predict(decider: Decider, table: Table) -> NDArray[np.object_]:
    """The label of every row; of a program, that of the first rule that covers it, else its ``otherwise``.

    The table needs the columns that the program uses, in any order; a category or a number that training did not have
    is like any other. Read new records with ``read_table(source, like=program)``.

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
    """The index of the rule that decides each row, -1 if no rule covers it."""
    columns, code = tested_columns(program, table), ProgramCode(program)
    return code.decide(fillers(code.bins, columns), len(table), threads)


def tested_features(decider: Decider, table: Table) -> Table:
    """A table without the features that no rule tests."""
    return Table(tuple(map(table.column, decider.used)), table.target, len(table))


def tested_columns(decider: Decider, table: Table) -> list[Column]:
    """The columns that rules test, with dates and levels as the rules write them."""
    if not isinstance(table, Table):
        raise ParameterError(f"a {type(table).__name__} is not a Table; make one: read_table(source, like=program)")
    if lacking := [name for name in decider.used if name not in table.features]:
        near = suggest(lacking[0], table.features)
        raise UnknownNameError(f"the {decider.noun} uses {lacking[0]!r}, which the table lacks{near}")
    notations = decider.all_rules.notations
    return [table.column(name).in_notation(notations.get(name)) for name in decider.used]


@singledispatch
def make_chooser(decider: Any, columns: Sequence[Column]) -> Chooser:
    """Return a function from codes, in these columns, and a number of rows to `Decisions.choices`."""

    def choose(codes: Sequence[Codes], rows: int) -> NDArray[np.int32]:
        changed = (replace(column, codes=own) for column, own in zip(columns, codes, strict=True))
        return decide(decider, Table(tuple(changed), rows=rows)).choices

    return choose


@make_chooser.register(Program)
def _(decider: Program, columns: Sequence[Column]) -> Chooser:
    code = ProgramCode(decider)
    return lambda codes, rows: code.decide(fillers(code.bins, columns, codes), rows)


class ProgramCode:
    """A program, ready to decide: jumps between tests of bins, see `kernels.deciding`.

    ``numbers`` are the tests, and ``starts`` is where each rule, and the end, starts.
    A test is five numbers: where its column starts in a block, the bins [low, end) that satisfy it, where to go if it
    fails, and where to go if it holds. Going to -2 - k is the end: rule k decides, or no rule does (k = -1). The tests
    are laid out backwards, so that every goal is known.
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
        """Add the tests of a rule; return where they begin."""
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
        """The index of the rule that decides each row, -1 if no rule covers it.

        If there is the index of a rule for each row, only rules ``after`` that one count.
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
