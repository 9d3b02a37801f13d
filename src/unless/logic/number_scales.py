"""Choose the integers that clingo uses for the numbers of relations, exactly.

Numbers that are joined or compared have the same scale: numbers times a power of ten if 32 bits hold the products,
otherwise ranks among all numbers of these arguments, which preserve every comparison. Sums and means need the first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.logic.predicates import HIGHEST
from unless.relational import NUMBER, Definition, World
from unless.relational.evaluation import bindings, decimal_places, distinct
from unless.relational.goal_order import number_variables
from unless.relational.world import Signature

Position = tuple[Signature, int]

_MOST_PARTS = 1000
"""Means and shares are exact for individuals with up to this number of parts, even if B has fewer."""


@dataclass(frozen=True)
class Scale:
    """Numbers times ten to the power of ``places``; or, without ``places``, ranks among all ``values``."""

    places: int | None
    values: tuple[float, ...] = ()

    def codes(self, cells: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the integers for some numbers in facts."""
        if self.places is None:
            return np.searchsorted(np.array(self.values), cells)
        return np.rint(cells * 10.0**self.places).astype(np.int64)

    def code(self, number: float) -> int | None:
        """Return the integer for a number; None if no fact can have it."""
        if self.places is None:
            place = bisect_left(self.values, number)
            return place if place < len(self.values) and self.values[place] == number else None
        scaled = _decimal(number) * 10**self.places
        return int(scaled) if scaled.denominator == 1 and abs(scaled) <= HIGHEST else None

    def compared(self, op: str, number: float) -> tuple[str, int]:
        """Translate a comparison of numbers, ``op`` and a number, into a comparison of integers."""
        if self.places is None:
            low, high = bisect_left(self.values, number), bisect_right(self.values, number)
        else:
            scaled = _decimal(number) * 10**self.places
            low, high = -floor(-scaled), floor(scaled) + 1  # the first integers at or above the number, and above it
        op, code = {"<": ("<", low), "<=": ("<", high), ">": (">=", high), ">=": (">=", low)}[op]
        return op, max(-HIGHEST, min(HIGHEST, code))


WHOLE = Scale(0)


def _decimal(number: float) -> Fraction:
    """Return the decimal that a number is usually written as: 0.1 is a tenth."""
    if not np.isfinite(number):
        return Fraction(10**40 if number > 0 else -(10**40))
    return Fraction(Decimal(repr(float(number))))


class Scales:
    """The scale of every numeric argument, for some definitions and, if given, the facts of a world."""

    def __init__(self, definitions: Iterable[Definition], world: World | None) -> None:
        self.world = world
        self.types = {} if world is None else {one: relation.types for one, relation in world.relations.items()}
        self._group: dict[Position, Position] = {}
        added: set[Position] = set()
        for one in definitions:
            self._join(one)
            if one.how in ("mean", "sum"):
                added.update(self._positions(one, one.value))
        groups: dict[Position, list[Position]] = {}
        for position in self._group:
            groups.setdefault(self._find(position), []).append(position)
        exact = {self._find(one) for one in added}
        self._scales = {first: self._scale(members, exact=first in exact) for first, members in groups.items()}

    def of(self, position: Position) -> Scale:
        """Return the scale of an argument."""
        if position in self._group:
            return self._scales[self._find(position)]
        return self._scale([position], exact=False)

    def of_variable(self, definition: Definition, variable: int | None) -> Scale:
        """Return the scale of a variable."""
        return next((self.of(one) for one in self._positions(definition, variable)), WHOLE)

    def _positions(self, definition: Definition, variable: int | None) -> list[Position]:
        return [
            ((goal.name, len(goal.arguments)), place)
            for goal in definition.goals
            if not goal.compares
            for place, one in enumerate(goal.arguments)
            if variable is not None and one == variable and isinstance(one, int)
        ]

    def _join(self, definition: Definition) -> None:
        """Give one scale to arguments that a variable or a comparison connects."""
        numbers = number_variables(definition, self.types)
        for variable in numbers:
            self._unite(self._positions(definition, variable))
        for goal in definition.goals:
            if goal.compares and numbers.issuperset(goal.variables):
                self._unite([one for variable in goal.variables for one in self._positions(definition, variable)])

    def _unite(self, positions: list[Position]) -> None:
        for one in positions:
            self._group.setdefault(one, one)
            self._group[self._find(one)] = self._find(positions[0])

    def _find(self, one: Position) -> Position:
        while self._group[one] != one:
            one = self._group[one]
        return one

    def _scale(self, members: list[Position], *, exact: bool) -> Scale:
        if self.world is None:
            return WHOLE
        columns = [self._cells(one) for one in members]
        cells = np.unique(np.concatenate(columns)) if columns else np.empty(0)
        places = decimal_places(cells)
        if places is not None and np.abs(cells).max(initial=0) * 10.0**places < HIGHEST:
            return Scale(places)
        if exact:
            (name, arity), place = members[0]
            raise ProgramError(
                f"clingo's 32 bits do not hold the numbers of {name}/{arity}, argument {place + 1}, and the rules "
                "use their sum or mean; scale them, or run the rules in Prolog or SQL"
            )
        return Scale(None, tuple(cells.tolist()))

    def _cells(self, one: Position) -> NDArray[np.float64]:
        relation = None if self.world is None else self.world.relations.get(one[0])
        if relation is None or relation.types[one[1]] != NUMBER:
            return np.empty(0)
        cells: NDArray[np.float64] = relation.columns[one[1]]
        return cells[~np.isnan(cells)]


