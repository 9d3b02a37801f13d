"""What the three classifiers share: validate, call the learner, store; predict, explain, save."""

# ruff: noqa: ANN401, N803 - X is what scikit-learn calls it, and of any type
from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unless import modelfile
from unless.counterfactual import Counterfactuals, counterfactuals
from unless.domain import domain_of
from unless.errors import ParameterError, ProgramError
from unless.explain import Proof, WhyNot, explain, why_not
from unless.importance import Evidence
from unless.inputs import Training, known_labels, read_alike, read_labels, read_training, row_counts, same, true_places
from unless.learn import Learned, Progress
from unless.measure import Statistics, measure, measured
from unless.notebook import model_html
from unless.predict import deciding_rules, predict
from unless.progress import Meter, meter
from unless.proof.words import Words
from unless.report import report
from unless.rule import Program
from unless.table import Labels, Schema, Table
from unless.values import Label, Value

__all__ = ["RuleClassifier", "plain"]


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the three classifiers share: everything but how they learn.

    Attributes
    ----------
    program_ : Program
        The rules.
    classes_ : array
        The labels, sorted.
    feature_importances_ : array
        What each feature adds to the accuracy: what is lost when its values are those of other training records, as
        a share of what is lost by all features; 0 if no rule tests it.
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn rules from records and their labels.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, a list of dicts, or an array. Text, categorical and boolean columns are
            categories, numbers are numbers, dates are ISO text, null and NaN are missing. Or a `Table` of `read_table`:
            what stands in a file is then read, here and in new records, as that table was.
        y
            The labels: text, numbers or booleans, none missing. Its name, if it has one, is the program's target.
            A table with a target has its own.
        sample_weight
            The weight of every record. Whole weights are repetitions: 2 is the record twice, 0 its absence. Of others
            only the proportions matter, as if the mean of those above 0 were 1.

        Ctrl-C leaves the model fitted with the rules learned so far, and goes on as KeyboardInterrupt.
        """
        self._check_limits()
        data = read_training(X, y, sample_weight, self.class_weight, self.numeric, self.categorical)
        with meter(on=bool(self.verbose)) as shown:
            learned = self._learn(data, progress=self._limits(shown))
        statistics = measured(learned, data.table, data.counts)
        program = self._complete(learned.program, data, statistics.counts)
        self.classes_ = data.classes
        self.n_features_in_ = len(data.table.columns)
        self._set_names(data.table.features if data.named else None)
        self.schema_ = data.table.schema
        self._decide_by(program, data.table, statistics, data.counts)
        learned.finished()
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
        """The accuracy; a record that is not classified counts as wrong.

        Labels of another type than in training are what they spell: "1" is 1, and 1 is True where all are booleans.
        Where none of them is a label of training, that is an error.
        """
        table = self._table(X)
        classes = self.statistics_.classes
        wanted = true_places(y, classes, len(table))
        heads = np.array([-2 if label is None else classes.index(label) for label in self.statistics_.labels])
        right = heads[deciding_rules(self.program_, table)] == wanted
        return float(np.average(right, weights=row_counts(sample_weight, len(table))))

    def explain(self, X: Any) -> list[Proof]:
        """Why each record is decided as it is."""
        table = self._table(X)
        return [explain(self.program_, table.record(row)) for row in range(len(table))]

    def why_not(self, record: Any, label: Label) -> WhyNot:
        """What stopped the rules of a label on one record: a mapping, a row of a frame, or a frame of one row."""
        return why_not(self.program_, self._record(record), label)

    def counterfactuals(
        self,
        record: Any,
        label: Label | None = None,
        *,
        fixed: Collection[str] = (),
        ranges: Mapping[str, object] | None = None,
        most: int = 3,
    ) -> Counterfactuals:
        """The nearest minimal changes of one record that give another label, or the named one.

        See `unless.counterfactuals`; categories and distances are those of the training records.
        """
        known = self._record(record)
        return counterfactuals(self.program_, known, label, fixed=fixed, ranges=ranges, most=most, table=self.domain_)

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
        counts = row_counts(sample_weight, len(table))
        edited = copy(self)
        labelled = replace(table, target=Labels(program.target, classes, codes))
        edited._decide_by(program, labelled, measure(program, labelled, counts), counts)  # noqa: SLF001
        return edited

    @property
    def schema(self) -> Schema:
        """How the columns were read, so that ``read_table(source, like=model)`` reads new records alike."""
        check_is_fitted(self)
        return self.schema_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of every feature in the accuracy that is lost when values are those of other training records."""
        check_is_fitted(self)
        if isinstance(self._importances, Evidence):  # it takes as long as predicting: only if somebody asks
            self._importances = self._importances.importances()
        if self._importances is None:
            raise AttributeError(
                "feature_importances_ are not known: the model was saved by an earlier version; fit it again, or "
                "measure them on labelled records: model.with_program(model.program_, X, y)"
            )
        return self._importances.copy()

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
        check_is_fitted(self)
        modelfile.save(self, path)

    def report(
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        sample: int = 2000,
        seed: int = 0,
        words: Words | None = None,
    ) -> None:
        """Write a page about the model on these records: one HTML file that needs nothing else.

        It shows the rules, what they decide, how good they are, where they are weak, and lets a reader change values
        and see the decision change. ``y`` are the true labels, None if they are unknown; see `unless.report.report`.
        """
        table = self._table(X)
        if y is not None:
            table = replace(table, target=read_labels(y, self.program_.target, len(table)))
        report(self, table, path, title=title, sample=sample, seed=seed, words=words)

    def __str__(self) -> str:
        return str(self.program_) if hasattr(self, "program_") else repr(self)

    def _repr_html_(self) -> str | None:
        return model_html(repr(self), getattr(self, "program_", None), getattr(self, "statistics_", None))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        html = self._repr_html_()
        return {"text/plain": repr(self)} | ({} if html is None else {"text/html": html})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: no records of training, from which importances are found here at the latest."""
        if isinstance(getattr(self, "_importances", None), Evidence):
            _ = self.feature_importances_
        return super().__getstate__()  # type: ignore[no-any-return]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "program_")

    # What the three do differently, and small steps.

    def _learn(self, data: Training, *, progress: Progress) -> Learned:
        raise NotImplementedError

    def _complete(self, program: Program, data: Training, counts: NDArray[np.float64]) -> Program:  # noqa: ARG002
        """The program with what it says where no rule decides, given what each rule and, at the end, none decides."""
        return program

    def _decide_by(
        self, program: Program, table: Table, statistics: Statistics, counts: NDArray[np.float64] | None
    ) -> None:
        """Store a program, with what it does on labelled records."""
        self.program_ = program
        self.statistics_ = replace(statistics, labels=(*statistics.labels[:-1], program.otherwise))
        self.domain_ = domain_of(table, program.used)
        self._importances = Evidence.of(program, table, counts)

    def _set_names(self, names: Sequence[str] | None) -> None:
        """Tell the names of the features; None if they are only numbered."""
        self._named = names is not None
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _record(self, record: Any) -> dict[str, Value]:
        """One record as values, read like the training data."""
        if not isinstance(record, Mapping) and hasattr(record, "to_dict") and getattr(record, "ndim", 0) == 1:
            record = record.to_dict()  # a row of a pandas frame
        table = self._table([record] if isinstance(record, Mapping) else record)
        if len(table) != 1:
            raise ParameterError(f"one record is wanted, not {len(table)}; pass them one by one")
        return table.record(0)

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_alike(X, self.schema_, self.domain_, type(self).__name__, named=self._named)

    def _check_limits(self) -> None:
        rules, seconds = plain(self.max_rules), plain(self.max_seconds)
        if rules is not None and (isinstance(rules, bool) or not isinstance(rules, int) or rules < 1):
            raise ParameterError(f"max_rules must be a whole number from 1 on, or None, not {rules!r}")
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0
        ):
            raise ParameterError(f"max_seconds must be a number of at least 0, or None, not {seconds!r}")

    def _limits(self, shown: Meter) -> Progress:
        started = time.monotonic()

        def progress(rows: int, rules: int) -> bool:
            shown.show(rows, rules)
            enough = self.max_rules is not None and rules + self._rules_to_come >= self.max_rules
            late = self.max_seconds is not None and time.monotonic() - started >= self.max_seconds
            return enough or late

        return progress

    _importances: Evidence | NDArray[np.float64] | None = None

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
