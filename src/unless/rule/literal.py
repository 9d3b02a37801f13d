"""Literals: a test on one feature.

``Literal.holds`` is the one definition of truth: tests compare kernels, exports and engines with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf, nextafter
from typing import Literal as OneOf

from unless.errors import ProgramError
from unless.values import Value, cell_value, number_to_text, value_in_notation
from unless.values.notation import FLAG, LevelNotation, NotatedNumber
from unless.values.spelling import quote_if_needed

Operator = OneOf["<=", ">", "==", "!=", "missing", "present"]

OPERATORS: tuple[Operator, ...] = ("<=", ">", "==", "!=", "missing", "present")

SpokenOperator = OneOf["<=", ">", "<", ">=", "==", "!=", "missing", "present"]
"""Operators as people say them: ``< 30`` is shorter than ``<= 29.999999999999996``."""

OPERATOR_WORDS: dict[SpokenOperator, str] = {
    "<=": "is at most",
    ">": "is above",
    "<": "is below",
    ">=": "is at least",
    "==": "is",
    "!=": "is not",
    "missing": "is missing",
    "present": "is present",
}
"""Operators in words, between a feature and a value. Sentences and pages use these words."""

_TAKES: dict[Operator, type] = {
    "<=": float, ">": float, "==": str, "!=": str, "missing": type(None), "present": type(None),
}  # fmt: skip
"""The type of a literal's value, by operator."""

_SIGNS: dict[SpokenOperator, str] = {"<=": "<=", ">": ">", "<": "<", ">=": ">="}

_LONGER_DIGITS = 6
"""A bound that is longer by this many digits than the next number is written with the next number: ``< 30``."""


@dataclass(frozen=True, slots=True, repr=False)
class Literal:
    """A test on one feature: ``age <= 30``, ``city is 'Oslo'``, ``city is missing``.

    The operators ``<=`` and ``>`` take a number, ``==`` and ``!=`` a category, ``missing`` and ``present`` None.
    """

    feature: str
    """The name of the feature."""
    op: Operator
    """The operator: ``<=``, ``>``, ``==``, ``!=``, ``missing`` or ``present``."""
    value: Value = None
    """The number or category that cells are compared with; None for ``missing`` and ``present``."""

    def __post_init__(self) -> None:
        if self.op not in OPERATORS:
            raise ProgramError(f"unknown operator {self.op!r}; the operators are {', '.join(OPERATORS)}")
        wanted, kind = _TAKES[self.op], self.value.__class__
        if kind is wanted and (kind is not float or self.value < 0 or self.value > 0):  # type: ignore[operator]
            return  # the usual case; NaN is rejected below, and minus zero becomes zero
        value = cell_value(self.value)
        if not isinstance(value, wanted):
            what = {float: "a number", str: "a category (text)"}.get(wanted, "no value")
            raise ProgramError(f"{self.feature!r} {self.op} takes {what}, not {self.value!r}")
        object.__setattr__(self, "value", value)

    def holds(self, cell: object) -> bool:
        """Return whether the test is true for a cell (Table 1 of the paper).

        Text never satisfies ``<=`` or ``>``, and a number always satisfies ``!=``. A missing cell is like a separate
        category: of all comparisons, only ``!=`` is true. If numbers are written in a notation, text in this notation
        is read as a number: a date in ISO 8601, or a level of an order.
        """
        value = self.reads(cell_value(cell))
        match self.op:
            case "<=":
                return isinstance(value, float) and value <= self.value  # type: ignore[operator]
            case ">":
                return isinstance(value, float) and value > self.value  # type: ignore[operator]
            case "==":
                return value == self.value
            case "!=":
                return value != self.value
            case "missing":
                return value is None
            case "present":
                return value is not None

    def reads(self, value: Value) -> Value:
        """Convert a value for this test: a test of dates reads the text of a date as a date; others leave it a text."""
        if isinstance(self.value, NotatedNumber):
            return value_in_notation(value, self.value.notation)
        return value_in_notation(value, None) if isinstance(value, NotatedNumber) else value

    def as_spoken(self) -> tuple[SpokenOperator, Value]:
        """Return the operator and the value as people say them: a flag above 0 is 1."""
        if isinstance(self.value, NotatedNumber) and self.value.notation == FLAG and not self.value:
            return "==", 1.0 if self.op == ">" else 0.0
        return self.as_short_bound()

    def as_short_bound(self) -> tuple[SpokenOperator, Value]:
        """Return the operator and the value, with a shorter neighbouring number if there is one.

        >>> Literal("age", "<=", 29.999999999999996).as_short_bound(), Literal("age", ">", 29.5).as_short_bound()
        (('<', 30.0), ('>', 29.5))
        """
        value = self.value
        notation = value.notation if isinstance(value, NotatedNumber) else None
        if not isinstance(value, float) or (notation is not None and notation.step):
            return self.op, value
        if isinf(value) or len(text := number_to_text(value)) <= _LONGER_DIGITS:
            return self.op, value
        above = nextafter(value, inf) + 0.0
        above = above if notation is None else notation.value(above)
        if len(number_to_text(above)) + _LONGER_DIGITS > len(text):
            return self.op, value
        return "<" if self.op == "<=" else ">=", above

    def implies(self, other: Literal) -> bool:
        """Return whether the other literal holds whenever this one holds."""
        if self.feature != other.feature or self == other:
            return self == other
        match self.op, other.op:
            case ("<=", "<="):
                return self.value <= other.value  # type: ignore[operator]
            case (">", ">"):
                return self.value >= other.value  # type: ignore[operator]
            case ("<=" | ">" | "missing", "!=") | ("<=" | ">" | "==", "present"):
                return True
            case ("==", "!="):
                return self.value != other.value
        return False

    def __str__(self) -> str:
        op, value = self.as_spoken()
        test = f"{quote_if_needed(self.feature)} {_SIGNS.get(op) or OPERATOR_WORDS[op]}"
        if value is None:
            return test
        return f"{test} {value:.0f}" if op == "==" and isinstance(value, float) else f"{test} {value_text(value)}"

    __repr__ = __str__


def value_text(value: Value) -> str:
    """Return a value as in rules: ``30``, ``'late'``, ``2020-08-01``; as a number if its notation cannot write it."""
    if not isinstance(value, float):
        return repr(value)
    if not isinstance(value, NotatedNumber) or value.notation.plain:
        return number_to_text(value)
    text = str(value)
    if value.notation.back(text) != value:
        return f"number {float(value)!r}"
    return quote_if_needed(text) if isinstance(value.notation, LevelNotation) else text
