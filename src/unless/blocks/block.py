"""A block: some rows of a table, encoded for the counting kernels, in memory or in a mapped file.

A block is an engine, so that literals, rules and folds have the same meaning as in memory. It counts in bins that all
blocks share. Blocks also share the values of columns with few values; with many values, each block has its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_arrays import NO_ROWS, block_column, make_row_grid
from unless.blocks.block_queries import BlockQuery, FetchedRows
from unless.blocks.column_bins import ColumnBins, Spans, parts_in_spans, slice_ends
from unless.blocks.column_regions import Integers
from unless.blocks.row_set_definitions import OPERATIONS, DefinitionStep
from unless.blocks.selection_cache import SelectionCache
from unless.kernels import RowSelection
from unless.learn.memory_engine import MemoryEngine, Test, Tests
from unless.rule import Literal, Rule
from unless.storage.array_files import StoredArrays
from unless.storage.direct_io import Positions
from unless.table import Column, HoldoutSplit, Labels
from unless.table.columns import replace_checked
from unless.table.holdout_split import identity_sample, identity_sums, part_counts, record_identities
from unless.table.record_hashes import Hashes, record_hashes
from unless.table.seen_values import drop_unused_values_of
from unless.values import Label

Numbers = NDArray[np.float64]

Ends = Sequence[Any]
"""The numbers at which parts begin or end; None means no limit."""

_MISSING, _NEVER = -1, -2
"""Stand-in ranks for literals on bare columns that do not compare numbers."""


class Block(MemoryEngine):
    """A block of rows that answers queries and caches sets of rows, up to ``memory_budget`` bytes."""

    def __init__(
        self, bins: Sequence[ColumnBins], labels: int, arrays: StoredArrays, memory_budget: float = 2e9
    ) -> None:
        self.features = tuple(one.column.name for one in bins)
        self.labels = tuple(range(labels))
        self._columns = tuple(block_column(one, i, arrays) for i, one in enumerate(bins))
        self._bins_of = bins
        self._bare = {i: place for place, i in enumerate(i for i, one in enumerate(bins) if one.bare)}
        wide = (i for i, one in enumerate(bins) if one.cuts is not None and not one.bare)
        self._wide = {i: place for place, i in enumerate(wide)}
        self._labels = arrays["labels"]
        self._count = len(self._labels)
        self._even = not len(arrays["weights"])
        self._places = arrays.get("places")
        self._weights = _unit_weights(self._count) if self._even else arrays["weights"]
        self._unit = 1.0
        self._near: NDArray[np.float64] = arrays["cells"].reshape(len(self._bare), self._count)
        self.arrays, self._need = arrays, arrays.need
        self._grid: Any = make_row_grid(bins, self._columns, self._labels, self._weights)
        self._grid.adopt(arrays["bins"], arrays["fine"], arrays["lows"], arrays["cells"])
        self._literals, self._tests, self._folds = {}, {}, None
        self.selections = SelectionCache(self._grid, self._count, memory_budget)

    # Queries: `block_queries` combines the answers of all blocks.

    def sizes(self, rows: RowSelection) -> Integers:
        """Count and weigh the rows of each label."""
        labels = len(self.labels)
        weights = self._grid.label_weights(rows, labels)
        times = weights if self._even else np.bincount(self._labels[rows.rows()], minlength=labels)
        return np.array([times, weights], np.int64)

    def histogram(self, rows: RowSelection) -> NDArray[np.int32]:
        """Compute the weight of the rows in each bin of each column."""
        self._need("bins")
        found: NDArray[np.int32] = self._grid.histogram(rows)
        return found

    def column(self, place: int) -> Column:
        """Return a column with the values of this block, without rows; a bare column has only some of its numbers."""
        return self._columns[place]

    def is_bare(self, place: int) -> bool:
        """Whether a column is stored as plain numbers, without ranks."""
        return place in self._bare

    def weights_by_rank(self, rows: RowSelection, place: int, first: int = 0, end: int | None = None) -> Integers:
        """Compute the weight of the rows with each rank of a column, or with each rank of a range."""
        found = np.zeros((self._columns[place].missing + 1 if end is None else end) - first, np.int64)
        self._need_column(place)
        self._grid.weigh_ranks(rows, place, first, found)
        return found

    def weights_by_part(self, rows: RowSelection, place: int, first: int, end: int) -> Integers:
        """Compute the weight of the rows in a range of finer parts of a bare column."""
        found = np.zeros(end - first, np.int64)
        self._need_column(place)
        self._grid.weigh_parts(rows, place, self._bins_of[place].starts, first, found)
        return found

    def numbers_in(self, sets: Sequence[RowSelection], place: int, lows: Ends, highs: Ends) -> tuple[Numbers, Integers]:
        """Return the sorted numbers in some parts of a bare column, and the weight of the rows of each set.

        A part contains the numbers above its low end, up to its high end; parts are sorted and disjoint.
        """
        return self._sort_and_sum(*self._cells_between(sets, place, lows, highs), len(sets))

    def weights_by_slice(self, sets: Sequence[RowSelection], place: int, lows: Ends, highs: Ends) -> Integers:
        """Compute the weight of the rows of each set in the slices (`bins.slice_ends`) of parts that have both ends."""
        cells, rows, which = self._cells_between(sets, place, lows, highs)
        ends = slice_ends(lows, highs).ravel()
        found = np.zeros((len(sets), len(ends)), np.int64)
        np.add.at(found, (which, np.searchsorted(ends, cells)), self._weights[rows])
        return found

    def _cells_between(
        self, sets: Sequence[RowSelection], place: int, lows: Ends, highs: Ends
    ) -> tuple[Numbers, Positions, Positions]:
        """Return the numbers of a bare column in some parts, their rows, and the set of each row."""
        rows, which = self._in_parts(sets, place, self._bins_of[place].spans_in(lows, highs))
        cells = self._numbers_of_rows(place, rows)
        there = _place_among(cells, lows, highs) < len(lows)
        return cells[there], rows[there], which[there]

    def _in_parts(self, sets: Sequence[RowSelection], place: int, spans: Spans) -> tuple[Positions, Positions]:
        """Select the rows of some sets in some finer parts of a bare column, with the set of each row."""
        self._need_column(place)
        flags = parts_in_spans(self._bins_of[place], spans)
        found = [self._grid.in_parts(rows, place, self._bins_of[place].starts, *flags) for rows in sets]
        return np.concatenate(found), np.repeat(np.arange(len(sets)), [len(rows) for rows in found])

    def nearest_numbers(self, rows: RowSelection, place: int, number: float) -> Numbers:
        """Return sorted numbers of the rows in a bare column that include the nearest ones to a number."""
        end = int(self._bins_of[place].starts[-1])
        there = np.flatnonzero(self.weights_by_part(rows, place, 0, end))
        at = int(np.searchsorted(there, self._bins_of[place].parts_in(None, number)[1] - 1))
        parts = there[max(at - 1, 0) : at + 2]
        some, which = self._in_parts([rows], place, (tuple(parts.tolist()), tuple((parts + 1).tolist())))
        return self._sort_and_sum(self._numbers_of_rows(place, some), some, which, 1)[0]

    def numbers(self, rows: RowSelection, place: int) -> tuple[Numbers, Integers]:
        """Return the sorted numbers of the rows in a bare column, without missing cells, and their weights."""
        some = rows.rows()
        numbers, weights = self._sort_and_sum(self._numbers_of_rows(place, some), some, np.zeros(len(some), np.intp), 1)
        return numbers, weights[0]

    def _sort_and_sum(self, cells: Numbers, rows: Positions, which: Positions, sets: int) -> tuple[Numbers, Integers]:
        """Sort the numbers of some rows, without missing cells, and sum the weights of each set."""
        weights = self._weights[rows]
        there = ~np.isnan(cells) & (weights > 0)
        values, places = np.unique(cells[there], return_inverse=True)
        found = np.zeros((sets, len(values)), np.int64)
        np.add.at(found, (which[there], places), weights[there])
        return values, found

    def extent(self, place: int) -> tuple[float, float]:
        """Find the smallest and the largest finite number of a column; NaN if there are no finite numbers."""
        numbers = self._cells(place) if place in self._bare else self._columns[place].numbers
        finite = numbers[np.isfinite(numbers)]
        return (float(finite.min()), float(finite.max())) if len(finite) else (np.nan, np.nan)

    def fetch(self, sets: Sequence[RowSelection]) -> FetchedRows:
        """Fetch the rows of some sets, one set after the other."""
        rows = np.concatenate([rows.rows() for rows in sets])
        numbers = self._fetch_numbers(rows)
        columns = range(len(self._columns))
        pairs = [
            self._fetch_ranked(i, rows) if i not in self._bare else (numbers[self._bare[i]], None) for i in columns
        ]
        which = np.repeat(np.arange(len(sets), dtype=np.uint8), [len(one.rows()) for one in sets])
        found, values = tuple(each for each, _ in pairs), tuple(column for _, column in pairs)
        return FetchedRows(found, values, self._labels[rows].astype(np.int32), self._weights[rows], which)

    def _fetch_ranked(self, i: int, rows: NDArray[np.int32]) -> tuple[NDArray[Any], Column | None]:
        """Fetch the cells of some rows in a column: numbers, shared ranks, or ranks among values of this block only."""
        self._need_column(i)
        codes = self._grid.ranks_of(i, rows)
        return _cells_of_rows(self._columns[i], codes) if self._bins_of[i].open else (codes, None)

    def _fetch_numbers(self, rows: Positions) -> Sequence[Numbers]:
        """Fetch the numbers of some rows in all bare columns, one column after the other."""
        if self.arrays.uncached is None or "records" not in self.arrays.uncached:
            return [self._numbers_of_rows(i, rows) for i in self._bare]
        return list(np.ascontiguousarray(self.arrays.uncached.rows("records", len(self._bare), rows).T))

    def sample_every(self, rows: RowSelection, count: int) -> RowSelection:
        """Select every ``count``-th row in the order in which rows were read, however they are stored."""
        numbers = rows.rows()
        if self._places is not None:
            self._need("places")
        order = numbers if self._places is None else self._places[numbers]
        return self.of_rows(numbers[order.argsort()[::count]])

    def split_holdout(self, rows: RowSelection, split: HoldoutSplit) -> tuple[RowSelection, RowSelection]:
        """Split rows into those to learn from and those to hold back."""
        numbers = rows.rows()
        held = split.held_back_codes(self._hashes(), self._labels)[numbers]
        return self.of_rows(numbers[~held]), self.of_rows(numbers[held])

    def split_census(self, labels: tuple[Label, ...], salt: int) -> tuple[Integers, Hashes, Hashes]:
        """Count the rows of each label in each part of a split; also return fingerprint sums and a sample."""
        hashes, known = self._hashes(), Labels("", labels, self._labels)
        found = record_identities(hashes, known)
        return part_counts(hashes, known, salt), identity_sums(found), identity_sample(found)

    def split(self, rows: RowSelection, label: int) -> tuple[RowSelection, RowSelection]:
        self._need("bins")  # reading label by label; page by page would take ten times as long
        return super().split(rows, label)

    def folds(self, rows: RowSelection, count: int, among: int | None = None) -> list[RowSelection]:
        found = super().folds(rows, count, among)
        self._folds = None  # eight bytes for every row
        return found

    # Sets of rows, evaluated from their definitions.

    def row_sets(self, query: BlockQuery[Any]) -> Iterator[RowSelection]:
        """Yield the sets of a query, one after the other."""
        self._need("labels")
        for number in query.sets:
            yield self.resolve(number, query.steps)

    def resolve(self, number: int, steps: Mapping[int, DefinitionStep]) -> RowSelection:
        """Evaluate a definition: derive its rows from cached sets."""
        known: dict[int, RowSelection] = {}
        self._grid.forget_edges()
        order = self._resolve_order(number, steps, known)
        uses = Counter([number, *(one for each in order for one in steps[each][1])])
        for each in order:
            op, sets, what, group = steps[each]
            found = OPERATIONS[op](self, *(known[one] for one in sets), *what)
            most = max((len(known[one].rows()) for one in sets), default=0)
            for one, rows in zip(group, found, strict=True):
                # Copy few rows out of many: a view would keep the whole array in memory.
                copied = op != "label" and 2 * len(rows.rows()) < most
                known[one] = self.of_rows(rows.rows().copy()) if copied else rows
                self.selections.put(one, known[one])
            uses.subtract(sets)
            for one in (*sets, *group):
                if not uses[one]:  # a long chain of sets would not fit into memory
                    known.pop(one, None)
        return known[number]

    def _resolve_order(
        self, number: int, steps: Mapping[int, DefinitionStep], known: dict[int, RowSelection]
    ) -> list[int]:
        """Order the definitions to evaluate, each after those it needs; cached sets become known."""
        order, seen = list[int](), set[int]()
        waiting = [(number, False)]
        while waiting:
            one, ready = waiting.pop()
            if ready:
                order.append(one)
            elif one in seen or one in known:
                continue
            elif (found := self.selections.get(one)) is not None:
                known[one] = found
            else:
                _, sets, _, group = steps[one]
                seen.update(group)
                waiting.append((one, True))
                waiting += [(each, False) for each in sets]
        return order

    def _numbers_of_rows(self, place: int, rows: Positions) -> Numbers:
        """Return the numbers of some rows in a bare column."""
        return self._cells(place, rows)[rows]

    def _cells(self, place: int, rows: Positions | None = None) -> Numbers:
        """Return all numbers of a bare column, for selecting many rows at once."""
        bare = self._bare[place]
        uncached = self.arrays.uncached
        found: Numbers = self._near[bare] if uncached is None else uncached.part("cells", bare, len(self._bare), rows)
        return found

    def _need_column(self, place: int) -> None:
        """Load the bins of a column, and its ranks, if they are not in memory."""
        self._need("bins", place, len(self._columns))
        if place in self._bare:
            self._need("lows", self._bare[place], len(self._bare))
        elif place in self._wide:
            self._need("fine", self._wide[place], len(self._wide))

    def _hashes(self) -> NDArray[np.uint64]:
        every = np.arange(self._count, dtype=np.int32)
        return record_hashes([self._column_with_rows(i, every) for i in range(len(self._columns))], self._count)

    def _column_with_rows(self, i: int, every: NDArray[np.int32]) -> Column:
        """Return a column with its rows; a bare column has a number for every row, in any order."""
        if i not in self._bare:
            return replace_checked(self._columns[i], codes=self._grid.ranks_of(i, every))
        cells = self._cells(i).copy()
        return replace_checked(self._columns[i], codes=np.where(np.isnan(cells), self._count, every), numbers=cells)

    def literal_tests(self, rule: Rule) -> Tests:
        """Build the tests of a rule, anew each time: their columns must be in memory."""
        return [self.test_of(literal) for literal in rule.default], [self.literal_tests(one) for one in rule.exceptions]

    def test_of(self, literal: Literal) -> Test:
        place = self.features.index(literal.feature)
        self._need_column(place)
        if place not in self._bare:
            return super().test_of(literal)
        other = literal.op in (">", "!=", "present")
        if literal.op in ("<=", ">"):
            number = float(literal.value)  # type: ignore[arg-type]  # a number, for such operators
            return place, self._grid.edge(*self._bins_of[place].part_of(number), number), other
        return place, _MISSING if literal.op in ("missing", "present") else _NEVER, other


def _place_among(cells: Numbers, lows: Ends, highs: Ends) -> NDArray[np.intp]:
    """Find the interval of each number; outside all intervals or missing, the result is the number of intervals."""
    low, high = np.array(lows, np.float64), np.array(highs, np.float64)  # None is NaN: never less or greater
    found = np.searchsorted(high, cells)
    outside = np.isnan(cells) | (cells <= low.take(found, mode="clip"))
    found[outside] = len(lows)
    return found


def _unit_weights(rows: int) -> NDArray[np.int32]:
    """Return weights of 1 for all rows, in an array that all blocks share."""
    if len(_ONES[0]) < rows:
        _ONES[0] = np.ones(rows, np.int32)
    return _ONES[0][:rows]


_ONES: list[NDArray[np.int32]] = [np.empty(0, np.int32)]


def _cells_of_rows(column: Column, codes: NDArray[np.int32]) -> tuple[NDArray[Any], Column | None]:
    """Return the cells of some rows: numbers if there are no texts, otherwise ranks with the values that occur."""
    if not len(column.categories):
        if not len(column.numbers):
            return np.full(len(codes), np.nan), None
        numbers = column.numbers.take(codes, mode="clip")  # missing cells have the rank after the last
        numbers[codes == column.missing] = np.nan
        return numbers, None
    found = drop_unused_values_of(replace_checked(column, codes=codes))
    return found.codes, replace_checked(found, codes=NO_ROWS, categories=tuple(found.categories))
