"""Model files: a program, with how its columns were read and what its rules decided. JSON, safe to load from a stranger."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unless.errors import ProgramError, suggest
from unless.export import json
from unless.files import write_whole
from unless.measure import Statistics
from unless.rule import Program
from unless.table import Schema

if TYPE_CHECKING:
    from unless.estimators import RuleClassifier

__all__ = ["load", "save"]


def save(model: RuleClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to a file, whole or not at all."""
    write_whole(path, (json.layout(_document(model)) + "\n").encode())


def load(path: str | os.PathLike[str]) -> RuleClassifier | Program:
    """Read a file of `save`: a fitted classifier, ready to predict and explain; of a plain program, the `Program`."""
    try:
        document = json.parse(json.content(Path(path)))
        program = json.from_dict(document)
        if not isinstance(document, dict) or "statistics" not in document:
            return program
        return _model(document, program)
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error


def _document(model: RuleClassifier) -> dict[str, Any]:
    schema, statistics = model.schema_, model.statistics_
    return {
        **json.to_dict(model.program_),
        "columns": {
            "kinds": [[name, kind] for name, kind in schema.kinds.items()],
            "missing": list(schema.missing),
            "named": model._named,  # noqa: SLF001 - a model and its file are one room
        },
        "statistics": {
            "learner": type(model).__name__,
            "parameters": [[name, _plain(name, value)] for name, value in sorted(model.get_params().items())],
            "classes": [json.spelled_label(label) for label in statistics.classes],
            "text": model.classes_.dtype.kind in "OUS",
            "counts": statistics.counts.tolist(),
        },
    }


def _plain(name: str, value: Any) -> Any:  # noqa: ANN401 - any parameter
    """A parameter as JSON holds it."""
    if isinstance(value, np.generic):
        value = value.item()
    if name == "class_weight" and isinstance(value, dict):
        return {"pairs": [[json.spelled_label(label), float(weight)] for label, weight in value.items()]}
    if name in {"numeric", "categorical"} and value is not None:
        return [item.item() if isinstance(item, np.generic) else item for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ProgramError(f"the parameter {name} is {value!r}, which a model file cannot hold")


def _model(document: dict[str, Any], program: Program) -> RuleClassifier:
    from unless import estimators  # noqa: PLC0415 - scikit-learn loads with the first model

    columns, statistics = document.get("columns"), document["statistics"]
    if columns is None:
        raise ProgramError("it has statistics but no columns; a model has both, a program neither")
    learners = estimators.__all__
    if statistics["learner"] not in learners:
        raise ProgramError(
            f"statistics.learner: no learner {statistics['learner']!r}{suggest(statistics['learner'], learners)}"
        )
    parameters = {name: _parameter(value) for name, value in statistics["parameters"]}
    learner = getattr(estimators, statistics["learner"])
    if unknown := set(parameters) - set(learner().get_params()):
        raise ProgramError(f"statistics.parameters: {learner.__name__} has no parameter {sorted(unknown)[0]!r}")
    classes = tuple(json.label_of(node) for node in statistics["classes"])
    counts = np.array(statistics["counts"], dtype=np.float64)
    if counts.shape != (len(program.rules) + 1, len(classes)):
        raise ProgramError(f"statistics.counts: {len(program.rules) + 1} rows of {len(classes)} counts are expected")
    kinds = {name: kind for name, kind in columns["kinds"]}
    if tuple(kinds) != program.features or len(kinds) != len(columns["kinds"]):
        raise ProgramError("columns.kinds: they are not those of the features")
    labels = (*(rule.head for rule in program.rules), program.otherwise)
    if unknown_label := [label for label in labels if label is not None and label not in classes]:
        raise ProgramError(f"statistics.classes: {unknown_label[0]!r} is a label of the program, but no class")
    model: RuleClassifier = learner(**parameters)
    model.program_ = program
    model.classes_ = np.array(classes, dtype=object if statistics["text"] else None)
    model.n_features_in_ = len(kinds)
    model.schema_ = Schema(kinds, tuple(columns["missing"]), program.target)
    model.statistics_ = Statistics(classes, labels, counts)
    model._named = columns["named"]  # noqa: SLF001
    if columns["named"]:
        model.feature_names_in_ = np.array(program.features, dtype=object)
    return model


def _parameter(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {json.label_of(label): weight for label, weight in value["pairs"]}
    return value
