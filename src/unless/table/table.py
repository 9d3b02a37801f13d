"""Tables: columns of the same length, labels for learning, and the schema for reading similar tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError, UnknownNameError, suggest
from unless.libraries import pl
from unless.table.columns import Column, Kind, Labels, SpecialCodes, take_rows
from unless.table.record_hashes import Hashes, record_hashes
from unless.table.to_frames import column_to_pandas, column_to_polars
from unless.values import DEFAULT_MISSING, Value
from unless.values.notation import WHOLE, Notation

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Schema:
    """How a table was read, so that another table can be read in the same way (``like=``).

    Contains the kind of every feature, in order, the texts that mean "missing", the name of the target, notations of
    some features, and the features whose cells were numbers, not texts that spell numbers.
    """

    kinds: Mapping[str, Kind]
    """The kind of every feature, in order."""
    missing: tuple[str, ...] = DEFAULT_MISSING
    """The text cells that mean *missing*."""
    target: str | None = None
    """The name of the target, if any."""
    notations: Mapping[str, Notation] = field(default_factory=dict)
    """How the numbers of some features are written, such as dates."""
    typed: frozenset[str] = frozenset()
    """The features whose cells were numbers in their source, not texts that spell numbers."""
    parts: Mapping[str, str | None] = field(default_factory=dict)
    """The columns of dates that are replaced by their parts, and their formats; None means ISO 8601."""
    special: Mapping[str, SpecialCodes] = field(default_factory=dict)
    """The numbers of some features that name a category."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns that the features are read from; for parts, the column of dates."""
        of = {one: name for name in self.parts for one in part_names([name], self.parts)}
        return tuple(dict.fromkeys(of.get(name, name) for name in self.kinds))

    def available(self, names: Iterable[str]) -> set[str]:
        """Return the given names and the names of the features that can be derived from them."""
        found = set(names)
        return found | set(part_names(found & set(self.parts), self.parts))


PARTS = ("weekday", "month", "hour")


