"""What a record may become, one axis per feature: the cells between which the program tells values apart.

Cells are numbered, and a set of them is an integer with a bit per cell, so that a literal is a mask: intervals between
thresholds ascending, the categories that the program names by code point, any other category, missing.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import NamedTuple

from unless.errors import ParameterError
from unless.rule import Literal, Program
from unless.table import Table
from unless.values import Value, cell_value
from unless.values.notation import FLAG, WHOLE, LevelNotation, Notation

Interval = tuple[float, float]

_EVERYWHERE: tuple[Interval, ...] = ((-math.inf, math.inf),)


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """Numbers in closed intervals, categories, missing. A number that changes by ``scale`` has distance 1.

    ``notation`` is that of the numbers: a whole number becomes another whole number, and a date a date.
    """

    intervals: tuple[Interval, ...]
    categories: frozenset[str]
    missing: bool
    scale: float
    notation: Notation | None = None

    @property
    def step(self) -> float:
        """The distance between neighbouring values; 0 for numbers of any size."""
        return 0.0 if self.notation is None else self.notation.step

    def above(self, bound: float) -> float:
        """The least value above a bound."""
        above = math.nextafter(bound, math.inf)
        return max(self.at_most(bound) + self.step, above) if self.step else above

    def written(self, number: float) -> float:
        """A value that knows how it is written, or that it is a whole number."""
        if self.notation == WHOLE:
            return WHOLE.known(number)
        return number if self.notation is None else self.notation.value(number)

    def at_most(self, bound: float) -> float:
        """The largest value that is at most a bound."""
        return math.floor(bound / self.step) * self.step if self.step and math.isfinite(bound) else bound


_NOTHING = AllowedValues((), frozenset(), missing=False, scale=1.0)


def sum_in_order(distances: Iterable[float]) -> float:
    """The sum of distances, added one by one: from Python 3.12 on `sum` compensates, and the last bit decides ties."""
    return reduce(add, distances, 0.0)


class NearestValue(NamedTuple):
    """The nearest allowed value of a cell, its distance, and how to say it: "above" or "at most" a bound."""

    value: Value
    distance: float
    how: str = "is"
    bound: float | None = None


@dataclass(frozen=True)
class Axis:
    """The cells of one feature. The record's own value is in ``home``; a cell without an allowed value has no offer."""

    feature: str
    value: Value
    thresholds: tuple[float, ...]
    named: tuple[str, ...]
    allowed: AllowedValues

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.thresholds) + 1 + len(self.named) + 2

    @cached_property
    def home(self) -> int:
        """The cell of the record's own value."""
        match self.value:
            case float(number):
                return bisect_left(self.thresholds, number)
            case str(category) if category in self.named:
                return self._category(category)
            case str():
                return self.size - 2
            case _:
                return self.size - 1

    @cached_property
    def offers(self) -> tuple[NearestValue | None, ...]:
        """The value to take in each cell; None if no value is allowed there, and at home."""
        allowed = self.allowed
        numbers = [self._number(cell) for cell in range(len(self.thresholds) + 1)]
        named = [NearestValue(category, 1.0) if category in allowed.categories else None for category in self.named]
        others = sorted(allowed.categories - set(self.named))
        other = NearestValue(others[0], 1.0) if others else None
        missing = NearestValue(None, 1.0) if allowed.missing else None
        return tuple(None if k == self.home else o for k, o in enumerate([*numbers, *named, other, missing]))

    def distance(self, cell: int) -> float:
        """The distance of an allowed cell."""
        offer = self.offers[cell]
        return 0.0 if offer is None else offer.distance

    def steps(self, cell: int) -> int:
        """How many thresholds lie between the record's number and a cell: this breaks ties between equal distances.

        From infinity all distances are infinite, and from 1e300 the distances to 1 and to 3 are the same float.
        """
        return abs(cell - self.home) if max(cell, self.home) <= len(self.thresholds) else 0

    def further(self, offer: NearestValue) -> list[tuple[float, float]]:
        """The allowed cells beyond "above" or "at most" a bound, nearest first: where each begins, and its number."""
        if not isinstance(offer.value, float) or offer.how == "is":
            return []
        cell, numbers = bisect_left(self.thresholds, offer.value), (*self.thresholds, math.inf)
        up = offer.how == "above"
        cells = range(cell + 1, len(numbers)) if up else range(cell - 1, -1, -1)
        return [(numbers[k - up], numbers[k]) for k in cells if self.offers[k] is not None]

    @cached_property
    def free(self) -> bool:
        """Whether the feature may change at all."""
        return any(offer is not None for offer in self.offers)

    @cached_property
    def cells(self) -> int:
        """The set of cells that the record may be in, its own included."""
        return 1 << self.home | sum(1 << cell for cell, offer in enumerate(self.offers) if offer is not None)

    def mask(self, literal: Literal) -> int:
        """The set of cells where a literal holds."""
        everything, numbers = (1 << self.size) - 1, (1 << len(self.thresholds) + 1) - 1
        match literal.op, literal.value:
            case ("<=", float(bound)):
                return (2 << bisect_left(self.thresholds, bound)) - 1
            case (">", float(bound)):
                return numbers & ~((2 << bisect_left(self.thresholds, bound)) - 1)
            case ("==", str(category)):
                return 1 << self._category(category)
            case ("!=", str(category)):
                return everything & ~(1 << self._category(category))
            case ("missing", _):
                return 1 << self.size - 1
            case _:
                return everything >> 1

    def beyond(self, cell: int) -> int:
        """The set of cells that change at least as much as this one: those beyond it for numbers, else itself."""
        if not isinstance(self.value, float) or cell > len(self.thresholds):
            return 1 << cell
        numbers = (1 << len(self.thresholds) + 1) - 1
        return numbers & ~((1 << cell) - 1) if cell > self.home else (2 << cell) - 1

    def _category(self, category: str) -> int:
        return len(self.thresholds) + 1 + bisect_left(self.named, category)

    def _number(self, cell: int) -> NearestValue | None:
        """The offer of the interval between two thresholds: the nearest over all allowed intervals."""
        above = self.thresholds[cell - 1] if cell else None
        most = self.thresholds[cell] if cell < len(self.thresholds) else None
        offers = [self._within(above, most, *interval) for interval in self.allowed.intervals]
        return min((offer for offer in offers if offer is not None), key=lambda offer: offer.distance, default=None)

    def _within(self, above: float | None, most: float | None, low: float, high: float) -> NearestValue | None:
        allowed = self.allowed
        first = low if above is None else max(low, allowed.above(above))
        last = high if most is None else min(high, allowed.at_most(most))
        if first > last or (above is not None and first <= above):
            return None
        value = _nearest(self.value, first, last)
        if not math.isfinite(value):
            return None
        distance = abs(value - self.value) / allowed.scale if isinstance(self.value, float) else 1.0
        found = allowed.written(value)
        if allowed.notation == FLAG:
            return NearestValue(found, distance)
        falls = isinstance(self.value, float) and self.value > value  # of 8, "above 5" holds already
        if above is not None and not falls and value == allowed.above(above) and value > low:
            return NearestValue(found, distance, "above", above)
        if most is not None and (falls or above is None) and value == allowed.at_most(most):
            return NearestValue(found, distance, "at most", most)
        return NearestValue(found, distance)


