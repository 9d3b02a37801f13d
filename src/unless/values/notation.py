"""How the numbers of a column are written: as dates, times, durations, levels of an order, flags, whole numbers.

To the learner they all are numbers; to people ``when > 2020-08-01`` and ``size <= M`` say more. A `NotatedNumber` knows
its notation, so whatever has the number can write it: a literal, a cell, the bound of a change.

Time is counted in microseconds, which a float64 holds exactly from 1684 to 2255 (days: always); anything finer is cut
off. Dates and times count from 1970-01-01, a date is its first moment, and a time with a zone is the same instant in
UTC. Beside times with a zone, a time without one is taken to be in UTC.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta  # noqa: F401 - UTC is for the examples
from functools import cached_property
from typing import Any, Self

import numpy as np

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
"""What texts look like that are moments, times of the day and durations: exported programs read them too."""


class Notation(ABC):
    """How the numbers of a column are written."""

    name: str
    step: float = 0.0
    """The distance between neighbouring values; 0 where there always is a value between two others."""
    plain: bool = False
    """Whether numbers are written as numbers, so that only some sentences need to know the notation."""
    sortable: bool = False
    """Whether texts are in the same order as the numbers they stand for, character by character."""

    @abstractmethod
    def text(self, number: float) -> str:
        """A number in this notation."""

    @abstractmethod
    def number(self, text: str) -> float | None:
        """The number that a text means, or None if it is not in this notation."""

    def back(self, text: str) -> float | None:
        """The number that `text` wrote, or None if it cannot have written that."""
        return self.number(text)

    def between(self, low: float, high: float) -> float:
        """A threshold that is easily read: at least low, and below high."""
        return low if self.step else low / 2 + high / 2

    def value(self, number: float) -> float:
        """The number, which now knows its notation."""
        return NotatedNumber(number, self)

    def data(self) -> Any:
        """The notation for JSON; `notation_from_json` reads it back."""
        return self.name

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notation) and self.data() == other.data()

    def __hash__(self) -> int:
        return hash(self.name)


class NotatedNumber(float):
    """A number that knows how it is written. It compares, hashes and calculates as the number."""

    __slots__ = ("notation",)
    notation: Notation

    def __new__(cls, number: float, notation: Notation) -> Self:
        """Make the number."""
        to_noted_number = super().__new__(cls, number)
        to_noted_number.notation = notation
        return to_noted_number

    def __str__(self) -> str:
        return self.notation.text(self)

    def __repr__(self) -> str:
        text = str(self)
        return text if text.isprintable() else repr(text)  # a level can be any text

    def __reduce__(self) -> tuple[type[Self], tuple[float, Notation]]:
        return type(self), (float(self), self.notation)


class DateNotation(Notation):
    """Dates, with or without the time of day, and with a zone or without; in text files by default as ISO 8601.

    ``format`` says how else the cells of text files spell them, in the letters of `datetime.strptime`.
    """

    sortable = True

    def __init__(self, name: str, step: float, *, format: str | None = None) -> None:  # noqa: A002 - as callers call it
        self.name, self.step, self.format = name, step, format
        self.zoned = name == "instant"

    def text(self, number: float) -> str:
        """A date, and the time if it is not midnight: ``2020-08-01``, ``2020-08-01 12:30``, ``2020-08-01 12:30Z``."""
        if math.isinf(number):
            return str(float(number))
        moment = _EPOCH + timedelta(microseconds=min(max(math.floor(number), _FIRST), _LAST))
        day = moment.date().isoformat()
        if not self.zoned and moment.time() == time():
            return day
        return f"{day} {_clock_text(moment.time())}{'Z' if self.zoned else ''}"

    def number(self, text: str) -> float | None:
        """Microseconds since 1970-01-01; None for a text that has another format."""
        if self.format is None:
            return self.back(text)
        try:
            return to_microseconds(datetime.strptime(text.strip(), self.format))  # noqa: DTZ007 - a zone is optional
        except (ValueError, OverflowError):
            return None

    def back(self, text: str) -> float | None:
        """The number of a text as in ISO 8601, whatever the format of cells."""
        try:
            moment = _parse_iso(text)
            return None if moment is None else to_microseconds(moment)
        except (ValueError, OverflowError):  # in UTC, a moment of the first or the last day may be out of range
            return None

    def between(self, low: float, high: float) -> float:
        """The start of a year, a month, a day, an hour, … near the middle: the longest of them that lies between."""
        middle = low / 2 + high / 2
        margin = 0.2 * (high - low)
        for start in _period_starts(middle):
            if start % self.step == 0 and low <= start < high and low + margin <= start <= high - margin:
                return start
        return max(low, middle - middle % self.step)

    def fitting(self, numbers: Iterable[float], *, zoned: bool = False) -> DateNotation:
        """The same format for these moments: with a zone, or without times of day if they all are midnight."""
        zoned = zoned or self.zoned or "%z" in (self.format or "")
        name = "instant" if zoned else "date" if all(number % DAY == 0 for number in numbers) else "datetime"
        return DateNotation(name, float(DAY) if name == "date" else 1.0, format=self.format)

    def data(self) -> Any:
        """The name, with the format if there is one."""
        return self.name if self.format is None else {self.name: self.format}


class TimeNotation(Notation):
    """Times of the day, in microseconds since midnight."""

    name, step, sortable = "time", 1.0, True

    def text(self, number: float) -> str:
        """The time with as many parts as it needs: ``12:30``, ``12:30:05.5``."""
        inside = math.floor(min(max(number, 0), DAY - 1))
        return _clock_text((_EPOCH + timedelta(microseconds=inside)).time())

    def number(self, text: str) -> float | None:
        """Microseconds since midnight; the hour may have one digit."""
        trimmed = text.strip(" ")
        if not re.fullmatch(_TIME, trimmed):
            return None
        return time_to_microseconds(time.fromisoformat(trimmed if trimmed[1] != ":" else f"0{trimmed}"))

    def between(self, low: float, high: float) -> float:
        """The start of an hour, a minute or a second near the middle."""
        return _round_multiple_between(low, high, (_HOUR, _MINUTE, _SECOND, 1))


class DurationNotation(Notation):
    """Lengths of time, in microseconds."""

    name, step = "duration", 1.0

    def text(self, number: float) -> str:
        """Days, hours, minutes and seconds: ``2 d 3 h``, ``15 min``, ``-0.5 s``."""
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
        """Microseconds; spelled as `text` does, as in ISO 8601 (``P2DT3H``), or as in Python (``2 days, 3:00:00``)."""
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
        except (OverflowError, ValueError):  # more digits than a float, or than Python reads
            return None

    def between(self, low: float, high: float) -> float:
        """A whole number of days, hours, minutes or seconds near the middle."""
        return _round_multiple_between(low, high, (DAY, _HOUR, _MINUTE, _SECOND, 1))


class FlagNotation(Notation):
    """The numbers 0 and 1."""

    name, step, plain = "flag", 1.0, True

    def text(self, number: float) -> str:
        """The number."""
        return repr(float(number))

    def number(self, text: str) -> float | None:  # noqa: ARG002 - like the others
        """Nothing: numbers are read as numbers."""
        return None


class WholeNumberNotation(FlagNotation):
    """Whole numbers: no text needs to know, but what may become of a number does."""

    name = "whole"

    def value(self, number: float) -> float:
        """The number itself."""
        return number

    def between(self, low: float, high: float) -> float:
        """The number half-way."""
        return low / 2 + high / 2

    def known(self, number: float) -> float:
        """A cell, which knows that its column has whole numbers, if it is one itself."""
        return NotatedNumber(number, self) if number.is_integer() else number


class Amounts(Notation):
    """Numbers with a unit: 12 kg, $1,200, 45 %. They are numbers to all but people, and to who reads cells.

    ``form`` is the number 1234.5 as the cells of training spell it: ``1.234,5 €``. A cell may lack the unit.
    """

    name, plain = "unit", True

    def __init__(self, form: str) -> None:
        found = _AMOUNT_FORM.fullmatch(form)
        if found is None:
            raise ValueError(form)
        self.form, self.before, self.after = form, found["before"].strip(_SPACES), found["after"].strip(_SPACES)
        self.thousands, self.decimal = found["thousands"], found["decimal"]

    @classmethod
    def of(cls, before: str, after: str, decimal: str = ".", thousands: str = "") -> Amounts:
        """The notation with these signs around and within numbers."""
        return cls(f"{before}1{thousands}234{decimal}5{' ' * bool(after)}{after}")

    @property
    def unit(self) -> str:
        """The unit."""
        return self.before or self.after

    @property
    def template(self) -> str:
        """How people write a number with its unit: ``{} kg``, ``${}``."""
        return f"{self.before}{{}}" if self.before else f"{{}} {self.after}"

    @cached_property
    def pattern(self) -> str:
        """What a number with its unit looks like, in the numerals of training; groups have its sign and the rest."""
        sign, point = re.escape(self.thousands), re.escape(self.decimal)
        grouped = rf"[1-9][0-9]{{0,2}}(?:{sign}[0-9]{{3}})+(?:{point}[0-9]*)?|" if sign else ""
        number = rf"{grouped}[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+"
        return _around(self.before, self.after, number)

    def amount(self, text: str) -> float | None:
        """The number of a text that has its unit, in the numerals of training."""
        found = re.fullmatch(self.pattern, text)
        if found is None:
            return None
        number = float(found[1] + found[2].replace(self.thousands, "").replace(self.decimal, "."))
        return number + 0.0 if math.isfinite(number) else None

    def bare(self, text: str) -> str | None:
        """The number of a text without its unit, in any numerals; None if it does not have the unit."""
        found = re.fullmatch(self._any, text)
        return None if found is None else found[1] + found[2]

    @cached_property
    def _any(self) -> str:
        return _around(self.before, self.after, _AMOUNT)

    def text(self, number: float) -> str:
        """The number."""
        return repr(float(number))

    def number(self, text: str) -> float | None:  # noqa: ARG002 - like the others
        """Nothing: who reads cells asks for `amount`."""
        return None

    def data(self) -> Any:
        """The form."""
        return {self.name: self.form}


def _around(before: str, after: str, number: str) -> str:
    """The pattern of a number with its unit."""
    gap = f"[{_SPACES}]*"
    start = f"{re.escape(before)}{gap}" if before else ""
    end = f"{gap}{re.escape(after)}" if after else ""
    return f" *([+-]?){start}({number}){end} *"


def with_unit(texts: Sequence[str]) -> Amounts | None:
    """The unit that texts have, in plain numerals; None if fewer than three or than half of them have one, or several.

    >>> with_unit(["12 kg", "7.5kg", "9 kg", "unknown"]).unit, with_unit(["12 kg", "7 kg", "9 lb"]), with_unit(["5a"])
    ('kg', None, None)
    """
    found = Counter[tuple[str, str]]()
    for text in texts:
        if (match := _WITH_UNIT.fullmatch(text.strip(" "))) is not None and (match["before"] or match["after"]):
            found[match["before"], match["after"]] += 1
    if len(found) != 1:
        return None
    ((before, after), count), *_ = found.items()
    if count < _FEWEST or 2 * count < len(texts) or (before and after) or after.casefold() in _NO_UNITS:
        return None
    return Amounts.of(before, after)


_SPACES = " \u00a0\u202f"
_FEWEST = 3
_NO_UNITS = {"am", "pm", "st", "nd", "rd", "th"}
MONEY = frozenset("$€£¥") | {"EUR", "USD", "GBP", "CHF"}
"""Units of money, which are never written with three decimals."""

_AMOUNT = rf"[0-9](?:[0-9.,'’{_SPACES}]*[0-9])?"
_WITH_UNIT = re.compile(
    rf"[+-]?(?P<before>[$€£¥]|(?:EUR|USD|GBP|CHF)(?=[{_SPACES}0-9])|)[{_SPACES}]*{_AMOUNT}[{_SPACES}]*"
    r"(?P<after>[%‰$€£¥\"']|°[CF]?|[^\W\d_]{1,10}[²³]?(?:/[^\W\d_]{1,10}[²³]?)?|)"
)
_ASIDE = r"[^0-9{}\x00-\x1f]{0,30}"
_AMOUNT_FORM = re.compile(
    rf"(?P<before>{_ASIDE})1(?P<thousands>[.,'’{_SPACES}]?)234(?P<decimal>[.,])5(?P<after>{_ASIDE})"
)


@dataclass(frozen=True, repr=False, eq=False)
class LevelNotation(Notation):
    """Categories in an order of their own, least first; the numbers are their places from 0 on."""

    levels: tuple[str, ...]
    name = "order"
    step = 1.0

    def text(self, number: float) -> str:
        """The highest level that is not above the number."""
        return self.levels[math.floor(min(max(number, 0), len(self.levels) - 1))]

    def number(self, text: str) -> float | None:
        """The place of a level."""
        return self._places.get(text)

    @cached_property
    def _places(self) -> dict[str, float]:
        return {level: float(place) for place, level in enumerate(self.levels)}

    def data(self) -> Any:
        """The levels."""
        return list(self.levels)


DATE = DateNotation("date", float(DAY))
DATETIME = DateNotation("datetime", 1.0)
INSTANT = DateNotation("instant", 1.0)
TIME, DURATION, FLAG, WHOLE = TimeNotation(), DurationNotation(), FlagNotation(), WholeNumberNotation()
_BY_NAME = {one.name: one for one in (DATE, DATETIME, INSTANT, TIME, DURATION, FLAG, WHOLE)}


def notation_from_json(node: Any) -> Notation | None:
    """The notation that `Notation.data` wrote; None if it is not one."""
    match node:
        case str():
            return _BY_NAME.get(node)
        case list() if node and all(isinstance(level, str) for level in node) and len(set(node)) == len(node):
            return LevelNotation(tuple(node))
        case dict() if len(node) == 1:
            ((name, form),) = node.items()
            if name == Amounts.name and isinstance(form, str) and _AMOUNT_FORM.fullmatch(form):
                found = Amounts(form)
                one_side = bool(found.before) != bool(found.after)
                return found if one_side and found.thousands != found.decimal else None
            if name in ("date", "datetime", "instant") and isinstance(form, str):
                return DateNotation(name, _BY_NAME[name].step, format=form)
    return None


def to_noted_number(cell: object) -> NotatedNumber | None:
    """A date, time or duration of Python as a number that knows its notation; None for anything else.

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
    """Microseconds since 1970-01-01, in UTC if the moment has a zone."""
    minutes = ((moment.toordinal() - _FIRST_DAY) * 24 + moment.hour) * 60 + moment.minute
    micros = (minutes * 60 + moment.second) * _SECOND + moment.microsecond  # in 0.4 us; timedelta takes 1.5
    return float(micros if moment.tzinfo is None else micros - (moment.utcoffset() or timedelta()) // _MICROSECOND)


def time_to_microseconds(moment: time) -> float:
    """Microseconds since midnight; a zone is ignored."""
    return float(((moment.hour * 60 + moment.minute) * 60 + moment.second) * _SECOND + moment.microsecond)


def common_notation(notations: Iterable[Notation]) -> Notation | None:
    """The notation of numbers in several ones; None where they do not go together.

    >>> common_notation([DATE, DATETIME]), common_notation([DATE, INSTANT]), common_notation([DATE, TIME])
    (<datetime>, <instant>, None)
    """
    found = set(notations)
    if len(found) == 1:
        return found.pop()
    return next((one for one in (INSTANT, DATETIME) if one in found and found <= {DATE, DATETIME, INSTANT}), None)


def as_dates_if_whole_days(notation: Notation | None, numbers: Iterable[float]) -> Notation | None:
    """`DATE` in place of `DATETIME` where all numbers are whole days."""
    return DATE if notation == DATETIME and all(number % DAY == 0 for number in numbers) else notation


def detect_notation(texts: Sequence[str]) -> tuple[Notation, dict[str, float]] | None:
    """Return the notation of undeclared texts, and the number of each text in it; None if fewer than half have one.

    Only what is hardly anything else is noticed: dates and times as in ISO 8601, durations like P2DT3H or 2 days, and
    dates like 31/12/2019, if one of them shows which number is the day.

    >>> detect_notation(["2020-08-01", "2021-01-01 12:30", "unknown"])
    (<datetime>, {'2020-08-01': 1596240000000000.0, '2021-01-01 12:30': 1609504200000000.0})
    """
    if 2 * sum(text.lstrip(" ")[:1] in _STARTS for text in texts) < len(texts) or not texts:
        return None
    if (days := _parse_dates(texts)) is not None:
        return DATE, days
    for notation in (DATETIME, TIME, DURATION):
        pattern = _DETECTABLE[notation.name]
        if len(texts) > _GLANCE and not any(pattern.fullmatch(text.strip(" ")) for text in texts[:: len(texts) // 64]):
            continue  # not half of them, then
        likely = [text for text in texts if pattern.fullmatch(text.strip(" "))]
        if 2 * len(likely) >= len(texts):
            read = {text: number for text in likely if (number := notation.number(text)) is not None}
            if 2 * len(read) >= len(texts):
                zoned = notation is DATETIME and any(map(_ZONE.search, read))
                return INSTANT if zoned else as_dates_if_whole_days(notation, read.values()) or notation, read
    return _dates_of_numbers(texts)


def _dates_of_numbers(texts: Sequence[str]) -> tuple[Notation, dict[str, float]] | None:
    """The same for dates like 31/12/2019, with or without times, if the cells tell which number is the day."""
    if len(texts) > _GLANCE and not any(map(_NUMBERS.fullmatch, texts[:: len(texts) // 64])):
        return None
    found = {text: match for text in texts if (match := _NUMBERS.fullmatch(text.strip(" ")))}
    written = Counter(map(_shape, found.values()))
    if not written or 2 * max(written.values()) < len(texts):
        return None
    shape = max(written, key=lambda one: (written[one], one))
    same_form = {text: match for text, match in found.items() if _shape(match) == shape}
    if (order := _order(same_form.values())) is None:
        return None
    form = shape[0].join(order) + shape[1]
    notation, year, month, day = (
        DateNotation("datetime", 1.0, format=form),
        *(order.index(one) for one in _PARTS_OF_DAY),
    )
    read = {text: number for text in texts if text not in same_form and (number := notation.number(text)) is not None}
    for text, match in same_form.items():
        parts = [int(part) for part in (match["a"], match["b"], match["c"])]
        hour, minute, second = map(int, (*(match["clock"] or "0:0").split(":"), "0")[:3])
        with suppress(ValueError):  # there is no such day
            at = datetime(parts[year], parts[month], parts[day], hour, minute, second)  # noqa: DTZ001
            read[text] = to_microseconds(at)
    return (notation, read) if 2 * len(read) >= len(texts) else None


def _shape(match: re.Match[str]) -> tuple[str, str, bool]:
    """How a date is written: the sign between its numbers, the format of its time, and whether the year is first."""
    clock = match["clock"]
    hours = "" if clock is None else " %H:%M:%S" if clock.count(":") > 1 else " %H:%M"
    return match["sign"], hours, len(match["a"]) > 2


def _order(dates: Collection[re.Match[str]]) -> tuple[str, str, str] | None:
    """The order of day, month and year in dates, in the letters of a format; None if the dates do not tell."""
    if all(len(date["a"]) > 2 for date in dates):
        return "%Y", "%m", "%d"
    first, second = (any(12 < int(date[part]) <= 31 for date in dates) for part in "ab")
    if first == second:
        return None
    return ("%d", "%m", "%Y") if first else ("%m", "%d", "%Y")


def _parse_dates(texts: Sequence[str]) -> dict[str, float] | None:
    """The numbers of texts that all are dates like 2020-08-01; None if one is not, or is no day of the calendar.

    3,400 of them take 0.4 ms, and 8 ms one by one.
    """
    if set(map(len, texts)) != {10} or not (joined := "".join(texts)).isascii():
        return None
    letters = np.frombuffer(joined.encode(), np.uint8).reshape(-1, 10)
    dashed = (letters[:, [4, 7]] == ord("-")).all()
    if not dashed or not ((letters >= ord("0")) & (letters <= ord("9")))[:, [0, 1, 2, 3, 5, 6, 8, 9]].all():
        return None
    try:
        numbers = letters.view("S10").ravel().astype("M8[D]").astype(np.int64).astype(np.float64) * DAY
    except ValueError:
        return None
    return dict(zip(texts, numbers.tolist(), strict=True)) if numbers.min() >= _FIRST else None


_GLANCE = 1024
_STARTS = frozenset("0123456789P-")
_NUMBERS = re.compile(
    r"(?=[0-9]{4}.[0-9]+.[0-9]{1,2}(?: |$)|[0-9]{1,2}.[0-9]+.[0-9]{4}(?: |$))"
    r"(?P<a>[0-9]+)(?P<sign>[/.-])(?P<b>[0-9]{1,2})(?P=sign)(?P<c>[0-9]+)"
    r"(?: (?P<clock>(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?))?"
)
"""Dates of numbers, with the year first or last."""

_PARTS_OF_DAY = "%Y", "%m", "%d"
_ZONE = re.compile(r":.*[Z+-]")
_LONG = re.compile(f"{_PERIOD.pattern}|{re.sub('[?]P<[a-z]+>', '?:', _DAYS.pattern)}")
_DETECTABLE = {"datetime": _ISO, "time": re.compile(_TIME), "duration": _LONG}
_FIRST = (datetime.min - _EPOCH) // _MICROSECOND  # noqa: DTZ901 - without a zone
_LAST = (datetime.max - _EPOCH) // _MICROSECOND  # noqa: DTZ901 - as a float64, it is the first moment of the year 10000


def _parse_iso(text: str) -> datetime | None:
    """The moment that a text of ISO 8601 spells."""
    trimmed = text.strip(" ")
    return datetime.fromisoformat(trimmed) if _ISO.fullmatch(trimmed) else None


def _clock_text(moment: time) -> str:
    """Hours and minutes, and seconds if there are any: the shortest text, and in the right order as text too."""
    if not moment.second and not moment.microsecond:
        return moment.isoformat("minutes")
    return moment.isoformat().rstrip("0") if moment.microsecond else moment.isoformat()


def _period_starts(middle: float) -> Iterable[float]:
    """The starts of years, months, days and parts of days that are nearest to a moment, longest first."""
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
    """The multiple of the largest size near the middle that keeps a margin to both ends."""
    middle, margin = low / 2 + high / 2, 0.2 * (high - low)
    for size in sizes:
        start = float(round(middle / size) * size)
        if low + margin <= start <= high - margin and low <= start < high:
            return start
    return max(low, float(math.floor(middle)))
