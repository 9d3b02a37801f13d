"""`FittedClassifier`: the attributes of a classifier after `fit`, saving and pickling."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unless.estimators.learners import Learner
from unless.estimators.model_file import file_text, parsed
from unless.estimators.model_inputs import ModelInputs, warn_of_unseen
from unless.estimators.prediction_reader import NewRecords, PredictionReader
from unless.estimators.relational_input import as_table
from unless.evaluation.metrics import holdout_text
from unless.files import gzip_if_named_so, write_whole
from unless.model import DataOrigin, HoldoutResult, Model
from unless.model.lazy_value import LazyValue
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.score.score_card import ScoreCard
from unless.table import Schema, Table

if TYPE_CHECKING:
    from unless.evaluation.periods import PeriodResult
    from unless.evaluation.stability import Stability
    from unless.evaluation.tradeoff import TradeOff
    from unless.learn.distillation import DistillationResult


class FittedClassifier(BaseEstimator, Learner):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn estimator that holds a model; most of its attributes are parts of the model.

    Attributes
    ----------
    model_ : Model
        Everything that is known after `fit`, as one object.
    classes_ : array
        The labels, sorted.
    stability_ : Stability or None
        The result of the last call of `stability`; it is not saved.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array
        The names of the features; it exists only if all of them are text, as in scikit-learn.
    """

    model_: Model
    stability_: Stability | None

    @property
    def program_(self) -> Program:
        """The rules."""
        return self._fitted.program

    @property
    def statistics_(self) -> RuleStatistics:
        """How many training records of each class each rule decided."""
        return self._fitted.statistics

    @property
    def schema_(self) -> Schema:
        """How the training columns were read; ``read_table(source, like=model)`` reads new records the same way."""
        return self._fitted.schema

    @property
    def domain_(self) -> Table:
        """The categories (at most 1,000) or the range of numbers in training, for each feature that rules test."""
        return self._fitted.domain

    @property
    def card_(self) -> ScoreCard | None:
        """The points of each part of the program, from which probabilities are computed.

        None with a single label, with too many points, or for a file of an earlier version.
        """
        return self._fitted.card

    @property
    def tested_(self) -> HoldoutResult | None:
        """The results on held-out records, for a model that ``unless fit`` has written."""
        return self._fitted.tested

    @property
    def origin_(self) -> DataOrigin | None:
        """The fingerprint of the data and the held-out records, for a model that ``unless fit`` has written."""
        return self._fitted.origin

    @property
    def missing_counts_(self) -> Mapping[str, float] | None:
        """The number of missing training cells of each feature that rules test; None if unknown."""
        return self._fitted.missing_counts

    @property
    def distillation_(self) -> DistillationResult | None:
        """The teacher that the list imitates, and how often they agree on held-out records; None without a teacher."""
        return self._fitted.distillation

    @property
    def tuned_(self) -> Mapping[str, float] | None:
        """The settings that trials chose (``tune``, ``penalty="auto"``); None if the given settings were used."""
        return self._fitted.tuned

    @property
    def locked_(self) -> tuple[int, ...]:
        """The indices of the rules that were locked in ``fit(..., keep=, lock=)``."""
        return self._fitted.locked

    @property
    def trade_off_(self) -> TradeOff | None:
        """The trade-off of accuracy and number of rules, for a model from ``unless fit --trade-off``."""
        return self._fitted.trade_off

    @property
    def periods_(self) -> tuple[PeriodResult, ...]:
        """The tests on one period after the other, for a model from ``unless fit --time … --test-by``."""
        return self._fitted.periods

    @property
    def _fitted(self) -> Model:
        """The model; before `fit`, raises an error that is also an AttributeError, so that hasattr returns False."""
        check_is_fitted(self)
        return self.model_

    def _current(self) -> Model:
        """The model with the classifier's current parameters."""
        return replace(self._fitted, parameters=self._parameters())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The permutation importance of each feature; 0 if no rule tests it.

        The accuracy lost when the feature's values are swapped between training records, as a share of the sum over all
        features.
        """
        shares = self._fitted.importances
        if shares is None:
            raise AttributeError(
                "feature_importances_ are not known: the model was saved by an earlier version; fit it again, or "
                "measure them on labelled records: model.with_program(model.program_, X, y)"
            )
        return shares.copy()

    @property
    def rules_(self) -> Any:
        """The rules, their support and their precision, as a data frame: of pandas, if it is installed.

        ``expected_precision`` is the expected precision of a rule on new records, ``low`` and ``high`` are the ends of
        its 95 % interval, and ``in_training`` is its precision in training, which is usually higher
        (`RuleStatistics`).
        """
        from unless.estimators.rule_frames import rules_frame

        return rules_frame(self._fitted, self.stability_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, completely or not at all; `unless.load` reads it back.

        A file whose name ends with .gz is compressed: ``model.save("model.json.gz")``.
        """
        write_whole(path, gzip_if_named_so(file_text(self._current()).encode(), path))

    def __str__(self) -> str:
        from unless.explanation.rule_listing import listing_text, listing_title

        if not hasattr(self, "program_"):
            return repr(self)
        return f"{listing_title(self.program_)}\n{listing_text(self.program_, self.statistics_)}{self._test_line()}"

    def _test_line(self) -> str:
        """Return a line with the results on held-out records, to print below the rules."""
        return "" if self.tested_ is None else f"\n\ntest: {holdout_text(self.tested_)}"

    def _repr_html_(self) -> str | None:
        from unless.report.render import model_html

        return model_html(repr(self), getattr(self, "program_", None), getattr(self, "statistics_", None))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        html = self._repr_html_()
        return {"text/plain": repr(self)} | ({} if html is None else {"text/html": html})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        given = tags.input_tags
        given.allow_nan = given.string = given.categorical = given.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle: the model as the text of its file, without training records.

        Pickles therefore stay readable when the internals of the package change, and skops, which requires trust in
        every type, finds only the type of the classifier.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        model = state.pop("model_", None)
        state.pop("stability_", None)
        state.pop("_reader", None)
        return state if model is None else {**state, "_file": file_text(replace(model, parameters={}))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the model from its text, with the same checks as for an untrusted file."""
        text = state.get("_file")
        super().__setstate__({name: value for name, value in state.items() if name != "_file"})
        if text is not None:
            self._become(parsed(text.encode(), "the pickled model"), self.classes_)  # type: ignore[arg-type]

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    # Helpers.

    @property
    def _inputs(self) -> ModelInputs:
        """The reader of records for the model."""
        return ModelInputs(self._fitted, type(self).__name__)

    def _records(self, X: Any) -> NewRecords:
        """Read records for a prediction; warn the caller of values that did not occur in training."""
        check_is_fitted(self)
        records = self._reader.value.read(as_table(self.model_, X))
        if records.unseen:
            warn_of_unseen(records.unseen, 4)
        return records

    def _become(self, model: Model, classes: NDArray[Any]) -> None:
        """Turn this object into the fitted classifier of a model; ``classes`` is an array, as in scikit-learn."""
        self.model_, self.classes_, self.stability_ = model, classes, None
        self._reader = LazyValue(partial(PredictionReader, model, type(self).__name__))
        self.n_features_in_ = len(model.schema.sources)
        if model.named:
            self.feature_names_in_ = np.array(model.schema.sources, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
