"""Read the records to explain: dicts, rows or frames, for a program or for a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from unless.errors import ParameterError
from unless.model import Model, decider_of, model_of, used_by
from unless.model.prediction import Decider
from unless.table import Table

T = TypeVar("T")


def wrap_single_record(given: Any) -> Any:
    """Wrap a single record (a mapping, or a row of a frame or an array) as a table; return other input unchanged."""
    if isinstance(given, Mapping) and not hasattr(given, "tocsr"):  # one kind of sparse matrix is a dict
        return [given]
    if getattr(given, "ndim", None) == 1:
        if isinstance(given, np.ndarray):
            return given[np.newaxis]
        if hasattr(given, "to_dict"):  # a row of a pandas frame
            return [given.to_dict()]
    return given


def unwrap_single(given: Any, answers: list[T]) -> T | list[T]:
    """Return the single answer if a single record was given, else the list of answers."""
    return answers if isinstance(given, list | tuple) or len(answers) != 1 else answers[0]


def find_method(model: object, name: str) -> Callable[..., Any] | None:
    """Return the named method of a fitted classifier, which reads records like training records; else None."""
    found = None if hasattr(model, "all_rules") else getattr(model, name, None)  # a decider takes records unchanged
    return found if callable(found) else None


def read_one_record(model: Decider | Model, given: Any) -> Mapping[str, object]:
    """Read the one record to explain; raise an error if there are several. A model takes a mapping as it is."""
    if isinstance(given, Mapping) and model_of(model) is not None:
        return given
    records = read_records(model, given)
    if len(records) != 1:
        raise ParameterError(f"expected one record, got {len(records)}; pass them one by one")
    return records[0]


def read_records(model: Decider | Model, given: Any) -> list[Mapping[str, object]]:
    """Read the records to explain: for a program as `Program.read` does, for a model like the training records."""
    if isinstance(given, Table):
        return [given.record(row) for row in range(len(given))]
    rows, rules = wrap_single_record(given), decider_of(model).all_rules
    known = model_of(model)
    if known is None and isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
        return [rules.read(row) for row in rows]
    from unless.read.table import read_table  # only for frames: showing and exporting rules reads no tables

    table = read_table(rows, like=known or rules, features=used_by(model))
    return [table.record(row) for row in range(len(table))]
