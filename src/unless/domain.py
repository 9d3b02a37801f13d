"""What the columns of training could be: their categories and the range of their numbers, in a table without rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unless.table import Codes, Column, Table

__all__ = ["MOST", "domain_of"]

MOST = 1000
"""Categories of a feature that are remembered: the most frequent ones, equally frequent ones by their order."""


def domain_of(table: Table, features: Iterable[str]) -> Table:
    """The named columns without rows: of the numbers that occur only the least and the largest finite one."""
    return Table(tuple(_domain(table.column(feature)) for feature in features), rows=0, missing=table.missing)


def _domain(column: Column) -> Column:
    counts = np.bincount(column.codes, minlength=column.missing + 1)
    numbers = column.numbers[(counts[: len(column.numbers)] > 0) & np.isfinite(column.numbers)]
    often = counts[len(column.numbers) : column.missing]
    kept = np.sort(np.argsort(-often, kind="stable")[: min(MOST, np.count_nonzero(often))])
    nothing: Codes = np.empty(0, np.uint8)
    categories = tuple(column.categories[place] for place in kept)
    return Column(column.name, column.kind, numbers[[0, -1]] if len(numbers) > 1 else numbers, categories, nothing)
