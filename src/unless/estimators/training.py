"""What scikit-learn users pass, as tables: frames, arrays and lists as X, labels as y, weights."""

# ruff: noqa: N803 - X and y are what scikit-learn calls them, and of any type
from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from narwhals import dependencies
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.learn.engine import Engine
from unless.learn.fold import engine_of
from unless.learn.memory import MemoryEngine
from unless.learn.weights import as_counts, checked, times
from unless.read.frames import frame_source, label_cells
from unless.read.ranks import again, rank
from unless.read.table import read_table
from unless.table import Labels, Schema, Table
from unless.values import Label, class_place, plain, value_of

__all__ = [
    "Training",
    "known_labels",
    "read_alike",
    "read_labels",
    "read_training",
    "row_counts",
    "same",
    "true_places",
]

Weights = NDArray[np.float64]

_HEAVIEST = 1e200
"""Of a class."""

_EXACT = 2.0**53
"""Below, float64 tells whole numbers apart."""


@dataclass(frozen=True, slots=True)
class Training:
    """The records to learn from: a table with labels, the classes as scikit-learn has them.

    ``counts`` says how many times each row is there, once if it is None; ``named``, whether the columns have names of
    their own: those of an array are called x0, x1 and so on.
    """

    table: Table
    labels: Labels
    classes: NDArray[Any]
    counts: Weights | None
    named: bool

    def engine(self, ratio: float) -> Engine[Any]:
        """Who answers the questions of a learner with that ratio."""
        return engine_of(MemoryEngine(self.table, self.counts), ratio)


def read_training(
    X: Any,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    numeric: Sequence[Any] | None,
    categorical: Sequence[Any] | None,
) -> Training:
    """X, y and weights as a table to learn from; rows of weight 0 are left out, as if they had never been there.

    Rows that weigh too little to count (`as_counts`) stay: their labels are classes, their values were seen.
    """
    given = _given(X)
    found = _labels_given(X, y)
    if y is not None:
        _checks().check_consistent_length(np.empty(given.rows), found.places)
    weights = _row_weights(sample_weight, given.rows)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        given, found, weights = given.taking(kept), found.taking(kept), weights[kept]
    counts = None if weights is None else as_counts(weights)
    features = _read(given.source, _texts(numeric), _texts(categorical))
    classes, codes = _classes(found)
    name = _target_name(X.target if y is None else y, features.features)
    labels = Labels(name, tuple(classes.tolist()), codes)
    if class_weight is not None:
        counts = np.ones(len(codes)) if counts is None else counts
        counts = times(counts, _class_weights(class_weight, labels, counts)[labels.codes])
    table = Table(features.columns, labels, len(features), features.missing)
    return Training(table, labels, classes, counts, given.named)


@dataclass(frozen=True, slots=True)
class Alike:
    """How the columns of training were read, and what is known of their values: what ``like=`` takes."""

    schema: Schema
    domain_: Table

    def renamed(self, names: Sequence[str]) -> Alike:
        """The same of columns of other names."""
        new = dict(zip(self.schema.kinds, names, strict=True))
        kinds = dict(zip(names, self.schema.kinds.values(), strict=True))
        domain = self.domain_.renamed([new[feature] for feature in self.domain_.features])
        return Alike(replace(self.schema, kinds=kinds), domain)

    def read(self, table: Table) -> Table:
        """A table that was read in another way, with the features of which something is known as training had them."""
        known = {column.name: column for column in self.domain_.columns}
        columns = [again(column, known[column.name]) if column.name in known else column for column in table.columns]
        return replace(table, columns=tuple(columns))


def read_alike(X: Any, schema: Schema, domain: Table, name: str, *, named: bool) -> Table:
    """X as a table read like the training data of the classifier: by name where both have names, else by position."""
    given = _given(X)
    like = Alike(replace(schema, target=None), domain)  # a column of that name is none of ours to read
    if isinstance(X, Table):
        _extra(given.names, schema)
        return like.read(X)
    if named and given.named:
        if extra := _extra(given.names, schema):
            _warn(f"X has {len(extra)} columns that {name} was not trained on; they are ignored: {_listed(extra)}")
        return read_table(given.source, like=like)
    if named:
        _warn(f"X does not have valid feature names, but {name} was fitted with feature names")
    elif given.named:
        _warn(f"X has feature names, but {name} was fitted without feature names")
    expected = list(schema.kinds)
    if len(given.names) != len(expected):
        raise ParameterError(
            f"X has {len(given.names)} features, but {name} is expecting {len(expected)} features as input"
        )
    return read_table(given.source, like=like.renamed(given.names)).renamed(expected)


