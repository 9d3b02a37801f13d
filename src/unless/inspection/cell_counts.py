"""Count how often each value of a column occurs; findings about single columns follow from these counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unless.table import Column
from unless.values import number_to_text

SOME = 100
"""The number of distinct texts that is enough to describe a column of texts."""


@dataclass(frozen=True)
class CellCounts:
    """The count of each value of a column; ``by_rank`` has the count of each rank and, last, of missing cells."""

    column: Column
    by_rank: NDArray[np.intp]

    @classmethod
    def of(cls, column: Column) -> CellCounts:
        """Count the cells of a column."""
        return cls(column, column.counts())

    @cached_property
    def total(self) -> int:
        """The number of cells."""
        return int(self.by_rank.sum())

    @property
    def missing(self) -> int:
        """The number of missing cells."""
        return int(self.by_rank[-1])

    @property
    def present(self) -> int:
        """The number of cells with a value."""
        return self.total - self.missing

    @cached_property
    def distinct(self) -> int:
        """The number of distinct values that occur."""
        return int(np.count_nonzero(self.by_rank[:-1]))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers that occur, ascending."""
        return self.column.numbers[self.by_rank[: len(self.column.numbers)] > 0]

    @cached_property
    def of_numbers(self) -> NDArray[np.intp]:
        """How often each of ``numbers`` occurs."""
        counts = self.by_rank[: len(self.column.numbers)]
        return counts[counts > 0]

    @property
    def of_categories(self) -> NDArray[np.intp]:
        """How often each category of the column occurs, possibly never."""
        return self.by_rank[len(self.column.numbers) : -1]

    @cached_property
    def texts(self) -> dict[str, int]:
        """The texts that occur and their counts."""
        counts = self.of_categories
        return {self.column.categories[place]: int(counts[place]) for place in np.flatnonzero(counts).tolist()}

    @property
    def some_texts(self) -> list[str]:
        """The texts that occur, or an evenly spaced hundred of them."""
        places = np.flatnonzero(self.of_categories)
        return [self.column.categories[place] for place in places[:: -(-len(places) // SOME) or 1].tolist()]

    @property
    def usual(self) -> str:
        """The most frequent value, as text."""
        value = self.column.value(int(np.argmax(self.by_rank[:-1])))
        return number_to_text(value) if isinstance(value, float) else repr(value)

    def most_frequent(self, most: int) -> list[int]:
        """Return the ranks with the largest counts, ties in order, without sorting a million counts."""
        counts = self.by_rank[:-1]
        least = np.sort(np.partition(counts, -most)[-most:])[0] if len(counts) > most else 0
        ranks = np.concatenate([np.flatnonzero(counts > least), np.flatnonzero(counts == least)[:most]])
        found = sorted(ranks.tolist(), key=lambda rank: (-counts[rank], rank))
        return [rank for rank in found[:most] if counts[rank]]
