"""Models from files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError, suggest
from unless.estimators.file import SavedModel, read
from unless.rule import Program
from unless.values import Label

if TYPE_CHECKING:
    from unless.estimators.base import RuleClassifier

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> RuleClassifier | Program:
    """Read a model file: a fitted classifier, ready to predict and explain; of a plain program, the `Program`."""
    saved = read(path)
    if isinstance(saved, Program):
        return saved
    try:
        model = _unfitted(saved)
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error
    model._become(saved, _array(saved.statistics_.classes))  # noqa: SLF001 - a model and its classifier are one thing
    return model


def _unfitted(saved: SavedModel) -> RuleClassifier:
    """The classifier that the file names, with its parameters."""
    from unless.estimators import classifiers as estimators  # noqa: PLC0415 - scikit-learn loads with the first model

    name, known = saved.learner, estimators.__all__
    if name not in known:
        raise ProgramError(f"statistics.learner: no learner {name!r}{suggest(name, known)}")
    learner: type[RuleClassifier] = getattr(estimators, name)
    allowed = learner().get_params()
    if unknown := sorted(set(saved.parameters) - set(allowed)):
        raise ProgramError(
            f"statistics.parameters: {name} has no parameter {unknown[0]!r}{suggest(unknown[0], allowed)}"
        )
    return learner(**saved.parameters)


def _array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """The classes as scikit-learn has them; text is an array of objects."""
    return np.array(classes, dtype=object if isinstance(classes[0], str) else None)
