"""Teachers: a committee or a classifier that labels records, for a list to imitate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.learn.committee_learner import CommitteeSettings, learn_committee
from unless.learn.distillation import DistillationResult, TeacherAnswers, TeacherFunction, learn_distilled_list
from unless.model.points import leading_label_index, probabilities_of
from unless.model.prediction import predict
from unless.table import Column, Labels, Table
from unless.values import class_index, to_python_value

if TYPE_CHECKING:
    import pandas as pd

    from unless.estimators.training_data import LearningLimits, TrainingData
    from unless.learn.unless_learner import UnlessSettings
    from unless.learn.weights import Weights
    from unless.rule import Program


def check_teacher(teacher: Any) -> None:
    """Reject a value that cannot be a teacher."""
    if teacher is None or (isinstance(teacher, str) and teacher == "committee"):
        return
    if isinstance(teacher, type) or not (hasattr(teacher, "fit") and hasattr(teacher, "predict")):
        raise ParameterError(
            f"teacher must be 'committee', a classifier such as RandomForestClassifier(), or None, not {teacher!r:.60}"
        )


def teacher_name(teacher: Any) -> str:
    """Return the name of a teacher for the model."""
    return teacher if isinstance(teacher, str) else type(teacher).__name__


def learn_from_teacher(
    data: TrainingData, settings: UnlessSettings, seed: int, limits: LearningLimits
) -> tuple[Program, DistillationResult | None]:
    """Learn a list from a teacher; before that, learn from four fifths of the records to measure agreement."""
    imitate = partial(learn_distilled_list, settings=settings, seed=seed, progress=limits, n_jobs=settings.n_jobs)
    found = None
    unseen = data.table.fold_numbers() % np.uint64(5) == 0
    counts = None if data.counts is None else data.counts[~unseen]
    if unseen.any() and not unseen.all() and (counts is None or counts.any()):
        some, rest = data.table[~unseen], data.table[unseen]
        seen = replace(data, table=some, labels=some.labels, counts=counts)  # all labels: a teacher may give a rare one
        teacher = _make_teacher(seen, settings, seed, limits)
        imitation = imitate(some, counts, teacher)
        agreement = float(
            np.mean(predict(imitation, rest) == np.array(some.labels.labels, dtype=object)[teacher(rest).labels])
        )
        found = DistillationResult(teacher_name(settings.teacher), agreement, len(rest))
    return imitate(data.table, data.counts, _make_teacher(data, settings, seed, limits)), found


def _make_teacher(data: TrainingData, settings: UnlessSettings, seed: int, limits: LearningLimits) -> TeacherFunction:
    """Train the teacher on the records; return a function that labels rows."""
    if not isinstance(settings.teacher, str):
        return classifier_as_teacher(settings.teacher, data.table, data.counts, named=data.named)
    asked = settings.learn_constraints.constraints
    committee = CommitteeSettings(constraints=None if asked is None else replace(asked, monotone=()))
    found = learn_committee(
        data.table, data.counts, committee, seed, limits.lists, late=limits.late, n_jobs=settings.n_jobs
    )
    if found.interrupted is not None:
        raise found.interrupted

    def label(rows: Table) -> TeacherAnswers:
        sums = found.committee.sums(rows)
        return TeacherAnswers.of(leading_label_index(sums), probabilities_of(sums))

    return label


def is_fitted(teacher: Any) -> bool:
    """Return whether a classifier is fitted."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(teacher)
    except (NotFittedError, TypeError):
        return False
    return True


def classifier_as_teacher(teacher: Any, table: Table, counts: Weights | None, *, named: bool) -> TeacherFunction:
    """Return a function that labels rows with a scikit-learn classifier, which is fitted to the table if necessary.

    The classifier receives a pandas frame if the columns have names, otherwise an array of numbers and text.
    """
    if not is_fitted(teacher):
        from sklearn.base import clone

        teacher = clone(teacher)
        labels = np.array(table.labels.labels, dtype=object if isinstance(table.labels.labels[0], str) else None)
        more = {} if counts is None else _weights_for(teacher, counts)
        _call_teacher(teacher, "fit", frame_of(table, named=named), labels[table.labels.codes], **more)

    def label(rows: Table) -> TeacherAnswers:
        frame = frame_of(rows, named=named)
        said = _label_indices(_call_teacher(teacher, "predict", frame), table.labels, type(teacher).__name__, len(rows))
        if not hasattr(teacher, "predict_proba"):
            return TeacherAnswers(said)
        shares = np.asarray(_call_teacher(teacher, "predict_proba", frame), dtype=np.float64)
        whole = shares.ndim == 2 and len(shares) == len(rows) and bool(np.isfinite(shares).all())
        return TeacherAnswers.of(said, shares.clip(0, 1)) if whole else TeacherAnswers(said)

    return label


def _weights_for(teacher: Any, counts: Weights) -> dict[str, Any]:
    """Return the argument that passes weights to a classifier, or to the last step of a pipeline."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    step, last = teacher.steps[-1] if isinstance(teacher, Pipeline) else ("", teacher)
    if not has_fit_parameter(last, "sample_weight"):
        name = type(last).__name__
        raise ParameterError(f"the teacher {name} takes no weights; leave them out, fit it first, or use 'committee'")
    return {f"{step}__sample_weight" if step else "sample_weight": counts}


def _call_teacher(teacher: Any, what: str, *given: Any, **more: Any) -> Any:
    """Call a method of a teacher; report its errors as errors of the teacher."""
    try:
        return getattr(teacher, what)(*given, **more)
    except Exception as error:
        hint = (
            "; put an encoder before it (make_pipeline), or use teacher='committee'" if "convert" in str(error) else ""
        )
        raise ParameterError(f"the teacher {type(teacher).__name__} cannot {what}: {error!s:.200}{hint}") from error


def _label_indices(said: Any, labels: Labels, name: str, rows: int) -> NDArray[np.intp]:
    """Return the indices of the labels that a teacher predicted."""
    found = np.asarray(said, dtype=object)
    if found.shape != (rows,):
        raise ParameterError(
            f"the teacher {name} must predict one label for each record, not an array of shape {found.shape}"
        )
    known: dict[Any, int] = {}
    for one in set(found.tolist()):
        place = class_index(to_python_value(one), labels.labels)
        if place is None:
            raise ParameterError(f"the teacher {name} predicts {one!r}, which is not a label of training")
        known[one] = place
    return np.array([known[one] for one in found.tolist()], dtype=np.intp)


def frame_of(table: Table, *, named: bool) -> pd.DataFrame | NDArray[Any]:
    """Return the features of a table as a frame, or as an array if the columns have no names."""
    columns = [_column_cells(column.with_special_codes()) for column in table.columns]
    if named:
        import pandas as pd

        return pd.DataFrame(dict(zip(table.features, columns, strict=True)))
    return np.column_stack(columns) if columns else np.empty((len(table), 0))


def _column_cells(column: Column) -> NDArray[Any]:
    """Return the cells of a column: numbers with NaN for missing, booleans, or text with None for missing."""
    if not column.categories:
        numbers: NDArray[np.float64] = np.append(column.numbers, np.nan)[column.codes]
        return numbers
    values: NDArray[np.object_] = np.array([*column.numbers, *column.categories, None], dtype=object)[column.codes]
    flags = not len(column.numbers) and set(column.categories) <= {"True", "False"}
    return values == "True" if flags and (column.codes < column.missing).all() else values
