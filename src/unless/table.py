"""Tables of rank codes.

A column's distinct values are ranked: numbers ascending, then categories by code point, then missing. A cell is stored
as its rank, so ``<=`` is a prefix of the ranks, ``==`` is one rank, and the truth of any literal is a comparison of
small integers (`Column.span`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import isfinite, isnan
from operator import lt
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError, UnknownNameError, suggest
from unless.rule import Literal
from unless.values import DEFAULT_MISSING, Label, Value, plain, read_as, spell, value_of
from unless.values.notation import INSTANT, Durations, Moments, Notation, Noted, Order, Times, common

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Kind = OneOf["number", "text", "mixed"]
Codes = NDArray[Any]
"""An array of unsigned integers, of the smallest type that holds every rank of its column."""


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One feature: its distinct values in order, and the rank of every cell.

    ``numbers`` ascend, ``categories`` are sorted by code point, and neither has a value twice; the rank after both
    means missing. ``notation`` says how its numbers are written, if not as plain numbers. The constructor checks all
    that once, so that nobody else has to. Codes may be integers of any type.
    """

    name: str
    kind: Kind
    numbers: NDArray[np.float64]
    categories: tuple[str, ...]
    codes: Codes
    notation: Notation | None = None

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.kind not in ("number", "text", "mixed"):
            raise ReadError(f"the column {self.name!r} is of the kind number, text or mixed, not {self.kind!r}")
        object.__setattr__(self, "numbers", _ascending(self.numbers, self.name))
        object.__setattr__(self, "categories", _sorted(self.categories, self.name))
        whose = f"the column {self.name!r} has {self.missing} values and missing"
        object.__setattr__(self, "codes", _ranks(self.codes, self.missing + 1, whose))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Take what was pickled or copied; arrays become read-only again."""
        for name, value in state.items():
            object.__setattr__(self, name, _frozen(value) if isinstance(value, np.ndarray) else value)

    @classmethod
    def of(cls, name: str, cells: Iterable[object], kind: Kind = "mixed") -> Column:
        """A column from plain Python cells; `values.value_of` says what each means."""
        values = [value_of(cell) for cell in cells]
        notation = common({value.notation for value in values if isinstance(value, Noted)})
        numbers = sorted({value for value in values if isinstance(value, float)})
        categories = sorted({value for value in values if isinstance(value, str)})
        rank: dict[Value, int] = {value: code for code, value in enumerate([*numbers, *categories, None])}
        codes = np.array([rank[value] for value in values], dtype=np.int64)
        return cls(name, kind, np.array(numbers, dtype=np.float64), tuple(categories), codes, notation)

    @property
    def missing(self) -> int:
        """The rank of a missing cell, after those of all values."""
        return len(self.numbers) + len(self.categories)

    def value(self, code: int) -> Value:
        """The value that has a rank."""
        if code < len(self.numbers):
            return self.number(float(self.numbers[code]))
        return None if code == self.missing else self.categories[code - len(self.numbers)]

    def number(self, number: float) -> float:
        """A number of this feature, which now knows how it is written."""
        return number if self.notation is None else self.notation.value(number)

    def counts(self) -> NDArray[np.intp]:
        """How many cells have each rank; the last count is that of missing cells."""
        return np.bincount(self.codes, minlength=self.missing + 1)

    def span(self, literal: Literal) -> tuple[int, int, bool]:
        """The truth of a literal as ranks: it holds where ``(first <= code < end) != negated``."""
        match literal.op, literal.value:
            case ("<=", float(x)):
                return 0, int(self.numbers.searchsorted(x, "right")), False
            case (">", float(x)):
                return int(self.numbers.searchsorted(x, "right")), len(self.numbers), False
            case (("==" | "!=") as op, str(category)):
                place = bisect_left(self.categories, category)
                found = place < len(self.categories) and self.categories[place] == category
                code = len(self.numbers) + place
                return code, code + found, op == "!="
            case (op, _):
                return self.missing, self.missing + 1, op == "present"

    def written(self, notation: Notation | None) -> Column:
        """The column as another one reads it whose numbers are written in ``notation`` (`values.read_as`)."""
        if self.notation == notation or (_is_plain(self) and (notation is None or notation.plain)):
            return self
        values = [read_as(self.value(code), notation) for code in range(self.missing + 1)]
        ranked = Column.of(self.name, values, "mixed")
        return replace(ranked, codes=ranked.codes[self.codes], notation=notation)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        kinds = f"{len(self.numbers)} numbers, {len(self.categories)} categories"
        return f"<Column {self.name!r}: {self.kind}, {len(self)} cells, {kinds}>"


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """The target column: distinct labels in order (text by code point, numbers by value), and the rank of every row's.

    Like a `Column`, it checks its labels and codes once.
    """

    name: str
    labels: tuple[Label, ...]
    codes: Codes

    def __post_init__(self) -> None:
        _check_name(self.name)
        object.__setattr__(self, "labels", self._checked())
        whose = f"the target {self.name!r} has {len(self.labels)} labels"
        object.__setattr__(self, "codes", _ranks(self.codes, len(self.labels), whose))

    __setstate__ = Column.__setstate__

    def _checked(self) -> tuple[Label, ...]:
        """The labels, in order and of one type."""
        labels = _of_one_type(self.labels, self.name)
        if not all(map(lt, labels, labels[1:])):
            raise ReadError(f"the labels of {self.name!r} must be sorted and distinct, not {_few(labels)}")
        return labels

    @classmethod
    def of(cls, name: str, cells: Iterable[Label]) -> Labels:
        """Labels from plain Python cells of one type."""
        cells = list(cells)
        labels = sorted(set(cells))
        rank = {label: code for code, label in enumerate(labels)}
        return cls(name, tuple(labels), np.array([rank[cell] for cell in cells], dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Schema:
    """How a table was read, so that another one can be read the same way (``like=``).

    The kind of every feature, in order, the text cells that mean "missing", the name of the target, and how the numbers
    of some features are written.
    """

    kinds: Mapping[str, Kind]
    missing: tuple[str, ...] = DEFAULT_MISSING
    target: str | None = None
    notations: Mapping[str, Notation] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of rank codes, all of the same length, and, for learning, labels.

    ``table[rows]`` takes a slice, a mask or an array of row numbers and gives the table of those rows, with the same
    ranks. So scikit-learn splits a table as it splits an array. ``missing`` are the text cells that were read as
    missing; another table can be read the same way. ``read_as`` says how the file was read, if it is not plain: "read
    as semicolon-separated, decimal comma, cp1252".
    """

    columns: tuple[Column, ...]
    target: Labels | None = None
    rows: int = -1
    missing: tuple[str, ...] = DEFAULT_MISSING
    read_as: str = ""
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
        """The target; a table without one is refused."""
        if self.target is None:
            raise ReadError("the table has no labels; name them: read_table(source, target=...)")
        return self.target

    @property
    def y(self) -> NDArray[Any]:
        """The label of every row, as scikit-learn's functions take them; text is an array of objects."""
        labels = self.labels.labels
        distinct: NDArray[Any] = np.array(labels, dtype=object if isinstance(next(iter(labels), ""), str) else None)
        return distinct[self.labels.codes]

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and features there are."""
        return self.rows, len(self.columns)

    @property
    def schema(self) -> Schema:
        """How the table was read."""
        kinds = {column.name: column.kind for column in self.columns}
        notations = {column.name: column.notation for column in self.columns if column.notation is not None}
        return Schema(kinds, self.missing, None if self.target is None else self.target.name, notations)

    def column(self, name: str) -> Column:
        """The column with that name."""
        if name not in self._places:
            raise UnknownNameError(f"no column {name!r}{suggest(name, self.features)}")
        return self.columns[self._places[name]]

    def renamed(self, names: Sequence[str]) -> Table:
        """The same columns under other names."""
        columns = tuple(replace(column, name=name) for column, name in zip(self.columns, names, strict=True))
        return Table(columns, self.target, self.rows, self.missing, self.read_as)

    def record(self, row: int) -> dict[str, Value]:
        """One row as values: numbers, text, None where missing."""
        return {column.name: column.value(int(column.codes[row])) for column in self.columns}

    def to_pandas(self) -> pd.DataFrame:
        """The columns, and the labels as the last one, as a pandas frame.

        Numbers are float64, dates and durations have their types, and text is categorical, so that text stays text when
        it is read again; a mixed column holds objects: numbers, text and None.
        """
        import pandas as pd  # an extra; takes 0.3 s

        columns = {column.name: _pandas_array(column) for column in self.columns}
        return pd.DataFrame(columns | self._target_column(), index=range(self.rows))

    def to_polars(self) -> pl.DataFrame:
        """The columns, and the labels as the last one, as a polars frame; missing cells are null.

        Numbers are Float64, dates, times and durations have their types, an ordered column is an Enum, text is
        Categorical, and a mixed column is text: polars has no column of both.
        """
        import polars as pl  # takes 0.1 s

        columns = {column.name: polars_series(column) for column in self.columns}
        return pl.DataFrame(columns | {name: pl.Series(y.tolist()) for name, y in self._target_column().items()})

    def to_arrow(self) -> pa.Table:
        """The same as `to_polars`, as a pyarrow table; text is a dictionary of strings."""
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
            wanted = rows[0]  # how scikit-learn takes rows of anything that has a shape
        picked = wanted if isinstance(wanted, slice) else np.asarray(wanted)
        if isinstance(picked, np.ndarray) and picked.ndim != 1:
            raise TypeError("a table takes a slice, a mask or row numbers; record(row) gives one row")
        if isinstance(picked, np.ndarray) and not picked.size:
            picked = picked.astype(np.intp)  # an empty list would be an array of floats
        columns = tuple(_taking(column, picked) for column in self.columns)
        target = self.target and _taking(self.target, picked)
        count = len(range(self.rows)[picked]) if isinstance(picked, slice) else len(np.arange(self.rows)[picked])
        return Table(columns, target, count, self.missing, self.read_as)

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        """Refuse to be an array, which would lose the kinds of columns."""
        raise TypeError("a table is not an array: its columns have kinds; give table.to_pandas() instead")

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        target = "no target" if self.target is None else f"target {self.target.name!r}"
        return f"<Table: {self.rows} rows, {len(self.columns)} features, {target}>"


def occurring(table: Table) -> Table:
    """The same rows, without the values that no row has: ``table[rows]`` keeps all values of the table."""
    columns = tuple(map(_occurring, table.columns))
    same = all(one is other for one, other in zip(columns, table.columns, strict=True))
    return table if same else replace(table, columns=columns)


def _occurring(column: Column) -> Column:
    there = column.counts()[:-1] > 0
    if there.all():
        return column
    numbers, categories = np.split(there, [len(column.numbers)])
    kept = tuple(category for category, occurs in zip(column.categories, categories, strict=True) if occurs)
    ranks = np.append(np.cumsum(there) - 1, np.count_nonzero(there))
    return replace(column, numbers=column.numbers[numbers], categories=kept, codes=ranks[column.codes])


# Columns of other libraries.


def _pandas_array(column: Column) -> Any:
    import pandas as pd

    codes = column.codes.astype(np.int64)
    if column.kind == "number":
        return np.append(column.numbers, np.nan)[codes] if _is_plain(column) else _pandas_times(column)
    if column.kind == "text":
        return pd.Categorical.from_codes(np.where(codes == column.missing, -1, codes), list(column.categories))
    numbers = column.numbers.tolist() if _is_plain(column) else map(spell, map(column.number, column.numbers.tolist()))
    return pd.Series(np.array([*numbers, *column.categories, None], dtype=object)[codes], dtype=object)


def _pandas_times(column: Column) -> Any:
    """A column of dates, times, durations or levels."""
    import pandas as pd

    missing, places = column.codes == column.missing, np.append(column.numbers, -1).astype(np.int64)[column.codes]
    match column.notation:
        case Order(levels):
            return pd.Categorical.from_codes(places, list(levels), ordered=True)
        case Times():
            return pd.Series(polars_series(column).to_list(), dtype=object)
    found = places.view("M8[us]" if isinstance(column.notation, Moments) else "m8[us]").copy()
    found[missing] = np.array("NaT", found.dtype)
    return pd.Series(found).dt.tz_localize("UTC") if column.notation == INSTANT else found


def polars_series(column: Column) -> pl.Series:
    """The cells of a column as polars has them (`Table.to_polars`)."""
    import polars as pl

    if column.kind == "number":
        return _polars_numbers(column).gather(column.codes)
    texts = [*map(spell, map(column.number, column.numbers.tolist())), *column.categories, None]
    return pl.Series(texts, dtype=pl.String if column.kind == "mixed" else pl.Categorical).gather(column.codes)


def _polars_numbers(column: Column) -> pl.Series:
    """The distinct numbers of a column, and null, in the type that fits their notation."""
    import polars as pl

    numbers = pl.Series([*column.numbers.tolist(), None], dtype=pl.Float64)
    match column.notation:
        case Order(levels):
            return pl.Series([*map(str, map(column.number, column.numbers.tolist())), None], dtype=pl.Enum(levels))
        case Times():
            return (numbers.cast(pl.Int64) * 1000).cast(pl.Time)
        case Durations():
            return numbers.cast(pl.Int64).cast(pl.Duration("us"))
        case Moments(name="date"):
            return numbers.cast(pl.Int64).cast(pl.Datetime("us")).cast(pl.Date)
        case Moments(zoned=zoned):
            return numbers.cast(pl.Int64).cast(pl.Datetime("us", "UTC" if zoned else None))
    return numbers


def _is_plain(column: Column) -> bool:
    return column.notation is None or column.notation.plain


# Checks and small steps.


def smallest(codes: NDArray[Any], count: int) -> Codes:
    """Codes below ``count`` in the smallest unsigned type: a byte for up to 256 values."""
    dtype = np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
    return np.ascontiguousarray(codes, dtype=dtype)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise ReadError(f"the name of a column is text, not {type(name).__name__} {name!r:.60}")


def _ranks(codes: object, count: int, whose: str) -> Codes:
    """Codes below ``count``, in the smallest type; the kernels do not check them, and use them as addresses."""
    found = np.asarray(codes)
    if found.ndim != 1:
        raise ReadError(f"{whose}, so its codes are an array of one dimension, not of {found.ndim}")
    if found.size and found.dtype.kind not in "iu":
        raise ReadError(f"{whose}, so its codes are whole numbers, not {found.dtype}")
    # The largest of 32,561 bytes is found in 1 us.
    if found.size and not (found.max() < count and (found.dtype.kind == "u" or found.min() >= 0)):
        wrong = found.max() if found.max() >= count else found.min()
        raise ReadError(f"{whose}, so its codes are below {count} and not negative, unlike {wrong}")
    return _own(smallest(found, count))


def _ascending(numbers: object, name: str) -> NDArray[np.float64]:
    """The numbers of a column: ascending, none twice, no NaN; minus zero becomes zero."""
    found = np.asarray(numbers)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        raise ReadError(f"the numbers of the column {name!r} are an array of numbers, not {numbers!r:.60}")
    ordered: NDArray[np.float64] = found.astype(np.float64, copy=False)
    if ordered.size and not ((ordered[1:] > ordered[:-1]).all() and ordered[0] == ordered[0]):
        raise ReadError(f"the numbers of the column {name!r} must be sorted and distinct; use np.unique")
    zero = int(np.searchsorted(ordered, 0.0))
    if zero < len(ordered) and not ordered[zero] and np.signbit(ordered[zero]):
        ordered = ordered + 0.0
    return _own(ordered)


def _sorted(categories: Iterable[object], name: str) -> tuple[str, ...]:
    """The categories of a column: texts by code point, none twice."""
    found = tuple(categories)
    if not set(map(type, found)) <= {str}:
        if wrong := [category for category in found if not isinstance(category, str)]:
            raise ReadError(f"the categories of the column {name!r} are texts, not {wrong[0]!r:.60}")
        found = tuple(map(str, found))  # numpy's texts
    if not all(map(lt, found, found[1:])):  # type: ignore[arg-type]
        raise ReadError(
            f"the categories of the column {name!r} must be sorted and distinct; use sorted(set(categories))"
        )
    return found  # type: ignore[return-value]


def _of_one_type(labels: Iterable[object], name: str) -> tuple[Label, ...]:
    """Labels as Python values: all text, all numbers or all booleans."""
    found = tuple(map(plain, labels))
    kinds = {"number" if kind in (int, float) else kind.__name__ for kind in map(type, found)}
    if not kinds <= {"number", "str", "bool"}:
        raise ReadError(f"the labels of {name!r} are text, numbers or booleans, not {_few(found)}")
    if len(kinds) > 1:
        raise ReadError(f"the labels of {name!r} are of mixed types: {_few(found)}; make them all text")
    if any(isinstance(label, float) and isnan(label) for label in found):
        raise ReadError(f"a label of {name!r} is NaN, which is not a label; leave its rows out")
    return found


def _few(values: Sequence[object]) -> str:
    return ", ".join(f"{value!r:.60}" for value in values[:4]) + (", …" if len(values) > 4 else "")


_Ranked = TypeVar("_Ranked", Column, Labels)


def _taking(ranked: _Ranked, rows: slice | NDArray[Any]) -> _Ranked:
    """Only these rows of a column; what was checked for all rows need not be checked again."""
    taken = copy(ranked)
    object.__setattr__(taken, "codes", _frozen(np.ascontiguousarray(ranked.codes[rows])))
    return taken


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """An array that nobody can change after it was checked: if somebody could, a copy."""
    return _frozen(array.copy() if array.flags.writeable else array)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


# What training saw: the categories of columns and the range of their numbers, in a table without rows.

MOST = 1000
"""How many categories of a feature are remembered: the most frequent; of equally frequent ones, the first in order."""

_GLANCE, _FEW = 2048, 16
"""Counting 32,561 rows takes 90 us. So the first rows are counted, and if they lack only a few categories, these are
looked for in all rows."""


def domain_of(table: Table, features: Iterable[str]) -> Table:
    """The named columns without rows: their categories, and the smallest and largest finite number."""
    nothing: Codes = _frozen(np.empty(0, np.uint8))
    known = []
    for one in map(table.column, features):
        column = copy(one)  # its values are in order, and need not be checked again
        for name, values in (("numbers", _ends(one)), ("categories", _most_frequent(one)), ("codes", nothing)):
            object.__setattr__(column, name, values)
        known.append(column)
    return Table(tuple(known), rows=0, missing=table.missing)


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
    return _frozen(numbers[sorted({least, most})])


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