def most_parts(world: World | None, definition: Definition) -> int:
    """Return the maximum number of parts in a mean or a share of one individual, with room for more in other data."""
    if world is None:
        return _MOST_PARTS
    goals = definition.goals[: definition.among] if definition.how == "share" else definition.goals
    found = distinct(bindings(world, goals), definition.over)
    return max(_MOST_PARTS, int(np.bincount(found.owner, minlength=1).max(initial=0)))


def check_sum(world: World | None, definition: Definition, scale: Scale, factor: int = 1) -> None:
    """Reject sums that, multiplied by a factor, would overflow clingo's 32 bits."""
    if world is None or definition.value is None:
        return
    found = distinct(bindings(world, definition.goals), definition.over)
    if not len(found):
        return
    sums = np.bincount(found.owner, np.abs(found.columns[definition.value]))
    if sums.max() * 10.0 ** (scale.places or 0) * factor >= HIGHEST:
        raise ProgramError(f"clingo's 32 bits do not hold the sums of: {definition}; run the rules in Prolog or SQL")


def quotient_at_most(limit: float, unit: int, parts: int) -> Fraction:
    """Find the greatest quotient of whole numbers that, in units, is at most a limit; divisors are at most ``parts``.

    For whole numbers s and c, ``s / (c * unit) <= limit`` as floats exactly if ``s / c <= quotient``.

    >>> quotient_at_most(0.2, 10, 1000), quotient_at_most(1 / 3, 1, 1000)
    (Fraction(2, 1), Fraction(1, 3))
    """
    if not np.isfinite(limit):
        return Fraction(HIGHEST if limit > 0 else -HIGHEST)
    whole = floor(Fraction(limit) * unit)
    whole += _holds(Fraction(whole + 1), unit, limit)
    low, high = (whole, 1), (whole + 1, 1)  # low holds, high does not
    while low[1] + high[1] <= parts:  # search the Stern-Brocot tree, many steps of one kind at a time
        if steps := _steps(low, high, unit, limit, parts, holds=True):
            low = low[0] + steps * high[0], low[1] + steps * high[1]
        elif steps := _steps(high, low, unit, limit, parts, holds=False):
            high = high[0] + steps * low[0], high[1] + steps * low[1]
        else:
            break
    return Fraction(*low)


def _steps(start: tuple[int, int], step: tuple[int, int], unit: int, limit: float, parts: int, *, holds: bool) -> int:
    """Count how often a step may be added to a fraction before it starts to hold, or stops holding."""
    most = (parts - start[1]) // step[1]
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        new = Fraction(start[0] + middle * step[0], start[1] + middle * step[1])
        low, high = (middle, high) if _holds(new, unit, limit) == holds else (low, middle - 1)
    return low


def _holds(quotient: Fraction, unit: int, limit: float) -> bool:
    return quotient.numerator / (quotient.denominator * unit) <= limit
