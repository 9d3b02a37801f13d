"""Notations of numbers: dates, times, durations, levels of an order, flags, whole numbers, amounts with units.

Learners treat them all as numbers; for people, ``when > 2020-08-01`` and ``size <= M`` are clearer. A `NotatedNumber`
carries its notation, so literals, cells and bounds can be written in it.

`base` defines notations; `times` and `units` contain those of dates and of amounts; `detection` finds the notation of
texts; `json_form` reads notations from JSON.
"""

from unless.values.notation.base import (
    FLAG,
    WHOLE,
    FlagNotation,
    LevelNotation,
    NotatedNumber,
    Notation,
    WholeNumberNotation,
)
from unless.values.notation.detection import detect_notation
from unless.values.notation.json_form import notation_from_json
from unless.values.notation.times import (
    CLOCK_FORM,
    DATE,
    DATETIME,
    DAY,
    DURATION,
    DURATION_FORMS,
    INSTANT,
    ISO_FORM,
    TIME,
    DateNotation,
    DurationNotation,
    TimeNotation,
    as_dates_if_whole_days,
    common_notation,
    to_microseconds,
    to_noted_number,
)
from unless.values.notation.units import MONEY, Amounts, with_unit

__all__ = [
    "CLOCK_FORM", "DATE", "DATETIME", "DAY", "DURATION", "DURATION_FORMS", "FLAG", "INSTANT", "ISO_FORM", "MONEY",
    "TIME", "WHOLE", "Amounts", "DateNotation", "DurationNotation", "FlagNotation", "LevelNotation",
    "NotatedNumber", "Notation", "TimeNotation", "WholeNumberNotation", "as_dates_if_whole_days", "common_notation",
    "detect_notation", "notation_from_json", "to_microseconds", "to_noted_number", "with_unit",
]  # fmt: skip
