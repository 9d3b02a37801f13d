"""Read values and labels in a text of rules: numbers, dates, texts, whole numbers, booleans."""

from __future__ import annotations

import re
from math import inf, nextafter

from unless.export.rule_parser.parse_tree import Span
from unless.values import Label, parse_number
from unless.values.notation import DATE, DATETIME, DURATION, INSTANT, TIME, Notation

_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[+-]?[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
INFINITE = {"inf": inf, "+inf": inf, "-inf": -inf}


def number_before(number: float) -> float | None:
    """Return the last value before a number: for dates the day before, for levels the level below; otherwise None.

    >>> number_before(30.0), number_before(DATE.value(DATE.number("2020-08-01")))
    (29.999999999999996, 2020-07-31)
    """
    notation: Notation | None = getattr(number, "notation", None)
    if notation is None:
        return nextafter(number, -inf) if number > -inf else None
    below = float(number) - notation.step
    if below == number:  # too large to have a step
        below = nextafter(float(number), -inf)
    found = notation.value(below)
    return found if notation.plain or notation.back(notation.text(below)) == below else None


def read_number(text: str) -> float | None:
    """Read a number from a text, which may have separators between thousands: 21,000 and 21_000."""
    found = parse_number(text)
    if found is not None:
        return found
    if _GROUPED.fullmatch(text):
        return parse_number(text.replace(",", "").replace("_", ""))
    return INFINITE.get(text.lower())


def read_plain_number(value: Span) -> float | None:
    """Read a number from a value without quotes."""
    return None if value.quoted else read_number(value.text)


def guess_notation(text: str) -> Notation | None:
    """Guess the notation of a text that clearly is a date, a time or a duration."""
    if DATETIME.back(text) is not None:
        zoned = ":" in text and (text.rstrip().endswith("Z") or re.search(r":.*[+-]", text) is not None)
        return INSTANT if zoned else DATE if len(text.strip()) == len("2020-08-01") else DATETIME
    return next((one for one in (TIME, DURATION) if one.number(text) is not None), None)


def read_label(span: Span) -> Label:
    """Read a label by its form: 1 is a whole number, 1.0 a number, True a boolean; all else, and in quotes, is text."""
    text = span.text
    if span.quoted:
        return text
    if text in ("True", "False"):
        return text == "True"
    if _WHOLE.fullmatch(text) and str(int(text)) == text.removeprefix("+"):
        return int(text)
    number = parse_number(text)
    if number is None:
        number = INFINITE.get(text)
    return text if number is None or re.match(r"[+-]?0[0-9]", text) else number


def label_type(label: Label) -> type:
    """Return the type of a label: boolean, text, or number, whole or not."""
    return bool if isinstance(label, bool) else str if isinstance(label, str) else float
