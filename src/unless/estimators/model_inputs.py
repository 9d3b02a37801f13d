"""Read records for a fitted model as tables, like the training records, with labels if they are known."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, UnlessWarning
from unless.estimators.input_labels import known_labels, read_labels, some_places
from unless.estimators.input_records import (
    Given,
    group_cells,
    read_like_training,
    row_counts,
    true_labels,
    with_groups,
    with_others,
)
from unless.estimators.relational_input import as_table
from unless.evaluation.unseen_values import Unseen, beyond_chance, unseen_summary, unseen_values
from unless.learn.weights import Weights
from unless.model import Model
from unless.read.table import read_table
from unless.table import Labels, Table
from unless.values import Value


@dataclass(frozen=True, slots=True)
class ModelInputs:
    """Reads records for a model; messages use ``name`` for its classifier."""

    model: Model
    name: str

    def records(self, X: Any, *, tell: bool = True, caller: int = 3) -> Table:
        """Read records; if ``tell``, warn of values that training did not have, at the stack level ``caller``."""
        model, X = self.model, as_table(self.model, X)  # noqa: N806
        table = read_like_training(X, model.schema, model.domain, self.name, named=model.named, caller=caller + 1)
        if tell:
            warn_of_unseen(unseen_values(model, table), caller + 1)
        return table

    def rows(self, X: Any) -> list[dict[str, Value]]:
        """Read the values of one or several records; see `unless.explanation.input_records`."""
        from unless.explanation.input_records import wrap_single_record

        table = self.records(wrap_single_record(X), caller=4)
        return [table.record(row) for row in range(len(table))]

    def record(self, record: Any) -> dict[str, Value]:
        """Read the values of one record."""
        from unless.explanation.input_records import wrap_single_record

        table = self.records(wrap_single_record(record), caller=4)
        if len(table) != 1:
            raise ParameterError(f"expected one record, got {len(table)}; pass them one by one")
        return table.record(0)

    def labelled(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> tuple[Table, Weights | None]:
        """Read records whose labels are classes of the model, with their groups, and their weights."""
        table, classes = self.records(X, tell=False), self.model.statistics.classes
        codes = known_labels(true_labels(X, y), classes, len(table))
        labels = Labels(self.model.program.target, classes, codes)
        table = with_groups(replace(table, target=labels), group_cells(groups, len(table)))
        return table, row_counts(sample_weight, len(table))

    def watched(self, X: Any, y: Any) -> tuple[Table, NDArray[np.intp] | None]:
        """Read records, and the indices of their labels among the classes, if any are known."""
        table = self.records(X, tell=False)
        y = _labels_of(X, y)
        return table, None if y is None else some_places(y, self.model.statistics.classes, len(table))

    def for_card(self, X: Any, y: Any, by: Sequence[str]) -> Table:
        """Read records with their labels, if they are known, and with the columns ``by``.

        The column by which the model's records were split is added if X has it.
        """
        y, X = _labels_of(X, y), as_table(self.model, X)  # noqa: N806
        table, given = self.records(X, tell=False), Given.of(X)
        split = [name for name in self.model.split_features if name in given.names]
        others = [name for name in dict.fromkeys((*by, *split)) if name not in table.features]
        if others:
            source = given.source
            extra = source if isinstance(source, Table) else read_table(source, features=others)
            table = replace(table, columns=(*table.columns, *(extra.column(name) for name in others)))
        return self._with_labels(table, y)

    def for_report(self, X: Any, y: Any) -> Table:
        """Read records with their labels, if they are known, and with all columns that training did not have."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X has .* was not trained on")
            X = as_table(self.model, X)  # noqa: N806
            table = with_others(self.records(X, caller=4), X)
        return self._with_labels(table, y)

    def _with_labels(self, table: Table, y: Any) -> Table:
        return table if y is None else replace(table, target=read_labels(y, self.model.program.target, len(table)))


def warn_of_unseen(found: Iterable[Unseen], caller: int) -> None:
    """Warn of values that training did not have, unless they may be chance."""
    if lines := unseen_summary(beyond_chance(found)):
        warnings.warn("\n".join(["values that training did not have:", *lines]), UnlessWarning, stacklevel=caller)


def _labels_of(X: Any, y: Any) -> Any:
    """Return the given labels, or the labels of a table."""
    from unless.relational import Relations

    return X.y if y is None and isinstance(X, Table | Relations) and X.target is not None else y