def true_places(y: Any, classes: Sequence[Label], rows: int) -> NDArray[np.intp]:
    """The place of every true label among the classes, -1 where it is none; labels that are no labels are refused."""
    found = _found(y)
    _checks().check_consistent_length(np.empty(rows), found.places)
    labels = [plain(label) for label in found.distinct]
    if any(value_of(label) is None for label in labels):
        raise ReadError("y has missing labels (NaN or None); leave those rows out, or fill in their labels")
    places = [class_place(label, classes) if isinstance(label, str | bool | int | float) else None for label in labels]
    if labels and all(place is None for place in places) and _kind(labels[0]) != _kind(classes[0]):
        raise ReadError(
            f"y has labels such as {labels[0]!r}, training had labels such as {classes[0]!r}, and they have "
            "no label in common; give y as it was in training"
        )
    return np.array([-1 if place is None else place for place in places], dtype=np.intp)[found.places]  # type: ignore[no-any-return]


def _kind(label: object) -> type:
    return next((kind for kind in (str, bool) if isinstance(label, kind)), float)


def known_labels(y: Any, classes: Sequence[Label], rows: int) -> NDArray[np.intp]:
    """The place of every label among the classes."""
    found = _found(y)
    _checks().check_consistent_length(np.empty(rows), found.places)
    places = np.array([same(label, classes, "y has") for label in found.distinct], dtype=np.intp)
    return places[found.places]  # type: ignore[no-any-return]


def read_labels(y: Any, name: str, rows: int) -> Labels:
    """True labels to compare with, also such as training did not have."""
    found = _found(y)
    _checks().check_consistent_length(np.empty(rows), found.places)
    classes, codes = _classes(found)
    return Labels(name, tuple(classes.tolist()), codes)


def same(label: object, labels: Sequence[Label], what: str) -> int:
    """The place of a label among others, whatever its type (`class_place`)."""
    found = plain(label)
    place = class_place(found, labels) if isinstance(found, str | bool | int | float) else None
    if place is not None:
        return place
    raise UnknownNameError(f"{what} {found!r}, which is no label of training{suggest(str(found), map(str, labels))}")


def _checks() -> Any:
    """scikit-learn's checks, for what only its users pass: the command learns from tables without importing it."""
    from sklearn.utils import validation

    return validation


# X.


@dataclass(frozen=True, slots=True)
class _Given:
    """What `read_table` takes, the names of its columns as text, whether they are names of their own, and its rows."""

    source: Any
    names: list[str]
    named: bool
    rows: int

    def taking(self, rows: NDArray[np.intp]) -> _Given:
        """The same of these rows only."""
        if isinstance(self.source, Table):
            return replace(self, source=self.source[rows])
        from sklearn.utils import _safe_indexing

        return replace(self, source=_safe_indexing(self.source, rows))


def _given(X: Any) -> _Given:
    if isinstance(X, Table):
        if not len(X) or not X.columns:
            what = "feature" if len(X) else "sample"
            raise ReadError(f"Found array with 0 {what}(s): the table has {len(X)} rows and {len(X.columns)} features")
        return _Given(X, list(X.features), named=True, rows=len(X))
    if isinstance(X, Mapping) and not hasattr(X, "tocsr"):  # one kind of sparse matrix is a dict
        raise ParameterError("X is a dict; give a list of records, [X], or a data frame")
    if isinstance(X, list | tuple) and X and all(isinstance(record, Mapping) for record in X):
        keys = list(dict.fromkeys(key for record in X for key in record))
        if not keys:
            raise ReadError("Found array with 0 feature(s): the records of X are empty")
        return _Given(list(X), [str(key) for key in keys], all(isinstance(key, str) for key in keys), len(X))
    if not isinstance(X, np.ndarray) and (opened := frame_source(X)) is not None:
        if not opened.rows or not opened.names:  # the words that scikit-learn uses
            what, shape = "feature" if opened.rows else "sample", (opened.rows, len(opened.names))
            raise ReadError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")
        pandas = dependencies.is_pandas_like_dataframe(X)
        return _Given(X, list(opened.names), not pandas or all(isinstance(k, str) for k in X.columns), opened.rows)
    array = _checks().check_array(_objects(X), dtype=None, ensure_all_finite=False)
    return _Given(array, [f"x{place}" for place in range(array.shape[1])], named=False, rows=len(array))


