"""What the columns of training could be: their categories and the range of their numbers, in a table without rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unless.table import Codes, Column, Table

__all__ = ["MOST", "domain_of"]

MOST = 1000
"""Categories of a feature that are remembered: the most frequent ones, equally frequent ones by their order."""

_GLANCE, _FEW = 2048, 16
"""Of 32,561 rows counting takes 90 us: what the first rows do not have is looked for in all, if it is little."""


def domain_of(table: Table, features: Iterable[str]) -> Table:
    """The named columns without rows: of the numbers that occur only the least and the largest finite one."""
    return Table(tuple(_domain(table.column(feature)) for feature in features), rows=0, missing=table.missing)


def _domain(column: Column) -> Column:
    nothing: Codes = np.empty(0, np.uint8)
    categories = tuple(column.categories[place] for place in _most_frequent(column))
    return Column(column.name, column.kind, _ends(column), categories, nothing)


def _ends(column: Column) -> NDArray[np.float64]:
    """The least and the largest finite number that occurs, one if they are the same, none if there are none."""
    finite = np.isfinite(column.numbers[[0, -1]]) if len(column.numbers) else np.zeros(2, bool)
    low, end = 0 if finite[0] else 1, len(column.numbers) - (not finite[1])
    codes = column.codes
    if len(codes) and not (codes.min() >= low and codes.max() < end):
        codes = codes[(codes >= low) & (codes < end)]
    return column.numbers[sorted({int(codes.min()), int(codes.max())})] if len(codes) else column.numbers[:0]


def _most_frequent(column: Column) -> list[int]:
    """The places of the categories that occur; of very many, of the most frequent ones."""
    if not column.categories:
        return []
    often = _counts(column, column.codes[:_GLANCE])
    if len(often) > MOST or np.count_nonzero(often) < len(often) - _FEW:
        often = _counts(column, column.codes)
    elif not often.all():
        for place in np.flatnonzero(often == 0):
            often[place] = (column.codes == len(column.numbers) + place).any()
    kept = np.argsort(-often, kind="stable")[: min(MOST, np.count_nonzero(often))]
    return np.sort(kept).tolist()  # type: ignore[no-any-return]


def _counts(column: Column, codes: Codes) -> NDArray[np.intp]:
    return np.bincount(codes, minlength=column.missing + 1)[len(column.numbers) : column.missing]
