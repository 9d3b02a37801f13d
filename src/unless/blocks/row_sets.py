"""Remember the counts of sets of rows, and derive the counts of sets made from them.

Learning removes the rows that a rule covers from a set, again and again, and usually these are few. The counts of a set
minus the counts of the removed rows are the counts of the rest, so no pass over the data is needed.
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
"""Up to this many removed rows are counted in memory, which saves counting the larger set again."""

_MANY = 500_000
"""The most weights of a set that are cached, by parts and by values."""

_REMEMBERED = 16
"""The most sets that are cached by their origin."""


KnownValues = NDArray[np.float64] | list[str]
"""Sorted numbers or texts."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class RowSet:
    """A set of rows: its definition, and its known counts.

    ``sizes`` are the number of rows of each label, and their weights; ``weight`` is the weight of all rows, which may
    be known earlier. A ``local`` set was fetched.
    """

    definition: RowSetDefinition
    sizes: Integers | None = None
    weight: int | None = None
    histogram: Integers | None = None
    parts: dict[int, tuple[int, Integers]] = field(default_factory=dict)
    """The weights of consecutive finer parts of some columns, and the position of the first part."""
    slices: dict[Interval, Integers] = field(default_factory=dict)
    """The weights in the slices of some finer parts."""
    values: dict[Interval, tuple[KnownValues, Integers]] = field(default_factory=dict)
    """The values in some intervals of columns, with their weights."""
    local: tuple[LocalRows, RowSelection] | None = None

    @property
    def number(self) -> int:
        """The number of the definition."""
        return self.definition.number

    def note_sizes(self, sizes: Integers) -> None:
        """Store the sizes and the total weight."""
        self.sizes, self.weight = sizes, int(sizes[1].sum())

    def note_difference(self, whole: RowSet, gone: RowSet) -> None:
        """Store the counts of a set that remains when rows are removed: the whole minus the removed rows."""
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
        """Store the values in a region, and their weights."""
        for interval, first, end in zip(region.intervals(), *region.edges(values).tolist(), strict=True):
            self.values[interval] = values[first:end], weights[first:end]

    def known_values(self, intervals: Sequence[Interval]) -> tuple[KnownValues, Integers]:
        """Return the known values in consecutive intervals, and their weights."""
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
        """Return the known covered rows and the rows removed since, which must be subtracted."""
        if (rows.number, literal) in self._covered:
            return self._covered[rows.number, literal], None
        number, gone = self._less.get(rows.number, (0, None))
        before = self._covered.get((number, literal))
        if before is None or gone is None or not is_within(gone.definition, before.number):
            return None, None
        return before, gone

    def note_covered(self, rows: RowSet, literal: Literal, found: RowSet) -> None:
        """Cache the set of rows that a literal covers in a set."""
        self._covered[rows.number, literal] = found
        if len(self._covered) > _REMEMBERED:
            self._covered.popitem(last=False)

    def note_less(self, rows: RowSet, gone: RowSet, left: RowSet) -> None:
        """Cache the set that is left when rows are removed."""
        self._less[left.number] = rows.number, gone
        if len(self._less) > _REMEMBERED:
            self._less.popitem(last=False)

    def forget_local(self) -> None:
        """Drop sets that are in memory."""
        self._covered = OrderedDict((key, rows) for key, rows in self._covered.items() if rows.local is None)
        self._less = OrderedDict((key, each) for key, each in self._less.items() if each[1].local is None)


def is_within(one: RowSetDefinition, number: int) -> bool:
    """Whether a set was made by selecting rows of an earlier set."""
    while one.number > number and one.op not in ("all_rows", "plus"):
        one = one.sets[0]
    return one.number == number


def rule_of_definition(
    one: RowSetDefinition, roots: Collection[int], depth: int = MAX_DEPTH
) -> tuple[RowSetDefinition, Rule] | None:
    """Express a set as the rows that a rule covers in one of the root sets, if possible.

    Blocks find the rows that a rule covers in one step, instead of one step per literal and exception.
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
"""The local rows that contain some sets, and the selection of each set."""


def local_selections(*sets: RowSet) -> LocalSelections | None:
    """Find the local rows that contain all sets, if there are any, and the selection of each set."""
    places = [rows.local for rows in sets if rows.local is not None]
    if not places or len(places) < len(sets) or len({id(local) for local, _ in places}) > 1:
        return None
    return places[0][0], tuple(some for _, some in places)
