"""Find the values that occur in a table, and those that a model stores: categories and ranges, without rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from unless.table.columns import Codes, Column, replace_checked, to_smallest_type
from unless.table.table import Table

MAX_DOMAIN_VALUES = 1000
"""The number of categories of a feature that are kept: the most frequent; ties in sorted order."""

_GLANCE, _FEW = 2048, 16
"""The number of first rows to count: counting all of 32,561 takes 90 us. If the first rows lack only a few categories,
only these are searched in all rows."""


def domain_table(table: Table, features: Iterable[str]) -> Table:
    """Return the named columns without rows: their categories, and the smallest and largest finite number."""
    nothing: Codes = np.empty(0, np.uint8)
    known = tuple(
        replace_checked(one, numbers=_finite_range(one), categories=_most_frequent_categories(one), codes=nothing)
        for one in map(table.column, features)
    )
    return Table(known, rows=0, missing=table.missing)


def _finite_range(column: Column) -> NDArray[np.float64]:
    """Find the smallest and the largest finite number that occurs; only one if they are equal."""
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


def _most_frequent_categories(column: Column) -> tuple[str, ...]:
    """Find the categories that occur; if there are very many, the most frequent."""
    if not column.categories:
        return ()
    first, end = len(column.numbers), column.missing
    often = np.bincount(column.codes[:_GLANCE], minlength=end + 1)[first:end]
    if len(often) > MAX_DOMAIN_VALUES or np.count_nonzero(often) < len(often) - _FEW:
        often = column.counts()[first:end]
    elif not often.all():
        for place in np.flatnonzero(often == 0):
            often[place] = (column.codes == first + place).any()
    if len(often) <= MAX_DOMAIN_VALUES and often.all():
        return column.categories
    kept = np.argsort(-often, kind="stable")[: min(MAX_DOMAIN_VALUES, np.count_nonzero(often))]
    return tuple(column.categories[place] for place in np.sort(kept).tolist())


def drop_unused_values(table: Table) -> Table:
    """Drop the values that no row has: ``table[rows]`` keeps all values of the table."""
    columns = tuple(map(drop_unused_values_of, table.columns))
    same = all(one is other for one, other in zip(columns, table.columns, strict=True))
    return table if same else replace(table, columns=columns)


def drop_unused_values_of(column: Column) -> Column:
    """Drop the values of a column that no row has."""
    there, numbers = column.counts()[:-1] > 0, len(column.numbers)
    if there.all():
        return column
    count = int(np.count_nonzero(there))
    codes = to_smallest_type(np.append(np.cumsum(there) - 1, count), count + 1)[column.codes]
    categories = tuple(column.categories[place] for place in np.flatnonzero(there[numbers:]).tolist())
    return replace_checked(column, numbers=column.numbers[there[:numbers]], categories=categories, codes=codes)
