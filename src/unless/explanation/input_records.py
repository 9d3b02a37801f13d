"""Records as people give them, to be explained: a dict, a row or a frame, for a program or for a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from unless.errors import ParameterError
from unless.model import Model, program_of
from unless.rule import Program
from unless.score.committee import Committee, committee_of
from unless.table import Table

T = TypeVar("T")


def as_rows(given: Any) -> Any:
    """What a reader of tables takes: one record, a mapping or a row of a frame or an array, becomes a table of one."""
    if isinstance(given, Mapping) and not hasattr(given, "tocsr"):  # one kind of sparse matrix is a dict
        return [given]
    if getattr(given, "ndim", None) == 1:
        if isinstance(given, np.ndarray):
            return given[np.newaxis]
        if hasattr(given, "to_dict"):  # a row of a pandas frame
            return [given.to_dict()]
    return given


def unwrap_single(given: Any, answers: list[T]) -> T | list[T]:
    """The answer about one record, or the list of answers about several; a list of records always gets a list."""
    return answers if isinstance(given, list | tuple) or len(answers) != 1 else answers[0]


def find_method(model: object, name: str) -> Callable[..., Any] | None:
    """The method by which a fitted classifier answers itself: it reads records like those of training."""
    found = None if isinstance(model, Program | Committee) else getattr(model, name, None)
    return found if callable(found) else None


def read_one_record(model: Program | Model, given: Any) -> Mapping[str, object]:
    """The record that a question is about."""
    if isinstance(given, Mapping):
        return given
    records = read_records(model, given)
    if len(records) != 1:
        raise ParameterError(f"expected one record, got {len(records)}; pass them one by one")
    return records[0]


def read_records(model: Program | Committee | Model, given: Any) -> list[Mapping[str, object]]:
    """The records to explain. The cells of a dict for a program mean what they are; others are read like training's."""
    if isinstance(given, Table):
        return [given.record(row) for row in range(len(given))]
    rows, committee = as_rows(given), committee_of(model)
    rules = program_of(model) if committee is None else committee.rules
    like = rules if isinstance(model, Program | Committee) else model
    if like is rules and isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
        return rows
    from unless.read.table import read_table  # for frames: who shows or exports rules reads no tables

    table = read_table(rows, like=like, features=rules.used)
    return [table.record(row) for row in range(len(table))]
