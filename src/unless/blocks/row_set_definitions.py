"""Define sets of rows by the operations that derive them from other sets.

A set is sent to blocks as a definition, never as row numbers, so that a block without the set can compute it: all rows;
the rows with a label or without it; the rows that a rule covers or does not cover; and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as counter
from secrets import randbits
from typing import Any

from unless.kernels import RowSelection

_NUMBERS = counter(randbits(62) << 40)
"""The numbers of definitions, never used twice: blocks outlive an engine, and cache rows by number."""

OPERATIONS: Mapping[str, Callable[..., Sequence[RowSelection]]] = {
    "all_rows": lambda engine: (engine.all_rows(),),
    "split": lambda engine, rows, label: engine.split(rows, label),
    "gains_and_losses": lambda engine, rows, right, label: engine.gains_and_losses(rows, label, right),
    "minus": lambda engine, rows, gone: (engine.minus(rows, gone),),
    "plus": lambda engine, rows, more: (engine.plus(rows, more),),
    "covered_by_literal": lambda engine, rows, literal: (engine.covered_by_literal(rows, literal),),
    "covered_by_rule": lambda engine, rows, rule: (engine.covered_by_rule(rows, rule),),
    "folds": lambda engine, rows, count, among: engine.folds(rows, count, among),
    "split_holdout": lambda engine, rows, split: engine.split_holdout(rows, split),
    "sample_every": lambda block, rows, count: (block.sample_every(rows, count),),
}
"""The operations of definitions on an engine in memory: they make sets from other sets and further arguments.

Only a block has the order in which its rows were read, so only a block selects every n-th row.
"""


@dataclass(frozen=True, slots=True, eq=False)
class RowSetDefinition:
    """The definition of a set of rows: an operation on other sets, and its further arguments.

    An operation may make several sets at once: ``group`` has the numbers of all, and ``number`` is one of them.
    """

    op: str
    sets: tuple[RowSetDefinition, ...] = ()
    what: tuple[Any, ...] = ()
    number: int = -1
    group: tuple[int, ...] = ()

    @classmethod
    def one(cls, op: str, sets: tuple[RowSetDefinition, ...] = (), what: tuple[Any, ...] = ()) -> RowSetDefinition:
        """Define the set that an operation makes."""
        return cls.several(1, op, sets, what)[0]

    @classmethod
    def several(
        cls, count: int, op: str, sets: tuple[RowSetDefinition, ...], what: tuple[Any, ...]
    ) -> list[RowSetDefinition]:
        """Define the sets that an operation makes at once."""
        group = tuple(next(_NUMBERS) for _ in range(count))
        return [cls(op, sets, what, number, group) for number in group]


DefinitionStep = tuple[str, tuple[int, ...], tuple[Any, ...], tuple[int, ...]]
"""A definition that refers to its operands by number."""


def flatten_definitions(targets: Iterable[RowSetDefinition]) -> dict[int, DefinitionStep]:
    """List all definitions that some depend on, by number; nesting could exceed Python's recursion limit."""
    found: dict[int, DefinitionStep] = {}
    waiting = list(targets)
    while waiting:
        one = waiting.pop()
        if one.number not in found:
            found[one.number] = one.op, tuple(each.number for each in one.sets), one.what, one.group
            waiting += one.sets
    return found
