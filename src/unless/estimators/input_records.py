"""Read records as users of scikit-learn pass them (X: frames, arrays, lists), for training and for prediction."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from narwhals import dependencies
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, check_array

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.estimators.input_labels import GivenLabels
from unless.estimators.learners import DECLARED, Learner, refuse_kinds
from unless.estimators.training_data import TrainingData, class_weights
from unless.learn.weights import Weights, check_weights, weights_to_counts
from unless.read.column_inference import read_as_in_training
from unless.read.frames import frame_source, is_sparse, matrix_source, to_native_frame
from unless.read.headers import refuse_twins
from unless.read.table import read_table
from unless.table import Column, Labels, Schema, SplitColumn, Table
from unless.table.record_hashes import record_hashes
from unless.values import Label, count_text

if TYPE_CHECKING:
    from unless.blocks.block_dataset import BlockDataset


@contextmanager
def training_for(
    learner: Learner, X: Any, y: Any, sample_weight: Any, feature_names: Sequence[str] | None = None, groups: Any = None
) -> Iterator[tuple[TrainingData, NDArray[Any]]]:
    """Read the training data and the classes; temporary blocks are deleted on exit."""
    data, classes = read_training(learner, X, y, sample_weight, feature_names, groups)
    try:
        yield data, classes
    finally:
        if data.blocks is not None and data.blocks is not X:
            data.blocks.close()


def read_training(
    learner: Learner, X: Any, y: Any, sample_weight: Any, feature_names: Sequence[str] | None = None, groups: Any = None
) -> tuple[TrainingData, NDArray[Any]]:
    """Read the training data, and the classes as scikit-learn represents them.

    Rows of weight 0 are left out, as if they did not exist. Rows that weigh too little to count (`weights_to_counts`)
    stay: their labels are classes, and their values count as seen.
    """
    from unless.blocks.inputs import is_source
    from unless.estimators.relational_input import read_relations
    from unless.relational import Relations

    if is_source(X):
        _refuse_names(X, feature_names)
        if groups is not None:
            raise ParameterError("groups is for records in memory, not for a file or a query; read them: read_table")
        return _read_source(learner, X, y, sample_weight)
    if isinstance(X, Relations):
        _refuse_names(X, feature_names)
        if groups is not None:
            raise ParameterError("groups is for one table, not for several; leave it out")
        return read_relations(learner, X, y, _row_weights(sample_weight, len(X)))
    given = Given.of(X).called(feature_names)
    found = _labels(X, y, given.rows)
    weights = _row_weights(sample_weight, given.rows)
    cells = group_cells(groups, given.rows)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        given, found, weights = given.taking(kept), found.taking(kept), weights[kept]
        cells = None if cells is None else cells[kept]
    features = given.table(learner)
    classes, codes = found.classes()
    name = _target_name(X, y, features.features)
    labels = Labels(name, tuple(classes.tolist()), codes)
    table = Table(
        features.columns, labels, len(features), features.missing, parts=features.parts, groups=features.groups
    )
    table = with_groups(table, cells)
    counts = None if weights is None else weights_to_counts(weights)
    just_read = not isinstance(given.source, Table)
    return TrainingData.of(table, learner.class_weight, counts, named=given.named, just_read=just_read), classes


def _read_source(learner: Learner, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, NDArray[Any]]:
    """Read a file, a query or a frame of an engine; y and sample_weight name the columns of labels and weights."""
    from unless.blocks.block_dataset import BlockDataset
    from unless.blocks.inputs import open_source

    if sample_weight is not None and not isinstance(sample_weight, str):
        raise ParameterError("sample_weight must name a column of the source that X is")
    factors = None
    if learner.class_weight is not None:

        def factors(labels: tuple[Label, ...], totals: Weights) -> Weights:
            return class_weights(learner.class_weight, labels, totals)

    declared = {name: getattr(learner, name) for name in DECLARED}
    found = open_source(
        X, y, weights=sample_weight, factors=factors, drop_weightless=True, n_jobs=learner.n_jobs, **declared
    )
    training = (
        _of_blocks(found, X)
        if isinstance(found, BlockDataset)
        else TrainingData.of(found[0], learner.class_weight, found[1])
    )
    labels = training.labels.labels
    return training, np.array(labels, dtype=object if isinstance(labels[0], str) else None)


def _of_blocks(blocks: BlockDataset, X: Any) -> TrainingData:
    try:
        return TrainingData.of_blocks(blocks)
    except BaseException:
        if blocks is not X:
            blocks.close()
        raise


def row_counts(sample_weight: Any, rows: int) -> Weights | None:
    """Return how often each row counts (`weights_to_counts`); None without weights."""
    weights = _row_weights(sample_weight, rows)
    return None if weights is None else weights_to_counts(weights)


def _row_weights(sample_weight: Any, rows: int) -> Weights | None:
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
    return check_weights(weights, rows)


def group_cells(groups: Any, rows: int) -> NDArray[np.object_] | None:
    """Check the groups of the rows: one value for each."""
    cells = None if groups is None else np.asarray(groups, dtype=object)
    if cells is not None and cells.shape != (rows,):
        raise ParameterError(f"groups takes a value for each of {count_text(rows, 'record')}, like y")
    return cells


def with_groups(table: Table, cells: NDArray[np.object_] | None) -> Table:
    """Add the group of each row to a table; a record without a group is one of its own, as equal records are."""
    if cells is None:
        return table
    alone = record_hashes(table.columns, len(table))
    return replace(table, groups=SplitColumn("groups").group_hashes(Column.of("groups", cells), alone))


def true_labels(X: Any, y: Any) -> Any:
    """Return the labels to compare with: y, or if y is None the labels of the table X."""
    from unless.relational import Relations

    if y is None and not isinstance(X, Table | Relations):
        raise ReadError("requires y to be passed, but the target y is None; only a table has labels of its own")
    return X.y if y is None else y


def _labels(X: Any, y: Any, rows: int) -> GivenLabels:
    """Read the labels of y, or if y is None the labels of the table X."""
    if y is not None:
        return GivenLabels.of(y, rows)
    if not isinstance(X, Table):
        raise ReadError("requires y to be passed, but the target y is None")
    return GivenLabels(np.array(X.labels.labels, dtype=object), X.labels.codes).taking(np.arange(rows))


def _target_name(X: Any, y: Any, features: Sequence[str]) -> str:
    """Return the name of y or of the table's target; ``label`` if there is no name or a feature has the same name."""
    name = getattr(y, "name", None)
    if name is None and isinstance(X, Table):
        name = getattr(X.target, "name", None)
    name = name if isinstance(name, str) and name and name not in features else "label"
    while name in features:
        name += "_"
    return name