def part_names(names: Iterable[str], dates: Collection[str]) -> list[str]:
    """Replace the names of date columns by those of their parts, such as ``when.weekday``."""
    return [one for name in names for one in ([f"{name}.{part}" for part in PARTS] if name in dates else [name])]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of rank codes, all of the same length, with labels for learning.

    ``table[rows]`` takes a slice, a mask or an array of row numbers and returns the table of these rows, with the same
    ranks. So scikit-learn can split a table like an array. ``missing`` are the text cells that were read as missing;
    another table can be read in the same way. ``read_as`` describes an unusual way of reading the file: "read as
    semicolon-separated, decimal comma, cp1252". If rows were left out on reading, ``numbers`` are the numbers of the
    other rows in their source, from 1. ``parts`` are the columns of dates that were replaced (`Schema.parts`).
    ``groups`` has the hash of each row's group, if records belong to groups: learners then test on whole groups.
    """

    columns: tuple[Column, ...]
    """The features, in order."""
    target: Labels | None = None
    """The labels; None if there are none."""
    rows: int = -1
    """The number of records."""
    missing: tuple[str, ...] = DEFAULT_MISSING
    read_as: str = ""
    numbers: NDArray[np.int64] | None = None
    parts: Mapping[str, str | None] = field(default_factory=dict)
    groups: Hashes | None = None
    _places: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if wrong := [column for column in self.columns if not isinstance(column, Column)]:
            raise ReadError(f"a table is made of columns, not of {type(wrong[0]).__name__} {wrong[0]!r:.60}")
        if not isinstance(self.target, Labels | None):
            raise ReadError(
                f"the target of a table must be Labels, not {type(self.target).__name__} {self.target!r:.60}"
            )
        lengths = {len(column) for column in self.columns}
        if self.target is not None:
            lengths.add(len(self.target.codes))
        if self.groups is not None:
            lengths.add(len(self.groups))
        if self.rows >= 0:
            lengths.add(self.rows)
        if len(lengths) > 1:
            raise ReadError(f"columns of different lengths: {sorted(lengths)}")
        object.__setattr__(self, "rows", lengths.pop() if lengths else 0)
        self._places.update({column.name: place for place, column in enumerate(self.columns)})
        if len(self._places) < len(self.columns):
            names = [column.name for column in self.columns]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(f"the column name {twice!r} appears twice; rename one of them")

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns, without the target."""
        return tuple(column.name for column in self.columns)

    @property
    def labels(self) -> Labels:
        """The target; a table without labels raises an error."""
        if self.target is None:
            raise ReadError("the table has no labels; name them: read_table(source, target=...)")
        return self.target

    @property
    def y(self) -> NDArray[Any]:
        """The label of every row, for functions of scikit-learn; text is an array of objects."""
        labels = self.labels.labels
        distinct: NDArray[Any] = np.array(labels, dtype=object if isinstance(next(iter(labels), ""), str) else None)
        return distinct[self.labels.codes]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of features."""
        return self.rows, len(self.columns)

    @property
    def group_numbers(self) -> Hashes | None:
        """The number of each row's group, from 0 in the order of hashes; None without groups, or with only one."""
        if self.groups is None or not len(self.groups) or (self.groups == self.groups[0]).all():
            return None
        return np.unique(self.groups, return_inverse=True)[1].astype(np.uint64)

    def fold_numbers(self) -> Hashes:
        """Number the rows: rows with the same number belong in the same part of a split, and groups are not divided."""
        groups = self.group_numbers
        return record_hashes(self.columns, len(self)) if groups is None else groups

    @property
    def schema(self) -> Schema:
        """The schema by which the table was read."""
        kinds = {column.name: column.kind for column in self.columns}
        notations = {column.name: column.notation for column in self.columns if column.notation is not None}
        typed = frozenset(column.name for column in self.columns if column.typed)
        special = {column.name: column.special for column in self.columns if column.special}
        target = None if self.target is None else self.target.name
        return Schema(kinds, self.missing, target, notations, typed, self.parts, special)

    def column(self, name: str) -> Column:
        """Return the column with a name."""
        if name not in self._places:
            raise UnknownNameError(f"no column {name!r}{suggest(name, self.features)}")
        return self.columns[self._places[name]]

    def renamed(self, names: Sequence[str]) -> Table:
        """Return the table with other names for its columns."""
        columns = tuple(replace(column, name=name) for column, name in zip(self.columns, names, strict=True))
        return replace(self, columns=columns)

    def number(self, row: int) -> int:
        """Return the number of a row in the source of the table, from 1."""
        return row + 1 if self.numbers is None else int(self.numbers[row])

    def record(self, row: int) -> dict[str, Value]:
        """Return one row as values: numbers, text, and None for missing cells."""
        return {column.name: _cell(column, column.value(int(column.codes[row]))) for column in self.columns}

    def to_pandas(self) -> pd.DataFrame:
        """Convert the columns, followed by the labels, to a pandas frame.

        Numbers are float64, dates and durations have their types, and text is categorical, so that text stays text when
        it is read again; a mixed column contains objects: numbers, text and None. Special codes are numbers again.
        """
        import pandas as pd  # an extra; takes 0.3 s

        columns = {column.name: column_to_pandas(column) for column in self.columns}
        return pd.DataFrame(columns | self._target_column(), index=range(self.rows))

    def to_polars(self) -> pl.DataFrame:
        """Convert the columns, followed by the labels, to a polars frame; missing cells are null.

        Numbers are Float64, dates, times and durations have their types, an ordered column is an Enum, text is
        Categorical, and a mixed column is text: polars has no columns of mixed types.
        """
        columns = {column.name: column_to_polars(column) for column in self.columns}
        return pl.DataFrame(columns | {name: pl.Series(y.tolist()) for name, y in self._target_column().items()})

    def to_arrow(self) -> pa.Table:
        """Convert the columns, followed by the labels, to a pyarrow table; text is a dictionary of strings."""
        return self.to_polars().to_arrow()

    def _target_column(self) -> dict[str, NDArray[Any]]:
        if self.target is None:
            return {}
        if self.target.name in self._places:
            raise ReadError(f"the target {self.target.name!r} is called like a column; rename one of them")
        return {self.target.name: self.y}

    def __getitem__(self, rows: slice | Sequence[int] | NDArray[Any] | tuple[Any, EllipsisType]) -> Table:
        wanted: Any = rows
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            wanted = rows[0]  # scikit-learn selects rows like this if X has a shape
        picked = wanted if isinstance(wanted, slice) else np.asarray(wanted)
        if isinstance(picked, np.ndarray) and picked.ndim != 1:
            raise TypeError("a table takes a slice, a mask or row numbers; record(row) gives one row")
        if isinstance(picked, np.ndarray) and not picked.size:
            picked = picked.astype(np.intp)  # an empty list would be an array of floats
        columns = tuple(take_rows(column, picked) for column in self.columns)
        target = self.target and take_rows(self.target, picked)
        count = len(range(self.rows)[picked]) if isinstance(picked, slice) else len(np.arange(self.rows)[picked])
        numbers = None if self.numbers is None else self.numbers[picked]
        groups = None if self.groups is None else self.groups[picked]
        return Table(columns, target, count, self.missing, self.read_as, numbers, self.parts, groups)

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        """Raise an error: conversion to an array would lose the kinds of columns."""
        raise TypeError("a table is not an array: its columns have kinds; give table.to_pandas() instead")

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        target = "no target" if self.target is None else f"target {self.target.name!r}"
        return f"<Table: {self.rows} rows, {len(self.columns)} features, {target}>"


def _cell(column: Column, value: Value) -> Value:
    """Return a cell of a record; whole numbers keep their notation, so that sentences contain "is 3"."""
    return WHOLE.known(value) if column.notation == WHOLE and isinstance(value, float) else value
