"""What scikit-learn users pass, as tables: frames, arrays and lists as X, labels as y, weights."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.frames import frame_source
from unless.read import read_table
from unless.table import Labels, Schema, Table, smallest
from unless.values import Label, value_of

__all__ = ["features_of", "labels_of", "read_features", "read_features_alike", "weights_of"]


def read_features(X: Any, numeric: Sequence[Any] | None, categorical: Sequence[Any] | None) -> tuple[Table, bool]:
    """X as a table without labels, and whether its columns have names."""
    source, named = _source(X)
    return read_table(source, numeric=_texts(numeric), categorical=_texts(categorical)), named


def read_features_alike(X: Any, schema: Schema, estimator: BaseEstimator, *, named: bool) -> Table:
    """X as a table read like the training data: by name where both have names, else by position."""
    source, has_names = _source(X)
    expected = list(schema.kinds)
    name = type(estimator).__name__
    if not (named and has_names):
        if named:
            warnings.warn(
                f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=4
            )
        elif has_names:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=4)
        found = features_of(source)
        if len(found) != len(expected):
            raise ParameterError(
                f"X has {len(found)} features, but {name} is expecting {len(expected)} features as input"
            )
        by_position = Schema(dict(zip(found, schema.kinds.values(), strict=True)), schema.missing)
        return read_table(source, like=by_position).renamed(expected)
    found = features_of(source)
    if lacking := [feature for feature in expected if feature not in found]:
        listed = ", ".join(repr(feature) for feature in lacking[:8])
        raise UnknownNameError(
            f"X lacks {len(lacking)} of the features of training: {listed}{suggest(lacking[0], found)}"
        )
    if extra := [feature for feature in found if feature not in schema.kinds]:
        listed = ", ".join(repr(feature) for feature in extra[:8])
        warnings.warn(
            f"X has {len(extra)} columns that {name} was not trained on; they are ignored: {listed}", stacklevel=4
        )
    return read_table(source, like=schema)


def features_of(source: Any) -> list[str]:
    """The names of the columns of a source, as text."""
    if isinstance(source, list):
        return list(dict.fromkeys(str(key) for record in source for key in record))
    opened = frame_source(source)
    return [] if opened is None else [str(name) for name in opened.names]


def _source(X: Any) -> tuple[Any, bool]:
    """What `read_table` takes, and whether it names its columns by text."""
    if isinstance(X, list | tuple) and X and all(isinstance(record, Mapping) for record in X):
        return list(X), all(isinstance(key, str) for record in X for key in record)
    if not isinstance(X, np.ndarray) and frame_source(X) is not None:
        if min(X.shape) == 0:  # the words that scikit-learn uses
            what = "sample" if X.shape[0] == 0 else "feature"
            raise ReadError(f"Found array with 0 {what}(s) (shape={tuple(X.shape)}) while a minimum of 1 is required.")
        return X, all(isinstance(name, str) for name in X.columns) if hasattr(X, "columns") else True
    return check_array(X, dtype=None, ensure_all_finite=False), False


def _texts(names: Sequence[Any] | None) -> list[str] | None:
    """Declared columns by name; of an array, by number."""
    if names is None or isinstance(names, str):
        return names  # type: ignore[return-value]
    return [f"x{name}" if isinstance(name, int | np.integer) else name for name in names]


def labels_of(y: Any, rows: int) -> tuple[NDArray[Any], Labels]:
    """The classes, as scikit-learn gives them, and the labels of the rows."""
    if y is None:
        raise ReadError("requires y to be passed, but the target y is None")
    name = getattr(y, "name", None)
    cells = column_or_1d(np.asarray(y), warn=True)
    check_consistent_length(np.empty(rows), cells)
    if cells.dtype == object or cells.dtype.kind == "f":
        missing = [k for k, cell in enumerate(cells.tolist()) if value_of(cell) is None]
        if missing:
            where = f"the first in row {missing[0] + 1}"
            raise ReadError(f"y has {len(missing)} missing labels (NaN or None), {where}; drop those rows or name them")
    if cells.dtype == object:
        cells = _one_type(cells)
    check_classification_targets(cells)
    classes, codes = np.unique(cells, return_inverse=True)
    labels: tuple[Label, ...] = tuple(classes.tolist())
    return classes, Labels(name if isinstance(name, str) else "label", labels, smallest(codes, len(labels)))


def _one_type(cells: NDArray[Any]) -> NDArray[Any]:
    """Objects of one type as an array of it; text stays objects."""
    kinds = {type(cell) for cell in cells.tolist()}
    if all(issubclass(kind, str) for kind in kinds):
        return np.array([str(cell) for cell in cells.tolist()], dtype=object)
    for several, dtype in (
        ((bool, np.bool_), bool),
        ((int, np.integer), np.int64),
        ((int, float, np.number), np.float64),
    ):
        if all(
            issubclass(kind, several) and (dtype is bool or not issubclass(kind, bool | np.bool_)) for kind in kinds
        ):
            return cells.astype(dtype)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise ReadError(f"Unknown label type: labels of mixed types ({names}); make them all text or all numbers")


def weights_of(sample_weight: Any, class_weight: Any, labels: Labels) -> NDArray[np.float64] | None:
    """The weight of every row, None where all weigh the same and nothing was asked."""
    if sample_weight is None and class_weight is None:
        return None
    rows = len(labels.codes)
    weights = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
    if class_weight is not None:
        weights = weights * _class_weights(class_weight, labels, weights)[labels.codes]
    if not weights.sum():
        raise ParameterError("every row weighs 0; there is nothing to learn from")
    return weights  # type: ignore[no-any-return]


def _class_weights(class_weight: Any, labels: Labels, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of every class: named, or, balanced, the same for all classes together."""
    totals = np.bincount(labels.codes, weights, len(labels.labels))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(f"class_weight must be a dict, 'balanced' or None, not {class_weight!r}")
        return np.divide(totals.sum() / np.count_nonzero(totals), totals, out=np.zeros_like(totals), where=totals > 0)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"class_weight must be a dict, 'balanced' or None, not {class_weight!r}")
    if unknown := [label for label in class_weight if label not in labels.labels]:
        raise ParameterError(
            f"class_weight names {unknown[0]!r}, which is no class{suggest(str(unknown[0]), map(str, labels.labels))}"
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels.labels])
