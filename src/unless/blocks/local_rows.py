"""Make tables in memory from sets of rows that were fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block import Block
from unless.blocks.block_arrays import make_block_arrays
from unless.blocks.block_queries import FetchedRows
from unless.blocks.block_store import BlockStore
from unless.blocks.column_bins import ColumnBins
from unless.blocks.column_regions import Integers
from unless.kernels import RowSelection
from unless.learn.engine import Engine
from unless.learn.memory_engine import MemoryEngine
from unless.read.cells import Cells, cells_from_numbers, join_cells, rank
from unless.rule import Literal
from unless.table import Column, Labels, Table
from unless.table.columns import replace_checked
from unless.table.seen_values import drop_unused_values_of


class LocalRows:
    """Fetched rows, as a table in memory; ``fetched`` are the numbers of the fetched sets."""

    def __init__(
        self, store: BlockStore, banned: Iterable[Literal], pieces: Sequence[FetchedRows], fetched: Iterable[int]
    ) -> None:
        self.fetched = set(fetched)
        self._bins, self._labels = store.bins, store.labels
        self._table, weights = join_pieces(store, pieces)
        self._weights = weights.astype(np.int32)
        self._sets = np.concatenate([piece.sets for piece in pieces])
        self.engine = MemoryEngine(self._table, weights, store.unit, filter(self.knows, banned))

    def engine_for(self, engine: Engine[Any]) -> MemoryEngine:
        """Return the engine of these rows, with the time limit of another engine."""
        self.engine.late = engine.late
        return self.engine

    def selection(self, place: int) -> RowSelection:
        """Select the rows of one of the fetched sets."""
        return self.engine.of_rows(np.flatnonzero(self._sets == place).astype(np.int32))

    def sizes(self, rows: RowSelection) -> Integers:
        """Count and weigh the rows of each label."""
        labels = self._table.labels
        times = np.bincount(labels.codes[rows.rows()], minlength=len(labels.labels))
        return np.array([times, self.engine.units(rows)], np.int64)

    def block(self, rows: RowSelection) -> Block:
        """Make a block of some of the rows, with the bins of all blocks."""
        index = rows.rows()
        taken = [replace_checked(column, codes=column.codes[index]) for column in self._table.columns]
        pairs = zip(self._bins, taken, strict=True)
        columns = tuple(drop_unused_values_of(column) if one.open else column for one, column in pairs)
        labels = self._table.labels.codes[index].astype(np.int32)
        table = Table(columns, rows=len(index))
        return Block(self._bins, len(self._labels), make_block_arrays(table, self._bins, labels, self._weights[index]))

    def knows(self, literal: Literal) -> bool:
        """Whether the value of a literal occurs in its column; otherwise the engine would use a neighbouring value."""
        column = self._table.column(literal.feature)
        first, end, _ = column.span(literal)
        place = {"<=": end - 1, ">": first - 1}.get(literal.op, first)
        return 0 <= place <= column.missing and column.value(place) == literal.value


def join_pieces(store: BlockStore, pieces: Sequence[FetchedRows]) -> tuple[Table, NDArray[np.float64]]:
    """Join the rows of pieces to a table; also return the weight of each row in units."""
    columns = tuple(_join_columns(one, i, pieces) for i, one in enumerate(store.bins))
    labels = np.concatenate([piece.labels for piece in pieces])
    weights = np.concatenate([piece.weights for piece in pieces]).astype(np.float64)
    return Table(columns, Labels(store.target, store.labels, labels), len(labels)), weights


def _join_columns(bins: ColumnBins, place: int, pieces: Sequence[FetchedRows]) -> Column:
    """Join the pieces of a column, which share its values, have their own values, or are plain numbers."""
    column, cells = bins.column, [piece.cells[place] for piece in pieces]
    if not bins.open:
        return replace(column, codes=np.concatenate(cells))
    own = [piece.values[place] for piece in pieces]
    if all(values is None for values in own):
        numbers, codes = rank(np.concatenate(cells))
        return replace(column, numbers=numbers, categories=(), codes=codes)
    found = join_cells(
        [
            cells_from_numbers(some) if values is None else Cells(values.numbers, values.categories, some, None)
            for values, some in zip(own, cells, strict=True)
        ]
    )
    return replace(column, numbers=found.numbers, categories=tuple(found.texts), codes=found.codes)
