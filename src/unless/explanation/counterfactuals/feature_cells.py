"""Find the values that a feature may take in each of the cells that a program distinguishes (`rule.cells`)."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import NamedTuple

from unless.errors import ParameterError
from unless.rule import Program
from unless.rule.cells import FeatureCells, divide_features
from unless.table import Table
from unless.values import Value, cell_value
from unless.values.notation import FLAG, WHOLE, LevelNotation, Notation

Interval = tuple[float, float]

Step = tuple[int, int]
"""The index of an axis, and the cell to move to."""

_EVERYWHERE: tuple[Interval, ...] = ((-math.inf, math.inf),)


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """The values that a feature may take: numbers in closed intervals, categories, missing.

    A number that changes by ``scale`` has distance 1. ``notation`` is the notation of the numbers: a whole number
    changes to another whole number, and a date to another date.
    """

    intervals: tuple[Interval, ...] = ()
    categories: frozenset[str] = frozenset()
    missing: bool = False
    scale: float = 1.0
    notation: Notation | None = None
    codes: frozenset[float] = frozenset()
    """The numbers that are special codes, and therefore not offered as numbers."""

    @property
    def step(self) -> float:
        """The distance between neighbouring values; 0 if any number is possible."""
        return 0.0 if self.notation is None else self.notation.step

    def above(self, bound: float) -> float:
        """Return the least value above a bound."""
        above = math.nextafter(bound, math.inf)
        return max(self.at_most(bound) + self.step, above) if self.step else above

    def below(self, bound: float) -> float:
        """Return the largest value below a value."""
        return bound - self.step if self.step else math.nextafter(bound, -math.inf)

    def at_most(self, bound: float) -> float:
        """Return the largest value that is at most a bound."""
        return math.floor(bound / self.step) * self.step if self.step and math.isfinite(bound) else bound

    def with_notation(self, number: float) -> float:
        """Return the number with the notation of the feature, such as the notation of dates."""
        if self.notation == WHOLE:
            return WHOLE.known(number)
        return number if self.notation is None else self.notation.value(number)


def sum_in_order(distances: Iterable[float]) -> float:
    """Add distances one by one: from Python 3.12 on `sum` compensates for rounding, and the last bit decides ties."""
    return reduce(add, distances, 0.0)


class NearestValue(NamedTuple):
    """The nearest allowed value of a cell, its distance, and its description: "above" or "at most" a bound."""

    value: Value
    distance: float
    how: str = "is"
    bound: float | None = None


@dataclass(frozen=True)
class Axis(FeatureCells):
    """The cells of one feature, with the record's own value and the allowed values."""

    value: Value
    allowed: AllowedValues

    @cached_property
    def own_cell(self) -> int:
        """The cell of the record's own value."""
        match self.value:
            case float(number):
                return bisect_left(self.thresholds, number)
            case str(category) if category in self.named:
                return self.category_cell(category)
            case str():
                return self.size - 2
            case _:
                return self.size - 1

    @cached_property
    def nearest(self) -> tuple[NearestValue | None, ...]:
        """The value to take in each cell; None for the record's own cell and where no value is allowed."""
        allowed = self.allowed
        numbers = [self._nearest_number(cell) for cell in range(len(self.thresholds) + 1)]
        named = [NearestValue(one, 1.0) if one in allowed.categories else None for one in self.named]
        others = sorted(allowed.categories - set(self.named))
        other = NearestValue(others[0], 1.0) if others else None
        missing = NearestValue(None, 1.0) if allowed.missing else None
        cells = [*numbers, *named, other, missing]
        cells[self.own_cell] = None
        return tuple(cells)

    def distance(self, cell: int) -> float:
        """Return the distance of an allowed cell."""
        found = self.nearest[cell]
        return 0.0 if found is None else found.distance

    def thresholds_crossed(self, cell: int) -> int:
        """Count the thresholds between the record's number and a cell, which breaks ties between equal distances.

        For example, all distances from infinity are infinite, and the distances from 1e300 to 1 and to 3 are the same
        float.
        """
        return abs(cell - self.own_cell) if max(cell, self.own_cell) <= len(self.thresholds) else 0

    def further(self, near: NearestValue) -> list[tuple[float, float]]:
        """List the allowed cells beyond "above" or "at most" a bound, nearest first: the start of each and a number."""
        if not isinstance(near.value, float) or near.how == "is":
            return []
        cell, numbers = bisect_left(self.thresholds, near.value), (*self.thresholds, math.inf)
        up = near.how == "above"
        cells = range(cell + 1, len(numbers)) if up else range(cell - 1, -1, -1)
        return [(numbers[k - up], numbers[k]) for k in cells if self.nearest[k] is not None]

    @cached_property
    def can_change(self) -> bool:
        """Whether the feature may change at all."""
        return any(value is not None for value in self.nearest)

    @cached_property
    def cells(self) -> int:
        """The set of cells that the record may be in, including its own."""
        return 1 << self.own_cell | sum(1 << cell for cell, value in enumerate(self.nearest) if value is not None)

    def beyond(self, cell: int) -> int:
        """Return the cells that change at least as much: for numbers the cells from this one on, else this one."""
        if not isinstance(self.value, float) or cell > len(self.thresholds):
            return 1 << cell
        numbers = (1 << len(self.thresholds) + 1) - 1
        return numbers & ~((1 << cell) - 1) if cell > self.own_cell else (2 << cell) - 1

    def _nearest_number(self, cell: int) -> NearestValue | None:
        """Find the nearest number between two thresholds, over all allowed intervals."""
        above = self.thresholds[cell - 1] if cell else None
        most = self.thresholds[cell] if cell < len(self.thresholds) else None
        found = [self._nearest_within(above, most, *interval) for interval in self.allowed.intervals]
        return min((one for one in found if one is not None), key=lambda one: one.distance, default=None)

    def _nearest_within(self, above: float | None, most: float | None, low: float, high: float) -> NearestValue | None:
        """Find the nearest number above one threshold and at most another, in one allowed interval."""
        allowed = self.allowed
        first = low if above is None else max(low, allowed.above(above))
        last = high if most is None else min(high, allowed.at_most(most))
        if first > last or (above is not None and first <= above):
            return None
        value = _clip_to_interval(self.value, first, last)
        while value in allowed.codes and first <= last:  # the next number beside a special code
            up = not isinstance(self.value, float) or self.value <= value
            first, last = (allowed.above(value), last) if up else (first, allowed.below(value))
            value = _clip_to_interval(self.value, first, last)
        if not math.isfinite(value) or first > last:
            return None
        distance = abs(value - self.value) / allowed.scale if isinstance(self.value, float) else 1.0
        number = allowed.with_notation(value)
        if allowed.notation == FLAG:
            return NearestValue(number, distance)
        falls = isinstance(self.value, float) and self.value > value  # of 8, "above 5" holds already
        if above is not None and not falls and value == allowed.above(above) and value > low:
            return NearestValue(number, distance, "above", above)
        if most is not None and (falls or above is None) and value == allowed.at_most(most):
            return NearestValue(number, distance, "at most", most)
        return NearestValue(number, distance)


