"""What a cell means: a number, a category, or missing."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from time import process_time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.values import Value, cell_value, label_index, label_type, number_to_text, parse_number, same_label
from unless.values.notation import NotatedNumber


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (3, 3.0), (np.int8(3), 3.0), (2.5, 2.5), (np.float32(0.5), 0.5), (Decimal("0.1"), 0.1), (Fraction(1, 4), 0.25),
        (2**53 + 1, 2.0**53), (10**400, math.inf), (-(10**400), -math.inf), (math.inf, math.inf),
        (True, "True"), (np.bool_(0), "False"), ("3", "3"), ("", ""), (np.str_("x"), "x"), (b"ab", "ab"),
        ([1, 2], "[1, 2]"),
        (None, None), (math.nan, None), (np.float64("nan"), None), (Decimal("nan"), None), (pd.NA, None),
        (Decimal("snan"), None), (pd.NaT, None), (np.datetime64("NaT", "s"), None),
    ],
)  # fmt: skip
def test_meaning_of_a_cell(cell: object, value: Value) -> None:
    """A number is a float64; a boolean or any other object is its text; a missing value is None."""
    assert cell_value(cell) == value
    assert type(cell_value(cell)) is type(value)


@pytest.mark.parametrize(
    ("cell", "text", "number"),
    [
        (date(1970, 1, 2), "1970-01-02", 86_400e6),
        (datetime(1970, 1, 1, 2, tzinfo=UTC), "1970-01-01 02:00Z", 7_200e6),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=5))), "1969-12-31 21:00Z", -10_800e6),
        (datetime(1970, 1, 1, 0, 0, 1, 500_000), "1970-01-01 00:00:01.5", 1.5e6),  # noqa: DTZ001
        (time(1, 2), "01:02", 3720e6), (timedelta(days=-1, hours=1), "-23 h", -82_800e6),
        (pd.Timestamp("1970-01-02"), "1970-01-02", 86_400e6), (pd.Timedelta("90s"), "1 min 30 s", 90e6),
        (np.datetime64("1970-01-02"), "1970-01-02", 86_400e6),
        (np.datetime64(1_999, "ns"), "1970-01-01 00:00:00.000001", 1), (np.timedelta64(3, "h"), "3 h", 10_800e6),
    ],
)  # fmt: skip
def test_meaning_of_a_moment(cell: object, text: str, number: float) -> None:
    """A date, a time or a duration is a number of microseconds that knows how it is written."""
    value = cell_value(cell)
    assert isinstance(value, NotatedNumber)
    assert (str(value), float(value)) == (text, number)
    assert value.notation.back(text) == number


def test_minus_zero_is_zero() -> None:
    """Minus zero is zero, from a number and from text."""
    assert math.copysign(1, cell_value(-0.0)) == 1  # type: ignore[arg-type]
    assert math.copysign(1, parse_number("-0.0")) == 1  # type: ignore[arg-type]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_spelling_round_trip(number: float) -> None:
    """The shortest spelling of a finite number reads as that number."""
    assert parse_number(number_to_text(number)) == number


@given(st.text(alphabet="0123456789+-.eE_ \tinfa\u0663", max_size=8))
def test_number_in_agrees_with_float(text: str) -> None:
    """Text that spells a number spells it as Python reads it, and nothing that Python refuses is a number."""
    number = parse_number(text)
    if number is not None:
        assert number == float(text)


@pytest.mark.parametrize("text", ["", " ", "nan", "inf", "1_0", "1e999", "-1e999", "\t1", "1\n", "0x1", ".", "e5", "٣"])
def test_not_a_number(text: str) -> None:
    """Only finite decimal and exponent numbers between spaces are numbers."""
    assert parse_number(text) is None


@pytest.mark.parametrize("text", ["0" * 200_000, "1." + "0" * 200_000, " " * 200_000 + "1" + " " * 200_000])
def test_a_long_text_is_no_number_at_once(text: str) -> None:
    """What is almost a number is refused at once: time does not grow with the square of its length."""
    assert parse_number(text) in (0, 1)
    started = process_time()
    assert parse_number(text + "x") is None
    assert process_time() - started < 1


@pytest.mark.parametrize(
    ("kind", "label"),
    [(bool, bool), (np.bool_, bool), (int, int), (np.uint8, int), (float, float), (np.float32, float), (Decimal, float),
     (str, str), (np.str_, str), (date, str), (pd.Timestamp, str)],
)  # fmt: skip
def test_label_type(kind: type, label: type) -> None:
    """Labels are text, bool, int or float."""
    assert label_type(kind) is label


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a", "a", True), ("a", "A", False), ("1", "1.0", False), (1, 1.0, True), (1, True, False), (0, False, False),
        ("1", 1, True), (" 1.0", 1, True), ("1", True, False), ("true", True, True), ("FALSE", False, True),
        ("yes", True, False), ("x", 1, False), ("inf", math.inf, True), (str(2**53 + 1), 2**53 + 1, True),
    ],
)  # fmt: skip
def test_labels_that_are_the_same(one, other, same):
    """A text is the number or the boolean that it spells, on either side; 1 is not True."""
    assert same_label(one, other) is same_label(other, one) is same
    assert label_index(one, ["other", other]) == (1 if same else None)
