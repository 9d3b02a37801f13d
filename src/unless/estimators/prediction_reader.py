"""Read new records for a prediction: only the tested features, like `read_like_training` but faster.

Numbers are not ranked, and the meanings of the cells of a single record are cached. In all other cases, and for values
that training did not have, `read_like_training` reads the records.
"""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import UnlessError
from unless.estimators.input_records import LikeTraining, read_like_training
from unless.evaluation.unseen_values import Unseen, UnseenCounts
from unless.model import Model
from unless.model.value_bins import Fill, NewCells, ValueBins, fillers
from unless.read.cells import Cells, cells_from_objects
from unless.read.column_plan import ColumnPlan, plan_columns
from unless.read.options import PLAIN_OPTIONS
from unless.read.plain_cells import number_arrays, single_row
from unless.read.source import Loaded
from unless.table import Column
from unless.values import Value

_MEANINGS = 10_000
"""The number of cells of a feature whose meanings are cached."""

_SIMPLE = (str, int, float, bool, type(None))
"""The types whose equal cells have the same meaning."""

_WHOLE = 2**53
"""Up to this number, doubles represent whole numbers exactly."""


_CALLER = 6
"""The stack level of the caller of predict, seen from `read_like_training`."""


@dataclass(frozen=True, slots=True)
class NewRecords:
    """The cells of new records for each tested feature, and the values that training did not have."""

    rows: int
    cells: Mapping[str, NewCells]
    unseen: Sequence[Unseen] = ()

    def fills(self, bins: Sequence[ValueBins]) -> list[Fill]:
        """Return the functions that write the bins of the records."""
        return fillers(bins, [self.cells[one.feature] for one in bins])


class PredictionReader:
    """Reads new records for the decisions of a model; messages use ``name`` for its classifier."""

    def __init__(self, model: Model, name: str) -> None:
        self._model, self._name = model, name
        self._names = list(model.schema.kinds)
        rules, seen = model.decider.all_rules, {column.name: column for column in model.domain.columns}
        self._notations = {feature: rules.notations.get(feature) for feature in self._names}
        self._features = [name for name in self._names if name in seen or name in model.decider.used]
        self._plan = _plan(model)
        self._ranges = {feature: self._range(seen[feature]) for feature in self._features if feature in seen}
        self._plain = {feature for feature, ends in self._ranges.items() if ends is not None}
        self._seen = seen
        self._meanings: dict[str, dict[tuple[type, object], Value]] = {feature: {} for feature in self._features}

    def read(self, X: Any) -> NewRecords:
        """Read records; raise errors for wrong records, and warn of unexpected columns."""
        return self._single(X) or self._many(X)

    def _range(self, seen: Column) -> tuple[float, float] | None:
        """Return the training range of a feature whose values are plain numbers; None for other features."""
        written = (seen.notation, self._model.schema.notations.get(seen.name), self._notations[seen.name])
        plain = all(one is None or one.plain for one in written)
        number = self._plan.features[seen.name] == "numeric" and not self._plan.missing_texts and len(seen.numbers)
        plain = plain and not seen.special  # a special code may lie in the range
        return (float(seen.numbers[0]), float(seen.numbers[-1])) if plain and number else None

    def _single(self, X: Any) -> NewRecords | None:
        """Read a single record without unexpected columns or values; None for any other input."""
        model = self._model
        if model.schema.parts or model.named is (X.__class__ is np.ndarray):
            return None
        row = single_row(X, self._names)
        if row is None:
            return None
        cells: dict[str, NewCells] = {}
        try:
            for feature, cell in zip(self._names, row, strict=True):
                if feature in self._meanings:
                    cells[feature] = self._meaning(feature, cell)
        except (UnlessError, LookupError):
            return None
        return NewRecords(1, cells)

    def _meaning(self, feature: str, cell: object) -> Value:
        """Return the meaning of a cell; raise LookupError for a value that training did not have."""
        kind, ends = cell.__class__, self._ranges.get(feature)
        if ends is not None and (kind is float or (kind is int and -_WHOLE < cell < _WHOLE)):  # type: ignore[operator]
            if ends[0] <= cell <= ends[1]:  # type: ignore[operator]
                return float(cell)  # type: ignore[arg-type]
            if cell != cell:  # noqa: PLR0124 - NaN differs
                return None
            raise LookupError(feature)
        if kind not in _SIMPLE:
            return self._read_cell(feature, cell)
        known = self._meanings[feature]
        if (kind, cell) not in known:
            if len(known) >= _MEANINGS:
                known.clear()
            known[kind, cell] = self._read_cell(feature, cell)
        return known[kind, cell]

    def _read_cell(self, feature: str, cell: object) -> Value:
        """Read the meaning of a cell in the same way as a table."""
        column = self._plan.column(feature, cell if isinstance(cell, Cells) else cells_from_objects([cell]))
        counts = UnseenCounts(self._model)
        counts.add_cells(1, {feature: column})
        if counts.found():
            raise LookupError(feature)
        found = column.in_notation(self._notations[feature])
        return found.value(int(found.codes[0]))

    def _many(self, X: Any) -> NewRecords:
        """Read any records."""
        model = self._model
        arrays: dict[str, NDArray[np.float64]] = {}
        if not model.schema.parts and model.named is not (X.__class__ is np.ndarray):
            arrays = number_arrays(X, self._names, self._plain)
        others = [feature for feature in self._features if feature not in arrays]
        table = read_like_training(
            X, model.schema, model.domain, self._name, named=model.named, features=others, caller=_CALLER
        )
        known = (column for column in table.columns if column.name in self._notations)  # a table may have other columns
        cells: dict[str, Any] = {column.name: column for column in known} | arrays
        counts = UnseenCounts(model)
        counts.add_cells(len(table), cells)
        for name, column in cells.items():
            if isinstance(column, Column):
                cells[name] = column.in_notation(self._notations[name])
        return NewRecords(len(table), cells, counts.found())


def _plan(model: Model) -> ColumnPlan:
    """Return how to read records whose columns are like the training columns."""
    like = LikeTraining(replace(model.schema, target=None), model.domain)
    return plan_columns(Loaded(model.schema.kinds, 0, lambda _: cells_from_objects(())), PLAIN_OPTIONS, like=like)
