"""Read labels as users of scikit-learn pass them (y): arrays, lists and series of any library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from unless.errors import ParameterError, ReadError
from unless.estimators.training_data import known_label_index, refuse_amounts
from unless.read.cells import rank
from unless.read.frames import label_cells
from unless.table import Labels
from unless.values import Label, cell_value, class_index, label_type, to_python_value

_EXACT = 2.0**53
"""Up to this number, float64 represents all whole numbers exactly."""


@dataclass(frozen=True, slots=True)
class GivenLabels:
    """The distinct labels, in any order, and the index of every row's label."""

    distinct: NDArray[Any]
    places: NDArray[Any]

    @classmethod
    def of(cls, y: Any, rows: int) -> GivenLabels:
        """Read labels for this many rows."""
        found = _found(y)
        check_consistent_length(np.empty(rows), found.places)
        return found

    def taking(self, rows: NDArray[np.intp]) -> GivenLabels:
        """Return the labels of only these rows."""
        counts = np.bincount(self.places[rows], minlength=len(self.distinct))
        return GivenLabels(self.distinct[counts > 0], (np.cumsum(counts > 0) - 1)[self.places[rows]])

    def classes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the sorted distinct labels as an array of one type, and the index of every row's label."""
        distinct, places = self.distinct, self.places
        if lost := [place for place, label in enumerate(distinct.tolist()) if cell_value(label) is None]:
            rows = np.flatnonzero(np.isin(places, lost))
            where = f"{len(rows)} missing labels (NaN or None), the first in row {rows[0] + 1}"
            raise ReadError(f"y has {where}; leave those rows out, or fill in their labels")
        classes, order = np.unique(_of_one_type(distinct), return_inverse=True)
        return classes, places if (order[1:] > order[:-1]).all() else order[places]


def read_labels(y: Any, name: str, rows: int) -> Labels:
    """Read the true labels of records, which may include labels that training did not have."""
    classes, codes = GivenLabels.of(y, rows).classes()
    refuse_amounts(classes.tolist())
    return Labels(name, tuple(classes.tolist()), codes)


def known_labels(y: Any, classes: tuple[Label, ...], rows: int) -> NDArray[np.intp]:
    """Return the index of every label among the classes; any other label is an error."""
    found = GivenLabels.of(y, rows)
    places = np.array([known_label_index(label, classes, "y has") for label in found.distinct], dtype=np.intp)
    return places[found.places]  # type: ignore[no-any-return]


def true_places(y: Any, classes: tuple[Label, ...], rows: int) -> NDArray[np.intp]:
    """Return the index of every label among the classes, -1 for other labels; an error if no label is a class."""
    found = GivenLabels.of(y, rows)
    labels = [to_python_value(label) for label in found.distinct]
    if any(cell_value(label) is None for label in labels):
        raise ReadError("y has missing labels (NaN or None); leave those rows out, or fill in their labels")
    places = [class_index(label, classes) if isinstance(label, str | bool | int | float) else None for label in labels]
    if labels and all(place is None for place in places) and _kind(labels[0]) != _kind(classes[0]):
        raise ReadError(
            f"y has labels such as {labels[0]!r}, training had labels such as {classes[0]!r}, and they have "
            "no label in common; pass y as it was in training"
        )
    return np.array([-1 if place is None else place for place in places], dtype=np.intp)[found.places]  # type: ignore[no-any-return]


def some_places(y: Any, classes: tuple[Label, ...], rows: int) -> NDArray[np.intp]:
    """Return the index of every label among the classes; some records may have no label yet (`watch.places_of`)."""
    from unless.evaluation.drift_counts import class_indices

    found = GivenLabels.of(y, rows)
    labels = [to_python_value(label) for label in found.distinct]
    known = [
        label if isinstance(label, str | bool | int | float) and cell_value(label) is not None else None
        for label in labels
    ]
    return class_indices(tuple(known), classes)[found.places]  # type: ignore[no-any-return]


def _kind(label: object) -> type:
    return next((kind for kind in (str, bool) if isinstance(label, kind)), float)


def _found(y: Any) -> GivenLabels:
    """Read labels of any library, without a pass over the cells of a text column in a frame."""
    if type(y).__name__ in ("LazyFrame", "Expr"):
        raise ParameterError(
            f"y is of the type {type(y).__name__}, which has no labels yet; collect it: frame.collect()['y']"
        )
    if (cells := label_cells(y)) is not None:
        missing = [None] if len(cells.codes) and cells.codes.max() == len(cells.texts) else []
        return GivenLabels(_objects([*cells.texts, *missing]), cells.codes)
    # A list becomes objects: numpy would turn numbers beside text into text.
    array: NDArray[Any] = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    column: NDArray[Any] = column_or_1d(array, warn=True)
    if column.dtype.kind in "iu":
        numbers, places = rank(column.astype(np.float64))
        if not len(numbers) or (numbers[0] > -_EXACT and numbers[-1] < _EXACT):
            return GivenLabels(numbers.astype(column.dtype), places)
    if column.dtype != object:
        return GivenLabels(*np.unique(column, return_inverse=True))
    return _of_objects(column.tolist())


def _of_objects(cells: list[Any]) -> GivenLabels:
    """Read labels from Python objects; labels of different types are different, so 1 is not True."""
    several = len(set(map(type, cells))) > 1
    keys = list(zip(map(type, cells), cells, strict=True)) if several else cells
    try:
        # For 32,561 texts, a dictionary takes 3 ms and numpy's sort 30.
        known = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    except TypeError as error:
        raise ReadError(f"Unknown label type: {error}; labels are text, numbers or booleans") from None
    distinct = [cell for _, cell in known] if several else list(known)
    return GivenLabels(_objects(distinct), np.fromiter(map(known.__getitem__, keys), np.intp, len(keys)))


def _objects(values: Sequence[object]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _of_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as an array of text, numbers or booleans; objects become numbers or booleans if they all are."""
    if labels.dtype != object:
        if labels.dtype.kind not in "Ubiuf":
            raise ReadError(f"Unknown label type: {labels.dtype}; labels are text, numbers or booleans: y.astype(str)")
        return labels
    types = {type(label) for label in labels.tolist()}
    kinds = {label_type(one) for one in types}
    if kinds == {str} and all(issubclass(one, str) for one in types):
        return _objects(list(map(str, labels)))
    if kinds == {bool}:
        return labels.astype(bool)
    if kinds == {int}:
        return _integers(labels)
    if kinds <= {int, float}:
        return labels.astype(np.float64)
    names = ", ".join(sorted(one.__name__ for one in types))
    several = "labels of mixed types" if len(types) > 1 else "labels that are not text, numbers or booleans"
    raise ReadError(f"Unknown label type: {several} ({names}); make them all text: y.astype(str)")


def _integers(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        return labels.astype(np.int64)
    except OverflowError:
        raise ReadError("y has integers beyond 64 bits; make the labels text: y.astype(str)") from None
