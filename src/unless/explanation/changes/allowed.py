"""What a feature may become: what the caller allows, else what the training data had, else what the program names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from unless.errors import ParameterError
from unless.table import Table
from unless.values import Value, value_of

Interval = tuple[float, float]

_EVERYWHERE: tuple[Interval, ...] = ((-math.inf, math.inf),)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Numbers in closed intervals, categories, missing. A number that changes by ``scale`` has distance 1."""

    intervals: tuple[Interval, ...]
    categories: frozenset[str]
    missing: bool
    scale: float


def allowed_values(
    feature: str, ranges: Mapping[str, object], table: Table | None, named: Iterable[str], *, numeric: bool
) -> Allowed:
    """What a feature may become; ``named`` are the categories that the program names, ``numeric`` allows numbers."""
    column = table.column(feature) if table is not None and feature in table.features else None
    seen = () if column is None else tuple(column.numbers[[0, -1]].tolist()) if len(column.numbers) else ()
    if feature in ranges:
        intervals, categories, missing = _parse(feature, ranges[feature])
        ends = [end for interval in intervals for end in interval]
        return Allowed(intervals, categories, missing, _width(ends) or _width(seen) or 1.0)
    if column is None:
        return Allowed(_EVERYWHERE if numeric else (), frozenset(named), missing=False, scale=1.0)
    return Allowed(_EVERYWHERE if seen else (), frozenset(column.categories), missing=False, scale=_width(seen) or 1.0)


def _parse(feature: str, given: object) -> tuple[tuple[Interval, ...], frozenset[str], bool]:
    """The intervals, the categories, and whether the value may be missing."""
    if _is_pair(given):
        return (_interval(feature, given),), frozenset(), False
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Collection):
        raise ParameterError(f"the range of {feature!r} is {given!r}; it takes (low, high) or a list of categories")
    pairs = tuple(_interval(feature, item) for item in given if _is_pair(item))
    values: set[Value] = {value_of(item) for item in given if not _is_pair(item)}
    numbers = sorted(value for value in values if isinstance(value, float))
    categories = frozenset(value for value in values if isinstance(value, str))
    return (*pairs, *((number, number) for number in numbers)), categories, None in values


def _is_pair(given: object) -> bool:
    """Whether this is (low, high): a tuple of two, each a number or None."""
    return isinstance(given, tuple) and len(given) == 2 and not any(isinstance(value_of(end), str) for end in given)


def _interval(feature: str, given: object) -> Interval:
    low, high = (value_of(end) for end in given)  # type: ignore[attr-defined]  # a pair
    ends = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    if ends[0] > ends[1]:
        raise ParameterError(f"the range of {feature!r} is {given!r}, from high to low; it takes (low, high)")
    return ends


def _width(ends: Collection[float]) -> float:
    """The distance between the lowest and the highest end; 0 if it is infinite or there are no ends."""
    width = max(ends) - min(ends) if ends else 0.0
    return width if math.isfinite(width) else 0.0
