"""Costs of decisions: what each decision costs where each label is true, and the sums by which decisions are compared.

A comparison of expected costs is the same in every engine: probabilities become whole numbers first (`whole_odds`),
costs are whole numbers if they have few decimals, and sums are added in the order of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.model.points import POINTS_PER_LOGIT, Points
from unless.model.value_bins import NewCells
from unless.table import Column
from unless.values import Label, class_index

Floats = NDArray[np.float64]
Amount = float | str
"""A cost: a number, or the name of the column with the amount of each record."""

CostPairs = Mapping[tuple[Label, Label], Amount]
"""Costs by true label and decided label."""

WHOLE = 2**30
"""The whole number that the odds of the most probable label become."""

_DECIMALS, _LARGEST = 6, 2**20
"""The maximum number of decimals of costs that become whole numbers, and how large these may be: sums stay exact."""


def whole_odds(points: Points) -> Floats:
    """Return the odds of each label against the most probable one, as whole numbers up to `WHOLE`.

    Exponentials may differ between engines in their last digit; rounded, they are the same.
    """
    found: Floats = np.rint(np.exp((points - points.max(axis=-1, keepdims=True)) / POINTS_PER_LOGIT) * WHOLE)
    return found


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of each decision (column) where each label (row) is true; negative costs are gains.

    ``entries`` contains a number, or the name of the column with the amount of each record.
    """

    classes: tuple[Label, ...]
    entries: tuple[tuple[Amount, ...], ...]

    @classmethod
    def of(cls, pairs: CostPairs, classes: tuple[Label, ...]) -> Self:
        """Assign costs to all pairs of labels; pairs that are not named cost 0 if they are right, otherwise 1.

        If a cost is the name of a column, the unit of costs is unlikely to be an error, so every mistake needs a cost.
        """
        found: list[list[Amount | None]] = [[None] * len(classes) for _ in classes]
        unknown: list[UnknownNameError] = []
        for pair, amount in pairs.items():
            true, decided = (class_index(one, classes) for one in pair)
            if true is None or decided is None:
                wrong = pair[0] if true is None else pair[1]
                near = suggest(wrong, classes)
                unknown.append(UnknownNameError(f"costs name {wrong!r}, which is not a label of training{near}"))
            elif found[true][decided] is not None:
                raise ParameterError(f"costs name the decision {classes[decided]!r} for {classes[true]!r} twice")
            else:
                found[true][decided] = amount
        mistakes = [(true, decided) for true, decided in product(range(len(classes)), repeat=2) if true != decided]
        open_pairs = [(true, decided) for true, decided in mistakes if found[true][decided] is None]
        if unknown and open_pairs:  # if all are named, a fold of a cross-validation may lack a label
            raise unknown[0]
        if open_pairs and any(isinstance(amount, str) for amount in pairs.values()):
            true, decided = open_pairs[0]
            raise ParameterError(
                f"there is no cost for the decision {classes[decided]!r} where {classes[true]!r} is true; if costs "
                "name a column, every mistake needs a cost"
            )
        rows = (
            tuple(float(true != k) if one is None else one for k, one in enumerate(row))
            for true, row in enumerate(found)
        )
        return cls(classes, tuple(rows))

    @classmethod
    def of_errors(cls, classes: tuple[Label, ...]) -> Self:
        """Return the costs of errors: each costs 1."""
        return cls.of({}, classes)

    @property
    def used(self) -> tuple[str, ...]:
        """The columns with amounts."""
        names = (one for row in self.entries for one in row if isinstance(one, str))
        return tuple(dict.fromkeys(names))

    @property
    def constant(self) -> bool:
        """Whether the costs of all records are the same."""
        return not self.used

    @property
    def equal(self) -> bool:
        """Whether all mistakes cost the same, and right decisions nothing."""
        mistakes = {one for true, row in enumerate(self.entries) for k, one in enumerate(row) if k != true}
        first = next(iter(mistakes), 0.0)
        right = all(row[true] == 0 for true, row in enumerate(self.entries))
        return right and len(mistakes) == 1 and not isinstance(first, str) and first > 0

    @property
    def unit(self) -> int:
        """The number by which costs are multiplied before they are compared, so that they are whole if possible."""
        amounts = [one for row in self.entries for one in row if not isinstance(one, str)]
        for unit in (10**decimals for decimals in range(_DECIMALS + 1)):
            if all(abs(one * unit - round(one * unit)) <= 1e-9 * abs(one * unit) for one in amounts):
                return unit if max(map(abs, amounts), default=0) * unit <= _LARGEST else 1
        return 1

    def pairs(self) -> list[list[Any]]:
        """Return the costs as triples of true label, decided label and amount."""
        return [
            [true, decided, amount]
            for true, row in zip(self.classes, self.entries, strict=True)
            for decided, amount in zip(self.classes, row, strict=True)
        ]

    def amounts(self, cells: Mapping[str, NewCells], rows: int) -> dict[str, Floats]:
        """Read the columns with amounts; reject records without an amount."""
        return {name: _read_amounts(name, cells.get(name), rows) for name in self.used}

    def row(self, true: int, amounts: Mapping[str, Floats], unit: int = 1) -> Floats:
        """Return the cost of each decision (last axis) where a label is true, times a unit; by record if it varies."""
        entries = self.whole_entries(unit)[true]
        costs = [amounts[one] * unit if isinstance(one, str) else one for one in entries]
        return np.stack(np.broadcast_arrays(*costs), axis=-1)

    def whole_entries(self, unit: int) -> list[list[Amount]]:
        """Return the entries; numbers are multiplied by a unit, and rounded to whole numbers if it is above 1."""
        return [
            [one if isinstance(one, str) or unit == 1 else float(round(one * unit)) for one in row]
            for row in self.entries
        ]

    def sums(self, odds: Floats, amounts: Mapping[str, Floats]) -> Floats:
        """Add up the costs of each decision (columns) for each record (rows), weighted by odds, times the `unit`."""
        found, unit = np.zeros(odds.shape), self.unit
        for true in range(len(self.classes)):  # in this order: sums of fractions depend on it
            found += odds[:, true, np.newaxis] * self.row(true, amounts, unit)
        return found

    def expected(self, odds: Floats, amounts: Mapping[str, Floats]) -> Floats:
        """Return the expected cost of each decision (columns) for each record (rows)."""
        found: Floats = self.sums(odds, amounts) / (odds.sum(axis=1, keepdims=True) * self.unit)
        return found

    def of_decisions(self, truth: NDArray[Any], amounts: Mapping[str, Floats]) -> Floats:
        """Return the cost of each decision (columns) for each record (rows), given the indices of true labels."""
        found = np.zeros((len(truth), len(self.classes)))
        for true in range(len(self.classes)):
            found = np.where(truth[:, np.newaxis] == true, self.row(true, amounts), found)
        return found

    def losses(self, truth: NDArray[Any], amounts: Mapping[str, Floats]) -> Floats:
        """Return what is at stake with each record: what mistakes cost on average more than the right decision."""
        costs, count = self.of_decisions(truth, amounts), len(self.classes)
        right = costs[np.arange(len(truth)), truth]
        losses: Floats = np.maximum((costs.sum(axis=1) - right) / max(count - 1, 1) - right, 0.0)
        return losses

    def always_best(self) -> Label | None:
        """Return the label that costs least whatever is true, if there is one that is never worse than another."""
        if not self.constant or len(self.classes) < 2:
            return None
        matrix = np.array(self.entries, np.float64)
        best = np.flatnonzero((matrix <= matrix.min(axis=1, keepdims=True)).all(axis=0))
        return self.classes[int(best[0])] if len(best) else None


def _read_amounts(name: str, cells: NewCells | None, rows: int) -> Floats:
    """Return the numbers of a column of amounts; reject records without one."""
    if cells is None and not rows:
        return np.zeros(0)
    if isinstance(cells, Column):
        numbers = np.full(cells.missing + 1, np.nan)
        numbers[: len(cells.numbers)] = cells.numbers
        found: Floats = numbers[cells.codes]
    else:
        found = np.broadcast_to(
            np.asarray(cells if isinstance(cells, float | np.ndarray) else np.nan, np.float64), rows
        )
    if lacking := int(np.count_nonzero(~np.isfinite(found))):  # rows may be those of a part, so none is named
        raise ReadError(
            f"costs need a number in the column {name!r}, and {lacking:,} of {rows:,} records here have none; "
            "fill them in, or leave these records out"
        )
    return found