def _objects(X: Any) -> Any:
    """Lists as arrays of objects, so that numbers stay numbers beside text and booleans; dates as Python's dates."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    if isinstance(X, np.ndarray) and X.dtype.kind == "M":
        return X.astype("datetime64[us]").astype(object)  # finer ones would become integers
    return X


def _read(source: Any, numeric: list[str] | None, categorical: list[str] | None) -> Table:
    if isinstance(source, Table):
        if numeric or categorical:
            raise ParameterError("the columns of a table have their kinds: give numeric and categorical to read_table")
        return source
    table = read_table(source, numeric=numeric, categorical=categorical)
    if any(column.kind == "mixed" for column in table.columns):
        # Once it is known to be mixed, a column of new records is read as numbers where text spells them: so is this.
        return read_table(source, like=table.schema)
    return table


def _texts(names: Iterable[Any] | None) -> list[str] | None:
    """Declared columns by name; of an array, by number."""
    if names is None or isinstance(names, str) or not isinstance(names, Iterable):
        return names  # type: ignore[return-value]  # read_table says what is wrong with it
    return [f"x{name}" if isinstance(name, int | np.integer) else name for name in names]


def _extra(found: list[str], schema: Schema) -> list[str]:
    """The columns that training did not have; one that training had and that is lacking is an error."""
    present = set(found)
    if lacking := [feature for feature in schema.kinds if feature not in present]:
        near = suggest(lacking[0], found)
        raise UnknownNameError(f"X lacks {len(lacking)} of the features of training: {_listed(lacking)}{near}")
    return [feature for feature in found if feature not in schema.kinds]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=5)  # of who called predict


# y.


@dataclass(frozen=True, slots=True)
class _Found:
    """The distinct labels, in any order, and the place of every row's."""

    distinct: NDArray[Any]
    places: NDArray[Any]

    def taking(self, rows: NDArray[np.intp]) -> _Found:
        """The same of these rows only."""
        return replace(self, places=self.places[rows]).occurring()

    def occurring(self) -> _Found:
        """The same without labels that no row has."""
        counts = np.bincount(self.places, minlength=len(self.distinct))
        if counts.all():
            return self
        return _Found(self.distinct[counts > 0], (np.cumsum(counts > 0) - 1)[self.places])


def _labels_given(X: Any, y: Any) -> _Found:
    if y is not None:
        return _found(y)
    if not isinstance(X, Table):
        raise ReadError("requires y to be passed, but the target y is None")
    if X.target is None:
        raise ReadError("the table has no labels to learn from; name them: read_table(source, target=...)")
    return _Found(_objects_of(X.target.labels), X.target.codes).occurring()


def _found(y: Any) -> _Found:
    """Labels of any library; those that frames read by column are not looked at one by one."""
    if (cells := label_cells(y)) is not None:
        missing = [None] if len(cells.codes) and cells.codes.max() == len(cells.texts) else []
        return _Found(_objects_of([*cells.texts, *missing]), cells.codes)
    # A list as objects, since numpy would make numbers beside text text.
    array: NDArray[Any] = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    column: NDArray[Any] = _checks().column_or_1d(array, warn=True)
    if column.dtype.kind in "iu":
        numbers, places = rank(column.astype(np.float64))
        if not len(numbers) or (numbers[0] > -_EXACT and numbers[-1] < _EXACT):
            return _Found(numbers.astype(column.dtype), places)
    return _of_cells(column)


