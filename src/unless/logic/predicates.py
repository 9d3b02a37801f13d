"""The predicates of features, and clingo's integers for their numbers.

A feature has one predicate for numbers and one for text, because each engine orders numbers and text in its own way. A
missing cell has no fact.

Integers of clingo have 32 bits and wrap silently. A number is compared only with the thresholds of its feature, so any
code that keeps these comparisons will do: the number times a power of ten, rounded up, or, where that does not fit, its
place among the thresholds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

from unless.logic.names import new_name
from unless.rule import Literal, Program

HIGHEST = 2**31 - 1
MOST_DECIMALS = 9

_EXACT = Context(prec=50)
"""More digits than any float has; the caller's own context might round."""


@dataclass(frozen=True, slots=True)
class Decimals:
    """Numbers times a power of ten, rounded up.

    For a threshold t with at most ``places`` decimals, ``x <= t`` exactly if ``code(x) <= code(t)``.
    """

    places: int

    def code(self, number: float) -> int:
        """The integer for a number; beyond 32 bits the largest one, which is beyond every threshold."""
        scaled = Decimal(repr(number)).scaleb(self.places, _EXACT)
        if scaled.copy_abs() >= HIGHEST:
            return HIGHEST if scaled > 0 else -HIGHEST
        return int(scaled.to_integral_value(ROUND_CEILING))

    def threshold(self, code: int) -> float | None:
        """The threshold for an integer; None if it is too close to the ends of 32 bits."""
        return float(Decimal(code).scaleb(-self.places, _EXACT)) if abs(code) < HIGHEST - 1 else None


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places among ascending thresholds: the code of a number is how many thresholds lie below it."""

    thresholds: tuple[float, ...]

    def code(self, number: float) -> int:
        """How many thresholds lie below the number."""
        return bisect_left(self.thresholds, number)

    def threshold(self, code: int) -> float | None:
        """The threshold at a place; None if there is none."""
        return self.thresholds[code] if 0 <= code < len(self.thresholds) else None


Scale = Decimals | Ranks
WHOLE = Decimals(0)


def scale_of(thresholds: Iterable[float]) -> Scale:
    """As many decimals as the thresholds have if all of them then fit 32 bits, otherwise ranks.

    >>> scale_of([3.4, 20.0]), scale_of([1e300, 0.5])
    (Decimals(places=1), Ranks(thresholds=(0.5, 1e+300)))
    """
    distinct = sorted(set(thresholds))
    exact = [Decimal(repr(threshold)).normalize(_EXACT) for threshold in distinct]
    if not all(number.is_finite() for number in exact):
        return Ranks(tuple(distinct))
    places = max([0, *(-int(number.as_tuple().exponent) for number in exact)])
    if places > MOST_DECIMALS or any(number.scaleb(places, _EXACT).copy_abs() >= HIGHEST - 1 for number in exact):
        return Ranks(tuple(distinct))
    return Decimals(places)


@dataclass(frozen=True, slots=True)
class Feature:
    """The predicates of a feature, None for those that the program does not need.

    ``number`` and ``text`` hold the cells of either kind, ``present`` is true of a record that has a cell. ``scale``
    turns its numbers, if it has any, into integers.
    """

    name: str
    number: str | None = None
    text: str | None = None
    present: str | None = None
    scale: Scale = WHOLE

    @property
    def cells(self) -> list[str]:
        """The predicates that hold cells."""
        return [name for name in (self.number, self.text) if name]


def predicates(program: Program, taken: set[str]) -> dict[str, Feature]:
    """The predicates that each feature of a program needs; their names are added to those that are taken."""
    literals: dict[str, list[Literal]] = {name: [] for name in program.features}
    for rule in program.rules:
        for literal in rule.literals():
            literals[literal.feature].append(literal)
    return {name: _feature(name, tests, taken) for name, tests in literals.items()}


def _feature(name: str, literals: list[Literal], taken: set[str]) -> Feature:
    if not literals:
        return Feature(name)
    thresholds = [literal.value for literal in literals if isinstance(literal.value, float)]
    presence = any(literal.value is None for literal in literals)
    texts = presence or any(isinstance(literal.value, str) for literal in literals)
    number = new_name(name, taken) if thresholds or presence else None
    text = new_name(f"{name} text" if number else name, taken) if texts else None
    present = new_name(f"{name} present", taken) if presence else None
    return Feature(name, number, text, present, scale_of(thresholds))
