"""Numbers that know how they are written: dates, times, durations, levels, flags."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unless.rule import Literal
from unless.values import value_in_notation
from unless.values.notation import (
    DATE,
    DATETIME,
    DURATION,
    FLAG,
    INSTANT,
    TIME,
    WHOLE,
    DateNotation,
    LevelNotation,
    NotatedNumber,
    Notation,
    common_notation,
    detect_notation,
    notation_from_json,
    to_noted_number,
)

SIZES = LevelNotation(("S", "M", "L"))
CELLS = st.one_of(
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7)), timezone(timedelta(minutes=345))])),
    st.times(),
    st.timedeltas(),
)


@given(CELLS)
@example(date.min)
@example(datetime.max)  # noqa: DTZ901 - without a zone
@example(timedelta.min)
@example(datetime(2020, 8, 1, 0, 0, 0, 1, tzinfo=UTC))
def test_a_text_is_read_back(cell: date | time | timedelta) -> None:
    """What a notation writes is what it reads, to the microsecond where a float64 holds it."""
    try:
        value = to_noted_number(cell)
    except OverflowError:  # a zone may shift the first and the last day beyond the years that there are
        return
    assert value is not None
    notation = value.notation
    back = notation.back(str(value))
    if abs(value) < 2**53:
        assert back == value
    else:
        assert back is not None
        assert abs(back - value) <= 64  # between the years 1 and 1684, and after 2255
    assert notation.number(str(value)) == back


@given(st.lists(st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2200, 1, 1)), min_size=2, max_size=2))  # noqa: DTZ001
def test_texts_of_moments_sort_like_moments(pair: list[datetime]) -> None:
    """Dates and times as texts are in the order of time, so that engines without dates can compare them."""
    one, other = (to_noted_number(moment) for moment in pair)
    assert (one < other) == (str(one) < str(other))  # type: ignore[operator]
    clock = [to_noted_number(moment.time()) for moment in pair]
    assert (clock[0] < clock[1]) == (str(clock[0]) < str(clock[1]))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("notation", "low", "high", "between"),
    [
        (DATE, "2020-08-01", "2020-08-02", "2020-08-01"),
        (DATE, "2020-07-15", "2020-08-20", "2020-08-01"),
        (DATE, "2018-03-01", "2023-05-01", "2020-01-01"),
        (DATE, "0001-01-01", "9999-12-31", "5000-01-01"),
        (DATETIME, "2020-08-01", "2020-08-02", "2020-08-01 12:00"),
        (DATETIME, "2020-08-01 12:00:00.000001", "2020-08-01 12:00:00.000002", "2020-08-01 12:00:00.000001"),
        (TIME, "08:10", "09:40", "09:00"),
        (DURATION, "1 d 2 h", "3 d", "2 d"),
    ],
)
def test_thresholds_are_easily_read(notation: Notation, low: str, high: str, between: str) -> None:
    """A threshold between two moments is the start of the longest part of the calendar that is well between them."""
    ends = notation.back(low), notation.back(high)
    assert notation.text(notation.between(*ends)) == between  # type: ignore[arg-type]


@given(st.sampled_from([DATE, DATETIME, INSTANT, TIME, DURATION]), st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_threshold_separates(notation: Notation, first: int, gap: int) -> None:
    """A threshold is at least the lower number, below the higher one, and a value of its notation."""
    low, high = first * notation.step, (first + gap) * notation.step
    if notation is TIME:
        low, high = low % 43e9, 43e9 + high % 43e9
    found = notation.between(low, high)
    assert low <= found < high
    assert notation.back(notation.text(found)) == found


@pytest.mark.parametrize(
    ("texts", "notation"),
    [
        (["2020-08-01", "2021-12-31"], DATE),
        (["2020-08-01", "2020-08-01T12:30"], DATETIME),
        (["2020-08-01 12:30:00.123456789", "soon"], DATETIME),
        (["2020-08-01T12:30Z", "2020-08-01"], INSTANT),
        (["2020-08-01T12:30+0200", "2020-08-01T12:30-07:00"], INSTANT),
        (["12:30", "23:59:59.5"], TIME),
        (["P2DT3H", "2 days", "1 day, 2:03:04", "-1 days +23:00:00"], DURATION),
        (["2020-08-01", "x", "y"], None),
        (["2020-13-01", "2020-02-30"], None),
        (["1:30", "2:45"], TIME),
        (["7:30", "8:45:00", "12:15"], TIME),
        (["7:3", "16:9"], None),
        (["3 h", "5 min"], None),
        (["20200801", "1596240000"], None),
        ([], None),
    ],
)
def test_what_is_noticed(texts: list[str], notation: Notation | None) -> None:
    """Dates, times and durations are noticed where at least half of the texts are some; a size or a code is not."""
    found = detect_notation(texts)
    assert (None if found is None else found[0]) == notation


@given(
    st.lists(
        st.dates().map(str) | st.from_regex("[0-9]{4}-[01][0-9]-[0-3][0-9]", fullmatch=True), max_size=9, unique=True
    )
)
@example(["0000-01-01", "0001-01-01"])
@example(["2020-08-01", "2020-08-0", "12020-08-01"])
@example(["2020-08-01", "2020-08-0١", "２020-08-01"])
def test_many_dates_at_once(texts: list[str]) -> None:
    """Dates that are read all at once are those that are read one by one."""
    numbers = {text: number for text in texts if (number := DATETIME.number(text)) is not None}
    expected = (DATE, numbers) if texts and 2 * len(numbers) >= len(texts) else None
    assert detect_notation(texts) == expected


@pytest.mark.parametrize("digits", [400, 5000])
def test_endless_durations(digits: int) -> None:
    """A duration with more digits than a number can have is text."""
    assert DURATION.number(f"P{'9' * digits}D") is None


def test_one_line_of_time() -> None:
    """A date is its first moment, a zone is subtracted, and a time without a zone is compared as if in UTC."""
    midnight = to_noted_number(date(2020, 8, 1))
    assert midnight == to_noted_number(datetime(2020, 8, 1))  # noqa: DTZ001
    assert midnight == to_noted_number(datetime(2020, 8, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    assert common_notation([DATE, DATETIME]) == DATETIME
    assert common_notation([DATE, DATETIME, INSTANT]) == INSTANT
    assert common_notation([DATE, DURATION]) is None
    assert common_notation([SIZES, LevelNotation(("S", "L"))]) is None


def test_other_formats() -> None:
    """A format tells how cells are written; rules are written as ISO dates all the same."""
    german = DateNotation("date", DATE.step, format="%d.%m.%Y")
    number = german.number("01.08.2020")
    assert number == DATE.number("2020-08-01")
    assert german.number("2020-08-01") is None
    assert german.text(number) == "2020-08-01"
    assert german.back("2020-08-01") == number
    assert str(Literal("when", ">", NotatedNumber(number, german))) == "when > 2020-08-01"


@pytest.mark.parametrize(
    "notation",
    [DATE, DATETIME, INSTANT, TIME, DURATION, FLAG, WHOLE, SIZES, DateNotation("date", DATE.step, format="%y")],
)
def test_notations_are_values(notation: Notation) -> None:
    """A notation is what JSON says of it, and survives copies and pickles, with its numbers."""
    assert notation_from_json(notation.data()) == notation
    for twin in (pickle.loads(pickle.dumps(notation)), copy.deepcopy(notation)):
        assert twin == notation
        assert hash(twin) == hash(notation)
    number = NotatedNumber(1.0, notation)
    again = pickle.loads(pickle.dumps(number))
    assert (again, again.notation, str(again)) == (number, notation, str(number))


@pytest.mark.parametrize(
    "node", ["week", [], ["S", "S"], ["S", 1], {"time": "%H"}, {"date": 1}, {"date": "", "x": ""}, 3]
)
def test_what_is_no_notation(node: object) -> None:
    """What no notation wrote is none."""
    assert notation_from_json(node) is None


def test_truth_of_dates() -> None:
    """A test of dates reads dates of Python, texts in ISO 8601 and moments of any zone, but no numbers."""
    late = Literal("when", ">", date(2020, 8, 1))
    assert late.holds(date(2020, 8, 2))
    assert late.holds("2020-08-01 00:00:01")
    assert late.holds(datetime(2020, 8, 1, 2, 0, 1, tzinfo=timezone(timedelta(hours=2))))
    assert not late.holds(datetime(2020, 8, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    assert not late.holds(2e15)
    assert not late.holds("later")
    assert not late.holds(None)
    assert not Literal("n", ">", 5.0).holds(date(2020, 8, 1))
    assert Literal("when", "==", "2020-08-01").holds(date(2020, 8, 1))


def test_truth_of_levels_and_flags() -> None:
    """A test of an order reads its levels and nothing else; a test of a flag is one of numbers, said as people do."""
    small = Literal("size", "<=", NotatedNumber(1.0, SIZES))
    assert [small.holds(cell) for cell in ("S", "M", "L", "XL", 0.0, None)] == [True, True, False, False, False, False]
    assert str(small) == "size <= M"
    senior = Literal("senior", ">", NotatedNumber(0.0, FLAG))
    assert [senior.holds(cell) for cell in (1, 0, 2.0, "1", None)] == [True, False, True, False, False]
    assert str(senior) == "senior is 1"
    assert str(Literal("senior", "<=", NotatedNumber(0.0, FLAG))) == "senior is 0"
    assert str(Literal("senior", "<=", NotatedNumber(0.5, FLAG))) == "senior <= 0.5"


def test_reading_a_value_in_a_notation() -> None:
    """A number is a level where its spelling is one, and text among dates; a date is text among numbers."""
    rooms = LevelNotation(("1", "2", "3+"))
    assert value_in_notation(2.0, rooms) == 1.0
    assert value_in_notation("3+", rooms) == 2.0
    assert value_in_notation(2020.0, DATE) == "2020"
    assert value_in_notation(to_noted_number(date(2020, 8, 1)), None) == "2020-08-01"
    assert value_in_notation(to_noted_number(date(2020, 8, 1)), TIME) == "2020-08-01"
    assert value_in_notation(to_noted_number(time(12, 30)), FLAG) == "12:30"
