"""What the three classifiers share: validate, call the learner, store; predict, explain, save."""

# ruff: noqa: N803 - X is what scikit-learn calls it, and of any type
from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unless.errors import ParameterError, ProgramError, UnlessWarning
from unless.estimators import file as modelfile
from unless.estimators.file import SavedModel
from unless.estimators.learners import Learner, learn
from unless.estimators.training import (
    known_labels,
    read_alike,
    read_labels,
    read_training,
    row_counts,
    same,
    true_places,
)
from unless.explanation.changes.counterfactuals import Counterfactuals, counterfactuals
from unless.explanation.why import Proof, WhyNot, explain, why_not
from unless.explanation.words import Words
from unless.judge.importance import Evidence, importances
from unless.judge.rules import measure
from unless.judge.unseen import Unseen, summary, unseen_values, unusual
from unless.prediction import deciding_rules, predict
from unless.report import report
from unless.report.notebook import model_html
from unless.rule import Program
from unless.table import Labels, Schema, Table, domain_of
from unless.values import Label, Value

__all__ = ["RuleClassifier"]


class RuleClassifier(ClassifierMixin, BaseEstimator, Learner):  # type: ignore[misc]  # scikit-learn has no types
    """What the three classifiers share: everything but how they learn, which is `unless.estimators.learners`.

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

    _importances: Evidence | NDArray[np.float64] | None = None

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
        data = read_training(X, y, sample_weight, self.class_weight, self.numeric, self.categorical)
        learned = learn(self, data)
        self._become(learned.model, data.classes)
        if learned.interrupted is not None:
            raise learned.interrupted
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

    def unseen(self, X: Any) -> tuple[Unseen, ...]:
        """What new records hold, in the features that rules test, that training did not have, and how many do.

        Categories, numbers outside the range, text where all was numbers. Predicting warns of the same, but for what
        may be chance: ``by_chance`` says so.
        """
        return unseen_values(self, self._table(X, tell=False))

    def with_program(self, program: Program, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """A copy of the model that decides by an edited program; what its rules decide is counted on these records.

        Rules may be left out, reordered, changed and added, as long as they test features and give labels of training.
        """
        table = self._table(X, tell=False)
        if program.features != self.program_.features:
            raise ProgramError(
                "the program has other features than the model; edit its rules: replace(model.program_, rules=...)"
            )
        classes = self.statistics_.classes
        for label in program.labels:
            same(label, classes, "the program has")
        codes = known_labels(y, classes, len(table))
        counts = row_counts(sample_weight, len(table))
        labelled = replace(table, target=Labels(program.target, classes, codes))
        there = labelled if counts is None else labelled[counts > 0]
        edited = copy(self)
        edited.program_, edited.statistics_ = program, measure(program, labelled, counts)
        edited.domain_ = domain_of(there, program.used)
        edited._importances = Evidence.of(program, labelled, counts)  # noqa: SLF001 - a copy of its own
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
        shares = self._importances = importances(self._importances)
        if shares is None:
            raise AttributeError(
                "feature_importances_ are not known: the model was saved by an earlier version; fit it again, or "
                "measure them on labelled records: model.with_program(model.program_, X, y)"
            )
        return shares.copy()

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
        modelfile.save(self._saved(), path)

    def _saved(self) -> SavedModel:
        """The model as a value, with the parameters that the classifier has now."""
        return SavedModel(
            self.program_,
            self.statistics_,
            self.schema_,
            self.domain_,
            self._classifier,
            self._parameters(),
            self._named,
            self._importances,
        )

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

    # Small steps.

    def _become(self, model: SavedModel, classes: NDArray[Any]) -> None:
        """Be the fitted classifier of a model; its classes as scikit-learn has them."""
        self.program_, self.statistics_ = model.program_, model.statistics_
        self.schema_, self.domain_ = model.schema_, model.domain_
        self._importances = model.importances
        self.classes_ = classes
        self.n_features_in_ = len(model.schema_.kinds)
        self._set_names(model.program_.features if model.named else None)

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
        table = self._table([record] if isinstance(record, Mapping) else record, caller=4)
        if len(table) != 1:
            raise ParameterError(f"one record is wanted, not {len(table)}; pass them one by one")
        return table.record(0)

    def _table(self, X: Any, *, tell: bool = True, caller: int = 3) -> Table:
        """Records, read like those of training; ``tell`` the caller what they hold that training did not have."""
        check_is_fitted(self)
        table = read_alike(X, self.schema_, self.domain_, type(self).__name__, named=self._named)
        if lines := summary(unusual(unseen_values(self, table))) if tell else []:
            warnings.warn("\n".join(["values that training did not have:", *lines]), UnlessWarning, stacklevel=caller)
        return table


def _frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    try:
        import pandas as pd  # heavy, and optional
    except ImportError:
        import polars as pl

        return pl.DataFrame(columns)
    return pd.DataFrame(columns)


def _total(program: Program) -> bool:
    """Whether the program has a label for every record."""
    return program.otherwise is not None or any(not rule.default and not rule.exceptions for rule in program.rules)
