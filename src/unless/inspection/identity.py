"""Whether a column tells records apart rather than describes them. Rules about such a column fit no new records."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from unless.inspection.remarks import Code, Remark
from unless.table import Column, Table

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LAST = {
    "id", "ids", "nr", "no", "num", "number", "key", "index", "idx", "uuid", "guid", "pk", "rowid", "row", "serial",
}  # fmt: skip
_FIRST = {"id", "uuid", "guid", "unnamed"}  # pandas calls a column of row numbers "Unnamed: 0"

_FEW = 5  # present cells: fewer prove nothing
_RUN = 10  # this many whole numbers without a gap are a numbering
_MANY = 20  # this many texts can be nearly unique
_NAMED, _UNNAMED = 0.9, 2 / 3  # share of distinct cells in an identifier, with and without a telling name


def identifiers(table: Table) -> tuple[Remark, ...]:
    """The columns of a table that tell its records apart, and why."""
    found = (identity(column, column.counts()) for column in table.columns)
    return tuple(remark for remark in found if remark is not None)


def identity(column: Column, counts: NDArray[np.intp]) -> Remark | None:
    """Why a column is an identifier: whole numbers that count the records, or texts that nearly all differ.

    Measurements may differ in every record too. So numbers are suspected only if they are whole, and either run
    without a gap or have a name such as ``customer_id``.
    """
    numbers, texts = counts[: len(column.numbers)], counts[len(column.numbers) : -1]
    present, distinct = int(counts[:-1].sum()), int(np.count_nonzero(counts[:-1]))
    if present < _FEW or distinct < _UNNAMED * present:
        return None
    if not texts.any():
        return _numbering(column, column.numbers[numbers > 0], present)
    kept = column.numbers[numbers > 0]
    if len(kept) and not _whole(kept):
        return None  # a measurement, and some words
    if _named(column.name) and distinct >= _NAMED * present:
        return Remark("identifier", column.name, f"is an identifier: {_different(distinct, present)}")
    cells = int(texts.sum())
    if cells >= _MANY and np.count_nonzero(texts) >= _UNNAMED * cells:
        code: Code = "unique" if distinct == present else "nearly-unique"
        return Remark(code, column.name, f"is {code.replace('-', ' ')}: {_different(distinct, present)}")
    return None


def _numbering(column: Column, numbers: NDArray[np.float64], present: int) -> Remark | None:
    if not _whole(numbers):
        return None
    unique = len(numbers) == present
    if unique and present >= _RUN and numbers[-1] - numbers[0] == present - 1:
        return Remark("identifier", column.name, f"is an identifier: it numbers the records from {numbers[0]:.0f} on")
    if _named(column.name) and len(numbers) >= _NAMED * present:
        return Remark("identifier", column.name, f"is an identifier: {_different(len(numbers), present)}")
    return None


def _whole(numbers: NDArray[np.float64]) -> bool:
    return bool(np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers)))


def _named(name: str) -> bool:
    """Whether a name says that the column is an identifier; R's write.csv leaves the name of row numbers empty."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not name.strip() or (bool(words) and (words[-1] in _LAST or words[0] in _FIRST))


def _different(distinct: int, present: int) -> str:
    if distinct == present:
        return f"all {present:,} cells differ"
    return f"{distinct:,} different cells in {present:,} records"
