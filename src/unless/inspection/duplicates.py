"""What a table says twice: copies of columns, duplicate records, records that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unless.inspection.remarks import Remark
from unless.table import Column
from unless.values import percent

_FEW = 50  # records
_CHANCE = 20  # records: with fewer, columns go together by chance
_ODD = np.uint64(0x9E3779B97F4A7C15)


def copies(columns: Sequence[Column]) -> list[Remark]:
    """Columns that say the same as an earlier one: equal cells, or each value always beside the same other value.

    With few records the second may be chance, and only equal cells count. Where most cells differ, any two columns go
    together like that; then the values must be in the same order too.
    """
    alike: dict[bytes, list[Column]] = defaultdict(list)
    for column in columns:
        counts = column.counts()
        if np.count_nonzero(counts) > 1:
            alike[np.sort(counts[counts > 0]).tobytes()].append(column)
    found: list[Remark] = []
    for shape, group in alike.items():
        first: dict[int, Column] = {}
        for column in group if len(group) > 1 else ():
            twin = first.setdefault(_pattern(column, len(shape) // 8), column)
            same = np.array_equal(_values(twin), _values(column)) and np.array_equal(twin.codes, column.codes)
            if twin is not column and (same or len(column) >= _CHANCE):
                said = "is a copy of" if same else "always goes together with"
                found.append(Remark("copy", column.name, f"{said} {twin.name!r}", twin.name))
    return found


def _pattern(column: Column, distinct: int) -> int:
    """A number that two columns share if the same records have equal cells in both."""
    rows, ranks = len(column), column.missing + 1
    codes = column.codes.astype(np.intp)
    if 2 * distinct > rows:
        _, codes = np.unique(codes, return_inverse=True)  # the order counts
    else:
        first = np.full(ranks, rows, dtype=np.intp)
        first[codes[::-1]] = np.arange(rows - 1, -1, -1)  # the last assignment to a code stays
        order = np.empty(ranks, dtype=np.intp)
        order[np.argsort(first, kind="stable")] = np.arange(ranks)
        codes = order[codes]
    return hash(codes.astype(np.uint32).tobytes())


def _values(column: Column) -> NDArray[np.object_]:
    return np.array([*column.numbers.tolist(), *column.categories], dtype=object)


def repetitions(columns: Sequence[Column], target: Column | None, rows: int) -> list[Remark]:
    """Remarks on too few records, on duplicates, and on contradictions: the same cells, another label.

    Leave identifiers out of the columns: with them no two records are the same.
    """
    found: list[Remark] = []
    if rows < _FEW:
        few = "is only 1 record" if rows == 1 else f"are only {rows} records" if rows else "are no records"
        found.append(Remark("few-records", None, f"There {few}"))
    if not columns or not rows:
        return found
    cells = _mixed(columns, np.zeros(rows, dtype=np.uint64))
    again = rows - len(np.unique(cells if target is None else _mixed([target], cells)))
    if again:
        share, verb = percent(again / rows, 1), "repeats" if again == 1 else "repeat"
        found.append(Remark("duplicates", None, f"{again:,} of {rows:,} records ({share}) {verb} an earlier one"))
    return found if target is None else found + _contradictions(cells, target)


def _contradictions(cells: NDArray[np.uint64], target: Column) -> list[Remark]:
    """How many records have the same cells as one with another label, and how many any rules get wrong for that."""
    labelled = target.codes != target.missing
    _, group = np.unique(cells[labelled], return_inverse=True)
    pairs, counts = np.unique(group * (target.missing + 1) + target.codes[labelled], return_counts=True)
    groups = pairs // (target.missing + 1)
    if not len(groups) or len(groups) == groups[-1] + 1:
        return []
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes, most = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
    records, wrong = int(sizes[sizes > most].sum()), int((sizes - most).sum())
    alike = f"{records:,} records have the same cells as a record with another label"
    said = f"{alike}: any rules are wrong for at least {wrong:,} of {int(counts.sum()):,}"
    return [Remark("contradictions", None, said)]


def _mixed(columns: Sequence[Column], start: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of every row; in a million different rows two are equal once in 3e7 tables."""
    mixed = start.copy()
    for column in columns:
        mixed ^= column.codes.astype(np.uint64) + np.uint64(1)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(32)
    return mixed
