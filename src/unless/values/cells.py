"""Define the meaning of cells, labels and numbers, and write them for people and for JSON.

A cell has this meaning, whether it is from a file, a frame or a record to explain:

- a number is a float64; minus zero is zero; NaN is missing; dates, times and durations are numbers with a
  notation (`notation`);
- a category is text, compared character by character; booleans are the categories ``True`` and ``False``, and other
  objects are converted by ``str``;
- a missing cell is ``None``.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from unless.values.notation import DATE, DateNotation, NotatedNumber, Notation, to_noted_number  # noqa: F401 - DATE is for the examples

Value = float | str | None
Label = str | bool | int | float

DEFAULT_MISSING: tuple[str, ...] = ("", " ", "NA", "N/A", "NaN", "null", "NULL", "?")
"""The cells of a file that mean "missing", unless the caller gives others; a space matches any number of spaces."""

EARLIER_MISSING: tuple[str, ...] = ("", "NA", "N/A", "NaN", "null", "?")
"""The default of earlier versions, for text files only; their model files contain it."""

_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NUMBER_FORM = _NUMBER.pattern
"""The pattern of texts that spell numbers, also in exported programs. No text matches it in two ways."""

LEADING_ZERO = re.compile(r"^ *[+-]?0[0-9]")
"""The start of a text that spells a number but is a code: 007."""

WHOLE_NUMBER = re.compile(r"^ *[+-]?[0-9]+ *$")


def are_codes_not_numbers(numbers: Collection[str]) -> bool:
    """Whether texts that spell numbers are codes: all contain only digits, and one has a leading zero.

    >>> [are_codes_not_numbers(texts) for texts in (["007", "12"], ["7", "12"], ["0610.0", "00", "12"])]
    [True, False, False]
    """
    return any(map(LEADING_ZERO.match, numbers)) and all(map(WHOLE_NUMBER.match, numbers))


def missing_among(texts: Iterable[str], tokens: Collection[str]) -> frozenset[str]:
    """Find the texts that mean a missing cell: the tokens and, if a space is a token, all texts of only spaces.

    >>> sorted(missing_among(["a", "  ", " b"], ["NA", " "])), sorted(missing_among(["a", "  "], ["NA"]))
    ([' ', '  ', 'NA'], ['NA'])
    """
    return frozenset(tokens).union(filter(is_blank, texts) if " " in tokens else ())


def is_blank(text: str) -> bool:
    """Whether a text consists of one or more spaces."""
    return text[:1] == " " and not text.strip(" ")


def parse_number(text: str) -> float | None:
    """Return the finite number that a text spells, or None; an exponent and surrounding spaces are allowed.

    >>> parse_number(" 0.46"), parse_number("1e3"), parse_number("1_0"), parse_number("nan"), parse_number("1e999")
    (0.46, 1000.0, None, None, None)
    """
    trimmed = text.strip(" ")
    if not _NUMBER.fullmatch(trimmed):
        return None
    number = float(trimmed)
    return number + 0.0 if math.isfinite(number) else None


def number_to_text(number: float) -> str:
    """Write the shortest text of a number, as for a category: 1.0 is ``1``, and a date is the date.

    >>> number_to_text(1.0), number_to_text(0.1), number_to_text(-0.0), number_to_text(1e300)
    ('1', '0.1', '0', '1e+300')
    """
    if number.__class__ is NotatedNumber and not number.notation.plain:
        return str(number)
    if math.isfinite(number) and number == int(number) and abs(number) < 1e16:
        return str(int(number))
    return repr(float(number))


def cell_value(cell: object) -> Value:  # noqa: C901, PLR0911 - one return for each meaning
    """Return the value that a cell of a frame or a record means.

    >>> cell_value(3), cell_value(True), cell_value(float("nan")), cell_value("3"), cell_value(date(2024, 5, 1))
    (3.0, 'True', None, '3', 2024-05-01)
    """
    if cell.__class__ is float:  # common cases first: matching takes a microsecond
        return cell + 0.0 if cell == cell else None  # noqa: PLR0124 - NaN differs
    if cell is None or cell.__class__ is str or cell.__class__ is NotatedNumber:
        return cell
    match cell:
        case str():
            return str(cell)
        case bool() | np.bool_():
            return str(bool(cell))
        case np.datetime64() | np.timedelta64():  # numpy treats timedelta64 as an integer
            return None if np.isnat(cell) else _numpy_time_value(cell)
        case numbers.Real() | Decimal():
            try:
                number = float(cell)
            except ValueError:  # a signalling NaN
                number = math.nan
            except OverflowError:
                number = math.inf if cell > 0 else -math.inf  # type: ignore[operator]
            return None if math.isnan(number) else number + 0.0
    if type(cell).__name__ in _MISSING_TYPES:
        return None
    match cell:
        case datetime() | date() | time() | timedelta():
            return to_noted_number(cell)
        case bytes():
            return cell.decode("utf-8", "backslashreplace")
    return str(cell)


def value_in_notation(value: Value, notation: Notation | None) -> Value:
    """Convert a value to a notation: a text in the notation becomes a number, a number of another notation a text.

    >>> [value_in_notation(value, DATE) for value in ("2020-08-02", "soon", 2020.0)]
    [2020-08-02, 'soon', '2020']
    """
    wanted = None if notation is None or notation.plain else notation
    if isinstance(value, float):
        own = value.notation if isinstance(value, NotatedNumber) and not value.notation.plain else None
        if own == wanted or (isinstance(own, DateNotation) and isinstance(wanted, DateNotation)):
            return value if notation is None else notation.value(value)
        value = number_to_text(value) if own is None else own.text(value)
    if wanted is None or value is None:
        return value
    number = wanted.number(value)
    return value if number is None else wanted.value(number)


def _numpy_time_value(cell: np.datetime64 | np.timedelta64) -> Value:
    """Convert a date, a time or a duration of numpy; values outside the range of Python's types become text."""
    kind = "datetime64" if isinstance(cell, np.datetime64) else "timedelta64"
    found = cell.astype(f"{kind}[us]").item()
    return str(cell) if isinstance(found, int) else to_noted_number(found)


