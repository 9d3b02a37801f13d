"""Collect the values of each column in the first pass, or a sample if there are too many.

`read.column_inference.infer_column` decides from the distinct values of a column what its cells mean, so a column read
in batches has the same kind as a column read at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from unless.blocks.column_bins import ColumnBins, make_column_bins
from unless.errors import ReadError
from unless.kernels import ranking as kernels
from unless.learn.literals import MANY
from unless.read.cells import Cells
from unless.read.column_plan import ColumnPlan
from unless.table import Column, SpecialCodes
from unless.values import Label, missing_among
from unless.values.notation import FLAG, WHOLE, Notation, common_notation

_NUMBERS = 1 << 16
"""The most distinct numbers that are remembered, and the approximate sample size if there are more."""

_TEXTS = 1_000_000
"""The most distinct texts that are remembered."""

_PER_BATCH = 2048
"""The least number of values sampled from a batch."""


@dataclass
class ColumnStats:
    """The values of one column so far, and the number of times each occurs."""

    numbers: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    value_counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    texts: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    sampled: bool = False
    """Whether ``numbers`` contains only a sample."""
    more_texts: bool = False
    """Whether some texts were dropped."""
    whole: bool = True
    """Whether all numbers are whole and exact, including those not remembered."""
    categorical: bool = True
    types: set[type[Label] | None] = field(default_factory=set)
    notations: set[Notation | None] = field(default_factory=set)
    example: Cells | None = None
    special: Counter[float] = field(default_factory=Counter)
    """The number of times each special code occurs, so that a sample has all of them."""

    @classmethod
    def of(cls, cells: Cells, special: SpecialCodes = ()) -> ColumnStats:
        """Collect the statistics of the cells of one batch."""
        value_counts = np.bincount(cells.codes, minlength=len(cells.numbers) + len(cells.texts) + 1)
        count = len(cells.numbers)
        whole = cells.whole if cells.whole is not None else not count or kernels.find_number_range(cells.numbers)[2]
        found = cls(
            missing=int(value_counts[-1]),
            whole=bool(whole),
            categorical=cells.categorical,
            types={cells.type} if count or cells.texts else set(),
            notations={cells.notation} if count or cells.notation is not None else set(),
            example=replace(cells, numbers=np.empty(0), texts=cells.texts[:1], codes=np.empty(0, np.uint8)),
        )
        codes = np.isin(cells.numbers, [code for code, _ in special])
        often = zip(cells.numbers[codes].tolist(), value_counts[:count][codes].tolist(), strict=True)
        found.special.update({code: times for code, times in often if times})
        found._add_numbers(cells.numbers[~codes], value_counts[:count][~codes])
        found._add_texts(zip(cells.texts, value_counts[count:-1].tolist(), strict=True))
        return found

    def merge(self, other: ColumnStats) -> None:
        """Merge the statistics of other batches of the same column."""
        self.missing += other.missing
        self.whole = self.whole and other.whole
        self.categorical = self.categorical and other.categorical
        self.types |= other.types
        self.notations |= other.notations
        self.sampled = self.sampled or other.sampled
        self.more_texts = self.more_texts or other.more_texts
        if self.example is None or (other.example is not None and other.example.texts and not self.example.texts):
            self.example = other.example
        self.special.update(other.special)
        self._add_numbers(other.numbers, other.value_counts)
        self._add_texts(other.texts.items())

    def _add_numbers(self, numbers: NDArray[np.float64], value_counts: NDArray[np.int64]) -> None:
        if not len(numbers):
            return
        if self.sampled and len(numbers) > _PER_BATCH:
            step = len(numbers) // _PER_BATCH
            numbers, value_counts = (
                numbers[::step].copy(),  # a view would keep the whole batch in memory
                value_counts[::step] * step,
            )
        both, place = np.unique(np.concatenate([self.numbers, numbers]), return_inverse=True)
        summed = np.zeros(len(both), np.int64)
        np.add.at(summed, place, np.concatenate([self.value_counts, value_counts]))
        if len(both) > (4 if self.sampled else 1) * _NUMBERS:
            self.sampled = True
            step = len(both) // (_NUMBERS // 2)
            both, summed = both[::step].copy(), summed[::step] * step
        self.numbers, self.value_counts = both, summed

    def _add_texts(self, texts: Iterable[tuple[str, int]]) -> None:
        if len(self.texts) < _TEXTS:
            for text, value_counts in texts:
                self.texts[text] += value_counts
            return
        for text, value_counts in texts:
            if text in self.texts:
                self.texts[text] += value_counts
            else:
                self.more_texts = True

    def cells(self) -> Cells:
        """Return the values as the cells of a column without rows."""
        if self.has_conflicting_kinds:
            raise ReadError("this column mixes different kinds of dates, or dates and numbers; convert it to text")
        notation, numbers, texts = self._notation(), self._all_numbers()[0], self.texts
        example = self.example or Cells(np.empty(0), (), np.empty(0, np.uint8), str)
        kind = next(iter(self.types)) if len(self.types) == 1 else None if self.types else example.type
        return replace(
            example,
            numbers=numbers,
            texts=sorted(texts),
            type=kind,
            categorical=self.categorical,
            notation=notation,
            whole=self.whole if len(numbers) else None,
        )

    def _all_numbers(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the numbers with the special codes among them, and the number of times each occurs."""
        numbers = np.concatenate([self.numbers, [*self.special]])
        order = np.argsort(numbers)
        counts = np.concatenate([self.value_counts, np.array([*self.special.values()], np.int64)])
        return numbers[order], counts[order]

    @property
    def has_conflicting_kinds(self) -> bool:
        """Whether the column mixes different kinds of dates, or dates and numbers, which then become text."""
        return not self.notations <= {None} and self._notation() is None

    def _notation(self) -> Notation | None:
        return None if None in self.notations else common_notation(one for one in self.notations if one is not None)

    def bins(self, name: str, plan: ColumnPlan) -> ColumnBins:
        """Infer the kind of the column, and make its bins."""
        cells = self.cells()
        ranked = replace(cells, codes=np.arange(len(cells.numbers) + len(cells.texts) + 1))
        column = plan.column(name, ranked)
        raw = [*self._all_numbers()[1].tolist(), *(self.texts[text] for text in cells.texts), self.missing]
        weights = np.bincount(column.codes, raw, column.missing + 1).astype(np.int64)
        if self.more_texts and (column.kind != "text" or column.notation is not None):
            self._refuse_guess(name, plan, column)
        too_many = self.sampled or self.more_texts or column.missing > MANY
        if self.sampled and column.notation in (WHOLE, FLAG):  # the notation that a sample of the numbers suggests
            column = replace(column, notation=WHOLE if self.whole else None)
        return make_column_bins(replace(column, codes=np.empty(0, np.uint8)), weights, open=too_many)

    def _refuse_guess(self, name: str, plan: ColumnPlan, column: Column) -> None:
        """Raise an error if the kind of a column would be guessed from only some of its texts."""
        if plan.features[name] is None and name not in plan.notations:
            kind = "numbers" if column.notation is None else f"a {column.notation.name}"
            raise ReadError(
                f"{name!r} has more than {_TEXTS:,} different texts, and some look like {kind}; declare the "
                f"column: numeric=[{name!r}] or categorical=[{name!r}]"
            )


def columns_with_conflicting_kinds(surveys: dict[str, ColumnStats], missing: Collection[str]) -> list[str]:
    """Find the columns of a text file with numbers in one batch and non-missing text in another."""
    numeric = {name: one.texts for name, one in surveys.items() if len(one.numbers)}
    return [name for name, texts in numeric.items() if texts.keys() - missing_among(texts, missing)]