def _clip_to_interval(value: Value, first: float, last: float) -> float:
    """Return the number in an interval nearest to the record's; without such a number, a finite end or zero."""
    if isinstance(value, float):
        return min(max(value, first), last)
    return next((end for end in (last, first) if math.isfinite(end)), min(max(0.0, first), last))


def make_axes(
    program: Program,
    values: Mapping[str, Value],
    fixed: Collection[str],
    ranges: Mapping[str, object],
    table: Table | None,
) -> tuple[Axis, ...]:
    """Return the axes of the features that the program uses; no other change can matter."""
    axes = []
    for one in divide_features(program):
        feature, value = one.feature, values[one.feature]
        numeric = bool(one.thresholds) or isinstance(value, float)
        allowed = AllowedValues()
        if feature not in fixed:
            allowed = find_allowed_values(feature, ranges, table, one.named, numeric=numeric)
        notation = program.notations.get(feature)
        if allowed.notation is None and notation is not None:
            whole_line = allowed.intervals == _EVERYWHERE
            intervals = _notation_intervals(notation) if whole_line else allowed.intervals
            allowed = replace(allowed, notation=notation, intervals=intervals)
        axes.append(Axis(feature, one.thresholds, one.named, value, allowed))
    return tuple(axes)


# Allowed values: those given by the caller, else those of the training data, else those named in the program.


