"""Convert dates, times of the day and durations to numbers, and write them as texts.

Time is counted in microseconds, which a float64 represents exactly from 1684 to 2255 (days: always); finer fractions
are cut off. Dates and times count from 1970-01-01, a date is its first moment, and a time with a zone is the same
instant in UTC. In a column of times with a zone, a time without a zone is in UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta  # noqa: F401 - UTC is for the examples
from typing import Any

from unless.values.notation.base import NotatedNumber, Notation

_MICROSECOND = timedelta(microseconds=1)

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - times without a zone

_FIRST_DAY = _EPOCH.toordinal()

_SECOND = 1_000_000

_MINUTE, _HOUR, DAY = 60 * _SECOND, 3600 * _SECOND, 86_400 * _SECOND

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"

_TIME = rf"(?:[0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{{1,9}})?)?|{_CLOCK})"  # 7:30 is 07:30

_ISO = re.compile(rf"{_DATE}(?:[T ]{_CLOCK}(?P<zone>Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?")

_PARTS = re.compile(
    r"(?P<sign>-?)(?=[0-9])(?:(?P<d>[0-9]+) d ?)?(?:(?P<h>[0-9]+) h ?)?(?:(?P<m>[0-9]+) min ?)?(?:(?P<s>[0-9.]+) s)?"
)

_PERIOD = re.compile(
    r"(?P<sign>-?)P(?=.)(?:(?P<d>[0-9]+)D)?(?:T(?=.)(?:(?P<h>[0-9]+)H)?(?:(?P<m>[0-9]+)M)?(?:(?P<s>[0-9.]+)S)?)?"
)

_DAYS = re.compile(
    r"(?P<sign>)(?P<d>-?[0-9]+) days?,?(?: \+?(?P<h>[0-9]{1,2}):(?P<m>[0-9]{2}):(?P<s>[0-9]{2}(?:\.[0-9]{1,9})?))?"
)

ISO_FORM, CLOCK_FORM = _ISO.pattern, _TIME

DURATION_FORMS = _PERIOD.pattern, _DAYS.pattern, _PARTS.pattern
"""The patterns of moments, times of the day and durations, also in exported programs."""


class DateNotation(Notation):
    """Dates, with or without time of day and zone; in text files by default as in ISO 8601.

    ``format`` is another format of the cells of text files, in the letters of `datetime.strptime`.
    """

    sortable = True

    def __init__(self, name: str, step: float, *, format: str | None = None) -> None:  # noqa: A002 - as callers call it
        self.name, self.step, self.format = name, step, format
        self.zoned = name == "instant"

    def text(self, number: float) -> str:
        """Write a date, with the time unless midnight: ``2020-08-01``, ``2020-08-01 12:30``, ``2020-08-01 12:30Z``."""
        if math.isinf(number):
            return str(float(number))
        moment = _EPOCH + timedelta(microseconds=min(max(math.floor(number), FIRST_MOMENT), _LAST))
        day = moment.date().isoformat()
        if not self.zoned and moment.time() == time():
            return day
        return f"{day} {_clock_text(moment.time())}{'Z' if self.zoned else ''}"

    def number(self, text: str) -> float | None:
        """Return microseconds since 1970-01-01; None for a text in another format."""
        if self.format is None:
            return self.back(text)
        try:
            return to_microseconds(datetime.strptime(text.strip(), self.format))  # noqa: DTZ007 - a zone is optional
        except (ValueError, OverflowError):
            return None

    def back(self, text: str) -> float | None:
        """Return the number of a text as in ISO 8601, whatever the format of cells."""
        try:
            moment = _parse_iso(text)
            return None if moment is None else to_microseconds(moment)
        except (ValueError, OverflowError):  # converted to UTC, a moment of the first or last day may be out of range
            return None

    def between(self, low: float, high: float) -> float:
        """Choose the start of a period near the middle: of the longest (year, month, day, hour, …) that fits."""
        middle = low / 2 + high / 2
        margin = 0.2 * (high - low)
        for start in _period_starts(middle):
            if start % self.step == 0 and low <= start < high and low + margin <= start <= high - margin:
                return start
        return max(low, middle - middle % self.step)

    def fit_to(self, numbers: Iterable[float], *, zoned: bool = False) -> DateNotation:
        """Fit the notation to moments: with a zone, or as dates if all are midnight; the format stays."""
        zoned = zoned or self.zoned or "%z" in (self.format or "")
        name = "instant" if zoned else "date" if all(number % DAY == 0 for number in numbers) else "datetime"
        return DateNotation(name, float(DAY) if name == "date" else 1.0, format=self.format)

    def data(self) -> Any:
        """Convert the name, and the format if there is one, for JSON."""
        return self.name if self.format is None else {self.name: self.format}


class TimeNotation(Notation):
    """Times of the day, in microseconds since midnight."""

    name, step, sortable = "time", 1.0, True

    def text(self, number: float) -> str:
        """Write the time with as many parts as needed: ``12:30``, ``12:30:05.5``."""
        inside = math.floor(min(max(number, 0), DAY - 1))
        return _clock_text((_EPOCH + timedelta(microseconds=inside)).time())

    def number(self, text: str) -> float | None:
        """Return microseconds since midnight; the hour may have one digit."""
        trimmed = text.strip(" ")
        if not re.fullmatch(_TIME, trimmed):
            return None
        return time_to_microseconds(time.fromisoformat(trimmed if trimmed[1] != ":" else f"0{trimmed}"))

    def between(self, low: float, high: float) -> float:
        """Choose the start of an hour, a minute or a second near the middle."""
        return _round_multiple_between(low, high, (_HOUR, _MINUTE, _SECOND, 1))


class DurationNotation(Notation):
    """Lengths of time, in microseconds."""

    name, step = "duration", 1.0

    def text(self, number: float) -> str:
        """Write days, hours, minutes and seconds: ``2 d 3 h``, ``15 min``, ``-0.5 s``."""
        if math.isinf(number):
            return str(float(number))
        left, parts = abs(math.floor(number)), []
        for unit, size in (("d", DAY), ("h", _HOUR), ("min", _MINUTE)):
            count, left = divmod(left, size)
            parts += [f"{count} {unit}"] if count else []
        if left or not parts:
            seconds, rest = divmod(left, _SECOND)
            parts.append(f"{seconds}{f'.{rest:06}'.rstrip('0') if rest else ''} s")
        return ("-" if number < 0 else "") + " ".join(parts)

    def number(self, text: str) -> float | None:
        """Parse microseconds, spelled as by `text`, in ISO 8601 (``P2DT3H``), or in Python (``2 days, 3:00:00``)."""
        trimmed = text.strip(" ")
        found = _PERIOD.fullmatch(trimmed) or _DAYS.fullmatch(trimmed) or _PARTS.fullmatch(trimmed)
        if found is None or found["s"] == "." or (found["s"] or "").count(".") > 1:
            return None
        seconds, _, fraction = (found["s"] or "0").partition(".")
        sizes = {"d": DAY, "h": _HOUR, "m": _MINUTE}
        try:
            total = sum(int(found[part] or 0) * size for part, size in sizes.items())
            total += int(seconds or 0) * _SECOND + int(f"{fraction:0<6}"[:6])
            return float(-total if found["sign"] else total)
        except (OverflowError, ValueError):  # more digits than a float, or Python, accepts
            return None

    def between(self, low: float, high: float) -> float:
        """Choose a whole number of days, hours, minutes or seconds near the middle."""
        return _round_multiple_between(low, high, (DAY, _HOUR, _MINUTE, _SECOND, 1))


DATE = DateNotation("date", float(DAY))

DATETIME = DateNotation("datetime", 1.0)

INSTANT = DateNotation("instant", 1.0)

TIME, DURATION = TimeNotation(), DurationNotation()


def to_noted_number(cell: object) -> NotatedNumber | None:
    """Convert a date, time or duration of Python to a number with a notation; None for anything else.

    >>> when = datetime(2020, 8, 1, 12, 30, tzinfo=UTC)
    >>> [to_noted_number(cell) for cell in (date(2020, 8, 1), timedelta(hours=-3), when, "x")]
    [2020-08-01, -3 h, 2020-08-01 12:30Z, None]
    """
    match cell:
        case datetime():
            return NotatedNumber(to_microseconds(cell), DATETIME if cell.tzinfo is None else INSTANT)
        case date():
            return NotatedNumber(to_microseconds(datetime.combine(cell, time())), DATE)
        case time():
            return NotatedNumber(time_to_microseconds(cell), TIME)
        case timedelta():
            return NotatedNumber(float(cell // _MICROSECOND), DURATION)
    return None


def to_microseconds(moment: datetime) -> float:
    """Return microseconds since 1970-01-01, in UTC if the moment has a zone."""
    minutes = ((moment.toordinal() - _FIRST_DAY) * 24 + moment.hour) * 60 + moment.minute
    micros = (minutes * 60 + moment.second) * _SECOND + moment.microsecond  # in 0.4 us; timedelta takes 1.5
    return float(micros if moment.tzinfo is None else micros - (moment.utcoffset() or timedelta()) // _MICROSECOND)


def time_to_microseconds(moment: time) -> float:
    """Return microseconds since midnight; a zone is ignored."""
    return float(((moment.hour * 60 + moment.minute) * 60 + moment.second) * _SECOND + moment.microsecond)


def common_notation(notations: Iterable[Notation]) -> Notation | None:
    """Find the notation that fits numbers of several notations; None if they are incompatible.

    >>> common_notation([DATE, DATETIME]), common_notation([DATE, INSTANT]), common_notation([DATE, TIME])
    (<datetime>, <instant>, None)
    """
    found = set(notations)
    if len(found) == 1:
        return found.pop()
    return next((one for one in (INSTANT, DATETIME) if one in found and found <= {DATE, DATETIME, INSTANT}), None)


def as_dates_if_whole_days(notation: Notation | None, numbers: Iterable[float]) -> Notation | None:
    """Replace `DATETIME` by `DATE` if all numbers are whole days."""
    return DATE if notation == DATETIME and all(number % DAY == 0 for number in numbers) else notation


FIRST_MOMENT = (datetime.min - _EPOCH) // _MICROSECOND  # noqa: DTZ901 - without a zone

_LAST = (datetime.max - _EPOCH) // _MICROSECOND  # noqa: DTZ901 - as a float64, it is the first moment of the year 10000


def _parse_iso(text: str) -> datetime | None:
    """Parse the moment that a text spells in ISO 8601."""
    trimmed = text.strip(" ")
    return datetime.fromisoformat(trimmed) if _ISO.fullmatch(trimmed) else None


def _clock_text(moment: time) -> str:
    """Write the shortest text of a time: hours, minutes, and seconds if any; such texts sort like the times."""
    if not moment.second and not moment.microsecond:
        return moment.isoformat("minutes")
    return moment.isoformat().rstrip("0") if moment.microsecond else moment.isoformat()


def _period_starts(middle: float) -> Iterable[float]:
    """Yield the starts of years, months, days and parts of days nearest to a moment, longest period first."""
    moment = _EPOCH + timedelta(microseconds=math.floor(middle))
    for size in (100, 10, 1):
        years = {max(1, moment.year - moment.year % size), min(9999, moment.year - moment.year % size + size)}
        yield min((to_microseconds(datetime(year, 1, 1)) for year in years), key=lambda start: abs(start - middle))  # noqa: DTZ001
    first = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    later = first + timedelta(days=31) if first.year < 9999 or first.month < 12 else first
    yield min(map(to_microseconds, (first, later.replace(day=1))), key=lambda start: abs(start - middle))
    for size in (DAY, _HOUR, _MINUTE, _SECOND):
        yield float(round(middle / size) * size)


def _round_multiple_between(low: float, high: float, sizes: Iterable[int]) -> float:
    """Find the multiple of the largest size near the middle that keeps a margin to both ends."""
    middle, margin = low / 2 + high / 2, 0.2 * (high - low)
    for size in sizes:
        start = float(round(middle / size) * size)
        if low + margin <= start <= high - margin and low <= start < high:
            return start
    return max(low, float(math.floor(middle)))