def _nearest(value: Value, first: float, last: float) -> float:
    """The number of an interval nearest to the record's; if the record has no number, a finite end or zero."""
    if isinstance(value, float):
        return min(max(value, first), last)
    return next((end for end in (last, first) if math.isfinite(end)), min(max(0.0, first), last))


def axes_of(
    program: Program,
    values: Mapping[str, Value],
    fixed: Collection[str],
    ranges: Mapping[str, object],
    table: Table | None,
) -> tuple[Axis, ...]:
    """The axes of the features that the program uses; no other change can matter."""
    tested: dict[str, set[Value]] = {feature: set() for feature in program.used}
    for rule in program.rules:
        for literal in rule.literals():
            tested[literal.feature].add(literal.value)
    axes = []
    for feature, wanted in tested.items():
        thresholds = tuple(sorted(value for value in wanted if isinstance(value, float)))
        named = tuple(sorted(value for value in wanted if isinstance(value, str)))
        numeric = bool(thresholds) or isinstance(values[feature], float)
        allowed = _NOTHING if feature in fixed else allowed_values(feature, ranges, table, named, numeric=numeric)
        if allowed.notation is None and feature in program.notations:
            notation = program.notations[feature]
            open_end = allowed.intervals == _EVERYWHERE
            allowed = replace(
                allowed, notation=notation, intervals=_notation_intervals(notation) if open_end else allowed.intervals
            )
        axes.append(Axis(feature, values[feature], thresholds, named, allowed))
    return tuple(axes)


