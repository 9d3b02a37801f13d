"""Sets of rows: what is known about them, and what can be derived for sets that are made from them.

Learning takes away from a set what a rule covers, again and again, and mostly that is little of much. So what was
counted in a set, less what was counted in the rows that are gone, is what is counted in the rest: no pass is needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block import Block
from unless.blocks.block_queries import SliceWeights, ValuesInRegions
from unless.blocks.column_bins import SLICES
from unless.blocks.column_regions import ColumnRegion, Integers, Interval
from unless.blocks.local_rows import LocalRows
from unless.blocks.row_set_definitions import RowSetDefinition
from unless.kernels import RowSelection
from unless.rule import MAX_DEPTH, Literal, Rule

_FEW = 1 << 16
"""Up to this many removed rows are counted in memory, so that the larger set need not be counted again."""

_MANY = 500_000
"""How many weights of a set are cached, by parts and by values."""

_REMEMBERED = 16
"""How many sets are cached by their origin."""


KnownValues = NDArray[np.float64] | list[str]
"""Numbers or texts, in order."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class RowSet:
    """A set of rows: its definition, and what is known about it.

    ``sizes`` are the number of rows of each label, and their weights; ``weight`` is that of all, which may be known
    before. A set that is ``local`` was fetched.
    """

    definition: RowSetDefinition
    sizes: Integers | None = None
    weight: int | None = None
    histogram: Integers | None = None
    parts: dict[int, tuple[int, Integers]] = field(default_factory=dict)
    """For some columns, the weights of consecutive finer parts, and the first of these."""
    slices: dict[Interval, Integers] = field(default_factory=dict)
    """The weights in the slices of some finer parts."""
    values: dict[Interval, tuple[KnownValues, Integers]] = field(default_factory=dict)
    """The values, with weights, in some intervals of columns."""
    local: tuple[LocalRows, RowSelection] | None = None

    @property
    def number(self) -> int:
        """The number of its definition."""
        return self.definition.number

    def note_sizes(self, sizes: Integers) -> None:
        """Note the sizes."""
        self.sizes, self.weight = sizes, int(sizes[1].sum())

    def note_difference(self, whole: RowSet, gone: RowSet) -> None:
        """Note the counts of a set that remains when rows are removed: the whole minus the removed rows."""
        if gone.sizes is None or whole.sizes is None:
            return
        self.note_sizes(whole.sizes - gone.sizes)
        if whole.histogram is None:
            return
        if gone.local is not None and gone.sizes[0].sum() <= _FEW:
            block = gone.local[0].block(gone.local[1])
            rows = block.all_rows()
            self.histogram = whole.histogram - block.histogram(rows)
            for column, (first, weights) in whole.parts.items():
                self.parts[column] = first, weights - block.weights_by_part(rows, column, first, first + len(weights))
            self.slices = _subtract_slices(whole.slices, block)
            self.values = _subtract_values(whole.values, block)
        elif gone.histogram is not None:
            self.histogram = whole.histogram - gone.histogram

    def note_values(self, region: ColumnRegion, values: KnownValues, weights: Integers) -> None:
        """Note the values in a region, and their weights."""
        for interval, first, end in zip(region.intervals(), *region.edges(values).tolist(), strict=True):
            self.values[interval] = values[first:end], weights[first:end]

    def known_values(self, intervals: Sequence[Interval]) -> tuple[KnownValues, Integers]:
        """The values in consecutive intervals, and their weights."""
        pairs = [self.values[one] for one in intervals]
        weights = np.concatenate([some for _, some in pairs])
        if intervals[0].texts:
            return [text for texts, _ in pairs for text in texts], weights
        return np.concatenate([numbers for numbers, _ in pairs]), weights

    def forget_if_many(self) -> None:
        """Drop the weights of parts and of values, if there are many."""
        if sum(len(weights) for _, weights in self.parts.values()) > _MANY:
            self.parts = {}
        if SLICES * len(self.slices) > _MANY:
            self.slices = {}
        if sum(len(weights) for _, weights in self.values.values()) > _MANY:
            self.values = {}


def _subtract_slices(slices: Mapping[Interval, Integers], block: Block) -> dict[Interval, Integers]:
    """Subtract the weights of some rows, given as a block, from weights in slices."""
    if not slices:
        return {}
    intervals = sorted(slices, key=lambda one: one.begin)
    gone = SliceWeights.whole(ColumnRegion.of(intervals)).answer(block)[0].reshape(-1, SLICES)
    return {one: slices[one] - some for one, some in zip(intervals, gone, strict=True)}


