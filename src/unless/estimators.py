"""Three scikit-learn classifiers: validate, call the learner, store. What they learn is ``program_``."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unless.errors import Interrupted, ParameterError, UnknownNameError, suggest
from unless.explain import Proof, explain
from unless.inputs import labels_of, read_features, read_features_alike, weights_of
from unless.learn import Progress, fold_rm, fold_rpp
from unless.measure import Statistics, measure
from unless.predict import deciding_rules, predict
from unless.progress import Meter
from unless.refine import fold_unless
from unless.rule import Program
from unless.table import Labels, Table
from unless.values import Label

__all__ = ["FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier"]

Learn = Callable[..., Program]


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
            categories, numbers are numbers, null and NaN are missing.
        y
            The labels: text, numbers or booleans, none missing.
        sample_weight
            The weight of every record: 2 is the record twice, 0 its absence.

        Ctrl-C leaves the model fitted with the rules learned so far, and goes on as KeyboardInterrupt.
        """
        self._check_limits()
        features, named = read_features(X, self.numeric, self.categorical)
        classes, labels = labels_of(y, len(features))
        table = Table(features.columns, labels, len(features), features.missing)
        weights = weights_of(sample_weight, self.class_weight, labels)
        self._prepare(labels)
        interrupted: Interrupted | None = None
        try:
            with Meter(len(table), self.verbose) as meter:
                program = self._learn(table, weights=weights, progress=self._limits(meter))
        except Interrupted as stop:
            program, interrupted = stop.program, stop
        self.classes_ = classes
        self.n_features_in_ = len(table.columns)
        self._named = named
        if named:
            self.feature_names_in_ = np.array(table.features, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.schema_ = table.schema
        self.program_ = self._complete(program, table, weights)
        self.statistics_ = measure(self.program_, table, weights)
        if interrupted is not None:
            raise interrupted
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of every record."""
        table = self._table(X)
        labels = predict(self.program_, table)
        return labels if None in labels else labels.astype(self.classes_.dtype)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class (columns as in ``classes_``).

        It is the class distribution of the training records that the deciding rule decided, smoothed by two records of the
        class prior; the predicted label always has the largest. Where no rule decides: of the records that none decided.
        """
        rules = self.apply(X)
        return self.statistics_.probabilities()[rules]  # type: ignore[no-any-return]

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The index in ``program_.rules`` of the rule that decides each record, -1 where none does."""
        table = self._table(X)
        return deciding_rules(self.program_, table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy; a record that is not classified counts as wrong."""
        right = np.asarray(self.predict(X) == np.asarray(y).reshape(-1), dtype=float)
        return float(np.average(right, weights=sample_weight))

    def explain(self, X: Any) -> list[Proof]:
        """Why each record is decided as it is."""
        table = self._table(X)
        return [explain(self.program_, table.record(row)) for row in range(len(table))]

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
        rows = len(self.program_.rules)
        statistics = self.statistics_
        columns = {
            "order": list(range(1, rows + 1)),
            "label": [rule.head for rule in self.program_.rules],
            "text": [str(replace(rule, head=None)) for rule in self.program_.rules],
            "support": statistics.support[:rows].tolist(),
            "coverage": statistics.coverage[:rows].tolist(),
            "precision": statistics.precision[:rows].tolist(),
            "lift": statistics.lift[:rows].tolist(),
            "exceptions": [len(rule.exceptions) for rule in self.program_.rules],
        }
        try:
            import pandas as frames  # noqa: PLC0415 - heavy, and optional
        except ImportError:
            import polars as frames  # type: ignore[no-redef]  # noqa: PLC0415
        return frames.DataFrame(columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, whole or not at all; `unless.load` reads it back."""
        from unless.model import save  # noqa: PLC0415 - models know estimators

        check_is_fitted(self)
        save(self, path)

    def __str__(self) -> str:
        return str(self.program_) if hasattr(self, "program_") else repr(self)

    def _repr_html_(self) -> str:
        from unless.notebook import rules_html  # noqa: PLC0415 - only notebooks need it

        return (
            rules_html(self.program_, self.statistics_, repr(self))
            if hasattr(self, "program_")
            else f"<pre>{self!r}</pre>"
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "program_")

    # What the three do differently, and small steps.

    def _learn(self, table: Table, **more: Any) -> Program:
        raise NotImplementedError

    def _prepare(self, labels: Labels) -> None:
        """Check parameters that depend on the labels."""

    def _complete(self, program: Program, table: Table, weights: NDArray[np.float64] | None) -> Program:  # noqa: ARG002
        """The program with what it says where no rule decides."""
        return program

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_features_alike(X, self.schema_, self, named=self._named)

    def _check_limits(self) -> None:
        for name in ("max_rules", "max_seconds"):
            limit = getattr(self, name)
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float) or limit < 0):
                raise ParameterError(f"{name} must be a number of at least 0 or None, not {limit!r}")

    def _limits(self, meter: Meter) -> Progress:
        started = time.monotonic()

        def progress(rows: int, rules: int) -> bool:
            meter.show(rows, rules)
            enough = self.max_rules is not None and rules >= self.max_rules
            late = self.max_seconds is not None and time.monotonic() - started >= self.max_seconds
            return enough or late

        return progress


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
    label: risk if smokes is 'yes'
    label: fine if true
    """

    def __init__(
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

    def _learn(self, table: Table, **more: Any) -> Program:
        return fold_unless(table, self.ratio, self.penalty, self.min_support, **more)


class FoldRMClassifier(RuleClassifier):
    """FOLD-RM exactly as published: an ordered list of rules for any number of labels.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    otherwise
        The label of records that no rule covers: "most_frequent" of the training records that none covers (of all, if there
        are none), a label, or None: then ``predict`` gives None, and ``score`` counts it as wrong, as the paper does.
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

    def _learn(self, table: Table, **more: Any) -> Program:
        return fold_rm(table, self.ratio, **more)

    def _prepare(self, labels: Labels) -> None:
        if self.otherwise not in (None, "most_frequent", *labels.labels):
            near = suggest(str(self.otherwise), map(str, labels.labels))
            raise UnknownNameError(f"otherwise is no label: {self.otherwise!r}{near}")

    def _complete(self, program: Program, table: Table, weights: NDArray[np.float64] | None) -> Program:
        if self.otherwise is None or (self.otherwise != "most_frequent"):
            return replace(program, otherwise=self.otherwise)
        counts = measure(program, table, weights).counts
        left = counts[-1] if counts[-1].any() else counts.sum(axis=0)
        return replace(program, otherwise=table.target.labels[int(np.argmax(left))])  # type: ignore[union-attr]


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

    def _learn(self, table: Table, **more: Any) -> Program:
        labels = table.target.labels  # type: ignore[union-attr]
        return fold_rpp(table, labels[-1] if self.positive is None else self.positive, self.ratio, **more)

    def _prepare(self, labels: Labels) -> None:
        if len(labels.labels) > 2:
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"There are {len(labels.labels)} labels; use FoldRMClassifier or UnlessClassifier"
            )

    def _complete(self, program: Program, table: Table, weights: NDArray[np.float64] | None) -> Program:  # noqa: ARG002
        labels = table.target.labels  # type: ignore[union-attr]
        return program if len(labels) > 1 else replace(program, otherwise=labels[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
