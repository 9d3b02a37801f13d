"""Read several tables (X): search features for the learner, and compute the same features for new records."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, UnlessWarning
from unless.estimators.input_labels import GivenLabels
from unless.estimators.learners import FoldRMLearner, FoldRPPLearner, Learner, UnlessLearner, refuse_kinds
from unless.estimators.training_data import TrainingData
from unless.learn.weights import Weights, weights_to_counts
from unless.model import Model
from unless.table import Labels, Table

if TYPE_CHECKING:
    from unless.relational import Relations
    from unless.relational.learning import Learn


def read_relations(
    learner: Learner, X: Relations, y: Any, weights: Weights | None
) -> tuple[TrainingData, NDArray[Any]]:
    """Return the training data with the columns that the search finds, and the classes."""
    from unless.relational import FeatureSet, find_features
    from unless.relational.table_facts import kinds_of

    refuse_kinds(learner)
    if not len(X):
        raise ParameterError("Found relations with 0 sample(s) while a minimum of 1 is required.")
    given = GivenLabels.of(X.y if y is None else y, len(X))
    if weights is not None and not weights.all():
        rows = np.flatnonzero(weights)
        X, given, weights = X[rows], given.taking(rows), weights[rows]  # noqa: N806
    classes, codes = given.classes()
    name = getattr(y, "name", None) or X.target or "label"
    world = X.world()
    found = find_features(world, Labels(str(name), tuple(classes.tolist()), codes), _searching(learner))
    if found.left_out and learner.warn:
        warnings.warn(f"left out of the search for features: {'; '.join(found.left_out)}", UnlessWarning, stacklevel=5)
    features = FeatureSet(found.features.definitions, found.features.root, kinds_of(world))
    counts = None if weights is None else weights_to_counts(weights)
    return TrainingData.of(found.table, learner.class_weight, counts, features=features), classes


def _searching(learner: Learner) -> Learn:
    """Return a function that learns lists during the search, with the settings that matter there."""
    from unless.learn.fold import fold_rm, fold_rpp
    from unless.learn.unless_learner import fold_unless

    match learner:
        case FoldRMLearner(ratio=ratio):
            return lambda table: fold_rm(table, ratio)
        case FoldRPPLearner(ratio=ratio, positive=positive):
            return lambda table: fold_rpp(table, table.labels.labels[-1] if positive is None else positive, ratio)
        case UnlessLearner(ratio=ratio, penalty=penalty, min_support=support, optimise=optimise):
            return lambda table: fold_unless(table, ratio, penalty, support, optimise=optimise)
    return fold_unless


def as_table(model: Model, X: Any) -> Any:
    """Compute the features of several tables; return any other input unchanged."""
    from unless.relational import Relations

    if isinstance(X, Relations):
        if model.relations is None:
            raise ParameterError("the model was learned from one table; pass one table, not Relations")
        return model.relations.table(X.world(model.relations.kinds))
    if model.relations is not None and not isinstance(X, Table):
        raise ParameterError(
            f"the model was learned from several tables, and this is a {type(X).__name__}; give unless.Relations(…) "
            "with tables of the same names"
        )
    return X
