"""Split records by time or by group, as a model will be used: on later records, or on customers not seen before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError
from unless.table import Column, HoldoutSplit, Labels, SplitColumn, Table
from unless.table.columns import take_rows
from unless.table.record_hashes import record_hashes
from unless.table.split_column import moment_text
from unless.values import count_text, number_to_text, parse_number
from unless.values.notation import DateNotation, Notation
from unless.values.notation.times import to_microseconds

Period = OneOf["week", "month", "quarter", "year"]

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - times without a zone, as in `values.notation.times`


@dataclass(frozen=True, slots=True)
class SplitBy:
    """The column that divides records into those to learn from and those to test on, and its cells."""

    column: SplitColumn
    cells: Column

    def added_to(self, table: Table) -> Table:
        """Return the table with the column, unless it has it already."""
        if self.cells.name in table.features:
            return table
        return replace(table, columns=(*table.columns, self.cells))

    def of_rows(self, rows: NDArray[np.intp]) -> SplitBy:
        """Return the same split of some of the rows."""
        return SplitBy(self.column, take_rows(self.cells, rows))

    def held_back(self, labels: Labels, share: float, seed: int) -> NDArray[np.bool_]:
        """Flag the records that are held back, given their labels; with groups, about a share of them."""
        table = Table((self.cells,), labels)
        held = HoldoutSplit.of(table, share, seed, self.column).held_back(table)
        self.check(labels, held)
        return held

    def check(self, labels: Labels, back: NDArray[np.bool_]) -> None:
        """Reject a split that leaves nothing to learn from, or a label that no record to learn from has."""
        count = len(labels.labels)
        learned, tested = (np.bincount(labels.codes[rows], minlength=count) for rows in (~back, back))
        side = f"from {self.column.start} on" if self.column.since is not None else "in groups that are held back"
        if np.count_nonzero(learned) < 2:
            before = f"before {self.column.start}" if self.column.since is not None else "that are not held back"
            raise ReadError(
                f"{self.column.name!r}: all {count_text(int(learned.sum()), 'record')} {before} have the label "
                f"{labels.labels[int(np.argmax(learned))]!r}, so there is nothing to learn; {self._advice}"
            )
        for label, known, new in zip(labels.labels, learned, tested, strict=True):
            if new and not known:
                raise ReadError(
                    f"{self.column.name!r}: the label {label!r} ({count_text(int(new), 'record')}) occurs only {side}, "
                    f"so nothing can be learned about it; {self._advice}, or leave these records out"
                )

    @property
    def _advice(self) -> str:
        return "choose another date" if self.column.since is not None else "try another seed"

    @property
    def remark(self) -> str:
        """What is unusual about the groups, as a sentence; empty if nothing is."""
        if self.column.since is not None:
            return ""
        counts, name = self.cells.counts(), self.column.name
        if (counts[:-1] <= 1).all():
            return f"no value of {name!r} repeats: the records are split as at random"
        missing = int(counts[-1])
        return f"{count_text(missing, 'record')} without {name!r}: each is a group of its own" if missing else ""


# Groups.


def split_by_group(column: Column) -> SplitBy:
    """Split by the groups that a column names."""
    found = column.counts()
    values = np.count_nonzero(found[:-1]) + int(found[-1])
    if values < 2:
        value = column.value(int(np.argmax(found)))
        said = number_to_text(value) if isinstance(value, float) else str(value)
        value = "no value" if value is None else f"the value {said!r}"
        raise ReadError(
            f"every record has {value} in {column.name!r}, so there is one group, and nothing to test on; "
            "name a column with several values"
        )
    return SplitBy(SplitColumn(column.name, _plain(column.notation)), column)


def with_groups(table: Table, by: SplitBy | None) -> Table:
    """Add the group of each record to a table, if records are split by groups; equal records without one are one."""
    if by is None or by.column.since is not None:
        return table
    alone = record_hashes(table.columns, len(table))
    return replace(table, groups=by.column.group_hashes(by.cells, alone))


def _plain(notation: Notation | None) -> Notation | None:
    """Return None for plain numbers, whose notation says nothing about their text."""
    return None if notation is None or notation.plain else notation


# Times.


def split_by_time(column: Column, since: float) -> SplitBy:
    """Split at a moment: records from it on are held back, and there are records on both sides."""
    notation, moments = _plain(column.notation), check_moments(column)
    first, last, start = (moment_text(one, notation) for one in (moments.min(), moments.max(), since))
    if not moments.min() < since <= moments.max():
        side = f"before {start}" if since <= moments.min() else f"from {start} on"
        raise ReadError(f"no record has {column.name!r} {side}; the records are from {first} to {last}")
    return SplitBy(SplitColumn(column.name, notation, since), column)


def check_moments(column: Column) -> NDArray[np.float64]:
    """Return the moment of every record; reject a column that is not of dates or of numbers, or lacks some."""
    if not isinstance(column.notation, DateNotation) and not (column.plain and len(column.numbers)):
        example = str(column.value(0)) if column.missing else "nothing"
        raise ReadError(
            f"{column.name!r} is not a column of dates, it has cells such as {example!r}; if these are dates, say how "
            f"they are written: --date '{column.name}=%d.%m.%Y' (dates= in Python)"
        )
    wrong = np.flatnonzero(column.codes >= len(column.numbers))
    if len(wrong):
        cell = column.value(int(column.codes[wrong[0]]))
        what = "is missing" if cell is None else f"is {str(cell)!r}, not a date,"
        raise ReadError(
            f"{column.name!r} {what} in row {wrong[0] + 1:,} ({count_text(len(wrong), 'row')} in all), so it is not "
            "known on which side of the split it belongs; fill it in, or leave these records out"
        )
    return column.numbers[column.codes]


def moment_of_share(column: Column, share: float) -> float:
    """Find the moment from which on there is about a share of the records, but not all."""
    values, counts = np.unique(check_moments(column), return_counts=True)
    if len(values) < 2:
        raise ReadError(f"all records have the same time in {column.name!r}, so none is later than others")
    later = np.cumsum(counts[::-1])[::-1]
    return float(values[1:][int(np.argmin(np.abs(later[1:] - share * len(column))))])


def parse_moment(column: Column, text: str) -> float:
    """Read a moment as the cells of a column are written, or in ISO 8601; also a year, or a year and a month."""
    check_moments(column)
    notation = column.notation
    if not isinstance(notation, DateNotation):
        number = parse_number(text)
        if number is None:
            raise ParameterError(f"{text!r} is not a number, but {column.name!r} has numbers, not dates")
        return number
    whole = text.strip() + {4: "-01-01", 7: "-01"}.get(len(text.strip()), "")
    found = notation.back(whole)
    found = notation.number(text) if found is None else found
    if found is None:
        raise ParameterError(f"{text!r} is not a date; write it like 2023-01-31, or 2023-01 for the first of a month")
    return found


@dataclass(frozen=True, slots=True)
class TestPeriod:
    """A period to test on: its name, its first moment, and the first moment of the next period that has records."""

    name: str
    since: float
    until: float


def periods(column: Column, by: Period, most: int) -> list[TestPeriod]:
    """List the periods that have records, without the first, which has none before it; the latest ``most`` of them."""
    if not isinstance(column.notation, DateNotation):
        check_moments(column)
        raise ParameterError(
            f"{column.name!r} has numbers, not dates, so it has no {by}s; give the first number to test"
        )
    starts = sorted({_period_start(moment, by) for moment in np.unique(check_moments(column)).tolist()})
    if len(starts) < 2:
        raise ReadError(f"all records of {column.name!r} are in the same {by}, {_period_name(starts[0], by)}")
    moments = [to_microseconds(start) for start in starts]
    names = [_period_name(start, by) for start in starts]
    return [TestPeriod(*one) for one in zip(names, moments, [*moments[1:], np.inf], strict=True)][1:][-most:]


def _period_start(moment: float, by: Period) -> datetime:
    """Return the start of the period of a moment."""
    day = (_EPOCH + timedelta(microseconds=int(moment))).replace(hour=0, minute=0, second=0, microsecond=0)
    match by:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=day.month - (day.month - 1) % 3, day=1)
    return day.replace(month=1, day=1)


def _period_name(start: datetime, by: Period) -> str:
    """Write the name of a period: 2023-W05, 2023-01, 2023-Q1 or 2023."""
    match by:
        case "week":
            year, week, _ = start.isocalendar()
            return f"{year}-W{week:02}"
        case "month":
            return f"{start:%Y-%m}"
        case "quarter":
            return f"{start.year}-Q{(start.month + 2) // 3}"
    return str(start.year)


def split_periods(table: Table, column: Column, found: list[TestPeriod]) -> Iterator[tuple[Table, Table]]:
    """Yield, for each period, the records before it and its own."""
    moments = check_moments(column)
    for one in found:
        yield table[moments < one.since], table[(moments >= one.since) & (moments < one.until)]
