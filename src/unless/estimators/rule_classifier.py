"""What the three classifiers share: read what is given, call the learner, keep the model; predict, explain, save."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import os
import time
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unless.errors import ParameterError, UnlessWarning
from unless.estimators.editing import with_rules
from unless.estimators.input_labels import known_labels, read_labels, some_places, true_places
from unless.estimators.input_records import Given, read_alike, row_counts, training_for, true_labels, with_others
from unless.estimators.learners import Learner, learn
from unless.estimators.model_file import file_text, parsed
from unless.estimators.prediction_reader import NewRecords, PredictionReader
from unless.estimators.relational_input import as_table
from unless.estimators.relearning import stability_of
from unless.estimators.training_warnings import all_remarks, warn_of
from unless.evaluation.drift import ALPHA, watch
from unless.evaluation.drift_results import Watch
from unless.evaluation.metrics import holdout_text
from unless.evaluation.stability import Stability
from unless.evaluation.tradeoff import TradeOff
from unless.evaluation.unseen_values import Unseen, beyond_chance, unseen_summary, unseen_values
from unless.explanation.contributions import Contributions, contributions
from unless.explanation.counterfactuals.nearest import Counterfactuals, counterfactuals
from unless.explanation.effects import Effects, effects
from unless.explanation.input_records import unwrap_single, wrap_single_record
from unless.explanation.rule_listing import listing_text, listing_title
from unless.explanation.score_explanation import ScoreExplanation, explain_score
from unless.explanation.why import WhyNot, proof_of, why_not
from unless.explanation.words import Words
from unless.files import gzip_if_named_so, write_whole
from unless.learn.distillation import DistillationResult
from unless.model import DataOrigin, HoldoutResult, Model
from unless.model.lazy_value import LazyValue
from unless.model.rule_statistics import RuleStatistics
from unless.read.table import read_table
from unless.relational import Relations
from unless.report import report
from unless.report.card import ModelCard, model_card
from unless.report.render import model_html
from unless.rule import Program, Rule
from unless.score.score_card import ScoreCard, require_card
from unless.table import Labels, Schema, Table
from unless.values import Label, Value


class RuleClassifier(ClassifierMixin, BaseEstimator, Learner):  # type: ignore[misc]  # scikit-learn has no types
    """What the three classifiers share: everything but how they learn (`unless.estimators.learners`).

    Attributes
    ----------
    model_ : Model
        Everything that is known after `fit`, as one value; the attributes below are parts of it.
    program_ : Program
        The rules.
    classes_ : array
        The labels, sorted.
    feature_importances_ : array
        What each feature adds to the accuracy: the accuracy lost when its values are swapped between training records,
        as a share of the loss over all features; 0 if no rule tests it.
    statistics_ : RuleStatistics
        How many training records of each class each rule decided.
    schema_ : Schema
        How the columns were read; new records are read the same way.
    domain_ : Table
        The categories (at most 1,000) and the range of numbers that training had, for each feature that a rule tests.
    card_ : ScoreCard or None
        The points of each part of the program, from which probabilities come; None with one label, more than a million
        points, or in a file of an earlier version.
    tested_ : Tested or None
        What records that were held back have shown, in a model that `unless fit` has written; `fit` holds none back.
    origin_ : Origin or None
        The data that a model that `unless fit` has written is from: it is known again, and what was held back.
    gaps_ : mapping or None
        How many cells of each feature that rules test were missing in training; None if that is not known.
    stability_ : Stability or None
        What `stability` has found, once it was called; it is not saved.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; there are names only if all of them are text.
    """

    model_: Model
    stability_: Stability | None

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        keep: Program | Sequence[Rule] | RuleClassifier | None = None,
        lock: Sequence[int] | None = None,
    ) -> Self:
        """Learn rules from records and their labels.

        A `TrainingWarning` says what looks wrong: columns that only tell records apart, or are constant, or give the
        label away, labels that are none, rules that decide little. ``warn=False`` silences it.

        Ctrl-C raises KeyboardInterrupt and leaves the model fitted with the rules learned so far.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, a list of dicts, an array, or a sparse matrix. Text, categorical and
            boolean columns are categories, numbers are numbers, dates and times are compared as such, null and NaN are
            missing. Or a `Table` from `read_table`: new records are then read as that table was.
        y
            The labels: text, numbers or booleans, none missing. If y has a name, it is the program's target.
            A table with a target needs no y.
        sample_weight
            The weight of every record. Whole weights are repetitions: 2 counts the record twice, 0 leaves it out. If
            some are not whole, only the proportions matter: those above 0 are scaled to a mean of 1.
        feature_names
            The names of the columns of an array or a sparse matrix, such as ``vectorizer.get_feature_names_out()``; new
            sparse matrices have the same columns.
        keep
            Rules to learn around: a program, a list of rules, or a fitted model, such as last year's.
        lock
            Which of them stay, by their indices in ``keep.rules``; without, all but a last one that covers every
            record. Locked rules stay as they are, in their order. As many rules as were between two of them may be
            learned there, to correct the ones behind; all others come behind the last (docs/constraints.md).
        """
        with training_for(self, X, y, sample_weight, feature_names) as (records, classes):
            start = time.monotonic()
            data = replace(records, keep=keep, lock=lock)
            learned = learn(self, data)
            self._become(learned.model, classes)
            if learned.interrupted is not None:
                raise learned.interrupted
            if self.warn:
                warn_of(all_remarks(self, data, learned.model, time.monotonic() - start))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of every record; None where the program leaves a record unclassified."""
        return self._heads()[self._deciding(self._records(X))]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class (columns as in ``classes_``).

        They come from the whole list: each rule, exception and literal that holds adds its points (`score_card` shows
        them), and the predicted label always has the largest probability. ``statistics_.probabilities()[apply(X)]`` are
        the frequencies in training instead: the classes of the training records that the deciding rule decided, with a
        few records of the class prior added. A model from a file of an earlier version has only these.
        """
        records = self._records(X)
        if self.card_ is None:
            return self.statistics_.probabilities()[self._deciding(records)]
        return self.card_.shares(records.fills(self.card_.scorer.bins), records.rows)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The index in ``program_.rules`` of the rule that decides each record, -1 where none does."""
        return self._deciding(self._records(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy; a record that is not classified counts as wrong.

        A label of another type than in training is the class that it spells: "1" is 1, and 1 is True if all classes
        are booleans. If no label is a class, that is an error. A `Table` with labels needs no y.
        """
        truth = true_labels(X, y)
        decided = self._deciding(self._records(X))
        classes = self.statistics_.classes
        wanted = true_places(truth, classes, len(decided))
        heads = np.array([-2 if label is None else classes.index(label) for label in self.statistics_.labels])
        return float(np.average(heads[decided] == wanted, weights=row_counts(sample_weight, len(decided))))

    def explain(self, X: Any) -> Any:
        """Why a record gets its label: a `Proof`; for several records, a list of proofs.

        One record is what `why_not` and `counterfactuals` take: a mapping, a row of a frame or of an array, or a frame
        of one row. A list of records always gives a list, even if it has only one.
        """
        table = self._table(wrap_single_record(X))
        return unwrap_single(X, [proof_of(self.program_, table.record(row)) for row in range(len(table))])

    def why_not(self, record: Any, label: Label) -> WhyNot:
        """Why one record does not get a label; the record is a mapping, a row of a frame, or a frame of one row."""
        return why_not(self.program_, self._record(record), label)

    def score_card(self, record: Any) -> ScoreExplanation:
        """The points of one record: what each part of the program that holds adds to the odds of each label.

        They add up to its probabilities; printed, it is a table.
        """
        known = self._record(record)
        return explain_score(require_card(self.card_), known)

    def contributions(self, X: Any, background: Any) -> Contributions:
        """What each feature of records adds to the log-odds, compared with the mean of a background: Shapley values.

        They are exact, and add up. ``background`` are records to compare with, such as those of training; of more than
        1,000, 1,000 are used. Printed, they are sentences and bars; ``frame()`` is a data frame, and the plots of the
        shap package take ``to_shap()``.
        """
        return contributions(self._fitted, self._table(wrap_single_record(X)), self._table(background, tell=False))

    def effects(self, background: Any) -> Effects:
        """The curve of each feature: the mean log-odds of a background, if all its records had the same value of it."""
        return effects(self._fitted, self._table(background, tell=False))

    def counterfactuals(
        self,
        record: Any,
        label: Label | None = None,
        *,
        fixed: Collection[str] = (),
        ranges: Mapping[str, object] | None = None,
        most: int = 3,
    ) -> Counterfactuals:
        """The smallest changes of one record that give it another label, or the named one.

        See `unless.counterfactuals`; categories and distances come from the training records.
        """
        known = self._record(record)
        return counterfactuals(self.model_, known, label, fixed=fixed, ranges=ranges, most=most)

    def unseen(self, X: Any) -> tuple[Unseen, ...]:
        """The values in new records that training did not have, for each feature that a rule tests.

        They are new categories, numbers outside the range, and text where training had only numbers. Predicting warns
        of them, except where ``by_chance`` says that they may be chance.
        """
        return unseen_values(self.model_, self._table(X, tell=False))

    def watch(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        reference: tuple[Any, Any] | None = None,
        alpha: float = ALPHA,
        least: float = 0.0,
    ) -> Watch:
        """What has moved in new records since training: what rules decide, how often they are right, cells, labels.

        Parameters
        ----------
        y
            The true labels, if they are known; None or NaN where one is not known yet.
        sample_weight
            Whole weights are repetitions; of others, only the proportions matter.
        reference
            Earlier records and their labels (or None) to compare with, instead of those of training.
        alpha
            How often an alarm may be raised though nothing has changed.
        least
            Shares that differ by less raise no alarm: of a million records, any difference is more than chance.

        Returns
        -------
        Watch
            ``moved`` has what chance does not explain, ``rows`` is for a data frame.
        """
        earlier = None if reference is None else self._watched(*reference)
        table, truth = self._watched(X, y)
        weights = row_counts(sample_weight, len(table))
        return watch(self.model_, table, truth, weights, reference=earlier, alpha=alpha, least=least)

    def stability(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        n: int = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> Stability:
        """How stable the rules are: learn again from ``n`` bootstraps of the records, and see what comes back.

        ``X`` and ``y`` are the training records. See `unless.evaluation.stability` for what coming back means;
        afterwards ``rules_`` has two more columns, ``returns`` and ``same_tests``. ``n_jobs`` is the number of
        processes. The result depends on the seed, not on the order of records or the number of processes. Locked
        rules stay in all refits.
        """
        table = self._table(X, tell=False)
        classes, decides = self.statistics_.classes, self.model_.decider
        labels = Labels(self.program_.target, classes, known_labels(true_labels(X, y), classes, len(table)))
        counts = row_counts(sample_weight, len(table))
        labelled = replace(table, target=labels)
        options: dict[str, Any] = {"n": n, "seed": random_state, "n_jobs": n_jobs}
        found = stability_of(self, decides, labelled, counts, **options, lock=self.locked_)
        self.stability_ = found
        return found

    def model_card(  # noqa: PLR0913 - what people say about a model
        self,
        X: Any = None,
        y: Any = None,
        *,
        by: Sequence[str] = (),
        data: str | None = None,
        title: str | None = None,
        purpose: str | None = None,
        not_for: str | None = None,
        stability: Stability | None = None,
        watch: Watch | None = None,
    ) -> ModelCard:
        """A model card: what the model is, what it was learned from, how good it is, for whom, and its limits.

        Printed, it is Markdown; ``save(path)`` writes Markdown, HTML or JSON. ``X`` and ``y`` are labelled records, new
        ones at best: of those that the model was learned from and tested on, only the tested ones are judged. ``by``
        names columns of ``X``, features or not, whose values are subgroups. See `unless.report.card.model_card`.
        """
        table = None if X is None else self._carded(X, y, by)
        return model_card(
            self.model_,
            table,
            learner=self._classifier,
            parameters=self._parameters(),
            data=data,
            by=by,
            title=title,
            purpose=purpose,
            not_for=not_for,
            stability=stability or self.stability_,
            watch=watch,
        )

    def with_program(self, program: Program, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """A copy of the model with an edited program; these records show what its rules decide.

        Rules may be removed, reordered, changed and added, as long as they test features and give labels of training:
        ``model.with_program(unless.parse(text, like=model), X, y)``. If the records are those that the model is from,
        those held back test the edited rules as they did before.

        Without records only that is kept which is still true: what the rules before the first change decided. The
        others are not measured (``statistics_`` has NaN), there are no points (``card_`` is None) and no importances.
        """
        check_is_fitted(self)
        labelled = counts = None
        if X is not None:
            table = self._table(X, tell=False)
            classes = self.statistics_.classes
            codes = known_labels(true_labels(X, y), classes, len(table))
            counts = row_counts(sample_weight, len(table))
            labelled = replace(table, target=Labels(self.program_.target, classes, codes))
        elif y is not None or sample_weight is not None:
            raise ParameterError("there are labels or weights without records; give the records too: X")
        edited = type(self).__new__(type(self))
        edited.__dict__ |= self.__dict__
        edited._become(with_rules(self._current(), program, labelled, counts), self.classes_)  # noqa: SLF001 - a copy
        return edited

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Each feature's share of the accuracy that is lost when its values are swapped between training records."""
        check_is_fitted(self)
        shares = self.model_.importances
        if shares is None:
            raise AttributeError(
                "feature_importances_ are not known: the model was saved by an earlier version; fit it again, or "
                "measure them on labelled records: model.with_program(model.program_, X, y)"
            )
        return shares.copy()

    @property
    def rules_(self) -> Any:
        """The rules, what they decide and how often they are right, as a data frame: of pandas, if it is installed.

        ``expected_precision`` is the share that the rule is expected to get right on new records, ``low`` and ``high``
        are the ends of its 95 % interval, and ``in_training`` is the share that it got right in training, which is
        mostly more (`RuleStatistics`).
        """
        check_is_fitted(self)
        rules, statistics = self.program_.rules, self.statistics_
        low, high = statistics.expected_between
        columns = {
            "order": list(range(1, len(rules) + 1)),
            "label": [rule.head for rule in rules],
            "text": [str(replace(rule, head=None)) for rule in rules],
            "support": statistics.support[: len(rules)].tolist(),
            "coverage": statistics.coverage[: len(rules)].tolist(),
            "expected_precision": statistics.expected_precision[: len(rules)].tolist(),
            "low": low[: len(rules)].tolist(),
            "high": high[: len(rules)].tolist(),
            "in_training": statistics.precision[: len(rules)].tolist(),
            "lift": statistics.expected_lift[: len(rules)].tolist(),
            "exceptions": [len(rule.exceptions) for rule in rules],
        }
        if self.stability_ is not None:
            columns |= {name: [row[name] for row in self.stability_.rows] for name in ("returns", "same_tests")}
        return frame_of(columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, whole or not at all; `unless.load` reads it back.

        A file whose name ends with .gz is packed: ``model.save("model.json.gz")``.
        """
        check_is_fitted(self)
        write_whole(path, gzip_if_named_so(file_text(self._current()).encode(), path))

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
        """How the columns were read; ``read_table(source, like=model)`` reads new records the same way."""
        return self._fitted.schema

    @property
    def domain_(self) -> Table:
        """The categories and the ranges of numbers that training had, for each feature that a rule tests."""
        return self._fitted.domain

    @property
    def card_(self) -> ScoreCard | None:
        """The points of each part of the program, from which probabilities come; None if there are none."""
        return self._fitted.card

    @property
    def tested_(self) -> HoldoutResult | None:
        """What held-out records have shown, in a model that ``unless fit`` has written."""
        return self._fitted.tested

    @property
    def origin_(self) -> DataOrigin | None:
        """The fingerprint of the data, and what was held out, in a model that ``unless fit`` has written."""
        return self._fitted.origin

    @property
    def gaps_(self) -> Mapping[str, float] | None:
        """How many cells of each feature that rules test were missing in training; None if that is not known."""
        return self._fitted.missing_counts

    @property
    def taught_(self) -> DistillationResult | None:
        """The teacher that the list imitates, and how often both agree on held-out records; None without a teacher."""
        return self._fitted.distillation

    @property
    def tuned_(self) -> Mapping[str, float] | None:
        """The settings that were chosen by measurement (``tune``, ``penalty="auto"``); None if the given ones stay."""
        return self._fitted.tuned

    @property
    def locked_(self) -> tuple[int, ...]:
        """The indices of the rules that were locked when the others were learned: ``fit(..., keep=, lock=)``."""
        return self._fitted.locked

    @property
    def trade_off_(self) -> TradeOff | None:
        """Accuracy against the number of rules, in a model that ``unless fit --trade-off`` has written."""
        return self._fitted.trade_off

    @property
    def _fitted(self) -> Model:
        """The model; before `fit`, an error that is an AttributeError too, so that hasattr says False."""
        check_is_fitted(self)
        return self.model_

    def _current(self) -> Model:
        """The model with the parameters that the classifier has now."""
        return replace(self._fitted, parameters=self._parameters())

    def report(  # noqa: PLR0913 - one parameter for each choice of the caller
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        sample: int = 2000,
        seed: int = 0,
        words: Words | None = None,
        watch: Watch | None = None,
        stability: Stability | None = None,
    ) -> None:
        """Write a page about the model on these records: one HTML file that needs nothing else.

        It shows the rules, what they decide, how good they are and where they are weak, and readers can change values
        and see the decision change. ``y`` are the true labels, or None if they are unknown. Columns of X that training
        did not have, such as names, are in the table of records; see `unless.report.report`. ``watch`` and
        ``stability`` are what the methods of these names gave: each is then a section of the page.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X has .* was not trained on")
            X = as_table(self.model_, X)  # noqa: N806
            table = with_others(self._table(X), X)
        if y is not None:
            table = replace(table, target=read_labels(y, self.program_.target, len(table)))
        shown = {"watch": watch, "stability": stability}
        report(self.model_, table, path, title=title, sample=sample, seed=seed, words=words, **shown)  # type: ignore[arg-type]

    def __str__(self) -> str:
        if not hasattr(self, "program_"):
            return repr(self)
        return f"{listing_title(self.program_)}\n{listing_text(self.program_, self.statistics_)}{self._said_of_test()}"

    def _said_of_test(self) -> str:
        """What records held back have shown, below the rules."""
        return "" if self.tested_ is None else f"\n\ntest: {holdout_text(self.tested_)}"

    def _repr_html_(self) -> str | None:
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
        """What is pickled: the model as the text of its file, and no training records.

        So pickles stay readable when the package changes inside, and skops, which asks for trust in every type, finds
        only that of the classifier.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        model = state.pop("model_", None)
        state.pop("stability_", None)
        state.pop("_reader", None)
        return state if model is None else {**state, "_file": file_text(replace(model, parameters={}))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read the model again, as strictly as from a file of a stranger."""
        text = state.get("_file")
        super().__setstate__({name: value for name, value in state.items() if name != "_file"})
        if text is not None:
            self._become(parsed(text.encode(), "the pickled model"), self.classes_)  # type: ignore[arg-type]

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    # Small steps.

    def _become(self, model: Model, classes: NDArray[Any]) -> None:
        """Become the fitted classifier of a model; ``classes`` are an array, as in scikit-learn."""
        self.model_, self.classes_, self.stability_ = model, classes, None
        self._reader = LazyValue(partial(PredictionReader, model, type(self).__name__))
        self.n_features_in_ = len(model.schema.sources)
        if model.named:
            self.feature_names_in_ = np.array(model.schema.sources, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _carded(self, X: Any, y: Any, by: Sequence[str]) -> Table:
        """Records with their labels, if they are known, and other columns that were asked for."""
        y = X.y if y is None and isinstance(X, Relations) and X.target is not None else y
        X = as_table(self.model_, X)  # noqa: N806
        table = self._table(X, tell=False)
        others = [name for name in by if name not in table.features]
        if others:
            source = Given.of(X).source
            extra = source if isinstance(source, Table) else read_table(source, features=others)
            table = replace(table, columns=(*table.columns, *(extra.column(name) for name in others)))
        y = X.y if y is None and isinstance(X, Table) and X.target is not None else y
        return table if y is None else replace(table, target=read_labels(y, self.program_.target, len(table)))

    def _watched(self, X: Any, y: Any) -> tuple[Table, NDArray[np.intp] | None]:
        """Records, and the places of their labels, if any are known."""
        table = self._table(X, tell=False)
        y = X.y if y is None and isinstance(X, Table | Relations) and X.target is not None else y
        return table, None if y is None else some_places(y, self.statistics_.classes, len(table))

    def _record(self, record: Any) -> dict[str, Value]:
        """One record as values, read like the training data."""
        table = self._table(wrap_single_record(record), caller=4)
        if len(table) != 1:
            raise ParameterError(f"expected one record, got {len(table)}; pass them one by one")
        return table.record(0)

    def _table(self, X: Any, *, tell: bool = True, caller: int = 3) -> Table:
        """The records, read like those of training; ``tell`` warns the caller of values that training did not have."""
        check_is_fitted(self)
        X = as_table(self.model_, X)  # noqa: N806
        table = read_alike(X, self.schema_, self.domain_, type(self).__name__, named=self.model_.named)
        if tell:
            _warn_of_unseen(unseen_values(self.model_, table), caller + 1)
        return table

    def _records(self, X: Any) -> NewRecords:
        """The records, read for a prediction; warns the caller of values that training did not have."""
        check_is_fitted(self)
        records = self._reader.value.read(as_table(self.model_, X))
        if records.unseen:
            _warn_of_unseen(records.unseen, 4)
        return records

    def _deciding(self, records: NewRecords) -> NDArray[np.int32]:
        """The index of the rule that decides each record."""
        code = self.model_.code
        return code.decide(records.fills(code.bins), records.rows)

    def _heads(self) -> NDArray[Any]:
        """The label of each rule, in the type of the classes, and last that of no rule; None may be among objects."""
        heads = np.empty(len(self.program_.rules) + 1, dtype=object)
        heads[:] = self.program_.heads
        if not _always_decides(self.program_):
            return heads
        if heads[-1] is None:  # no record gets it
            heads[-1] = self.classes_[0]
        return heads.astype(self.classes_.dtype)


def _warn_of_unseen(found: Iterable[Unseen], caller: int) -> None:
    """Warn of values that training did not have, unless they may be chance."""
    if lines := unseen_summary(beyond_chance(found)):
        warnings.warn("\n".join(["values that training did not have:", *lines]), UnlessWarning, stacklevel=caller)


def frame_of(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Columns as a data frame: of pandas, if it is installed."""
    try:
        import pandas as pd
    except ImportError:
        import polars as pl

        return pl.DataFrame(columns)
    return pd.DataFrame(columns)


def _always_decides(program: Program) -> bool:
    """Whether the program has a label for every record."""
    return program.otherwise is not None or any(not rule.default and not rule.exceptions for rule in program.rules)
