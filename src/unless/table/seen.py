"""Which values occur in a table, and what is kept of those that training had: categories and ranges, without rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import compress
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from unless.table.columns import Codes, Column, changed, smallest
from unless.table.table import Table

MOST = 1000
"""How many categories of a feature are remembered: the most frequent; of equally frequent ones, the first in order."""

_GLANCE, _FEW = 2048, 16
"""Counting 32,561 rows takes 90 us. So the first rows are counted, and if they lack only a few categories, these are
looked for in all rows."""


def domain_of(table: Table, features: Iterable[str]) -> Table:
    """The named columns without rows: their categories, and the smallest and largest finite number."""
    nothing: Codes = np.empty(0, np.uint8)
    known = tuple(
        changed(one, numbers=_ends(one), categories=_most_frequent(one), codes=nothing)
        for one in map(table.column, features)
    )
    return Table(known, rows=0, missing=table.missing)


def _ends(column: Column) -> NDArray[np.float64]:
    """The smallest and the largest finite number that occurs; only one if they are equal."""
    numbers, codes = column.numbers, column.codes
    if not len(numbers) or not len(codes):
        return numbers[:0]
    low, end = 0 if isfinite(numbers[0]) else 1, len(numbers) - (not isfinite(numbers[-1]))
    least, most = int(codes.min()), int(codes.max())
    if least < low or most >= end:
        codes = codes[(codes >= low) & (codes < end)]
        if not len(codes):
            return numbers[:0]
        least, most = int(codes.min()), int(codes.max())
    return numbers[sorted({least, most})]


def _most_frequent(column: Column) -> tuple[str, ...]:
    """The categories that occur; if there are very many, the most frequent."""
    if not column.categories:
        return ()
    first, end = len(column.numbers), column.missing
    often = np.bincount(column.codes[:_GLANCE], minlength=end + 1)[first:end]
    if len(often) > MOST or np.count_nonzero(often) < len(often) - _FEW:
        often = column.counts()[first:end]
    elif not often.all():
        for place in np.flatnonzero(often == 0):
            often[place] = (column.codes == first + place).any()
    if len(often) <= MOST and often.all():
        return column.categories
    kept = np.argsort(-often, kind="stable")[: min(MOST, np.count_nonzero(often))]
    return tuple(column.categories[place] for place in np.sort(kept).tolist())


def occurring(table: Table) -> Table:
    """The same rows, without the values that no row has: ``table[rows]`` keeps all values of the table."""
    columns = tuple(map(_occurring, table.columns))
    same = all(one is other for one, other in zip(columns, table.columns, strict=True))
    return table if same else replace(table, columns=columns)


def _occurring(column: Column) -> Column:
    there, numbers = column.counts()[:-1] > 0, len(column.numbers)
    if there.all():
        return column
    count = int(np.count_nonzero(there))
    codes = smallest(np.append(np.cumsum(there) - 1, count), count + 1)[column.codes]
    categories = tuple(compress(column.categories, there[numbers:].tolist()))
    return changed(column, numbers=column.numbers[there[:numbers]], categories=categories, codes=codes)
