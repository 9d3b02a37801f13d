"""Replace columns of dates by parts that recur: the weekday, the month and the hour.

A rule such as ``when <= 2020-05-01`` does not generalise to later records; ``when.weekday > Friday`` does. There is no
age in days, which would need a reference day: counted to the day of prediction, decisions could not be repeated, and
counted to a fixed day, the age equals the date.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import UnknownNameError, suggest
from unless.read.cells import Cells, cells_from_dictionary
from unless.read.column_inference import ColumnSpec, infer_column
from unless.read.dialect import Remarks
from unless.read.headers import refuse_twins
from unless.read.source import Source
from unless.table import PARTS, Column, part_names
from unless.values.notation import DATETIME, DAY, DateNotation, LevelNotation, Notation

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: tuple[str, ...] = ("January", "February", "March", "April", "May", "June")
MONTHS = (*MONTHS, "July", "August", "September", "October", "November", "December")
_THURSDAY = 3  # 1970-01-01 was a Thursday


def _month(micros: NDArray[np.float64]) -> list[str]:
    months = micros.astype(np.int64).view("M8[us]").astype("M8[M]").astype(np.int64)
    return [MONTHS[month % 12] for month in months.tolist()]


_PARTS: dict[str, tuple[Callable[[NDArray[np.float64]], Sequence[Any]], Notation | None]] = {
    "weekday": (lambda micros: [DAYS[int(day + _THURSDAY) % 7] for day in micros // DAY], LevelNotation(DAYS)),
    "month": (_month, LevelNotation(MONTHS)),
    "hour": (lambda micros: [int(hour) for hour in micros % DAY // (DAY / 24)], None),
}


@dataclass
class DateParts:
    """A source whose columns of dates are replaced by their parts; a cell that is not a date has no parts.

    ``formats`` are those of the dates; None means ISO 8601. If read ``like_training``, no cell needs to be a
    date.
    """

    source: Source
    formats: Mapping[str, str | None]
    like_training: bool = False

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in self.source.names:
                raise UnknownNameError(f"no column {name!r}{suggest(name, self.source.names)}")
        self._part_of = {f"{name}.{part}": (name, part) for name in self.formats for part in PARTS}
        self.names: Sequence[str] = part_names(self.source.names, self.formats)
        refuse_twins(self.names)
        self.spelled, self.filed, self.rows = self.source.spelled, self.source.filed, self.source.rows
        self._missing: Collection[str] = ()
        self._dates: dict[str, Column] = {}

    @property
    def remarks(self) -> Remarks:
        """Remarks about how the source was read."""
        return self.source.remarks

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Load the named columns; for parts, load their dates as text."""
        dates = {self._part_of[name][0]: None for name in names if name in self._part_of}
        plain = [name for name in names if name not in self._part_of]
        self._missing, self._dates = missing, {}
        self.source.load([*plain, *dates], [*(name for name in texts if name in plain), *dates], missing)
        self.rows = self.source.rows

    def cells(self, name: str) -> Cells:
        """Return the cells of a column or of a date part."""
        if name not in self._part_of:
            return self.source.cells(name)
        date, part = self._part_of[name]
        if date not in self._dates:
            self._dates[date] = self._column(date)
        column, (found, notation) = self._dates[date], _PARTS[part]
        values = [*found(column.numbers), *[None] * (len(column.categories) + 1)]
        return replace(cells_from_dictionary(values, column.codes.astype(np.intp)), notation=notation)

    def _column(self, name: str) -> Column:
        form = self.formats[name]
        notation = DATETIME if form is None else DateNotation("datetime", 1.0, format=form)
        spec = ColumnSpec(name, None, self._missing, self.spelled, notation=notation, like_training=self.like_training)
        return infer_column(self.source.cells(name), spec)


def with_known_parts(source: Source, formats: Mapping[str, str | None]) -> Source:
    """Replace dates by the parts used in training; columns that are already parts stay."""
    found = {name: form for name, form in formats.items() if name in source.names}
    return DateParts(source, found, like_training=True) if found else source
