"""Sets of rows that were fetched, as tables in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from unless.read.cells import rank
from unless.rule import Literal
from unless.table import Column, Labels, Table


class LocalRows:
    """Fetched rows, as a table in memory; ``fetched`` are the numbers of sets that others here are made of."""

    def __init__(
        self, store: BlockStore, banned: Iterable[Literal], pieces: Sequence[FetchedRows], fetched: Iterable[int]
    ) -> None:
        self.fetched = set(fetched)
        self._bins, self._labels = store.bins, store.labels
        self._table, weights = pieces_to_table(store, pieces)
        self._weights = weights.astype(np.int32)
        self._sets = np.concatenate([piece.sets for piece in pieces])
        self.engine = MemoryEngine(self._table, weights, store.unit, filter(self.knows, banned))

    def engine_for(self, engine: Engine[Any]) -> MemoryEngine:
        """The engine of these rows, which stops when the other one does."""
        self.engine.late = engine.late
        return self.engine

    def selection(self, place: int) -> RowSelection:
        """The rows of one of the sets that were fetched."""
        return self.engine.of_rows(np.flatnonzero(self._sets == place).astype(np.int32))

    def sizes(self, rows: RowSelection) -> Integers:
        """How many rows of each label there are, and how much they weigh."""
        labels = self._table.labels
        times = np.bincount(labels.codes[rows.rows()], minlength=len(labels.labels))
        return np.array([times, self.engine.units(rows)], np.int64)

    def block(self, rows: RowSelection) -> Block:
        """Some of the rows as a block, which counts them as all blocks do."""
        index = rows.rows()
        columns = tuple(_take_from_column(*pair, index) for pair in zip(self._bins, self._table.columns, strict=True))
        labels = self._table.labels.codes[index].astype(np.int32)
        table = Table(columns, rows=len(index))
        return Block(self._bins, len(self._labels), make_block_arrays(table, self._bins, labels, self._weights[index]))

    def knows(self, literal: Literal) -> bool:
        """Whether the value of a literal is among those of its column: the engine would take its neighbour for it."""
        column = self._table.column(literal.feature)
        first, end, _ = column.span(literal)
        place = {"<=": end - 1, ">": first - 1}.get(literal.op, first)
        return 0 <= place <= column.missing and column.value(place) == literal.value


def _take_from_column(bins: ColumnBins, column: Column, index: NDArray[np.int32]) -> Column:
    """Some rows of a column; only with the values that they have, if there are too many to be known."""
    if not bins.open:
        return replace(column, codes=column.codes[index])
    there, codes = np.unique(np.append(column.codes[index], column.missing), return_inverse=True)
    count = len(column.numbers)
    texts = tuple(column.categories[k - count] for k in there[:-1].tolist() if k >= count)
    return replace(column, numbers=column.numbers[there[there < count]], categories=texts, codes=codes[:-1])


def pieces_to_table(store: BlockStore, pieces: Sequence[FetchedRows]) -> tuple[Table, NDArray[np.float64]]:
    """The rows of pieces as a table, and how much each weighs, in units."""
    columns = tuple(_join_columns(one, i, pieces) for i, one in enumerate(store.bins))
    labels = np.concatenate([piece.labels for piece in pieces])
    weights = np.concatenate([piece.weights for piece in pieces]).astype(np.float64)
    return Table(columns, Labels(store.target, store.labels, labels), len(labels)), weights


def _join_columns(bins: ColumnBins, place: int, pieces: Sequence[FetchedRows]) -> Column:
    """A column with the rows of all pieces, which share its values, have their own, or are just numbers."""
    column, cells = bins.column, [piece.cells[place] for piece in pieces]
    if not bins.open:
        return replace(column, codes=np.concatenate(cells))
    own = [piece.values[place] for piece in pieces]
    if all(values is None for values in own):
        numbers, codes = rank(np.concatenate(cells))
        return replace(column, numbers=numbers, categories=(), codes=codes)
    pairs = [
        _rank_numbers(column, some) if values is None else (values, some)
        for values, some in zip(own, cells, strict=True)
    ]
    numbers = np.unique(np.concatenate([values.numbers for values, _ in pairs]))
    texts = sorted({text for values, _ in pairs for text in values.categories})
    places = {text: code for code, text in enumerate(texts, len(numbers))}
    joined = np.concatenate([_ranks_among(values, numbers, places)[codes] for values, codes in pairs])
    return replace(column, numbers=numbers, categories=tuple(texts), codes=joined)


def _rank_numbers(column: Column, cells: NDArray[Any]) -> tuple[Column, NDArray[np.uint32]]:
    """Cells that are just numbers: the values that they have, and their ranks."""
    numbers, codes = rank(cells)
    return replace(column, numbers=numbers, categories=(), codes=codes[:0]), codes


def _ranks_among(column: Column, numbers: NDArray[np.float64], texts: Mapping[str, int]) -> NDArray[np.int64]:
    """The rank that each value of a column, and a missing cell, has among more values."""
    own = np.array([texts[text] for text in column.categories], np.int64)
    return np.concatenate([np.searchsorted(numbers, column.numbers), own, [len(numbers) + len(texts)]])
