"""Three scikit-learn classifiers, and how one is read from a file.

They are the `learners` with what `RuleClassifier` gives them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from unless.errors import ProgramError, suggest
from unless.estimators.base import RuleClassifier
from unless.estimators.file import SavedModel, read
from unless.estimators.learners import FoldRMLearner, FoldRPPLearner, UnlessLearner
from unless.rule import Program
from unless.values import Label

__all__ = ["FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier", "load"]


class UnlessClassifier(RuleClassifier, UnlessLearner):
    """Our own learner: significant rules with exceptions, and a default rule at the end. The one to try first.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    penalty
        How significant a literal must be; larger gives fewer and shorter rules, 0 lets every useful literal in.
    min_support
        How many records every literal, rule and exception must cover.
    numeric, categorical
        Columns to read as numbers (text that spells none stays text), or as categories, whatever they look like.
    class_weight
        A weight for every class, or "balanced".
    max_rules, max_seconds
        Stop early, with a valid program.
    verbose
        Show rules learned and records left.

    Examples
    --------
    >>> from unless import UnlessClassifier
    >>> X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
    >>> y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
    >>> print(UnlessClassifier().fit(X, y))
    label: fine if age <= 40.0
    label: fine if smokes is 'no'
    label: risk if true
    """


class FoldRMClassifier(RuleClassifier, FoldRMLearner):
    """FOLD-RM exactly as published: an ordered list of rules for any number of labels.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    otherwise
        The label of records that no rule covers: "most_frequent" of the training records that none covers (of all, if
        there are none), a label, or None: then ``predict`` gives None, and ``score`` counts it as wrong, as the paper
        does.
    numeric, categorical, class_weight, max_rules, max_seconds, verbose
        As in `UnlessClassifier`.
    """


class FoldRPPClassifier(RuleClassifier, FoldRPPLearner):
    """FOLD-R++ exactly as published: rules for one of two labels; what none covers has the other.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    positive
        The label to learn rules for; the second of ``classes_`` unless given.
    numeric, categorical, class_weight, max_rules, max_seconds, verbose
        As in `UnlessClassifier`.
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


_CLASSIFIERS: dict[str, type[RuleClassifier]] = {
    kind.__name__: kind for kind in (FoldRMClassifier, FoldRPPClassifier, UnlessClassifier)
}


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
    name = saved.learner
    if name not in _CLASSIFIERS:
        raise ProgramError(f"statistics.learner: no learner {name!r}{suggest(name, _CLASSIFIERS)}")
    learner = _CLASSIFIERS[name]
    allowed = learner().get_params()
    if unknown := sorted(set(saved.parameters) - set(allowed)):
        raise ProgramError(
            f"statistics.parameters: {name} has no parameter {unknown[0]!r}{suggest(unknown[0], allowed)}"
        )
    return learner(**saved.parameters)


def _array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """The classes as scikit-learn has them; text is an array of objects."""
    return np.array(classes, dtype=object if isinstance(classes[0], str) else None)
