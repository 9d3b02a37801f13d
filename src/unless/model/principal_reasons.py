"""Find the principal reasons for the decisions on a table, many rows at a time (`rule.reason_factors`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.model.prediction import Decider, tested_columns
from unless.rule import Condition, Literal, Program, Rule
from unless.rule.reason_factors import Factor, Guard, Items, ReasonPlan, reason_plan
from unless.rule.reason_words import DEFAULT_REASONS, MOST_REASONS, Reason, ReasonWords
from unless.table import Table

Bools = NDArray[np.bool_]
Places = NDArray[np.int32]

_BLOCK = 1 << 16
"""Rows per block: the truth values of a literal in 64 KB."""

_MOST = 100
"""The maximum number of reasons for a decision."""


@dataclass(frozen=True, slots=True, eq=False)
class TableReasons:
    """The reasons for each row: ``places`` are indices into ``reasons`` (row × position), -1 for no reason."""

    reasons: tuple[Reason, ...]
    places: Places

    def of_row(self, row: int) -> tuple[Reason, ...]:
        """Return the reasons for one row, the first one first."""
        return tuple(self.reasons[place] for place in self.places[row].tolist() if place >= 0)

    def counts(self) -> dict[Reason, int]:
        """Count the rows that have each reason, most frequent first."""
        found = np.bincount(self.places[self.places >= 0], minlength=len(self.reasons)).tolist()
        named = zip(self.reasons, found, strict=True)
        return dict(sorted(((one, count) for one, count in named if count), key=lambda pair: (-pair[1], pair[0])))


def check_most(most: object) -> int:
    """Return the number of reasons to give at most."""
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= _MOST:
        raise ParameterError(f"the number of reasons is from 1 to {_MOST}, not {most!r}")
    return most


class ReasonFinder:
    """Finds the reasons for rows of tables; a reason has the same index in all of them."""

    def __init__(self, decider: Decider, words: ReasonWords = DEFAULT_REASONS, most: int = MOST_REASONS) -> None:
        if not isinstance(decider, Program):
            raise ParameterError(f"a {decider.noun} has no reasons: no single rule decides")
        self.program, self.words, self.most = decider, words, check_most(most)
        self.reasons: list[Reason] = []
        self._places: dict[str, int] = {}
        self._factors: dict[Factor, int] = {}
        self._plans: dict[int, ReasonPlan] = {}

    def find(self, table: Table, choices: NDArray[np.int32]) -> TableReasons:
        """Find the reasons for each row of a table, from the index of the rule that decides it (-1: no rule)."""
        tested = Table(tuple(tested_columns(self.program, table)), rows=len(table))
        places = np.full((len(table), self.most), -1, np.int32)
        for start in range(0, len(table), _BLOCK):
            block = choices[start : start + _BLOCK]
            for choice in np.unique(block).tolist():
                rows = start + np.flatnonzero(block == choice)
                places[rows] = _Filling(self, tested[rows]).fill(self._plan(choice))
        return TableReasons(tuple(self.reasons), places)

    def place(self, factor: Factor) -> int:
        """Return the index of the reason that a factor is called; factors with the same code share it."""
        if factor not in self._factors:
            reason = self.words.reason(factor)
            place = self._places.setdefault(reason.code, len(self.reasons))
            if place == len(self.reasons):
                self.reasons.append(reason)
            self._factors[factor] = place
        return self._factors[factor]

    def _plan(self, choice: int) -> ReasonPlan:
        if choice not in self._plans:
            index = choice if 0 <= choice < len(self.program.rules) else None
            self._plans[choice] = reason_plan(self.program, index, self.program.heads[choice])
        return self._plans[choice]


class _Filling:
    """Fills in the reasons of rows that the same rule decides."""

    def __init__(self, finder: ReasonFinder, table: Table) -> None:
        self._finder, self._rows = finder, len(table)
        self._columns = {one.name: one for one in table.columns}
        self._truths: dict[Literal, Bools] = {}
        self._count = np.zeros(self._rows, np.int32)
        self._places = np.full((self._rows, finder.most), -1, np.int32)

    def fill(self, plan: ReasonPlan) -> Places:
        """Return the indices of the reasons of each row."""
        self._add(plan.supports, np.ones(self._rows, np.bool_))
        if plan.shortfalls and not self._full:
            distances = [self._count_failing(one.conditions) for one in plan.shortfalls]
            for distance in np.unique(distances).tolist():
                for shortfall, own in zip(plan.shortfalls, distances, strict=True):
                    self._add(shortfall.items, own == distance)
        return self._places

    @property
    def _full(self) -> bool:
        return bool((self._count == self._finder.most).all())

    def _add(self, items: Items, where: Bools) -> None:
        """Add the reasons of some rows, while there is room."""
        for item in items:
            if self._full or not where.any():
                return
            if isinstance(item, Factor):
                self._add_reason(self._finder.place(item), where)
            else:
                self._add(item.items, np.logical_and.reduce([where, *map(self._met, item.guards)]))

    def _add_reason(self, place: int, where: Bools) -> None:
        new = where & (self._count < self._finder.most) & (self._places != place).all(axis=1)
        self._places[new, self._count[new]] = place
        self._count[new] += 1

    def _met(self, guard: Guard) -> Bools:
        rule, truth = guard
        covered = self._covered(rule)
        return covered if truth else ~covered

    def _covered(self, rule: Rule) -> Bools:
        found = self._all_hold(rule.default)
        for exception in rule.exceptions:  # one frame for each level of exceptions
            found &= ~self._covered(exception)
        return found

    def _all_hold(self, literals: Iterable[Literal]) -> Bools:
        found: Bools = np.logical_and.reduce([np.ones(self._rows, np.bool_), *map(self._truth, literals)])
        return found

    def _truth(self, literal: Literal) -> Bools:
        if literal not in self._truths:
            column = self._columns[literal.feature]
            low, end, negated = column.span(literal)
            self._truths[literal] = ((column.codes >= low) & (column.codes < end)) != negated
        return self._truths[literal]

    def _count_failing(self, conditions: Iterable[Condition]) -> NDArray[np.int64]:
        failing = [~self._all_hold(one) for one in conditions]
        return np.sum(failing, axis=0, dtype=np.int64) if failing else np.zeros(self._rows, np.int64)
