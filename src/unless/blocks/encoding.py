"""Turn batches into blocks in two passes: the first collects the values of each column, the second encodes rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_arrays import DATA_CHANGED, make_block_arrays
from unless.blocks.column_bins import ColumnBins
from unless.blocks.column_stats import ColumnStats, columns_with_conflicting_kinds
from unless.blocks.row_order import UNORDERED, RowOrder
from unless.errors import ParameterError, ReadError
from unless.learn.weights import check_weights, counts_to_units, multiply_counts, weights_to_counts
from unless.read.cells import Cells, dates_as_texts
from unless.read.column_inference import MissingLabelsError
from unless.read.column_inference import make_labels as labels_of
from unless.read.column_plan import ColumnPlan
from unless.read.source import Source
from unless.storage.array_files import StoredArrays
from unless.table import Labels, Schema, Table
from unless.values import Label, missing_among

ClassFactors = Callable[[tuple[Label, ...], NDArray[np.float64]], NDArray[np.float64]]
"""Computes the weight of every class, given the labels and the total weight of their records."""

_MOST = 1000
"""Whole weights up to this are units: a million of them, the most learned from in memory, fit into 32 bits."""


@dataclass(frozen=True)
class EncodingTask:
    """What to read, and how; ``weights`` is the column of record weights."""

    plan: ColumnPlan
    weights: str | None = None
    drop_unlabelled: bool = False
    drop_weightless: bool = False
    """Whether records of weight 0 are left out entirely, as estimators do."""

    def load(self, source: Source, texts: Sequence[str] = ()) -> None:
        """Prepare the cells of a batch."""
        self.plan.load(source, texts, [] if self.weights is None else [self.weights])

    @property
    def target(self) -> str:
        """The name of the target."""
        if self.plan.target is None:
            raise ReadError("there are no labels to learn; name their column: target=...")
        return self.plan.target

    @property
    def tokens(self) -> tuple[str, ...]:
        """The texts that stand for a missing cell."""
        return self.plan.missing_texts

    def weights_in(self, source: Source) -> NDArray[np.float64] | None:
        """Return the weights of the records of a batch; None if each weighs 1."""
        if self.weights is None:
            return None
        return weights_from_cells(self.weights, source.cells(self.weights))

    def has_weight(self, source: Source) -> NDArray[np.bool_] | None:
        """Flag the records to keep in a batch where others weigh 0; None keeps all."""
        weights = self.weights_in(source) if self.drop_weightless else None
        return None if weights is None or (weights != 0).all() else weights != 0


def _select_cells(cells: Cells, kept: NDArray[np.bool_] | None) -> Cells:
    """Select the cells of some rows, with only the values that occur; all cells if ``kept`` is None."""
    if kept is None:
        return cells
    codes, count = cells.codes[kept], len(cells.numbers)
    there = np.bincount(codes, minlength=count + len(cells.texts) + 1) > 0
    there[-1] = True  # the code of missing cells
    texts = [text for text, occurs in zip(cells.texts, there[count:-1].tolist(), strict=True) if occurs]
    places = np.cumsum(there) - 1
    return replace(cells, numbers=cells.numbers[there[:count]], texts=texts, codes=places[codes], whole=None)


def weights_from_cells(name: str, cells: Cells) -> NDArray[np.float64]:
    """Convert the cells of a weights column to numbers; any other cell is an error."""
    dated = cells.notation is not None and not cells.notation.plain
    missing = cells.codes == len(cells.numbers) + len(cells.texts)
    if cells.texts or dated or missing.any():
        what = repr(cells.texts[0]) if cells.texts else "dates or times" if dated else "a missing cell"
        raise ParameterError(f"weights must be numbers, but {name!r} has {what}")
    found: NDArray[np.float64] = cells.numbers[cells.codes]
    return found


@dataclass
class TableStats:
    """The result of the first pass: the values of each column, and counts of records by label and weight."""

    columns: dict[str, ColumnStats]
    target: ColumnStats
    weighed: Counter[tuple[float, Any]] = field(default_factory=Counter)
    rows: int = 0

    @classmethod
    def of(cls, task: EncodingTask, source: Source, texts: Sequence[str] = ()) -> TableStats:
        """Collect the statistics of one batch; the columns in ``texts`` are read as text."""
        task.load(source, texts)
        weights, kept = task.weights_in(source), task.has_weight(source)
        columns = {name: _select_cells(source.cells(name), kept) for name in task.plan.features}
        columns |= {name: replace(dates_as_texts(columns[name]), notation=None) for name in texts}  # mixed kinds
        cells = _select_cells(source.cells(task.target), kept)
        special = task.plan.special
        stats = {name: ColumnStats.of(own, special.get(name, ())) for name, own in columns.items()}
        found = cls(stats, ColumnStats.of(cells))
        found.rows = source.rows
        values = [*cells.numbers.tolist(), *cells.texts, None]
        for weight, code, times in _count_pairs(
            weights if kept is None or weights is None else weights[kept], cells.codes
        ):
            found.weighed[weight, values[code]] += times
        return found

    def merge(self, other: TableStats) -> None:
        """Merge the statistics of other batches."""
        for name, stats in self.columns.items():
            stats.merge(other.columns[name])
        self.target.merge(other.target)
        self.weighed.update(other.weighed)
        self.rows += other.rows

    def columns_with_conflicting_kinds(self, task: EncodingTask) -> list[str]:
        """Find the columns to read again as text, since the spelling of their numbers matters."""
        if task.plan.spelled:
            return columns_with_conflicting_kinds(self.columns, task.tokens)
        return [name for name, stats in self.columns.items() if stats.has_conflicting_kinds]


def _count_pairs(weights: NDArray[np.float64] | None, codes: NDArray[Any]) -> Iterator[tuple[float, int, int]]:
    """Count how often each weight and code occur together."""
    if weights is None:
        weights = np.ones(len(codes))
    values, places = np.unique(weights, return_inverse=True)
    size = int(codes.max(initial=0)) + 1
    times = np.bincount(places * size + codes, minlength=len(values) * size)
    for pair in np.flatnonzero(times).tolist():
        yield float(values[pair // size]), pair % size, int(times[pair])


@dataclass(frozen=True)
class BlockEncoding:
    """The encoding of batches as blocks, and the data that all blocks share."""

    task: EncodingTask
    bins: tuple[ColumnBins, ...]
    labels: tuple[Label, ...]
    label_of: Mapping[Any, int]
    """The index of the label of each cell of the target; -1 for a missing cell."""
    units: Mapping[tuple[float, int], int]
    """The weight of records in units, by their weight in the source and the index of their label."""
    unit: float
    rows: int
    left_out: Mapping[str, Any] = field(default_factory=dict)
    """The features that were left out, and the reasons, as JSON."""

    @classmethod
    def of(cls, task: EncodingTask, overview: TableStats, factors: ClassFactors | None = None) -> BlockEncoding:
        """Infer the kinds of columns, and compute the weights of records."""
        if not overview.rows:
            raise ReadError("the table has no rows to learn from")
        if not overview.weighed:  # all were left out
            raise ParameterError("weights: every row weighs 0; there is nothing to learn from")
        labels, label_of = _decide_labels(task, overview)
        units, unit = _decide_units(overview, labels, label_of, factors)
        bins = tuple(stats.bins(name, task.plan) for name, stats in overview.columns.items())
        return cls(task, bins, labels, label_of, units, unit, overview.rows)

    @property
    def some_weigh_nothing(self) -> bool:
        """Whether some record weighs 0."""
        return not all(self.units.values())

    @property
    def schema(self) -> Schema:
        """The schema by which the columns are read."""
        columns = [one.column for one in self.bins]
        notations = {column.name: column.notation for column in columns if column.notation is not None}
        kinds = {column.name: column.kind for column in columns}
        typed = frozenset(column.name for column in columns if column.typed)
        special = {column.name: column.special for column in columns if column.special}
        plan = self.task.plan
        return Schema(kinds, plan.missing, plan.target, notations, typed, plan.parts, special)

    def block(self, source: Source, order: RowOrder = UNORDERED) -> StoredArrays:
        """Encode the records of a batch in the given order."""
        table, codes, weights = self._records(source)
        if order.literals:
            rows = order.of(table)
            sorted_ = table[rows], codes[rows], None if weights is None else weights[rows]
            return StoredArrays(places=rows.astype(np.int32), **self._arrays(*sorted_))
        return self._arrays(table, codes, weights)

    def _arrays(self, table: Table, codes: NDArray[np.int32], weights: NDArray[np.float64] | None) -> StoredArrays:
        return make_block_arrays(table, self.bins, codes, self._units_of(codes, weights))

    def order(self, source: Source) -> RowOrder:
        """Learn the order for the records of all batches from one batch."""
        table, codes, _ = self._records(source)
        return RowOrder.learned(replace(table, target=Labels(self.task.target, self.labels, codes)))

    def _records(self, source: Source) -> tuple[Table, NDArray[np.int32], NDArray[np.float64] | None]:
        """Return the labelled records of a batch, the indices of their labels, and their weights in the source."""
        task = replace(self.task, plan=self._plan)
        task.load(source)
        weighty, weights = task.has_weight(source), task.weights_in(source)
        weights = weights if weights is None or weighty is None else weights[weighty]
        codes = self._labels_in(_select_cells(source.cells(task.target), weighty))
        cells = {name: _select_cells(source.cells(name), weighty) for name in task.plan.features}
        columns = tuple(task.plan.column(name, one) for name, one in cells.items())
        table = Table(columns, rows=len(codes))
        if (codes < 0).any():
            kept = codes >= 0
            table, codes, weights = table[kept], codes[kept], None if weights is None else weights[kept]
        return table, codes, weights

    @property
    def _plan(self) -> ColumnPlan:
        """Return the plan with the inferred kinds of columns."""
        declared = {"text": "categorical", "number": "numeric", "mixed": "numeric"}
        schema = self.schema
        kinds: Any = {name: declared[kind] for name, kind in schema.kinds.items()}
        return replace(self.task.plan, features=kinds, notations=schema.notations, like_training=True)

    def _labels_in(self, cells: Cells) -> NDArray[np.int32]:
        try:
            places = [self.label_of[value] for value in [*cells.numbers.tolist(), *cells.texts]]
        except KeyError:
            raise ReadError(DATA_CHANGED) from None
        found: NDArray[np.int32] = np.array([*places, -1], np.int32)[cells.codes]
        return found

    def _units_of(self, codes: NDArray[np.int32], weights: NDArray[np.float64] | None) -> NDArray[np.int32]:
        if weights is None:
            return np.array([self.units.get((1.0, label), 0) for label in range(len(self.labels))], np.int32)[codes]
        values, places = np.unique(weights, return_inverse=True)
        table = np.zeros((len(values), len(self.labels)), np.int32)
        try:
            for weight, code, _ in _count_pairs(weights, codes):
                table[np.searchsorted(values, weight), code] = self.units[weight, code]
        except KeyError:
            raise ReadError(DATA_CHANGED) from None
        found: NDArray[np.int32] = table[places, codes]
        return found


def _decide_labels(task: EncodingTask, overview: TableStats) -> tuple[tuple[Label, ...], dict[Any, int]]:
    """Choose the labels, and the index of the label of each cell of the target."""
    stats = overview.target
    gone = missing_among(stats.texts, task.tokens)
    lacking = stats.missing + sum(times for text, times in stats.texts.items() if text in gone)
    if lacking and not task.drop_unlabelled:
        raise MissingLabelsError(
            f"the target {task.target!r} is missing in {lacking:,} of {overview.rows:,} rows; "
            "leave those rows out, or fill in their labels"
        )
    if stats.sampled or stats.more_texts:
        raise ReadError(f"{task.target!r} has very many labels: is it the right column?")
    cells = stats.cells()
    texts = [text for text in cells.texts if text not in gone]
    if not len(cells.numbers) and not texts:
        raise ReadError(f"no row has a label in {task.target!r}; there is nothing to learn from")
    known = replace(cells, texts=texts, codes=np.arange(len(cells.numbers) + len(texts)))
    found: Labels = labels_of(task.target, known, ())
    values = [*cells.numbers.tolist(), *texts]
    places = {value: int(code) for value, code in zip(values, found.codes, strict=True)}
    return found.labels, {**dict.fromkeys(gone, -1), **places}


def _decide_units(
    overview: TableStats, labels: tuple[Label, ...], label_of: Mapping[Any, int], factors: ClassFactors | None
) -> tuple[dict[tuple[float, int], int], float]:
    """Compute the weight of records in units, by their weight and label, and the size of a unit."""
    times = Counter[tuple[float, int]]()
    for (weight, value), count in overview.weighed.items():
        if value is not None and label_of[value] >= 0:
            times[weight, label_of[value]] += count
    pairs = sorted(times)
    number = np.array([times[pair] for pair in pairs], np.float64)
    given = check_weights([weight for weight, _ in pairs], len(pairs))
    counts = weights_to_counts(given, number)
    if factors is not None:
        places = np.array([place for _, place in pairs], np.intp)
        totals = np.bincount(places, counts * number, len(labels)).astype(np.float64)
        counts = multiply_counts(counts, factors(labels, totals)[places], number)
    if (counts == np.floor(counts)).all() and counts.max() <= _MOST:
        units, unit = counts.astype(np.int32), 1.0  # safe: only the records of one block are added up
    else:
        units, unit = counts_to_units(counts, number)
    return {pair: int(one) for pair, one in zip(pairs, units, strict=True)}, unit
