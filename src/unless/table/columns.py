"""Columns and labels: sorted distinct values, and the rank of every cell, checked once on construction."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from operator import lt
from typing import Any, TypeVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.rule import Literal
from unless.values import Label, Value, cell_value, to_python_value, value_in_notation
from unless.values.notation import NotatedNumber, Notation, common_notation

Kind = OneOf["number", "text", "mixed"]
SpecialCodes = tuple[tuple[float, str], ...]
"""Numbers that name a category of a column, ascending, with the names."""

Codes = NDArray[Any]
"""An array of unsigned integers, of the smallest type that fits every rank of its column."""


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One feature: its sorted distinct values, and the rank of every cell.

    ``numbers`` ascend, ``categories`` are sorted by code point, and neither repeats a value; the rank after both means
    missing. ``notation`` is how its numbers are written, if not as plain numbers. The constructor checks these rules
    once. Codes may be integers of any type. The numbers of a ``typed`` column were numbers in its source, not texts
    that spell numbers. The numbers of its ``special`` codes are categories, whatever its kind.
    """

    name: str
    """The name of the feature."""
    kind: Kind
    """What its cells are: numbers, categories or both."""
    numbers: NDArray[np.float64]
    categories: tuple[str, ...]
    codes: Codes
    """The rank of every cell."""
    notation: Notation | None = None
    typed: bool = False
    special: SpecialCodes = ()

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.kind not in ("number", "text", "mixed"):
            raise ReadError(f"the column {self.name!r} is of the kind number, text or mixed, not {self.kind!r}")
        object.__setattr__(self, "numbers", _check_ascending(self.numbers, self.name))
        object.__setattr__(self, "categories", _check_sorted(self.categories, self.name))
        whose = f"the column {self.name!r} has {self.missing} values and missing"
        object.__setattr__(self, "codes", _check_codes(self.codes, self.missing + 1, whose))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Restore a pickled or copied column; its arrays become read-only again."""
        for name, value in state.items():
            object.__setattr__(self, name, read_only_view(value) if isinstance(value, np.ndarray) else value)

    @classmethod
    def of(cls, name: str, cells: Iterable[object], kind: Kind = "mixed") -> Column:
        """Make a column from plain Python cells, as `values.cell_value` defines their meaning."""
        values = [cell_value(cell) for cell in cells]
        notation = common_notation({value.notation for value in values if isinstance(value, NotatedNumber)})
        numbers, categories, rank = rank_values(values)
        codes = np.array([rank[value] for value in values], dtype=np.int64)
        return cls(name, kind, numbers, tuple(categories), codes, notation, typed=len(numbers) > 0)

    @property
    def missing(self) -> int:
        """The rank of a missing cell, after the ranks of all values."""
        return len(self.numbers) + len(self.categories)

    def value(self, code: int) -> Value:
        """Return the value with a rank."""
        if code < len(self.numbers):
            return self.number(float(self.numbers[code]))
        return None if code == self.missing else self.categories[code - len(self.numbers)]

    @property
    def plain(self) -> bool:
        """Whether the numbers are written as plain numbers."""
        return self.notation is None or self.notation.plain

    def number(self, number: float) -> float:
        """Return a number with the notation of the column."""
        return number if self.notation is None else self.notation.value(number)

    def counts(self) -> NDArray[np.intp]:
        """Count the cells with each rank; the last count is for missing cells."""
        return np.bincount(self.codes, minlength=self.missing + 1)

    def span(self, literal: Literal) -> tuple[int, int, bool]:
        """Find the ranks for which a literal holds: ``(first <= code < end) != negated``."""
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

    def in_notation(self, notation: Notation | None) -> Column:
        """Convert the column to a notation (`values.value_in_notation`)."""
        if self.notation == notation or (self.plain and (notation is None or notation.plain)):
            return self
        values = [value_in_notation(self.value(code), notation) for code in range(self.missing + 1)]
        ranked = Column.of(self.name, values, "mixed")
        return replace(ranked, codes=ranked.codes[self.codes], notation=notation, special=self.special)

    def with_special_codes(self) -> Column:
        """Return the column as in its source, with the numbers of special codes instead of their names."""
        if not self.special:
            return self
        codes = {name: code for code, name in self.special}
        values = [*self.numbers.tolist(), *(codes.get(one, one) for one in self.categories), None]
        found = Column.of(self.name, values, self.kind)
        return replace(found, codes=found.codes[self.codes], notation=self.notation, typed=self.typed)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        kinds = f"{len(self.numbers)} numbers, {len(self.categories)} categories"
        return f"<Column {self.name!r}: {self.kind}, {len(self)} cells, {kinds}>"


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """The target column: sorted distinct labels (text by code point, numbers by value), and the rank of every row.

    The constructor checks labels and codes once, as for a `Column`.
    """

    name: str
    labels: tuple[Label, ...]
    codes: Codes

    def __post_init__(self) -> None:
        _check_name(self.name)
        object.__setattr__(self, "labels", self._check_labels())
        whose = f"the target {self.name!r} has {len(self.labels)} labels"
        object.__setattr__(self, "codes", _check_codes(self.codes, len(self.labels), whose))

    __setstate__ = Column.__setstate__

    def _check_labels(self) -> tuple[Label, ...]:
        """Check that labels are sorted and of one type."""
        labels = _check_one_type(self.labels, self.name)
        if not all(map(lt, labels, labels[1:])):
            raise ReadError(f"the labels of {self.name!r} must be sorted and distinct, not {_first_values(labels)}")
        return labels

    @classmethod
    def of(cls, name: str, cells: Iterable[Label]) -> Labels:
        """Make labels from plain Python cells of one type."""
        cells = list(cells)
        labels = sorted(set(cells))
        rank = {label: code for code, label in enumerate(labels)}
        return cls(name, tuple(labels), np.array([rank[cell] for cell in cells], dtype=np.int64))


# Checks, and other steps of the constructors.


def rank_values(values: Iterable[Value]) -> tuple[NDArray[np.float64], list[str], dict[Value, int]]:
    """Return the distinct numbers ascending, the sorted texts, and the rank of each number, each text and None."""
    distinct = set(values)
    numbers = sorted(value for value in distinct if isinstance(value, float))
    texts = sorted(value for value in distinct if isinstance(value, str))
    place: dict[Value, int] = {value: code for code, value in enumerate([*numbers, *texts, None])}
    return np.array(numbers, dtype=np.float64), texts, place


def to_smallest_type(codes: NDArray[Any], count: int) -> Codes:
    """Convert codes below ``count`` to the smallest unsigned type: a byte for up to 256 values."""
    dtype = np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
    return np.ascontiguousarray(codes, dtype=dtype)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise ReadError(f"the name of a column must be text, not {type(name).__name__} {name!r:.60}")


def _check_codes(codes: object, count: int, whose: str) -> Codes:
    """Check that codes are below ``count``, since kernels use them as addresses; return them in the smallest type."""
    found = np.asarray(codes)
    if found.ndim != 1:
        raise ReadError(f"{whose}, so its codes are an array of one dimension, not of {found.ndim}")
    if found.size and found.dtype.kind not in "iu":
        raise ReadError(f"{whose}, so its codes are whole numbers, not {found.dtype}")
    # Finding the largest of 32,561 bytes takes 1 us.
    if found.size and not (found.max() < count and (found.dtype.kind == "u" or found.min() >= 0)):
        wrong = found.max() if found.max() >= count else found.min()
        raise ReadError(f"{whose}, so its codes are below {count} and not negative, unlike {wrong}")
    return _own_copy(to_smallest_type(found, count))


def _check_ascending(numbers: object, name: str) -> NDArray[np.float64]:
    """Check that the numbers of a column ascend without repetition or NaN; minus zero becomes zero."""
    found = np.asarray(numbers)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        raise ReadError(f"the numbers of the column {name!r} must be an array of numbers, not {numbers!r:.60}")
    ordered: NDArray[np.float64] = found.astype(np.float64, copy=False)
    if ordered.size and not ((ordered[1:] > ordered[:-1]).all() and ordered[0] == ordered[0]):
        raise ReadError(f"the numbers of the column {name!r} must be sorted and distinct; use np.unique")
    zero = int(np.searchsorted(ordered, 0.0))
    if zero < len(ordered) and not ordered[zero] and np.signbit(ordered[zero]):
        ordered = ordered + 0.0
    return _own_copy(ordered)


def _check_sorted(categories: Iterable[object], name: str) -> tuple[str, ...]:
    """Check that the categories of a column are distinct texts, sorted by code point."""
    found = tuple(categories)
    if not set(map(type, found)) <= {str}:
        if wrong := [category for category in found if not isinstance(category, str)]:
            raise ReadError(f"the categories of the column {name!r} must be texts, not {wrong[0]!r:.60}")
        found = tuple(map(str, found))  # numpy's texts
    if not all(map(lt, found, found[1:])):  # type: ignore[arg-type]
        raise ReadError(
            f"the categories of the column {name!r} must be sorted and distinct; use sorted(set(categories))"
        )
    return found  # type: ignore[return-value]


def _check_one_type(labels: Iterable[object], name: str) -> tuple[Label, ...]:
    """Check that labels are all text, all numbers or all booleans; return them as Python values."""
    found = tuple(map(to_python_value, labels))
    kinds = {"number" if kind in (int, float) else kind.__name__ for kind in map(type, found)}
    if not kinds <= {"number", "str", "bool"}:
        raise ReadError(f"the labels of {name!r} must be text, numbers or booleans, not {_first_values(found)}")
    if len(kinds) > 1:
        raise ReadError(f"the labels of {name!r} are of mixed types: {_first_values(found)}; make them all text")
    if any(isinstance(label, float) and isnan(label) for label in found):
        raise ReadError(f"a label of {name!r} is NaN, which is not a label; leave its rows out")
    return found


def _first_values(values: Sequence[object]) -> str:
    return ", ".join(f"{value!r:.60}" for value in values[:4]) + (", …" if len(values) > 4 else "")


_Ranked = TypeVar("_Ranked", Column, Labels)


def take_rows(ranked: _Ranked, rows: slice | NDArray[Any]) -> _Ranked:
    """Take rows of a column, without the checks that were made for all rows."""
    return replace_checked(ranked, codes=np.ascontiguousarray(ranked.codes[rows]))


def replace_checked(ranked: _Ranked, **values: Any) -> _Ranked:
    """Copy a column with other values or codes that are known to be valid, without checking or copying these.

    Checks took a fifth of a fit of 500 records, and `copy.copy` as long as counting the cells.
    """
    found = object.__new__(type(ranked))
    found.__dict__.update(ranked.__dict__)
    for name, value in values.items():
        found.__dict__[name] = read_only_view(value) if isinstance(value, np.ndarray) else value
    return found


def name_special_codes(column: Column, special: SpecialCodes) -> Column:
    """Turn the numbers that are special codes into the categories that they name."""
    names = dict(special)
    if not np.isin(column.numbers, list(names)).any():
        return replace_checked(column, special=special)
    values: list[Value] = [names.get(number, number) for number in column.numbers.tolist()]
    values += [*column.categories, None]
    numbers, texts, place = rank_values(values)
    table = to_smallest_type(np.array([place[value] for value in values], dtype=np.uint32), len(place))
    return replace_checked(
        column, numbers=numbers, categories=tuple(texts), codes=table.take(column.codes), special=special
    )


def checked_column(
    name: str,
    kind: Kind,
    numbers: NDArray[np.float64],
    categories: tuple[str, ...],
    codes: NDArray[Any],
    notation: Notation | None = None,
    *,
    typed: bool = False,
) -> Column:
    """Make a column from values and codes known to be valid: unchecked, and copied only into a smaller type."""
    column: Column = object.__new__(Column)
    small = to_smallest_type(codes, len(numbers) + len(categories) + 1)
    column.__dict__.update(
        name=name,
        kind=kind,
        numbers=read_only_view(numbers),
        categories=categories,
        codes=read_only_view(small),
        notation=notation,
        typed=typed,
        special=(),
    )
    return column


def _own_copy(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that cannot change after it was checked: a copy if the given array can change."""
    return read_only_view(array.copy() if array.flags.writeable else array)


def read_only_view(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view
