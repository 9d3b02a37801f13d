"""Models from files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from unless.errors import ProgramError, suggest
from unless.modelfile import parameter, read, restore
from unless.rule import Program

if TYPE_CHECKING:
    from unless.classifier import RuleClassifier

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> RuleClassifier | Program:
    """Read a model file: a fitted classifier, ready to predict and explain; of a plain program, the `Program`."""
    saved = read(path)
    if isinstance(saved, Program):
        return saved
    try:
        model = _learner(saved.document["statistics"])
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error
    restore(model, saved)
    return model


def _learner(statistics: dict[str, Any]) -> RuleClassifier:
    """The classifier that the file names, with its parameters."""
    from unless import estimators  # noqa: PLC0415 - scikit-learn loads with the first model

    name, known = statistics["learner"], estimators.__all__
    if name not in known:
        raise ProgramError(f"statistics.learner: no learner {name!r}{suggest(name, known)}")
    learner: type[RuleClassifier] = getattr(estimators, name)
    parameters = {key: parameter(value) for key, value in statistics["parameters"]}
    allowed = learner().get_params()
    if unknown := sorted(set(parameters) - set(allowed)):
        raise ProgramError(
            f"statistics.parameters: {name} has no parameter {unknown[0]!r}{suggest(unknown[0], allowed)}"
        )
    return learner(**parameters)