def _objects_of(values: Sequence[object]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _classes(found: _Found) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distinct labels in order, as scikit-learn gives them, and the place of each row's."""
    distinct, places = found.distinct, found.places
    if lost := {place for place, label in enumerate(distinct.tolist()) if value_of(label) is None}:
        rows = np.flatnonzero(np.isin(places, list(lost)))
        where = f"{len(rows)} missing labels (NaN or None), the first in row {rows[0] + 1}"
        raise ReadError(f"y has {where}; leave those rows out, or fill in their labels")
    if distinct.dtype == object:
        distinct = _one_type(distinct)
    if distinct.dtype.kind not in "OUbiuf":
        raise ReadError(f"Unknown label type: {distinct.dtype}; labels are text, numbers or booleans: y.astype(str)")
    if distinct.dtype.kind == "f":
        if not np.isfinite(distinct).all():
            raise ReadError("y has infinite labels; leave those rows out, or make the labels text: y.astype(str)")
        if (fractions := distinct[distinct != np.floor(distinct)]).size:
            raise ReadError(
                f"Unknown label type: continuous, such as {fractions.min()}; rules decide between labels, and these "
                "look like amounts: divide them into a few ranges, or make them text: y.astype(str)"
            )
    classes, order = np.unique(distinct, return_inverse=True)
    return classes, places if (order[1:] > order[:-1]).all() else order[places]


def _of_cells(cells: NDArray[Any]) -> _Found:
    """The distinct labels of an array; of objects, those of different types differ."""
    if cells.dtype != object:
        return _Found(*np.unique(cells, return_inverse=True))
    found = cells.tolist()
    several = len(set(map(type, found))) > 1
    keys = list(zip(map(type, found), found, strict=True)) if several else found
    try:
        # A dictionary of 32,561 texts takes 3 ms, numpy's sort of them 30.
        known = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    except TypeError as error:
        raise ReadError(f"Unknown label type: {error}; labels are text, numbers or booleans") from None
    distinct = [cell for _, cell in known] if several else list(known)
    return _Found(_objects_of(distinct), np.fromiter(map(known.__getitem__, keys), np.intp, len(keys)))


def _one_type(cells: NDArray[Any]) -> NDArray[Any]:
    """Objects of one type as an array of it; text stays objects."""
    kinds = {type(cell) for cell in cells.tolist()}
    if all(issubclass(kind, str) for kind in kinds):
        return np.array([str(cell) for cell in cells.tolist()], dtype=object)
    flags = {kind for kind in kinds if issubclass(kind, bool | np.bool_)}
    if flags == kinds:
        return cells.astype(bool)
    if not flags and all(issubclass(kind, int | np.integer) for kind in kinds):
        return _integers(cells)
    if not flags and all(issubclass(kind, int | float | np.number) for kind in kinds):
        return cells.astype(np.float64)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    several = "labels of mixed types" if len(kinds) > 1 else "labels of a type that is none of text, number, boolean"
    raise ReadError(f"Unknown label type: {several} ({names}); make them all text: y.astype(str)")


def _integers(cells: NDArray[Any]) -> NDArray[Any]:
    try:
        return cells.astype(np.int64)
    except OverflowError:
        raise ReadError("y has integers beyond 64 bits; make the labels text: y.astype(str)") from None


def _target_name(y: Any, features: Sequence[str]) -> str:
    """The name of y if it has one of its own, else ``label``; never that of a feature."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name and name not in features else "label"
    while name in features:
        name += "_"
    return name


# Weights.


def row_counts(sample_weight: Any, rows: int) -> Weights | None:
    """How many times each of so many rows is there (`as_counts`); None if there are no weights."""
    weights = _row_weights(sample_weight, rows)
    return None if weights is None else as_counts(weights)


def _row_weights(sample_weight: Any, rows: int) -> Weights | None:
    """The weights of so many rows, checked; None if there are none."""
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight

    weights = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
    return checked(weights, rows)


def _class_weights(class_weight: Any, labels: Labels, counts: Weights) -> Weights:
    """The weight of every class: named, or, balanced, the same for all classes together."""
    totals = np.bincount(labels.codes, counts, len(labels.labels))
    if isinstance(class_weight, str) and class_weight == "balanced":
        there = totals > 0  # a class may weigh too little to count
        return np.where(there, totals.sum() / (np.count_nonzero(there) * np.where(there, totals, 1.0)), 0.0)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"class_weight must be a dict, 'balanced' or None, not {class_weight!r}")
    found = np.full(len(labels.labels), np.nan)
    unknown: list[UnknownNameError] = []
    for label, weight in class_weight.items():
        try:
            found[same(label, labels.labels, "class_weight names")] = _checked(label, weight)
        except UnknownNameError as error:
            unknown.append(error)
    if unknown and np.isnan(found).any():  # where all are named, a fold of a cross-validation may lack some
        raise unknown[0]
    return np.where(np.isnan(found), 1.0, found)


def _checked(label: object, weight: object) -> float:
    plain = weight.item() if isinstance(weight, np.generic) else weight
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not 0 <= plain < _HEAVIEST:
        raise ParameterError(f"class_weight of {label!r} must be a number of at least 0, not {weight!r}")
    return float(plain)