@dataclass(frozen=True, slots=True)
class Given:
    """An input for `read_table`, with the names of its columns and the number of its rows.

    ``named`` is False if the columns have no names of their own and are called x0, x1 and so on.
    """

    source: Any
    names: Sequence[str]
    named: bool
    rows: int

    @classmethod
    def of(cls, X: Any) -> Given:
        """Recognise the type of X, which must have at least one row and one column."""
        if isinstance(X := to_native_frame(X), Table):  # noqa: N806
            found: Given | None = cls(X, X.features, named=True, rows=len(X))
        else:
            found = cls._of_records(X) or cls._of_frame(X)
        if found is None:
            array = check_array(_objects(X), accept_sparse=True, dtype=None, ensure_all_finite=False)
            source = matrix_source(array)
            return cls(array, source.names, named=False, rows=source.rows)
        if not found.rows or not found.names:  # scikit-learn's words
            what, shape = "feature" if found.rows else "sample", (found.rows, len(found.names))
            raise ReadError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")
        return found

    @classmethod
    def _of_records(cls, X: Any) -> Given | None:
        if isinstance(X, Mapping) and not is_sparse(X):  # one kind of sparse matrix is a dict
            raise ParameterError("X is a dict; pass a list of records, [X], or a data frame")
        if not (isinstance(X, list | tuple) and X and all(isinstance(record, Mapping) for record in X)):
            return None
        keys = list(dict.fromkeys(key for record in X for key in record))
        return cls(list(X), list(map(str, keys)), _are_texts(keys), len(X))

    @classmethod
    def _of_frame(cls, X: Any) -> Given | None:
        if isinstance(X, np.ndarray) or is_sparse(X) or (frame := frame_source(X)) is None:
            return None
        named = not dependencies.is_pandas_like_dataframe(X) or _are_texts(X.columns)
        return cls(X, list(frame.names), named, frame.rows)

    def called(self, names: Iterable[str] | None) -> Given:
        """Return the same input with these names, for an array or a matrix."""
        if names is None:
            return self
        if not isinstance(self.source, np.ndarray) and not is_sparse(self.source):
            _refuse_names(self.source, names)
        found = [] if isinstance(names, str) else list(names)
        if not found or not _are_texts(found):
            raise ParameterError(f"feature_names takes a text for each column of X, not {names!r:.60}")
        if len(found) != len(self.names):
            raise ParameterError(
                f"feature_names has {len(found)} names, but X has {count_text(len(self.names), 'column')}"
            )
        refuse_twins(found, "feature_names")
        return replace(self, names=list(map(str, found)), named=True)

    def taking(self, rows: NDArray[np.intp]) -> Given:
        """Return only these rows."""
        picked = self.source[rows] if isinstance(self.source, Table) else _safe_indexing(self.source, rows)
        return replace(self, source=picked)

    def table(self, learner: Learner) -> Table:
        """Read the table to learn from, with the column kinds that the learner declares."""
        if isinstance(self.source, Table):
            refuse_kinds(learner)
            return self.source
        matrix = isinstance(self.source, np.ndarray) or is_sparse(self.source)
        source = matrix_source(self.source, self.names) if matrix and self.named else self.source
        numeric, categorical = self._texts(learner.numeric), self._texts(learner.categorical)
        dates, orders = self._keys(learner.dates), self._keys(learner.orders)
        parts, special = self._texts(learner.parts), self._keys(learner.special)
        return read_table(
            source, numeric=numeric, categorical=categorical, dates=dates, orders=orders, parts=parts, special=special
        )

    def _texts(self, names: Iterable[Any] | None) -> list[str] | None:
        """Return the names of declared columns; the columns of an array may be declared by index."""
        if names is None or isinstance(names, str) or not isinstance(names, Iterable):
            return names  # type: ignore[return-value]  # read_table raises the error
        return [self._name(int(name)) if isinstance(name, int | np.integer) else name for name in names]

    def _name(self, place: int) -> str:
        if dependencies.is_pandas_like_dataframe(self.source):
            return str(place)
        matrix = isinstance(self.source, np.ndarray) or is_sparse(self.source)
        return self.names[place] if matrix and 0 <= place < len(self.names) else f"x{place}"

    def _keys(self, declared: Any) -> Any:
        """Return declarations of columns by name, as in `_texts`."""
        if not isinstance(declared, Mapping):
            return self._texts(declared)
        return dict(zip(self._texts(declared) or (), declared.values(), strict=True))


