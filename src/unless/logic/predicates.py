"""Choose the predicates of features, and the integers for their numbers in clingo.

A feature has one predicate for numbers and one for text, because each engine orders numbers and text in its own way. A
missing cell has no fact.

Where the engine can compare texts, dates and times are texts that sort like the numbers they stand for, as in
``when(1,"2020-08-02")``. The levels of an order are texts too, and a separate predicate gives the position of each:
``size_level("M",1)``.

Integers of clingo have 32 bits and overflow. A number is compared only with the thresholds of its feature, so any
code that preserves these comparisons will do: the number times a power of ten, rounded up, or, if the product does not
fit, the rank of the number among the thresholds.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

from unless.logic.engine_names import new_name
from unless.rule import Literal, Program
from unless.values.notation import DATE, DURATION, INSTANT, LevelNotation, Notation  # noqa: F401 - DATE and INSTANT are for the examples

HIGHEST = 2**31 - 1
MOST_DECIMALS = 9
SECONDS = -6
"""The number of decimals used to write microseconds in seconds."""

_EXACT = Context(prec=50)
"""More digits than any float has; the context of the caller might round."""


@dataclass(frozen=True, slots=True)
class Decimals:
    """Numbers times a power of ten, rounded up; negative decimals drop digits before the point.

    For a threshold t with at most ``places`` decimals, ``x <= t`` exactly if ``code(x) <= code(t)``.
    """

    places: int

    def code(self, number: float) -> int:
        """Return the integer for a number; beyond 32 bits the largest integer, which is beyond every threshold."""
        scaled = Decimal(repr(float(number))).scaleb(self.places, _EXACT)
        if scaled.copy_abs() >= HIGHEST:
            return HIGHEST if scaled > 0 else -HIGHEST
        return int(scaled.to_integral_value(ROUND_CEILING))

    def threshold(self, code: int) -> float | None:
        """Return the threshold for an integer; None if it is too close to the ends of 32 bits."""
        return float(Decimal(code).scaleb(-self.places, _EXACT)) if abs(code) < HIGHEST - 1 else None


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks among ascending thresholds: the code of a number is the number of thresholds below it."""

    thresholds: tuple[float, ...]

    def code(self, number: float) -> int:
        """Count the thresholds below the number."""
        return bisect_left(self.thresholds, number)

    def threshold(self, code: int) -> float | None:
        """Return the threshold with a rank; None if none exists."""
        return self.thresholds[code] if 0 <= code < len(self.thresholds) else None


Scale = Decimals | Ranks
WHOLE = Decimals(0)


def choose_scale(thresholds: Iterable[float], fewest: int = 0) -> Scale:
    """Choose as many decimals as the thresholds have, at least ``fewest``, or ranks if 32 bits are not enough.

    >>> choose_scale([3.4, 20.0]), choose_scale([1e300, 0.5]), choose_scale([7.2e9, 9e7], SECONDS)
    (Decimals(places=1), Ranks(thresholds=(0.5, 1e+300)), Decimals(places=-6))
    """
    distinct = sorted(set(map(float, thresholds)))
    exact = [Decimal(repr(threshold)).normalize(_EXACT) for threshold in distinct]
    if not all(number.is_finite() for number in exact):
        return Ranks(tuple(distinct))
    places = max([fewest, *(-int(number.as_tuple().exponent) for number in exact)])
    if places > MOST_DECIMALS or any(number.scaleb(places, _EXACT).copy_abs() >= HIGHEST - 1 for number in exact):
        return Ranks(tuple(distinct))
    return Decimals(places)


@dataclass(frozen=True, slots=True)
class Feature:
    """The predicates of a feature; None for those that the program does not need.

    ``number`` and ``text`` hold the cells of either kind, ``present`` is true of a record that has a cell, ``level``
    gives the position of each level of an order. ``scale`` turns its numbers, if it has any, into integers, unless they
    are ``spelled``: then they are texts of their ``notation``, in the same order.
    """

    name: str
    number: str | None = None
    text: str | None = None
    present: str | None = None
    scale: Scale = WHOLE
    notation: Notation | None = None
    level: str | None = None
    spelled: bool = False

    @property
    def cells(self) -> list[str]:
        """The predicates that hold cells."""
        return [name for name in (self.number, self.text) if name]

    @property
    def binary(self) -> list[str]:
        """The predicates with two arguments."""
        return [*self.cells, self.level] if self.level else self.cells

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels whose positions ``level`` gives."""
        return self.notation.levels if self.level and isinstance(self.notation, LevelNotation) else ()

    def in_notation(self, number: float) -> float:
        """Return a threshold with the notation of the feature."""
        return number if self.notation is None else self.notation.value(number)


def sorted_text(notation: Notation, number: float) -> str:
    """Write a moment or a time as text that sorts like the number.

    The text omits Z, which sorts after all digits, and is rounded up to compare with whole thresholds like the number.

    >>> sorted_text(DATE, 0.0), sorted_text(INSTANT, 1.5)
    ('1970-01-01', '1970-01-01 00:00:00.000002')
    """
    whole = math.ceil(number) if math.isfinite(number) else number
    return notation.text(whole).removesuffix("Z")


def sorted_number(notation: Notation, text: str) -> float | None:
    """Read the number from a text that `sorted_text` wrote; return None for other texts."""
    number = notation.back(text)
    return number if number is not None and sorted_text(notation, number) == text else None


def name_predicates(program: Program, taken: set[str], *, texts: bool = True) -> dict[str, Feature]:
    """Choose the predicates that each feature of a program needs, and add their names to ``taken``.

    Without ``texts``, the engine cannot compare texts, and ordered values are numbers.
    """
    literals, notations = program.literals_by_feature(), program.notations
    return {
        name: _feature(name, literals.get(name, []), notations.get(name), taken, texts) for name in program.features
    }


def _feature(name: str, literals: list[Literal], notation: Notation | None, taken: set[str], texts: bool) -> Feature:  # noqa: FBT001 - passed on
    if not literals:
        return Feature(name)
    thresholds = [literal.value for literal in literals if isinstance(literal.value, float)]
    presence = any(literal.value is None for literal in literals)
    categories = presence or any(isinstance(literal.value, str) for literal in literals)
    number = new_name(name, taken) if thresholds or presence else None
    text = new_name(f"{name} text" if number else name, taken) if categories else None
    present = new_name(f"{name} present", taken) if presence else None
    level = new_name(f"{name} level", taken) if texts and isinstance(notation, LevelNotation) else None
    spelled = (
        texts
        and notation is not None
        and notation.sortable
        and all(_has_exact_text(notation, one) for one in thresholds)
    )
    scale = choose_scale(thresholds, SECONDS if notation == DURATION else 0)
    return Feature(name, number, text, present, scale, notation, level, spelled)


def _has_exact_text(notation: Notation, threshold: float) -> bool:
    """Whether a text writes a threshold exactly; a threshold beyond the years 1 to 9999 has no such text."""
    return math.isfinite(threshold) and sorted_number(notation, sorted_text(notation, threshold)) == threshold