# What a feature may become: what the caller allows, else what the training data had, else what the program names.


def allowed_values(
    feature: str, ranges: Mapping[str, object], table: Table | None, named: Iterable[str], *, numeric: bool
) -> AllowedValues:
    """What a feature may become; ``named`` are the categories that the program names, ``numeric`` allows numbers."""
    column = table.column(feature) if table is not None and feature in table.features else None
    notation = None if column is None else column.notation
    seen = () if column is None else tuple(column.numbers[[0, -1]].tolist()) if len(column.numbers) else ()
    if feature in ranges:
        intervals, categories, missing = _parse_range(feature, ranges[feature])
        ends = [end for interval in intervals for end in interval]
        return AllowedValues(intervals, categories, missing, _width(ends) or _width(seen) or 1.0, notation)
    if column is None:
        return AllowedValues(_EVERYWHERE if numeric else (), frozenset(named), missing=False, scale=1.0)
    scale = _width(seen) or 1.0
    everywhere = _notation_intervals(notation) if seen else ()
    return AllowedValues(everywhere, frozenset(column.categories), missing=False, scale=scale, notation=notation)


def _notation_intervals(notation: Notation | None) -> tuple[Interval, ...]:
    """All values that a feature can have: flags are 0 or 1, and an order ends with its last level."""
    if isinstance(notation, LevelNotation):
        return ((0.0, len(notation.levels) - 1.0),)
    return ((0.0, 1.0),) if notation == FLAG else _EVERYWHERE


def _parse_range(feature: str, given: object) -> tuple[tuple[Interval, ...], frozenset[str], bool]:
    """The intervals, the categories, and whether the value may be missing."""
    if _is_pair(given):
        return (_interval(feature, given),), frozenset(), False
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Collection):
        raise ParameterError(f"the range of {feature!r} is {given!r}; it takes (low, high) or a list of categories")
    pairs = tuple(_interval(feature, item) for item in given if _is_pair(item))
    values: set[Value] = {cell_value(item) for item in given if not _is_pair(item)}
    numbers = sorted(value for value in values if isinstance(value, float))
    categories = frozenset(value for value in values if isinstance(value, str))
    return (*pairs, *((number, number) for number in numbers)), categories, None in values


def _is_pair(given: object) -> bool:
    """Whether this is (low, high): a tuple of two, each a number or None."""
    return isinstance(given, tuple) and len(given) == 2 and not any(isinstance(cell_value(end), str) for end in given)


def _interval(feature: str, given: object) -> Interval:
    low, high = (cell_value(end) for end in given)  # type: ignore[attr-defined]  # a pair
    ends = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    if ends[0] > ends[1]:
        raise ParameterError(f"the range of {feature!r} is {given!r}, from high to low; it takes (low, high)")
    return ends


def _width(ends: Collection[float]) -> float:
    """The distance between the lowest and the highest end; 0 if it is infinite or there are no ends."""
    width = max(ends) - min(ends) if ends else 0.0
    return width if math.isfinite(width) else 0.0
