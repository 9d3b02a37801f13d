"""Find columns that make a random split too easy: names that repeat, such as customers, and dates that labels follow.

Rules are then tested on records that are too similar to those of training: of the same customers, or of the same days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from unless.inspection.cell_counts import CellCounts
from unless.inspection.column_profile import has_identifier_name
from unless.inspection.findings import Remark
from unless.table import Column
from unless.values import count_text, percent
from unless.values.notation import DateNotation

_FEWEST = 200  # records: fewer show too little
_VALUES = 20  # values: fewer are kinds, not names
_REPEATS = 2  # records with the same value, on average
_CODES = 0.9  # share of texts that are codes, with a letter and a digit
_KAPPA = 0.1  # by how much more often than by chance records with the same value have the same label
_SURE = 6.0  # standard deviations of both findings; there may be many columns
_PARTS = 10  # parts of equal size into which times are divided
_MOVED = 0.1  # the least difference of a label's share between two of these parts
_PEOPLE = re.compile(
    r"(?i)(^|[\W_])(customer|client|patient|user|person|people|member|subject|employee|household|account|policy|"
    r"machine|device|unit|vehicle|driver|student|pupil|teacher|author|supplier|owner|company|firm|case)s?($|[\W_])"
)
_CODE = re.compile(r"(?=.*[0-9])(?=.*[^\W\d_]).{2,}|[0-9]{3,}")


def find_kind_splits(columns: Sequence[Column], target: Column) -> list[Remark]:
    """Find columns that make a test on records drawn at random too good."""
    known = target.codes != target.missing
    if np.count_nonzero(known) < _FEWEST:
        return []
    labels = target.codes[known]
    return [one for column in columns for one in _inspect_column(column, column.codes[known], labels, target)]


def _inspect_column(
    column: Column, codes: NDArray[np.unsignedinteger], labels: NDArray[np.unsignedinteger], target: Column
) -> Iterator[Remark]:
    there = codes < column.missing
    if isinstance(column.notation, DateNotation):
        there = codes < len(column.numbers)
        if np.count_nonzero(there) >= _FEWEST and (text := _describe_drift(codes[there], labels[there], target)):
            yield Remark("drifting-date", column.name, text)
    elif np.count_nonzero(there) < _FEWEST or not _names_things(column):
        return
    elif text := _describe_likeness(codes[there], labels[there]):
        yield Remark("repeated-group", column.name, text)


def _names_things(column: Column) -> bool:
    """Return whether the values of a column look like names of customers or the like, and repeat."""
    named = has_identifier_name(column.name) or bool(_PEOPLE.search(column.name))
    if not named and not column.categories:  # most columns of a wide table
        return False
    counts = CellCounts.of(column)
    if not _VALUES <= counts.distinct <= counts.present / _REPEATS:
        return False
    if column.numbers.size and not (column.plain and np.all(column.numbers == np.floor(column.numbers))):
        return False
    texts = counts.some_texts
    return named or (bool(texts) and sum(bool(_CODE.fullmatch(text)) for text in texts) >= _CODES * len(texts))


def _describe_likeness(codes: NDArray[np.unsignedinteger], labels: NDArray[np.unsignedinteger]) -> str | None:
    """Say how often two records with the same value have the same label, if that is far more often than by chance."""
    sizes = np.bincount(codes).astype(np.float64)
    pairs = float((sizes * (sizes - 1)).sum()) / 2
    _, both = np.unique(codes.astype(np.int64) * (int(labels.max()) + 1) + labels, return_counts=True)
    every, found = np.bincount(labels).astype(np.float64), both.astype(np.float64)
    rows = float(sizes.sum())
    chance = float((every * (every - 1)).sum()) / (rows * (rows - 1))
    if not pairs or chance >= 1:
        return None
    same = float((found * (found - 1)).sum()) / 2 / pairs
    sure = (same - chance) * sqrt(pairs / max(chance * (1 - chance), 1e-9))
    if same - chance < _KAPPA * (1 - chance) or sure < _SURE:
        return None
    values = count_text(int(np.count_nonzero(sizes)), "value")
    return (
        f"repeats: {values} in {rows:,.0f} records, and two records with the same one have the same label in "
        f"{percent(same)} of the cases, where chance gives {percent(chance)}"
    )


def _describe_drift(
    codes: NDArray[np.unsignedinteger], labels: NDArray[np.unsignedinteger], target: Column
) -> str | None:
    """Say between which shares a label moves over time, if that is more than chance."""
    starts = np.searchsorted(np.sort(codes), np.unique(codes))  # all records of a moment are in the same part
    part = (starts * _PARTS // len(codes))[np.searchsorted(np.unique(codes), codes)]
    counts = np.zeros((_PARTS, target.missing))
    np.add.at(counts, (part, labels), 1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return None
    sizes, total = counts.sum(axis=1, keepdims=True), counts.sum()
    expected = sizes * counts.sum(axis=0) / total
    chi, free = float(((counts - expected) ** 2 / expected).sum()), (counts.shape[0] - 1) * (counts.shape[1] - 1)
    sure = ((chi / free) ** (1 / 3) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free))  # Wilson and Hilferty
    shares = counts / sizes
    moved = shares.max(axis=0) - shares.min(axis=0)
    label = int(np.argmax(moved))
    if sure < _SURE or moved[label] < _MOVED:
        return None
    there = np.unique(labels)
    name, low, high = target.value(int(there[label])), shares[:, label].min(), shares[:, label].max()
    return f"is a date over which the share of {str(name)!r} moves between {percent(low)} and {percent(high)}"
