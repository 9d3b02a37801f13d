"""Write thresholds of dates, times and durations in SQL, for each type of column.

A number of microseconds is a float64, so that, far from 1970, several moments share a number. Columns are compared with
the last moment that is at most the threshold; so the database needs no floats, and decides like `Literal.holds`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime, timedelta

from unless.values.notation import (
    DATE,
    DATETIME,
    DAY,
    DURATION,
    INSTANT,
    TIME,
    DateNotation,
    DurationNotation,
    Notation,
    TimeNotation,
)

KIND_NOTATIONS: Mapping[str, Notation] = {
    "date": DATE,
    "timestamp": DATETIME,
    "timestamp_ns": DATETIME,
    "timestamptz": INSTANT,
    "time": TIME,
    "interval": DURATION,
}
"""The kinds of columns that hold time, and the notation of their cells when they are compared with text."""

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - times without a zone
_FIRST_DAY = (date(1, 1, 1) - _EPOCH.date()).days
_LAST_DAY = (date(9999, 12, 31) - _EPOCH.date()).days
_LONGEST = timedelta.max.days * DAY
_ENDS = {"date": (_FIRST_DAY, _LAST_DAY), "time": (0, DAY - 1), "interval": (-_LONGEST, _LONGEST)}
_MOMENTS = _FIRST_DAY * DAY, _LAST_DAY * DAY + DAY - 1


def kinds_for(notation: Notation) -> tuple[str, ...]:
    """List the kinds of columns whose cells can be numbers in a notation, most likely first; text always can."""
    match notation:
        case DateNotation():
            first = {"date": "date", "datetime": "timestamp", "instant": "timestamptz"}[notation.name]
            return tuple(dict.fromkeys([first, "timestamp", "date", "timestamptz", "timestamp_ns", "text", "mixed"]))
        case TimeNotation():
            return "time", "text", "mixed"
        case DurationNotation():
            return ("interval",)
    return "text", "mixed"


def last_microsecond(bound: float) -> int:
    """Return the last whole number that is at most the bound when it is a float64.

    >>> last_microsecond(3.5), last_microsecond(2.0**57) - 2**57
    (3, 16)
    >>> float(2**57 + 16) == 2.0**57, float(2**57 + 17) == 2.0**57
    (True, False)
    """
    whole = math.floor(bound)
    found = whole + int(math.nextafter(bound, math.inf) - bound) // 2
    return found if float(found) <= bound else found - 1


def time_bound(kind: str, bound: float, *, finer: bool = False) -> str | bool:
    """Write the last value of a kind of column that is at most the bound; if ``finer``, the first value above it.

    True if all values are at most the bound, False if none is.

    >>> time_bound("date", 43200000000.0), time_bound("time", 6e7, finer=True)
    ('1970-01-01', '00:01:00.000001')
    >>> time_bound("interval", -1.0), time_bound("time", -1.0)
    ('-0 days -00:00:00.000001', False)
    """
    place = _last_unit(kind, bound)
    return place if isinstance(place, bool) else _time_text(kind, place + finer)


def text_bound(notation: Notation, bound: float) -> str | bool:
    """Write the bound for a text column: the shortest text of the first moment, or time of the day, above a number.

    Texts in ISO 8601 without a zone, and with a space before the time, sort below the bound exactly if their moment is,
    even if they omit trailing parts. As texts, ``12:30`` is below ``12:30:00``, so the last moment below would not do.

    >>> text_bound(DATE, 0.0), text_bound(TIME, 3599999999.0)
    ('1970-01-01 00:00:00.000001', '01:00')
    """
    kind, shortest = ("time", TIME) if isinstance(notation, TimeNotation) else ("timestamp", DATETIME)
    place = _last_unit(kind, bound)
    return place if isinstance(place, bool) else shortest.text(place + 1)


def _last_unit(kind: str, bound: float) -> int | bool:
    """Return the last day or microsecond that is at most the bound; True or False if all or none are."""
    if math.isinf(bound):
        return bound > 0
    low, high = _ENDS.get(kind, _MOMENTS)
    place = last_microsecond(bound) // (DAY if kind == "date" else 1)
    return place if low <= place < high else place >= high


def equal_bounds(notation: Notation, text: str) -> tuple[float, float] | None:
    """Return the bounds of the numbers written as a text: above the first, at most the second; otherwise None.

    >>> equal_bounds(DATE, "2020-08-01 00:00"), equal_bounds(TIME, "00:00")
    (None, (-5e-324, 0.0))
    """
    number = notation.back(text)
    if number is None or notation.text(number) != text:
        return None
    return math.nextafter(number, -math.inf), number


def _time_text(kind: str, place: int) -> str:
    """Write a date by its number of days, anything else by its number of microseconds."""
    if kind == "date":
        return (_EPOCH.date() + timedelta(days=place)).isoformat()
    if kind == "interval":
        sign, size = "-" if place < 0 else "", timedelta(microseconds=abs(place))
        clock = (_EPOCH + timedelta(0, size.seconds, size.microseconds)).time().isoformat()
        return f"{sign}{size.days} days {sign}{clock}"
    moment = _EPOCH + timedelta(microseconds=place)
    if kind == "time":
        return moment.time().isoformat()
    return moment.isoformat(" ") + ("+00:00" if kind == "timestamptz" else "")