def _subtract_values(
    values: Mapping[Interval, tuple[KnownValues, Integers]], block: Block
) -> dict[Interval, tuple[KnownValues, Integers]]:
    """Subtract the weights of some rows, given as a block, from values and their weights."""
    found = dict(values)
    for column, texts in {(interval.column, interval.texts) for interval in values}:
        (counted,) = ValuesInRegions.whole(ColumnRegion.of([Interval(column, texts)])).answer(block)
        gone = list(counted.values)
        for interval in values:
            if (interval.column, interval.texts) != (column, texts):
                continue
            first, end = interval.span(gone)
            if first < end:
                there, weights = found[interval]
                weights = weights.copy()
                places = [bisect_left(there, value) for value in gone[first:end]]
                weights[places] -= counted.weights[0, first:end]
                found[interval] = there, weights
    return found


class RowSetCache:
    """A cache of sets by their origin; sets in memory are dropped when others are fetched."""

    def __init__(self) -> None:
        self._covered: OrderedDict[tuple[int, Literal], RowSet] = OrderedDict()
        self._less: OrderedDict[int, tuple[int, RowSet]] = OrderedDict()

    def covered_by_literal(self, rows: RowSet, literal: Literal) -> tuple[RowSet | None, RowSet | None]:
        """The covered rows, if they are known, and the rows that have been removed since and must be subtracted."""
        if (rows.number, literal) in self._covered:
            return self._covered[rows.number, literal], None
        number, gone = self._less.get(rows.number, (0, None))
        before = self._covered.get((number, literal))
        if before is None or gone is None or not is_within(gone.definition, before.number):
            return None, None
        return before, gone

    def note_covered(self, rows: RowSet, literal: Literal, found: RowSet) -> None:
        """Cache the rows of a set that a literal covers."""
        self._covered[rows.number, literal] = found
        if len(self._covered) > _REMEMBERED:
            self._covered.popitem(last=False)

    def note_less(self, rows: RowSet, gone: RowSet, left: RowSet) -> None:
        """Cache which set is left when rows are removed."""
        self._less[left.number] = rows.number, gone
        if len(self._less) > _REMEMBERED:
            self._less.popitem(last=False)

    def forget_local(self) -> None:
        """Drop sets that are in memory."""
        self._covered = OrderedDict((key, rows) for key, rows in self._covered.items() if rows.local is None)
        self._less = OrderedDict((key, each) for key, each in self._less.items() if each[1].local is None)


def is_within(one: RowSetDefinition, number: int) -> bool:
    """Whether a set was made by selecting rows of another one, which was defined earlier."""
    while one.number > number and one.op not in ("all_rows", "plus"):
        one = one.sets[0]
    return one.number == number


def rule_of_definition(
    one: RowSetDefinition, roots: Collection[int], depth: int = MAX_DEPTH
) -> tuple[RowSetDefinition, Rule] | None:
    """Express a set as the rows that a rule covers in one of the root sets, if it was made like that.

    Blocks find what a rule covers in one step. Literal by literal and exception by exception, they would take hundreds.
    """
    path: list[RowSetDefinition] = []
    while one.number not in roots:
        if one.op not in ("covered_by_literal", "minus") or depth == 0:
            return None
        path.append(one)
        one = one.sets[0]
    on = {one.number, *(each.number for each in path)}
    literals, exceptions = list[Literal](), list[Rule]()
    for each in reversed(path):
        if each.op == "covered_by_literal":
            literals += each.what
        elif (exception := rule_of_definition(each.sets[1], on, depth - 1)) is None:
            return None
        else:
            exceptions.append(exception[1])
    return one, Rule(None, tuple(literals), tuple(exceptions))


LocalSelections = tuple[LocalRows, tuple[RowSelection, ...]]
"""The local rows that hold some sets, and the selection of each set."""


def local_selections(*sets: RowSet) -> LocalSelections | None:
    """The local rows that hold all sets, if they are the same, and the selection of each set."""
    places = [rows.local for rows in sets if rows.local is not None]
    if not places or len(places) < len(sets) or len({id(local) for local, _ in places}) > 1:
        return None
    return places[0][0], tuple(some for _, some in places)
