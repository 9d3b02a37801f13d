"""Tables of rank codes.

A column's distinct values are ranked: numbers ascending, then categories by code point, then missing. A cell is stored
as its rank, so ``<=`` is a prefix of the ranks, ``==`` one rank, and the truth of any literal a comparison of small
integers (`Column.span`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError, UnknownNameError, suggest
from unless.rule import Literal
from unless.values import DEFAULT_MISSING, Label, Value, value_of

__all__ = ["Codes", "Column", "Kind", "Labels", "Schema", "Table", "smallest"]

Kind = OneOf["number", "text", "mixed"]
Codes = NDArray[Any]
"""An array of unsigned integers, of the smallest type that holds every rank of its column."""


def smallest(codes: NDArray[Any], count: int) -> Codes:
    """Codes below ``count`` in the smallest unsigned type: a byte up to 256 values."""
    dtype = np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
    return np.ascontiguousarray(codes, dtype=dtype)


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One feature: its distinct values in order, and the rank of every cell.

    ``numbers`` ascend, ``categories`` are sorted by code point, neither repeats; the rank after both is missing.
    """

    name: str
    kind: Kind
    numbers: NDArray[np.float64]
    categories: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, name: str, cells: Iterable[object], kind: Kind = "mixed") -> Column:
        """A column from plain Python cells, each meaning what `values.value_of` says."""
        values = [value_of(cell) for cell in cells]
        numbers = sorted({value for value in values if isinstance(value, float)})
        categories = sorted({value for value in values if isinstance(value, str)})
        rank: dict[Value, int] = {value: code for code, value in enumerate([*numbers, *categories, None])}
        codes = np.array([rank[value] for value in values], dtype=np.int64)
        return cls(name, kind, np.array(numbers, dtype=np.float64), tuple(categories), smallest(codes, len(rank)))

    @property
    def missing(self) -> int:
        """The rank of a missing cell, one past every value's."""
        return len(self.numbers) + len(self.categories)

    def value(self, code: int) -> Value:
        """The value behind a rank."""
        if code < len(self.numbers):
            return float(self.numbers[code])
        return None if code == self.missing else self.categories[code - len(self.numbers)]

    def span(self, literal: Literal) -> tuple[int, int, bool]:
        """The truth of a literal as ranks: it holds where ``(first <= code < end) != negated``."""
        match literal.op, literal.value:
            case ("<=", float(x)):
                return 0, int(np.searchsorted(self.numbers, x, "right")), False
            case (">", float(x)):
                return int(np.searchsorted(self.numbers, x, "right")), len(self.numbers), False
            case (("==" | "!=") as op, str(category)):
                place = bisect_left(self.categories, category)
                found = place < len(self.categories) and self.categories[place] == category
                code = len(self.numbers) + place
                return code, code + found, op == "!="
            case (op, _):
                return self.missing, self.missing + 1, op == "present"

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        kinds = f"{len(self.numbers)} numbers, {len(self.categories)} categories"
        return f"<Column {self.name!r}: {self.kind}, {len(self)} cells, {kinds}>"


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """The target column: distinct labels in order (text by code point, numbers by value), and each row's rank."""

    name: str
    labels: tuple[Label, ...]
    codes: Codes

    @classmethod
    def of(cls, name: str, cells: Iterable[Label]) -> Labels:
        """Labels from plain Python cells of one type."""
        cells = list(cells)
        labels = sorted(set(cells))
        rank = {label: code for code, label in enumerate(labels)}
        return cls(name, tuple(labels), smallest(np.array([rank[cell] for cell in cells], dtype=np.int64), len(labels)))


@dataclass(frozen=True, slots=True)
class Schema:
    """How a table was read, for reading another batch alike (``like=``).

    The kind of every feature, in order, the text cells that mean "missing", and the name of the target.
    """

    kinds: Mapping[str, Kind]
    missing: tuple[str, ...] = DEFAULT_MISSING
    target: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of rank codes, all of one length, and, for learning, labels.

    ``table[rows]`` takes a slice, a mask or an array of row numbers and gives the table of those rows, with the same
    ranks. ``missing`` remembers the text cells that were read as missing, for reading another batch alike.
    """

    columns: tuple[Column, ...]
    target: Labels | None = None
    rows: int = -1
    missing: tuple[str, ...] = DEFAULT_MISSING
    _places: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns}
        if self.target is not None:
            lengths.add(len(self.target.codes))
        if self.rows >= 0:
            lengths.add(self.rows)
        if len(lengths) > 1:
            raise ReadError(f"columns of different lengths: {sorted(lengths)}")
        object.__setattr__(self, "rows", lengths.pop() if lengths else 0)
        self._places.update({column.name: place for place, column in enumerate(self.columns)})
        if len(self._places) < len(self.columns):
            names = [column.name for column in self.columns]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(f"the column name {twice!r} stands twice; rename one of them")

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns, the target not among them."""
        return tuple(column.name for column in self.columns)

    @property
    def schema(self) -> Schema:
        """How to read another batch alike."""
        kinds = {column.name: column.kind for column in self.columns}
        return Schema(kinds, self.missing, None if self.target is None else self.target.name)

    def column(self, name: str) -> Column:
        """The column of that name."""
        if name not in self._places:
            raise UnknownNameError(f"no column {name!r}{suggest(name, self.features)}")
        return self.columns[self._places[name]]

    def renamed(self, names: Sequence[str]) -> Table:
        """The same columns under other names."""
        columns = tuple(replace(column, name=name) for column, name in zip(self.columns, names, strict=True))
        return Table(columns, self.target, self.rows, self.missing)

    def record(self, row: int) -> dict[str, Value]:
        """One row as values: numbers, text, None where missing."""
        return {column.name: column.value(int(column.codes[row])) for column in self.columns}

    def __getitem__(self, rows: slice | Sequence[int] | NDArray[Any]) -> Table:
        picked = rows if isinstance(rows, slice) else np.asarray(rows)
        if isinstance(picked, np.ndarray) and picked.ndim != 1:
            raise TypeError("a table takes a slice, a mask or row numbers; record(row) gives one row")
        if isinstance(picked, np.ndarray) and not picked.size:
            picked = picked.astype(np.intp)  # an empty list would be an array of floats
        columns = tuple(replace(column, codes=np.ascontiguousarray(column.codes[picked])) for column in self.columns)
        target = self.target and replace(self.target, codes=np.ascontiguousarray(self.target.codes[picked]))
        count = len(range(self.rows)[picked]) if isinstance(picked, slice) else len(np.arange(self.rows)[picked])
        return Table(columns, target, count, self.missing)

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        target = "no target" if self.target is None else f"target {self.target.name!r}"
        return f"<Table: {self.rows} rows, {len(self.columns)} features, {target}>"
