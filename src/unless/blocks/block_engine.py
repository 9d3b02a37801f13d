"""The engine over blocks: large sets of rows stay in the blocks, small sets are fetched.

Most steps of a fit use few rows, so that only a few steps need a pass over the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from math import ceil
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_arrays import make_row_grid
from unless.blocks.block_queries import (
    BlockQuery,
    DistinctValues,
    FetchedRows,
    FetchRows,
    FiniteRanges,
    HeaviestTexts,
    LabelSizes,
    NeighbouringNumbers,
    PartWeights,
    SizesAndHistograms,
    SliceWeights,
    SplitCensus,
    ValuesInRegions,
    max_text_weights,
)
from unless.blocks.block_store import BlockStore
from unless.blocks.column_bins import SLICES, ColumnBins
from unless.blocks.column_regions import ColumnRegion, Integers, Interval, Span, WeightedValues, sum_weighted_values
from unless.blocks.histogram_search import BestLiteral, CountScore, HistogramSearch
from unless.blocks.local_rows import LocalRows, join_pieces
from unless.blocks.row_set_definitions import OPERATIONS, RowSetDefinition, flatten_definitions
from unless.blocks.row_sets import LocalSelections, RowSet, RowSetCache, is_within, local_selections, rule_of_definition
from unless.kernels import RowSelection
from unless.learn.engine import Engine, GrowthCriteria
from unless.learn.literals import AllowedKinds, FoundLiteral, LiteralScore, ValueCounts
from unless.learn.memory_engine import MORE_THAN_ALL
from unless.learn.rule_limits import NO_LIMITS, RuleLimits
from unless.rule import Literal, Rule
from unless.storage.memory_budget import release_free_memory
from unless.table import HoldoutSplit, Table
from unless.table.record_hashes import Hashes
from unless.values.notation import WHOLE

Answer = TypeVar("Answer")

_NOTHING: Integers = np.empty(0, np.int64)


class BlockEngine(Engine[RowSet]):
    """An engine that queries blocks; it fetches sets of at most ``local`` rows and learns from them in memory.

    ``held_back`` splits off rows that are not learned from; `tests` returns them.
    """

    def __init__(
        self,
        store: BlockStore,
        *,
        local: int = 1_000_000,
        banned: Iterable[Literal] = (),
        held_back: HoldoutSplit | None = None,
    ) -> None:
        self._store, self._local = store, local
        self.target, self.labels = store.target, store.labels
        self.columns = tuple(one.column for one in store.bins)
        self.features = tuple(column.name for column in self.columns)
        self.banned = tuple(banned)
        self.whole = frozenset(one.column.name for one in store.bins if one.column.notation == WHOLE)
        self._spans = _bin_spans(store.bins)
        self._unsized = WeakSet[RowSet]()
        self._cache = RowSetCache()
        self._covered: dict[int, tuple[Literal, int]] = {}
        self._all, self._held = self._make_set("all_rows", ()), None
        if held_back is not None:
            self._all, self._held = self._make_sets(2, "split_holdout", (self._all,), held_back)

    # Rows.

    def all_rows(self) -> RowSet:
        return self._all

    def tests(self) -> RowSet | None:
        """Return the held-back rows, or None."""
        return self._held

    def split_census(self, salt: int) -> tuple[Integers, Hashes, Hashes]:
        """Count all rows of each label in each part of a split; return their fingerprint sums and a sample too."""
        return self._ask(SplitCensus, [], self.labels, salt)

    def records(self, rows: RowSet) -> Integers:
        """Count the rows of each label, regardless of weight."""
        found: Integers = self._sizes(rows)[0]
        return found

    def size(self, rows: RowSet) -> float:
        return self._weight(rows) * self._store.unit

    def label_weights(self, rows: RowSet) -> Sequence[float]:
        weights = self._sizes(rows)[1].tolist()
        return [weight if self._store.unit == 1 else weight * self._store.unit for weight in weights]

    def split(self, rows: RowSet, label: int) -> tuple[RowSet, RowSet]:
        sizes = self._sizes(rows)
        if rows.local is None and sizes[0].sum() <= self._local:
            self._fetch(rows)
        positive, negative = self._make_sets(2, "split", (rows,), label)
        own = np.arange(len(self.labels)) == label
        positive.note_sizes(sizes * own)
        negative.note_sizes(sizes * ~own)
        return positive, negative

    def covered_by_literal(self, rows: RowSet, literal: Literal) -> RowSet:
        if rows.local is not None:
            return self._make_set("covered_by_literal", (rows,), literal)
        before, gone = self._cache.covered_by_literal(rows, literal)
        if before is not None and gone is None:
            return before
        found = self._make_set("covered_by_literal", (rows,), literal)
        if before is not None and gone is not None:
            self._derive(found, before, gone)
            self._cache.note_less(before, gone, found)  # then the rows that another literal covers can be derived too
        self._cache.note_covered(rows, literal, found)
        best, weight = self._covered.get(rows.definition.number, (None, None))
        if best is literal:  # the search has just found these sizes
            found.weight = weight
        return found

    def minus(self, rows: RowSet, gone: RowSet) -> RowSet:
        left = self._make_set("minus", (rows, gone))
        if left.local is None and is_within(gone.definition, rows.number):
            self._derive(left, rows, gone)
            self._cache.note_less(rows, gone, left)
        return left

    def _derive(self, left: RowSet, whole: RowSet, gone: RowSet) -> None:
        """Derive the counts of a set from those of a larger set."""
        if (where := local_selections(whole, gone)) is not None:
            local, pair = where
            left.local = local, local.engine.minus(*pair)
            local.fetched.add(left.number)
        else:
            if gone.local is not None:
                self._sizes(gone)
            left.note_difference(whole, gone)

    def plus(self, rows: RowSet, more: RowSet) -> RowSet:
        both = self._make_set("plus", (rows, more))
        if rows.sizes is not None and more.sizes is not None:
            both.note_sizes(rows.sizes + more.sizes)
        return both

    def covered_by_rule(self, rows: RowSet, rule: Rule) -> RowSet:
        return self._make_set("covered_by_rule", (rows,), rule)

    def gains_and_losses(self, rows: RowSet, label: int, right: RowSet) -> tuple[RowSet, RowSet]:
        gains, losses = self._make_sets(2, "gains_and_losses", (rows, right), label)
        self._fetch_together(gains, losses)
        return gains, losses

    def folds(self, rows: RowSet, count: int, among: int | None = None) -> list[RowSet]:
        return self._make_sets(count, "folds", (rows,), count, among)

    def distinct(self) -> Sequence[int]:
        return self._distinct

    @cached_property
    def _distinct(self) -> list[int]:
        if not self._store.some_weigh_nothing:
            return [one.distinct for one in self._store.bins]
        values = self._ask(DistinctValues, [self._all], len(self.features))
        return [len(found) for found in values]

    def _make_set(self, op: str, sets: tuple[RowSet, ...], *what: object) -> RowSet:
        return self._make_sets(1, op, sets, *what)[0]

    def _make_sets(self, count: int, op: str, sets: tuple[RowSet, ...], *what: object) -> list[RowSet]:
        """Make the sets of an operation: in memory if its operands are in memory, otherwise by definition."""
        where = local_selections(*sets)
        needed = tuple(rows.definition if where else _definition_for_blocks(rows) for rows in sets)
        found = [RowSet(definition) for definition in RowSetDefinition.several(count, op, needed, what)]
        if where is not None:
            local, selections = where
            for rows, some in zip(found, OPERATIONS[op](local.engine, *selections, *what), strict=True):
                rows.local = local, some
        else:
            self._unsized.update(found)
        return found

    # Literals and rules.

    def find_literal(
        self,
        positive: RowSet,
        negative: RowSet,
        score: LiteralScore,
        used: tuple[Literal, ...] = (),
        allowed: AllowedKinds | None = None,
    ) -> FoundLiteral | None:
        if (fetched := self._fetch_together(positive, negative)) is not None:
            local, (true, false) = fetched
            return local.engine_for(self).find_literal(true, false, score, tuple(filter(local.knows, used)), allowed)
        units = LiteralScore(score.name, min(ceil(score.support / self._store.unit), MORE_THAN_ALL))
        found = self._search(positive, negative, units, allowed, used)
        if found is None:
            return None
        return FoundLiteral(found.literal, (found.positive - found.negative) * self._store.unit)

    def grow_rule(
        self, positive: RowSet, negative: RowSet, criteria: GrowthCriteria, limits: RuleLimits = NO_LIMITS
    ) -> tuple[Rule, RowSet, RowSet] | None:
        """Grow a rule, in one call if the rows are in memory."""
        if (fetched := self._fetch_together(positive, negative)) is None:
            return super().grow_rule(positive, negative, criteria, limits)
        local, (true, false) = fetched
        learned = local.engine_for(self).grow_rule(true, false, criteria, limits)
        if learned is None:
            return None
        rule, *covered = learned
        return rule, *self._covered_sets(local, rule, (positive, negative), covered)

    def grow_exceptions(
        self, positive: RowSet, negative: RowSet, criteria: GrowthCriteria, limits: RuleLimits
    ) -> tuple[tuple[Rule, ...], RowSet, RowSet]:
        """Grow exceptions, in one call if the rows are in memory."""
        if (fetched := self._fetch_together(positive, negative)) is None:
            return super().grow_exceptions(positive, negative, criteria, limits)
        local, (true, false) = fetched
        rules, *spared = local.engine_for(self).grow_exceptions(true, false, criteria, limits)
        return rules, *self._covered_sets(local, Rule(None, (), rules), (positive, negative), spared)

    @staticmethod
    def _covered_sets(
        local: LocalRows, rule: Rule, sets: tuple[RowSet, RowSet], found: Iterable[RowSelection]
    ) -> tuple[RowSet, RowSet]:
        """Wrap the rows of two sets that a rule covers, given as selections in memory."""
        positive, negative = (
            RowSet(RowSetDefinition.one("covered_by_rule", (rows.definition,), (rule,)), local=(local, some))
            for rows, some in zip(sets, found, strict=True)
        )
        return positive, negative

    def neighbouring_numbers(self, rows: RowSet, literal: Literal) -> tuple[float, float] | None:
        if rows.local is not None:
            local, some = rows.local
            return local.engine.neighbouring_numbers(some, literal)
        position = self.features.index(literal.feature)
        low, high = self._ask(NeighbouringNumbers, [rows], position, literal.value).tolist()
        return None if np.isnan(low) or np.isnan(high) else (low, high)

    def counts(self, positive: RowSet, negative: RowSet) -> Iterator[ValueCounts]:
        for i, one in enumerate(self._store.bins):
            intervals = ColumnRegion.of([Interval(i, texts=False), Interval(i, texts=True)])
            numbers, texts = self._ask(ValuesInRegions, [positive, negative], intervals)
            values = [*map(one.column.number, np.asarray(numbers.values).tolist()), *texts.values]
            weights = np.concatenate([numbers.weights, texts.weights], axis=1).tolist()
            missing = [self._weight(rows) - sum(w) for rows, w in zip((positive, negative), weights, strict=True)]
            if any(missing):
                values.append(None)
                weights = [[*w, m] for w, m in zip(weights, missing, strict=True)]
            yield ValueCounts(one.column.name, values, *weights)

    def _search(
        self,
        positive: RowSet,
        negative: RowSet,
        score: LiteralScore,
        allowed: AllowedKinds | None,
        used: tuple[Literal, ...] = (),
    ) -> BestLiteral | None:
        self.check_stop()
        pair = [positive, negative]
        self._need_histograms(pair)
        search = HistogramSearch(
            self._store.bins,
            CountScore(score, self._weight(positive), self._weight(negative)),
            (*self.banned, *used),
            self._heaviest,
            lambda spans: self._part_weights(pair, spans),
            lambda regions: self._slice_weights(pair, regions),
            lambda regions: self._values_in(pair, regions),
            allowed,
        )
        found = search.best(np.array([rows.histogram for rows in pair]), self._spans)
        for rows in pair:
            rows.forget_if_many()
        if found is not None:
            weights = zip(pair, (found.positive, found.negative), strict=True)
            self._covered = {rows.definition.number: (found.literal, weight) for rows, weight in weights}
        return found

    @cached_property
    def _heaviest(self) -> dict[int, Integers]:
        """Bound the weight of a single text in each part of the columns whose texts are cut."""
        intervals = [(i, one.cuts[1]) for i, one in enumerate(self._store.bins) if one.cuts and one.column.categories]
        return max_text_weights(self._ask(HeaviestTexts, [self._all], intervals), intervals) if intervals else {}

    # Asking the blocks.

    def _part_weights(self, sets: Sequence[RowSet], spans: Sequence[Span]) -> list[Integers]:
        """Return the weights of sets in finer parts of columns, span by span."""
        lacking = [rows for rows in sets if any(not _has_span(rows, span) for span in spans)]
        if lacking:
            ends = np.cumsum([end - first for _, first, end in spans])[:-1]
            answer = np.split(self._ask(PartWeights, lacking, spans), ends, axis=1)
            for position, rows in enumerate(lacking):
                for (column, first, _), weights in zip(spans, answer, strict=True):
                    rows.parts[column] = first, weights[position].copy()
        return [np.array([_weights_in_span(rows, span) for rows in sets]) for span in spans]

    def _slice_weights(self, sets: Sequence[RowSet], regions: Sequence[ColumnRegion]) -> list[Integers]:
        """Return the weights of sets in the slices of regions: for each set, one part after the other."""
        intervals = [region.intervals() for region in regions]
        wanted = [one for each in intervals for one in each if any(one not in rows.slices for rows in sets)]
        if lacking := [rows for rows in sets if any(one not in rows.slices for one in wanted)]:
            answer = self._ask(SliceWeights, lacking, ColumnRegion.of(wanted)).reshape(len(lacking), -1, SLICES)
            for rows, counted in zip(lacking, answer, strict=True):
                rows.slices.update(zip(wanted, counted, strict=True))
        return [np.array([np.concatenate([rows.slices[one] for one in each]) for rows in sets]) for each in intervals]

    def _values_in(self, sets: Sequence[RowSet], regions: Sequence[ColumnRegion]) -> list[WeightedValues]:
        """Return the values in regions of columns, and the weight of each value in each set."""
        intervals = [region.intervals() for region in regions]
        wanted = [one for each in intervals for one in each if any(one not in rows.values for rows in sets)]
        if lacking := [rows for rows in sets if any(one not in rows.values for one in wanted)]:
            some = ColumnRegion.of(wanted)
            answer = self._ask(ValuesInRegions, lacking, some)
            for region, counted in zip(some, answer, strict=True):
                for rows, weights in zip(lacking, counted.weights, strict=True):
                    rows.note_values(region, counted.values, weights)
        return [_known_values(sets, each) for each in intervals]

    def extent(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Find the smallest and the largest finite number of some columns."""
        return self._ask(FiniteRanges, [], columns)

    def sample_every(self, every: int, *, tests: bool = False) -> tuple[Table, NDArray[np.float64]]:
        """Fetch every ``every``-th record (of those held back if ``tests``), and their weights in units."""
        rows = self._held if tests and self._held is not None else self._all
        some = RowSet(RowSetDefinition.one("sample_every", (_definition_for_blocks(rows),), (every,)))
        pieces: list[FetchedRows] = self._ask(FetchRows, [some])
        return join_pieces(self._store, pieces)

    def _weight(self, rows: RowSet) -> int:
        if rows.weight is None:
            self._sizes(rows)
        return rows.weight or 0

    def _sizes(self, rows: RowSet) -> Integers:
        if rows.sizes is None and rows.local is not None:
            local, some = rows.local
            rows.note_sizes(local.sizes(some))
        elif rows.sizes is None:
            self._ask_sizes(rows)
        return self._sizes(rows) if rows.sizes is None else rows.sizes

    def _ask_sizes(self, rows: RowSet) -> None:
        """Query the sizes of a set, and of all other sets with unknown sizes: they will be needed soon."""
        unknown = {one for one in (rows, *self._unsized) if one.sizes is None and one.local is None}
        lacking = sorted(unknown, key=lambda one: one.definition.number)
        answer = self._ask(LabelSizes, lacking)
        for one, sizes in zip(lacking, answer, strict=True):
            one.note_sizes(sizes)
        self._unsized.clear()

    def _need_histograms(self, sets: Sequence[RowSet]) -> None:
        """Query the histograms of sets, and their sizes in the same pass."""
        if lacking := [rows for rows in sets if rows.histogram is None]:
            count = 2 * len(self.labels)
            answer = self._ask(SizesAndHistograms, lacking)
            for rows, found in zip(lacking, answer, strict=True):
                rows.note_sizes(found[:count].reshape(2, -1))
                rows.histogram = found[count:]

    def _ask(self, kind: Callable[..., BlockQuery[Answer]], sets: Sequence[RowSet], *what: Any) -> Answer:
        definitions = [rows.definition for rows in sets]
        return self._store.ask(kind(tuple(one.number for one in definitions), flatten_definitions(definitions), *what))

    def _fetch_together(self, positive: RowSet, negative: RowSet) -> LocalSelections | None:
        """Return both sets in memory, if they are there together or small enough to be fetched now."""
        if (found := local_selections(positive, negative)) is not None:
            return found
        if positive.weight and negative.weight and positive.weight + negative.weight > self._local:
            self._need_histograms([rows for rows in (positive, negative) if rows.sizes is None and rows.local is None])
        if sum(int(self._sizes(rows)[0].sum()) for rows in (positive, negative)) > self._local:
            return None
        self._fetch(positive, negative)
        return local_selections(positive, negative)

    def _fetch(self, *sets: RowSet) -> None:
        """Fetch sets that have no row in common."""
        self._cache.forget_local()
        pieces = self._ask(FetchRows, sets)
        local = LocalRows(self._store, self.banned, pieces, [rows.number for rows in sets])
        del pieces
        release_free_memory()
        for position, rows in enumerate(sets):
            rows.local = local, local.selection(position)