def _refuse_names(X: Any, names: object) -> None:
    """Reject names for an input that has its own column names."""
    if names is not None:
        raise ParameterError(
            f"feature_names is for arrays and sparse matrices, not for {type(X).__name__}; leave it out"
        )


def _are_texts(names: Iterable[object]) -> bool:
    return all(isinstance(name, str) for name in names)


def _objects(X: Any) -> Any:
    """Convert lists to arrays of objects, so that numbers beside text stay numbers, and numpy dates to Python dates."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    if isinstance(X, np.ndarray) and X.dtype.kind == "M":
        return X.astype("datetime64[us]").astype(object)  # finer ones would become integers
    return X


# New records, read like those of training.


_WIDE = 1000
"""If there are more columns than this, only the training columns are read."""


@dataclass(frozen=True, slots=True)
class LikeTraining:
    """How the training columns were read, and which values they had: an argument for ``like=``."""

    schema: Schema
    domain: Table

    def renamed(self, names: Sequence[str]) -> LikeTraining:
        """Return the same columns under other names."""
        new = dict(zip(self.schema.kinds, names, strict=True))
        kinds = dict(zip(names, self.schema.kinds.values(), strict=True))
        notations = {new[name]: notation for name, notation in self.schema.notations.items()}
        special = {new[name]: codes for name, codes in self.schema.special.items()}
        domain = self.domain.renamed([new[feature] for feature in self.domain.features])
        return LikeTraining(replace(self.schema, kinds=kinds, notations=notations, special=special), domain)


def read_like_training(
    X: Any,
    schema: Schema,
    domain: Table,
    name: str,
    *,
    named: bool,
    features: Sequence[str] | None = None,
    caller: int = 4,
) -> Table:
    """Read X as a table, like the training data of the classifier: by name if both have names, else by position.

    ``features`` are the features to read; None reads all. ``caller`` is the stack level that warnings point at.
    """
    given = Given.of(X)
    like = LikeTraining(replace(schema, target=None), domain)  # a column with the name of the target is not read
    if isinstance(X, Table):
        _extra(given.names, schema)
        known = {column.name: column for column in domain.columns}  # their cells are read as in training
        columns = (
            read_as_in_training(column, known[column.name]) if column.name in known else column for column in X.columns
        )
        return replace(X, columns=tuple(columns))
    if named and given.named:
        if extra := _extra(given.names, schema):
            _warn(
                f"X has {count_text(len(extra), 'column')} that {name} was not trained on: {_listed(extra)}; ignored",
                caller,
            )
        return read_table(given.source, like=like, features=features)
    if named and not is_sparse(X):  # sparse matrices have no names
        _warn(f"X does not have valid feature names, but {name} was fitted with feature names", caller)
    elif given.named:
        _warn(f"X has feature names, but {name} was fitted without feature names", caller)
    expected = list(schema.kinds)
    if len(given.names) != len(expected):
        raise ParameterError(
            f"X has {len(given.names)} features, but {name} is expecting {len(expected)} features as input"
        )
    wanted = expected if features is None else list(features)
    theirs = dict(zip(expected, given.names, strict=True))
    names = [theirs[feature] for feature in wanted]
    return read_table(given.source, like=like.renamed(given.names), features=names).renamed(wanted)


def with_others(table: Table, X: Any) -> Table:
    """Add the columns of X that training did not have, by which people recognise records."""
    given = Given.of(X)
    others = [name for name in given.names if name not in table.features] if given.named else []
    if isinstance(X, Table) or not others or len(given.names) > _WIDE:
        return table
    return replace(table, columns=(*table.columns, *read_table(given.source, features=others).columns))


def _extra(found: Sequence[str], schema: Schema) -> list[str]:
    """Return the columns that training did not have; raise an error if a training column is missing."""
    present = schema.available(found)
    if lacking := [feature for feature in schema.kinds if feature not in present]:
        near = suggest(lacking[0], found)
        raise UnknownNameError(f"X lacks {len(lacking)} of the training features: {_listed(lacking)}{near}")
    return [feature for feature in found if feature not in schema.kinds and feature not in schema.parts]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def _warn(message: str, caller: int) -> None:
    warnings.warn(message, UserWarning, stacklevel=caller + 1)  # points at the caller of predict