def to_python_value(value: Any) -> Any:
    """Convert a numpy value to a Python value: users may search over ``np.arange(3)``."""
    return value.item() if isinstance(value, np.generic) else value


def label_type(kind: type) -> type[Label]:
    """Return the type of a label (text, bool, int or float), given the type of its cell.

    >>> label_type(bool), label_type(np.int64), label_type(Decimal), label_type(date)
    (<class 'bool'>, <class 'int'>, <class 'float'>, <class 'str'>)
    """
    if issubclass(kind, (bool, np.bool_)):
        return bool
    if issubclass(kind, numbers.Integral):
        return int
    return float if issubclass(kind, (numbers.Real, Decimal)) else str


def same_label(one: Label, other: Label) -> bool:
    """Whether two labels are equal: 1 equals 1.0 but not True, and a text equals the number or boolean that it spells.

    Labels of text files are text, labels of typed files may have other types; a model may be used on both.

    >>> same_label(1, 1.0), same_label(1, True), same_label("1.0", 1), same_label(True, "TRUE"), same_label("1", "1.0")
    (True, False, True, True, False)
    """
    if isinstance(one, str) and not isinstance(other, str):
        return _label_spelled_by(one, other)
    if isinstance(other, str) and not isinstance(one, str):
        return _label_spelled_by(other, one)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def label_index(label: Label, known: Sequence[Label]) -> int | None:
    """Find the index of a label among known labels; None if it is not among them."""
    return next((place for place, other in enumerate(known) if same_label(label, other)), None)


def class_index(label: Label, classes: Sequence[Label]) -> int | None:
    """Find the index of a label of data among the classes of a model; None if it is not among them.

    If all classes are booleans, in any spelling, 0 and 1 are False and True.

    >>> class_index(1, [False, True]), class_index(True, ["0", "1"]), class_index(True, [1, 2])
    (1, 1, None)
    """
    place = label_index(label, classes)
    if place is not None or (flag := parse_flag(str(label))) is None:
        return place
    flags = [parse_flag(str(one)) for one in classes]
    return flags.index(flag) if flags.count(flag) == 1 and None not in flags else None


def parse_flag(text: str) -> bool | None:
    """Return the boolean that a cell means in a column of booleans, or None.

    >>> parse_flag("TRUE"), parse_flag("false"), parse_flag("1"), parse_flag("0.0"), parse_flag("yes"), parse_flag("2")
    (True, False, True, False, None, None)
    """
    folded, number = text.casefold(), parse_number(text)
    if folded == "true" or number == 1:
        return True
    return False if folded == "false" or number == 0 else None


def _label_spelled_by(text: str, label: Label) -> bool:
    if isinstance(label, bool):
        return text.casefold() == str(label).casefold()
    return text == str(label) or parse_number(text) == label  # the first for inf, and for whole numbers beyond 2**53


# For JSON, which has no infinity.


def number_to_json(value: Value) -> Value:
    """Convert a number for JSON: an infinity becomes the text ``inf`` or ``-inf``, and a date its text."""
    if isinstance(value, NotatedNumber):
        return float(value) if value.notation.plain else str(value)
    return str(value) if value in _INFINITE else value


