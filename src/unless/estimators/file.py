"""What a model file holds: a program, how its columns were read, what its rules decided. JSON, safe to read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.export import json
from unless.files import write_whole
from unless.judge.importance import Evidence, importances
from unless.limits import limit
from unless.model import Statistics
from unless.rule import Program
from unless.table import Column, Schema, Table
from unless.values import Label, label_data, label_in, plain

__all__ = ["SavedModel", "document", "file_text", "parsed", "read", "read_stream", "save"]


@dataclass(frozen=True, slots=True)
class SavedModel:
    """What a model file holds: a program, what it did in training, how columns were read, and how it was learned.

    A classifier without scikit-learn, which takes most of the time of a short command to import.
    """

    program_: Program
    statistics_: Statistics
    schema_: Schema
    domain_: Table
    learner: str
    """The name of the classifier that learned it."""
    parameters: Mapping[str, Any]
    named: bool
    """Whether the features have names of their own; those of an array are only numbered."""
    importances: Evidence | NDArray[np.float64] | None = None
    """Of every feature, or the records to find them from; None if they are not known."""

    @property
    def schema(self) -> Schema:
        """How the columns were read, so that ``read_table(source, like=model)`` reads new records alike."""
        return self.schema_


def save(model: SavedModel, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all."""
    write_whole(path, file_text(model).encode())


def file_text(model: SavedModel) -> str:
    """What a model file says."""
    with json.uncollected():
        return json.layout(document(model)) + "\n"


def document(model: SavedModel) -> dict[str, Any]:
    """A model as JSON holds it; what could not be read back is refused."""
    schema, statistics, shares = model.schema_, model.statistics_, importances(model.importances)
    found = {
        **json.unchecked(model.program_),
        "columns": {
            "kinds": [[name, kind] for name, kind in schema.kinds.items()],
            "missing": list(schema.missing),
            "named": model.named,
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain_.columns],
        },
        "statistics": {
            "learner": model.learner,
            "parameters": [[name, _spelled(name, value)] for name, value in sorted(model.parameters.items())],
            "classes": [label_data(label) for label in statistics.classes],
            "counts": statistics.counts.tolist(),
            **({"weighted": True} if statistics.weighted else {}),
            **({} if shares is None else {"importances": shares.tolist()}),
        },
    }
    return json.checked(found)


def _spelled(name: str, value: Any) -> Any:
    """A parameter as JSON holds it."""
    if isinstance(value, Mapping):
        return {"weights": [[label_data(plain(label)), float(weight)] for label, weight in value.items()]}
    value = plain(value)
    if value is None or isinstance(value, bool | int | float | str):
        return label_data(value)
    try:
        return [plain(column) for column in value]
    except TypeError:
        raise ProgramError(f"the parameter {name} is {value!r}, which a model file cannot hold") from None


# Reading: the schema has been checked; what follows is what it cannot say.


def read(path: str | os.PathLike[str]) -> SavedModel | Program:
    """What a model file holds; of a plain program, the `Program`."""
    try:
        text = json.content(Path(path))
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error
    return parsed(text, os.fspath(path))


def read_stream(file: BinaryIO, name: str) -> SavedModel | Program:
    """The same of a stream, such as standard input; of one that is too long not all is read."""
    text = file.read(limit("model") + 1)
    json.refuse_long(text, name)
    return parsed(text, name)


def parsed(text: bytes, name: str) -> SavedModel | Program:
    """The same of the bytes of a file, which messages call by that name."""
    try:
        with json.uncollected():
            document = json.parse(text)
            program = json.from_dict(document)
            if not isinstance(document, dict) or "statistics" not in document:
                return program
            return _saved(document, program)
    except ProgramError as error:
        raise ProgramError(f"{name}: {error}") from error


def _saved(document: dict[str, Any], program: Program) -> SavedModel:
    if "columns" not in document:
        raise ProgramError("it has statistics but no columns; a model has both, a program neither")
    columns = document["columns"]
    statistics = _statistics(document["statistics"], program)
    schema = Schema(_kinds(columns, program), tuple(columns["missing"]), program.target)
    domain = _domain(columns.get("values", ()), schema)
    learned = document["statistics"]
    parameters = {name: _parameter(value) for name, value in learned["parameters"]}
    shares = _importances(learned.get("importances"), program)
    return SavedModel(program, statistics, schema, domain, learned["learner"], parameters, columns["named"], shares)


def _parameter(value: Any) -> Any:
    """The value of a parameter of the classifier."""
    if isinstance(value, dict) and "weights" in value:
        return {label_in(label): weight for label, weight in value["weights"]}
    return label_in(value)


def _statistics(node: dict[str, Any], program: Program) -> Statistics:
    classes = tuple(label_in(label) for label in node["classes"])
    labels = program.heads
    _check_classes(classes, labels)
    rows, wanted = node["counts"], len(labels)
    if len(rows) != wanted or any(len(row) != len(classes) for row in rows):
        raise ProgramError(
            f"statistics.counts: {wanted} rows of {len(classes)} counts are expected, one row for no rule"
        )
    counts = np.array(rows, dtype=np.float64)
    if not counts.any():
        raise ProgramError("statistics.counts: all are 0; the rules of a model have decided something")
    return Statistics(classes, labels, counts, node.get("weighted", False))


def _importances(shares: list[float] | None, program: Program) -> NDArray[np.float64] | None:
    """The importance of every feature; a file of an older version has none."""
    if shares is not None and len(shares) != len(program.features):
        raise ProgramError(f"statistics.importances: {len(program.features)} are expected, one for each feature")
    return None if shares is None else np.array(shares, dtype=np.float64)


def _check_classes(classes: tuple[Label, ...], labels: tuple[Label | None, ...]) -> None:
    kinds = {
        str if isinstance(label, str) else isinstance(label, bool) for label in (*classes, *labels) if label is not None
    }
    if len(kinds) > 1:
        raise ProgramError(
            "statistics.classes: they and the labels of the program are all text, all numbers or all booleans"
        )
    if any(not one < other for one, other in pairwise(classes)):  # type: ignore[operator]
        raise ProgramError("statistics.classes: they are not in order, each once")
    known = set(classes)
    if unknown := [label for label in labels if label is not None and label not in known]:
        raise ProgramError(f"statistics.classes: {unknown[0]!r} is a label of the program, but no class")


def _kinds(columns: dict[str, Any], program: Program) -> dict[str, Any]:
    names = [name for name, _ in columns["kinds"]]
    if names != list(program.features):
        raise ProgramError("columns.kinds: they are not those of the features, in their order")
    return dict(columns["kinds"])


def _domain(values: Any, schema: Schema) -> Table:
    """The columns without rows that `unless.table.domain_of` gave; a file of an older version may have none."""
    columns: dict[str, Column] = {}
    for name, numbers, categories in values:
        if name not in schema.kinds or name in columns:
            raise ProgramError(f"columns.values: {name!r} is no feature, or appears twice")
        ordered = np.sort(np.array(numbers, dtype=np.float64)) + 0.0
        columns[name] = Column(name, schema.kinds[name], ordered, tuple(sorted(categories)), np.empty(0, np.uint8))
    return Table(tuple(columns.values()), rows=0, missing=schema.missing)