def _definition_for_blocks(rows: RowSet) -> RowSetDefinition:
    """Define a set for the blocks; a set made in memory is expressed by a rule on a fetched set."""
    found = None if rows.local is None else rule_of_definition(rows.definition, rows.local[0].fetched)
    return rows.definition if found is None else RowSetDefinition.one("covered_by_rule", (found[0],), (found[1],))


def _has_span(rows: RowSet, span: Span) -> bool:
    """Whether the weights in a span of finer parts are known."""
    column, first, end = span
    start, weights = rows.parts.get(column, (end, _NOTHING))
    return start <= first and end <= start + len(weights)


def _weights_in_span(rows: RowSet, span: Span) -> Integers:
    column, first, end = span
    start, weights = rows.parts[column]
    return weights[first - start : end - start]


def _known_values(sets: Sequence[RowSet], intervals: Sequence[Interval]) -> WeightedValues:
    """Return the known values of several sets in parts of a column, and their weights, set by set."""
    pieces = []
    for rows, own in zip(sets, np.eye(len(sets), dtype=np.int64), strict=True):
        values, weights = rows.known_values(intervals)
        pieces.append(WeightedValues(values, own[:, None] * weights))
    return sum_weighted_values(pieces)


def _bin_spans(bins: Sequence[ColumnBins]) -> Sequence[NDArray[np.int32]]:
    """Find the positions of the bins of every column in a histogram."""
    nothing = np.empty(0, np.int32)
    return make_row_grid(bins, [one.column for one in bins], nothing, nothing).spans()
