"""Three scikit-learn classifiers: validate, call the learner, store. What they learn is ``program_``."""

# ruff: noqa: ANN401, N803 - X is what scikit-learn calls it, and of any type
from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, column_or_1d

from unless.domain import domain_of
from unless.errors import Interrupted, ParameterError, ProgramError
from unless.explain import Proof, explain
from unless.inputs import Training, known_labels, read_alike, read_training, same
from unless.learn import Progress, fold_rm, fold_rpp
from unless.measure import measure
from unless.predict import deciding_rules, predict
from unless.progress import Meter
from unless.refine import fold_unless
from unless.rule import Program
from unless.table import Labels, Schema, Table, smallest
from unless.values import Label

__all__ = ["FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier"]


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the three classifiers share: everything but how they learn.

    Attributes
    ----------
    program_ : Program
        The rules.
    classes_ : array
        The labels, sorted.
    feature_importances_ : array
        For each feature the share of training records that were decided by a rule which tests it.
    statistics_ : Statistics
        How many training records of each class each rule decided.
    schema_ : Schema
        How the columns were read; new records are read alike.
    domain_ : Table
        Of the features that the rules test, the categories (at most 1,000 each) and the range of numbers of training.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; names only if all of them are text.
    """

    numeric: Sequence[Any] | None
    categorical: Sequence[Any] | None
    class_weight: Any
    max_rules: int | None
    max_seconds: float | None
    verbose: bool | int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rules from records and their labels.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, a list of dicts, or an array. Text, categorical and boolean columns are
            categories, numbers are numbers, dates are ISO text, null and NaN are missing.
        y
            The labels: text, numbers or booleans, none missing. Its name, if it has one, is the program's target.
        sample_weight
            The weight of every record: 2 is the record twice, 0 its absence.

        Ctrl-C leaves the model fitted with the rules learned so far, and goes on as KeyboardInterrupt.
        """
        self._check_limits()
        data = read_training(X, y, sample_weight, self.class_weight, self.numeric, self.categorical)
        interrupted: Interrupted | None = None
        try:
            with Meter(on=bool(self.verbose)) as meter:
                program = self._learn(data, progress=self._limits(meter))
        except Interrupted as stop:
            program, interrupted = cast("Program", stop.program), stop
        self.classes_ = data.classes
        self.n_features_in_ = len(data.table.columns)
        self._set_names(data.table.features if data.named else None)
        self.schema_ = data.table.schema
        self._decide_by(self._complete(program, data), data.table, data.weights)
        if interrupted is not None:
            raise interrupted
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of every record; of a program that can leave records unclassified objects, and None for those."""
        table = self._table(X)
        labels = predict(self.program_, table)
        return labels.astype(self.classes_.dtype) if _total(self.program_) else labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class (columns as in ``classes_``).

        It is the class distribution of the training records that the deciding rule decided, with a few records of the
        class prior added; the predicted label always has the largest. Where no rule decides: of the records that none
        decided.
        """
        table = self._table(X)
        return self.statistics_.probabilities()[deciding_rules(self.program_, table)]

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The index in ``program_.rules`` of the rule that decides each record, -1 where none does."""
        table = self._table(X)
        return deciding_rules(self.program_, table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy; a record that is not classified counts as wrong."""
        predicted, wanted = self.predict(X).astype(object), column_or_1d(np.asarray(y, dtype=object))
        check_consistent_length(predicted, wanted, sample_weight)
        return float(np.average(predicted == wanted, weights=sample_weight))

    def explain(self, X: Any) -> list[Proof]:
        """Why each record is decided as it is."""
        table = self._table(X)
        return [explain(self.program_, table.record(row)) for row in range(len(table))]

    def with_program(self, program: Program, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """A copy of the model that decides by an edited program; what its rules decide is counted on these records.

        Rules may be left out, reordered, changed and added, as long as they test features and give labels of training.
        """
        table = self._table(X)
        if program.features != self.program_.features:
            raise ProgramError(
                "the program has other features than the model; edit its rules: replace(model.program_, rules=...)"
            )
        classes = self.statistics_.classes
        for label in {*(rule.head for rule in program.rules), program.otherwise} - {None}:
            same(label, classes, "the program has")
        codes = known_labels(y, classes, len(table))
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, codes, dtype=np.float64)
        edited = copy(self)
        labels = Labels(program.target, classes, smallest(codes, len(classes)))
        edited._decide_by(program, Table(table.columns, labels, len(table), table.missing), weights)  # noqa: SLF001
        return edited

    @property
    def schema(self) -> Schema:
        """How the columns were read, so that ``read_table(source, like=model)`` reads new records alike."""
        check_is_fitted(self)
        return self.schema_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """For each feature the share of training records that were decided by a rule which tests it."""
        check_is_fitted(self)
        shares = np.zeros(self.n_features_in_)
        place = {feature: k for k, feature in enumerate(self.program_.features)}
        for rule, share in zip(self.program_.rules, self.statistics_.coverage, strict=False):
            shares[[place[feature] for feature in {literal.feature for literal in rule.literals()}]] += share
        return shares

    @property
    def rules_(self) -> Any:
        """The rules as a data frame, a pandas one where pandas is at hand: what they say, decide and get right."""
        check_is_fitted(self)
        rules, statistics = self.program_.rules, self.statistics_
        columns = {
            "order": list(range(1, len(rules) + 1)),
            "label": [rule.head for rule in rules],
            "text": [str(replace(rule, head=None)) for rule in rules],
            "support": statistics.support[: len(rules)].tolist(),
            "coverage": statistics.coverage[: len(rules)].tolist(),
            "precision": statistics.precision[: len(rules)].tolist(),
            "lift": statistics.lift[: len(rules)].tolist(),
            "exceptions": [len(rule.exceptions) for rule in rules],
        }
        return _frame(columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, whole or not at all; `unless.load` reads it back."""
        from unless.model import save  # noqa: PLC0415 - models know estimators

        check_is_fitted(self)
        save(self, path)

    def __str__(self) -> str:
        return str(self.program_) if hasattr(self, "program_") else repr(self)

    def _repr_html_(self) -> str:
        from unless.notebook import model_html  # noqa: PLC0415 - only notebooks need it

        return model_html(repr(self), getattr(self, "program_", None), getattr(self, "statistics_", None))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "program_")

    # What the three do differently, and small steps.

    def _learn(self, data: Training, *, progress: Progress) -> Program:
        raise NotImplementedError

    def _complete(self, program: Program, data: Training) -> Program:  # noqa: ARG002
        """The program with what it says where no rule decides."""
        return program

    def _decide_by(self, program: Program, table: Table, weights: NDArray[np.float64] | None) -> None:
        """Store a program, with what it does on labelled records."""
        self.program_ = program
        self.statistics_ = measure(program, table, weights)
        self.domain_ = domain_of(table, program.used)

    def _set_names(self, names: Sequence[str] | None) -> None:
        """Tell the names of the features; None if they are only numbered."""
        self._named = names is not None
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_alike(X, self.schema_, type(self).__name__, named=self._named)

    def _check_limits(self) -> None:
        rules, seconds = plain(self.max_rules), plain(self.max_seconds)
        if rules is not None and (isinstance(rules, bool) or not isinstance(rules, int) or rules < 1):
            raise ParameterError(f"max_rules must be a whole number from 1 on, or None, not {rules!r}")
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0
        ):
            raise ParameterError(f"max_seconds must be a number of at least 0, or None, not {seconds!r}")

    def _limits(self, meter: Meter) -> Progress:
        started = time.monotonic()

        def progress(rows: int, rules: int) -> bool:
            meter.show(rows, rules)
            enough = self.max_rules is not None and rules + self._rules_to_come >= self.max_rules
            late = self.max_seconds is not None and time.monotonic() - started >= self.max_seconds
            return enough or late

        return progress

    _rules_to_come = 0
    """How many rules the learner adds at the end, of those that ``max_rules`` allows."""


def _frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    try:
        import pandas as pd  # noqa: PLC0415 - heavy, and optional
    except ImportError:
        import polars as pl  # noqa: PLC0415

        return pl.DataFrame(columns)
    return pd.DataFrame(columns)


def plain(value: Any) -> Any:
    """A parameter as a value of Python: a search over ``np.arange(3)`` gives numpy's."""
    return value.item() if isinstance(value, np.generic) else value


def _total(program: Program) -> bool:
    """Whether the program has a label for every record."""
    return program.otherwise is not None or any(not rule.default and not rule.exceptions for rule in program.rules)


class UnlessClassifier(RuleClassifier):
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

    def __init__(  # noqa: PLR0913 - scikit-learn's way
        self,
        ratio: float = 0.75,
        penalty: float = 1.0,
        min_support: float = 3,
        *,
        numeric: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        class_weight: Mapping[Label, float] | str | None = None,
        max_rules: int | None = None,
        max_seconds: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.ratio = ratio
        self.penalty = penalty
        self.min_support = min_support
        self.numeric = numeric
        self.categorical = categorical
        self.class_weight = class_weight
        self.max_rules = max_rules
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _learn(self, data: Training, *, progress: Progress) -> Program:
        parameters = plain(self.ratio), plain(self.penalty), plain(self.min_support)
        return fold_unless(data.table, *parameters, weights=data.weights, progress=progress)

    _rules_to_come = 1  # the one for everything that is left


class FoldRMClassifier(RuleClassifier):
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

    def __init__(
        self,
        ratio: float = 0.5,
        otherwise: Label | None = "most_frequent",
        *,
        numeric: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        class_weight: Mapping[Label, float] | str | None = None,
        max_rules: int | None = None,
        max_seconds: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.ratio = ratio
        self.otherwise = otherwise
        self.numeric = numeric
        self.categorical = categorical
        self.class_weight = class_weight
        self.max_rules = max_rules
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _learn(self, data: Training, *, progress: Progress) -> Program:
        self._otherwise(data)
        return fold_rm(data.table, plain(self.ratio), weights=data.weights, progress=progress)

    def _complete(self, program: Program, data: Training) -> Program:
        otherwise = self._otherwise(data)
        if otherwise is None and self.otherwise is not None:
            counts = measure(program, data.table, data.weights).counts
            left = counts[-1] if counts[-1].any() else counts.sum(axis=0)
            otherwise = data.labels.labels[int(np.argmax(left))]
        return replace(program, otherwise=otherwise)

    def _otherwise(self, data: Training) -> Label | None:
        """The label that is named for records which no rule covers, if one is."""
        if self.otherwise is None or self.otherwise == "most_frequent":
            return None
        return data.labels.labels[same(self.otherwise, data.labels.labels, "otherwise is")]


class FoldRPPClassifier(RuleClassifier):
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

    def __init__(
        self,
        ratio: float = 0.5,
        positive: Label | None = None,
        *,
        numeric: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        class_weight: Mapping[Label, float] | str | None = None,
        max_rules: int | None = None,
        max_seconds: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.ratio = ratio
        self.positive = positive
        self.numeric = numeric
        self.categorical = categorical
        self.class_weight = class_weight
        self.max_rules = max_rules
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _learn(self, data: Training, *, progress: Progress) -> Program:
        labels = data.labels.labels
        if len(labels) > 2:
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"There are {len(labels)} labels; use FoldRMClassifier or UnlessClassifier"
            )
        positive = labels[-1 if self.positive is None else same(self.positive, labels, "positive is")]
        return fold_rpp(data.table, positive, plain(self.ratio), weights=data.weights, progress=progress)

    def _complete(self, program: Program, data: Training) -> Program:
        labels = data.labels.labels
        return program if len(labels) > 1 else replace(program, otherwise=labels[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