def value_to_json(value: Value) -> object:
    """Convert a value, possibly text, for JSON: an infinity becomes ``{"number": "inf"}``, and a date its text."""
    if isinstance(value, NotatedNumber):
        return number_to_json(value)
    return {"number": str(value)} if value in _INFINITE else value


def label_to_json(label: Label | None) -> object:
    """Convert a label for JSON: an infinity becomes ``{"float": "inf"}``, no label null. `label_from_json` reads it."""
    return {"float": str(label)} if label in _INFINITE else label


def label_from_json(node: Any) -> Label:
    """Read a label that `label_to_json` wrote."""
    label: Label = float(node["float"]) if isinstance(node, dict) else node
    return label


def to_json(value: Any) -> Any:
    """Convert a value for JSON: objects by their ``to_dict``, NaN to null, an infinity to ``{"number": "inf"}``.

    >>> to_json((1, float("nan"), {"a": float("inf")}))
    [1, None, {'a': {'number': 'inf'}}]
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): to_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else value_to_json(value)


def attributes_to_json(value: object, *names: str) -> dict[str, Any]:
    """Convert attributes of an object for JSON; ``key=name`` writes an attribute under another key.

    >>> attributes_to_json(slice(1, 5), "start", "end=stop")
    {'start': 1, 'end': 5}
    """
    pairs = (name.split("=") if "=" in name else (name, name) for name in names)
    return {key: to_json(getattr(value, attribute)) for key, attribute in pairs}


_INFINITE = (math.inf, -math.inf)


# For people.


def percent(share: float, digits: int = 0) -> str:
    """Write a share as a rounded percentage; only shares of exactly 0 and 1 are 0 % and 100 %.

    >>> [percent(share) for share in (0.9166, 0.835, 310 / 311, 0.004, 0, 1.0)]
    ['92 %', '84 %', '> 99 %', '< 1 %', '0 %', '100 %']
    >>> percent(0.98765, 1), percent(0.99996, 1), percent(0.5, 1), percent(1, 1)
    ('98.8 %', '> 99.9 %', '50.0 %', '100 %')
    """
    share = _without_rounding_error(share)
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    unit = 10**digits
    units = math.floor(100 * unit * share + 0.5 + 1e-9)  # 0.285 is 29 %, though 100 * 0.285 is less than 28.5
    if 1 <= units < 100 * unit:
        return f"{units / unit:.{digits}f} %"
    return f"< {1 / unit:g} %" if units < 1 else f"> {100 - 1 / unit:g} %"


def cost_text(cost: float) -> str:
    """Write a cost with three digits, or as a whole number if it is large.

    >>> cost_text(0.43219), cost_text(5), cost_text(-12345.6)
    ('0.432', '5', '-12,346')
    """
    return f"{cost:,.0f}" if abs(cost) >= 1000 else f"{cost:.3g}"


def share_text(share: float) -> str:
    """Write a share with three digits; only shares of exactly 0 and 1 are 0.000 and 1.000.

    >>> [share_text(share) for share in (0.9666, 0.99996, 0.0002, 0.0, 1.0)]
    ['0.967', '0.999', '0.001', '0.000', '1.000']
    >>> share_text(1 - 5e-16), percent(1 - 5e-16)
    ('1.000', '100 %')
    """
    share = _without_rounding_error(share)
    return f"{share:.3f}" if share in (0, 1) else f"{min(max(share, 0.001), 0.999):.3f}"


def _without_rounding_error(share: float) -> float:
    """Remove rounding errors from a share: shares of weights may add up to slightly less than 1."""
    return round(share, 12)


def count_text(count: float, noun: str) -> str:
    """Write a number with its noun, in the singular or plural.

    >>> count_text(1, "rule"), count_text(1203, "rule")
    ('1 rule', '1,203 rules')
    """
    return f"{count:,.0f} {noun}" if count == 1 else f"{count:,.0f} {noun}s"


def amount_text(weight: float) -> str:
    """Write a count or a sum of weights: without decimals if whole, otherwise with one; below 1, with two digits.

    >>> [amount_text(weight) for weight in (1203.0, 311.25, 0.0312, 449.99999999999994)]
    ['1,203', '311.2', '0.031', '450']
    """
    if abs(weight - round(weight)) <= 1e-9 * weight:  # 300 weights of 1.5 may add up to a little less than 450
        return f"{weight:,.0f}"
    return f"{weight:,.1f}" if weight >= 1 else f"{weight:.2g}"