def find_allowed_values(
    feature: str, ranges: Mapping[str, object], table: Table | None, named: Iterable[str], *, numeric: bool
) -> AllowedValues:
    """Return the values that a feature may take; ``named`` are the program's categories, ``numeric`` allows numbers.

    A special code, such as "no inquiry", says why there is no number: like missing, it is offered only if given.
    """
    column = table.column(feature) if table is not None and feature in table.features else None
    notation = None if column is None else column.notation
    seen = () if column is None else tuple(column.numbers[[0, -1]].tolist()) if len(column.numbers) else ()
    codes = frozenset(code for code, _ in (() if column is None else column.special))
    if feature in ranges:
        intervals, categories, missing = _parse_range(feature, ranges[feature])
        ends = [end for interval in intervals for end in interval]
        scale = _range_width(ends) or _range_width(seen) or 1.0
        return AllowedValues(intervals, categories, missing, scale, notation, codes)
    if column is None:
        return AllowedValues(_EVERYWHERE if numeric else (), frozenset(named))
    intervals = _notation_intervals(notation) if seen else ()
    categories = frozenset(column.categories).difference(name for _, name in column.special)
    return AllowedValues(intervals, categories, scale=_range_width(seen) or 1.0, notation=notation, codes=codes)


def _notation_intervals(notation: Notation | None) -> tuple[Interval, ...]:
    """Return the intervals that a notation can express: flags are 0 or 1, and an order ends with its last level."""
    if isinstance(notation, LevelNotation):
        return ((0.0, len(notation.levels) - 1.0),)
    return ((0.0, 1.0),) if notation == FLAG else _EVERYWHERE


def _parse_range(feature: str, given: object) -> tuple[tuple[Interval, ...], frozenset[str], bool]:
    """Parse a range into its intervals, its categories, and whether the value may be missing."""
    if _is_pair(given):
        return (_to_interval(feature, given),), frozenset(), False
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Collection):
        raise ParameterError(f"the range of {feature!r} is {given!r}; it takes (low, high) or a list of categories")
    pairs = tuple(_to_interval(feature, item) for item in given if _is_pair(item))
    values: set[Value] = {cell_value(item) for item in given if not _is_pair(item)}
    numbers = sorted(value for value in values if isinstance(value, float))
    categories = frozenset(value for value in values if isinstance(value, str))
    return (*pairs, *((number, number) for number in numbers)), categories, None in values


def _is_pair(given: object) -> bool:
    """Return whether a value is (low, high): a tuple of two, each a number or None."""
    return isinstance(given, tuple) and len(given) == 2 and not any(isinstance(cell_value(end), str) for end in given)


def _to_interval(feature: str, given: object) -> Interval:
    low, high = (cell_value(end) for end in given)  # type: ignore[attr-defined]  # a pair
    ends = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    if ends[0] > ends[1]:
        raise ParameterError(f"the range of {feature!r} is {given!r}, from high to low; write (low, high)")
    return ends


def _range_width(ends: Collection[float]) -> float:
    """Return the distance between the lowest and the highest end; 0 if it is infinite or there are no ends."""
    width = max(ends) - min(ends) if ends else 0.0
    return width if math.isfinite(width) else 0.0
