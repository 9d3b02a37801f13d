"""Define queries to blocks, and combine the answers of several blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from unless.blocks.column_bins import find_parts
from unless.kernels import RowSelection
from unless.learn.literals import MANY
from unless.table import Column
from unless.table.holdout_split import identity_sample
from unless.table.record_hashes import Hashes, number_hashes, value_hashes
from unless.values import Label

if TYPE_CHECKING:
    from unless.blocks.block import Block
from unless.blocks.column_regions import ColumnRegion, Integers, Span, WeightedValues, count_region, sum_weighted_values
from unless.blocks.row_set_definitions import DefinitionStep, RowSetDefinition, flatten_definitions

Answer = TypeVar("Answer")

_COUNTERS = 1024
"""The number of counters of an interval of texts; a hash assigns each text to a counter."""


@dataclass(frozen=True)
class BlockQuery(ABC, Generic[Answer]):
    """A query about some sets of rows."""

    sets: tuple[int, ...]
    steps: Mapping[int, DefinitionStep]

    @classmethod
    def whole(cls, *what: Any) -> Self:
        """Make the query about all rows."""
        one = RowSetDefinition.one("all_rows")
        return cls((one.number,), flatten_definitions([one]), *what)

    @abstractmethod
    def answer(self, block: Block) -> Answer:
        """Answer the query for one block."""

    @abstractmethod
    def combine(self, answers: Iterable[Answer]) -> Answer:
        """Combine several answers."""


class SummedQuery(BlockQuery[Integers]):
    """A query that adds up the answers of blocks."""

    def combine(self, answers: Iterable[Integers]) -> Integers:
        found = iter(answers)
        total = next(found).astype(np.int64)
        for answer in found:
            total += answer
        return total


@dataclass(frozen=True)
class SplitCensus(BlockQuery[tuple[Integers, Hashes, Hashes]]):
    """Counts the rows of each label in each part of a split, with fingerprint sums and a sample."""

    labels: tuple[Label, ...]
    salt: int

    def answer(self, block: Block) -> tuple[Integers, Hashes, Hashes]:
        return block.split_census(self.labels, self.salt)

    def combine(self, answers: Iterable[tuple[Integers, Hashes, Hashes]]) -> tuple[Integers, Hashes, Hashes]:
        found = iter(answers)
        counts, sums, sample = next(found)
        for more, others, some in found:
            counts, sums, sample = counts + more, sums + others, identity_sample(np.concatenate([sample, some]))
        return counts, sums, sample


class LabelSizes(SummedQuery):
    """The number of rows of each label, and their weight, for each set."""

    def answer(self, block: Block) -> Integers:
        return np.array([block.sizes(rows) for rows in block.row_sets(self)], np.int64)


class SizesAndHistograms(SummedQuery):
    """For each set, its sizes, followed by the weight of the rows in each bin of each column."""

    def answer(self, block: Block) -> Integers:
        sets = block.row_sets(self)
        return np.array([np.concatenate([block.sizes(rows).ravel(), block.histogram(rows)]) for rows in sets], np.int64)


@dataclass(frozen=True)
class PartWeights(SummedQuery):
    """For each set, the weight of the rows in finer parts of bare columns, span by span."""

    spans: Sequence[Span]

    def answer(self, block: Block) -> Integers:
        sets = block.row_sets(self)
        return np.array(
            [np.concatenate([block.weights_by_part(rows, *span) for span in self.spans]) for rows in sets], np.int64
        )


@dataclass(frozen=True)
class HeaviestTexts(SummedQuery):
    """Counters of the weight of texts in one set, by interval and by a hash of the text.

    No text weighs more than its counter, which bounds the result of `max_text_weights`.
    """

    asked: Sequence[tuple[int, Sequence[str]]]
    """Columns, and the positions where their texts are cut."""

    def answer(self, block: Block) -> Integers:
        (rows,) = block.row_sets(self)
        return np.concatenate([self._counters(block, rows, *each) for each in self.asked])

    def _counters(self, block: Block, rows: RowSelection, place: int, cuts: Sequence[str]) -> Integers:
        column = block.column(place)
        weights = block.weights_by_rank(rows, place)[len(column.numbers) : -1]
        hashes = np.array([crc32(text.encode("utf-8", "surrogatepass")) for text in column.categories], np.int64)
        counter = find_parts(column.categories, cuts) * _COUNTERS + hashes % _COUNTERS
        found = np.zeros((len(cuts) + 1) * _COUNTERS, np.int64)
        np.add.at(found, counter, weights)
        return found


def max_text_weights(counters: Integers, asked: Sequence[tuple[int, Sequence[str]]]) -> dict[int, Integers]:
    """Compute an upper bound of the weight of a single text, for each interval of each column."""
    ends = np.cumsum([(len(cuts) + 1) * _COUNTERS for _, cuts in asked])[:-1]
    pieces = zip(asked, np.split(counters, ends), strict=True)
    return {column: piece.reshape(-1, _COUNTERS).max(axis=1) for (column, _), piece in pieces}


@dataclass(frozen=True)
class DistinctValues(BlockQuery[list[Hashes]]):
    """Hashes of the distinct values of each column in one set, up to `MANY`, including missing."""

    columns: int

    def answer(self, block: Block) -> list[Hashes]:
        (rows,) = block.row_sets(self)
        return [np.unique(self._hashes(block, rows, place))[:MANY] for place in range(self.columns)]

    @staticmethod
    def _hashes(block: Block, rows: RowSelection, place: int) -> Hashes:
        if not block.is_bare(place):
            return value_hashes(block.column(place))[np.flatnonzero(block.weights_by_rank(rows, place))]
        numbers, weights = block.numbers(rows, place)
        missing = int(weights.sum()) < rows.weight()
        return np.append(number_hashes(numbers), np.zeros(int(missing), np.uint64))

    def combine(self, answers: Iterable[list[Hashes]]) -> list[Hashes]:
        return [np.unique(np.concatenate(each))[:MANY] for each in zip(*answers, strict=True)]


@dataclass(frozen=True)
class SliceWeights(SummedQuery):
    """For each set, the weight of the rows in the slices of finer parts of bare columns, part by part."""

    regions: Sequence[ColumnRegion]

    def answer(self, block: Block) -> Integers:
        sets = list(block.row_sets(self))
        return np.hstack([block.weights_by_slice(sets, one.column, one.lows, one.highs) for one in self.regions])


@dataclass(frozen=True)
class ValuesInRegions(BlockQuery[list[WeightedValues]]):
    """The values in some regions of columns, and the weight of the rows with each value."""

    regions: Sequence[ColumnRegion]

    def answer(self, block: Block) -> list[WeightedValues]:
        sets = list(block.row_sets(self))
        return [count_region(block, sets, region) for region in self.regions]

    def combine(self, answers: Iterable[list[WeightedValues]]) -> list[WeightedValues]:
        return [sum_weighted_values(each) for each in zip(*answers, strict=True)]


@dataclass(frozen=True)
class NeighbouringNumbers(BlockQuery[NDArray[np.float64]]):
    """The largest number of a column up to a bound and the smallest above it, in one set; NaN if absent."""

    column: int
    number: float

    def answer(self, block: Block) -> NDArray[np.float64]:
        (rows,) = block.row_sets(self)
        if block.is_bare(self.column):
            there = block.nearest_numbers(rows, self.column, self.number)
        else:
            numbers = block.column(self.column).numbers
            there = numbers[np.flatnonzero(block.weights_by_rank(rows, self.column)[: len(numbers)])]
        place = int(np.searchsorted(there, self.number, "right"))
        return np.array([there[place - 1] if place else np.nan, there[place] if place < len(there) else np.nan])

    def combine(self, answers: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        low, high = np.array(list(answers)).T
        return np.array([np.fmax.reduce(low), np.fmin.reduce(high)])


@dataclass(frozen=True)
class FiniteRanges(BlockQuery[NDArray[np.float64]]):
    """The smallest and the largest finite number of some columns; NaN without finite numbers."""

    columns: Sequence[int]

    def answer(self, block: Block) -> NDArray[np.float64]:
        return np.array([block.extent(place) for place in self.columns]).reshape(-1, 2)

    def combine(self, answers: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        every = np.array(list(answers))
        return np.stack([np.fmin.reduce(every[:, :, 0]), np.fmax.reduce(every[:, :, 1])], axis=1)


@dataclass(frozen=True)
class FetchedRows:
    """Some rows: their cells, labels and weights, and the set of each row."""

    cells: tuple[NDArray[np.int32] | NDArray[np.float64], ...]
    """The rank or the number of every cell, column by column; a missing number is NaN."""
    values: tuple[Column | None, ...]
    """The values of the ranks as a column without rows, if they are too many for all blocks to share."""
    labels: NDArray[np.int32]
    weights: NDArray[np.int32]
    sets: NDArray[np.uint8]


@dataclass(frozen=True)
class FetchRows(BlockQuery[list[FetchedRows]]):
    """Fetch the rows of some sets."""

    def answer(self, block: Block) -> list[FetchedRows]:
        return [block.fetch(list(block.row_sets(self)))]

    def combine(self, answers: Iterable[list[FetchedRows]]) -> list[FetchedRows]:
        return [piece for answer in answers for piece in answer]


def combine_in_groups(answers: Iterable[Answer], query: BlockQuery[Answer], at_once: int = 16) -> Iterator[Answer]:
    """Combine answers in groups, so that few are in memory; the answers in a group cover equally many blocks.

    Adding short answers to a long one, one by one, would sort the numbers of the long answer each time.
    """
    waiting: list[list[Answer]] = [[]]
    for answer in answers:
        waiting[0].append(answer)
        for place, some in enumerate(waiting):
            if len(some) < at_once:
                break
            waiting += [[]] if place + 1 == len(waiting) else []
            waiting[place + 1].append(query.combine(some))
            some.clear()
    if rest := [answer for some in reversed(waiting) for answer in some]:
        yield query.combine(rest)
